//! Columns of durations by the clock, such as `2:06:39` in a list of finish times.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::data;
use crate::format::{ClockFormat, is_compound_duration, parse_clock};
use crate::number_columns;
use crate::number_text;

/// Columns with scales of their own. All others of a kind may share one.
const COLUMNS_WITH_OWN_SCALE: [&str; 10] =
    ["x", "y", "size", "width", "count", "change", "lat", "lon", "latitude", "longitude"];
/// Columns of flags and of the order, which are not on a scale.
const COLUMNS_WITHOUT_SCALE: [&str; 3] = ["highlighted", "total", "order"];
/// Kinds with times of day, and tables, which show all cells as they are.
const KINDS_WITHOUT_DURATIONS: [&str; 4] = ["gantt", "roadmap", "table", "timeline"];

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
const KEYS: [&str; 37] = [
    "value",
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
    /// Whether a value is a number.
    has_numbers: bool,
    /// Whether a value is another text.
    has_texts: bool,
}

/// Reads the columns in which all values are durations by the clock, or missing. None if there are none.
///
/// Columns that may share a scale have one notation. They stay texts if another column of numbers may be on
/// that scale, because one axis cannot show both.
pub fn read_durations(records: &[Value], settings: &Value, slug: &str) -> Option<ClockColumns> {
    if KINDS_WITHOUT_DURATIONS.contains(&slug) {
        return None;
    }
    let has_clock_value = |value: &Value| value.as_str().is_some_and(is_compound_duration);
    let first_records = records.iter().filter_map(Value::as_object);
    if !first_records.flat_map(|record| record.values()).any(has_clock_value) {
        return None;
    }
    let formats = decide(&examine(records, &list_series(settings), slug));
    if formats.is_empty() {
        return None;
    }
    let mut converted = records.to_vec();
    for (key, value) in converted.iter_mut().filter_map(Value::as_object_mut).flatten() {
        if let Some(number) = value.as_str().and_then(parse_clock)
            && formats.contains_key(key.as_str())
        {
            *value = json!(number);
        }
    }
    Some(ClockColumns { records: converted, settings: add_rules(settings, &formats) })
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
        true => series.is_empty() || series.contains(&key),
        false => KEYS.contains(&key),
    };
    let mut columns: BTreeMap<&str, Column> = BTreeMap::new();
    for (key, value) in records.iter().filter_map(Value::as_object).flatten() {
        if number_columns::TEXT_COLUMNS.contains(&key.as_str()) || !may_be_drawn(key) {
            continue;
        }
        let column = columns.entry(key).or_default();
        match value {
            Value::String(text) if number_text::is_missing(text.trim()) => {}
            Value::String(text) if parse_clock(text).is_some() => {
                let format = ClockFormat::of_text(text);
                column.is_compound |= is_compound_duration(text);
                column.format = Some(column.format.map_or(format, |known| known.join(format)));
            }
            value if data::number(value).is_some() => column.has_numbers = true,
            Value::String(_) => column.has_texts = true,
            _ => {}
        }
    }
    columns
}

/// Returns the notation of the columns of durations.
fn decide<'a>(columns: &BTreeMap<&'a str, Column>) -> BTreeMap<&'a str, ClockFormat> {
    let durations = columns
        .iter()
        .filter(|(_, column)| !column.has_numbers && !column.has_texts && column.is_compound);
    let durations = durations.filter_map(|(key, column)| Some((*key, column.format?)));
    let (own, shared): (BTreeMap<_, _>, BTreeMap<_, _>) =
        durations.partition(|(key, _)| COLUMNS_WITH_OWN_SCALE.contains(key));
    let is_on_scale =
        |key: &str| !COLUMNS_WITH_OWN_SCALE.contains(&key) && !COLUMNS_WITHOUT_SCALE.contains(&key);
    let has_other_numbers =
        columns.iter().any(|(key, column)| is_on_scale(key) && column.has_numbers);
    let common = shared.values().copied().reduce(ClockFormat::join);
    let shared = shared.into_keys().filter(|_| !has_other_numbers);
    own.into_iter().chain(shared.zip(common.into_iter().cycle())).collect()
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
