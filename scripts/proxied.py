"""Three instances of the service behind a proxy, which runs by its example in deploy/: under load one is killed and another is
started again, and no GET fails."""

import http.client
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import threading
import time

from service import Service, free_port

MARK = "A-TICKET-THAT-NOBODY-LOGS"
CLIENT = "127.0.0.5"
# The certificates are of this check alone.
CONTEXT = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
CONTEXT.check_hostname, CONTEXT.verify_mode = False, ssl.CERT_NONE


class Example:
    """A proxy, how its example is fitted to this machine, and how it is run."""

    def __init__(self, name, path, command, fitting, over_tls=False, server=""):
        self.name, self.path, self.command, self.fitting = name, pathlib.Path(path), command, fitting
        # Whether the instances do TLS, and what they have in `server` beside that.
        self.over_tls, self.server = over_tls, server


EXAMPLES = [
    Example("haproxy", "deploy/haproxy/haproxy.cfg", ["haproxy", "-db", "-f", "{file}"], {
        "bind :443": "bind 127.0.0.1:{port}", "/etc/haproxy/tokens.pem": "{folder}/both.pem", "inter 1s": "inter 200ms"}),
    Example("haproxy, TLS passed through", "deploy/haproxy/passthrough.cfg", ["haproxy", "-db", "-f", "{file}"], {
        "bind :443": "bind 127.0.0.1:{port}", "inter 1s": "inter 200ms"}, over_tls=True, server="proxyProtocol: true,"),
    Example("nginx", "deploy/nginx/nginx.conf", ["nginx", "-e", "stderr", "-g", "daemon off;", "-c", "{file}"], {
        "listen 443": "listen 127.0.0.1:{port}", "/etc/nginx/": "{folder}/", "/var/log/nginx/tokens.log": "/dev/stdout",
        "/var/log/nginx/error.log": "/dev/stderr", "/run/nginx.pid": "{folder}/pid"}),
    Example("caddy", "deploy/caddy/Caddyfile", ["caddy", "run", "--adapter", "caddyfile", "--config", "{file}"], {
        "tokens.example.com {{": "localhost:{port} {{", "/etc/caddy/": "{folder}/",
        "admin off": "admin off\n\tauto_https disable_redirects", "health_interval 1s": "health_interval 200ms"}),
]


class Proxied:
    """Three instances, or fewer, and the proxy before them, until the end of the block."""

    def __init__(self, binary, example, count=3):
        self.binary, self.example = binary, example
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-proxied-"))
        self.folder.chmod(0o755)
        self.port, self.ports = free_port(), [free_port() for _ in range(3)]
        self.logs, file = [], self._configuration()
        self.instances = [self.start(port) for port in self.ports[:count]]
        self.log = self.folder / "log"
        with self.log.open("w") as log:
            self.proxy = subprocess.Popen(
                [word.format(file=file) for word in example.command], stdout=log, stderr=log,
                env={**os.environ, "HOME": str(self.folder)})

    def start(self, port):
        return Service(
            self.binary, f'trustedProxies: "127.0.0.1", {self.example.server}', over_tls=self.example.over_tls,
            listen=f"127.0.0.1:{port}", log="requests: true")

    @staticmethod
    def was_asked(instance):
        return not instance.is_alive or "path=/nos/token" in instance.log.read_text()

    def restart(self, at):
        """The exit code of the instance that a new one at the same port takes over from."""
        status = self.instances[at].stop()
        self._close(at)
        self.instances[at] = self.start(self.ports[at])
        return status

    def _close(self, at):
        self.logs.append(self.instances[at].log.read_text())
        self.instances[at].__exit__()

    def _configuration(self):
        """The example with addresses and certificates of this machine; each of its words that are put in is there."""
        self._make_certificate()
        text = self.example.path.read_text()
        for before, after in self.example.fitting.items():
            before, after = before.replace("{{", "{"), after.format(port=self.port, folder=self.folder)
            assert before in text, f"{self.example.path} has no {before}"
            text = text.replace(before, after)
        for number, port in enumerate(self.ports, start=11):
            text, count = re.subn(rf"10\.0\.0\.{number}:\d+(?! *\",)", f"127.0.0.1:{port}", text)
            assert count > 0, f"{self.example.path} has no 10.0.0.{number}"
        file = self.folder / "configuration"
        file.write_text(text)
        return file

    def _make_certificate(self):
        key, certificate = self.folder / "tokens.key", self.folder / "tokens.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out",
             str(certificate)], check=True, capture_output=True)
        (self.folder / "both.pem").write_text(certificate.read_text() + key.read_text())

    def ask(self, method="GET"):
        """Status and id of a request on a connection of its own, whose client claims another address."""
        client = http.client.HTTPSConnection(
            "localhost", self.port, timeout=10, source_address=(CLIENT, 0), context=CONTEXT)
        try:
            client.request(
                method, f"/nos/token?object={MARK}", headers={"X-Forwarded-For": "192.0.2.1",
                                                                        "Forwarded": "for=192.0.2.2"})
            answer = client.getresponse()
            answer.read()
            return answer.status, answer.getheader("X-Request-Id")
        finally:
            client.close()

    def answers(self):
        try:
            return self.ask()[0] == 200
        except OSError:
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.proxy.terminate()
        self.proxy.wait(20)
        for at in range(len(self.instances)):
            self._close(at)
        shutil.rmtree(self.folder, ignore_errors=True)


