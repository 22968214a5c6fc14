//! Tests that texts stay on the canvas and do not overlap, with samples and with difficult data.

use kurbo::{Affine, Point, Rect, Shape as _, Vec2};
use serde_json::{Value, json};

use chartroom_charts::Kind;
use chartroom_charts::color::Color;
use chartroom_charts::scene::{Primitive, Scene, Text};

use super::ChartCase;
use super::THEMES;

/// Points by which rounding and stroke edges may cross a border.
const TOLERANCE_POINTS: f64 = 1.0;

/// Panics unless every shape lies on the canvas or is inside a clip that does.
pub fn assert_inside(kind: &Kind, name: &str, scene: &Scene) {
    assert!(scene.width.is_finite() && scene.height.is_finite(), "{}: {name}: size", kind.slug);
    let canvas =
        Rect::new(0.0, 0.0, scene.width, scene.height).inflate(TOLERANCE_POINTS, TOLERANCE_POINTS);
    let mut clips = 0;
    for shape in &scene.shapes {
        let bounds = match &shape.primitive {
            Primitive::BeginClip(rect) => {
                clips += 1;
                *rect
            }
            Primitive::EndClip => {
                assert!(clips > 0, "{}: {name}: a clip ends that never began", kind.slug);
                clips -= 1;
                continue;
            }
            primitive => primitive_bounds(primitive),
        };
        let inside = canvas.contains_rect(bounds) || bounds.is_zero_area() && clips > 0;
        let hidden = clips > 0 && !matches!(shape.primitive, Primitive::BeginClip(_));
        assert!(
            inside || hidden,
            "{}: {name}: outside {canvas:?}: {:?}",
            kind.slug,
            shape.primitive
        );
    }
    assert_eq!(clips, 0, "{}: {name}: a clip never ends", kind.slug);
}

fn primitive_bounds(primitive: &Primitive) -> Rect {
    match primitive {
        Primitive::Rect { rect, .. } | Primitive::BeginClip(rect) => *rect,
        Primitive::Line { from, to, .. } => Rect::from_points(*from, *to),
        Primitive::Circle { center, radius, .. } => {
            Rect::from_center_size(*center, (radius * 2.0, radius * 2.0))
        }
        Primitive::Path { path, .. } => path.bounding_box(),
        Primitive::Polyline { points, .. } => bounds_of_points(points, 0.0),
        Primitive::Dots { points, radius, .. } => bounds_of_points(points, *radius),
        Primitive::Text(text) => text.bounds(),
        Primitive::Image { rect, .. } => *rect,
        Primitive::EndClip | Primitive::BeginLink(_) | Primitive::EndLink => Rect::ZERO,
    }
}

/// Returns the bounding box of circles around points.
fn bounds_of_points(points: &[Point], radius: f64) -> Rect {
    let boxes =
        points.iter().map(|point| Rect::from_center_size(*point, (radius * 2.0, radius * 2.0)));
    boxes.reduce(|first, second| first.union(second)).unwrap_or_default()
}

/// Returns the corners of a text, including its rotation.
fn text_corners(text: &Text) -> [Point; 4] {
    let unrotated = Text { angle: 0.0, ..text.clone() }.bounds().inset(-0.5);
    let rotation = Affine::rotate_about(text.angle.to_radians(), Point::new(text.x, text.y));
    [
        (unrotated.x0, unrotated.y0),
        (unrotated.x1, unrotated.y0),
        (unrotated.x1, unrotated.y1),
        (unrotated.x0, unrotated.y1),
    ]
    .map(|corner| rotation * Point::from(corner))
}

