//! Tests of stacked columns.

use serde_json::json;

use super::*;

#[test]
fn small_segments_are_visible_and_the_column_keeps_its_end() {
    let segment = |series: usize, from: f64, value: f64| Segment {
        series,
        row: 0,
        column: 0,
        from,
        to: from + value,
        value,
    };
    let segments = [
        segment(0, 0.0, 84.0),
        segment(1, 84.0, 15.8),
        segment(2, 99.8, 0.1),
        segment(3, 99.9, 0.1),
        segment(4, 0.0, -0.1),
        segment(5, 100.0, 0.0),
    ];
    let scale = ValueScale { domain: (0.0, 100.0), range: (200.0, 0.0), is_log: false };
    let extents = visible_extents(&segments, &scale);
    let lengths: Vec<f64> = extents.iter().map(|(from, to)| from - to).collect();
    for index in [2, 3] {
        assert!((lengths[index] - bands::MIN_BAR_LENGTH).abs() < 1e-9, "{extents:?}");
    }
    assert!((lengths[0] + lengths[1] + 2.0 * bands::MIN_BAR_LENGTH - 200.0).abs() < 1e-9);
    assert!((lengths[1] - 31.6).abs() < 1e-9, "the largest segment gives: {extents:?}");
    assert!((extents[3].1 - 0.0).abs() < 1e-9, "{extents:?}");
    assert!((lengths[4] + bands::MIN_BAR_LENGTH).abs() < 1e-9, "{extents:?}");
    assert_eq!(lengths[5], 0.0);
}

#[test]
fn a_total_is_as_exact_as_its_segments() {
    let data = [
        json!({"label": "Nord", "Personal": 12.5, "Energie": 3.2, "Zinsen": 0.04}),
        json!({"label": "Süd", "Personal": 8.1, "Energie": 2, "Zinsen": 1.4}),
    ];
    let scene = crate::draw(&Chart::new(crate::find_kind("stacked-column").unwrap(), &data));
    let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
    for expected in ["12.50", "3.20", "15.74", "11.50"] {
        assert!(texts.contains(&expected), "{expected}: {texts:?}");
    }
}

#[test]
fn a_column_of_tiny_segments_only_is_not_higher_than_its_value() {
    let segments: Vec<Segment> = (0..16)
        .map(|series| {
            let from = series as f64;
            Segment { series, row: 0, column: 0, from, to: from + 1.0, value: 1.0 }
        })
        .collect();
    let scale = ValueScale { domain: (0.0, 160_000.0), range: (200.0, 0.0), is_log: false };
    let extents = visible_extents(&segments, &scale);
    let height = 200.0 - extents[15].1;
    assert!((height - bands::MIN_BAR_LENGTH).abs() < 1e-9, "{height}");
}

#[test]
fn columns_with_parts_below_zero_show_their_net_total() {
    let data = [
        json!({"label": "2023", "Sales": 90, "Services": 30, "Costs": -140}),
        json!({"label": "2024", "Sales": 140, "Services": 35, "Costs": -80}),
        json!({"label": "2025", "Sales": 150, "Services": 45, "Costs": 0}),
    ];
    let texts = |data: &[serde_json::Value]| -> Vec<String> {
        let scene = crate::draw(&Chart::new(crate::find_kind("stacked-column").unwrap(), data));
        scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
    };
    let mixed = texts(&data);
    for total in ["Σ\u{a0}−20", "Σ\u{a0}95", "Σ\u{a0}195"] {
        assert!(mixed.iter().any(|text| text == total), "{total}: {mixed:?}");
    }
    assert!(texts(&data[2..]).contains(&"195".to_owned()));
    let losses = [json!({"label": "a", "Rent": -4, "Power": -3})];
    assert!(texts(&losses).contains(&"−7".to_owned()), "{:?}", texts(&losses));
}

#[test]
fn values_of_low_segments_are_counted_unless_labels_are_off() {
    let data = [
        json!({"label": "North", "Rent": 12_400, "Sports": 95, "Art": 0}),
        json!({"label": "South", "Rent": 18_250, "Sports": 110, "Art": 0}),
    ];
    let count = |slug: &str, settings: serde_json::Value| {
        let chart = Chart::new(crate::find_kind(slug).unwrap(), &data);
        let scene = crate::draw(&Chart { settings: &settings, ..chart });
        let noted =
            scene.text_boxes().any(|(text, _)| text == "Values without space for a label: 2");
        let warned = scene.warnings.iter().any(|text| text.starts_with("Values without space"));
        let count = scene.omissions.iter().find(|(reason, _)| *reason == Omission::Value);
        assert_eq!((noted, warned), (count.is_some(), count.is_some()), "{slug} {settings}");
        count.map_or(0, |(_, count)| *count)
    };
    assert_eq!(count("stacked-column", json!({})), 2);
    assert_eq!(count("stacked-column", json!({"orientation": "horizontal"})), 2);
    assert_eq!(count("stacked-column", json!({"showValues": false})), 0);
    assert_eq!(count("stacked-column", json!({"showGrid": true})), 0, "an axis");
    assert_eq!(count("percent-column", json!({})), 0, "its axis has ticks");
    assert_eq!(count("percent-column", json!({"showValues": false})), 0);
    assert_eq!(count("marimekko", json!({})), 2);
}

#[test]
fn an_axis_replaces_the_values_of_many_columns() {
    let record = |index: usize| json!({"label": format!("M{index}"), "A": 7_000 + index, "B": 1});
    let data: Vec<serde_json::Value> = (0..90).map(record).collect();
    let kind = crate::find_kind("stacked-column").unwrap();
    let scene = crate::draw(&Chart::new(kind, &data));
    assert!(!scene.omissions.iter().any(|(reason, _)| *reason == Omission::Value));
}

#[test]
fn columns_of_zeros_without_shares_are_named() {
    let data = [
        json!({"label": "2022", "yes": 5, "no": 3}),
        json!({"label": "2023", "yes": 0, "no": 0}),
        json!({"label": "2024", "yes": 6, "no": null}),
    ];
    let omissions = |slug: &str| {
        let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), &data));
        let zero = scene.omissions.iter().find(|(reason, _)| *reason == Omission::Zero);
        let note = "Not shown: 1 equal to zero (2023).".to_owned();
        assert_eq!(scene.warnings.contains(&note), zero.is_some(), "{slug}");
        zero.map(|(_, count)| *count)
    };
    assert_eq!(omissions("percent-column"), Some(1));
    assert_eq!(omissions("stacked-column"), None);
}
