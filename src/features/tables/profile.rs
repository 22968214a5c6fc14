//! Finds the types and properties of the columns of a table, cell by cell.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::hash::RandomState;

use chartroom_charts::date_text;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text;
use chartroom_charts::number_text::NumberNotation;
use chartroom_charts::running_total::RunningTotal;
use chartroom_charts::time_order::TimeOrder;

use super::boolean_text::parse_boolean;
use super::column_profile::CellProblem;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::column_profile::MAX_DISTINCT;
use super::column_profile::MAX_PROBLEMS;
use super::column_profile::OTHER_UNIT_MESSAGE;
use super::date_order_source::DateOrderSource;
use super::heading;
use super::unit_count::UnitCount;

/// Minutes of a day.
const MINUTES_PER_DAY: f64 = 1440.0;
/// Number of different cells of a column that are kept as examples.
const MAX_EXAMPLES: usize = 3;
/// Maximum number of characters of an example and of a cell in a problem.
const MAX_QUOTED_CHARS: usize = 60;
/// Number of texts of a column that decide whether it has periods.
const MAX_PERIOD_CANDIDATES: usize = 1000;

/// Type of the cells of a column as the reader of the table found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellType {
    /// All cells are empty or placeholders.
    Empty,
    /// Most cells are numbers in this notation.
    Numbers(NumberNotation),
    /// Other text.
    Texts,
}

/// Collects the profile of a column, cell by cell.
pub struct ColumnProfiler {
    profile: ColumnProfile,
    cell_type: CellType,
    /// Number of rows among the records that are totals.
    skipped: usize,
    time_order: TimeOrder,
    hasher: RandomState,
    seen: HashSet<u64>,
    numbers: usize,
    percent_signs: usize,
    /// Whether a duration has parts of a second, so that the numbers of the column are seconds.
    has_parts_of_seconds: bool,
    /// Number of positive numbers with a plus sign, and without one.
    plus_signs: [usize; 2],
    units: UnitCount,
    previous: f64,
    total: RunningTotal,
    /// Smallest and largest step between successive numbers.
    steps: (f64, f64),
    /// Number of numbers that are not above the one before them.
    falls: usize,
    /// First number. 0 without one.
    first: f64,
    booleans: usize,
    /// Number of texts that were checked for a period, and the number of periods.
    period_candidates: usize,
    periods: usize,
    /// Number of dates in each order: day first, month first.
    dates: [usize; 2],
    /// Number of dates that are certain to have each order.
    certain: [usize; 2],
    /// Order of dates with two readings, if it is known.
    known_order: Option<DateOrder>,
    /// Whether a date has slashes and a part of one digit, as in `3/5/24`.
    has_american_style: bool,
    /// The first date with two readings.
    ambiguous: Option<CellProblem>,
    /// The first cells that are not dates in each order: day first, month first.
    not_dates: [Vec<CellProblem>; 2],
}

impl ColumnProfiler {
    /// Creates the profiler of a column without cells. `cell_type` is the type that the reader of the
    /// table found.
    pub fn new(heading: &str, cell_type: CellType) -> Self {
        Self {
            profile: ColumnProfile::new(heading),
            cell_type,
            skipped: 0,
            time_order: TimeOrder::default(),
            hasher: RandomState::new(),
            seen: HashSet::new(),
            numbers: 0,
            percent_signs: 0,
            has_parts_of_seconds: false,
            plus_signs: [0; 2],
            units: UnitCount::default(),
            previous: f64::INFINITY,
            total: RunningTotal::default(),
            steps: (f64::INFINITY, f64::NEG_INFINITY),
            falls: 0,
            first: 0.0,
            booleans: 0,
            period_candidates: 0,
            periods: 0,
            dates: [0; 2],
            certain: [0; 2],
            known_order: None,
            has_american_style: false,
            ambiguous: None,
            not_dates: Default::default(),
        }
    }

    /// Sets the order of day and month if the dates of the column do not tell it. If None, the day is
    /// first, unless a date such as `3/5/24` has slashes and a part of one digit.
    pub fn with_date_order(mut self, order: Option<DateOrder>) -> Self {
        self.known_order = order;
        self
    }

