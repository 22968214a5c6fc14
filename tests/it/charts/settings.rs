//! Tests that every setting of a kind has an effect, and that texts from settings are shown.

use chartroom_charts::scene::Primitive;
use serde_json::{Value, json};

use crate::charts::{ChartCase, read_json};

/// Changes the sample so that a setting has an effect, for settings that have none in the sample.
fn prepare_setting(kind: &str, setting: &str, case: &mut ChartCase) {
    match (kind, setting) {
        (_, "benchmarkTitle") => case.settings["benchmark"] = json!(500),
        ("table", "sort") => case.settings["sortBy"] = json!("staff"),
        ("table" | "variance", "sortBy") => case.settings["sort"] = json!("asc"),
        _ => {}
    }
}

/// Returns values of a setting, at least one of which must change the image. Returns none for
/// arrays and objects.
fn test_values(setting: &str, schema: &Value) -> Vec<Value> {
    if let Some(allowed) = schema["enum"].as_array() {
        return allowed.clone();
    }
    match schema["type"].as_str() {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("number" | "integer") => vec![json!(3), json!(30)],
        Some("string") if setting == "locale" => vec![json!("de"), json!("en-IN")],
        Some("string") if setting == "forecastStart" => vec![json!("2023")],
        Some("string") if setting == "sortBy" => vec![json!("staff")],
        Some("string") if setting.ends_with("Color") => vec![json!("#123456")],
        Some("string") => vec![json!("Quite another")],
        _ => Vec::new(),
    }
}

/// Kinds with bars or figures. The tests cover all settings of these kinds.
const BAR_AND_FIGURE_KINDS: [&str; 25] = [
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
    "pareto",
    "dumbbell",
    "variance",
    "projection",
    "bar-mekko",
    "small-multiples",
];

#[test]
fn every_listed_setting_changes_the_image() {
    let mut ineffective = Vec::new();
    for slug in BAR_AND_FIGURE_KINDS {
        let kind = chartroom_charts::find_kind(slug).unwrap();
        let schema = read_json(&format!("assets/kinds/{slug}/kind.json"));
        for (setting, schema) in schema["settings_schema"]["properties"].as_object().unwrap() {
            let values = test_values(setting, schema);
            let render = |value: Option<&Value>| {
                let mut case = ChartCase::sample(kind);
                prepare_setting(slug, setting, &mut case);
                if let Some(value) = value {
                    case.settings[setting] = value.clone();
                }
                case.render_svg()
            };
            let unchanged_svg = render(None);
            if !values.is_empty() && values.iter().all(|value| render(Some(value)) == unchanged_svg)
            {
                ineffective.push(format!("{slug}: {setting}"));
            }
        }
    }
    assert!(ineffective.is_empty(), "settings without an effect: {ineffective:?}");
}

/// Returns the sample of a kind with other settings and data.
fn case_with(slug: &str, settings: Value, data: Value) -> ChartCase {
    let mut case = ChartCase::sample(chartroom_charts::find_kind(slug).unwrap());
    (case.settings, case.data) = (settings, data.as_array().unwrap().clone());
    case
}

/// Returns the texts of a rendered image in drawing order.
fn rendered_texts(case: &ChartCase) -> Vec<String> {
    let shapes = case.render().shapes;
    let text_of_shape = |shape: chartroom_charts::scene::Shape| match shape.primitive {
        Primitive::Text(text) => Some(text.text),
        _ => None,
    };
    shapes.into_iter().filter_map(text_of_shape).collect()
}

#[test]
fn benchmark_shows_title_and_value_in_both_orientations() {
    for (orientation, lines) in [("horizontal", &["Plan: 40"][..]), ("vertical", &["Plan", "40"])] {
        let settings =
            json!({"orientation": orientation, "benchmark": 40, "benchmarkTitle": "Plan"});
        let shown =
            rendered_texts(&case_with("bar", settings, json!([{"label": "a", "value": 42}])));
        assert!(lines.iter().all(|line| shown.iter().any(|text| text == line)), "{shown:?}");
    }
}

/// Shares are rounded one by one: equal values are printed equal, and a note explains their sum.
#[test]
fn equal_values_have_equal_percentages_with_a_note() {
    let parts = json!([
        {"label": "a", "value": 7}, {"label": "b", "value": 7}, {"label": "c", "value": 7}
    ]);
    let series = json!([{"question": "q", "label": "q", "s1": 7, "s2": 7, "s3": 7}]);
    let settings = json!({"locale": "de", "showPercentages": true, "showValues": true});
    for (slug, data, share) in [
        ("pie", &parts, "33\u{a0}%"),
        ("donut", &parts, "33\u{a0}%"),
        ("half-donut", &parts, "33\u{a0}%"),
        ("waffle", &parts, "33\u{a0}%"),
        ("parliament", &parts, "33,3\u{a0}%"),
        ("likert", &series, "33\u{a0}%"),
        ("percent-column", &series, "33\u{a0}%"),
        ("marimekko", &series, "33\u{a0}%"),
    ] {
        let shown = rendered_texts(&case_with(slug, settings.clone(), data.clone()));
        let count = shown.iter().filter(|text| text.ends_with(share)).count();
        assert_eq!(count, 3, "{slug}: {shown:?}");
        let note = shown.iter().any(|text| text.starts_with("Die Anteile ergeben"));
        assert!(note, "{slug}: {shown:?}");
    }
}

