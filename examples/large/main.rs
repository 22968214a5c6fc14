//! Renders 100,000 records with every chart kind, each in a separate process, and prints time and
//! memory.
//!
//! `cargo run --release --example large [-- KIND…]`, on Linux. Prints the processor time in
//! milliseconds from data to SVG and to PNG (800 x 500 points, 1600 x 1000 pixels), the sizes of
//! both in KiB, and the memory in MiB in addition to the records. Fails if an image takes more than
//! two seconds or 256 MiB.

use std::error::Error;
use std::fs;
use std::process::Command;

use chartroom_charts::{Chart, Locale, Style, Theme};
use serde_json::{Map, Value, json};

mod records;

use records::{DATA_SHAPES, DataShape, create_records};

/// Number of records, which is the maximum that a chart renders.
const RECORD_COUNT: usize = chartroom_charts::MAX_RECORDS;
/// Number of records if each has a thousand columns.
const WIDE_RECORD_COUNT: usize = 100;
/// Maximum processor time in milliseconds to render an image.
const MAX_RENDER_MS: f64 = 2000.0;
/// Maximum memory in MiB, in addition to the records.
const MAX_MEMORY_MIB: f64 = 256.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, kind, shape] = &arguments[..]
        && flag == "--one"
    {
        println!("{}", measure_image(kind, shape)?);
        return Ok(());
    }
    let headings = ["SVG ms", "PNG ms", "SVG KiB", "PNG KiB", "MiB more"];
    println!("{:20}{:18}{}", "", "", headings.map(|heading| format!("{heading:>10}")).concat());
    let mut failures = 0;
    for kind in chartroom_charts::kinds() {
        if !arguments.is_empty() && !arguments.iter().any(|word| word == kind.slug) {
            continue;
        }
        let description = read_description(kind.slug)?;
        for (name, shape) in DATA_SHAPES {
            if is_relevant(&description, shape) && !measure_and_print(kind.slug, name)? {
                failures += 1;
            }
        }
    }
    if failures > 0 {
        Err(format!("{failures} above {MAX_RENDER_MS} ms or {MAX_MEMORY_MIB} MiB").into())
    } else {
        Ok(())
    }
}

/// Measures one image in a separate process and prints the result. Returns whether it is within the
/// limits.
fn measure_and_print(kind: &str, shape: &str) -> Result<bool, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let output = Command::new(program).args(["--one", kind, shape]).output()?;
    let Ok(measured) = serde_json::from_slice::<Value>(&output.stdout) else {
        let error = String::from_utf8_lossy(&output.stderr);
        println!("{kind:20}{shape:18} {} {}", output.status, error.lines().next().unwrap_or(""));
        return Ok(false);
    };
    let figure = |key: &str| measured[key].as_f64().unwrap_or(f64::INFINITY);
    let is_within_limits = figure("svg") <= MAX_RENDER_MS
        && figure("png") <= MAX_RENDER_MS
        && figure("mib") <= MAX_MEMORY_MIB;
    let figures = ["svg", "png", "svg_kib", "png_kib", "mib"].map(figure);
    let figures = figures.map(|figure| format!("{figure:10.0}")).concat();
    println!("{kind:20}{shape:18}{figures}{}", if is_within_limits { "" } else { "  too much" });
    Ok(is_within_limits)
}

/// Reads the `kind.json` of a kind.
fn read_description(slug: &str) -> Result<Value, Box<dyn Error>> {
    let path = format!("{}/assets/kinds/{slug}/kind.json", env!("CARGO_MANIFEST_DIR"));
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

/// Returns whether a data shape makes a difference for a kind.
fn is_relevant(description: &Value, shape: DataShape) -> bool {
    let columns = description["data_columns"].as_array().map_or(&[][..], Vec::as_slice);
    match shape {
        DataShape::ThousandSeries => columns.iter().any(|column| column["repeats"] == true),
        DataShape::Chain | DataShape::Star => columns
            .iter()
            .any(|column| ["parent", "link", "source"].iter().any(|role| column["role"] == *role)),
        _ => true,
    }
}

/// Renders one image with all boolean settings enabled, and returns the measurements as JSON.
fn measure_image(slug: &str, shape: &str) -> Result<Value, Box<dyn Error>> {
    let kind = chartroom_charts::find_kind(slug).ok_or("no such kind")?;
    let (_, shape) =
        DATA_SHAPES.into_iter().find(|entry| entry.0 == shape).ok_or("no such form")?;
    let description = read_description(slug)?;
    let count = if shape == DataShape::ThousandSeries { WIDE_RECORD_COUNT } else { RECORD_COUNT };
    let data = create_records(&description, shape, count);
    let (settings, theme, style) =
        (enable_all_switches(&description), Theme::default(), Style::default());
    let render = |interactive: bool| {
        chartroom_charts::draw(&Chart {
            kind,
            title: "A title as people write them",
            settings: &settings,
            data: &data,
            theme: &theme,
            style: &style,
            width: 800.0,
            height: 500.0,
            default_locale: Locale::default(),
            interactive,
            id_prefix: "c",
        })
    };
    fs::write("/proc/self/clear_refs", "5")?;
    let memory_before = read_status_kib("VmRSS:")?;
    let started = thread_time_ms()?;
    let svg =
        chartroom_charts::svg::write(&render(true), &chartroom_charts::svg::Options::default());
    let svg_ms = thread_time_ms()? - started;
    let svg_bytes = svg.len();
    drop(svg);
    let started = thread_time_ms()?;
    let options = chartroom_charts::png::Options { scale: 2.0, transparent: false };
    let png = chartroom_charts::png::encode(&render(false), &options)?;
    let png_ms = thread_time_ms()? - started;
    Ok(json!({
        "svg": svg_ms,
        "png": png_ms,
        "svg_kib": svg_bytes as f64 / 1024.0,
        "png_kib": png.len() as f64 / 1024.0,
        "mib": (read_status_kib("VmHWM:")? - memory_before) / 1024.0,
    }))
}

/// Returns the default settings of a kind with every boolean set to true.
fn enable_all_switches(description: &Value) -> Value {
    let mut settings =
        description["default_settings"].as_object().cloned().unwrap_or_else(Map::new);
    for value in settings.values_mut().filter(|setting| setting.is_boolean()) {
        *value = json!(true);
    }
    Value::Object(settings)
}

/// Returns the processor time of this thread in milliseconds, which does not depend on other
/// programs.
fn thread_time_ms() -> Result<f64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e6)
}

/// Returns a value in KiB from `/proc/self/status`.
fn read_status_kib(key: &str) -> Result<f64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)).ok_or("no such line")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
