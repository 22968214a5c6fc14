//! Tests of difference arrows: positions, labels, and warnings about values that cannot be compared.

use serde_json::{Value, json};

use super::*;
use crate::style::Style;

/// Draws a kind with one difference between the marks `from` and `to`.
fn draw_difference(
    slug: &str,
    data: &Value,
    settings: &Value,
    (from, to): (Value, Value),
) -> Scene {
    let annotation = json!({"type": "difference", "anchor": from, "to": to});
    let style = Style::parse(&json!({ "annotations": [annotation] }));
    let kind = crate::find_kind(slug).unwrap();
    crate::draw(&Chart { style: &style, settings, ..Chart::new(kind, data.as_array().unwrap()) })
}

/// Returns the ends of the last line of the scene, which is the arrow.
fn find_arrow(scene: &Scene) -> (Point, Point) {
    let mut lines = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Line { from, to, .. } => Some((*from, *to)),
        _ => None,
    });
    lines.next_back().unwrap()
}

/// Returns the rectangles of bars, in drawing order.
fn find_bars(scene: &Scene) -> Vec<Rect> {
    let bars = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Rect { rect, .. } => Some(*rect),
        _ => None,
    });
    bars.collect()
}

fn has_text(scene: &Scene, text: &str) -> bool {
    scene.text_boxes().any(|(found, _)| found == text)
}

#[test]
fn the_arrow_joins_the_ends_of_bars_in_both_orientations_and_mirrored() {
    let data = json!([
        {"label": "N", "value": 28}, {"label": "S", "value": 31.4}, {"label": "W", "value": -4}
    ]);
    let rows = || (json!({"row": 0}), json!({"row": 2}));
    for (orientation, locale) in
        [("vertical", "en"), ("horizontal", "en"), ("vertical", "he"), ("horizontal", "he")]
    {
        let settings = json!({"orientation": orientation, "locale": locale});
        let scene = draw_difference("bar", &data, &settings, rows());
        assert_eq!(scene.warnings, [""; 0]);
        let bars = find_bars(&scene);
        let (from, to) = find_arrow(&scene);
        // A mirrored horizontal bar grows to the left.
        let (ends, arrow) = match (orientation, locale) {
            ("vertical", _) => ([bars[0].y0, bars[2].y1], [from.y, to.y]),
            (_, "he") => ([bars[0].x0, bars[2].x1], [from.x, to.x]),
            _ => ([bars[0].x1, bars[2].x0], [from.x, to.x]),
        };
        for (end, arrow) in ends.into_iter().zip(arrow) {
            assert!((end - arrow).abs() < 0.01, "{orientation} {locale}: {ends:?} {arrow}");
        }
        let is_label = |(text, _): (&str, Rect)| text.ends_with("−32") && !text.contains('%');
        assert!(scene.text_boxes().any(is_label), "no percentage below zero");
    }
}

#[test]
fn stacks_compare_totals_and_only_segments_that_start_at_zero() {
    let data = json!([{"label": "N", "a": 10, "b": 14}, {"label": "S", "a": 12, "b": 18}]);
    let draw =
        |from: Value, to: Value| draw_difference("stacked-column", &data, &Value::Null, (from, to));
    let totals = draw(json!({"row": 0}), json!({"label": "S"}));
    assert!(has_text(&totals, "+25% · +6") && totals.warnings.is_empty());
    let first = draw(json!({"row": 0, "field": "a"}), json!({"row": 1, "field": "a"}));
    assert!(has_text(&first, "+20% · +2"));
    let second = draw(json!({"row": 0, "field": "b"}), json!({"row": 1, "field": "b"}));
    let warning = "style.annotations[0] is omitted because its mark does not end at its value \
                   on a value axis.";
    assert_eq!(second.warnings, [warning]);
}

