"""Uploads to a running sandbox by Qiniu's own SDK, reads back, lists and deletes; and does what Kodo refuses.

    python sandbox_qiniu.py HOST:PORT ACCESS_KEY SECRET_KEY CALLBACK_PORT

The sandbox has the bucket demo-media, and may call back at CALLBACK_PORT of this machine.
"""

import base64
import hashlib
import http.client
import http.server
import io
import json
import sys
import tempfile
import threading
import time
import urllib.parse

from checking import check, check_that

import qiniu
from qiniu.http.endpoint import Endpoint
from qiniu.services.storage.uploaders import ResumeUploaderV1, ResumeUploaderV2
from qiniu.utils import etag_stream, io_crc32

ADDRESS, ACCESS_KEY, SECRET_KEY = sys.argv[1:4]
CALLBACK = f"127.0.0.1:{sys.argv[4]}"
BUCKET = "demo-media"
AUTH = qiniu.Auth(ACCESS_KEY, SECRET_KEY)
JPEG = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 16
MEBI = 1 << 20
KEY = "photos/Füße 中文 +&=%.jpg"

BYTES = "application/octet-stream"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"

BAD = (401, "bad token")
EXPIRED = (401, "expired token")
OTHER_KEY = (403, "key doesn't match with scope")
OTHER_TYPE = (403, "limited mime type: this file type is forbidden to upload")
TOO_LARGE = (413, "request entity is too large")
EXISTS = (614, "file exists")
NO_OBJECT = (612, "no such file or directory")
NO_BUCKET = (631, "no such bucket")

qiniu.set_default(
    default_uc_host=f"http://{ADDRESS}", default_query_region_host=f"http://{ADDRESS}",
    default_query_region_backup_hosts=[ADDRESS], default_uc_backup_hosts=[ADDRESS],
    default_upload_threshold=MEBI)
MANAGER = qiniu.BucketManager(AUTH)


def token(key=None, expires=600, **policy):
    return AUTH.upload_token(BUCKET, key, expires, policy, strict_policy=False)


def changed(text, **changes):
    """The token with another policy and the same signature."""
    access_key, signature, encoded = text.split(":")
    policy = {**json.loads(base64.urlsafe_b64decode(encoded)), **changes}
    return ":".join([access_key, signature, base64.urlsafe_b64encode(json.dumps(policy).encode()).decode()])


def outcome(result, info):
    """The status, and the key or what the refusal says."""
    value = json.loads(info.text_body)
    check_that("the SDK takes it for Kodo's answer", info.req_id)
    return info.status_code, value["error"] if "error" in value else value.get("key")


def form(text, key, content, kind="image/jpeg", **options):
    return outcome(*qiniu.put_data(text, key, content, mime_type=kind, **options))


