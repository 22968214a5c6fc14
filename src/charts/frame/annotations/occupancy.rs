//! Search for free space on a drawn chart, by a grid of occupied cells.

use kurbo::{PathEl, PathSeg, Point, Rect, Shape as _};

use crate::Scene;
use crate::frame::annotations::marks;
use crate::scene::Primitive;

/// Maximum number of cells along a side of the canvas. More cells would take too long.
const MAX_CELLS: f64 = 240.0;
/// Minimum side of a cell in points.
const MIN_CELL_SIZE: f64 = 3.0;
/// Value of a cell with text; a cell with a mark has the value 1. A sum of cells thus holds both counts,
/// because a sum has fewer than 65,536 cells with marks.
const TEXT: u32 = 1 << 16;
/// Space in points at the edges of the canvas that stays free.
const EDGE_GAP: f64 = 4.0;
/// Space in points at both sides of a text, so that two texts do not read as one.
const TEXT_GAP: f64 = 6.0;

/// A grid over the canvas of cells with text, cells with marks and free cells.
pub struct OccupancyGrid {
    /// Canvas without its edges.
    canvas: Rect,
    /// Side of a cell in points.
    cell: f64,
    columns: usize,
    rows: usize,
    /// 0, 1 for marks or [`TEXT`] for each cell, row by row.
    cells: Vec<u32>,
    /// For each corner of a cell, the sum of all cells left of and above it (summed-area table).
    sums: Vec<u32>,
}

