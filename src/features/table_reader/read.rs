//! Reading of a table from the bytes of a file. The content tells the format.

use std::borrow::Cow;

use super::compound_file::OLE_MARK;
use super::heading_row::HeadingRow;
use super::html_table;
use super::json_table;
use super::limits::Limits;
use super::limits::MAX_CELLS;
use super::limits::body_error;
use super::report::TableFormat;
use super::report::TableReport;
use super::sheet_cells::SheetCells;
use super::sheet_list;
use super::sheet_list::KnownSheet;
use super::sheet_list::SheetChoice;
use super::sheet_list::TEXT_SHEET_NAME;
use super::spreadsheet::Spreadsheet;
use super::table::Table;
use super::text_encoding;
use super::text_options::TextOptions;
use super::text_table;
use super::text_table::TextTable;
use super::zip_archive::ZIP_MARK;
use super::zip_archive::ZipArchive;
use chartroom_charts::Locale;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Media type of text with tabs as separators.
const TSV_TYPE: &str = "text/tab-separated-values";

/// Media types of files with tables, apart from JSON.
pub const TABLE_TYPES: [&str; 8] = [
    "text/csv",
    TSV_TYPE,
    "text/html",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.ms-excel",
    "application/vnd.ms-excel.sheet.macroenabled.12",
    "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    "application/vnd.oasis.opendocument.spreadsheet",
];

/// Options of [`read`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions<'a> {
    /// Media type that the client declares, without parameters.
    pub content_type: Option<&'a str>,
    /// Character encoding that the client declares.
    pub charset: Option<&'a str>,
    /// Id of the worksheet, as in [`super::SheetName`]. If a name is given too, it counts only without a
    /// worksheet with this name.
    pub sheet_id: Option<&'a str>,
    /// Name of the worksheet; the first visible one without a name and an id.
    pub sheet: Option<&'a str>,
    /// Worksheet of an earlier file of the same source, in place of `sheet_id` and `sheet`.
    pub known_sheet: Option<KnownSheet<'a>>,
    /// Whether names replace the ids of worksheets in the file: for programs that number the worksheets again
    /// at each save, so that an id would lead to another worksheet after one was moved or deleted.
    pub ids_are_names: bool,
    /// Language of the document. It decides the decimal separator of CSV text and the
    /// order of day and month if no cell tells them. If None, the separator of the
    /// cells and the form of the dates decide.
    pub locale: Option<Locale>,
    /// Language of the caller. It decides the decimal separator if neither the table nor `locale` does.
    pub caller_locale: Option<Locale>,
    /// Decimal separator that an earlier file of the same source needed.
    pub known_separator: Option<DecimalSeparator>,
    /// Order of day and month that an earlier file of the same source needed.
    pub known_date_order: Option<DateOrder>,
    /// Whether the first row has headings.
    pub heading_row: HeadingRow,
}

impl<'a> ReadOptions<'a> {
    /// Returns the options for cells that are texts.
    pub(super) fn text_options(&self) -> TextOptions {
        let is_tab_separated = |media_type: &str| media_type.eq_ignore_ascii_case(TSV_TYPE);
        TextOptions {
            separator: self.locale.map(DecimalSeparator::of_locale),
            known_separator: self.known_separator,
            caller_separator: self.caller_locale.map(DecimalSeparator::of_locale),
            heading_row: self.heading_row,
            delimiter: None,
            is_tab_separated: self.content_type.is_some_and(is_tab_separated),
        }
    }

    /// Returns the worksheet to read: by its name or its id, or else the first one.
    fn sheet_choice(&self) -> SheetChoice<'a> {
        if let Some(known) = self.known_sheet {
            return SheetChoice::Again(known);
        }
        match (self.sheet_id, self.sheet) {
            (Some(id), Some(name)) => SheetChoice::NameOrId { name, id },
            (Some(id), None) => SheetChoice::Id(id),
            (None, Some(name)) => SheetChoice::Name(name),
            (None, None) => SheetChoice::First,
        }
    }
}

