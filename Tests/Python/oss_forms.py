"""Forms of the service upload what their policies admit, by an HTTP client's own multipart, and nothing else; RTMP URLs are those
that oss2 signs for the same moment.

    python oss_forms.py SERVICE ACCESS_KEY SECRET_KEY

SERVICE (http://host:port) has grants of forms for "pictures/" (10 to 1000 bytes, PNG or JPEG), "reports/" (PDF, a callback) and
"any/" (overwriting), and of the channel stage-1.
"""

import base64
import json
import sys
import urllib.parse
import urllib.request
from unittest import mock

from capture import Refusal
from checking import Mismatch, check, check_that
from oss_form_capture import OSSFormCapture

import oss2
import requests

SERVICE, ACCESS_KEY, SECRET_KEY = sys.argv[1:4]
ENDPOINT = "oss-cn-hangzhou.aliyuncs.com"
NAME = "Füße 中文 +&=%'()*!.png"
PNG, JPEG = {"x-oss-content-type": "image/png"}, {"x-oss-content-type": "image/jpeg"}
CONTENT = b"0123456789"


def ask(path, **parameters):
    with urllib.request.urlopen(f"{SERVICE}{path}?{urllib.parse.urlencode(parameters)}", timeout=30) as response:
        return json.load(response)


def upload(oss, form, changes=None, content=CONTENT, name="cat.png", part_type=None, bucket=None):
    """How the vendor judges a form with fields changed, or left out by None; `part_type` is the Content-Type of the file's part."""
    host = urllib.parse.urlsplit(form["url"])
    check_that("the URL is the bucket's root", (host.scheme, host.path, host.query) == ("https", "/", ""))
    fields = {**form["fields"], **(changes or {})}
    fields = {field: value for field, value in fields.items() if value is not None}
    headers = {"Host": f"{bucket}.{ENDPOINT}" if bucket else host.netloc}
    file = (name, content, part_type) if part_type else (name, content)
    requests.post(f"http://{oss.address}/", fields, headers=headers, files={"file": file}, timeout=30)
    return oss.verdicts[-1][1]


def expect(what, verdict, expected):
    found = f"{verdict.code}" if isinstance(verdict, Refusal) else verdict
    if found != expected:
        raise Mismatch(f"{what}: {verdict!r} {verdict}, not {expected}")
    print(f"{what}: {found}")


# What is changed in a form that was accepted, and the code it must be refused with.
DENIED = "AccessDenied"
CHANGES = [
    ("too large", dict(content=b"a" * 1001), "EntityTooLarge"),
    ("too small", dict(content=b"a" * 9), "EntityTooSmall"),
    ("another bucket", dict(bucket="other-bucket"), DENIED),
    ("another type", dict(changes={"x-oss-content-type": "text/html"}), DENIED),
    ("another type beside the grant's", dict(changes={"x-oss-content-type": "a/b", "content-type": "image/png"}), DENIED),
    ("no type", dict(changes={"x-oss-content-type": None}), DENIED),
    ("a type where the vendor looks last", dict(changes={"x-oss-content-type": None, "content-type": "image/png"}), DENIED),
    ("a type of the file's part alone", dict(changes={"x-oss-content-type": None}, part_type="image/png"), DENIED),
    ("another key", dict(changes={"key": "pictures/b.png"}), DENIED),
    ("the file's name", dict(changes={"key": "pictures/${filename}"}), DENIED),
    ("another status", dict(changes={"success_action_status": "201"}), DENIED),
    ("overwriting", dict(changes={"x-oss-forbid-overwrite": "false"}), DENIED),
    ("nothing of overwriting", dict(changes={"x-oss-forbid-overwrite": None}), DENIED),
    ("another policy", dict(changes={"policy": base64.b64encode(b'{"conditions":[]}').decode()}), "SignatureDoesNotMatch"),
]


def check_object(oss, version):
    for what, change, code in CHANGES:
        form = ask("/oss/post-policy", key="pictures/a.png", version=version)
        change = {**change, "changes": {**PNG, **change.get("changes", {})}}
        oss.objects.clear()
        expect(f"{version}, {what}", upload(oss, form, **change), code)
        check_that(f"{version}, {what}: nothing is there", not oss.objects)
        expect(f"{version}, as it is", upload(oss, form, JPEG), f"{version.upper()} form")
        check_that("the object", oss.objects == {("demo-bucket", "pictures/a.png"): CONTENT})
        check("its type", oss.types["demo-bucket", "pictures/a.png"], "image/jpeg")
        expect("the same once more", upload(oss, form, JPEG), "FileAlreadyExists")


