#!/usr/bin/env python3
"""Uses, upgrades, removes and purges the Debian package that is installed in a Debian of its own, as its README.Debian says.
There is no systemd: a stand-in takes the calls of systemctl, and brings the signals to the service.

usage: scripts/installed-package.py ROOT     (called by scripts/check-package, in namespaces of its own)
"""

import fcntl
import http.client
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import threading
import time

from service import Claims

SYSTEMCTL = """#!/bin/sh
echo "$*" >>/var/log/systemctl
case $* in
*is-active*) kill -0 "$(cat /run/service)" ;;
*--signal=USR2*) kill -USR2 "$(cat /run/service)" ;;
*stop*countersign.service*) kill -TERM "$(cat /run/service)" ;;
esac
"""
CONFIGURATION = "/etc/countersign/countersign.json5"


class Machine:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        subprocess.run(["mount", "-t", "proc", "proc", f"{root}/proc"], check=True)
        # The loopback of this namespace is up from here on.
        with socket.socket() as control:
            fcntl.ioctl(control, 0x8914, struct.pack("16sH14x", b"lo", 1))
        (self.root / "run/systemd/system").mkdir(parents=True)
        self.write("usr/local/bin/systemctl", SYSTEMCTL, 0o755)

    def run(self, *command, user="root:root"):
        return subprocess.run(
            ["chroot", f"--userspec={user}", str(self.root), *command], capture_output=True, text=True,
            env={"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"})

    def write(self, path, text, mode, owner="root:root"):
        (self.root / path).write_text(text)
        (self.root / path).chmod(mode)
        self.run("chown", owner, f"/{path}")

    def modes(self, *paths):
        return self.run("stat", "-c", "%a %U:%G", *paths).stdout.split("\n")[:-1]

    def services(self):
        """The processes of the service that have not ended."""
        states = {path.parent.name: path.read_text() for path in self.root.glob("proc/[0-9]*/stat")}
        return [process for process, state in states.items() if "(countersign) " in state and "(countersign) Z" not in state]

    def exists(self, path):
        return os.path.lexists(self.root / path)


class Load:
    """GETs without a pause, each on a connection of its own, until the end of the block."""

    def __init__(self, key):
        self.key, self.good, self.bad, self.ends = key, 0, [], threading.Event()

    def ask(self):
        client = http.client.HTTPConnection("127.0.0.1", 8080, timeout=10)
        try:
            client.request("GET", "/qiniu/uptoken?key=photos/a.jpg", headers={"Authorization": f"Bearer {self.key}"})
            answer = client.getresponse()
            return answer.status, answer.read()
        finally:
            client.close()

    def _run(self):
        while not self.ends.is_set():
            try:
                status = self.ask()[0]
            except OSError as fault:
                status = str(fault)
            if status == 200:
                self.good += 1
            else:
                self.bad.append(status)

    def __enter__(self):
        self.threads = [threading.Thread(target=self._run) for _ in range(2)]
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        for thread in self.threads:
            thread.join()


def wait_for(holds):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.05)
    return False


def configure(machine, claims):
    """What README.Debian says; the key of the caller."""
    made = json.loads(machine.run("countersign", "make-key", "--format", "json").stdout)
    text = (machine.root / "usr/share/doc/countersign/examples/countersign.json5").read_text()
    refused = machine.run("countersign", "check", "--config", "/usr/share/doc/countersign/examples/countersign.json5")
    claims.check("the example is refused until values are put in", refused.returncode == 3 and "<YOUR-" in refused.stderr)
    text = text.replace("<YOUR-DIGEST>", made["sha256"])
    machine.write("etc/countersign/countersign.json5", re.sub("<YOUR-[A-Z-]+>", "media", text), 0o640, "root:countersign")
    for name in ["audit", "qiniu"]:
        machine.write(f"etc/countersign/secrets/{name}", os.urandom(32).hex() + "\n", 0o640, "root:countersign")
    checked = machine.run("countersign", "check", "--config", CONFIGURATION, user="countersign:countersign")
    claims.check(f"the user countersign can read the configuration: {checked.stderr.strip()}", checked.returncode == 0)
    return made["key"]


