//! Tables in HTML, as browsers and spreadsheet programs put them on the
//! clipboard. Reads the first of the tables with the most cells.

use std::convert::Infallible;

use html5gum::Span;
use html5gum::Tokenizer;
use html5gum::emitters::callback::CallbackEmitter;
use html5gum::emitters::callback::CallbackEvent;

use super::cell_sink::CellSink;
use super::limits::Limits;
use super::limits::MAX_CELLS;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::report::TableFormat;
use super::sheet_cells::SheetCells;
use super::table::Table;
use super::text_options::TextOptions;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum value of `colspan` (HTML standard).
const MAX_COLUMN_SPAN: u32 = 1000;
/// Maximum value of `rowspan` (HTML standard).
const MAX_ROW_SPAN: u32 = 65_534;
/// Maximum number of rows, that of a worksheet.
const MAX_ROWS: u32 = 1_048_576;
/// Elements that separate the words before and after them.
const BLOCKS: [&[u8]; 8] = [b"br", b"p", b"div", b"li", b"ul", b"ol", b"tr", b"td"];

/// Number of bytes in which [`is_saved_table`] looks for the mark of a spreadsheet program.
const MAX_HEAD_BYTES: usize = 4096;
/// Name space in the first tag of HTML that spreadsheet programs save, mostly as `.xls`.
const OFFICE_MARK: &[u8] = b"urn:schemas-microsoft-com:office:excel";

/// Returns whether the bytes are a table that a program has saved as HTML: they begin with the table, or have
/// the mark of spreadsheet programs. Web pages begin with other tags.
pub fn is_saved_table(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
    let head = &text[..text.len().min(MAX_HEAD_BYTES)];
    let begins_with_table = head.get(..6).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<table"));
    begins_with_table || head.windows(OFFICE_MARK.len()).any(|window| window == OFFICE_MARK)
}

/// Returns whether a text starts like an HTML document or a part of one with a table, after
/// whitespace of the HTML standard.
pub(super) fn is_html(text: &str) -> bool {
    let start = text.trim_ascii_start().as_bytes();
    ["<!doctype html", "<html", "<table", "<meta", "<head", "<body", "<style"].iter().any(|mark| {
        start.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark.as_bytes()))
    })
}

/// Returns whether a text has a tag, a comment or a declaration of HTML anywhere. A comparison such as
/// `<5 %` is none.
pub(super) fn has_tag(text: &str) -> bool {
    let begins_tag = |next: u8| next.is_ascii_alphabetic() || matches!(next, b'/' | b'!');
    text.as_bytes().windows(2).any(|pair| pair[0] == b'<' && begins_tag(pair[1]))
}

/// Reads a table from the cells of [`read_cells`].
///
/// # Errors
/// The errors of [`read_cells`] and of [`SheetCells::finish`].
pub(super) fn read<'a>(
    text: &str,
    encoding: &'static str,
    limits: Limits,
    options: TextOptions,
) -> Result<Table<'a>> {
    let mut cells = read_cells(text, limits)?;
    cells.set_encoding(encoding);
    cells.finish(options)
}

/// Reads the first of the tables with the most cells that are not blank. A cell that spans several
/// columns or rows gives its value in the first of them.
///
/// # Errors
/// `InvalidFields` about `body` if there is no table with cells, or it exceeds a limit.
pub(super) fn read_cells(text: &str, limits: Limits) -> Result<SheetCells> {
    let mut reader = HtmlReader::new(limits);
    let emitter = CallbackEmitter::<_, Infallible>::new(
        |event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
            reader.handle_event(&event);
            None
        },
    );
    // The callback handles all events, so that there are no tokens.
    Tokenizer::new_with_emitter(text, emitter).for_each(drop);
    // The end tag of the last table may be missing.
    reader.end_table();
    if let Some(error) = reader.error {
        return Err(error);
    }
    reader.largest.ok_or_else(|| body_error("has no table with cells"))
}

