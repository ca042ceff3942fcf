"""Replicas with Redis behind HAProxy, by the examples in deploy/, and clients that ask them all the time."""

import base64
import collections
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from proxied import CONTEXT, EXAMPLES, Proxied
from service import Service, free_port

HAPROXY = EXAMPLES[0]
USERS = pathlib.Path("deploy/redis/users.acl")
CLOCK = pathlib.Path(__file__).with_name("clock.c")
NAMES = ["a", "b", "c"]
PASSWORD, CLUSTER_KEY, ALICE, ISSUER, TICKETS, ADMINISTRATOR = (secrets.token_urlsafe(32) for _ in range(6))


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def wait(condition, seconds=30.0):
    """Seconds until it became true; nothing where it did not in time."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > seconds:
            return None
        time.sleep(0.01)
    return time.monotonic() - begin


def token(subject):
    """A JWT of the issuer for an hour."""
    def part(value):
        return base64.urlsafe_b64encode(value if isinstance(value, bytes) else json.dumps(value).encode()).rstrip(b"=")
    body = part({"alg": "HS256"}) + b"." + part(
        {"iss": "https://id.example.com", "aud": "uploads", "sub": subject, "exp": int(time.time()) + 3600})
    return (body + b"." + part(hmac.digest(ISSUER.encode(), body, "sha256"))).decode()


class Redis:
    """Debian's Redis with the user of deploy/redis, and one for this check; it keeps what `SAVE` has written."""

    def __init__(self, *options):
        self.port, self.options = free_port(), options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-redis-"))
        users = USERS.read_text().rstrip().replace("<YOUR-REDIS-DIGEST>", digest(PASSWORD))
        (self.folder / "users.acl").write_text(f"{users}\nuser check on #{digest(ADMINISTRATOR)} ~* &* +@all\n")
        self.log = self.folder / "log"
        self.process = None
        self.start()

    def start(self, *options, waits=True):
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir",
                 str(self.folder), "--aclfile", str(self.folder / "users.acl"), "--enable-debug-command", "yes",
                 *self.options, *options], stdout=log, stderr=log)
        if waits and wait(self.answers) is None:
            raise SystemExit(f"Redis does not answer: {self.log.read_text()[-2000:]}")

    def ask(self, *words):
        answer = subprocess.run(
            ["redis-cli", "-p", str(self.port), "--user", "check", "--pass", ADMINISTRATOR, "--no-auth-warning", *words],
            capture_output=True, text=True, timeout=60)
        return (answer.stdout + answer.stderr).strip()

    def answers(self):
        return self.ask("PING") == "PONG"

    def kill(self):
        self.process.kill()
        self.process.wait(30)

    def empty(self):
        (self.folder / "dump.rdb").unlink(missing_ok=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGCONT)
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Cluster(Proxied):
    """Replicas that share what lies in Redis."""

    def __init__(self, binary, servers, grants, credentials="", limits="", count=3, clocks=None):
        """`servers` are of Redis, `limits` stands for all requests; `clocks` has the seconds by which each replica's clock is wrong."""
        self.servers, self.grants, self.credentials, self.limits = servers, grants, credentials, limits
        self.clocks = clocks or [0] * count
        self.admin_ports = [free_port() for _ in range(count)]
        super().__init__(binary, HAPROXY, count)
        if wait(lambda: all(self.is_heard(at) for at in range(count))) is None or wait(self.answers) is None:
            log = self.instances[0].log.read_text()
            self.__exit__()
            raise SystemExit(f"the replicas do not find each other: {log[-2000:]}")
        # HAProxy looks at each server twice before it leaves one out.
        time.sleep(1)

    def start(self, port):
        at = self.ports.index(port)
        servers = ", ".join(f'"redis://127.0.0.1:{redis.port}"' for redis in self.servers)
        environment = {"LD_PRELOAD": str(self.clock()), "CLOCK_AHEAD": str(self.clocks[at])} if self.clocks[at] else None
        cluster = f'''cluster: {{
          servers: [{servers}], user: "countersign", password: "{PASSWORD}", key: "{CLUSTER_KEY}", instance: "{NAMES[at]}" }},''' \
            if self.servers else ""
        return Service(
            self.binary, 'trustedProxies: "127.0.0.1",', listen=f"127.0.0.1:{port}", environment=environment,
            admin=f'listen: "127.0.0.1:{self.admin_ports[at]}"',
            rest=f'''
              {self.limits} {cluster}
              brake: {{ file: "{self.folder}/brakes-{NAMES[at]}.json" }},
              authentication: {{
                apiKeys: [{{ id: "alice", sha256: "{digest(ALICE)}" }}], tickets: {{ secret: "{TICKETS}" }},
                jwt: [{{
                  id: "login", issuer: "https://id.example.com", audience: "uploads", algorithms: "HS256", secret: "{ISSUER}" }}] }},
              credentials: {{
                "kodo": {{ provider: "qiniu", sandbox: true, accessKey: "a-key-of-the-checks", secretKey: "a-secret-of-the-checks" }},
                {self.credentials} }},
              grants: {{ {self.grants} }},''')

    def clock(self):
        """What puts a clock forward or back. The Swift toolchain has the compiler."""
        library = self.folder / "clock.so"
        if not library.exists():
            subprocess.run(["clang", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", str(CLOCK), "-o", str(library)], check=True)
        return library

    def answers(self):
        client = Client(self.port)
        try:
            return client.ask("/livez")[0] == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            client.close()

    def ask(self, at, *request):
        """Status and content of a replica's answer, by a connection of its own and not by HAProxy."""
        client = Client(self.ports[at], over_tls=False)
        try:
            return client.ask(*request)
        finally:
            client.close()

    def date(self, at):
        """What the replica's clock says."""
        client = http.client.HTTPConnection("127.0.0.1", self.ports[at], timeout=10)
        client.request("GET", "/livez")
        date = client.getresponse().getheader("Date")
        client.close()
        return date

    def admin(self, at, path):
        """Status and text of the replica's answer to its operator."""
        client = http.client.HTTPConnection("127.0.0.1", self.admin_ports[at], timeout=10)
        try:
            client.request("GET", path)
            answer = client.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return None, ""
        finally:
            client.close()

    def is_heard(self, at):
        """Whether the replica is ready, hears Redis, and knows of all others."""
        status, text = self.admin(at, "/readyz")
        if status != 200 or json.loads(text)["parts"].get("cluster", "ok") != "ok":
            return False
        return not self.servers or self.metric(at, "countersign_cluster_replicas") == len(self.admin_ports)

    def has_lost(self, at):
        """Whether the replica is ready, and its operator is told everywhere that it does not hear Redis."""
        status, text = self.admin(at, "/readyz")
        return (status == 200 and json.loads(text)["parts"]["cluster"] == "failing"
                and self.metric(at, "countersign_cluster_ready") == 0
                and "Redis is not heard" in self.instances[at].log.read_text().rpartition("Redis answers")[2])

    def metric(self, at, name):
        """The sum of a metric over its labels."""
        lines = re.findall(rf"^{name}(?:{{.*}})? (\S+)$", self.admin(at, "/metrics")[1], re.MULTILINE)
        return sum(map(float, lines))

    def order(self, at, *words):
        """Has a replica's operator stop or release something. The moment when the command ended."""
        instance = self.instances[at]
        answer = subprocess.run(
            [self.binary, *words, "--config", str(instance.path)], capture_output=True, text=True, timeout=30,
            env=instance.environment)
        if answer.returncode != 0:
            raise SystemExit(f"{words}: {answer.stderr}")
        return time.monotonic()


class Client:
    """A connection that is kept, by HAProxy and TLS or to one replica."""

    def __init__(self, port, source="127.0.0.1", over_tls=True):
        if over_tls:
            self.connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, source_address=(source, 0), context=CONTEXT)
        else:
            self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20, source_address=(source, 0))

    def ask(self, target, headers=None, method="GET", body=None):
        """Status and content of the answer."""
        try:
            self.connection.request(method, target, body, headers or {})
            answer = self.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def close(self):
        self.connection.close()


