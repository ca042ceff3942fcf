"""SDKs and tools of S3's world that have nothing but what the service has issued, for scripts/s3.py: a session, whose keys they
fetch as they do in a container of AWS, or signatures for the strings that they put together."""

import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

import boto3
import botocore.auth
import botocore.config
import botocore.exceptions
import minio
import minio.api
import minio.credentials
import s3fs

import s3_remote
from s3_servers import BUCKET

PART = 5 << 20
CONTAINER = "AWS_CONTAINER_CREDENTIALS_FULL_URI"


class SDK:
    """`session` is the URL of temporary keys; without it, strings are signed."""

    def __init__(self, server, session=None):
        self.server, self.session = server, session
        self.url = f"http://localhost:{server.port}"


class Boto3(SDK):
    title = "`boto3`"

    def __init__(self, server, session=None):
        super().__init__(server, session)
        botocore.auth.AUTH_TYPE_MAPS["s3v4-remote"] = s3_remote.RemoteSigner
        # [boto3]
        self.s3 = boto3.client(
            "s3", endpoint_url=self.url, region_name="us-east-1",
            **({} if session else {"aws_access_key_id": server.key, "aws_secret_access_key": "none"}),
            config=botocore.config.Config(
                signature_version="s3v4" if session else "s3v4-remote", s3={"addressing_style": "path"},
                request_checksum_calculation="when_required", response_checksum_validation="when_required"))
        # [end]

    def put(self, key, content):
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=content)

    def get(self, key):
        return self.s3.get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def put_parts(self, key, content):
        config = boto3.s3.transfer.TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)
        self.s3.upload_fileobj(io.BytesIO(content), BUCKET, key, Config=config)

    def list(self, prefix):
        return [item["Key"] for item in self.s3.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])]

    def delete(self, key):
        self.s3.delete_object(Bucket=BUCKET, Key=key)


class Minio(SDK):
    title = "`minio`"

    def __init__(self, server, session=None):
        super().__init__(server, session)
        if not session:
            minio.api.sign_v4_s3 = s3_remote.sign_for_minio
        # [minio]
        self.s3 = minio.Minio(
            f"localhost:{server.port}", secure=False, region="us-east-1",
            credentials=minio.credentials.IamAwsProvider() if session
            else minio.credentials.StaticProvider(server.key, "none"))
        # [end]

    def put(self, key, content):
        self.s3.put_object(BUCKET, key, io.BytesIO(content), len(content))

    def get(self, key):
        with self.s3.get_object(BUCKET, key) as answer:
            return answer.read()

    def put_parts(self, key, content):
        self.s3.put_object(BUCKET, key, io.BytesIO(content), len(content), part_size=PART)

    def list(self, prefix):
        return [item.object_name for item in self.s3.list_objects(BUCKET, prefix, recursive=True)]

    def delete(self, key):
        self.s3.remove_object(BUCKET, key)


class S3FS(SDK):
    title = "`s3fs`"

    def __init__(self, server, session=None):
        super().__init__(server, session)
        botocore.auth.AUTH_TYPE_MAPS["s3v4-remote"] = s3_remote.RemoteSigner
        # [s3fs]
        self.s3 = s3fs.S3FileSystem(
            client_kwargs={"endpoint_url": self.url, "region_name": "us-east-1"}, skip_instance_cache=True,
            **({} if session else {"key": server.key, "secret": "none"}),
            config_kwargs={
                "signature_version": "s3v4" if session else "s3v4-remote", "s3": {"addressing_style": "path"},
                "request_checksum_calculation": "when_required", "response_checksum_validation": "when_required"})
        # [end]

    def put(self, key, content):
        self.s3.pipe_file(f"{BUCKET}/{key}", content)

    def get(self, key):
        return self.s3.cat_file(f"{BUCKET}/{key}")

    def put_parts(self, key, content):
        self.s3.pipe_file(f"{BUCKET}/{key}", content, chunksize=PART)

    def list(self, prefix):
        return [name.removeprefix(f"{BUCKET}/") for name in self.s3.ls(f"{BUCKET}/{prefix}", detail=False, refresh=True)]

    def delete(self, key):
        self.s3.rm_file(f"{BUCKET}/{key}")


