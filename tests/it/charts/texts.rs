//! Tests that texts stay on the canvas and do not overlap, with samples and with difficult data.

use kurbo::{Affine, Point, Rect, Shape as _, Vec2};
use serde_json::{Value, json};

use chartroom_charts::Kind;
use chartroom_charts::color::Color;
use chartroom_charts::scene::{Primitive, Scene, Text};

use super::Case;
use super::THEMES;

/// Points by which rounding and stroke edges may cross a border.
const TOLERANCE: f64 = 1.0;

/// Checks that every shape lies on the canvas or inside a clip that does.
pub fn assert_inside(kind: &Kind, what: &str, scene: &Scene) {
    assert!(scene.width.is_finite() && scene.height.is_finite(), "{}: {what}: size", kind.slug);
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height).inflate(TOLERANCE, TOLERANCE);
    let mut clips = 0;
    for shape in &scene.shapes {
        let bounds = match &shape.primitive {
            Primitive::BeginClip(rect) => {
                clips += 1;
                *rect
            }
            Primitive::EndClip => {
                assert!(clips > 0, "{}: {what}: a clip ends that never began", kind.slug);
                clips -= 1;
                continue;
            }
            form => bounds_of(form),
        };
        let inside = canvas.contains_rect(bounds) || bounds.is_zero_area() && clips > 0;
        let hidden = clips > 0 && !matches!(shape.primitive, Primitive::BeginClip(_));
        assert!(
            inside || hidden,
            "{}: {what}: outside {canvas:?}: {:?}",
            kind.slug,
            shape.primitive
        );
    }
    assert_eq!(clips, 0, "{}: {what}: a clip never ends", kind.slug);
}

fn bounds_of(form: &Primitive) -> Rect {
    match form {
        Primitive::Rect { rect, .. } | Primitive::BeginClip(rect) => *rect,
        Primitive::Line { from, to, .. } => Rect::from_points(*from, *to),
        Primitive::Circle { center, radius, .. } => {
            Rect::from_center_size(*center, (radius * 2.0, radius * 2.0))
        }
        Primitive::Path { path, .. } => path.bounding_box(),
        Primitive::Polyline { points, .. } => around(points, 0.0),
        Primitive::Dots { points, radius, .. } => around(points, *radius),
        Primitive::Text(text) => text.bounds(),
        Primitive::Image { rect, .. } => *rect,
        Primitive::EndClip => Rect::ZERO,
    }
}

fn around(points: &[Point], radius: f64) -> Rect {
    let dots = points.iter().map(|it| Rect::from_center_size(*it, (radius * 2.0, radius * 2.0)));
    dots.reduce(|one, two| one.union(two)).unwrap_or_default()
}

/// Returns the corners of a text, including its rotation.
fn corners(text: &Text) -> [Point; 4] {
    let flat = Text { angle: 0.0, ..text.clone() }.bounds().inset(-0.5);
    let turn = Affine::rotate_about(text.angle.to_radians(), Point::new(text.x, text.y));
    [(flat.x0, flat.y0), (flat.x1, flat.y0), (flat.x1, flat.y1), (flat.x0, flat.y1)]
        .map(|corner| turn * Point::from(corner))
}

/// Returns whether a line along a side of one of the boxes separates them.
fn overlap(one: &[Point; 4], two: &[Point; 4]) -> bool {
    let parted_along = |side: Vec2| {
        let reach = |corners: &[Point; 4]| {
            let at = corners.map(|it| it.to_vec2().dot(side));
            (
                at.iter().copied().fold(f64::MAX, f64::min),
                at.iter().copied().fold(f64::MIN, f64::max),
            )
        };
        let ((a, b), (c, d)) = (reach(one), reach(two));
        b <= c || d <= a
    };
    let sides = |it: &[Point; 4]| [it[1] - it[0], it[3] - it[0]];
    !sides(one).into_iter().chain(sides(two)).any(parted_along)
}

/// Returns the texts that overlap or cross the edge, as readable lines.
fn collisions(scene: &Scene) -> Vec<String> {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let texts: Vec<&Text> = scene
        .shapes
        .iter()
        .filter_map(|it| if let Primitive::Text(text) = &it.primitive { Some(text) } else { None })
        .collect();
    let boxes: Vec<[Point; 4]> = texts.iter().map(|it| corners(it)).collect();
    let mut found = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        if text.size < 9.0 {
            found.push(format!("{:?} has size {}", text.text, text.size));
        }
        if !canvas.contains_rect(text.bounds()) {
            found.push(format!("{:?} is cut at {:?}", text.text, text.bounds()));
        }
        for (other, beside) in boxes[..index].iter().enumerate() {
            if overlap(&boxes[index], beside) {
                found.push(format!("{:?} on {:?}", text.text, texts[other].text));
            }
        }
    }
    found
}

fn assert_apart(what: &str, case: &Case) {
    let scene = case.draw();
    let mut found = collisions(&scene);
    // The last fallback drops texts that touch. Layout must separate them before that.
    found.extend(scene.warnings.iter().filter(|it| it.contains("texts do not fit")).cloned());
    let slug = case.kind.slug;
    let (width, height) = (case.width, case.height);
    assert!(found.is_empty(), "{slug}, {what}, {width} x {height}: {found:#?}");
}

