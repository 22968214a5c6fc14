//! The cells of a table while its file is read.

use super::cell_grid::Cell;
use super::cell_grid::CellGrid;
use super::cell_grid::CellKind;
use super::cell_grid::GridBuilder;
use super::cell_sink::CellSink;
use super::cell_sink::DateText;
use super::cell_sink::MergedRange;
use super::limits::Limits;
use super::limits::body_error;
use super::number_format::CellFormat;
use super::number_format::NumberFormat;
use super::report::TableFormat;
use super::report::TableReport;
use super::serial_date;
use super::sheet_list::SheetEntry;
use super::table::Table;
use super::text_options::TextOptions;
use chartroom_platform::error::Result;

/// Maximum length of an error value in a report.
const MAX_ERROR_CHARACTERS: usize = 40;

/// Receives the cells of a worksheet, a table in HTML or JSON in any order. Rows and columns start at 0.
/// The `push_…` functions ignore blank cells, and fail like [`GridBuilder::push`].
pub(super) struct SheetCells {
    grid: GridBuilder,
    report: TableReport,
    limits: Limits,
}

impl SheetCells {
    /// Creates a worksheet without cells. `is_1904` tells whether dates count from 1904 instead of
    /// 1900.
    pub fn new(format: TableFormat, limits: Limits, is_1904: bool) -> Self {
        let report = TableReport { is_1904, ..TableReport::new(format) };
        Self { grid: GridBuilder::new(limits), report, limits }
    }

    /// Sets the names of the other visible worksheets in the report.
    pub fn set_other_sheets(&mut self, names: Vec<String>) {
        self.report.other_sheets = names;
    }

    /// Sets the name of the character encoding in the report.
    pub fn set_encoding(&mut self, encoding: &'static str) {
        self.report.encoding = Some(encoding);
    }

    /// Returns the number of cells added so far that are not blank. Two cells at one address count
    /// twice.
    pub fn len(&self) -> usize {
        self.grid.len()
    }

    /// Adds a whole number, given in JSON syntax so that it keeps all digits.
    pub fn push_integer(&mut self, row: u32, column: u32, text: &str) -> Result<()> {
        self.grid.push(row, column, Cell { text, kind: CellKind::Number })
    }

    /// Returns all cells in the order of rows and columns.
    ///
    /// # Errors
    /// The errors of [`GridBuilder::finish`].
    pub fn into_grid(self) -> Result<CellGrid> {
        self.grid.finish()
    }

    /// Builds the table from all cells, see [`Table::from_grid`].
    ///
    /// # Errors
    /// The errors of [`GridBuilder::finish`] and [`Table::from_grid`]. The
    /// error about an empty worksheet names the other ones.
    pub fn finish<'a>(self, options: TextOptions) -> Result<Table<'a>> {
        if let (0, Some(sheet)) = (self.grid.len(), &self.report.sheet) {
            let others: Vec<String> =
                self.report.other_sheets.iter().map(|name| format!("{name:?}")).collect();
            let message = match others.is_empty() {
                true => format!("has no cells in worksheet {sheet:?}"),
                false => format!(
                    "has no cells in worksheet {sheet:?}; choose another one with the parameter sheet: {}",
                    others.join(", ")
                ),
            };
            return Err(body_error(message));
        }
        Table::from_grid(self.grid.finish()?, self.report, self.limits, options)
    }
}

impl CellSink for SheetCells {
    /// Sets the name of the worksheet in the report.
    fn start_sheet(&mut self, sheet: &SheetEntry) -> Result<()> {
        self.report.sheet = Some(sheet.name.clone());
        Ok(())
    }

    /// Adds a text. Its kind is a text even if it looks like a number. The check of its column may
    /// still read it as one later.
    fn push_text(&mut self, row: u32, column: u32, text: &str) -> Result<()> {
        self.grid.push(row, column, Cell::from_text(text))
    }

    /// Adds a number, which `format` may turn into a date, a duration, a percentage or an amount of
    /// money. A share of 1 becomes a percentage, 45 for 0.45. A positive number keeps the plus sign of its
    /// format. A date or duration out of range stays a number. A number that is not finite becomes a
    /// problem, and its cell is empty.
    fn push_number(
        &mut self,
        row: u32,
        column: u32,
        number: f64,
        format: CellFormat<'_>,
    ) -> Result<()> {
        let date = match format.meaning {
            NumberFormat::Number | NumberFormat::Percentage | NumberFormat::Currency(_) => None,
            NumberFormat::Date => serial_date::format_date(number, self.report.is_1904),
            NumberFormat::Duration => serial_date::format_duration(number),
        };
        if let Some(text) = date {
            return self.grid.push(row, column, Cell { text: &text, kind: CellKind::Date });
        }
        let (number, kind) = match format.meaning {
            NumberFormat::Percentage => (to_percentage(number), CellKind::Percentage),
            NumberFormat::Currency(currency) => (number, CellKind::Currency(currency)),
            _ => (number, CellKind::Number),
        };
        match serde_json::Number::from_f64(number) {
            Some(json) => {
                let text = json.to_string();
                let text = text.strip_suffix(".0").unwrap_or(&text);
                let sign = if format.has_plus_sign && number > 0.0 { "+" } else { "" };
                self.grid.push(row, column, Cell { text: &format!("{sign}{text}"), kind })
            }
            None => {
                self.report.add_problem(
                    row,
                    column,
                    "is not a finite number; left empty".to_owned(),
                );
                Ok(())
            }
        }
    }

