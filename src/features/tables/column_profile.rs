//! Types and properties of the columns of a table.

use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text::NumberUnit;

use super::date_order_source::DateOrderSource;
use super::trailing_rows::RowNote;

/// Maximum number of different cells of a column that are counted.
pub(super) const MAX_DISTINCT: usize = 1000;
/// Maximum number of problems of a column that are kept.
pub(super) const MAX_PROBLEMS: usize = 5;

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Empty,
    Number,
    Date(DateOrder),
    Boolean,
    Text,
}

/// A cell that does not fit the type of its column, or that has two readings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellProblem {
    /// Number of the record, from 1.
    pub record: usize,
    /// Start of the text of the cell.
    pub text: String,
    /// The problem, such as `is not a number`.
    pub message: &'static str,
}

/// Problem of a number with another unit than most numbers of its column.
pub const OTHER_UNIT_MESSAGE: &str = "has another unit";

/// Type and properties of a column.
#[derive(Debug, Clone)]
pub struct ColumnProfile {
    pub heading: String,
    pub column_type: ColumnType,
    /// Number of records of the table.
    pub records: usize,
    /// Number of records with an empty cell or a placeholder such as `n/a` in this column.
    pub empty: usize,
    /// The first different cells, shortened.
    pub examples: Vec<String>,
    /// Number of different cells, counted to `MAX_DISTINCT`.
    pub distinct: usize,
    /// Whether a cell equals an earlier one, among the first `MAX_DISTINCT` different ones.
    pub has_repeated: bool,
    /// Smallest and largest number. `None` unless the type is `Number`.
    pub range: Option<(f64, f64)>,
    /// Sum of the numbers.
    pub sum: f64,
    /// Whether all numbers are whole.
    pub is_whole: bool,
    /// Whether no number is larger than the one before it.
    pub is_descending: bool,
    /// Whether the last number is the total of the others, apart from totals among them.
    pub ends_with_total: bool,
    /// Whether no number is smaller than the one above, or none is larger. True for other columns.
    pub is_ordered: bool,
    /// Whether most numbers have a percent sign.
    pub has_percent_signs: bool,
    /// Whether most positive numbers have a plus sign, as in a column of changes.
    pub has_plus_signs: bool,
    /// Currency, percent sign or unit of measure of most numbers, if no number has another one.
    pub unit: Option<NumberUnit>,
    /// Whether the numbers have several units, such as `10 GB` and `€9`.
    pub has_mixed_units: bool,
    /// Whether the numbers are years.
    pub is_years: bool,
    /// Whether all texts are durations by the clock, such as `2:06:39`. `range` and `sum` are in the unit of
    /// their last part.
    pub is_clock: bool,
    /// Number of numbers or durations that are not above the one before them.
    pub falls: usize,
    /// Whether each number or duration is larger than the one before it.
    pub rises: bool,
    /// Whether the times of day rise from an evening over midnight to an earlier time.
    pub rises_over_midnight: bool,
    /// Whether the cells are ids or coordinates: by the heading, for numbers.
    pub is_ids: bool,
    /// Whether the numbers are the names of the records, such as those of bus routes.
    pub is_numbered_name: bool,
    /// Whether most cells are dates or periods such as `Jan`.
    pub is_periods: bool,
    /// Number of different cells if this column and exactly one other name the
    /// rows, and no two rows have the same two names.
    pub row_names: Option<usize>,
    /// Rows below the records that are left out, named by cells of this column.
    pub left_out: Vec<RowNote>,
    /// Number of totals below and among the records. Kinds with totals show them.
    pub total_rows: usize,
    /// Whether the cells are periods that never rise, or never fall.
    pub is_in_time_order: bool,
    /// Whether the cells are periods that never rise, such as `2024`, `2023`, `2022`.
    pub falls_in_time: bool,
    /// How the order of day and month of a column of dates was found.
    pub date_order: DateOrderSource,
    /// The first problems.
    pub problems: Vec<CellProblem>,
    /// Number of all problems.
    pub problem_count: usize,
}

impl ColumnProfile {
    /// Creates the profile of a column without cells.
    pub(super) fn new(heading: &str) -> Self {
        Self {
            heading: heading.to_owned(),
            column_type: ColumnType::Empty,
            records: 0,
            empty: 0,
            examples: Vec::new(),
            distinct: 0,
            has_repeated: false,
            range: None,
            sum: 0.0,
            is_whole: true,
            is_descending: true,
            ends_with_total: false,
            is_ordered: true,
            has_percent_signs: false,
            has_plus_signs: false,
            unit: None,
            has_mixed_units: false,
            is_years: false,
            is_clock: false,
            falls: 0,
            rises: false,
            rises_over_midnight: false,
            is_ids: false,
            is_numbered_name: false,
            is_periods: false,
            row_names: None,
            left_out: Vec::new(),
            total_rows: 0,
            falls_in_time: false,
            is_in_time_order: false,
            date_order: DateOrderSource::None,
            problems: Vec::new(),
            problem_count: 0,
        }
    }

    /// Adds a problem of the whole column that `problem` is an example of. It takes the place of the
    /// last problem of a cell if there are `MAX_PROBLEMS`.
    pub(super) fn add_column_problem(&mut self, problem: CellProblem) {
        self.problem_count += 1;
        self.problems.truncate(MAX_PROBLEMS - 1);
        self.problems.push(problem);
    }
}
