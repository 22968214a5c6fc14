//! Search for free space on a drawn chart, by a grid of occupied cells.

use kurbo::{PathEl, PathSeg, Point, Rect, Shape as _};

use crate::Scene;
use crate::frame::annotations::marks;
use crate::scene::Primitive;

/// Maximum number of cells along a side of the canvas. More cells would take too long.
const MAX_CELLS: f64 = 240.0;
/// Minimum side of a cell in points.
const MIN_CELL_SIZE: f64 = 3.0;
/// Value of a cell with text; a cell with a mark has the value 1. A sum of cells thus holds both
/// counts, because a sum has fewer than 65,536 cells with marks.
const TEXT_CELL: u32 = 1 << 16;
/// Space in points at the edges of the canvas that stays free.
const EDGE_GAP: f64 = 4.0;
/// Space in points at both sides of a text, so that two texts do not read as one.
const TEXT_GAP: f64 = 6.0;

/// Penalty of a position from which a line to the mark would cross a text, such as the value of the
/// mark. It exceeds that of a farther position and of one over other marks.
const CROSSING_PENALTY: f64 = 220.0;

/// Number of occupied cells that a rectangle touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OccupiedCells {
    /// Cells with text.
    pub texts: u32,
    /// Cells with marks and no text.
    pub marks: u32,
}

/// A position where a rectangle covers no text.
#[derive(Clone, Copy, Debug)]
pub struct FreePosition {
    /// Rectangle at this position.
    pub rect: Rect,
    /// Measure of how bad the position is, from 0. The lowest is the best.
    pub penalty: f64,
}

/// A grid over the canvas of cells with text, cells with marks and free cells.
pub struct OccupancyGrid {
    /// Canvas without its edges.
    canvas: Rect,
    /// Side of a cell in points.
    cell_size: f64,
    columns: usize,
    rows: usize,
    /// 0, 1 for marks or [`TEXT_CELL`] for each cell, row by row.
    cells: Vec<u32>,
    /// For each corner of a cell, the sum of all cells left of and above it (summed-area table).
    sums: Vec<u32>,
}

impl OccupancyGrid {
    /// Creates the grid of a scene. The cells of its shapes are occupied, except those of straight
    /// lines, such as gridlines and axes, and of invisible rectangles and circles.
    pub fn from_scene(scene: &Scene) -> OccupancyGrid {
        let cell_size = (scene.width.max(scene.height) / MAX_CELLS).max(MIN_CELL_SIZE);
        let columns = (scene.width / cell_size).ceil() as usize;
        let rows = (scene.height / cell_size).ceil() as usize;
        let mut grid = OccupancyGrid {
            canvas: Rect::new(0.0, 0.0, scene.width, scene.height).inset(-EDGE_GAP),
            cell_size,
            columns,
            rows,
            cells: vec![0; columns * rows],
            sums: Vec::new(),
        };
        for shape in &scene.shapes {
            grid.add_shape(&shape.primitive);
        }
        grid.update_sums();
        grid
    }

    /// Marks the cells of a text that was drawn after the grid was created, without a margin around
    /// it.
    pub fn add_text(&mut self, rect: Rect) {
        self.fill_rect(rect, TEXT_CELL);
        self.update_sums();
    }

    /// Marks the cells of a line or mark that was drawn after the grid was created. Cells with text
    /// keep it.
    pub fn add_mark(&mut self, rect: Rect) {
        self.fill_rect(rect, 1);
        self.update_sums();
    }

    /// Marks the cells of a shape as occupied, without updating the sums. Images count as text, and
    /// texts have a margin.
    ///
    /// Skips straight lines, rectangles with a transparent fill, and circles with neither a visible
    /// fill nor an outline. A polyline, and a path without a visible fill, count as a line along
    /// them.
    fn add_shape(&mut self, primitive: &Primitive) {
        match primitive {
            Primitive::Image { rect, .. } => self.fill_rect(*rect, TEXT_CELL),
            Primitive::Text(text) => {
                self.fill_rect(text.bounds().inflate(TEXT_GAP, 1.0), TEXT_CELL)
            }
            Primitive::Rect { rect, fill, .. } if fill.a > 0 => self.fill_rect(*rect, 1),
            Primitive::Circle { fill, stroke, .. } => {
                let is_visible = stroke.is_some() || fill.is_some_and(|color| color.a > 0);
                if let Some(bounds) = marks::measure_bounds(primitive).filter(|_| is_visible) {
                    self.fill_rect(bounds, 1);
                }
            }
            Primitive::Path { path, fill, .. } => match fill {
                Some(fill) if fill.a > 0 => self.fill_path(path.elements()),
                _ => path.segments().for_each(|segment| self.trace_segment(segment)),
            },
            Primitive::Polyline { points, .. } => {
                points
                    .windows(2)
                    .for_each(|pair| self.trace_segment(kurbo::Line::new(pair[0], pair[1]).into()));
            }
            Primitive::Dots { points, radius, .. } => {
                for point in points {
                    self.fill_rect(Rect::from_center_size(*point, (radius * 2.0, radius * 2.0)), 1);
                }
            }
            // Gridlines and axes do not count: the halo of a text separates it from them.
            _ => {}
        }
    }

