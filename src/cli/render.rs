//! `chartroom render`: a document from a file as a picture, without a server.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::Failure;
use super::Shell;
use crate::features::documents;
use crate::features::documents::Draft;
use crate::features::documents::Format;
use crate::features::documents::Options;
use crate::features::portfolio;
use chartroom_charts::svg::Lettering;
use chartroom_platform::error::Error;

/// What to draw.
#[derive(Args)]
pub struct Arguments {
    /// The document: JSON as `GET` of a document answers it, or the parts of it that matter
    file: PathBuf,
    /// Where to put the picture; the name ends in .svg, .png or .html
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Leave the background out
    #[arg(long)]
    transparent: bool,
    /// Pixels a point of a PNG, from 0.5 to 4
    #[arg(long, default_value_t = 2.0)]
    scale: f64,
    /// How an SVG carries its text: as letters, as outlines, or as letters with their fonts in the
    /// file
    #[arg(long, default_value = "embedded", value_name = "letters|outlines|embedded")]
    text: String,
}

/// Runs `chartroom render`.
pub fn run(shell: &Shell, arguments: &Arguments) -> std::result::Result<(), Failure> {
    let Arguments { file, output, transparent, scale, text } = arguments;
    let extension = output.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let Some(format) = Format::of_suffix(extension) else {
        let text = format!("--output: {} ends in none of .svg, .png, .html", output.display());
        return Err(Failure::Usage(text));
    };
    if !(0.5..=4.0).contains(scale) {
        return Err(Failure::Usage("--scale: must be from 0.5 to 4".to_owned()));
    }
    let Some(lettering) = Lettering::parse(text) else {
        let text = "--text: must be letters, outlines or embedded".to_owned();
        return Err(Failure::Usage(text));
    };
    let missing = portfolio::load_fonts(&shell.config()?.data_dir)?;
    let text =
        fs::read(file).map_err(|error| Failure::text(format!("{}: {error}", file.display())))?;
    let told = |error: Error| Failure::text(format!("{}: {error}", file.display()));
    let source = Draft::read(&text).and_then(|it| it.source(usize::MAX)).map_err(told)?;
    let options =
        Options { scale: *scale, transparent: *transparent, text: lettering, ..Options::default() };
    let picture = documents::draw(&source, &options, format)?;
    write(output, &picture.bytes)?;
    let warnings = [missing, picture.warnings].concat();
    let bytes = picture.bytes.len();
    let value = json!({ "file": output, "bytes": bytes, "warnings": warnings });
    let mut text = format!("{} ({bytes} bytes)", output.display());
    for warning in &warnings {
        text.push_str(&format!("\nwarning: {warning}"));
    }
    shell.print(&value, text)
}

fn write(path: &Path, bytes: &[u8]) -> std::result::Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| Failure::text(format!("{}: {error}", path.display())))
}
