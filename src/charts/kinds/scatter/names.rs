//! Labels of points, placed without overlap: beside, above or below the point, inside a large
//! bubble, or at the end of a line from the point.

use std::collections::BTreeSet;

use kurbo::{Line, Point, Rect, Vec2};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::kinds::scatter::PlacedDot;
use crate::kinds::scatter::callouts;
use crate::kinds::scatter::ground::Ground;
use crate::kinds::scatter::label_space::{Clusters, CrossedPoints, LabelSpace, PointLabel};
use crate::kinds::scatter::named_points;
use crate::kinds::scatter::named_points::{LINE_HEIGHT, MAX_LINE_WIDTH, Named, Shape};
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;

/// Maximum number of points that are all labeled. With more points, only highlighted ones are.
const MAX_POINTS_FOR_ALL_LABELS: usize = 300;
/// Maximum number of points for which a label position is searched. Bounds the time.
const MAX_SEARCHED_LABELS: usize = 200;
/// Maximum number of labeled points of a chart in which lines join distant labels to their points.
/// More lines would be a tangle.
const MAX_POINTS_FOR_LEADERS: usize = 60;
/// Minimum number of points close to each other that are a crowd.
const MIN_CROWD: usize = 4;
/// Distances of a label at the end of a line, as multiples of the font size.
const LEADER_LENGTHS: [f64; 7] = [0.9, 1.8, 3.0, 4.5, 6.5, 9.0, 12.0];
/// Number of directions of lines to labels.
const LEADER_DIRECTIONS: usize = 16;

/// Labels the points in order of priority: highlighted points, then the largest, then those
/// farthest from the center. Labels at most `MAX_SEARCHED_LABELS` points. If there are more than
/// `MAX_POINTS_FOR_ALL_LABELS`, labels only highlighted points, and the labels may cover points.
///
/// A long label is wrapped. A label without a free position gets small text, and in a chart of up
/// to `MAX_POINTS_FOR_LEADERS` points a place farther away, joined by a line. Then it is shortened. A
/// point without a free position for that gets none, and the scene counts it. Nothing is drawn if the
/// setting `showLabels` is false or `area` is narrow.
pub fn draw(
    chart: &Chart,
    placed: &[PlacedDot],
    (colors, ground): (&[Color], &Ground),
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showLabels", true) || area.width() < style.label_size * 8.0 {
        return;
    }
    let labels_all = placed.len() <= MAX_POINTS_FOR_ALL_LABELS;
    let dots = if labels_all { placed } else { &[] };
    let clusters = Clusters::find(dots, style.label_size);
    let opacity = ground.opacity.unwrap_or_else(|| super::choose_opacity(placed.len(), true));
    let colors = (colors, opacity);
    let mut named = list_names(chart, placed, (colors, &clusters), labels_all, area, style);
    let over_limit_count = named.len().saturating_sub(MAX_SEARCHED_LABELS);
    named.truncate(MAX_SEARCHED_LABELS);
    let with_leaders = labels_all && placed.len() <= MAX_POINTS_FOR_LEADERS;
    let mut best: Option<(LabelSpace, Vec<&Named>)> = None;
    for plan in list_plans(with_leaders, style) {
        let mut space = LabelSpace::new(area, dots, &clusters, ground);
        let unplaced = place_whole(&named, &plan, area, &mut space, style);
        let is_complete = unplaced.is_empty();
        if best.as_ref().is_none_or(|(_, fewest)| unplaced.len() < fewest.len()) {
            best = Some((space, unplaced));
        }
        if is_complete {
            break;
        }
    }
    let Some((mut space, mut unplaced)) = best else { return };
    unplaced.retain(|named| !place_shortened(named, &mut space, style));
    scene.omit(Omission::Name, unplaced.len() + over_limit_count);
    for label in space.into_labels() {
        if let Some(line) = label.leader {
            let color = if label.crossed.is_some() { style.text_color } else { style.muted_color };
            scene.line(line.p0, line.p1, Stroke::new(color, 0.75));
            if label.crossed.is_some() {
                scene.circle(line.p0, 1.25, color, None);
            }
        }
        label.lines.into_iter().for_each(|line| scene.text(line));
    }
}

