//! Tests of the texts in a rendered image: correct, not cut off, and not omitted without need.

use serde_json::{Value, json};

use chartroom_charts::scene::Primitive;

use super::ChartCase;

/// Returns the sample of a kind after a change.
fn changed_sample(slug: &str, change: impl FnOnce(&mut ChartCase)) -> ChartCase {
    let mut case = ChartCase::sample(chartroom_charts::find_kind(slug).unwrap());
    change(&mut case);
    case
}

/// Returns the texts of a rendered image in drawing order.
fn rendered_texts(case: &ChartCase) -> Vec<String> {
    let texts = |primitive: &Primitive| match primitive {
        Primitive::Text(text) => Some(text.text.clone()),
        _ => None,
    };
    case.render().shapes.iter().filter_map(|shape| texts(&shape.primitive)).collect()
}

#[test]
fn axis_numbers_stay_without_a_grid() {
    for slug in ["line", "time-series", "area", "candlestick", "combo", "scatter", "box-plot"] {
        let with = rendered_texts(&changed_sample(slug, |_| ()));
        let without =
            rendered_texts(&changed_sample(slug, |case| case.settings["showGrid"] = json!(false)));
        assert_eq!(with, without, "{slug}");
    }
}

#[test]
fn legend_wraps_long_names_then_shortens_them_before_omitting_any() {
    let case_with_long_names = || {
        changed_sample("area", |case| {
            for series in case.settings["series"].as_array_mut().unwrap() {
                let title = series["title"].as_str().unwrap();
                series["title"] = json!(format!(
                    "{title} of all offices of the whole country and of all its islands together"
                ));
            }
        })
    };
    for (width, height, is_whole) in [(720.0, 405.0, true), (320.0, 180.0, false)] {
        let texts = rendered_texts(&ChartCase { width, height, ..case_with_long_names() });
        for name in ["Video", "Images", "Documents", "Mail"] {
            let start = format!("{name} of all");
            let shown: Vec<&String> =
                texts.iter().filter(|text| text.starts_with(&start)).collect();
            assert_eq!(shown.len(), 1, "{name} in {texts:?}");
            assert_eq!(shown[0].ends_with("together"), is_whole, "{shown:?}");
        }
    }
}

#[test]
fn waffle_shows_values_of_all_records_or_none() {
    let mut width_counts = [0; 2];
    for width in (200..=900).step_by(50) {
        let texts = rendered_texts(&changed_sample("waffle", |case| case.width = f64::from(width)));
        let value_count = texts.iter().filter(|text| text.ends_with(" TWh")).count();
        assert!(value_count == 0 || value_count == 6, "{width}: {texts:?}");
        width_counts[usize::from(value_count > 0)] += 1;
    }
    assert!(
        width_counts.iter().all(|count| *count > 0),
        "one of the cases never happens: {width_counts:?}"
    );
}

#[test]
fn first_of_many_equal_records_keeps_its_label() {
    let equal: Vec<Value> =
        (1..=60).map(|index| json!({"label": format!("Part {index}"), "value": 5})).collect();
    for slug in ["waffle", "pie"] {
        let texts = rendered_texts(&changed_sample(slug, |case| case.data = equal.clone()));
        assert!(texts.iter().any(|text| text == "Part 1"), "{slug}: {texts:?}");
    }
}

#[test]
fn single_record_has_an_axis() {
    let single_record = changed_sample("scatter", |case| case.data.truncate(1));
    let numbers =
        rendered_texts(&single_record).iter().filter(|text| text.parse::<f64>().is_ok()).count();
    assert!(numbers >= 6, "{numbers} ticks");
    for slug in ["time-series", "area"] {
        let texts = rendered_texts(&changed_sample(slug, |case| case.data.truncate(1)));
        assert_eq!(texts.iter().filter(|text| *text == "1 Jan").count(), 1, "{slug}: {texts:?}");
        assert!(!texts.iter().any(|text| text.contains(':') && text.len() == 5), "{slug}: hours");
    }
}

