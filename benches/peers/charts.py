#!/usr/bin/env python3
"""Compares the rendering of five typical charts to SVG and PNG with ECharts, Vega, charts-rs and plotters.

Needs Node with npm, and a build for production:
    cargo build --profile dist --example chart_times
    python3 benches/peers/charts.py [--rounds 3] [--out FOLDER]

The charts W1 to W5 (see benches/workloads) have 800 x 500 points, their PNG 1600 x 1000 pixels. All libraries
get the same data. ECharts and Vega render SVG on the server as described in their documentation. Their
PNG is that SVG through sharp (librsvg). charts-rs and plotters are in the crate `rust` beside this file.
They are built from their published sources and render both formats as described in their documentation.
Each round measures Chartroom first. The script prints the medians of the rounds and the ratios, with the
limits for Chartroom, and the sizes of its PNGs before and after oxipng, which runs after the response.
FOLDER keeps the images.
"""
import argparse, json, pathlib, statistics, subprocess, sys, tempfile, typing

import servers

SCRIPT_DIR = pathlib.Path(__file__).parent
PACKAGES = ["echarts@6", "vega@6", "sharp@0.35"]
CHARTS = ["W1", "W2", "W3", "W4", "W5"]
JS_LIBRARIES, RUST_LIBRARIES = ("echarts", "vega"), ("charts-rs", "plotters")


class Limits(typing.NamedTuple):
    """Maximum durations and size for Chartroom, measured on a small virtual machine. On other machines, compare
    the ratios."""

    svg_ms: float
    png_ms: float
    png_kib: int


LIMITS = {
    "W1": Limits(0.10, 6, 100),
    "W2": Limits(0.20, 9, 190),
    "W3": Limits(0.03, 6, 150),
    "W4": Limits(1.0, 15, 370),
    "W5": Limits(0.08, 7, 150),
}


def build_rust_peers():
    """Builds the program that times the Rust libraries, outside the workspace of this repository. Returns its
    path."""
    target_dir = servers.TARGET_DIR / "peers"
    subprocess.run(["cargo", "build", "--release", "--locked", "--quiet", "--manifest-path",
                    str(SCRIPT_DIR / "rust" / "Cargo.toml"), "--target-dir", str(target_dir)], check=True)
    # The path contains the target triple if .cargo/config.toml applies.
    candidates = (target_dir / "x86_64-unknown-linux-gnu/release/peers", target_dir / "release/peers")
    return next(path for path in candidates if path.exists())


def run_json(*command):
    """Runs a command and returns its standard output, parsed as JSON."""
    arguments = [str(argument) for argument in command]
    return json.loads(subprocess.run(arguments, check=True, stdout=subprocess.PIPE).stdout)


def measure(folder, peers):
    """Measures all libraries once. Returns milliseconds and bytes by library, chart and format."""
    chartroom = run_json(servers.get_program_path("examples/chart_times"), folder)
    js_results = run_json("node", SCRIPT_DIR / "charts.mjs", folder)
    return {"chartroom": chartroom, **js_results, **run_json(peers, "times", folder)}


def print_times(rounds):
    """Prints a line per chart and format: median time and size of all libraries, and the ratio of the fastest
    JavaScript and Rust library to Chartroom."""
    print(f"{'':9}" + "".join(f"{name + ' ms':>14}{'KiB':>6}" for name in rounds[0])
          + f"{'JS ratio':>11}{'Rust ratio':>13}{'limit ms':>9}{'KiB':>6}")
    for chart in CHARTS:
        for form in ("svg", "png"):
            times = {name: statistics.median(results[name][chart][form] for results in rounds) for name in rounds[0]}
            sizes = {name: result[chart][form + "_bytes"] / 1024 for name, result in rounds[0].items()}
            ratios = [min(times[name] for name in libraries) / times["chartroom"]
                      for libraries in (JS_LIBRARIES, RUST_LIBRARIES)]
            limits = LIMITS[chart]
            limit_text = f"{limits.svg_ms:9.2f}{'':6}" if form == "svg" else f"{limits.png_ms:9.2f}{limits.png_kib:6}"
            print(f"{chart:5}{form:4}" + "".join(f"{times[name]:14.3f}{sizes[name]:6.0f}" for name in times)
                  + f"{ratios[0]:11.1f}{ratios[1]:13.1f}{limit_text}", flush=True)


def print_sizes(sizes):
    """Prints the sizes of the PNGs of Chartroom before and after oxipng."""
    print("\nPNGs of Chartroom, KiB: before oxipng, after oxipng, saved")
    for chart in CHARTS:
        before, after = (sizes[chart][key] / 1024 for key in ("before", "after"))
        print(f"{chart:5}{before:9.1f}{after:9.1f}{1 - after / before:9.0%}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work_folder:
        folder = options.out or pathlib.Path(work_folder)
        folder.mkdir(exist_ok=True)
        (folder / "package.json").write_text("{}")
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *PACKAGES], cwd=folder, check=True)
        peers = build_rust_peers()
        rounds = [measure(folder, peers) for _ in range(options.rounds)]
        print_times(rounds)
        print_sizes(run_json(peers, "shrink", folder))


if __name__ == "__main__":
    sys.exit(main())
