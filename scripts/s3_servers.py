"""Servers of S3's protocol on loopback, each with one access key, for scripts/s3.py."""

import getpass
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import boto3
import botocore.config

from service import free_ports

BUCKET = "checked"
ROLE = "arn:aws:iam::role/Check"
SECRET = "a-secret-of-the-checks-and-of-no-vendor-1"


class Server:
    """What all of them have. It is used between `with` and the end of that block."""

    title = ""
    key = "AKIDCHECKCHECK000001"
    has_forms = has_sessions = False
    # Claims that do not hold of it, and why.
    differs = {}

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="countersign-s3-"))
        self.log = self.folder / "log"
        self.processes = []

    @property
    def endpoint(self):
        return f"http://localhost:{self.port}"

    def start(self, *command):
        with self.log.open("a") as log:
            self.processes.append(subprocess.Popen(list(map(str, command)), stdout=log, stderr=log, cwd=self.folder))

    def client(self, session=None):
        """boto3 with the server's own key, or with what a session of boto3 finds."""
        session = session or boto3.Session(aws_access_key_id=self.key, aws_secret_access_key=SECRET)
        return session.client(
            "s3", endpoint_url=self.endpoint, region_name="us-east-1",
            config=botocore.config.Config(
                signature_version="s3v4", s3={"addressing_style": "path"}, retries={"max_attempts": 0},
                request_checksum_calculation="when_required", response_checksum_validation="when_required"))

    def __enter__(self):
        """Makes the bucket as soon as the server can."""
        failure = None
        for _ in range(240):
            try:
                try:
                    self.client().create_bucket(Bucket=BUCKET)
                except Exception as error:
                    if "BucketAlready" not in str(error):
                        raise
                # The first object may have to wait for a place to be kept in.
                self.client().put_object(Bucket=BUCKET, Key="ready", Body=b"")
                return self
            except Exception as error:  # it is not up yet, or not whole
                failure = error
            if any(process.poll() is not None for process in self.processes):
                break
            time.sleep(0.5)
        text = self.log.read_text()[-3000:]
        self.__exit__()
        sys.exit(f"{self.title} does not serve: {failure}\n{text}")

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class SeaweedFS(Server):
    title = "SeaweedFS"
    has_forms = has_sessions = True
    differs = {"a deletion with another body than was judged is refused": "it compares no body with the hash that is signed"}

    def __init__(self, programs):
        super().__init__()
        config = self.folder / "s3.json"
        config.write_text(json.dumps({"identities": [{
            "name": "check", "credentials": [{"accessKey": self.key, "secretKey": SECRET}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"]}]}))
        statement = {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::*", "arn:aws:s3:::*/*"]}
        trust = {"Effect": "Allow", "Principal": "*", "Action": ["sts:AssumeRole"]}
        roles = self.folder / "iam.json"
        roles.write_text(json.dumps({
            "sts": {"tokenDuration": "1h", "maxSessionLength": "12h", "issuer": "check", "signingKey": "a2tr" * 10 + "a2s="},
            "policy": {"defaultEffect": "Deny", "storeType": "memory"}, "roleStore": {"storeType": "memory"},
            "policies": [{"name": "Check", "document": {"Version": "2012-10-17", "Statement": [statement]}}],
            "roles": [{
                "roleName": "Check", "roleArn": ROLE, "attachedPolicies": ["Check"],
                "trustPolicy": {"Version": "2012-10-17", "Statement": [trust]}}]}))
        # Each server takes a second port for gRPC, 10000 further on unless told.
        ports = free_ports(8)
        self.port = ports[0]
        self.start(
            programs / "weed", f"-logdir={self.folder}", "server", f"-dir={self.folder}", "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1", "-master.telemetry=false", f"-master.port={ports[1]}",
            f"-master.port.grpc={ports[4]}", f"-volume.port={ports[2]}", f"-volume.port.grpc={ports[5]}",
            "-filer", f"-filer.port={ports[3]}", f"-filer.port.grpc={ports[6]}", "-s3",
            f"-s3.port={self.port}", f"-s3.port.grpc={ports[7]}", f"-s3.config={config}", f"-s3.iam.config={roles}",
            "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.volumeSizeLimitMB=64", "-volume.max=20")


class Rclone(Server):
    title = "rclone"
    differs = {
        "a deletion with another body than was judged is refused": "it compares no body with the hash that is signed",
        "and uploads by it": "it takes no forms",
        **dict.fromkeys(
            ["an object that is there is not replaced", "it is as it was", "Uppy aborts an upload",
             "an object that is there is not replaced by an upload in parts"],
            "it knows no If-None-Match, so that uploads replace what is there"),
    }

    def __init__(self, programs):
        super().__init__()
        (self.folder / "data").mkdir()
        [self.port] = free_ports(1)
        self.start(
            programs / "rclone", "serve", "s3", "--config", "/dev/null", "--addr", f"127.0.0.1:{self.port}",
            "--auth-key", f"{self.key},{SECRET}", self.folder / "data")


class Swift(Server):
    """OpenStack Swift with its middleware s3api: a proxy, and one server each for accounts, containers and objects."""

    title = "OpenStack Swift"
    differs = {
        "and uploads by it": "it takes no forms",
        "an upload that is over is unknown": "it still lists the parts of an upload that is over",
    }
    key = "check:tester"

    def __init__(self, programs):
        super().__init__()
        ports = dict(zip(["proxy", "account", "container", "object"], free_ports(4)))
        self.port = ports["proxy"]
        (self.folder / "devices" / "disk").mkdir(parents=True)
        self.write("swift.conf", "[swift-hash]", "swift_hash_path_suffix = check", "[storage-policy:0]", "name = one",
                   "default = yes")
        for kind in ["account", "container", "object"]:
            builder = self.folder / f"{kind}.builder"
            for command in [
                ["create", "4", "1", "0"], ["add", f"r1z1-127.0.0.1:{ports[kind]}/disk", "1"], ["rebalance"]]:
                subprocess.run(
                    [programs / "swift-ring-builder", builder, *command], check=True, capture_output=True)
            self.write(
                f"{kind}.conf", *self.common(ports[kind]), "mount_check = false", f"devices = {self.folder}/devices",
                "[pipeline:main]", f"pipeline = {kind}-server", f"[app:{kind}-server]", f"use = egg:swift#{kind}")
            self.start(programs / f"swift-{kind}-server", self.folder / f"{kind}.conf", "--verbose")
        account, user = self.key.split(":")
        self.write(
            "proxy.conf", *self.common(self.port), "[pipeline:main]",
            "pipeline = catch_errors gatekeeper listing_formats s3api tempauth bulk slo proxy-server",
            "[app:proxy-server]", "use = egg:swift#proxy", "account_autocreate = true", "node_timeout = 30",
            "[filter:tempauth]", "use = egg:swift#tempauth", f"user_{account}_{user} = {SECRET} .admin",
            "[filter:s3api]", "use = egg:swift#s3api", "s3_acl = false", "check_bucket_owner = false",
            *(line for name in ["catch_errors", "gatekeeper", "listing_formats", "bulk", "slo"]
              for line in [f"[filter:{name}]", f"use = egg:swift#{name}"]))
        self.start(programs / "swift-proxy-server", self.folder / "proxy.conf", "--verbose")

    def common(self, port):
        return ["[DEFAULT]", "bind_ip = 127.0.0.1", f"bind_port = {port}", "workers = 0", f"swift_dir = {self.folder}",
                f"user = {getpass.getuser()}"]

    def write(self, name, *lines):
        (self.folder / name).write_text("\n".join(lines) + "\n")
