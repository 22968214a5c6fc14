//! Times the five typical charts and writes their data, for `benches/peers/charts.py`.
//!
//! `cargo run --release --example chart_times FOLDER [WORKLOAD]` writes `works.json` and the PNGs
//! to FOLDER and prints the times in milliseconds as JSON. With WORKLOAD, such as `W5`, only that
//! one is rendered.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use serde_json::{Map, Value, json};

#[path = "../benches/workloads/mod.rs"]
mod workloads;

/// Minimum time for which each workload is rendered.
const MIN_MEASURE_TIME: Duration = Duration::from_millis(1500);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give a folder")?;
    let (mut times, mut data) = (Map::new(), Map::new());
    let only_name = std::env::args().nth(2);
    for workload in workloads::create_workloads() {
        if only_name.as_ref().is_some_and(|name| name != workload.name) {
            continue;
        }
        let (svg, png) =
            (workload.render_svg().ok_or("no SVG")?, workload.render_png(1600.0).ok_or("no PNG")?);
        times.insert(
            workload.name.to_owned(),
            json!({
                "svg": measure_median_ms(|| workload.render_svg().map_or(0, |svg| svg.len())),
                "svg_bytes": svg.len(),
                "png": measure_median_ms(|| workload.render_png(1600.0).map_or(0, |png| png.len())),
                "png_bytes": png.len(),
            }),
        );
        data.insert(workload.name.to_owned(), Value::from(workload.data.clone()));
        fs::write(Path::new(&folder).join(format!("chartroom-{}.png", workload.name)), png)?;
    }
    fs::write(Path::new(&folder).join("works.json"), serde_json::to_vec(&data)?)?;
    println!("{}", Value::from(times));
    Ok(())
}

/// Returns the median time of an operation in milliseconds, without the first fifth of the calls.
fn measure_median_ms(mut operation: impl FnMut() -> usize) -> f64 {
    let started = Instant::now();
    let mut times = Vec::new();
    while started.elapsed() < MIN_MEASURE_TIME || times.len() < 5 {
        let call_started = Instant::now();
        std::hint::black_box(operation());
        times.push(call_started.elapsed().as_secs_f64() * 1000.0);
    }
    // The first fifth warms up.
    let mut warm = times.split_off(times.len() / 5);
    warm.sort_by(f64::total_cmp);
    warm.get(warm.len() / 2).copied().unwrap_or(f64::NAN)
}
