//! A table that was read from a file: headings, rows, the types of the columns and a report.

use std::borrow::Cow;

use super::cell_grid::Cell;
use super::cell_grid::CellGrid;
use super::cell_grid::CellKind;
use super::cell_grid::GridRow;
use super::column_checks::ColumnChecks;
use super::column_checks::ColumnTypes;
use super::column_content::CellContent;
use super::csv_headings;
use super::csv_headings::CsvHeadings;
use super::csv_rewrite;
use super::csv_rows;
use super::csv_rows::CsvRow;
use super::csv_rows::CsvRows;
use super::csv_rows::TooManyCells;
use super::flags;
use super::grid_headings;
use super::grid_headings::GridHeadings;
use super::headings;
use super::layout;
use super::layout::CsvLayout;
use super::layout::SampleRow;
use super::limits::Limits;
use super::limits::MAX_COLUMNS;
use super::limits::body_error;
use super::report::TableReport;
use super::row_rules::GroupCheck;
use super::row_rules::RowRules;
use super::row_rules::RowTexts;
use super::side_tables;
use super::text_options::TextOptions;
use super::title;
use crate::features::tables;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Result;

/// A validated table, not yet mapped to a chart kind.
///
/// The rows stay in a compact form: CSV text is read again for each use, so
/// that its memory does not depend on the number of its cells.
pub struct Table<'a> {
    /// Headings of the columns. A column may have an empty one.
    pub headings: Vec<String>,
    /// Common type of the cells of each column.
    pub contents: Vec<CellContent>,
    pub report: TableReport,
    /// Decimal separator that the numbers of some columns need, if these agree.
    pub certain_separator: Option<DecimalSeparator>,
    /// Order of day and month in earlier files of the source, or in the language of the document. None if neither is
    /// known.
    pub date_order: Option<DateOrder>,
    rows: StoredRows<'a>,
    /// Whether each column has flags, which the cells of its rows lack.
    has_flags: Vec<bool>,
    rules: RowRules,
}

/// Number of rows that tell which columns have currencies.
const CURRENCY_SAMPLES: usize = 3;

/// The rows of a [`Table`], with the rows above them, which include the headings.
enum StoredRows<'a> {
    Csv { text: Cow<'a, str>, delimiter: u8, rows_above: usize, column_count: usize },
    Grid { grid: CellGrid, first_cell: usize },
}

