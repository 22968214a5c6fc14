//! Long tables, in which two columns of names identify each row, such as a year and a region.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::hash::RandomState;

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;

use super::column_match;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::CellProblem;
use super::column_profile::ColumnProfile;
use super::heading;
use super::record_layout::RecordLayout;

/// Maximum number of rows with the names of another one that count as mistakes in a long table.
const MAX_EQUAL_ROWS: usize = 20;
/// Minimum number of rows for each of them.
const MIN_ROWS_PER_EQUAL_ROW: usize = 5;
/// Maximum number of characters of the names in a problem.
const MAX_QUOTED_CHARS: usize = 60;
/// Maximum number of series from the texts of a column. A chart shows no more.
const MAX_GROUPED_SERIES: usize = chartroom_charts::MAX_SERIES;

/// Finds out whether the cells of the only two columns of names are together different in each row.
pub struct RowNames {
    columns: [usize; 2],
    hasher: RandomState,
    pairs: HashSet<u64>,
    /// Different cells of each column.
    cells: [HashSet<u64>; 2],
    /// Number of rows so far, and of those with the names of an earlier one.
    rows: usize,
    equal_rows: usize,
    /// The first row with the names of an earlier one.
    first_equal: Option<CellProblem>,
    /// Position in `columns` of the names that repeat, if each row has a time of its own.
    repeated: Option<usize>,
    /// Hash of the repeated name of the previous row.
    previous: u64,
    /// Number of rows with another repeated name than the row before.
    blocks: usize,
}

impl RowNames {
    /// Starts the check of a table with exactly two columns of varying names. None for other tables,
    /// and if one of the two columns is neither texts, dates nor years, or has an empty cell. One of them
    /// may have no repeated name if it has times and the other one names that repeat often.
    ///
    /// Columns of amounts, of ids, of remarks, or with the same cell in all rows do not count.
    pub fn new(profiles: &[ColumnProfile]) -> Option<Self> {
        let columns: Vec<usize> =
            (0..profiles.len()).filter(|index| is_varying(&profiles[*index])).collect();
        let &[first, second] = columns.as_slice() else { return None };
        let can_name = |index: usize| profiles[index].is_name() && profiles[index].empty == 0;
        let repeats = |index: usize| profiles[index].distinct < profiles[index].records;
        let repeated = match (repeats(first), repeats(second)) {
            (true, true) => None,
            (true, false) => Some(0),
            (false, true) => Some(1),
            (false, false) => return None,
        };
        let has_own_times = repeated.is_none_or(|at| {
            let (names, times) = (&profiles[columns[at]], &profiles[columns[1 - at]]);
            times.is_time() && repeats_often(names)
        });
        (can_name(first) && can_name(second) && has_own_times).then(|| Self {
            columns: [first, second],
            hasher: RandomState::new(),
            pairs: HashSet::new(),
            cells: Default::default(),
            rows: 0,
            equal_rows: 0,
            first_equal: None,
            repeated,
            previous: 0,
            blocks: 0,
        })
    }

    /// Returns the indexes of the two columns of names in the table, from left to right.
    pub fn columns(&self) -> [usize; 2] {
        self.columns
    }

    /// Adds the names of the next row, in the order of `columns`. Compares hashes of the names. Ignores
    /// further rows once more than `MAX_EQUAL_ROWS` rows repeat the names of another one.
    pub fn add_row(&mut self, names: [&str; 2]) {
        self.rows += 1;
        // A table with many equal rows is not long, so the others need no memory.
        if self.equal_rows > MAX_EQUAL_ROWS {
            return;
        }
        if !self.pairs.insert(self.hasher.hash_one(names)) {
            self.equal_rows += 1;
            self.first_equal.get_or_insert_with(|| CellProblem {
                record: self.rows,
                text: names.join(", ").chars().take(MAX_QUOTED_CHARS).collect(),
                message: "is there twice, so that the rows do not become series",
            });
        }
        for (cells, name) in self.cells.iter_mut().zip(names) {
            cells.insert(self.hasher.hash_one(name));
        }
        let name = self.repeated.map_or(0, |at| self.hasher.hash_one(names[at]));
        self.blocks += usize::from(self.rows == 1 || name != self.previous);
        self.previous = name;
    }

