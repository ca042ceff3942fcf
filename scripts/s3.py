"""What scripts/check-s3 does, with the Python that has the clients.

usage: s3.py COUNTERSIGN PROGRAMS [--write]     (PROGRAMS is the folder of the servers' programs)
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap
import time

import boto3
import botocore.auth
import botocore.config
import botocore.exceptions

import s3_remote
from s3_clients import check_iceberg, check_uppy
from s3_sdks import check_sdks
from s3_servers import BUCKET, ROLE, SECRET, Rclone, SeaweedFS, Swift
from service import Claims, Service

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADING = "## Amazon S3 and compatible storage"


def configuration(server):
    endpoint = server.endpoint
    public = 'callers: ["anonymous"], public: true, bucket: "checked"'
    common = f'credential: "s3", {public}'
    session = f"""credential: "role", {public}, actions: ["s3:PutObject", "s3:GetObject"], listPrefix: true, narrow: true"""
    return f"""
      credentials: {{ "s3": {{ provider: "s3", sandbox: true, accessKey: "{server.key}", secretKey: "{SECRET}",
        endpoint: "{endpoint}", region: "us-east-1", style: "path", limits: {{ patience: "20s" }} }},
        "role": {{ provider: "aws-sts", sandbox: true, accessKey: "{server.key}", secretKey: "{SECRET}", roleArn: "{ROLE}",
          endpoints: "http://127.0.0.1:{server.port}", region: "us-east-1", s3Endpoint: "{endpoint}" }} }},
      grants: {{
        "links": {{ route: "s3.presigned-url", {common}, keyPrefix: "user/1/", overwrite: true,
          methods: ["GET", "HEAD", "PUT", "POST", "DELETE"], headers: ["content-type", "x-amz-meta-*", "range"],
          subresources: ["uploads", "uploadId", "partNumber"], query: ["response-content-type"] }},
        "requests": {{ route: "s3.authorization", {common}, keyPrefix: "user/1/", overwrite: true,
          methods: ["GET", "PUT", "DELETE"], headers: ["x-amz-meta-*"] }},
        "strings": {{ route: "s3.sign", {common}, keyPrefix: "user/1/", overwrite: true,
          methods: ["GET", "HEAD", "PUT", "DELETE", "POST"],
          headers: ["content-type", "content-length", "if-match", "range", "x-amz-meta-*"],
          subresources: ["uploads", "uploadId", "partNumber"], presign: "5m" }},
        "new": {{ route: "s3.presigned-url", {common}, keyPrefix: "new/", methods: ["PUT"], maxSize: "1KiB",
          contentTypes: ["image/*"] }},
        "forms": {{ route: "s3.post-policy", {common}, keyPrefix: "forms/1/", maxSize: "1KiB",
          contentTypes: ["image/*"] }},
        "uploads": {{ route: "s3.multipart", {common}, keyPrefix: "uppy/1/", contentTypes: ["image/*"] }},
        "tables": {{ route: "s3.iceberg", {common}, keyPrefix: "wh/t/", overwrite: true,
          methods: ["GET", "HEAD", "PUT", "POST", "DELETE"],
          subresources: ["uploads", "uploadId", "partNumber", "delete"],
          headers: ["content-length", "content-md5", "content-type"] }},
        "sessions": {{ route: "s3.credentials", {session}, keyPrefix: "user/1/" }},
        "sdks": {{ route: "s3.credentials", credential: "role", {public}, keyPrefix: "sdks/1/", listPrefix: true,
          actions: ["s3:PutObject", "s3:GetObject", "s3:DeleteObject", "s3:AbortMultipartUpload"] }},
        "uppy": {{ route: "s3.sts", {session}, keyPrefix: "报告/a+b/" }},
      }},
    """


def ask(service, route, **parameters):
    """The service's answer, and its status."""
    return s3_remote.ask(route, f"http://127.0.0.1:{service.port}", **parameters)


