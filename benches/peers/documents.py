#!/usr/bin/env python3
"""Listing, reading, saving, searching among 10,000 to 100,000 documents, and beside PocketBase.

Needs `wrk` (a Debian package) on the PATH and a release build:
    cargo build --release --bin chartroom --example seed
    python3 benches/peers/documents.py [--seconds 2] [--rounds 3] [--only PART] [--no-pocketbase]

First the example `seed` fills a data directory of each size; `--seeds DIR` keeps them for the next
time. A server on a copy of each runs at the same time, and each operation is measured in turn on
all of them by 1 and by 16 clients, so that they meet the same machine: what counts are the ratios
to the smallest. What grows like a logarithm grows by as much from the first to the second as from
there to the third, each about three times as large. `live` is the empty answer of /livez: what client and connection
cost alone. All times are what a client in a closed loop sees, in milliseconds; the median of the
rounds is printed.

Then 2,000 documents and 64 connections: reads, creates, lists of 20 and searches, here and in
PocketBase, which runs as it comes (its commits do not wait for the disk, ours do).
"""
import argparse, json, pathlib, shutil, statistics, subprocess, sys, tempfile, threading, time
import urllib.error, urllib.parse, urllib.request

import servers

SIZES = {10_000: (500, 100), 30_000: (1_500, 300), 100_000: (5_000, 1_000)}
PEER_SIZE = (2_000, 100, 50)
CLIENTS = (1, 16)
DATA = [{"label": f"Region {row}", "value": row * 1.5} for row in range(20)]


def seeded(place, documents, folders, users):
    """A data directory of this size and what to ask of it; made unless it is there."""
    data, about = place / f"{documents}", place / f"{documents}.json"
    if not about.exists():
        shutil.rmtree(data, ignore_errors=True)
        begun = time.perf_counter()
        made = subprocess.run([servers.built("examples/seed"), str(data), "--documents", str(documents),
                               "--folders", str(folders), "--users", str(users)],
                              check=True, capture_output=True).stdout
        about.write_bytes(made)
        print(f"{documents} documents made in {time.perf_counter() - begun:.0f} s", flush=True)
    return data, json.loads(about.read_text())


class Run:
    """A server on a copy of a seeded data directory."""

    def __init__(self, folder, data, about):
        copy = folder / data.name
        shutil.copytree(data, copy)
        self.about = about
        self.process, self.base = servers.chartroom(copy)
        self.owner = "Bearer " + about["owner"]["token"]
        self.reader = "Bearer " + about["reader"]["token"]
        self.documents = [f"/api/v1/users/{about['owner']['id']}/documents/{id}" for id in about["owner"]["page"]]

    def search(self, words):
        return "/api/v1/search?" + urllib.parse.urlencode({"query": " ".join(words), "limit": 20})

    def operations(self):
        """What is measured: method, Authorization, paths, body."""
        list_page = "/api/v1/users/me/list" + urllib.parse.quote(self.about["owner"]["folder"]) + "?limit=20"
        save = json.dumps({"title": "Saved @", "data": DATA + [{"label": "New", "value": "@"}]}).replace('"@"', "@")
        return {
            "live": ("GET", self.owner, ["/livez"], ""),
            "list": ("GET", self.owner, [list_page], ""),
            "read": ("GET", self.owner, self.documents, ""),
            "save": ("PUT", self.owner, self.documents, save),
            "search": ("GET", self.owner, [self.search(self.about["words"])], ""),
            "search 50": ("GET", self.reader, [self.search(self.about["reader"]["words"])], ""),
            "foreign": ("GET", self.reader, ["/api/v1/users/me/foreign-documents?limit=20"], ""),
        }


def is_there(run, token, path):
    """Whether the server has the route: an older build may not."""
    request = urllib.request.Request(run.base + path, headers={"Authorization": token})
    try:
        urllib.request.urlopen(request, timeout=30).close()
        return True
    except urllib.error.HTTPError as error:
        # While the index is being made, a search is told to come back.
        if error.code in (404, 503):
            return error.code == 503
        raise