/// Sizes from a thumbnail to a screen, and two unusual aspect ratios.
const SIZES: [(f64, f64); 7] = [
    (720.0, 405.0),
    (320.0, 180.0),
    (1280.0, 720.0),
    (320.0, 200.0),
    (800.0, 500.0),
    (240.0, 600.0),
    (1000.0, 160.0),
];

pub fn assert_apart_in_all_sizes(what: &str, case: impl Fn() -> Case) {
    for (width, height) in SIZES {
        assert_apart(what, &case().sized(width, height));
    }
}

#[test]
fn texts_of_samples_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("sample", || Case::sample(kind));
    }
}

#[test]
fn long_titles_stay_clear() {
    let long = "A title that says far more than a title should say, and then goes on ".repeat(4);
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("long title", || {
            let mut case = Case::sample(kind);
            case.title = long.clone();
            case.style = json!({"subtitle": long, "footer": long});
            case
        });
    }
}

#[test]
fn missing_titles_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("no title", || {
            let mut case = Case::sample(kind);
            case.title.clear();
            case.style = Value::Null;
            case
        });
    }
}

/// Replaces every text of a record by a long one.
fn lengthen(record: &Value, index: usize) -> Value {
    let mut record = record.clone();
    for key in ["label", "group", "branch", "manager"] {
        if record.get(key).is_some() {
            record[key] = json!(format!("Kreisverwaltungsreferat number {index} of a long name"));
        }
    }
    record
}

#[test]
fn long_labels_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("long labels", || {
            let mut case = Case::sample(kind);
            case.data = case.data.iter().enumerate().map(|(it, row)| lengthen(row, it)).collect();
            case
        });
    }
}

/// Returns a record that has fields for every kind.
fn record(index: usize, value: f64) -> Value {
    let (month, day) = (index / 28 % 12 + 1, index % 28 + 1);
    let start = format!("2025-{month:02}-{day:02}");
    let end = format!("{}-{month:02}-{day:02}", 2025 + index % 3);
    json!({"label": format!("Item {index}"), "value": value, "s1": value, "s2": -value,
           "s3": value * 0.3, "date": start, "x": index as f64 - 7.0, "y": value,
           "group": format!("Group {}", index % 12), "start": start, "end": end, "id": index})
}

fn filled(kind: &'static Kind, data: Vec<Value>) -> Case {
    let mut case = Case { data, ..Case::sample(kind) };
    for key in ["series", "columns", "rulesets"] {
        if let Some(settings) = case.settings.as_object_mut() {
            settings.remove(key);
        }
    }
    case
}

#[test]
fn values_on_both_sides_of_zero_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("both sides of zero", || {
            let value = |it: usize| (it as f64 * 37.0 % 23.0 - 11.0) * 1234.5;
            filled(kind, (0..14).map(|it| record(it, value(it))).collect())
        });
    }
}

#[test]
fn two_hundred_records_stay_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("200 records", || {
            filled(kind, (0..200).map(|it| record(it, 5.0 + (it * 7 % 31) as f64)).collect())
        });
    }
}

#[test]
fn one_record_stays_clear() {
    for kind in chartroom_charts::kinds() {
        assert_apart_in_all_sizes("one record", || filled(kind, vec![record(3, 42.0)]));
    }
}

#[test]
fn huge_and_tiny_numbers_stay_clear() {
    for kind in chartroom_charts::kinds() {
        for factor in [1e-9, 1e15, 1e200] {
            assert_apart_in_all_sizes(&format!("times {factor:e}"), || {
                filled(kind, (0..8).map(|it| record(it, (it as f64 + 0.5) * factor)).collect())
            });
        }
    }
}

/// Returns the color below the middle of a text: the uppermost fill drawn before it, or the
/// background.
fn ground(scene: &Scene, before: usize, at: Point) -> Color {
    let under = scene.shapes[..before].iter().rev().find_map(|shape| match &shape.primitive {
        Primitive::Rect { rect, fill, .. } => rect.contains(at).then_some(*fill),
        Primitive::Circle { center, radius, fill, .. } => {
            fill.filter(|_| (at - *center).hypot() < *radius)
        }
        Primitive::Path { path, fill, .. } => fill.filter(|_| path.contains(at)),
        _ => None,
    });
    under.map_or(scene.background, |fill| fill.over(scene.background))
}

#[test]
fn texts_stand_out_from_what_is_under_them() {
    let mut faint = Vec::new();
    for kind in chartroom_charts::kinds() {
        for theme in THEMES {
            for (width, height) in SIZES {
                let scene = Case::sample(kind).themed(theme).sized(width, height).draw();
                for (index, shape) in scene.shapes.iter().enumerate() {
                    let Primitive::Text(text) = &shape.primitive else { continue };
                    let under = ground(&scene, index, text.bounds().center());
                    let contrast = text.color.contrast(under);
                    let what = format!("{} {theme} {width}: {:?}", kind.slug, text.text);
                    if contrast < 4.5 {
                        faint.push(format!("{what}: {contrast:.2} on {under:?}"));
                    }
                }
            }
        }
    }
    assert!(faint.is_empty(), "{faint:#?}");
}