#[test]
fn percentages_that_add_up_have_no_note_and_none_is_zero() {
    for values in [[50.0, 30.0, 20.0], [60.0, 39.97, 0.03], [25.0, 25.0, 50.0]] {
        let parts = values.map(|value| json!({"label": format!("p{value}"), "value": value}));
        let settings = json!({"showPercentages": true});
        for slug in ["pie", "waffle", "parliament"] {
            let shown = rendered_texts(&case_with(slug, settings.clone(), json!(parts)));
            assert!(!shown.iter().any(|text| text.starts_with("Shares may")), "{slug} {shown:?}");
            assert!(
                !shown.iter().any(|text| text.ends_with(" 0%") || text.ends_with(" 0.0%")),
                "{slug} {shown:?}"
            );
        }
    }
}

#[test]
fn values_with_units_keep_their_decimals() {
    let data = json!([
        {"label": "a", "value": 4.6, "unit": "of 5"}, {"label": "b", "value": 1180, "unit": "€"}
    ]);
    let shown = rendered_texts(&case_with("bullet", json!({}), data));
    assert!(shown.iter().any(|text| text == "4.6\u{a0}of 5"), "{shown:?}");
}

#[test]
fn rotated_labels_are_complete_if_there_is_room() {
    let names = ["Emergency room", "Technical services", "Administration", "Pharmacy", "Kitchen"];
    let data: Vec<Value> = (0..15)
        .map(|index| json!({"label": names[index % names.len()], "value": index + 1}))
        .collect();
    let shown = rendered_texts(&case_with("bar", json!({"orientation": "vertical"}), json!(data)));
    for name in names {
        assert_eq!(shown.iter().filter(|text| *text == name).count(), 3, "{name}: {shown:?}");
    }
}

#[test]
fn word_cloud_is_centered() {
    let data = json!([
        {"label": "Alpha", "value": 5}, {"label": "Beta", "value": 2}, {"label": "Gamma", "value": 4}
    ]);
    let mut case = case_with("word-cloud", json!({}), data);
    (case.title, case.style) = (String::new(), Value::Null);
    let scene = case.render();
    let bounds =
        scene.text_boxes().map(|text_box| text_box.1).reduce(|one, two| one.union(two)).unwrap();
    assert!((bounds.center().x - 360.0).abs() < 2.0, "{bounds:?}");
}

/// Values of a common axis are written with one unit, and never with that of another column. The columns
/// are not so different that they get axes of their own.
#[test]
fn columns_with_different_units_share_none() {
    let data = [json!({ "label": "North", "A": 23.6, "B": 984.5, "before": 23.6, "after": 984.5 })];
    let rules = |second: Value| {
        let euros = json!({ "suffix": " EUR" });
        json!({ "A": euros, "before": euros, "B": second, "after": second })
    };
    let kinds = ["grouped-column", "stacked-column", "line", "area", "radar", "slope"];
    for slug in kinds {
        let render = |second: Value| {
            let case = ChartCase::sample(chartroom_charts::find_kind(slug).unwrap());
            let settings = json!({ "rulesets": rules(second) });
            ChartCase { settings, data: data.to_vec(), ..case }.render_svg()
        };
        assert!(render(json!({ "suffix": " EUR" })).contains(" EUR<"), "{slug}");
        // The two values of a slope chart are the same measure, several series may be different ones.
        let without_rules = render(Value::Null).contains(" EUR<");
        assert_eq!(without_rules, slug == "slope", "{slug}: no rules for the second column");
        for other in [json!({ "suffix": " kg" }), json!({ "displayAsPercentage": true }), json!({})]
        {
            let svg = render(other.clone());
            assert!(!svg.contains(" EUR<") && !svg.contains("%<"), "{slug} {other}");
        }
    }
}

#[test]
fn missing_parts_of_stacked_areas_and_small_rates_are_not_zero() {
    let area = chartroom_charts::find_kind("area").unwrap();
    let data = |b: Value| {
        vec![json!({"label": "1", "A": 5, "B": 3}), json!({"label": "2", "A": 5, "B": b})]
    };
    let warnings = |settings: Value, b: Value| {
        ChartCase { settings, data: data(b), ..ChartCase::sample(area) }.render().warnings
    };
    assert_eq!(warnings(json!({}), json!("n/a")), ["Missing values: 1."]);
    assert_eq!(warnings(json!({ "stacked": false }), json!("n/a")), [""; 0]);
    assert_eq!(warnings(json!({}), json!(0)), [""; 0]);

    let funnel = chartroom_charts::find_kind("funnel").unwrap();
    let data = [1_000_000, 396].map(|value| json!({ "label": "Step", "value": value })).to_vec();
    let svg = ChartCase { settings: json!({}), data, ..ChartCase::sample(funnel) }.render_svg();
    assert!(svg.contains("0.04%") && !svg.contains(">0.0%"), "{svg}");
}

