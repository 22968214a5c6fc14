//! Receiver of cells that builds worksheets, with limits for all of them together.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Number;

use super::cell_sink::CellSink;
use super::cell_sink::DateText;
use super::cell_sink::MergedRange;
use super::date_format::DateFormat;
use super::limits::Limits;
use super::limits::MAX_CELL_CHARACTERS;
use super::limits::MAX_WORKSHEET_CELLS;
use super::limits::MAX_WORKSHEET_COLUMNS;
use super::limits::body_error;
use super::limits::damaged;
use super::number_format::CellFormat;
use super::number_format::NumberFormat;
use super::report::cell_address;
use super::serial_date;
use super::sheet_list::SheetEntry;
use super::worksheet::DateCell;
use super::worksheet::DateKind;
use super::worksheet::Worksheet;
use super::worksheet::WorksheetCell;
use chartroom_platform::error::Result;

/// Maximum length of a date in ISO 8601 in bytes, such as `2024-03-31T13:05:00.250`.
const MAX_ISO_BYTES: usize = 23;
/// Largest integer of which all smaller ones have an exact floating-point number.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// Worksheets while their cells are read.
///
/// Cells go directly to their places, and all empty cells before them count, so that two cells in
/// opposite corners of a worksheet take no memory.
pub(super) struct WorksheetCells {
    sheets: Vec<Worksheet>,
    limits: Limits,
    is_1904: bool,
    /// Number of cells of all worksheets, including empty ones.
    cell_count: usize,
    /// Size of the texts of all worksheets in bytes. Dates count with their texts too, although they
    /// are computed later, so that the limit bounds the size as JSON.
    text_bytes: usize,
    /// Number of calls, which decides when to look at the clock.
    steps: usize,
    /// Number of cells that merged ranges have cleared.
    merged: usize,
    /// Compiled formats by their codes, for all worksheets.
    formats: HashMap<String, Arc<DateFormat>>,
}

impl WorksheetCells {
    /// Creates a receiver without worksheets. `is_1904` tells whether dates count from 1904.
    pub fn new(limits: Limits, is_1904: bool) -> Self {
        Self {
            sheets: Vec::new(),
            limits,
            is_1904,
            cell_count: 0,
            text_bytes: 0,
            steps: 0,
            merged: 0,
            formats: HashMap::new(),
        }
    }

    /// Returns the worksheets in the order in which they started. Removes empty cells and rows at the
    /// ends, which merged ranges may have left.
    pub fn finish(mut self) -> Vec<Worksheet> {
        for row in self.sheets.iter_mut().flat_map(|sheet| &mut sheet.rows) {
            let end = row.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
            row.truncate(end);
        }
        for sheet in &mut self.sheets {
            let end = sheet.rows.iter().rposition(|row| !row.is_empty()).map_or(0, |last| last + 1);
            sheet.rows.truncate(end);
            sheet.rows.shrink_to_fit();
        }
        self.sheets
    }