/// Returns whether two rotated boxes overlap: no line along a side of either box separates them.
fn boxes_overlap(first: &[Point; 4], second: &[Point; 4]) -> bool {
    let is_separated_along = |axis: Vec2| {
        let project = |corners: &[Point; 4]| {
            let distances = corners.map(|corner| corner.to_vec2().dot(axis));
            (
                distances.iter().copied().fold(f64::MAX, f64::min),
                distances.iter().copied().fold(f64::MIN, f64::max),
            )
        };
        let ((a, b), (c, d)) = (project(first), project(second));
        b <= c || d <= a
    };
    let sides = |box_corners: &[Point; 4]| {
        [box_corners[1] - box_corners[0], box_corners[3] - box_corners[0]]
    };
    !sides(first).into_iter().chain(sides(second)).any(is_separated_along)
}

/// Returns a line for each text that overlaps another one, crosses the edge of the canvas, or is
/// smaller than 9 points.
pub fn find_text_problems(scene: &Scene) -> Vec<String> {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let texts: Vec<&Text> = scene
        .shapes
        .iter()
        .filter_map(
            |shape| if let Primitive::Text(text) = &shape.primitive { Some(text) } else { None },
        )
        .collect();
    let boxes: Vec<[Point; 4]> = texts.iter().map(|text| text_corners(text)).collect();
    let mut problems = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        if text.size < 9.0 {
            problems.push(format!("{:?} has size {}", text.text, text.size));
        }
        if !canvas.contains_rect(text.bounds()) {
            problems.push(format!("{:?} is cut at {:?}", text.text, text.bounds()));
        }
        for (other_index, other_box) in boxes[..index].iter().enumerate() {
            if boxes_overlap(&boxes[index], other_box) {
                problems.push(format!("{:?} on {:?}", text.text, texts[other_index].text));
            }
        }
    }
    problems
}

/// Panics if texts overlap, are cut or are dropped.
fn assert_texts_do_not_overlap(name: &str, case: &ChartCase) {
    let scene = case.render();
    let mut problems = find_text_problems(&scene);
    // The last fallback drops texts that touch. Layout must separate them before that.
    problems.extend(
        scene.warnings.iter().filter(|warning| warning.contains("texts do not fit")).cloned(),
    );
    let slug = case.kind.slug;
    let (width, height) = (case.width, case.height);
    assert!(problems.is_empty(), "{slug}, {name}, {width} x {height}: {problems:#?}");
}

/// Canvas sizes in points from a thumbnail to a screen, and two unusual aspect ratios.
const SIZES: [(f64, f64); 7] = [
    (720.0, 405.0),
    (320.0, 180.0),
    (1280.0, 720.0),
    (320.0, 200.0),
    (800.0, 500.0),
    (240.0, 600.0),
    (1000.0, 160.0),
];

/// Panics if texts overlap, are cut or are dropped in any of the [`SIZES`].
pub fn assert_texts_do_not_overlap_in_all_sizes(name: &str, case: impl Fn() -> ChartCase) {
    for (width, height) in SIZES {
        assert_texts_do_not_overlap(name, &case().with_size(width, height));
    }
}

#[test]
fn texts_of_samples_do_not_overlap() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("sample", || ChartCase::sample(kind));
    }
}

#[test]
fn texts_do_not_overlap_with_long_titles() {
    let long = "A title that says far more than a title should say, and then goes on ".repeat(4);
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("long title", || {
            let mut case = ChartCase::sample(kind);
            case.title = long.clone();
            case.style = json!({"subtitle": long, "footer": long});
            case
        });
    }
}

#[test]
fn texts_do_not_overlap_without_titles() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("no title", || {
            let mut case = ChartCase::sample(kind);
            case.title.clear();
            case.style = Value::Null;
            case
        });
    }
}

/// Returns a record with long texts in its label, group, branch and manager.
fn with_long_texts(record: &Value, index: usize) -> Value {
    let mut record = record.clone();
    for key in ["label", "group", "branch", "manager"] {
        if record.get(key).is_some() {
            record[key] = json!(format!("Kreisverwaltungsreferat number {index} of a long name"));
        }
    }
    record
}

#[test]
fn texts_do_not_overlap_with_long_labels() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("long labels", || {
            let mut case = ChartCase::sample(kind);
            case.data = case
                .data
                .iter()
                .enumerate()
                .map(|(index, row)| with_long_texts(row, index))
                .collect();
            case
        });
    }
}