impl<'a> Table<'a> {
    /// Parses CSV text (RFC 4180) with commas, semicolons, tabs or vertical bars as separators. Trims
    /// headings and cells. Blank rows do not count, and cells missing at the end of a row are empty.
    /// Skips notes with more cells than there are headings.
    ///
    /// Skips titles above the headings, joins two rows of headings, and changes equal headings with a
    /// problem in the report. Without headings, all of them are empty. `options.separator` is the decimal
    /// separator if no cell tells it. If None, it is the comma for text with semicolons, and otherwise the
    /// point. Stops at the first error, so that a table beyond a limit costs no more than one at the limit.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if all headings are empty or one is too long, if there is only one
    /// cell, if a quoted cell does not end, if there are too many columns or cells, if a row has more
    /// cells than there are headings, or after the deadline. `InvalidFields` about `data` if there are too many rows.
    pub(super) fn from_csv(
        text: Cow<'a, str>,
        mut report: TableReport,
        limits: Limits,
        options: TextOptions,
    ) -> Result<Self> {
        let CsvLayout { delimiter, rows_above } = CsvLayout::detect(&text, MAX_COLUMNS, options);
        check_quotes(&text, delimiter)?;
        report.title = read_title(&text, delimiter, rows_above);
        let found = csv_headings::read_headings(&text, delimiter, rows_above, options.heading_row)?;
        let CsvHeadings { mut headings, rows_above, header_row, seem_to_be_record } = found;
        report.set_header_row(header_row, seem_to_be_record);
        let mut rows = CsvRows::new(&text, delimiter, MAX_COLUMNS);
        csv_headings::skip_rows(&mut rows, rows_above)?;
        report.separator = (headings.len() > 1).then_some(char::from(delimiter));
        // Semicolons separate the cells where the comma is the decimal separator.
        let of_format = (delimiter == b';').then_some(DecimalSeparator::Comma);
        let samples = csv_headings::read_samples(&text, delimiter, rows_above, CURRENCY_SAMPLES)?;
        let mut rules = RowRules::new(&headings, &samples);
        let (mut texts, mut groups) = (RowTexts::default(), GroupCheck::default());
        let mut columns = ColumnChecks::new(headings.len(), limits);
        loop {
            let Some(row) = next_row(&mut rows, headings.len(), Some(&mut report))? else { break };
            let line_breaks = row.count_line_breaks();
            let row = TableRow::new(RowSource::Csv(row), &[], &rules, &mut texts);
            groups.add_row(row.cells());
            if columns.add_row(row.cells())? {
                columns.set_row(csv_headings::line_of_last_row(&text, &rows, line_breaks));
            }
        }
        drop(rows);
        groups.finish(&mut rules, &mut report);
        let types = columns.finish((options, of_format), &headings, &mut report);
        let ColumnTypes { contents, dates, has_flags, certain_separator } = types;
        headings::make_different(&mut headings, &mut report);
        let text = csv_rewrite::replace_dates(text, delimiter, rows_above, &dates)?;
        let rows = StoredRows::Csv { text, delimiter, rows_above, column_count: headings.len() };
        let date_order = None;
        Ok(Self {
            headings,
            contents,
            report,
            certain_separator,
            date_order,
            rows,
            has_flags,
            rules,
        })
    }

    /// Creates a table from the cells of a worksheet: finds the headings and the types of the columns.
    /// Drops all but the first of several tables side by side.
    ///
    /// Skips titles above the headings, joins two rows of headings, and changes equal headings with a
    /// problem in the report. Without headings, all of them are empty. `options.separator` is the decimal
    /// separator of texts if no cell tells it. If None, it is the point.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the worksheet has no cells, if all headings are
    /// empty or one is too long, if there are too many cells, or after the deadline.
    /// `InvalidFields` about `data` if there are too many rows.
    pub(super) fn from_grid(
        mut grid: CellGrid,
        mut report: TableReport,
        limits: Limits,
        options: TextOptions,
    ) -> Result<Self> {
        side_tables::keep_first_table(&mut grid, &mut report);
        let samples: Vec<SampleRow> = grid
            .rows()
            .take(layout::SAMPLE_ROWS)
            .map(|row| SampleRow::new(row.len(), |index| row.cell(index).text))
            .collect();
        let rows_above = layout::count_rows_above(&samples);
        report.title = read_grid_title(&grid, rows_above);
        report.columns_before = u32::from(grid.first_column());
        let found = grid_headings::read_headings(&grid, rows_above, options.heading_row)?;
        let GridHeadings { mut headings, first_cell, header_row, seem_to_be_record } = found;
        report.set_header_row(header_row, seem_to_be_record);
        let samples = grid_headings::read_samples(&grid, first_cell, CURRENCY_SAMPLES);
        let mut rules = RowRules::new(&headings, &samples);
        let (mut texts, mut groups) = (RowTexts::default(), GroupCheck::default());
        let mut columns = ColumnChecks::new(headings.len(), limits);
        let mut at = first_cell;
        while let Some((row, next)) = grid.row_at(at) {
            let number = row.number();
            let row = TableRow::new(RowSource::Grid(row), &[], &rules, &mut texts);
            groups.add_row(row.cells());
            if columns.add_row(row.cells())? {
                columns.set_row(number);
            }
            at = next;
        }
        groups.finish(&mut rules, &mut report);
        let types = columns.finish((options, None), &headings, &mut report);
        let ColumnTypes { contents, dates, has_flags, certain_separator } = types;
        grid.replace_by_dates(&dates, first_cell, limits)?;
        headings::make_different(&mut headings, &mut report);
        let rows = StoredRows::Grid { grid, first_cell };
        let date_order = None;
        Ok(Self {
            headings,
            contents,
            report,
            certain_separator,
            date_order,
            rows,
            has_flags,
            rules,
        })
    }