    /// Counts a row that is no record, so that later problems have the numbers of their rows.
    pub fn skip_row(&mut self) {
        self.skipped += 1;
    }

    /// Returns the sum of the numbers so far. 0 for columns of texts.
    pub fn sum(&self) -> f64 {
        self.profile.sum
    }

    /// Adds the cell of the next record, which may be empty. The caller removes whitespace around it. A
    /// placeholder such as `n/a` counts as empty.
    pub fn add_cell(&mut self, cell: &str) {
        self.profile.records += 1;
        if number_text::is_missing(cell) {
            self.profile.empty += 1;
            return;
        }
        let hash = self.hasher.hash_one(cell);
        let is_known = self.seen.contains(&hash);
        self.profile.has_repeated |= is_known;
        let is_new = !is_known && self.seen.len() < MAX_DISTINCT && self.seen.insert(hash);
        self.time_order.add(cell);
        if is_new && self.profile.examples.len() < MAX_EXAMPLES {
            self.profile.examples.push(shorten(cell));
        }
        match self.cell_type {
            CellType::Empty => {}
            CellType::Numbers(notation) => self.add_cell_of_numbers(cell, notation),
            CellType::Texts => self.add_cell_of_texts(cell),
        }
    }

    /// Adds a cell of a column of numbers to its range, sum and order. A cell that is no finite number,
    /// or has another unit, becomes a problem and does not count.
    fn add_cell_of_numbers(&mut self, cell: &str, notation: NumberNotation) {
        self.has_parts_of_seconds |= chartroom_charts::has_parts_of_seconds(cell);
        let duration = chartroom_charts::clock_value(cell).filter(|_| self.has_parts_of_seconds);
        let number = duration.or_else(|| notation.read(cell));
        let Some(number) = number.filter(|number| number.is_finite()) else {
            let has_unit = notation.has_other_unit(cell);
            self.add_problem(cell, if has_unit { OTHER_UNIT_MESSAGE } else { "is not a number" });
            return;
        };
        self.percent_signs += usize::from(cell.contains('%'));
        if number > 0.0 {
            self.plus_signs[usize::from(!number_text::has_plus_sign(cell))] += 1;
        }
        if self.units.add(cell) {
            self.add_problem(cell, OTHER_UNIT_MESSAGE);
        }
        self.add_number(number);
    }

    /// Adds a number to the range, the sum and the order.
    fn add_number(&mut self, number: f64) {
        self.numbers += 1;
        let profile = &mut self.profile;
        let (low, high) = profile.range.unwrap_or((number, number));
        profile.range = Some((low.min(number), high.max(number)));
        profile.sum += number;
        self.total.add(number);
        profile.is_whole &= number.fract() == 0.0;
        if self.numbers > 1 {
            let step = number - self.previous;
            self.steps = (self.steps.0.min(step), self.steps.1.max(step));
            self.falls += usize::from(step <= 0.0);
            profile.is_descending &= step <= 0.0;
        } else {
            self.first = number;
        }
        self.previous = number;
    }

    /// Counts a cell of a column of texts as boolean, duration, period and date in both orders, because
    /// the column may turn out to have these. `finish` decides.
    fn add_cell_of_texts(&mut self, cell: &str) {
        if let Some(duration) = chartroom_charts::clock_value(cell) {
            self.add_number(duration);
        }
        self.booleans += usize::from(parse_boolean(cell).is_some());
        self.count_period(cell);
        let readings = date_text::read_date(cell);
        self.dates[0] += usize::from(readings.day_first);
        self.dates[1] += usize::from(readings.month_first);
        let record = self.profile.records + self.skipped;
        self.has_american_style |= readings.is_ambiguous && date_text::is_american_style(cell);
        match readings.certain_order {
            Some(DateOrder::DayMonth) => self.certain[0] += 1,
            Some(DateOrder::MonthDay) => self.certain[1] += 1,
            None if self.ambiguous.is_none() && readings.is_ambiguous => {
                self.ambiguous = Some(CellProblem { record, text: shorten(cell), message: "" });
            }
            None => {}
        }
        let are_dates = [readings.day_first, readings.month_first];
        for (not_dates, is_date) in self.not_dates.iter_mut().zip(are_dates) {
            if !is_date && not_dates.len() < MAX_PROBLEMS {
                let message = "is not a date in the order of the other dates";
                not_dates.push(CellProblem { record, text: shorten(cell), message });
            }
        }
    }

