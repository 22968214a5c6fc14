//! Bins of a histogram with their counts, computed from single values or read from the records.

use crate::Chart;
use crate::Scene;
use crate::class_text;
use crate::class_text::Class;
use crate::data;
use crate::format::{Omission, Term};
use crate::number_text::DecimalSeparator;
use crate::scale::CLOCK_STEPS;

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
    /// End without a limit in the records. Its edge in `from` or `to` is only for the drawing.
    pub open_end: Option<OpenEnd>,
}

/// The end of a bin that has no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenEnd {
    /// As in `under 18`.
    Lower,
    /// As in `65+`.
    Upper,
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
    let given = read_given_bins(chart, scene);
    if !given.is_empty() {
        return close_given_bins(given, scene);
    }
    let mut values: Vec<(f64, usize)> = (chart.data.iter().enumerate())
        .filter_map(|(row, record)| Some((data::number(data::field(record, "value"))?, row)))
        .collect();
    chart.omit_missing("value", scene);
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
        open_end: None,
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
    let widths: Vec<f64> = match chart.format_rules("value").clock {
        Some(_) if width <= CLOCK_STEPS[CLOCK_STEPS.len() - 1] => CLOCK_STEPS.to_vec(),
        _ => round_widths(width).collect(),
    };
    let widths = widths.into_iter().filter(|step| !are_whole || step.fract() == 0.0);
    let layouts = widths.map(|step| lay_out_bins(step, are_whole, (low, high)));
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

