"""Signed requests and URLs of the service are those that Alibaba's SDKs make of the same for the same moment, and hold on a
server that judges signatures as they are received.

    python oss_requests.py SERVICE ACCESS_KEY SECRET_KEY [SECURITY_TOKEN]

SERVICE (http://host:port) has grants of everything below "in/". With a token the key is a temporary one.
"""

import json
import sys
import urllib.parse
import urllib.request
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from types import SimpleNamespace

from capture import Refusal, Request
from checking import check, check_that
from oss_capture import OSSCapture
from oss_vectors import OSS2, OSSV2

SERVICE, ACCESS_KEY, SECRET_KEY, TOKEN = (sys.argv[1:] + [None])[:4]
REGION, BUCKET = "cn-hangzhou", "demo-bucket"
KEYS = ["in/a.txt", "in/Füße 中文 +&=%'()*~!/b c.txt", "in/a%2Fb//c", "in/🦊"]
MD5 = "1B2M2Y8AsgTpgAmY7PhCfg=="
# What the capture says of a request whose signature holds, but whose operation it does not have.
VERIFIED = ["MethodNotAllowed", "NoSuchKey"]

# Method, query, headers that both versions sign, headers that version 4 signs alone: oss2 sorts these by their first letters.
ASKS = [
    ("GET", {}, {}, {}),
    ("HEAD", {}, {}, {}),
    ("DELETE", {}, {}, {}),
    ("PUT", {}, {"Content-Type": "text/plain; charset=utf-8", "x-oss-meta-b": "zwei  drei", "x-oss-meta-a": "1"}, {}),
    ("PUT", {}, {"Content-Type": "image/png", "Content-MD5": MD5, "x-oss-forbid-overwrite": "true"}, {}),
    ("PUT", {}, {"Content-Type": "image/png"}, {"content-length": "0", "Range": "bytes=0-9"}),
    ("PUT", {}, {}, {"Cache-Control": "no-cache, max-age=0"}),
    ("GET", {"response-content-type": "a/b; c=d", "response-content-disposition": 'attachment; filename="ü+&=.txt"'}, {}, {}),
    ("GET", {"versionId": "CAEQ+/=", "x-oss-traffic-limit": "819200"}, {}, {}),
    ("POST", {"uploads": ""}, {"Content-Type": "image/png"}, {}),
    ("PUT", {"uploadId": "0004B9894A22E5B1888A1E29F8236E2D", "partNumber": "10000"}, {}, {}),
    ("GET", {"uploadId": "ab", "max-parts": "7"}, {}, {}),
    ("POST", {"uploadId": "ab"}, {}, {}),
    ("DELETE", {"uploadId": "ab"}, {}, {}),
    ("POST", {"append": "", "position": "0"}, {}, {}),
]


