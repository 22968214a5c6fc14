//! `chartroom render`: draws a document that stands in a file, without a server.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::Shell;
use crate::features::documents;
use crate::features::documents::Format;

/// What to draw and where to put it.
#[derive(Args)]
pub struct Arguments {
    /// The document as JSON: what GET answers and PUT takes, with `plugin_id` naming the kind
    file: PathBuf,
    /// The picture: a name that ends in .svg, .png or .html
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Pixels a point of a PNG
    #[arg(long, default_value_t = 2.0)]
    scale: f64,
}

/// Draws it.
pub fn run(shell: &Shell, arguments: &Arguments) -> Result<(), Failure> {
    let suffix = arguments.output.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let Some(format) = Format::of_suffix(suffix) else {
        return Err(Failure::Usage("the picture's name must end in .svg, .png or .html".into()));
    };
    let read = |error| Failure::text(format!("{}: {error}", arguments.file.display()));
    let text = fs::read_to_string(&arguments.file).map_err(read)?;
    let most = shell.settings()?.config.max_records;
    let picture = documents::draw_file(&text, format, arguments.scale, most)?;
    let written = |error| Failure::text(format!("{}: {error}", arguments.output.display()));
    let mut file = fs::File::create(&arguments.output).map_err(written)?;
    file.write_all(&picture).map_err(written)
}