/// Returns a record that has fields for every kind.
fn create_record(index: usize, value: f64) -> Value {
    let (month, day) = (index / 28 % 12 + 1, index % 28 + 1);
    let start = format!("2025-{month:02}-{day:02}");
    let end = format!("{}-{month:02}-{day:02}", 2025 + index % 3);
    json!({"label": format!("Item {index}"), "value": value, "s1": value, "s2": -value,
           "s3": value * 0.3, "date": start, "x": index as f64 - 7.0, "y": value,
           "group": format!("Group {}", index % 12), "start": start, "end": end, "id": index})
}

/// Returns the sample of a kind with other records, without settings that name columns.
fn case_with_records(kind: &'static Kind, data: Vec<Value>) -> ChartCase {
    let mut case = ChartCase { data, ..ChartCase::sample(kind) };
    for key in ["series", "columns", "rulesets"] {
        if let Some(settings) = case.settings.as_object_mut() {
            settings.remove(key);
        }
    }
    case
}

#[test]
fn texts_do_not_overlap_with_values_on_both_sides_of_zero() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("both sides of zero", || {
            let value = |index: usize| (index as f64 * 37.0 % 23.0 - 11.0) * 1234.5;
            case_with_records(
                kind,
                (0..14).map(|index| create_record(index, value(index))).collect(),
            )
        });
    }
}

#[test]
fn texts_do_not_overlap_with_200_records() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("200 records", || {
            case_with_records(
                kind,
                (0..200).map(|index| create_record(index, 5.0 + (index * 7 % 31) as f64)).collect(),
            )
        });
    }
}

#[test]
fn texts_do_not_overlap_with_one_record() {
    for kind in chartroom_charts::kinds() {
        assert_texts_do_not_overlap_in_all_sizes("one record", || {
            case_with_records(kind, vec![create_record(3, 42.0)])
        });
    }
}

#[test]
fn texts_do_not_overlap_with_huge_and_tiny_numbers() {
    for kind in chartroom_charts::kinds() {
        for factor in [1e-9, 1e15, 1e200] {
            assert_texts_do_not_overlap_in_all_sizes(&format!("times {factor:e}"), || {
                case_with_records(
                    kind,
                    (0..8)
                        .map(|index| create_record(index, (index as f64 + 0.5) * factor))
                        .collect(),
                )
            });
        }
    }
}

/// Returns the color below the middle of a text: the uppermost fill drawn before it, or the
/// background.
fn color_below(scene: &Scene, shape_count: usize, point: Point) -> Color {
    let fill_below =
        scene.shapes[..shape_count].iter().rev().find_map(|shape| match &shape.primitive {
            Primitive::Rect { rect, fill, .. } => rect.contains(point).then_some(*fill),
            Primitive::Circle { center, radius, fill, .. } => {
                fill.filter(|_| (point - *center).hypot() < *radius)
            }
            Primitive::Path { path, fill, .. } => fill.filter(|_| path.contains(point)),
            _ => None,
        });
    fill_below.map_or(scene.background, |fill| fill.over(scene.background))
}

#[test]
fn texts_have_enough_contrast() {
    let mut low_contrast = Vec::new();
    for kind in chartroom_charts::kinds() {
        for theme in THEMES {
            for (width, height) in SIZES {
                let scene =
                    ChartCase::sample(kind).with_theme(theme).with_size(width, height).render();
                for (index, shape) in scene.shapes.iter().enumerate() {
                    let Primitive::Text(text) = &shape.primitive else { continue };
                    let background = color_below(&scene, index, text.bounds().center());
                    let contrast = text.color.contrast(background);
                    let name = format!("{} {theme} {width}: {:?}", kind.slug, text.text);
                    if contrast < 4.5 {
                        low_contrast.push(format!("{name}: {contrast:.2} on {background:?}"));
                    }
                }
            }
        }
    }
    assert!(low_contrast.is_empty(), "{low_contrast:#?}");
}
