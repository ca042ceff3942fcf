#!/usr/bin/env python3
"""Follows the procedures of docs/operations.md in a Debian with the package: each command as it stands there, in the order of the page,
while a client asks for tokens. There is no systemd: a stand-in starts the service and brings the signals to it.

usage: scripts/operated.py ROOT     (called by scripts/check-operations, in namespaces of its own)
"""

import base64
import fcntl
import hashlib
import hmac
import http.client
import json
import pathlib
import re
import secrets
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time

from service import Claims

PAGE = pathlib.Path("docs/operations.md")
SYSTEMCTL = r"""#!/bin/sh
echo "$*" >>/var/log/systemctl
service() { for stat in /proc/[0-9]*/stat; do grep -l '(countersign) [^Z]' "$stat" 2>/dev/null; done | cut -d / -f 3 | tail -n 1; }
case $* in
*is-active*) [ -n "$(service)" ] ;;
*--signal=USR2*) kill -USR2 "$(service)" ;;
*reload\ countersign*) kill -HUP "$(service)" ;;
*stop*countersign*)
    [ -n "$(service)" ] || exit 0
    kill -TERM "$(service)"
    while [ -n "$(service)" ]; do sleep 0.1; done ;;
*start*countersign*)
    cd /
    SWIFT_BACKTRACE=enable=no setsid setpriv --reuid=countersign --regid=countersign --clear-groups \
        countersign serve --config /etc/countersign/countersign.json5 </dev/null >>/var/log/journal-of-countersign 2>&1 &
    sleep 1
    [ -n "$(service)" ] ;;
esac
"""
JOURNALCTL = """#!/bin/sh
case $* in
*-n\\ *) tail -n "${*##*-n }" /var/log/journal-of-countersign ;;
*) cat /var/log/journal-of-countersign ;;
esac
"""


def run(*command, **options):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **options).stdout


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Issuer:
    """A key of an issuer of tokens, made and used by openssl."""

    def __init__(self, folder, name):
        self.name, self.path = name, folder / f"{name}.pem"
        run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", self.path)
        point = subprocess.run(["openssl", "pkey", "-in", str(self.path), "-pubout", "-outform", "DER"], check=True,
                               capture_output=True).stdout[-64:]
        self.keys = {"keys": [{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": name,
                               "x": base64url(point[:32]), "y": base64url(point[32:])}]}

    def token(self):
        parts = [{"alg": "ES256", "kid": self.name}, {
            "iss": "https://login.example.com", "aud": "tokens", "sub": "42", "exp": int(time.time()) + 600}]
        signed = ".".join(base64url(json.dumps(part).encode()) for part in parts)
        der = subprocess.run(["openssl", "dgst", "-sha256", "-sign", str(self.path)], check=True, capture_output=True,
                             input=signed.encode()).stdout
        # SEQUENCE { INTEGER, INTEGER }
        numbers, at = b"", 2
        for _ in range(2):
            length = der[at + 1]
            numbers += der[at + 2:at + 2 + length][-32:].rjust(32, b"\0")
            at += 2 + length
        return f"{signed}.{base64url(numbers)}"