    /// Sets `row_names` of both profiles to their numbers of different names if no two rows have the
    /// same names. Otherwise leaves it unset. If only few rows repeat the names of another one, then
    /// also adds the first of them to the problems of the second column.
    ///
    /// If each row has a time of its own, names after the times describe them, such as the weather of a
    /// day. They count only if the rows of each name follow each other.
    pub fn finish(self, profiles: &mut [ColumnProfile]) {
        let describes_times = self.repeated == Some(1) && self.blocks > self.cells[1].len();
        if describes_times {
            return;
        }
        if self.equal_rows == 0 {
            for (index, cells) in self.columns.into_iter().zip(self.cells) {
                profiles[index].row_names = Some(cells.len());
            }
            return;
        }
        let is_exception = self.equal_rows <= MAX_EQUAL_ROWS
            && self.equal_rows * MIN_ROWS_PER_EQUAL_ROW <= self.rows;
        if let Some(problem) = self.first_equal.filter(|_| is_exception) {
            profiles[self.columns[1]].add_column_problem(problem);
        }
    }
}

/// Returns whether a column has at least two different cells, and is neither amounts, ids nor remarks.
fn is_varying(profile: &ColumnProfile) -> bool {
    profile.distinct > 1
        && !profile.is_amount()
        && !profile.is_ids
        && !profile.has_remarks()
        && !heading::is_id(&profile.heading)
}

/// Returns whether a column has texts other than times, each of them twice on average.
fn repeats_often(profile: &ColumnProfile) -> bool {
    !profile.is_time() && profile.distinct * 2 <= profile.records
}

/// Returns the layout of a long table for a kind with series of numbers, and maps its columns. `None`
/// for other kinds and tables, and if the texts would become too many series or most values would be
/// missing, except those of names that lack most times. Nothing is mapped then.
///
/// Of the two columns of names, the one with times names the records of a kind with a time axis.
/// Otherwise, a heading decides, and then the position. If this gives too many series, tries the
/// opposite choice.
pub(super) fn choose_groups<'k>(
    columns: &mut [MappedColumn<'k>],
    profiles: &[ColumnProfile],
    kind: &'k KindInfo,
) -> Option<RecordLayout<'k>> {
    let is_series =
        |column: &&Column| column.repeats && column.column_type == KindColumnType::Number;
    let series = kind.columns.iter().find(is_series)?;
    let name = kind.columns.iter().find(|column| column.required && !column.repeats)?;
    let is_other = |mapped: &MappedColumn<'_>| {
        mapped.column().is_some_and(|column| !column.repeats && column.key != name.key)
    };
    let names: Vec<(usize, usize)> = profiles
        .iter()
        .enumerate()
        .filter_map(|(index, profile)| Some((index, profile.row_names?)))
        .collect();
    let is_shown =
        |index: &usize| profiles[*index].is_amount() && columns[*index].left_over_reason.is_none();
    let amounts: Vec<usize> = (0..profiles.len()).filter(is_shown).collect();
    let &[first, second] = names.as_slice() else { return None };
    if amounts.is_empty() || columns.iter().any(is_other) {
        return None;
    }
    let is_dense = profiles[first.0].records * 2 >= first.1 * second.1;
    // One line through the values of several names would be wrong, however few times they share.
    let are_times_of =
        |names: usize, groups: usize| profiles[names].is_time() && repeats_often(&profiles[groups]);
    let fits = |(names, _): (usize, usize), (groups, count): (usize, usize)| {
        (is_dense || are_times_of(names, groups))
            && column_match::accepts(name.column_type, &profiles[names])
            && count * amounts.len() <= MAX_GROUPED_SERIES
    };
    let rank = |(index, _): (usize, usize)| {
        let is_time = profiles[index].is_time();
        (kind.table_fit.has_time_axis && !is_time, columns[index].target.is_none(), !is_time)
    };
    let (best, other) = if rank(second) < rank(first) { (second, first) } else { (first, second) };
    let (names, groups) = [(best, other), (other, best)]
        .into_iter()
        .find(|(names, groups)| fits(*names, *groups))
        .map(|(names, groups)| (names.0, groups.0))?;
    if columns[names].target.is_none() {
        columns[names].assign(name, MatchReason::Type);
    }
    for index in amounts.into_iter().chain([groups]) {
        columns[index].key.clone_from(&columns[index].heading);
        columns[index].target = Some((series, MatchReason::Type));
    }
    Some(RecordLayout::Groups { name, series, groups })
}
