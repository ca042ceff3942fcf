"""Uses a running sandbox's OSS with the vendor's own SDKs.

    python sandbox_oss.py HOST:PORT ACCESS_KEY_ID ACCESS_KEY_SECRET ROLE_ARN

Both SDKs, both versions of the signature, buckets by path and by host, the account's own key and a session of STS.
"""

import base64
import hashlib
import hmac
import json
import logging
import os
import socket
import sys
import tempfile
import time
import warnings
from unittest import mock

from checking import check, check_that

import alibabacloud_oss_v2 as v2
import oss2
import requests
from alibabacloud_oss_v2.exceptions import OperationError
from aliyunsdkcore.client import AcsClient
from aliyunsdksts.request.v20150401.AssumeRoleRequest import AssumeRoleRequest

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

ADDRESS, KEY_ID, SECRET, ROLE = sys.argv[1:5]
PORT = int(ADDRESS.rsplit(":", 1)[1])
BUCKET, REGION = "demo-bucket", "cn-hangzhou"
ODD_KEY = "dir/图 片+~'()!*&=?#%41/é.txt"

# Not every system resolves names below localhost (RFC 6761 section 6.3).
resolve = socket.getaddrinfo


def resolve_localhost(host, *rest, **named):
    return resolve("127.0.0.1" if str(host).endswith(".localhost") else host, *rest, **named)


socket.getaddrinfo = resolve_localhost


def code(call, *arguments, **named):
    """Status and code of a refusal; None where there is none."""
    try:
        call(*arguments, **named)
    except oss2.exceptions.OssError as error:
        return error.status, error.code
    except OperationError as error:
        cause = error.unwrap()
        return cause.status_code, cause.code
    return None


def answered(response):
    """Status and code of an answer to a plain client."""
    text = response.text
    start = text.find("<Code>")
    return response.status_code, text[start + 6 : text.find("</Code>")] if start >= 0 else ""


class Session:
    """Temporary credentials, from the sandbox's STS."""

    def __init__(self, policy=None):
        client = AcsClient(ak=KEY_ID, secret=SECRET, region_id=REGION)
        request = AssumeRoleRequest()
        request.set_protocol_type("http")
        request.set_endpoint(ADDRESS)
        request.set_accept_format("json")
        request.set_RoleArn(ROLE)
        request.set_RoleSessionName("alice")
        if policy:
            request.set_Policy(json.dumps(policy))
        given = json.loads(client.do_action_with_exception(request))["Credentials"]
        self.key_id, self.secret = given["AccessKeyId"], given["AccessKeySecret"]
        self.token = given["SecurityToken"]


def old(endpoint, version, session=None, bucket=BUCKET):
    """A bucket of oss2."""
    who = (session.key_id, session.secret, session.token) if session else (KEY_ID, SECRET)
    if session:
        auth = oss2.StsAuth(*who, auth_version=f"v{version}")
    else:
        auth = (oss2.AuthV4 if version == 4 else oss2.Auth)(*who)
    return oss2.Bucket(auth, endpoint, bucket, region=REGION, connect_timeout=60)


def new(endpoint, version, session=None):
    """A client of alibabacloud-oss-v2."""
    if session:
        provider = v2.credentials.StaticCredentialsProvider(session.key_id, session.secret, session.token)
    else:
        provider = v2.credentials.StaticCredentialsProvider(KEY_ID, SECRET)
    config = v2.config.load_default()
    config.credentials_provider, config.region, config.endpoint = provider, REGION, endpoint
    config.signature_version, config.retry_max_attempts = f"v{version}", 1
    return v2.Client(config)