def parts(text, key, content, version="v2", **options):
    """An upload in parts of either version."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        more = {"part_size": MEBI} if version == "v2" else {}
        return outcome(*qiniu.put_file(text, key, file.name, version=version, **more, **options))


def download(key, host=ADDRESS, expires=600, headers=(), method="GET", change=lambda url: url):
    url = change(AUTH.private_download_url(f"http://{host}/{urllib.parse.quote(key)}", expires))
    parsed = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(ADDRESS, timeout=60)
    connection.request(method, f"{parsed.path}?{parsed.query}", headers={"Host": parsed.netloc, **dict(headers)})
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response, content


def check_ways():
    """Every way in which something comes in; what is read back is the same."""
    large = JPEG + bytes(5 * MEBI)
    for name, upload, content in [
        ("form", form, JPEG), ("empty", form, b" "), ("v1", lambda *all: parts(*all, version="v1"), large),
        ("v2", parts, large),
    ]:
        key = f"{name}/{KEY}"
        check(f"{name}: stored", upload(token(key), key, content), (200, key))
        response, read = download(key)
        check_that(f"{name}: read back", response.status == 200 and read == content)
        check(f"{name}: hash", response.headers["ETag"], f'"{etag_stream(io.BytesIO(content))}"')
        found, info = MANAGER.stat(BUCKET, key)
        check(f"{name}: size", found and found["fsize"], len(content))
        check_that(f"{name}: time", abs(found["putTime"] / 10_000_000 - time.time()) < 600)
        check(f"{name}: without a key", upload(token(), None, content), (200, etag_stream(io.BytesIO(content))))
        check(f"{name}: another content", upload(token(key), key, content + b"x"), (200, key))
        check(f"{name}: no other content", upload(token(key, insertOnly=1), key, content), EXISTS)
        check(f"{name}: the same content", upload(token(key, insertOnly=1), key, content + b"x"), (200, key))
        check(f"{name}: a key for the bucket's token", upload(token(), key, content), EXISTS)
        check(f"{name}: other key", upload(token(key), key + "x", content), OTHER_KEY)
        prefix = {"isPrefixalScope": 1}
        check(f"{name}: prefix", upload(token(f"{name}/p/", **prefix), f"{name}/p/a", content), (200, f"{name}/p/a"))
        check(f"{name}: other prefix", upload(token(f"{name}/p/", **prefix), f"{name}/q/a", content), OTHER_KEY)
        check(f"{name}: expired", upload(token(key, -10), key, content), EXPIRED)
        check(f"{name}: tampered", upload(changed(token(key), scope=f"{BUCKET}:b"), "b", content), BAD)
        other = qiniu.Auth(ACCESS_KEY, SECRET_KEY + "x").upload_token(BUCKET, key)
        check(f"{name}: other secret", upload(other, key, content), BAD)
        size = len(content)
        check(f"{name}: largest", upload(token(f"{name}/l", fsizeLimit=size), f"{name}/l", content)[0], 200)
        check(f"{name}: larger", upload(token(f"{name}/l", fsizeLimit=size), f"{name}/l", content + b"x"), TOO_LARGE)
        check(f"{name}: smaller", upload(token(f"{name}/l", fsizeMin=size + 1), f"{name}/l", content)[0], 403)
    check("widened by one byte", form(changed(token("a"), scope=f"{BUCKET}:ab"), "ab", JPEG), BAD)
    # The SDK does not find the hosts of a bucket that is not there.
    other = AUTH.upload_token("no-such-bucket", "a")
    zone = qiniu.Zone(up_host=f"http://{ADDRESS}", up_host_backup=f"http://{ADDRESS}", scheme="http")
    check("other bucket", outcome(*qiniu.put_data(other, "a", JPEG, regions=[zone])), NO_BUCKET)


def check_types():
    images = {"mimeLimit": "image/*"}
    check("an image", form(token("t/a", **images), "t/a", JPEG, "text/plain"), (200, "t/a"))
    check("a text that is called an image", form(token("t/b", **images), "t/b", b"text", "image/jpeg"), OTHER_TYPE)
    check("a text in parts", parts(token("t/b", **images), "t/b", b"text" * MEBI), OTHER_TYPE)
    check("no image", form(token("t/b", mimeLimit="!image/*;text/html"), "t/b", JPEG), OTHER_TYPE)
    check("no HTML", form(token("t/b", mimeLimit="!image/*;text/html"), "t/b", b"%PDF-1.4")[0], 200)
    for policy, kind, expected in [
        ({}, "image/png", "image/png"), ({}, BYTES, "image/jpeg"), ({"detectMime": 1}, "image/png", "image/jpeg"),
        ({"detectMime": -1}, BYTES, BYTES),
    ]:
        form(token("t/c", **policy), "t/c", JPEG, kind)
        check(f"{policy} and {kind}", MANAGER.stat(BUCKET, "t/c")[0]["mimeType"], expected)


def check_answers():
    returned = '{"key":$(key),"hash":"$(etag)","size":$(fsize),"type":"$(mimeType)",' + (
        '"b":$(bucket),"w":$(imageInfo.width),"color":$(x:color),"by":${endUser},"name":"$(fname)"}')
    result, info = qiniu.put_data(
        token(None, returnBody=returned, saveKey="s/$(x:color)/$(fname)", endUser='a"b'), None, JPEG,
        params={"x:color": "r\"ed"}, mime_type="image/jpeg", fname="a.jpg")
    check("returnBody", result, {
        "key": 's/r"ed/a.jpg', "hash": etag_stream(io.BytesIO(JPEG)), "size": len(JPEG), "type": "image/jpeg",
        "b": BUCKET, "w": None, "color": 'r"ed', "by": 'a"b', "name": "a.jpg"})
    check("endUser", MANAGER.stat(BUCKET, 's/r"ed/a.jpg')[0]["endUser"], 'a"b')
    forced = token(None, saveKey="forced/$(year)-$(etag)$(ext)", forceSaveKey=True)
    year = time.gmtime(time.time() + 8 * 3600).tm_year
    hash = etag_stream(io.BytesIO(JPEG))
    check("forceSaveKey", form(forced, "mine", JPEG, fname="b.jpg"), (200, f"forced/{year}-{hash}.jpg"))
    form(token("m", fileType=1, deleteAfterDays=2), "m", JPEG, metadata={"x-qn-meta-color": "red"})
    found = MANAGER.stat(BUCKET, "m")[0]
    check("fileType and metadata", (found["type"], found["x-qn-meta"]), (1, {"color": "red"}))
    check_that("deleteAfterDays", 2 * 86400 <= found["expiration"] - time.time() <= 3 * 86400)
    check("crc32", form(token("m"), "m", JPEG, check_crc=True)[0], 200)


def post(path, headers, body=b"", method="POST"):
    connection = http.client.HTTPConnection(ADDRESS, timeout=60)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    text = response.read()
    connection.close()
    return response, json.loads(text) if text else None


def fields(**values):
    """The head and bytes of a form; the file comes first, as a page may have it."""
    boundary, body = "b", b""
    for name, value in values.items():
        more = '; filename="f"' if name == "file" else ""
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'
        body += head.encode() + value + b"\r\n"
    return {"Content-Type": f"multipart/form-data; boundary={boundary}"}, body + f"--{boundary}--\r\n".encode()


def check_forms():
    crc = str(io_crc32(io.BytesIO(JPEG))).encode()
    valid = token("f").encode()
    for what, values, expected in [
        ("file first", {"file": JPEG, "token": valid, "key": b"f", "crc32": crc}, 200),
        ("wrong crc32", {"token": valid, "key": b"f", "crc32": b"1", "file": JPEG}, 406),
        ("no crc32", {"token": valid, "key": b"f", "crc32": b"x", "file": JPEG}, 400),
        ("no token", {"key": b"f", "file": JPEG}, 401), ("no file", {"token": valid, "key": b"f"}, 400),
    ]:
        check(f"form: {what}", post("/", *fields(**values))[0].status, expected)
    page = {"returnUrl": "http://page.example/done", "returnBody": '{"key":$(key)}'}
    response, _ = post("/", *fields(token=token("f", **page).encode(), key=b"f", file=JPEG))
    check("returnUrl", (response.status, response.headers["Location"]), (
        303, "http://page.example/done?upload_ret=" + base64.urlsafe_b64encode(b'{"key":"f"}').decode()))
    response, _ = post("/", *fields(token=token("f", **page).encode(), key=b"g", file=JPEG))
    check("returnUrl of a refusal", (response.status, response.headers["Location"]), (
        303, "http://page.example/done?code=403&error=key%20doesn%27t%20match%20with%20scope"))


def check_resuming():
    """Uploads that stop and go on."""
    content = JPEG * 1500
    key = "resumed/a"
    options = dict(
        bucket_name=BUCKET, regions=[qiniu.Zone(up_host=f"http://{ADDRESS}", scheme="http")], auth=AUTH,
        preferred_scheme="http")
    for version, uploader in [("v1", ResumeUploaderV1(**options)), ("v2", ResumeUploaderV2(part_size=MEBI, **options))]:
        text = token(key)
        context, _ = uploader.initial_parts(
            text, key, data=io.BytesIO(content), data_size=len(content),
            up_endpoint=Endpoint.from_host(f"http://{ADDRESS}"))
        first = MEBI if version == "v2" else 4 * MEBI
        part, info = uploader.upload_parts(text, io.BytesIO(content[:first]), first, context, key=key)
        check(f"{version}: begun", info.status_code, 200)
        context.parts[:] = [part]
        _, info = uploader.upload_parts(text, io.BytesIO(content), len(content), context, key=key)
        check(f"{version}: gone on", info.status_code, 200)
        found, info = uploader.complete_parts(text, len(content), context, key=key)
        hash = etag_stream(io.BytesIO(content))
        check(f"{version}: complete", (info.status_code, found and found["hash"]), (200, hash))
        _, info = uploader.complete_parts(text, len(content), context, key=key)
        check(f"{version}: once more", info.status_code, 701 if version == "v1" else 612)
    head = {"Authorization": "UpToken " + token("r")}
    check("v1: a block that is too large", post(f"/mkblk/{4 * MEBI + 1}", head, b"x")[0].status, 400)
    value = post("/mkblk/10", head, b"abcd")[1]
    check("v1: crc32", value["crc32"], io_crc32(io.BytesIO(b"abcd")))
    check("v1: wrong offset", post(f"/bput/{value['ctx']}/3", head, b"efghij")[0].status, 701)
    check("v1: too much", post(f"/bput/{value['ctx']}/4", head, b"efghijk")[0].status, 400)
    check("v1: a block that is not whole", post("/mkfile/4/key/cg==", head, value["ctx"].encode())[0].status, 701)
    whole = post(f"/bput/{value['ctx']}/4", head, b"efghij")[1]
    check("v1: offset", whole["offset"], 10)
    check("v1: other size", post("/mkfile/9/key/cg==", head, whole["ctx"].encode())[0].status, 400)
    check("v1: unknown context", post("/mkfile/10/key/cg==", head, b"unknown")[0].status, 701)
    check("v1: other key", post("/mkfile/10/key/cw==", head, whole["ctx"].encode())[0].status, 403)
    check("v1: made", post("/mkfile/10/key/cg==/x:a/Yg==", head, whole["ctx"].encode())[1]["key"], "r")
    base = f"/buckets/{BUCKET}/objects/cg==/uploads"
    check("v2: other bucket", post("/buckets/other/objects/cg==/uploads", head)[0].status, 403)
    id = post(base, head)[1]["uploadId"]
    md5 = {"Content-MD5": hashlib.md5(b"abc").hexdigest()}
    check("v2: wrong MD5", post(f"{base}/{id}/1", {**head, **md5}, b"abd", "PUT")[0].status, 400)
    etags = [post(f"{base}/{id}/{n}", {**head, **md5}, b"abc", "PUT")[1]["etag"] for n in [1, 2]]
    check("v2: part 0", post(f"{base}/{id}/0", head, b"abc", "PUT")[0].status, 400)
    check("v2: parts", [p["partNumber"] for p in post(f"{base}/{id}", head, method="GET")[1]["parts"]], [1, 2])
    two = [{"partNumber": n, "etag": e} for n, e in zip([1, 2], etags)]
    forged = [{"partNumber": 1, "etag": "x"}]
    for what, named in [("short parts", two), ("order", two[::-1]), ("etag", forged), ("none", [])]:
        check(f"v2: {what}", post(f"{base}/{id}", head, json.dumps({"parts": named}).encode())[0].status, 400)
    check("v2: ended", post(f"{base}/{id}", head, method="DELETE")[0].status, 200)
    check("v2: gone", post(f"{base}/{id}/1", head, b"abc", "PUT")[0].status, 612)


def check_management():
    for name in ["l/a", "l/b/1", "l/b/2", "l/c"]:
        form(token(name), name, JPEG)
    found, eof, _ = MANAGER.list(BUCKET, prefix="l/", delimiter="/")
    check("list", ([i["key"] for i in found["items"]], found["commonPrefixes"], eof), (["l/a", "l/c"], ["l/b/"], True))
    names, marker = [], None
    while True:
        found, eof, _ = MANAGER.list(BUCKET, prefix="l/", limit=1, marker=marker)
        names += [item["key"] for item in found["items"]]
        marker = found.get("marker")
        if eof:
            break
    check("list by markers", names, ["l/a", "l/b/1", "l/b/2", "l/c"])
    check("list: wrong marker", MANAGER.list(BUCKET, marker="x")[2].status_code, 640)
    check("list: wrong limit", MANAGER.list(BUCKET, limit=1001)[2].status_code, 400)
    check("buckets", MANAGER.buckets()[0], [BUCKET])
    check("mkbucket", MANAGER.mkbucketv3("another-bucket", "z0")[1].status_code, 200)
    check("mkbucket: once more", MANAGER.mkbucketv3("another-bucket", "z0")[1].status_code, 614)
    check("mkbucket: no name", MANAGER.mkbucketv3("No", "z0")[1].status_code, 400)
    check("buckets then", MANAGER.buckets()[0], ["another-bucket", BUCKET])
    check("delete", MANAGER.delete(BUCKET, "l/a")[1].status_code, 200)
    check("delete: gone", outcome(*MANAGER.delete(BUCKET, "l/a")), NO_OBJECT)
    check("stat: gone", outcome(*MANAGER.stat(BUCKET, "l/a")), NO_OBJECT)
    entry = qiniu.utils.entry(BUCKET, "l/c")
    qbox = {"Authorization": "QBox " + AUTH.token_of_request(f"http://{ADDRESS}/stat/{entry}")}
    check("QBox", post(f"/stat/{entry}", qbox)[0].status, 200)
    check("QBox: another path", post(f"/stat/{entry}?x", qbox)[1], {"error": "bad token"})
    check("no signature", post(f"/stat/{entry}", {"Host": "rs.qiniu.localhost"})[0].status, 401)
    for what, keys in [("another secret", (ACCESS_KEY, SECRET_KEY + "x")), ("another key", ("x", SECRET_KEY))]:
        auth = qiniu.Auth(*keys)
        signed = {"Authorization": "QBox " + auth.token_of_request(f"http://{ADDRESS}/stat/{entry}")}
        check(f"QBox: {what}", post(f"/stat/{entry}", signed)[1], {"error": "bad token"})
    mac = qiniu.QiniuMacAuth(ACCESS_KEY, SECRET_KEY)
    for ahead, expected in [(0, 200), (-600, 200), (-1000, 401), (1000, 401)]:
        date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + ahead))
        url = f"http://{ADDRESS}/stat/{entry}"
        signed = mac.token_of_request("GET", ADDRESS, url, f"X-Qiniu-Date: {date}", None, None)
        head = {"Authorization": f"Qiniu {signed}", "X-Qiniu-Date": date}
        check(f"Qiniu: signed at {ahead}", post(f"/stat/{entry}", head, method="GET")[0].status, expected)
        check(f"Qiniu: another method, {ahead}", post(f"/stat/{entry}", head)[0].status, 401)


def refused_download(*all, **more):
    response, content = download(*all, **more)
    return response.status, json.loads(content)["error"]


def check_downloads():
    key = "d/a b+c.jpg"
    form(token(key), key, JPEG)
    hosted = f"media.qiniu.localhost:{ADDRESS.split(':')[1]}"
    for host in [ADDRESS, hosted, "media.example.com"]:
        check_that(f"download from {host}", download(key, host)[1] == JPEG)
    response, content = download(key, method="HEAD")
    check("HEAD", (response.status, response.headers["Content-Length"], content), (200, str(len(JPEG)), b""))
    for field, status, expected in [
        ("bytes=0-3", 206, JPEG[:4]), ("bytes=4000-", 206, JPEG[4000:]), ("bytes=-5", 206, JPEG[-5:]),
        ("bytes=4000-99999", 206, JPEG[4000:]), ("bytes=3-2", 200, JPEG), ("bytes=x-2", 200, JPEG),
        ("lines=1-2", 200, JPEG), ("bytes=0-1,3-4", 200, JPEG), ("bytes=-", 200, JPEG),
        ("bytes=0-99999999999999999999999", 206, JPEG),
    ]:
        response, content = download(key, headers={"Range": field})
        check_that(f"Range {field}: {response.status}", (response.status, content) == (status, expected))
    check("Range behind the end", download(key, headers={"Range": "bytes=99999-"})[0].status, 416)
    wrong = (401, "download token auth failed")
    check("download: expired", refused_download(key, expires=-10), (401, "token out of date"))
    for what, old, new in [("other key", "/d/", "/e/"), ("later", "?e=1", "?e=2"), ("more", "&token", "&x=1&token")]:
        check(f"download: {what}", refused_download(key, change=lambda url: url.replace(old, new)), wrong)
    unsigned = refused_download(key, hosted, change=lambda url: url.split("&")[0])
    check("download: unsigned", unsigned, (401, "download token not specified"))
    check("download: gone", refused_download("d/none"), (404, "Document not found"))
    outside = refused_download("../../keys/qiniu/" + ACCESS_KEY)
    check("download: out of the folder", outside, (404, "Document not found"))


class Application(http.server.BaseHTTPRequestHandler):
    """The application's server: keeps what it gets, and answers what it is told to."""

    received, status, answer = [], 200, b'{"ok":true}'

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.received.append((self.path, dict(self.headers), body))
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *_):
        pass


