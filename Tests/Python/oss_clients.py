"""Alibaba's SDKs for OSS put and get an object with temporary credentials, on a server that verifies signatures."""

import urllib.error
import urllib.parse
import urllib.request
from datetime import timedelta

from capture import Refusal, altered
from checking import Mismatch, check, check_that
from oss_capture import OSSCapture

import alibabacloud_oss_v2 as oss_v2
import oss2
from oss2.credentials import StaticCredentialsProvider

REGION = "cn-hangzhou"
BUCKET = "demo-bucket"
KEY = "uploads/Füße 中文 +&=%/a'b(c)*~!.txt"
CONTENT = "Grüße, 你好\n".encode() * 100
FIELDS = {"Content-Type": "text/plain; charset=utf-8", "x-oss-meta-origin": "a  b"}


def fetch(url, method="GET", content=None, fields=None):
    """Status, fields and body, whatever the status."""
    request = urllib.request.Request(url, content, fields or {}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return response.status, response.headers, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.status, error.headers, error.read()


class OSS2:
    """oss2 with one of its ways to sign."""

    def __init__(self, auth, address):
        self.bucket = oss2.Bucket(auth, f"http://{address}", BUCKET, region=REGION)

    def put(self):
        return self.bucket.put_object(KEY, CONTENT, FIELDS).status

    def get(self):
        return self.bucket.get_object(KEY).read()

    def presign(self, method):
        fields = FIELDS if method == "PUT" else None
        return self.bucket.sign_url(method, KEY, 600, headers=fields, slash_safe=True), fields


class OSSV2:
    """alibabacloud-oss-v2; the 2 is the SDK's version, and not the signature's."""

    def __init__(self, keys, version, address):
        config = oss_v2.config.load_default()
        config.credentials_provider = oss_v2.credentials.StaticCredentialsProvider(*keys)
        config.region, config.endpoint, config.signature_version = REGION, f"http://{address}", version
        self.client = oss_v2.Client(config)

    def put(self):
        return self.client.put_object(self.request("PUT", CONTENT)).status_code

    def get(self):
        return self.client.get_object(self.request("GET")).body.read()

    def presign(self, method):
        result = self.client.presign(self.request(method), expires=timedelta(seconds=600))
        return result.url, result.signed_headers

    @staticmethod
    def request(method, content=None):
        if method == "GET":
            return oss_v2.GetObjectRequest(bucket=BUCKET, key=KEY)
        metadata = {"origin": FIELDS["x-oss-meta-origin"]}
        kind = FIELDS["Content-Type"]
        return oss_v2.PutObjectRequest(bucket=BUCKET, key=KEY, body=content, content_type=kind, metadata=metadata)


def clients(keys, address):
    """Name, version of the signature, and client, of every way to sign."""
    provider = StaticCredentialsProvider(*keys)
    yield "oss2 StsAuth", "V1", OSS2(oss2.StsAuth(*keys), address)
    yield "oss2 StsAuth", "V4", OSS2(oss2.StsAuth(*keys, auth_version=oss2.AUTH_VERSION_4), address)
    yield "oss2 ProviderAuth", "V1", OSS2(oss2.ProviderAuth(provider), address)
    yield "oss2 ProviderAuthV4", "V4", OSS2(oss2.ProviderAuthV4(provider), address)
    yield "alibabacloud-oss-v2", "V1", OSSV2(keys, "v1", address)
    yield "alibabacloud-oss-v2", "V4", OSSV2(keys, "v4", address)


def refused(call):
    """The code that an SDK reads from a refusal; None where it was not refused."""
    try:
        call()
    except oss2.exceptions.ServerError as error:
        return error.code
    except oss_v2.exceptions.OperationError as error:
        return error.unwrap().code
    return None


def field(name, change):
    """Gives a request another value of a field, or none."""
    return lambda request: request.with_field(name, change(request.value(name)))


def query(name, change):
    """Gives a request another value of a query name, or takes that name out."""

    def changed(request):
        path, _, text = request.target.partition("?")
        pairs = []
        for pair in text.split("&"):
            if pair.startswith(name + "="):
                value = change(urllib.parse.unquote(pair.removeprefix(name + "=")))
                pair = None if value is None else f"{name}={urllib.parse.quote(value, safe='')}"
            pairs.append(pair)
        return request.changed(target=path + "?" + "&".join(pair for pair in pairs if pair is not None))

    return changed


def sub_resource(request):
    return request.changed(target=request.target + ("&" if "?" in request.target else "?") + "acl")


def constant(value):
    return lambda _: value


NONE = constant(None)
MISMATCH, UNKNOWN, INVALID = "SignatureDoesNotMatch", "InvalidAccessKeyId", "InvalidSecurityToken"

# What is changed, how, and the code it must be refused with.
CHANGES = [
    ("another key", lambda request: request.changed(target=request.target.replace(".txt", ".tx")), MISMATCH),
    ("another method", lambda request: request.changed(method="HEAD"), MISMATCH),
    ("another type", field("Content-Type", constant("text/html")), MISMATCH),
    ("more metadata", field("x-oss-meta-more", constant("1")), MISMATCH),
    ("a sub-resource", sub_resource, MISMATCH),
]
HEADER_CHANGES = [
    ("another signature", field("Authorization", altered), MISMATCH),
    ("another token", field("x-oss-security-token", altered), INVALID),
    ("no token", field("x-oss-security-token", NONE), UNKNOWN),
]
CHANGES_OF_KIND = {
    "V1 header": [
        *HEADER_CHANGES,
        ("an old date", field("Date", constant("Thu, 02 Jan 2020 03:04:05 GMT")), "RequestTimeTooSkewed"),
    ],
    "V4 header": [
        *HEADER_CHANGES,
        ("an old date", field("x-oss-date", constant("20200102T030405Z")), "RequestTimeTooSkewed"),
    ],
    "V1 URL": [
        ("another signature", query("Signature", altered), MISMATCH),
        ("another token", query("security-token", altered), INVALID),
        ("no token", query("security-token", NONE), UNKNOWN),
        ("a later end", query("Expires", lambda end: str(int(end) + 1)), MISMATCH),
        ("an end that has passed", query("Expires", constant("1577934245")), "AccessDenied"),
    ],
    "V4 URL": [
        ("another signature", query("x-oss-signature", altered), MISMATCH),
        ("another token", query("x-oss-security-token", altered), INVALID),
        ("no token", query("x-oss-security-token", NONE), UNKNOWN),
        ("a later end", query("x-oss-expires", lambda seconds: str(int(seconds) + 1)), MISMATCH),
        ("an old date", query("x-oss-date", constant("20200102T030405Z")), "AccessDenied"),
    ],
}


def check_changes(name, oss, request, kind):
    """Whatever is changed in a request that was accepted, it is accepted no more, and for the right reason."""
    changes = CHANGES + CHANGES_OF_KIND[kind]
    for what, change, code in changes:
        verdict = oss.send(change(request))
        if not isinstance(verdict, Refusal) or verdict.code != code:
            raise Mismatch(f"{name}, {kind}, {what}: {verdict}, not {code}")
    print(f"{name}, {kind}: refused with {', '.join(what for what, _, _ in changes)}")
    check(f"{name}, {kind}: the same once more", oss.send(request), kind)


def check_header(name, oss, client, kind):
    oss.objects.clear()
    check(f"{name}, {kind}: put", (client.put(), oss.verdicts[-1][1]), (200, kind))
    request = oss.verdicts[-1][0]
    check_that(f"{name}, {kind}: the object", oss.objects.get((BUCKET, KEY)) == CONTENT)
    check_that(f"{name}, {kind}: get", client.get() == CONTENT and oss.verdicts[-1][1] == kind)
    check_changes(name, oss, request, kind)


def check_url(name, oss, client, kind):
    oss.objects.clear()
    url, fields = client.presign("PUT")
    check(f"{name}, {kind}: put", (fetch(url, "PUT", CONTENT, fields)[0], oss.verdicts[-1][1]), (200, kind))
    request = oss.verdicts[-1][0]
    check_that(f"{name}, {kind}: the object", oss.objects.get((BUCKET, KEY)) == CONTENT)
    status, _, body = fetch(client.presign("GET")[0])
    check_that(f"{name}, {kind}: get", (status, body, oss.verdicts[-1][1]) == (200, CONTENT, kind), status)
    check_changes(name, oss, request, kind)


def check_clients(key_id, secret, token):
    """Every way to sign is accepted with these credentials, in headers and in URLs, and with no others."""
    with OSSCapture({key_id: (secret, token)}, REGION) as oss:
        for name, version, client in clients((key_id, secret, token), oss.address):
            if (name, version) == ("alibabacloud-oss-v2", "V1"):
                # Its version 1.4.1 sends the token in a field that OSS does not know.
                check(f"{name}, V1 header: put is refused", refused(client.put), "InvalidAccessKeyId")
                check_that(f"{name}, V1 header: the field", oss.verdicts[-1][0].value("security-token") == token)
            else:
                check_header(name, oss, client, f"{version} header")
            check_url(name, oss, client, f"{version} URL")
        for name, version, client in clients((key_id, secret + "x", token), oss.address):
            if (name, version) != ("alibabacloud-oss-v2", "V1"):
                check(f"{name}, {version}, another secret: put", refused(client.put), "SignatureDoesNotMatch")
