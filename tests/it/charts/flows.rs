//! Flows between places and steps, with circles, odd links and odd names.

use serde_json::{Value, json};

use chartroom_charts::Scene;

use super::{Case, texts};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

const NAMES: [&str; 6] =
    ["A", "North", "Offices and shops", "Kreisverwaltungsreferat", "مرحبا بالعالم", "日本語の名前"];

fn draw(slug: &str, data: &[Value]) -> Scene {
    let kind = chartroom_charts::find_kind(slug).unwrap();
    let mut scene = Case { data: data.to_vec(), ..Case::sample(kind) }.draw();
    for (width, height) in [(320.0, 180.0), (240.0, 600.0), (1000.0, 160.0), (720.0, 405.0)] {
        let case = Case { data: data.to_vec(), ..Case::sample(kind) }.sized(width, height);
        scene = case.draw();
        texts::assert_inside(kind, &format!("{width} x {height}: {data:?}"), &scene);
        let crowded = scene.warnings.iter().any(|it| it.contains("texts do not fit"));
        assert!(!crowded, "{slug}, {width} x {height}: {data:?}");
    }
    scene
}

#[test]
fn random_flows_between_places_are_drawn() {
    let mut numbers = Numbers(1);
    for round in 0..60 {
        let places = 2 + numbers.below(12);
        let place = |numbers: &mut Numbers| {
            let number = numbers.below(places);
            format!("{} {number}", NAMES[number % NAMES.len()])
        };
        let data: Vec<Value> = (0..=round)
            .map(|_| {
                json!({"source": place(&mut numbers), "target": place(&mut numbers),
                       "value": numbers.below(1000) as f64 - 50.0,
                       "highlighted": numbers.below(20) == 0})
            })
            .collect();
        draw("sankey", &data);
    }
}

#[test]
fn random_procedures_are_drawn() {
    let mut numbers = Numbers(2);
    for round in 0..60 {
        let count = 1 + round % 20;
        let data: Vec<Value> = (0..count)
            .map(|it| {
                let next: Vec<Value> = (0..numbers.below(4))
                    .map(|_| json!({"to": numbers.below(count + 1), "label": NAMES[numbers.below(3)]}))
                    .collect();
                let kind = ["start", "step", "decision", "end", ""][numbers.below(5)];
                let name = NAMES[numbers.below(NAMES.len())];
                json!({"id": it, "label": format!("{name} {it}"), "type": kind, "next": next,
                       "highlighted": numbers.below(9) == 0})
            })
            .collect();
        draw("flow-chart", &data);
    }
}

#[test]
fn flows_that_lead_back_are_left_out_with_a_warning() {
    let flow = |from: &str, to: &str| json!({"source": from, "target": to, "value": 1});
    let scene = draw("sankey", &[flow("a", "b"), flow("b", "c"), flow("c", "a"), flow("b", "b")]);
    assert!(scene.warnings.iter().any(|it| it.contains("lead back") && it.contains("2.")));
    assert!(scene.description.contains("2 flows between 3 places"), "{}", scene.description);
}

#[test]
fn followers_may_be_text_or_a_list() {
    let text = json!({"id": "a", "label": "Question", "type": "decision", "next": "Yes: b, No: c"});
    let list = json!({"id": "a", "label": "Question", "type": "decision",
                      "next": [{"to": "b", "label": "Yes"}, {"to": "c", "label": "No"}]});
    let ends = [json!({"id": "b", "label": "One"}), json!({"id": "c", "label": "Two"})];
    let drawn = [text, list].map(|first| {
        let data: Vec<Value> = std::iter::once(first).chain(ends.clone()).collect();
        let scene = draw("flow-chart", &data);
        scene.text_boxes().map(|it| it.0.to_owned()).collect::<Vec<String>>()
    });
    assert_eq!(drawn[0], drawn[1]);
    assert!(["Yes", "No", "One", "Two"].iter().all(|it| drawn[0].iter().any(|text| text == it)));
}
