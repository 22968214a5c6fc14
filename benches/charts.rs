//! Times five typical charts from data to SVG and PNG bytes, and one thumbnail.
//!
//! The workloads W1 to W5 are rendered at 800 x 500 points, as PNG at 1600 x 1000 pixels, on one
//! warm thread. Run with `cargo bench --bench charts`. `benches/peers/charts.py` compares them with
//! other libraries.

mod workloads;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use workloads::create_workloads;

fn bench_charts(criterion: &mut Criterion) {
    for workload in create_workloads() {
        let (Some(svg), Some(png)) = (workload.render_svg(), workload.render_png(1600.0)) else {
            continue;
        };
        let kib = |bytes: usize| bytes as f64 / 1024.0;
        println!("{}: SVG {:.1} KiB, PNG {:.1} KiB", workload.name, kib(svg.len()), kib(png.len()));
        if let Some(folder) = std::env::var_os("CHARTS_BENCH_OUT") {
            let path = std::path::Path::new(&folder).join(format!("{}.png", workload.name));
            std::fs::write(path, &png).expect("the folder is writable");
        }
        criterion.bench_function(&format!("svg/{}", workload.name), |bencher| {
            bencher.iter(|| black_box(workload.render_svg()))
        });
        criterion.bench_function(&format!("png/{}", workload.name), |bencher| {
            bencher.iter(|| black_box(workload.render_png(1600.0)))
        });
    }
    let mut thumbnail = create_workloads().swap_remove(0);
    (thumbnail.width, thumbnail.height) = (320.0, 200.0);
    criterion.bench_function("thumb/W1", |bencher| {
        bencher.iter(|| black_box(thumbnail.render_png(320.0)))
    });
}

criterion_group!(benches, bench_charts);
criterion_main!(benches);
