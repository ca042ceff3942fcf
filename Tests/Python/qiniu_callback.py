"""Sends callbacks that are signed by Qiniu's own SDK, and such that were changed after they had been signed.

    python qiniu_callback.py PORT ACCESS_KEY SECRET_KEY

The service at PORT has a callback of publicURL https://app.example.com/hooks/done, whose reply is {"key":"done", …}.
"""

import http.client
import json
import sys
import time

from checking import check, check_that

import qiniu

PORT, ACCESS_KEY, SECRET_KEY = int(sys.argv[1]), *sys.argv[2:4]
URL = "https://app.example.com/hooks/done"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"


def date(ahead=0):
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + ahead))


class Callback:
    """What Kodo sends; a change that is made after `sign` is a forgery."""

    def __init__(self, **changes):
        self.method, self.url, self.host, self.kind = "POST", URL, "app.example.com", FORM
        self.body, self.date, self.authorization = "key=photos%2F%E4%B8%AD.jpg&fsize=1500", date(), None
        self.change(**changes)

    def change(self, **changes):
        self.__dict__.update(changes)
        return self

    @property
    def headers(self):
        headers = {"Host": self.host, "Content-Type": self.kind}
        if self.date:
            headers["X-Qiniu-Date"] = self.date
        return headers

    def sign(self, scheme, access_key=ACCESS_KEY, secret_key=SECRET_KEY):
        if scheme == "QBox":
            token = qiniu.Auth(access_key, secret_key).token_of_request(self.url, self.body, self.kind)
        else:
            auth = qiniu.QiniuMacAuth(access_key, secret_key)
            token = auth.token_of_request(
                self.method, self.host, self.url, auth.qiniu_headers(self.headers), self.kind, self.body)
        self.authorization = f"{scheme} {token}"
        return self

    def send(self, host=None):
        """The status, and what the service says, as a proxy with this Host field asks it."""
        path = self.url.removeprefix("https://app.example.com")
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=30)
        headers = {**self.headers, "Host": host or self.host, "Authorization": self.authorization}
        connection.request(self.method, path, self.body.encode(), headers)
        response = connection.getresponse()
        value = json.loads(response.read() or "null")
        connection.close()
        return response.status, value.get("key") or value.get("code")

    @property
    def sdk_accepts(self):
        return qiniu.Auth(ACCESS_KEY, SECRET_KEY).verify_callback(
            self.authorization, self.url, self.body, self.kind, self.method, self.headers)


def main():
    text = '{"key":"photos/中文.jpg","fsize":1500}'
    for scheme, changes in [
        ("Qiniu", {}), ("QBox", {}), ("Qiniu", {"date": None}), ("Qiniu", {"kind": JSON, "body": text}),
        ("Qiniu", {"url": URL + "?from=kodo&a=%2F"}), ("QBox", {"url": URL + "?from=kodo&a=%2F"}),
        ("Qiniu", {"body": ""}), ("Qiniu", {"date": date(-800)}), ("Qiniu", {"date": date(30)}),
    ]:
        callback = Callback(**changes).sign(scheme)
        check_that(f"{scheme} {changes}: accepted by the SDK", callback.sdk_accepts)
        check(f"{scheme} {changes}", callback.send(), (200, "done"))
        check(f"{scheme} {changes}: through a proxy", callback.send(f"127.0.0.1:{PORT}"), (200, "done"))

    refused = (401, "unauthenticated")
    for what, changes in [
        ("body", {"body": "key=photos%2Fother.jpg"}), ("no body", {"body": ""}), ("query", {"url": URL + "?x=1"}),
        ("type", {"kind": "text/plain"}), ("date", {"date": date(-3)}), ("no date", {"date": None}),
    ]:
        callback = Callback().sign("Qiniu").change(**changes)
        check_that(f"changed {what}: refused by the SDK", not callback.sdk_accepts)
        check(f"changed {what}", callback.send(), refused)
    for what, changes in [
        ("method", {"method": "GET"}), ("path", {"url": "https://app.example.com/hooks"}),
        ("host", {"host": "evil.example.com"}), ("port", {"host": "app.example.com:443"}),
        ("host", {"host": f"127.0.0.1:{PORT}"}), ("type", {"kind": JSON}),
    ]:
        callback = Callback(**changes).sign("Qiniu")
        check_that(f"signed for another {what}: accepted there", callback.sdk_accepts)
        callback.change(**{name: getattr(Callback(), name) for name in changes})
        check(f"signed for another {what}", callback.send(), refused)
    check("another secret", Callback().sign("Qiniu", secret_key=SECRET_KEY + "x").send(), refused)
    check("another access key", Callback().sign("Qiniu", ACCESS_KEY + "x").send(), refused)
    check("body in QBox", Callback().sign("QBox").change(body="key=other").send(), refused)
    check("path in QBox", Callback(url="https://app.example.com/x").sign("QBox").change(url=URL).send(), refused)

    # Here we are stricter than the SDK.
    for what, callback in [
        ("too old", Callback(date=date(-1000)).sign("Qiniu")), ("too new", Callback(date=date(120)).sign("Qiniu")),
        ("JSON in QBox", Callback(kind=JSON, body=text).sign("QBox")),
        ("JSON in QBox, forged", Callback(kind=JSON, body=text).sign("QBox").change(body='{"key":"other"}')),
    ]:
        check_that(f"{what}: accepted by the SDK", callback.sdk_accepts)
        check(what, callback.send(), refused)


main()
print("everything is as it should be")
