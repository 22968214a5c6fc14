//! Reader of OpenDocument spreadsheets (ods), as a stream. Repeated cells and rows count
//! as often as they are repeated, so that a short file cannot become a large table.

use std::collections::HashSet;

use super::currency_format::CurrencyFormat;
use super::limits::Limits;
use super::limits::MAX_CELL_CHARACTERS;
use super::limits::MAX_CELLS;
use super::limits::body_error;
use super::number_format::NumberFormat;
use super::report::TableFormat;
use super::serial_date;
use super::sheet_cells;
use super::sheet_cells::SheetCells;
use super::sheet_cells::SheetEntry;
use super::table::Table;
use super::xml_reader::XmlElement;
use super::xml_reader::XmlNode;
use super::xml_reader::XmlReader;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// Part with all worksheets.
pub(super) const CONTENT_PATH: &str = "content.xml";
/// Maximum number of styles of hidden worksheets.
const MAX_HIDDEN_STYLES: usize = 1000;

/// Reads the worksheet with the name `sheet`, or the first visible one if None, into a table.
///
/// # Errors
/// `InvalidFields` about `body`, `data` or `sheet`.
pub(super) fn read<'a>(
    archive: &ZipArchive<'_>,
    sheet: Option<&str>,
    limits: Limits,
) -> Result<Table<'a>> {
    let sheets = list_sheets(archive)?;
    let (sheet, others) = sheet_cells::choose_sheet(sheets, sheet)?;
    let mut cells = SheetCells::new(TableFormat::Ods, limits, false);
    cells.set_sheet(sheet.name, others);
    let mut reader = XmlReader::new(archive.require_part(CONTENT_PATH)?);
    let mut index = 0;
    loop {
        match reader.next()? {
            XmlNode::Start(element) if element.name() == "table" => {
                if index == sheet.place {
                    SheetReader { reader, cells: &mut cells }.read()?;
                    return cells.finish();
                }
                index += 1;
                skip_element(&mut reader)?;
            }
            XmlNode::Eof => return cells.finish(),
            _ => {}
        }
    }
}

/// Lists all worksheets in their order in the file. `place` is the index from 0. A worksheet is hidden
/// if its style has `table:display="false"`.
fn list_sheets(archive: &ZipArchive<'_>) -> Result<Vec<SheetEntry<usize>>> {
    let mut reader = XmlReader::new(archive.require_part(CONTENT_PATH)?);
    let mut sheets = Vec::new();
    let mut hidden_styles = HashSet::new();
    let mut style = String::new();
    let mut has_spreadsheet = false;
    loop {
        match reader.next()? {
            XmlNode::Start(element) => match element.name() {
                "style" => style = element.attribute("style:name").unwrap_or_default().into_owned(),
                "table-properties" => {
                    let display = element.attribute("table:display").unwrap_or_default();
                    if display == "false" && hidden_styles.len() < MAX_HIDDEN_STYLES {
                        hidden_styles.insert(style.clone());
                    }
                }
                "spreadsheet" => has_spreadsheet = true,
                "table" => {
                    let style = element.attribute("table:style-name").unwrap_or_default();
                    let sheet = SheetEntry {
                        name: element.attribute("table:name").unwrap_or_default().into_owned(),
                        is_hidden: hidden_styles.contains(&*style),
                        place: sheets.len(),
                    };
                    sheet_cells::add_sheet(&mut sheets, sheet)?;
                    skip_element(&mut reader)?;
                }
                _ => {}
            },
            XmlNode::Eof if has_spreadsheet => return Ok(sheets),
            XmlNode::Eof => return Err(body_error("is not a spreadsheet")),
            _ => {}
        }
    }
}

/// Reads past the end of the element that started last, with all elements in it. Returns without error
/// if the part ends earlier.
fn skip_element(reader: &mut XmlReader<'_>) -> Result<()> {
    let mut open = 1;
    while open > 0 {
        match reader.next()? {
            XmlNode::Start(_) => open += 1,
            XmlNode::End(_) => open -= 1,
            XmlNode::Eof => return Ok(()),
            _ => {}
        }
    }
    Ok(())
}

