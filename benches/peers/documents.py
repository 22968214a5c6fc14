#!/usr/bin/env python3
"""Measures lists, reads, saves and searches with 10,000 to 100,000 documents, and compares with PocketBase.

Needs `wrk` (a Debian package) on the PATH and a build for production:
    cargo build --profile dist --bin chartroom --example seed
    python3 benches/peers/documents.py [--seconds 2] [--rounds 3] [--only PART] [--no-pocketbase]
    python3 benches/peers/documents.py --against TARGET_DIR --seconds 1 --rounds 9

First the example `seed` fills a data directory of each size. `--seeds DIR` keeps the directories for the
next run. A server runs on a copy of each directory. The script measures each operation on all servers in
turn, with 1 and with 16 clients, so that they run under the same conditions. The ratios to the smallest
size matter. Each size is about three times the previous one, so a logarithmic duration grows by the same
amount from size to size. `live` is the empty response of /livez: the cost of client and connection alone.
All durations are in milliseconds, measured by clients in a closed loop. The script prints the median of
the rounds.

Then it measures reads, creates, lists of 20 and searches with 2,000 documents and 64 connections, in
Chartroom and in PocketBase. PocketBase runs with its default settings: its commits do not wait for the
disk, those of Chartroom do.

With --against, it only compares this build with the one in another target directory, for example of the last
release, with 2,000 documents and 64 connections. Both need the programs of the first command. All servers start
with the data of the other build, which must not be the newer one. Each build runs as several servers, because
two processes of the same program differ by up to a tenth.
"""
import argparse, itertools, json, pathlib, shutil, statistics, subprocess, sys, tempfile, threading, time, typing
import urllib.error, urllib.parse, urllib.request

import servers


class DataSize(typing.NamedTuple):
    """Size of a data directory."""

    documents: int
    folders: int
    users: int


class Operation(typing.NamedTuple):
    """Requests to measure. wrk sends them to the paths in turn."""

    method: str
    # Value of the Authorization header.
    token: str
    paths: list
    # Request body, in which `@` is replaced by a number that differs in each request. May be empty.
    body: str


SIZES = (DataSize(10_000, 500, 100), DataSize(30_000, 1_500, 300), DataSize(100_000, 5_000, 1_000))
PEER_SIZE = DataSize(2_000, 100, 50)
CLIENT_COUNTS = (1, 16)
# Servers of each build with --against.
SERVERS_PER_BUILD = 3
DATA = [{"label": f"Region {row}", "value": row * 1.5} for row in range(20)]


def create_seeded_directory(parent, documents, folders, users, target_dir=servers.TARGET_DIR):
    """Creates a data directory of this size, unless it exists. Returns its path and the description that `seed`
    printed: accounts with tokens, document ids and words to search for."""
    data, description = parent / f"{documents}", parent / f"{documents}.json"
    if not description.exists():
        shutil.rmtree(data, ignore_errors=True)
        start = time.perf_counter()
        program = servers.get_program_path("examples/seed", target_dir=target_dir)
        output = subprocess.run([program, str(data), "--documents", str(documents), "--folders", str(folders),
                                 "--users", str(users)], check=True, capture_output=True).stdout
        description.write_bytes(output)
        print(f"{documents} documents created in {time.perf_counter() - start:.0f} s", flush=True)
    return data, json.loads(description.read_text())


class SeededServer:
    """A Chartroom server on a copy of a seeded data directory."""

    def __init__(self, folder, data, seed, target_dir=servers.TARGET_DIR):
        copy = folder / data.name
        shutil.copytree(data, copy)
        self.seed = seed
        self.process, self.base = servers.start_chartroom(copy, target_dir=target_dir)
        self.owner = "Bearer " + seed["owner"]["token"]
        self.reader = "Bearer " + seed["reader"]["token"]
        self.documents = [f"/api/v1/users/{seed['owner']['id']}/documents/{id}" for id in seed["owner"]["page"]]

    def get_search_path(self, words):
        return "/api/v1/search?" + urllib.parse.urlencode({"query": " ".join(words), "limit": 20})

    def get_operations(self):
        """Returns the operations to measure by name."""
        list_page = "/api/v1/users/me/list" + urllib.parse.quote(self.seed["owner"]["folder"]) + "?limit=20"
        body = json.dumps({"title": "Saved @", "data": DATA + [{"label": "New", "value": "@"}]}).replace('"@"', "@")
        foreign_page = "/api/v1/users/me/foreign-documents?limit=20"
        return {
            "live": Operation("GET", self.owner, ["/livez"], ""),
            "list": Operation("GET", self.owner, [list_page], ""),
            "read": Operation("GET", self.owner, self.documents, ""),
            "save": Operation("PUT", self.owner, self.documents, body),
            "search": Operation("GET", self.owner, [self.get_search_path(self.seed["words"])], ""),
            "search 50": Operation("GET", self.reader, [self.get_search_path(self.seed["reader"]["words"])], ""),
            "foreign": Operation("GET", self.reader, [foreign_page], ""),
        }

    def get_create_operation(self):
        """Returns the operation that creates documents in one folder."""
        body = json.dumps({"widget": "bar", "folder": "/New"})
        return Operation("POST", self.owner, ["/api/v1/create-document"], body)


