#!/usr/bin/env python3
"""Compares the response times for documents that are hidden from the caller and for ids that do not exist.

Needs a build for production: cargo build --profile dist --bin chartroom --example seed
    python3 benches/peers/hidden.py [--count 6000]

A user requests documents of another user and random ids, in random order, over one connection. The
script prints the percentiles of both in microseconds. The difference must be small compared with the
spread, because otherwise it would reveal that a document exists.
"""
import argparse, http.client, pathlib, random, sys, tempfile, time, uuid

import documents, servers


def measure_get(client, token, path):
    """Sends a GET request. Returns the duration in microseconds, the status and the body."""
    start = time.perf_counter_ns()
    client.request("GET", path, headers={"Authorization": token})
    response = client.getresponse()
    body = response.read()
    return (time.perf_counter_ns() - start) / 1000, response.status, body


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=6000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work_folder:
        data, seed = documents.create_seeded_directory(pathlib.Path(work_folder), 2_000, 100, 50)
        process, base = servers.start_chartroom(data)
        try:
            client = http.client.HTTPConnection(base.removeprefix("http://"))
            token, owner = "Bearer " + seed["reader"]["token"], seed["owner"]["id"]
            get_path = lambda id, suffix: f"/api/v1/users/{owner}/documents/{id}{suffix}"
            hidden = [id for id in seed["owner"]["page"] if measure_get(client, token, get_path(id, ""))[1] == 404]
            if not hidden:
                sys.exit("the reader can read all documents of the owner")
            print(f"{'':15}" + "".join(f"{name:>14}{'p50':>8}{'p90':>8}" for name in ("hidden p10", "absent p10")))
            for suffix in ("", ".svg", "/history", "/thumbnail.png"):
                # Durations by whether the document exists.
                durations = {True: [], False: []}
                for _ in range(options.count):
                    for exists in random.sample((True, False), 2):
                        id = random.choice(hidden) if exists else uuid.UUID(int=random.getrandbits(128), version=4)
                        duration, status, body = measure_get(client, token, get_path(id, suffix))
                        if status != 404:
                            sys.exit(f"{status}: {body}")
                        durations[exists].append(duration)
                for values in durations.values():
                    values.sort()
                print(f"{suffix or '(document)':15}" + "".join(
                    f"{values[len(values) // 10]:14.1f}{values[len(values) // 2]:8.1f}{values[len(values) * 9 // 10]:8.1f}"
                    for values in durations.values()), flush=True)
        finally:
            servers.stop_server(process)


if __name__ == "__main__":
    main()
