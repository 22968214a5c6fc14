//! Dials of a gauge, read from the records, and the geometry of their rings.

use std::borrow::Cow;
use std::f64::consts::PI;

use kurbo::Point;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, Locale, NumberFormat, Term};
use crate::frame::ChartStyle;
use crate::text;

/// Thickness of the ring as a share of its radius.
pub const THICKNESS_SHARE: f64 = 0.24;

/// Maximum ratio of the largest to the smallest magnitude of values on dials with a common range.
const MAX_COMPARABLE_RATIO: f64 = 20.0;

/// The dial of one record.
pub struct Dial<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Name of the record.
    pub label: Cow<'a, str>,
    /// Value. May be outside the range.
    pub value: f64,
    /// Minimum and maximum.
    pub range: (f64, f64),
    /// Target. None if there is none or if it is outside the range.
    pub target: Option<f64>,
    /// Formatted value.
    pub value_text: String,
    /// Formatted minimum and maximum.
    pub range_text: (String, String),
    /// Name of the target with its formatted value. Empty if the record has no target.
    pub target_text: String,
    /// Color of the ring up to the value.
    pub fill: Color,
}

impl Dial<'_> {
    /// Returns the angle of a value on the half circle in radians, clockwise from twelve o'clock: a
    /// quarter turn to the left at the minimum (negative), to the right at the maximum. A value outside
    /// the range has the angle of the nearest end.
    pub fn angle(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        // Each number is halved first, because the span between two huge numbers could be infinite.
        let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
        (share.clamp(0.0, 1.0) - 0.5) * PI
    }
}

/// The ring of a dial: the upper half of a circle.
#[derive(Clone, Copy)]
pub struct DialRing {
    /// Center of the circle, at the lower edge of the ring.
    pub center: Point,
    /// Outer radius in points.
    pub radius: f64,
}

impl DialRing {
    /// Returns the inner radius in points.
    pub fn inner_radius(&self) -> f64 {
        self.radius * (1.0 - THICKNESS_SHARE)
    }
}

/// Reads one dial per record with a value. The scene counts the other records. Warns about values
/// outside the range of their dial.
pub fn read_dials<'a>(chart: &Chart<'a>, style: &ChartStyle, scene: &mut Scene) -> Vec<Dial<'a>> {
    let shared = chart.shared_format_rules(["value", "target", "min", "max"]);
    let value_rules = chart.format_rules_or("value", &shared);
    let rules_of = |key: &str| chart.format_rules_or(key, &value_rules);
    let target_rules = rules_of("target");
    let any_highlighted =
        chart.data.iter().any(|record| data::is_true(data::field(record, "highlighted")));
    let target_title = read_target_title(chart);
    let common_extent = find_common_extent(chart);
    let ends_are_shares = has_shares_as_ends(chart);
    let fill = |highlighted: bool| match (any_highlighted, highlighted) {
        (false, _) => chart.series_color(0),
        (true, true) => chart.theme.highlight_color,
        (true, false) => style.faded_color(),
    };
    let format = |value: f64, rules: &FormatRules| format_alone(value, rules, chart.locale());
    let mut out_of_range_count = 0;
    let mut dials = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let number = |key: &str| read_number(record, key, ends_are_shares);
        let Some(value) = number("value") else { continue };
        let target = number("target");
        let limits =
            (number("min").or(chart.axis_limit("min")), number("max").or(chart.axis_limit("max")));
        let common_extent = common_extent.filter(|_| limits == (None, None));
        let extent = common_extent.unwrap_or_else(|| extent_of(value, target.unwrap_or(value)));
        let range = dial_range(extent, limits, &value_rules);
        if value < range.0 || value > range.1 {
            out_of_range_count += 1;
        }
        // The ends of the scale are round numbers, and have only the decimals that they need.
        let format_end = |end: f64, key| format(end, &with_needed_decimals(end, rules_of(key)));
        dials.push(Dial {
            row,
            label: data::record_label(record),
            value,
            range,
            target: target.filter(|target| *target >= range.0 && *target <= range.1),
            value_text: format(value, &value_rules),
            range_text: (format_end(range.0, "min"), format_end(range.1, "max")),
            target_text: target.map_or(String::new(), |target| {
                format!("{target_title} {}", format(target, &target_rules)).trim().to_owned()
            }),
            fill: fill(data::is_true(data::field(record, "highlighted"))),
        });
    }
    chart.omit_missing("value", scene);
    if out_of_range_count > 0 {
        scene.warn(format!("Values outside the range of their dial: {out_of_range_count}."));
    }
    dials
}