def has_route(server, operation):
    """Whether the server has the route of an operation. An older build may not have it."""
    request = urllib.request.Request(server.base + operation.paths[0], headers={"Authorization": operation.token})
    try:
        urllib.request.urlopen(request, timeout=30).close()
        return True
    except urllib.error.HTTPError as error:
        # A search responds with 503 while the server builds the index.
        if error.code in (404, 503):
            return error.code == 503
        raise


def measure(folder, base, operation, clients, seconds):
    """Runs wrk. Returns the requests per second, and the latencies p50, p99 and worst in milliseconds. Exits if a
    request failed."""
    method, token, paths, body = operation
    file = folder / "requests"
    file.write_text("\n".join([method, token, str(len(paths)), *paths]) + "\n" + body)
    script = pathlib.Path(__file__).with_name("requests.lua")
    process = subprocess.run(["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s", "-s", str(script),
                              base, "--", str(file)], check=True, capture_output=True, text=True)
    result = json.loads(process.stdout.strip().splitlines()[-1])
    if result["errors"]:
        sys.exit(f"{result['errors']} requests {method} {paths[0]} failed")
    return result


def get_medians(results):
    """Returns the median of each value."""
    return {key: statistics.median(result[key] for result in results) for key in results[0]}


def measure_search_delays(server, count):
    """Returns the milliseconds from sending a change until the same caller finds it, for `count` changes."""
    client, delays = servers.Client(server.base, server.owner), []
    for number in range(count):
        word = f"zyx{number}q{time.time_ns()}"
        body = json.dumps({"title": f"Changed {word}"})
        start = time.perf_counter()
        client.send("PATCH", server.documents[number % len(server.documents)], body)
        while not client.send("GET", server.get_search_path([word]))["count"]:
            if time.perf_counter() - start > 10:
                sys.exit("a change was not found within 10 s")
        delays.append((time.perf_counter() - start) * 1000)
    return delays


def wait_for_index(server):
    """Waits until the server has built its index: ten searches in a row find the same number of documents."""
    url = server.base + server.get_search_path([server.seed["words"][0]])
    previous_count, repetitions = 0, 0
    for _ in range(600):
        try:
            count = servers.send_request("GET", url, None, server.owner)["count"]
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            count = 0
        repetitions = repetitions + 1 if count and count == previous_count else 0
        if repetitions == 10:
            return
        previous_count = count
        time.sleep(0.3)
    sys.exit("the index was not built within three minutes")


