//! Annotations at marks: found in every kind, clear of other texts, and told when there is no mark.

use chartroom_charts::Scene;
use chartroom_charts::scene::Primitive;
use kurbo::{Point, Rect};
use serde_json::{Value, json};

use super::Case;
use super::texts::assert_apart_in_all_sizes;

fn annotated(slug: &str, annotations: Value) -> Case {
    let kind = chartroom_charts::find_kind(slug).unwrap();
    Case { style: json!({ "annotations": annotations }), ..Case::sample(kind) }
}

/// Where the bars of records are, by what an interactive picture calls them.
fn bars(scene: &Scene) -> Vec<(usize, Rect)> {
    let bar = |shape: &chartroom_charts::scene::Shape| {
        let tag = scene.marks.get((shape.mark as usize).checked_sub(1)?)?;
        match &shape.primitive {
            Primitive::Rect { rect, .. } => Some((tag.row?, *rect)),
            _ => None,
        }
    };
    scene.shapes.iter().filter_map(bar).collect()
}

fn place(scene: &Scene, words: &str) -> Option<Rect> {
    scene.text_boxes().find(|it| it.0 == words).map(|it| it.1)
}

#[test]
fn every_kind_has_marks_that_annotations_find() {
    for kind in chartroom_charts::kinds() {
        let sample = Case::sample(kind);
        let each = |row: usize| json!({"type": "rect", "anchor": {"row": row}});
        let all: Vec<Value> = (0..sample.data.len().min(60)).map(each).collect();
        let count = all.len();
        let case = Case { style: json!({ "annotations": all }), ..sample };
        let scene = case.draw();
        let lost = scene.warnings.iter().filter(|it| it.contains("mark is not drawn")).count();
        // Bars of a histogram are of many records, and those alone that are named by one.
        let binned = kind.slug == "histogram" && lost < count;
        assert!(lost * 2 <= count || binned, "{}: {lost} of {count} are lost", kind.slug);
        // Only the boxes are more than what is drawn without.
        let plain = Case { style: json!({}), ..Case::sample(kind) }.draw();
        assert!(scene.marks.is_empty() && !scene.interactive);
        assert!(scene.shapes.iter().all(|it| it.mark == 0));
        assert!(scene.shapes.len() >= plain.shapes.len() + count - lost, "{}", kind.slug);
    }
}

#[test]
fn words_beside_marks_stay_clear_in_every_kind() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("annotated", || {
            let last = Case::sample(kind).data.len() - 1;
            let words = "What happened here has a longer explanation";
            let annotations = json!([
                {"type": "text", "anchor": {"row": 0}, "text": words},
                {"type": "arrow", "anchor": {"row": last}, "text": "Last of all"},
                {"type": "rect", "anchor": {"row": last / 2}, "text": "Boxed"},
            ]);
            Case { style: json!({ "annotations": annotations }), ..Case::sample(kind) }
        });
    }
}

#[test]
fn words_and_arrows_stand_at_the_mark_of_their_record() {
    let case = annotated(
        "bar",
        json!([
            {"type": "text", "anchor": {"row": 1}, "text": "Beside"},
            {"type": "arrow", "anchor": {"label": "East", "field": "value"}, "text": "Tail"},
            {"type": "text", "anchor": {"row": 4}, "offset": {"x": 200, "y": 0}, "text": "Placed"},
        ]),
    );
    let marks = bars(&Case { interactive: true, ..annotated("bar", json!([])) }.draw());
    let bar = |row: usize| marks.iter().find(|it| it.0 == row).unwrap().1;
    let scene = case.draw();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let words = place(&scene, "Beside").unwrap();
    let apart = words.intersect(bar(1));
    assert!(apart.width() <= 0.0 || apart.height() <= 0.0, "{words:?} hides {:?}", bar(1));
    let east = case.data.iter().position(|it| it["label"] == "East").unwrap();
    let tips = scene.shapes.iter().filter_map(|it| match &it.primitive {
        Primitive::Path { path, stroke: None, .. } => path.elements().first()?.end_point(),
        _ => None,
    });
    let near = |at: Point| bar(east).inflate(3.0, 3.0).contains(at);
    assert_eq!(tips.filter(|it| near(*it)).count(), 1);
    let placed = place(&scene, "Placed").unwrap();
    assert!((placed.x0 - bar(4).center().x - 200.0).abs() < 1.0, "{placed:?} {:?}", bar(4));
    assert!((placed.center().y - bar(4).center().y).abs() < 4.0);
}

