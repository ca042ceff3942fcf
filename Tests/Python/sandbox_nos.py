"""Uploads, reads, lists and deletes at a running sandbox with NetEase's own SDK, and by tokens as apps do it.

    python sandbox_nos.py HOST:PORT ACCESS_KEY SECRET_KEY
"""

import base64
import cgi
import hashlib
import hmac
import html
import http.client
import io
import json
import sys
import time
from urllib.parse import quote

import localhost_names  # noqa: F401
from checking import check, check_that

import nos
from nos.exceptions import MultiObjectDeleteException, ServiceException

ADDRESS, ACCESS_KEY, SECRET_KEY = sys.argv[1:4]
PORT = int(ADDRESS.rpartition(":")[2])
BUCKET = "demo-files"
PIECE = 4 << 20
# The SDK calls what Python has not had since 3.8.
cgi.escape = html.escape


def connect(access_key=ACCESS_KEY, secret_key=SECRET_KEY):
    return nos.Client(access_key, secret_key, end_point=f"nos.localhost:{PORT}", max_retries=0, timeout=60)


def refusal(call):
    """Status and code of what a call is refused with."""
    try:
        call()
    except ServiceException as error:
        return error.status_code, error.error_code
    return None


def keys(answer, element="Contents/Key"):
    return [found.text for found in answer["response"].findall(element)]


# MARK: Signed requests


def check_objects(client):
    key = "Füße/中文 +&=%'()*~!.txt"
    content = bytes(range(256)) * 400
    meta = {"x-nos-meta-origin": "a  b", "x-nos-meta-a": "1", "Content-Type": "text/plain; charset=utf-8"}
    tag = hashlib.md5(content).hexdigest()
    check("put", client.put_object(BUCKET, key, content, meta_data=meta)["etag"], tag)
    found = client.get_object(BUCKET, key)
    check_that("get", found["body"].read() == content)
    check("the tag of what was read", found["etag"], tag)
    check("the type of what was read", found["content_type"], "text/plain; charset=utf-8")
    check("metadata", found["body"].headers["x-nos-meta-origin"], "a  b")
    part = client.get_object(BUCKET, key, range="bytes=10-19")
    check("a range", (part["body"].read(), part["content_range"]), (content[10:20], f"bytes 10-19/{len(content)}"))
    head = client.head_object(BUCKET, key)
    check("head", (head["content_length"], head["etag"]), (len(content), tag))
    check_that("the time", head["last_modified"].endswith(" Asia/Shanghai"), head["last_modified"])
    check("behind the end", refusal(lambda: client.get_object(BUCKET, key, range="bytes=999999-")), (416, "InvalidRange"))
    check("an empty object", client.put_object(BUCKET, "empty", "")["etag"], hashlib.md5(b"").hexdigest())
    check_that("what is empty", client.get_object(BUCKET, "empty")["body"].read() == b"")
    client.delete_object(BUCKET, "empty")
    client.delete_object(BUCKET, key)
    check("what is deleted", refusal(lambda: client.get_object(BUCKET, key)), (404, "NoSuchKey"))
    check("deleted twice", refusal(lambda: client.delete_object(BUCKET, key)), (404, "NoSuchKey"))