def curl(request, body=None, method=None, url=None, headers=None):
    """What the server answers to what the service has signed, changed as is said: status, and body."""
    headers = request["headers"] if headers is None else headers
    command = [
        "curl", "--silent", "--show-error", "--path-as-is", "--max-time", "30", "--write-out", "\n%{http_code}",
        "--request", method or request["method"], url or request["url"]]
    if (method or request["method"]) == "HEAD":
        command.append("--head")
    for name, value in headers.items():
        command += ["--header", f"{name}: {value}"]
    if body is not None:
        if not any(name.lower() == "content-type" for name in headers):
            command += ["--header", "Content-Type:"]
        command += ["--header", "Expect:", "--data-binary", "@-"]
    output = subprocess.run(command, input=body, capture_output=True, check=True).stdout
    content, _, status = output.rpartition(b"\n")
    return int(status), content


def metadata(stored):
    """In lower case, since rclone gives the names in capitals."""
    return {name.lower(): value for name, value in stored["Metadata"].items()}


def check_urls(service, server, claims):
    client = server.client()
    key = "user/1/a b+c~中.txt"
    put, _ = ask(service, "presigned-url", key=key, method="PUT", header=["x-amz-meta-a:1  2"])
    claims.check("curl uploads by a URL, metadata and all", curl(put, b"hello")[0] == 200)
    stored = client.get_object(Bucket=BUCKET, Key=key)
    claims.check(
        "boto3 reads what was uploaded", stored["Body"].read() == b"hello" and metadata(stored).get("a"))
    get, _ = ask(service, "presigned-url", key=key, query="response-content-type=a/b")
    claims.check("curl downloads by a URL", curl(get) == (200, b"hello"))
    head, _ = ask(service, "presigned-url", key=key, method="HEAD")
    claims.check("HEAD is answered by a URL for HEAD", curl(head)[0] == 200)
    claims.check("a URL for GET puts nothing", curl(get, b"x", method="PUT")[0] == 403)
    other = get["url"].replace("/user/1/", "/user/10/")
    claims.check("a URL for one key reads no other", curl(get, url=other)[0] == 403)
    longer = get["url"].replace("X-Amz-Expires=3600", "X-Amz-Expires=7200")
    claims.check("a URL cannot be made to live longer", longer != get["url"] and curl(get, url=longer)[0] == 403)
    claims.check(
        "a URL cannot be given metadata",
        curl(put, b"x", headers={"x-amz-meta-a": "1  2", "x-amz-meta-b": "1"})[0] == 403)
    short, _ = ask(service, "presigned-url", key=key, expires=1)
    time.sleep(2.5)
    claims.check("a URL ends", curl(short)[0] in (400, 403))
    delete, _ = ask(service, "presigned-url", key=key, method="DELETE")
    claims.check("curl deletes by a URL", curl(delete)[0] == 204 and curl(get)[0] == 404)


def check_requests(service, server, claims):
    client = server.client()
    key = "user/1/header/a.bin"
    put, _ = ask(service, "authorization", key=key, method="PUT", header="x-amz-meta-a:b")
    claims.check("curl uploads by a signed request", curl(put, b"12345")[0] == 200)
    get, _ = ask(service, "authorization", key=key)
    claims.check("curl downloads by a signed request", curl(get) == (200, b"12345"))
    claims.check(
        "a signed request is for its key alone", curl(get, url=get["url"].replace("a.bin", "b.bin"))[0] == 403)
    claims.check("boto3 sees the object", client.head_object(Bucket=BUCKET, Key=key)["ContentLength"] == 5)
    client.put_object(Bucket=BUCKET, Key="user/2/foreign", Body=b"foreign")
    for route in ["authorization", "presigned-url"]:
        key = f"user/1/copied-by-{route}"
        put, _ = ask(service, route, key=key, method="PUT")
        claims.check(f"curl puts an object, {route}", curl(put, b"own")[0] == 200)
        fields = (put.get("headers") or {}) | {"x-amz-copy-source": f"/{BUCKET}/user/2/foreign"}
        curl(put, b"", headers=fields)
        stored = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        claims.check(f"an unsigned x-amz-copy-source copies nothing, {route}", stored != b"foreign")


