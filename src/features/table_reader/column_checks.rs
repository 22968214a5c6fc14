//! Detection of the types of all columns of a table, row by row.

use super::cell_grid::Cell;
use super::column_content::CellContent;
use super::column_content::ContentCheck;
use super::finding_messages::ColumnResult;
use super::limits::Limits;
use super::limits::MAX_CELLS;
use super::limits::body_error;
use super::limits::too_many_rows;
use super::number_dates::NumberDate;
use super::report::TableReport;
use super::text_options::TextOptions;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Result;

/// Maximum number of rows with cells that are located for a report. The caller counts the lines of
/// the text for each of them.
const MAX_LOCATED_ROWS: usize = 100;

/// Detection of the types of all columns, and the limits of their rows.
pub(super) struct ColumnChecks {
    checks: Vec<ContentCheck>,
    limits: Limits,
    row_count: usize,
    /// Number of rows, including blank ones.
    line_count: usize,
    cell_count: usize,
    /// Number of rows with cells that are located for a report.
    located_rows: usize,
}

/// Types of the columns of a table.
#[derive(Default)]
pub(super) struct ColumnTypes {
    pub contents: Vec<CellContent>,
    /// Columns of numbers that are dates, which the caller has to convert to texts.
    pub dates: Vec<(usize, NumberDate)>,
    /// Whether each column has flags, which the caller has to remove.
    pub has_flags: Vec<bool>,
    /// Decimal separator that the numbers of some columns need, if these agree.
    pub certain_separator: Option<DecimalSeparator>,
}

impl ColumnChecks {
    /// Creates the checks of a table without rows. `limits` bounds the rows and the time.
    pub fn new(column_count: usize, limits: Limits) -> Self {
        let checks = vec![ContentCheck::with_flags(); column_count];
        Self { checks, limits, row_count: 0, line_count: 0, cell_count: 0, located_rows: 0 }
    }