class Machine:
    """The Debian, with what the page takes for granted."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        run("mount", "-t", "proc", "proc", self.root / "proc")
        run("mount", "--bind", "/dev", self.root / "dev")
        # The loopback of this namespace is up from here on.
        with socket.socket() as control:
            fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 1))
        (self.root / "run/systemd/system").mkdir(parents=True, exist_ok=True)
        for name, text in [("systemctl", SYSTEMCTL), ("journalctl", JOURNALCTL)]:
            self.write(f"root/{name}", text, 0o755)
            # apt has a path of its own.
            (self.root / "usr/bin" / name).touch()
            run("mount", "--bind", self.root / "root" / name, self.root / "usr/bin" / name)
        self.secrets = {"qiniu-1": secrets.token_urlsafe(30), "secret": secrets.token_urlsafe(30)}
        self.key = secrets.token_urlsafe(32)
        folder = self.root / "root"
        self.issuers = [Issuer(folder, "old"), Issuer(folder, "new")]

    def write(self, path, text, mode=0o644):
        (self.root / path).write_text(text)
        (self.root / path).chmod(mode)

    def prepare(self, configuration):
        digest = hashlib.sha256(self.key.encode()).hexdigest()
        self.write("etc/countersign/countersign.json5", configuration.replace("<YOUR-DIGEST>", digest), 0o640)
        for name, text in [("audit", secrets.token_urlsafe(32)), ("tickets", secrets.token_urlsafe(32)),
                           ("qiniu-1", self.secrets["qiniu-1"])]:
            self.write(f"etc/countersign/secrets/{name}", text + "\n", 0o640)
        self.write("etc/countersign/secret", self.secrets["secret"], 0o600)
        self.write("etc/countersign/key", self.key + "\n", 0o600)
        self.write("etc/countersign/login.jwks", json.dumps(self.issuers[0].keys))
        self.write("etc/countersign/new.jwks", json.dumps(self.issuers[1].keys))
        for folder in ["etc/countersign/secrets", "etc/countersign"]:
            self.certificate(folder)
        run("chroot", self.root, "sh", "-c", "chgrp countersign /etc/countersign/countersign.json5 /etc/countersign/secrets/*")
        self.follow("systemctl start countersign")

    def certificate(self, folder):
        folder = self.root / folder
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "90",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "tls.key",
            "-out", folder / "tls.pem")
        (folder / "tls.key").chmod(0o640)

    def follow(self, commands):
        """Runs commands as root does, and returns the output; the shell ends with the first that fails."""
        return subprocess.run(
            ["chroot", str(self.root), "bash", "-euo", "pipefail", "-c", commands], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=120,
            env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root",
                 "DEBIAN_FRONTEND": "noninteractive"})

    def journal(self):
        return (self.root / "var/log/journal-of-countersign").read_text()


class Client:
    """Asks by TLS for tokens."""

    def __init__(self, machine):
        self.machine, self.key = machine, machine.key
        self.good, self.bad, self.ends = 0, [], threading.Event()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def send(self, credential, target="/qiniu/uptoken?key=photos/a.jpg", body=None):
        client = http.client.HTTPSConnection("127.0.0.1", 8080, timeout=20, context=self.context)
        try:
            headers = {"Host": "localhost", "Content-Type": "application/json"}
            if credential:
                headers["Authorization"] = f"Bearer {credential}"
            client.request("POST" if body else "GET", target, headers=headers, body=body)
            answer = client.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            client.close()

    def signs_by(self, secret):
        """Whether the vendor's secret of this moment is this one (the signature of a put policy)."""
        access, signature, policy = self.send(self.key)[1]["token"].split(":")
        code = hmac.new(self.machine.secrets[secret].encode(), policy.encode(), hashlib.sha1).digest()
        return access == {"qiniu-1": "access-key-1", "secret": "access-key-2"}[secret] \
            and base64.urlsafe_b64encode(code).decode() == signature

    def certificate(self):
        return ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", 8080)))

    def _run(self):
        while not self.ends.is_set():
            try:
                status = self.send(self.key)[0]
                # What waits for the disk while a reload changes its grant is to ask again: "Start, reload, stop".
                if status == 503:
                    status = self.send(self.key)[0]
            except OSError as fault:
                status = repr(fault)
            if status == 200:
                self.good += 1
            else:
                self.bad.append(status)

    def __enter__(self):
        self.good, self.bad = 0, []
        self.ends.clear()
        self.threads = [threading.Thread(target=self._run) for _ in range(2)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def procedures(page):
    """Of each procedure of the page the title and the commands of each step."""
    section = page.split("\n## Procedures\n")[1].split("\n## ")[0]
    preamble, *parts = section.split("\n### ")
    fences = r"^( *)```sh\n(.*?)^\1```$"

    def commands(text):
        return ["\n".join(line.removeprefix(indent) for line in body.splitlines())
                for indent, body in re.findall(fences, text, re.MULTILINE | re.DOTALL)]

    configuration = re.search(r"^```json5\n(.*?)^```$", preamble, re.MULTILINE | re.DOTALL)[1]
    begin, = commands(preamble)
    return configuration, begin, {part.partition("\n")[0]: commands(part) for part in parts}


def main():
    machine, claims = Machine(sys.argv[1]), Claims()
    configuration, begin, lists = procedures(PAGE.read_text())
    machine.prepare(configuration)
    client = Client(machine)

    def follow(title, under_load=True, after={}):
        """Each step of a procedure, and after some steps what must hold then."""
        steps = lists.pop(title)
        if under_load:
            client.__enter__()
        for number, commands in enumerate(steps, start=1):
            done = machine.follow(f"{begin}\n{commands}")
            claims.check(f"{title}: its commands {number} of {len(steps)} succeed", done.returncode == 0)
            if done.returncode:
                print(commands, done.stdout[-2000:], done.stderr[-2000:], machine.journal()[-2000:], sep="\n")
                break
            for claim, holds in after.get(number, []):
                claims.check(f"{title}: {claim}", holds(done.stdout))
        if under_load:
            client.__exit__(None, None, None)
            claims.check(f"{title}: none of {client.good} requests failed meanwhile: {client.bad[:3]}",
                         client.good > 0 and not client.bad)

    def version():
        return machine.follow("countersign version && dpkg-query -W -f '${Version}' countersign").stdout.split()[-1]

    def status(credential, *arguments):
        return client.send(credential, *arguments)[0]

    def made(_):
        return json.loads((machine.root / "etc/countersign/made").read_text())["key"]

    old = version()
    follow("An upgrade", after={2: [("the new package is there", lambda _: version() == f"{old}+1")]})
    follow("A rollback", after={2: [("the old package is there", lambda _: version() == old)]})

    claims.check("the first secret signs", client.signs_by("qiniu-1"))
    follow("Another key of a vendor", after={
        2: [("the new secret signs", lambda _: client.signs_by("secret"))],
        3: [("the new secret signs still", lambda _: client.signs_by("secret"))]})

    first = client.key

    def use_new(_):
        client.key = made(None)
        return status(client.key) == 200 and status(first) == 200

    follow("Another API key", after={
        1: [("both keys are good, and the client uses the new one", use_new)],
        2: [("the old key is refused", lambda _: status(first) == 401)]})
    machine.write("etc/countersign/key", client.key + "\n", 0o600)

    tokens = [issuer.token() for issuer in machine.issuers]
    claims.check("the issuer's old key is good, and its new one is not yet",
                 [status(token) for token in tokens] == [200, 401])
    follow("Another key of an issuer of tokens", after={
        1: [("both are good", lambda _: [status(token) for token in tokens] == [200, 200])],
        2: [("the new one alone is", lambda _: [status(token) for token in tokens] == [401, 200])]})

    def ticket():
        answer = client.send(client.key, "/tickets", json.dumps({"grant": "photos", "expires": 600, "key": "photos/a.jpg"}))[1]
        return f"/qiniu/uptoken?ticket={answer['ticket']}"

    before = ticket()
    claims.check("a ticket is good", status(None, before) == 200)
    follow("Another secret of tickets", after={
        1: [("it is refused", lambda _: status(None, before) == 401), ("new ones are good", lambda _: status(None, ticket()) == 200)]})

    shown = client.certificate()
    follow("A new certificate and its key", after={3: [("the new one is shown", lambda _: client.certificate() != shown)]})
    follow("Another key of the audit", under_load=False, after={
        1: [("it serves again", lambda _: status(client.key) == 200)], 2: [("all lines are whole", lambda said: "whole" in said)]})

    # A copy of a moment, after which some lines are written; then the disk is gone.
    machine.follow("cp -a /var/lib/countersign /var/backups/countersign && rm /var/backups/countersign/audit.jsonl.*")
    client.send(client.key)
    (machine.root / "var/lib/countersign").rename(machine.root / "var/lost")
    follow("The disk of the audit is lost", under_load=False, after={
        3: [("what was copied is whole", lambda said: "whole" in said)],
        4: [("it serves again", lambda _: status(client.key) == 200)],
        5: [("the file is one chain", lambda said: "whole" in said)]})

    leaked = client.key
    follow("A leaked API key", under_load=False, after={
        2: [("the caller is shut out", lambda _: status(leaked) == 403)],
        3: [("what was issued is listed", lambda said: "photos/a.jpg" in said)],
        4: [("the new key is not let in yet", lambda _: status(made(None)) in (401, 403))],
        5: [("the new key is let in, the leaked one is not", lambda _: [status(made(None)), status(leaked)] == [200, 401])],
        6: [("the log tells of it", lambda said: int(said.split()[0]) > 0)]})
    claims.check(f"all procedures were followed {list(lists)}", not lists)
    machine.follow("systemctl stop countersign")
    claims.finish()


if __name__ == "__main__":
    main()
