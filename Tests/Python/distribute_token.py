"""Gets temporary OSS credentials as the stock clients do, and uses them with Alibaba's own SDKs.

    python distribute_token.py URL [REFUSING_URL [REFUSING_URL_WITH_STATUS_IN_BODY]]
    python distribute_token.py --self-test

What is uploaded goes to a server in this process, which verifies the signatures. The self-test needs no service; it
also shows that answers which clients could not use are found out.
"""

import calendar
import contextlib
import io
import json
import logging
import re
import sys
import time

from capture import Answer, Capture
from checking import Mismatch, check, check_that
from oss_clients import check_clients, fetch
from stock_clients import AndroidError, ali_oss, android, ios

from alibabacloud_credentials.client import Client as CredentialsClient
from alibabacloud_credentials.exceptions import CredentialException
from alibabacloud_credentials.http import HttpOptions
from alibabacloud_credentials.models import Config as CredentialsConfig
from alibabacloud_credentials.provider.uri import URLCredentialsProvider

SECRETS = ["AccessKeyId", "AccessKeySecret", "SecurityToken"]
SCOPE = {"Bucket", "Prefix", "Key", "Region", "Endpoint"}
STRINGS = sorted([*SECRETS, "Code", "Expiration"])
# The SDK reports every refusal on a logger, which would hide what is printed here.
logging.disable(logging.CRITICAL)
# Milliseconds that the service may take to answer: a busy machine is no refusal.
PATIENCE = 120_000


def parsed(body):
    """A JSON object no name of which is there twice."""

    def unique(pairs):
        check("names that are there twice", len(pairs) - len(dict(pairs)), 0)
        return dict(pairs)

    try:
        value = json.loads(body, object_pairs_hook=unique)
    except ValueError as error:
        raise Mismatch(f"the body is no JSON: {error}") from error
    check("the body is an object", type(value), dict)
    return value


def ended(value):
    return calendar.timegm(time.strptime(value["Expiration"], "%Y-%m-%dT%H:%M:%SZ"))


def check_answer(url):
    """The answer is what every stock client can use; returns its members."""
    status, fields, body = fetch(url)
    check_that("status 200", status == 200, (status, body))
    check("Content-Type", fields["Content-Type"], "application/json; charset=utf-8")
    check("Cache-Control", fields["Cache-Control"], "no-store")
    # In a field, since ali-oss would take it for an option.
    limits = {"requested", "grant", "caller", "credential"}
    check_that("Countersign-Limited-By", fields["Countersign-Limited-By"] in limits, fields["Countersign-Limited-By"])
    value = parsed(body)
    check("members", sorted(value), sorted([*STRINGS, "Scope", "StatusCode"]))
    scope = value["Scope"]
    check_that("Scope says what the key is for", {"Bucket", "Prefix"} <= set(scope) <= SCOPE, scope)
    check("StatusCode", (type(value["StatusCode"]), value["StatusCode"]), (int, 200))
    check("texts", [name for name in STRINGS if type(value[name]) is str and value[name]], STRINGS)
    check("Code", value["Code"], "Success")
    check_that("AccessKeyId is of a session", value["AccessKeyId"].startswith("STS."), value["AccessKeyId"])
    pattern = "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"
    has_form = re.fullmatch(pattern, value["Expiration"]) is not None
    check_that("Expiration is in UTC, without a fraction", has_form, value["Expiration"])
    # Clients fetch anew when less than that is left.
    check_that("Expiration is more than five minutes ahead", ended(value) > time.time() + 300, value["Expiration"])

    expected = (*(value[name] for name in SECRETS), ended(value))
    check_that("iOS reads it", ios(body) == expected)
    check_that("Android reads it", android(status, body) == expected)
    options = ali_oss(body)
    found = options["accessKeyId"], options["accessKeySecret"], options["stsToken"]
    check_that("ali-oss reads it", found == expected[:3])
    # It assigns every member to the client's options, so none may be called as one of them.
    taken = {"bucket", "region", "endpoint", "internal", "cname", "secure", "timeout", "authorizationV4"} & set(options)
    check("options of ali-oss that the answer changes", taken, set())
    return value


def provider(url):
    return URLCredentialsProvider(uri=url, http_options=HttpOptions(read_timeout=PATIENCE, connect_timeout=PATIENCE))


def check_provider(url, value):
    """alibabacloud_credentials reads the same. (The service keeps a session for a while, and hands it out again.)"""
    expected = tuple(value[name] for name in SECRETS)
    found = provider(url).get_credentials()
    fields = found.get_access_key_id(), found.get_access_key_secret(), found.get_security_token()
    check_that("URLCredentialsProvider reads the same", fields == expected)
    check("URLCredentialsProvider reads when they end", found.get_expiration(), ended(value))
    config = CredentialsConfig(
        type="credentials_uri", credentials_uri=url, timeout=PATIENCE, connect_timeout=PATIENCE
    )
    found = CredentialsClient(config).get_credential()
    fields = found.get_access_key_id(), found.get_access_key_secret(), found.get_security_token()
    check_that("a client of type credentials_uri reads the same", fields == expected)