    /// Returns a reader that starts at the first row below the headings. Each call reads them again.
    ///
    /// # Errors
    /// `InvalidFields` about `body`, as for the first reading.
    pub fn rows(&self) -> Result<TableRows<'_>> {
        let source = match &self.rows {
            StoredRows::Csv { text, delimiter, rows_above, column_count } => {
                let mut rows = CsvRows::new(text, *delimiter, MAX_COLUMNS);
                csv_headings::skip_rows(&mut rows, *rows_above)?;
                let column_count = *column_count;
                RowReader::Csv { rows: Box::new(rows), column_count }
            }
            StoredRows::Grid { grid, first_cell } => RowReader::Grid { grid, at: *first_cell },
        };
        let texts = RowTexts::default();
        Ok(TableRows { source, has_flags: &self.has_flags, rules: &self.rules, texts })
    }
}

/// A reader of the rows of a [`Table`].
pub struct TableRows<'a> {
    source: RowReader<'a>,
    has_flags: &'a [bool],
    rules: &'a RowRules,
    texts: RowTexts,
}

enum RowReader<'a> {
    Csv { rows: Box<CsvRows<'a>>, column_count: usize },
    Grid { grid: &'a CellGrid, at: usize },
}

impl TableRows<'_> {
    /// Reads the next row, which may be blank. None at the end.
    ///
    /// # Errors
    /// `InvalidFields` about `body`, as for the first reading.
    pub fn next_row(&mut self) -> Result<Option<TableRow<'_>>> {
        let Self { source, has_flags, rules, texts } = self;
        let row = match source {
            RowReader::Csv { rows, column_count } => {
                next_row(rows, *column_count, None)?.map(RowSource::Csv)
            }
            RowReader::Grid { grid, at } => grid.row_at(*at).map(|(row, next)| {
                *at = next;
                RowSource::Grid(row)
            }),
        };
        Ok(row.map(|row| TableRow::new(row, has_flags, rules, texts)))
    }
}

/// A row of a table.
pub struct TableRow<'a> {
    source: RowSource<'a>,
    has_flags: &'a [bool],
    texts: &'a RowTexts,
}

enum RowSource<'a> {
    Csv(CsvRow<'a>),
    Grid(GridRow<'a>),
}

impl<'a> RowSource<'a> {
    /// Returns the number of cells up to the end of the row, including empty ones. It may be less than
    /// the number of headings.
    fn len(&self) -> usize {
        match self {
            Self::Csv(row) => row.len(),
            Self::Grid(row) => row.len(),
        }
    }

    /// Returns the stored cell at `index`, from 0, without whitespace around it and without the changes
    /// of the row rules. It is empty if the row ends before it.
    fn cell(&self, index: usize) -> Cell<'a> {
        match self {
            Self::Csv(row) => Cell::from_text(row.cell(index)),
            Self::Grid(row) => row.cell(index),
        }
    }
}

impl<'a> TableRow<'a> {
    /// Creates a row, and stores in `texts` the cells that the rules replace. Replaces the texts of the
    /// row before.
    fn new(
        source: RowSource<'a>,
        has_flags: &'a [bool],
        rules: &RowRules,
        texts: &'a mut RowTexts,
    ) -> Self {
        texts.read_row(rules, source.len(), |index| source.cell(index));
        Self { source, has_flags, texts }
    }

    /// Returns the number of cells up to the end of the row, including empty ones. It may be less than
    /// the number of headings.
    pub fn cell_count(&self) -> usize {
        self.source.len()
    }