def measure(folder, base, operation, clients, seconds):
    """One run of wrk: rate, p50, p99, worst."""
    method, token, paths, body = operation
    file = folder / "requests"
    file.write_text("\n".join([method, token, str(len(paths)), *paths]) + "\n" + body)
    script = pathlib.Path(__file__).with_name("requests.lua")
    run = subprocess.run(["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s", "-s", str(script), base, "--", str(file)],
                         check=True, capture_output=True, text=True)
    result = json.loads(run.stdout.strip().splitlines()[-1])
    if result["wrong"]:
        sys.exit(f"{result['wrong']} answers of {method} {paths[0]} were no success")
    return result


def middle(results):
    return {key: statistics.median(it[key] for it in results) for key in results[0]}


def found_after(run, count):
    """Milliseconds from sending a change to having found it, by the same caller."""
    client, times = servers.Client(run.base, run.owner), []
    for number in range(count):
        word = f"zyx{number}q{time.time_ns()}"
        body = json.dumps({"title": f"Changed {word}"})
        begun = time.perf_counter()
        client.call("PATCH", run.documents[number % len(run.documents)], body)
        while not client.call("GET", run.search([word]))["count"]:
            if time.perf_counter() - begun > 10:
                sys.exit("a change was not found within 10 s")
        times.append((time.perf_counter() - begun) * 1000)
    return times


def wait_for_index(run):
    """Waits until the index, which the server makes at its first start, finds no more than before."""
    search, found, same = run.base + run.search([run.about["words"][0]]), 0, 0
    for _ in range(600):
        try:
            count = servers.call("GET", search, None, run.owner)["count"]
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            count = 0
        same = same + 1 if count and count == found else 0
        if same == 10:
            return
        found = count
        time.sleep(0.3)
    sys.exit("the index was not made within three minutes")


def sizes(folder, seeds, options):
    runs = {size: Run(folder, *seeded(seeds, size, *more)) for size, more in SIZES.items()}
    try:
        smallest, *larger = runs
        absent = {name for name, (method, token, paths, _) in runs[smallest].operations().items()
                  if method == "GET" and not is_there(runs[smallest], token, paths[0])}
        for name in sorted(absent):
            print(f"{name}: this build has no such route")
        if "search" not in absent:
            for run in runs.values():
                wait_for_index(run)
        print(f"{'':10} {'clients':>7}  " + "".join(f"{f'p50 of {size}':>15}{'p99':>9}{'/s':>8}" for size in runs)
              + f"{'ratios of p50':>{7 * len(larger) + 7}}")
        for name in runs[smallest].operations():
            if name in absent:
                continue
            for clients in CLIENTS:
                results = {size: [] for size in runs}
                for _ in range(options.rounds):
                    for size, run in runs.items():
                        results[size].append(measure(folder, run.base, run.operations()[name], clients, options.seconds))
                of = {size: middle(it) for size, it in results.items()}
                print(f"{name:10} {clients:7}  "
                      + "".join(f"{it['p50']:15.2f}{it['p99']:9.2f}{it['rate']:8.0f}" for it in of.values())
                      + " " * 7 + "".join(f"{of[size]['p50'] / of[smallest]['p50']:7.2f}" for size in larger), flush=True)
        if "search" not in absent:
            times = {size: sorted(found_after(run, 100)) for size, run in runs.items()}
            print("write to found, 1 client: " + ", ".join(
                f"{size}: p50 {it[50]:.1f}, p99 {it[98]:.1f}" for size, it in times.items()))
    finally:
        for run in runs.values():
            servers.stop(run.process)


