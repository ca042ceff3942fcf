"""Qiniu Kodo on loopback, as far as an upload token decides: forms, resumable uploads of version 2, and where to send
both. It judges tokens by code that shares nothing with the SDK.
"""

import base64
import hashlib
import hmac
import json
import re
import time
import zlib

from capture import Answer, Capture, Refusal

# Names of the policy that are judged here, by type. What else a policy can have has effects that are not shown here.
POLICY = {
    "scope": str, "deadline": int, "isPrefixalScope": int, "insertOnly": int, "endUser": str,
    "fsizeMin": int, "fsizeLimit": int, "detectMime": int, "mimeLimit": str,
    "fileType": int, "deleteAfterDays": int, "trafficLimit": int,
}


class QiniuCapture(Capture):
    def __init__(self, access_key, secret_key, buckets):
        super().__init__()
        self.access_key, self.secret_key, self.buckets = access_key, secret_key, buckets
        self.objects = {}
        #: Seconds that its clock is ahead.
        self.ahead = 0
        self._uploads = {}

    def answer(self, request):
        path = request.target.partition("?")[0]
        if request.method == "GET" and path == "/v4/query":
            return "query", self._json(self._hosts(dict(request.query)))
        if request.method == "POST" and path == "/":
            return "form", self._json(self._form(request))
        match = re.fullmatch("/buckets/([^/]+)/objects/([^/]+)/uploads(?:/([^/]+)(?:/([0-9]+))?)?", path)
        if not match:
            raise Refusal(404, "no such route")
        bucket, entry, upload, part = match.groups()
        policy = self._policy(request.value("Authorization") or "", "UpToken ")
        key = None if entry == "~" else unescaped(entry)
        self._judge_scope(policy, bucket, key)
        if upload is None and request.method == "POST":
            identifier = str(len(self._uploads) + 1)
            self._uploads[identifier] = (bucket, key, {})
            return "begin", self._json({"uploadId": identifier, "expireAt": int(time.time()) + 3600})
        if self._uploads.get(upload, ())[:2] != (bucket, key):
            raise Refusal(612, "no such uploadId")
        parts = self._uploads[upload][2]
        if part and request.method == "PUT":
            parts[int(part)] = request.body
            return "part", self._json({"etag": etag(request.body), "md5": hashlib.md5(request.body).hexdigest()})
        if part or request.method != "POST":
            raise Refusal(405, "method not allowed")
        body = json.loads(request.body)
        named = [(part["partNumber"], part["etag"]) for part in body["parts"]]
        if named != [(number, etag(content)) for number, content in sorted(parts.items())]:
            raise Refusal(400, "invalid parts")
        content = b"".join(content for _, content in sorted(parts.items()))
        return f"{len(parts)} parts", self._json(self._store(policy, bucket, key, content, body.get("mimeType")))

    def refuse(self, refusal):
        return self._json({"error": refusal.code}, refusal.status)

    @staticmethod
    def _json(value, status=200):
        fields = {"Content-Type": "application/json", "X-Reqid": "reqid", "X-Log": "X-Log"}
        return Answer(status, json.dumps(value).encode(), fields)

    def _hosts(self, query):
        if query.get("ak") != self.access_key or query.get("bucket") not in self.buckets:
            raise Refusal(631, "no such bucket")
        services = {name: {"domains": [self.address]} for name in ["up", "io", "rs", "rsf", "api", "uc"]}
        return {"hosts": [{"region": "z0", "ttl": 86400, **services}]}

    def _form(self, request):
        boundary = re.search('boundary="?([^";]+)', request.value("Content-Type") or "")
        if not boundary:
            raise Refusal(400, "no form")
        values, kind = {}, None
        for part in (b"\r\n" + request.body).split(b"\r\n--" + boundary[1].encode())[1:-1]:
            head, _, content = part.removeprefix(b"\r\n").decode("latin-1").partition("\r\n\r\n")
            name = re.search(' name="([^"]*)"', head)[1]
            if name in values:
                raise Refusal(400, f"{name} is there twice")
            values[name] = content.encode("latin-1")
            if name == "file":
                kind = re.search("(?im)^Content-Type: *([^;\r\n]+)", head)
        if "file" not in values:
            raise Refusal(400, "no file")
        content = values["file"]
        policy = self._policy(values.get("token", b"").decode(), "")
        if "crc32" in values and int(values["crc32"]) != zlib.crc32(content):
            raise Refusal(406, "crc32 does not match")
        key = values["key"].decode() if "key" in values else None
        bucket = policy["scope"].partition(":")[0]
        self._judge_scope(policy, bucket, key)
        return self._store(policy, bucket, key, content, kind and kind[1])

    def _policy(self, text, scheme):
        """The policy in a token, if that was made with our keys, and has not ended."""
        parts = text.removeprefix(scheme).split(":")
        if not text.startswith(scheme) or len(parts) != 3 or parts[0] != self.access_key:
            raise Refusal(401, "bad token")
        _, signature, encoded = parts
        code = hmac.digest(self.secret_key.encode(), encoded.encode(), "sha1")
        if not hmac.compare_digest(signature.encode(), base64.urlsafe_b64encode(code)):
            raise Refusal(401, "bad token")
        policy = json.loads(unescaped(encoded))
        for name, value in policy.items():
            if type(value) is not POLICY.get(name):
                raise Refusal(400, f"the policy has {name}: {value!r}")
        if not {"scope", "deadline"} <= policy.keys():
            raise Refusal(401, "bad token")
        if policy["deadline"] < time.time() + self.ahead:
            raise Refusal(401, "expired token")
        return policy

    @staticmethod
    def _judge_scope(policy, bucket, key):
        scope_bucket, colon, scope_key = policy["scope"].partition(":")
        if policy.get("isPrefixalScope"):
            fits = key is not None and key.startswith(scope_key)
        else:
            fits = not colon or key == scope_key
        if bucket != scope_bucket or not fits:
            raise Refusal(403, "key doesn't match with scope")

    def _store(self, policy, bucket, key, content, kind):
        if bucket not in self.buckets:
            raise Refusal(631, "no such bucket")
        if len(content) > policy.get("fsizeLimit", len(content)):
            raise Refusal(413, "request entity is too large")
        if len(content) < policy.get("fsizeMin", 0):
            raise Refusal(403, "file is too small")
        detect = policy.get("detectMime", 0)
        if detect == 1 or detect == 0 and kind in (None, "", "application/octet-stream"):
            kind = detected(content)
        if "mimeLimit" in policy and not admits(policy["mimeLimit"], kind):
            raise Refusal(403, "limited mime type: this file type is forbidden to upload")
        key = etag(content) if key is None else key
        may_replace = ":" in policy["scope"] and not policy.get("isPrefixalScope") and not policy.get("insertOnly")
        if self.objects.get((bucket, key), content) != content and not may_replace:
            raise Refusal(614, "file exists")
        self.objects[bucket, key] = content
        return {"hash": etag(content), "key": key}