#[test]
fn small_values_are_not_rounded_to_zero() {
    let small = changed_sample("slope", |case| {
        case.settings["rulesets"] = json!({});
        for (index, record) in case.data.iter_mut().enumerate() {
            record["before"] = json!(0.000_501 + 0.000_01 * index as f64);
            record["after"] = json!(0.000_601 + 0.000_01 * index as f64);
        }
    });
    let texts = rendered_texts(&small);
    assert!(texts.iter().any(|text| text == "0.000501"), "{texts:?}");
    assert!(!texts.iter().any(|text| text == "0.001" || text == "0.000"), "{texts:?}");
}

#[test]
fn treemap_tile_shows_no_value_without_its_label() {
    let case_with_long_names = changed_sample("treemap", |case| {
        for (index, record) in case.data.iter_mut().enumerate() {
            record["label"] = json!(format!("Wwwwwwwwwwwwwwwwwwww {index}"));
        }
        (case.width, case.height) = (320.0, 180.0);
    });
    let texts = rendered_texts(&case_with_long_names);
    let label_count = texts.iter().filter(|text| text.starts_with("Www")).count();
    let number_count = texts.iter().filter(|text| text.parse::<u32>().is_ok()).count();
    // A name in the list has a number there and on its tile.
    assert!(label_count > 0 && number_count <= label_count * 2, "{texts:?}");
    let parents = case_with_long_names
        .data
        .iter()
        .map(|record| record["parent"].as_str().unwrap_or_default());
    let parents: std::collections::BTreeSet<&str> = parents.collect();
    let value_count = texts.iter().filter(|text| text.starts_with('€')).count();
    assert!(value_count <= label_count + parents.len(), "{texts:?}");
}

#[test]
fn axis_title_falls_back_to_the_title_of_the_range() {
    for slug in ["scatter", "quadrant"] {
        let texts = rendered_texts(&changed_sample(slug, |case| {
            for (title_key, range_key) in [("xTitle", "xAxis"), ("yTitle", "axis")] {
                case.settings[title_key] = json!("");
                case.settings[range_key]["title"] = json!(format!("Name of {range_key}"));
            }
        }));
        for name in ["Name of xAxis", "Name of axis"] {
            assert!(texts.iter().any(|text| text == name), "{slug}: {texts:?}");
        }
    }
}

/// Characters that XML 1.0 forbids.
const FORBIDDEN_CHARACTERS: [char; 6] =
    ['\u{0}', '\u{8}', '\u{b}', '\u{1f}', '\u{fffe}', '\u{ffff}'];

/// Adds forbidden characters to every text in a value, and to every key if `with_keys`.
fn insert_forbidden_characters(value: &mut Value, with_keys: bool) {
    let forbidden: String = FORBIDDEN_CHARACTERS.iter().collect();
    match value {
        Value::String(text) => text.push_str(&forbidden),
        Value::Array(items) => {
            items.iter_mut().for_each(|item| insert_forbidden_characters(item, with_keys));
        }
        Value::Object(fields) => {
            for (key, mut field) in std::mem::take(fields) {
                insert_forbidden_characters(&mut field, with_keys);
                fields.insert(if with_keys { key + &forbidden } else { key }, field);
            }
        }
        _ => {}
    }
}

#[test]
fn control_characters_in_any_text_keep_the_svg_well_formed() {
    let mut fields = 0;
    for kind in chartroom_charts::kinds() {
        for with_keys in [false, true] {
            let mut case = changed_sample(kind.slug, |case| {
                case.interactive = true;
                case.title.extend(FORBIDDEN_CHARACTERS);
                insert_forbidden_characters(&mut case.settings, false);
            });
            case.data.iter_mut().for_each(|row| insert_forbidden_characters(row, with_keys));
            let svg = case.render_svg();
            let found = svg.chars().find(|char| FORBIDDEN_CHARACTERS.contains(char));
            assert_eq!(found, None, "{}", kind.slug);
            fields += svg.matches("data-field=").count();
        }
    }
    assert!(fields > 0, "no image has a column name");
}
