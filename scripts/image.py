#!/usr/bin/env python3
"""The image of the Dockerfile, without an engine: builds it in Debians of their own, and runs it.

usage: scripts/image.py build WORK TOOLCHAIN     WORK has a minimal `debian`; makes `image` beside it, and `image.json`
       scripts/image.py run WORK                 (both called by scripts/check-container, in namespaces of their own)
"""

import base64
import ctypes
import fcntl
import http.client
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import ssl
import stat
import struct
import subprocess
import sys
import threading
import time

from service import Claims

MEGA = 1_000_000
LIMIT = 60 * MEGA
# What the image swift:6.3-bookworm adds to Debian beside the toolchain, as far as a build needs it: its Dockerfile is
# https://github.com/swiftlang/swift-docker (6.2/debian/12).
SWIFT_PACKAGES = "binutils gcc libcurl4-openssl-dev libncurses-dev libsqlite3-dev libstdc++-12-dev libxml2-dev"
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}


def instructions(text):
    """The words and the rest of each line, without comments, with continued lines joined."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


class Build:
    """A builder of Dockerfiles that have no more than ours."""

    def __init__(self, work, toolchain):
        self.work, self.toolchain = pathlib.Path(work), toolchain
        self.stages, self.settings = {}, {}

    def run(self, path):
        for name, rest in instructions(pathlib.Path(path).read_text()):
            print(f"{name} {re.sub(' +', ' ', rest)}", flush=True)
            getattr(self, f"do_{name.lower()}")(rest)
        self.root.rename(self.work / "image")
        (self.work / "image.json").write_text(json.dumps(self.settings))

    def enter(self, command):
        """Runs a command in the stage."""
        subprocess.run(
            ["chroot", str(self.root), "/bin/sh", "-c", f"cd {shlex.quote(self.folder)} && exec \"$@\"", "sh", *command],
            check=True, env=self.environment, stdin=subprocess.DEVNULL)

    def path(self, name):
        return self.root / os.path.join(self.folder, name).lstrip("/")

    # The instructions.

    def do_from(self, rest):
        base, _, name = rest.partition(" AS ")
        self.root = self.work / f"stage-{len(self.stages)}"
        self.stages[name or str(len(self.stages))] = self.root
        self.folder, self.shell, self.environment = "/", ["/bin/sh", "-c"], dict(ENVIRONMENT)
        self.settings = {"environment": {}}
        if base == "scratch":
            self.root.mkdir()
            return
        assert re.fullmatch(r"debian:bookworm-slim|swift:\d+\.\d+-bookworm", base), f"this check cannot make {base}"
        subprocess.run(["cp", "-a", str(self.work / "debian"), str(self.root)], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", str(self.root / "proc")], check=True)
        if base.startswith("swift:"):
            self._add_toolchain(base[6:].partition("-")[0])

    def _add_toolchain(self, version):
        told = subprocess.run(
            [f"{self.toolchain}/usr/bin/swift", "--version"], check=True, capture_output=True, text=True).stdout
        assert re.search(rf"Swift version {re.escape(version)}\b", told), f"the image has Swift {version}; here is {told}"
        self.enter(["/bin/sh", "-ec", "export DEBIAN_FRONTEND=noninteractive; apt-get -q update; "
                    f"apt-get -q install -y --no-install-recommends {SWIFT_PACKAGES}"])
        (self.root / "opt/swift").mkdir()
        subprocess.run(["mount", "--bind", self.toolchain, str(self.root / "opt/swift")], check=True)
        self.environment["PATH"] = "/opt/swift/usr/bin:" + self.environment["PATH"]

    def do_shell(self, rest):
        self.shell = json.loads(rest)

    def do_run(self, rest):
        self.enter([*self.shell, rest])

    def do_workdir(self, rest):
        self.folder = rest
        self.path("").mkdir(parents=True, exist_ok=True)

    def do_copy(self, rest):
        words = rest.split()
        stage = re.fullmatch("--from=(.+)", words[0])
        source, target = words[-2:]
        if stage:
            source = self.stages[stage[1]] / source.lstrip("/")
        else:
            assert f"!{source}" in pathlib.Path(".dockerignore").read_text().splitlines(), f"the context has no {source}"
        source, to = pathlib.Path(source), self.path(target)
        if source.is_dir():
            shutil.copytree(source, to, symlinks=True, dirs_exist_ok=True)
            return
        to = to / source.name if target.endswith("/") else to
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source.resolve(), to)

    def do_env(self, rest):
        added = dict(word.split("=", 1) for word in shlex.split(rest))
        self.environment |= added
        self.settings["environment"] |= added

    def do_user(self, rest):
        self.settings["user"] = [int(number) for number in rest.split(":")]

    def do_expose(self, rest):
        self.settings["port"] = int(rest)

    def do_stopsignal(self, rest):
        self.settings["signal"] = rest

    def do_healthcheck(self, rest):
        self.settings["healthcheck"] = json.loads(rest.removeprefix("CMD "))

    def do_entrypoint(self, rest):
        self.settings["entrypoint"] = json.loads(rest)

    def do_cmd(self, rest):
        self.settings["command"] = json.loads(rest)


CONFIGURATION = """{
  version: 1,
  server: { listen: "0.0.0.0:8080", plaintext: true, hosts: ["localhost"] },
  admin: { listen: "127.0.0.1:8081" },
  credentials: { "nos": { provider: "nos", accessKey: "a", secretKey: { file: "nos-key" } } },
  authentication: { jwt: [{
    id: "login", issuer: "https://login.example.com", audience: "tokens", algorithms: "RS256",
    jwksUrl: "https://localhost:%d/keys" }] },
  grants: { "files": { route: "nos.token", credential: "nos", callers: ["jwt:login"], bucket: "b", unscoped: true } },
}
"""


class Issuer:
    """Public keys of tokens, by TLS under an authority of its own."""

    def __init__(self, folder):
        self.certificate, key = folder / "issuer.pem", folder / "issuer.key"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(self.certificate)],
            check=True, capture_output=True)
        modulus = subprocess.run(
            ["openssl", "x509", "-noout", "-modulus", "-in", str(self.certificate)], check=True, capture_output=True,
            text=True).stdout.strip().partition("=")[2]
        number = base64.urlsafe_b64encode(bytes.fromhex(modulus)).decode().rstrip("=")
        keys = json.dumps({"keys": [{"kty": "RSA", "kid": "1", "alg": "RS256", "n": number, "e": "AQAB"}]}).encode()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(keys)))
                self.end_headers()
                self.wfile.write(keys)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        self.port = server.server_port
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def believe(self, folder):
        """Puts its authority among those of a folder."""
        name = subprocess.run(
            ["openssl", "x509", "-noout", "-hash", "-in", str(self.certificate)], check=True, capture_output=True,
            text=True).stdout.strip()
        shutil.copy(self.certificate, folder / f"{name}.0")


class Container:
    """The image as an engine runs it with `--read-only --cap-drop ALL --security-opt no-new-privileges`."""

    def __init__(self, work):
        self.root, self.settings = work / "image", json.loads((work / "image.json").read_text())
        self.configuration = work / "configuration"

    def prepare(self, issuer):
        """What an engine puts there; then nobody can write."""
        issuer.believe(self.root / "etc/ssl/certs")
        self.configuration.mkdir()
        (self.configuration / "countersign.json5").write_text(CONFIGURATION % issuer.port)
        (self.configuration / "nos-key").write_text("a-secret-of-the-checks")
        os.chown(self.configuration / "nos-key", *self.settings["user"])
        (self.configuration / "nos-key").chmod(0o400)
        for folder in ["proc", "dev", "etc/countersign"]:
            (self.root / folder).mkdir()
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        subprocess.run(["mount", "--bind", str(self.root), str(self.root)], check=True)
        for folder, command in {"proc": ["-t", "proc", "proc"], "dev": ["--bind", "/dev"],
                                "etc/countersign": ["--bind", str(self.configuration)]}.items():
            subprocess.run(["mount", *command, str(self.root / folder)], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", str(self.root)], check=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", str(self.root / "etc/countersign")], check=True)

    def _enter(self):
        user, group = self.settings["user"]
        control = ctypes.CDLL(None, use_errno=True).prctl
        os.chroot(self.root)
        os.chdir("/")
        # PR_CAPBSET_DROP, of all that there are.
        for right in range(64):
            control(24, right, 0, 0, 0)
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
        # PR_SET_NO_NEW_PRIVS
        control(38, 1, 0, 0, 0)

    def start(self, command, **streams):
        return subprocess.Popen(command, preexec_fn=self._enter, env=self.settings["environment"], **streams)

    def run(self, *command):
        with self.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
            output = process.communicate(timeout=30)[0]
        return process.returncode, output.strip()


def ask(port, path):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        client.request("GET", path, headers={"Host": "localhost"})
        answer = client.getresponse()
        return answer.status, answer.read().decode()
    except OSError:
        return 0, ""
    finally:
        client.close()


def wait(condition):
    """Whether it becomes true within half a minute."""
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def check_contents(root, claims):
    files = {path: path.lstat() for path in sorted(root.rglob("*"))}
    regular = {path: state for path, state in files.items() if stat.S_ISREG(state.st_mode)}
    size = sum(state.st_size for state in regular.values())
    claims.check(f"{len(regular)} files of {size / MEGA:.1f} MB, at most {LIMIT / MEGA:.0f}", size <= LIMIT)
    programs = [path.relative_to(root) for path, state in regular.items() if state.st_mode & 0o111 and ".so" not in path.name]
    claims.check(f"its one program is {', '.join(map(str, programs))}", [path.name for path in programs] == ["countersign"])
    claims.check("nobody but root can read it", stat.S_IMODE(files[root / programs[0]].st_mode) == 0o711)
    loose = [str(path) for path, state in files.items() if not stat.S_ISLNK(state.st_mode)
             and (state.st_uid or state.st_gid or state.st_mode & (stat.S_ISUID | stat.S_ISGID | 0o022))]
    claims.check(f"all belongs to root, and nobody else can change it: {loose}", not loose)
    packages = re.findall("^Package: (.*)$", (root / "var/lib/dpkg/status").read_text(), re.MULTILINE)
    libraries = {path.name.partition(".so")[0] for path in regular if ".so" in path.name}
    claims.check(f"the libraries are {' '.join(sorted(libraries))}: the C++ library is in the program",
                 libraries == {"ld-linux-x86-64", "libc", "libcrypto", "libhiredis", "libm", "libssl", "libz"})
    claims.check(f"a scanner finds {' '.join(packages)}, with their licences",
                 packages == ["ca-certificates", "libc6", "libhiredis0.14", "libssl3", "zlib1g"]
                 and all((root / f"usr/share/doc/{name}/copyright").exists() for name in packages))
    authorities = list((root / "usr/lib/ssl/certs").resolve().glob("*.0"))
    claims.check(f"{len(authorities)} authorities are where OpenSSL looks", len(authorities) > 100)


def check_run(work, claims):
    # The loopback of this namespace is up from here on.
    with socket.socket() as control:
        fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 1))
    issuer, container = Issuer(work), Container(work)
    check_contents(container.root, claims)
    container.prepare(issuer)
    settings = container.settings
    try:
        (container.root / "file").write_text("")
        claims.check("its root cannot be written", False)
    except OSError as fault:
        claims.check(f"its root cannot be written: {fault.strerror}", True)
    status, output = container.run(*settings["entrypoint"], "check")
    claims.check(f"`docker exec` checks the configuration: {output.splitlines()}", status == 0)
    claims.check("nothing healthy is there yet", container.run(*settings["healthcheck"])[0] == 1)
    with (work / "service.log").open("w") as log:
        service = container.start(settings["entrypoint"] + settings["command"], stdout=log, stderr=log)
    claims.check("it answers", wait(lambda: ask(settings["port"], "/livez")[0] == 200))
    claims.check("it is healthy", container.run(*settings["healthcheck"]) == (0, ""))
    sign = 'countersign_upstream_calls_total{target="issuerKeys",outcome="ok"} 1'
    claims.check("it knows an issuer by an authority of its folder", wait(lambda: sign in ask(8081, "/metrics")[1]))
    status = (container.root / f"proc/{service.pid}/status").read_text()
    rights = re.findall(r"^(Uid|Gid|CapPrm|CapBnd|NoNewPrivs):\s+(\w+)", status, re.MULTILINE)
    claims.check(f"it has no rights: {dict(rights)}", [int(value, 16 if name.startswith("Cap") else 10) for name, value in rights]
                 == [*settings["user"], 0, 0, 1])
    service.send_signal(getattr(signal, settings["signal"]))
    claims.check("it ends well", service.wait(30) == 0)
    text = (work / "service.log").read_text()
    claims.check("it was sealed from its first instruction on", "until it had sealed itself" not in text and "listening" in text)


def main():
    work = pathlib.Path(sys.argv[2])
    if sys.argv[1] == "build":
        Build(work, sys.argv[3]).run("Dockerfile")
        return
    claims = Claims()
    check_run(work, claims)
    claims.finish()


if __name__ == "__main__":
    main()
