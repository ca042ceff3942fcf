#!/usr/bin/env python3
"""Makes the faults that the alerts name, at services that run here, and looks at them a few times each. To promtool each look is a minute
later than the one before: so nobody waits for an hour. Then has Prometheus itself look at a service, and asks it what the dashboard asks.

usage: scripts/monitored.py BINARY [FAULT...]     (called by scripts/check-monitoring, in namespaces of its own)
"""

import contextlib
import datetime
import email.utils
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from service import Claims, free_port

ALERTS, DASHBOARD = pathlib.Path("deploy/alerts.yml"), pathlib.Path("deploy/grafana.json")
KEY = "a-key-of-the-checks-0123456789"
FAKETIME = next(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)
SIGNING = '"nos": { provider: "nos", accessKey: "a", secretKey: "a-secret-of-the-checks" },'
FILES = '''"files": {
  route: "nos.token", credential: "nos", callers: ["anonymous"], public: true, bucket: "b", keyPrefix: "a/", unscoped: false },'''


def iso(seconds):
    return datetime.datetime.fromtimestamp(time.time() + seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Vendor:
    """Stands in for Alibaba Cloud STS, well or not."""

    def __init__(self, code=None, delay=0, clock=0, hangs=False):
        """`delay` are seconds until an answer, and may change."""
        vendor, self.ends = self, threading.Event()
        self.delay, self.calls = 3600 if hangs else delay, []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.do_GET()

            def do_GET(self):
                vendor.calls.append(time.monotonic())
                vendor.ends.wait(vendor.delay)
                body = {"RequestId": "1", "Code": code, "Message": "no"} if code else {
                    "RequestId": "1", "Credentials": {
                        "AccessKeyId": "STS.check", "AccessKeySecret": "s", "SecurityToken": "t",
                        "Expiration": iso(clock + 3600)}}
                body = json.dumps(body).encode()
                self.send_response_only(403 if code else 200)
                self.send_header("Date", email.utils.formatdate(time.time() + clock, usegmt=True))
                self.send_header("Content-Length", str(len(body)))
                # Who has asked may have gone.
                with contextlib.suppress(OSError):
                    self.end_headers()
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.server.shutdown()
        self.server.server_close()


def sessions(port, limits=""):
    """Credentials and grants by which a service asks a vendor at a port."""
    credentials = f'''"sts": {{
      provider: "sts", sandbox: true, endpoints: "http://127.0.0.1:{port}", accessKey: "a", secretKey: "a-secret-of-the-checks",
      roleArn: "acs:ram::1234567890123456:role/r", ossEndpoint: "http://oss.localhost:1", limits: {{ {limits} }} }},'''
    grants = '''"sessions": {
      route: "distribute-token", credential: "sts", callers: ["anonymous"], public: true,
      bucket: "b", keyPrefix: "up/", actions: ["oss:PutObject"] },'''
    return credentials, grants


class Instance:
    """A service that is looked at."""

    def __init__(self, run, server="", credentials="", grants="", rest="", log="", environment=None, files=None, loses_log=False):
        self.run, self.folder = run, pathlib.Path(tempfile.mkdtemp(dir=run.folder))
        self.port, self.admin = free_port(), free_port()
        self.path = self.folder / "countersign.json5"
        self.path.touch(0o600)
        if not credentials:
            credentials, grants = SIGNING, FILES + grants
        self.path.write_text(
            f'{{ version: 1, server: {{ listen: "127.0.0.1:{self.port}", {server} }},'
            f' admin: {{ listen: "127.0.0.1:{self.admin}" }}, log: {{ format: "text", {log} }},'
            f' credentials: {{ {credentials} }}, grants: {{ {grants} }}, {rest} }}')
        self.environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})}
        self.files, self.loses_log, self.log = files, loses_log, self.folder / "log"
        run.instances.append(self)
        self.start()

    def start(self):
        self.connection = None
        # A pipe that nobody reads.
        self.pipe = os.pipe() if self.loses_log else None
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [self.run.binary, "serve", "--config", str(self.path)], stdout=log, stderr=self.pipe[1] if self.pipe else log,
                env=self.environment,
                preexec_fn=lambda: self.files and resource.setrlimit(resource.RLIMIT_NOFILE, (self.files, self.files)))
        self.wait(lambda: self.metrics() is not None, "it does not serve")

    def wait(self, condition, complaint):
        deadline = time.monotonic() + 30
        while not condition():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"{self.run.name}: {complaint}: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.wait(30)

    def metrics(self):
        """The page, by one connection that stays open; nothing if nobody answers."""
        for _ in range(2):
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection("127.0.0.1", self.admin, timeout=10)
                self.connection.request("GET", "/metrics")
                return self.connection.getresponse().read().decode()
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.connection = None
        return None

    def value(self, sample):
        found = re.search(rf"^{re.escape(sample)} (\S+)$", self.metrics() or "", re.MULTILINE)
        return float(found[1]) if found else 0

    def ask(self, target="/nos/token?object=a/b", times=1, key=None):
        """The last status of some requests."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        status = None
        for _ in range(times):
            client.request("GET", target, headers={"Authorization": f"Bearer {key}"} if key else {})
            answer = client.getresponse()
            answer.read()
            status = answer.status
        client.close()
        return status

    def ask_session(self, at):
        """A session that was not asked for before."""
        return self.ask(f"/distribute-token.json?expires={1000 + at}")


class Run:
    """A fault, and what was seen of it: each sample of each look."""

    def __init__(self, name, binary, folder, wanted):
        self.name, self.binary, self.folder, self.wanted = name, binary, folder, wanted
        self.instances, self.series, self.looks, self.begin = [], {}, 0, time.time()

    def look(self):
        for number, instance in enumerate(self.instances):
            own = {"job": "countersign", "instance": f"host-{number}"}
            page = instance.metrics()
            self.add("up", own, 0 if page is None else 1)
            for name, labels, value in re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", page or "", re.MULTILINE):
                # The clock of promtool begins at zero.
                shift = self.begin if name.endswith(("_timestamp_seconds", "start_time_seconds")) else 0
                self.add(name, dict(re.findall(r'(\w+)="([^"]*)"', labels)) | own, float(value) - shift)
        self.looks += 1

    def add(self, name, labels, value):
        if name in self.wanted:
            pairs = ",".join(f'{label}="{text}"' for label, text in sorted(labels.items()))
            key = f"{name}{{{pairs}}}"
            values = self.series.setdefault(key, [])
            values += [None] * (self.looks - len(values)) + [value]

    def edit(self, part, values):
        """Puts other values into the series that has something in its name."""
        found = [key for key in self.series if part in key]
        assert len(found) == 1, f"{self.name}: {part} is in {found}"
        self.series[found[0]] = values(self.series[found[0]])

    def test(self, expected):
        """What promtool is to find of it, at the last look."""
        most = max(map(len, self.series.values()))
        texts = {key: " ".join("_" if value is None else f"{value:.6f}" for value in values) for key, values in self.series.items()}
        return {
            "interval": "1m", "name": self.name,
            "input_series": [{"series": key, "values": text} for key, text in texts.items()],
            "promql_expr_test": [{
                "expr": 'group by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{most - 1}m",
                "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in expected]}]}


# MARK: The faults. Each yields when it is to be looked at.

def nothing(run):
    with Vendor() as vendor:
        credentials, grants = sessions(vendor.port)
        instance = Instance(run, credentials=credentials, grants=grants)
        signing = Instance(run, rest=audit(run))
        for at in range(40):
            instance.ask_session(at % 5)
            signing.ask(times=50)
            # Some mistakes are usual.
            signing.ask("/nos/token?object=b")
            signing.ask(key="wrong")
            yield


def audit(run, folder=None):
    folder = folder or pathlib.Path(tempfile.mkdtemp(dir=run.folder))
    (folder / "audit").mkdir(mode=0o700, exist_ok=True)
    (folder / "key").touch(0o600)
    (folder / "key").write_text("a-key-of-the-audit-of-32-bytes-or-more")
    return f'audit: {{ file: "{folder}/audit/audit.jsonl", key: {{ file: "{folder}/key" }} }},'


@contextlib.contextmanager
def small_disk(run):
    folder = pathlib.Path(tempfile.mkdtemp(dir=run.folder))
    (folder / "audit").mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "tmpfs", str(folder / "audit")], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder / "audit")], check=True)


def fill(folder):
    with contextlib.suppress(OSError), (folder / "audit/fill").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def down(run):
    instance = Instance(run)
    yield from [None] * 3
    instance.stop(signal.SIGKILL)
    yield from [None] * 3


def restarting(run):
    instance = Instance(run)
    for _ in range(3):
        yield
        instance.stop(signal.SIGKILL)
        instance.start()
    yield


def full_disk(run):
    with small_disk(run) as folder:
        instance = Instance(run, rest=audit(run, folder) + api_key())
        yield
        fill(folder)
        for _ in range(4):
            instance.ask(times=20)
            # The refusal of a known caller has a line, too.
            instance.ask("/nos/token?object=b", times=20, key=KEY)
            yield


def wrong_clock(run):
    with Vendor(clock=3600) as vendor:
        credentials, grants = sessions(vendor.port)
        instance = Instance(run, credentials=credentials, grants=grants)
        yield
        for at in range(4):
            instance.ask_session(at)
            yield


def gone_vendor(run):
    credentials, grants = sessions(free_port(), 'callTimeout: "200ms", attemptTimeout: "100ms", patience: "300ms"')
    instance = Instance(run, credentials=credentials, grants=grants)
    yield
    for at in range(7):
        instance.ask_session(at)
        yield


def refusing_vendor(run):
    with Vendor("NoPermission") as vendor:
        credentials, grants = sessions(vendor.port, 'callsPerCaller: "1000/min"')
        instance = Instance(run, credentials=credentials, grants=grants)
        for at in range(22):
            instance.ask_session(at)
            yield


def used_up_calls(run):
    """More sessions than calls for them."""
    with Vendor() as vendor:
        credentials, grants = sessions(vendor.port, 'callsPerSecond: 1, callBurst: 1, patience: "100ms", callsPerCaller: "1000/min"')
        instance = Instance(run, credentials=credentials, grants=grants)
        for at in range(22):
            for part in range(3):
                instance.ask_session(3 * at + part)
            yield


def hanging_vendor(run):
    with Vendor(hangs=True) as vendor:
        credentials, grants = sessions(vendor.port, 'callTimeout: "60s", attemptTimeout: "30s", patience: "60s"')
        instance = Instance(run, credentials=credentials, grants=grants)
        yield
        clients = [socket.create_connection(("127.0.0.1", instance.port)) for _ in range(1100)]
        for client in clients:
            client.sendall(b"GET /distribute-token.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
        instance.wait(lambda: instance.value("countersign_sts_waiters") > 1000, "nobody waits")
        yield from [None] * 4
        for client in clients:
            client.close()


def slow_vendor(run):
    with Vendor(delay=0.7) as vendor:
        credentials, grants = sessions(vendor.port, 'patience: "5s", callsPerCaller: "1000/min"')
        instance = Instance(run, credentials=credentials, grants=grants)
        for at in range(18):
            instance.ask_session(at)
            yield


def gone_issuer(run):
    rest = f'''authentication: {{ jwt: [{{
      id: "login", issuer: "https://login.example.com", audience: "tokens", algorithms: "RS256", jwksRefresh: "1s",
      jwksUrl: "http://127.0.0.1:{free_port()}/keys" }}] }},'''
    instance = Instance(run, grants='''"more": {
      route: "nos.token", credential: "nos", callers: ["jwt:login"], bucket: "c", unscoped: true },''', rest=rest)
    sample = 'countersign_upstream_calls_total{target="issuerKeys",outcome="network"}'
    for _ in range(3):
        before = instance.value(sample)
        instance.wait(lambda: instance.value(sample) > before, "nobody asks the issuer")
        yield


def refusals(run):
    instance = Instance(run)
    for _ in range(22):
        instance.ask("/nos/token?object=b", times=100)
        yield


def wrong_keys(run):
    instance = Instance(run, rest=api_key())
    for _ in range(22):
        instance.ask(times=100, key="a-wrong-key-0123456789")
        instance.ask(times=20)
        yield


def api_key(ending=""):
    return f'authentication: {{ apiKeys: [{{ id: "app", sha256: "{hashlib.sha256(KEY.encode()).hexdigest()}", {ending} }}] }},'


def rates(run):
    instance = Instance(run, rest='rateLimit: { perAddress: "1/d" },')
    for _ in range(22):
        instance.ask(times=100)
        yield


def many_connections(run):
    instance = Instance(run, server="limits: { connections: 5 },")
    for _ in range(6):
        clients = [socket.create_connection(("127.0.0.1", instance.port)) for _ in range(20)]
        instance.wait(lambda: instance.value('countersign_connections_displaced_total{listener="public"}')
                      + instance.value('countersign_connections_refused_total{listener="public"}') > 0, "all are let in")
        yield
        for client in clients:
            client.close()


def tls(run, days):
    folder = tempfile.mkdtemp(dir=run.folder)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", str(days),
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", f"{folder}/key.pem",
         "-out", f"{folder}/certificate.pem"], check=True, capture_output=True)
    return (f'tls: {{ certificates: [{{ names: "localhost", certificateFile: "{folder}/certificate.pem",'
            f' keyFile: "{folder}/key.pem" }}] }},')


def failing_handshakes(run):
    instance = Instance(run, server=tls(run, 90))
    sample = 'countersign_tls_handshakes_total{outcome="failed"}'
    for _ in range(22):
        before = instance.value(sample)
        for _ in range(100):
            with socket.create_connection(("127.0.0.1", instance.port)) as client:
                client.sendall(b"GET / HTTP/1.1\r\n\r\n")
                client.recv(100)
        instance.wait(lambda: instance.value(sample) >= before + 100, "no handshake fails")
        yield


def ending_certificate(run):
    Instance(run, server=tls(run, 2))
    yield


def ending_key(run):
    Instance(run, rest=api_key(f'notAfter: "{iso(86_400)}"'))
    yield


def bad_configuration(run):
    instance = Instance(run)
    yield
    instance.path.write_text("{ version: 2 }")
    instance.process.send_signal(signal.SIGHUP)
    instance.wait(lambda: instance.value('countersign_reloads_total{outcome="failed"}') > 0, "it takes the configuration")
    yield


def old_configuration(run):
    """The other instance took its own up two hours later: its clock says so."""
    Instance(run)
    Instance(run, environment={"LD_PRELOAD": str(FAKETIME), "FAKETIME": "+2h"})
    yield from [None] * 33


def few_files(run):
    instance = Instance(run, files=64)
    yield
    clients = []
    for _ in range(100):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(("127.0.0.1", instance.port))
        clients.append(client)
    instance.wait(lambda: instance.value("process_open_fds") > 58, "it has files enough")
    yield from [None] * 7
    for client in clients:
        client.close()


def unread_log(run):
    instance = Instance(run, log='requests: true, buffer: "4KiB",', loses_log=True)
    for _ in range(12):
        # The pipe of the system takes 64 KiB.
        instance.ask(times=1000)
        yield


def unread_brakes(run):
    file = pathlib.Path(tempfile.mkdtemp(dir=run.folder)) / "brakes.json"
    instance = Instance(run, rest=f'brake: {{ file: "{file}" }},')
    yield
    file.write_text("{")
    file.chmod(0o600)
    instance.wait(lambda: instance.value("countersign_brake_file_ready") == 0, "it reads a broken file")
    yield


def lost_redis(run):
    """Nothing listens at port 1."""
    Instance(run, rest='cluster: { servers: "redis://127.0.0.1:1", key: "a-key-of-the-cluster-of-32-bytes-or-more" },')
    yield from [None] * 5


# What nobody can make here, or has time to wait for, is written over what a healthy service told.

def told(change):
    def make(run):
        Instance(run)
        yield from [None] * 2
        change(run)

    return make


def minutes(count, value):
    """A series: the value of each minute."""
    return lambda _: [value(at) for at in range(count)]


FAULTS = {
    nothing: [],
    down: ["CountersignDown"],
    restarting: ["CountersignRestarting"],
    full_disk: ["CountersignNotReady", "CountersignUnaudited", "CountersignAuditIncomplete"],
    wrong_clock: ["CountersignNotReady", "CountersignClockOff"],
    gone_vendor: ["CountersignVendorFailing"],
    refusing_vendor: ["CountersignVendorRefuses"],
    used_up_calls: ["CountersignVendorThrottles"],
    gone_issuer: ["CountersignIssuerKeysMissing"],
    hanging_vendor: ["CountersignRequestsWait"],
    slow_vendor: ["CountersignSlow"],
    refusals: ["CountersignManyRefused"],
    wrong_keys: ["CountersignCredentialsWrong"],
    rates: ["CountersignRateLimited"],
    many_connections: ["CountersignConnectionsRefused"],
    failing_handshakes: ["CountersignHandshakesFail"],
    ending_certificate: ["CountersignCertificateEnds"],
    ending_key: ["CountersignKeyEnds"],
    bad_configuration: ["CountersignReloadFailed"],
    old_configuration: ["CountersignConfigurationsDiffer"],
    few_files: ["CountersignFilesRunOut"],
    unread_log: ["CountersignLogLost"],
    unread_brakes: ["CountersignBrakesUnread"],
    lost_redis: ["CountersignClusterLost"],
    told(lambda run: run.edit('brakes{instance="host-0",job="countersign",kind="grant"}',
                              minutes(70, lambda at: 1))): ["CountersignBraked"],
    told(lambda run: run.edit('denied_total{instance="host-0",job="countersign",reason="internal_error"}',
                              minutes(15, lambda at: at))): ["CountersignFailing"],
    told(lambda run: run.edit("sts_credential_age_seconds", minutes(15, lambda at: 43_000 + 60 * at))): ["CountersignSessionsOld"],
    told(lambda run: run.edit("process_resident_memory_bytes", minutes(500, lambda at: 1.5e8 + 1e5 * at))): ["CountersignMemoryGrows"],
    told(lambda run: (run.edit("build_info", minutes(70, lambda at: 1)), run.series.update({
        'countersign_build_info{instance="host-1",job="countersign",version="0.0.0"}': [1] * 70}))): ["CountersignVersionsDiffer"],
}


def check_alerts(binary, folder, only, claims):
    rules = ALERTS.read_text()
    alerts, wanted = re.findall(r"alert: (\w+)", rules), set(re.findall(r"\b(?:countersign|process)_\w+|\bup\b", rules))
    expected = {name for names in FAULTS.values() for name in names}
    claims.check(f"each of {len(alerts)} alerts has a fault", set(alerts) == expected)
    for make, names in FAULTS.items():
        name = make.__name__ if make.__name__ != "make" else names[0]
        if only and name not in only:
            continue
        run = Run(name, binary, folder, wanted)
        for _ in make(run):
            run.look()
        test = folder / f"{name}.json"
        test.write_text(json.dumps({
            "rule_files": [str(ALERTS.resolve())], "evaluation_interval": "1m", "tests": [run.test(names)]}))
        for instance in run.instances:
            instance.stop()
        found = subprocess.run(["promtool", "test", "rules", str(test)], capture_output=True, text=True)
        claims.check(f"{name}: {', '.join(names) or 'no alert'}{' fires' if names else ''}, and no other", found.returncode == 0)
        if found.returncode:
            print(found.stdout[-3000:], found.stderr[-3000:])


class Prometheus:
    """Debian's, with our alerts, looking at services each half second."""

    def __init__(self, folder, targets):
        self.port = free_port()
        file = folder / "prometheus.json"
        file.write_text(json.dumps({
            "global": {"scrape_interval": "500ms", "scrape_timeout": "500ms", "evaluation_interval": "500ms"},
            "rule_files": [str(ALERTS.resolve())],
            "scrape_configs": [{"job_name": "countersign", "static_configs": [{"targets": targets}]}]}))
        with (folder / "prometheus.log").open("w") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={file}", f"--storage.tsdb.path={folder}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)

    def ask(self, path, **parameters):
        """What it says, or nothing."""
        query = urllib.parse.urlencode(parameters)
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/{path}?{query}", timeout=10) as answer:
                return json.load(answer)["data"]
        except OSError:
            return None

    def result(self, expression):
        return (self.ask("query", query=expression) or {}).get("result")


