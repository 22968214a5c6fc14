//! Tests of the texts in a rendered image: none is cut in half, false, or dropped without need.

use serde_json::{Value, json};

use chartroom_charts::scene::Primitive;

use super::Case;

fn case(slug: &str, change: impl FnOnce(&mut Case)) -> Case {
    let mut case = Case::sample(chartroom_charts::find_kind(slug).unwrap());
    change(&mut case);
    case
}

/// Returns the texts of a rendered image in drawing order.
fn texts(case: &Case) -> Vec<String> {
    let words = |form: &Primitive| match form {
        Primitive::Text(text) => Some(text.text.clone()),
        _ => None,
    };
    case.draw().shapes.iter().filter_map(|it| words(&it.primitive)).collect()
}

#[test]
fn without_a_grid_the_numbers_of_the_axis_stay() {
    for slug in ["line", "time-series", "area", "candlestick", "combo", "scatter", "box-plot"] {
        let with = texts(&case(slug, |_| ()));
        let without = texts(&case(slug, |it| it.settings["showGrid"] = json!(false)));
        assert_eq!(with, without, "{slug}");
    }
}

#[test]
fn a_legend_shortens_long_names_before_it_leaves_one_out() {
    let long = case("area", |it| {
        for series in it.settings["series"].as_array_mut().unwrap() {
            let title = series["title"].as_str().unwrap();
            series["title"] = json!(format!(
                "{title} of all offices of the whole country and of all its islands together"
            ));
        }
    });
    let words = texts(&long);
    for name in ["Video", "Images", "Documents", "Mail"] {
        let named = words.iter().filter(|it| it.starts_with(name) && it.ends_with('…')).count();
        assert_eq!(named, 1, "{name} in {words:?}");
    }
}

#[test]
fn a_waffle_shows_the_values_of_all_records_or_of_none() {
    let mut seen = [0; 2];
    for width in (200..=900).step_by(50) {
        let words = texts(&case("waffle", |it| it.width = f64::from(width)));
        let told = words.iter().filter(|it| it.ends_with(" TWh")).count();
        assert!(told == 0 || told == 6, "{width}: {words:?}");
        seen[usize::from(told > 0)] += 1;
    }
    assert!(seen.iter().all(|it| *it > 0), "both happen: {seen:?}");
}

#[test]
fn of_equal_records_the_first_keep_their_names() {
    let equal: Vec<Value> =
        (1..=60).map(|it| json!({"label": format!("Part {it}"), "value": 5})).collect();
    for slug in ["waffle", "pie"] {
        let words = texts(&case(slug, |it| it.data = equal.clone()));
        assert!(words.iter().any(|it| it == "Part 1"), "{slug}: {words:?}");
    }
}

#[test]
fn a_single_value_has_an_axis() {
    let one = case("scatter", |it| it.data.truncate(1));
    let numbers = texts(&one).iter().filter(|it| it.parse::<f64>().is_ok()).count();
    assert!(numbers >= 6, "{numbers} ticks");
    for slug in ["time-series", "area"] {
        let words = texts(&case(slug, |it| it.data.truncate(1)));
        assert_eq!(words.iter().filter(|it| *it == "1 Jan").count(), 1, "{slug}: {words:?}");
        assert!(!words.iter().any(|it| it.contains(':') && it.len() == 5), "{slug}: hours");
    }
}

#[test]
fn small_values_do_not_all_read_zero() {
    let small = case("slope", |it| {
        it.settings["rulesets"] = json!({});
        for (index, record) in it.data.iter_mut().enumerate() {
            record["before"] = json!(0.000_501 + 0.000_01 * index as f64);
            record["after"] = json!(0.000_601 + 0.000_01 * index as f64);
        }
    });
    let words = texts(&small);
    assert!(words.iter().any(|it| it == "0.000501"), "{words:?}");
    assert!(!words.iter().any(|it| it == "0.001" || it == "0.000"), "{words:?}");
}

#[test]
fn a_tile_has_no_value_without_its_name_and_no_name_without_its_beginning() {
    let long = case("treemap", |it| {
        for (index, record) in it.data.iter_mut().enumerate() {
            record["label"] = json!(format!("Wwwwwwwwwwwwwwwwwwww {index}"));
        }
        (it.width, it.height) = (320.0, 180.0);
    });
    let words = texts(&long);
    let begun = words.iter().filter(|it| it.starts_with("Www")).count();
    let rest = words.iter().filter(|it| it.parse::<u32>().is_ok()).count();
    assert!(begun > 0 && rest <= begun, "{words:?}");
    let headed = long.data.iter().map(|it| it["parent"].as_str().unwrap_or_default());
    let headed: std::collections::BTreeSet<&str> = headed.collect();
    let values = words.iter().filter(|it| it.starts_with('€')).count();
    assert!(values <= begun + headed.len(), "{words:?}");
}

#[test]
fn axes_are_named_by_the_title_of_their_range_too() {
    for slug in ["scatter", "quadrant"] {
        let words = texts(&case(slug, |it| {
            for (own, range) in [("xTitle", "xAxis"), ("yTitle", "axis")] {
                it.settings[own] = json!("");
                it.settings[range]["title"] = json!(format!("Name of {range}"));
            }
        }));
        for name in ["Name of xAxis", "Name of axis"] {
            assert!(words.iter().any(|it| it == name), "{slug}: {words:?}");
        }
    }
}
