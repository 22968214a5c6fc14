#!/usr/bin/env python3
"""Five typical charts from data to SVG and PNG bytes, here and in ECharts, Vega, charts-rs and plotters.

Needs Node with npm, and a release build:
    cargo build --release --example chart_times
    python3 benches/peers/charts.py [--rounds 3] [--out FOLDER]

Works W1 to W5 at 800 x 500, PNG at 1600 x 1000, the same data for all: see benches/works. ECharts and
Vega draw SVG on the server as their documentation says; their PNG is that SVG through sharp (librsvg).
charts-rs and plotters, in the crate `rust` beside this file, are built from their published sources, and draw both
forms as their documentation says. Each round measures ours, then theirs; the medians of the rounds and
the ratios are printed, with the gates that ours shall keep, and the sizes of our PNGs before and after
oxipng, which no request waits for. FOLDER keeps the pictures.
"""
import argparse, json, pathlib, statistics, subprocess, sys, tempfile

import servers

HERE = pathlib.Path(__file__).parent
PACKAGES = ["echarts@6", "vega@6", "sharp@0.35"]
WORKS = ["W1", "W2", "W3", "W4", "W5"]
JS, RUST = ("echarts", "vega"), ("charts-rs", "plotters")
# Milliseconds of SVG and PNG and KiB of the PNG, set on a small virtual machine; elsewhere the ratios count.
GATES = {"W1": (0.10, 6, 100), "W2": (0.20, 9, 190), "W3": (0.03, 6, 150), "W4": (1.0, 15, 370), "W5": (0.08, 7, 150)}


def built_peers():
    """The program that times the Rust libraries, built without a place in our own workspace."""
    target = servers.TARGET / "peers"
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path",
                    str(HERE / "rust" / "Cargo.toml"), "--target-dir", str(target)], check=True)
    # The target is named by .cargo/config.toml when that applies.
    return next(it for it in (target / "x86_64-unknown-linux-gnu/release/peers", target / "release/peers") if it.exists())


def run(*command):
    return json.loads(subprocess.run([str(it) for it in command], check=True, stdout=subprocess.PIPE).stdout)


def measure(folder, peers):
    ours = run(servers.built("examples/chart_times"), folder)
    return {"chartroom": ours, **run("node", HERE / "charts.mjs", folder), **run(peers, "times", folder)}


def print_times(rounds):
    """A line a work and form: times and sizes of all, and the fastest peers beside ours."""
    print(f"{'':9}" + "".join(f"{name + ' ms':>14}{'KiB':>6}" for name in rounds[0])
          + f"{'JS / ours':>11}{'Rust / ours':>13}{'gate ms':>9}{'KiB':>6}")
    for work in WORKS:
        for form in ("svg", "png"):
            times = {name: statistics.median(it[name][work][form] for it in rounds) for name in rounds[0]}
            sizes = {name: it[work][form + "_bytes"] / 1024 for name, it in rounds[0].items()}
            ratios = [min(times[name] for name in peers) / times["chartroom"] for peers in (JS, RUST)]
            svg_gate, png_gate, bytes_gate = GATES[work]
            gate = f"{svg_gate:9.2f}{'':6}" if form == "svg" else f"{png_gate:9.2f}{bytes_gate:6}"
            print(f"{work:5}{form:4}" + "".join(f"{times[name]:14.3f}{sizes[name]:6.0f}" for name in times)
                  + f"{ratios[0]:11.1f}{ratios[1]:13.1f}{gate}", flush=True)


def print_sizes(sizes):
    """Our PNGs before and after oxipng."""
    print("\nour PNGs, KiB: before oxipng, after it, and what it saved")
    for work in WORKS:
        before, after = (sizes[work][it] / 1024 for it in ("before", "after"))
        print(f"{work:5}{before:9.1f}{after:9.1f}{1 - after / before:9.0%}")


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
        peers = built_peers()
        rounds = [measure(folder, peers) for _ in range(options.rounds)]
        print_times(rounds)
        print_sizes(run(peers, "shrink", folder))


if __name__ == "__main__":
    sys.exit(main())
