#!/usr/bin/env python3
"""add-record on a document of 10 records beside one of 100,000: the cost must not grow.

Needs a release build (`cargo build --release`); run `python3 benches/peers/append.py [--count 400]`.
The two documents are appended to in turn over one kept connection, so that both see the same
machine; the medians and their ratio are printed.
"""
import argparse, http.client, json, pathlib, statistics, tempfile, time

import read


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=400)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, base, token = read.chartroom_server(pathlib.Path(folder))
        try:
            paths = {}
            # The large one stays under the limit of 100,000 records while it grows.
            for count in (10, 100_000 - options.count - 1):
                made = read.call("POST", base + "/api/v1/create-document", {"widget": "bar"}, token)
                data = [{"label": f"Region {row}", "value": row * 1.5} for row in range(count)]
                read.call("PUT", made["endpoint"], {"title": "Sales", "data": data}, token)
                paths[count] = made["endpoint"].removeprefix(base) + "/add-record"
            times = {count: [] for count in paths}
            connection = http.client.HTTPConnection(base.removeprefix("http://"))
            headers = {"Authorization": token, "Content-Type": "application/json"}
            for number in range(options.count):
                for count, path in paths.items():
                    record = json.dumps({"label": f"New {number}", "value": number})
                    begun = time.perf_counter()
                    connection.request("POST", path, record, headers)
                    answer = connection.getresponse()
                    answer.read()
                    assert answer.status == 204, answer.status
                    times[count].append((time.perf_counter() - begun) * 1000)
        finally:
            process.terminate()
            process.wait(20)
    medians = {count: statistics.median(values) for count, values in times.items()}
    for count, median in medians.items():
        print(f"{count:7} records: median {median:.3f} ms")
    small, large = medians.values()
    print(f"ratio: {large / small:.2f}")


if __name__ == "__main__":
    main()
