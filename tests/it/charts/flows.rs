//! Tests of sankey diagrams and flow charts with cycles, broken links and unusual names.

use kurbo::Rect;
use serde_json::{Value, json};

use chartroom_charts::Scene;
use chartroom_charts::scene::Primitive;

use super::{ChartCase, text_layout};

/// A random generator with a fixed seed.
struct SeededRandom(u64);

impl SeededRandom {
    /// Returns a number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const NAMES: [&str; 6] =
    ["A", "North", "Offices and shops", "Kreisverwaltungsreferat", "مرحبا بالعالم", "日本語の名前"];

/// Renders records in several sizes, checks that all shapes are on the canvas and that no text is
/// dropped, and returns the last scene.
fn render_in_all_sizes(slug: &str, data: &[Value]) -> Scene {
    let kind = chartroom_charts::find_kind(slug).unwrap();
    let mut scene = ChartCase { data: data.to_vec(), ..ChartCase::sample(kind) }.render();
    for (width, height) in [(320.0, 180.0), (240.0, 600.0), (1000.0, 160.0), (720.0, 405.0)] {
        let case =
            ChartCase { data: data.to_vec(), ..ChartCase::sample(kind) }.with_size(width, height);
        scene = case.render();
        text_layout::assert_inside(kind, &format!("{width} x {height}: {data:?}"), &scene);
        let crowded = scene.warnings.iter().any(|warning| warning.contains("texts do not fit"));
        assert!(!crowded, "{slug}, {width} x {height}: {data:?}");
    }
    scene
}

#[test]
fn random_sankey_data_renders() {
    let mut random = SeededRandom(1);
    for round in 0..60 {
        let place_count = 2 + random.below(12);
        let place = |random: &mut SeededRandom| {
            let number = random.below(place_count);
            format!("{} {number}", NAMES[number % NAMES.len()])
        };
        let data: Vec<Value> = (0..=round)
            .map(|_| {
                json!({"source": place(&mut random), "target": place(&mut random),
                       "value": random.below(1000) as f64 - 50.0,
                       "highlighted": random.below(20) == 0})
            })
            .collect();
        render_in_all_sizes("sankey", &data);
    }
}

#[test]
fn random_flow_chart_data_renders() {
    let mut random = SeededRandom(2);
    for round in 0..20 {
        let count = 1 + round;
        let data: Vec<Value> = (0..count)
            .map(|index| {
                let next: Vec<Value> = (0..random.below(4))
                    .map(
                        |_| json!({"to": random.below(count + 1), "label": NAMES[random.below(3)]}),
                    )
                    .collect();
                let kind = ["start", "step", "decision", "end", ""][random.below(5)];
                let name = NAMES[random.below(NAMES.len())];
                json!({"id": index, "label": format!("{name} {index}"), "type": kind, "next": next,
                       "highlighted": random.below(9) == 0})
            })
            .collect();
        render_in_all_sizes("flow-chart", &data);
    }
}

#[test]
fn cyclic_sankey_flows_are_omitted_with_a_warning() {
    let flow = |from: &str, to: &str| json!({"source": from, "target": to, "value": 1});
    let scene = render_in_all_sizes(
        "sankey",
        &[flow("a", "b"), flow("b", "c"), flow("c", "a"), flow("b", "b")],
    );
    assert!(scene.warnings.iter().any(|warning| warning.contains("2 leading back")));
    assert!(scene.description.contains("2 flows between 3 places"), "{}", scene.description);
}

#[test]
fn next_steps_may_be_text_or_a_list() {
    let text = json!({"id": "a", "label": "Question", "type": "decision", "next": "Yes: b, No: c"});
    let list = json!({"id": "a", "label": "Question", "type": "decision",
                      "next": [{"to": "b", "label": "Yes"}, {"to": "c", "label": "No"}]});
    let end_steps = [json!({"id": "b", "label": "One"}), json!({"id": "c", "label": "Two"})];
    let labels = [text, list].map(|first| {
        let data: Vec<Value> = std::iter::once(first).chain(end_steps.clone()).collect();
        let scene = render_in_all_sizes("flow-chart", &data);
        scene.text_boxes().map(|text_box| text_box.0.to_owned()).collect::<Vec<String>>()
    });
    assert_eq!(labels[0], labels[1]);
    assert!(
        ["Yes", "No", "One", "Two"].iter().all(|label| labels[0].iter().any(|text| text == label))
    );
}

/// Checks that each label of a sankey diagram stands nearer to its node than to all others of the
/// column.
fn assert_labels_beside_their_nodes(scene: &Scene, context: &str) {
    let mut nodes: Vec<(&str, Rect)> = Vec::new();
    for shape in &scene.shapes {
        let mark = scene.marks.get((shape.mark as usize).wrapping_sub(1));
        if let (Primitive::Rect { rect, .. }, Some(mark)) = (&shape.primitive, mark)
            && mark.part == "node"
        {
            nodes.push((&mark.tip, *rect));
        }
    }
    assert!(nodes.len() > 2, "{context}");
    let mut label_count = 0;
    for (tip, rect) in &nodes {
        let (name, amount) = tip.split_once(": ").unwrap();
        let Some((_, name_box)) = scene.text_boxes().find(|(text, _)| *text == name) else {
            continue;
        };
        let near_name = name_box.inflate(name_box.height() * 0.5, name_box.height() * 0.4);
        let amount_box =
            scene.text_boxes().find(|(text, bounds)| *text == amount && bounds.overlaps(near_name));
        let label = amount_box.map_or(name_box, |(_, bounds)| bounds.union(name_box));
        label_count += 1;
        let distance_to = |rect: &Rect| (label.center().y - rect.center().y).abs();
        assert!(
            distance_to(rect) < label.height() / 2.0,
            "{context}: {tip} at {label:?}, node at {rect:?}"
        );
        for (other, other_rect) in nodes.iter().filter(|(other, _)| other != tip) {
            let is_same_column = (other_rect.x0 - rect.x0).abs() < 1.0;
            let is_nearer = distance_to(rect) < distance_to(other_rect);
            assert!(!is_same_column || is_nearer, "{context}: {tip} stands beside {other}");
        }
    }
    assert!(label_count > 2, "{context}");
}

#[test]
fn sankey_labels_stand_beside_their_nodes() {
    let mut random = SeededRandom(3);
    for (source_count, target_count) in [(9, 7), (20, 3), (4, 31), (45, 45)] {
        let mut data = Vec::new();
        for source in 0..source_count {
            // Few large and many small amounts.
            let value = 7 + source + random.below(60).pow(1 + source as u32 % 3) * 100;
            data.push(json!({"source": format!("Quelle{source}"), "value": value,
                             "target": format!("Zweig{}", source % target_count)}));
            data.push(json!({"source": format!("Zweig{}", source % target_count), "value": value,
                             "target": format!("Ziel{}", random.below(target_count))}));
        }
        let kind = chartroom_charts::find_kind("sankey").unwrap();
        for (width, height) in [(320, 180), (480, 270), (720, 405), (1080, 1080), (1280, 720)] {
            for shows_values in [true, false] {
                let case = ChartCase {
                    data: data.clone(),
                    settings: json!({"showValues": shows_values}),
                    interactive: true,
                    ..ChartCase::sample(kind)
                };
                let scene = case.with_size(f64::from(width), f64::from(height)).render();
                let context = format!("{source_count} sources, {width} x {height}, {shows_values}");
                assert_labels_beside_their_nodes(&scene, &context);
            }
        }
    }
}
