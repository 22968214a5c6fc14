//! Tests with invalid and random documents: every kind renders them without a failure.

use std::time::Duration;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use chartroom_charts::{Kind, Scene};
use chartroom_platform::threads::thread_processor_time;

use super::arbitrary::{self, RandomDocument};
use super::{ChartCase, finite, text_layout};

/// Maximum processor time to render one image, in a build without optimization. Other programs on a
/// busy machine do not count.
const MAX_RENDER_TIME: Duration = Duration::from_secs(5);

/// Renders a case and returns the scene. Panics if it takes too long, has a number that is not
/// finite, or has a shape outside the canvas.
pub fn render_and_check(kind: &Kind, name: &str, case: &ChartCase) -> Scene {
    let started = thread_processor_time();
    let scene = case.render();
    let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
    let duration = thread_processor_time() - started;
    assert!(duration < MAX_RENDER_TIME, "{}: {name} took {duration:?}", kind.slug);
    assert!(svg.ends_with("</svg>\n"), "{}: {name}", kind.slug);
    finite::assert_finite(&format!("{}: {name}", kind.slug), &scene);
    text_layout::assert_inside(kind, name, &scene);
    scene
}

/// Returns a record with the same value in every column that kinds read.
fn record_filled_with(value: &Value) -> Value {
    let keys = ["label", "value", "s1", "s2", "date", "x", "y", "size", "group", "start", "end"];
    let more_keys = ["progress", "milestone", "isTotal", "highlighted", "id", "dependsOn"];
    keys.iter().chain(&more_keys).map(|key| ((*key).to_owned(), value.clone())).collect()
}

/// Returns a record that has valid values for every kind.
fn valid_record(index: usize, value: f64) -> Value {
    let (month, day) = (index / 28 % 12 + 1, index % 28 + 1);
    let date = format!("{}-{month:02}-{day:02}", 2020 + index / 336);
    json!({"label": format!("Item {index}"), "value": value, "s1": value, "s2": value * 0.5,
           "date": date, "x": index, "y": value, "size": value, "group": format!("G{}", index % 5),
           "start": date, "end": "2024-12-31", "id": index, "progress": 0.5})
}

/// Returns invalid and extreme data with a name for each.
fn invalid_data_sets() -> Vec<(String, Vec<Value>)> {
    let mut cases: Vec<(String, Vec<Value>)> = Vec::new();
    let values = [
        json!(null),
        json!(true),
        json!(""),
        json!("text"),
        json!("NaN"),
        json!("-inf"),
        json!("1e999"),
        json!({"a": {"b": [1, 2]}}),
        json!([[1], [2]]),
        json!(1e308),
        json!(-1e308),
        json!(5e-324),
        json!(0),
        json!(-1),
        json!(1e15),
        json!(1e-9),
        json!(i64::MIN),
        json!(u64::MAX),
        json!("2024-02-30"),
        json!("9999-12-31"),
    ];
    for value in &values {
        cases.push((format!("one record of {value}"), vec![record_filled_with(value)]));
        cases.push((format!("three records of {value}"), vec![record_filled_with(value); 3]));
        cases.push((format!("records of {value}, without an object"), vec![value.clone(); 3]));
        cases.push((
            format!("valid, then {value}"),
            vec![valid_record(0, 3.0), record_filled_with(value)],
        ));
    }
    let extreme_range = vec![valid_record(0, 1e308), valid_record(1, -1e308), valid_record(2, 0.0)];
    cases.push(("from -1e308 to 1e308".to_owned(), extreme_range));
    cases.push(("nothing".to_owned(), Vec::new()));
    cases.push(("empty objects".to_owned(), vec![json!({}); 4]));
    cases.push(("one record".to_owned(), vec![valid_record(0, 5.0)]));
    cases.push(("all equal".to_owned(), (0..12).map(|index| valid_record(index, 7.0)).collect()));
    cases.push(("all zero".to_owned(), (0..12).map(|index| valid_record(index, 0.0)).collect()));
    cases.push((
        "all below zero".to_owned(),
        (0..9).map(|index| valid_record(index, -4.0 - index as f64)).collect(),
    ));
    cases.push((
        "1,000 records".to_owned(),
        (0..1000).map(|index| valid_record(index, (index % 17) as f64)).collect(),
    ));
    cases
}

