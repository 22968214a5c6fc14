//! Tests of annotations at marks: placement, overlaps, and warnings about missing marks.

use chartroom_charts::Scene;
use chartroom_charts::scene::Primitive;
use kurbo::{Point, Rect};
use serde_json::{Value, json};

use super::ChartCase;
use super::text_layout::assert_texts_do_not_overlap_in_all_sizes;

/// Returns the sample of a kind with annotations and no other style.
fn case_with_annotations(slug: &str, annotations: Value) -> ChartCase {
    let kind = chartroom_charts::find_kind(slug).unwrap();
    ChartCase { style: json!({ "annotations": annotations }), ..ChartCase::sample(kind) }
}

/// Returns the index of the record and the rectangle of each bar in an interactive scene.
fn find_bars(scene: &Scene) -> Vec<(usize, Rect)> {
    let bar_of_shape = |shape: &chartroom_charts::scene::Shape| {
        let tag = scene.marks.get((shape.mark as usize).checked_sub(1)?)?;
        match &shape.primitive {
            Primitive::Rect { rect, .. } => Some((tag.row?, *rect)),
            _ => None,
        }
    };
    scene.shapes.iter().filter_map(bar_of_shape).collect()
}

/// Returns the bounding box of the first text with this content.
fn find_text(scene: &Scene, text: &str) -> Option<Rect> {
    scene.text_boxes().find(|text_box| text_box.0 == text).map(|text_box| text_box.1)
}

#[test]
fn annotations_find_marks_in_every_kind() {
    for kind in chartroom_charts::kinds() {
        let sample = ChartCase::sample(kind);
        let box_around = |row: usize| json!({"type": "rect", "anchor": {"row": row}});
        let annotations: Vec<Value> = (0..sample.data.len().min(60)).map(box_around).collect();
        let count = annotations.len();
        let case = ChartCase { style: json!({ "annotations": annotations }), ..sample };
        let scene = case.render();
        let missing =
            scene.warnings.iter().filter(|warning| warning.contains("mark is not drawn")).count();
        // A bar of a histogram stands for many records but is tagged with only one of them.
        let is_partial_histogram = kind.slug == "histogram" && missing < count;
        assert!(
            missing * 2 <= count || is_partial_histogram,
            "{}: {missing} of {count} are lost",
            kind.slug
        );
        // The boxes are the only additional shapes.
        let without_annotations =
            ChartCase { style: json!({}), ..ChartCase::sample(kind) }.render();
        assert!(scene.marks.is_empty() && !scene.interactive);
        assert!(scene.shapes.iter().all(|shape| shape.mark == 0));
        assert!(
            scene.shapes.len() >= without_annotations.shapes.len() + count - missing,
            "{}",
            kind.slug
        );
    }
}

#[test]
fn annotation_texts_do_not_overlap_other_texts_in_any_kind() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("annotated", || {
            let last = ChartCase::sample(kind).data.len() - 1;
            let text = "What happened here has a longer explanation";
            let annotations = json!([
                {"type": "text", "anchor": {"row": 0}, "text": text},
                {"type": "arrow", "anchor": {"row": last}, "text": "Last of all"},
                {"type": "rect", "anchor": {"row": last / 2}, "text": "Boxed"},
            ]);
            ChartCase { style: json!({ "annotations": annotations }), ..ChartCase::sample(kind) }
        });
    }
}

#[test]
fn labels_of_differences_do_not_overlap_other_texts_in_any_kind() {
    let mut drawn_count = 0;
    for kind in chartroom_charts::kinds() {
        let with_differences = || {
            let sample = ChartCase::sample(kind);
            let last = sample.data.len() - 1;
            let fields = sample.data[0].as_object().unwrap().keys();
            // The kind omits differences of columns without values.
            let difference = |field: &String| json!({"type": "difference", "anchor": {"row": 0, "field": field}, "to": {"row": last, "field": field}});
            let annotations: Vec<Value> = fields.map(difference).collect();
            ChartCase { style: json!({ "annotations": annotations }), ..sample }
        };
        let omits_difference = |warning: &&String| warning.contains("is omitted because");
        let case = with_differences();
        let count = case.style["annotations"].as_array().unwrap().len();
        let scene = case.render();
        let omitted_count = scene.warnings.iter().filter(omits_difference).count();
        drawn_count += usize::from(omitted_count < count);
        assert_texts_do_not_overlap_in_all_sizes("differences", with_differences);
    }
    assert!(drawn_count >= 20, "{drawn_count} kinds have a difference");
}

