//! Ranks of the records in each period, given by the data or computed from amounts.

use std::collections::HashMap;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::Omission;
use crate::number_text;

/// One line of the chart: a record, or in long form all records with the same label.
pub struct RankedItem {
    /// Label of the line.
    pub label: String,
    /// Whether the line is drawn in the accent color.
    pub highlighted: bool,
    /// Row of the plot in each period, from 0 at the top. None without a value, or if the row is not
    /// shown.
    pub rows_of_ranks: Vec<Option<usize>>,
    /// Rank in each period, from 1. Equal values have the same rank, but rows of their own. None
    /// without a value.
    pub ranks: Vec<Option<usize>>,
    /// Index of the record of each period. None without a value.
    pub rows: Vec<Option<usize>>,
    /// Amount or given rank in each period.
    values: Vec<Option<f64>>,
}

/// The ranks of all lines in all periods.
pub struct RankTable {
    /// Names of the periods.
    pub periods: Vec<String>,
    /// Lines with at least one rank.
    pub items: Vec<RankedItem>,
    /// Number of ranks shown.
    pub rank_count: usize,
}

impl RankTable {
    /// Returns the number of shown ranks, in all periods, that another line shares.
    pub fn count_ties(&self) -> usize {
        let count_in = |period: usize| {
            let mut ranks: Vec<usize> =
                self.items.iter().filter_map(|item| item.rank_in(period)).collect();
            ranks.sort_unstable();
            let groups = ranks.chunk_by(|one, two| one == two);
            groups.map(<[usize]>::len).filter(|length| *length > 1).sum::<usize>()
        };
        (0..self.periods.len()).map(count_in).sum()
    }
}

/// Maximum number of periods read in long form. There is no space for the dots of more.
const MAX_PERIODS: usize = 60;

impl RankedItem {
    /// Creates the line of the record at index `row`, still without ranks. `values` has the amount
    /// or given rank of each period.
    fn new(label: String, highlighted: bool, values: Vec<Option<f64>>, row: usize) -> RankedItem {
        let rows = values.iter().map(|value| value.map(|_| row)).collect();
        RankedItem {
            label,
            highlighted,
            rows_of_ranks: Vec::new(),
            ranks: Vec::new(),
            rows,
            values,
        }
    }

    /// Returns the rank, from 1, in `period`. None if its row is not shown.
    pub fn rank_in(&self, period: usize) -> Option<usize> {
        self.rows_of_ranks.get(period).copied().flatten()?;
        self.ranks.get(period).copied().flatten()
    }

    /// Returns the rank, from 1, in the first period in which the line has a shown row.
    pub fn first_rank(&self) -> Option<usize> {
        (0..self.ranks.len()).find_map(|period| self.rank_in(period))
    }

    /// Returns the rank, from 1, in the last period in which the line has a shown row.
    pub fn last_rank(&self) -> Option<usize> {
        (0..self.ranks.len()).rev().find_map(|period| self.rank_in(period))
    }

    /// Returns the row, from 0, in the last period in which the line has a shown row.
    pub fn last_row(&self) -> Option<usize> {
        self.rows_of_ranks.iter().rev().copied().flatten().next()
    }
}

/// Reads the records and computes their ranks, in long form if a record has a `period`.
///
/// Shows at most `fitting_ranks` ranks but at least two, and no more than the setting `top` allows.
/// Lines that never reach a shown rank are left out. The scene counts lines without a value, and
/// the ranks that only `fitting_ranks` hides.
pub fn read_table(chart: &Chart, fitting_ranks: usize, scene: &mut Scene) -> RankTable {
    let is_long_form = chart.data.iter().any(|record| !data::field(record, "period").is_null());
    let (periods, mut items) =
        if is_long_form { read_long_form(chart, scene) } else { read_columns(chart, scene) };
    let without_value = |item: &&RankedItem| item.values.iter().all(Option::is_none);
    let unranked_count = items.iter().filter(without_value).count();
    if unranked_count < items.len() {
        scene.omit(Omission::NoValue, unranked_count);
    }
    let max_by_setting = chart
        .number_setting("top")
        .filter(|top| *top >= 1.0)
        .map_or(usize::MAX, |top| top as usize);
    let are_ranks = contains_ranks(chart, &items, periods.len());
    let mut rank_count = 0;
    for period in 0..periods.len() {
        rank_count = rank_count.max(assign_ranks(&mut items, period, are_ranks));
    }
    let shown = max_by_setting.min(fitting_ranks.max(2));
    if rank_count > shown && shown < max_by_setting {
        scene.omit(Omission::NoSpace, rank_count - shown);
    }
    for row in items.iter_mut().flat_map(|item| &mut item.rows_of_ranks) {
        *row = row.filter(|row| *row < shown);
    }
    items.retain(|item| item.rows_of_ranks.iter().any(Option::is_some));
    RankTable { periods, items, rank_count: rank_count.min(shown) }
}