def use_old(bucket, name):
    """oss2: everything that the sandbox does."""
    key = f"{name}/{ODD_KEY}"
    data = os.urandom(120_000)
    put = bucket.put_object(key, data, headers={"Content-Type": "image/png", "x-oss-meta-color": "blue"})
    check(f"{name}: ETag", put.etag, hashlib.md5(data).hexdigest().upper())
    got = bucket.get_object(key)
    check_that(f"{name}: what was put is read", got.read() == data)
    check(f"{name}: type and own field", (got.content_type, got.headers["x-oss-meta-color"]), ("image/png", "blue"))
    check_that(f"{name}: a range is read", bucket.get_object(key, byte_range=(5, 104)).read() == data[5:105])
    head = bucket.head_object(key)
    check(f"{name}: head", (head.content_length, head.object_type, head.etag), (120_000, "Normal", put.etag))
    check_that(f"{name}: it exists", bucket.object_exists(key) and not bucket.object_exists(key + "x"))
    check(f"{name}: none", code(bucket.get_object, key + "x"), (404, "NoSuchKey"))
    check(f"{name}: none by HEAD", code(bucket.head_object, key + "x"), (404, "NoSuchKey"))
    names = [f"{name}/list/{index:03}/{index % 3}" for index in range(9)]
    for each in names:
        bucket.put_object(each, b"x")
    found = [each.key for each in oss2.ObjectIterator(bucket, prefix=f"{name}/list/", max_keys=4)]
    check_that(f"{name}: listed", found == names)
    found = [each.key for each in oss2.ObjectIteratorV2(bucket, prefix=f"{name}/list/", max_keys=4)]
    check_that(f"{name}: listed by version 2", found == names)
    found = [each.key for each in oss2.ObjectIterator(bucket, prefix=f"{name}/", delimiter="/")]
    check(f"{name}: listed as folders", found, [f"{name}/dir/", f"{name}/list/"])
    found = [each.key for each in oss2.ObjectIterator(bucket, prefix=key)]
    check(f"{name}: an odd key is listed", found, [key])
    deleted = bucket.batch_delete_objects(names)
    check(f"{name}: deleted together", sorted(deleted.deleted_keys), names)
    with tempfile.NamedTemporaryFile() as file, tempfile.TemporaryDirectory() as folder:
        file.write(data)
        file.flush()
        store = oss2.ResumableStore(root=folder)
        oss2.resumable_upload(
            bucket, key + ".big", file.name, store=store, multipart_threshold=1, part_size=102_400, num_threads=2)
    got = bucket.get_object(key + ".big")
    check_that(f"{name}: uploaded in parts, and the checksum is of the whole", got.read() == data)
    check(f"{name}: it is of parts", (got.headers["x-oss-object-type"], got.headers["etag"][-3:]), ("Multipart", '-2"'))
    bucket.copy_object(BUCKET, key, key + ".copy")
    check_that(f"{name}: copied", bucket.get_object(key + ".copy").read() == data)
    forbid = {"x-oss-forbid-overwrite": "true"}
    check(f"{name}: not overwritten", code(bucket.put_object, key, b"y", headers=forbid), (409, "FileAlreadyExists"))
    wrong = {"Content-MD5": base64.b64encode(bytes(16)).decode()}
    check(f"{name}: other content", code(bucket.put_object, key + ".md5", b"y", headers=wrong), (400, "InvalidDigest"))
    url = bucket.sign_url("GET", key, 60, slash_safe=True, params={"response-content-type": "text/x-sent"})
    got = requests.get(url)
    check_that(f"{name}: a signed URL reads", got.content == data and got.headers["content-type"] == "text/x-sent")
    check(f"{name}: widened", answered(requests.get(url + "0")), (403, "SignatureDoesNotMatch"))
    check(f"{name}: by another method", answered(requests.delete(url)), (403, "SignatureDoesNotMatch"))
    fields = {"Content-Type": "text/plain"}
    url = bucket.sign_url("PUT", key + ".url", 60, slash_safe=True, headers=fields)
    check(f"{name}: another type", answered(requests.put(url, b"z", headers={"Content-Type": "image/png"})),
          (403, "SignatureDoesNotMatch"))
    check(f"{name}: a signed URL writes", requests.put(url, b"z", headers=fields).status_code, 200)
    with mock.patch("time.time", return_value=time.time() - 3600):
        late = bucket.sign_url("GET", key, 60, slash_safe=True)
    if "signature-version" not in late:
        check(f"{name}: expired", answered(requests.get(late)), (403, "AccessDenied"))
    bucket.delete_object(key)
    check_that(f"{name}: deleted", not bucket.object_exists(key))


