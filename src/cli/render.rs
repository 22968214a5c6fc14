//! `chartroom render`: renders a document or a table from a file, without a server.

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use crate::features::documents;
use crate::features::documents::ColumnProblem;
use crate::features::documents::Draft;
use crate::features::documents::MappingView;
use crate::features::documents::OutputFormat;
use crate::features::documents::RecordLimits;
use crate::features::documents::RenderInput;
use crate::features::documents::RenderOptions;
use crate::features::documents::TableChart;
use crate::features::documents::TableDraft;
use crate::features::portfolio;
use crate::features::table_reader;
use crate::features::table_reader::HeadingRow;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadOptions;
use crate::features::table_reader::TableReport;
use chartroom_charts::Locale;
use chartroom_charts::svg::TextMode;
use chartroom_platform::config::Config;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Arguments of `chartroom render`.
#[derive(Args)]
pub struct RenderArguments {
    /// Document as JSON, as returned by `GET` of a document, or a table: CSV, TSV, HTML, JSON,
    /// xlsx, xlsm, xlsb, xls or ods
    file: PathBuf,
    /// Output file; its name must end in .svg, .png, .html or .pdf
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    table: TableArguments,
    #[command(flatten)]
    image: ImageArguments,
}

/// Arguments for a table.
#[derive(Args)]
struct TableArguments {
    /// Chart kind of a table, such as bar; the kind that suits the table best when absent
    #[arg(short, long)]
    kind: Option<String>,
    /// Title of the chart of a table; the text above its headings when absent
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Language of numbers, dates and fixed texts in the chart of a table, such as de
    #[arg(long, value_name = "TAG")]
    locale: Option<String>,
    /// Worksheet of a spreadsheet file; the first visible one when absent
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
}

impl TableArguments {
    /// Returns the name of the first argument that is set, in the order `--kind`, `--title`,
    /// `--locale`, `--sheet`. None if none is set.
    fn find_given(&self) -> Option<&'static str> {
        let Self { kind, title, locale, sheet } = self;
        let all = [("--kind", kind), ("--title", title), ("--locale", locale), ("--sheet", sheet)];
        all.into_iter().find(|(_, value)| value.is_some()).map(|(name, _)| name)
    }
}

/// Arguments for the image.
#[derive(Args)]
struct ImageArguments {
    /// Width in points; that of the document when absent
    #[arg(long, value_name = "POINTS")]
    width: Option<f64>,
    /// Height in points; that of the document when absent, or as high as the names of a table need
    #[arg(long, value_name = "POINTS")]
    height: Option<f64>,
    /// Theme; that of the document when absent
    #[arg(long, value_name = "NAME")]
    theme: Option<String>,
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

impl ImageArguments {
    /// Returns the options for an image in `format`. Fails with exit code 2 if one is invalid.
    fn to_options(&self, format: OutputFormat) -> std::result::Result<RenderOptions, Failure> {
        let Some(text) = TextMode::parse(&self.text) else {
            let text = "--text: must be letters, outlines or embedded".to_owned();
            return Err(Failure::Usage(text));
        };
        let options = RenderOptions {
            width: self.width,
            height: self.height,
            scale: self.scale,
            transparent: self.transparent,
            theme: self.theme.clone(),
            text,
            ..RenderOptions::default()
        };
        options.normalize(format).map_err(|error| Failure::Usage(format!("--{error}")))
    }
}

/// Runs `chartroom render`: writes the image to the output file, replacing an existing file, and
/// prints the warnings. Uses the fonts of the data directory.
pub fn run(
    context: &CommandContext,
    arguments: &RenderArguments,
) -> std::result::Result<(), Failure> {
    let RenderArguments { file, output, table, image } = arguments;
    let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let Some(format) = OutputFormat::from_extension(extension) else {
        let text = format!("--output: {} must end in .svg, .png, .html or .pdf", output.display());
        return Err(Failure::Usage(text));
    };
    let options = image.to_options(format)?;
    let config = context.load_config()?;
    let font_problems = portfolio::load_fonts(&config.data_dir)?;
    let bytes =
        fs::read(file).map_err(|error| Failure::message(format!("{}: {error}", file.display())))?;
    let file_error = |error: Error| Failure::message(format!("{}: {error}", file.display()));
    let source = FileSource::read(file, &bytes, table, &config).map_err(file_error)?;
    let mut options = options;
    if source.lacks_layout() && options.height.is_none() {
        options.height = documents::find_fitting_height(&source.input, &options)?;
    }
    let image = documents::render_document(&source.input, &options, format)?;
    write_file(output, &image.bytes)?;
    let warnings = [font_problems, image.warnings].concat();
    let bytes = image.bytes.len();
    let mut value = json!({ "file": output, "bytes": bytes, "warnings": warnings });
    let mut text = format!("{} ({bytes} bytes)", output.display());
    source.describe(&mut value, &mut text);
    for warning in &warnings {
        text.push_str(&format!("\nwarning: {warning}"));
    }
    context.print(&value, text)
}

/// The chart in a file.
struct FileSource {
    input: RenderInput,
    /// Slug of the chart kind that was chosen for a table.
    kind: Option<&'static str>,
    mapping: Option<MappingView>,
    problems: Vec<ColumnProblem>,
    table: Option<TableReport>,
}

impl FileSource {
    /// Reads a document, a JSON array of records, or a table.
    ///
    /// Without a kind, the keys of records are mapped to columns like the headings of a table. With
    /// a kind, they must be the keys of that kind.
    ///
    /// # Errors
    /// `InvalidFields` about `file` if table arguments are set for a document, and about `sheet` if
    /// one is named for records. The errors of the parsers.
    fn read(
        file: &Path,
        bytes: &[u8],
        arguments: &TableArguments,
        config: &Config,
    ) -> Result<Self> {
        let media_type = find_media_type(file);
        let is_json = media_type.is_none_or(|media_type| media_type == "application/json");
        let start = bytes.trim_ascii_start().first();
        if is_json && start == Some(&b'{') {
            if let Some(name) = arguments.find_given() {
                let message = format!("must be a table, because {name} is for tables");
                return Err(Error::invalid_field("file", message));
            }
            let input = Draft::parse(bytes)?.into_render_input(usize::MAX)?;
            return Ok(Self { input, kind: None, mapping: None, problems: vec![], table: None });
        }
        let limits =
            RecordLimits { max_records: config.max_records, max_bytes: config.max_document_bytes };
        let draft = TableDraft {
            kind: arguments.kind.as_deref(),
            title: arguments.title.as_deref().unwrap_or_default(),
            locale: arguments.locale.as_deref(),
        };
        let is_table = table_reader::is_table(bytes, media_type);
        let is_records = is_json && start == Some(&b'[') && !is_table;
        // Without a key of the kind, the keys of records are headings like any others.
        let rows = match is_records {
            true => draft.rows_of_records(bytes, limits.max_records),
            false => None,
        };
        let bytes = rows.as_deref().unwrap_or(bytes);
        let sheet = arguments.sheet.as_deref();
        if is_records && rows.is_none() {
            table_reader::require_no_sheet(sheet)?;
            let text = str::from_utf8(bytes)
                .map_err(|error| Error::invalid_field("file", error.to_string()))?;
            return Ok(Self::new(draft.use_records(text, limits)?, None));
        }
        let options = ReadOptions {
            content_type: media_type,
            sheet,
            locale: draft.locale.map(Locale::parse),
            heading_row: if is_records { HeadingRow::Present } else { HeadingRow::Detect },
            ..ReadOptions::default()
        };
        let max_text_bytes = config.max_document_bytes;
        let table = table_reader::read(
            bytes,
            &options,
            Limits { max_rows: config.max_records, max_text_bytes, deadline: None },
        )?;
        let mut chart = draft.map_table(&table, limits)?;
        if arguments.title.is_none() {
            chart.input.document.title = table.report.title.clone().unwrap_or_default();
        }
        Ok(Self::new(chart, Some(table.report)))
    }