def compare_sizes(folder, seeds, options):
    """Measures all operations on servers of all sizes, and prints the durations and ratios."""
    by_size = {size.documents: SeededServer(folder, *create_seeded_directory(seeds, *size)) for size in SIZES}
    try:
        smallest, *larger = by_size
        absent = {name for name, operation in by_size[smallest].get_operations().items()
                  if operation.method == "GET" and not has_route(by_size[smallest], operation)}
        for name in sorted(absent):
            print(f"{name}: this build has no such route")
        if "search" not in absent:
            for server in by_size.values():
                wait_for_index(server)
        print(f"{'':10} {'clients':>7}  " + "".join(f"{f'p50 of {size}':>15}{'p99':>9}{'/s':>8}" for size in by_size)
              + f"{'ratios of p50':>{7 * len(larger) + 7}}")
        for name in by_size[smallest].get_operations():
            if name in absent:
                continue
            for clients in CLIENT_COUNTS:
                results = {size: [] for size in by_size}
                for _ in range(options.rounds):
                    for size, server in by_size.items():
                        operation = server.get_operations()[name]
                        results[size].append(measure(folder, server.base, operation, clients, options.seconds))
                medians = {size: get_medians(values) for size, values in results.items()}
                print(f"{name:10} {clients:7}  "
                      + "".join(f"{median['p50']:15.2f}{median['p99']:9.2f}{median['rate']:8.0f}" for median in medians.values())
                      + " " * 7 + "".join(f"{medians[size]['p50'] / medians[smallest]['p50']:7.2f}" for size in larger), flush=True)
        if "search" not in absent:
            delays = {size: sorted(measure_search_delays(server, 100)) for size, server in by_size.items()}
            print("change until found, 1 client: " + ", ".join(
                f"{size}: p50 {values[50]:.1f}, p99 {values[98]:.1f}" for size, values in delays.items()))
    finally:
        for server in by_size.values():
            servers.stop_server(server.process)