def check_files(machine, claims):
    found = machine.modes("/usr/bin/countersign", "/var/lib/countersign", "/etc/countersign", "/etc/countersign/secrets")
    claims.check(f"files and folders have their owners: {found}", found == [
        "711 root:root", "700 countersign:countersign", "750 root:countersign", "750 root:countersign"])
    verdict = machine.run("/usr/bin/systemd-analyze", "verify", "--man=no", "countersign.service")
    claims.check(f"systemd understands the units: {verdict.stderr.strip()}", not verdict.stderr and not verdict.returncode)
    enabled = [machine.exists(f"etc/systemd/system/{target}.wants/countersign.{kind}")
               for target, kind in [("sockets.target", "socket"), ("multi-user.target", "service")]]
    claims.check("both units are enabled", all(enabled))
    bash = machine.run("bash", "-c", """. /usr/share/bash-completion/completions/countersign
        for words in 'countersign che' 'countersign check --fo' 'countersign check --format j' 'countersign audit ve'; do
            COMP_WORDS=($words) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _countersign
            echo "${COMPREPLY[@]}"
        done""")
    claims.check(f"bash completes: {bash.stdout.split()}", bash.stdout.split() == ["check", "--format", "json", "verify"])
    fish = machine.run("fish", "-c", "for line in 'countersign che' 'countersign check --fo' 'countersign check --format j';"
                       " complete -C $line; end")
    words = [line.split("\t")[0] for line in fish.stdout.split("\n")[:-1]]
    claims.check(f"fish completes: {words}", words == ["check", "--format", "json"])
    zsh = machine.run("zsh", "-fc", """autoload -Uz compinit; compinit -D
        print $_comps[countersign]; zsh -n $^fpath/_countersign(N)""")
    claims.check(f"zsh knows its completions: {zsh.stdout.split()}{zsh.stderr}", zsh.stdout.split()[-1:] == ["_countersign"])


def check_audit(machine, load, claims):
    load.ask()
    turned = machine.run("logrotate", "--force", "/etc/logrotate.d/countersign")
    load.ask()
    names = sorted(path.name for path in (machine.root / "var/lib/countersign").glob("audit.jsonl*") if "head" not in path.name)
    paths = [f"/var/lib/countersign/{name}" for name in names[1:] + names[:1]]
    verified = machine.run("countersign", "audit", "verify", "--config", CONFIGURATION, *paths)
    claims.check(f"logrotate has moved the audit, which is whole: {names} {turned.stderr.strip()} {verified.stderr.strip()}",
                 len(names) == 2 and turned.returncode == 0 and verified.returncode == 0)


def main():
    machine, claims = Machine(sys.argv[1]), Claims()
    check_files(machine, claims)
    load = Load(configure(machine, claims))
    log = machine.root / "root/log"
    with log.open("w") as output:
        service = subprocess.Popen(
            ["chroot", "--userspec=countersign:countersign", str(machine.root), "/usr/bin/countersign", "serve", "--config",
             CONFIGURATION], stdout=output, stderr=output, env={"SWIFT_BACKTRACE": "enable=no", "PATH": "/usr/sbin:/usr/bin"})
    machine.write("run/service", str(service.pid), 0o644)
    if not wait_for(lambda: "listening" in log.read_text() or service.poll() is not None) or service.poll() is not None:
        sys.exit(f"the service does not start: {log.read_text()}")
    claims.check("it issues a token", load.ask()[0] == 200)
    check_audit(machine, load, claims)

    with load:
        time.sleep(1)
        upgraded = machine.run("dpkg", "-i", "/root/new.deb")
        handed_over = wait_for(lambda: service.poll() is not None)
        time.sleep(1)
    claims.check(f"the upgrade is done {upgraded.stderr.strip()}", upgraded.returncode == 0)
    claims.check("the old process has handed over", handed_over and "handed over" in log.read_text())
    claims.check(f"none of {load.good} requests failed meanwhile: {load.bad[:3]}", load.good > 10 and not load.bad)

    successors = machine.services()
    claims.check(f"one process serves: {successors}", len(successors) == 1)
    machine.write("run/service", "".join(successors), 0o644)
    removed = machine.run("dpkg", "--remove", "countersign")
    claims.check(f"it is removed, and has ended {removed.stderr.strip()}",
                 removed.returncode == 0 and wait_for(lambda: not machine.services()))
    claims.check("configuration and audit have stayed", machine.exists(CONFIGURATION[1:])
                 and machine.exists("var/lib/countersign/audit.jsonl") and not machine.exists("usr/bin/countersign"))
    purged = machine.run("dpkg", "--purge", "countersign")
    claims.check(f"it is purged, without the audit: {purged.stderr.strip()}", purged.returncode == 0
                 and not machine.exists("etc/countersign") and machine.exists("var/lib/countersign/audit.jsonl")
                 and not machine.exists("etc/logrotate.d/countersign"))
    left = subprocess.run(["find", f"{machine.root}/etc/systemd", f"{machine.root}/var/lib/systemd/deb-systemd-helper-enabled",
                           "-name", "countersign*"], capture_output=True, text=True).stdout
    claims.check(f"nothing of its units is left {left}", not left)
    claims.finish()


if __name__ == "__main__":
    main()
