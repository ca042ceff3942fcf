#!/usr/bin/env python3
"""What the audit costs: the service with no audit, and with each durability, at several numbers of connections.

  audit.py [--binary bin/countersign] [--connections 64,1024] [--rounds 3] [--secs 5] [--folder DIR] [--json FILE]

The service is pinned to core 0 and wrk to core 1; the variants take turns, and every figure is the median of the rounds.
How long one fdatasync of 4 KiB takes on the same disk is measured first, alone. After the load each audit is
verified by the service's own command, and its lines are counted.
There is a line for each answer, and more for those that wrk did not wait for.
--folder is where the audits are written: it says which disk is measured.
"""
import argparse, json, os, resource, statistics, subprocess, tempfile, time

import bench

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = "/qiniu/uptoken?bucket=test-bucket&key=photos%2F2026%2Fimg%201.jpg"
KEY = "a-key-of-the-audit-of-the-benchmark-0123"
VARIANTS = ["off", "none", "batch", "each"]


def sync_micros(folder):
    with tempfile.NamedTemporaryFile(dir=folder) as f:
        times = []
        for _ in range(200):
            os.write(f.fileno(), b"x" * 4096)
            t = time.perf_counter()
            os.fdatasync(f.fileno())
            times.append(time.perf_counter() - t)
    return statistics.median(times) * 1e6


def configure(folder, variant, port):
    text = open(os.path.join(HERE, "countersign.json5")).read()
    text = text.replace('"127.0.0.1:18090"', f'"127.0.0.1:{port}"')
    if variant != "off":
        member = f'audit: {{ file: "{folder}/{variant}.jsonl", key: "{KEY}", durability: "{variant}", maxSize: "10240MiB" }},'
        text = text.replace("grants: {", member + "\n  grants: {", 1)
    path = f"{folder}/{variant}.json5"
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as f:
        f.write(text)
    return path


def verify(binary, folder, variant):
    """The lines of answers, and the groups that the disk has seen, if the audit is whole."""
    key = f"{folder}/key"
    with open(os.open(key, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as f:
        f.write(KEY)
    file = f"{folder}/{variant}.jsonl"
    subprocess.run([binary, "audit", "verify", "--key-file", key, file], check=True, stdout=subprocess.DEVNULL)
    return int(subprocess.run(["grep", "-c", '"event":"issued"', file], capture_output=True, text=True).stdout)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--binary", default=os.path.join(HERE, "bin/countersign"))
    ap.add_argument("--connections", default="64,1024")
    ap.add_argument("--rounds", type=int, default=3)
    ap.add_argument("--secs", type=int, default=5)
    ap.add_argument("--folder")
    ap.add_argument("--json")
    a = ap.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    os.sched_setaffinity(0, {int(bench.LOAD_CORE)})
    binary = os.path.abspath(a.binary)
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        print(f"one fdatasync of 4 KiB: {sync_micros(folder):.0f} us")
        servers = {}
        for i, variant in enumerate(VARIANTS):
            config = configure(folder, variant, 18200 + i)
            spec = {"name": variant, "cmd": f"{binary} serve --config {config}", "env": {"BENCH_SECRET_KEY": bench.SECRET.decode()}}
            servers[variant] = bench.Server(spec, 18200 + i, PATH, "uptoken")
        rows = []
        try:
            for server in servers.values():
                server.start()
            for connections in map(int, a.connections.split(",")):
                rounds = {v: [] for v in VARIANTS}
                for _ in range(a.rounds):
                    for variant, server in servers.items():
                        rounds[variant].append(server.wrk("keepalive", a.secs, connections))
                for variant in VARIANTS:
                    row = {k: statistics.median(r[k] for r in rounds[variant]) for k in ("rps", "cpu_us", "p50_us", "p99_us", "errors")}
                    rows.append({"connections": connections, "durability": variant, **row})
        finally:
            for server in servers.values():
                if server.proc:
                    server.proc.terminate()
                    server.proc.wait(20)
        print("| connections | durability | requests/s | of none | CPU us/request | p50 ms | p99 ms | errors |")
        print("|---|---|---|---|---|---|---|---|")
        for row in rows:
            none = next(r["rps"] for r in rows if r["connections"] == row["connections"] and r["durability"] == "none")
            print(f"| {row['connections']} | {row['durability']} | {row['rps']:.0f} | {row['rps'] / none:.2f} | {row['cpu_us']:.2f} "
                  f"| {row['p50_us'] / 1000:.2f} | {row['p99_us'] / 1000:.2f} | {row['errors']:.0f} |")
        for variant in VARIANTS[1:]:
            print(f"{variant}: whole, {verify(binary, folder, variant)} lines of answers")
        if a.json:
            json.dump(rows, open(a.json, "w"), indent=1)


if __name__ == "__main__":
    main()
