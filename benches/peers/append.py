#!/usr/bin/env python3
"""Compares add-record on a document with 10 records and on one with 100,000. The duration must not grow.

Needs a build for production (`cargo build --profile dist`); run `python3 benches/peers/append.py [--count 400]`.
The script appends to both documents in turn over one persistent connection, so that both run under the
same conditions. It prints the medians and their ratio.
"""
import argparse, json, pathlib, statistics, tempfile, time

import servers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work_folder:
        process, base, token = servers.start_chartroom_with_user(pathlib.Path(work_folder))
        try:
            paths = {}
            # The large document stays below the limit of 100,000 records while it grows.
            for count in (10, 100_000 - options.count - 1):
                created = servers.send_request("POST", base + "/api/v1/create-document", {"widget": "bar"}, token)
                data = [{"label": f"Region {row}", "value": row * 1.5} for row in range(count)]
                servers.send_request("PUT", created["endpoint"], {"title": "Sales", "data": data}, token)
                paths[count] = created["endpoint"].removeprefix(base) + "/add-record"
            times = {count: [] for count in paths}
            client = servers.Client(base, token)
            for number in range(options.count):
                for count, path in paths.items():
                    record = json.dumps({"label": f"New {number}", "value": number})
                    start = time.perf_counter()
                    client.send("POST", path, record)
                    times[count].append((time.perf_counter() - start) * 1000)
        finally:
            servers.stop_server(process)
    medians = {count: statistics.median(values) for count, values in times.items()}
    for count, median in medians.items():
        print(f"{count:7} records: median {median:.3f} ms")
    small, large = medians.values()
    print(f"ratio: {large / small:.2f}")


if __name__ == "__main__":
    main()
