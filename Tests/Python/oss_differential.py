"""Whatever Alibaba's SDKs want to have signed for what a grant admits is signed, and nothing else: random requests.

    python oss_differential.py SERVICE ACCESS_KEY SECRET_KEY COUNT [SEED]

SERVICE (http://host:port) has the grants of GRANTS below. The SDKs put the strings together; nothing is sent to OSS.
"""

import base64
import hashlib
import hmac
import http.client
import json
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from urllib.parse import urlsplit

import alibabacloud_oss_v2 as oss_v2
import oss2
from alibabacloud_oss_v2.signer import SignerV1, SignerV4
from oss2.credentials import StaticCredentialsProvider
from oss2.models import PartInfo

from checking import check_that
from oss_vectors import MARKS, PLAIN, WIDE, text

REGION, BUCKET, OTHER_BUCKET = "cn-hangzhou", "demo-bucket", "other-bucket"
ANSWER = [
    "response-cache-control", "response-content-disposition", "response-content-encoding", "response-content-language",
    "response-content-type", "response-expires",
]
METADATA = "x-oss-meta-"
HEADERS = {"x-oss-forbid-overwrite": "true", "x-oss-storage-class": "IA", "x-oss-traffic-limit": "819200"}
FOREIGN_HEADERS = {
    "x-oss-object-acl": "public-read", "x-oss-callback": "e30=", "x-oss-tagging": "a=b",
    "x-oss-server-side-encryption": "AES256", "x-oss-security-token": "x",
}


@dataclass
class Grant:
    """What a grant of the service says, but for its bucket, which is BUCKET."""

    methods: set
    names: set
    headers: set
    presign: int


GRANTS = {
    "all/": Grant(
        {"GET", "HEAD", "PUT", "POST", "DELETE"},
        {
            *ANSWER, "append", "encoding-type", "max-parts", "objectMeta", "part-number-marker", "partNumber", "position",
            "uploadId", "uploads", "versionId", "x-oss-traffic-limit",
        },
        {METADATA, *HEADERS}, 3600,
    ),
    "demo/": Grant({"GET", "HEAD", "PUT"}, {"response-content-type"}, {METADATA}, 300),
    "parts/": Grant({"GET", "PUT", "POST", "DELETE"}, {"uploads", "uploadId", "partNumber"}, set(), 0),
}
# What is signed for callers at all (R15): a method, the names that make the operation, and those that it may have.
OPERATIONS = {
    "put": ("PUT", [], ["x-oss-traffic-limit"]),
    "get": ("GET", [], [*ANSWER, "versionId", "x-oss-traffic-limit"]),
    "head": ("HEAD", [], ["versionId"]),
    "meta": ("HEAD", ["objectMeta"], []),
    "delete": ("DELETE", [], []),
    "append": ("POST", ["append", "position"], ["x-oss-traffic-limit"]),
    "initiate": ("POST", ["uploads"], ["encoding-type"]),
    "part": ("PUT", ["uploadId", "partNumber"], ["x-oss-traffic-limit"]),
    "parts": ("GET", ["uploadId"], ["encoding-type", "max-parts", "part-number-marker"]),
    "complete": ("POST", ["uploadId"], ["encoding-type"]),
    "abort": ("DELETE", ["uploadId"], []),
}
# What is never signed.
FOREIGN = {
    "put_acl": ("PUT", ["acl"], []), "get_acl": ("GET", ["acl"], []), "symlink": ("PUT", ["symlink"], []),
    "tagging": ("GET", ["tagging"], []), "copy": ("PUT", [], []), "process": ("GET", ["x-oss-process"], []),
    "restore": ("POST", ["restore"], []), "delete_version": ("DELETE", ["versionId"], []),
    "list": ("GET", ["max-keys"], []),
}


@dataclass
class Request:
    operation: str
    method: str
    bucket: str
    prefix: str
    key: str
    query: dict
    fields: dict = field(default_factory=dict)
    """Seconds that a URL holds; None for a header."""
    lifetime: int | None = None


def safe(key):
    """Without what no key may have."""
    return key.replace("$(", "(").replace("${", "{").replace("/./", "/").replace("/../", "/")


def random_key(rng, prefix):
    key = prefix + safe(text(rng, [PLAIN, MARKS.replace("?", ""), WIDE, ["%2F", "//"]], rng.choice([4, 30, 30, 300])))
    if rng.random() < 0.05:
        key += "?" + rng.choice(["b", "acl", "a=b"])
    # A segment must not come out as one of dots either.
    # Some servers take a backslash for a slash, so the service judges both.
    return key if all(part not in (".", "..") for part in key.replace("\\", "/").split("/")) else prefix + "a"


