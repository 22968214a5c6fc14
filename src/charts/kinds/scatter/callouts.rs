//! Columns of names beside a crowded cluster of points, each joined to its point by a line.

use kurbo::{Line, Point, Rect};

use crate::frame::ChartStyle;
use crate::kinds::scatter::label_space::{CrossedPoints, LabelSpace, PointLabel};
use crate::kinds::scatter::named_points;
use crate::kinds::scatter::named_points::{Named, Shape};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM};
use crate::shape::line;

/// Distances of a column from the cluster, as multiples of the font size.
const GAPS: [f64; 5] = [1.5, 3.0, 5.0, 8.0, 12.0];
/// Distance between two names as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.3;

/// Places the names of all points of a cluster with lines to them: half of them in a column on each
/// side, or all in one column right or left of it. Tries several distances from the cluster.
///
/// Returns false, without a change to `space`, if not all names have space. `size` is the font size in
/// points, `area` contains all labels.
pub fn place(
    members: &[&Named],
    area: Rect,
    size: f64,
    space: &mut LabelSpace,
    style: &ChartStyle,
) -> bool {
    let mut by_x: Vec<&Named> = members.to_vec();
    by_x.sort_by(|a, b| a.dot.center.x.total_cmp(&b.dot.center.x));
    let bounds = members
        .iter()
        .map(|named| {
            Rect::from_center_size(named.dot.center, (0.0, 0.0)).inflate(named.dot.radius, 0.0)
        })
        .reduce(|a, b| a.union(b))
        .unwrap_or_default();
    let half = by_x.len() / 2;
    for left_count in [half, 0, by_x.len()] {
        let (left, right) = by_x.split_at(left_count);
        for gap in GAPS.map(|gap| gap * size) {
            let mut labels = plan_column(left, (bounds.x0 - gap, Anchor::End), area, size, style);
            labels.extend(plan_column(right, (bounds.x1 + gap, Anchor::Start), area, size, style));
            if space.place_all(labels) {
                return true;
            }
        }
    }
    false
}

/// Returns the number of names that fit into one column of the height of `area`, rounded down. `size`
/// is the font size in points.
pub fn column_capacity(area: Rect, size: f64) -> usize {
    ((area.height() - 2.0) / (LINE_HEIGHT * size)).max(0.0) as usize
}

/// Returns the labels of a column at `x`, with lines to their points that do not cross each other. The
/// names are left of `x` with `Anchor::End`, right of it with `Anchor::Start`.
///
/// The middle of the column is at the mean height of the points, or moved so that it is in `area`.
fn plan_column(
    members: &[&Named],
    (x, anchor): (f64, Anchor),
    area: Rect,
    size: f64,
    style: &ChartStyle,
) -> Vec<PointLabel> {
    let mut members: Vec<&Named> = members.to_vec();
    members.sort_by(|a, b| a.dot.center.y.total_cmp(&b.dot.center.y));
    let count = members.len() as f64;
    let height = count * LINE_HEIGHT * size;
    let middle = members.iter().map(|named| named.dot.center.y / count).sum::<f64>();
    let max_top = (area.y1 - height - 1.0).max(area.y0 + 1.0);
    let top = (middle - height / 2.0).clamp(area.y0 + 1.0, max_top);
    let towards = if anchor == Anchor::Start { -2.0 } else { 2.0 };
    let end = |row: usize| Point::new(x + towards, top + (row as f64 + 0.5) * LINE_HEIGHT * size);
    uncross_lines(&mut members, end);
    let label = |(row, named): (usize, &&Named)| {
        let baseline = end(row).y + HALF_CAP_HEIGHT_EM * size;
        let shape = Shape::new(vec![named.name.clone()], size, style);
        let label = named_points::label_at(&shape, (x, baseline), anchor, size, style);
        let leader = Some(Line::new(named.dot.center, end(row)));
        PointLabel { leader, crossed: Some(CrossedPoints::Crowd(named.crowd)), ..label }
    };
    members.iter().enumerate().map(label).collect()
}

/// Exchanges members until the lines from the points to the ends of their rows do not cross. Each
/// exchange makes the lines shorter. Stops after as many rounds as there are members.
///
/// `end` returns the end of the line of a row. The member at an index is in the row with that index.
fn uncross_lines(members: &mut [&Named], end: impl Fn(usize) -> Point) {
    for _ in 0..members.len() {
        let mut is_changed = false;
        for lower in 1..members.len() {
            for upper in 0..lower {
                let line = |row: usize, from: usize| {
                    Some(Line::new(members.get(from)?.dot.center, end(row)))
                };
                let pair = line(upper, upper).zip(line(lower, lower));
                if pair.is_some_and(|(one, two)| line::cross(one, two)) {
                    members.swap(upper, lower);
                    is_changed = true;
                }
            }
        }
        if !is_changed {
            return;
        }
    }
}
