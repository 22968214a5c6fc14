//! Tests of the radar chart.

use serde_json::{Value, json};

use super::*;

#[test]
fn the_outermost_ring_is_not_below_the_largest_value() {
    let chart = Chart::new(crate::find_kind("radar").unwrap(), &[]);
    let style = ChartStyle::new(&chart);
    let rules = chart.shared_format_rules(std::iter::empty());
    for high in [0.3, 4.1, 8.6, 10.0, 11.0, 66.0, 870.0] {
        for length in [40.0, 90.0, 160.0, 400.0] {
            let range = (0.0, high);
            let lengths = (length, 26.0);
            let axis = ValueAxis::new(&chart, &style, range, IncludeZero::Always, lengths, &rules);
            let axis = extend_to_ring(axis, &chart, &style, &rules);
            let last = *axis.ticks.values.last().unwrap();
            assert!(last >= high && last == axis.domain.1, "{high}: {last}, {:?}", axis.domain);
            assert_eq!(axis.labels.len(), axis.ticks.values.len());
        }
    }
}

/// Returns the number of visible dots on the spokes of a radar chart of these values.
fn count_visible_dots(values: impl Iterator<Item = Value>, interactive: bool) -> usize {
    let record = |(index, value)| json!({"criterion": format!("C{index}"), "A": value});
    let data: Vec<Value> = values.enumerate().map(record).collect();
    let chart = Chart { interactive, ..Chart::new(&KIND, &data) };
    let scene = crate::draw(&chart);
    let is_dot = |shape: &&crate::scene::Shape| match &shape.primitive {
        Primitive::Circle { fill: Some(fill), .. } => fill.a == 255,
        _ => false,
    };
    scene.shapes.iter().filter(is_dot).count()
}

#[test]
fn values_without_a_line_keep_their_dots_on_many_spokes() {
    for interactive in [false, true] {
        let values_at = |spokes: &[usize]| -> Vec<Value> {
            let value = |index| if spokes.contains(&index) { json!(7) } else { json!(null) };
            (0..50).map(value).collect()
        };
        let count = |spokes| count_visible_dots(values_at(spokes).into_iter(), interactive);
        assert_eq!(count(&[3]), 1);
        // The last spoke is a neighbor of the first one.
        assert_eq!(count(&[0, 20, 30, 31, 49]), 1);
        assert_eq!(count_visible_dots((0..50).map(|index| json!(index)), interactive), 0);
    }
}

#[test]
fn twelve_series_have_space_on_a_usual_canvas() {
    let outlines = |width: f64, height: f64| {
        let chart = Chart { width, height, ..Chart::new(&KIND, &[]) };
        let area = Rect::new(20.0, 40.0, width - 20.0, height - 20.0);
        count_outlines_with_space(area, &ChartStyle::new(&chart))
    };
    assert!(outlines(720.0, 405.0) >= 12);
    assert!(outlines(1280.0, 720.0) > outlines(720.0, 405.0));
    assert_eq!(outlines(240.0, 135.0), MIN_MAX_OUTLINES);
}

#[test]
fn series_beyond_the_maximum_are_counted() {
    let data = [0, 1, 2].map(|index| {
        let values = (0..30).map(|series| (format!("S{series}"), json!(series + index)));
        values.chain([("criterion".to_owned(), json!(format!("C{index}")))]).collect()
    });
    let scene = crate::draw(&Chart::new(&KIND, &data));
    assert!(scene.omissions.contains(&(Omission::Series, 11)), "{:?}", scene.omissions);
}

#[test]
fn blank_records_have_no_spoke() {
    let record = |index: i32| json!({"criterion": format!("C{index}"), "A": index});
    let data = [record(1), json!({}), record(2), json!({"criterion": " ", "A": null}), record(3)];
    let scene = crate::draw(&Chart { interactive: true, ..Chart::new(&KIND, &data) });
    assert!(scene.description.contains("3 criteria"), "{}", scene.description);
    let rows: Vec<_> = scene.marks.iter().filter(|mark| mark.part == "point").collect();
    let rows: Vec<_> = rows.into_iter().map(|mark| mark.row).collect();
    assert_eq!(rows, [Some(0), Some(2), Some(4)]);
    // The outline is closed and filled.
    let is_filled = |shape: &crate::scene::Shape| match &shape.primitive {
        Primitive::Path { fill: Some(fill), .. } => fill.a < 255,
        _ => false,
    };
    assert!(scene.shapes.iter().any(is_filled));
}

#[test]
fn missing_values_are_counted_in_the_note() {
    let record = |name: &str, a: Value, b: Value| json!({"criterion": name, "A": a, "B": b});
    let data = [
        record("Price", json!(5), json!(7)),
        record("Sleep", json!(6), json!(null)),
        record("Space", json!("n/a"), json!(3)),
        record("", json!(""), json!(null)),
    ];
    let scene = crate::draw(&Chart::new(&KIND, &data));
    assert_eq!(scene.omissions, [(Omission::MissingValue, 2)]);
    assert!(scene.text_boxes().any(|(text, _)| text == "Missing values: 2"));
}

#[test]
fn a_name_wider_than_a_third_of_a_small_canvas_is_whole() {
    let criteria = [
        "Kundenzufriedenheit",
        "Innovationsfähigkeit",
        "Lieferzuverlässigkeit",
        "Mitarbeiterbindung",
        "Produktqualität",
        "Nachhaltigkeitsstrategie",
        "Digitalisierungsgrad",
        "Kosteneffizienz",
        "Marktdurchdringung",
        "Datenschutz und Informationssicherheit",
        "Führungskompetenz",
        "Internationalisierung",
    ];
    let data = criteria.map(|name| json!({"criterion": name, "Nord": 7, "Süd": 5, "West": 3}));
    let chart = Chart { width: 320.0, height: 180.0, ..Chart::new(&KIND, &data) };
    assert_eq!(crate::draw(&chart).omissions, []);
}
