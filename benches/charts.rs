//! Times five typical charts from data to SVG and PNG bytes, and one thumbnail.
//!
//! The workloads W1 to W5 are rendered at 800 x 500 points, as PNG at 1600 x 1000 pixels, on one
//! warm thread. Run with `cargo bench --bench charts`. `benches/peers/charts.py` compares them with
//! other libraries. The folder in the variable `CHARTS_BENCH_OUT` gets the PNG files.

mod workloads;

use divan::Bencher;
use workloads::{Workload, create_workloads};

/// Names of the workloads.
const NAMES: [&str; 6] = ["W1", "W1-with-labels", "W2", "W3", "W4", "W5"];

fn main() {
    assert!(create_workloads().iter().map(|workload| workload.name).eq(NAMES));
    for workload in create_workloads() {
        let (Some(svg), Some(png)) = (workload.render_svg(), workload.render_png(1600.0)) else {
            panic!("{} is not rendered", workload.name);
        };
        let kib = |bytes: usize| bytes as f64 / 1024.0;
        println!("{}: SVG {:.1} KiB, PNG {:.1} KiB", workload.name, kib(svg.len()), kib(png.len()));
        if let Some(folder) = std::env::var_os("CHARTS_BENCH_OUT") {
            let path = std::path::Path::new(&folder).join(format!("{}.png", workload.name));
            std::fs::write(path, &png).expect("the folder is writable");
        }
    }
    divan::main();
}

/// Returns the workload of a name.
fn find_workload(name: &str) -> Workload {
    let found = create_workloads().into_iter().find(|workload| workload.name == name);
    found.expect("each name belongs to a workload")
}

#[divan::bench(args = NAMES)]
fn svg(bencher: Bencher, name: &str) {
    let workload = find_workload(name);
    bencher.bench_local(|| workload.render_svg());
}

#[divan::bench(args = NAMES)]
fn png(bencher: Bencher, name: &str) {
    let workload = find_workload(name);
    bencher.bench_local(|| workload.render_png(1600.0));
}

#[divan::bench]
fn thumbnail(bencher: Bencher) {
    let mut workload = find_workload(NAMES[0]);
    (workload.width, workload.height) = (320.0, 200.0);
    bencher.bench_local(|| workload.render_png(320.0));
}
