//! The rows of a sheet as a source of data.

use std::collections::HashMap;

use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::MAX_DOWNLOAD_BYTES;
use chartroom_platform::remote::RemoteBody;
use serde::Deserialize;
use serde_json::Value;

use super::classify;
use super::get;
use super::url;
use crate::error::CloudError;
use crate::error::CloudResult;
use crate::model::Fetched;
use crate::model::SourceFile;
use crate::session;
use crate::session::ApiRequest;
use crate::session::Session;

/// Maximum number of rows of a sheet.
const MAX_ROWS: u64 = 200_000;
/// Maximum number of columns of a sheet.
const MAX_COLUMNS: usize = 2_000;
/// Maximum number of pages of a sheet.
const MAX_PAGES: u64 = 4_000;
/// Maximum size of a page in bytes.
const MAX_PAGE_BYTES: u64 = 32 << 20;
/// Number of rows of the first page. It tells how large the rows are.
const FIRST_PAGE_ROWS: usize = 500;
/// Maximum number of rows of a page.
const MAX_PAGE_ROWS: usize = 10_000;
/// Size that pages should have in bytes.
const WANTED_PAGE_BYTES: usize = 8 << 20;
/// How often to read a sheet that changes while it is read.
const MAX_ATTEMPTS: usize = 3;

/// The version of a sheet.
#[derive(Deserialize)]
struct Version {
    version: u64,
}

/// A page of a sheet.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SheetPage {
    name: String,
    version: u64,
    total_row_count: u64,
    columns: Vec<Column>,
    #[serde(default)]
    rows: Vec<Row>,
}

/// A column.
#[derive(Deserialize)]
struct Column {
    id: u64,
    title: String,
    /// Position, from 0 on.
    #[serde(default)]
    index: u64,
    #[serde(rename = "type", default)]
    kind: String,
}

/// A row.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// Position, from 1 on.
    row_number: u64,
    #[serde(default)]
    cells: Vec<Cell>,
}

/// A cell.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cell {
    column_id: u64,
    #[serde(default)]
    value: Value,
    /// Text that the sheet shows. Dates and checkboxes have none.
    #[serde(default)]
    display_value: Option<String>,
}

/// Downloads a sheet, unless it still has the version `known`. All pages are of the same version.
pub(super) fn fetch_sheet(
    session: &Session<'_>,
    sheet: u64,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    if let Some(known) = known {
        let current: Version = get(session, &format!("sheets/{sheet}/version"))?;
        if known == current.version.to_string() {
            return Ok(Fetched::NotModified);
        }
    }
    for _ in 0..MAX_ATTEMPTS {
        if let Some(file) = read_sheet(session, sheet)? {
            return Ok(Fetched::File(file));
        }
    }
    Err(CloudError::Busy { retry_after: None })
}

/// Reads all pages of a sheet. Returns None if the sheet was changed meanwhile.
fn read_sheet(session: &Session<'_>, sheet: u64) -> CloudResult<Option<SourceFile>> {
    let (first, bytes) = request_page(session, sheet, 1, FIRST_PAGE_ROWS)?;
    if first.total_row_count > MAX_ROWS || first.columns.len() > MAX_COLUMNS {
        return Err(CloudError::TooLarge);
    }
    let (version, total) = (first.version, first.total_row_count);
    let mut table = Table::new(&first, session.deadline)?;
    let row_bytes = bytes / first.rows.len().max(1) + 1;
    let page_rows = (WANTED_PAGE_BYTES / row_bytes).clamp(FIRST_PAGE_ROWS, MAX_PAGE_ROWS);
    let is_complete = first.total_row_count <= to_u64(first.rows.len());
    let mut page = first;
    if !is_complete && page_rows != FIRST_PAGE_ROWS {
        (page, _) = request_page(session, sheet, 1, page_rows)?;
    }
    for number in 2..=MAX_PAGES {
        if page.version != version || page.total_row_count != total {
            return Ok(None);
        }
        let has_rows = !page.rows.is_empty();
        for row in page.rows {
            table.add_row(row)?;
        }
        if table.rows >= total {
            return table.finish(sheet, page.name, version).map(Some);
        }
        if !has_rows {
            break;
        }
        (page, _) = request_page(session, sheet, number, page_rows)?;
    }
    Err(CloudError::Unreadable)
}

