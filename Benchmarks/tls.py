#!/usr/bin/env python3
"""TLS handshakes beside nginx's: the same certificate, one worker each, pinned to the same core, in turns.

  tls.py [--binary bin/countersign] [--rounds 5] [--secs 2] [--check]

`openssl s_time` makes the connections, from the other core: each shakes hands and ends. The figure to compare is CPU
microseconds per handshake (user and system, whole process tree): other work on the machine moves handshakes per second
by a factor, and CPU by some percent. A ratio is the median of the rounds' own ratios. --check fails when a ratio is
above 1.1. Needs: nginx, openssl, taskset, Python's standard library. Traffic goes to 127.0.0.1 only.
"""
import argparse, os, re, signal, socket, statistics, subprocess, sys, tempfile, time

TICK = os.sysconf("SC_CLK_TCK")
SERVER_CORE, LOAD_CORE = "0", "1"
MOST = 1.1
# P-256, as nearly everybody has by now, and RSA, as many still have.
KEYS = {"P-256": "openssl ecparam -name prime256v1 -genkey -noout -out {}", "RSA-2048": "openssl genrsa -out {} 2048"}
# name, arguments of s_time
KINDS = [
    ("1.3 full", ["-new", "-tls1_3"]),
    ("1.2 full", ["-new", "-tls1_2"]),
    ("1.3 resumed", ["-reuse", "-tls1_3", "-www", "/livez"]),
    ("1.2 resumed", ["-reuse", "-tls1_2"]),
]
NGINX = """
worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; user root;
events {{ worker_connections 4096; }}
http {{
  access_log off; client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t;
  uwsgi_temp_path {folder}/t; scgi_temp_path {folder}/t;
  server {{
    listen 127.0.0.1:{port} ssl reuseport; server_name localhost;
    ssl_certificate {chain}; ssl_certificate_key {key};
    ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets on; ssl_session_timeout 1h; ssl_prefer_server_ciphers off;
    ssl_ecdh_curve X25519:prime256v1:secp384r1;
    ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;
    location /livez {{ return 200 "alive"; }}
  }}
}}
"""
COUNTERSIGN = """{{
  version: 1, admin: {{ listen: [] }}, credentials: {{}}, grants: {{}}, log: {{ level: "error" }},
  server: {{ listen: "127.0.0.1:{port}", workers: 1, hosts: ["*"], transport: "{transport}",
    tls: {{ certificates: [{{ names: "localhost", certificateFile: "{chain}", keyFile: "{key}" }}] }} }},
}}"""


def tree(pid):
    out, todo = [], [pid]
    while todo:
        p = todo.pop()
        out.append(p)
        try:
            for t in os.listdir(f"/proc/{p}/task"):
                todo += map(int, open(f"/proc/{p}/task/{t}/children").read().split())
        except OSError:
            pass
    return out


def cpu_seconds(pid):
    total = 0
    for p in tree(pid):
        fields = open(f"/proc/{p}/stat").read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(command, port):
    process = subprocess.Popen(["taskset", "-c", SERVER_CORE] + command, stdout=subprocess.DEVNULL)
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return process
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    process.kill()
    sys.exit(f"{command[0]} does not listen")


def load(name, port, arguments, seconds):
    """Handshakes that were made, and how many of them were resumed."""
    run = subprocess.run(
        ["taskset", "-c", LOAD_CORE, "openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-time", str(seconds)]
        + arguments, capture_output=True, text=True, timeout=seconds + 60)
    # `real seconds` are whole ones: only the count is used. One letter stands for each connection.
    counts = re.findall(r"(\d+) connections in \d+ real seconds", run.stdout)
    if run.returncode or not counts:
        sys.exit(f"openssl s_time failed with {name}: {run.stdout[-200:]}{run.stderr[-1000:]}")
    return int(counts[-1]), sum(line.count("r") for line in re.findall(r"^[rtT3*]+$", run.stdout, re.M))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin/countersign"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--secs", type=int, default=2)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    worst = 0
    print("| certificate | handshake | countersign us | countersign-dispatch us | nginx us | / nginx | dispatch / nginx |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in KEYS.items():
            key, chain = f"{folder}/{kind}.key", f"{folder}/{kind}.pem"
            subprocess.run(make.format(key).split(), check=True, capture_output=True)
            os.chmod(key, 0o600)
            subprocess.run(
                ["openssl", "req", "-x509", "-new", "-key", key, "-subj", "/CN=localhost", "-days", "2", "-out", chain,
                 "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
            servers = {}
            try:
                for name in ("countersign", "countersign-dispatch", "nginx"):
                    port = free_port()
                    config = f"{folder}/{kind}-{name}.conf"
                    text = NGINX if name == "nginx" else COUNTERSIGN
                    transport = "dispatch" if name.endswith("dispatch") else "epoll"
                    with open(config, "w") as file:
                        file.write(text.format(folder=folder, port=port, chain=chain, key=key, transport=transport))
                    command = ["nginx", "-c", config] if name == "nginx" else [options.binary, "serve", "--config", config]
                    servers[name] = (start(command, port), port)
                for label, arguments in KINDS:
                    costs = {name: [] for name in servers}
                    for round in range(options.rounds + 1):
                        for name, (process, port) in servers.items():
                            before = cpu_seconds(process.pid)
                            count, resumed = load(name, port, arguments, options.secs)
                            if ("-reuse" in arguments) != (resumed > 0):
                                sys.exit(f"{name}, {label}: {resumed} of {count} sessions were resumed")
                            # The first round warms up.
                            if round:
                                costs[name].append((cpu_seconds(process.pid) - before) * 1e6 / count)
                    ratios = {
                        name: statistics.median(a / b for a, b in zip(costs[name], costs["nginx"])) for name in costs}
                    worst = max(worst, ratios["countersign"])
                    figures = " | ".join(f"{statistics.median(costs[name]):.0f}" for name in costs)
                    print(f"| {kind} | {label} | {figures} | {ratios['countersign']:.2f} "
                          f"| {ratios['countersign-dispatch']:.2f} |", flush=True)
            finally:
                for process, _ in servers.values():
                    process.send_signal(signal.SIGTERM)
                    process.wait(10)
    if options.check and worst > MOST:
        sys.exit(f"a handshake costs {worst:.2f} times nginx's")


if __name__ == "__main__":
    main()
