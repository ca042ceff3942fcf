"""Runs the services of deploy/compose.yaml as processes: each in namespaces of its own, with the addresses, files and rights that the
file gives its container. Loses an instance under load, and asks Redis what each service may.

usage: scripts/composed.py BINARY WORK     (called by scripts/check-compose, in namespaces of its own)
"""

import ctypes
import hashlib
import http.client
import os
import pathlib
import re
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

from ruamel.yaml import YAML

from service import Claims

FILE = pathlib.Path("deploy/compose.yaml")
KEY, PASSWORD = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
DIGEST = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in [("key", KEY), ("password", PASSWORD)]}
# Constants of Linux.
NEWNET, NEWUTS, DROP_RIGHT, NO_NEW_PRIVILEGES = 0x40000000, 0x04000000, 24, 38
# What the images of these names have: Debian's own programs stand in for them.
PROGRAMS = {"haproxy": "/usr/sbin/haproxy", "redis-server": "/usr/bin/redis-server"}

libc = ctypes.CDLL(None, use_errno=True)


def run(*command):
    subprocess.run(list(map(str, command)), check=True, capture_output=True)


class Topology:
    """The networks of the file as bridges, and one for the clients; and the names of services, as Compose's name server has them."""

    def __init__(self, described, work):
        self.hosts, self.order = work / "hosts", work / "nsswitch.conf"
        self.hosts.write_text("127.0.0.1 localhost\n")
        self.order.write_text("hosts: files\n")
        run("mount", "-t", "tmpfs", "tmpfs", "/run")
        run("ip", "link", "set", "lo", "up")
        self.free = {}
        for number, (name, network) in enumerate(described["networks"].items()):
            run("ip", "link", "add", "name", name, "type", "bridge")
            subnet = ((network or {}).get("ipam") or {}).get("config", [{"subnet": f"10.99.{number}.0/24"}])[0]["subnet"]
            self.free[name] = (subnet.rpartition(".")[0], iter(range(100, 200)))
            # The machine itself is on the networks that others may reach.
            if not (network or {}).get("internal"):
                run("ip", "address", "add", f"{self.free[name][0]}.1/24", "dev", name)
            run("ip", "link", "set", name, "up")

    def join(self, service, networks):
        """A network namespace for a service. Returns its addresses by network."""
        run("ip", "netns", "add", service)
        run("ip", "-n", service, "link", "set", "lo", "up")
        addresses = {}
        for number, (network, settings) in enumerate(networks.items()):
            prefix, free = self.free[network]
            addresses[network] = settings.get("ipv4_address") or f"{prefix}.{next(free)}"
            outside, inside = f"{service[-9:]}.{number}", f"eth{number}"
            run("ip", "link", "add", outside, "type", "veth", "peer", "name", inside, "netns", service)
            run("ip", "link", "set", outside, "master", network, "up")
            run("ip", "-n", service, "address", "add", f"{addresses[network]}/24", "dev", inside)
            run("ip", "-n", service, "link", "set", inside, "up")
        with self.hosts.open("a") as hosts:
            hosts.writelines(f"{address} {service}\n" for address in addresses.values())
        return addresses