/// State of the reading.
struct HtmlReader {
    limits: Limits,
    /// The table with the most cells so far.
    largest: Option<SheetCells>,
    /// The open table that is not within another one.
    table: Option<OpenTable>,
    /// Number of tables within a cell of the open table. Their content is ignored.
    nested_tables: usize,
    /// Name of an open element without visible text, such as `script`.
    ignored_element: Option<Vec<u8>>,
    /// Name of the start tag that is read.
    tag: Vec<u8>,
    /// Name of the attribute that is read.
    attribute: Vec<u8>,
    column_span: u32,
    row_span: u32,
    /// First error. Nothing is read after it.
    error: Option<Error>,
}

/// A table while it is read.
struct OpenTable {
    cells: SheetCells,
    /// Row of the open cell; None before the first row.
    row: Option<u32>,
    /// Column after the open cell.
    column: u32,
    /// Number of columns of the open cell.
    span: u32,
    /// Rows below which each column is free, because a cell above extends to there.
    free_from: Vec<u32>,
    /// Text of the open cell.
    cell: Option<String>,
}

impl HtmlReader {
    /// Creates a reader without a table.
    fn new(limits: Limits) -> Self {
        Self {
            limits,
            largest: None,
            table: None,
            nested_tables: 0,
            ignored_element: None,
            tag: Vec::new(),
            attribute: Vec::new(),
            column_span: 1,
            row_span: 1,
            error: None,
        }
    }

    /// Handles an event of the tokenizer. Does nothing after an error.
    fn handle_event(&mut self, event: &CallbackEvent<'_>) {
        if self.error.is_some() {
            return;
        }
        let result = match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = name.to_vec();
                (self.column_span, self.row_span) = (1, 1);
                Ok(())
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute = name.to_vec();
                Ok(())
            }
            CallbackEvent::AttributeValue { value } => {
                self.read_span(value);
                Ok(())
            }
            CallbackEvent::CloseStartTag { .. } => self.start_element(),
            CallbackEvent::EndTag { name } => self.end_element(name),
            CallbackEvent::String { value } => self.add_text(value),
            _ => Ok(()),
        };
        if let Err(error) = result {
            self.error = Some(error);
        }
    }

    /// Stores the value of `colspan` or `rowspan`, 1 if it is invalid. Ignores other attributes.
    fn read_span(&mut self, value: &[u8]) {
        let number = std::str::from_utf8(value).ok().and_then(|text| text.trim().parse().ok());
        match &*self.attribute {
            b"colspan" => self.column_span = number.unwrap_or(1).clamp(1, MAX_COLUMN_SPAN),
            b"rowspan" => self.row_span = number.unwrap_or(1).clamp(1, MAX_ROW_SPAN),
            _ => {}
        }
    }

    /// Handles the start tag `tag`, after all its attributes.
    fn start_element(&mut self) -> Result<()> {
        let tag = std::mem::take(&mut self.tag);
        if matches!(&*tag, b"script" | b"style" | b"head" | b"title" | b"template") {
            self.ignored_element.get_or_insert(tag);
            return Ok(());
        }
        if tag == b"body" || tag == b"table" {
            // The end tag of `head` may be missing.
            self.ignored_element = None;
        }
        if tag == b"table" {
            match &self.table {
                // Without an open cell, the end tag of the table before is missing.
                Some(table) if table.cell.is_some() => self.nested_tables += 1,
                _ => {
                    self.end_table();
                    self.table = Some(OpenTable::new(self.limits));
                }
            }
            return Ok(());
        }
        let (0, Some(table)) = (self.nested_tables, &mut self.table) else { return Ok(()) };
        match &*tag {
            b"tr" => table.start_row(),
            b"td" | b"th" => table.start_cell(self.column_span, self.row_span),
            // The caption becomes the title above the headings.
            b"caption" => {
                table.start_row()?;
                table.start_cell(1, 1)
            }
            _ => {
                table.separate_words(&tag);
                Ok(())
            }
        }
    }

    /// Handles an end tag: ends a nested table, the open table, the open cell or an element without
    /// visible text. An end tag of a block separates words. Ignores tags within nested tables.
    fn end_element(&mut self, name: &[u8]) -> Result<()> {
        if self.ignored_element.as_deref() == Some(name) {
            self.ignored_element = None;
        }
        match name {
            b"table" if self.nested_tables > 0 => self.nested_tables -= 1,
            b"table" => self.end_table(),
            _ if self.nested_tables > 0 => {}
            b"td" | b"th" | b"caption" | b"tr" => {
                if let Some(table) = &mut self.table {
                    table.end_cell()?;
                }
            }
            _ => {
                if let Some(table) = &mut self.table {
                    table.separate_words(name);
                }
            }
        }
        Ok(())
    }

    /// Adds to the text of the open cell. Ignores text outside of cells, within
    /// tables in a cell, and without display.
    fn add_text(&mut self, value: &[u8]) -> Result<()> {
        if self.nested_tables > 0 || self.ignored_element.is_some() {
            return Ok(());
        }
        let cell = self.table.as_mut().and_then(|table| table.cell.as_mut());
        let Some(cell) = cell else { return Ok(()) };
        if cell.len() + value.len() > self.limits.max_text_bytes {
            return Err(body_error("has a too long cell"));
        }
        cell.push_str(&String::from_utf8_lossy(value));
        Ok(())
    }

    /// Ends the open table, if there is one, and keeps it if it has more cells than each table
    /// before. Stores an error in `error`.
    fn end_table(&mut self) {
        self.nested_tables = 0;
        let Some(mut table) = self.table.take() else { return };
        if let Err(error) = table.end_cell() {
            self.error.get_or_insert(error);
        }
        let largest = self.largest.as_ref().map_or(0, SheetCells::len);
        if table.cells.len() > largest {
            self.largest = Some(table.cells);
        }
    }
}