    /// Counts the cell as candidate, and as period if it is one, such as `Jan`. Ignores all but the
    /// first `MAX_PERIOD_CANDIDATES` texts of the column.
    fn count_period(&mut self, cell: &str) {
        if self.period_candidates < MAX_PERIOD_CANDIDATES {
            self.period_candidates += 1;
            let is_period = cell.len() <= MAX_QUOTED_CHARS && heading::is_period(cell);
            self.periods += usize::from(is_period);
        }
    }

    /// Counts a problem of the current record, and keeps it if it is one of the first.
    fn add_problem(&mut self, cell: &str, message: &'static str) {
        self.profile.problem_count += 1;
        if self.profile.problems.len() < MAX_PROBLEMS {
            let record = self.profile.records + self.skipped;
            self.profile.problems.push(CellProblem { record, text: shorten(cell), message });
        }
    }

    /// Returns the profile. A column of numbers keeps its type. A column of texts has booleans if
    /// all texts are booleans, and dates if at least half of the texts are dates in one order.
    pub fn finish(mut self) -> ColumnProfile {
        let filled = self.profile.filled();
        self.profile.distinct = self.seen.len();
        self.profile.falls_in_time = self.profile.empty == 0 && self.time_order.falls();
        self.profile.is_in_time_order = self.time_order.is_ordered();
        self.profile.is_periods = self.periods * 2 > self.period_candidates;
        self.profile.column_type = match self.cell_type {
            _ if filled == 0 => ColumnType::Empty,
            CellType::Empty => ColumnType::Empty,
            CellType::Numbers(_) => {
                self.finish_numbers();
                ColumnType::Number
            }
            CellType::Texts if self.booleans == filled => ColumnType::Boolean,
            CellType::Texts if self.numbers == filled => {
                self.finish_durations();
                ColumnType::Text
            }
            CellType::Texts => {
                (self.profile.range, self.profile.sum) = (None, 0.0);
                self.finish_texts(filled)
            }
        };
        self.profile
    }

    /// Sets the properties of a column of numbers: its unit, and whether it has percentages, ids or
    /// coordinates, years, a total at the end, and rising or falling numbers.
    fn finish_numbers(&mut self) {
        let profile = &mut self.profile;
        profile.has_percent_signs = self.percent_signs * 2 > self.numbers;
        profile.is_clock = self.has_parts_of_seconds;
        profile.has_plus_signs = self.plus_signs[0] > self.plus_signs[1];
        profile.has_mixed_units = self.units.is_mixed(self.numbers);
        profile.unit = self.units.take_common(self.numbers);
        // Programs write the index of a row in a column without a heading.
        let is_index = profile.heading.is_empty() && self.numbers > 1 && self.steps == (1.0, 1.0);
        let has_ids = heading::is_id(&profile.heading)
            || heading::is_reference(&profile.heading)
            || heading::is_account_code(&profile.heading);
        profile.is_ids = profile.is_whole && (is_index || has_ids);
        let (low, high) = profile.range.unwrap_or_default();
        // Coordinates are no amounts either. A length of more than 180 is not a longitude.
        let is_coordinate = heading::is_coordinate_heading(&profile.heading)
            && !heading::is_size_or_coordinate(&profile.heading);
        profile.is_ids |= is_coordinate && low >= -180.0 && high <= 180.0;
        let is_in = |first: f64, last: f64| profile.is_whole && low >= first && high <= last;
        let is_regular = self.numbers > 2 && self.steps.0 == self.steps.1 && self.steps.0 != 0.0;
        let has_heading = heading::is_year_heading(&profile.heading)
            || heading::is_date_heading(&profile.heading);
        // Before 1900, prices in equal steps are more usual than years.
        let is_regular = is_regular
            && (is_in(1900.0, 2100.0) || is_in(1700.0, 2100.0) && self.steps.0.abs() == 1.0);
        let is_years = is_regular || has_heading && is_in(1000.0, 2200.0);
        profile.is_years = is_years;
        profile.is_periods = profile.is_years;
        profile.ends_with_total = self.total.ends_with_total();
        self.finish_order();
    }

