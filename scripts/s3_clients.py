"""What Uppy and Iceberg's client ask and send, written down from their sources, for scripts/s3.py."""

import base64
import hashlib
import http.client
import json
import re
import urllib.parse

BUCKET = "checked"


def exchange(method, url, body=None, headers=None):
    """Status, headers and body of what is answered; names that end in .localhost are of this machine."""
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        given = {"Host": parts.netloc, **(headers or {})}
        if body is not None or method in ("POST", "PUT"):
            given["Content-Length"] = str(len(body or b""))
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def ask(service, method, path, body=None):
    """What the service answers to what Uppy sends as JSON."""
    status, _, text = exchange(
        method, f"http://127.0.0.1:{service.port}{path}", None if body is None else json.dumps(body).encode(),
        {} if body is None else {"Content-Type": "application/json"})
    return status, json.loads(text)


class SignRequest:
    """S3mini.ts of @uppy/aws-s3: every request is sent to a URL that `signRequest` gives."""

    def __init__(self, service):
        self.service = service

    def send(self, body=b"", content_type=None, **request):
        status, answer = ask(self.service, "POST", "/s3/sign", request)
        if status != 200:
            return status, {}, b""
        headers = {"Content-Type": content_type} if content_type else {}
        return exchange(request["method"], answer["url"], body, headers)


def check_uppy(service, server, claims):
    client = server.client()
    check_sign_request(service, client, claims)
    check_companion(service, client, claims)


def check_sign_request(service, client, claims):
    uppy, key = SignRequest(service), "user/1/uppy/a b+中.bin"
    claims.check(
        "Uppy puts a file by signRequest", uppy.send(b"12345", "text/plain", method="PUT", key=key)[0] == 200)
    claims.check("it is there", client.get_object(Bucket=BUCKET, Key=key)["Body"].read() == b"12345")
    _, _, begun = uppy.send(b"", "text/plain", method="POST", key=key)
    upload = re.search(b"<UploadId>(.*?)</UploadId>", begun)[1].decode()
    tags = []
    for number, part in enumerate([b"a" * (5 << 20), b"b" * 7], 1):
        status, headers, _ = uppy.send(part, method="PUT", key=key, uploadId=upload, partNumber=number)
        claims.check(f"Uppy puts part {number} by signRequest", status == 200)
        tags.append(headers["etag"].strip('"'))
    status, _, listed = uppy.send(method="GET", key=key, uploadId=upload)
    claims.check("and lists the parts", status == 200 and listed.count(b"<PartNumber>") == 2)
    whole = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>{t}</ETag></Part>" for n, t in enumerate(tags, 1))
    status, _, _ = uppy.send(
        f"<CompleteMultipartUpload>{whole}</CompleteMultipartUpload>".encode(), "application/xml",
        method="POST", key=key, uploadId=upload)
    claims.check(
        "and completes them",
        status == 200 and client.head_object(Bucket=BUCKET, Key=key)["ContentLength"] == (5 << 20) + 7)
    claims.check("and deletes the file", uppy.send(method="DELETE", key=key)[0] == 204)
    for outside in ["user/10/a", "user/1/../a", "ready"]:
        claims.check(f"but has {outside} signed by nobody", uppy.send(method="PUT", key=outside)[0] in (400, 403))