/// Reads one line per record that is not blank, and one period per column. Returns periods and
/// lines, the lines still without ranks. The scene counts the periods beyond the maximum of series, and the
/// texts that are no numbers.
fn read_columns(chart: &Chart, scene: &mut Scene) -> (Vec<String>, Vec<RankedItem>) {
    let series = chart.series_for(scene);
    scene.omit(Omission::MissingValue, count_unreadable_texts(chart, &series));
    let item = |(row, record): (usize, &serde_json::Value)| {
        let values =
            series.iter().map(|series| data::number(data::field(record, &series.key))).collect();
        let highlighted = data::is_true(data::field(record, "highlighted"));
        RankedItem::new(data::record_label(record).into_owned(), highlighted, values, row)
    };
    let records = chart.data.iter().enumerate();
    let items = records.filter(|(_, record)| !data::is_blank(record)).map(item).collect();
    (series.into_iter().map(|series| series.title).collect(), items)
}

/// Returns the number of texts that are no numbers in the columns of series, in records that have a
/// value of another series. Empty cells and texts such as "n/a" do not count, because a line may skip
/// a period.
fn count_unreadable_texts(chart: &Chart, series: &[Series]) -> usize {
    let count_in = |record: &serde_json::Value| {
        let cells = series.iter().map(|series| data::field(record, &series.key));
        let is_unreadable = |cell: &&serde_json::Value| {
            let text = cell.as_str().map(str::trim);
            text.is_some_and(|text| !text.is_empty() && !number_text::is_missing(text))
                && data::number(cell).is_none()
        };
        let has_value = cells.clone().any(|cell| data::number(cell).is_some());
        if has_value { cells.filter(is_unreadable).count() } else { 0 }
    };
    chart.data.iter().map(count_in).sum()
}

/// Reads one line per label, with one record per period. Returns periods, in the order of their
/// first record, and lines, still without ranks.
///
/// Skips records without a value, which the scene counts. If several records have the same label
/// and period, the last one counts. Skips periods beyond `MAX_PERIODS` with a warning.
fn read_long_form(chart: &Chart, scene: &mut Scene) -> (Vec<String>, Vec<RankedItem>) {
    let mut periods: Vec<String> = Vec::new();
    let mut items: Vec<RankedItem> = Vec::new();
    let mut indexes: HashMap<String, usize> = HashMap::new();
    let mut missing_count = 0;
    for (row, record) in chart.data.iter().enumerate() {
        let Some(value) = data::number(data::field(record, "value")) else {
            missing_count += usize::from(!data::is_blank(record));
            continue;
        };
        let name = data::display_text(data::field(record, "period"));
        let known = periods.iter().position(|period| *period == name);
        if known.is_none() && periods.len() >= MAX_PERIODS {
            scene.warn(format!("Only the first {MAX_PERIODS} periods are drawn."));
            continue;
        }
        let period = known.unwrap_or_else(|| {
            periods.push(name.into_owned());
            periods.len() - 1
        });
        let label = data::record_label(record).into_owned();
        let index = *indexes.entry(label.clone()).or_insert(items.len());
        if index == items.len() {
            items.push(RankedItem::new(label, false, Vec::new(), row));
        }
        let Some(item) = items.get_mut(index) else { continue };
        item.highlighted |= data::is_true(data::field(record, "highlighted"));
        let length = item.values.len().max(period + 1);
        item.values.resize(length, None);
        item.rows.resize(length, None);
        if let (Some(value_slot), Some(row_slot)) =
            (item.values.get_mut(period), item.rows.get_mut(period))
        {
            (*value_slot, *row_slot) = (Some(value), Some(row));
        }
    }
    if !items.is_empty() {
        scene.omit(Omission::MissingValue, missing_count);
    }
    for item in &mut items {
        item.values.resize(periods.len(), None);
        item.rows.resize(periods.len(), None);
    }
    (periods, items)
}