def use_new(client, name):
    """alibabacloud-oss-v2, likewise."""
    key = f"{name}/{ODD_KEY}"
    data = os.urandom(120_000)
    put = client.put_object(v2.PutObjectRequest(bucket=BUCKET, key=key, body=data, metadata={"color": "blue"}))
    check(f"{name}: ETag", put.etag.strip('"'), hashlib.md5(data).hexdigest().upper())
    got = client.get_object(v2.GetObjectRequest(bucket=BUCKET, key=key))
    check_that(f"{name}: what was put is read", got.body.read() == data and got.metadata == {"color": "blue"})
    head = client.head_object(v2.HeadObjectRequest(bucket=BUCKET, key=key))
    check(f"{name}: head", (head.content_length, head.object_type), (120_000, "Normal"))
    none = v2.HeadObjectRequest(bucket=BUCKET, key=key + "x")
    check(f"{name}: none by HEAD", code(client.head_object, none), (404, "NoSuchKey"))
    for index in range(5):
        client.put_object(v2.PutObjectRequest(bucket=BUCKET, key=f"{name}/l/{index}", body=b"x"))
    pages = client.list_objects_v2_paginator(limit=2).iter_page(
        v2.ListObjectsV2Request(bucket=BUCKET, prefix=f"{name}/l/"))
    check(f"{name}: listed", [o.key for page in pages for o in page.contents], [f"{name}/l/{i}" for i in range(5)])
    uploader = client.uploader(part_size=102_400, parallel_num=2)
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        uploader.upload_file(v2.PutObjectRequest(bucket=BUCKET, key=key + ".big"), filepath=file.name)
    got = client.get_object(v2.GetObjectRequest(bucket=BUCKET, key=key + ".big"))
    check_that(f"{name}: uploaded in parts", got.body.read() == data and got.object_type == "Multipart")
    client.copy_object(v2.CopyObjectRequest(bucket=BUCKET, key=key + ".copy", source_bucket=BUCKET, source_key=key))
    done = client.delete_multiple_objects(v2.DeleteMultipleObjectsRequest(
        bucket=BUCKET, objects=[v2.DeleteObject(key=key + end) for end in (".big", ".copy")]))
    check(f"{name}: deleted together", [each.key for each in done.deleted_objects], [key + ".big", key + ".copy"])
    url = client.presign(v2.GetObjectRequest(bucket=BUCKET, key=key)).url
    check_that(f"{name}: a signed URL reads", requests.get(url).content == data)
    check(f"{name}: widened", answered(requests.get(url + "0")), (403, "SignatureDoesNotMatch"))
    put = client.presign(v2.PutObjectRequest(bucket=BUCKET, key=key + ".url", content_type="text/plain"))
    check(f"{name}: a signed URL writes", requests.put(put.url, b"z", headers=put.signed_headers).status_code, 200)
    tampered = put.url.replace(".url", ".uri")
    check(f"{name}: another key", answered(requests.put(tampered, b"z", headers=put.signed_headers)),
          (403, "SignatureDoesNotMatch"))
    client.delete_object(v2.DeleteObjectRequest(bucket=BUCKET, key=key))


def refuse(endpoint, version):
    """What is wrong with who asks, and with what is asked."""
    bucket, name = old(endpoint, version), f"V{version}"
    stranger = old(endpoint, version)
    stranger.auth.credentials_provider.get_credentials().access_key_id = "nobody"
    check(f"{name}: unknown key", code(stranger.put_object, "k", b""), (403, "InvalidAccessKeyId"))
    stranger = old(endpoint, version)
    stranger.auth.credentials_provider.get_credentials().access_key_secret = "other"
    check(f"{name}: other secret", code(stranger.put_object, "k", b""), (403, "SignatureDoesNotMatch"))
    check(f"{name}: no bucket", code(old(endpoint, version, bucket="no-bucket").put_object, "k", b""),
          (404, "NoSuchBucket"))
    check(f"{name}: no key", code(bucket.get_object, "no"), (404, "NoSuchKey"))
    check(f"{name}: no upload", code(bucket.upload_part, "k", "no", 1, b""), (404, "NoSuchUpload"))
    upload = bucket.init_multipart_upload("k").upload_id
    part = bucket.upload_part("k", upload, 1, b"small")
    wrong = [oss2.models.PartInfo(1, "0" * 32)]
    check(f"{name}: other part", code(bucket.complete_multipart_upload, "k", upload, wrong), (400, "InvalidPart"))
    second = bucket.upload_part("k", upload, 2, b"second")
    parts = [oss2.models.PartInfo(1, part.etag), oss2.models.PartInfo(2, second.etag)]
    check(f"{name}: small part", code(bucket.complete_multipart_upload, "k", upload, parts), (400, "EntityTooSmall"))
    check(f"{name}: parts", [each.part_number for each in bucket.list_parts("k", upload).parts], [1, 2])
    check_that(f"{name}: uploads", upload in [u.upload_id for u in oss2.MultipartUploadIterator(bucket)])
    bucket.abort_multipart_upload("k", upload)
    check(f"{name}: aborted", code(bucket.list_parts, "k", upload), (404, "NoSuchUpload"))