#[test]
fn lines_with_different_units_share_no_unit_on_the_right_axis() {
    let combo = chartroom_charts::find_kind("combo").unwrap();
    let data = vec![json!({ "label": "1", "A": 5, "B": 20, "C": 30 })];
    let render = |unit_of_c: &str| {
        let series = ["A", "B", "C"].map(|key| json!({ "key": key }));
        let rules = json!({ "B": { "suffix": " EUR" }, "C": { "suffix": unit_of_c } });
        let settings = json!({ "series": series, "lines": ["B", "C"], "rulesets": rules,
                               "secondAxis": true });
        ChartCase { settings, data: data.clone(), ..ChartCase::sample(combo) }.render_svg()
    };
    assert!(render(" EUR").contains(" EUR</text>"));
    assert!(!render(" kg").contains(" EUR</text>"));
}

/// A number has the unit of its column, or the unit of the axis that it shares with other columns.
#[test]
fn numbers_have_the_unit_of_their_column_or_axis() {
    let render = |slug: &str, column: &str, record: Value| {
        let kind = chartroom_charts::find_kind(slug).unwrap();
        let settings = json!({ "rulesets": { column: { "suffix": " EUR", "decimals": 1 } } });
        ChartCase { settings, data: vec![record], ..ChartCase::sample(kind) }.render_svg()
    };
    let box_plot = json!({ "label": "A", "min": 1, "q1": 2, "median": 3, "q3": 4, "max": 5 });
    assert!(render("box-plot", "q3", box_plot).contains(">3.0 EUR<"));
    let bullet = json!({ "label": "A", "value": 27, "target": 30 });
    assert!(render("bullet", "target", bullet).contains(">27.0 EUR<"));
    let tornado = json!({ "label": "A", "low": 4, "high": 21 });
    assert!(render("tornado", "high", tornado).contains(">4.0 EUR<"));
    let burndown = chartroom_charts::find_kind("burndown").unwrap();
    let data = [("2024-05-06", 80), ("2024-05-16", 10)];
    let data = data.map(|(date, rest)| json!({ "date": date, "planned": rest, "actual": rest }));
    let settings = json!({ "rulesets": { "planned": { "suffix": " PD" } } });
    let case = ChartCase { settings, data: data.to_vec(), ..ChartCase::sample(burndown) };
    assert!(case.render_svg().contains(">80 PD<"));
    let gauge = json!({ "label": "A", "value": 2.347, "target": 2.5, "max": 3.5 });
    let svg = render("gauge", "value", gauge);
    for text in [">2.3 EUR<", " 2.5 EUR<", ">0 EUR<", ">3.5 EUR<"] {
        assert!(svg.contains(text), "{text} {svg}");
    }
    let kind = chartroom_charts::find_kind("gauge").unwrap();
    let settings = json!({ "rulesets": { "value": { "decimals": 3 } } });
    let data = vec![json!({ "label": "A", "value": 0.125, "max": 0.5 })];
    let svg = ChartCase { settings, data, ..ChartCase::sample(kind) }.render_svg();
    assert!(svg.contains(">0.125<") && svg.contains(">0<") && svg.contains(">0.5<"), "{svg}");
}

#[test]
fn a_table_column_of_numbers_may_have_texts_and_years_have_no_total() {
    let table = chartroom_charts::find_kind("table").unwrap();
    let record = |staff: Value, year: Value| json!({ "A": "a", "B": staff, "C": year });
    let data = vec![
        record(json!(1247), json!(1998)),
        record(json!("k. A."), json!("")),
        record(json!(1001), json!(2004)),
    ];
    let settings = json!({ "showTotals": true });
    let case = ChartCase { settings, data, interactive: false, ..ChartCase::sample(table) };
    let svg = case.render_svg();
    assert_eq!(case.render().warnings, ["Missing values: 1."]);
    for text in [">1,247<", ">k. A.<", ">2,248<", ">1998<", ">2004<"] {
        assert!(svg.contains(text), "{text} {svg}");
    }
    assert!(!svg.contains("4,002"), "{svg}");
    let end_of = |cell: &str| {
        let scene = case.render();
        let mut boxes = scene.text_boxes().filter(|(text, _)| *text == cell);
        boxes.next().map(|(_, bounds)| bounds.x1.round())
    };
    assert_eq!(end_of("k. A."), end_of("1,247"));
}