class CommandLine(SDK):
    title = "`aws`"

    def __init__(self, server, session=None):
        super().__init__(server, session)
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=server.folder))
        plugin = "" if session else "[plugins]\nremote = s3_remote\n"
        # [aws]
        (self.folder / "config").write_text(
            f"{plugin}[default]\nregion = us-east-1\nrequest_checksum_calculation = when_required\n"
            "response_checksum_validation = when_required\ns3 =\n  addressing_style = path\n"
            "  signature_version = s3v4\n  multipart_threshold = 5MB\n  multipart_chunksize = 5MB\n")
        self.environment = {
            **os.environ, "AWS_CONFIG_FILE": str(self.folder / "config"), "PYTHONPATH": str(pathlib.Path(__file__).parent),
            **({} if session else {"AWS_ACCESS_KEY_ID": server.key, "AWS_SECRET_ACCESS_KEY": "none"})}
        # [end]

    def run(self, *command, content=None):
        done = subprocess.run(
            [pathlib.Path(sys.executable).parent / "aws", "--endpoint-url", self.url, *command], input=content,
            capture_output=True, env=self.environment)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return done.stdout

    def put(self, key, content):
        self.run("s3", "cp", "-", f"s3://{BUCKET}/{key}", content=content)

    def get(self, key):
        return self.run("s3", "cp", f"s3://{BUCKET}/{key}", "-")

    def put_parts(self, key, content):
        (self.folder / "content").write_bytes(content)
        self.run("s3", "cp", self.folder / "content", f"s3://{BUCKET}/{key}")

    def list(self, prefix):
        answer = self.run("s3api", "list-objects-v2", "--bucket", BUCKET, "--prefix", prefix)
        return [item["Key"] for item in json.loads(answer or b"{}").get("Contents", [])]

    def delete(self, key):
        self.run("s3", "rm", f"s3://{BUCKET}/{key}")


class Curl(SDK):
    """It signs by itself with the keys of a session."""

    title = "curl"

    def request(self, method, target):
        with urllib.request.urlopen(self.session) as answer:
            key = json.load(answer)
        # [curl]
        return [
            "curl", "--request", method, "--aws-sigv4", "aws:amz:us-east-1:s3",
            "--user", f"{key['AccessKeyId']}:{key['SecretAccessKey']}",
            "--header", f"x-amz-security-token: {key['Token']}",
            "--header", "x-amz-content-sha256: UNSIGNED-PAYLOAD", f"{self.url}/{BUCKET}{target}"]
        # [end]

    def run(self, method, target, content=None):
        command = [*self.request(method, target), "--silent", "--show-error", "--dump-header", "/dev/stderr"]
        if content is not None:
            command += ["--header", "Content-Type: application/octet-stream", "--data-binary", "@-"]
        done = subprocess.run([*command, "--write-out", "\n%{http_code}"], input=content, capture_output=True)
        body, _, status = done.stdout.rpartition(b"\n")
        if not status.startswith(b"2"):
            raise RuntimeError(f"({status.decode()}) {body.decode()}")
        tag = re.search(rb"(?im)^etag: *(\S+)", done.stderr)
        return body, tag[1].decode() if tag else ""

    def put(self, key, content):
        self.run("PUT", f"/{key}", content)

    def get(self, key):
        return self.run("GET", f"/{key}")[0]

    def put_parts(self, key, content):
        begun, _ = self.run("POST", f"/{key}?uploads=", b"")
        upload = re.search(b"<UploadId>(.*?)</UploadId>", begun)[1].decode()
        parts = ""
        for number, start in enumerate(range(0, len(content), PART), 1):
            _, tag = self.run("PUT", f"/{key}?partNumber={number}&uploadId={upload}", content[start:start + PART])
            parts += f"<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>"
        whole = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>"
        self.run("POST", f"/{key}?uploadId={upload}", whole.encode())

    def list(self, prefix):
        quoted = prefix.replace("/", "%2F")
        return re.findall("<Key>(.*?)</Key>", self.run("GET", f"/?list-type=2&prefix={quoted}")[0].decode())

    def delete(self, key):
        self.run("DELETE", f"/{key}")


