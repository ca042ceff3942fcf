#!/usr/bin/env python3
"""What it costs to know who asks, and what other routes cost: the same upload token for callers of every kind, from few and from
many, and what the routes of other vendors give, beside the C server and its upload token.

  callers.py [--binary bin/countersign] [--rounds 9] [--secs 2] [--check]

Each configuration is a service of its own, pinned to core 0; wrk asks from core 1 over 64 connections that are kept alive,
and the services take turns A B C A B C. The figure is CPU microseconds per request (user and system): other work on the
machine moves requests per second by a factor, and CPU per request by some percent. A ratio, or a difference, is the
median of the rounds' own. --check fails when a must is missed. Needs: wrk, taskset, Python's standard library. Traffic
goes to 127.0.0.1 only.
"""
import argparse, base64, email.utils, hashlib, hmac, json, os, statistics, subprocess, sys, tempfile, time, urllib.parse

import bench

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = "/qiniu/uptoken?bucket=test-bucket&key=photos%2F2026%2Fimg%201.jpg"
TOKEN_SECRET = "a-secret-of-the-benchmark-of-callers-0123"
MANY = 10_000
# What sessions.json5 asks for a session.
SANDBOX = "../scripts/with-sandbox bin/countersign-sandbox --data bin/sandbox --listen 127.0.0.1:18190 --"
# More than anybody asks for, so that all is counted and nothing refused.
RATE = '"1000000/s"'
# What is measured, beside what, and the most that it may be: a ratio, or microseconds more.
MUSTS = [
    ("key", "anonymous", "ratio", 1.3), ("many keys", "key", "ratio", 1.1), ("many grants", "many keys", "ratio", 1.1),
    ("token", "key", "difference", 1.0), ("sign", "anonymous", "ratio", 1.3),
] + [(name, "C", "ratio", 1.6) for name in ("token", "ticket", "sign", "nos", "session", "s3 url", "s3 request")]
# What other routes are asked by.
ROUTES = {
    "nos": "/nos/token?key=photos/1.jpg", "session": "/distribute-token.json",
    "s3 url": "/s3/presigned-url?method=PUT&key=photos/1.jpg", "s3 request": "/s3/authorization?method=PUT&key=photos/1.jpg",
}


def key(number):
    return f"an-api-key-of-the-benchmark-{number:08}-0123456789"


def token():
    part = lambda data: base64.urlsafe_b64encode(data).rstrip(b"=")
    claims = {"iss": "login", "aud": "uploads", "sub": "42", "exp": int(time.time()) + 86_400}
    text = part(b'{"alg":"HS256","typ":"JWT"}') + b"." + part(json.dumps(claims).encode())
    return (text + b"." + part(hmac.new(TOKEN_SECRET.encode(), text, hashlib.sha256).digest())).decode()


def string_to_sign():
    """A PUT of version 1 as SDKs have it signed, of 250 bytes; its date is good for 15 minutes."""
    lines = ["PUT", "rL0Y20zC+Fzt72VPzMSk2A==", "image/jpeg", email.utils.formatdate(usegmt=True),
             "x-oss-meta-author:somebody", "x-oss-meta-origin:camera", "/test-bucket/photos/2026/"]
    text = "\n".join(lines)
    return text + "k" * (250 - len(text))


def configuration(port, keys, grants, caller):
    """As many API keys and grants as are said, the last grant for who asks; anonymous ones without a limiter."""
    entries = ", ".join(f'{{ id: "k{n}", sha256: "{hashlib.sha256(key(n).encode()).hexdigest()}" }}' for n in range(keys))
    limited = caller != "anonymous"
    rate = f"rate: {{ perCaller: {RATE}, perGrant: {RATE} }}," if limited else "public: true,"
    grant = lambda name, caller: f"""
    "{name}": {{ route: "qiniu.uptoken", credential: "qiniu", callers: "{caller}", {rate}
      bucket: "test-bucket", keyPrefix: "photos/", lifetime: "1h",
      policy: {{ fsizeLimit: 10485760, returnBody: '{{"key":$(key),"hash":$(etag),"size":$(fsize)}}' }} }},"""
    others = "".join(grant(f"g{n}", f"apiKey:k{n}") for n in range(1, grants))
    return f"""{{ version: 1, log: {{ level: "error" }},
  server: {{ listen: "127.0.0.1:{port}", workers: 1 }}, admin: {{ listen: [] }},
  credentials: {{ "qiniu": {{ provider: "qiniu", accessKey: "AKIDexampleAKIDexampleAKIDexample0000001",
    secretKey: {{ env: "BENCH_SECRET_KEY" }} }}, "oss": {{ provider: "oss", accessKey: "LTAIexample",
    secretKey: {{ env: "BENCH_SECRET_KEY" }} }}, "nos": {{ provider: "nos", accessKey: "AKexample",
    secretKey: {{ env: "BENCH_SECRET_KEY" }} }}, "s3": {{ provider: "s3", accessKey: "AKIAEXAMPLE",
    secretKey: {{ env: "BENCH_SECRET_KEY" }}, endpoint: "s3.us-east-1.amazonaws.com", region: "us-east-1" }} }},
  authentication: {{ apiKeys: [{entries}], tickets: {{ secret: {{ env: "TOKEN_SECRET" }}, maxLifetime: "1d" }},
    jwt: [{{ id: "login", issuer: "login", audience: "uploads", algorithms: "HS256", secret: {{ env: "TOKEN_SECRET" }} }}] }},
  {f"rateLimit: {{ perAddress: {RATE}, perCaller: {RATE} }}," if limited else ""}
  grants: {{ {others}{grant("asked", caller)}
    "nos": {{ route: "nos.token", credential: "nos", callers: "anonymous", public: true, bucket: "files", keyPrefix: "photos/" }},
    "url": {{ route: "s3.presigned-url", credential: "s3", callers: "anonymous", public: true, bucket: "test-bucket",
      keyPrefix: "photos/", methods: ["PUT"] }},
    "request": {{ route: "s3.authorization", credential: "s3", callers: "anonymous", public: true, bucket: "test-bucket",
      keyPrefix: "photos/", methods: ["PUT"] }},
    "signed": {{ route: "oss.sign", credential: "oss", callers: "anonymous", public: true, bucket: "test-bucket",
      keyPrefix: "photos/", methods: ["PUT"], headers: ["x-oss-meta-*"] }} }},
}}"""


