//! Times five typical charts from data to SVG and PNG bytes, and one thumbnail.
//!
//! The works W1 to W5 are drawn at 800 x 500 points, PNG at 1600 x 1000 pixels, on one warm
//! thread. Run with `cargo bench --bench charts`; `benches/peers/charts.py` compares them with other
//! libraries.

mod works;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use works::works;

fn bench(criterion: &mut Criterion) {
    for work in works() {
        let (Some(svg), Some(png)) = (work.svg(), work.png(1600.0)) else { continue };
        let kib = |bytes: usize| bytes as f64 / 1024.0;
        println!("{}: SVG {:.1} KiB, PNG {:.1} KiB", work.name, kib(svg.len()), kib(png.len()));
        if let Some(folder) = std::env::var_os("CHARTS_BENCH_OUT") {
            let path = std::path::Path::new(&folder).join(format!("{}.png", work.name));
            std::fs::write(path, &png).expect("the folder takes a file");
        }
        criterion
            .bench_function(&format!("svg/{}", work.name), |it| it.iter(|| black_box(work.svg())));
        criterion.bench_function(&format!("png/{}", work.name), |it| {
            it.iter(|| black_box(work.png(1600.0)))
        });
    }
    let mut thumbnail = works().swap_remove(0);
    (thumbnail.width, thumbnail.height) = (320.0, 200.0);
    criterion.bench_function("thumb/W1", |it| it.iter(|| black_box(thumbnail.png(320.0))));
}

criterion_group!(benches, bench);
criterion_main!(benches);
