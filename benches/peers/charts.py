#!/usr/bin/env python3
"""Five typical charts from data to SVG and PNG bytes, here and in Apache ECharts and Vega.

Needs Node with npm, and a release build:
    cargo build --release --example chart_times
    python3 benches/peers/charts.py [--rounds 3] [--out FOLDER]

Works W1 to W5 at 800 x 500, PNG at 1600 x 1000, the same data for all: see benches/works. Both
libraries draw SVG on the server as their documentation says; their PNG is that SVG through sharp
(librsvg). Each round measures ours, then theirs; the medians of the rounds and the ratios are printed.
FOLDER keeps the pictures.
"""
import argparse, json, pathlib, statistics, subprocess, sys, tempfile

import servers

PACKAGES = ["echarts@6", "vega@6", "sharp@0.35"]
WORKS = ["W1", "W2", "W3", "W4", "W5"]


def measure(folder):
    ours = subprocess.run([servers.built("examples/chart_times"), str(folder)], check=True, capture_output=True)
    script = pathlib.Path(__file__).with_name("charts.mjs")
    theirs = subprocess.run(["node", str(script), str(folder)], check=True, stdout=subprocess.PIPE)
    return {"chartroom": json.loads(ours.stdout), **json.loads(theirs.stdout)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = options.out or pathlib.Path(place)
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True)
        rounds = [measure(folder) for _ in range(options.rounds)]
    print(f"{'':6}{'':5}" + "".join(f"{name + ' ms':>16}{'KiB':>8}" for name in rounds[0]) + f"{'fastest peer / ours':>22}")
    for work in WORKS:
        for form in ("svg", "png"):
            times = {name: statistics.median(it[name][work][form] for it in rounds) for name in rounds[0]}
            sizes = {name: it[work][form + "_bytes"] / 1024 for name, it in rounds[0].items()}
            peer = min(time for name, time in times.items() if name != "chartroom")
            print(f"{work:6}{form:5}" + "".join(f"{times[name]:16.3f}{sizes[name]:8.0f}" for name in times)
                  + f"{peer / times['chartroom']:22.1f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
