"""What the service signs by itself for Kodo, its CDN and NOS is what the vendors' own SDKs sign for the same moment.

    python signed_requests.py SERVICE QINIU_ACCESS_KEY QINIU_SECRET_KEY CDN_KEY NOS_ACCESS_KEY NOS_SECRET_KEY API_KEY

SERVICE (http://host:port) has grants for "photos/" and "videos/" (Qiniu) and "in/" (NOS); API_KEY is that of a caller with a
grant of QBox for "old/".
"""

import json
import sys
import time
import urllib.parse
import urllib.request
from types import SimpleNamespace
from unittest import mock

from capture import Refusal, Request
from checking import check, check_that
from nos_capture import NOSCapture

import nos.client.auth
import qiniu
import qiniu.services.cdn.manager
import requests

SERVICE, ACCESS_KEY, SECRET_KEY, CDN_KEY, NOS_ACCESS_KEY, NOS_SECRET_KEY, API_KEY = sys.argv[1:8]
AUTH = qiniu.Auth(ACCESS_KEY, SECRET_KEY)
MAC = qiniu.QiniuMacAuth(ACCESS_KEY, SECRET_KEY)
NAME = "Füße 中文 +&=%'()*!.txt"
FORM = "application/x-www-form-urlencoded"


def ask(path, api_key=None, **parameters):
    query = urllib.parse.urlencode(parameters, doseq=True)
    request = urllib.request.Request(f"{SERVICE}{path}?{query}")
    if api_key:
        request.add_header("X-API-Key", api_key)
    with urllib.request.urlopen(request, timeout=30) as response:
        return json.load(response)


def check_downloads():
    for name in ["a.jpg", NAME]:
        for query in ["", "imageView2/1/w/120"]:
            value = ask("/qiniu/download-url", key="photos/" + name, **({"query": query} if query else {}))
            base = value["url"].partition("?e=" if not query else "&e=")[0]
            # Reserved characters are the caller's to encode; the SDK takes the URL as it is.
            decoded = urllib.parse.unquote(base.partition("?")[0])
            check(f"download of {name}: decoded", decoded, "https://media.example.com/photos/" + name)
            with mock.patch("qiniu.auth.time.time", lambda: value["deadline"] - 60):
                check_that(f"download of {name}{query}", AUTH.private_download_url(base, 60) == value["url"])


def check_cdn():
    make = qiniu.services.cdn.manager.create_timestamp_anti_leech_url
    for key in ["videos/a.mp4", "videos/中文/b c-_.m3u8"]:
        value = ask("/qiniu/cdn-url", key=key)
        expected = make("https://cdn.example.com", key, "", CDN_KEY, value["deadline"])
        check(f"CDN of {key}", value["url"], expected)


def prepared(value):
    """The request as the SDK would send it at the moment of the answer; HTTP clients leave the URL as it is."""
    date = value["headers"].get("X-Qiniu-Date")
    moment = SimpleNamespace(utcnow=lambda: SimpleNamespace(strftime=lambda _: date))
    with mock.patch("qiniu.auth.datetime", moment):
        auth = qiniu.auth.QiniuMacRequestsAuth(MAC)
        request = requests.Request(value["method"], value["url"], auth=auth).prepare()
    check("the URL as requests sends it", request.url, value["url"])
    return request


def check_management():
    asks = [
        dict(operation="list", grant="browse"),
        dict(operation="list", prefix="photos/" + NAME, delimiter="/", marker="eyJjIjowfQ==", limit=7),
        dict(operation="stat", key="photos/" + NAME),
    ]
    for parameters in asks:
        value = ask("/qiniu/authorization", **parameters)
        sent = prepared(value).headers
        check(f"{parameters}: headers", dict(value["headers"]), {name: sent[name] for name in value["headers"]})
        check(f"{parameters}: nothing beside them", set(sent) - set(value["headers"]), set())
        qiniu_target = value["url"].partition(".qbox.me")[2]
        if parameters["operation"] == "stat":
            check("stat: the SDK's path", qiniu_target, "/stat/" + qiniu.utils.entry(value["bucket"], value["key"]))
        else:
            options = {"bucket": value["bucket"], "prefix": value["prefix"]}
            options |= {name: str(parameters[name]) for name in ["delimiter", "marker", "limit"] if name in parameters}
            found = urllib.parse.parse_qs(urllib.parse.urlsplit(value["url"]).query, strict_parsing=True)
            check("list: the SDK's options", found, {name: [option] for name, option in options.items()})
        # As whoever verifies a callback of Qiniu's would.
        verified = [
            AUTH.verify_callback(
                value["headers"]["Authorization"], value["url"] + more, None, FORM, method, {"X-Qiniu-Date": date}
            )
            for method, more, date in [
                ("GET", "", value["headers"]["X-Qiniu-Date"]),
                ("POST", "", value["headers"]["X-Qiniu-Date"]),
                ("GET", "x", value["headers"]["X-Qiniu-Date"]),
                ("GET", "", "20300101T000000Z"),
            ]
        ]
        check("verified as it is, and changed", verified, [True, False, False, False])
    value = ask("/qiniu/authorization", API_KEY, operation="stat", key="old/" + NAME)
    expected = {"Authorization": "QBox " + AUTH.token_of_request(value["url"])}
    check("QBox", value["headers"], expected)


