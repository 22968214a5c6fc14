//! `chartroom render`: renders a document from a file, without a server.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use crate::features::documents;
use crate::features::documents::Draft;
use crate::features::documents::OutputFormat;
use crate::features::documents::RenderOptions;
use crate::features::portfolio;
use chartroom_charts::svg::TextMode;
use chartroom_platform::error::Error;

/// Arguments of `chartroom render`.
#[derive(Args)]
pub struct RenderArguments {
    /// Document file: JSON as returned by `GET` of a document, or the relevant fields of it
    file: PathBuf,
    /// Output file; its name must end in .svg, .png or .html
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Render without background
    #[arg(long)]
    transparent: bool,
    /// Pixels per point of a PNG, 0.5 to 4
    #[arg(long, default_value_t = 2.0)]
    scale: f64,
    /// Text in SVG: as letters, as outlines, or as letters with embedded fonts
    #[arg(long, default_value = "embedded", value_name = "letters|outlines|embedded")]
    text: String,
}

/// Runs `chartroom render`: writes the image to the output file, replacing an existing file, and
/// prints the warnings. Uses the fonts of the data directory.
pub fn run(
    context: &CommandContext,
    arguments: &RenderArguments,
) -> std::result::Result<(), Failure> {
    let RenderArguments { file, output, transparent, scale, text } = arguments;
    let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let Some(format) = OutputFormat::from_extension(extension) else {
        let text = format!("--output: {} must end in .svg, .png or .html", output.display());
        return Err(Failure::Usage(text));
    };
    if !(0.5..=4.0).contains(scale) {
        return Err(Failure::Usage("--scale: must be from 0.5 to 4".to_owned()));
    }
    let Some(text_mode) = TextMode::parse(text) else {
        let text = "--text: must be letters, outlines or embedded".to_owned();
        return Err(Failure::Usage(text));
    };
    let font_problems = portfolio::load_fonts(&context.load_config()?.data_dir)?;
    let text =
        fs::read(file).map_err(|error| Failure::message(format!("{}: {error}", file.display())))?;
    let file_error = |error: Error| Failure::message(format!("{}: {error}", file.display()));
    let input = Draft::parse(&text)
        .and_then(|draft| draft.into_render_input(usize::MAX))
        .map_err(file_error)?;
    let options = RenderOptions {
        scale: *scale,
        transparent: *transparent,
        text: text_mode,
        ..RenderOptions::default()
    };
    let image = documents::render_document(&input, &options, format)?;
    write_file(output, &image.bytes)?;
    let warnings = [font_problems, image.warnings].concat();
    let bytes = image.bytes.len();
    let value = json!({ "file": output, "bytes": bytes, "warnings": warnings });
    let mut text = format!("{} ({bytes} bytes)", output.display());
    for warning in &warnings {
        text.push_str(&format!("\nwarning: {warning}"));
    }
    context.print(&value, text)
}

/// Writes the output file.
fn write_file(path: &Path, bytes: &[u8]) -> std::result::Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| Failure::message(format!("{}: {error}", path.display())))
}