/// Returns the number of a column. With `ends_are_shares`, returns shares of 1 in other columns than `value` as
/// percentages.
fn read_number(record: &serde_json::Value, key: &str, ends_are_shares: bool) -> Option<f64> {
    let factor = if ends_are_shares && key != "value" { 100.0 } else { 1.0 };
    data::number(data::field(record, key)).map(|number| number * factor)
}

/// Returns whether ends and targets of the dials are shares of 1, such as the target 0.8 of the value 72 %:
/// the values are percentages above 1, and the other columns have no unit, numbers from 0 to 1, and 1 as
/// every maximum. A target without a maximum is a percentage, because 0.5 can be the target of 1.8 %.
fn has_shares_as_ends(chart: &Chart) -> bool {
    let rules = chart.format_rules("value");
    let is_percent = rules.percent || rules.suffix.contains(['%', '٪']);
    let numbers = |key: &'static str| {
        chart.data.iter().filter_map(move |record| data::number(data::field(record, key)))
    };
    let ends = || ["min", "max", "target"].into_iter().flat_map(numbers);
    is_percent
        && !["min", "max", "target"].iter().any(|key| chart.has_format_rules(key))
        && numbers("value").any(|value| value > 1.0)
        && numbers("max").next().is_some()
        && numbers("max").all(|max| max == 1.0)
        && ends().all(|end| (0.0..=1.0).contains(&end))
}

/// Returns `rules` with no more decimals than `value` needs, and without a number of decimals if it
/// would round the value.
fn with_needed_decimals(value: f64, rules: FormatRules) -> FormatRules {
    let is_exact = |decimals: &usize| (value * 10f64.powi(*decimals as i32)).fract() == 0.0;
    let decimals = rules.decimals.and_then(|max| (0..=max).find(is_exact));
    FormatRules { decimals, ..rules }
}

/// Formats a value with the decimals that it needs alone, without regard to other values.
fn format_alone(value: f64, rules: &FormatRules, locale: Locale) -> String {
    NumberFormat::for_values([value].into_iter(), rules, locale).with_parts().text(value)
}

/// Returns the smaller and the larger one of two values.
fn extent_of(one: f64, other: f64) -> (f64, f64) {
    (one.min(other), one.max(other))
}

/// Returns the name of the target: the setting `targetTitle`, also if it is an empty text, else the
/// word in the language of the chart.
fn read_target_title<'a>(chart: &Chart<'a>) -> Cow<'a, str> {
    if chart.setting("targetTitle").is_string() {
        return text::sanitize(chart.settings["targetTitle"].as_str().unwrap_or(""));
    }
    Cow::Borrowed(chart.locale().translate(Term::Target))
}

/// Returns the smallest and the largest of all values and targets of records without `min` and
/// `max`, if the magnitudes other than 0 differ at most by `MAX_COMPARABLE_RATIO`. None otherwise.
///
/// Dials with a common range can be compared. With a range of its own, a dial of 143 would be
/// fuller than one of 247.
fn find_common_extent(chart: &Chart) -> Option<(f64, f64)> {
    let number = |record, key: &str| data::number(data::field(record, key));
    let has_limits = |record| number(record, "min").is_some() || number(record, "max").is_some();
    let records = chart.data.iter().filter(|record| !has_limits(record));
    let numbers = records.flat_map(|record| {
        let value = number(record, "value");
        [value, value.and_then(|_| number(record, "target"))]
    });
    let numbers: Vec<f64> = numbers.flatten().collect();
    let magnitudes = numbers.iter().map(|number| number.abs()).filter(|number| *number > 0.0);
    let smallest = magnitudes.clone().fold(f64::INFINITY, f64::min);
    let largest = magnitudes.fold(0.0, f64::max);
    let extent = |numbers: &[f64]| {
        let first = *numbers.first()?;
        Some(numbers.iter().fold((first, first), |(low, high), n| (low.min(*n), high.max(*n))))
    };
    extent(&numbers).filter(|_| largest <= smallest * MAX_COMPARABLE_RATIO)
}