    /// Returns the cells that a rectangle touches: first column, end column, first row, end row
    /// (ends exclusive). Limited to the cells of the grid.
    fn find_cell_range(&self, rect: Rect) -> [usize; 4] {
        let index = |coordinate: f64, max: usize| {
            ((coordinate / self.cell_size).max(0.0) as usize).min(max)
        };
        [
            index(rect.x0, self.columns),
            index(rect.x1 + self.cell_size, self.columns),
            index(rect.y0, self.rows),
            index(rect.y1 + self.cell_size, self.rows),
        ]
    }

    /// Sets the cells of a rectangle to at least `weight`, without updating the sums.
    fn fill_rect(&mut self, rect: Rect, weight: u32) {
        let [left, right, top, bottom] = self.find_cell_range(rect);
        for row in top..bottom {
            for cell in &mut self.cells[row * self.columns + left..row * self.columns + right] {
                *cell = (*cell).max(weight);
            }
        }
    }

    /// Marks the cells along a line or curve, in steps of about one cell. Skips a segment of
    /// infinite length.
    fn trace_segment(&mut self, segment: PathSeg) {
        use kurbo::ParamCurve;
        let Some(length) = Some(segment.perimeter(1.0)).filter(|length| length.is_finite()) else {
            return;
        };
        let steps = (length / self.cell_size).clamp(1.0, 4000.0) as usize;
        for step in 0..=steps {
            let point = segment.eval(step as f64 / steps as f64);
            self.fill_rect(Rect::from_points(point, point), 1);
        }
    }