def check_parts(service, server, claims):
    client = server.client()
    key = "user/1/parts.bin"

    def signed(method, *query):
        return ask(service, "presigned-url", key=key, method=method, query=list(query))[0]

    status, answer = curl(signed("POST", "uploads"), b"")
    upload = answer.decode().partition("<UploadId>")[2].partition("</UploadId>")[0]
    claims.check("an upload in parts begins", status == 200 and upload)
    etags = []
    for number, part in enumerate([b"a" * (5 << 20), b"b" * 10], 1):
        request = signed("PUT", f"uploadId={upload}", f"partNumber={number}")
        with tempfile.NamedTemporaryFile() as fields:
            output = subprocess.run(
                ["curl", "--silent", "--dump-header", fields.name, "--output", "/dev/null", "--max-time", "60",
                 "--header", "Expect:", "--header", "Content-Type:", "--request", "PUT", "--data-binary", "@-",
                 request["url"]], input=part, check=True)
            assert output.returncode == 0
            lines = pathlib.Path(fields.name).read_text().splitlines()
            etags += [line.partition(":")[2].strip() for line in lines if line.lower().startswith("etag:")]
    listed = curl(signed("GET", f"uploadId={upload}"))
    claims.check("the parts are listed", listed[0] == 200 and listed[1].count(b"<PartNumber>") == 2)
    whole = "".join(
        f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>" for number, etag in enumerate(etags, 1))
    complete = f"<CompleteMultipartUpload>{whole}</CompleteMultipartUpload>".encode()
    status, _ = curl(signed("POST", f"uploadId={upload}"), complete)
    size = client.head_object(Bucket=BUCKET, Key=key)["ContentLength"] if status == 200 else 0
    claims.check("the upload is completed", size == (5 << 20) + 10)
    status, answer = curl(signed("POST", "uploads"), b"")
    upload = answer.decode().partition("<UploadId>")[2].partition("</UploadId>")[0]
    claims.check("an upload is given up", curl(signed("DELETE", f"uploadId={upload}"))[0] == 204)


def check_limits(service, server, claims):
    client = server.client()
    key = "new/a.png"
    put, _ = ask(service, "presigned-url", key=key, method="PUT", contentType="image/png", header="content-length:5")
    fields = {name: value for name, value in put["headers"].items() if name != "content-length"}
    claims.check("more bytes than were signed are refused", curl(put, b"123456", headers=fields)[0] == 403)
    wrong = {**fields, "content-type": "text/html"}
    claims.check("another type than was signed is refused", curl(put, b"12345", headers=wrong)[0] == 403)
    claims.check("size and type that were signed are taken", curl(put, b"12345", headers=fields)[0] == 200)
    claims.check("an object that is there is not replaced", curl(put, b"54321", headers=fields)[0] == 412)
    without = {name: value for name, value in fields.items() if name != "if-none-match"}
    claims.check("nor without the header that says so", curl(put, b"54321", headers=without)[0] == 403)
    claims.check("it is as it was", client.get_object(Bucket=BUCKET, Key=key)["Body"].read() == b"12345")
    for name, parameters in {
        "a body beyond maxSize": {"header": "content-length:1025", "contentType": "image/png"},
        "a body of unknown size": {"contentType": "image/png"},
        "another type": {"header": "content-length:5", "contentType": "text/html"},
    }.items():
        claims.check(f"{name} is not signed", ask(service, "presigned-url", key=key, method="PUT", **parameters)[1] == 403)
    for outside in ["user/10/a", "user/1/../10/a", "user/1/./a", "ready"]:
        claims.check(f"{outside} is not signed", ask(service, "presigned-url", key=outside)[1] in (400, 403))


def check_strings(service, server, claims):
    client = server.client()
    os.environ["COUNTERSIGN_URL"] = f"http://127.0.0.1:{service.port}"
    botocore.auth.AUTH_TYPE_MAPS["s3v4-remote"] = s3_remote.RemoteSigner
    remote = boto3.client(
        "s3", endpoint_url=server.endpoint, region_name="us-east-1",
        aws_access_key_id=server.key, aws_secret_access_key="no secret at all",
        config=botocore.config.Config(
            signature_version="s3v4-remote", s3={"addressing_style": "path"}, retries={"max_attempts": 0},
            request_checksum_calculation="when_required", response_checksum_validation="when_required"))
    key = "user/1/strings/a b+中.bin"
    remote.put_object(Bucket=BUCKET, Key=key, Body=b"12345", Metadata={"a": "1"})
    stored = remote.get_object(Bucket=BUCKET, Key=key)
    claims.check(
        "boto3 uploads and downloads by strings that are signed for it",
        stored["Body"].read() == b"12345" and metadata(stored) == {"a": "1"})
    upload = remote.create_multipart_upload(Bucket=BUCKET, Key=key)["UploadId"]
    part = remote.upload_part(Bucket=BUCKET, Key=key, UploadId=upload, PartNumber=1, Body=b"parts")
    remote.complete_multipart_upload(
        Bucket=BUCKET, Key=key, UploadId=upload,
        MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]})
    claims.check("and in parts", client.get_object(Bucket=BUCKET, Key=key)["Body"].read() == b"parts")
    refused = {
        "another key": lambda: remote.get_object(Bucket=BUCKET, Key="user/10/a"),
        "a listing": lambda: remote.list_objects_v2(Bucket=BUCKET),
        "an access list": lambda: remote.put_object(Bucket=BUCKET, Key=key, Body=b"1", ACL="public-read"),
        "a copy": lambda: remote.copy_object(Bucket=BUCKET, Key=key, CopySource=f"{BUCKET}/ready"),
        "tags": lambda: remote.get_object_tagging(Bucket=BUCKET, Key=key),
        "another bucket": lambda: remote.get_object(Bucket="another", Key=key),
    }
    for name, call in refused.items():
        try:
            call()
            claims.check(f"a string of {name} is not signed", False)
        except PermissionError:
            claims.check(f"a string of {name} is not signed", True)
    remote.delete_object(Bucket=BUCKET, Key=key)
    claims.check("boto3 deletes by one", not client.list_objects_v2(Bucket=BUCKET, Prefix=key).get("Contents"))