impl OccupancyGrid {
    /// Marks the cells of all shapes of a scene as occupied.
    pub fn from_scene(scene: &Scene) -> OccupancyGrid {
        let cell = (scene.width.max(scene.height) / MAX_CELLS).max(MIN_CELL_SIZE);
        let columns = (scene.width / cell).ceil() as usize;
        let rows = (scene.height / cell).ceil() as usize;
        let mut grid = OccupancyGrid {
            canvas: Rect::new(0.0, 0.0, scene.width, scene.height).inset(-EDGE_GAP),
            cell,
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

    /// Marks the cells of a text that was added as occupied.
    pub fn add_text(&mut self, rect: Rect) {
        self.fill_rect(rect, TEXT);
        self.update_sums();
    }

    /// Marks the cells of a shape as occupied.
    fn add_shape(&mut self, primitive: &Primitive) {
        match primitive {
            Primitive::Image { rect, .. } => self.fill_rect(*rect, TEXT),
            Primitive::Text(text) => self.fill_rect(text.bounds().inflate(TEXT_GAP, 1.0), TEXT),
            Primitive::Rect { rect, fill, .. } if fill.a > 0 => self.fill_rect(*rect, 1),
            Primitive::Circle { fill, stroke, .. } => {
                let is_visible = stroke.is_some() || fill.is_some_and(|it| it.a > 0);
                if let Some(bounds) = marks::shape_bounds(primitive).filter(|_| is_visible) {
                    self.fill_rect(bounds, 1);
                }
            }
            Primitive::Path { path, fill, .. } => match fill {
                Some(fill) if fill.a > 0 => self.fill_path(path.elements()),
                _ => path.segments().for_each(|it| self.trace_segment(it)),
            },
            Primitive::Polyline { points, .. } => {
                points
                    .windows(2)
                    .for_each(|it| self.trace_segment(kurbo::Line::new(it[0], it[1]).into()));
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

    /// Returns the cells that a rectangle touches: first column, end column, first row, end row (ends
    /// exclusive).
    fn cell_range(&self, rect: Rect) -> [usize; 4] {
        let index = |at: f64, max: usize| ((at / self.cell).max(0.0) as usize).min(max);
        [
            index(rect.x0, self.columns),
            index(rect.x1 + self.cell, self.columns),
            index(rect.y0, self.rows),
            index(rect.y1 + self.cell, self.rows),
        ]
    }

    /// Sets the cells of a rectangle to at least `weight`.
    fn fill_rect(&mut self, rect: Rect, weight: u32) {
        let [left, right, top, bottom] = self.cell_range(rect);
        for row in top..bottom {
            for cell in &mut self.cells[row * self.columns + left..row * self.columns + right] {
                *cell = (*cell).max(weight);
            }
        }
    }

    /// Marks the cells along a line or curve, in steps of one cell.
    fn trace_segment(&mut self, segment: PathSeg) {
        use kurbo::ParamCurve;
        let Some(length) = Some(segment.perimeter(1.0)).filter(|it| it.is_finite()) else { return };
        let steps = (length / self.cell).clamp(1.0, 4000.0) as usize;
        for step in 0..=steps {
            let at = segment.eval(step as f64 / steps as f64);
            self.fill_rect(Rect::from_points(at, at), 1);
        }
    }

    /// Marks the cells inside a path: for each row of cells, those between crossings of the path.
    fn fill_path(&mut self, path: &[PathEl]) {
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); self.rows];
        let (mut start, mut last) = (Point::ZERO, Point::ZERO);
        let (cell, rows) = (self.cell, self.rows);
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
            let row = |y: f64| ((y / cell + 0.5).floor().max(0.0) as usize).min(rows);
            for (index, found) in
                crossings.iter_mut().enumerate().take(row(lower.y)).skip(row(upper.y))
            {
                let share = ((index as f64 + 0.5) * cell - upper.y) / (lower.y - upper.y);
                found.push(upper.x + (lower.x - upper.x) * share);
            }
        });
        for (index, mut found) in crossings.into_iter().enumerate() {
            found.sort_by(f64::total_cmp);
            let y = (index as f64 + 0.5) * self.cell;
            for pair in found.chunks_exact(2) {
                self.fill_rect(Rect::new(pair[0], y, pair[1], y), 1);
            }
        }
    }

    /// Recomputes the sums from the cells.
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

    /// Returns the number of cells with text and of cells with marks that a rectangle touches.
    pub fn count_occupied(&self, rect: Rect) -> (u32, u32) {
        let [left, right, top, bottom] = self.cell_range(rect);
        let at = |row: usize, column: usize| self.sums[row * (self.columns + 1) + column];
        let sum =
            (at(bottom, right) + at(top, left)).saturating_sub(at(top, right) + at(bottom, left));
        (sum / TEXT, sum % TEXT)
    }

    /// Whether the straight line between two points crosses no text.
    pub fn is_line_free_of_text(&self, from: Point, to: Point) -> bool {
        let steps = ((to - from).hypot() / self.cell).clamp(1.0, 2000.0) as usize;
        (0..=steps)
            .map(|it| from.lerp(to, it as f64 / steps as f64))
            .all(|at| self.count_occupied(Rect::from_points(at, at)).0 == 0)
    }

    /// Returns the rectangle, moved as little as possible to lie on the canvas.
    pub fn shift_onto_canvas(&self, rect: Rect) -> Rect {
        let shift = |low: f64, high: f64, (min, max): (f64, f64)| {
            if low < min { min - low } else { (max - high).min(0.0) }
        };
        let x = shift(rect.x0, rect.x1, (self.canvas.x0, self.canvas.x1));
        let y = shift(rect.y0, rect.y1, (self.canvas.y0, self.canvas.y1));
        let moved = rect + kurbo::Vec2::new(x, y);
        // A rectangle larger than the canvas keeps its upper left corner on it.
        let back = (moved.origin() - self.canvas.origin()).to_point();
        moved - kurbo::Vec2::new(back.x.min(0.0), back.y.min(0.0))
    }

    /// Returns the best position for a rectangle of `size` near a mark, with its penalty.
    ///
    /// Tries eight sides of the mark at each of the `distances`. The penalty grows with the distance and
    /// with the covered marks. Returns None if the rectangle covers another text everywhere.
    pub fn best_position_near(
        &self,
        mark: Rect,
        size: (f64, f64),
        distances: &[f64],
    ) -> Option<(Rect, f64)> {
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
        let mut best: Option<(Rect, f64)> = None;
        for distance in distances {
            for (rank, (x, y)) in SIDES.iter().enumerate() {
                let middle = Point::new(
                    mark.center().x + x * (mark.width() / 2.0 + distance + width / 2.0),
                    mark.center().y + y * (mark.height() / 2.0 + distance + height / 2.0),
                );
                let preferred = Rect::from_center_size(middle, size);
                let rect = self.shift_onto_canvas(preferred);
                let (texts, marks) = self.count_occupied(rect);
                if texts > 0 {
                    continue;
                }
                let moved = (rect.origin() - preferred.origin()).hypot();
                let common = rect.inflate(2.0, 2.0).intersect(mark);
                let hides_mark = common.width() > 0.0 && common.height() > 0.0;
                let covered_share =
                    f64::from(marks) * self.cell * self.cell / (width * height).max(1.0);
                let to = Point::new(
                    mark.center().x.clamp(rect.x0, rect.x1),
                    mark.center().y.clamp(rect.y0, rect.y1),
                );
                let crosses_text = !self.is_line_free_of_text(to, mark.center());
                let penalty = distance
                    + rank as f64 * 1.5
                    + moved * 0.5
                    + covered_share.min(1.5) * 90.0
                    + if marks > 0 { 16.0 } else { 0.0 }
                    + if hides_mark { 60.0 } else { 0.0 }
                    + if crosses_text { 40.0 } else { 0.0 };
                if best.is_none_or(|it| penalty < it.1) {
                    best = Some((rect, penalty));
                }
            }
        }
        best
    }
}