    /// Creates the source of a table or of records. `table` is the report of the table reader, None
    /// for records.
    fn new(chart: TableChart, table: Option<TableReport>) -> Self {
        let TableChart { input, kind, mapping, problems } = chart;
        let table = table.map(|report| documents::report_for_kind(report, Some(kind)));
        Self { input, kind: Some(&kind.slug), mapping, problems, table }
    }

    /// Returns whether the file is a table or an array of records, which have no layout.
    fn lacks_layout(&self) -> bool {
        self.kind.is_some()
    }

    /// Adds the chart kind, the mapping and the problems of a table to the JSON output `value` and
    /// to the text output. Adds nothing for a document.
    fn describe(&self, value: &mut Value, text: &mut String) {
        if let Some(kind) = self.kind {
            value["kind"] = Value::from(kind);
            text.push_str(&format!("\nkind: {kind}"));
        }
        if let Some(mapping) = &self.mapping {
            value["mapping"] = json!(mapping);
            for column in &mapping.mapping {
                text.push_str(&format!("\ncolumn: {} as {}", column.column, column.key));
            }
            for heading in &mapping.left_over {
                let reasons = &mapping.left_over_reasons;
                let reason = reasons.iter().find(|reason| reason.column == *heading);
                let message = reason.map_or("is not used", |reason| reason.message);
                text.push_str(&format!("\ncolumn: {heading} {message}"));
            }
            for row in &mapping.left_out_rows {
                text.push_str(&format!(
                    "\nwarning: row {} “{}” {}",
                    row.record, row.text, row.message
                ));
            }
            for column in &mapping.missing {
                text.push_str(&format!("\nwarning: the table has no column for {}", column.title));
            }
        }
        if self.mapping.is_some() {
            value["problems"] = json!(self.problems);
        }
        for problem in &self.problems {
            let ColumnProblem { column, record, text: cell, message } = problem;
            text.push_str(&format!("\nwarning: {column}, row {record}: “{cell}” {message}"));
        }
        if let Some(table) = &self.table {
            value["table"] = json!(table);
            for problem in &table.problems {
                text.push_str(&format!("\nwarning: {} {}", problem.cell, problem.message));
            }
            if table.more_problems > 0 {
                text.push_str(&format!("\nwarning: {} further cells", table.more_problems));
            }
        }
    }
}

/// Returns the media type for the extension of a text file, in any case. None for other files,
/// because their content tells the format.
fn find_media_type(file: &Path) -> Option<&'static str> {
    match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "csv" | "txt" => Some("text/csv"),
        "tsv" | "tab" => Some("text/tab-separated-values"),
        "htm" | "html" => Some("text/html"),
        "json" => Some("application/json"),
        _ => None,
    }
}

/// Writes the output file and replaces an existing one. The message of a failure contains the path.
fn write_file(path: &Path, bytes: &[u8]) -> std::result::Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| Failure::message(format!("{}: {error}", path.display())))
}