def random_value(rng, name):
    if name in ("uploadId", "versionId", "append", "uploads", "objectMeta"):
        return "" if name in ("append", "uploads", "objectMeta") else text(rng, [PLAIN], 32)
    if name.startswith("response-"):
        return text(rng, [PLAIN, "-/.; =\"'()é中" + ("&?" if rng.random() < 0.1 else "")], 30).strip() or "v"
    return str(rng.randrange(1, 1000))


def random_fields(rng, is_foreign):
    """Fields, their names in capitals or not."""
    fields = {}
    if rng.random() < 0.5:
        fields["Content-Type"] = rng.choice(["text/plain; charset=utf-8", "image/png", "application/x-www-form-urlencoded"])
    if rng.random() < 0.2:
        fields["Content-MD5"] = "XrY7u+Ae7tCTyVK7j1rNww=="
    for number in range(rng.choice([0, 0, 1, 3])):
        start = rng.choice([METADATA, "X-Oss-Meta-"])
        fields[f"{start}{number}{text(rng, ['abcxyz0189-'], 12)}"] = text(rng, [PLAIN, MARKS], 30).strip() or "v"
    if rng.random() < 0.3:
        name = rng.choice(list(HEADERS))
        fields[name] = HEADERS[name]
    for name in rng.sample(["Range", "If-None-Match", "Cache-Control", "Content-Disposition"], rng.choice([0, 0, 1])):
        fields[name] = text(rng, [PLAIN, "-=\"* "], 20).strip() or "v"
    if is_foreign:
        name = rng.choice(list(FOREIGN_HEADERS))
        fields[name] = FOREIGN_HEADERS[name]
    return fields


def random_request(rng):
    prefix = rng.choice(["all/", "all/", "all/", "demo/", "parts/"])
    is_foreign = rng.random() < 0.1
    operation = rng.choice(list(FOREIGN if is_foreign else OPERATIONS))
    method, names, others = (FOREIGN if is_foreign else OPERATIONS)[operation]
    # An SDK says by itself how keys are spelled.
    others = [name for name in others if name != "encoding-type"]
    others = rng.sample(others, min(len(others), rng.choice([0, 0, 1, 2])))
    query = {name: random_value(rng, name) for name in names + others}
    if operation == "process":
        query["x-oss-process"] = "image/info"
    fields = random_fields(rng, rng.random() < 0.05)
    if operation == "put_acl":
        fields["x-oss-object-acl"] = "private"
    if operation == "copy":
        fields["x-oss-copy-source"] = "/demo-bucket/secret"
    bucket = OTHER_BUCKET if rng.random() < 0.05 else BUCKET
    start = prefix if rng.random() < 0.9 else rng.choice(["elsewhere/", prefix[:-1], prefix.upper(), "al"])
    key = "" if operation == "list" else random_key(rng, start)
    lifetime = rng.choice([60, 280, 3500, 7200, 604800]) if rng.random() < 0.4 else None
    return Request(operation, method, bucket, prefix, key, query, fields, lifetime)


class Captured(BaseException):
    """What an SDK would sign. No SDK catches it."""

    def __init__(self, version, string, canonical=None):
        super().__init__()
        self.version, self.string, self.canonical = version, string, canonical


class CapturingSignerV1(SignerV1):
    def _calc_signature(self, access_key_secrect, string_to_sign):
        raise Captured("v1", string_to_sign)


class CapturingSignerV4(SignerV4):
    def _calc_canonical_request(self, signing_ctx, additional_headers=None):
        self.canonical = super()._calc_canonical_request(signing_ctx, additional_headers)
        return self.canonical

    def _calc_signature(self, access_key_secrect, date, region, product, string_to_sign):
        raise Captured("v4", string_to_sign, self.canonical)


class CapturingAuthV1(oss2.ProviderAuth):
    def _ProviderAuth__make_signature(self, req, bucket_name, key, credentials):
        raise Captured("v1", self._ProviderAuth__get_bytes_to_sign(req, bucket_name, key).decode())


class CapturingAuthV4(oss2.ProviderAuthV4):
    def _ProviderAuthV4__make_signature(self, req, bucket_name, key, additional, credentials, date_time):
        canonical = self._ProviderAuthV4__get_canonical_request_bytes(req, bucket_name, key, additional)
        text = self._ProviderAuthV4__get_string_to_sign_bytes(req, canonical, date_time)
        raise Captured("v4", text, canonical.decode())