#[test]
fn a_span_runs_over_the_plot_from_one_record_to_another() {
    let span =
        json!([{"type": "span", "anchor": {"row": 2}, "to": {"row": 3}, "text": "Two years"}]);
    let case = annotated("grouped-column", span);
    let scene = case.draw();
    let Primitive::Rect { rect, .. } = scene.shapes[0].primitive else {
        panic!("no strip behind the marks")
    };
    let marks = bars(&Case { interactive: true, ..annotated("grouped-column", json!([])) }.draw());
    for (row, bar) in marks {
        let within = rect.x0 <= bar.x0 && bar.x1 <= rect.x1;
        assert_eq!(within, row == 2 || row == 3, "{row}: {bar:?} {rect:?}");
    }
    assert!(rect.height() > 200.0 && place(&scene, "Two years").is_some());
}

#[test]
fn an_annotation_without_its_mark_is_told_and_left_out() {
    let missing = json!([
        {"type": "text", "anchor": {"row": 99}, "text": "Nowhere"},
        {"type": "arrow", "anchor": {"label": "Atlantis"}},
        {"type": "rect", "anchor": {"row": 0, "field": "other"}},
        {"type": "line", "anchor": {"row": 0}, "to": {"row": 77}},
    ]);
    let case = annotated("bar", missing);
    let told: Vec<String> = (0..4)
        .map(|it| format!("style.annotations[{it}] is omitted because its mark is not drawn."))
        .collect();
    assert_eq!(case.draw().warnings, told);
    assert_eq!(case.svg(), annotated("bar", json!([])).svg());
}

#[test]
fn places_of_the_canvas_are_those_of_the_document() {
    let note = json!([{"type": "text", "position": {"x": 600, "y": 300}, "text": "A note"}]);
    let case = |width: f64, height: f64| annotated("pie", note.clone()).sized(width, height);
    for (width, height) in [(720.0, 405.0), (360.0, 202.5), (1440.0, 810.0)] {
        let found = place(&case(width, height).draw(), "A note").unwrap();
        let share = found.x0 / width;
        assert!((share - 600.0 / 720.0).abs() < 0.01, "{width}: {found:?}");
    }
    let words = "Words that would run over the right edge and the lower edge of the canvas too";
    let note = json!([{"type": "text", "position": {"x": 715, "y": 400}, "text": words}]);
    let scene = annotated("pie", note).draw();
    let canvas = Rect::new(0.0, 0.0, 720.0, 405.0);
    let inside = scene.text_boxes().filter(|it| words.contains(it.0));
    let joined: Vec<&str> =
        inside.map(|it| if canvas.contains_rect(it.1) { it.0 } else { "outside" }).collect();
    assert!(joined.len() > 1 && joined.join(" ").ends_with("canvas too"), "{joined:?}");
}

#[test]
fn crowded_kinds_name_the_marks_that_are_wanted() {
    let day = |index: usize| json!({"date": format!("{}-{:02}-{:02}", 2000 + index / 336, index / 28 % 12 + 1, index % 28 + 1), "value": index % 91});
    let records: Vec<Value> = (0..3000).map(day).collect();
    let note = json!([{"type": "arrow", "anchor": {"label": "2004-03-02"}, "text": "Here"}]);
    let case =
        Case { data: records, settings: json!({}), ..annotated("time-series", note.clone()) };
    assert_eq!(case.draw().warnings, [""; 0]);
    assert!(place(&case.draw(), "Here").is_some());
    let dots: Vec<Value> =
        (0..3000).map(|it| json!({"label": it, "x": it % 97, "y": it % 89})).collect();
    let note = json!([{"type": "arrow", "anchor": {"row": 2000}, "text": "Here"}]);
    let case = Case { data: dots, settings: json!({}), ..annotated("scatter", note) };
    assert!(!case.draw().warnings.iter().any(|it| it.contains("annotations")));
    assert!(!case.svg().contains("fill-opacity=\"0\""));
}