def check_dashboard(binary, folder, claims):
    dashboard = json.loads(DASHBOARD.read_text())
    queries = [target["expr"].replace("$job", ".+") for panel in dashboard["panels"] for target in panel.get("targets", [])]
    variables = [item for item in dashboard["templating"]["list"] if item["type"] == "query"]
    # Those of a full disk and of a key that ends, without those that have to last.
    wanted = {"CountersignUnaudited", "CountersignAuditIncomplete", "CountersignKeyEnds"}
    run = Run("dashboard", binary, folder, set())
    with Vendor() as vendor, small_disk(run) as disk:
        credentials, grants = sessions(vendor.port)
        asking = Instance(run, server=tls(run, 90), credentials=credentials, grants=grants, rest=api_key(f'notAfter: "{iso(86_400)}"'))
        signing, full = Instance(run, rest=audit(run)), Instance(run, rest=audit(run, disk) + api_key())
        prometheus = Prometheus(folder, [f"127.0.0.1:{instance.admin}" for instance in run.instances])
        fill(disk)
        missing, firing, looks = queries, set(), 0
        while (missing or firing != wanted) and looks < 60:
            session = f"https://localhost:{asking.port}/distribute-token.json?expires={1000 + looks}"
            subprocess.run(["curl", "-sk", "--noproxy", "*", "-o", "/dev/null", session], check=True)
            signing.ask(times=10)
            signing.ask("/nos/token?object=b")
            full.ask("/nos/token?object=b", key=KEY)
            time.sleep(0.5)
            missing, looks = [query for query in queries if not prometheus.result(query)], looks + 1
            rules = [rule for group in (prometheus.ask("rules") or {"groups": []})["groups"] for rule in group["rules"]]
            firing = {rule["name"] for rule in rules if rule["state"] == "firing"}
        claims.check(f"each of {len(queries)} queries has an answer: {missing}", not missing)
        for variable in variables:
            metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", variable["query"]).groups()
            values = prometheus.ask(f"label/{label}/values", **{"match[]": metric})
            claims.check(f"the variable {variable['name']} has values: {values}", values == ["countersign"])
        claims.check(f"{len(rules)} rules are evaluated without an error", all(rule["health"] == "ok" for rule in rules))
        claims.check(f"{' and '.join(sorted(firing))} fire", firing == wanted)
        prometheus.process.terminate()
        prometheus.process.wait(30)
        for instance in run.instances:
            instance.stop()


def main():
    binary, only = sys.argv[1], sys.argv[2:]
    if FAKETIME is None:
        sys.exit("libfaketime is not there: apt-get install libfaketime")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    claims = Claims()
    with tempfile.TemporaryDirectory(prefix="countersign-monitored-") as folder:
        check_alerts(binary, pathlib.Path(folder), only, claims)
        if not only or "dashboard" in only:
            check_dashboard(binary, pathlib.Path(folder), claims)
    claims.finish()


if __name__ == "__main__":
    main()