    /// Returns whether all cells are empty.
    pub fn is_blank(&self) -> bool {
        self.cells().all(|cell| cell.text.is_empty())
    }

    /// Iterates over the cells of `cell` from left to right.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'a>> + Clone {
        (0..self.cell_count()).map(|index| self.cell(index))
    }

    /// Returns the cell at `index`, from 0, without whitespace around it, and without flags if its
    /// column has some. The name of a group and the currency of an amount may come from other cells.
    /// The cell is empty if the row ends before it.
    pub fn cell(&self, index: usize) -> Cell<'a> {
        if let Some(cell) = self.texts.find(index) {
            return cell;
        }
        let cell = self.source.cell(index);
        if cell.kind != CellKind::Text || self.has_flags.get(index) != Some(&true) {
            return cell;
        }
        Cell::from_text(flags::split_flags(cell.text).map_or(cell.text, |(value, _)| value))
    }
}

/// Returns the first title in the rows above the headings of CSV text.
fn read_title(text: &str, delimiter: u8, rows_above: usize) -> Option<String> {
    let mut rows = CsvRows::new(text, delimiter, MAX_COLUMNS);
    let mut next_title = || title::title_in_row(rows.next_row().ok()??.cells());
    (0..rows_above).find_map(|_| next_title())
}

/// Returns the first title in the rows of a worksheet above the headings.
fn read_grid_title(grid: &CellGrid, rows_above: usize) -> Option<String> {
    let read_row =
        |row: GridRow<'_>| title::title_in_row((0..row.len()).map(|index| row.cell(index).text));
    grid.rows().take(rows_above).find_map(read_row)
}

/// Checks that each quoted cell ends. A cell that does not would contain the rest of the text.
///
/// # Errors
/// `InvalidFields` about `body` with the line in which the cell starts.
pub(super) fn check_quotes(text: &str, delimiter: u8) -> Result<()> {
    let Some(line) = csv_rows::find_unclosed_quote(text, delimiter) else { return Ok(()) };
    Err(body_error(format!("has a quotation mark in line {line} without a closing one")))
}

