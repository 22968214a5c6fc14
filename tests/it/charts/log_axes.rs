//! Tests of logarithmic axes.

use chartroom_charts::{Scene, find_kind};
use serde_json::{Value, json};

use super::ChartCase;

/// Kinds with a logarithmic axis.
const KINDS: [&str; 6] = ["line", "time-series", "area", "bar", "lollipop", "scatter"];

/// Renders records with these values in all columns that the kinds use.
fn render(slug: &str, values: &[f64], scale: &str) -> Scene {
    let record = |(index, value): (usize, &f64)| match slug {
        "scatter" => json!({"label": format!("P{index}"), "x": value, "y": value}),
        "bar" | "lollipop" => json!({"label": format!("P{index}"), "value": value}),
        _ => json!({"date": format!("2024-01-{:02}", index + 1), "s1": value}),
    };
    let case = ChartCase {
        title: String::new(),
        style: Value::Null,
        settings: json!({"axis": {"scale": scale}, "xAxis": {"scale": scale}, "showValues": false}),
        data: values.iter().enumerate().map(record).collect(),
        interactive: true,
        ..ChartCase::sample(find_kind(slug).unwrap())
    };
    case.render()
}

/// Returns the texts of the image that are numbers.
fn find_numbers(scene: &Scene) -> Vec<f64> {
    scene.text_boxes().filter_map(|(text, _)| text.replace(',', "").parse().ok()).collect()
}

#[test]
fn ticks_are_powers_of_ten_without_zero() {
    for slug in KINDS {
        let scene = render(slug, &[1.0, 30.0, 700.0, 25_000.0, 90_000.0], "log");
        let mut numbers = find_numbers(&scene);
        // The year below the time axis.
        numbers.retain(|number| *number != 2024.0);
        assert!(numbers.len() >= 3, "{slug}: {numbers:?}");
        assert!(!numbers.contains(&0.0), "{slug}: {numbers:?}");
        assert!(numbers.iter().all(|number| number.log10().fract() == 0.0), "{slug}: {numbers:?}");
        assert_eq!(scene.warnings, Vec::<String>::new(), "{slug}");
    }
}

#[test]
fn values_that_are_not_above_zero_are_counted() {
    for slug in KINDS {
        let scene = render(slug, &[0.0, 5.0, -3.0, 700.0, 25_000.0], "log");
        let expected = "Not shown: 2 not above zero on the logarithmic axis.";
        assert_eq!(scene.warnings, [expected], "{slug}");
        assert!(scene.text_boxes().any(|(text, _)| text.starts_with("Not shown: 2")), "{slug}");
        let points = scene.marks.iter().filter(|mark| mark.row.is_some()).count();
        assert_eq!(points, 3, "{slug}");
    }
}

#[test]
fn without_positive_values_the_axis_is_linear() {
    for slug in KINDS {
        let scene = render(slug, &[0.0, -5.0, -700.0], "log");
        let expected = "A logarithmic axis needs values above zero. The axis is linear.";
        assert_eq!(scene.warnings.first().map(String::as_str), Some(expected), "{slug}");
    }
}

#[test]
fn values_over_three_powers_of_ten_suggest_a_logarithmic_axis() {
    for slug in KINDS {
        let suggests = |values: &[f64]| {
            let scene = render(slug, values, "linear");
            scene.warnings.iter().any(|warning| warning.contains("`axis.scale`"))
        };
        assert!(suggests(&[2.0, 30.0, 25_000.0]), "{slug}");
        assert!(!suggests(&[2.0, 30.0, 1900.0]), "{slug}");
        assert!(suggests(&[0.0, 2.0, 25_000.0]), "{slug}");
        assert!(!suggests(&[-1.0, 2.0, 25_000.0]), "{slug}");
    }
}

/// A bar has a length, and a length needs a zero.
#[test]
fn bars_become_dots() {
    use chartroom_charts::scene::Primitive;
    let scene = render("bar", &[2.0, 30.0, 25_000.0], "log");
    let count = |is_shape: fn(&Primitive) -> bool| {
        scene.shapes.iter().filter(|shape| is_shape(&shape.primitive)).count()
    };
    assert_eq!(count(|primitive| matches!(primitive, Primitive::Circle { .. })), 3);
    assert_eq!(count(|primitive| matches!(primitive, Primitive::Rect { .. })), 0);
}

#[test]
fn odd_values_never_leave_the_canvas() {
    for slug in KINDS {
        for values in [&[1e-290, 1e290][..], &[1e-12, 3.0], &[5.0], &[7.0, 7.0], &[0.1 + 0.2, 0.3]]
        {
            let scene = render(slug, values, "log");
            assert!(
                scene.text_boxes().all(|(_, bounds)| bounds.x0 >= 0.0 && bounds.x1 <= 720.0),
                "{slug} {values:?}"
            );
        }
    }
}