def post(answer, content, filename="a.png", **changes):
    """What the server answers to the form with these changes; None leaves a field out."""
    command = ["curl", "--silent", "--show-error", "--max-time", "30", "--write-out", "\n%{http_code}"]
    for name, value in {**answer["fields"], **changes}.items():
        if value is not None:
            command += ["--form-string", f"{name}={value}"]
    command += ["--form", f"file=@-;filename={filename};type=application/octet-stream", answer["url"]]
    output = subprocess.run(command, input=content, capture_output=True, check=True).stdout
    return int(output.rpartition(b"\n")[2])


def check_forms(service, server, claims):
    client = server.client()
    form, _ = ask(service, "post-policy", key="forms/1/a b+中.png", contentType="image/png")
    claims.check("a form uploads one object", post(form, b"12345") == 201)
    stored = client.get_object(Bucket=BUCKET, Key="forms/1/a b+中.png")
    claims.check(
        "it has its content and its type", stored["Body"].read() == b"12345" and stored["ContentType"] == "image/png")
    changes = {
        "another key": {"key": "forms/10/a"}, "another type": {"Content-Type": "text/html"},
        # SeaweedFS takes an ACL and a redirect that no condition names, as Amazon S3 does not.
        "another status": {"success_action_status": "200"}, "metadata": {"x-amz-meta-a": "1"},
        "another signature": {"x-amz-signature": "0" * 64}, "no type": {"Content-Type": None},
    }
    for name, change in changes.items():
        claims.check(f"a form with {name} is refused", 400 <= post(form, b"1", **change) < 500)
    claims.check("more bytes than the form allows are refused", 400 <= post(form, b"1" * 1025) < 500)
    claims.check("as many as it allows are taken", post(form, b"1" * 1024) == 201)
    short, _ = ask(service, "post-policy", key="forms/1/short", contentType="image/png", expires=1)
    time.sleep(2.5)
    claims.check("a form ends", 400 <= post(short, b"1") < 500)
    prefix, _ = ask(service, "post-policy", keyPrefix="forms/1/many/", contentType="image/png")
    claims.check("a form uploads below a prefix", post(prefix, b"ab", filename="b.png") == 201)
    claims.check(
        "under the file's name",
        client.get_object(Bucket=BUCKET, Key="forms/1/many/b.png")["Body"].read() == b"ab")
    claims.check("and nowhere else", 400 <= post(prefix, b"ab", key="forms/1/many") < 500)


