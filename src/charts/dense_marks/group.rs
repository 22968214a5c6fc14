//! A group of marks of one class, in which marks at the same position become one mark.

use std::collections::HashMap;

use kurbo::{BezPath, Point, Rect};

use super::class::MarkClass;
use crate::scene::{Primitive, Scene, Shape, Stroke};

/// Size in points of a cell, in which positions count as equal: one pixel of a high-resolution
/// screen.
pub(super) const CELL_SIZE: f64 = 0.5;
/// Interval in points at which separate rectangles at one position are kept. Rectangles that start
/// in the same interval are merged although they do not touch.
const INTERVAL_SIZE: f64 = 16.0;
/// Number of slanted lines from which those with equal ends on a grid of [`BUNDLE_CELL_SIZE`]
/// points are merged, and number of rings from which those in one cell of this grid are merged. In
/// such a dense bundle no line can be followed, and no rings can be told apart.
pub(super) const MIN_BUNDLE_LINES: usize = 5000;
/// Size in points of the grid cells in which ends of bundled lines, and rings, count as equal.
pub(super) const BUNDLE_CELL_SIZE: f64 = 4.0;

/// The merged marks of one class.
pub(super) struct Group {
    class: MarkClass,
    /// Index in the run of the latest mark of this group.
    pub(super) last_index: usize,
    /// Merged rectangles and axis-aligned lines.
    pub(super) rects: Vec<Rect>,
    /// Both ends of merged slanted lines. For dots and rings, both are the center.
    segments: Vec<(Point, Point)>,
    /// Cells that already have a mark, with the index of a rectangle. The first number separates
    /// the uses: thin axis (0, 1), thin axis with interval (4, 5), dots and rings (2) and slanted
    /// lines (3).
    occupied: HashMap<(u8, i64, i64), usize>,
}

impl Group {
    /// Creates an empty group for the mark with the given index in the run. Does not add the mark.
    pub(super) fn new(class: MarkClass, first_index: usize) -> Self {
        Self {
            class,
            last_index: first_index,
            rects: Vec::new(),
            segments: Vec::new(),
            occupied: HashMap::new(),
        }
    }

    /// Adds a dot or ring unless its cell of `cell_size` points already has one.
    pub(super) fn add_dot(&mut self, center: Point, cell_size: f64) {
        let cell = (2, find_cell_index(center.x, cell_size), find_cell_index(center.y, cell_size));
        if self.occupied.insert(cell, 0).is_none() {
            self.segments.push((center, center));
        }
    }

    /// Adds a slanted line. If the run has very many (`slanted_count`), a line with both ends in
    /// the same cells as an earlier one is dropped.
    pub(super) fn add_slanted_line(&mut self, from: Point, to: Point, slanted_count: usize) {
        if slanted_count >= MIN_BUNDLE_LINES {
            let packed_cell = |end: Point| {
                (find_cell_index(end.x, BUNDLE_CELL_SIZE) << 32)
                    + find_cell_index(end.y, BUNDLE_CELL_SIZE)
            };
            if self.occupied.insert((3, packed_cell(from), packed_cell(to)), 0).is_some() {
                return;
            }
        }
        self.segments.push((from, to));
    }

    /// Adds a thin rectangle in the cell with index `cell` along `axis`. It is merged with the
    /// latest rectangle of the cell if they touch, otherwise with the one that starts in the same
    /// interval along the other axis, if there is one.
    pub(super) fn add_thin_rect(&mut self, rect: Rect, axis: u8, cell: i64) {
        let extent =
            |bounds: &Rect| if axis == 0 { (bounds.y0, bounds.y1) } else { (bounds.x0, bounds.x1) };
        let (start, end) = extent(&rect);
        let (here, near) =
            ((axis, cell, 0), (axis + 4, cell, find_cell_index(start, INTERVAL_SIZE)));
        let touches = |index: &usize| {
            let (from, to) = extent(&self.rects[*index]);
            from <= end && start <= to
        };
        let found =
            self.occupied.get(&here).filter(|index| touches(index)).or(self.occupied.get(&near));
        if let Some(found) = found.copied() {
            self.rects[found] = self.rects[found].union(rect);
            return;
        }
        self.occupied.insert(here, self.rects.len());
        self.occupied.insert(near, self.rects.len());
        self.rects.push(rect);
    }

    /// Appends the merged marks to the scene. All slanted lines become one path, and all dots one
    /// shape. Rectangles, axis-aligned lines and rings stay single shapes.
    pub(super) fn write_to(self, scene: &mut Scene) {
        let mut push = |primitive: Primitive| scene.shapes.push(Shape { mark: 0, primitive });
        match self.class {
            MarkClass::Rect(fill) => self.rects.into_iter().for_each(|rect| {
                push(Primitive::Rect { rect, radius: 0.0, fill });
            }),
            MarkClass::AxisAligned(color, width) => self.rects.into_iter().for_each(|rect| {
                let stroke = Stroke::new(color, f64::from_bits(width));
                let Point { x, y } = rect.center();
                let (from, to) = match rect.width() > rect.height() {
                    true => (Point::new(rect.x0, y), Point::new(rect.x1, y)),
                    false => (Point::new(x, rect.y0), Point::new(x, rect.y1)),
                };
                push(Primitive::Line { from, to, stroke });
            }),
            MarkClass::Slanted(color, width, round) => {
                let mut path = BezPath::new();
                for (from, to) in self.segments {
                    path.move_to(from);
                    path.line_to(to);
                }
                let stroke = Stroke { round, ..Stroke::new(color, f64::from_bits(width)) };
                push(Primitive::Path { path, fill: None, stroke: Some(stroke) });
            }
            MarkClass::Ring(fill, radius, color, width) => {
                let stroke = Stroke::new(color, f64::from_bits(width));
                let radius = f64::from_bits(radius);
                self.segments.into_iter().for_each(|(center, _)| {
                    let (fill, stroke) = (Some(fill), Some(stroke));
                    push(Primitive::Circle { center, radius, fill, stroke });
                });
            }
            MarkClass::Dot(fill, radius) => {
                let points = self.segments.into_iter().map(|(center, _)| center).collect();
                push(Primitive::Dots { points, radius: f64::from_bits(radius), fill });
            }
        }
    }
}

/// Returns the index of the cell that contains a coordinate. Both arguments are in points.
pub(super) fn find_cell_index(coordinate: f64, cell_size: f64) -> i64 {
    (coordinate / cell_size).floor() as i64
}
