"""NetEase's own SDK signs requests, and a server in this process verifies them. So what it says can be trusted where it
judges requests that the service has signed.

    python nos_client.py
"""

from capture import Refusal, altered
from checking import Mismatch, check, check_that
from nos_capture import NOSCapture

import nos
import urllib3
from nos.exceptions import ServiceException

BUCKET, ENDPOINT = "demo-files", "nos.example"
KEY = "Füße/中文 +&=%'()*~!.txt"
CONTENT = b"content"
METADATA = {"x-nos-meta-origin": "a  b", "x-nos-meta-a": "1", "Content-Type": "text/plain; charset=utf-8"}


# What is changed in a request that was accepted, and how.
CHANGES = {
    "another method": lambda request: request.changed(method="GET" if request.method != "GET" else "PUT"),
    "another bucket": lambda request: request.changed(target=request.target.replace(BUCKET, "other", 1)).with_field(
        "Host", f"other.{ENDPOINT}"
    ),
    "another key": lambda request: request.changed(target=request.target.replace(".example/", ".example/x")),
    "a sub-resource": lambda request: request.changed(
        target=request.target + ("&" if "?" in request.target else "?") + "acl"
    ),
    "another type": lambda request: request.with_field("Content-Type", "text/html"),
    "more metadata": lambda request: request.with_field("x-nos-meta-more", "1"),
    "another signature": lambda request: request.with_field("Authorization", altered(request.value("Authorization"))),
}


def connect(capture, secret_key):
    client = nos.Client(access_key_id="AK", access_key_secret=secret_key, end_point=ENDPOINT, max_retries=0)
    # The SDK puts the bucket before the endpoint, which is no name of this machine; a proxy's client needs none.
    client.transport.connection.pool = urllib3.ProxyManager(f"http://{capture.address}")
    return client


def check_call(capture, what, call):
    call()
    request, verdict = capture.verdicts[-1]
    check(what, verdict, "verified")
    for change, changed in CHANGES.items():
        refusal = capture.send(changed(request))
        if not isinstance(refusal, Refusal) or refusal.code != "SignatureDoesNotMatch":
            raise Mismatch(f"{what}, {change}: {refusal}")
    print(f"{what}: refused with {', '.join(CHANGES)}")


def main():
    with NOSCapture("AK", "s3cr3t") as capture:
        client = connect(capture, "s3cr3t")
        check_call(capture, "put", lambda: client.put_object(BUCKET, KEY, CONTENT, meta_data=METADATA))
        check_that("the object", capture.objects[BUCKET, KEY] == CONTENT)
        check_call(capture, "get", lambda: check("content", client.get_object(BUCKET, KEY)["body"].read(), CONTENT))
        check_call(capture, "head", lambda: client.head_object(BUCKET, KEY))
        check_call(capture, "list", lambda: client.list_objects(BUCKET, prefix="a/b c", limit=5))
        check_call(capture, "begin an upload", lambda: client.create_multipart_upload(BUCKET, KEY))
        check_call(capture, "upload a part", lambda: client.upload_part(BUCKET, KEY, 1, "up+/=1", CONTENT))
        check_call(capture, "list the parts", lambda: client.list_parts(BUCKET, KEY, "up+/=1"))
        check_call(capture, "delete", lambda: client.delete_object(BUCKET, KEY))
        try:
            connect(capture, "another").put_object(BUCKET, KEY, CONTENT)
            found = None
        except ServiceException as error:
            found = error.error_code
        check("put with another secret", found, "SignatureDoesNotMatch")


main()
print("everything is as it should be")