#[test]
fn invalid_data_renders_without_failure() {
    for kind in chartroom_charts::kinds() {
        for (name, data) in invalid_data_sets() {
            let mut case = ChartCase::sample(kind);
            case.data = data;
            render_and_check(kind, &name, &case);
            case.settings = Value::Null;
            render_and_check(kind, &format!("{name}, no settings"), &case);
        }
    }
}

#[test]
fn image_without_readable_data_says_so() {
    for kind in chartroom_charts::kinds() {
        for data in [vec![], vec![json!({})], vec![json!(null), json!([])]] {
            let case = ChartCase { data, ..ChartCase::sample(kind) };
            assert!(case.render_svg().contains("No data"), "{}: {:?}", kind.slug, case.data);
        }
    }
}

#[test]
fn unusual_canvas_sizes_render() {
    for kind in chartroom_charts::kinds() {
        for side in [0.0, 1.0, 17.0, 4096.0, -5.0, f64::NAN, f64::INFINITY] {
            render_and_check(
                kind,
                &format!("{side} wide"),
                &ChartCase::sample(kind).with_size(side, 300.0),
            );
            render_and_check(
                kind,
                &format!("{side} high"),
                &ChartCase::sample(kind).with_size(300.0, side),
            );
            render_and_check(
                kind,
                &format!("{side} both"),
                &ChartCase::sample(kind).with_size(side, side),
            );
        }
    }
}

fn case_from_document(kind: &'static Kind, document: RandomDocument) -> ChartCase {
    ChartCase {
        kind,
        title: document.title,
        settings: document.settings,
        interactive: document.data.len() % 2 == 1,
        data: document.data,
        style: document.style,
        theme: document.theme,
        fonts: chartroom_charts::FontCollection::builtin(),
        width: document.width,
        height: document.height,
    }
}

/// Returns the number of random documents per kind: `CHARTROOM_RANDOM_DOCUMENTS`, or 120.
fn random_document_count() -> u32 {
    let count = std::env::var("CHARTROOM_RANDOM_DOCUMENTS");
    count.map_or(120, |count| count.parse().expect("CHARTROOM_RANDOM_DOCUMENTS is a number"))
}

/// Renders random documents of a kind, the same ones in every run.
fn render_random_documents(kind: &'static Kind) {
    let cases = random_document_count();
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    for index in 0..cases {
        let document = arbitrary::document_strategy(kind).new_tree(&mut runner).unwrap().current();
        let name = format!("random document {index}");
        let outcome = std::panic::catch_unwind(|| {
            render_and_check(kind, &name, &case_from_document(kind, document.clone()));
        });
        assert!(outcome.is_ok(), "{}: {name}: {document:#?}", kind.slug);
    }
}

/// Renders random documents of every [`SHARE_COUNT`]th kind, starting with the kind at index
/// `share`.
fn render_random_documents_of_share(share: usize) {
    for kind in chartroom_charts::kinds().iter().skip(share).step_by(SHARE_COUNT) {
        render_random_documents(kind);
    }
}

/// Number of tests that share the kinds, so that they run in parallel.
const SHARE_COUNT: usize = 6;

#[test]
fn random_documents_render_in_the_first_share_of_kinds() {
    render_random_documents_of_share(0);
}

#[test]
fn random_documents_render_in_the_second_share_of_kinds() {
    render_random_documents_of_share(1);
}

#[test]
fn random_documents_render_in_the_third_share_of_kinds() {
    render_random_documents_of_share(2);
}

#[test]
fn random_documents_render_in_the_fourth_share_of_kinds() {
    render_random_documents_of_share(3);
}

#[test]
fn random_documents_render_in_the_fifth_share_of_kinds() {
    render_random_documents_of_share(4);
}

#[test]
fn random_documents_render_in_the_sixth_share_of_kinds() {
    render_random_documents_of_share(5);
}
