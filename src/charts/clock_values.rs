//! Values that are durations by the clock, such as `2:06:39` in a list of finish times.

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::frame::ChartStyle;
use crate::frame::axis::{AxisSetting, ValueAxis};
use crate::number_text;
use crate::scale::Ticks;

/// Kinds that read such values in their column `value`.
pub const KINDS: [&str; 1] = ["beeswarm"];
/// Maximum length of a value in bytes.
const MAX_BYTES: usize = 16;
/// Maximum number of digits of the first part.
const MAX_FIRST_DIGITS: usize = 4;
/// Distances of ticks in seconds.
const STEPS: [f64; 21] = [
    0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0,
    3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0,
];

/// Notation of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockFormat {
    /// Whether hours, minutes and seconds are written, instead of two parts.
    has_three_parts: bool,
    /// Number of decimals of the last part, 0 to 3.
    decimals: usize,
    /// Sign before the decimals, as in the records.
    separator: char,
}

impl ClockFormat {
    /// Writes a value in the unit of the last part, such as `2:06:39`, or `6:39` with two parts.
    pub fn text(self, value: f64) -> String {
        let factor = 10f64.powi(self.decimals as i32);
        let rounded = (value.abs() * factor).round();
        let units = (rounded / factor).floor();
        let sign = if value < 0.0 && rounded > 0.0 { "\u{2212}" } else { "" };
        let (minutes, last) = ((units / 60.0).floor(), units % 60.0);
        let start = match self.has_three_parts {
            true => format!("{}:{:02}", (minutes / 60.0).floor(), minutes % 60.0),
            false => format!("{minutes}"),
        };
        let decimals = match self.decimals {
            0 => String::new(),
            count => format!("{}{:0count$}", self.separator, rounded % factor),
        };
        format!("{sign}{start}:{last:02}{decimals}")
    }

    /// Returns an axis from `low` to `high` with about `tick_count` ticks at round times. The settings
    /// `axis.min` and `axis.max` are its ends in the unit of the last part.
    pub fn axis(
        self,
        chart: &Chart,
        style: &ChartStyle,
        (low, high): (f64, f64),
        tick_count: f64,
    ) -> ValueAxis {
        let low = if low >= 0.0 && low <= high * 0.15 { 0.0 } else { low };
        let low = chart.axis_limit("min").unwrap_or(low);
        let high = chart.axis_limit("max").filter(|max| *max > low).unwrap_or(high.max(low));
        let min_step = if self.decimals > 0 { 0.1 } else { 1.0 };
        let is_wide =
            |step: &&f64| **step >= min_step && (high - low) / **step <= tick_count.max(2.0);
        let days = || ((high - low) / 86_400.0 / tick_count.max(2.0)).ceil() * 86_400.0;
        let step = STEPS.iter().find(is_wide).copied().unwrap_or_else(days);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let last = last.max(first + 1.0);
        let fixed = |key: &str, end: f64, round: f64| match chart.axis_limit(key) {
            Some(limit) if limit == end => end,
            _ => round,
        };
        let domain = (fixed("min", low, first * step), fixed("max", high, last * step));
        let count = (last - first).min(1000.0) as usize;
        let ticks = (0..=count).map(|index| (first + index as f64) * step);
        let values: Vec<f64> = ticks.filter(|tick| (domain.0..=domain.1).contains(tick)).collect();
        let format = ClockFormat { decimals: if step < 1.0 { 1 } else { 0 }, ..self };
        let labels = values.iter().map(|value| format.text(*value)).collect();
        let setting = Some(AxisSetting { key: "axis", required: None });
        let axis = ValueAxis::linear(style, domain, Ticks { step, values }, labels);
        ValueAxis { setting, ..axis }
    }
}