/// Reads the rows of one worksheet.
struct SheetReader<'a, 'b> {
    reader: XmlReader<'a>,
    cells: &'b mut SheetCells,
}

/// Content of a cell.
#[derive(Debug, Clone, Default)]
struct CellValue {
    /// Attribute `office:value-type`.
    kind: String,
    /// Value as an attribute.
    value: String,
    /// Attribute `office:currency`, such as `EUR`. Empty without it.
    currency: String,
    is_error: bool,
    /// Paragraphs, joined by line breaks.
    text: String,
    column: u32,
    /// Number of equal cells.
    repeated: u32,
}

impl CellValue {
    /// Returns whether the cell has neither a value attribute nor a text other than whitespace.
    fn is_empty(&self) -> bool {
        self.value.is_empty() && self.text.trim().is_empty()
    }

    /// Returns the currency in the displayed text, or else the one of the attribute `office:currency`,
    /// shown after the number. None without a known currency.
    fn find_currency(&self) -> Option<CurrencyFormat> {
        let shown = CurrencyFormat::find_in_text(&self.text);
        shown.or_else(|| CurrencyFormat::find("", &format!(" {}", self.currency)))
    }
}

impl SheetReader<'_, '_> {
    /// Adds the cells of the current worksheet to `cells`, up to the end of the worksheet. Ignores
    /// covered cells, which are hidden below a merged one. A repeated row or cell is added as often as
    /// it is repeated, unless it is empty.
    fn read(mut self) -> Result<()> {
        let (mut row, mut next_row) = (0u32, 0u32);
        let mut column = 0u32;
        let mut repeated_rows = 1;
        // Cells of the open row that are not empty.
        let mut values: Vec<CellValue> = Vec::new();
        let mut count = 0usize;
        loop {
            match self.reader.next()? {
                XmlNode::Start(element) => match element.name() {
                    "table-row" => {
                        repeated_rows = read_count(&element, "table:number-rows-repeated");
                        (row, column) = (next_row, 0);
                        next_row = row.saturating_add(repeated_rows);
                    }
                    "table-cell" | "covered-table-cell" => {
                        // A cell below a merged one may keep its old content, which nobody sees.
                        let is_covered = element.name() == "covered-table-cell";
                        let mut value = CellValue::from_element(&element, column);
                        column = column.saturating_add(value.repeated);
                        self.read_text(&mut value.text)?;
                        if !is_covered && !value.is_empty() {
                            count = count.saturating_add(value.repeated as usize);
                            check_cell_count(count)?;
                            values.push(value);
                        }
                    }
                    // Groups of rows and of columns only surround rows.
                    "table-row-group" | "table-rows" | "table-header-rows" => {}
                    _ => skip_element(&mut self.reader)?,
                },
                XmlNode::End(element) => match element.name() {
                    "table-row" => {
                        check_cell_count(count.saturating_mul(repeated_rows as usize))?;
                        for index in 0..if values.is_empty() { 0 } else { repeated_rows } {
                            self.push_row(row.saturating_add(index), &values)?;
                        }
                        values.clear();
                        count = 0;
                    }
                    "table" => return Ok(()),
                    _ => {}
                },
                XmlNode::Eof => return Ok(()),
                _ => {}
            }
        }
    }

    /// Adds the cells of the row with the index `row`, from 0, each in as many columns as it is
    /// repeated.
    fn push_row(&mut self, row: u32, values: &[CellValue]) -> Result<()> {
        for value in values {
            for index in 0..value.repeated {
                self.push_cell(row, value.column.saturating_add(index), value)?;
            }
        }
        Ok(())
    }

