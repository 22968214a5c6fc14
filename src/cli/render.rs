//! `chartroom render`: a document from a file as a picture, without a server.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;

use super::Failure;
use super::Shell;
use crate::charts;
use crate::charts::Chart;
use crate::charts::Locale;
use crate::charts::Scene;
use crate::charts::Style;
use crate::charts::Theme;
use crate::charts::png;
use crate::charts::svg;
use crate::features::portfolio;
use crate::platform::error::Error;
use crate::platform::error::Result;

/// Size of a document without a layout of its own or its kind's, in points.
const USUAL_SIZE: (f64, f64) = (720.0, 405.0);

/// What to draw.
#[derive(Args)]
pub struct Arguments {
    /// The document: JSON as `GET` of a document answers it, or the parts of it that matter
    file: PathBuf,
    /// Where to put the picture; the name ends in .svg or .png
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Leave the background out
    #[arg(long)]
    transparent: bool,
    /// Pixels a point of a PNG, from 0.5 to 4
    #[arg(long, default_value_t = 2.0)]
    scale: f64,
}

/// The parts of a document that its picture depends on.
#[derive(Deserialize)]
struct Document {
    /// Id or slug of the chart kind; `widget` is what `create-document` calls it.
    #[serde(alias = "widget")]
    plugin_id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    settings: Value,
    #[serde(default)]
    data: Vec<Value>,
    #[serde(default)]
    theme: String,
    #[serde(default)]
    custom_theme: Option<Value>,
    #[serde(default)]
    style: Value,
}

/// Runs `chartroom render`.
pub fn run(shell: &Shell, arguments: &Arguments) -> std::result::Result<(), Failure> {
    let Arguments { file, output, transparent, scale } = arguments;
    let extension = output.extension().and_then(|it| it.to_str()).unwrap_or_default();
    if !matches!(extension, "svg" | "png") {
        let text = format!("--output: {} ends neither in .svg nor in .png", output.display());
        return Err(Failure::Usage(text));
    }
    if !(0.5..=4.0).contains(scale) {
        return Err(Failure::Usage("--scale: must be from 0.5 to 4".to_owned()));
    }
    let text =
        fs::read(file).map_err(|error| Failure::text(format!("{}: {error}", file.display())))?;
    let document =
        read(&text).map_err(|error| Failure::text(format!("{}: {error}", file.display())))?;
    let scene = scene(&document)?;
    let bytes = if extension == "svg" {
        let options = svg::Options { transparent: *transparent, outlines: false };
        svg::write(&scene, &options).into_bytes()
    } else {
        let options = png::Options { scale: *scale, transparent: *transparent };
        png::encode(&scene, &options).map_err(|error| Failure::text(error.to_string()))?
    };
    write(output, &bytes)?;
    let value = json!({ "file": output, "bytes": bytes.len(), "warnings": scene.warnings });
    let mut text = format!("{} ({} bytes)", output.display(), bytes.len());
    for warning in &scene.warnings {
        text.push_str(&format!("\nwarning: {warning}"));
    }
    shell.print(&value, text)
}

fn read(text: &[u8]) -> Result<Document> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| Error::field(error.path().to_string(), error.inner().to_string()))
}

fn scene(document: &Document) -> Result<Scene> {
    let kind = portfolio::find(&document.plugin_id)
        .ok_or_else(|| Error::field("plugin_id", "there is no such chart kind"))?;
    let theme = match &document.custom_theme {
        Some(custom) if !custom.is_null() => Theme::parse(custom),
        _ => {
            let named = portfolio::theme(&document.theme);
            named.ok_or_else(|| Error::field("theme", "there is no such theme"))?.theme.clone()
        }
    };
    let layout = Style::parse(&kind.default_layout);
    let style = Style::parse(&document.style);
    let settings =
        if document.settings.is_null() { &kind.default_settings } else { &document.settings };
    Ok(charts::draw(&Chart {
        kind: kind.kind,
        title: &document.title,
        settings,
        data: &document.data,
        theme: &theme,
        style: &style,
        width: style.width.or(layout.width).unwrap_or(USUAL_SIZE.0),
        height: style.height.or(layout.height).unwrap_or(USUAL_SIZE.1),
        locale: Locale::parse("en"),
        interactive: false,
        id_prefix: "",
    }))
}

fn write(path: &Path, bytes: &[u8]) -> std::result::Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| Failure::text(format!("{}: {error}", path.display())))
}
