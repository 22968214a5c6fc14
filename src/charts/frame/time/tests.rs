//! Tests of time axes.

use super::*;
use crate::Style;
use crate::Theme;
use crate::kinds;

fn chart_style() -> ChartStyle {
    chart_style_of(720.0)
}

fn chart_style_of(width: f64) -> ChartStyle {
    let (theme, style, null) = (Theme::default(), Style::default(), serde_json::Value::Null);
    ChartStyle::new(&Chart {
        kind: kinds::kinds().first().expect("a kind"),
        title: "",
        settings: &null,
        data: &[],
        theme: &theme,
        style: &style,
        width,
        height: width * 9.0 / 16.0,
        default_locale: Locale::default(),
        interactive: false,
        id_prefix: "",
    })
}

#[test]
fn numbers_are_ticks_if_their_labels_have_space() {
    let (style, rules) = (chart_style(), FormatRules::default());
    let labels = |numbers: &[f64], width: f64| {
        let axis = TimeAxis::for_numbers(numbers, (0.0, width), &rules, &style, Locale::default());
        axis.ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>()
    };
    let years = [500.0, 800.0, 1000.0, 1500.0, 2000.0];
    assert_eq!(labels(&years, 640.0), ["500", "800", "1000", "1500", "2000"]);
    assert_eq!(labels(&[0.0, 1.0, 2.0, 40.0, 100.0], 300.0), ["0", "20", "40", "60", "80", "100"]);
}

#[test]
fn ticks_are_not_finer_than_the_timestamps() {
    let style = chart_style();
    let labels = |timestamps: &[f64]| {
        let axis = TimeAxis::for_timestamps(
            timestamps,
            Precision::Day,
            (0.0, 640.0),
            &style,
            Locale::default(),
        );
        axis.ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>()
    };
    let on = |month: i32, day: i32| date::timestamp(2026, month, day);
    assert_eq!(labels(&[on(1, 5), on(1, 6), on(1, 7)]), ["5 Jan", "6 Jan", "7 Jan"]);
    assert_eq!(labels(&[on(1, 5)]), ["5 Jan"]);
    assert_eq!(labels(&[on(1, 1), on(2, 1), on(3, 1)]), ["Jan", "Feb", "Mar"]);
    let years: Vec<f64> = (2024..=2026).map(|year| date::timestamp(year, 1, 1)).collect();
    assert_eq!(labels(&years), ["2024", "2025", "2026"]);
    assert!(labels(&[on(1, 5), on(1, 5) + 3600.0]).len() > 2);
    let hours = |hours: f64| date::FIRST_MIDNIGHT + hours * 3600.0;
    assert_eq!(
        labels(&[hours(22.5), hours(23.0), hours(29.25)]),
        ["23:00", "00:00", "01:00", "02:00", "03:00", "04:00", "05:00"]
    );
    assert_eq!(labels(&[hours(6.0), hours(6.25), hours(14.5)]).len(), 5);
    assert_eq!(labels(&[hours(0.0), hours(24.0)]).len(), 5);
    assert_eq!(labels(&[hours(0.0)]), ["00:00"]);
}

#[test]
fn times_of_day_have_no_date_below_them() {
    let times = [6.0, 6.25, 14.5].map(|hours| date::FIRST_MIDNIGHT + hours * 3600.0);
    for width in [320.0, 720.0] {
        let style = chart_style_of(width);
        let range = (0.15 * width, 0.9 * width);
        let axis =
            TimeAxis::for_timestamps(&times, Precision::Day, range, &style, Locale::default());
        assert!((3..=7).contains(&axis.ticks.len()) && !axis.has_contexts, "{:?}", axis.ticks);
    }
}

#[test]
fn ordinal_axis_has_equal_distances_and_ticks_at_the_next_entry() {
    let style = chart_style();
    // Thursday, Friday, and the following Monday to Wednesday: 2025-03-08 was a Saturday.
    let days = [6, 7, 10, 11, 12].map(|day| date::timestamp(2025, 3, day));
    let axis = TimeAxis::ordinal(&days, (0.0, 500.0), &style, Locale::default());
    assert!((axis.x.at(2.0) - axis.x.at(1.0) - 100.0).abs() < 1e-9);
    assert!(axis.ticks.iter().all(|tick| tick.at < 5.0 && tick.at.fract() == 0.0));
    assert!(TimeAxis::ordinal(&[], (0.0, 9.0), &style, Locale::default()).x.at(0.0).is_finite());
}

