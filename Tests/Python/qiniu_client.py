"""Uploads with the service's upload tokens by Qiniu's own SDK, to a server in this process that judges as Kodo would.

    python qiniu_client.py SERVICE ACCESS_KEY SECRET_KEY

SERVICE (http://host:port) has the grants "photos" (bucket demo-media, prefix photos/, images), "tuned" (prefix tuned/,
100 to 5000 bytes) and "fixed" (key fixed/report.pdf, which may be replaced).
"""

import base64
import json
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from capture import Refusal
from checking import check, check_that
from qiniu_capture import QiniuCapture

import qiniu

SERVICE, ACCESS_KEY, SECRET_KEY = sys.argv[1:4]
BUCKET = "demo-media"
AUTH = qiniu.Auth(ACCESS_KEY, SECRET_KEY)
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 16
PART = 1 << 20


def issue(**parameters):
    """The token that the service issues: the SDK makes the same of its policy, and what clients read in it is there."""
    query = urllib.parse.urlencode(parameters)
    with urllib.request.urlopen(f"{SERVICE}/qiniu/uptoken?{query}", timeout=30) as response:
        value = json.load(response)
    token = value["uptoken"]
    what = f"token for {parameters}"
    access_key, _, policy = qiniu.Auth.up_token_decode(token)
    print(f"{what}: {policy}")
    check(f"{what}: access key", access_key, ACCESS_KEY)
    check(f"{what}: bucket", (qiniu.Auth.get_bucket_name(token), value["bucket"]), (BUCKET, BUCKET))
    text = base64.urlsafe_b64decode(token.split(":")[2]).decode()
    check_that(f"{what}: the SDK signs the same", AUTH.token_with_data(text) == token)
    check_that(f"{what}: the same under its other name", value["token"] == token)
    # Android reads 32 bits.
    check_that(f"{what}: deadline", type(policy["deadline"]) is int and time.time() < policy["deadline"] < 1 << 31)
    check(f"{what}: deadline beside it", value["deadline"], policy["deadline"])
    return token


def put(token, key, content, kind="image/jpeg"):
    """The outcome of an upload by a form."""
    return outcome(*qiniu.put_data(token, key, content, mime_type=kind))


