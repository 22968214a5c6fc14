//! Tests with difficult data in the shape that each kind expects: the sample with long texts, with
//! negative values, with 200 records, and with some fields replaced by arbitrary values.

use chartroom_charts::Kind;
use chartroom_charts::scene::Primitive;
use proptest::prelude::Strategy;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use super::ChartCase;
use super::arbitrary;
use super::invalid_data::render_and_check;
use super::read_json;
use super::text_layout::assert_texts_do_not_overlap_in_all_sizes;

/// Column roles with cells that are codes or names of other records. A change of these cells would
/// change the meaning of the data and not its difficulty.
const CODE_ROLES: [&str; 12] = [
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
fn columns_of_type(kind: &Kind, of_type: &str) -> Vec<(String, String)> {
    let description = read_json(&format!("assets/kinds/{}/kind.json", kind.slug));
    let text = |column: &Value, key: &str| column[key].as_str().unwrap().to_owned();
    let columns = description["data_columns"].as_array().unwrap().iter();
    let matching = columns.filter(|column| column["type"] == of_type);
    matching.map(|column| (text(column, "key"), text(column, "role"))).collect()
}

fn is_code(role: &str) -> bool {
    CODE_ROLES.contains(&role)
}

/// Applies `change` to the texts of a value, also within an array.
fn replace_texts(value: &mut Value, change: &dyn Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = change(text),
        Value::Array(list) => list.iter_mut().for_each(|item| replace_texts(item, change)),
        _ => {}
    }
}

/// Returns the sample with every text three times as long. Equal texts stay equal.
fn case_with_long_texts(kind: &'static Kind) -> ChartCase {
    let mut case = ChartCase::sample(kind);
    let keys = columns_of_type(kind, "text");
    for record in &mut case.data {
        for (key, _) in keys.iter().filter(|column| !is_code(&column.1)) {
            if let Some(value) = record.get_mut(key) {
                replace_texts(value, &|text| {
                    format!("{text} and whatever else belongs to {text} by its name")
                });
            }
        }
    }
    case
}

/// Returns the sample with negative numbers in every other record.
fn case_with_negative_values(kind: &'static Kind) -> ChartCase {
    let mut case = ChartCase::sample(kind);
    for record in case.data.iter_mut().skip(1).step_by(2) {
        for value in record.as_object_mut().into_iter().flat_map(|object| object.values_mut()) {
            if let Some(number) = value.as_f64() {
                *value = json!(-number);
            }
        }
    }
    case
}

/// Repeats the sample up to 200 records, each repetition with other names.
fn case_with_200_records(kind: &'static Kind) -> ChartCase {
    let mut case = ChartCase::sample(kind);
    let keys = columns_of_type(kind, "text");
    let sample = std::mem::take(&mut case.data);
    for (index, record) in sample.iter().cycle().take(200).enumerate() {
        let (round, mut record) = (index / sample.len(), record.clone());
        for (key, role) in &keys {
            // Names and references to them change in the same way. Codes that are no names stay.
            let is_name =
                !is_code(role) || ["id", "parent", "reference", "next"].contains(&&**role);
            if let (true, Some(value)) = (is_name && round > 0, record.get_mut(key)) {
                replace_texts(value, &|text| format!("{text} {round}"));
            }
        }
        case.data.push(record);
    }
    case
}

#[test]
fn long_texts_in_any_column_do_not_overlap() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("long texts", || case_with_long_texts(kind));
    }
}

#[test]
fn texts_do_not_overlap_with_negative_values() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("below zero", || case_with_negative_values(kind));
    }
}

#[test]
fn texts_do_not_overlap_with_200_sample_records() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("200 records of its own", || {
            case_with_200_records(kind)
        });
    }
}

#[test]
fn difficult_data_stays_on_the_canvas() {
    for kind in chartroom_charts::kinds() {
        for (name, case) in [
            ("long", case_with_long_texts(kind)),
            ("below zero", case_with_negative_values(kind)),
            ("many", case_with_200_records(kind)),
        ] {
            for (width, height) in [(320.0, 180.0), (720.0, 405.0), (240.0, 600.0)] {
                let case = ChartCase { data: case.data.clone(), ..ChartCase::sample(kind) };
                render_and_check(kind, name, &case.with_size(width, height));
            }
        }
    }
}

