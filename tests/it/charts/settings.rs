//! Every setting that a kind lists does something, and the words that settings bring are shown.

use chartroom_charts::scene::Primitive;
use serde_json::{Value, json};

use crate::charts::{Case, read_json};

/// The document that shows a setting at work, where the sample does not.
fn showing(kind: &str, setting: &str, case: &mut Case) {
    match (kind, setting) {
        (_, "benchmarkTitle") => case.settings["benchmark"] = json!(500),
        ("table", "sort") => case.settings["sortBy"] = json!("staff"),
        ("table", "sortBy") => case.settings["sort"] = json!("asc"),
        _ => {}
    }
}

/// Values that should change the picture; none for settings that are not single values.
fn variants(setting: &str, schema: &Value) -> Vec<Value> {
    if let Some(words) = schema["enum"].as_array() {
        return words.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("number" | "integer") => vec![json!(3), json!(30)],
        Some("string") if setting == "locale" => vec![json!("de"), json!("en-IN")],
        Some("string") if setting == "sortBy" => vec![json!("staff")],
        Some("string") if setting.ends_with("Color") => vec![json!("#123456")],
        Some("string") => vec![json!("Quite another")],
        _ => Vec::new(),
    }
}

/// The kinds of bars and figures.
const KINDS: [&str; 19] = [
    "bar",
    "grouped-column",
    "stacked-column",
    "percent-column",
    "marimekko",
    "butterfly",
    "tornado",
    "population-pyramid",
    "radial-bar",
    "bullet",
    "lollipop",
    "histogram",
    "waterfall",
    "likert",
    "gauge",
    "scorecard",
    "pictogram",
    "word-cloud",
    "table",
];

#[test]
fn settings_that_are_listed_change_the_picture() {
    let mut idle = Vec::new();
    for slug in KINDS {
        let kind = chartroom_charts::find_kind(slug).unwrap();
        let schema = read_json(&format!("assets/kinds/{slug}/kind.json"));
        for (setting, schema) in schema["settings_schema"]["properties"].as_object().unwrap() {
            let values = variants(setting, schema);
            let drawn = |value: Option<&Value>| {
                let mut case = Case::sample(kind);
                showing(slug, setting, &mut case);
                if let Some(value) = value {
                    case.settings[setting] = value.clone();
                }
                case.svg()
            };
            let before = drawn(None);
            if !values.is_empty() && values.iter().all(|it| drawn(Some(it)) == before) {
                idle.push(format!("{slug}: {setting}"));
            }
        }
    }
    assert!(idle.is_empty(), "they do nothing: {idle:?}");
}

fn case(slug: &str, settings: Value, data: Value) -> Case {
    let mut case = Case::sample(chartroom_charts::find_kind(slug).unwrap());
    (case.settings, case.data) = (settings, data.as_array().unwrap().clone());
    case
}

fn words(case: &Case) -> Vec<String> {
    let shapes = case.draw().shapes;
    let text = |it: chartroom_charts::scene::Shape| match it.primitive {
        Primitive::Text(text) => Some(text.text),
        _ => None,
    };
    shapes.into_iter().filter_map(text).collect()
}

#[test]
fn a_benchmark_has_its_name_and_value_in_both_directions() {
    for (orientation, lines) in [("horizontal", &["Plan: 40"][..]), ("vertical", &["Plan", "40"])] {
        let settings =
            json!({"orientation": orientation, "benchmark": 40, "benchmarkTitle": "Plan"});
        let shown = words(&case("bar", settings, json!([{"label": "a", "value": 42}])));
        assert!(lines.iter().all(|it| shown.iter().any(|one| one == it)), "{shown:?}");
    }
}

#[test]
fn shares_of_answers_add_up_and_speak_the_language() {
    let data = json!([{"question": "q", "s1": 1, "s2": 1, "s3": 1}]);
    let shown = words(&case("likert", json!({"locale": "de"}), data));
    let shares: Vec<u32> = shown
        .iter()
        .filter_map(|it| it.strip_suffix("\u{a0}%"))
        .map(|it| it.parse().unwrap())
        .collect();
    assert_eq!(shares.iter().sum::<u32>(), 100, "{shown:?}");
}

#[test]
fn figures_with_units_keep_their_decimals_on_a_common_scale() {
    let data = json!([
        {"label": "a", "value": 4.6, "unit": "of 5"}, {"label": "b", "value": 1180, "unit": "€"}
    ]);
    let shown = words(&case("bullet", json!({}), data));
    assert!(shown.iter().any(|it| it == "4.6\u{a0}of 5"), "{shown:?}");
}

#[test]
fn names_that_rise_are_whole_where_they_have_room() {
    let names = ["Emergency room", "Technical services", "Administration", "Pharmacy", "Kitchen"];
    let data: Vec<Value> =
        (0..15).map(|it| json!({"label": names[it % names.len()], "value": it + 1})).collect();
    let shown = words(&case("bar", json!({"orientation": "vertical"}), json!(data)));
    for name in names {
        assert_eq!(shown.iter().filter(|it| *it == name).count(), 3, "{name}: {shown:?}");
    }
}

#[test]
fn a_cloud_stands_in_the_middle() {
    let data = json!([
        {"label": "Alpha", "value": 5}, {"label": "Beta", "value": 2}, {"label": "Gamma", "value": 4}
    ]);
    let mut case = case("word-cloud", json!({}), data);
    (case.title, case.style) = (String::new(), Value::Null);
    let scene = case.draw();
    let all = scene.text_boxes().map(|it| it.1).reduce(|one, two| one.union(two)).unwrap();
    assert!((all.center().x - 360.0).abs() < 2.0, "{all:?}");
}