def check_callbacks():
    server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[4])), Application)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://{CALLBACK}/hooks/done?from=kodo"
    for kind, body, received in [
        (FORM, "key=$(key)&size=$(fsize)&c=$(x:c)", f"key=c%2F%E4%B8%AD%26&size={len(JPEG)}&c=%22"),
        (JSON, '{"key":$(key),"size":$(fsize),"c":"$(x:c)"}', f'{{"key":"c/中&","size":{len(JPEG)},"c":"\\""}}'),
    ]:
        policy = {"callbackUrl": url, "callbackBody": body, "callbackBodyType": kind, "callbackHost": "app.example.com"}
        result, info = qiniu.put_data(token("c/中&", **policy), "c/中&", JPEG, params={"x:c": '"'})
        check(f"callback: {kind}: relayed", (info.status_code, result), (200, {"ok": True}))
        path, headers, content = Application.received.pop()
        check(f"callback: {kind}: body", content.decode(), received)
        check(f"callback: {kind}: path and host", (path, headers["Host"]), ("/hooks/done?from=kodo", "app.example.com"))
        check_that(f"callback: {kind}: signed", qiniu.Auth(ACCESS_KEY, SECRET_KEY).verify_callback(
            headers["Authorization"], url, content.decode(), kind, "POST", headers))
    policy = {"callbackUrl": url, "callbackBody": "a=1"}
    Application.status = 500
    result, info = qiniu.put_data(token("c/failed", **policy), "c/failed", JPEG)
    value = json.loads(info.text_body)
    check("callback: failed", (info.status_code, value["key"], value["callback_url"]), (579, "c/failed", url))
    check("callback: the object is there", MANAGER.stat(BUCKET, "c/failed")[1].status_code, 200)
    Application.status, Application.answer = 200, b"no JSON"
    check("callback: no JSON", qiniu.put_data(token("c/failed", **policy), "c/failed", JPEG)[1].status_code, 579)
    Application.answer = b'{"key":"c/fetched","payload":{"a":[1]}}'
    policy["callbackFetchKey"] = 1
    check("callbackFetchKey", qiniu.put_data(token(None, **policy), None, JPEG)[0], {"a": [1]})
    check("callbackFetchKey: the object", MANAGER.stat(BUCKET, "c/fetched")[1].status_code, 200)
    Application.received.clear()
    del policy["callbackFetchKey"]
    for other in [
        "http://127.0.0.1:1/", "http://192.0.2.1/", "https://app.example.com/", f"http://x@{CALLBACK}/",
        "file:///etc/passwd",
    ]:
        policy["callbackUrl"] = other
        check(f"callback to {other}", qiniu.put_data(token("c/failed", **policy), "c/failed", JPEG)[1].status_code, 579)
    policy["callbackUrl"] = f"https://app.example.com/;{url}"
    check("callback: the second URL", qiniu.put_data(token("c/second", **policy), "c/second", JPEG)[1].status_code, 200)
    server.shutdown()


def check_browsers():
    page = "http://localhost:8000"
    response, _ = post("/", {"Origin": page, "Access-Control-Request-Method": "POST"}, method="OPTIONS")
    check("a browser's question", (response.status, response.headers["Access-Control-Allow-Origin"]), (200, page))
    response, _ = post(f"/v2/query?ak={ACCESS_KEY}&bucket={BUCKET}", {}, method="GET")
    check("v2/query", response.status, 200)
    check("v4/query: other bucket", post(f"/v4/query?ak={ACCESS_KEY}&bucket=x", {}, method="GET")[0].status, 631)


check_ways()
check_types()
check_answers()
check_forms()
check_resuming()
check_management()
check_downloads()
check_callbacks()
check_browsers()
print("all SDK checks passed")
