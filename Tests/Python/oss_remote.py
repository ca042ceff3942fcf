"""Alibaba's SDKs have their signatures made by the service, which has the secret key that they have not, and a server in this
process verifies their requests.

    python oss_remote.py SERVICE ACCESS_KEY SECRET_KEY

SERVICE (http://host:port) has a grant of what is below "uploads/". The secret key is the server's alone.
"""

import json
import sys
import urllib.error
import urllib.request

import alibabacloud_oss_v2 as oss_v2
from oss2.credentials import StaticCredentialsProvider

import oss_clients
from capture import Refusal
from checking import Mismatch, check, check_that
from oss_capture import OSSCapture
from oss_clients import BUCKET, CHANGES, CONTENT, KEY, OSS2, OSSV2, REGION, fetch
from oss_signers import RemoteAuthV1, RemoteAuthV4, RemoteV1, RemoteV4

SERVICE, ACCESS_KEY, SECRET_KEY = sys.argv[1:4]
# What the SDKs want to have, and what signs nothing that the server would take.
KEYS = (ACCESS_KEY, "there is no secret here")


class Refused(Exception):
    """What the service does not sign."""

    def __init__(self, problem):
        super().__init__(f"{problem['status']} {problem['code']}: {problem['detail']}")
        self.problem = problem


def sign(**asked):
    """The service's signature over what a signer hands over."""
    body = json.dumps({"accessKeyId": ACCESS_KEY, **asked}).encode()
    request = urllib.request.Request(SERVICE + "/oss/sign", body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["signature"]
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(json.load(error)) from None


class RemoteOSSV2(OSSV2):
    def __init__(self, signer, version, address):
        config = oss_v2.config.load_default()
        config.credentials_provider = oss_v2.credentials.StaticCredentialsProvider(*KEYS)
        config.region, config.endpoint, config.signature_version = REGION, f"http://{address}", version
        self.client = oss_v2.Client(config, signer=signer)


def clients(address):
    provider = StaticCredentialsProvider(*KEYS)
    yield "oss2", "V1", OSS2(RemoteAuthV1(sign, provider), address)
    yield "oss2", "V4", OSS2(RemoteAuthV4(sign, provider), address)
    yield "alibabacloud-oss-v2", "V1", RemoteOSSV2(RemoteV1(sign), "v1", address)
    yield "alibabacloud-oss-v2", "V4", RemoteOSSV2(RemoteV4(sign), "v4", address)


def check_changes(name, oss, request):
    """Whatever is changed in a request that was accepted, it is accepted no more."""
    for what, change, code in CHANGES:
        verdict = oss.send(change(request))
        if not isinstance(verdict, Refusal) or verdict.code != code:
            raise Mismatch(f"{name}, {what}: {verdict}, not {code}")
    print(f"{name}: refused with {', '.join(what for what, _, _ in CHANGES)}")


def check_client(oss, name, version, client):
    header, url = f"{version} header", f"{version} URL"
    oss.objects.clear()
    check(f"{name}, {header}: put", (client.put(), oss.verdicts[-1][1]), (200, header))
    check_changes(f"{name}, {header}", oss, oss.verdicts[-1][0])
    check_that(f"{name}, {header}: the object", oss.objects.get((BUCKET, KEY)) == CONTENT)
    check_that(f"{name}, {header}: get", client.get() == CONTENT and oss.verdicts[-1][1] == header)
    oss.objects.clear()
    target, fields = client.presign("PUT")
    check(f"{name}, {url}: put", (fetch(target, "PUT", CONTENT, fields)[0], oss.verdicts[-1][1]), (200, url))
    check_changes(f"{name}, {url}", oss, oss.verdicts[-1][0])
    status, _, body = fetch(client.presign("GET")[0])
    check_that(f"{name}, {url}: get", (status, body, oss.verdicts[-1][1]) == (200, CONTENT, url), status)


def check_refused(name, version, client):
    """What is outside the grant is signed neither in a header nor in a URL."""
    inside = oss_clients.KEY
    oss_clients.KEY = "elsewhere/a.txt"
    try:
        for call in [client.put, client.get, lambda: client.presign("PUT"), lambda: client.presign("GET")]:
            try:
                call()
                found = None
            except Exception as error:  # The SDKs wrap it, each in its own way.
                found = "not_in_grant" if "not_in_grant" in str(error) else error
            check(f"{name}, {version}: outside the grant", found, "not_in_grant")
    finally:
        oss_clients.KEY = inside


def main():
    with OSSCapture({ACCESS_KEY: (SECRET_KEY, None)}, REGION) as oss:
        for name, version, client in clients(oss.address):
            check_client(oss, name, version, client)
            check_refused(name, version, client)


main()
print("everything is as it should be")
