//! Times the five typical charts in charts-rs and plotters, and shrinks PNGs, for `charts.py`.
//!
//! `peers times FOLDER` reads `works.json` there and prints times and sizes as JSON, in
//! milliseconds and bytes; `peers shrink FOLDER` runs oxipng over the PNGs `chartroom-*.png`.

mod charts_rs;
mod plotters;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use serde_json::{Map, Value, json};

/// A result with any error, which ends the program.
pub type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The works, as our own benchmark names them.
const WORKS: [&str; 5] = ["W1", "W2", "W3", "W4", "W5"];
/// How long each work is drawn.
const LASTS: Duration = Duration::from_millis(1500);
/// Points.
pub const SIZE: (u32, u32) = (800, 500);
/// Pixels.
pub const PIXELS: (u32, u32) = (1600, 1000);
/// Above every chart.
pub const TITLE: &str = "A title as people write them";
/// Under the title.
pub const SUBTITLE: &str = "Measure and unit";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [task, folder] = &words[..] else { return Err("give a task and a folder".into()) };
    let folder = Path::new(folder);
    let found = match task.as_str() {
        "times" => times(folder)?,
        "shrink" => shrink(folder)?,
        _ => return Err("the task is times or shrink".into()),
    };
    println!("{found}");
    Ok(())
}

fn times(folder: &Path) -> Result<Value> {
    let works: Value = serde_json::from_slice(&fs::read(folder.join("works.json"))?)?;
    let (mut charts_rs, mut plotters) = (Map::new(), Map::new());
    plotters::register_font()?;
    for name in WORKS {
        let data = works[name].as_array().ok_or("works.json lacks a work")?;
        let chart = charts_rs::chart(name, data)?;
        let found = measure(
            || chart.svg().map(String::into_bytes),
            || chart.png(),
            &folder.join(format!("charts-rs-{name}.png")),
        )?;
        charts_rs.insert(name.to_owned(), found);
        let work = plotters::Work::read(name, data)?;
        // Its bitmaps are drawn to a file: that is what its documentation does.
        let path = folder.join(format!("plotters-{name}.png"));
        let png = || {
            work.png(&path)?;
            Ok(fs::read(&path)?)
        };
        plotters
            .insert(name.to_owned(), measure(|| work.svg().map(String::into_bytes), png, &path)?);
    }
    Ok(json!({ "charts-rs": charts_rs, "plotters": plotters }))
}

/// Times both forms, keeps the PNG and checks that the pictures are not empty.
fn measure(
    svg: impl Fn() -> Result<Vec<u8>>,
    png: impl Fn() -> Result<Vec<u8>>,
    path: &Path,
) -> Result<Value> {
    let (text, pixels) = (svg()?, png()?);
    fs::write(path, &pixels)?;
    fs::write(path.with_extension("svg"), &text)?;
    Ok(json!({
        "svg": median(|| svg().map_or(0, |it| it.len())),
        "svg_bytes": text.len(),
        "png": median(|| png().map_or(0, |it| it.len())),
        "png_bytes": pixels.len(),
    }))
}

/// The median time of a call in milliseconds, warm.
fn median(mut call: impl FnMut() -> usize) -> f64 {
    let began = Instant::now();
    let mut times = Vec::new();
    while began.elapsed() < LASTS || times.len() < 5 {
        let before = Instant::now();
        std::hint::black_box(call());
        times.push(before.elapsed().as_secs_f64() * 1000.0);
    }
    // The first fifth warms up.
    let mut warm = times.split_off(times.len() / 5);
    warm.sort_by(f64::total_cmp);
    warm.get(warm.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Bytes of our PNGs before and after oxipng at its usual level, by work.
fn shrink(folder: &Path) -> Result<Value> {
    let mut sizes = Map::new();
    for name in WORKS {
        let png = fs::read(folder.join(format!("chartroom-{name}.png")))?;
        let small = oxipng::optimize_from_memory(&png, &oxipng::Options::default())?;
        fs::write(folder.join(format!("chartroom-{name}-oxipng.png")), &small)?;
        sizes.insert(name.to_owned(), json!({ "before": png.len(), "after": small.len() }));
    }
    Ok(Value::from(sizes))
}