/// Requests a page of a sheet. Returns it with its size in bytes.
fn request_page(
    session: &Session<'_>,
    sheet: u64,
    number: u64,
    rows: usize,
) -> CloudResult<(SheetPage, usize)> {
    let query = format!("level=2&exclude=nonexistentCells&page={number}&pageSize={rows}");
    let url = url(session, &format!("sheets/{sheet}?{query}"));
    let request = ApiRequest { max_bytes: MAX_PAGE_BYTES, ..ApiRequest::get(&url) };
    let response = session.send(&request, classify)?;
    Ok((session::parse_json(&response)?, response.body.len()))
}

/// Converts a number of elements. `usize` has at most 64 bits.
fn to_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The JSON text of a table: an array of arrays, the first of which has the titles of the columns.
struct Table {
    text: RemoteBody,
    /// End of the work, until which the text waits for memory.
    deadline: Deadline,
    /// Position of each column by its id.
    positions: HashMap<u64, usize>,
    /// Whether each column has dates, in the order of the columns.
    has_dates: Vec<bool>,
    /// Number of rows without the titles.
    rows: u64,
    /// Number of the last row.
    last_number: u64,
}

impl Table {
    /// Starts a table with the titles of the columns.
    fn new(page: &SheetPage, deadline: Deadline) -> CloudResult<Self> {
        let mut columns: Vec<&Column> = page.columns.iter().collect();
        columns.sort_by_key(|column| column.index);
        let positions = columns.iter().enumerate();
        let positions = positions.map(|(position, column)| (column.id, position)).collect();
        let has_dates = columns.iter().map(|column| column.kind.contains("DATE")).collect();
        let titles = columns.iter().map(|column| Value::from(column.title.as_str()));
        let text = RemoteBody::default();
        let mut table = Self { text, deadline, positions, has_dates, rows: 0, last_number: 0 };
        table.push(b'[', &titles.collect::<Vec<Value>>())?;
        Ok(table)
    }

    /// Appends a byte and an array.
    fn push(&mut self, first: u8, cells: &[Value]) -> CloudResult<()> {
        let mut text = vec![first];
        serde_json::to_writer(&mut text, cells).map_err(|_| CloudError::Unreadable)?;
        self.text.append(&text, self.deadline)?;
        match to_u64(self.text.len()) < MAX_DOWNLOAD_BYTES {
            true => Ok(()),
            false => Err(CloudError::TooLarge),
        }
    }

    /// Adds a row. A row that was read before is an error.
    fn add_row(&mut self, row: Row) -> CloudResult<()> {
        if row.row_number <= self.last_number {
            return Err(CloudError::Unreadable);
        }
        if self.rows >= MAX_ROWS {
            return Err(CloudError::TooLarge);
        }
        self.last_number = row.row_number;
        self.rows += 1;
        let mut cells = vec![Value::from(""); self.has_dates.len()];
        for cell in row.cells {
            let position = self.positions.get(&cell.column_id).copied();
            let Some(position) = position else { continue };
            let has_dates = self.has_dates.get(position).copied().unwrap_or_default();
            if let Some(target) = cells.get_mut(position) {
                *target = convert_cell(cell, has_dates);
            }
        }
        self.push(b',', &cells)
    }

    /// Ends the table.
    fn finish(mut self, sheet: u64, name: String, version: u64) -> CloudResult<SourceFile> {
        self.text.append(b"]", self.deadline)?;
        Ok(SourceFile {
            bytes: self.text,
            media_type: Some("application/json".to_owned()),
            revision: Some(version.to_string()),
            sheet: Some((sheet.to_string(), name)),
            renumbers_sheets: false,
            has_fixed_headers: true,
        })
    }
}

/// Converts a cell: numbers stay numbers, checkboxes become `TRUE` or `FALSE`, and dates stay in their
/// ISO form. Other cells become the text that the sheet shows, for example the name of a contact in
/// place of the email address.
fn convert_cell(cell: Cell, has_dates: bool) -> Value {
    match (cell.value, cell.display_value) {
        (Value::Number(number), _) => Value::Number(number),
        (Value::Bool(true), _) => "TRUE".into(),
        (Value::Bool(false), _) => "FALSE".into(),
        (Value::String(text), None) => text.into(),
        (Value::String(text), Some(_)) if has_dates => text.into(),
        (_, display) => display.unwrap_or_default().into(),
    }
}