/// Returns the points to label, the most important first: all points with a name, or with
/// `labels_all` false only highlighted ones.
fn list_names<'a>(
    chart: &Chart,
    placed: &'a [PlacedDot<'a>],
    ((colors, opacity), clusters): ((&[Color], f64), &Clusters),
    labels_all: bool,
    area: Rect,
    style: &ChartStyle,
) -> Vec<Named<'a>> {
    let any_highlighted = placed.iter().any(|placed_dot| placed_dot.dot.highlighted);
    let center = area.center();
    let priority = |dot: &PlacedDot| {
        let distance = (dot.center - center).hypot() / area.width();
        f64::from(u8::from(dot.dot.highlighted)) * 1e6 + dot.radius * 10.0 + distance
    };
    let mut labeled: Vec<(usize, &PlacedDot)> =
        placed.iter().enumerate().filter(|(_, dot)| labels_all || dot.dot.highlighted).collect();
    labeled.sort_by(|a, b| priority(b.1).total_cmp(&priority(a.1)));
    let name = |(index, dot): (usize, &'a PlacedDot<'a>)| {
        let name = dot.dot.label(chart);
        let fill = super::choose_fill(chart, dot.dot, colors, any_highlighted, style);
        let fill = fill.with_opacity(opacity).over(style.background);
        let cluster = clusters.touching.get(index).copied().unwrap_or(index);
        let crowd = clusters.crowds.get(index).copied().unwrap_or(index);
        let outward =
            find_middle(placed, &clusters.crowds, crowd).map(|middle| dot.center - middle);
        let shapes = Default::default();
        (!name.is_empty()).then_some(Named { dot, name, fill, cluster, crowd, outward, shapes })
    };
    labeled.into_iter().filter_map(name).collect()
}

/// Returns the mean position of the dots of the cluster `cluster`. None if it has fewer than `MIN_CROWD`
/// dots. `clusters` has the cluster of each dot in `placed`.
fn find_middle(placed: &[PlacedDot], clusters: &[usize], cluster: usize) -> Option<Point> {
    let members = placed.iter().zip(clusters).filter(|(_, other)| **other == cluster);
    let count = members.clone().count();
    let sum = members.map(|(dot, _)| dot.center.to_vec2()).fold(Vec2::ZERO, |a, b| a + b);
    (count >= MIN_CROWD).then(|| (sum / count as f64).to_point())
}

/// A way to place the labels.
struct Plan {
    /// Font sizes in points, the preferred one first.
    sizes: Vec<f64>,
    /// Whether lines may join labels to their points.
    with_leaders: bool,
    /// Whether the labels of crowded clusters are in columns beside them.
    spreads_crowds: bool,
}

/// Returns the plans to try, the best first. Large labels of the first points may leave no space
/// for others, so that further plans have smaller text. The labels beside a crowded cluster may
/// enclose its inner points, so that the last plans place all of them in columns beside it.
///
/// Without leaders there is only the first plan.
fn list_plans(with_leaders: bool, style: &ChartStyle) -> Vec<Plan> {
    let mut sizes = vec![style.label_size, style.small_size, MIN_TEXT_SIZE];
    sizes.dedup();
    let plan = |(start, spreads_crowds): (usize, bool)| {
        let sizes = sizes.get(start..).unwrap_or_default().to_vec();
        Plan { sizes, with_leaders, spreads_crowds }
    };
    let starts = [false, true]
        .into_iter()
        .flat_map(|spreads_crowds| (0..sizes.len()).map(move |start| (start, spreads_crowds)));
    starts.take(if with_leaders { usize::MAX } else { 1 }).map(plan).collect()
}

/// Places whole names, each in the largest font size of the plan that has a free position. Returns the
/// points without one, in their order.
///
/// If the plan spreads crowds, first places the names of each crowd in columns beside it.
fn place_whole<'a>(
    named: &'a [Named<'a>],
    plan: &Plan,
    area: Rect,
    space: &mut LabelSpace,
    style: &ChartStyle,
) -> Vec<&'a Named<'a>> {
    let mut unplaced: Vec<&Named> = named.iter().collect();
    if plan.spreads_crowds {
        let crowded: BTreeSet<usize> =
            named.iter().filter(|named| named.outward.is_some()).map(|n| n.crowd).collect();
        for crowd in crowded {
            let members: Vec<&Named> = named.iter().filter(|n| n.crowd == crowd).collect();
            let mut sizes = plan.sizes.iter();
            if sizes.any(|size| callouts::place(&members, area, *size, space, style)) {
                unplaced.retain(|named| named.crowd != crowd);
                continue;
            }
            // If not all have space, the most important ones get a column.
            let size = plan.sizes.last().copied().unwrap_or(MIN_TEXT_SIZE);
            let capacity = callouts::column_capacity(area, size).min(members.len());
            let first = members.get(..capacity).unwrap_or_default();
            if callouts::place(first, area, size, space, style) {
                let is_placed = |named: &&Named| first.iter().any(|it| std::ptr::eq(*it, *named));
                unplaced.retain(|named| !is_placed(named));
            }
        }
    }
    for (index, size) in plan.sizes.iter().enumerate() {
        unplaced.retain(|named| {
            let shapes = named.shapes(*size, style);
            let list =
                || shapes.iter().flat_map(|shape| list_near_labels(named, shape, *size, style));
            !space.place(list)
        });
        // Lines follow small text, because a label beside its point is clearer.
        if !plan.with_leaders || index + 2 < plan.sizes.len() {
            continue;
        }
        // A line from a point among others crosses them.
        for crosses_cluster in [false, true] {
            unplaced.retain(|named| {
                let shapes = named.shapes(*size, style);
                let list = || list_distant_labels(named, shapes, crosses_cluster, *size, style);
                !space.place(list)
            });
        }
    }
    unplaced
}