def outcome(call):
    """`ok`, or the server's code."""
    try:
        call()
        return "ok"
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"]


def check_session(session, server, claims, prefix, others, name):
    """What a session of one prefix may do, and may not."""
    remote = server.client(session)
    claims.check(
        f"{name}: it puts and gets below {prefix}",
        outcome(lambda: remote.put_object(Bucket=BUCKET, Key=prefix + "s.txt", Body=b"session")) == "ok"
        and remote.get_object(Bucket=BUCKET, Key=prefix + "s.txt")["Body"].read() == b"session")
    upload = remote.create_multipart_upload(Bucket=BUCKET, Key=prefix + "parts")["UploadId"]
    part = remote.upload_part(Bucket=BUCKET, Key=prefix + "parts", UploadId=upload, PartNumber=1, Body=b"parts")
    remote.complete_multipart_upload(
        Bucket=BUCKET, Key=prefix + "parts", UploadId=upload,
        MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part["ETag"]}]})
    keys = [item["Key"] for item in remote.list_objects_v2(Bucket=BUCKET, Prefix=prefix)["Contents"]]
    claims.check(f"{name}: it uploads in parts, and lists its prefix", {prefix + "parts", prefix + "s.txt"} <= set(keys))
    for key in others:
        claims.check(
            f"{name}: it neither puts nor gets {key}",
            outcome(lambda: remote.put_object(Bucket=BUCKET, Key=key, Body=b"x")) == "AccessDenied"
            and outcome(lambda: remote.get_object(Bucket=BUCKET, Key=key)) == "AccessDenied")
    refused = {
        "deletes nothing, which is none of its actions": lambda: remote.delete_object(Bucket=BUCKET, Key=prefix + "s.txt"),
        "lists nothing else": lambda: remote.list_objects_v2(Bucket=BUCKET, Prefix=others[0]),
        "does not list the bucket": lambda: remote.list_objects_v2(Bucket=BUCKET),
        "deletes no bucket": lambda: remote.delete_bucket(Bucket=BUCKET),
    }
    for what, call in refused.items():
        claims.check(f"{name}: it {what}", outcome(call) == "AccessDenied")