/// Returns whether the values are ranks and not amounts.
///
/// The setting `values` decides. Without it, values are ranks if each period has whole numbers that
/// start at 1, are not too high, see [`are_low`], and have at most a few ties, see [`are_distinct`].
fn contains_ranks(chart: &Chart, items: &[RankedItem], period_count: usize) -> bool {
    match chart.str_setting("values") {
        "ranks" => return true,
        "amounts" => return false,
        _ => {}
    }
    (0..period_count).all(|period| {
        let mut values: Vec<f64> =
            items.iter().filter_map(|item| item.values.get(period).copied().flatten()).collect();
        values.sort_by(f64::total_cmp);
        values.iter().all(|value| *value >= 1.0 && value.fract() == 0.0)
            && values.first().is_none_or(|value| *value == 1.0)
            && are_distinct(&values)
            && are_low(&values, items.len())
    })
}

/// Returns whether sorted numbers are distinct, apart from ties below the first rank of at most a
/// fourth of them.
fn are_distinct(values: &[f64]) -> bool {
    let is_tie = |pair: &&[f64]| pair.first() == pair.last();
    let ties = values.windows(2).filter(is_tie).count();
    ties == 0 || ties * 4 <= values.len() && values.get(1) != Some(&1.0)
}

/// Returns whether sorted numbers are low enough for ranks of `item_count` lines: not larger than 20
/// or `item_count`, or most of them not larger than `item_count` and none larger than 1000. The lines
/// of a top ten had lower ranks earlier, outside of the ten.
fn are_low(values: &[f64], item_count: usize) -> bool {
    const MAX_EARLIER_RANK: f64 = 1000.0;
    let count = item_count as f64;
    let listed = values.iter().filter(|value| **value <= count).count();
    values.last().is_none_or(|last| {
        *last <= count.max(20.0) || *last <= MAX_EARLIER_RANK && listed * 2 > values.len()
    })
}