class OSS2:
    """oss2, by its functions for whole operations."""

    def __init__(self, auth, version):
        self.name, self.version = f"oss2 {version}", version
        self.buckets = {
            name: oss2.Bucket(auth, "http://oss.example.com", name, region=REGION) for name in (BUCKET, OTHER_BUCKET)
        }

    def names(self, request):
        """What it signs of the query, and what it puts there by itself."""
        if self.version == "v1":
            return oss2.ProviderAuth._subresource_key_set & request.query.keys()
        added = ["max-parts", "part-number-marker"] if request.operation == "parts" and request.lifetime is None else []
        return {*request.query, *added}

    def perform(self, request):
        bucket, key, query = self.buckets[request.bucket], request.key, dict(request.query)
        fields = dict(request.fields)
        if request.lifetime is not None and key:
            bucket.sign_url(request.method, key, request.lifetime, headers=fields, params=query, slash_safe=True)
        needed = OPERATIONS.get(request.operation, ("", [], []))[1]
        is_whole = request.operation in ("get", "head", "parts") or query.keys() == set(needed)
        function = getattr(self, request.operation, self.anything) if is_whole else self.anything
        function(bucket, key, query, fields, request)

    def anything(self, bucket, key, query, fields, request):
        bucket._do(request.method, request.bucket, key, headers=oss2.http.CaseInsensitiveDict(fields), params=query)

    def put(self, bucket, key, query, fields, request):
        bucket.put_object(key, b"", headers=fields)

    def get(self, bucket, key, query, fields, request):
        bucket.get_object(key, headers=fields, params=query)

    def head(self, bucket, key, query, fields, request):
        bucket.head_object(key, headers=fields, params=query)

    def meta(self, bucket, key, query, fields, request):
        bucket.get_object_meta(key, headers=fields)

    def delete(self, bucket, key, query, fields, request):
        bucket.delete_object(key, headers=fields)

    def append(self, bucket, key, query, fields, request):
        bucket.append_object(key, int(query["position"]), b"", headers=fields)

    def initiate(self, bucket, key, query, fields, request):
        bucket.init_multipart_upload(key, headers=fields)

    def part(self, bucket, key, query, fields, request):
        bucket.upload_part(key, query["uploadId"], int(query["partNumber"]), b"", headers=fields)

    def parts(self, bucket, key, query, fields, request):
        bucket.list_parts(key, query["uploadId"], query.get("part-number-marker", ""), headers=fields)

    def complete(self, bucket, key, query, fields, request):
        bucket.complete_multipart_upload(key, query["uploadId"], [PartInfo(1, "etag")], headers=fields)

    def abort(self, bucket, key, query, fields, request):
        bucket.abort_multipart_upload(key, query["uploadId"], headers=fields)


class OSSV2:
    """alibabacloud-oss-v2, by its functions for whole operations; the 2 is the SDK's version, and not the signature's."""

    def __init__(self, signer, version, keys):
        self.name, self.version = f"alibabacloud-oss-v2 {version}", version
        config = oss_v2.config.load_default()
        config.credentials_provider = oss_v2.credentials.StaticCredentialsProvider(*keys)
        config.region, config.endpoint, config.signature_version = REGION, "http://oss.example.com", version
        self.client = oss_v2.Client(config, signer=signer)

    ENCODED = {"initiate", "complete", "parts"}
    CALLS = {
        "put": ("put_object", oss_v2.PutObjectRequest), "get": ("get_object", oss_v2.GetObjectRequest),
        "head": ("head_object", oss_v2.HeadObjectRequest), "meta": ("get_object_meta", oss_v2.GetObjectMetaRequest),
        "delete": ("delete_object", oss_v2.DeleteObjectRequest), "append": ("append_object", oss_v2.AppendObjectRequest),
        "initiate": ("initiate_multipart_upload", oss_v2.InitiateMultipartUploadRequest),
        "part": ("upload_part", oss_v2.UploadPartRequest), "parts": ("list_parts", oss_v2.ListPartsRequest),
        "complete": ("complete_multipart_upload", oss_v2.CompleteMultipartUploadRequest),
        "abort": ("abort_multipart_upload", oss_v2.AbortMultipartUploadRequest),
    }
    PRESIGNED = {"put", "get", "head", "initiate", "part", "complete", "abort"}

    def is_whole(self, request):
        """Whether there is a function for it."""
        return request.operation in self.CALLS and (request.lifetime is None or request.operation in self.PRESIGNED)

    def names(self, request):
        if self.version == "v1":
            return SignerV1._subresource_key_set & request.query.keys()
        added = ["encoding-type"] if request.operation in self.ENCODED and request.lifetime is None else []
        return {*request.query, *added}

    def perform(self, request):
        expires = None if request.lifetime is None else timedelta(seconds=request.lifetime)
        if not self.is_whole(request):
            return self.anything(request, expires)
        name, kind = self.CALLS[request.operation]
        asked = kind(bucket=request.bucket, key=request.key, headers=dict(request.fields), parameters=dict(request.query))
        for attribute, parameter in [("upload_id", "uploadId"), ("part_number", "partNumber"), ("position", "position")]:
            if parameter in request.query:
                setattr(asked, attribute, request.query[parameter])
        if expires is not None:
            return self.client.presign(asked, expires=expires)
        return getattr(self.client, name)(asked)

    def anything(self, request, expires):
        asked = oss_v2.types.OperationInput(
            op_name="Anything", method=request.method, bucket=request.bucket, key=request.key or None,
            headers=dict(request.fields), parameters=dict(request.query),
        )
        if expires is None:
            return self.client.invoke_operation(asked)
        asked.op_metadata["expiration_time"] = datetime.now(timezone.utc) + expires
        return self.client.invoke_operation(asked, auth_method="query")


