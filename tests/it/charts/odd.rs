//! Odd documents: every kind draws something calm, whatever it is given.

use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use chartroom_charts::{Kind, Scene};

use super::arbitrary::{self, Document};
use super::{Case, finite, texts};

/// The longest that one picture may take, in a build without optimisation and on a busy machine.
const DEADLINE: Duration = Duration::from_secs(5);

pub fn check(kind: &Kind, what: &str, case: &Case) -> Scene {
    let started = Instant::now();
    let scene = case.draw();
    let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
    let took = started.elapsed();
    assert!(took < DEADLINE, "{}: {what} took {took:?}", kind.slug);
    assert!(svg.ends_with("</svg>\n"), "{}: {what}", kind.slug);
    finite::check(&format!("{}: {what}", kind.slug), &scene);
    texts::assert_inside(kind, what, &scene);
    scene
}

/// A record with the same odd value in every column that kinds read.
fn filled(value: &Value) -> Value {
    let keys = ["label", "value", "s1", "s2", "date", "x", "y", "size", "group", "start", "end"];
    let more = ["progress", "milestone", "isTotal", "highlighted", "id", "dependsOn"];
    keys.iter().chain(&more).map(|key| ((*key).to_owned(), value.clone())).collect()
}

/// A record as it should be, for every kind at once.
fn sound(index: usize, value: f64) -> Value {
    let (month, day) = (index / 28 % 12 + 1, index % 28 + 1);
    let date = format!("{}-{month:02}-{day:02}", 2020 + index / 336);
    json!({"label": format!("Item {index}"), "value": value, "s1": value, "s2": value * 0.5,
           "date": date, "x": index, "y": value, "size": value, "group": format!("G{}", index % 5),
           "start": date, "end": "2024-12-31", "id": index, "progress": 0.5})
}

fn odd_data() -> Vec<(String, Vec<Value>)> {
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
        cases.push((format!("one record of {value}"), vec![filled(value)]));
        cases.push((format!("three records of {value}"), vec![filled(value); 3]));
        cases.push((format!("records of {value}, without an object"), vec![value.clone(); 3]));
        cases.push((format!("sound, then {value}"), vec![sound(0, 3.0), filled(value)]));
    }
    let wide = vec![sound(0, 1e308), sound(1, -1e308), sound(2, 0.0)];
    cases.push(("from -1e308 to 1e308".to_owned(), wide));
    cases.push(("nothing".to_owned(), Vec::new()));
    cases.push(("empty objects".to_owned(), vec![json!({}); 4]));
    cases.push(("one record".to_owned(), vec![sound(0, 5.0)]));
    cases.push(("all equal".to_owned(), (0..12).map(|it| sound(it, 7.0)).collect()));
    cases.push(("all zero".to_owned(), (0..12).map(|it| sound(it, 0.0)).collect()));
    cases.push((
        "all below zero".to_owned(),
        (0..9).map(|it| sound(it, -4.0 - it as f64)).collect(),
    ));
    cases.push((
        "1,000 records".to_owned(),
        (0..1000).map(|it| sound(it, (it % 17) as f64)).collect(),
    ));
    cases
}

#[test]
fn odd_data_gives_a_calm_picture() {
    for kind in chartroom_charts::kinds() {
        for (what, data) in odd_data() {
            let mut case = Case::sample(kind);
            case.data = data;
            check(kind, &what, &case);
            case.settings = Value::Null;
            check(kind, &format!("{what}, no settings"), &case);
        }
    }
}

#[test]
fn without_readable_data_the_picture_says_so() {
    for kind in chartroom_charts::kinds() {
        for data in [vec![], vec![json!({})], vec![json!(null), json!([])]] {
            let case = Case { data, ..Case::sample(kind) };
            assert!(case.svg().contains("No data"), "{}: {:?}", kind.slug, case.data);
        }
    }
}

#[test]
fn odd_canvases_are_drawn() {
    for kind in chartroom_charts::kinds() {
        for side in [0.0, 1.0, 17.0, 4096.0, -5.0, f64::NAN, f64::INFINITY] {
            check(kind, &format!("{side} wide"), &Case::sample(kind).sized(side, 300.0));
            check(kind, &format!("{side} high"), &Case::sample(kind).sized(300.0, side));
            check(kind, &format!("{side} both"), &Case::sample(kind).sized(side, side));
        }
    }
}

fn case_of(kind: &'static Kind, document: Document) -> Case {
    Case {
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

/// Draws 1,000 random documents, the same ones in every run.
fn draw_random_documents(kind: &'static Kind) {
    let config = Config { cases: 1000, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    for index in 0..1000 {
        let document = arbitrary::document(kind).new_tree(&mut runner).unwrap().current();
        let what = format!("random document {index}");
        let outcome = std::panic::catch_unwind(|| {
            check(kind, &what, &case_of(kind, document.clone()));
        });
        assert!(outcome.is_ok(), "{}: {what}: {document:#?}", kind.slug);
    }
}

/// Draws random documents in some of the kinds.
fn draw_share(share: usize) {
    for kind in chartroom_charts::kinds().iter().skip(share).step_by(SHARES) {
        draw_random_documents(kind);
    }
}

/// So many tests share the kinds, so that they run side by side.
const SHARES: usize = 6;

#[test]
fn random_documents_are_drawn_in_the_first_share_of_kinds() {
    draw_share(0);
}

#[test]
fn random_documents_are_drawn_in_the_second_share_of_kinds() {
    draw_share(1);
}

#[test]
fn random_documents_are_drawn_in_the_third_share_of_kinds() {
    draw_share(2);
}

#[test]
fn random_documents_are_drawn_in_the_fourth_share_of_kinds() {
    draw_share(3);
}

#[test]
fn random_documents_are_drawn_in_the_fifth_share_of_kinds() {
    draw_share(4);
}

#[test]
fn random_documents_are_drawn_in_the_sixth_share_of_kinds() {
    draw_share(5);
}
