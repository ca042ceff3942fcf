"""Alibaba's SDKs at OSS's side of the sandbox: by a session of STS, and with each request signed by the service."""

import pathlib
import tempfile

import alibabacloud_oss_v2 as v2
import oss2
from alibabacloud_oss_v2.exceptions import OperationError
from oss2.credentials import StaticCredentialsProvider

from client_uses import (
    DATA, LARGE, MEBI, OSS, OSS_ACCESS_KEY, PNG, Interrupted, Refused, ask, same, saved, tampered, tell)
from oss_signers import RemoteAuthV4, RemoteV4, RequestedAuth, RequestedV2

BUCKET = "demo-bucket"
# What the SDKs want to have, and what signs nothing.
NO_SECRET = "there is no secret here"


def code(call):
    """The status, and the code of a refusal."""
    try:
        result = call()
        return str(getattr(result, "status", None) or result.status_code)
    except (Refused, oss2.exceptions.OssError, OperationError) as error:
        if isinstance(error, OperationError):
            error = error.unwrap()
        if isinstance(error, Refused):
            return str(error)
        return f"{getattr(error, 'status', None) or error.status_code} {error.code}"


class OSS2:
    name = "`oss2`"

    def __init__(self, auth):
        self.auth = auth

    @staticmethod
    def by_session(keys):
        return OSS2(oss2.StsAuth(*keys, auth_version="v4"))

    @staticmethod
    def signed(ask):
        return OSS2(RemoteAuthV4(ask, StaticCredentialsProvider(OSS_ACCESS_KEY, NO_SECRET)))

    @staticmethod
    def requested(ask):
        return OSS2(RequestedAuth(ask, StaticCredentialsProvider(OSS_ACCESS_KEY, NO_SECRET)))

    def bucket(self, name=BUCKET):
        return oss2.Bucket(self.auth, OSS, name, region="cn-hangzhou")

    def put(self, key, content=PNG, bucket=BUCKET):
        return code(lambda: self.bucket(bucket).put_object(key, content))

    def put_parts(self, key, content):
        with tempfile.TemporaryDirectory() as folder:
            return self.put_file(key, saved(content), folder)

    def resume(self, key, content):
        with tempfile.TemporaryDirectory() as folder:
            file = saved(content)
            return Interrupted.twice(lambda progress: self.put_file(key, file, folder, progress), lambda sent, _: sent)

    def put_file(self, key, file, folder, progress=None):
        return code(lambda: oss2.resumable_upload(
            self.bucket(), key, file, store=oss2.ResumableStore(root=folder), multipart_threshold=MEBI,
            part_size=MEBI, num_threads=1, progress_callback=progress))

    def get(self, key):
        return self.bucket().get_object(key).read()

    def list(self, prefix):
        return [item.key for item in self.bucket().list_objects_v2(prefix).object_list]

    def list_all(self):
        return code(lambda: self.bucket().list_objects_v2(""))


class OSSV2:
    name = "`alibabacloud-oss-v2`"

    def __init__(self, keys, signer=None):
        config = v2.config.load_default()
        config.credentials_provider = v2.credentials.StaticCredentialsProvider(*keys)
        config.region, config.endpoint, config.retry_max_attempts = "cn-hangzhou", OSS, 1
        self.client = v2.Client(config, signer=signer) if signer else v2.Client(config)

    @staticmethod
    def by_session(keys):
        return OSSV2(keys)

    @staticmethod
    def signed(ask):
        return OSSV2([OSS_ACCESS_KEY, NO_SECRET], RemoteV4(ask))

    @staticmethod
    def requested(ask):
        return OSSV2([OSS_ACCESS_KEY, NO_SECRET], RequestedV2(ask))

    def put(self, key, content=PNG, bucket=BUCKET):
        return code(lambda: self.client.put_object(v2.PutObjectRequest(bucket=bucket, key=key, body=content)))

    def put_parts(self, key, content):
        return self.put_file(key, saved(content))

    def resume(self, key, content):
        with tempfile.TemporaryDirectory() as folder:
            file = saved(content)
            return Interrupted.twice(
                lambda progress: self.put_file(key, file, progress, enable_checkpoint=True, checkpoint_dir=folder),
                lambda size, sent, _: sent - size)

    def put_file(self, key, file, progress=None, **options):
        uploader = self.client.uploader(part_size=MEBI, parallel_num=1, **options)
        request = v2.PutObjectRequest(bucket=BUCKET, key=key, progress_fn=progress)
        return code(lambda: uploader.upload_file(request, file))

    def get(self, key):
        return self.client.get_object(v2.GetObjectRequest(bucket=BUCKET, key=key)).body.read()

    def list(self, prefix):
        found = self.client.list_objects_v2(v2.ListObjectsV2Request(bucket=BUCKET, prefix=prefix))
        return [item.key for item in found.contents]

    def list_all(self):
        return code(lambda: self.client.list_objects_v2(v2.ListObjectsV2Request(bucket=BUCKET)))


