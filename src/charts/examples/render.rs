//! Renders a small bar chart to an SVG and a PNG file.
//!
//! `cargo run -p chartroom-charts --example render chart.svg chart.png`

use std::error::Error;
use std::fs;

use chartroom_charts::{Chart, Theme, draw, find_kind, png, svg};
use serde_json::json;

/// Renders a bar chart to the two file paths in the arguments, the SVG first. Prints the warnings
/// of the chart to standard error.
///
/// # Errors
/// If a path is missing, or a file cannot be written.
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(svg_path), Some(png_path)) = (arguments.next(), arguments.next()) else {
        return Err("usage: render SVG-FILE PNG-FILE".into());
    };
    let records = [
        json!({ "label": "Wind", "value": 132.6 }),
        json!({ "label": "Solar", "value": 72.2, "highlighted": true }),
        json!({ "label": "Biomass", "value": 36.0 }),
        json!({ "label": "Hydro", "value": 21.7 }),
    ];
    let settings = json!({ "sort": "desc", "rulesets": { "value": { "suffix": " TWh" } } });
    let theme =
        Theme::parse(&json!({ "colors": ["#2f6f5e"], "fonts": { "title": { "size": 20 } } }));
    let kind = find_kind("bar").ok_or("there is no chart kind \"bar\"")?;
    let chart = Chart {
        title: "Electricity from renewable sources",
        settings: &settings,
        theme: &theme,
        ..Chart::new(kind, &records)
    };
    let scene = draw(&chart);
    for warning in &scene.warnings {
        eprintln!("warning: {warning}");
    }
    fs::write(&svg_path, svg::write(&scene, &svg::Options::default()))?;
    fs::write(&png_path, png::encode(&scene, &png::Options::default())?)?;
    println!("{svg_path}, {png_path}");
    Ok(())
}