/// Appends the rank in `period` (from 1) and its row (from 0) to each item, None without a value.
/// Returns the highest row plus one, or 0 without values.
///
/// With `are_ranks` the values are ranks that start at 1 and may have gaps. Otherwise the values are
/// amounts, and the largest gets rank 1. Equal values have the same rank, which counts the larger ones,
/// as in 1, 2, 2, 4. Their rows follow each other in the order of the data.
fn assign_ranks(items: &mut [RankedItem], period: usize, are_ranks: bool) -> usize {
    let mut order: Vec<(f64, usize)> = (items.iter().enumerate())
        .filter_map(|(index, item)| Some((item.values.get(period).copied().flatten()?, index)))
        .collect();
    if are_ranks {
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
    } else {
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    for item in items.iter_mut() {
        item.ranks.push(None);
        item.rows_of_ranks.push(None);
    }
    let mut next_row = 0;
    let mut previous: Option<(f64, usize)> = None;
    for (position, (value, index)) in order.into_iter().enumerate() {
        // Ranks in the data may have gaps, but two records never share a row.
        let given_row = if are_ranks { (value - 1.0).clamp(0.0, 1e6) as usize } else { 0 };
        let row = given_row.max(next_row);
        let rank = match previous {
            Some((equal, rank)) if equal == value => rank,
            _ if are_ranks => given_row + 1,
            _ => position + 1,
        };
        if let Some(item) = items.get_mut(index) {
            item.ranks.last_mut().into_iter().for_each(|slot| *slot = Some(rank));
            item.rows_of_ranks.last_mut().into_iter().for_each(|slot| *slot = Some(row));
        }
        previous = Some((value, rank));
        next_row = row + 1;
    }
    next_row
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks the values of a single period. Returns the number of rows, and rank and row of each value.
    fn rank_period(
        values: &[Option<f64>],
        are_ranks: bool,
    ) -> (usize, Vec<Option<(usize, usize)>>) {
        let item = |value: &Option<f64>| RankedItem::new(String::new(), false, vec![*value], 0);
        let mut items: Vec<RankedItem> = values.iter().map(item).collect();
        let count = assign_ranks(&mut items, 0, are_ranks);
        let places = items.iter().map(|item| item.ranks[0].zip(item.rows_of_ranks[0]));
        (count, places.collect())
    }

    #[test]
    fn amounts_are_ranked_from_the_largest_and_ties_share_a_rank() {
        let values = [Some(3.0), None, Some(9.0), Some(3.0), Some(1.0)];
        let (count, places) = rank_period(&values, false);
        let expected = vec![Some((2, 1)), None, Some((1, 0)), Some((2, 2)), Some((4, 3))];
        assert_eq!((count, places), (4, expected));
    }

    #[test]
    fn dots_of_equal_values_have_the_same_number() {
        let data = [
            serde_json::json!({"label": "A", "2021": 30, "2022": 10}),
            serde_json::json!({"label": "B", "2021": 20, "2022": 20}),
            serde_json::json!({"label": "C", "2021": 20, "2022": 40}),
            serde_json::json!({"label": "D", "2021": 5, "2022": 50}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("bump").unwrap(), &data));
        let count = |rank: &str| scene.text_boxes().filter(|(text, _)| *text == rank).count();
        assert_eq!(["1", "2", "3", "4"].map(count), [2, 3, 1, 2]);
    }

    #[test]
    fn texts_that_are_no_numbers_are_counted_and_skipped_periods_are_not() {
        let data = [
            serde_json::json!({"label": "A", "2021": 4, "2022": 3, "2023": 5}),
            serde_json::json!({"label": "B", "2021": 7, "2022": "third", "2023": "n/a"}),
            serde_json::json!({"label": "C", "2021": 2, "2022": null, "2023": 1}),
        ];
        let scene = crate::draw(&Chart::new(crate::find_kind("bump").unwrap(), &data));
        assert_eq!(scene.omissions, [(Omission::MissingValue, 1)]);
    }

    #[test]
    fn ranks_outside_of_the_list_are_ranks() {
        let is_ranking = |columns: &[&[f64]]| {
            let row = |row: usize| columns.iter().map(|column| column.get(row).copied()).collect();
            let items: Vec<RankedItem> = (0..columns[0].len())
                .map(|index| RankedItem::new(String::new(), false, row(index), index))
                .collect();
            let chart = Chart::new(&crate::kinds::bump::KIND, &[]);
            contains_ranks(&chart, &items, columns.len())
        };
        // A top five with the earlier ranks of its names.
        assert!(is_ranking(&[&[1.0, 3.0, 4.0, 26.0, 57.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]));
        // Two names share a rank.
        assert!(is_ranking(&[&[1.0, 3.0, 6.0, 6.0, 2.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]));
        assert!(!is_ranking(&[&[1.0, 1.0, 6.0, 5.0, 2.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]));
        assert!(!is_ranking(&[&[1.0, 3.0, 3.0], &[1.0, 2.0, 3.0]]));
        assert!(!is_ranking(&[&[1.0, 30.0, 41.0, 26.0, 57.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]));
        assert!(!is_ranking(&[&[1.0, 3.0, 4.0, 2600.0, 2.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]));
        assert!(!is_ranking(&[&[2.0, 3.0, 4.0, 26.0, 57.0], &[1.0, 2.0, 3.0, 4.0, 5.0]]));
    }

    #[test]
    fn given_ranks_keep_gaps_but_never_share_a_row() {
        let (count, places) = rank_period(&[Some(4.0), Some(1.0), Some(1.0)], true);
        assert_eq!((count, places), (4, vec![Some((4, 3)), Some((1, 0)), Some((1, 1))]));
    }

    #[test]
    fn periods_beyond_the_maximum_are_counted() {
        let periods = (1990..2020).map(|year| (year.to_string(), serde_json::json!(year)));
        let data = [periods.collect()];
        let mut scene = Scene::new(720.0, 405.0, crate::color::WHITE);
        let table = read_table(&Chart::new(&crate::kinds::bump::KIND, &data), 10, &mut scene);
        assert_eq!(table.periods.len(), crate::chart::MAX_SERIES);
        assert_eq!(scene.omissions, [(Omission::Series, 6)]);
    }
}