/// Parses a duration with two or three parts into the unit of the last part: `2:06:39` into seconds.
/// None for other texts.
pub fn parse(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() > MAX_BYTES {
        return None;
    }
    let parts: Vec<&str> = text.split(':').collect();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (first, others) = parts.split_first()?;
    let (last, middle) = others.split_last()?;
    let whole = last.split(['.', ',']).next()?;
    let has_two_digits = |text: &&str| text.len() == 2 && is_digits(text);
    let fraction = last.get(whole.len() + 1..).unwrap_or_default();
    let is_valid = is_digits(first)
        && first.len() <= MAX_FIRST_DIGITS
        && middle.len() <= 1
        && middle.iter().chain([&whole]).all(has_two_digits)
        && (whole.len() == last.len() || is_digits(fraction));
    if !is_valid {
        return None;
    }
    let mut numbers = [first].into_iter().chain(middle).map(|part| part.parse::<f64>().ok());
    let start = numbers.try_fold(0.0, |sum: f64, number| Some(sum * 60.0 + number?))?;
    let is_below_60 = middle.iter().chain([&whole]).all(|part| part.bytes().next() < Some(b'6'));
    is_below_60.then_some(start * 60.0 + last.replace(',', ".").parse::<f64>().ok()?)
}

/// Returns the notation of the column `value` of the records of a kind, if all of its values are durations
/// or missing. None for other columns and kinds.
pub fn find_format(records: &[Value], slug: &str) -> Option<ClockFormat> {
    if !KINDS.contains(&slug) {
        return None;
    }
    let mut format: Option<ClockFormat> = None;
    for value in records.iter().map(|record| data::field(record, "value")) {
        let text = match value {
            Value::Null => continue,
            Value::String(text) if number_text::is_missing(text.trim()) => continue,
            Value::String(text) => text.trim(),
            _ => return None,
        };
        parse(text)?;
        let decimals = text.rsplit_once(['.', ',']).map_or(0, |(_, digits)| digits.len().min(3));
        let has_three_parts = text.matches(':').count() == 2;
        let separator = if text.contains(',') { ',' } else { '.' };
        let known = format.unwrap_or(ClockFormat { has_three_parts, decimals, separator });
        format = Some(ClockFormat {
            separator,
            has_three_parts: known.has_three_parts || has_three_parts,
            decimals: known.decimals.max(decimals),
        });
    }
    format
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Scene;

    #[test]
    fn durations_are_read_and_written_in_the_same_notation() {
        for (text, value) in [
            ("2:06:39", Some(7599.0)),
            ("27:05:00", Some(97_500.0)),
            ("6:39", Some(399.0)),
            ("59:41.25", Some(3581.25)),
            ("1:60", None),
            ("1:2:03", None),
            ("12", None),
            ("2:06:39:00", None),
            ("09:15–10:00", None),
        ] {
            assert_eq!(parse(text), value, "{text}");
        }
        for text in ["2:06:39", "27:05:00", "0:09:05"] {
            let format = find_format(&[json!({ "value": text })], "beeswarm").unwrap();
            assert_eq!(format.text(parse(text).unwrap()), text);
        }
        let lap = find_format(&[json!({"value": "1:09.05"})], "beeswarm").unwrap();
        assert_eq!(lap.text(69.05), "1:09.05");
        assert_eq!(lap.text(59.999), "1:00.00");
        let mixed = [json!({"value": "2:06:39"}), json!({"value": 3})];
        assert_eq!(find_format(&mixed, "beeswarm"), None);
    }

    #[test]
    fn a_swarm_of_finish_times_has_an_axis_of_times() {
        let times = ["2:01:41", "2:06:39", "2:04:10", "2:11:02", "2:19:55", "n/a", "2:15:07"];
        let data: Vec<Value> = times.map(|time| json!({"label": "R", "value": time})).into();
        let scene: Scene = crate::draw(&Chart::new(crate::find_kind("beeswarm").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for tick in ["2:05:00", "2:10:00", "2:20:00"] {
            assert!(texts.contains(&tick), "{tick}: {texts:?}");
        }
        assert!(scene.description.contains("from 2:01:41"), "{}", scene.description);
        assert_eq!(scene.omissions, [(crate::Omission::NoValue, 1)]);
        assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    }
}
