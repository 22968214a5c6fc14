//! Tests of tornado charts.

use super::*;
use serde_json::{Value, json};

#[test]
fn both_values_of_a_bar_on_one_side_of_the_base_are_shown() {
    let data = [
        json!({"label": "Price", "low": 10, "high": 90}),
        json!({"label": "Wages", "low": 61, "high": 78}),
        json!({"label": "Rent", "low": 51, "high": 84}),
        json!({"label": "Tax", "low": 50, "high": 72}),
    ];
    let settings = json!({"base": 50});
    let chart = Chart::new(crate::find_kind("tornado").unwrap(), &data);
    let scene = crate::draw(&Chart { settings: &settings, ..chart });
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    for value in ["10", "90", "61", "78", "51", "84", "50", "72"] {
        assert_eq!(texts.iter().filter(|text| **text == value).count(), 1, "{value}: {texts:?}");
    }
}

#[test]
fn equal_results_have_no_bars() {
    let record =
        |index: usize| json!({"label": format!("Rent {index}"), "low": 25.1, "high": 25.1});
    let data: Vec<_> = (0..11).map(record).collect();
    let scene = crate::draw(&Chart::new(crate::find_kind("tornado").unwrap(), &data));
    let is_bar = |shape: &Shape| matches!(shape.primitive, Primitive::Rect { rect, .. } if rect.width() > 20.0);
    assert!(!scene.shapes.iter().any(is_bar));
}

#[test]
fn small_charts_name_each_of_eleven_inputs() {
    let record = |index: usize| json!({"label": format!("Input {}", ['a', 'b', 'c'][index % 3]), "low": index, "high": 40 - index});
    let data: Vec<_> = (0..11).map(record).collect();
    let kind = crate::find_kind("tornado").unwrap();
    let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
    assert_eq!(scene.omissions, []);
}

#[test]
fn bars_of_changes_start_at_zero() {
    let find = |results: &[[Value; 2]]| {
        let data: Vec<Value> = results
            .iter()
            .map(|[low, high]| json!({"label": "a", "low": low, "high": high}))
            .collect();
        let chart = Chart::new(&KIND, &data);
        find_base(&chart, &read_inputs(&chart))
    };
    let pair = |low: f64, high: f64| [json!(low), json!(high)];
    assert_eq!(find(&[pair(-2.4, 3.1), pair(0.4, -0.6), [json!(null), json!(0.5)]]), Some(0.0));
    assert_eq!(find(&[pair(-2.0, 0.0), pair(-1.0, 1.5)]), Some(0.0));
    // Results of a loss and a profit, which are not changes.
    assert_eq!(find(&[pair(-2.0, 4.0), pair(1.0, 3.0)]), Some(1.5));
}

#[test]
fn the_base_of_the_records_is_named_and_a_mean_is_no_base() {
    let draw = |bases: [Value; 2]| {
        let [first, second] = bases;
        let data = [
            json!({"label": "Price", "low": 4.1, "high": 6.2, "base": first}),
            json!({"label": "Volume", "low": 4.4, "high": 5.5, "base": second}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        scene.text_boxes().map(|(text, _)| text.to_owned()).collect::<Vec<_>>().join("|")
    };
    for bases in [[json!(5), json!(5)], [json!(5), json!(null)]] {
        let texts = draw(bases);
        assert!(texts.contains("Base: 5.0"), "{texts}");
    }
    for bases in [[json!(null), json!(null)], [json!(5), json!(6)]] {
        let texts = draw(bases);
        assert!(texts.contains("Mean: 5.05") && !texts.contains("Base"), "{texts}");
    }
}
