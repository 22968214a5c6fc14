//! Columns of durations by the clock, such as `2:06:39` in a list of finish times.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::data;
use crate::format::{
    ClockFormat, has_parts_of_seconds, is_compound_duration, parse_clock, parse_seconds,
};
use crate::number_columns;
use crate::number_text;

/// Columns with scales of their own. All others of a kind may share one.
const COLUMNS_WITH_OWN_SCALE: [&str; 10] =
    ["x", "y", "size", "width", "count", "change", "lat", "lon", "latitude", "longitude"];
/// Columns of flags and of the order, which are not on a scale.
const COLUMNS_WITHOUT_SCALE: [&str; 3] = ["highlighted", "total", "order"];
/// Kinds with times of day.
const KINDS_WITHOUT_DURATIONS: [&str; 3] = ["gantt", "roadmap", "timeline"];
/// The table, which shows all cells as they are, except seconds beside longer durations.
const TABLE: &str = "table";

/// Kinds with a column for each series, under any key. All others have fixed keys.
const KINDS_WITH_SERIES: [&str; 13] = [
    "area",
    "bump",
    "combo",
    "grouped-column",
    "harvey-balls",
    "likert",
    "line",
    "marimekko",
    "percent-column",
    "radar",
    "small-multiples",
    "stacked-column",
    "time-series",
];
/// Keys of numbers in kinds with fixed keys.
const KEYS: [&str; 38] = [
    "value",
    "values",
    "target",
    "min",
    "max",
    "low",
    "high",
    "low2",
    "high2",
    "base",
    "before",
    "after",
    "actual",
    "plan",
    "planned",
    "forecast",
    "previous",
    "projected",
    "median",
    "q1",
    "q3",
    "mean",
    "left",
    "right",
    "band1",
    "band2",
    "band3",
    "open",
    "close",
    "x",
    "y",
    "size",
    "width",
    "count",
    "change",
    "from",
    "to",
    "seats",
];

impl Column {
    /// Adds a cell of the column. A list has several, such as the values of a box plot.
    fn add(&mut self, value: &Value) {
        let join = |known: Option<ClockFormat>, format: ClockFormat| {
            Some(known.map_or(format, |known| known.join(format)))
        };
        match value {
            Value::Array(list) => list.iter().for_each(|value| self.add(value)),
            Value::String(text) if number_text::is_missing(text.trim()) => {}
            Value::String(text) if parse_clock(text).is_some() => {
                self.is_compound |= is_compound_duration(text);
                self.has_parts_of_seconds |= has_parts_of_seconds(text);
                self.format = join(self.format, ClockFormat::of_text(text));
            }
            value if read_seconds(value).is_some() => {
                let text = data::display_text(value);
                self.seconds = join(self.seconds, ClockFormat::of_seconds(&text));
            }
            value if data::number(value).is_some() => self.has_numbers = true,
            Value::String(_) => self.has_texts = true,
            _ => {}
        }
    }

    /// Decides whether the numbers are seconds or other numbers, after all cells are added.
    fn settle_seconds(&mut self) {
        let Some(seconds) = self.seconds else { return };
        match self.format {
            Some(format) if self.has_parts_of_seconds => self.format = Some(format.join(seconds)),
            _ => self.has_numbers = true,
        }
    }
}

/// Returns a number that may be seconds beside `2:04.11`. None for other values.
fn read_seconds(value: &Value) -> Option<f64> {
    match value {
        Value::Number(_) => parse_seconds(&data::display_text(value)),
        Value::String(text) => parse_seconds(text),
        _ => None,
    }
}

/// Records with numbers instead of durations, and settings with the notation of their columns.
pub struct ClockColumns {
    /// Records with durations in the unit of their last part.
    pub records: Vec<Value>,
    /// Settings of the chart, in which [`ClockFormat`] is a rule of each column of durations.
    pub settings: Value,
}

/// Values of a column.
#[derive(Default)]
struct Column {
    /// Notation of all durations. None without durations.
    format: Option<ClockFormat>,
    /// Whether a duration has several parts. Without one, `45 min` is a number with a unit.
    is_compound: bool,
    /// Notation of all numbers that may be seconds beside `2:04.11`. None without such numbers.
    seconds: Option<ClockFormat>,
    /// Whether a duration has parts of a second, so that numbers in the same column are seconds.
    has_parts_of_seconds: bool,
    /// Whether a value is a number, and not seconds beside `2:04.11`.
    has_numbers: bool,
    /// Whether a value is another text.
    has_texts: bool,
}

