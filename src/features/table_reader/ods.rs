//! Reader of OpenDocument spreadsheets (ods), as a stream. Repeated cells and rows count
//! as often as they are repeated, so that a short file cannot become a large table.

use std::collections::HashSet;

use super::cell_sink::CellSink;
use super::cell_sink::DateText;
use super::currency_format::CurrencyFormat;
use super::limits::MAX_CELL_CHARACTERS;
use super::limits::MAX_CELLS;
use super::limits::body_error;
use super::number_format::CellFormat;
use super::number_format::NumberFormat;
use super::ods_formats::OdsFormats;
use super::serial_date;
use super::sheet_list;
use super::sheet_list::SheetEntry;
use super::xml_reader::XmlElement;
use super::xml_reader::XmlNode;
use super::xml_reader::XmlReader;
use super::zip_archive::ZipArchive;
use chartroom_platform::error::Result;

/// Part with all worksheets.
pub(super) const CONTENT_PATH: &str = "content.xml";
/// Maximum number of styles of hidden worksheets.
const MAX_HIDDEN_STYLES: usize = 1000;

/// Part with the styles that have names.
const STYLES_PATH: &str = "styles.xml";
/// Maximum number of columns of a worksheet.
const MAX_SHEET_COLUMNS: usize = 16_384;
/// Maximum length of the name of a style in bytes. A longer name counts as absent, because each cell of
/// a row keeps it.
const MAX_STYLE_NAME_BYTES: usize = 255;

/// An open spreadsheet.
pub(super) struct OdsWorkbook<'a> {
    archive: ZipArchive<'a>,
}

impl<'a> OdsWorkbook<'a> {
    /// Creates a reader without reading the spreadsheet.
    pub fn new(archive: ZipArchive<'a>) -> Self {
        Self { archive }
    }

    /// Lists all worksheets in their order in the file. `place` is the index from 0.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is damaged or exceeds a limit.
    pub fn list_sheets(&self) -> Result<Vec<SheetEntry>> {
        list_sheets(&self.archive)
    }

    /// Reads some worksheets in order, in one pass.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the file is damaged, and the errors of `sink`.
    pub fn read_sheets(&self, sheets: &[SheetEntry], sink: &mut dyn CellSink) -> Result<()> {
        let mut formats = OdsFormats::default();
        if let Some(part) = self.archive.open_part(STYLES_PATH)? {
            read_formats(XmlReader::new(part), &mut formats)?;
        }
        let mut reader = XmlReader::new(self.archive.require_part(CONTENT_PATH)?);
        let mut wanted = sheets.iter().peekable();
        let mut index = 0;
        while let Some(sheet) = wanted.peek() {
            let node = reader.next()?;
            match &node {
                XmlNode::Start(element) if element.name() == "table" => {
                    if index == sheet.place {
                        sink.start_sheet(sheet)?;
                        SheetReader::new(&mut reader, &formats, &mut *sink).read()?;
                        wanted.next();
                    } else {
                        skip_element(&mut reader)?;
                    }
                    index += 1;
                }
                XmlNode::Eof => return Ok(()),
                // Styles precede the worksheets.
                node => formats.read_node(node)?,
            }
        }
        Ok(())
    }
}

/// Reads the styles of a part to its end.
fn read_formats(mut reader: XmlReader<'_>, formats: &mut OdsFormats) -> Result<()> {
    loop {
        let node = reader.next()?;
        if matches!(node, XmlNode::Eof) {
            return Ok(());
        }
        formats.read_node(&node)?;
    }
}

/// Lists all worksheets of a spreadsheet in their order, see [`OdsWorkbook::list_sheets`]. A worksheet is
/// hidden if its style has `table:display="false"`.
fn list_sheets(archive: &ZipArchive<'_>) -> Result<Vec<SheetEntry>> {
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
                    let name = element.attribute("table:name").unwrap_or_default().into_owned();
                    let sheet = SheetEntry {
                        id: name.clone(),
                        name,
                        is_hidden: hidden_styles.contains(&*style),
                        number: 0,
                        place: sheets.len(),
                    };
                    sheet_list::add_sheet(&mut sheets, sheet)?;
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
    reader: &'b mut XmlReader<'a>,
    formats: &'b OdsFormats,
    sink: &'b mut dyn CellSink,
    /// Default styles of the columns, each with the column after the last one that has it.
    column_styles: Vec<(u32, String)>,
    /// Default style of the cells of the open row. Empty without one.
    row_style: String,
}

/// Content of a cell.
#[derive(Debug, Clone, Default)]
struct CellValue {
    /// Attribute `office:value-type`.
    kind: String,
    /// Value as an attribute.
    value: String,
    /// Name of the style. Empty without one.
    style: String,
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

impl<'a, 'b> SheetReader<'a, 'b> {
    /// Creates a reader of the worksheet that started last.
    fn new(
        reader: &'b mut XmlReader<'a>,
        formats: &'b OdsFormats,
        sink: &'b mut dyn CellSink,
    ) -> Self {
        Self { reader, formats, sink, column_styles: Vec::new(), row_style: String::new() }
    }

