#!/usr/bin/env python3
"""Follows the procedures of docs/operations.md in a Debian with the package: each command as it stands there, in the order of the page,
while a client asks for tokens; the one about replicas at three of them, with a Redis. There is no systemd: a stand-in starts the service
and brings the signals to it.

usage: scripts/operated.py ROOT     (called by scripts/check-operations, in namespaces of its own)
"""

import base64
import fcntl
import hashlib
import hmac
import http.client
import itertools
import json
import pathlib
import re
import secrets
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import threading
import time
import urllib.request

from monitored import Vendor, sessions
from service import Claims

PAGE = pathlib.Path("docs/operations.md")
TARGET, SESSION = "/qiniu/uptoken?key=photos/a.jpg", "/distribute-token.json"
SYSTEMCTL = r"""#!/bin/sh
echo "$*" >>/var/log/systemctl
service() {
    for stat in /proc/[0-9]*/stat; do
        # Other replicas have other roots.
        [ "$(readlink "${stat%stat}root")" = / ] && grep -l '(countersign) [^Z]' "$stat" 2>/dev/null
    done | cut -d / -f 3 | tail -n 1
}
case $* in
*restart*) systemctl stop countersign && systemctl start countersign ;;
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
        self.secrets = {name: secrets.token_urlsafe(30) for name in ["qiniu-1", "secret", "audit", "tickets"]}
        self.key = secrets.token_urlsafe(32)
        folder = self.root / "root"
        self.issuers = [Issuer(folder, "old"), Issuer(folder, "new")]

    def write(self, path, text, mode=0o644):
        (self.root / path).write_text(text)
        (self.root / path).chmod(mode)

    def prepare(self, configuration):
        self.configuration = configuration
        digest = hashlib.sha256(self.key.encode()).hexdigest()
        self.write("etc/countersign/countersign.json5", configuration.replace("<YOUR-DIGEST>", digest), 0o640)
        for name in ["qiniu-1", "audit", "tickets"]:
            self.write(f"etc/countersign/secrets/{name}", self.secrets[name] + "\n", 0o640)
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


class Replica(Machine):
    """A machine beside the first: the same Debian with files of its own, and the service at an address of its own."""

    OWN, HOSTS = ["etc/countersign", "var/lib/countersign", "var/log"], itertools.count(2)

    def __init__(self, machine, name, members, cluster_key, vendor):
        self.__dict__.update(machine.__dict__)
        self.name, self.host = f"replica-{name}", f"127.0.0.{next(self.HOSTS)}"
        folder = machine.root.parent / self.name
        self.root = folder / "root"
        self.root.mkdir(parents=True)
        run("mount", "--rbind", machine.root, self.root)
        for path in self.OWN:
            (folder / path).mkdir(parents=True)
            shutil.copystat(machine.root / path, folder / path)
            run("chown", "--reference", machine.root / path, folder / path)
            run("mount", "--bind", folder / path, self.root / path)
        (self.root / "etc/countersign/secrets").mkdir()
        self.write("etc/countersign/secrets/cluster-1", cluster_key + "\n", 0o640)
        self.prepare(self.fit(machine.configuration, members, vendor))

    def fit(self, configuration, members, vendor):
        """The page's configuration with the page's members of a replica, and sessions of a vendor."""
        credentials, grants = sessions(vendor.port)
        shared = grants.replace('"anonymous"], public: true', '"apiKey:app"], shareAcrossCallers: true')
        for before, after in [
                ("version: 1,", f'version: 1,\n  admin: {{ listen: "{self.host}:8081" }},\n{members}'),
                ("127.0.0.1:8080", f"{self.host}:8080"), ("cluster: {", f'cluster: {{ instance: "{self.name}",'),
                ('provider: "qiniu",', 'provider: "qiniu", sandbox: true,'),
                ("credentials: {", f"credentials: {{ {credentials}"), ("grants: {", f"grants: {{ {shared}")]:
            assert before in configuration, f"{PAGE} has no {before}"
            configuration = configuration.replace(before, after, 1)
        return configuration

    def end(self):
        self.follow("systemctl stop countersign")
        run("umount", "--recursive", self.root)

    def is_heard(self):
        """Whether it serves as one of the replicas."""
        try:
            with urllib.request.urlopen(f"http://{self.host}:8081/readyz", timeout=5) as answer:
                return json.load(answer)["parts"]["cluster"] == "ok"
        except OSError:
            return False


class Client:
    """Asks by TLS for tokens."""

    def __init__(self, machine):
        self.machine, self.key = machine, machine.key
        self.good, self.bad, self.ends = 0, [], threading.Event()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def send(self, credential, target=TARGET, body=None, host="127.0.0.1"):
        client = http.client.HTTPSConnection(host, 8080, timeout=20, context=self.context)
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

    def ask(self):
        """The status of one request."""
        return self.send(self.key)[0]

    def _run(self):
        while not self.ends.is_set():
            try:
                status = self.ask()
                # What waits for the disk while a reload changes its grant is to ask again: "Start, reload, stop".
                if status == 503:
                    status = self.ask()
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


class BalancedClient(Client):
    """Asks one replica after the other for tokens and sessions, as behind a load balancer: the next one, where one does not listen."""

    def __init__(self, replicas):
        super().__init__(replicas[0])
        self.turns = itertools.cycle(itertools.product([TARGET, SESSION], [replica.host for replica in replicas]))

    def ask(self):
        for _ in range(4):
            target, host = next(self.turns)
            try:
                return self.send(self.key, target, host=host)[0]
            except ConnectionRefusedError:
                pass
        raise ConnectionRefusedError("no replica listens")


def procedures(page):
    """The configuration of the page, its first commands, and of each procedure the title with the commands of each step and, where
    its configuration has more, that."""
    section = page.split("\n## Procedures\n")[1].split("\n## ")[0]
    preamble, *parts = section.split("\n### ")
    fences = r"^( *)```sh\n(.*?)^\1```$"

    def commands(text):
        return ["\n".join(line.removeprefix(indent) for line in body.splitlines())
                for indent, body in re.findall(fences, text, re.MULTILINE | re.DOTALL)]

    def members(text):
        found = re.search(r"^```json5\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        return found and found[1]

    begin, = commands(preamble)
    return members(preamble), begin, {part.partition("\n")[0]: (commands(part), members(part)) for part in parts}


def wait_for(holds):
    """Whether it holds within twenty seconds."""
    deadline = time.monotonic() + 20
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def change_cluster_key(title, machine, begin, steps, members, claims):
    """Follows the last step at one of three replicas, all others at each of them, with a brake and a ticket from before."""
    *steps, last = steps
    keys = {name: secrets.token_urlsafe(32) for name in ["old", "new"]}
    redis = subprocess.Popen(
        ["chroot", str(machine.root), "redis-server", "--bind", "127.0.0.1", "--save", ""], stdout=subprocess.DEVNULL)
    with Vendor() as vendor:
        replicas = [Replica(machine, number, members, keys["old"], vendor) for number in range(1, 4)]
        for replica in replicas:
            replica.write("etc/countersign/cluster", keys["new"] + "\n", 0o600)
        client, token = BalancedClient(replicas), machine.issuers[0].token()

        def follow(replica, commands):
            done = replica.follow(f"{begin}\n{commands}")
            if done.returncode:
                print(commands, done.stdout[-2000:], done.stderr[-2000:], replica.journal()[-2000:], sep="\n")
            return done.returncode == 0

        def stopped(replica):
            return client.send(token, host=replica.host)[0] == 403

        def switch(replica, word, others):
            """Stops the issuer's caller at a replica, or sets it free; whether the others know of it."""
            return follow(replica, f"countersign {word} caller jwt:login/42 --reason 'a check'") and wait_for(
                lambda: all(stopped(other) == (word == "brake") for other in others))

        def use(replica):
            answer = client.send(None, f"/qiniu/uptoken?ticket={ticket}", host=replica.host)
            return answer[1].get("code", answer[0])

        def finds_session(replica):
            """Whether a replica that has just begun has a session without asking the vendor."""
            calls = len(vendor.calls)
            return client.send(client.key, SESSION, host=replica.host)[0] == 200 and len(vendor.calls) == calls

        claims.check(f"{title}: three replicas share a Redis", wait_for(lambda: all(map(Replica.is_heard, replicas))))
        claims.check(f"{title}: a caller that is stopped at one is stopped at all", switch(replicas[0], "brake", replicas))
        body = json.dumps({"grant": "photos", "expires": 600, "key": "photos/a.jpg", "uses": len(steps)})
        ticket = client.send(client.key, "/tickets", body, replicas[0].host)[1]["ticket"]

        with client:
            for number, commands in enumerate(steps, start=1):
                for replica in replicas:
                    claims.check(f"{title}: its commands {number} succeed at {replica.name}", follow(replica, commands))
                    claims.check(f"{title}: it is one of the replicas again", wait_for(replica.is_heard))
                    if (number, replica) == (2, replicas[0]):
                        claims.check(f"{title}: replicas of both keys tell each other of brakes",
                                     switch(replicas[0], "release", replicas) and switch(replicas[2], "brake", replicas))
                claims.check(f"{title}: who was stopped still is", all(map(stopped, replicas)))
                claims.check(f"{title}: a use of the ticket counts", use(replicas[number - 1]) == 200)
        claims.check(f"{title}: none of {client.good} requests failed meanwhile: {client.bad[:3]}", client.good > 0 and not client.bad)
        claims.check(f"{title}: the ticket is used up at each", set(map(use, replicas)) == {"ticket_spent"})
        claims.check(f"{title}: a new process has the session that the new key has sealed",
                     follow(replicas[0], "hand_over") and wait_for(replicas[0].is_heard) and finds_session(replicas[0]))
        claims.check(f"{title}: its last commands succeed", follow(replicas[0], last))
        strangers = {name: Replica(machine, name, members, key, vendor) for name, key in keys.items()}
        claims.check(f"{title}: a replica of the new key knows the brake", wait_for(lambda: stopped(strangers["new"])))
        claims.check(f"{title}: one of the old key cannot read it", wait_for(
            lambda: "was not sealed by cluster.key" in strangers["old"].journal()) and not stopped(strangers["old"]))
        claims.check(f"{title}: nor finds it a session", not finds_session(strangers["old"]))
        for replica in [*replicas, *strangers.values()]:
            replica.end()
    redis.terminate()
    redis.wait()


def main():
    machine, claims = Machine(sys.argv[1]), Claims()
    configuration, begin, lists = procedures(PAGE.read_text())
    machine.prepare(configuration)
    client = Client(machine)

    def follow(title, under_load=True, after={}):
        """Each step of a procedure, and after some steps what must hold then."""
        steps, _ = lists.pop(title)
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

    title = "Another key of the cluster"
    change_cluster_key(title, machine, begin, *lists.pop(title), claims)

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