def check_companion(service, client, claims):
    status, form = ask(service, "GET", "/s3/params?filename=a%20b.png&type=image%2Fpng&metadata%5Bname%5D=a")
    claims.check("Uppy gets a form at /s3/params", status == 200 and form["fields"]["key"] == "forms/1/a b.png")
    mark = "countersign-boundary"
    fields = "".join(
        f'--{mark}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in form["fields"].items())
    content = (
        fields + f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="blob"\r\n'
        f"Content-Type: image/png\r\n\r\n12345\r\n--{mark}--\r\n").encode()
    status, _, _ = exchange("POST", form["url"], content, {"Content-Type": f"multipart/form-data; boundary={mark}"})
    claims.check(
        "and uploads by it",
        status == 201 and client.get_object(Bucket=BUCKET, Key="forms/1/a b.png")["Body"].read() == b"12345")

    def begin(name="photo~1 中.png", kind="image/png"):
        return ask(service, "POST", "/s3/multipart", {"filename": name, "metadata": {"name": name}, "type": kind})

    def path(upload, rest="", key=None):
        query = urllib.parse.urlencode({"key": key or upload["key"]})
        return f"/s3/multipart/{urllib.parse.quote(upload['uploadId'], safe='')}{rest}?{query}"

    def put(upload, number, part):
        status, answer = ask(service, "GET", path(upload, f"/{number}"))
        return exchange("PUT", answer["url"], part) if status == 200 else (status, {}, b"")

    status, upload = begin()
    claims.check("Uppy begins an upload in parts at Companion's route", status == 200)
    claims.check("below the grant's prefix", upload["key"] == "uppy/1/photo~1 中.png" and upload["bucket"] == BUCKET)
    tags = [put(upload, number, part)[1]["etag"] for number, part in enumerate([b"a" * (5 << 20), b"b" * 7], 1)]
    status, listed = ask(service, "GET", path(upload))
    claims.check(
        "the service lists its parts", status == 200 and [part["Size"] for part in listed] == [5 << 20, 7])
    parts = {"parts": [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]}
    status, done = ask(service, "POST", path(upload, "/complete"), parts)
    claims.check("and completes them", status == 200 and done["key"] == upload["key"])
    stored = client.head_object(Bucket=BUCKET, Key=upload["key"])
    claims.check(
        "the object has its size and its type",
        stored["ContentLength"] == (5 << 20) + 7 and stored["ContentType"] == "image/png")
    claims.check("an upload that is over is unknown", ask(service, "GET", path(upload))[0] == 404)
    claims.check("a type outside the grant begins nothing", begin(kind="text/html")[0] == 403)
    for name in ["../2/a.png", "/a.png", "a/../../2/a.png"]:
        claims.check(f"the name {name} begins nothing", begin(name)[0] == 400)
    _, again = begin()
    tag = put(again, 1, b"other")[1]["etag"]
    status, _ = ask(
        service, "POST", path(again, "/complete"), {"parts": [{"PartNumber": 1, "ETag": tag}]})
    kept = client.head_object(Bucket=BUCKET, Key=upload["key"])["ContentLength"] == (5 << 20) + 7
    claims.check("an object that is there is not replaced by an upload in parts", status == 400 and kept)
    claims.check(
        "an id is of no use with another key",
        ask(service, "GET", path(again, "/1", key="uppy/1/other.png"))[0] == 403
        and ask(service, "DELETE", path(again, key="uppy/1/other.png"))[0] == 403)
    raw = client.list_multipart_uploads(Bucket=BUCKET, Prefix=again["key"]).get("Uploads", [])
    for found in raw:
        claims.check(
            "nor is S3's own id",
            ask(service, "DELETE", path({**again, "uploadId": found["UploadId"]}))[0] in (400, 403))
    claims.check("Uppy aborts an upload", ask(service, "DELETE", path(again)) == (200, {}))
    claims.check(
        "and nothing is left of it", not client.list_multipart_uploads(Bucket=BUCKET, Prefix=again["key"]).get("Uploads"))


class RemoteSigned:
    """S3V4RestSignerClient of Iceberg: what it is told is added to what it has."""

    def __init__(self, service, endpoint):
        self.service, self.endpoint = service, endpoint

    def sign(self, method, target, headers=None, body=None, told=None):
        request = {
            "region": "us-east-1", "method": method, "uri": f"{self.endpoint}/{BUCKET}{target}",
            "headers": {name: [value] for name, value in (headers or {}).items()}, "provider": "s3"}
        if told is not None or "delete" in target:
            request["body"] = (body if told is None else told).decode()
        return ask(self.service, "POST", "/v1/aws/s3/sign?style=path", request)

    def send(self, method, target, headers=None, body=None, told=None):
        """`told` is the body that the service reads, where it is another than the one that is sent."""
        status, answer = self.sign(method, target, headers, body, told)
        if status != 200:
            return status, b""
        own = {name.lower(): value for name, value in (headers or {}).items()}
        merged = {name.lower(): ",".join(values) for name, values in answer["headers"].items()} | own
        status, _, content = exchange(method, answer["uri"], body, merged)
        return status, content


def check_iceberg(service, server, claims):
    client = server.client()
    iceberg = RemoteSigned(service, server.endpoint)
    key = "/wh/t/data/a%20b%2B%E4%B8%AD.parquet"
    claims.check(
        "Iceberg's client puts a file",
        iceberg.send("PUT", key, {"Content-Type": "application/octet-stream"}, b"0123456789")[0] == 200)
    claims.check(
        "and reads a range of it, which is not signed",
        iceberg.send("GET", key, {"Range": "bytes=2-4"})[1] == b"234")
    claims.check("and asks for its head", iceberg.send("HEAD", key)[0] == 200)
    status, _ = iceberg.sign("POST", key + "?uploads")
    claims.check("an upload in parts is signed", status == 200)

    def body(*keys):
        objects = "".join(f"<Object><Key>{name}</Key></Object>" for name in keys)
        return f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{objects}</Delete>'.encode()

    def digest(content):
        return {"Content-MD5": base64.b64encode(hashlib.md5(content).digest()).decode(), "Content-Type": "application/xml"}

    for name in ["wh/t/one", "wh/t/two", "out/three"]:
        client.put_object(Bucket=BUCKET, Key=name, Body=b"1")
    mine, others = body("wh/t/one", "wh/t/two"), body("wh/t/one", "out/three")
    claims.check("a deletion beyond the grant is not signed", iceberg.send("POST", "?delete", digest(others), others)[0] == 403)
    status, _ = iceberg.send("POST", "?delete", digest(mine), mine)
    left = {item["Key"] for item in client.list_objects_v2(Bucket=BUCKET).get("Contents", [])}
    claims.check(
        "a deletion inside the grant deletes", status == 200 and not {"wh/t/one", "wh/t/two"} & left and "out/three" in left)
    # Amazon S3 compares the body with the hash that is signed (XAmzContentSHA256Mismatch).
    status, _ = iceberg.send("POST", "?delete", digest(mine), others, told=mine)
    claims.check("a deletion with another body than was judged is refused", status >= 400)
    claims.check("and a file is deleted", iceberg.send("DELETE", key)[0] == 204)
    for target in ["/out/three", "/wh/t/../../out/three", "/?list-type=2&prefix=wh/t/", "/wh/t/a?acl"]:
        claims.check(f"{target} is not signed", iceberg.sign("GET", target)[0] in (400, 403))
