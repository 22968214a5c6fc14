//! Ranges with their counts: found from single values, or read as they are given.

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Word;
use crate::scale;

/// A range from `from` up to, but without, `to`.
pub struct Bin {
    pub from: f64,
    pub to: f64,
    pub count: f64,
    pub highlighted: bool,
    /// The first record in it.
    pub row: Option<usize>,
}

/// All ranges, rising and without gaps of their own making.
pub struct Bins {
    pub all: Vec<Bin>,
    /// Whether all are equally wide, so that heights are counts.
    pub equal: bool,
    /// Whether each range is one whole number.
    pub single: bool,
    /// The values themselves, rising; empty when ranges were given.
    values: Vec<f64>,
}

/// More ranges than this are drawn by no one; as many as the setting may ask for.
const MOST: f64 = 100.0;

/// The ranges of the records; none without data.
pub fn read(chart: &Chart, scene: &mut Scene) -> Option<Bins> {
    let given = given(chart);
    if !given.is_empty() {
        return counted(given, scene);
    }
    let mut values: Vec<(f64, usize)> = (chart.data.iter().enumerate())
        .filter_map(|(row, it)| Some((data::number(data::field(it, "value"))?, row)))
        .collect();
    values.sort_by(|one, two| one.0.total_cmp(&two.0));
    let (low, high) = (values.first()?.0, values.last()?.0);
    let sorted: Vec<f64> = values.iter().map(|it| it.0).collect();
    let (first, step, count) = ranges(chart, &sorted, (low, high));
    let single = step == 1.0 && sorted.iter().all(|it| it.fract() == 0.0);
    let bin = |index: usize| Bin {
        from: (first + index as f64) * step,
        to: (first + index as f64 + 1.0) * step,
        count: 0.0,
        highlighted: false,
        row: None,
    };
    let mut all: Vec<Bin> = (0..count).map(bin).collect();
    for (value, row) in values {
        let place = (value / step - first + 1e-9).floor().max(0.0) as usize;
        let Some(bin) = all.get_mut(place.min(count - 1)) else { continue };
        bin.count += 1.0;
        bin.row.get_or_insert(row);
        bin.highlighted |=
            chart.data.get(row).is_some_and(|it| data::flag(data::field(it, "highlighted")));
    }
    Some(Bins { all, equal: true, single, values: sorted })
}

/// The first edge in steps, the step and the number of ranges.
fn ranges(chart: &Chart, sorted: &[f64], (low, high): (f64, f64)) -> (f64, f64, usize) {
    let reach = low.abs().max(high.abs());
    let span = high - low;
    let wanted = chart.number("bins").filter(|it| *it >= 1.0).map(|it| it.min(MOST));
    let whole = reach < 1e9 && sorted.iter().all(|it| it.fract() == 0.0);
    let width = match wanted {
        Some(wanted) => span / wanted,
        None => usual_width(sorted, span),
    };
    let width = if whole { width.max(1.0) } else { width };
    // Equal values, and those that differ by next to nothing, make one range of a readable width.
    let width = if span <= reach * 1e-6 { reach * 0.01 } else { width }.max(span / MOST);
    let step = if width > 0.0 { scale::nice(0.0, width * 12.0, 12).1.step } else { 1.0 };
    let step = if whole { step.max(1.0).round() } else { step };
    let first = (low / step + 1e-9).floor();
    // Whole numbers on the last edge get a range of their own, as wide as the others; only among
    // fractions does the last range hold its upper edge.
    let last = if whole { (high / step + 1e-9).floor() + 1.0 } else { (high / step - 1e-9).ceil() };
    (first, step, (last - first).clamp(1.0, MOST * 3.0) as usize)
}

/// After Freedman and Diaconis, within 5 and 40 ranges; by the number of values where half are equal.
fn usual_width(sorted: &[f64], span: f64) -> f64 {
    let count = sorted.len() as f64;
    let at =
        |share: f64| sorted.get((share * (count - 1.0)).round() as usize).copied().unwrap_or(0.0);
    let spread = at(0.75) - at(0.25);
    let by_count = span / (count.log2() + 1.0).ceil();
    let width = if spread > 0.0 { 1.8 * spread / count.cbrt() } else { by_count };
    width.clamp(span / 40.0, span / 5.0)
}