    /// Sets whether the numbers are in order.
    fn finish_order(&mut self) {
        self.profile.is_ordered = self.numbers < 2 || self.steps.0 >= 0.0 || self.steps.1 <= 0.0;
        self.profile.rises = self.numbers > 1 && self.steps.0 > 0.0;
        self.profile.falls = self.falls;
    }

    /// Sets the properties of a column of durations by the clock.
    fn finish_durations(&mut self) {
        self.profile.is_clock = true;
        // The hours of durations need not stay below a day.
        let is_within_day = self.profile.range.is_some_and(|(_, high)| high < MINUTES_PER_DAY);
        self.profile.rises_over_midnight =
            self.falls == 1 && self.numbers > 2 && self.previous < self.first && is_within_day;
        self.profile.ends_with_total = self.total.ends_with_total();
        self.finish_order();
    }

    /// Returns the type of a column with `filled` texts: `Date` or `Text`. For dates,
    /// also sets the source of their order in the profile, and replaces its problems by
    /// the texts that are not dates.
    fn finish_texts(&mut self, filled: usize) -> ColumnType {
        let is_month_first = match self.certain[0].cmp(&self.certain[1]) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            std::cmp::Ordering::Equal if self.dates[1] != self.dates[0] => {
                self.dates[1] > self.dates[0]
            }
            // Without a known language: programs write one digit as in `3/5/24`
            // in American English only.
            std::cmp::Ordering::Equal => self
                .known_order
                .map_or(self.has_american_style, |order| order == DateOrder::MonthDay),
        };
        let (order, dates) = match is_month_first {
            true => (DateOrder::MonthDay, self.dates[1]),
            false => (DateOrder::DayMonth, self.dates[0]),
        };
        if dates * 2 < filled {
            return ColumnType::Text;
        }
        self.profile.problems = std::mem::take(&mut self.not_dates[usize::from(is_month_first)]);
        self.profile.problem_count = filled - dates;
        self.profile.date_order = match (self.certain, &self.ambiguous) {
            ([0, 0], Some(_)) => DateOrderSource::Assumed,
            ([0, 0], None) => DateOrderSource::None,
            _ => DateOrderSource::Certain(order),
        };
        if self.profile.date_order == DateOrderSource::Assumed
            && let Some(problem) = self.ambiguous.take()
        {
            let message = match order {
                DateOrder::DayMonth => "is read with the day first",
                DateOrder::MonthDay => "is read with the month first",
            };
            self.profile.add_column_problem(CellProblem { message, ..problem });
        }
        ColumnType::Date(order)
    }
}

/// Returns the first characters of a cell, at most `MAX_QUOTED_CHARS`.
fn shorten(cell: &str) -> String {
    cell.chars().take(MAX_QUOTED_CHARS).collect()
}

#[cfg(test)]
impl ColumnProfile {
    /// Returns the profile of a column with these cells.
    pub(super) fn of_cells(heading: &str, cell_type: CellType, cells: &[&str]) -> Self {
        let mut profiler = ColumnProfiler::new(heading, cell_type);
        cells.iter().for_each(|cell| profiler.add_cell(cell));
        profiler.finish()
    }
}

#[cfg(test)]
mod tests {
    use chartroom_charts::number_text::DecimalSeparator;

    use super::*;

    fn texts(cells: &[&str]) -> ColumnProfile {
        ColumnProfile::of_cells("A", CellType::Texts, cells)
    }

    #[test]
    fn numbers_have_a_range_and_problems() {
        let comma = CellType::Numbers(NumberNotation::new(DecimalSeparator::Comma));
        let found =
            ColumnProfile::of_cells("Umsatz", comma, &["1,5", "", "n/a", "-2", "x", "12 %"]);
        assert_eq!(found.column_type, ColumnType::Number);
        assert_eq!((found.records, found.empty, found.range), (6, 2, Some((-2.0, 12.0))));
        assert_eq!((found.problem_count, found.problems[0].record), (1, 5));
        assert_eq!(found.examples, ["1,5", "-2", "x"]);
        assert!(!found.is_whole && !found.is_years && found.is_amount());
    }