/// Returns whether a request body is a table: by a declared type in `TABLE_TYPES`, by a start like a
/// ZIP or OLE file, or as JSON, declared or without a type, that starts like an array of arrays. CSV
/// and HTML need a declared type. Does not check that the table can be read.
pub fn is_table(bytes: &[u8], content_type: Option<&str>) -> bool {
    let is_declared = content_type.is_some_and(|declared| {
        TABLE_TYPES.iter().any(|known| known.eq_ignore_ascii_case(declared))
    });
    is_declared || is_spreadsheet(bytes) || is_json(content_type) && json_table::is_table(bytes)
}

/// Returns whether the bytes start like a ZIP or OLE file. Files of spreadsheet programs do so, but
/// other files in these containers do too.
pub fn is_spreadsheet(bytes: &[u8]) -> bool {
    bytes.starts_with(ZIP_MARK) || bytes.starts_with(OLE_MARK)
}

/// Returns whether a media type is JSON. An absent one counts as JSON.
fn is_json(content_type: Option<&str>) -> bool {
    let media_type = content_type.unwrap_or("application/json").to_ascii_lowercase();
    media_type == "application/json" || media_type.ends_with("+json")
}

/// Reads a table from a file, and sets its order of day and month from `options.known_date_order` or else
/// `options.locale`.
///
/// ZIP and OLE files and text that starts like HTML are recognized by their content, because
/// clients often declare a wrong type. For other text, `options.content_type` decides between JSON,
/// HTML and CSV. Memory is bounded by the limits, apart from the bytes themselves.
///
/// # Errors
/// `InvalidFields` about `body` if the bytes are no table or exceed another limit than that of
/// rows, about `data` if there are too many rows, and about `sheet` or `sheet_id` if the file has no
/// such worksheet.
pub fn read<'a>(bytes: &'a [u8], options: &ReadOptions<'_>, limits: Limits) -> Result<Table<'a>> {
    let mut table = read_format(bytes, options, limits)?;
    let of_locale = options.locale.map(DateOrder::of_locale);
    table.date_order = options.known_date_order.or(of_locale);
    Ok(table)
}

/// Reads a table like `read`, but sets no order of dates.
///
/// # Errors
/// Those of [`read`]. `InvalidFields` about `sheet` also if the format has no
/// worksheets but a name is given.
fn read_format<'a>(
    bytes: &'a [u8],
    options: &ReadOptions<'_>,
    limits: Limits,
) -> Result<Table<'a>> {
    let text_options = options.text_options();
    if let Some(spreadsheet) = Spreadsheet::open(bytes, options.ids_are_names, limits)? {
        let cells = read_spreadsheet(spreadsheet, options.sheet_choice(), limits)?;
        return cells.finish(text_options);
    }
    match options.sheet_choice() {
        SheetChoice::Name(name) if name != TEXT_SHEET_NAME => require_no_sheet(Some(name))?,
        choice => sheet_list::check_text_sheet(choice)?,
    }
    match TextContent::decode(bytes, options)? {
        TextContent::Json => json_table::read(bytes, limits, text_options),
        TextContent::Html { text, encoding } => {
            html_table::read(&text, encoding, limits, text_options)
        }
        TextContent::Csv { text, encoding, delimiter, next_table } => {
            let text_options = TextOptions { delimiter, ..text_options };
            let report = TableReport::new(TableFormat::Csv);
            let mut report = TableReport { encoding: Some(encoding), ..report };
            if let Some(row) = next_table.and_then(|row| u32::try_from(row).ok()) {
                let message = "starts another table below the first one; left out";
                report.add_problem(row, 0, message.to_owned());
            }
            Table::from_csv(text, report, limits, text_options)
        }
    }
}

/// A file that is no spreadsheet, with the name of its encoding.
pub(super) enum TextContent<'a> {
    /// An array of arrays, which is not decoded.
    Json,
    Html {
        text: Cow<'a, str>,
        encoding: &'static str,
    },
    Csv {
        text: Cow<'a, str>,
        encoding: &'static str,
        /// Separator of the cells that the first line names, which is empty here, or of a table with
        /// bars as in Markdown.
        delimiter: Option<u8>,
        /// Index of the line, from 0, of another table with bars, which the text lacks.
        next_table: Option<usize>,
    },
}

