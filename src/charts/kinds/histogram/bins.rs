//! Bins of a histogram with their counts, computed from single values or read from the records.

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::{Omission, Term};

/// A range of values with the number of values in it.
pub struct Bin {
    /// Lower edge, inclusive.
    pub from: f64,
    /// Upper edge, exclusive.
    pub to: f64,
    /// Number of values.
    pub count: f64,
    /// Whether the bar is drawn in the accent color.
    pub highlighted: bool,
    /// Index of the first record in the bin.
    pub row: Option<usize>,
}

/// The mean or median of the values.
#[derive(Clone, Copy)]
pub struct Marker {
    /// Name of the marker.
    pub term: Term,
    /// Position on the value axis.
    pub value: f64,
}

/// All bins of a histogram.
pub struct Bins {
    /// Bins in ascending order, without overlap. Given bins may have gaps between them.
    pub all: Vec<Bin>,
    /// Whether all bins have the same width. Then the heights of the bars are counts.
    pub equal_widths: bool,
    /// Whether each bin contains a single whole number.
    pub single_numbers: bool,
    /// All values, ascending. Empty if the records contain bins.
    values: Vec<f64>,
}

/// Equal bins that contain all values.
struct BinLayout {
    /// First edge, as a multiple of the bin width.
    first: f64,
    /// Bin width in the unit of the data.
    width: f64,
    /// Number of bins.
    count: usize,
}

/// Maximum number of bins that the setting `bins` can ask for.
const MAX_BINS: f64 = 100.0;

/// Reads the bins that the records contain. If no record contains one, computes bins from the field
/// `value` of the records, and the scene counts the records without a value. Returns None if there
/// are no values either, or if all given bins are omitted, with a warning.
pub fn read_bins(chart: &Chart, scene: &mut Scene) -> Option<Bins> {
    let given = read_given_bins(chart);
    if !given.is_empty() {
        return close_given_bins(given, scene);
    }
    let mut values: Vec<(f64, usize)> = (chart.data.iter().enumerate())
        .filter_map(|(row, record)| Some((data::number(data::field(record, "value"))?, row)))
        .collect();
    scene.omit(Omission::NoValue, chart.count_missing("value"));
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (low, high) = (values.first()?.0, values.last()?.0);
    let sorted: Vec<f64> = values.iter().map(|entry| entry.0).collect();
    let BinLayout { first, width, count } = choose_bins(chart, &sorted, (low, high));
    let single_numbers = width == 1.0 && sorted.iter().all(|value| value.fract() == 0.0);
    let bin = |index: usize| Bin {
        from: (first + index as f64) * width,
        to: (first + index as f64 + 1.0) * width,
        count: 0.0,
        highlighted: false,
        row: None,
    };
    let mut all: Vec<Bin> = (0..count).map(bin).collect();
    for (value, row) in values {
        let index = (value / width - first + 1e-9).floor().max(0.0) as usize;
        let Some(bin) = all.get_mut(index.min(count - 1)) else { continue };
        bin.count += 1.0;
        bin.row.get_or_insert(row);
        bin.highlighted |= chart
            .data
            .get(row)
            .is_some_and(|record| data::is_true(data::field(record, "highlighted")));
    }
    Some(Bins { all, equal_widths: true, single_numbers, values: sorted })
}

/// Chooses equal bins of a round width for the ascending values `sorted`, from `low` to `high`.
///
/// The setting `bins` is their approximate number, at most `MAX_BINS`; of the round widths, the one
/// that gives the nearest number of bins is used. If all values are whole numbers, so are the
/// widths. Values that are almost equal get one or two bins.
fn choose_bins(chart: &Chart, sorted: &[f64], (low, high): (f64, f64)) -> BinLayout {
    let max_magnitude = low.abs().max(high.abs());
    let span = high - low;
    let wanted_count =
        chart.number_setting("bins").filter(|count| *count >= 1.0).map(|count| count.min(MAX_BINS));
    let are_whole = max_magnitude < 1e9 && sorted.iter().all(|value| value.fract() == 0.0);
    let width = match wanted_count {
        Some(count) => span / count,
        None => choose_default_width(sorted, span),
    };
    let width = if are_whole { width.max(1.0) } else { width };
    // Values that are equal or almost equal form a single bin of readable width.
    let width = if span <= max_magnitude * 1e-6 { max_magnitude * 0.01 } else { width }
        .max(span / MAX_BINS);
    let layouts =
        round_widths(width, are_whole).map(|step| lay_out_bins(step, are_whole, (low, high)));
    // Of several layouts with the same number of bins, the one with the nearest width.
    let distances = |layout: &BinLayout| {
        ((layout.count as f64 - span / width).abs(), (layout.width / width).ln().abs())
    };
    let nearest = layouts.min_by(|one, two| {
        let (one, two) = (distances(one), distances(two));
        one.0.total_cmp(&two.0).then(one.1.total_cmp(&two.1))
    });
    nearest.unwrap_or_else(|| lay_out_bins(1.0, are_whole, (low, high)))
}