/// Rule: three to seven ticks, except that data of two times, days, months or years have two.
#[test]
fn every_span_has_three_to_seven_ticks_whose_labels_fit() {
    const HOUR: f64 = 3600.0;
    const DAY: f64 = date::DAY_SECONDS;
    let spans = [3.0, 40.0, 300.0, 3000.0, 6.0 * HOUR, 26.0 * HOUR, 9.0 * DAY, 35.0 * DAY]
        .into_iter()
        .chain([213.0, 3.0 * 365.25, 40.0 * 365.25, 900.0 * 365.25].map(|days| days * DAY));
    // Every third of the spans between them too, so that no span falls between two steps.
    let spans: Vec<f64> = spans.flat_map(|span| [span, span * 1.37, span * 2.03]).collect();
    let start = date::timestamp(2024, 2, 27) + 22.0 * HOUR + 47.0 * 60.0 + 31.0;
    for width in [320.0, 480.0, 720.0, 1280.0] {
        let style = chart_style_of(width);
        // Margins and the labels of the value axis take the rest.
        let range = (0.15 * width, 0.9 * width);
        for locale in ["en", "de", "fr", "es", "pl", "en-US"].map(Locale::parse) {
            for (span, shift) in
                spans.iter().flat_map(|span| [0.0, 0.31, 0.77].map(|share| (span, share)))
            {
                let low = (start + shift * span).floor();
                let times = [low, low + (span / 2.0).floor(), low + span.floor()];
                let days = times.map(|time| (time / DAY).floor() * DAY);
                let checked = if *span < 5.0 * DAY { &[times][..] } else { &[times, days] };
                for timestamps in checked {
                    let axis =
                        TimeAxis::for_timestamps(timestamps, Precision::Day, range, &style, locale);
                    let labels: Vec<_> =
                        axis.ticks.iter().map(|tick| (&tick.label, &tick.context)).collect();
                    let case = format!("{span} s from {low}, {width} points: {labels:?}");
                    assert!((3..=7).contains(&axis.ticks.len()), "{case}");
                    assert!(!labels_overlap(&axis.ticks, &axis.x, &style), "{case}");
                    let is_year = labels.iter().all(|(label, _)| label.len() == 4);
                    assert!(is_year || axis.has_contexts, "{case}");
                }
            }
        }
    }
}

#[test]
fn ordinal_ticks_name_the_time_of_their_entry() {
    let style = chart_style();
    // Two days with entries from 9 to 17 o'clock.
    let hours = [6, 7].into_iter().flat_map(|day| {
        (9..=17).map(move |hour| date::timestamp(2025, 3, day) + f64::from(hour) * 3600.0)
    });
    let hours: Vec<f64> = hours.collect();
    let axis = TimeAxis::ordinal(&hours, (0.0, 640.0), &style, Locale::default());
    assert!((3..=7).contains(&axis.ticks.len()), "{:?}", axis.ticks);
    for tick in &axis.ticks {
        assert_eq!(hours[tick.at as usize], tick.seconds, "{tick:?}");
    }
    assert_eq!(axis.ticks.iter().filter(|tick| tick.context.is_some()).count(), 2);
}

#[test]
fn periods_are_named_and_keep_their_distances() {
    let style = chart_style();
    let axis_of = |texts: &[&str]| {
        let times: Vec<f64> = texts.iter().map(|text| date::parse(text).unwrap()).collect();
        let precision = Precision::of_text(texts[0]);
        let axis =
            TimeAxis::for_timestamps(&times, precision, (0.0, 640.0), &style, Locale::default());
        let labels: Vec<String> = axis.ticks.iter().map(|tick| tick.label.clone()).collect();
        let positions: Vec<f64> = times.iter().map(|time| axis.x.at(*time).round()).collect();
        (labels.join(" "), axis.has_contexts, positions)
    };
    // Week 1, 2 and 5.
    let (labels, has_contexts, positions) = axis_of(&["0002-01-07", "0002-01-14", "0002-02-04"]);
    assert_eq!((labels.as_str(), has_contexts), ("W1 W2 W3 W4 W5", false));
    assert_eq!(positions, [0.0, 160.0, 640.0]);
    let (labels, has_contexts, positions) = axis_of(&["2023-Q1", "2023-Q2", "2023-Q4"]);
    assert_eq!((labels.as_str(), has_contexts), ("Q1 Q2 Q3 Q4", true));
    assert!(positions[1] < 230.0, "{positions:?}");
    assert_eq!(axis_of(&["0006-01-01", "0006-02-01", "0006-04-01"]).0, "Jan Feb Mar Apr");
    assert_eq!(axis_of(&["2020"]).0, "2020");
    assert_eq!(axis_of(&["2020-03"]).0, "Mar 2020");
}