class Peer:
    """PocketBase with a collection like our documents, each of its one user's."""

    def __init__(self, folder, words):
        self.process, self.base, root, self.token, self.user = servers.pocketbase(folder)
        mine = "owner = @request.auth.id"
        servers.call("POST", self.base + "/api/collections", {
            "name": "docs", "type": "base",
            "listRule": mine, "viewRule": mine, "createRule": mine,
            "fields": [
                {"name": "owner", "type": "text"}, {"name": "folder", "type": "text"},
                {"name": "title", "type": "text"}, {"name": "kind", "type": "text"},
                {"name": "data", "type": "json"},
                {"name": "created", "type": "autodate", "onCreate": True},
                {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True}],
            "indexes": ["create index docs_folder on docs (owner, folder, updated)"]}, root)
        self.path = "/api/collections/docs/records"
        self.fill(words)

    def body(self, folder, title):
        return json.dumps({"owner": self.user, "folder": folder, "title": title, "kind": "bar", "data": DATA})

    def fill(self, words):
        documents, folders, _ = PEER_SIZE

        def some(numbers):
            client = servers.Client(self.base, self.token)
            for number in numbers:
                # One in 60 has all three words, others some.
                title = " ".join(word for word, step in zip(words, (3, 4, 5)) if number % step == 0)
                client.call("POST", self.path, self.body(f"/{number % folders}", title or f"Other {number}"))

        threads = [threading.Thread(target=some, args=(range(at, documents, 8),)) for at in range(8)]
        for it in threads:
            it.start()
        for it in threads:
            it.join()

    def operations(self, words):
        listing = {"filter": "folder='/7'", "sort": "-updated", "perPage": 20,
                   "fields": "id,owner,folder,title,kind,created,updated"}
        ids = [it["id"] for it in servers.call("GET", f"{self.base}{self.path}?perPage=20", None, self.token)["items"]]
        has = " && ".join(f"(title~'{word}' || data~'{word}')" for word in words)
        query = lambda **more: self.path + "?" + urllib.parse.urlencode({**listing, **more})
        return {
            "read": ("GET", self.token, [f"{self.path}/{id}" for id in ids], ""),
            "list": ("GET", self.token, [query()], ""),
            "search": ("GET", self.token, [query(filter=has)], ""),
            "create": ("POST", self.token, [self.path], self.body("/new", "Made @")),
        }


def peers(folder, seeds, options):
    data, about = seeded(seeds, *PEER_SIZE)
    run, peer = Run(folder, data, about), Peer(folder, about["words"])
    try:
        ours = run.operations()
        made = json.dumps({"widget": "bar", "folder": "/New"})
        ours["create"] = ("POST", run.owner, ["/api/v1/create-document"], made)
        # Creates last: each makes both larger.
        for name, theirs in peer.operations(about["words"]).items():
            if name == "search" and not is_there(run, run.owner, ours[name][2][0]):
                print("search: this build has no such route")
                continue
            if name == "search":
                wait_for_index(run)
            results = {"ours": [], "theirs": []}
            for _ in range(options.rounds):
                results["ours"].append(measure(folder, run.base, ours[name], 64, options.seconds))
                servers.rest(run.process)
                results["theirs"].append(measure(folder, peer.base, theirs, 64, options.seconds))
                servers.rest(peer.process)
            one, other = middle(results["ours"]), middle(results["theirs"])
            print(f"{name:7} chartroom {one['rate']:8.0f}/s p99 {one['p99']:7.2f}   "
                  f"pocketbase {other['rate']:7.0f}/s p99 {other['p99']:8.2f}   ratio {one['rate'] / other['rate']:.1f}", flush=True)
    finally:
        servers.stop(run.process)
        servers.stop(peer.process)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=pathlib.Path)
    parser.add_argument("--only", choices=["sizes", "peers"])
    parser.add_argument("--no-pocketbase", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        seeds = options.seeds or folder / "seeds"
        seeds.mkdir(exist_ok=True)
        if options.only != "peers":
            sizes(folder, seeds, options)
        if options.only != "sizes" and not options.no_pocketbase:
            peers(folder, seeds, options)


if __name__ == "__main__":
    main()
