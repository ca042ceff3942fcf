"""A running `countersign serve` for the checks beside it: started, measured, stopped."""

import os
import pathlib
import random
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time

GRANTS = """
  credentials: { "nos": { provider: "nos", accessKey: "a", secretKey: "a-secret-of-the-checks" } },
  grants: { "files": {
    route: "nos.token", credential: "nos", callers: ["anonymous"], public: true, bucket: "b", unscoped: true } },
"""


def free_ports(count):
    """Different ones, below those that outgoing connections have, so that none of them takes one before it is listened at."""
    ports = []
    for port in random.sample(range(15_000, 32_000), 100 + count):
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
                ports.append(port)
            except OSError:
                continue
        if len(ports) == count:
            return ports
    raise OSError(f"{count} ports are not free")


def free_port():
    return free_ports(1)[0]


class Service:
    """`server` has members of `server` beside the listener, `log` those of `log`, `admin` those of `admin`; `rest` whatever else."""

    def __init__(
            self, binary, server="", rest=GRANTS, over_tls=False, listen="127.0.0.1:0", log="", admin="listen: []",
            environment=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-check-"))
        os.chmod(self.folder, 0o700)
        self.authority = self.folder / "cert.pem"
        if over_tls:
            self._make_certificate()
            server += (
                f' tls: {{ certificates: [{{ names: "localhost", certificateFile: "{self.authority}",'
                f' keyFile: "{self.folder}/key.pem" }}] }},'
            )
        self.path = self.folder / "countersign.json5"
        self.path.touch(0o600)
        self.path.write_text(
            f'{{ version: 1, admin: {{ {admin} }}, log: {{ format: "text", {log} }},'
            f' server: {{ listen: "{listen}", {server} }}, {rest} }}')
        self.log = self.folder / "log"
        self.environment = {**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--config", str(self.path)], stdout=log, stderr=log, env=self.environment)
        self.port = self._wait_for_port()

    def _make_certificate(self):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", f"{self.folder}/key.pem", "-out", str(self.authority)], check=True, capture_output=True)
        os.chmod(self.folder / "key.pem", 0o600)

    def _wait_for_port(self):
        for _ in range(200):
            found = re.search(r"listening address=\S+:(\d+)", self.log.read_text())
            if found:
                return int(found[1])
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        self.stop()
        sys.exit(f"the service does not listen: {self.log.read_text()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop(self):
        """The exit code, 0 when all is well."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()

    @property
    def is_alive(self):
        return self.process.poll() is None

    @property
    def memory(self):
        """Bytes that are resident."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    @property
    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def open_many():
    """Lets this process, and those it starts, open as many files as the system allows at all."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return most


class Claims:
    """What a check has seen, each claim a line; the exit code says whether all hold."""

    def __init__(self):
        self.all_hold = True

    def check(self, claim, holds):
        self.all_hold = self.all_hold and bool(holds)
        print(f"{'holds' if holds else 'FAILS'}: {claim}", flush=True)

    def finish(self):
        sys.exit(0 if self.all_hold else 1)
