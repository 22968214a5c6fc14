//! Reading of the worksheets of a file as a spreadsheet program shows them.
//!
//! Unlike [`super::read`], keeps all rows and columns from A1 on, also hidden ones, and does not look for
//! headings. Hidden worksheets are left out unless all are hidden, and sheets with only a chart always.

use super::cell_grid::CellGrid;
use super::cell_grid::CellKind;
use super::cell_sink::CellSink;
use super::compound_file::OLE_MARK;
use super::csv_rows::CsvRows;
use super::html_table;
use super::json_table;
use super::layout::CsvLayout;
use super::limits::Limits;
use super::limits::MAX_WORKSHEET_CELLS;
use super::limits::MAX_WORKSHEET_COLUMNS;
use super::limits::body_error;
use super::read;
use super::read::ReadOptions;
use super::read::TextContent;
use super::sheet_list;
use super::sheet_list::SheetChoice;
use super::sheet_list::SheetEntry;
use super::sheet_list::TEXT_SHEET_ID;
use super::sheet_list::TEXT_SHEET_NAME;
use super::spreadsheet::Spreadsheet;
use super::table;
use super::text_numbers;
use super::text_options::TextOptions;
use super::worksheet::SheetName;
use super::worksheet::Workbook;
use super::worksheet::Worksheet;
use super::worksheet::WorksheetCell;
use super::worksheet_cells::WorksheetCells;
use super::zip_archive::ZIP_MARK;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Selection of the worksheets to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SheetSelection<'a> {
    One(SheetChoice<'a>),
    /// All visible worksheets in order.
    All,
}

/// Reads the names of the worksheets, but not their cells. Decompresses the whole content of an ods file,
/// because its worksheets are in one part. `options` decides only about ids and the format of a text file.
///
/// # Errors
/// `InvalidFields` about `body` if the bytes are no table or exceed a limit.
pub fn read_workbook(bytes: &[u8], options: &ReadOptions<'_>, limits: Limits) -> Result<Workbook> {
    if let Some(spreadsheet) = Spreadsheet::open(bytes, options.ids_are_names, limits)? {
        let name = |sheet: SheetEntry| SheetName { id: sheet.id, name: sheet.name };
        let sheets = spreadsheet.sheets.into_iter().map(name).collect();
        return Ok(Workbook { sheets, is_static: false });
    }
    TextContent::decode(bytes, options)?;
    let sheet = SheetName { id: TEXT_SHEET_ID.to_owned(), name: TEXT_SHEET_NAME.to_owned() };
    Ok(Workbook { sheets: vec![sheet], is_static: true })
}

/// Reads one worksheet. `options` decides only about ids, and the format and the encoding of a text file,
/// because `choice` replaces its worksheet.
///
/// # Errors
/// `InvalidFields` about `body` if the bytes are no table or exceed a limit, and about `sheet` or
/// `sheet_id` if there is no such visible worksheet.
pub fn read_worksheet(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    choice: SheetChoice<'_>,
    limits: Limits,
) -> Result<Worksheet> {
    let mut sheets = read_selection(bytes, options, SheetSelection::One(choice), limits)?;
    sheets.pop().ok_or_else(|| Error::internal("the chosen worksheet was not read"))
}

/// Reads all visible worksheets in order. The limits of cells and text apply to all of them together.
///
/// # Errors
/// `InvalidFields` about `body` if the bytes are no table or exceed a limit.
pub fn read_worksheets(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    limits: Limits,
) -> Result<Vec<Worksheet>> {
    read_selection(bytes, options, SheetSelection::All, limits)
}

/// Reads the selected worksheets in order.
///
/// # Errors
/// Those of [`read_worksheet`].
pub(super) fn read_selection(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    selection: SheetSelection<'_>,
    limits: Limits,
) -> Result<Vec<Worksheet>> {
    if let Some(spreadsheet) = Spreadsheet::open(bytes, options.ids_are_names, limits)? {
        let sheets = match selection {
            SheetSelection::All => &*spreadsheet.sheets,
            SheetSelection::One(choice) => {
                let index = sheet_list::find_sheet(&spreadsheet.sheets, choice)?;
                &spreadsheet.sheets[index..=index]
            }
        };
        let mut cells = WorksheetCells::new(limits, spreadsheet.is_1904());
        spreadsheet.read_sheets(sheets, &mut cells)?;
        return Ok(cells.finish());
    }
    if let SheetSelection::One(choice) = selection {
        sheet_list::check_text_sheet(choice)?;
    }
    let mut cells = WorksheetCells::new(limits, false);
    cells.start_sheet(&SheetEntry {
        id: TEXT_SHEET_ID.to_owned(),
        name: TEXT_SHEET_NAME.to_owned(),
        is_hidden: false,
        number: 0,
        place: 0,
    })?;
    let (has_numbers, accepts_comma) = match TextContent::decode(bytes, options)? {
        TextContent::Json => {
            push_grid(&json_table::read_cells(bytes, limits)?.into_grid()?, &mut cells)?;
            (true, false)
        }
        TextContent::Html { text, .. } => {
            push_grid(&html_table::read_cells(&text, limits)?.into_grid()?, &mut cells)?;
            (false, false)
        }
        TextContent::Csv { text, delimiter, .. } => {
            let options = TextOptions { delimiter, ..options.text_options() };
            (false, push_csv(&text, &mut cells, options)? == b';')
        }
    };
    let mut sheets = cells.finish();
    if let (false, Some(sheet)) = (has_numbers, sheets.first_mut()) {
        text_numbers::replace_numbers(&mut sheet.rows, accepts_comma);
    }
    Ok(sheets)
}