def check_types(oss, version):
    """A file that a page, or its browser, takes for HTML gets one of the grant's types all the same."""
    for parameters, types in [({}, PNG), ({"contentType": "image/png"}, {})]:
        form = ask("/oss/post-policy", key="pictures/a.png", version=version, **parameters)
        oss.objects.clear()
        sent = upload(oss, form, {**types, "content-type": "text/html"}, name="a.html", part_type="text/html")
        expect(f"{version}, HTML by its part and content-type", sent, f"{version.upper()} form")
        check("its type", oss.types["demo-bucket", "pictures/a.png"], "image/png")


def check_prefix(oss, version):
    form = ask("/oss/post-policy", keyPrefix="pictures/2026/", version=version)
    for name in ["a.png", NAME]:
        oss.objects.clear()
        expect(f"{version}, {name}", upload(oss, form, PNG, name=name), f"{version.upper()} form")
        check("the key", list(oss.objects), [("demo-bucket", "pictures/2026/" + name)])
    kept = {"key": "pictures/2026/by/hand.png", **PNG}
    expect(f"{version}, a key of its own", upload(oss, form, kept), f"{version.upper()} form")
    for key in ["pictures/a.png", "pictures/2026", "a/pictures/2026/b", "Pictures/2026/a"]:
        expect(f"{version}, {key}", upload(oss, form, {**PNG, "key": key}), DENIED)


def check_choices(oss, version):
    form = ask("/oss/post-policy", key="pictures/" + NAME, maxSize=500, contentType="image/png", version=version)
    expect(f"{version}, of 501 bytes", upload(oss, form, content=b"a" * 501), "EntityTooLarge")
    expect(f"{version}, a type of the grant's others", upload(oss, form, JPEG), DENIED)
    expect(f"{version}, of 500 bytes", upload(oss, form, content=b"a" * 500), f"{version.upper()} form")
    check("the key", list(oss.objects)[-1], ("demo-bucket", "pictures/" + NAME))
    form = ask("/oss/post-policy", key="reports/a.pdf", version=version)
    for value in [None, base64.b64encode(b'{"callbackUrl":"https://evil.example","callbackBody":"x"}').decode()]:
        expect(f"{version}, another callback", upload(oss, form, {"callback": value}), DENIED)
    expect(f"{version}, with the callback", upload(oss, form, {"x:by": "me"}), f"{version.upper()} form")
    callback = json.loads(base64.b64decode(form["fields"]["callback"]))
    check("whom it tells", callback["callbackUrl"], "https://app.example.com/done?a=1")
    form = ask("/oss/post-policy", key="any/a", version=version)
    for _ in range(2):
        expect(f"{version}, overwriting", upload(oss, form), f"{version.upper()} form")


def check_sample_page(oss, version):
    """As the vendor's sample pages put a form together, by the names that they know."""
    value = ask("/oss/post-policy", keyPrefix="any/", version=version)
    fields = {"key": value["dir"] + "a.txt", "policy": value["policy"], "success_action_status": "200"}
    if version == "v1":
        fields |= {"OSSAccessKeyId": value["accessid"], "signature": value["signature"]}
    else:
        fields |= {
            "x-oss-signature-version": value["x_oss_signature_version"], "x-oss-signature": value["signature"],
            "x-oss-credential": value["x_oss_credential"], "x-oss-date": value["x_oss_date"],
        }
    form = {"url": value["host"] + "/", "fields": fields}
    expect(f"{version}, as the sample page has it", upload(oss, form), f"{version.upper()} form")


def check_streams():
    bucket = oss2.Bucket(oss2.Auth(ACCESS_KEY, SECRET_KEY), "https://" + ENDPOINT, "demo-bucket")
    for playlist in ["", "live.m3u8", "a-b_c~1.m3u8"]:
        value = ask("/oss/rtmp-url", **({"playlist": playlist} if playlist else {}))
        with mock.patch("oss2.auth.time.time", lambda: value["deadline"] - 60):
            expected = bucket.sign_rtmp_url("stage-1", playlist, 60)
        found, expected = urllib.parse.urlsplit(value["url"]), urllib.parse.urlsplit(expected)
        check(f"stream, {playlist}", found[:3], expected[:3])
        check("its parameters", dict(urllib.parse.parse_qsl(found.query)), dict(urllib.parse.parse_qsl(expected.query)))


with OSSFormCapture({ACCESS_KEY: (SECRET_KEY, None)}) as capture:
    for signature in ["v1", "v4"]:
        check_object(capture, signature)
        check_types(capture, signature)
        check_prefix(capture, signature)
        check_choices(capture, signature)
        check_sample_page(capture, signature)
check_streams()
print("everything is as it should be")