def check_sessions(service, server, claims):
    url = f"http://127.0.0.1:{service.port}/s3/credentials?grant=sessions"
    process = pathlib.Path(service.folder) / "aws"
    process.write_text(f"[profile fetched]\ncredential_process = curl --silent {url}\n")
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {"AWS_CONFIG_FILE": str(process), "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}
    os.environ["AWS_CONTAINER_CREDENTIALS_FULL_URI"] = url
    outside = ["user/10/s.txt", "user/1", "user/", "s.txt"]
    check_session(boto3.Session(), server, claims, "user/1/", outside, "boto3 as in a container")
    del os.environ["AWS_CONTAINER_CREDENTIALS_FULL_URI"]
    session = boto3.Session(profile_name="fetched")
    check_session(session, server, claims, "user/1/", outside, "boto3 by a credential_process")
    answer, _ = ask(service, "sts")
    claims.check(
        "Uppy is told bucket, region and prefix",
        [answer[name] for name in ["bucket", "region", "keyPrefix"]] == [BUCKET, "us-east-1", "报告/a+b/"])
    given = answer["credentials"]
    session = boto3.Session(given["accessKeyId"], given["secretAccessKey"], given["sessionToken"])
    check_session(session, server, claims, "报告/a+b/", ["报告/a+bc", "报告/s.txt", "报"], "Uppy's session")
    again, _ = ask(service, "sts")
    claims.check("the session is remembered", again["credentials"] == given and given["AccessKeyId"] == given["accessKeyId"])
    one, _ = ask(service, "credentials", key="user/1/one.txt", expires=900)
    remote = server.client(boto3.Session(one["AccessKeyId"], one["SecretAccessKey"], one["Token"]))
    claims.check(
        "a narrow session is of its key alone",
        outcome(lambda: remote.put_object(Bucket=BUCKET, Key="user/1/one.txt", Body=b"1")) == "ok"
        and outcome(lambda: remote.put_object(Bucket=BUCKET, Key="user/1/one.txt.2", Body=b"1")) == "AccessDenied"
        and outcome(lambda: remote.list_objects_v2(Bucket=BUCKET, Prefix="user/1/")) == "AccessDenied")
    wrong = boto3.Session(given["accessKeyId"], given["secretAccessKey"][:-1] + "x", given["sessionToken"])
    claims.check(
        "a session's secret is needed",
        outcome(lambda: server.client(wrong).get_object(Bucket=BUCKET, Key="报告/a+b/s.txt")) == "SignatureDoesNotMatch")


class ServerClaims:
    """Claims of one server; what is known not to hold of it has to fail."""

    def __init__(self, claims, server):
        self.claims, self.server = claims, server

    def check(self, claim, holds):
        known = self.server.differs.get(claim)
        if known:
            self.claims.check(f"{self.server.title} differs: {known}; so not: {claim}", not holds)
        else:
            self.claims.check(f"{self.server.title}: {claim}", holds)


class Uses:
    """How each client's use of what was issued ended."""

    def __init__(self):
        self.all = []

    def note(self, server, client, operation, outcome):
        self.all.append((server, client, operation, outcome))

    def page(self):
        """What docs/clients.md says of them."""
        text = f"""{HEADING}

Made by `scripts/check-s3 --write`; do not edit. The servers are SeaweedFS, OpenStack Swift and rclone, and the check compares what
follows with what it sees. "Session" is a key of `/s3/credentials`, which the clients fetch as they do in a container of AWS:
`AWS_CONTAINER_CREDENTIALS_FULL_URI=https://HOST/s3/credentials`. "`/s3/sign`" is a signer in
[scripts/s3_remote.py](../scripts/s3_remote.py) that has the service sign each string; it is a plug-in of the CLI, too. A code is the
server's, unless the service itself refuses. "–" is a listing, which the service signs for nobody. s3fs looks for a folder where
it finds no object, so it is refused another request than the first.
"""
        for server in dict.fromkeys(server for server, *_ in self.all):
            ours = {(client, operation): outcome for of, client, operation, outcome in self.all if of is server}
            clients = list(dict.fromkeys(client for client, _ in ours))
            text += f"\n### {server.title}\n\n"
            text += f"| operation | {' | '.join(clients)} |\n|{'---|' * (len(clients) + 1)}\n"
            for operation in dict.fromkeys(operation for _, operation in ours):
                cells = [ours.get((client, operation), "–") for client in clients]
                text += f"| {operation} | {' | '.join(cells)} |\n"
            known = ([] if server.has_sessions else ["it gives no sessions"]) + list(dict.fromkeys(server.differs.values()))
            text += f"\nOtherwise than Amazon S3, {'; '.join(known)}.\n"
        text += "\n### How the clients are made\n"
        source = (ROOT / "scripts" / "s3_sdks.py").read_text()
        for name, title in {
            "boto3": "`boto3`", "minio": "`minio`", "s3fs": "`s3fs`", "aws": "`aws`", "curl": "curl, session",
            "url": "curl, presigned URL"}.items():
            lines = source.partition(f"# [{name}]\n")[2].partition("# [end]")[0].rstrip()
            text += f"\n{title}:\n\n```python\n{textwrap.dedent(lines)}\n```\n"
        return text

    def compare(self, claims):
        path = ROOT / "docs" / "clients.md"
        before, mark, rest = path.read_text().partition(HEADING)
        if "--write" in sys.argv:
            path.write_text(f"{before.rstrip()}\n\n{self.page()}")
        else:
            claims.check("docs/clients.md says so; scripts/check-s3 --write writes it anew", mark + rest == self.page())


def main():
    binary, programs = sys.argv[1], pathlib.Path(sys.argv[2])
    claims, uses = Claims(), Uses()
    for kind in [SeaweedFS, Swift, Rclone]:
        with kind(programs) as server, Service(binary, rest=configuration(server)) as service:
            ours = ServerClaims(claims, server)
            parts = [check_urls, check_requests, check_parts, check_limits, check_strings, check_uppy, check_iceberg]
            for part in parts + ([check_forms] if server.has_forms else []) + (
                [check_sessions] if server.has_sessions else []):
                part(service, server, ours)
            check_sdks(service, server, uses, claims)
    uses.compare(claims)
    claims.finish()


main()
