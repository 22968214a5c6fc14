//! Times the five typical charts and writes their data, for `benches/peers/charts.py`.
//!
//! `cargo run --release --example chart_times FOLDER [WORK]`: FOLDER takes `works.json` and the PNGs;
//! the times are printed as JSON, in milliseconds. WORK, such as `W5`, is then the only one.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;
use std::time::Instant;

use serde_json::{Map, Value, json};

#[path = "../benches/works/mod.rs"]
mod works;

/// How long each work is drawn.
const LASTS: Duration = Duration::from_millis(1500);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give a folder")?;
    let (mut times, mut data) = (Map::new(), Map::new());
    let only = std::env::args().nth(2);
    for work in works::works() {
        if only.as_ref().is_some_and(|it| it != work.name) {
            continue;
        }
        let (svg, png) = (work.svg().ok_or("no SVG")?, work.png(1600.0).ok_or("no PNG")?);
        times.insert(
            work.name.to_owned(),
            json!({
                "svg": median(|| work.svg().map_or(0, |it| it.len())),
                "svg_bytes": svg.len(),
                "png": median(|| work.png(1600.0).map_or(0, |it| it.len())),
                "png_bytes": png.len(),
            }),
        );
        data.insert(work.name.to_owned(), Value::from(work.data.clone()));
        fs::write(Path::new(&folder).join(format!("chartroom-{}.png", work.name)), png)?;
    }
    fs::write(Path::new(&folder).join("works.json"), serde_json::to_vec(&data)?)?;
    println!("{}", Value::from(times));
    Ok(())
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
