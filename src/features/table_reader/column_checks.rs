//! Detection of the types of all columns of a table, row by row.

use super::cell_grid::Cell;
use super::column_content::CellContent;
use super::column_content::ContentCheck;
use super::limits::Limits;
use super::limits::MAX_CELLS;
use super::limits::body_error;
use super::limits::too_many_rows;
use super::report::TableReport;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Result;

/// Maximum number of columns for which the first number with two readings is located.
const MAX_LOCATED_COLUMNS: usize = 20;

/// Detection of the types of all columns, and the limits of their rows.
pub(super) struct ColumnChecks {
    checks: Vec<ContentCheck>,
    limits: Limits,
    row_count: usize,
    /// Number of rows, including blank ones.
    line_count: usize,
    cell_count: usize,
    /// Column and row of the first number with two readings of each column. Row 0 is not yet known.
    ambiguous: Vec<(usize, u32)>,
    /// Column and row of the first number with another unit than the numbers
    /// above. Row 0 is not yet known.
    other_units: Vec<(usize, u32)>,
}

impl ColumnChecks {
    /// Creates the checks of a table without rows. `limits` bounds the rows and the time.
    pub fn new(column_count: usize, limits: Limits) -> Self {
        let checks = vec![ContentCheck::default(); column_count];
        Self {
            checks,
            limits,
            row_count: 0,
            line_count: 0,
            cell_count: 0,
            ambiguous: Vec::new(),
            other_units: Vec::new(),
        }
    }

    /// Adds the cells of a row, which may be blank. Returns whether
    /// [`Self::set_row`] needs its number.
    ///
    /// # Errors
    /// `InvalidFields` about `body` or `data` if there are too many cells or
    /// rows, or about `body` after the deadline.
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
        let known = self.ambiguous.len() + self.other_units.len();
        for (index, (check, cell)) in self.checks.iter_mut().zip(cells).enumerate() {
            let was_ambiguous = check.has_ambiguous_text();
            let had_other_units = check.has_different_units();
            check.add_cell(cell);
            let is_ambiguous = check.has_ambiguous_text() && !was_ambiguous;
            let has_other_units = check.has_different_units() && !had_other_units;
            for (is_new, places) in
                [(is_ambiguous, &mut self.ambiguous), (has_other_units, &mut self.other_units)]
            {
                if is_new && places.len() < MAX_LOCATED_COLUMNS {
                    places.push((index, 0));
                }
            }
        }
        Ok(self.ambiguous.len() + self.other_units.len() > known)
    }

    /// Sets the number of the row that was added last, from 1.
    pub fn set_row(&mut self, number: u32) {
        let places = self.ambiguous.iter_mut().chain(&mut self.other_units);
        places.filter(|(_, row)| *row == 0).for_each(|(_, row)| *row = number);
    }

    /// Returns the types of the columns. Reports numbers with two readings or
    /// with another unit, and the number of rows.
    ///
    /// If no cell of a column tells its decimal separator, the other columns do if they agree, and
    /// otherwise it is `default`.
    pub fn finish(self, default: DecimalSeparator, report: &mut TableReport) -> Vec<CellContent> {
        report.rows = self.row_count;
        let mut certain = self.checks.iter().filter_map(ContentCheck::certain_separator);
        let first = certain.next();
        let common = first.filter(|first| certain.all(|other| other == *first));
        let default = common.unwrap_or(default);
        let contents: Vec<CellContent> =
            self.checks.iter().map(|check| check.content(default)).collect();
        for (index, row) in self.ambiguous {
            let is_number = matches!(contents[index], CellContent::Numbers(_));
            let text = self.checks[index].find_undecided_text().filter(|_| is_number);
            let Some(text) = text else { continue };
            let read = |separator| number_text::read_as_json(&text, separator).unwrap_or_default();
            let (number, other) = (read(default), read(default.other()));
            let message = match common {
                Some(_) => format!("is read as {number}, not {other}, like the other columns"),
                None => format!(
                    "is read as {number}; it may also be {other}, and no other cell decides"
                ),
            };
            report.add_problem_in_table(row.saturating_sub(1), index, message);
        }
        for (index, row) in self.other_units {
            let message =
                "has another unit than the cells above, so that the column has no numbers";
            report.add_problem_in_table(row.saturating_sub(1), index, message.to_owned());
        }
        contents
    }
}