    /// Adds one cell at an index of row and column, from 0. A number, boolean, date or duration comes
    /// from the attribute with the value. Other cells, and those with an invalid value, become texts:
    /// the displayed text, or else the value. An error is only reported as a problem.
    fn push_cell(&mut self, row: u32, column: u32, cell: &CellValue) -> Result<()> {
        let CellValue { kind, value, text, .. } = cell;
        if cell.is_error {
            self.cells.add_error(row, column, text);
            return Ok(());
        }
        let date = match &**kind {
            "float" | "percentage" | "currency" => {
                let format = match &**kind {
                    "percentage" => NumberFormat::Percentage,
                    _ => cell.find_currency().map_or(NumberFormat::Number, NumberFormat::Currency),
                };
                if let Ok(number) = value.parse() {
                    return self.cells.push_number(row, column, number, format);
                }
                None
            }
            "boolean" => return self.cells.push_boolean(row, column, value == "true"),
            "date" => serial_date::shorten_iso_date(value),
            "time" => serial_date::format_iso_duration(value),
            _ => None,
        };
        match date {
            Some(date) => self.cells.push_date(row, column, &date),
            None if text.trim().is_empty() => self.cells.push_text(row, column, value),
            None => self.cells.push_text(row, column, text),
        }
    }

    /// Reads up to the end of the cell that started last, and appends the text of its paragraphs to
    /// `text`, joined by line breaks. Skips comments, images and tables within the cell.
    fn read_text(&mut self, text: &mut String) -> Result<()> {
        // Open elements within the cell.
        let mut open = 0usize;
        let mut in_paragraph = false;
        loop {
            match self.reader.next()? {
                XmlNode::Start(element) => match element.name() {
                    "p" if !in_paragraph => {
                        if !text.is_empty() {
                            text.push('\n');
                        }
                        in_paragraph = true;
                        open += 1;
                    }
                    "s" => {
                        let count = read_count(&element, "text:c") as usize;
                        text.extend(std::iter::repeat_n(' ', count.min(MAX_CELL_CHARACTERS)));
                        open += 1;
                    }
                    "tab" => {
                        text.push('\t');
                        open += 1;
                    }
                    "line-break" => {
                        text.push('\n');
                        open += 1;
                    }
                    "span" | "a" => open += 1,
                    _ => skip_element(&mut self.reader)?,
                },
                XmlNode::End(element) => {
                    if open == 0 {
                        return Ok(());
                    }
                    open -= 1;
                    in_paragraph = in_paragraph && element.name() != "p";
                }
                XmlNode::Text(part) if in_paragraph => text.push_str(&part),
                XmlNode::Eof => return Ok(()),
                _ => {}
            }
            if text.len() > 4 * MAX_CELL_CHARACTERS {
                let message = format!("has a cell of more than {MAX_CELL_CHARACTERS} characters");
                return Err(body_error(message));
            }
        }
    }
}

impl CellValue {
    /// Reads the attributes of a cell. `text` stays empty, because it follows the attributes. `column`
    /// is the index of the first column that the cell fills, from 0. An absent attribute gives an empty
    /// string.
    fn from_element(element: &XmlElement<'_>, column: u32) -> Self {
        let attribute = |name| element.attribute(name).map(|value| value.into_owned());
        let kind = attribute("office:value-type").unwrap_or_default();
        let value = match &*kind {
            "date" => attribute("office:date-value"),
            "time" => attribute("office:time-value"),
            "boolean" => attribute("office:boolean-value"),
            "string" => attribute("office:string-value"),
            _ => attribute("office:value"),
        };
        Self {
            kind,
            value: value.unwrap_or_default(),
            currency: attribute("office:currency").unwrap_or_default(),
            is_error: attribute("calcext:value-type").is_some_and(|kind| kind == "error"),
            text: String::new(),
            column,
            repeated: read_count(element, "table:number-columns-repeated"),
        }
    }
}

/// Returns the value of an attribute that counts repetitions, at least 1. It is 1 if the attribute is
/// absent or invalid.
fn read_count(element: &XmlElement<'_>, name: &str) -> u32 {
    let count = element.attribute(name).and_then(|count| count.parse().ok());
    count.unwrap_or(1).max(1)
}

/// Checks that `count`, the number of cells of a row with its repetitions, is at most `MAX_CELLS`.
///
/// # Errors
/// `InvalidFields` about `body` if there are too many.
fn check_cell_count(count: usize) -> Result<()> {
    if count > MAX_CELLS {
        return Err(body_error(format!("has more than {MAX_CELLS} cells")));
    }
    Ok(())
}