def ask(path, **parameters):
    body = json.dumps({name: value for name, value in parameters.items() if value != {}}).encode()
    request = urllib.request.Request(SERVICE + path, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def made(value, key, query, fields, additional, now, lifetime):
    """The same request for the SDKs."""
    return SimpleNamespace(
        method=value["method"], bucket=BUCKET, key=key, query=list(query.items()), fields=dict(fields),
        additional=list(additional), scheme="https", region=REGION, access_key=ACCESS_KEY, secret=SECRET_KEY, token=TOKEN,
        now=now, lifetime=lifetime,
    )


def lowered(fields):
    return {name.lower(): value for name, value in fields.items()}


def parsed(url):
    """Scheme, host, decoded path, and the set of decoded parameters, the signature among them."""
    parts = urllib.parse.urlsplit(url)
    pairs = [tuple(urllib.parse.unquote(half) for half in pair.partition("=")[::2]) for pair in parts.query.split("&")]
    check_that("no parameter is there twice", len(dict(pairs)) == len(pairs))
    return parts.scheme, parts.netloc, urllib.parse.unquote(parts.path), frozenset(pairs)


def authorization(text):
    """Its parts: the SDKs write them in different orders."""
    kind, _, rest = text.partition(" ")
    return kind, frozenset(part.strip() for part in rest.split(","))


def check_header(oss, version, key, method, query, fields, additional):
    value = ask(
        "/oss/authorization", key=key, method=method, query=query, header=fields | additional, version=version
    )
    sent = lowered(value["headers"])
    expected = set(lowered(fields | additional)) | {"authorization", "x-oss-date"}
    expected |= {"x-oss-content-sha256"} if version == "v4" else set()
    check("what is sent", set(sent), expected | ({"x-oss-security-token"} if TOKEN else set()))
    check("the token", sent.get("x-oss-security-token"), TOKEN)
    asked = lowered(fields | additional)
    check("their values", {name: sent[name] for name in asked}, asked)
    if version == "v4":
        moment = datetime.strptime(sent["x-oss-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=timezone.utc)
    else:
        moment = parsedate_to_datetime(sent["x-oss-date"])
    given = fields | additional | ({"x-oss-date": sent["x-oss-date"]} if version == "v1" else {})
    request = made(value, key, query, given, additional, int(moment.timestamp()), 900)
    # The SDK of version 2 signs a Date of its own in version 1.
    for sdk in [OSS2(request)] + ([OSSV2(request)] if version == "v4" else []):
        theirs = lowered(sdk.header(int(version[1])))["authorization"]
        check(f"{sdk.name}", authorization(sent["authorization"]), authorization(theirs))
    check_capture(oss, value, f"{version.upper()} header")


def check_url(oss, version, key, method, query, fields, additional):
    parameters = {"key": key, "method": method, "query": query, "version": version, "expires": 600}
    typed = {"Content-Type": "contentType", "Content-MD5": "contentMd5"}
    parameters |= {typed[name]: text for name, text in fields.items() if name in typed}
    parameters["header"] = {name: text for name, text in (fields | additional).items() if name not in typed}
    value = ask("/oss/presigned-url", **parameters)
    check("the headers", lowered(value["headers"]), lowered(fields | additional))
    request = made(value, key, query, fields | additional, additional, value["deadline"] - 600, 600)
    for sdk in [OSS2(request), OSSV2(request)]:
        check(f"{sdk.name}", parsed(value["url"]), parsed(sdk.url(int(version[1]))))
    check_capture(oss, value, f"{version.upper()} URL")


def check_capture(oss, value, kind):
    """The request as it is holds, and whatever is changed in it does not."""
    parts = urllib.parse.urlsplit(value["url"])
    target = f"/{BUCKET}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    fields = {"Host": parts.netloc} | value["headers"]
    request = Request(value["method"], target, tuple(fields.items()), b"")
    verdict = oss.send(request)
    holds = verdict == kind or isinstance(verdict, Refusal) and verdict.code in VERIFIED
    check_that(f"{kind} {value['method']}", holds, verdict)
    more = "&" if parts.query else "?"
    for changed in [
        request.changed(method="GET" if request.method != "GET" else "PUT"),
        request.changed(target=target.replace("/in/", "/out/", 1)),
        request.changed(target=target + more + "acl"),
        request.with_field("x-oss-object-acl", "public-read"),
        request.with_field("Content-Type", "text/html"),
    ]:
        verdict = oss.send(changed)
        check_that("changed", isinstance(verdict, Refusal) and verdict.code == "SignatureDoesNotMatch", verdict)


def main():
    with OSSCapture({ACCESS_KEY: (SECRET_KEY, TOKEN)}, REGION) as oss:
        for index, (method, query, fields, additional) in enumerate(ASKS):
            for version in ["v4", "v1"]:
                for key in KEYS if index in (0, 3) else KEYS[1:2]:
                    extra = additional if version == "v4" else {}
                    check_header(oss, version, key, method, query, fields, extra)
                    check_url(oss, version, key, method, query, fields, extra)


main()
print("everything is as it should be")