/// Renders the world map with bubbles that are equal, of very different sizes, and on both sides of
/// zero.
#[test]
fn map_bubbles_do_not_overlap_texts() {
    let kind = chartroom_charts::find_kind("world-map").unwrap();
    let case = |value: &dyn Fn(usize) -> f64| {
        let mut case = ChartCase::sample(kind);
        case.settings["mode"] = json!("bubble");
        for (index, record) in case.data.iter_mut().enumerate() {
            record["value"] = json!(value(index));
        }
        case
    };
    let count_circles = |case: &ChartCase| {
        let primitives = case.render().shapes.into_iter().map(|primitive| primitive.primitive);
        primitives.filter(|primitive| matches!(primitive, Primitive::Circle { .. })).count()
    };
    let equal_values = |_: usize| 7.0;
    let uneven_values = |index: usize| 1e4 / (index * index + 1) as f64;
    let mixed_signs = |index: usize| index as f64 * 37.0 % 23.0 - 11.0;
    let values: [&dyn Fn(usize) -> f64; 3] = [&equal_values, &uneven_values, &mixed_signs];
    for value in values {
        assert_texts_do_not_overlap_in_all_sizes("bubbles", || case(value));
        render_and_check(kind, "bubbles", &case(value));
        let mut without_legend = case(value);
        without_legend.settings["showLegend"] = json!(false);
        assert_eq!(
            count_circles(&without_legend),
            without_legend.data.len(),
            "one circle per record"
        );
        assert!(count_circles(&case(value)) > without_legend.data.len(), "the legend adds circles");
    }
}

/// Replaces some fields of the sample by arbitrary values, 40 times and equally in every run.
#[test]
fn samples_with_arbitrary_fields_render() {
    let config = Config { failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let changes_strategy = proptest::collection::vec(
        (
            proptest::arbitrary::any::<Index>(),
            proptest::arbitrary::any::<Index>(),
            arbitrary::leaf_strategy(),
        ),
        1..5,
    );
    for round in 0..40 {
        let changes = changes_strategy.new_tree(&mut runner).unwrap().current();
        for kind in chartroom_charts::kinds() {
            let mut case = ChartCase::sample(kind);
            for (row, field, value) in &changes {
                let row = row.index(case.data.len());
                let Some(record) = case.data[row].as_object_mut() else { continue };
                let field_index = field.index(record.len());
                if let Some(stored) = record.values_mut().nth(field_index) {
                    *stored = value.clone();
                }
            }
            render_and_check(kind, &format!("odd fields {round}: {changes:?}"), &case);
        }
    }
}

/// Names of departments, in part longer than their marks.
const DEPARTMENTS: [&str; 10] = [
    "Einkauf und Logistik",
    "Forschung und Qualitätssicherung",
    "Kundendienst",
    "Vertrieb Süd (Bayern, Baden-Württemberg)",
    "Vertrieb Nord",
    "Personal",
    "Finanzen und Controlling",
    "Recht",
    "Marketing und Öffentlichkeitsarbeit",
    "Fuhrpark",
];

/// Draws these records with default settings.
fn draw_records(slug: &str, data: Vec<Value>, size: (f64, f64)) -> chartroom_charts::Scene {
    let case = ChartCase::sample(chartroom_charts::find_kind(slug).unwrap());
    ChartCase { settings: json!({ "locale": "de" }), style: Value::Null, data, ..case }
        .with_size(size.0, size.1)
        .render()
}

#[test]
fn names_use_free_space_before_they_are_shortened() {
    let records = |make: &dyn Fn(usize, &str) -> Value| -> Vec<Value> {
        DEPARTMENTS.iter().enumerate().map(|(row, name)| make(row, name)).collect()
    };
    let bullets = records(&|row, name| json!({ "label": name, "value": row + 5, "target": 9 }));
    assert_eq!(draw_records("bullet", bullets, (720.0, 405.0)).warnings, [""; 0]);
    let boxes = records(&|row, name| json!({ "label": name, "values": [row, row + 3, row + 9] }));
    let shortened = |scene: &chartroom_charts::Scene| {
        scene.text_boxes().filter(|(text, _)| text.ends_with('…')).count()
    };
    assert!(shortened(&draw_records("box-plot", boxes, (720.0, 405.0))) <= 3);
    let remark = "Rahmenvertrag bis 2027, Kündigung drei Monate vor Ablauf, Preise fest bis 2026";
    let rows = records(&|row, name| json!({ "Firma": name, "Umsatz": row, "Bemerkung": remark }));
    assert_eq!(shortened(&draw_records("table", rows, (720.0, 720.0))), 0);
    let tiles = [("Allgemeine Verwaltung", 85), ("Amt für Wohnen und Bau", 15)];
    let tiles = tiles.map(|(name, value)| json!({ "label": name, "value": value }));
    assert_eq!(shortened(&draw_records("treemap", tiles.to_vec(), (480.0, 405.0))), 0);
}

#[test]
fn a_waterfall_says_that_its_total_lacks_a_step() {
    let steps = |value: Value| {
        vec![
            json!({ "label": "Start", "value": 1250, "isTotal": true }),
            json!({ "label": "Preise", "value": value }),
            json!({ "label": "Ende", "isTotal": true }),
        ]
    };
    let warnings = |value| draw_records("waterfall", steps(value), (720.0, 405.0)).warnings;
    assert_eq!(warnings(json!("k. A.")), ["Missing values: 1."]);
    assert_eq!(warnings(json!(0)), [""; 0]);
}