class Container:
    """A service of the file as a process."""

    def __init__(self, name, described, work, binary, topology):
        self.name, self.settings = name, described["services"][name]
        self.addresses = topology.join(name, self.settings["networks"])
        self.user, self.group = map(int, self.settings["user"].split(":"))
        self.log, self.root = work / f"{name}.log", work / f"{name}.root"
        self._make_root(binary)
        self._mount(topology.hosts, "/etc/hosts")
        self._mount(topology.order, "/etc/nsswitch.conf")
        for kind, folder in [("configs", "/"), ("secrets", "/run/secrets/")]:
            for used in self.settings.get(kind, []):
                used = used if isinstance(used, dict) else {"source": used}
                source = work / described[kind][used["source"]]["file"]
                if kind == "secrets":
                    os.chown(source, self.user, self.group)
                    source.chmod(0o400)
                self._mount(source, os.path.join(folder, used.get("target", used["source"])))
        for source, target in (volume.split(":") for volume in self.settings.get("volumes", [])):
            (work / source).mkdir()
            os.chown(work / source, self.user, self.group)
            self._mount(work / source, target)
        assert self.settings["read_only"]
        run("mount", "-o", "remount,ro", self.root)

    def _make_root(self, binary):
        """What an image has: programs and libraries of Debian, and the binary."""
        self.root.mkdir()
        run("mount", "-t", "tmpfs", "tmpfs", self.root)
        for name in ["bin", "lib", "lib64", "sbin"]:
            (self.root / name).symlink_to(f"usr/{name}")
        for folder in ["/usr", "/dev", "/proc", "/etc/ssl"]:
            self._mount(pathlib.Path(folder), folder)
        self._mount(binary, "/countersign")

    def _mount(self, source, target):
        place = self.root / target.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir() if source.is_dir() else place.touch()
        run("mount", "--bind", source, place)

    def _enter(self):
        if libc.setns(os.open(f"/run/netns/{self.name}", os.O_RDONLY), NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")
        # A container has a name of its own, by which the replicas know each other.
        if libc.unshare(NEWUTS) != 0:
            raise OSError(ctypes.get_errno(), "unshare")
        socket.sethostname(self.name)
        for name, value in self.settings.get("sysctls", {}).items():
            pathlib.Path("/proc/sys", name.replace(".", "/")).write_text(str(value))
        os.chroot(self.root)
        os.chdir("/")
        assert self.settings["cap_drop"] == ["ALL"] and self.settings["security_opt"] == ["no-new-privileges:true"]
        for right in range(64):
            libc.prctl(DROP_RIGHT, right, 0, 0, 0)
        os.setgroups([])
        os.setgid(self.group)
        os.setuid(self.user)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)

    def start(self):
        command = [str(word) for word in self.settings["command"]]
        # The image of Countersign has an entry point.
        command = [PROGRAMS[command[0]], *command[1:]] if command[0] in PROGRAMS else ["/countersign", *command]
        environment = {"COUNTERSIGN_CONFIG": "/etc/countersign/countersign.json5", "SWIFT_BACKTRACE": "enable=no"}
        with self.log.open("a") as log:
            self.process = subprocess.Popen(command, preexec_fn=self._enter, env=environment, stdout=log, stderr=log)

    def stop(self):
        self.process.terminate()
        return self.process.wait(30)

    def redis(self, address, *words):
        """The answer of Redis to a command that this service sends."""
        command = ["ip", "netns", "exec", self.name, "redis-cli", "-h", address, "--no-auth-warning", *words]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=30)
        return (answer.stdout + answer.stderr).strip()


def prepare(work):
    """The files that the page of the example asks for."""
    (work / "secrets").mkdir()
    for name in ["compose/countersign.json5", "haproxy/haproxy.cfg"]:
        (work / name).parent.mkdir()
        text = (FILE.parent / name).read_text().replace("<YOUR-DIGEST>", DIGEST["key"])
        (work / name).write_text(re.sub("<YOUR-[A-Z-]+>", "media", text))
    users = (FILE.parent / "redis/users.acl").read_text()
    (work / "secrets/redis-users").write_text(users.replace("<YOUR-REDIS-DIGEST>", DIGEST["password"]))
    (work / "secrets/redis-password").write_text(PASSWORD)
    for name in ["qiniu", "cluster-key"]:
        (work / "secrets" / name).write_text(secrets.token_urlsafe(30))
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=tokens.example.com", "-addext", "subjectAltName=DNS:tokens.example.com",
        "-keyout", work / "key.pem", "-out", work / "certificate.pem")
    (work / "secrets/tokens.pem").write_text((work / "certificate.pem").read_text() + (work / "key.pem").read_text())