def check_refusal(url, is_status_in_body):
    """A refusal is one for every client, and tells why where a client can see it."""
    status, _, body = fetch(url)
    value = parsed(body)
    code = value.get("StatusCode")
    check_that("refusal: StatusCode is the number of an error", type(code) is int and 400 <= code <= 599, code)
    check("refusal: HTTP status", status, 200 if is_status_in_body else code)
    texts = ["ErrorCode", "ErrorMessage"]
    check("refusal: texts", [name for name in texts if type(value.get(name)) is str and value[name]], texts)
    check("refusal: credentials in it", [name for name in [*SECRETS, "Expiration"] if name in value], [])
    check("refusal: iOS has no token", ios(body), None)
    try:
        found = android(status, body)
    except (AndroidError, OSError) as error:
        found = error
    expected = AndroidError(value["ErrorCode"], value["ErrorMessage"]) if is_status_in_body else OSError(f"HTTP {code}")
    check("refusal: Android", repr(found), repr(expected))
    try:
        found = provider(url).get_credentials()
    except CredentialException as error:
        found = type(error)
    check("refusal: URLCredentialsProvider", found, CredentialException)


def main(url, refusing=None, refusing_in_body=None):
    value = check_answer(url)
    check_provider(url, value)
    check_clients(*(value[name] for name in SECRETS))
    if refusing:
        check_refusal(refusing, is_status_in_body=False)
    if refusing_in_body:
        check_refusal(refusing_in_body, is_status_in_body=True)


class Stub(Capture):
    """A service that answers with what it was given."""

    def __init__(self):
        super().__init__()
        self.given = {}

    def answer(self, request):
        return "answered", self.given[request.path]

    def give(self, path, value, status=200, kind="application/json; charset=utf-8"):
        """Returns the URL that is answered so."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        fields = {"Content-Type": kind, "Cache-Control": "no-store", "Countersign-Limited-By": "grant"}
        self.given[path] = Answer(status, body, fields)
        return f"http://{self.address}{path}"


def self_test():
    end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3600))
    good = {
        "StatusCode": 200, "Code": "Success", "AccessKeyId": "STS.SANDBOXselftest", "AccessKeySecret": "s3cr3t/+=",
        "SecurityToken": "CAIS/token+with=signs" * 20, "Expiration": end,
        "Scope": {"Bucket": "demo-bucket", "Prefix": "uploads/", "Region": "cn-hangzhou"},
    }
    bad = {
        "type": "/docs/api.md#not_in_grant", "title": "Forbidden", "status": 403,
        "code": "not_in_grant", "detail": "no grant",
        "requestId": "1-1", "StatusCode": 403, "ErrorCode": "not_in_grant", "ErrorMessage": "no grant",
    }
    problem = "application/problem+json"
    without_code = {name: value for name, value in good.items() if name != "Code"}
    twice = json.dumps(good).replace("{", '{"StatusCode": 200, ', 1).encode()
    with Stub() as stub:
        refusing = stub.give("/refusing", bad, 403, problem)
        main(stub.give("/distribute-token.json", good), refusing, stub.give("/in-body", bad, kind=problem))
        for what, value, reason in [
            ("a text as StatusCode", {**good, "StatusCode": "200"}, "StatusCode: "),
            ("a fraction", {**good, "Expiration": end.replace("Z", ".000Z")}, "Expiration is in UTC"),
            ("an offset", {**good, "Expiration": end.replace("Z", "+00:00")}, "Expiration is in UTC"),
            ("the past", {**good, "Expiration": "2015-11-03T09:52:59Z"}, "Expiration is more"),
            ("no Code", without_code, "members: "),
            ("null as a token", {**good, "SecurityToken": None}, "texts: "),
            ("an option of ali-oss", {**good, "Bucket": "demo-bucket"}, "members: "),
            ("a name twice", twice, "names that are there twice: "),
            ("a list", [good], "the body is an object: "),
            ("no JSON", b"no", "the body is no JSON: "),
        ]:
            check_found_out(what, reason, check_answer, stub.give("/spoiled", value))
        for what, value, reason in [
            ("a text as StatusCode", {**bad, "StatusCode": "403"}, "StatusCode is the number"),
            ("success", {**bad, "StatusCode": 200}, "StatusCode is the number"),
            ("no message", {**bad, "ErrorMessage": None}, "texts: "),
            ("a secret", {**bad, "AccessKeySecret": "s3cr3t"}, "credentials in it: "),
        ]:
            url = stub.give("/spoiled", value, 403, problem)
            check_found_out(what, "refusal: " + reason, check_refusal, url, False)
        check_found_out("another status", "refusal: HTTP status: ", check_refusal, refusing, True)


def check_found_out(what, reason, check_it, *arguments):
    """The check fails, and for this reason."""
    found = "nothing"
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            check_it(*arguments)
    except Mismatch as mismatch:
        found = str(mismatch)
    check_that(f"found out: {what}", found.startswith(reason), found)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        main(*sys.argv[1:])
    print("everything is as it should be")