impl OpenTable {
    /// Creates a table without rows and cells.
    fn new(limits: Limits) -> Self {
        Self {
            cells: SheetCells::new(TableFormat::Html, limits, false),
            row: None,
            column: 0,
            span: 1,
            free_from: Vec::new(),
            cell: None,
        }
    }

    /// Ends the open cell, and starts the next row. Rows count from 0.
    fn start_row(&mut self) -> Result<()> {
        self.end_cell()?;
        let row = self.row.map_or(0, |row| row + 1);
        if row == MAX_ROWS {
            return Err(body_error(format!("has more than {MAX_ROWS} rows")));
        }
        self.row = Some(row);
        self.column = 0;
        Ok(())
    }

    /// Starts a cell at the next column of the row that no cell above extends into.
    fn start_cell(&mut self, column_span: u32, row_span: u32) -> Result<()> {
        self.end_cell()?;
        let row = *self.row.get_or_insert(0);
        while self.free_from.get(self.column as usize).is_some_and(|free| *free > row) {
            self.column += 1;
        }
        let end = (self.column as usize).saturating_add(column_span as usize);
        if end > MAX_COLUMNS {
            return Err(body_error(format!("has more than {MAX_COLUMNS} columns")));
        }
        if row_span > 1 {
            self.free_from.resize(self.free_from.len().max(end), 0);
            let free = row.saturating_add(row_span);
            self.free_from[self.column as usize..end].fill(free);
        }
        self.cell = Some(String::new());
        // The cell is added at its first column when it ends.
        self.column = u32::try_from(end).unwrap_or(u32::MAX);
        self.span = column_span;
        Ok(())
    }

    /// Ends the open cell, if there is one, and adds it with single spaces between its words.
    fn end_cell(&mut self) -> Result<()> {
        let (Some(text), Some(row)) = (self.cell.take(), self.row) else { return Ok(()) };
        if self.cells.len() >= MAX_CELLS {
            return Err(body_error(format!("has more than {MAX_CELLS} cells")));
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        self.cells.push_text(row, self.column - self.span, &words.join(" "))
    }

    /// Separates the words before and after a tag in the open cell, if it is a
    /// tag of a block such as `br`.
    fn separate_words(&mut self, tag: &[u8]) {
        if let (Some(cell), true) = (&mut self.cell, BLOCKS.contains(&tag)) {
            cell.push(' ');
        }
    }
}
