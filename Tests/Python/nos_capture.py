"""NetEase NOS on loopback, as a proxy for the names that it has: it verifies the Authorization of requests by code that
shares nothing with the SDK. Buckets are the first label of the host.
"""

import base64
import hashlib
import hmac
from datetime import datetime, timedelta, timezone
from urllib.parse import quote, urlsplit

from capture import Answer, Capture, Refusal

SUB_RESOURCES = set(
    "acl location versioning versions versionId uploadId uploads partNumber delete deduplication".split()
)
DATES = {
    "%a, %d %b %Y %H:%M:%S GMT": timezone.utc,
    # What the Python and Java SDKs write.
    "%a, %d %b %Y %H:%M:%S Asia/Shanghai": timezone(timedelta(hours=8)),
}


class NOSCapture(Capture):
    def __init__(self, access_key, secret_key):
        super().__init__()
        self.access_key, self.secret_key = access_key, secret_key
        self.objects = {}

    def answer(self, request):
        target = urlsplit(request.target)
        if target.netloc != request.value("Host"):
            raise Refusal(400, "InvalidArgument", "a proxy's request names its host twice")
        bucket = target.hostname.partition(".")[0]
        request = request.changed(target=target.path + ("?" + target.query if target.query else ""))
        key = request.path.removeprefix("/")
        self._verify(request, bucket, key)
        if request.values("Content-MD5") and request.value("Content-MD5") != hashlib.md5(request.body).hexdigest():
            raise Refusal(400, "BadDigest")
        content = b"<Result><UploadId>1</UploadId></Result>"
        if key and not request.query:
            if request.method == "PUT":
                self.objects[bucket, key] = request.body
            elif (bucket, key) not in self.objects:
                raise Refusal(404, "NoSuchKey")
            else:
                content = self.objects[bucket, key]
        return "verified", Answer(200, content, {"ETag": '"0"', "x-nos-request-id": "0"})

    def refuse(self, refusal):
        body = f"<Error><Code>{refusal.code}</Code><Message>{refusal.code}</Message></Error>"
        return Answer(refusal.status, body.encode(), {"Content-Type": "application/xml"})

    def _verify(self, request, bucket, key):
        scheme, _, credential = (request.value("Authorization") or "").partition(" ")
        access_key, _, signature = credential.partition(":")
        if scheme != "NOS" or access_key != self.access_key:
            raise Refusal(403, "AccessDenied")
        date = request.value("Date") or ""
        if abs(datetime.now(timezone.utc) - parse(date)) > timedelta(minutes=15):
            raise Refusal(403, "RequestTimeTooSkewed")
        signed = string_to_sign(request, bucket, key, date)
        code = hmac.digest(self.secret_key.encode(), signed.encode(), "sha256")
        if not hmac.compare_digest(base64.b64encode(code), signature.encode()):
            raise Refusal(403, "SignatureDoesNotMatch", f"of {signed!r}")


def parse(date):
    for pattern, zone in DATES.items():
        try:
            return datetime.strptime(date, pattern).replace(tzinfo=zone)
        except ValueError:
            pass
    raise Refusal(403, "AccessDenied", f"the date is {date!r}")


def string_to_sign(request, bucket, key, date):
    fields = sorted((name.lower(), value) for name, value in request.fields if name.lower().startswith("x-nos-"))
    query = sorted((name, quote(value, safe="*")) for name, value in request.query if name in SUB_RESOURCES)
    query = "&".join(f"{name}={value}" if value else name for name, value in query)
    resource = f"/{bucket}/{quote(key, safe='*')}" + (f"?{query}" if query else "")
    first = [request.method, request.value("Content-MD5") or "", request.value("Content-Type") or "", date]
    return "\n".join([*first, *(f"{name}:{value.strip()}" for name, value in fields), resource])