def check_lists(client):
    for name in ["l/a", "l/b/1", "l/b/2", "l/c", "m"]:
        client.put_object(BUCKET, name, name)
    check("a prefix", keys(client.list_objects(BUCKET, prefix="l/")), ["l/a", "l/b/1", "l/b/2", "l/c"])
    rolled = client.list_objects(BUCKET, prefix="l/", delimiter="/")
    check("folders", (keys(rolled), keys(rolled, "CommonPrefixes/Prefix")), (["l/a", "l/c"], ["l/b/"]))
    found, marker = [], ""
    while marker is not None:
        page = client.list_objects(BUCKET, prefix="l/", limit=2, marker=marker)
        found += keys(page)
        marker = page["response"].findtext("NextMarker")
    check("by pages", found, ["l/a", "l/b/1", "l/b/2", "l/c"])
    check("the limit's limit", refusal(lambda: client.list_objects(BUCKET, limit=1001)), (400, "InvalidArgument"))
    check("quietly deleted", keys(client.delete_objects(BUCKET, ["l/a", "m"], quiet=True), "Deleted/Key"), [])
    check("deleted", keys(client.delete_objects(BUCKET, ["l/b/1", "l/b/2"]), "Deleted/Key"), ["l/b/1", "l/b/2"])
    try:
        client.delete_objects(BUCKET, ["l/c", "l/c&d"])
        errors = None
    except MultiObjectDeleteException as error:
        errors = [(one["key"], one["code"]) for one in error.errors]
    check("partly deleted", errors, [("l/c&d", "NoSuchKey")])
    check("all are gone", keys(client.list_objects(BUCKET)), [])


def check_parts(client):
    content = hashlib.sha256(b"parts").digest() * (80 << 10)
    client.multipart_upload(BUCKET, "parts/large", io.BytesIO(content), meta_data={"x-nos-meta-kind": "large"})
    found = client.get_object(BUCKET, "parts/large")
    check_that("an upload in parts", found["body"].read() == content)
    check("its metadata", found["body"].headers["x-nos-meta-kind"], "large")
    check_that("its tag", found["etag"].endswith("-3"), found["etag"])
    client.delete_object(BUCKET, "parts/large")

    upload = client.create_multipart_upload(BUCKET, "parts/other")["response"].findtext("UploadId")
    tags = [client.upload_part(BUCKET, "parts/other", number, upload, b"x" * 100)["etag"] for number in (1, 2, 3)]
    first = client.list_parts(BUCKET, "parts/other", upload, limit=2)
    check("parts", (keys(first, "Part/PartNumber"), first["response"].findtext("IsTruncated")), (["1", "2"], "true"))
    rest = client.list_parts(BUCKET, "parts/other", upload, part_number_marker="2")
    check("more parts", keys(rest, "Part/PartNumber"), ["3"])
    check("uploads", keys(client.list_multipart_uploads(BUCKET), "Upload/UploadId"), [upload])

    def complete(*pairs, key="parts/other", **named):
        parts = [{"part_num": number, "etag": tag} for number, tag in pairs]
        return refusal(lambda: client.complete_multipart_upload(BUCKET, key, upload, parts, **named))

    check("small parts", complete((1, tags[0]), (2, tags[1])), (400, "EntityTooSmall"))
    check("another tag", complete((1, "0" * 32)), (400, "InvalidPart"))
    check("no such part", complete((4, tags[0])), (400, "InvalidPart"))
    check("parts out of order", complete((2, tags[1]), (1, tags[0])), (400, "InvalidPartOrder"))
    check("no parts", complete(), (400, "MalformedXML"))
    check("another MD5", complete((3, tags[2]), object_md5="0" * 32), (400, "BadDigest"))
    check("another key", complete((3, tags[2]), key="parts/x"), (404, "NoSuchUpload"))
    check("number 10001", refusal(lambda: client.upload_part(BUCKET, "parts/other", 10001, upload, b"")), (400, "InvalidArgument"))
    check("nothing to see before the end", refusal(lambda: client.head_object(BUCKET, "parts/other")), (404, ""))
    client.abort_multipart_upload(BUCKET, "parts/other", upload)
    check("given up", complete((3, tags[2])), (404, "NoSuchUpload"))


def check_refusals(client):
    def put(who):
        return refusal(lambda: who.put_object(BUCKET, "refused", b"content"))

    check("another secret", put(connect(secret_key="another")), (403, "SignatureDoesNotMatch"))
    check("an unknown key", put(connect(access_key="unknown")), (403, "InvalidAccessKeyId"))
    check("nobody", put(connect(None, None)), (403, "AccessDenied"))
    now = time.time
    for ahead in (-901, 901):
        time.time = lambda: now() + ahead
        check(f"a clock {ahead} s off", put(client), (403, "RequestTimeTooSkewed"))
    time.time = now
    check("another bucket", refusal(lambda: client.put_object("demo-other", "a", b"")), (404, "NoSuchBucket"))
    check("a copy", refusal(lambda: client.copy_object(BUCKET, "a", BUCKET, "b")), (501, "NotImplemented"))
    check("nothing came of it", keys(client.list_objects(BUCKET)), [])