    #[test]
    fn numbers_beside_durations_with_parts_of_a_second_are_seconds() {
        let point = CellType::Numbers(NumberNotation::new(DecimalSeparator::Point));
        let found = ColumnProfile::of_cells("Time", point, &["26.41", "57.30", "2:04.11"]);
        assert_eq!((found.column_type, found.problem_count), (ColumnType::Number, 0));
        assert_eq!(found.range, Some((26.41, 124.11)));
        assert!(found.has_durations());
        let found = ColumnProfile::of_cells("Time", point, &["26.41", "57.30", "2:04"]);
        assert_eq!((found.problem_count, found.has_durations()), (1, false));
    }

    #[test]
    fn years_and_ids_are_no_amounts() {
        let point = CellType::Numbers(NumberNotation::new(DecimalSeparator::Point));
        assert!(ColumnProfile::of_cells("A", point, &["2020", "2021", "2022"]).is_years);
        assert!(ColumnProfile::of_cells("Jahr", point, &["2020", "2020"]).is_years);
        assert!(ColumnProfile::of_cells("A", point, &["1850", "1851", "1852"]).is_years);
        assert!(!ColumnProfile::of_cells("A", point, &["2020", "1950", "2010"]).is_years);
        assert!(!ColumnProfile::of_cells("Nr.", point, &["1", "2"]).is_amount());
    }

    #[test]
    fn dates_and_booleans_are_recognized_and_the_column_decides_the_order() {
        let day_first = ColumnType::Date(DateOrder::DayMonth);
        let month_first = ColumnType::Date(DateOrder::MonthDay);
        assert_eq!(texts(&["1/2/2024", "31/1/2024"]).column_type, day_first);
        assert_eq!(texts(&["1/2/2024", "1/31/2024"]).column_type, month_first);
        let ambiguous = texts(&["01/02/2024", "03/04/2024"]);
        assert_eq!((ambiguous.column_type, ambiguous.problem_count), (day_first, 1));
        assert_eq!(ambiguous.date_order, DateOrderSource::Assumed);
        let short = texts(&["1/1/26", "1/2/26", "1/10/26"]);
        assert_eq!((short.column_type, short.problem_count), (month_first, 1));
        assert_eq!(short.problems[0].message, "is read with the month first");
        let known = ColumnProfiler::new("D", CellType::Texts);
        let mut known = known.with_date_order(Some(DateOrder::DayMonth));
        known.add_cell("1/2/26");
        assert_eq!(known.finish().column_type, day_first);
        let mixed = texts(&["31.01.2024", "offen", "28.02.2024"]);
        assert_eq!((mixed.column_type, mixed.problem_count), (day_first, 1));
        assert_eq!(mixed.problems[0].text, "offen");
        assert_eq!(texts(&["ja", "nein", ""]).column_type, ColumnType::Boolean);
        assert_eq!(texts(&["Jan", "Feb"]).column_type, ColumnType::Text);
        assert!(texts(&["Jan", "Feb"]).is_time());
        assert_eq!(texts(&["", "-"]).column_type, ColumnType::Empty);
    }

    #[test]
    fn an_assumed_order_of_dates_takes_the_place_of_the_last_problem() {
        let found = texts(&[["01/02/2024"; 6], ["open"; 6]].concat());
        assert_eq!((found.problem_count, found.problems.len()), (7, MAX_PROBLEMS));
        assert_eq!(found.problems[4].message, "is read with the day first");
    }

    #[test]
    fn dates_with_one_reading_do_not_take_the_places_of_problems() {
        let dates = ["31/01/2024", "30/01/2024", "29/01/2024", "28/01/2024", "27/01/2024"];
        let found = texts(&[&dates[..], &["1/31/2024", "open"]].concat());
        assert_eq!(found.problem_count, 2);
        let problems: Vec<&str> = found.problems.iter().map(|problem| &*problem.text).collect();
        assert_eq!(problems, ["1/31/2024", "open"]);
    }
}