#[test]
fn texts_and_arrows_are_placed_at_their_mark() {
    let case = case_with_annotations(
        "bar",
        json!([
            {"type": "text", "anchor": {"row": 1}, "text": "Beside"},
            {"type": "arrow", "anchor": {"label": "East", "field": "value"}, "text": "Tail"},
            {"type": "text", "anchor": {"row": 4}, "offset": {"x": 200, "y": 0}, "text": "Placed"},
        ]),
    );
    let marks = find_bars(
        &ChartCase { interactive: true, ..case_with_annotations("bar", json!([])) }.render(),
    );
    let bar = |row: usize| marks.iter().find(|mark| mark.0 == row).unwrap().1;
    let scene = case.render();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let text = find_text(&scene, "Beside").unwrap();
    let overlap = text.intersect(bar(1));
    assert!(overlap.width() <= 0.0 || overlap.height() <= 0.0, "{text:?} hides {:?}", bar(1));
    let east = case.data.iter().position(|record| record["label"] == "East").unwrap();
    let tips = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Path { path, stroke: None, .. } => path.elements().first()?.end_point(),
        _ => None,
    });
    let is_at_bar = |point: Point| bar(east).inflate(3.0, 3.0).contains(point);
    assert_eq!(tips.filter(|tip| is_at_bar(*tip)).count(), 1);
    let placed = find_text(&scene, "Placed").unwrap();
    assert!((placed.x0 - bar(4).center().x - 200.0).abs() < 1.0, "{placed:?} {:?}", bar(4));
    assert!((placed.center().y - bar(4).center().y).abs() < 4.0);
}

#[test]
fn span_covers_the_plot_between_two_records() {
    let span =
        json!([{"type": "span", "anchor": {"row": 2}, "to": {"row": 3}, "text": "Two years"}]);
    let case = case_with_annotations("grouped-column", span);
    let scene = case.render();
    let Primitive::Rect { rect, .. } = scene.shapes[0].primitive else {
        panic!("no rectangle behind the marks")
    };
    let marks = find_bars(
        &ChartCase { interactive: true, ..case_with_annotations("grouped-column", json!([])) }
            .render(),
    );
    for (row, bar) in marks {
        let is_inside = rect.x0 <= bar.x0 && bar.x1 <= rect.x1;
        assert_eq!(is_inside, row == 2 || row == 3, "{row}: {bar:?} {rect:?}");
    }
    assert!(rect.height() > 200.0 && find_text(&scene, "Two years").is_some());
}

#[test]
fn annotation_without_a_mark_is_omitted_with_a_warning() {
    let missing = json!([
        {"type": "text", "anchor": {"row": 99}, "text": "Nowhere"},
        {"type": "arrow", "anchor": {"label": "Atlantis"}},
        {"type": "rect", "anchor": {"row": 0, "field": "other"}},
        {"type": "line", "anchor": {"row": 0}, "to": {"row": 77}},
    ]);
    let case = case_with_annotations("bar", missing);
    let warnings: Vec<String> = (0..4)
        .map(|index| {
            format!("style.annotations[{index}] is omitted because its mark is not drawn.")
        })
        .collect();
    assert_eq!(case.render().warnings, warnings);
    assert_eq!(case.render_svg(), case_with_annotations("bar", json!([])).render_svg());
}