/// Places a name in small text on one line beside its point, shortened if it is longer than
/// `MAX_LINE_WIDTH`. Returns false if no position is free.
fn place_shortened(named: &Named, space: &mut LabelSpace, style: &ChartStyle) -> bool {
    let size = style.small_size;
    let max_width = MAX_LINE_WIDTH * size / 12.0;
    let fitted = text::ellipsize(&named.name, max_width, size, style.label_face());
    let is_cut = fitted != named.name;
    let shape = Shape::new(vec![fitted.into_owned()], size, style);
    let with_full_name = |mut label: PointLabel| {
        label.lines.iter_mut().for_each(|line| line.full = is_cut.then(|| named.name.clone()));
        label
    };
    space.place(|| list_near_labels(named, &shape, size, style).map(with_full_name))
}

/// Returns the candidate labels of a point, the best position first: inside a large bubble if the
/// name fits and is readable there, beside, above, below, at the four corners, and between these
/// positions. `size` is the font size in points.
fn list_near_labels<'a>(
    named: &'a Named,
    shape: &'a Shape,
    size: f64,
    style: &'a ChartStyle,
) -> impl Iterator<Item = PointLabel> + 'a {
    let (width, line_count) = (shape.width(), shape.lines.len());
    let height = (line_count as f64 - 1.0) * LINE_HEIGHT * size;
    let (center, radius, fill) = (named.dot.center, named.dot.radius, named.fill);
    let (x, y) = (center.x, center.y);
    let inner_color = fill.text_color();
    let fits_inside = line_count == 1
        && width < radius * 1.7
        && radius > size
        && inner_color.contrast(fill) >= 4.5;
    let middle = y + HALF_CAP_HEIGHT_EM * size - height / 2.0;
    let inside = fits_inside.then(|| {
        let label = named_points::label_at(shape, (x, middle), Anchor::Middle, size, style);
        let to_inner = |line| Text { color: inner_color, halo: None, ..line };
        PointLabel { lines: label.lines.into_iter().map(to_inner).collect(), ..label }
    });
    let distance = radius + 3.0;
    let diagonal = distance * 0.72;
    let above = y - distance - DESCENT_EM * size * 0.5 - height;
    let below = y + distance + ASCENT_EM * size;
    let (upper, lower) = (y - diagonal - height, y + diagonal + ASCENT_EM * size);
    let (shift, side) = ((height + size) * 0.3, width * 0.25);
    let positions = [
        (x + distance, middle, Anchor::Start),
        (x - distance, middle, Anchor::End),
        (x, above, Anchor::Middle),
        (x, below, Anchor::Middle),
        (x + diagonal, upper, Anchor::Start),
        (x - diagonal, upper, Anchor::End),
        (x + diagonal, lower, Anchor::Start),
        (x - diagonal, lower, Anchor::End),
        (x + distance, middle - shift, Anchor::Start),
        (x + distance, middle + shift, Anchor::Start),
        (x - distance, middle - shift, Anchor::End),
        (x - distance, middle + shift, Anchor::End),
        (x + side, above, Anchor::Middle),
        (x - side, above, Anchor::Middle),
        (x + side, below, Anchor::Middle),
        (x - side, below, Anchor::Middle),
    ];
    let outside = positions.into_iter().map(move |(x, baseline, anchor)| {
        named_points::label_at(shape, (x, baseline), anchor, size, style)
    });
    inside.into_iter().chain(outside)
}

