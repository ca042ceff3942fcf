#!/usr/bin/env python3
"""TLS handshakes beside nginx's: the same certificate, one worker each, pinned to the same core, in turns.

  tls.py [--binary bin/countersign] [--rounds 5] [--secs 2] [--clients 4] [--nice 0] [--check]

`openssl s_time` makes the connections, several at a time, from the other core: each shakes hands and ends. Shown are
handshakes per second with the share of its core that the server used, and CPU microseconds per handshake (user and
system, whole process tree). Most handshakes cost the client more than the server, so that the clients' core limits:
then only CPU per handshake can be compared, its inverse being what a whole core does. With --nice 8 a process that only
computes shares the server's core and leaves it a seventh, so that the server limits, and rates can be compared.
A ratio is the median of the rounds' own ratios. --check fails when one of countersign's CPU, by epoll, is above 1.1.
Needs: nginx, openssl, nice, taskset, Python's standard library. Traffic goes to 127.0.0.1 only.
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


def start(command, port, nice):
    process = subprocess.Popen(
        ["nice", "-n", str(nice), "taskset", "-c", SERVER_CORE] + command, stdout=subprocess.DEVNULL)
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


def load(name, port, arguments, seconds, clients):
    """Handshakes that were made, and how many of them were resumed."""
    command = ["taskset", "-c", LOAD_CORE, "openssl", "s_time", "-connect", f"127.0.0.1:{port}", "-time", str(seconds)]
    runs = [
        subprocess.Popen(command + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(clients)]
    made, resumed = 0, 0
    for run in runs:
        out, errors = run.communicate(timeout=seconds + 60)
        # `real seconds` are whole ones: only the count is used. One letter stands for each connection.
        counts = re.findall(r"(\d+) connections in \d+ real seconds", out)
        if run.returncode or not counts:
            sys.exit(f"openssl s_time failed with {name}: {out[-200:]}{errors[-1000:]}")
        made += int(counts[-1])
        resumed += sum(line.count("r") for line in re.findall(r"^[rtT3*]+$", out, re.M))
    return made, resumed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin/countersign"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--secs", type=int, default=2)
    parser.add_argument("--clients", type=int, default=4)
    parser.add_argument("--nice", type=int, default=0)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    worst = 0
    names = ("countersign", "countersign-dispatch", "nginx")
    print("| certificate | handshake | "
          + " | ".join(f"{name}: /s (core) | us" for name in names)
          + " | rate / nginx | us / nginx | dispatch us / nginx |")
    print("|---|---|" + "---|" * (2 * len(names) + 3))
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in KEYS.items():
            key, chain = f"{folder}/{kind}.key", f"{folder}/{kind}.pem"
            subprocess.run(make.format(key).split(), check=True, capture_output=True)
            os.chmod(key, 0o600)
            subprocess.run(
                ["openssl", "req", "-x509", "-new", "-key", key, "-subj", "/CN=localhost", "-days", "2", "-out", chain,
                 "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
            servers = {}
            squeezers = []
            try:
                if options.nice:
                    # It ends with this process, however that ends.
                    code = f"import os\nwhile os.getppid() == {os.getpid()}: pass"
                    squeezers.append(subprocess.Popen(["taskset", "-c", SERVER_CORE, sys.executable, "-c", code]))
                for name in names:
                    port = free_port()
                    config = f"{folder}/{kind}-{name}.conf"
                    text = NGINX if name == "nginx" else COUNTERSIGN
                    transport = "dispatch" if name.endswith("dispatch") else "epoll"
                    with open(config, "w") as file:
                        file.write(text.format(folder=folder, port=port, chain=chain, key=key, transport=transport))
                    command = ["nginx", "-c", config] if name == "nginx" else [options.binary, "serve", "--config", config]
                    servers[name] = (start(command, port, options.nice), port)
                for label, arguments in KINDS:
                    costs, rates, shares = ({name: [] for name in names} for _ in range(3))
                    for round in range(options.rounds + 1):
                        for name, (process, port) in servers.items():
                            before, begin = cpu_seconds(process.pid), time.monotonic()
                            count, resumed = load(name, port, arguments, options.secs, options.clients)
                            used, elapsed = cpu_seconds(process.pid) - before, time.monotonic() - begin
                            if ("-reuse" in arguments) != (resumed > 0):
                                sys.exit(f"{name}, {label}: {resumed} of {count} sessions were resumed")
                            # The first round warms up.
                            if round:
                                costs[name].append(used * 1e6 / count)
                                rates[name].append(count / elapsed)
                                shares[name].append(used / elapsed)

                    def ratio(name, values):
                        return statistics.median(a / b for a, b in zip(values[name], values["nginx"]))
                    worst = max(worst, ratio("countersign", costs))
                    figures = " | ".join(
                        f"{statistics.median(rates[name]):.0f} ({statistics.median(shares[name]):.0%}) "
                        f"| {statistics.median(costs[name]):.0f}" for name in names)
                    print(f"| {kind} | {label} | {figures} | {ratio('countersign', rates):.2f} "
                          f"| {ratio('countersign', costs):.2f} | {ratio('countersign-dispatch', costs):.2f} |", flush=True)
            finally:
                for process in squeezers:
                    process.kill()
                for process, _ in servers.values():
                    process.send_signal(signal.SIGTERM)
                for process in squeezers + [process for process, _ in servers.values()]:
                    process.wait(10)
    if options.check and worst > MOST:
        sys.exit(f"a handshake costs {worst:.2f} times nginx's")


if __name__ == "__main__":
    main()