def keep_to_policy(endpoint, version):
    """A session whose policy allows uploads and listings below one prefix."""
    resource = f"acs:oss:*:*:{BUCKET}"
    session = Session({"Version": "1", "Statement": [
        {"Effect": "Allow", "Action": ["oss:PutObject", "oss:GetObject"], "Resource": [f"{resource}/user/1/*"]},
        {"Effect": "Deny", "Action": "oss:*", "Resource": [f"{resource}/user/1/secret/*"]},
        {"Effect": "Allow", "Action": ["oss:ListObjects"], "Resource": [resource],
         "Condition": {"StringLike": {"oss:Prefix": ["user/1/*"]}}},
    ]})
    bucket, name = old(endpoint, version, session), f"session, V{version}"
    bucket.put_object("user/1/a", b"a")
    check(f"{name}: reads", bucket.get_object("user/1/a").read(), b"a")
    check(f"{name}: lists", [each.key for each in bucket.list_objects("user/1/").object_list], ["user/1/a"])
    denied = (403, "AccessDenied")
    check(f"{name}: lists all", code(bucket.list_objects), denied)
    check(f"{name}: lists another", code(bucket.list_objects, "user/"), denied)
    check(f"{name}: another key", code(bucket.put_object, "user/10/a", b""), denied)
    check(f"{name}: a denied key", code(bucket.put_object, "user/1/secret/a", b""), denied)
    check(f"{name}: deletes", code(bucket.delete_object, "user/1/a"), denied)
    check(f"{name}: begins parts elsewhere", code(bucket.init_multipart_upload, "user/2/a"), denied)
    old(endpoint, version).put_object("other", b"o")
    check(f"{name}: copies from elsewhere", code(bucket.copy_object, BUCKET, "other", "user/1/c"), denied)
    url = bucket.sign_url("GET", "user/1/a", 60, slash_safe=True)
    check(f"{name}: a signed URL reads", requests.get(url).content, b"a")
    url = bucket.sign_url("GET", "other", 60, slash_safe=True)
    check(f"{name}: a signed URL elsewhere", answered(requests.get(url)), denied)
    session.token += "A"
    check(f"{name}: another token", code(old(endpoint, version, session).put_object, "user/1/a", b""),
          (403, "InvalidSecurityToken"))


def post(fields, data=b"\xff\xd8 picture", name="a b.jpg", kind="image/jpeg", **options):
    return requests.post(f"http://{BUCKET}.oss.localhost:{PORT}/", data=fields, files={"file": (name, data, kind)},
                         allow_redirects=False, **options)