/// Returns the candidate labels of a point at the ends of lines from it in many directions, the nearest
/// first. In a crowd, the directions away from its middle are first at each distance.
///
/// The lines start at the rim of the point, or with `crosses_cluster` at its center, and may then cross
/// the points that touch it. `size` is the font size in points.
fn list_distant_labels<'a>(
    named: &'a Named,
    shapes: &'a [Shape],
    crosses_cluster: bool,
    size: f64,
    style: &'a ChartStyle,
) -> impl Iterator<Item = PointLabel> + 'a {
    let (center, radius) = (named.dot.center, named.dot.radius);
    let turn = std::f64::consts::TAU / LEADER_DIRECTIONS as f64;
    // Neighbors in this order are far apart, so that lines go in all directions.
    let mut directions: Vec<Vec2> = (0..LEADER_DIRECTIONS)
        .map(|step| Vec2::from_angle(turn * ((step * 7) % LEADER_DIRECTIONS) as f64))
        .collect();
    if let Some(outward) = named.outward {
        directions.sort_by(|a, b| b.dot(outward).total_cmp(&a.dot(outward)));
    }
    let crossed = crosses_cluster.then_some(CrossedPoints::Touching(named.cluster));
    let ends = LEADER_LENGTHS.into_iter().flat_map(move |length| {
        let reach = radius + length * size;
        directions.clone().into_iter().map(move |direction| (direction, center + direction * reach))
    });
    ends.flat_map(move |(direction, end)| {
        shapes.iter().map(move |shape| {
            let height = (shape.lines.len() as f64 - 1.0) * LINE_HEIGHT * size;
            let middle = end.y + HALF_CAP_HEIGHT_EM * size - height / 2.0;
            let (x, baseline, anchor) = match direction.x {
                x if x > 0.5 => (end.x + 2.0, middle, Anchor::Start),
                x if x < -0.5 => (end.x - 2.0, middle, Anchor::End),
                _ if direction.y < 0.0 => {
                    (end.x, end.y - size * DESCENT_EM - height - 1.0, Anchor::Middle)
                }
                _ => (end.x, end.y + size * ASCENT_EM + 1.0, Anchor::Middle),
            };
            let label = named_points::label_at(shape, (x, baseline), anchor, size, style);
            let start = if crosses_cluster { center } else { center + direction * radius };
            PointLabel { leader: Some(Line::new(start, end)), crossed, ..label }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// Returns the texts of a chart of these points, and the number of names it does not show
    /// whole.
    fn draw_points(slug: &str, data: &[Value]) -> (Vec<String>, usize) {
        let scene = crate::draw(&Chart::new(crate::find_kind(slug).unwrap(), data));
        let texts = scene.text_boxes().map(|(text, _)| text.to_owned()).collect();
        (texts, scene.omissions.iter().map(|(_, count)| count).sum())
    }

    #[test]
    fn a_name_in_a_bubble_does_not_lie_on_another_bubble() {
        let data = [
            json!({"label": "Paris", "latitude": 48.86, "longitude": 2.35, "value": 100}),
            json!({"label": "Lyon", "latitude": 45.75, "longitude": 4.85, "value": -20}),
            json!({"label": "Sydney", "latitude": -33.87, "longitude": 151.2, "value": 50}),
        ];
        let kind = crate::find_kind("point-map").unwrap();
        let scene = crate::draw(&Chart { width: 640.0, height: 400.0, ..Chart::new(kind, &data) });
        let (_, paris) = scene.text_boxes().find(|(text, _)| *text == "Paris").unwrap();
        let circles = scene.shapes.iter().filter_map(|shape| match shape.primitive {
            crate::scene::Primitive::Circle { center, radius, .. } => Some((center, radius)),
            _ => None,
        });
        let smaller: Vec<(Point, f64)> =
            circles.filter(|(_, radius)| (3.0..12.0).contains(radius)).collect();
        assert!(!smaller.is_empty());
        for (center, radius) in smaller {
            let circle = Rect::from_center_size(center, (radius * 1.4, radius * 1.4));
            assert!(!circle.overlaps(paris), "{circle:?} {paris:?}");
        }
    }

    #[test]
    fn long_names_are_wrapped_where_space_is_free() {
        let point = |index: usize| {
            let label = format!("Programme {index} for the extension of the harbour railway");
            json!({"label": label, "x": index * 7 % 12, "y": index * 5 % 11})
        };
        let data: Vec<Value> = (0..12).map(point).collect();
        for slug in ["scatter", "quadrant"] {
            let (texts, omitted) = draw_points(slug, &data);
            assert_eq!(omitted, 0, "{slug}: {texts:?}");
            assert!(!texts.iter().any(|text| text.ends_with('…')), "{slug}: {texts:?}");
        }
    }

    #[test]
    fn names_of_a_crowd_are_in_columns_beside_it() {
        let point = |index: usize| {
            let (x, y) = (30.0 + (index * 7 % 5) as f64 * 0.6, 5.0 + (index % 4) as f64 * 0.15);
            json!({"label": format!("Municipality {index}"), "x": x, "y": y})
        };
        let far = json!({"label": "Abroad", "x": 90, "y": 20});
        let data: Vec<Value> = (0..16).map(point).chain([far]).collect();
        let (texts, omitted) = draw_points("scatter", &data);
        assert_eq!(omitted, 0, "{texts:?}");
        for index in 0..16 {
            assert!(texts.contains(&format!("Municipality {index}")), "{texts:?}");
        }
    }
}