    /// Places a cell that is not empty, which replaces one at the same place. `text_bytes` is the size
    /// of its texts.
    ///
    /// # Errors
    /// `InvalidFields` about `body` beyond a limit, or after the deadline.
    pub fn place(
        &mut self,
        row: u32,
        column: u32,
        cell: WorksheetCell,
        text_bytes: usize,
    ) -> Result<()> {
        self.steps += 1;
        self.limits.check_time(self.steps)?;
        let Limits { max_rows, max_text_bytes, .. } = self.limits;
        let Some(sheet) = self.sheets.last_mut() else { return Ok(()) };
        let (row, column) = (row as usize, column as usize);
        if row >= max_rows {
            return Err(body_error(format!("has more than {max_rows} rows")));
        }
        if column >= MAX_WORKSHEET_COLUMNS {
            return Err(body_error(format!("has more than {MAX_WORKSHEET_COLUMNS} columns")));
        }
        self.text_bytes += text_bytes;
        if self.text_bytes > max_text_bytes {
            let message = format!("has more than {max_text_bytes} bytes of text in its cells");
            return Err(body_error(message));
        }
        if row >= sheet.rows.len() {
            // The row before has all its cells, because programs write rows in order.
            if let Some(last) = sheet.rows.last_mut() {
                last.shrink_to_fit();
            }
            sheet.rows.resize_with(row + 1, Vec::new);
        }
        let cells = &mut sheet.rows[row];
        if column >= cells.len() {
            self.cell_count += column + 1 - cells.len();
            if self.cell_count > MAX_WORKSHEET_CELLS {
                return Err(body_error(format!("has more than {MAX_WORKSHEET_CELLS} cells")));
            }
            if column >= cells.capacity() {
                // Doubling would take twice the memory in the worst case.
                cells.reserve_exact(column + 1 - cells.len() + (cells.len() / 4).max(4));
            }
            cells.resize(column + 1, WorksheetCell::empty());
        }
        cells[column] = cell;
        Ok(())
    }

    /// Returns the compiled format of a code. Compiles each code once.
    fn compile(&mut self, code: &str) -> Arc<DateFormat> {
        if let Some(format) = self.formats.get(code) {
            return Arc::clone(format);
        }
        let format = Arc::new(DateFormat::compile(code));
        self.formats.insert(code.to_owned(), Arc::clone(&format));
        format
    }

    /// Converts a number with a format of dates or durations. None if the number is negative or too
    /// large, as those that Excel shows as `####`.
    fn read_date(&mut self, number: f64, format: CellFormat<'_>) -> Option<DateCell> {
        let compiled = self.compile(format.code);
        // A time of day has the same number in both counts of days.
        let has_date = number >= 1.0 || compiled.has_date;
        let is_day = format.meaning == NumberFormat::Date && has_date;
        let days_before = if self.is_1904 && is_day { serial_date::DAYS_TO_1904 } else { 0 };
        let ms = compiled.round_ms(serial_date::to_ms(number, days_before)?);
        // Rounding may lead to the year 10000.
        serial_date::is_in_range(ms).then(|| DateCell::from_ms(ms, compiled))
    }

    /// Adds a date cell, and counts its texts.
    fn push_date_cell(&mut self, row: u32, column: u32, date: DateCell) -> Result<()> {
        let text_bytes = date.max_display_bytes() + MAX_ISO_BYTES + date.formatting_string().len();
        self.place(row, column, WorksheetCell::Date(date), text_bytes)
    }
}

impl CellSink for WorksheetCells {
    fn start_sheet(&mut self, sheet: &SheetEntry) -> Result<()> {
        let SheetEntry { id, name, .. } = sheet;
        let (name, sheet_id) = (name.clone(), id.clone());
        self.sheets.push(Worksheet { name, sheet_id, rows: Vec::new() });
        Ok(())
    }