    /// Adds the date in ISO 8601.
    fn push_date(&mut self, row: u32, column: u32, date: DateText<'_>) -> Result<()> {
        self.grid.push(row, column, Cell { text: date.iso, kind: CellKind::Date })
    }

    /// Adds a boolean as the text `TRUE` or `FALSE`.
    fn push_boolean(&mut self, row: u32, column: u32, value: bool) -> Result<()> {
        let text = if value { "TRUE" } else { "FALSE" };
        self.grid.push(row, column, Cell { text, kind: CellKind::Boolean })
    }

    /// Reports the error as a problem, shortened to `MAX_ERROR_CHARACTERS`. Adds no cell, so that it
    /// stays empty.
    fn push_error(&mut self, row: u32, column: u32, text: &str) -> Result<()> {
        let text: String = text.trim().chars().take(MAX_ERROR_CHARACTERS).collect();
        self.report.add_problem(row, column, format!("contains the error {text}; left empty"));
        Ok(())
    }

    /// Returns false: cells below a merged one are empty unless a program wrote hidden values, which a
    /// table may keep.
    fn needs_merged_ranges(&self) -> bool {
        false
    }

    /// Does nothing.
    fn merge(&mut self, _: MergedRange) -> Result<()> {
        Ok(())
    }
}

/// Converts a share of 1 to a percentage, 0.45 to 45. Rounds to 15 significant digits, which removes
/// digits that only binary rounding adds.
fn to_percentage(share: f64) -> f64 {
    format!("{:.14e}", share * 100.0).parse().unwrap_or(share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::column_content::CellContent;
    use crate::features::table_reader::column_content::push_cell;
    use crate::features::table_reader::column_content::text_in_notation;
    use crate::features::table_reader::number_format::CellFormats;
    use chartroom_charts::number_text::DecimalSeparator;
    use chartroom_charts::number_text::NumberNotation;

    #[test]
    fn positive_numbers_keep_the_plus_sign_of_their_format() {
        let mut formats = CellFormats::default();
        for (id, code) in [(200, "+0.0%;-0.0%;0.0%"), (201, "+#,##0;-#,##0"), (202, "\"+\"0.00 €")]
        {
            formats.add_code(id, code);
            formats.add_cell_format(id).unwrap();
        }
        let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
        let mut cells = SheetCells::new(TableFormat::Xlsx, limits, false);
        for (column, heading) in (0..).zip(["Share", "Change", "Amount"]) {
            cells.push_text(0, column, heading).unwrap();
            for (row, number) in (1..).zip([0.028, -0.013, 0.0]) {
                cells.push_number(row, column, number, formats.get(column as usize)).unwrap();
            }
        }
        let table = cells.finish(TextOptions::default()).unwrap();
        let mut rows = table.rows().unwrap();
        let mut read_row = || {
            let row = rows.next_row().unwrap().unwrap();
            let notation = NumberNotation::new(DecimalSeparator::Point);
            [0, 1, 2].map(|index| text_in_notation(row.cell(index), notation).into_owned())
        };
        assert_eq!(read_row(), ["+2.8%", "+0.028", "+0.028 €"]);
        assert_eq!(read_row(), ["-1.3%", "-0.013", "-0.013 €"]);
        assert_eq!(read_row(), ["0%", "0", "0 €"]);
        let mut json = String::new();
        let cell = Cell { text: "+2.8", kind: CellKind::Percentage };
        push_cell(&mut json, cell, None, &CellContent::Texts);
        assert_eq!(json, "2.8");
    }

    #[test]
    fn unformatted_days_count_from_the_year_of_the_workbook() {
        let read = |is_1904| {
            let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
            let mut cells = SheetCells::new(TableFormat::Xlsx, limits, is_1904);
            cells.push_text(0, 0, "Date").unwrap();
            cells.push_number(1, 0, 44_000.0, CellFormat::default()).unwrap();
            let table = cells.finish(TextOptions::default()).unwrap();
            let mut rows = table.rows().unwrap();
            let date = rows.next_row().unwrap().unwrap().cell(0).text.to_owned();
            (date, table.report.problems[0].message.clone())
        };
        let message = |date| format!("has numbers that are read as dates: 44000 is {date}");
        assert_eq!(read(false), ("2020-06-18".to_owned(), message("2020-06-18")));
        assert_eq!(read(true), ("2024-06-19".to_owned(), message("2024-06-19")));
    }
}