/// Returns minimum and maximum of a dial.
///
/// `limits` are the minimum and maximum in the document. Missing limits are the ends of a round
/// range that includes zero and the extent of value and target. For percentages, that range is 0
/// to 100 if this includes the extent. If the minimum is not below the maximum, both limits are
/// ignored.
fn dial_range(
    extent: (f64, f64),
    limits: (Option<f64>, Option<f64>),
    rules: &FormatRules,
) -> (f64, f64) {
    let is_percent = rules.percent || rules.suffix.contains(['%', '٪']);
    let (low, high) = (extent.0.min(0.0), extent.1.max(0.0));
    let high = if is_percent && high <= 100.0 && low >= 0.0 { 100.0 } else { high };
    let high = if high > low { high } else { low + 1.0 };
    let (round, _) = rules.round_ticks(low, high, 4);
    let range = (limits.0.unwrap_or(round.0), limits.1.unwrap_or(round.1));
    if range.0 < range.1 { range } else { round }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dial_range_is_rounded_where_none_is_given() {
        let percent = FormatRules { percent: true, ..FormatRules::default() };
        let range =
            |value: f64, limits| dial_range((value, value), limits, &FormatRules::default());
        assert_eq!(dial_range((73.0, 73.0), (None, None), &percent), (0.0, 100.0));
        let (extent, rules) = ((730.0, 800.0), FormatRules::default());
        assert_eq!(dial_range(extent, (None, None), &rules), (0.0, 800.0));
        assert_eq!(range(5.0, (Some(9.0), Some(1.0))), range(5.0, (None, None)));
        let (low, high) = range(-12.0, (None, None));
        assert!(low <= -12.0 && high == 0.0, "{low} {high}");
    }

    #[test]
    fn shares_of_1_are_ends_of_a_dial_of_percentages() {
        let data = [json!({"label": "Depot", "value": 72, "min": 0, "max": 1, "target": 0.8})];
        let settings = json!({"rulesets": {"value": {"displayAsPercentage": true}}});
        let kind = crate::find_kind("gauge").unwrap();
        let chart = Chart { settings: &settings, ..Chart::new(kind, &data) };
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let dials = read_dials(&chart, &ChartStyle::new(&chart), &mut scene);
        assert_eq!((dials[0].range, dials[0].target), ((0.0, 100.0), Some(80.0)));
        let texts = [&dials[0].value_text, &dials[0].range_text.1, &dials[0].target_text];
        assert_eq!(texts, ["72%", "100%", "Target 80%"]);
    }

    #[test]
    fn small_targets_without_a_maximum_are_percentages() {
        let data = [
            json!({"label": "Churn", "value": 2.5, "target": 1}),
            json!({"label": "Errors", "value": 1.8, "target": 0.5}),
        ];
        let settings = json!({"rulesets": {"value": {"displayAsPercentage": true}}});
        let kind = crate::find_kind("gauge").unwrap();
        let chart = Chart { settings: &settings, ..Chart::new(kind, &data) };
        let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
        let dials = read_dials(&chart, &ChartStyle::new(&chart), &mut scene);
        let texts: Vec<&str> = dials.iter().map(|dial| dial.target_text.as_str()).collect();
        assert_eq!(texts, ["Target 1%", "Target 0.5%"]);
    }

    #[test]
    fn comparable_values_without_limits_share_a_range() {
        let ranges = |values: [f64; 3]| -> Vec<(f64, f64)> {
            let data = values.map(|value| json!({"label": "Depot", "value": value}));
            let chart = Chart::new(crate::find_kind("gauge").unwrap(), &data);
            let mut scene = Scene::new(720.0, 405.0, chart.theme.background_color);
            let dials = read_dials(&chart, &ChartStyle::new(&chart), &mut scene);
            dials.iter().map(|dial| dial.range).collect()
        };
        assert_eq!(ranges([247.0, 143.0, 1196.0]), [(0.0, 1500.0); 3]);
        assert_eq!(ranges([4.2, 48.0, 18_420.0]), [(0.0, 5.0), (0.0, 60.0), (0.0, 20_000.0)]);
    }
}