# MARK: Uploads by token


def token(key, secret_key=SECRET_KEY, **policy):
    policy = {"Bucket": BUCKET, "Object": key, "Expires": int(time.time()) + 600, **policy}
    encoded = base64.b64encode(json.dumps(policy).encode())
    sign = base64.b64encode(hmac.digest(secret_key.encode(), encoded, "sha256"))
    return f"UPLOAD {ACCESS_KEY}:{sign.decode()}:{encoded.decode()}"


def send(method, path, body=None, **fields):
    connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
    try:
        headers = {name.replace("_", "-"): value for name, value in fields.items() if value is not None}
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def piece(key, body, offset=0, complete="true", context=None, bucket=BUCKET, by=None, **fields):
    path = f"/{bucket}/{quote(key, safe='')}?offset={offset}&complete={complete}&version=1.0"
    path += f"&context={context}" if context else ""
    return send("POST", path, body, x_nos_token=token(key) if by is None else by, **fields)


def check_tokens(client):
    status, servers = send("GET", f"/lbs?version=1.0&bucketname={BUCKET}")
    check("LBS", (status, servers), (200, {"lbs": f"http://{ADDRESS}/lbs", "upload": [f"http://{ADDRESS}"]}))
    check("LBS of another bucket", send("GET", "/lbs?version=1.0&bucketname=demo-other")[0], 404)

    key = "direct/Füße 1.png"
    status, answer = piece(key, b"content", Content_Type="image/png", x_nos_meta_a="1")
    check("uploaded", (status, answer["offset"]), (200, 7))
    found = client.get_object(BUCKET, key)
    check("read back", (found["body"].read(), found["content_type"]), (b"content", "image/png"))

    content = hashlib.sha256(b"direct").digest() * (PIECE // 32 * 2 + 1000)
    key, context, offset = "direct/large", None, 0
    while offset < len(content):
        end = min(offset + PIECE, len(content))
        status, answer = piece(key, content[offset:end], offset, "true" if end == len(content) else "false", context)
        check("a piece", (status, answer["offset"]), (200, end))
        offset, context = end, answer["context"]
        if end < len(content):
            path = f"/{BUCKET}/{quote(key, safe='')}?uploadContext&context={context}&version=1.0"
            check("resumed", send("GET", path, x_nos_token=token(key))[1]["offset"], end)
            check("nothing to see before the end", refusal(lambda: client.head_object(BUCKET, key)), (404, ""))
    found = client.get_object(BUCKET, key)
    check_that("read back", found["body"].read() == content)
    check("its tag", found["etag"], hashlib.md5(content).hexdigest())
    check("an ended context", piece(key, b"x", 5, "true", context)[0], 404)

    # What each is refused with, and why; the last word is the vendor's status.
    soon = int(time.time()) - 1
    refused = {
        "expired": (403, "direct/x", {"by": token("direct/x", Expires=soon)}),
        "another bucket": (403, "direct/x", {"bucket": "demo-other"}),
        "a bucket that is not there": (404, "direct/x", {"bucket": "demo-other", "by": token("direct/x", Bucket="demo-other")}),
        "another object": (403, "direct/x", {"by": token("direct/y")}),
        "widened by a byte": (403, "direct/xy", {"by": token("direct/x")}),
        "another secret": (403, "direct/x", {"by": token("direct/x", secret_key="another")}),
        "tampered": (403, "direct/x", {"by": token("direct/x")[:-6] + "AAAAAA"}),
        "no token": (403, "direct/x", {"by": ""}),
        "too large": (403, "direct/x", {"by": token("direct/x", ObjectSizeMax=6)}),
        "too small": (403, "direct/x", {"by": token("direct/x", ObjectSizeMin=8)}),
        "another type": (403, "direct/x", {"by": token("direct/x", MimeLimit="image/*;text/plain"), "Content_Type": "text/html"}),
        "there already": (403, "direct/large", {"by": token("direct/large", OverWrite=False)}),
        "another MD5": (400, "direct/x", {"Content_MD5": "0" * 32}),
        "no MD5": (400, "direct/x", {"Content_MD5": "x"}),
        "in the middle": (400, "direct/x", {"offset": 7}),
        "no offset": (400, "direct/x", {"offset": "x"}),
        "an unknown context": (404, "direct/x", {"offset": 7, "context": "x"}),
        "a piece too long": (400, "direct/x", {"body": bytes(PIECE + 1)}),
        "a callback to elsewhere": (520, "direct/called", {"by": token("direct/called", CallbackUrl="http://192.0.2.1/", CallbackBody="a=b")}),
    }
    for why, (expected, key, arguments) in refused.items():
        status, answer = piece(key, **{"body": b"content", **arguments})
        check(f"{why}: {answer.get('errMsg')}", status, expected)
    allowed = token("direct/x", MimeLimit="image/*;text/plain", ObjectSizeMin=7, ObjectSizeMax=7, OverWrite=False)
    check("within the limits", piece("direct/x", b"content", by=allowed, Content_Type="text/plain; charset=utf-8")[0], 200)
    # An upload whose callback fails is an upload nonetheless.
    check("what there is", keys(client.list_objects(BUCKET, prefix="direct/")), ["direct/Füße 1.png", "direct/called", "direct/large", "direct/x"])


# MARK: URLs


def check_urls(client):
    def url(key, seconds, method="GET", access_key=ACCESS_KEY):
        end = int(time.time()) + seconds
        text = f"{method}\n\n\n{end}\n/{BUCKET}/{quote(key, safe='*')}"
        sign = base64.b64encode(hmac.digest(SECRET_KEY.encode(), text.encode(), "sha256")).decode()
        query = f"NOSAccessKeyId={access_key}&Expires={end}&Signature={quote(sign, safe='')}"
        return f"/{quote(key, safe='*')}?{query}"

    def get(path, host=f"{BUCKET}.nos.localhost:{PORT}", method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
        try:
            connection.request(method, path, headers={"Host": host})
            answer = connection.getresponse()
            body = answer.read()
            return answer.status, body if answer.status == 200 else body.partition(b"<Code>")[2].partition(b"<")[0]
        finally:
            connection.close()

    key = "direct/Füße 1.png"
    check("a URL", get(url(key, 60)), (200, b"content"))
    check("a URL without the bucket in its host", get(f"/{BUCKET}" + url(key, 60), ADDRESS), (200, b"content"))
    check("a URL for a download", get(url(key, 60) + "&download=a.png"), (200, b"content"))
    check("a URL that has ended", get(url(key, -1)), (403, b"AccessDenied"))
    check("a URL of another key", get(url("direct/x", 60).replace("direct%2Fx", "direct%2Flarge")), (403, b"SignatureDoesNotMatch"))
    check("a URL of another method", get(url("direct/x", 60), method="DELETE"), (403, b"SignatureDoesNotMatch"))
    check("a URL of another bucket", get(url("direct/x", 60), f"demo-other.nos.localhost:{PORT}"), (403, b"SignatureDoesNotMatch"))
    check("a URL of an unknown key", get(url("direct/x", 60, access_key="unknown")), (403, b"InvalidAccessKeyId"))
    check("a URL that was prolonged", get(url("direct/x", 60).replace("Expires=", "Expires=9")), (403, b"SignatureDoesNotMatch"))
    for found in keys(client.list_objects(BUCKET)):
        client.delete_object(BUCKET, found)


def main():
    client = connect()
    check_objects(client)
    check_lists(client)
    check_parts(client)
    check_refusals(client)
    check_tokens(client)
    check_urls(client)
    print("all SDK checks passed")


main()