impl<'a> TextContent<'a> {
    /// Detects the format of a file that is neither a ZIP nor an OLE file, and decodes its text.
    ///
    /// Texts that start like HTML are HTML, even if the declared type is another one. An array of
    /// arrays is JSON if the declared type is JSON or absent. All other text is HTML if it is declared
    /// so and has a tag or a single line, and otherwise CSV, but XML is an error. A table with bars, as in
    /// Markdown, becomes CSV.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is no text or XML.
    pub fn decode(bytes: &'a [u8], options: &ReadOptions<'_>) -> Result<Self> {
        if is_json(options.content_type) && json_table::is_table(bytes) {
            return Ok(Self::Json);
        }
        let (text, encoding) = text_encoding::decode(bytes, options.charset).map_err(body_error)?;
        let is_declared_html =
            options.content_type.is_some_and(|declared| declared.eq_ignore_ascii_case("text/html"));
        // Scripts of web servers declare everything as HTML unless their author names another type.
        let is_csv = text.lines().nth(1).is_some() && !html_table::has_tag(&text);
        if is_declared_html && !is_csv || html_table::is_html(&text) {
            return Ok(Self::Html { text, encoding });
        }
        if text.starts_with("%PDF-") {
            return Err(body_error("is a PDF file; save its table as xlsx, ods or CSV"));
        }
        if text.trim_start().starts_with("<?xml") {
            return Err(body_error("is an XML file; save it as xlsx, ods or CSV"));
        }
        if let Some(TextTable { text, next_table }) = text_table::to_csv(&text) {
            let (text, delimiter) = (Cow::Owned(text), Some(text_table::DELIMITER));
            return Ok(Self::Csv { text, encoding, delimiter, next_table });
        }
        let (text, delimiter) = split_separator_line(text);
        Ok(Self::Csv { text, encoding, delimiter, next_table: None })
    }
}

/// Empties the first line of a CSV text if it only names the separator, such as `sep=;`, which Excel does not
/// show. The numbers of the other lines stay. Returns the separator, too, if cells can have it: an ASCII
/// character other than a letter, a digit, a quotation mark and a space.
fn split_separator_line(text: Cow<'_, str>) -> (Cow<'_, str>, Option<u8>) {
    let line = text.lines().next().unwrap_or_default();
    let (name, separator) = line.split_at_checked(4).unwrap_or_default();
    if !name.eq_ignore_ascii_case("sep=") || separator.chars().count() != 1 {
        return (text, None);
    }
    let is_usable = |byte: &u8| *byte == b'\t' || byte.is_ascii_punctuation() && *byte != b'"';
    let delimiter = separator.bytes().next().filter(is_usable);
    let length = line.len();
    (text[length..].to_owned().into(), delimiter)
}

/// Returns an error if `sheet` is given, because a file without worksheets has none of this name.
///
/// # Errors
/// `InvalidFields` about `sheet` if a name is given.
pub fn require_no_sheet(sheet: Option<&str>) -> Result<()> {
    let Some(sheet) = sheet else { return Ok(()) };
    let message = format!("must be absent, because the file has no worksheets, not {sheet:?}");
    Err(Error::invalid_field("sheet", message))
}

/// Returns an upper bound of the memory in bytes that `read` takes, without reading the table.
///
/// A ZIP file yields no more bytes than its directory declares. Its shared texts and its cells take a
/// multiple of them, and each cell may repeat a long text up to the limit of all texts.
///
/// # Errors
/// `InvalidFields` about `body` if a ZIP file has no valid directory.
pub fn estimate_memory(bytes: &[u8], options: &ReadOptions<'_>, limits: Limits) -> Result<u64> {
    // A buffer may have twice the size of its content while it grows.
    let max_text = 2 * limits.max_text_bytes as u64;
    if bytes.starts_with(ZIP_MARK) {
        let content = ZipArchive::open(bytes, limits)?.total_bytes();
        let max_cells = 2 * STORED_CELL_BYTES * MAX_CELLS as u64;
        return Ok((3 * content).min(MAX_SHARED_BYTES) + (4 * content).min(max_cells) + max_text);
    }
    let length = bytes.len() as u64;
    if bytes.starts_with(OLE_MARK) {
        // The shared texts have at most twice as many bytes as the file, and a
        // cell takes ten bytes of it.
        return Ok(9 * length + max_text);
    }
    // Other encodings than UTF-8 become up to three times as long.
    Ok(if is_stored_as_cells(bytes, options) { 12 * length } else { 3 * length })
}