/// Adds the rows of CSV text, without whitespace around the cells, and returns the separator. A blank
/// line is an empty row.
///
/// # Errors
/// `InvalidFields` about `body` if a quoted cell does not end, and beyond a limit.
fn push_csv(text: &str, cells: &mut WorksheetCells, options: TextOptions) -> Result<u8> {
    let CsvLayout { delimiter, .. } = CsvLayout::detect(text, MAX_WORKSHEET_COLUMNS, options);
    table::check_quotes(text, delimiter)?;
    let mut rows = CsvRows::new(text, delimiter, MAX_WORKSHEET_COLUMNS);
    let mut row_index = 0;
    loop {
        row_index += u32::try_from(rows.count_blank_lines()).unwrap_or(u32::MAX);
        let too_many = |_| body_error(format!("has more than {MAX_WORKSHEET_COLUMNS} columns"));
        let Some(row) = rows.next_row().map_err(too_many)? else { return Ok(delimiter) };
        for (column, cell) in (0..).zip(row.cells()) {
            cells.push_text(row_index, column, cell)?;
        }
        row_index = row_index.saturating_add(1);
    }
}

/// Adds the cells of a table in JSON or HTML.
///
/// # Errors
/// `InvalidFields` about `body` beyond a limit.
fn push_grid(grid: &CellGrid, cells: &mut WorksheetCells) -> Result<()> {
    for row in grid.rows() {
        for column in row.filled_columns() {
            let cell = row.cell(column);
            let column = u32::from(grid.first_column()).saturating_add(column as u32);
            let row = row.number() - 1;
            let number = match cell.kind {
                CellKind::Number => cell.text.parse::<serde_json::Number>().ok(),
                _ => None,
            };
            match number {
                Some(number) => cells.place(row, column, WorksheetCell::Number(number), 0)?,
                None => cells.push_text(row, column, cell.text)?,
            }
        }
    }
    Ok(())
}

/// Size of a cell in bytes, with a quarter more for rows that grow.
const CELL_BYTES: u64 = 30;
/// Memory of a short text in bytes besides its length.
const TEXT_BYTES: u64 = 16;
/// Memory of a row without cells in bytes, while the list of rows grows.
const ROW_BYTES: u64 = 72;
/// Minimum size of a stored cell in bytes in a spreadsheet file.
const MIN_STORED_BYTES: u64 = 10;
/// Maximum memory of the shared texts of a workbook in bytes, while the buffers grow.
const MAX_SHARED_BYTES: u64 = 120 << 20;

/// Returns an upper bound of the memory in bytes that the worksheets of a file take while they are read,
/// without reading them.
///
/// # Errors
/// `InvalidFields` about `body` if a ZIP file has no valid directory.
pub(super) fn estimate_memory(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    limits: Limits,
) -> Result<u64> {
    let length = bytes.len() as u64;
    let max_cells = MAX_WORKSHEET_CELLS as u64;
    let (content, reader) = match bytes {
        _ if bytes.starts_with(ZIP_MARK) => {
            let content = ZipArchive::open(bytes, limits)?.total_bytes();
            (content, (3 * content).min(MAX_SHARED_BYTES))
        }
        // The stream with the records, and the shared texts, while the buffers grow.
        _ if bytes.starts_with(OLE_MARK) => (length, 6 * length),
        _ => {
            let is_grid = read::is_stored_as_cells(bytes, options);
            let reader = if is_grid { 12 * length } else { 3 * length };
            // Two bytes are a cell and a separator.
            let cells = (length / 2).min(max_cells) * (CELL_BYTES + TEXT_BYTES);
            return Ok(reader
                + cells
                + 3 * length
                + length.min(limits.max_rows as u64) * ROW_BYTES);
        }
    };
    // Each stored cell may be the last one of a row with empty cells, and refer to a long text.
    let stored_cells = content / MIN_STORED_BYTES;
    let cells = stored_cells.saturating_mul(MAX_WORKSHEET_COLUMNS as u64).min(max_cells);
    let text = stored_cells.saturating_mul(content).min(limits.max_text_bytes as u64);
    let rows = limits.max_rows as u64 * ROW_BYTES;
    let texts = stored_cells.min(max_cells) * TEXT_BYTES;
    Ok(reader + cells * CELL_BYTES + text + text / 4 + rows + texts)
}