class PocketBase:
    """PocketBase with a collection like the documents of Chartroom. Its only user owns all records."""

    def __init__(self, folder, words):
        self.process, self.base, root, self.token, self.user = servers.start_pocketbase(folder)
        owner_rule = "owner = @request.auth.id"
        servers.send_request("POST", self.base + "/api/collections", {
            "name": "docs", "type": "base",
            "listRule": owner_rule, "viewRule": owner_rule, "createRule": owner_rule,
            "fields": [
                {"name": "owner", "type": "text"}, {"name": "folder", "type": "text"},
                {"name": "title", "type": "text"}, {"name": "kind", "type": "text"},
                {"name": "data", "type": "json"},
                {"name": "created", "type": "autodate", "onCreate": True},
                {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True}],
            "indexes": ["create index docs_folder on docs (owner, folder, updated)"]}, root)
        self.path = "/api/collections/docs/records"
        self.create_records(words)

    def build_body(self, folder, title):
        return json.dumps({"owner": self.user, "folder": folder, "title": title, "kind": "bar", "data": DATA})

    def create_records(self, words):
        """Creates as many records as Chartroom has documents, with eight threads."""
        def create_range(numbers):
            client = servers.Client(self.base, self.token)
            for number in numbers:
                # One title of 60 has all three words, others have some of them.
                title = " ".join(word for word, step in zip(words, (3, 4, 5)) if number % step == 0)
                client.send("POST", self.path, self.build_body(f"/{number % PEER_SIZE.folders}", title or f"Other {number}"))

        threads = [threading.Thread(target=create_range, args=(range(first, PEER_SIZE.documents, 8),)) for first in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def get_operations(self, words):
        """Returns the operations to measure by name."""
        listing = {"filter": "folder='/7'", "sort": "-updated", "perPage": 20,
                   "fields": "id,owner,folder,title,kind,created,updated"}
        page = servers.send_request("GET", f"{self.base}{self.path}?perPage=20", None, self.token)
        ids = [record["id"] for record in page["items"]]
        search_filter = " && ".join(f"(title~'{word}' || data~'{word}')" for word in words)
        get_list_path = lambda **parameters: self.path + "?" + urllib.parse.urlencode({**listing, **parameters})
        return {
            "read": Operation("GET", self.token, [f"{self.path}/{id}" for id in ids], ""),
            "list": Operation("GET", self.token, [get_list_path()], ""),
            "search": Operation("GET", self.token, [get_list_path(filter=search_filter)], ""),
            "create": Operation("POST", self.token, [self.path], self.build_body("/new", "Made @")),
        }


def compare_with_pocketbase(folder, seeds, options):
    """Measures the same operations in Chartroom and PocketBase, and prints the rates and ratios."""
    data, seed = create_seeded_directory(seeds, *PEER_SIZE)
    chartroom, pocketbase = SeededServer(folder, data, seed), PocketBase(folder, seed["words"])
    try:
        operations = chartroom.get_operations()
        operations["create"] = chartroom.get_create_operation()
        # `create` is the last operation, because it makes the data larger.
        for name, pocketbase_operation in pocketbase.get_operations(seed["words"]).items():
            operation = operations[name]
            if name == "search" and not has_route(chartroom, operation):
                print("search: this build has no such route")
                continue
            if name == "search":
                wait_for_index(chartroom)
            chartroom_results, pocketbase_results = [], []
            for _ in range(options.rounds):
                chartroom_results.append(measure(folder, chartroom.base, operation, 64, options.seconds))
                servers.wait_until_idle(chartroom.process)
                pocketbase_results.append(measure(folder, pocketbase.base, pocketbase_operation, 64, options.seconds))
                servers.wait_until_idle(pocketbase.process)
            ours, theirs = get_medians(chartroom_results), get_medians(pocketbase_results)
            print(f"{name:7} chartroom {ours['rate']:8.0f}/s p99 {ours['p99']:7.2f}   "
                  f"pocketbase {theirs['rate']:7.0f}/s p99 {theirs['p99']:8.2f}   ratio {ours['rate'] / theirs['rate']:.1f}", flush=True)
    finally:
        servers.stop_server(chartroom.process)
        servers.stop_server(pocketbase.process)


def compare_builds(folder, options):
    """Measures operations in this build and in another one, with the same data. Prints the rates, the CPU time of
    the server for a request, the ratios of this build to the other one, and the resident memory when all servers
    are idle again. A ratio is the median of the ratios of neighboring measurements."""
    names, target_dirs = ("this build", "other"), (servers.TARGET_DIR, options.against.resolve())
    data, seed = create_seeded_directory(folder, *PEER_SIZE, target_dirs[1])
    pairs = []
    try:
        for number in range(SERVERS_PER_BUILD):
            pairs.append([])
            for name, target_dir in zip(names, target_dirs):
                parent = folder / f"{name} {number}"
                parent.mkdir()
                pairs[-1].append(SeededServer(parent, data, seed, target_dir))
        for server in itertools.chain(*pairs):
            wait_for_index(server)
            servers.wait_until_idle(server.process)
        for name in {**pairs[0][0].get_operations(), "create": None}:
            results = ([], [])
            for round_number in range(options.rounds):
                for pair in pairs:
                    for number in (0, 1) if round_number % 2 == 0 else (1, 0):
                        results[number].append(measure_with_cpu(folder, pair[number], name, options.seconds))
            ours, theirs = map(get_medians, results)
            rate, cpu = (statistics.median(one[key] / two[key] for one, two in zip(*results)) for key in ("rate", "cpu"))
            print(f"{name:10} {ours['rate']:8.0f}/s, other {theirs['rate']:8.0f}/s, ratio {rate:.2f}   "
                  f"CPU {ours['cpu']:6.1f} µs, other {theirs['cpu']:6.1f} µs, ratio {cpu:.2f}   "
                  f"p99 {ours['p99']:.1f} ms, other {theirs['p99']:.1f} ms", flush=True)
        for server in itertools.chain(*pairs):
            servers.wait_until_idle(server.process)
        for name, builds in zip(names, zip(*pairs)):
            sizes = [servers.read_resident_mib(server.process) for server in builds]
            print(f"resident memory of {name}: {statistics.median(sizes):.0f} MiB")
    finally:
        for server in itertools.chain(*pairs):
            servers.stop_server(server.process)


def measure_with_cpu(folder, server, name, seconds):
    """Measures an operation of a server by name, with the microseconds of CPU time that the server takes for a
    request."""
    operation = server.get_create_operation() if name == "create" else server.get_operations()[name]
    start = servers.read_cpu_seconds(server.process)
    result = measure(folder, server.base, operation, 64, seconds)
    used = servers.read_cpu_seconds(server.process) - start
    result["cpu"] = used * 1e6 / (result["rate"] * seconds)
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=pathlib.Path)
    parser.add_argument("--only", choices=["sizes", "peers"])
    parser.add_argument("--no-pocketbase", action="store_true")
    parser.add_argument("--against", type=pathlib.Path, metavar="TARGET_DIR")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work_folder:
        folder = pathlib.Path(work_folder)
        if options.against:
            compare_builds(folder, options)
            return
        seeds = options.seeds or folder / "seeds"
        seeds.mkdir(exist_ok=True)
        if options.only != "peers":
            compare_sizes(folder, seeds, options)
        if options.only != "sizes" and not options.no_pocketbase:
            compare_with_pocketbase(folder, seeds, options)


if __name__ == "__main__":
    main()
