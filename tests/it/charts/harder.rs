//! Difficult data in the shape that each kind expects: the sample with long texts, with negative
//! values, with 200 records, and with some fields replaced by arbitrary values.

use chartroom_charts::Kind;
use chartroom_charts::scene::Primitive;
use proptest::prelude::Strategy;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use super::Case;
use super::arbitrary;
use super::odd::check;
use super::read_json;
use super::texts::assert_apart_in_all_sizes;

/// Column roles with cells that are codes or names of other records. A change of these cells would
/// make other data, not more difficult data.
const CODES: [&str; 12] = [
    "id",
    "parent",
    "reference",
    "next",
    "region",
    "type",
    "icon",
    "date",
    "color",
    "field",
    "side",
    "link",
];

/// Returns the columns of a kind that have the given type, with their roles.
fn columns(kind: &Kind, of_type: &str) -> Vec<(String, String)> {
    let about = read_json(&format!("assets/kinds/{}/kind.json", kind.slug));
    let text = |column: &Value, key: &str| column[key].as_str().unwrap().to_owned();
    let columns = about["data_columns"].as_array().unwrap().iter();
    let wanted = columns.filter(|it| it["type"] == of_type);
    wanted.map(|it| (text(it, "key"), text(it, "role"))).collect()
}

fn is_code(role: &str) -> bool {
    CODES.contains(&role)
}

/// Applies `change` to the texts of a value, also within an array.
fn reworded(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(list) => list.iter_mut().for_each(|it| reworded(it, change)),
        _ => {}
    }
}

/// Returns the sample with every text three times as long. Equal texts stay equal.
fn long(kind: &'static Kind) -> Case {
    let mut case = Case::sample(kind);
    let keys = columns(kind, "text");
    for record in &mut case.data {
        for (key, _) in keys.iter().filter(|it| !is_code(&it.1)) {
            if let Some(value) = record.get_mut(key) {
                reworded(value, &|it| {
                    format!("{it} and whatever else belongs to {it} by its name")
                });
            }
        }
    }
    case
}

/// Returns the sample with negative numbers in every other record.
fn below_zero(kind: &'static Kind) -> Case {
    let mut case = Case::sample(kind);
    for record in case.data.iter_mut().skip(1).step_by(2) {
        for value in record.as_object_mut().into_iter().flat_map(|it| it.values_mut()) {
            if let Some(number) = value.as_f64() {
                *value = json!(-number);
            }
        }
    }
    case
}

/// Repeats the sample up to 200 records, each repetition with other names.
fn many(kind: &'static Kind) -> Case {
    let mut case = Case::sample(kind);
    let keys = columns(kind, "text");
    let sample = std::mem::take(&mut case.data);
    for (index, record) in sample.iter().cycle().take(200).enumerate() {
        let (round, mut record) = (index / sample.len(), record.clone());
        for (key, role) in &keys {
            // Names and references to them change in the same way. Codes that are no names stay.
            let is_name =
                !is_code(role) || ["id", "parent", "reference", "next"].contains(&&**role);
            if let (true, Some(value)) = (is_name && round > 0, record.get_mut(key)) {
                reworded(value, &|it| format!("{it} {round}"));
            }
        }
        case.data.push(record);
    }
    case
}

#[test]
fn long_texts_of_every_column_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("long texts", || long(kind));
    }
}

#[test]
fn samples_with_values_below_zero_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("below zero", || below_zero(kind));
    }
}

#[test]
fn samples_of_two_hundred_records_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("200 records of its own", || many(kind));
    }
}

#[test]
fn harder_data_stay_on_the_canvas() {
    for kind in chartroom_charts::kinds() {
        for (what, case) in
            [("long", long(kind)), ("below zero", below_zero(kind)), ("many", many(kind))]
        {
            for (width, height) in [(320.0, 180.0), (720.0, 405.0), (240.0, 600.0)] {
                let case = Case { data: case.data.clone(), ..Case::sample(kind) };
                check(kind, what, &case.sized(width, height));
            }
        }
    }
}

/// Returns the world map with bubbles: all equal, of very different sizes, and on both sides of
/// zero.
#[test]
fn bubbles_on_the_map_stay_clear() {
    let kind = chartroom_charts::find_kind("world-map").unwrap();
    let case = |value: &dyn Fn(usize) -> f64| {
        let mut case = Case::sample(kind);
        case.settings["mode"] = json!("bubble");
        for (index, record) in case.data.iter_mut().enumerate() {
            record["value"] = json!(value(index));
        }
        case
    };
    let circles = |case: &Case| {
        let forms = case.draw().shapes.into_iter().map(|it| it.primitive);
        forms.filter(|it| matches!(it, Primitive::Circle { .. })).count()
    };
    let even = |_: usize| 7.0;
    let steep = |it: usize| 1e4 / (it * it + 1) as f64;
    let both = |it: usize| it as f64 * 37.0 % 23.0 - 11.0;
    let values: [&dyn Fn(usize) -> f64; 3] = [&even, &steep, &both];
    for value in values {
        assert_apart_in_all_sizes("bubbles", || case(value));
        check(kind, "bubbles", &case(value));
        let mut bare = case(value);
        bare.settings["showLegend"] = json!(false);
        assert_eq!(circles(&bare), bare.data.len(), "a circle each");
        assert!(circles(&case(value)) > bare.data.len(), "and those of the legend");
    }
}

/// Replaces some fields of the sample by arbitrary values, 200 times and equally in every run.
#[test]
fn samples_with_odd_fields_are_drawn() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let places = proptest::collection::vec(
        (
            proptest::arbitrary::any::<Index>(),
            proptest::arbitrary::any::<Index>(),
            arbitrary::leaf(),
        ),
        1..5,
    );
    for round in 0..200 {
        let changes = places.new_tree(&mut runner).unwrap().current();
        for kind in chartroom_charts::kinds() {
            let mut case = Case::sample(kind);
            for (row, field, value) in &changes {
                let row = row.index(case.data.len());
                let Some(record) = case.data[row].as_object_mut() else { continue };
                let place = field.index(record.len());
                if let Some(found) = record.values_mut().nth(place) {
                    *found = value.clone();
                }
            }
            check(kind, &format!("odd fields {round}: {changes:?}"), &case);
        }
    }
}