#[test]
fn canvas_positions_scale_with_the_canvas() {
    let note = json!([{"type": "text", "position": {"x": 600, "y": 300}, "text": "A note"}]);
    let case = |width: f64, height: f64| {
        case_with_annotations("pie", note.clone()).with_size(width, height)
    };
    for (width, height) in [(720.0, 405.0), (360.0, 202.5), (1440.0, 810.0)] {
        let found = find_text(&case(width, height).render(), "A note").unwrap();
        let share = found.x0 / width;
        assert!((share - 600.0 / 720.0).abs() < 0.01, "{width}: {found:?}");
    }
    let text = "Words that would run over the right edge and the lower edge of the canvas too";
    let note = json!([{"type": "text", "position": {"x": 715, "y": 400}, "text": text}]);
    let scene = case_with_annotations("pie", note).render();
    let canvas = Rect::new(0.0, 0.0, 720.0, 405.0);
    let inside = scene.text_boxes().filter(|text_box| text.contains(text_box.0));
    let visible: Vec<&str> = inside
        .map(|text_box| if canvas.contains_rect(text_box.1) { text_box.0 } else { "outside" })
        .collect();
    assert!(visible.len() > 1 && visible.join(" ").ends_with("canvas too"), "{visible:?}");
}

#[test]
fn annotations_find_marks_among_thousands_of_records() {
    let record = |index: usize| json!({"date": format!("{}-{:02}-{:02}", 2000 + index / 336, index / 28 % 12 + 1, index % 28 + 1), "value": index % 91});
    let records: Vec<Value> = (0..3000).map(record).collect();
    let note = json!([{"type": "arrow", "anchor": {"label": "2004-03-02"}, "text": "Here"}]);
    let case = ChartCase {
        data: records,
        settings: json!({}),
        ..case_with_annotations("time-series", note.clone())
    };
    assert_eq!(case.render().warnings, [""; 0]);
    assert!(find_text(&case.render(), "Here").is_some());
    let points: Vec<Value> =
        (0..3000).map(|index| json!({"label": index, "x": index % 97, "y": index % 89})).collect();
    let note = json!([{"type": "arrow", "anchor": {"row": 2000}, "text": "Here"}]);
    let case =
        ChartCase { data: points, settings: json!({}), ..case_with_annotations("scatter", note) };
    assert!(!case.render().warnings.iter().any(|warning| warning.contains("annotations")));
    assert!(!case.render_svg().contains("fill-opacity=\"0\""));
}

#[test]
fn shapes_of_annotations_are_tagged_for_editors_only() {
    let annotations = json!([
        {"type": "text", "position": {"x": 400, "y": 300}, "text": "Free"},
        {"type": "arrow", "anchor": {"row": 1}, "text": "Pointer"},
        {"type": "span", "anchor": {"row": 1}, "to": {"row": 2}},
        {"type": "rect", "position": {"x": 5, "y": 5}, "size": {"width": 700, "height": 390}},
    ]);
    let case = case_with_annotations("bar", annotations);
    let interactive = ChartCase { interactive: true, ..case_with_annotations("bar", json!([])) };
    let edited = ChartCase { style: case.style.clone(), ..interactive };
    let svg = edited.render_svg();
    // Text; line, arrowhead and text; strip; outline.
    for (index, count) in [(0, 1), (1, 3), (2, 1), (3, 1)] {
        let tag = format!("data-part=\"annotation\" data-field=\"{index}\"");
        assert_eq!(svg.matches(&tag).count(), count, "{index}: {svg}");
    }
    assert!(!case.render_svg().contains("data-part"));
    // A box on the canvas does not make the plot area of the span larger.
    let find_strip = |scene: &Scene| match scene.shapes[0].primitive {
        Primitive::Rect { rect, .. } => rect,
        _ => panic!("no rectangle behind the marks"),
    };
    let span_alone = case_with_annotations(
        "bar",
        json!([{"type": "span", "anchor": {"row": 1}, "to": {"row": 2}}]),
    );
    assert_eq!(find_strip(&edited.render()), find_strip(&span_alone.render()));
}