/// Returns 1, 2, 2.5 and 5 times the powers of ten around a width, only whole numbers if
/// `are_whole`. Returns nothing for a width of zero.
fn round_widths(width: f64, are_whole: bool) -> impl Iterator<Item = f64> {
    let exponent = width.log10().floor();
    let exponents = [exponent - 1.0, exponent, exponent + 1.0].into_iter();
    let steps =
        exponents.flat_map(|exponent| [1.0, 2.0, 2.5, 5.0].map(|n| n * 10f64.powf(exponent)));
    steps.filter(move |step| *step > 0.0 && step.is_finite() && (!are_whole || step.fract() == 0.0))
}

/// Lays out bins of a width, with edges at its multiples, for values from `low` to `high`.
fn lay_out_bins(width: f64, are_whole: bool, (low, high): (f64, f64)) -> BinLayout {
    let first = (low / width + 1e-9).floor();
    // If all values are whole numbers, the highest value gets a bin that starts at it. Otherwise
    // the last bin includes its upper edge.
    let last =
        if are_whole { (high / width + 1e-9).floor() + 1.0 } else { (high / width - 1e-9).ceil() };
    let count = (last - first).clamp(1.0, MAX_BINS * 3.0) as usize;
    BinLayout { first, width, count }
}

/// Returns the default bin width for the ascending values `sorted`, limited to 5 to 40 bins in
/// `span`.
///
/// It is 1.8 times the range between the quartiles divided by the cube root of the number of
/// values, similar to the rule of Freedman and Diaconis. If the quartiles are equal, it follows
/// from the number of values (Sturges).
fn choose_default_width(sorted: &[f64], span: f64) -> f64 {
    let count = sorted.len() as f64;
    let quantile =
        |share: f64| sorted.get((share * (count - 1.0)).round() as usize).copied().unwrap_or(0.0);
    let quartile_range = quantile(0.75) - quantile(0.25);
    let by_count = span / (count.log2() + 1.0).ceil();
    let width = if quartile_range > 0.0 { 1.8 * quartile_range / count.cbrt() } else { by_count };
    width.clamp(span / 40.0, span / 5.0)
}

/// Reads the records with numbers in the fields `from` and `count` as bins, in the order of the
/// data.
///
/// Does not check overlaps or counts. A bin without an end above its start has a `to` of NaN.
fn read_given_bins(chart: &Chart) -> Vec<Bin> {
    let read_bin = |(row, record): (usize, &serde_json::Value)| {
        let from = data::number(data::field(record, "from"))?;
        let count = data::number(data::field(record, "count"))?;
        let to = data::number(data::field(record, "to")).filter(|to| *to > from);
        let highlighted = data::is_true(data::field(record, "highlighted"));
        Some(Bin { from, to: to.unwrap_or(f64::NAN), count, highlighted, row: Some(row) })
    };
    chart.data.iter().enumerate().filter_map(read_bin).collect()
}

/// Sorts given bins, sets missing ends and closes small gaps. Drops bins that overlap an earlier
/// one, have no width or have a negative count, and warns about it. Returns None if no bin is left.
///
/// A bin without an end extends to the next one, and the last gets the width of the one before.
/// Gaps of at most 1 after bins wider than 1, as between 0 to 17 and 18 to 24, are closed. The last
/// bin is extended by 1 if it is exactly 1 narrower than the one before.
fn close_given_bins(mut given: Vec<Bin>, scene: &mut Scene) -> Option<Bins> {
    given.sort_by(|a, b| a.from.total_cmp(&b.from));
    let starts: Vec<f64> = given.iter().map(|bin| bin.from).collect();
    let mut all: Vec<Bin> = Vec::with_capacity(given.len());
    for (index, mut bin) in given.into_iter().enumerate() {
        if bin.to.is_nan() {
            // A bin without an end extends to the next one. The last has the width of the one
            // before.
            let previous_width = all.last().map_or(1.0, |previous| previous.to - previous.from);
            bin.to = starts.get(index + 1).copied().unwrap_or(bin.from + previous_width);
        }
        // Bins of whole numbers such as 0 to 17 and 18 to 24 have no real gap, so the first extends
        // to the second.
        if let Some(last) = all.last_mut()
            && last.to < bin.from
            && bin.from - last.to <= 1.0
            && last.to - last.from > 1.0
        {
            last.to = bin.from;
        }
        let is_apart = all.last().is_none_or(|last| bin.from >= last.to - 1e-9 * last.to.abs());
        if is_apart && bin.to > bin.from && bin.count >= 0.0 {
            all.push(bin);
        } else {
            scene.warn("Bins that overlap, are empty or have a negative count are omitted.");
        }
    }
    // The last bin of whole numbers is still one narrower than the others, because no bin follows
    // it.
    if let [.., previous, last] = all.as_mut_slice()
        && previous.to - previous.from - (last.to - last.from) == 1.0
    {
        last.to += 1.0;
    }
    let widths = all.iter().map(|bin| bin.to - bin.from);
    let narrowest = widths.clone().fold(f64::INFINITY, f64::min);
    let equal_widths = widths.fold(0.0, f64::max) <= narrowest * 1.01;
    let bins = Bins { all, equal_widths, single_numbers: false, values: Vec::new() };
    (!bins.all.is_empty()).then_some(bins)
}

