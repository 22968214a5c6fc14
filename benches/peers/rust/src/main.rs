//! Times the five typical charts in charts-rs and plotters, and shrinks PNGs, for `charts.py`.
//!
//! `peers times FOLDER` reads `works.json` in the folder and prints times in milliseconds and sizes
//! in bytes as JSON. `peers shrink FOLDER` runs oxipng over the PNGs `chartroom-*.png`.

mod charts_rs;
mod plotters;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use serde_json::{Map, Value, json};

/// A result with any error. An error ends the program.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Names of the workloads in our own benchmark.
const WORKLOADS: [&str; 5] = ["W1", "W2", "W3", "W4", "W5"];
/// Minimum time for which each workload is rendered.
const MIN_MEASURE_TIME: Duration = Duration::from_millis(1500);
/// Width and height of the canvas in points.
pub const SIZE: (u32, u32) = (800, 500);
/// Width and height of a PNG in pixels.
pub const PIXELS: (u32, u32) = (1600, 1000);
/// Title of every chart.
pub const TITLE: &str = "A title as people write them";
/// Subtitle of every chart.
pub const SUBTITLE: &str = "Measure and unit";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [task, folder] = &arguments[..] else { return Err("give a task and a folder".into()) };
    let folder = Path::new(folder);
    let report = match task.as_str() {
        "times" => measure_all(folder)?,
        "shrink" => shrink_pngs(folder)?,
        _ => return Err("the task is times or shrink".into()),
    };
    println!("{report}");
    Ok(())
}

fn measure_all(folder: &Path) -> Result<Value> {
    let workloads: Value = serde_json::from_slice(&fs::read(folder.join("works.json"))?)?;
    let (mut charts_rs, mut plotters) = (Map::new(), Map::new());
    plotters::register_font()?;
    for name in WORKLOADS {
        let data = workloads[name].as_array().ok_or("works.json lacks a workload")?;
        let chart = charts_rs::create_chart(name, data)?;
        let measured = measure_formats(
            || chart.render_svg().map(String::into_bytes),
            || chart.render_png(),
            &folder.join(format!("charts-rs-{name}.png")),
        )?;
        charts_rs.insert(name.to_owned(), measured);
        let workload = plotters::Workload::parse(name, data)?;
        // Renders the bitmap to a file, as in the documentation of the library.
        let path = folder.join(format!("plotters-{name}.png"));
        let png = || {
            workload.render_png(&path)?;
            Ok(fs::read(&path)?)
        };
        plotters.insert(
            name.to_owned(),
            measure_formats(|| workload.render_svg().map(String::into_bytes), png, &path)?,
        );
    }
    Ok(json!({ "charts-rs": charts_rs, "plotters": plotters }))
}

/// Times both formats in milliseconds. Writes the SVG and the PNG next to `path`.
fn measure_formats(
    svg: impl Fn() -> Result<Vec<u8>>,
    png: impl Fn() -> Result<Vec<u8>>,
    path: &Path,
) -> Result<Value> {
    let (svg_bytes, png_bytes) = (svg()?, png()?);
    fs::write(path, &png_bytes)?;
    fs::write(path.with_extension("svg"), &svg_bytes)?;
    Ok(json!({
        "svg": measure_median_ms(|| svg().map_or(0, |svg| svg.len())),
        "svg_bytes": svg_bytes.len(),
        "png": measure_median_ms(|| png().map_or(0, |png| png.len())),
        "png_bytes": png_bytes.len(),
    }))
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

/// Returns the size of our PNGs in bytes before and after oxipng at its default level, by workload.
fn shrink_pngs(folder: &Path) -> Result<Value> {
    let mut sizes = Map::new();
    for name in WORKLOADS {
        let png = fs::read(folder.join(format!("chartroom-{name}.png")))?;
        let optimized = oxipng::optimize_from_memory(&png, &oxipng::Options::default())?;
        fs::write(folder.join(format!("chartroom-{name}-oxipng.png")), &optimized)?;
        sizes.insert(name.to_owned(), json!({ "before": png.len(), "after": optimized.len() }));
    }
    Ok(Value::from(sizes))
}