def sdk_request(value, key, headers, parameters=None):
    """The SDK's own request for the same, its clock standing at the moment of the answer."""
    date = value["headers"].get("Date", "")
    clock = SimpleNamespace(strftime=lambda *_: date, gmtime=time.gmtime, time=time.time)
    with mock.patch("nos.client.auth.time", clock):
        return nos.client.auth.RequestMetaData(
            NOS_ACCESS_KEY, NOS_SECRET_KEY, value["method"], bucket=value["bucket"], key=key,
            end_point="nos-eastchina1.126.net", params=parameters or {}, headers=headers, enable_ssl=True,
        )


def check_nos(capture):
    key = "in/" + NAME
    headers = {"content-type": "text/plain; charset=utf-8", "x-nos-meta-b": "zwei  drei", "x-nos-meta-a": "1"}
    lines = [f"{name}: {value}" for name, value in headers.items()]
    asks = [
        ({"method": "PUT", "header": lines}, headers, None),
        ({}, {}, None),
        ({"method": "HEAD"}, {}, None),
        ({"method": "DELETE"}, {}, None),
        ({"method": "POST", "query": "uploads"}, {}, {"uploads": None}),
        ({"method": "PUT", "query": ["uploadId=a-1", "partNumber=2"]}, {}, {"uploadId": "a-1", "partNumber": "2"}),
        ({"method": "GET", "query": "uploadId=a-1"}, {}, {"uploadId": "a-1"}),
    ]
    for parameters, headers, sub_resources in asks:
        value = ask("/nos/authorization", key=key, **parameters)
        sdk = sdk_request(value, key, headers, sub_resources)
        check(f"{parameters}: URL", value["url"], sdk.get_url())
        expected = {name: sdk.get_headers()[name] for name in ["Authorization", "Date"]} | headers
        check(f"{parameters}: headers", value["headers"], expected)
        host = urllib.parse.urlsplit(value["url"]).netloc
        request = Request(value["method"], value["url"], (("Host", host), *value["headers"].items()), b"")
        check("a server that judges signatures", capture.send(request), "verified")
        changes = [
            request.changed(method="POST" if request.method != "POST" else "PUT"),
            request.changed(target=request.target.replace("/in%2F", "/out%2F")),
            request.changed(target=request.target + ("&" if "?" in request.target else "?") + "acl"),
            request.with_field("x-nos-acl", "public-read"),
        ]
        refusals = [capture.send(changed) for changed in changes]
        check_that("refused when changed", all(isinstance(found, Refusal) for found in refusals), refusals)
    for parameters, headers in [({}, {}), ({"method": "PUT", "header": "Content-Type:a/b"}, {"content-type": "a/b"})]:
        value = ask("/nos/presigned-url", key=key, **parameters)
        url, _, query = value["url"].partition("?")
        found = dict(urllib.parse.parse_qsl(query, strict_parsing=True))
        # The SDK makes no such URLs, but signs an Expires where there is one.
        sdk = sdk_request(value, key, headers | {"Expires": str(value["deadline"])})
        check(f"URL {parameters}", url, sdk.get_url())
        authorization = f"NOS {found['NOSAccessKeyId']}:{found['Signature']}"
        check(f"URL {parameters}: signature", authorization, sdk.get_headers()["Authorization"])
        check(f"URL {parameters}: end", (found["Expires"], value["headers"]), (str(value["deadline"]), headers))


def main():
    check_downloads()
    check_cdn()
    check_management()
    with NOSCapture(NOS_ACCESS_KEY, NOS_SECRET_KEY) as capture:
        check_nos(capture)


main()
print("everything is as it should be")
