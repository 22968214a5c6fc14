#!/usr/bin/env python3
"""add-record on a document of 10 records beside one of 100,000: the cost must not grow.

Needs a release build (`cargo build --release`); run `python3 benches/peers/append.py [--count 400]`.
The two documents are appended to in turn over one kept connection, so that both see the same
machine; the medians and their ratio are printed.
"""
import argparse, json, pathlib, statistics, tempfile, time

import servers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, base, token = servers.chartroom_with_user(pathlib.Path(folder))
        try:
            paths = {}
            # The large one stays under the limit of 100,000 records while it grows.
            for count in (10, 100_000 - options.count - 1):
                made = servers.call("POST", base + "/api/v1/create-document", {"widget": "bar"}, token)
                data = [{"label": f"Region {row}", "value": row * 1.5} for row in range(count)]
                servers.call("PUT", made["endpoint"], {"title": "Sales", "data": data}, token)
                paths[count] = made["endpoint"].removeprefix(base) + "/add-record"
            times = {count: [] for count in paths}
            client = servers.Client(base, token)
            for number in range(options.count):
                for count, path in paths.items():
                    record = json.dumps({"label": f"New {number}", "value": number})
                    begun = time.perf_counter()
                    client.call("POST", path, record)
                    times[count].append((time.perf_counter() - begun) * 1000)
        finally:
            servers.stop(process)
    medians = {count: statistics.median(values) for count, values in times.items()}
    for count, median in medians.items():
        print(f"{count:7} records: median {median:.3f} ms")
    small, large = medians.values()
    print(f"ratio: {large / small:.2f}")


if __name__ == "__main__":
    main()