/// Returns whether a text is read as JSON or HTML, which become cells. CSV stays text.
pub(super) fn is_stored_as_cells(bytes: &[u8], options: &ReadOptions<'_>) -> bool {
    is_json(options.content_type) && json_table::is_table(bytes)
        || options.content_type.is_some_and(|declared| declared.eq_ignore_ascii_case("text/html"))
        // Skips whitespace, byte order marks and the zeros of UTF-16.
        || bytes.iter().find(|byte| byte.is_ascii_graphic()) == Some(&b'<')
}

/// Memory of a stored cell without its text in bytes.
const STORED_CELL_BYTES: u64 = 16;
/// Maximum memory of shared texts in bytes, while the buffers grow.
const MAX_SHARED_BYTES: u64 = 160 << 20;

/// Reads the cells of the chosen worksheet of the file of a spreadsheet program.
///
/// # Errors
/// Those of [`read`].
fn read_spreadsheet(
    mut spreadsheet: Spreadsheet<'_>,
    choice: SheetChoice<'_>,
    limits: Limits,
) -> Result<SheetCells> {
    let mut sheets = std::mem::take(&mut spreadsheet.sheets);
    let chosen = sheets.remove(sheet_list::find_sheet(&sheets, choice)?);
    let mut cells = SheetCells::new(spreadsheet.format(), limits, spreadsheet.is_1904());
    cells.set_other_sheets(sheets.into_iter().map(|sheet| sheet.name).collect());
    spreadsheet.read_sheets(&[chosen], &mut cells)?;
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_separator_is_used() {
        let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
        let headings = |text: &str| {
            let table = read(text.as_bytes(), &ReadOptions::default(), limits).unwrap();
            (table.report.header_row, table.headings.join("/"))
        };
        let with_comma =
            |name: &str| headings(&format!("{name}\nCity;Price, EUR\nA;5,20\nB;6,10\n"));
        assert_eq!(with_comma("sep=;"), (2, "City/Price, EUR".to_owned()));
        assert_eq!(with_comma("SEP=;\r"), (2, "City/Price, EUR".to_owned()));
        assert_eq!(with_comma("sep=,"), (2, "City;Price/EUR".to_owned()));
        assert_eq!(headings("sep=^\nCity^Price\nA^5\n"), (2, "City/Price".to_owned()));
        assert_eq!(
            headings("sep=\t\nCity\tPrice, EUR\nA\t5,20\n"),
            (2, "City/Price, EUR".to_owned())
        );
        assert_eq!(headings("sep=ä\nCity;Price\nA;5\n"), (2, "City/Price".to_owned()));
    }

    #[test]
    fn the_memory_of_html_does_not_depend_on_its_encoding() {
        let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let html = "\n<table><tr><td>a</td></tr><tr><td>1</td></tr></table>";
        let utf_16 = |to_bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
            format!("{mark}{html}").encode_utf16().flat_map(to_bytes).collect()
        };
        for bytes in [
            html.as_bytes().to_vec(),
            format!("\u{feff}{html}").into_bytes(),
            utf_16(u16::to_le_bytes, "\u{feff}"),
            utf_16(u16::to_be_bytes, "\u{feff}"),
            utf_16(u16::to_le_bytes, ""),
            utf_16(u16::to_be_bytes, ""),
        ] {
            let table = read(&bytes, &options, limits).unwrap();
            assert_eq!(table.report.format, TableFormat::Html, "{bytes:x?}");
            let needed = estimate_memory(&bytes, &options, limits).unwrap();
            assert_eq!(needed, 12 * bytes.len() as u64, "{bytes:x?}");
        }
        let csv = "\u{feff}a,b\n<1,2\n";
        let needed = estimate_memory(csv.as_bytes(), &options, limits).unwrap();
        assert_eq!(needed, 3 * csv.len() as u64);
    }
}