def put_parts(token, key, content, kind="image/jpeg"):
    """The outcome of a resumable upload."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        return outcome(*qiniu.put_file_v2(token, key, file.name, part_size=PART, mime_type=kind))


def outcome(result, info):
    """The status, and the key or what the refusal says."""
    return info.status_code, result["key"] if result else json.loads(info.text_body)["error"]


def with_policy(token, **changes):
    """A token with another policy and the same signature."""
    access_key, signature, encoded = token.split(":")
    policy = {**json.loads(base64.urlsafe_b64decode(encoded)), **changes}
    return ":".join([access_key, signature, base64.urlsafe_b64encode(json.dumps(policy).encode()).decode()])


def check_photos(kodo):
    key = "photos/Füße 中文 +&=%.jpg"
    token = issue(key=key)
    mismatch = (403, "key doesn't match with scope")
    check("form: stored", put(token, key, JPEG), (200, key))
    check_that("form: the object", kodo.objects[BUCKET, key] == JPEG)
    check("form: once more", put(token, key, JPEG), (200, key))
    check("form: another content", put(token, key, JPEG + b"x"), (614, "file exists"))
    check("form: another key", put(token, "photos/b.jpg", JPEG), mismatch)
    check("form: the key and more", put(token, key + "x", JPEG), mismatch)
    limited = (403, "limited mime type: this file type is forbidden to upload")
    check("form: a text that is called an image", put(token, key, b"text", "image/jpeg"), limited)
    other = with_policy(token, scope=f"{BUCKET}:photos/b.jpg")
    check("form: a policy that was changed", put(other, "photos/b.jpg", JPEG), (401, "bad token"))
    other = qiniu.Auth(ACCESS_KEY, SECRET_KEY + "x").upload_token(BUCKET, key)
    check("form: another secret", put(other, key, JPEG), (401, "bad token"))
    kodo.ahead = 24 * 3600
    check("form: too late", put(token, key, JPEG), (401, "expired token"))
    kodo.ahead = 0

    key = "photos/large.jpg"
    token = issue(key=key)
    large = JPEG + bytes(2 * PART)
    check("parts: stored", put_parts(token, key, large), (200, key))
    check("parts: how many", kodo.verdicts[-1][1], "3 parts")
    check_that("parts: the object", kodo.objects[BUCKET, key] == large)
    check("parts: another content", put_parts(token, key, large + b"x"), (614, "file exists"))
    check("parts: another key", put_parts(token, "photos/b.jpg", large), mismatch)
    check("parts: a text", put_parts(token, key, b"text" * PART), limited)
    other = with_policy(token, scope=f"{BUCKET}:photos/b.jpg")
    check("parts: a policy that was changed", put_parts(other, "photos/b.jpg", large), (401, "bad token"))
    kodo.ahead = 24 * 3600
    check("parts: too late", put_parts(token, key, large), (401, "expired token"))
    kodo.ahead = 0

    token = issue(grant="photos")
    check("prefix: stored", put(token, "photos/c.jpg", JPEG), (200, "photos/c.jpg"))
    check("prefix: another content", put(token, "photos/c.jpg", JPEG + b"x"), (614, "file exists"))
    check("prefix: parts", put_parts(token, "photos/d.jpg", large), (200, "photos/d.jpg"))
    for key in ["photo", "photos", "private/a.jpg", "Photos/a.jpg"]:
        check(f"prefix: {key}", put(token, key, JPEG), mismatch)


def check_sizes(kodo):
    key = "tuned/a"
    token = issue(key=key)
    check("sizes: the least", put(token, key, b"a" * 100), (200, key))
    check("sizes: less", put(token, key, b"a" * 99), (403, "file is too small"))
    check("sizes: more than the most", put(token, key, b"a" * 5001), (413, "request entity is too large"))
    check("sizes: more in parts", put_parts(token, key, bytes(2 * PART)), (413, "request entity is too large"))
    token = issue(key="tuned/b", fsizeLimit=200)
    check("sizes: the most that was chosen", put(token, "tuned/b", b"a" * 200), (200, "tuned/b"))
    check("sizes: more than was chosen", put(token, "tuned/b", b"a" * 201), (413, "request entity is too large"))


def check_replacing(kodo):
    key = "fixed/report.pdf"
    token = issue(grant="fixed")
    for content in [b"%PDF-1.4 first", b"%PDF-1.4 second"]:
        check("replacing: stored", put(token, key, content, "application/pdf"), (200, key))
        check_that("replacing: the object", kodo.objects[BUCKET, key] == content)


def main():
    with QiniuCapture(ACCESS_KEY, SECRET_KEY, {BUCKET}) as kodo:
        qiniu.set_default(default_query_region_host=f"http://{kodo.address}", default_upload_threshold=PART)
        # First the judge itself: what the SDK makes is accepted.
        token = AUTH.upload_token(BUCKET, "sdk/a", 600, {"insertOnly": 1, "fsizeLimit": 4096})
        check("a token of the SDK's own", put(token, "sdk/a", b"content"), (200, "sdk/a"))
        check("a token of the SDK's own, and another key", put(token, "sdk/b", b"content")[0], 403)
        check_photos(kodo)
        check_sizes(kodo)
        check_replacing(kodo)
        queries = [request.target for request, verdict in kodo.verdicts if verdict == "query"]
        check("hosts asked for", set(queries), {f"/v4/query?ak={ACCESS_KEY}&bucket={BUCKET}"})
        refusals = sum(isinstance(verdict, Refusal) for _, verdict in kodo.verdicts)
        print(f"{len(kodo.verdicts)} requests, {refusals} of them refused")


main()
print("everything is as it should be")