    /// Adds the cells of a row, which may be blank. A blank row is not counted as a row. Cells
    /// after the last column are ignored. Returns whether a cell may have to be reported, so that
    /// [`Self::set_row`] needs the number of the row.
    ///
    /// # Errors
    /// `InvalidFields` about `body` or `data` if there are too many cells or rows, or about `body`
    /// after the deadline.
    pub fn add_row<'a>(
        &mut self,
        cells: impl ExactSizeIterator<Item = Cell<'a>> + Clone,
    ) -> Result<bool> {
        self.limits.check_time(self.line_count)?;
        self.line_count += 1;
        self.cell_count += cells.len();
        if self.cell_count > MAX_CELLS {
            return Err(body_error(format!("has more than {MAX_CELLS} cells")));
        }
        if cells.clone().all(|cell| cell.text.is_empty()) {
            return Ok(false);
        }
        if self.row_count == self.limits.max_rows {
            return Err(too_many_rows(self.limits.max_rows));
        }
        self.row_count += 1;
        let mut found = 0;
        for (check, cell) in self.checks.iter_mut().zip(cells) {
            let known = check.findings.len();
            check.add_cell(cell);
            found += check.findings.len() - known;
        }
        let needs_row = found > 0 && self.located_rows < MAX_LOCATED_ROWS;
        self.located_rows += usize::from(needs_row);
        Ok(needs_row)
    }

    /// Sets the number of the row that was added last, from 1, in its findings.
    pub fn set_row(&mut self, number: u32) {
        self.checks.iter_mut().for_each(|check| check.findings.set_row(number));
    }

    /// Returns the types of the columns, and stores the number of rows in the report. Reports
    /// flags, numbers that are read as dates, numbers with two readings or with another unit, and
    /// cells that are no numbers or booleans unlike the others. A column of dates has the type of
    /// texts.
    ///
    /// If the cells of a column do not tell its decimal separator, `options.known_separator` does, unless the cells
    /// of other columns need the other one. Without it, the whole numbers of the column decide, and then the other
    /// columns if they agree. Otherwise it is that of the document, that of dates such as `15.09.2024`, that of
    /// the format in `of_format`, that of the caller, or the point. `headings` help to recognize dates.
    pub fn finish(
        self,
        (options, of_format): (TextOptions, Option<DecimalSeparator>),
        headings: &[String],
        report: &mut TableReport,
    ) -> ColumnTypes {
        report.rows = self.row_count;
        let separators = self.find_separators(options, of_format);
        let mut types = ColumnTypes::default();
        for (index, check) in self.checks.iter().enumerate() {
            let flags = check.find_flags();
            types.has_flags.push(flags.is_some());
            if let Some(flags) = flags {
                let message =
                    format!("has flags or marks of footnotes, which are left out: {flags}");
                report.add_problem_in_table(report.header_row.saturating_sub(1), index, message);
            }
            let heading = headings.get(index).map_or("", String::as_str);
            if let Some(notation) = check.dates.notation(heading, report.is_1904) {
                let number = check.dates.example();
                let date = notation.to_iso(number).unwrap_or_default();
                let message = format!("has numbers that are read as dates: {number} is {date}");
                report.add_problem_in_table(report.header_row.saturating_sub(1), index, message);
                types.dates.push((index, notation));
                types.contents.push(CellContent::Texts);
                continue;
            }
            let separator = separators.choose(check);
            let content = check.content(separator);
            let (is_separator_common, is_separator_likely) = separators.reason(check);
            let column = ColumnResult {
                check,
                content: &content,
                separator,
                is_separator_common,
                is_separator_likely,
            };
            for message in check.findings.messages(&column) {
                report.add_message(index, message);
            }
            types.contents.push(content);
        }
        let columns = self.checks.iter().zip(&types.contents);
        let of_numbers = columns.filter(|(_, content)| matches!(content, CellContent::Numbers(_)));
        types.certain_separator =
            common_separator(of_numbers.map(|(check, _)| check.certain_separator()));
        types
    }

    /// Returns the decimal separators for columns that do not tell theirs.
    fn find_separators(
        &self,
        options: TextOptions,
        of_format: Option<DecimalSeparator>,
    ) -> Separators {
        let likely = |check: &ContentCheck| check.certain_separator().or(check.likely_separator());
        let certain = common_separator(self.checks.iter().map(ContentCheck::certain_separator));
        let is_possible = |known: &DecimalSeparator| certain.is_none_or(|other| other == *known);
        let of_dates = self.checks.iter().any(ContentCheck::has_dotted_dates);
        let default = options
            .separator
            .or(of_dates.then_some(DecimalSeparator::Comma))
            .or(of_format)
            .or(options.caller_separator)
            .unwrap_or(DecimalSeparator::Point);
        Separators {
            known: options.known_separator.filter(is_possible),
            common: common_separator(self.checks.iter().map(likely)),
            default,
        }
    }
}

/// Decimal separators for columns that do not tell theirs.
struct Separators {
    /// That of earlier files of the source.
    known: Option<DecimalSeparator>,
    /// That of the other columns.
    common: Option<DecimalSeparator>,
    default: DecimalSeparator,
}

impl Separators {
    /// Returns the decimal separator of a column, if its cells do not need another one.
    fn choose(&self, check: &ContentCheck) -> DecimalSeparator {
        let likely = || check.likely_separator();
        self.known.or_else(likely).or(self.common).unwrap_or(self.default)
    }

    /// Returns whether other columns tell the decimal separator of a column, and whether its whole numbers or
    /// earlier files tell it.
    fn reason(&self, check: &ContentCheck) -> (bool, bool) {
        let is_likely = self.known.is_some() || check.likely_separator().is_some();
        (!is_likely && self.common.is_some(), is_likely)
    }
}

/// Returns the decimal separator of the columns that tell one, if they agree.
fn common_separator(
    separators: impl Iterator<Item = Option<DecimalSeparator>>,
) -> Option<DecimalSeparator> {
    let mut certain = separators.flatten();
    let first = certain.next()?;
    certain.all(|other| other == first).then_some(first)
}
