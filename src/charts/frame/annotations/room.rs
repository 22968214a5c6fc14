//! Where on a drawn picture there is room for a few more words.

use kurbo::{PathEl, PathSeg, Point, Rect, Shape as _};

use crate::Scene;
use crate::frame::annotations::marks;
use crate::scene::Form;

/// Most cells of a side: the finer, the longer it takes.
const MOST_CELLS: f64 = 240.0;
/// Width of a cell on small canvases, in points.
const CELL: f64 = 3.0;
/// A cell under text counts as so many under marks: sums of either stay apart.
const TEXT: u32 = 1 << 16;
/// Free space at the edges of the canvas in points.
const EDGE: f64 = 4.0;
/// Free space at both sides of text, so that two texts do not read as one, in points.
const APART: f64 = 6.0;

/// What each place of the canvas holds, in cells.
pub struct Room {
    canvas: Rect,
    cell: f64,
    columns: usize,
    rows: usize,
    cells: Vec<u32>,
    /// For each corner of a cell the sum of all cells left of and above it.
    sums: Vec<u32>,
}

impl Room {
    /// Looks at all shapes of the scene.
    pub fn of(scene: &Scene) -> Room {
        let cell = (scene.width.max(scene.height) / MOST_CELLS).max(CELL);
        let columns = (scene.width / cell).ceil() as usize;
        let rows = (scene.height / cell).ceil() as usize;
        let mut room = Room {
            canvas: Rect::new(0.0, 0.0, scene.width, scene.height).inset(-EDGE),
            cell,
            columns,
            rows,
            cells: vec![0; columns * rows],
            sums: Vec::new(),
        };
        for shape in &scene.shapes {
            room.cover(&shape.form);
        }
        room.sum();
        room
    }

    /// Takes room for something that was added.
    pub fn take(&mut self, words: Rect) {
        self.fill(words, TEXT);
        self.sum();
    }

    fn cover(&mut self, form: &Form) {
        match form {
            Form::Image { rect, .. } => self.fill(*rect, TEXT),
            Form::Text(text) => self.fill(text.bounds().inflate(APART, 1.0), TEXT),
            Form::Rect { rect, fill, .. } if fill.a > 0 => self.fill(*rect, 1),
            Form::Circle { fill, stroke, .. } => {
                let seen = stroke.is_some() || fill.is_some_and(|it| it.a > 0);
                if let Some(bounds) = marks::bounds(form).filter(|_| seen) {
                    self.fill(bounds, 1);
                }
            }
            Form::Path { path, fill, .. } => match fill {
                Some(fill) if fill.a > 0 => self.fill_path(path.elements()),
                _ => path.segments().for_each(|it| self.trace(it)),
            },
            Form::Polyline { points, .. } => {
                points.windows(2).for_each(|it| self.trace(kurbo::Line::new(it[0], it[1]).into()));
            }
            Form::Marks { points, radius, .. } => {
                for point in points {
                    self.fill(Rect::from_center_size(*point, (radius * 2.0, radius * 2.0)), 1);
                }
            }
            // Lines of grids and axes: words have a rim that parts them.
            _ => {}
        }
    }

    /// The cells that a box touches: the first and the one after the last, in both directions.
    fn range(&self, rect: Rect) -> [usize; 4] {
        let cell = |at: f64, most: usize| ((at / self.cell).max(0.0) as usize).min(most);
        [
            cell(rect.x0, self.columns),
            cell(rect.x1 + self.cell, self.columns),
            cell(rect.y0, self.rows),
            cell(rect.y1 + self.cell, self.rows),
        ]
    }

    fn fill(&mut self, rect: Rect, weight: u32) {
        let [left, right, top, bottom] = self.range(rect);
        for row in top..bottom {
            for cell in &mut self.cells[row * self.columns + left..row * self.columns + right] {
                *cell = (*cell).max(weight);
            }
        }
    }