/// Reads the columns in which all values are durations by the clock, or missing. None if there are none.
/// Numbers beside durations with parts of a second, as in `26.41` beside `2:04.11`, are seconds.
///
/// Columns that may share a scale have one notation. They stay texts if another column of numbers may be on
/// that scale, because one axis cannot show both.
pub fn read_durations(records: &[Value], settings: &Value, slug: &str) -> Option<ClockColumns> {
    if KINDS_WITHOUT_DURATIONS.contains(&slug) {
        return None;
    }
    let is_clock_value = |value: &Value| value.as_str().is_some_and(is_compound_duration);
    let has_clock_value = |value: &Value| match value {
        Value::Array(list) => list.iter().any(is_clock_value),
        value => is_clock_value(value),
    };
    let first_records = records.iter().filter_map(Value::as_object);
    if !first_records.flat_map(|record| record.values()).any(has_clock_value) {
        return None;
    }
    let columns = examine(records, &list_series(settings), slug);
    if slug == TABLE {
        return write_seconds(records, settings, &columns);
    }
    let formats = decide(&columns, &Scales::new(settings, slug));
    if formats.is_empty() {
        return None;
    }
    let mut converted = records.to_vec();
    for (key, value) in converted.iter_mut().filter_map(Value::as_object_mut).flatten() {
        match value {
            _ if !formats.contains_key(key.as_str()) => {}
            Value::Array(list) => list.iter_mut().for_each(convert),
            value => convert(value),
        }
    }
    Some(ClockColumns { records: converted, settings: add_rules(settings, &formats) })
}

/// Turns a duration into a number in the unit of its last part. Other values stay as they are.
fn convert(value: &mut Value) {
    if let Some(number) = value.as_str().and_then(parse_clock).or_else(|| read_seconds(value)) {
        *value = json!(number);
    }
}

/// Writes the seconds of a table like the durations in their column, as texts. All other cells stay as they
/// are. None if there are no seconds.
fn write_seconds(
    records: &[Value],
    settings: &Value,
    columns: &BTreeMap<&str, Column>,
) -> Option<ClockColumns> {
    let format_of = |key: &str| {
        let column = columns.get(key).filter(|column| !column.has_numbers && !column.has_texts)?;
        column.seconds.and(column.format)
    };
    if !columns.keys().any(|key| format_of(key).is_some()) {
        return None;
    }
    let mut converted = records.to_vec();
    for (key, value) in converted.iter_mut().filter_map(Value::as_object_mut).flatten() {
        if let Some(format) = format_of(key)
            && let Some(seconds) = read_seconds(value)
        {
            *value = Value::from(format.text(seconds));
        }
    }
    Some(ClockColumns { records: converted, settings: settings.clone() })
}

/// Returns the keys in the setting `series`. Empty without it.
fn list_series(settings: &Value) -> Vec<&str> {
    let series = settings["series"].as_array();
    series.into_iter().flatten().filter_map(|entry| entry["key"].as_str()).collect()
}

/// Returns the columns of all records that the kind may draw as numbers, by key. `series` has the keys of
/// the series that are shown, or is empty if all are.
fn examine<'a>(records: &'a [Value], series: &[&str], slug: &str) -> BTreeMap<&'a str, Column> {
    let has_series = KINDS_WITH_SERIES.contains(&slug);
    let may_be_drawn = |key: &str| match has_series {
        _ if slug == TABLE => true,
        true => series.is_empty() || series.contains(&key),
        false => KEYS.contains(&key),
    };
    let mut columns: BTreeMap<&str, Column> = BTreeMap::new();
    for (key, value) in records.iter().filter_map(Value::as_object).flatten() {
        if number_columns::TEXT_COLUMNS.contains(&key.as_str()) || !may_be_drawn(key) {
            continue;
        }
        columns.entry(key).or_default().add(value);
    }
    columns.values_mut().for_each(Column::settle_seconds);
    columns
}

/// Value scales of a chart.
struct Scales<'a> {
    /// Keys of the series with a common axis of their own, such as the lines of a combo chart.
    second_axis: Vec<&'a str>,
    /// Whether each series has an axis of its own.
    are_separate: bool,
}

impl<'a> Scales<'a> {
    /// Reads the scales from the settings of a chart. With the setting `secondAxis`, the lines of a combo
    /// chart have an axis of their own: those in the setting `lines`, or else the last of several series. With
    /// the setting `sharedAxis` false, each series has one.
    fn new(settings: &'a Value, slug: &str) -> Self {
        let series = list_series(settings);
        let lines = settings["lines"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let is_series = |key: &&str| series.is_empty() || series.contains(key);
        let mut lines: Vec<&str> = lines.filter(is_series).collect();
        if lines.is_empty() && series.len() > 1 {
            lines.extend(series.last());
        }
        let has_second_axis = slug == "combo" && settings["secondAxis"] == true;
        Self {
            second_axis: if has_second_axis { lines } else { Vec::new() },
            are_separate: slug == "small-multiples" && settings["sharedAxis"] == false,
        }
    }

    /// Returns the name of the scale of a column: its key if it has one of its own. None for a column that is
    /// not on a scale.
    fn find<'k>(&self, key: &'k str) -> Option<&'k str> {
        match key {
            key if COLUMNS_WITHOUT_SCALE.contains(&key) => None,
            key if self.are_separate || COLUMNS_WITH_OWN_SCALE.contains(&key) => Some(key),
            key if self.second_axis.contains(&key) => Some("second"),
            _ => Some(""),
        }
    }
}

