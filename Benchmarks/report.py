#!/usr/bin/env python3
"""Makes the tables and plots of a run: results/README.md and results/*.svg, of what `run` has written beside them.

  report.py [FOLDER]                 results by default: bench.json, calls.json, operations.json
"""
import json, os, re, sys

from bench import cell

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, LEFT, BAR, GAP = 760, 150, 20, 6
COLOURS = ["#0b6e4f", "#c1440e", "#3d5a98", "#8a6d00", "#7b3f8c", "#444444", "#008b8b", "#b03060", "#5f7f1f", "#a0522d", "#4682b4", "#999999"]
RATES = ["rate2k", "rate8k", "rate32k"]
# Members of the figures, under the heads of the table.
COLUMNS = [
    ("CPU µs/request", "keepalive.cpu_us"), ("/ C", "keepalive.limit"), ("/ Go", "keepalive.peer"), ("1,024 connections µs", "wide.cpu_us"),
    ("/ C", "wide.limit"), ("/ Go", "wide.peer"), ("pipelined µs", "pipeline.cpu_us"), ("/ C", "pipeline.limit"), ("a connection each µs", "close.cpu_us"),
    ("p50 µs at 2,000/s", "rate2k.p50_us"), ("p99 µs", "rate2k.p99_us"), ("start ms", "start_ms"), ("MiB loaded", "rss_loaded_mib"),
    ("KiB a connection", "per_conn_kib"), ("binary MB", "binary_mb"),
]


def svg(height, title, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" font-size="12">\n'
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n<text x="10" y="20" font-size="14">{title}</text>\n' + "\n".join(body) + "\n</svg>\n")


def bars(title, rows):
    """A bar for each name and value."""
    rows = [(name, value) for name, value in rows if value is not None]
    most = max(value for _, value in rows) or 1
    body = []
    for place, (name, value) in enumerate(rows):
        y, length = 34 + place * (BAR + GAP), max(1, value / most * (WIDTH - LEFT - 70))
        colour = COLOURS[0] if name.startswith(("countersign", "product")) else COLOURS[-1]
        body += [f'<text x="{LEFT - 6}" y="{y + 14}" text-anchor="end">{name}</text>',
                 f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{colour}"/>',
                 f'<text x="{LEFT + length + 5:.1f}" y="{y + 14}">{cell(value)}</text>']
    return svg(44 + len(rows) * (BAR + GAP), title, body)


def lines(title, ticks, series, unit):
    """A line for each name and its values at the ticks; the height is logarithmic, of base 10."""
    import math
    values = [v for _, row in series for v in row if v]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)) + 0.01)
    top, bottom, right = 36, 330, WIDTH - 170
    x = lambda place: 60 + place * (right - 80) / max(1, len(ticks) - 1)
    y = lambda value: bottom - (math.log10(value) - low) / (high - low) * (bottom - top)
    body = []
    for power in range(low, high + 1):
        body += [f'<line x1="55" x2="{right}" y1="{y(10 ** power):.1f}" y2="{y(10 ** power):.1f}" stroke="#dddddd"/>',
                 f'<text x="50" y="{y(10 ** power) + 4:.1f}" text-anchor="end">{10 ** power if power >= 0 else 10.0 ** power:,}</text>']
    body += [f'<text x="{x(place):.1f}" y="350" text-anchor="middle">{tick}</text>' for place, tick in enumerate(ticks)]
    body.append(f'<text x="10" y="372">{unit}</text>')
    for place, (name, row) in enumerate(series):
        points = [(x(i), y(v)) for i, v in enumerate(row) if v]
        colour = COLOURS[place % len(COLOURS)]
        body += [f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="' + " ".join(f"{a:.1f},{b:.1f}" for a, b in points) + '"/>',
                 f'<rect x="{right + 12}" y="{top + place * 18}" width="12" height="4" fill="{colour}"/>',
                 f'<text x="{right + 30}" y="{top + 7 + place * 18}">{name}</text>']
    return svg(380, title, body)


def table(heads, rows):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)] + ["| " + " | ".join(row) + " |" for row in rows])


def grants(operations):
    """By what grants are told apart: nanoseconds of a decision at each number of them."""
    found = {}
    for operation in operations:
        if m := re.fullmatch(r"decision among (\d+) grants?, by (.*)", operation["name"]):
            found.setdefault(m[2], {})[int(m[1])] = operation["nanoseconds"]
    return found


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "results")
    load = lambda name: json.load(open(os.path.join(folder, name)))
    run, calls, operations = load("bench.json"), load("calls.json"), load("operations.json")
    servers, machine = [(s["name"], s["fig"]) for s in run["servers"]], run["machine"]
    decisions = grants(operations)
    counts = sorted({count for row in decisions.values() for count in row})
    plots = {
        "cpu.svg": bars("CPU microseconds a request, 64 connections kept alive", [(n, f.get("keepalive.cpu_us")) for n, f in servers]),
        "latency.svg": lines("p99 latency under rising load", ["2,000/s", "8,000/s", "32,000/s"],
                             [(n, [f.get(f"{r}.p99_us") for r in RATES]) for n, f in servers], "microseconds"),
        "memory.svg": bars("Memory of an idle connection, KiB", [(n, f.get("per_conn_kib")) for n, f in servers if "tls" not in n]),
        "grants.svg": lines("Cost of a decision against the caller's grants", [f"{c:,}" for c in counts],
                            [(n, [row.get(c) for c in counts]) for n, row in decisions.items()], "nanoseconds, by number of grants"),
    }
    for name, text in plots.items():
        open(os.path.join(folder, name), "w").write(text)
    text = [
        "# A run of the benchmark", "",
        f"Written by `Benchmarks/run`. {machine['cpu']}, {machine['cores']} cores, Linux {machine['kernel']}; {machine['rounds']} rounds of {machine['secs']} seconds; "
        f"load average {machine['load']:.1f} at the end. [What is measured](../README.md).", "",
        "`product` is the service as deployed: API key, audit `batch`, limits, metrics. `countersign` is the same work without any of them.", "",
        table(["server", *(head for head, _ in COLUMNS)], [[n, *(cell(f.get(key)) for _, key in COLUMNS)] for n, f in servers]), "",
        "![CPU a request](cpu.svg)", "", "![Latency under rising load](latency.svg)", "", "![Memory of a connection](memory.svg)", "",
        "## System calls and instructions", "",
        table(["path", "connections", "system calls a request", "at most", "instructions a request"],
              [[c["path"], str(c["connections"]), f"{c['calls']:.2f}", str(c["ceiling"]), cell(c.get("instructions"))] for c in calls]), "",
        "## Grants that one caller may use", "",
        table(["told apart by", *(f"{c:,} ns" for c in counts), "most / least"],
              [[n, *(cell(row.get(c)) for c in counts), f"{max(row.values()) / min(row.values()):.2f}"] for n, row in decisions.items()]), "",
        "![Cost against grants](grants.svg)", "",
    ]
    open(os.path.join(folder, "README.md"), "w").write("\n".join(text))


if __name__ == "__main__":
    main()