#[test]
fn a_difference_without_two_comparable_values_is_omitted_with_a_warning() {
    let warn = |slug: &str, data: Value, settings: Value, marks: (Value, Value)| {
        let scene = draw_difference(slug, &data, &settings, marks);
        let warning = scene.warnings.into_iter().find(|warning| warning.contains("omitted"));
        warning.unwrap_or_default()
    };
    let data = json!([{"label": "N", "value": 28}, {"label": "S", "value": null}]);
    let rows = || (json!({"row": 0}), json!({"row": 1}));
    assert!(warn("pie", data.clone(), Value::Null, rows()).contains("on a value axis"));
    assert!(warn("bar", data.clone(), Value::Null, rows()).contains("on a value axis"));
    let outside = (json!({"row": 0}), json!({"row": 7}));
    assert!(warn("bar", data, Value::Null, outside).contains("mark is not drawn"));
    let pairs = json!([{"label": "N", "a": 10, "b": 14}, {"label": "S", "a": 12, "b": 18}]);
    let message = warn("grouped-column", pairs.clone(), Value::Null, rows());
    assert!(message.contains("no field names one of them"), "{message}");
    let series = json!([{"key": "a"}, {"key": "b", "type": "line"}]);
    let settings = json!({"secondAxis": true, "series": series});
    let marks = (json!({"row": 0, "field": "a"}), json!({"row": 1, "field": "b"}));
    assert!(warn("combo", pairs, settings, marks).contains("different value axes"));
}

#[test]
fn many_kinds_with_value_axes_have_differences() {
    let values = json!([
        {"label": "N", "value": 10}, {"label": "S", "value": 14}, {"label": "W", "value": 12}
    ]);
    let pairs = json!([
        {"label": "N", "before": 10, "after": 14}, {"label": "S", "before": 12, "after": 18}
    ]);
    let rows = |field: &str| (json!({"row": 0, "field": field}), json!({"row": 1, "field": field}));
    for slug in [
        "bar",
        "lollipop",
        "line",
        "area",
        "pareto",
        "beeswarm",
        "grouped-column",
        "combo",
        "small-multiples",
        "percent-column",
    ] {
        let settings = json!({"series": ["value"]});
        let scene = draw_difference(slug, &values, &settings, rows("value"));
        let label = if slug == "percent-column" { "0\u{a0}pp" } else { "+40% · +4" };
        assert!(has_text(&scene, label), "{slug}: {:?}", scene.warnings);
    }
    let scene = draw_difference("waterfall", &values, &Value::Null, rows("value"));
    assert!(has_text(&scene, "+140% · +14"), "the levels after both steps");
    for slug in ["dumbbell", "slope"] {
        let scene = draw_difference(slug, &pairs, &Value::Null, rows("after"));
        assert!(has_text(&scene, "+29% · +4"), "{slug}: {:?}", scene.warnings);
    }
}

#[test]
fn the_label_covers_no_text_and_stays_on_the_canvas() {
    for count in [2, 5, 12] {
        let record = |index: usize| json!({"label": format!("Region {index}"), "value": 100 + index * 37 % 80});
        let data: Vec<Value> = (0..count).map(record).collect();
        for (orientation, to) in
            [("vertical", count - 1), ("horizontal", count - 1), ("vertical", 1)]
        {
            let settings = json!({ "orientation": orientation });
            let marks = (json!({"row": 0}), json!({ "row": to }));
            let scene = draw_difference("bar", &json!(data), &settings, marks);
            let boxes: Vec<(&str, Rect)> = scene.text_boxes().collect();
            let (text, label) = boxes[boxes.len() - 1];
            assert!(text.contains('%'), "{count} {orientation}: {text}");
            assert!(label.x0 > 0.0 && label.y0 > 0.0 && label.x1 < 720.0 && label.y1 < 405.0);
            for (other, bounds) in &boxes[..boxes.len() - 1] {
                let common = bounds.intersect(label);
                let is_covered = common.width() > 0.0 && common.height() > 0.0;
                assert!(!is_covered, "{count} {orientation}: {text} covers {other}");
            }
        }
    }
}