/// Returns 1, 2, 2.5 and 5 times the powers of ten around a width. Returns nothing for a width of zero.
fn round_widths(width: f64) -> impl Iterator<Item = f64> {
    let exponent = width.log10().floor();
    let exponents = [exponent - 1.0, exponent, exponent + 1.0].into_iter();
    let steps =
        exponents.flat_map(|exponent| [1.0, 2.0, 2.5, 5.0].map(|n| n * 10f64.powf(exponent)));
    steps.filter(move |step| *step > 0.0 && step.is_finite())
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

/// Reads the records with a count and a class as bins, in the order of the data. The field `from` has
/// the start of a class, or a text with both ends such as `18–29` or `65+`. The scene counts the other
/// records if there are bins.
///
/// Does not check overlaps or counts. A bin without an end above its start has a `to` of NaN, and a bin
/// without a start a `from` of NaN.
fn read_given_bins(chart: &Chart, scene: &mut Scene) -> Vec<Bin> {
    let separator = DecimalSeparator::of_locale(chart.locale());
    let number = |record: &serde_json::Value, key: &str| data::number(data::field(record, key));
    let read_bin = |(row, record): (usize, &serde_json::Value)| {
        let count = number(record, "count")?;
        let (from, to) = (number(record, "from"), number(record, "to"));
        let text = data::display_text(data::field(record, "from"));
        let class = match from {
            None => class_text::parse(&text, separator),
            Some(_) => None,
        };
        let class = class.unwrap_or(Class { from, to });
        let to = class.to.or(to).filter(|to| class.from.is_none_or(|from| *to > from));
        let open_end = match (class.from, to) {
            (None, None) => return None,
            (None, Some(_)) => Some(OpenEnd::Lower),
            (Some(_), None) => Some(OpenEnd::Upper),
            (Some(_), Some(_)) => None,
        };
        let (from, to) = (class.from.unwrap_or(f64::NAN), to.unwrap_or(f64::NAN));
        let highlighted = data::is_true(data::field(record, "highlighted"));
        Some(Bin { from, to, count, highlighted, row: Some(row), open_end })
    };
    let bins: Vec<Bin> = chart.data.iter().enumerate().filter_map(read_bin).collect();
    if !bins.is_empty() {
        scene.omit(Omission::Incomplete, chart.record_count().saturating_sub(bins.len()));
    }
    bins
}

/// Sorts given bins, and sets missing starts and ends.
///
/// A bin without an end extends to the next one, and the last gets the width of the one before. Only the
/// last is open, and only if others have ends. A bin without a start has the width of the next one, but
/// does not begin below 0 if the others do not.
fn complete_given_bins(given: &mut [Bin]) {
    let starts: Vec<f64> =
        given.iter().map(|bin| bin.from).filter(|from| from.is_finite()).collect();
    let is_limited = given.iter().any(|bin| bin.from.is_finite() && bin.to.is_finite());
    let lowest = starts.iter().copied().fold(f64::INFINITY, f64::min);
    let mut first_width = 1.0;
    if let Some(next) = given.iter().find(|bin| bin.from == lowest) {
        let ends = starts.iter().copied().filter(|start| *start > lowest);
        let start = ends.fold(f64::INFINITY, f64::min);
        // Classes such as 18 to 29 and 30 to 49 have no real gap.
        let end = if start - next.to <= 1.0 || next.to.is_nan() { start } else { next.to };
        first_width = if end.is_finite() { end - lowest } else { first_width };
    }
    for bin in given.iter_mut().filter(|bin| bin.from.is_nan()) {
        let from = bin.to - first_width;
        bin.from = if bin.to > 0.0 && lowest >= 0.0 { from.max(0.0) } else { from };
    }
    given.sort_by(|one, two| one.from.total_cmp(&two.from));
    let starts: Vec<f64> = given.iter().map(|bin| bin.from).collect();
    let mut width = 1.0;
    for (index, bin) in given.iter_mut().enumerate() {
        let next = starts.get(index + 1).copied();
        if bin.to.is_nan() {
            bin.to = next.unwrap_or(bin.from + width);
        }
        if bin.open_end == Some(OpenEnd::Upper) && (next.is_some() || !is_limited) {
            bin.open_end = None;
        }
        width = next.map_or(width, |next| next - bin.from);
    }
}

/// Closes small gaps between given bins. Drops bins that overlap an earlier one, have no width or have a
/// negative count, and warns about it. The scene counts them. Returns None if no bin is left.
///
/// Gaps of at most 1 after bins wider than 1, as between 0 to 17 and 18 to 24, are closed. The last
/// bin is extended by 1 if all gaps were 1, or if it is exactly 1 narrower than the one before.
fn close_given_bins(mut given: Vec<Bin>, scene: &mut Scene) -> Option<Bins> {
    complete_given_bins(&mut given);
    let mut all: Vec<Bin> = Vec::with_capacity(given.len());
    let mut whole_gaps = 0;
    for bin in given {
        // Bins of whole numbers such as 0 to 17 and 18 to 24 have no real gap, so the first extends
        // to the second.
        if let Some(last) = all.last_mut()
            && last.to < bin.from
            && bin.from - last.to <= 1.0
            && last.to - last.from > 1.0
        {
            whole_gaps += usize::from(bin.from - last.to == 1.0);
            last.to = bin.from;
        }
        let is_apart = all.last().is_none_or(|last| bin.from >= last.to - 1e-9 * last.to.abs());
        if is_apart && bin.to > bin.from && bin.count >= 0.0 {
            all.push(bin);
        } else {
            let is_negative = bin.count < 0.0;
            scene.omit(if is_negative { Omission::BelowZero } else { Omission::Unknown }, 1);
            scene.warn("Bins that overlap, are empty or have a negative count are omitted.");
        }
    }
    // The last bin of whole numbers is still one narrower than the others, because no bin follows
    // it.
    let last_index = all.len().saturating_sub(1);
    if let [.., previous, last] = all.as_mut_slice()
        && last.open_end.is_none()
        && (previous.to - previous.from - (last.to - last.from) == 1.0 || whole_gaps == last_index)
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

    /// Returns whether the first bin has no lower limit, and whether the last has no upper one.
    pub fn open_ends(&self) -> (bool, bool) {
        let is_open = |bin: Option<&Bin>, end| bin.is_some_and(|bin| bin.open_end == Some(end));
        (is_open(self.all.first(), OpenEnd::Lower), is_open(self.all.last(), OpenEnd::Upper))
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
    fn classes_in_texts_and_open_classes_are_bins() {
        let bins = |classes: &[(&str, Value)]| {
            let record = |(from, to): &(&str, Value)| json!({"from": from, "to": to, "count": 5});
            let data: Vec<Value> = classes.iter().map(record).collect();
            let chart = Chart::new(crate::find_kind("histogram").unwrap(), &data);
            let mut scene = Scene::new(720.0, 405.0, Color::hex(0));
            let bins = read_bins(&chart, &mut scene).unwrap();
            (bins.edges(), bins.open_ends(), scene.omissions)
        };
        let none = Value::Null;
        let ages = ["under 18", "18–29", "30–49", "50–64", "65+"].map(|age| (age, none.clone()));
        let edges = [6.0, 18.0, 30.0, 50.0, 65.0, 80.0];
        assert_eq!(bins(&ages), (edges.to_vec(), (true, true), vec![]));
        let sizes = ["1 to 9", "10 to 49", "Total", "50 and more"].map(|size| (size, none.clone()));
        let edges = vec![1.0, 10.0, 50.0, 90.0];
        assert_eq!(bins(&sizes), (edges, (false, true), vec![(Omission::Incomplete, 1)]));
        let closed = ["0–17", "18–29", "30–49", "50–64"].map(|age| (age, none.clone()));
        let edges = vec![0.0, 18.0, 30.0, 50.0, 65.0];
        assert_eq!(bins(&closed), (edges, (false, false), vec![]));
        let columns = [("0", json!(20)), ("20", json!(40)), ("40", none.clone())];
        assert_eq!(bins(&columns), (vec![0.0, 20.0, 40.0, 60.0], (false, true), vec![]));
        let starts = [("0", none.clone()), ("20", none.clone())];
        assert_eq!(bins(&starts), (vec![0.0, 20.0, 40.0], (false, false), vec![]));
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