def form(conditions, version, session=None, **fields):
    """The fields of a form that is signed here."""
    key_id, secret = (session.key_id, session.secret) if session else (KEY_ID, SECRET)
    now = time.gmtime()
    date, moment = time.strftime("%Y%m%d", now), time.strftime("%Y%m%dT%H%M%SZ", now)
    fields = {"key": "forms/${filename}", **fields}
    if session:
        fields["x-oss-security-token"] = session.token
    conditions = [{"bucket": BUCKET}, *conditions]
    if version == 4:
        signed = {"x-oss-signature-version": "OSS4-HMAC-SHA256", "x-oss-date": moment,
                  "x-oss-credential": f"{key_id}/{date}/{REGION}/oss/aliyun_v4_request"}
        fields.update(signed)
        if session:
            signed = {**signed, "x-oss-security-token": session.token}
        conditions += [{each: value} for each, value in signed.items()]
    expiration = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 600))
    policy = base64.b64encode(json.dumps({"expiration": expiration, "conditions": conditions}).encode())
    fields["policy"] = policy.decode()
    if version == 4:
        signer = ("aliyun_v4" + secret).encode()
        for part in (date, REGION, "oss", "aliyun_v4_request"):
            signer = hmac.digest(signer, part.encode(), "sha256")
        fields["x-oss-signature"] = hmac.digest(signer, policy, "sha256").hex()
    else:
        fields["OSSAccessKeyId"] = key_id
        fields["Signature"] = base64.b64encode(hmac.digest(secret.encode(), policy, "sha1")).decode()
    return fields


def post_forms(version):
    bucket, name = old(f"http://{ADDRESS}", version), f"form, V{version}"
    conditions = [["starts-with", "$key", "forms/"], ["content-length-range", 1, 100],
                  ["in", "$x-oss-content-type", ["image/jpeg", "image/png"]]]
    kind = {"x-oss-content-type": "image/jpeg"}
    check(f"{name}: taken", answered(post(form(conditions, version, **kind))), (204, ""))
    check(f"{name}: read", bucket.get_object("forms/a b.jpg").read(), b"\xff\xd8 picture")
    created = post(form(conditions, version, success_action_status="201", **kind))
    check_that(f"{name}: told", created.status_code == 201 and "<PostResponse>" in created.text, created.text)
    there = post(form(conditions, version, success_action_redirect="http://localhost/done", **kind))
    check(f"{name}: redirected", (there.status_code, there.headers["location"].split("?")[0]),
          (303, "http://localhost/done"))
    check(f"{name}: too large", answered(post(form(conditions, version, **kind), bytes(101))), (400, "EntityTooLarge"))
    check(f"{name}: too small", answered(post(form(conditions, version, **kind), b"")), (400, "EntityTooSmall"))
    denied = (403, "AccessDenied")
    check(f"{name}: another prefix", answered(post(form(conditions, version, **{**kind, "key": "x/a"}))), denied)
    other = {"x-oss-content-type": "text/html"}
    check(f"{name}: another type", answered(post(form(conditions, version, **other))), denied)
    fields = form(conditions, version, **kind)
    fields["policy"] = fields["policy"][:-8] + "AAAA" + fields["policy"][-4:]
    check(f"{name}: tampered", answered(post(fields)), (403, "SignatureDoesNotMatch"))
    session = Session({"Version": "1", "Statement": [
        {"Effect": "Allow", "Action": "oss:PutObject", "Resource": f"acs:oss:*:*:{BUCKET}/forms/*"}]})
    check(f"{name}: of a session", answered(post(form([], version, session))), (204, ""))
    check(f"{name}: outside its policy", answered(post(form([], version, session, key="x"))), denied)


paths, hosts = f"http://{ADDRESS}", f"http://oss.localhost:{PORT}"
whole = Session()
for number in (1, 4):
    for place, where in (("path", paths), ("host", hosts)):
        use_old(old(where, number), f"oss2-v{number}-{place}")
        use_new(new(where, number), f"new-v{number}-{place}")
    use_old(old(hosts, number, whole), f"oss2-v{number}-session")
    refuse(hosts, number)
    keep_to_policy(hosts, number)
    post_forms(number)
use_new(new(hosts, 4, whole), "new-v4-session")
service = oss2.Service(oss2.AuthV4(KEY_ID, SECRET), hosts, region=REGION)
check("buckets", [each.name for each in service.list_buckets().buckets], [BUCKET])
made = oss2.Bucket(oss2.AuthV4(KEY_ID, SECRET), hosts, "made-here", region=REGION)
made.create_bucket()
check("a bucket that was made", made.get_bucket_info().name, "made-here")
check("its place", made.get_bucket_location().location, "oss-cn-hangzhou")
print("all SDK checks passed")