/// Reads the next row below the headings, cut to `column_count` cells. Empty cells to the right of them
/// are dropped. Skips notes with too many cells, such as `Source: A; B; C`, and adds them to the report
/// if there is one. `None` at the end of the table.
///
/// # Errors
/// `InvalidFields` about `body` if the row has more cells than there are headings.
fn next_row<'a>(
    rows: &'a mut CsvRows<'_>,
    column_count: usize,
    mut report: Option<&mut TableReport>,
) -> Result<Option<CsvRow<'a>>> {
    let error = |line| body_error(format!("has more cells than columns in line {line}"));
    loop {
        let line = rows.line();
        if !rows.advance().map_err(|TooManyCells { line }| error(line))? {
            return Ok(None);
        }
        let row = rows.current();
        if row.cells().skip(column_count).all(str::is_empty) {
            break;
        }
        if !tables::is_note_text(row.cell(0)) {
            return Err(error(line));
        }
        if let Some(report) = &mut report {
            let message = "has more cells than columns; left out as a note".to_owned();
            report.add_problem(u32::try_from(line - 1).unwrap_or(u32::MAX), 0, message);
        }
    }
    Ok(Some(rows.current().first_cells(column_count)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::heading_row::HeadingRow;
    use crate::features::table_reader::report::TableFormat;

    /// Parses CSV text with at most one row.
    fn parse(bytes: &[u8]) -> Result<Table<'_>> {
        let limits = Limits { max_rows: 1, max_text_bytes: 1 << 20, deadline: None };
        let text = Cow::Borrowed(std::str::from_utf8(bytes).unwrap());
        let report = TableReport::new(TableFormat::Csv);
        Table::from_csv(text, report, limits, TextOptions::default())
    }

    #[test]
    fn headings_that_seem_to_be_a_record_are_reported_if_the_caller_wants_them() {
        let read = |text: &str, heading_row| {
            let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
            let options = TextOptions { heading_row, ..TextOptions::default() };
            let report = TableReport::new(TableFormat::Csv);
            let table = Table::from_csv(text.into(), report, limits, options).unwrap();
            let problems = table.report.problems.iter().map(|problem| problem.message.clone());
            (table.headings, problems.collect::<Vec<String>>())
        };
        let text = "A;12\nB;13\nC;14\n";
        let message = "is in a row that seems to be a record, but is used as headings";
        let (headings, problems) = read(text, HeadingRow::Present);
        assert_eq!((headings.join("/").as_str(), problems), ("A/12", vec![message.to_owned()]));
        let (headings, problems) = read(text, HeadingRow::Detect);
        assert_eq!((headings.join("/").as_str(), problems), ("/", vec![]));
        assert_eq!(read("Name;Value\nB;13\n", HeadingRow::Present).1, Vec::<String>::new());
    }

    #[test]
    fn the_report_names_the_line_of_the_headings() {
        let check = |text: &str, want: (u32, usize)| {
            let report = parse(text.as_bytes()).unwrap().report;
            assert_eq!((report.header_row, report.rows), want, "{text}");
        };
        check("a,b\n1,2\n", (1, 1));
        check("a,b", (1, 0));
        check("Report\r\n\r\na,b\r\n1,2\r\n", (3, 1));
        check("\n\n\"a\nx\",b\n1,2\n,\n", (3, 1));
    }

    #[test]
    fn empty_extra_cells_and_notes_with_separators_are_ignored() {
        let read = |text: &str| {
            let table = parse(text.as_bytes()).unwrap();
            let mut cells = Vec::new();
            let mut rows = table.rows().unwrap();
            while let Some(row) = rows.next_row().unwrap() {
                cells.push(row.cells().map(|cell| cell.text.to_owned()).collect::<Vec<_>>());
            }
            let problems = table.report.problems.iter().map(|problem| problem.cell.clone());
            (cells.concat().join(" "), table.report.rows, problems.collect::<Vec<_>>().join(" "))
        };
        assert_eq!(read("Ort;Wert\nUlm;12,5;\n"), ("Ulm 12,5".to_owned(), 1, String::new()));
        assert_eq!(read("a;b\nx;1;;;;\n"), ("x 1".to_owned(), 1, String::new()));
        let note = "Ort;Wert\nUlm;12,5\n\nQuelle: Amt; Stand 2024; eigene Berechnung\n";
        assert_eq!(read(note), ("Ulm 12,5".to_owned(), 1, "A4".to_owned()));
    }

    #[test]
    fn columns_of_numbers_that_are_dates_become_dates() {
        let table = parse(b"Datum;Wert\n45292;10\n").unwrap();
        assert_eq!(table.contents[0], CellContent::Texts);
        let mut rows = table.rows().unwrap();
        assert_eq!(rows.next_row().unwrap().unwrap().cell(0).text, "2024-01-01");
        let message = "has numbers that are read as dates: 45292 is 2024-01-01";
        assert_eq!(table.report.problems[0].message, message);
    }

    #[test]
    fn invalid_tables_are_rejected() {
        let check = |bytes: &[u8], want: &str| {
            let error = parse(bytes).err().unwrap().to_string();
            assert_eq!(error, want);
        };
        check(b"", "body: must have a first row with column headings");
        check(b"a,b\n1,2,3\n", "body: has more cells than columns in line 2");
        check(b"a\n1\n2\n", "data: has more than 1 records");
        check(&b",".repeat(999), "body: must have a first row with column headings");
        check(&b"a,".repeat(1000), "body: has more than 1000 columns");
        check(&b"a".repeat(1001), "body: has a heading of more than 1000 bytes");
        let many_cells = [b"a,".repeat(999), b"\n".to_vec(), b",\n".repeat(1_500_001)].concat();
        check(&many_cells, "body: has more than 3000000 cells");
    }
}