/// Returns the notation of the columns of durations. Columns on the same scale have the same one, and none if
/// another column of numbers is on it.
fn decide<'a>(
    columns: &BTreeMap<&'a str, Column>,
    scales: &Scales<'_>,
) -> BTreeMap<&'a str, ClockFormat> {
    let durations = columns
        .iter()
        .filter(|(_, column)| !column.has_numbers && !column.has_texts && column.is_compound);
    let durations: Vec<(&str, ClockFormat)> =
        durations.filter_map(|(key, column)| Some((*key, column.format?))).collect();
    let find_common = |key: &str| {
        let scale = scales.find(key);
        let is_beside = |other: &str| scale.is_some() && scales.find(other) == scale;
        let mut others = columns.iter().filter(|(other, _)| is_beside(other));
        let formats = durations.iter().filter(|(other, _)| *other == key || is_beside(other));
        let common = formats.map(|(_, format)| *format).reduce(ClockFormat::join);
        common.filter(|_| !others.any(|(_, column)| column.has_numbers))
    };
    durations.iter().filter_map(|(key, _)| Some((*key, find_common(key)?))).collect()
}

/// Returns the settings of a chart with the notation of columns of durations.
fn add_rules(settings: &Value, formats: &BTreeMap<&str, ClockFormat>) -> Value {
    let mut settings = if settings.is_object() { settings.clone() } else { json!({}) };
    if !settings["rulesets"].is_object() {
        settings["rulesets"] = json!({});
    }
    for (key, format) in formats {
        let rules = &mut settings["rulesets"][*key];
        if !rules.is_object() {
            *rules = json!({});
        }
        rules["clock"] = format.to_rule();
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;
    use crate::Omission;
    use crate::Scene;

    /// Draws records and returns the scene with its texts.
    fn draw(slug: &str, data: &[Value]) -> (Scene, Vec<String>) {
        let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), data));
        let texts = scene.text_boxes().map(|(text, _)| text.to_owned()).collect();
        (scene, texts)
    }

    #[test]
    fn a_swarm_of_finish_times_has_an_axis_of_times() {
        let times = ["2:01:41", "2:06:39", "2:04:10", "2:11:02", "2:19:55", "n/a", "2:15:07"];
        let data: Vec<Value> = times.map(|time| json!({"label": "R", "value": time})).into();
        let (scene, texts) = draw("beeswarm", &data);
        for tick in ["2:05:00", "2:10:00", "2:20:00"] {
            assert!(texts.iter().any(|text| text == tick), "{tick}: {texts:?}");
        }
        assert!(scene.description.contains("from 2:01:41"), "{}", scene.description);
        assert_eq!(scene.omissions, [(crate::Omission::NoValue, 1)]);
        assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    }

    #[test]
    fn a_box_plot_of_durations_counts_and_names_the_box_with_a_missing_one() {
        let data = [
            json!({"label": "A", "values": ["0:12:30", "0:14:10", "0:11:05"]}),
            json!({"label": "B", "values": ["1:02:00", "n/a", "0:58:12"]}),
        ];
        let (scene, texts) = draw("box-plot", &data);
        for median in ["0:12:30", "1:00:06"] {
            assert!(texts.iter().any(|text| text == median), "{median}: {texts:?}");
        }
        assert_eq!(scene.warnings, ["Missing values: 1 (B)."]);
    }

    #[test]
    fn a_time_account_has_bars_below_zero() {
        let data = [("Ann", "1:15"), ("Ben", "-2:30"), ("Cid", "0:00")]
            .map(|(name, balance)| json!({"label": name, "value": balance}));
        let (scene, texts) = draw("bar", &data);
        for label in ["1:15", "\u{2212}2:30", "0:00"] {
            assert!(texts.iter().any(|text| text == label), "{label}: {texts:?}");
        }
        assert_eq!(scene.warnings, [""; 0]);
    }

    #[test]
    fn bars_lines_and_shares_print_durations() {
        let days = [("Mon", "7:45"), ("Tue", "6:30"), ("Wed", "8:10")];
        let data = days.map(|(day, time)| json!({"label": day, "value": time}));
        for slug in ["bar", "lollipop", "donut", "treemap", "radial-bar", "waterfall", "funnel"] {
            let (scene, texts) = draw(slug, &data);
            for (_, time) in days {
                let is_shown = texts.iter().any(|text| text.contains(time));
                assert!(is_shown, "{slug}, {time}: {texts:?}");
            }
            assert!(scene.warnings.iter().all(|warning| !warning.contains("number")), "{slug}");
        }
        let months = [("2024-01", "4:32", "1:20"), ("2024-02", "4:41", "0:58")];
        let data = months
            .map(|(month, call, wait)| json!({"date": month, "label": month, "Call": call, "Wait": wait}));
        for slug in ["line", "time-series", "grouped-column", "stacked-column"] {
            let (_, texts) = draw(slug, &data);
            assert!(texts.iter().any(|text| text == "2:00" || text == "4:41"), "{slug}: {texts:?}");
        }
    }

    #[test]
    fn seconds_beside_minutes_have_the_same_notation() {
        let times = [json!("26.41"), json!(57.3), json!("2:04.11"), json!("4:21,05"), json!("n/a")];
        let data = times.map(|time| json!({"label": "A", "value": time}));
        for slug in ["bar", "lollipop", "table"] {
            let (scene, texts) = draw(slug, &data);
            for time in ["0:26.41", "0:57.30", "2:04.11"] {
                let is_shown = texts.iter().any(|text| text.replace(',', ".") == time);
                assert!(is_shown, "{slug}, {time}: {texts:?}");
            }
            assert!(scene.warnings.iter().all(|warning| !warning.contains("number")), "{slug}");
        }
        let data =
            [json!({"2023": 26.41, "2024": 26}), json!({"2023": "2:04.11", "2024": "1:59.8"})];
        let columns = read_durations(&data, &Value::Null, "grouped-column").unwrap();
        assert_eq!(columns.records[0], json!({"2023": 26.41, "2024": 26.0}));
        assert_eq!(columns.records[1], json!({"2023": 124.11, "2024": 119.8}));
        // Without parts of a second, 45 may be minutes or hours.
        let data = [json!({"label": "A", "value": 45}), json!({"label": "B", "value": "2:04"})];
        assert!(read_durations(&data, &Value::Null, "bar").is_none());
        let data =
            [json!({"label": "A", "value": "5 €"}), json!({"label": "B", "value": "2:04.5"})];
        assert!(read_durations(&data, &Value::Null, "bar").is_none());
    }

    #[test]
    fn durations_have_an_axis_of_their_own_beside_numbers() {
        let data = [("1", 180, "4:32:10"), ("2", 201, "5:01:44"), ("3", 36, "46:12")].map(
            |(stage, km, time)| json!({"label": stage, "km": km, "Zeit": time, "Pause": "10:30"}),
        );
        let series = json!([{"key": "km"}, {"key": "Zeit"}]);
        for (slug, settings) in [
            ("combo", json!({"secondAxis": true, "series": series, "lineAxis": {"min": 0}})),
            ("combo", json!({"secondAxis": true, "series": series, "lines": ["Zeit"]})),
            ("combo", json!({"secondAxis": true, "series": series, "lines": ["km"]})),
            ("small-multiples", json!({"sharedAxis": false, "series": series})),
        ] {
            let kind = crate::find_kind(slug).unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            let has_time = texts.iter().any(|text| text.ends_with(":00"));
            let is_left_out = |(reason, _): &(Omission, usize)| *reason == Omission::EmptySeries;
            let has_all = !scene.omissions.iter().any(is_left_out);
            assert!(has_time && has_all, "{settings}: {texts:?}");
            let columns = read_durations(&data, &settings, slug).unwrap();
            assert_eq!(columns.records[0]["km"], json!(180), "{settings}");
        }
        // One axis cannot show both.
        let settings = json!({"series": series});
        assert!(read_durations(&data, &settings, "combo").is_none());
    }

    #[test]
    fn durations_beside_numbers_stay_texts_unless_they_have_a_scale_of_their_own() {
        let data =
            [json!({"x": "7:45", "y": 8000, "label": "Mon"}), json!({"x": "6:30", "y": 9500})];
        let columns = read_durations(&data, &Value::Null, "scatter").unwrap();
        assert_eq!(columns.records[0]["x"], json!(465.0));
        assert_eq!(columns.records[0]["y"], json!(8000));
        assert!(columns.settings["rulesets"]["x"]["clock"].is_object());
        let data = [json!({"label": "Mon", "Sleep": "7:45", "Steps": 8000})];
        assert!(read_durations(&data, &Value::Null, "grouped-column").is_none());
        let settings = json!({"series": [{"key": "Sleep"}]});
        assert!(read_durations(&data, &settings, "grouped-column").is_some());
        let data = [json!({"label": "Mon", "value": "7:45", "Rank": 1})];
        assert!(read_durations(&data, &Value::Null, "bar").is_some());
        let data =
            [json!({"label": "Mon", "value": "7:45"}), json!({"label": "Tue", "value": "late"})];
        assert!(read_durations(&data, &Value::Null, "bar").is_none());
    }
}
