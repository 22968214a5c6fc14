//! Draws 100,000 records of every kind, each in a process of its own, and prints time and memory.
//!
//! `cargo run --release --example large [-- KIND…]`, on Linux. Milliseconds of work from data to SVG
//! and to PNG (at 800 x 500 points and twice as many pixels), the bytes of both, and how far the
//! memory of the process grew above what the records themselves take. It fails when a picture takes
//! more than two seconds or 256 MiB.

use std::error::Error;
use std::fs;
use std::process::Command;

use chartroom_charts::{Chart, Locale, Style, Theme};
use serde_json::{Map, Value, json};

mod records;

use records::{FORMS, Form, records};

/// Most records that are drawn.
const RECORDS: usize = chartroom_charts::MAX_RECORDS;
/// Records where each has a thousand columns.
const WIDE_RECORDS: usize = 100;
/// Maximum time in milliseconds to render an image.
const MAX_MS: f64 = 2000.0;
/// Maximum memory in MiB, in addition to the records.
const MAX_MIB: f64 = 256.0;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, kind, form] = &words[..]
        && flag == "--one"
    {
        println!("{}", one(kind, form)?);
        return Ok(());
    }
    let heads = ["SVG ms", "PNG ms", "SVG KiB", "PNG KiB", "MiB more"];
    println!("{:20}{:18}{}", "", "", heads.map(|it| format!("{it:>10}")).concat());
    let mut slow = 0;
    for kind in chartroom_charts::kinds() {
        if !words.is_empty() && !words.iter().any(|it| it == kind.slug) {
            continue;
        }
        let about = about(kind.slug)?;
        for (name, form) in FORMS {
            if fits(&about, form) && !line(kind.slug, name)? {
                slow += 1;
            }
        }
    }
    if slow > 0 { Err(format!("{slow} above {MAX_MS} ms or {MAX_MIB} MiB").into()) } else { Ok(()) }
}

/// Measures one picture in a process of its own and prints it; whether it keeps within the bounds.
fn line(kind: &str, form: &str) -> Result<bool, Box<dyn Error>> {
    let me = std::env::current_exe()?;
    let output = Command::new(me).args(["--one", kind, form]).output()?;
    let Ok(found) = serde_json::from_slice::<Value>(&output.stdout) else {
        let why = String::from_utf8_lossy(&output.stderr);
        println!("{kind:20}{form:18} {} {}", output.status, why.lines().next().unwrap_or(""));
        return Ok(false);
    };
    let figure = |key: &str| found[key].as_f64().unwrap_or(f64::INFINITY);
    let well = figure("svg") <= MAX_MS && figure("png") <= MAX_MS && figure("mib") <= MAX_MIB;
    let figures = ["svg", "png", "svg_kib", "png_kib", "mib"].map(figure);
    let figures = figures.map(|it| format!("{it:10.0}")).concat();
    println!("{kind:20}{form:18}{figures}{}", if well { "" } else { "  too much" });
    Ok(well)
}

fn about(slug: &str) -> Result<Value, Box<dyn Error>> {
    let path = format!("{}/assets/kinds/{slug}/kind.json", env!("CARGO_MANIFEST_DIR"));
    Ok(serde_json::from_str(&fs::read_to_string(path)?)?)
}

/// Whether a form makes a difference to a kind with these columns.
fn fits(about: &Value, form: Form) -> bool {
    let columns = about["data_columns"].as_array().map_or(&[][..], Vec::as_slice);
    match form {
        Form::ThousandSeries => columns.iter().any(|it| it["repeats"] == true),
        Form::Chain | Form::Star => columns
            .iter()
            .any(|it| ["parent", "link", "source"].iter().any(|role| it["role"] == *role)),
        _ => true,
    }
}

/// Draws one picture with everything shown that its settings can show.
fn one(slug: &str, form: &str) -> Result<Value, Box<dyn Error>> {
    let kind = chartroom_charts::find_kind(slug).ok_or("no such kind")?;
    let (_, form) = FORMS.into_iter().find(|it| it.0 == form).ok_or("no such form")?;
    let about = about(slug)?;
    let count = if form == Form::ThousandSeries { WIDE_RECORDS } else { RECORDS };
    let data = records(&about, form, count);
    let (settings, theme, style) = (everything(&about), Theme::default(), Style::default());
    let draw = |interactive: bool| {
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
    let before = status("VmRSS:")?;
    let began = worked()?;
    let svg = chartroom_charts::svg::write(&draw(true), &chartroom_charts::svg::Options::default());
    let svg_ms = worked()? - began;
    let svg_bytes = svg.len();
    drop(svg);
    let began = worked()?;
    let options = chartroom_charts::png::Options { scale: 2.0, transparent: false };
    let png = chartroom_charts::png::encode(&draw(false), &options)?;
    let png_ms = worked()? - began;
    Ok(json!({
        "svg": svg_ms,
        "png": png_ms,
        "svg_kib": svg_bytes as f64 / 1024.0,
        "png_kib": png.len() as f64 / 1024.0,
        "mib": (status("VmHWM:")? - before) / 1024.0,
    }))
}

/// The settings of a kind with every switch on.
fn everything(about: &Value) -> Value {
    let mut settings = about["default_settings"].as_object().cloned().unwrap_or_else(Map::new);
    for value in settings.values_mut().filter(|it| it.is_boolean()) {
        *value = json!(true);
    }
    Value::Object(settings)
}

/// How long this thread has worked so far, in milliseconds: what other programs take is no matter.
fn worked() -> Result<f64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: f64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds / 1e6)
}

/// A line of what the kernel says of this process, in KiB.
fn status(key: &str) -> Result<f64, Box<dyn Error>> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|it| it.strip_prefix(key)).ok_or("no such line")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