def unescaped(text):
    """Url-safe base64, of the one spelling with padding."""
    try:
        decoded = base64.b64decode(text, altchars=b"-_", validate=True)
        if base64.urlsafe_b64encode(decoded).decode() == text:
            return decoded.decode()
    except ValueError:
        pass
    raise Refusal(400, f"not base64: {text}")


def etag(content):
    """Qiniu's hash of a content, by blocks of 4 MiB."""
    size = 4 << 20
    blocks = [hashlib.sha1(content[at : at + size]).digest() for at in range(0, len(content) or 1, size)]
    digest = b"\x16" + blocks[0] if len(blocks) == 1 else b"\x96" + hashlib.sha1(b"".join(blocks)).digest()
    return base64.urlsafe_b64encode(digest).decode()


def detected(content):
    for begin, kind in [(b"\xff\xd8\xff", "image/jpeg"), (b"\x89PNG\r\n", "image/png"), (b"%PDF-", "application/pdf")]:
        if content.startswith(begin):
            return kind
    return "application/octet-stream" if b"\0" in content else "text/plain"


def admits(limit, kind):
    """`image/*;text/plain` names what is admitted; after a `!`, what is not."""
    patterns = limit.removeprefix("!").split(";")
    is_named = any(kind == pattern or pattern.endswith("/*") and kind.startswith(pattern[:-1]) for pattern in patterns)
    return is_named != limit.startswith("!")
