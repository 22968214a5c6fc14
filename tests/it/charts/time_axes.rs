//! Tests of the distances along time axes.

use chartroom_charts::find_kind;
use chartroom_charts::scene::Primitive;
use chartroom_charts::svg;
use serde_json::{Value, json};

use super::ChartCase;

/// Returns the x coordinates of the marks of three records on 1, 2 and 11 January 2024.
fn find_positions(slug: &str) -> Vec<f64> {
    find_positions_at(slug, [1, 2, 11].map(|day| format!("2024-01-{day:02}")))
}

/// Returns the x coordinates of the marks of three records with these dates or times.
fn find_positions_at(slug: &str, dates: [String; 3]) -> Vec<f64> {
    let record = |(date, day): (String, u32)| match slug {
        "line" | "area" => json!({"label": date, "s1": day + 3}),
        _ => json!({
            "date": date, "s1": day + 3, "actual": 20 - day, "planned": 20 - day,
            "open": 5, "high": 9, "low": 3, "close": 5 + day,
        }),
    };
    let case = ChartCase {
        title: String::new(),
        style: Value::Null,
        settings: json!({"series": [{"key": "s1"}]}),
        data: dates.into_iter().zip([1, 2, 11]).map(record).collect(),
        interactive: true,
        ..ChartCase::sample(find_kind(slug).unwrap())
    };
    let scene = case.render();
    let position = |row: usize| {
        scene.shapes.iter().find_map(|shape| {
            let mark = scene.marks.get((shape.mark as usize).checked_sub(1)?)?;
            match &shape.primitive {
                _ if mark.row != Some(row) => None,
                Primitive::Circle { center, .. } => Some(center.x),
                Primitive::Rect { rect, .. } => Some(rect.center().x),
                Primitive::Line { from, .. } => Some(from.x),
                _ => None,
            }
        })
    };
    (0..3).map(|row| position(row).unwrap_or_else(|| panic!("{slug}: no mark {row}"))).collect()
}

#[test]
fn uneven_dates_keep_uneven_distances() {
    for slug in ["line", "area", "time-series", "burndown"] {
        let at = find_positions(slug);
        let ratio = (at[2] - at[1]) / (at[1] - at[0]);
        assert!((ratio - 9.0).abs() < 0.01, "{slug}: {at:?}");
    }
}

#[test]
fn uneven_times_of_day_keep_uneven_distances() {
    for slug in ["line", "area", "time-series"] {
        for times in
            [["06:00", "06:15", "08:30"], ["9 PM", "10 PM", "7 AM"], ["6 Uhr", "7 Uhr", "16 Uhr"]]
        {
            let at = find_positions_at(slug, times.map(str::to_owned));
            let ratio = (at[2] - at[1]) / (at[1] - at[0]);
            assert!((ratio - 9.0).abs() < 0.01, "{slug}: {times:?} at {at:?}");
        }
    }
}

/// Its description says so: weekends leave no gaps.
#[test]
fn candles_have_equal_distances() {
    let at = find_positions("candlestick");
    assert!((at[2] - 2.0 * at[1] + at[0]).abs() < 0.01, "{at:?}");
}

/// Records as people write them in JSON give the same picture as dates of ISO 8601.
#[test]
fn dates_as_people_write_them_are_read() {
    let days = ["2024-05-03", "2024-05-09", "2024-05-15", "2024-06-01"];
    let written = ["03.05.2024", "9. Mai 2024", "5/15/2024", "2024-06-01"];
    let kinds = ["line", "area", "time-series", "burndown", "candlestick", "timeline", "gantt"];
    for slug in kinds.into_iter().chain(["roadmap", "calendar-heat-map", "projection"]) {
        let render = |dates: [&str; 4]| {
            let to_record = |(row, date): (usize, &str)| {
                json!({ "date": date, "start": date, "label": "", "close": row, "actual": row,
                        "value": row })
            };
            let data = dates.into_iter().enumerate().map(to_record).collect();
            let kind = chartroom_charts::find_kind(slug).unwrap();
            ChartCase { settings: json!({}), data, ..ChartCase::sample(kind) }.render()
        };
        let (expected, scene) = (render(days), render(written));
        assert_eq!(scene.warnings, expected.warnings, "{slug}");
        assert_eq!(
            svg::write(&scene, &svg::Options::default()),
            svg::write(&expected, &svg::Options::default()),
            "{slug}"
        );
    }
}