Asked = collections.namedtuple("Asked", ["sent", "received", "status"])


class Stream:
    """Clients that ask for one thing, so many times a second together, each on a connection of its own."""

    def __init__(self, target, port, rate, key=None, sources=("127.0.0.1",), over_tls=True, expecting=(200,)):
        self.target, self.port, self.rate, self.sources, self.over_tls = target, port, rate, sources, over_tls
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}
        self.expecting, self.answers = expecting, []

    def run(self, number, ends):
        """One client, until the end."""
        client = Client(self.port, self.sources[number], self.over_tls)
        pause = len(self.sources) / self.rate
        due = time.monotonic() + pause * number / len(self.sources)
        while not ends.wait(max(0, due - time.monotonic())):
            sent = time.monotonic()
            try:
                status = client.ask(self.target, self.headers)[0]
            except (OSError, http.client.HTTPException) as fault:
                status = repr(fault)
            received = time.monotonic()
            self.answers.append(Asked(sent, received, status))
            # Who is late catches up, but for more than a second.
            due = max(due + pause, received - 1)
        client.close()

    def since(self, begin):
        return [asked for asked in self.answers if asked.received >= begin]

    def failures(self, since=0.0):
        return [asked.status for asked in self.since(since) if asked.status not in self.expecting]

    @property
    def is_given(self):
        """Whether the last answer was what was asked for."""
        last = self.answers[-1:]
        return bool(last) and last[0].status == 200

    def given(self, since=0.0):
        return sorted(asked.received for asked in self.since(since) if asked.status == 200)


