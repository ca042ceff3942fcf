"""Alibaba OSS on loopback, as far as one object can be put and got: it verifies the signatures of versions 1 and 4, in
headers and in URLs, by code that shares nothing with the SDKs.

Buckets are the first segment of the path, as SDKs address them where the endpoint is an address.
"""

import base64
import hashlib
import hmac
import re
from datetime import datetime, timedelta, timezone
from urllib.parse import quote

from capture import Answer, Capture, Refusal

ALGORITHM = "OSS4-HMAC-SHA256"
SKEW = timedelta(minutes=15)
REQUEST_ID = "5C3D9175B6FC201293AD4890"

# The query names that version 1 signs, beside x-oss-*, of those that a single object can have.
SUB_RESOURCES = set(
    """
    acl append callback callback-var img objectInfo objectMeta partNumber position qos response-cache-control
    response-content-disposition response-content-encoding response-content-language response-content-type
    response-expires restore security-token seal stat style symlink tagging uploadId uploads versionId
    """.split()
)


class OSSCapture(Capture):
    def __init__(self, credentials, region="cn-hangzhou"):
        """`credentials`: access key id -> (secret, security token or None)"""
        super().__init__()
        self.credentials = credentials
        self.region = region
        self.objects = {}

    def answer(self, request):
        bucket, _, key = request.path.removeprefix("/").partition("/")
        verdict = self._verify(request, f"/{bucket}/{key}")
        if not bucket or not key:
            raise Refusal(400, "InvalidBucketName" if not bucket else "InvalidObjectName")
        if request.method == "PUT":
            self.objects[bucket, key] = request.body
        elif request.method not in ("GET", "HEAD"):
            raise Refusal(405, "MethodNotAllowed")
        if (bucket, key) not in self.objects:
            raise Refusal(404, "NoSuchKey")
        content = self.objects[bucket, key]
        fields = {"ETag": f'"{hashlib.md5(content).hexdigest().upper()}"', "x-oss-request-id": REQUEST_ID}
        return verdict, Answer(200, b"" if request.method == "PUT" else content, fields)

    def refuse(self, refusal):
        parts = {"Code": refusal.code, "Message": refusal.code, "RequestId": REQUEST_ID}
        body = "".join(f"<{name}>{value}</{name}>" for name, value in parts.items())
        fields = {"Content-Type": "application/xml", "x-oss-request-id": REQUEST_ID}
        return Answer(refusal.status, f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{body}</Error>'.encode(), fields)

    # The signature

    def _verify(self, request, resource):
        """Which of the four kinds of signature the request has, if it is right."""
        names = [name for name, _ in request.query]
        if len(set(names)) < len(names):
            raise Refusal(400, "InvalidArgument", "a query name is there twice")
        query = dict(request.query)
        authorization = request.value("Authorization")
        kinds = [
            ("V1 header", authorization is not None and authorization.startswith("OSS "), self._header_v1),
            ("V4 header", authorization is not None and authorization.startswith(ALGORITHM + " "), self._header_v4),
            ("V1 URL", "Signature" in query, self._url_v1),
            ("V4 URL", "x-oss-signature" in query, self._url_v4),
        ]
        kinds = [(kind, verify) for kind, is_there, verify in kinds if is_there]
        if len(kinds) != 1:
            raise Refusal(403, "AccessDenied", f"{len(kinds)} signatures")
        kind, verify = kinds[0]
        verify(request, resource, query, authorization)
        return kind

    def _secret(self, key_id, token):
        """The secret of a key that came with its own token."""
        if key_id not in self.credentials:
            raise Refusal(403, "InvalidAccessKeyId")
        secret, expected = self.credentials[key_id]
        if (token is None) != (expected is None):
            raise Refusal(403, "InvalidAccessKeyId", "a token is missing, or there is one that must not be")
        if token != expected:
            raise Refusal(403, "InvalidSecurityToken")
        return secret

    @staticmethod
    def _compare(found, expected, signed):
        if not hmac.compare_digest(found.encode(), expected.encode()):
            raise Refusal(403, "SignatureDoesNotMatch", f"{found} is not {expected}, of {signed!r}")

    def _header_v1(self, request, resource, query, authorization):
        key_id, _, signature = authorization.removeprefix("OSS ").partition(":")
        if "security-token" in query:
            raise Refusal(400, "InvalidArgument", "the token belongs in a header")
        secret = self._secret(key_id, request.value("x-oss-security-token"))
        date = request.value("x-oss-date") or request.value("Date") or ""
        self._judge_date(parse(date, "%a, %d %b %Y %H:%M:%S GMT"))
        signed = string_to_sign_v1(request, resource, date)
        self._compare(signature, signature_v1(secret, signed), signed)

    def _url_v1(self, request, resource, query, _):
        if request.values("x-oss-security-token"):
            raise Refusal(400, "InvalidArgument", "the token belongs in the query")
        secret = self._secret(query.get("OSSAccessKeyId"), query.get("security-token"))
        expires = query.get("Expires", "")
        if not re.fullmatch("[0-9]{1,12}", expires):
            raise Refusal(403, "AccessDenied", f"Expires is {expires!r}")
        if int(expires) < datetime.now(timezone.utc).timestamp():
            raise Refusal(403, "AccessDenied", "the URL has expired")
        signed = string_to_sign_v1(request, resource, expires)
        self._compare(query["Signature"], signature_v1(secret, signed), signed)

    def _header_v4(self, request, resource, query, authorization):
        parts = dict(part.partition("=")[::2] for part in re.split(", *", authorization.removeprefix(ALGORITHM + " ")))
        if not parts.keys() <= {"Credential", "Signature", "AdditionalHeaders"}:
            raise Refusal(403, "AccessDenied", f"Authorization has {sorted(parts)}")
        if request.value("x-oss-content-sha256") != "UNSIGNED-PAYLOAD":
            raise Refusal(400, "InvalidArgument", "x-oss-content-sha256")
        if "x-oss-security-token" in query:
            raise Refusal(400, "InvalidArgument", "the token belongs in a header")
        date = request.value("x-oss-date") or ""
        self._judge_date(parse(date, "%Y%m%dT%H%M%SZ"))
        self._verify_v4(
            request, resource, date, parts.get("Credential", ""), parts.get("AdditionalHeaders"),
            request.value("x-oss-security-token"), parts.get("Signature", ""),
        )

    def _url_v4(self, request, resource, query, _):
        if query.get("x-oss-signature-version") != ALGORITHM:
            raise Refusal(400, "InvalidArgument", "x-oss-signature-version")
        if request.values("x-oss-security-token"):
            raise Refusal(400, "InvalidArgument", "the token belongs in the query")
        date, expires = query.get("x-oss-date", ""), query.get("x-oss-expires", "")
        if not re.fullmatch("[1-9][0-9]{0,5}", expires) or int(expires) > 7 * 24 * 3600:
            raise Refusal(400, "InvalidArgument", f"x-oss-expires is {expires!r}")
        begin, now = parse(date, "%Y%m%dT%H%M%SZ"), datetime.now(timezone.utc)
        if begin > now + SKEW or begin + timedelta(seconds=int(expires)) < now:
            raise Refusal(403, "AccessDenied", "the URL is not yet valid, or no longer")
        self._verify_v4(
            request, resource, date, query.get("x-oss-credential", ""), query.get("x-oss-additional-headers"),
            query.get("x-oss-security-token"), query["x-oss-signature"],
        )

    def _verify_v4(self, request, resource, date, credential, additional, token, signature):
        key_id, _, scope = credential.partition("/")
        secret = self._secret(key_id, token)
        if scope != f"{date[:8]}/{self.region}/oss/aliyun_v4_request":
            raise Refusal(403, "InvalidArgument", f"the scope is {scope!r}")
        # An empty list is not the same as none.
        if additional is not None and not re.fullmatch("[a-z0-9-]+(;[a-z0-9-]+)*", additional):
            raise Refusal(400, "InvalidArgument", f"the additional headers are {additional!r}")
        canonical = canonical_request_v4(request, resource, additional or "")
        signed = "\n".join([ALGORITHM, date, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        code = ("aliyun_v4" + secret).encode()
        for part in [*scope.split("/"), signed]:
            code = hmac.digest(code, part.encode(), "sha256")
        self._compare(signature, code.hex(), canonical)

    @staticmethod
    def _judge_date(date):
        if abs(datetime.now(timezone.utc) - date) > SKEW:
            raise Refusal(403, "RequestTimeTooSkewed", str(date))


def parse(date, pattern):
    try:
        return datetime.strptime(date, pattern).replace(tzinfo=timezone.utc)
    except ValueError as error:
        raise Refusal(403, "AccessDenied", f"the date is {date!r}") from error


def oss_fields(request, others=()):
    """`name:value` of the x-oss-* fields and of those named, with one name's values joined."""
    fields = {}
    for name, value in request.fields:
        if name.lower().startswith("x-oss-") or name.lower() in others:
            fields.setdefault(name.lower(), []).append(value.strip())
    return "".join(f"{name}:{','.join(values)}\n" for name, values in sorted(fields.items()))


def string_to_sign_v1(request, resource, date):
    signed = [
        (name, value) for name, value in request.query if name in SUB_RESOURCES or name.startswith("x-oss-")
    ]
    query = "&".join(f"{name}={value}" if value else name for name, value in sorted(signed))
    first = [request.method, request.value("Content-MD5") or "", request.value("Content-Type") or "", date]
    return "\n".join(first) + "\n" + oss_fields(request) + resource + ("?" + query if query else "")


def signature_v1(secret, signed):
    return base64.b64encode(hmac.digest(secret.encode(), signed.encode(), "sha1")).decode()


def canonical_request_v4(request, resource, additional):
    query = sorted(
        (quote(name, safe=""), quote(value, safe="")) for name, value in request.query if name != "x-oss-signature"
    )
    return "\n".join(
        [
            request.method,
            quote(resource),
            "&".join(f"{name}={value}" if value else name for name, value in query),
            oss_fields(request, {"content-type", "content-md5", *additional.split(";")}),
            additional,
            "UNSIGNED-PAYLOAD",
        ]
    )
