#!/usr/bin/env python3
"""What a request costs where no clock is needed: system calls (strace), and instructions of the program (callgrind).

  calls.py [--binary bin/countersign] [--instructions] [--only NAME,...] [--json FILE] [--check]

For each path a service of its own is started twice, and asked for fewer and for more requests: the difference, divided by the
requests that are more, is the cost of one. All connections ask at once and wait for their answers, 64 of them unless the path
says otherwise. --check fails when a path has more system calls than its ceiling. Instructions are those of the program and its
libraries, on a processor without instructions for SHA, which callgrind does not know: compare them with each other alone.
Needs: strace; for --instructions valgrind, and a binary without debug information. Traffic goes to 127.0.0.1 only.
"""
import argparse, json, os, re, select, signal, socket, subprocess, sys, tempfile, time

import bench
import callers
import tls

HERE = os.path.dirname(os.path.abspath(__file__))
AUDIT = 'audit: {{ file: "{folder}/audit.jsonl", key: "a-key-of-the-audit-of-the-benchmark-0123", durability: "{durability}" }},'
# Name, connections, durability of the audit, other members of the configuration, who asks, and the most system calls of a request.
PATHS = [
    ("upload token", 64, None, "", "anonymous", 2.1),
    ("upload token, one connection", 1, None, "", "anonymous", 3.2),
    ("with an API key", 64, None, "", "apiKey:k0", 2.1),
    ("logged", 64, None, "log: { requests: true },", "anonymous", 2.3),
    ("audited, none", 64, "none", "", "anonymous", 2.5),
    ("audited, batch", 64, "batch", "", "anonymous", 2.6),
    ("the whole product", 64, "batch", "", "apiKey:k0", 2.6),
]
PORT = tls.free_port()


def rounds_of(connections):
    """How often each connection asks, fewer and more: the difference is some thousand requests of many, and 200 of one."""
    return (20, 220) if connections == 1 else (10, 60)


def configure(folder, durability, members, caller):
    text = callers.configuration(PORT, 1, 1, caller)
    if members:
        text = text.replace('log: { level: "error" },', members)
    if durability:
        text = text.replace("credentials: {", AUDIT.format(folder=folder, durability=durability) + "\n  credentials: {", 1)
    path = f"{folder}/countersign.json5"
    with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600), "w") as f:
        f.write(text)
    return path


def answers(sockets, buffers):
    """Waits until every connection has had one answer."""
    waiting = set(sockets)
    while waiting:
        for s in select.select(list(waiting), [], [], 30)[0]:
            data = s.recv(65536)
            assert data, "a connection was closed"
            buffers[s] += data
            head, end, body = buffers[s].partition(b"\r\n\r\n")
            if end and len(body) >= int(re.search(rb"(?i)content-length: *(\d+)", head)[1]):
                assert head.startswith(b"HTTP/1.1 200"), head
                buffers[s] = b""
                waiting.discard(s)
        if not waiting:
            return


def ask(connections, rounds, headers):
    sockets = [socket.create_connection(("127.0.0.1", PORT), 30) for _ in range(connections)]
    fields = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
    request = f"GET {callers.PATH} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\n{fields}\r\n".encode()
    buffers = {s: b"" for s in sockets}
    for _ in range(rounds):
        for s in sockets:
            s.sendall(request)
        answers(sockets, buffers)
    for s in sockets:
        s.close()


def run(tool, path, rounds, binary):
    """What the tool has counted of a service that was asked so often."""
    _, connections, durability, members, caller, _ = path
    with tempfile.TemporaryDirectory() as folder:
        config, out = configure(folder, durability, members, caller), f"{folder}/out"
        cmd = {"strace": ["strace", "-f", "-c", "-o", out], "callgrind": ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]}[tool]
        env = {**os.environ, "BENCH_SECRET_KEY": bench.SECRET.decode(), "TOKEN_SECRET": callers.TOKEN_SECRET, "SWIFT_BACKTRACE": "enable=no"}
        process = subprocess.Popen([*cmd, binary, "serve", "--config", config], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", PORT)).close()
                    break
                except OSError:
                    assert process.poll() is None, "the service did not start"
                    time.sleep(0.1)
            ask(connections, rounds, {} if caller == "anonymous" else {"Authorization": "Bearer " + callers.key(0)})
        finally:
            for pid in bench.tree(process.pid)[1 if tool == "strace" else 0:]:
                os.kill(pid, signal.SIGTERM)
            process.wait(60)
        text = open(out).read()
    if tool == "strace":
        return int(re.search(r"(\d+)(?: +\d+)? total$", text, re.M)[1])
    return int(re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1])


def cost(tool, path, binary):
    few, many = rounds_of(path[1])
    return (run(tool, path, many, binary) - run(tool, path, few, binary)) / ((many - few) * path[1])


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--binary", default=os.path.join(HERE, "bin/countersign"))
    ap.add_argument("--instructions", action="store_true")
    ap.add_argument("--only", help="names of paths, joined by commas")
    ap.add_argument("--json")
    ap.add_argument("--check", action="store_true", help="end with 1 when a path has more system calls than its ceiling")
    a = ap.parse_args()
    rows, missed = [], 0
    for path in PATHS:
        name, connections, _, _, _, ceiling = path
        if a.only and name not in a.only.split(","):
            continue
        calls = cost("strace", path, a.binary)
        # Other work on the machine makes groups smaller, and never larger: the least of three is what a request costs.
        for _ in range(2):
            if calls > ceiling:
                calls = min(calls, cost("strace", path, a.binary))
        row = {"path": name, "connections": connections, "calls": calls, "ceiling": ceiling}
        if a.instructions:
            row["instructions"] = cost("callgrind", path, a.binary)
        rows.append(row)
        missed += row["calls"] > ceiling
        print(f"{'MISSED' if row['calls'] > ceiling else 'ok':7}{name}: {row['calls']:.2f} system calls a request, at most {ceiling}"
              + (f"; {row['instructions']:,.0f} instructions" if a.instructions else ""), flush=True)
    if a.json:
        json.dump(rows, open(a.json, "w"), indent=1)
    return 1 if a.check and (missed or not rows) else 0


if __name__ == "__main__":
    sys.exit(main())
