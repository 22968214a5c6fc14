//! Tests of the places of value axes, at which the editor draws handles.

use chartroom_charts::scene::AxisPlace;
use chartroom_charts::{kinds, svg};
use serde_json::{Value, json};

use super::ChartCase;

/// Returns the axes of a sample with gridlines and with one end of the axis `key` set.
fn find_axes(case: ChartCase, key: &str, end: &str, value: Option<f64>) -> Vec<AxisPlace> {
    let mut settings = match case.settings {
        Value::Null => json!({}),
        settings => settings,
    };
    settings["showGrid"] = json!(true);
    if let Some(value) = value {
        settings[key][end] = json!(value);
    }
    ChartCase { settings, interactive: true, ..case }.render().axes
}

/// Returns whether the settings of a kind have the end `end` of the axis `key`.
fn has_setting(slug: &str, key: &str, end: &str) -> bool {
    let kind = super::read_json(&format!("assets/kinds/{slug}/kind.json"));
    kind["settings_schema"]["properties"][key]["properties"][end].is_object()
}

#[test]
fn settings_move_the_ends_of_each_recorded_axis() {
    let (mut found, mut failures) = (Vec::new(), Vec::new());
    for kind in kinds() {
        for axis in find_axes(ChartCase::sample(kind), "axis", "min", None) {
            let AxisPlace { setting, scale, .. } = &axis;
            let (start, end) = scale.domain;
            let step = (end - start) * 0.1;
            for (key, value) in [("min", start - step), ("max", end + step)] {
                let name = format!("{} {setting}.{key}", kind.slug);
                // The editor draws handles only where the kind has the setting.
                if !has_setting(kind.slug, setting, key) {
                    continue;
                }
                let moved = find_axes(ChartCase::sample(kind), setting, key, Some(value));
                let moved = moved.iter().find(|other| other.setting == *setting).unwrap();
                let (new_start, new_end) = moved.scale.domain;
                let moved_end = if key == "min" { new_start } else { new_end };
                if moved_end != value {
                    failures.push(format!("{name}: {moved_end} instead of {value}"));
                }
            }
            found.push(format!("{} {setting}", kind.slug));
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    // Some of the kinds with an axis and settings for its ends.
    let want = [
        "line axis",
        "scatter axis",
        "scatter xAxis",
        "stacked-column axis",
        "time-series axis",
        "histogram axis",
    ];
    for want in want {
        assert!(found.iter().any(|found| found == want), "{want}: {found:?}");
    }
    assert!(found.len() >= 15, "{found:?}");
}

#[test]
fn an_axis_with_required_values_keeps_them() {
    let kind = chartroom_charts::find_kind("stacked-column").unwrap();
    let [axis] = find_axes(ChartCase::sample(kind), "axis", "min", None).try_into().unwrap();
    let (low, high) = axis.required.unwrap();
    let middle = (low + high) / 2.0;
    let [cut] = find_axes(ChartCase::sample(kind), "axis", "max", Some(middle)).try_into().unwrap();
    assert_eq!(cut.scale.domain, axis.scale.domain);
    let [exact] = find_axes(ChartCase::sample(kind), "axis", "max", Some(high)).try_into().unwrap();
    assert_eq!(exact.scale.domain.1, high);
}

#[test]
fn places_are_in_interactive_images_only_and_mirrored_with_them() {
    let kind = chartroom_charts::find_kind("line").unwrap();
    let sample = || ChartCase { interactive: true, ..ChartCase::sample(kind) };
    let text = svg::write(&sample().render(), &svg::Options::default());
    let [axis] = sample().render().axes.try_into().unwrap();
    let (start, end) = axis.scale.domain;
    let attributes = "data-part=\"axis\" data-setting=\"axis\" data-direction=\"vertical\" data-scale=\"linear\"";
    assert!(
        text.contains(&format!("<g {attributes} data-domain=\"{start} {end}\" data-range=\"")),
        "{text}"
    );
    let plain = svg::write(&ChartCase::sample(kind).render(), &svg::Options::default());
    assert!(!plain.contains("data-part"), "{plain}");

    let mut settings = sample().settings;
    settings["locale"] = json!("ar");
    let [mirrored] = ChartCase { settings, ..sample() }.render().axes.try_into().unwrap();
    assert!(axis.across < 360.0 && mirrored.across > 360.0, "{axis:?} {mirrored:?}");
}
