"""Alibaba OSS on loopback, as far as forms can upload to it (PostObject): it verifies a form's signature, of version 1 or 4, and
holds the form to its own policy. Buckets are the first label of the host. An object's type is the field x-oss-content-type, else the
Content-Type of the file's part, else the field content-type.
"""

import base64
import binascii
import email.parser
import email.policy
import hashlib
import hmac
import json
from datetime import datetime, timedelta, timezone

from capture import Answer, Refusal
from oss_capture import ALGORITHM, SKEW, OSSCapture, parse

LONGEST = timedelta(days=7)
V4_FIELDS = ["x-oss-signature-version", "x-oss-credential", "x-oss-date"]


class OSSFormCapture(OSSCapture):
    def __init__(self, credentials):
        super().__init__(credentials)
        self.types = {}

    def answer(self, request):
        if request.method != "POST" or request.target != "/":
            raise Refusal(405, "MethodNotAllowed")
        bucket = (request.value("Host") or "").partition(".")[0]
        fields, name, part_type, content = read_form(request)
        kind, policy = self._verify_form(fields)
        key = fields["key"].replace("${filename}", name)
        hold(policy, {**fields, "bucket": bucket, "key": key}, len(content))
        if fields.get("x-oss-forbid-overwrite") == "true" and (bucket, key) in self.objects:
            raise Refusal(409, "FileAlreadyExists")
        self.objects[bucket, key] = content
        self.types[bucket, key] = fields.get("x-oss-content-type") or part_type or fields.get("content-type")
        return kind, Answer(int(fields.get("success_action_status", 204)))

    def _verify_form(self, fields):
        """Which kind of signature the form has, if it is right, and the policy that is signed."""
        encoded = fields.get("policy", "")
        if "x-oss-signature" in fields:
            kind = "V4 form"
            date, credential = fields.get("x-oss-date", ""), fields.get("x-oss-credential", "")
            if fields.get("x-oss-signature-version") != ALGORITHM:
                raise Refusal(400, "InvalidArgument", "x-oss-signature-version")
            begin, now = parse(date, "%Y%m%dT%H%M%SZ"), datetime.now(timezone.utc)
            if not begin - SKEW <= now <= begin + LONGEST:
                raise Refusal(403, "AccessDenied", f"x-oss-date is {date!r}")
            key_id, _, scope = credential.partition("/")
            if scope != f"{date[:8]}/{self.region}/oss/aliyun_v4_request":
                raise Refusal(403, "InvalidArgument", f"the scope is {scope!r}")
            code = ("aliyun_v4" + self._secret(key_id, fields.get("x-oss-security-token"))).encode()
            for part in [*scope.split("/"), encoded]:
                code = hmac.digest(code, part.encode(), "sha256")
            self._compare(fields["x-oss-signature"], code.hex(), encoded)
        else:
            kind = "V1 form"
            secret = self._secret(fields.get("ossaccesskeyid"), fields.get("x-oss-security-token"))
            code = hmac.new(secret.encode(), encoded.encode(), hashlib.sha1).digest()
            self._compare(fields.get("signature", ""), base64.b64encode(code).decode(), encoded)
        try:
            policy = json.loads(base64.b64decode(encoded, validate=True))
        except (binascii.Error, ValueError) as error:
            raise Refusal(400, "InvalidPolicyDocument") from error
        if set(policy) != {"expiration", "conditions"}:
            raise Refusal(400, "InvalidPolicyDocument", f"it has {sorted(policy)}")
        if kind == "V4 form":
            pinned = {name for condition in policy["conditions"] if isinstance(condition, dict) for name in condition}
            if not pinned >= set(V4_FIELDS):
                raise Refusal(403, "AccessDenied", f"extra input fields: {sorted(set(V4_FIELDS) - pinned)}")
        return kind, policy


def read_form(request):
    """The fields by their names in lower case, and the file's name, type and content; the file comes last."""
    head = b"Content-Type: " + request.value("Content-Type").encode() + b"\r\n\r\n"
    form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + request.body)
    fields, file = {}, None
    for part in form.iter_parts():
        name = part.get_param("name", header="content-disposition").lower()
        if file is not None or name in fields:
            raise Refusal(400, "InvalidArgument", f"{name} comes behind the file, or twice")
        if name == "file":
            file = part.get_filename() or "", part.get("Content-Type"), part.get_payload(decode=True)
        else:
            fields[name] = part.get_payload(decode=True).decode()
    if file is None or "key" not in fields:
        raise Refusal(400, "InvalidArgument", "a form needs key and file")
    return fields, *file


def hold(policy, fields, size):
    """Raises the refusal of what a condition does not admit."""
    end = datetime.strptime(policy["expiration"], "%Y-%m-%dT%H:%M:%S.000Z").replace(tzinfo=timezone.utc)
    if end < datetime.now(timezone.utc):
        raise Refusal(403, "AccessDenied", "Policy expired.")
    for condition in policy["conditions"]:
        if isinstance(condition, dict):
            ((name, value),) = condition.items()
            condition = ["eq", "$" + name, value]
        operator, what, value = condition[0], condition[1], condition[2]
        if operator == "content-length-range":
            if size > value:
                raise Refusal(400, "EntityTooLarge", f"{size} of {value}")
            if size < what:
                raise Refusal(400, "EntityTooSmall", f"{size} of {what}")
            continue
        found = fields.get(what.removeprefix("$").lower())
        holds = found is not None and {
            "eq": lambda: found == value,
            "starts-with": lambda: found.startswith(value),
            "in": lambda: found in value,
            "not-in": lambda: found not in value,
        }[operator]()
        if not holds:
            raise Refusal(403, "AccessDenied", f"Invalid according to Policy: {condition}, and not {found!r}")
