//! Ranks out of records, given or counted from amounts.

use std::collections::HashMap;

use crate::Chart;
use crate::Scene;
use crate::data;

/// A line: a record, or all records of a label in long form.
pub struct Item {
    pub label: String,
    pub highlighted: bool,
    /// The rank in each period, from 0; none where it has no value or ranks too low.
    pub ranks: Vec<Option<usize>>,
    /// The record of each period.
    pub rows: Vec<Option<usize>>,
    values: Vec<Option<f64>>,
}

/// All lines over all periods.
pub struct Table {
    pub periods: Vec<String>,
    pub items: Vec<Item>,
    /// Number of ranks that are shown.
    pub ranks: usize,
}

/// More periods than this have no room for their dots.
const MOST_PERIODS: usize = 60;

impl Item {
    fn new(label: String, highlighted: bool, values: Vec<Option<f64>>, row: usize) -> Item {
        let rows = values.iter().map(|it| it.map(|_| row)).collect();
        Item { label, highlighted, ranks: Vec::new(), rows, values }
    }

    /// The first period with a rank, and that.
    pub fn first(&self) -> Option<(usize, usize)> {
        self.ranks.iter().enumerate().find_map(|(at, it)| Some((at, (*it)?)))
    }

    /// The last period with a rank, and that.
    pub fn last(&self) -> Option<(usize, usize)> {
        self.ranks.iter().enumerate().rev().find_map(|(at, it)| Some((at, (*it)?)))
    }
}

/// The lines that hold one of the first ranks at some time; at most `fitting` ranks.
pub fn read(chart: &Chart, fitting: usize, scene: &mut Scene) -> Table {
    let long = chart.data.iter().any(|it| !data::field(it, "period").is_null());
    let (periods, mut items) = if long { gather(chart, scene) } else { columns(chart) };
    let wanted = chart.number("top").filter(|it| *it >= 1.0).map_or(usize::MAX, |it| it as usize);
    let given = is_given(chart, &items, periods.len());
    let mut ranks = 0;
    for period in 0..periods.len() {
        ranks = ranks.max(rank(&mut items, period, given));
    }
    let most = wanted.min(fitting.max(2));
    if ranks > most && most < wanted {
        scene.warn(format!("Only the first {most} of {ranks} ranks have room."));
    }
    for rank in items.iter_mut().flat_map(|it| &mut it.ranks) {
        *rank = rank.filter(|it| *it < most);
    }
    items.retain(|it| it.ranks.iter().any(Option::is_some));
    Table { periods, items, ranks: ranks.min(most) }
}

/// One line a record, one column a period.
fn columns(chart: &Chart) -> (Vec<String>, Vec<Item>) {
    let series = chart.series();
    let item = |(row, record): (usize, &serde_json::Value)| {
        let values = series.iter().map(|it| data::number(data::field(record, &it.key))).collect();
        let highlighted = data::flag(data::field(record, "highlighted"));
        Item::new(data::label(record).into_owned(), highlighted, values, row)
    };
    let items = chart.data.iter().enumerate().map(item).collect();
    (series.into_iter().map(|it| it.title).collect(), items)
}

/// One line a label, whose records name a period each; periods stand as they first occur.
fn gather(chart: &Chart, scene: &mut Scene) -> (Vec<String>, Vec<Item>) {
    let mut periods: Vec<String> = Vec::new();
    let mut items: Vec<Item> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (row, record) in chart.data.iter().enumerate() {
        let Some(value) = data::number(data::field(record, "value")) else { continue };
        let name = data::words(data::field(record, "period"));
        let known = periods.iter().position(|it| *it == name);
        if known.is_none() && periods.len() >= MOST_PERIODS {
            scene.warn(format!("Only the first {MOST_PERIODS} periods are drawn."));
            continue;
        }
        let period = known.unwrap_or_else(|| {
            periods.push(name.into_owned());
            periods.len() - 1
        });
        let label = data::label(record).into_owned();
        let place = *places.entry(label.clone()).or_insert(items.len());
        if place == items.len() {
            items.push(Item::new(label, false, Vec::new(), row));
        }
        let Some(item) = items.get_mut(place) else { continue };
        item.highlighted |= data::flag(data::field(record, "highlighted"));
        let length = item.values.len().max(period + 1);
        item.values.resize(length, None);
        item.rows.resize(length, None);
        if let (Some(slot), Some(at)) = (item.values.get_mut(period), item.rows.get_mut(period)) {
            (*slot, *at) = (Some(value), Some(row));
        }
    }
    for item in &mut items {
        item.values.resize(periods.len(), None);
        item.rows.resize(periods.len(), None);
    }
    (periods, items)
}

/// Whether the values are ranks: said so, or whole numbers from 1 of which no period has one twice.
fn is_given(chart: &Chart, items: &[Item], periods: usize) -> bool {
    match chart.word("values") {
        "ranks" => return true,
        "amounts" => return false,
        _ => {}
    }
    let highest = items.len().max(20) as f64;
    (0..periods).all(|period| {
        let mut all: Vec<f64> =
            items.iter().filter_map(|it| it.values.get(period).copied().flatten()).collect();
        all.sort_by(f64::total_cmp);
        let sound = all.iter().all(|it| *it >= 1.0 && *it <= highest && it.fract() == 0.0);
        sound
            && all.first().is_none_or(|it| *it == 1.0)
            && all.windows(2).all(|it| it.first() != it.last())
    })
}

/// Ranks the values of a period: the least given rank, or the largest amount, comes first. Equal
/// ones keep the order of the data. Returns the number of ranks that are taken.
fn rank(items: &mut [Item], period: usize, given: bool) -> usize {
    let mut order: Vec<(f64, usize)> = (items.iter().enumerate())
        .filter_map(|(index, it)| Some((it.values.get(period).copied().flatten()?, index)))
        .collect();
    if given {
        order.sort_by(|one, two| one.0.total_cmp(&two.0));
    } else {
        order.sort_by(|one, two| two.0.total_cmp(&one.0));
    }
    for item in items.iter_mut() {
        item.ranks.push(None);
    }
    let mut taken = 0;
    for (value, index) in order {
        // Given ranks may leave places free, but two never share one.
        let asked = if given { (value - 1.0).clamp(0.0, 1e6) as usize } else { 0 };
        let place = asked.max(taken);
        if let Some(slot) = items.get_mut(index).and_then(|it| it.ranks.last_mut()) {
            *slot = Some(place);
        }
        taken = place + 1;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(values: &[Option<f64>], given: bool) -> (usize, Vec<Option<usize>>) {
        let item = |it: &Option<f64>| Item::new(String::new(), false, vec![*it], 0);
        let mut items: Vec<Item> = values.iter().map(item).collect();
        let taken = rank(&mut items, 0, given);
        (taken, items.iter().filter_map(|it| it.ranks.first().copied()).collect())
    }

    #[test]
    fn amounts_rank_from_the_largest_and_equal_ones_in_their_order() {
        let (taken, ranks) = ranked(&[Some(3.0), None, Some(9.0), Some(3.0)], false);
        assert_eq!((taken, ranks), (3, vec![Some(1), None, Some(0), Some(2)]));
    }

    #[test]
    fn given_ranks_keep_free_places_but_never_share_one() {
        let (taken, ranks) = ranked(&[Some(4.0), Some(1.0), Some(1.0)], true);
        assert_eq!((taken, ranks), (4, vec![Some(3), Some(0), Some(1)]));
    }
}
