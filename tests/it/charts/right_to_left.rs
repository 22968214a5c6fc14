//! Tests of charts in languages that are written from right to left.

use chartroom_charts::scene::{Primitive, Scene, Text};
use serde_json::{Value, json};

use super::ChartCase;

const TITLE: &str = "السكان حسب المدينة";
const MAPS: [&str; 3] = ["choropleth", "point-map", "world-map"];

/// Returns the texts of a scene with the middle of their bounds.
fn texts(scene: &Scene) -> Vec<(String, f64)> {
    let text = |text: &Text| (text.text.clone(), text.bounds().center().x);
    let texts = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Text(line) => Some(text(line)),
        _ => None,
    });
    texts.collect()
}

#[test]
fn right_to_left_images_are_mirrored_except_maps() {
    for kind in chartroom_charts::kinds() {
        let sample = || ChartCase::sample(kind);
        let render = |locale: &str| {
            let mut case = sample();
            case.settings["locale"] = json!(locale);
            case.render()
        };
        // Persian is mirrored, and its numbers and words are English.
        let (plain, mirrored) = (render("en"), render("fa"));
        assert_eq!(plain.shapes.len(), mirrored.shapes.len(), "{}", kind.slug);
        for (before, after) in texts(&plain).iter().zip(texts(&mirrored)) {
            assert_eq!(before.0, after.0, "{}", kind.slug);
            let want = if MAPS.contains(&kind.slug) { before.1 } else { 720.0 - before.1 };
            // The bounds of rotated text are not symmetrical.
            assert!((after.1 - want).abs() < 12.0, "{}: {} at {}", kind.slug, after.0, after.1);
        }
    }
}

/// Returns the texts of a document, but not its numbers.
fn collect_strings(value: &Value, strings: &mut String) {
    match value {
        Value::String(text) => *strings += &format!("{text}\n"),
        Value::Array(values) => values.iter().for_each(|value| collect_strings(value, strings)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            *strings += &format!("{key}\n");
            collect_strings(value, strings);
        }),
        _ => {}
    }
}

#[test]
fn all_printed_numbers_have_the_digits_of_the_locale() {
    for kind in chartroom_charts::kinds() {
        let mut case = ChartCase::sample(kind);
        case.settings["locale"] = json!("ar");
        let mut own_texts = String::new();
        collect_strings(&json!([case.title, case.settings, case.data, case.style]), &mut own_texts);
        for (text, _) in texts(&case.render()) {
            for word in text.split(' ').filter(|word| word.contains(|c: char| c.is_ascii_digit())) {
                assert!(own_texts.contains(word), "{}: {word:?} in {text:?}", kind.slug);
            }
        }
    }
}

#[test]
fn the_title_decides_without_a_language_in_the_settings() {
    let bar = chartroom_charts::find_kind("bar").unwrap();
    let title_at = |title: &str, locale: Value| {
        let mut case = ChartCase { title: title.to_owned(), ..ChartCase::sample(bar) };
        case.settings["locale"] = locale;
        texts(&case.render())[0].1
    };
    assert!(title_at(TITLE, Value::Null) > 360.0);
    assert!(title_at("Residents", Value::Null) < 360.0);
    assert!(title_at(TITLE, json!("en")) < 360.0, "the settings are stronger than the title");
    assert!(title_at("Residents", json!("he")) > 360.0);
}

#[test]
fn margins_and_words_of_a_latin_subtitle_keep_their_sides() {
    let bar = chartroom_charts::find_kind("bar").unwrap();
    let mut case = ChartCase { title: TITLE.to_owned(), ..ChartCase::sample(bar) };
    case.style =
        json!({ "subtitle": "one <b>two</b> three", "margin": { "left": 100, "right": 10 } });
    let scene = case.render();
    let found = texts(&scene);
    let position = |word: &str| found.iter().find(|(text, _)| text.trim() == word).unwrap().1;
    assert!(position("one") < position("two") && position("two") < position("three"));
    let lines = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Text(text) => Some(text.bounds()),
        _ => None,
    });
    let (left, right) = lines.fold((f64::INFINITY, 0.0_f64), |(left, right), bounds| {
        (left.min(bounds.x0), right.max(bounds.x1))
    });
    assert!(left >= 99.0 && (right - 710.0).abs() < 1.0, "{left} to {right}");
}
