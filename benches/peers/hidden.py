#!/usr/bin/env python3
"""Whether the time of an answer tells a document that is hidden from the caller from one that is not there.

Needs a release build: cargo build --release --bin chartroom --example seed
    python3 benches/peers/hidden.py [--count 6000]

A user asks in turn for documents of somebody else's and for ids that nothing has, in random order,
over one connection; the times of both are printed in microseconds. What counts is the difference
beside the spread.
"""
import argparse, http.client, pathlib, random, sys, tempfile, time, uuid

import documents, servers


def ask(client, token, path):
    begun = time.perf_counter_ns()
    client.request("GET", path, headers={"Authorization": token})
    answer = client.getresponse()
    body = answer.read()
    return (time.perf_counter_ns() - begun) / 1000, answer.status, body


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=6000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        data, about = documents.seeded(folder, 2_000, 100, 50)
        process, base = servers.chartroom(data)
        try:
            client = http.client.HTTPConnection(base.removeprefix("http://"))
            token, owner = "Bearer " + about["reader"]["token"], about["owner"]["id"]
            address = lambda id, form: f"/api/v1/users/{owner}/documents/{id}{form}"
            hidden = [id for id in about["owner"]["page"] if ask(client, token, address(id, ""))[1] == 404]
            if not hidden:
                sys.exit("the reader sees everything of the owner's")
            print(f"{'':15}" + "".join(f"{name:>14}{'p50':>8}{'p90':>8}" for name in ("hidden p10", "absent p10")))
            for form in ("", ".svg", "/history", "/thumbnail.png"):
                times = {True: [], False: []}
                for _ in range(options.count):
                    for there in random.sample((True, False), 2):
                        id = random.choice(hidden) if there else uuid.UUID(int=random.getrandbits(128), version=4)
                        taken, status, body = ask(client, token, address(id, form))
                        if status != 404:
                            sys.exit(f"{status}: {body}")
                        times[there].append(taken)
                for it in times.values():
                    it.sort()
                print(f"{form or '(document)':15}" + "".join(
                    f"{it[len(it) // 10]:14.1f}{it[len(it) // 2]:8.1f}{it[len(it) * 9 // 10]:8.1f}" for it in times.values()), flush=True)
        finally:
            servers.stop(process)


if __name__ == "__main__":
    main()