class Load:
    """Streams, until the end of the block."""

    def __init__(self, *streams):
        self.streams, self.ends, self.threads = streams, threading.Event(), []
        self.forgotten = []

    def __enter__(self):
        self.threads = [
            threading.Thread(target=stream.run, args=(number, self.ends))
            for stream in self.streams for number in range(len(stream.sources))]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()

    def failures(self, since=0.0):
        return [status for stream in self.streams for status in stream.failures(since)]

    def forget(self):
        """Begins anew with the answers, but for failures."""
        for stream in self.streams:
            answers, stream.answers = stream.answers, stream.answers[-1:]
            self.forgotten += [asked.status for asked in answers[:-1] if asked.status not in stream.expecting]

    @property
    def all_failures(self):
        return self.forgotten + self.failures()

    def count(self, since=0.0):
        return sum(len(stream.since(since)) for stream in self.streams)


def excess(moments, count, per_second, since=0.0):
    """How many more tokens a span of time has, which ends after a moment, than one bucket gives in it: all that it holds, and what
    comes meanwhile."""
    most, lowest = 0, float("inf")
    for number, moment in enumerate(moments):
        level = number - per_second * moment
        lowest = min(lowest, level)
        if moment >= since:
            most = max(most, level - lowest + 1 - count)
    return most


def ask_at_once(port, count, target):
    """The statuses and contents of as many requests by HAProxy, all of which are sent before one is answered."""
    clients = [Client(port, f"127.0.1.{number % 200 + 1}") for number in range(count)]
    try:
        for client in clients:
            client.connection.connect()
        for client in clients:
            client.connection.request("GET", target)
        answers = [client.connection.getresponse() for client in clients]
        return [(answer.status, answer.read()) for answer in answers]
    finally:
        for client in clients:
            client.close()


class Table:
    """Rows for people to read."""

    def __init__(self, title, *columns):
        self.title, self.rows = title, [columns, ["---"] * len(columns)]

    def add(self, *cells):
        self.rows.append(cells)

    def text(self):
        return "\n".join([f"## {self.title}", ""] + ["| " + " | ".join(map(str, row)) + " |" for row in self.rows]) + "\n"