    /// Adds the cells of the current worksheet to the sink, up to the end of the worksheet. Ignores
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
                        self.row_style = read_style(&element, "table:default-cell-style-name");
                    }
                    "table-column" => add_column_style(&mut self.column_styles, &element),
                    "table-cell" | "covered-table-cell" => {
                        // A cell below a merged one may keep its old content, which nobody sees.
                        let is_covered = element.name() == "covered-table-cell";
                        let mut value = CellValue::from_element(&element, column);
                        self.apply_default_style(&mut value);
                        column = column.saturating_add(value.repeated);
                        self.read_text(&mut value.text)?;
                        if !is_covered && !value.is_empty() {
                            count = count.saturating_add(value.repeated as usize);
                            check_cell_count(count)?;
                            check_column_count(values.len())?;
                            values.push(value);
                        }
                    }
                    // Groups of rows and of columns only surround rows.
                    "table-row-group" | "table-rows" | "table-header-rows" => {}
                    "table-column-group" | "table-columns" | "table-header-columns" => {}
                    _ => skip_element(self.reader)?,
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
    /// the displayed text, or else the value.
    fn push_cell(&mut self, row: u32, column: u32, cell: &CellValue) -> Result<()> {
        let CellValue { kind, value, text, .. } = cell;
        if cell.is_error {
            return self.sink.push_error(row, column, text);
        }
        let date = match &**kind {
            "float" | "percentage" | "currency" => {
                let meaning = match &**kind {
                    "percentage" => NumberFormat::Percentage,
                    _ => cell.find_currency().map_or(NumberFormat::Number, NumberFormat::Currency),
                };
                if let Ok(number) = value.parse() {
                    let has_plus_sign = text.trim_start().starts_with('+');
                    let format = CellFormat { has_plus_sign, ..CellFormat::from_meaning(meaning) };
                    return self.sink.push_number(row, column, number, format);
                }
                None
            }
            "boolean" => return self.sink.push_boolean(row, column, value == "true"),
            "date" => serial_date::shorten_iso_date(value),
            "time" => serial_date::format_iso_duration(value),
            _ => None,
        };
        match date {
            Some(iso) => {
                let format = self.formats.get(&cell.style);
                let date = DateText { iso: &iso, displayed: text, format };
                self.sink.push_date(row, column, date)
            }
            None if text.trim().is_empty() => self.sink.push_text(row, column, value),
            None => self.sink.push_text(row, column, text),
        }
    }

    /// Sets the style of a cell without one: that of its row, or else that of its first column.
    fn apply_default_style(&self, cell: &mut CellValue) {
        if cell.style.is_empty() {
            let column = self.column_styles.partition_point(|(end, _)| *end <= cell.column);
            let column_style = self.column_styles.get(column).map(|(_, style)| style);
            let style = Some(&self.row_style).filter(|style| !style.is_empty()).or(column_style);
            cell.style = style.cloned().unwrap_or_default();
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
                    _ => skip_element(self.reader)?,
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
            style: read_style(element, "table:style-name"),
            currency: attribute("office:currency").unwrap_or_default(),
            is_error: attribute("calcext:value-type").is_some_and(|kind| kind == "error"),
            text: String::new(),
            column,
            repeated: read_count(element, "table:number-columns-repeated"),
        }
    }
}

/// Appends the default style of the columns of an element, up to `MAX_SHEET_COLUMNS`.
fn add_column_style(styles: &mut Vec<(u32, String)>, element: &XmlElement<'_>) {
    if styles.len() < MAX_SHEET_COLUMNS {
        let start = styles.last().map_or(0, |(end, _)| *end);
        let end = start.saturating_add(read_count(element, "table:number-columns-repeated"));
        styles.push((end, read_style(element, "table:default-cell-style-name")));
    }
}

/// Returns the name of a style in an attribute. Empty if the attribute is absent or longer than
/// `MAX_STYLE_NAME_BYTES`.
fn read_style(element: &XmlElement<'_>, attribute: &str) -> String {
    let name = element.attribute(attribute).filter(|name| name.len() <= MAX_STYLE_NAME_BYTES);
    name.unwrap_or_default().into_owned()
}

/// Checks that a row with `count` cells that are not empty may have another one.
///
/// # Errors
/// `InvalidFields` about `body` if there are too many.
fn check_column_count(count: usize) -> Result<()> {
    if count == MAX_SHEET_COLUMNS {
        return Err(body_error(format!("has more than {MAX_SHEET_COLUMNS} columns")));
    }
    Ok(())
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
