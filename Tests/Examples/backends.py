"""Holds a backend of examples/ to what its README says, beside a service and a sandbox.

usage: backends.py COMMAND...     (the backend; scripts/with-demonstration sets the environment)
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from service import Claims

PUBLIC = os.environ["COUNTERSIGN_PUBLIC"]
SANDBOX = os.environ["COUNTERSIGN_SANDBOX"]
OBJECTS = pathlib.Path(os.environ["COUNTERSIGN_OBJECTS"])
# As examples/README.md has it.
KEY = "example-backend-Mr0iByrkh5cn4a6lkAqfRHiA"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


class Backend:
    def __init__(self, command, **environment):
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PORT": "0", "COUNTERSIGN_URL": PUBLIC, "COUNTERSIGN_KEY": KEY, **environment})
        line = self.process.stdout.readline()
        if "listening on " not in line:
            sys.exit(f"the backend does not listen: {line}")
        self.url = line.split("listening on ")[1].strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)

    def ask(self, path, question, session="session-of-ann"):
        """Status, and what the JSON says."""
        body = question if isinstance(question, bytes) else json.dumps(question).encode()
        request = urllib.request.Request(self.url + path, body, {"Authorization": f"Bearer {session}"})
        return fetch(request)


def fetch(request):
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def curl(*arguments):
    """Status and content; curl knows that every name below localhost is this machine."""
    result = subprocess.run(
        ["curl", "--silent", "--show-error", "--max-time", "20", "--write-out", "\n%{http_code}", *arguments],
        capture_output=True, text=True, check=True)
    content, _, status = result.stdout.rpartition("\n")
    return int(status), content


def put(upload, path):
    # curl writes the length itself.
    fields = [f"{name}: {value}" for name, value in upload["headers"].items() if name.lower() != "content-length"]
    options = [word for field in fields for word in ("--header", field)]
    return curl("--request", upload["method"], "--data-binary", f"@{path}", *options, upload["url"])


def stored(vendor, bucket, key):
    path = OBJECTS / vendor / bucket / key
    return path.read_bytes() if path.exists() else None


def check_uploads(claims, backend, picture):
    question = {"name": "a.PNG", "type": "image/png", "size": len(PICTURE)}
    status, upload = backend.ask("/uploads", question)
    claims.check(
        "a user gets a request for a new key in the own folder",
        status == 200 and upload["key"].startswith("users/ann/") and upload["key"].endswith(".png"))
    status, content = put(upload, picture)
    claims.check(
        "OSS takes the file, and has it", status == 200 and stored("alibaba", "demo-bucket", upload["key"]) == PICTURE)
    longer = picture.with_name("longer.png")
    longer.write_bytes(PICTURE + b"+")
    _, upload = backend.ask("/uploads", question)
    status, content = put(upload, longer)
    claims.check(
        "OSS takes no file that is longer by one byte",
        status == 403 and "SignatureDoesNotMatch" in content and stored("alibaba", "demo-bucket", upload["key"]) is None)
    _, upload = backend.ask("/uploads", question, session="session-of-bob")
    claims.check("another user has another folder", upload["key"].startswith("users/bob/"))


def check_refusals(claims, backend):
    status, answer = backend.ask("/uploads", {"name": "a.html", "type": "text/html", "size": 10})
    claims.check(f"a page is refused in words: {answer}", status == 403 and "contentTypes" in answer["error"])
    status, answer = backend.ask("/uploads", {"name": "a.png", "type": "image/png", "size": 10 * 1024 * 1024 + 1})
    claims.check(f"a file that is too large is refused in words: {answer}", status == 403 and "maxSize" in answer["error"])
    for body in [b"", b"{", b"[]", b'"a"', {}, {"name": "a.png", "type": "image/png"}, {"name": "a.png", "type": "image/png", "size": -1},
                 {"name": "a.png", "type": "image/png", "size": "1"}, {"name": 1, "type": "image/png", "size": 1}]:
        status, answer = backend.ask("/uploads", body)
        claims.check(f"{body} is refused: {answer}", status == 400)
    for session in ["", "session-of-eve"]:
        status, _ = backend.ask("/uploads", {"name": "a.png", "type": "image/png", "size": 1}, session=session)
        claims.check(f"who shows {session!r} is not logged in", status == 401)
    status, _ = backend.ask("/tickets", {"for": "nos"})
    claims.check("there is no ticket for something else", status == 400)


def check_tickets(claims, backend, picture):
    status, ticket = backend.ask("/tickets", {"for": "oss"})
    claims.check("a user gets the URL of a ticket for OSS", status == 200 and "?ticket=" in ticket["url"])
    status, session = fetch(ticket["url"])
    claims.check(
        "the ticket gives a temporary key for the own folder, as SDKs read it",
        status == 200 and session["StatusCode"] == 200 and session["Scope"]["Prefix"] == "users/ann/")
    status, refusal = fetch(ticket["url"] + "&keyPrefix=users/bob/")
    claims.check(f"and for no other one: {refusal.get('detail')}", status in (400, 403))

    status, ticket = backend.ask("/tickets", {"for": "kodo", "name": "a.png"})
    status, token = fetch(ticket["url"])
    claims.check("the ticket for Kodo gives an upload token", status == 200 and token["key"].startswith("users/ann/"))
    status, content = curl(
        "--form", f"token={token['uptoken']}", "--form", f"key={token['key']}", "--form", f"file=@{picture};type=image/png",
        SANDBOX)
    claims.check(
        f"Kodo takes the file: {content}", status == 200 and stored("qiniu", "demo-media", token["key"]) == PICTURE)


def main():
    claims = Claims()
    command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        picture = pathlib.Path(folder) / "a.png"
        picture.write_bytes(PICTURE)
        with Backend(command) as backend:
            check_uploads(claims, backend, picture)
            check_refusals(claims, backend)
            check_tickets(claims, backend, picture)
        question = {"name": "a.png", "type": "image/png", "size": 1}
        with Backend(command, COUNTERSIGN_KEY="wrong") as backend:
            status, answer = backend.ask("/uploads", question)
            claims.check(f"a wrong API key is the backend's own matter: {answer}", status == 500 and "key" not in str(answer).lower())
        with Backend(command, COUNTERSIGN_URL="http://127.0.0.1:9") as backend:
            status, answer = backend.ask("/uploads", question)
            claims.check(f"without the service the user is told to come again: {answer}", status == 503)
    claims.finish()


main()