class Load:
    """GETs at the published port without a pause, each on a connection of its own."""

    def __init__(self, address, authority):
        self.address, self.good, self.bad, self.ends = address, [], [], threading.Event()
        self.context = ssl.create_default_context(cafile=authority)

    def ask(self):
        """Status and id of a request to the name of the certificate."""
        with socket.create_connection((self.address, 443), 10) as plain:
            with self.context.wrap_socket(plain, server_hostname="tokens.example.com") as connection:
                client = http.client.HTTPConnection("tokens.example.com")
                client.sock = connection
                client.request("GET", "/qiniu/uptoken?key=photos/a.jpg", headers={
                    "Authorization": f"Bearer {KEY}", "X-Forwarded-For": "192.0.2.1"})
                answer = client.getresponse()
                answer.read()
                return answer.status, answer.getheader("X-Request-Id")

    def _run(self):
        while not self.ends.is_set():
            try:
                status, name = self.ask()
            except (OSError, http.client.HTTPException) as fault:
                self.bad.append(repr(fault))
                continue
            (self.good if status == 200 else self.bad).append(name if status == 200 else status)

    def go_on(self):
        """Until 100 further requests are done; half a minute at most."""
        end, deadline = len(self.good) + len(self.bad) + 100, time.monotonic() + 30
        while len(self.good) + len(self.bad) < end and time.monotonic() < deadline:
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


def wait(condition):
    """Whether it becomes true within half a minute."""
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def check_service(containers, work, claims):
    instances = [container for name, container in containers.items() if name.startswith("countersign")]
    load = Load("10.0.0.2", work / "certificate.pem")

    def answers():
        try:
            return load.ask()[0] == 200
        except OSError:
            return False

    claims.check("HAProxy finds the instances, and a token comes by TLS", wait(answers))
    with load:
        load.go_on()
        instances[0].process.send_signal(signal.SIGKILL)
        load.go_on()
        lost = wait(lambda: "Server countersign/one is DOWN" in containers["haproxy"].log.read_text())
        status = instances[1].stop()
        load.go_on()
        for instance in instances[:2]:
            instance.start()
        load.go_on()
    claims.check("HAProxy noticed", lost)
    claims.check(f"none of {len(load.good)} GETs failed while one was killed and one stopped: {load.bad[:3]}",
                 len(load.good) >= 300 and not load.bad)
    claims.check("the instance that was stopped has ended well", status == 0)
    logs = [instance.log.read_text() for instance in instances]
    claims.check("none could be looked into", not any("until it had sealed itself" in text for text in logs))


def check_redis(containers, claims):
    redis, instance, proxy = containers["redis"], containers["countersign-3"], containers["haproxy"]
    address = redis.addresses["store"]
    user = ["--user", "countersign", "-a", PASSWORD]
    ready = instance.redis(address, *user, "zcard", "countersign:replicas")
    claims.check(f"the instances that run know each other: {ready}", ready.endswith("2") or ready.endswith("3"))
    claims.check("Redis has its files", redis.process.poll() is None)
    answer = instance.redis(address, "ping")
    claims.check(f"it answers nobody without a password: {answer}", "NOAUTH" in answer)
    answer = instance.redis(address, *user, "set", "countersign:a", "1")
    claims.check(f"it keeps what an instance writes: {answer}", answer == "OK")
    refused = [["set", "other:a", "1"], ["flushall"], ["keys", "*"], ["config", "get", "*"], ["acl", "list"]]
    answers = [instance.redis(address, *user, *words) for words in refused]
    claims.check(f"it refuses everything else: {answers[:2]}", all("NOPERM" in answer for answer in answers))
    answer = proxy.redis(address, "ping")
    claims.check(f"HAProxy cannot reach it: {answer}", "Could not connect" in answer)


def main():
    described = YAML(typ="safe").load(FILE.read_text())
    claims = Claims()
    work = pathlib.Path(sys.argv[2])
    work.chmod(0o755)
    # It goes with this namespace, and all mounts below it.
    run("mount", "-t", "tmpfs", "tmpfs", work)
    binary = work / "countersign"
    run("install", "-m", "0711", sys.argv[1], binary)
    prepare(work)
    topology = Topology(described, work)
    containers = {name: Container(name, described, work, binary, topology) for name in described["services"]}
    try:
        for container in containers.values():
            container.start()
        check_service(containers, work, claims)
        check_redis(containers, claims)
    finally:
        statuses = {name: container.stop() for name, container in containers.items() if name != "haproxy"}
        containers["haproxy"].stop()
    claims.check(f"each ends well: {statuses}", not any(statuses.values()))
    if not claims.all_hold:
        for container in containers.values():
            print(container.name, container.log.read_text()[-2000:], sep="\n")
    claims.finish()


if __name__ == "__main__":
    main()