impl Bins {
    /// Returns the lower edge of the first and the upper edge of the last bin. The second is above
    /// the first.
    pub fn ends(&self) -> (f64, f64) {
        let low = self.all.first().map_or(0.0, |bin| bin.from);
        (low, self.all.last().map_or(1.0, |bin| bin.to).max(low + f64::MIN_POSITIVE))
    }

    /// Returns all edges in ascending order. The common edge of two adjacent bins occurs once.
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

    /// Returns the width of the narrowest bin. Infinite without bins.
    pub fn min_width(&self) -> f64 {
        self.all.iter().map(|bin| bin.to - bin.from).fold(f64::INFINITY, f64::min)
    }

    /// Returns the largest absolute value of an edge.
    pub fn max_magnitude(&self) -> f64 {
        let (low, high) = self.ends();
        low.abs().max(high.abs())
    }

    /// Returns the height of a bar in counts. With bins of unequal width, the count is multiplied
    /// by the width of the narrowest bin and divided by that of `bin`, so that areas are
    /// proportional to counts.
    pub fn height(&self, bin: &Bin) -> f64 {
        if self.equal_widths {
            bin.count
        } else {
            bin.count * (self.min_width() / (bin.to - bin.from))
        }
    }

    /// Returns the marker that the setting `marker` asks for (`mean` or `median`). None for other
    /// settings and for given bins, because their values are unknown.
    pub fn marker(&self, setting: &str) -> Option<Marker> {
        let count = self.values.len();
        let value_at = |index: usize| self.values.get(index).copied();
        match setting {
            "mean" => {
                let share = 1.0 / count as f64;
                let mean: f64 = self.values.iter().map(|value| value * share).sum();
                (count > 0).then_some(Marker { term: Term::Mean, value: mean })
            }
            "median" => {
                let (low, high) = (value_at(count.checked_sub(1)? / 2)?, value_at(count / 2)?);
                Some(Marker { term: Term::Median, value: low + (high - low) / 2.0 })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::color::Color;

    /// Returns the number of bins of values.
    fn count_bins(values: impl Iterator<Item = f64>, settings: &Value) -> usize {
        let data: Vec<Value> = values.map(|value| json!({"value": value})).collect();
        let kind = crate::find_kind("histogram").unwrap();
        let chart = Chart { settings, ..Chart::new(kind, &data) };
        read_bins(&chart, &mut Scene::new(720.0, 405.0, Color::hex(0))).unwrap().all.len()
    }

    /// Returns `count` salaries from 1,900 to about 11,000, most of them near 3,000.
    fn salaries(count: usize) -> impl Iterator<Item = f64> {
        let quantile = move |index: usize| (index as f64 + 0.5) / count as f64;
        (0..count).map(move |index| {
            let share = quantile(index);
            (3200.0 + 700.0 * (share / (1.0 - share)).ln() + 500.0 * share.powi(40) * 10.0)
                .max(1900.0)
                .round()
        })
    }

    #[test]
    fn bins_follow_the_setting_as_far_as_round_widths_permit() {
        let count = |bins: usize| count_bins(salaries(642), &json!({"bins": bins}));
        for (wanted, low, high) in [(10, 7, 14), (20, 18, 24), (40, 36, 48), (60, 45, 75)] {
            let count = count(wanted);
            assert!((low..=high).contains(&count), "{wanted}: {count}");
        }
    }

    #[test]
    fn without_a_setting_200_salaries_have_about_20_bins() {
        let count = count_bins(salaries(200), &Value::Null);
        assert!((15..=25).contains(&count), "{count}");
    }

    #[test]
    fn odd_ranges_have_bins_of_a_readable_width() {
        assert_eq!(count_bins([5.0, 5.0].into_iter(), &Value::Null), 1);
        assert_eq!(count_bins([0.0].into_iter(), &json!({"bins": 100})), 1);
        assert!(count_bins([1e-280, 1e280].into_iter(), &json!({"bins": 100})) <= 105);
        assert_eq!(count_bins((0..6).map(f64::from), &json!({"bins": 6})), 6);
    }
}