class CurlByURL(Curl):
    """It is given a URL for each request."""

    def request(self, method, target):
        key, _, query = target[1:].partition("?")
        # [url]
        return ["curl", "--request", method, s3_remote.signed_url(method, key, query.split("&") if query else [])]
        # [end]


def reason(error):
    """What the server or the service says, in few words."""
    text = str(error)
    refused = re.search(r"\d{3} \w+ of the service: \w+", text)
    code = re.search(r"<Code>(\w+)|\((\w+)\) when calling|code: (\w+)|\((\d{3})\)", text)
    if refused:
        return refused[0]
    if isinstance(error, (PermissionError, FileNotFoundError)):
        return "AccessDenied" if isinstance(error, PermissionError) else "NoSuchKey"
    return next(filter(None, code.groups())) if code else text[:300]


def outcome(call):
    try:
        return call()
    except Exception as error:  # each has its own
        return reason(error)


def check_sdks(service, server, uses, claims):
    os.environ |= {"AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_CONFIG_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true"}
    base = f"http://127.0.0.1:{service.port}"
    os.environ["COUNTERSIGN_URL"] = base
    own = minio.api.sign_v4_s3
    check(CurlByURL(server), "user/1/", "curl, presigned URL", uses, claims)
    if server.has_sessions:
        os.environ[CONTAINER] = f"{base}/s3/credentials?grant=sdks"
        for kind in [Boto3, Minio, S3FS, CommandLine, Curl]:
            check(kind(server, os.environ[CONTAINER]), "sdks/1/", f"{kind.title}, session", uses, claims)
        del os.environ[CONTAINER]
    for kind in [Boto3, Minio, S3FS, CommandLine]:
        check(kind(server), "user/1/", f"{kind.title}, `/s3/sign`", uses, claims)
    minio.api.sign_v4_s3 = own


def check(sdk, prefix, name, uses, claims):
    """What it does below its prefix, and what it may not."""
    content, large = b"what a client uploads", os.urandom(2 * PART + 17)
    key, parts = prefix + "sdk.bin", prefix + "sdk-parts.bin"

    def claim(operation, seen, *right):
        uses.note(sdk.server, name, operation, seen)
        claims.check(f"{sdk.server.title}: {name}: {operation}: {seen}", seen in right)

    claim("upload", outcome(lambda: sdk.put(key, content) or "stored"), "stored")
    claim("read back", outcome(lambda: "the same" if sdk.get(key) == content else "other"), "the same")

    def in_parts():
        sdk.put_parts(parts, large)
        return "stored" if sdk.get(parts) == large else "other"

    claim("upload in parts", outcome(in_parts), "stored")
    if sdk.session:
        keys = outcome(lambda: ", ".join(sorted(sdk.list(prefix))))
        claim("list", keys, f"{parts}, {key}")
        claim("list of the whole bucket", outcome(lambda: str(sdk.list(""))), "AccessDenied", "403")
    others = prefix.replace("1", "10") + "a"
    denied = ["AccessDenied", "403", "Forbidden", "403 not_in_grant of the service: keyPrefix"]
    claim("other prefix", outcome(lambda: sdk.put(others, content) or "stored"), *denied)
    claim("other prefix, read", outcome(lambda: str(sdk.get(others))), *denied)
    claim("delete", outcome(lambda: sdk.delete(key) or "gone"), "gone")
    sdk.delete(parts)
    # s3fs looks for a folder of the name then, and the service signs no listing.
    claim(
        "read what is gone", outcome(lambda: str(sdk.get(key))), "NoSuchKey", "404", "AccessDenied", "403",
        "422 unreadable_string_to_sign of the service: canonicalRequest")