    /// A drawn line, in steps of a cell.
    fn trace(&mut self, segment: PathSeg) {
        use kurbo::ParamCurve;
        let Some(length) = Some(segment.perimeter(1.0)).filter(|it| it.is_finite()) else { return };
        let steps = (length / self.cell).clamp(1.0, 4000.0) as usize;
        for step in 0..=steps {
            let at = segment.eval(step as f64 / steps as f64);
            self.fill(Rect::from_points(at, at), 1);
        }
    }

    /// The inside of an outline, row by row of cells between its crossings.
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
                self.fill(Rect::new(pair[0], y, pair[1], y), 1);
            }
        }
    }

    fn sum(&mut self) {
        let wide = self.columns + 1;
        self.sums = vec![0; wide * (self.rows + 1)];
        for row in 0..self.rows {
            let mut line = 0u32;
            for column in 0..self.columns {
                line = line.saturating_add(self.cells[row * self.columns + column]);
                let above = self.sums[row * wide + column + 1];
                self.sums[(row + 1) * wide + column + 1] = above.saturating_add(line);
            }
        }
    }

    /// Cells with text, and cells with marks, that a box touches.
    pub fn under(&self, rect: Rect) -> (u32, u32) {
        let [left, right, top, bottom] = self.range(rect);
        let at = |row: usize, column: usize| self.sums[row * (self.columns + 1) + column];
        let sum =
            (at(bottom, right) + at(top, left)).saturating_sub(at(top, right) + at(bottom, left));
        (sum / TEXT, sum % TEXT)
    }

    /// Whether a straight way between two points crosses no words.
    pub fn is_clear(&self, from: Point, to: Point) -> bool {
        let steps = ((to - from).hypot() / self.cell).clamp(1.0, 2000.0) as usize;
        (0..=steps)
            .map(|it| from.lerp(to, it as f64 / steps as f64))
            .all(|at| self.under(Rect::from_points(at, at)).0 == 0)
    }

    /// The box moved as little as needed to lie on the canvas.
    pub fn kept(&self, rect: Rect) -> Rect {
        let shift = |low: f64, high: f64, (least, most): (f64, f64)| {
            if low < least { least - low } else { (most - high).min(0.0) }
        };
        let x = shift(rect.x0, rect.x1, (self.canvas.x0, self.canvas.x1));
        let y = shift(rect.y0, rect.y1, (self.canvas.y0, self.canvas.y1));
        let moved = rect + kurbo::Vec2::new(x, y);
        // A box larger than the canvas keeps its upper left end on it.
        let back = (moved.origin() - self.canvas.origin()).to_point();
        moved - kurbo::Vec2::new(back.x.min(0.0), back.y.min(0.0))
    }

    /// The best place for a box of this size beside a mark, which it may be as far from as the
    /// distances say; with how bad it is. None where it would lie on other words.
    pub fn beside(&self, mark: Rect, size: (f64, f64), distances: &[f64]) -> Option<(Rect, f64)> {
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
                let wanted = Rect::from_center_size(middle, size);
                let rect = self.kept(wanted);
                let (texts, marks) = self.under(rect);
                if texts > 0 {
                    continue;
                }
                let moved = (rect.origin() - wanted.origin()).hypot();
                let near = rect.inflate(2.0, 2.0).intersect(mark);
                let hides = near.width() > 0.0 && near.height() > 0.0;
                let share = f64::from(marks) * self.cell * self.cell / (width * height).max(1.0);
                let to = Point::new(
                    mark.center().x.clamp(rect.x0, rect.x1),
                    mark.center().y.clamp(rect.y0, rect.y1),
                );
                let barred = !self.is_clear(to, mark.center());
                let bad = distance
                    + rank as f64 * 1.5
                    + moved * 0.5
                    + share.min(1.5) * 90.0
                    + if marks > 0 { 16.0 } else { 0.0 }
                    + if hides { 60.0 } else { 0.0 }
                    + if barred { 40.0 } else { 0.0 };
                if best.is_none_or(|it| bad < it.1) {
                    best = Some((rect, bad));
                }
            }
        }
        best
    }
}