def asked_by(name, sign, binary, config, environment):
    """The path that a kind is asked by, and what its answer must be."""
    if name == "sign":
        return sign, "signature"
    if name in ROUTES:
        return ROUTES[name], "session" if name == "session" else "none"
    if name != "ticket":
        return PATH, "uptoken"
    asked = ["--caller", "apiKey:k0", "--grant", "asked", "--parameter", "bucket=test-bucket", "--parameter", "key=photos/2026/img 1.jpg"]
    command = [binary, "ticket", "--config", config, "--host", "127.0.0.1", "--format", "json", *asked]
    made = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    ticket = json.loads(made.stdout)["ticket"]
    return f"/qiniu/uptoken?ticket={ticket}", "uptoken"


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--binary", default=os.path.join(HERE, "bin/countersign"))
    ap.add_argument("--rounds", type=int, default=9)
    ap.add_argument("--secs", type=int, default=2)
    ap.add_argument("--check", action="store_true", help="end with 1 when a must is missed")
    a = ap.parse_args()
    os.sched_setaffinity(0, {int(bench.LOAD_CORE)})
    own = {"Authorization": "Bearer " + key(0)}
    string = string_to_sign()
    signature = base64.b64encode(hmac.new(bench.SECRET, string.encode(), hashlib.sha1).digest()).decode()

    def verify_signature(body):
        assert json.loads(body)["signature"] == signature, body

    bench.VERIFY["signature"] = verify_signature
    sign = "/oss/sign?contentToSign=" + urllib.parse.quote(string, safe="/")
    kinds = [
        ("anonymous", 10, 1, "anonymous", {}), ("key", 10, 10, "apiKey:k0", own),
        ("many keys", MANY, 10, "apiKey:k0", own), ("many grants", MANY, MANY, "apiKey:k0", own),
        ("token", 10, 10, "jwt:login", {"Authorization": "Bearer " + token()}), ("sign", 10, 1, "anonymous", {}),
        ("ticket", 10, 10, "apiKey:k0", {}), *((name, 10, 1, "anonymous", {}) for name in ROUTES),
    ]
    servers = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            limit = bench.Server({"name": "C", "cmd": f"{HERE}/bin/epoll_min {{port}} hmac"}, 18_199, PATH, "uptoken")
            servers.append(limit)
            limit.fig["start_ms"] = limit.start() * 1000
            for place, (name, keys, grants, caller, headers) in enumerate(kinds):
                port, path = 18_200 + place, os.path.join(folder, f"{place}.json5")
                with open(path, "w") as file:
                    file.write(configuration(port, keys, grants, caller))
                os.chmod(path, 0o600)
                environment = {"BENCH_SECRET_KEY": bench.SECRET.decode(), "TOKEN_SECRET": TOKEN_SECRET}
                binary = os.path.abspath(a.binary)
                spec = {"name": name, "cmd": f"{binary} serve --config {path}", "headers": headers, "env": environment}
                if name == "session":
                    spec |= {"cmd": f"{SANDBOX} {binary} serve --config sessions.json5", "cwd": HERE, "port": 18_090}
                server = bench.Server(spec, port, *asked_by(name, sign, binary, path, environment))
                servers.append(server)
                server.fig["start_ms"] = server.start() * 1000
                server.wrk("keepalive", 1)
                server.fig["rss_mib"] = bench.rss_kib(server.proc.pid) / 1024
            for _ in range(a.rounds):
                for server in servers:
                    server.rounds.setdefault("keepalive", []).append(server.wrk("keepalive", a.secs))
        finally:
            for server in servers:
                if server.proc and server.proc.poll() is None:
                    server.stop()
    return report({server.name: server for server in servers}, a.check)


def report(servers, checks):
    for server in servers.values():
        rows = server.rounds["keepalive"]
        assert all(row["errors"] == 0 for row in rows), f"{server.name}: {rows}"
        server.fig["cpu_us"] = bench.median(rows, "cpu_us")
    bench.table(servers.values(), [("callers", None), ("cpu us/req", "cpu_us"), ("start ms", "start_ms"), ("RSS MiB", "rss_mib")])
    missed = 0
    for name, beside, kind, most in MUSTS:
        pairs = [(mine["cpu_us"], its["cpu_us"]) for mine, its in zip(*(servers[n].rounds["keepalive"] for n in (name, beside)))]
        values = [mine / its if kind == "ratio" else mine - its for mine, its in pairs]
        value = statistics.median(values)
        missed += value > most
        what = f"{name} / {beside}" if kind == "ratio" else f"{name} - {beside}, us"
        print(f"{'ok' if value <= most else 'MISSED':7} {what}: {value:.2f} ({min(values):.2f}–{max(values):.2f}), must be at most {most}")
    return 1 if checks and missed else 0


if __name__ == "__main__":
    sys.exit(main())