def capture(sdk, request):
    try:
        sdk.perform(request)
    except Captured as captured:
        return captured
    raise AssertionError(f"{sdk.name} signs nothing of {request}")


def is_operation(method, names):
    return any(
        method == name and set(needed) <= names <= {*needed, *others} for name, needed, others in OPERATIONS.values()
    )


def is_granted(request, names):
    """By the names in its query that are signed."""
    grant = GRANTS[request.prefix]
    headers = {name.lower() for name in request.fields if name.lower().startswith("x-oss-")}
    return (
        is_operation(request.method, names)
        and request.bucket == BUCKET
        and request.key.startswith(request.prefix)
        and request.method in grant.methods
        and names <= grant.names
        and all(name in grant.headers or name.startswith(METADATA) and METADATA in grant.headers for name in headers)
        and (request.lifetime is None or request.lifetime <= grant.presign)
    )


def is_ambiguous(request, version):
    """Version 1 does not escape; what could be read in two ways is not signed."""
    return version == "v1" and ("?" in request.key or any(set("?&") & set(value) for value in request.query.values()))


class Service:
    def __init__(self, address):
        self.connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)

    def sign(self, captured):
        asked = {"version": captured.version, "stringToSign": captured.string}
        if captured.canonical is not None:
            asked["canonicalRequest"] = captured.canonical
        self.connection.request("POST", "/oss/sign", json.dumps(asked), {"Content-Type": "application/json"})
        response = self.connection.getresponse()
        return response.status, json.loads(response.read())


def signature(captured, secret):
    text = captured.string.encode()
    if captured.version == "v1":
        return base64.b64encode(hmac.digest(secret.encode(), text, "sha1")).decode()
    key = b"aliyun_v4" + secret.encode()
    for part in captured.string.split("\n")[2].split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, text, hashlib.sha256).hexdigest()


def main():
    address, access_key, secret, count = sys.argv[1:5]
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    keys = (access_key, "there is no secret here")
    provider = StaticCredentialsProvider(*keys)
    sdks = [
        OSS2(CapturingAuthV1(provider), "v1"), OSS2(CapturingAuthV4(provider), "v4"),
        OSSV2(CapturingSignerV1(), "v1", keys), OSSV2(CapturingSignerV4(), "v4", keys),
    ]
    service = Service(address)
    tally = {sdk.name: Counter() for sdk in sdks}
    for index in range(int(count)):
        sdk, request = sdks[index % len(sdks)], random_request(rng)
        captured = capture(sdk, request)
        status, answer = service.sign(captured)
        expected = is_granted(request, sdk.names(request)) and not is_ambiguous(request, sdk.version)
        if expected:
            holds = status == 200 and answer["signature"] == signature(captured, secret)
        else:
            holds = status in (403, 422) and "signature" not in answer
        if not holds:
            check_that(f"{index}, {sdk.name}: {request}", False, (captured.string, captured.canonical, status, answer))
        tally[sdk.name]["signed" if expected else "refused"] += 1
    for name, counted in tally.items():
        check_that(f"{name}: {dict(counted)}", min(counted.values()) > int(count) / 20)


if __name__ == "__main__":
    main()
    print("everything is as it should be")