class Load:
    """GETs without a pause from four threads, until the end of the block."""

    def __init__(self, proxied):
        self.proxied, self.ids, self.failures, self.ends = proxied, [], [], threading.Event()

    def _run(self):
        while not self.ends.is_set():
            try:
                status, name = self.proxied.ask()
            except (OSError, http.client.HTTPException) as fault:
                self.failures.append(repr(fault))
                continue
            if status == 200:
                self.ids.append(name)
            else:
                self.failures.append(status)

    def go_on(self):
        """Until 100 further requests are done, and all instances that run were asked; half a minute at most."""
        end, deadline = len(self.ids) + len(self.failures) + 100, time.monotonic() + 30
        while time.monotonic() < deadline:
            if len(self.ids) + len(self.failures) >= end and all(map(Proxied.was_asked, self.proxied.instances)):
                break
            time.sleep(0.05)

    def __enter__(self):
        self.threads = [threading.Thread(target=self._run) for _ in range(4)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def check_example(binary, example, claims):
    name = example.name
    with Proxied(binary, example) as proxied:
        deadline = time.monotonic() + 20
        while not (answers := proxied.answers()) and time.monotonic() < deadline:
            time.sleep(0.1)
        claims.check(f"{name}: it answers{'' if answers else ', and not: ' + proxied.log.read_text()[-1000:]}", answers)
        with Load(proxied) as load:
            load.go_on()
            # Who passes TLS through cannot ask another instance for what a killed one was asked.
            if not example.over_tls:
                proxied.instances[0].process.send_signal(signal.SIGKILL)
            load.go_on()
            status = proxied.restart(1)
            load.go_on()
        log = proxied.log.read_text()
        claims.check(f"{name}: the instance that was stopped has ended well", status == 0)
        claims.check(f"{name}: none of {len(load.ids)} GETs failed: {load.failures[:3]}", len(load.ids) >= 300 and not load.failures)
        claims.check(f"{name}: every answer is one of its own", len(set(load.ids)) == len(load.ids) and None not in load.ids)
    logs = "".join(proxied.logs)
    clients = set(re.findall(r"path=/nos/token.*client=(\S+)", logs))
    claims.check(f"{name}: the service knows the client: {clients}", clients == {CLIENT})
    claims.check(f"{name}: its log has requests, and no ticket",
                 MARK not in log and (example.over_tls or "/nos/token" in log) and CLIENT in log)
    claims.check(f"{name}: all instances were asked", all("path=/nos/token" in text for text in proxied.logs))