    /// Adds the text with all its whitespace. An empty text adds nothing.
    fn push_text(&mut self, row: u32, column: u32, text: &str) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        if text.len() > MAX_CELL_CHARACTERS && text.chars().count() > MAX_CELL_CHARACTERS {
            let address = cell_address(row, column);
            let message =
                format!("has more than {MAX_CELL_CHARACTERS} characters in cell {address}");
            return Err(body_error(message));
        }
        // Checks the limit of the text before the copy.
        self.place(row, column, WorksheetCell::empty(), text.len())?;
        self.place(row, column, WorksheetCell::Text(text.to_owned()), 0)
    }

    /// Adds a date or a duration if the format shows one and the number is in its range, and otherwise
    /// the number. A percentage stays a share of 1. A number that is not finite becomes the error that
    /// Excel shows.
    fn push_number(
        &mut self,
        row: u32,
        column: u32,
        number: f64,
        format: CellFormat<'_>,
    ) -> Result<()> {
        let is_date = matches!(format.meaning, NumberFormat::Date | NumberFormat::Duration);
        if is_date && let Some(date) = self.read_date(number, format) {
            return self.push_date_cell(row, column, date);
        }
        match to_json(number) {
            Some(number) => self.place(row, column, WorksheetCell::Number(number), 0),
            None => self.push_text(row, column, "#NUM!"),
        }
    }

    /// Adds the date with the displayed text. If the file has none, renders the date with its format,
    /// or in ISO 8601 if it has no format of dates.
    fn push_date(&mut self, row: u32, column: u32, date: DateText<'_>) -> Result<()> {
        let kind = match (date.iso.contains('-'), date.iso.contains('T')) {
            (true, true) => DateKind::DateTime,
            (true, false) => DateKind::Date,
            _ if date.format.meaning == NumberFormat::Duration || exceeds_day(date.iso) => {
                DateKind::Duration
            }
            _ => DateKind::Time,
        };
        let code = match kind {
            _ if !date.format.code.is_empty() => date.format.code,
            DateKind::Date => "yyyy-mm-dd",
            DateKind::DateTime => "yyyy-mm-dd hh:mm:ss",
            DateKind::Time => "hh:mm:ss",
            DateKind::Duration => "[h]:mm:ss",
        };
        let format = self.compile(code);
        let rendered = match serial_date::parse_ms(date.iso) {
            Some(ms) if date.displayed.is_empty() => format.render(format.round_ms(ms)),
            _ => date.iso.to_owned(),
        };
        let displayed = if date.displayed.is_empty() { &*rendered } else { date.displayed };
        if displayed.chars().count() > MAX_CELL_CHARACTERS {
            return self.push_text(row, column, displayed);
        }
        self.push_date_cell(row, column, DateCell::from_texts(kind, displayed, date.iso, format))
    }

    /// Adds `TRUE` or `FALSE`.
    fn push_boolean(&mut self, row: u32, column: u32, value: bool) -> Result<()> {
        self.push_text(row, column, if value { "TRUE" } else { "FALSE" })
    }

    /// Adds the text of the error.
    fn push_error(&mut self, row: u32, column: u32, text: &str) -> Result<()> {
        self.push_text(row, column, text)
    }

    /// Returns true, because cells below a merged one must be empty.
    fn needs_merged_ranges(&self) -> bool {
        true
    }

    /// Clears all cells of the range but the first one.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the ranges have more than twice the maximum number of cells,
    /// because they overlap then, or after the deadline.
    fn merge(&mut self, range: MergedRange) -> Result<()> {
        let Some(sheet) = self.sheets.last_mut() else { return Ok(()) };
        let [first_row, last_row, first_column, last_column] =
            [range.first_row, range.last_row, range.first_column, range.last_column]
                .map(|index| index as usize);
        for (index, row) in sheet.rows.iter_mut().enumerate().take(last_row + 1).skip(first_row) {
            let end = row.len().min(last_column + 1);
            let cells = row.get_mut(first_column..end).unwrap_or_default();
            for cell in cells.iter_mut().skip(usize::from(index == first_row)) {
                *cell = WorksheetCell::empty();
            }
            self.merged += cells.len();
            self.steps += 1;
            self.limits.check_time(self.steps)?;
            if self.merged > 2 * MAX_WORKSHEET_CELLS {
                return Err(damaged("too many merged cells overlap"));
            }
        }
        Ok(())
    }
}

/// Converts a number to JSON, without a fraction if it is an exact integer. None if it is not finite.
fn to_json(number: f64) -> Option<Number> {
    if number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER {
        return Some(Number::from(number as i64));
    }
    Number::from_f64(number)
}

/// Returns whether a time such as `27:30:00` has 24 hours or more.
fn exceeds_day(time: &str) -> bool {
    time.split(':')
        .next()
        .and_then(|hours| hours.parse::<u64>().ok())
        .is_some_and(|hours| hours >= 24)
}