/// The records that name a range with its count.
fn given(chart: &Chart) -> Vec<Bin> {
    let read = |(row, it): (usize, &serde_json::Value)| {
        let from = data::number(data::field(it, "from"))?;
        let count = data::number(data::field(it, "count"))?;
        let to = data::number(data::field(it, "to")).filter(|to| *to > from);
        let highlighted = data::flag(data::field(it, "highlighted"));
        Some(Bin { from, to: to.unwrap_or(f64::NAN), count, highlighted, row: Some(row) })
    };
    chart.data.iter().enumerate().filter_map(read).collect()
}

/// Sorts given ranges and closes open ones; what overlaps or counts below zero goes.
fn counted(mut given: Vec<Bin>, scene: &mut Scene) -> Option<Bins> {
    given.sort_by(|one, two| one.from.total_cmp(&two.from));
    let starts: Vec<f64> = given.iter().map(|it| it.from).collect();
    let mut all: Vec<Bin> = Vec::with_capacity(given.len());
    for (index, mut bin) in given.into_iter().enumerate() {
        if bin.to.is_nan() {
            // A range without an end reaches to the next, the last is as wide as that before it.
            let before = all.last().map_or(1.0, |it| it.to - it.from);
            bin.to = starts.get(index + 1).copied().unwrap_or(bin.from + before);
        }
        // Ages 0 to 17 and 18 to 24 leave a hole of one year that is none.
        if let Some(last) = all.last_mut()
            && last.to < bin.from
            && bin.from - last.to <= 1.0
            && last.to - last.from > 1.0
        {
            last.to = bin.from;
        }
        let clear = all.last().is_none_or(|it| bin.from >= it.to - 1e-9 * it.to.abs());
        if clear && bin.to > bin.from && bin.count >= 0.0 {
            all.push(bin);
        } else {
            scene.warn("Ranges that overlap, are empty or count below zero are left out.");
        }
    }
    if let [.., before, last] = all.as_mut_slice()
        && before.to - before.from - (last.to - last.from) == 1.0
    {
        last.to += 1.0;
    }
    let widths = all.iter().map(|it| it.to - it.from);
    let narrow = widths.clone().fold(f64::INFINITY, f64::min);
    let equal = widths.fold(0.0, f64::max) <= narrow * 1.01;
    if all.is_empty() { None } else { Some(Bins { all, equal, single: false, values: Vec::new() }) }
}

impl Bins {
    /// Lowest and highest edge.
    pub fn ends(&self) -> (f64, f64) {
        let low = self.all.first().map_or(0.0, |it| it.from);
        (low, self.all.last().map_or(1.0, |it| it.to).max(low + f64::MIN_POSITIVE))
    }

    /// All edges, rising.
    pub fn edges(&self) -> Vec<f64> {
        let mut edges: Vec<f64> = Vec::with_capacity(self.all.len() + 1);
        for bin in &self.all {
            if edges.last() != Some(&bin.from) {
                edges.push(bin.from);
            }
            edges.push(bin.to);
        }
        edges
    }

    /// Width of the narrowest range.
    pub fn step(&self) -> f64 {
        self.all.iter().map(|it| it.to - it.from).fold(f64::INFINITY, f64::min)
    }

    /// Largest magnitude of an edge.
    pub fn reach(&self) -> f64 {
        let (low, high) = self.ends();
        low.abs().max(high.abs())
    }

    /// Height of a bar: its count, or its count for each width of the narrowest range, so that
    /// areas stay true.
    pub fn height(&self, bin: &Bin) -> f64 {
        if self.equal { bin.count } else { bin.count * (self.step() / (bin.to - bin.from)) }
    }

    /// Name and place of the wanted mark; found for single values only.
    pub fn marker(&self, word: &str) -> Option<(Word, f64)> {
        let count = self.values.len();
        let middle = |it: usize| self.values.get(it).copied();
        match word {
            "mean" => {
                let share = 1.0 / count as f64;
                let mean: f64 = self.values.iter().map(|it| it * share).sum();
                (count > 0).then_some((Word::Mean, mean))
            }
            "median" => {
                let (low, high) = (middle(count.checked_sub(1)? / 2)?, middle(count / 2)?);
                Some((Word::Median, low + (high - low) / 2.0))
            }
            _ => None,
        }
    }
}
