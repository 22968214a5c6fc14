//! Tests of combo charts with two axes.

use chartroom_charts::scene::{Anchor, Primitive};
use chartroom_charts::{Scene, find_kind};
use serde_json::{Value, json};

use super::ChartCase;

/// Renders columns `orders` and a line `change` with an axis of its own.
fn render(columns: &[f64], line: &[f64], settings: Value, size: (f64, f64)) -> Scene {
    let mut all_settings = json!({"secondAxis": true, "lines": ["change"]});
    for (key, value) in settings.as_object().unwrap() {
        all_settings[key] = value.clone();
    }
    let record =
        |(orders, change): (&f64, &f64)| json!({"label": "Q", "orders": orders, "change": change});
    let case = ChartCase {
        title: String::new(),
        style: Value::Null,
        settings: all_settings,
        data: columns.iter().zip(line).map(record).collect(),
        ..ChartCase::sample(find_kind("combo").unwrap())
    };
    case.with_size(size.0, size.1).render()
}

/// Returns the baselines of the labels of zero of the left and of the right axis.
fn find_zeros(scene: &Scene) -> (Vec<f64>, Vec<f64>) {
    let zeros = |anchor: Anchor| {
        let position = |primitive: &Primitive| match primitive {
            Primitive::Text(text) if text.text.parse() == Ok(0.0) && text.anchor == anchor => {
                Some(text.y)
            }
            _ => None,
        };
        scene.shapes.iter().filter_map(|shape| position(&shape.primitive)).collect()
    };
    (zeros(Anchor::End), zeros(Anchor::Start))
}

#[test]
fn both_axes_have_their_zero_at_the_same_height() {
    for (columns, line) in [
        ([120.0, 300.0, 250.0], [4.0, -3.0, 6.0]),
        ([120.0, 300.0, 250.0], [-4.0, -3.0, -6.0]),
        ([120.0, 300.0, 250.0], [-400.0, 1.0, -60.0]),
        ([120.0, 300.0, 250.0], [91.0, 93.0, 96.0]),
        ([-120.0, 300.0, 250.0], [10.0, 20.0, 30.0]),
        ([-120.0, -300.0, -250.0], [1.0, 2.0, 3.0]),
        ([-120.0, -300.0, -250.0], [-1.0, -2.0, -3.0]),
        ([0.0, 0.0, 0.0], [-1.0, 2.0, 3.0]),
        ([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]),
    ] {
        for size in [(320.0, 180.0), (720.0, 405.0), (1080.0, 1080.0), (1280.0, 720.0)] {
            let scene = render(&columns, &line, json!({}), size);
            let (left, right) = find_zeros(&scene);
            assert_eq!(left.len(), 1, "{columns:?} {line:?} {size:?}");
            assert_eq!(left, right, "{columns:?} {line:?} {size:?}");
        }
    }
}

#[test]
fn a_setting_can_start_the_line_axis_above_zero() {
    let settings = json!({"lineAxis": {"min": 90}});
    let scene = render(&[120.0, 300.0], &[91.0, 96.0], settings, (720.0, 405.0));
    assert!(find_zeros(&scene).1.is_empty());
}

#[test]
fn durations_on_the_right_axis_have_steps_of_the_clock() {
    for (durations, steps) in [
        (["0:42", "1:05", "0:58"], ["0:00", "0:30", "1:00"]),
        (["2:48:10", "3:05:00", "2:51:33"], ["0:00:00", "1:00:00", "2:00:00"]),
        (["310:20:00", "1180:45:00", "905:10:00"], ["0:00:00", "500:00:00", "1000:00:00"]),
    ] {
        let record = |(index, duration): (usize, &&str)| json!({"label": index.to_string(), "orders": 120 + index * 7, "change": duration});
        let case = ChartCase {
            title: String::new(),
            style: Value::Null,
            settings: json!({"secondAxis": true, "lines": ["change"], "showLegend": false}),
            data: durations.iter().enumerate().map(record).collect(),
            ..ChartCase::sample(find_kind("combo").unwrap())
        };
        let scene = case.with_size(720.0, 405.0).render();
        let ticks: Vec<&str> = scene
            .text_boxes()
            .filter(|(text, bounds)| text.contains(':') && bounds.x0 > 600.0)
            .map(|(text, _)| text)
            .collect();
        assert!(steps.iter().all(|step| ticks.contains(step)), "{durations:?}: {ticks:?}");
    }
}