def tell_uploads(kind, client, how, prefix):
    """What every client does below its prefix."""
    keys = [f"{prefix}{name}.png" for name in ["a", "parts", "resumed"]]
    tell(
        "Alibaba Cloud OSS", f"{kind.name}, {how}", upload=client.put(keys[0]), upload_in_parts=client.put_parts(keys[1], LARGE),
        upload_resumed=client.resume(keys[2], LARGE),
        read_back=same([client.get(key) for key in keys], [PNG, LARGE, LARGE]))


def use_session(kind, folder):
    how = "session of STS"
    given = ask("/distribute-token.json", grant="session")
    keys = [given[name] for name in ["AccessKeyId", "AccessKeySecret", "SecurityToken"]]
    client, other = kind.by_session(keys), kind.by_session([*keys[:2], tampered(keys[2])])
    tell_uploads(kind, client, how, f"up/{folder}/")
    tell(
        "Alibaba Cloud OSS", f"{kind.name}, {how}", list=", ".join(client.list(f"up/{folder}/")),
        list_of_the_whole_bucket=client.list_all(), other_bucket=client.put("up/a.png", bucket="other-bucket"),
        other_prefix=client.put("down/a.png"), tampered=other.put(f"up/{folder}/a.png"),
        widened_by_one_byte=client.put("up.png"), expired=expired(kind))


def expired(kind):
    """The outcome when a session has ended. It lasts for 15 minutes, by the sandbox's clock."""
    clock = pathlib.Path(DATA) / "clock"
    try:
        # So that it has ended before the SDK's dates are 15 minutes old, which is refused for itself.
        clock.write_text("-60")
        given = ask("/distribute-token.json", grant="ending")
        client = kind.by_session([given[name] for name in ["AccessKeyId", "AccessKeySecret", "SecurityToken"]])
        clock.write_text("800")
        if (before := client.put("ending/a.png")) != "200":
            return f"{before} before its end"
        clock.write_text("870")
        return client.put("ending/a.png")
    finally:
        clock.unlink()


def use_signatures(kind, folder):
    """The SDK makes the string, and the service signs it."""
    how = "`/oss/sign`"

    def sign(**asked):
        return ask("/oss/sign", grant="signs", accessKeyId=OSS_ACCESS_KEY, **asked)["signature"]

    client = kind.signed(sign)
    tell_uploads(kind, client, how, f"signs/{folder}/")
    tell(
        "Alibaba Cloud OSS", f"{kind.name}, {how}", other_bucket=client.put("signs/a.png", bucket="other-bucket"),
        other_prefix=client.put("down/a.png"),
        tampered=kind.signed(lambda **asked: tampered(sign(**asked))).put(f"signs/{folder}/a.png"),
        widened_by_one_byte=client.put("signs"))


def use_requests(kind, folder):
    """The service makes all fields of the SDK's request."""
    how = "`/oss/authorization`"

    def fields(**asked):
        asked = {name: value for name, value in asked.items() if name != "bucket" or value != BUCKET}
        return ask("/oss/authorization", grant="requests", **asked)["headers"]

    def changed(**asked):
        found = fields(**asked)
        head, _, signature = found["Authorization"].rpartition("=")
        return {**found, "Authorization": f"{head}={tampered(signature)}"}

    client = kind.requested(fields)
    tell_uploads(kind, client, how, f"requests/{folder}/")
    tell(
        "Alibaba Cloud OSS", f"{kind.name}, {how}", other_bucket=client.put("requests/a.png", bucket="other-bucket"),
        other_prefix=client.put("down/a.png"), tampered=kind.requested(changed).put(f"requests/{folder}/a.png"),
        widened_by_one_byte=client.put("requests"))


def use():
    for way in [use_session, use_signatures, use_requests]:
        for kind, folder in [(OSS2, "oss2"), (OSSV2, "oss-v2")]:
            way(kind, folder)
