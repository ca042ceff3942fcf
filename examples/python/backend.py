"""A small backend that hands out uploads to its own users. It asks Countersign with an API key that only the backend has.

POST /uploads  {"name": "a.png", "type": "image/png", "size": 1000}   answers a request that the user's app sends to OSS
POST /tickets  {"for": "oss"} or {"for": "kodo", "name": "a.png"}     answers a URL that an SDK can ask for credentials, again and again
"""

import http.server
import json
import os
import pathlib
import sys
import uuid

import requests

COUNTERSIGN = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8080")

# Who is logged in. A real backend asks its sessions, or checks a cookie.
SESSIONS = {"session-of-ann": "ann", "session-of-bob": "bob"}


class Refusal(Exception):
    """What the user is told: a status, words, and after how many seconds to ask again."""

    def __init__(self, status, words, retry_after=None):
        super().__init__(words)
        self.status = status
        self.words = words
        self.retry_after = retry_after


class Countersign:
    """The service, asked by the backend's API key."""

    def __init__(self, url, key):
        self.url = url
        self.fields = {"Authorization": f"Bearer {key}"}

    def ask(self, route, **parameters):
        """The answer of a route. Its refusals are problem documents (RFC 9457): `code` is for programs, `detail` for people."""
        try:
            answer = requests.post(self.url + route, json=parameters, headers=self.fields, timeout=10)
            document = answer.json()
        except (requests.RequestException, ValueError) as error:
            print(f"countersign cannot be asked: {error}", file=sys.stderr)
            raise Refusal(503, "Uploads are not available now.", 5) from error
        if answer.ok:
            return document
        print(f"countersign refuses {route}: {document}", file=sys.stderr)
        if answer.status_code in (429, 503):
            raise Refusal(503, "Uploads are not available now.", answer.headers.get("Retry-After"))
        # What the user has asked for is not allowed. Everything else is a mistake of the backend.
        if document.get("code") == "not_in_grant":
            raise Refusal(403, document["detail"])
        raise Refusal(500, "Something is wrong here.")


def new_key(user, name):
    """A new key in the user's own folder. Of the name only the extension is used."""
    suffix = pathlib.PurePath(name).suffix.lower()
    return f"users/{user}/{uuid.uuid4()}{suffix if suffix[1:].isalnum() and suffix.isascii() else ''}"


def text(question, name):
    value = question.get(name)
    if not isinstance(value, str) or not value:
        raise Refusal(400, f"{name} must be a text.")
    return value


def upload(countersign, user, question):
    size = question.get("size")
    if not isinstance(size, int) or size < 0:
        raise Refusal(400, "size must be the file's number of bytes.")
    answer = countersign.ask(
        "/oss/presigned-url", grant="pictures of users", method="PUT", key=new_key(user, text(question, "name")),
        contentType=text(question, "type"), header={"content-length": str(size)})
    return {name: answer[name] for name in ("method", "url", "headers", "key", "expiresIn")}


def ticket(countersign, user, question):
    if question.get("for") == "oss":
        # Only the user's own folder: the ticket fixes the prefix.
        answer = countersign.ask("/tickets", grant="sessions of users", keyPrefix=f"users/{user}/", expires=3600)
    elif question.get("for") == "kodo":
        answer = countersign.ask(
            "/tickets", grant="photos of users", key=new_key(user, text(question, "name")), expires=3600)
    else:
        raise Refusal(400, 'for must be "oss" or "kodo".')
    return {name: answer[name] for name in ("url", "expiresAt")}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    countersign = None
    routes = {"/uploads": upload, "/tickets": ticket}

    def do_POST(self):
        try:
            question = self.read()
            route = self.routes.get(self.path)
            if route is None:
                raise Refusal(404, "There is nothing here.")
            self.answer(200, route(self.countersign, self.user(), question))
        except Refusal as refusal:
            fields = {"Retry-After": str(refusal.retry_after)} if refusal.retry_after else {}
            self.answer(refusal.status, {"error": refusal.words}, fields)

    def read(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > 10_000:
            # The rest of the connection cannot be read.
            self.close_connection = True
            raise Refusal(413, "Content-Length must be at most 10000.")
        try:
            question = json.loads(self.rfile.read(int(length)))
        except ValueError as error:
            raise Refusal(400, "This is no JSON.") from error
        if not isinstance(question, dict):
            raise Refusal(400, "This is no JSON object.")
        return question

    def user(self):
        scheme, _, session = self.headers.get("Authorization", "").partition(" ")
        if scheme != "Bearer" or session not in SESSIONS:
            raise Refusal(401, "You are not logged in.")
        return SESSIONS[session]

    def answer(self, status, document, fields=None):
        content = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **(fields or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


def main():
    key = os.environ.get("COUNTERSIGN_KEY")
    if not key:
        sys.exit("COUNTERSIGN_KEY is not set: the backend's API key")
    Handler.countersign = Countersign(COUNTERSIGN, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8001"))), Handler)
    print(f"backend: listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