    /// Marks the cells inside a path: for each row of cells, those between crossings of the path
    /// with the middle of the row.
    ///
    /// Parts that are lower than a cell can be missed. The subpaths must be closed.
    fn fill_path(&mut self, path: &[PathEl]) {
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); self.rows];
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        let (cell_size, rows) = (self.cell_size, self.rows);
        kurbo::flatten(path.iter().copied(), 0.5, |element| {
            let to = match element {
                PathEl::MoveTo(to) => {
                    (start, last) = (to, to);
                    return;
                }
                PathEl::LineTo(to) => to,
                _ => start,
            };
            let (upper, lower) = if last.y <= to.y { (last, to) } else { (to, last) };
            last = to;
            let row_at = |y: f64| ((y / cell_size + 0.5).floor().max(0.0) as usize).min(rows);
            let range = row_at(upper.y)..row_at(lower.y);
            for (index, row_crossings) in
                crossings.iter_mut().enumerate().take(range.end).skip(range.start)
            {
                let share = ((index as f64 + 0.5) * cell_size - upper.y) / (lower.y - upper.y);
                row_crossings.push(upper.x + (lower.x - upper.x) * share);
            }
        });
        for (index, mut row_crossings) in crossings.into_iter().enumerate() {
            row_crossings.sort_by(f64::total_cmp);
            let y = (index as f64 + 0.5) * self.cell_size;
            for pair in row_crossings.chunks_exact(2) {
                self.fill_rect(Rect::new(pair[0], y, pair[1], y), 1);
            }
        }
    }

    /// Recomputes the summed-area table from the cells. `count_occupied` is wrong before.
    fn update_sums(&mut self) {
        let stride = self.columns + 1;
        self.sums = vec![0; stride * (self.rows + 1)];
        for row in 0..self.rows {
            let mut row_sum = 0u32;
            for column in 0..self.columns {
                row_sum = row_sum.saturating_add(self.cells[row * self.columns + column]);
                let above = self.sums[row * stride + column + 1];
                self.sums[(row + 1) * stride + column + 1] = above.saturating_add(row_sum);
            }
        }
    }

    /// Counts the cells with text and the cells with marks that a rectangle touches.
    pub fn count_occupied(&self, rect: Rect) -> OccupiedCells {
        let [left, right, top, bottom] = self.find_cell_range(rect);
        let sum_at = |row: usize, column: usize| self.sums[row * (self.columns + 1) + column];
        let sum = (sum_at(bottom, right) + sum_at(top, left))
            .saturating_sub(sum_at(top, right) + sum_at(bottom, left));
        OccupiedCells { texts: sum / TEXT_CELL, marks: sum % TEXT_CELL }
    }

    /// Returns whether the straight line between two points crosses no text outside of `mark`, where
    /// the line ends.
    pub fn is_line_free_of_text(&self, from: Point, to: Point, mark: Rect) -> bool {
        let steps = ((to - from).hypot() / self.cell_size).clamp(1.0, 2000.0) as usize;
        (0..=steps)
            .map(|step| from.lerp(to, step as f64 / steps as f64))
            .filter(|point| !mark.contains(*point))
            .all(|point| self.count_occupied(Rect::from_points(point, point)).texts == 0)
    }

    /// Returns the rectangle, moved as little as possible to lie on the canvas without its edges. A
    /// larger rectangle starts at the upper left corner.
    pub fn shift_onto_canvas(&self, rect: Rect) -> Rect {
        let shift = |low: f64, high: f64, (min, max): (f64, f64)| {
            if low < min { min - low } else { (max - high).min(0.0) }
        };
        let x = shift(rect.x0, rect.x1, (self.canvas.x0, self.canvas.x1));
        let y = shift(rect.y0, rect.y1, (self.canvas.y0, self.canvas.y1));
        let moved = rect + kurbo::Vec2::new(x, y);
        // A rectangle larger than the canvas keeps its upper left corner on it.
        let overshoot = moved.origin() - self.canvas.origin();
        moved - kurbo::Vec2::new(overshoot.x.min(0.0), overshoot.y.min(0.0))
    }

    /// Returns the best position for a rectangle of `size` (width and height) near a mark. All
    /// lengths are in points.
    ///
    /// Tries eight sides of the mark at each of the `distances`, in order of preference, and moves
    /// each position onto the canvas. The lowest penalty wins. It grows with the distance, with the
    /// move, and with the covered cells, and is higher if the rectangle hides the mark or if a line
    /// to the mark would cross a text. Returns None if the rectangle covers a text at each of these
    /// positions.
    pub fn find_position_near(
        &self,
        mark: Rect,
        size: (f64, f64),
        distances: &[f64],
    ) -> Option<FreePosition> {
        /// Directions from the mark, x to the right and y down, the preferred ones first.
        const SIDES: [(f64, f64); 8] = [
            (0.0, -1.0),
            (1.0, 0.0),
            (1.0, -1.0),
            (-1.0, -1.0),
            (-1.0, 0.0),
            (0.0, 1.0),
            (1.0, 1.0),
            (-1.0, 1.0),
        ];
        let (width, height) = size;
        let mut best: Option<FreePosition> = None;
        for distance in distances {
            for (rank, (x, y)) in SIDES.iter().enumerate() {
                let middle = Point::new(
                    mark.center().x + x * (mark.width() / 2.0 + distance + width / 2.0),
                    mark.center().y + y * (mark.height() / 2.0 + distance + height / 2.0),
                );
                let preferred = Rect::from_center_size(middle, size);
                let rect = self.shift_onto_canvas(preferred);
                let occupied = self.count_occupied(rect);
                if occupied.texts > 0 {
                    continue;
                }
                let moved_distance = (rect.origin() - preferred.origin()).hypot();
                let common = rect.inflate(2.0, 2.0).intersect(mark);
                let hides_mark = common.width() > 0.0 && common.height() > 0.0;
                let covered_share = f64::from(occupied.marks) * self.cell_size * self.cell_size
                    / (width * height).max(1.0);
                let tail = Point::new(
                    mark.center().x.clamp(rect.x0, rect.x1),
                    mark.center().y.clamp(rect.y0, rect.y1),
                );
                let crosses_text = !self.is_line_free_of_text(tail, mark.center(), mark);
                let penalty = distance
                    + rank as f64 * 1.5
                    + moved_distance * 0.5
                    + covered_share.min(1.5) * 90.0
                    + if occupied.marks > 0 { 16.0 } else { 0.0 }
                    + if hides_mark { 60.0 } else { 0.0 }
                    + if crosses_text { CROSSING_PENALTY } else { 0.0 };
                if best.is_none_or(|position| penalty < position.penalty) {
                    best = Some(FreePosition { rect, penalty });
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::{Color, WHITE};
    use crate::scene::{Anchor, Text};
    use crate::text::Face;

    #[test]
    fn a_line_to_a_bar_between_higher_bars_does_not_cross_the_value_of_the_bar() {
        let mut scene = Scene::new(400.0, 300.0, WHITE);
        let color = Color::hex(0x3f90da);
        let bar = Rect::new(150.0, 120.0, 250.0, 290.0);
        for x in [20.0, 280.0] {
            scene.rect(Rect::new(x, 60.0, x + 100.0, 290.0), color);
        }
        scene.rect(bar, color);
        let value = Text {
            x: 200.0,
            y: 115.0,
            anchor: Anchor::Middle,
            angle: 0.0,
            size: 12.0,
            face: Face::REGULAR,
            color,
            halo: None,
            text: "1,234".to_owned(),
            width: 34.0,
            full: None,
        };
        scene.text(value.clone());
        let grid = OccupancyGrid::from_scene(&scene);
        let distances = [22.0, 32.0, 46.0, 68.0, 100.0];
        let FreePosition { rect, .. } =
            grid.find_position_near(bar, (60.0, 16.0), &distances).unwrap();
        let middle = bar.center();
        let tail = Point::new(middle.x.clamp(rect.x0, rect.x1), middle.y.clamp(rect.y0, rect.y1));
        let crosses_value = (0..=500)
            .map(|step| tail.lerp(middle, f64::from(step) / 500.0))
            .any(|point| value.bounds().contains(point));
        assert!(!crosses_value, "from {rect:?}");
    }
}
