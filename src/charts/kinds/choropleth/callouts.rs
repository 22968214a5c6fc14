//! Labels beside the land for small areas, such as city states, with lines to them.

use kurbo::{Line, Point, Rect, Size};

use crate::Scene;
use crate::frame::ChartStyle;
use crate::frame::callouts::Callout;
use crate::geo::map_view::AreaShape;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// Maximum number of labels beside the land. More lines would hide the map.
pub const MAX_CALLOUTS: usize = 16;
/// Maximum length of a line as a share of the shorter side of the map.
const MAX_LINE_SHARE: f64 = 0.4;
/// Side of a cell of the land grid in points.
const CELL_PT: f64 = 3.0;

/// The cells of the map with land, and the lines above them.
pub struct LandGrid {
    area: Rect,
    columns: usize,
    rows: usize,
    is_land: Vec<bool>,
    /// Lines from areas to their labels.
    lines: Vec<Line>,
}

impl LandGrid {
    /// Creates the grid of all areas of a map in `area`.
    pub fn new(shapes: &[AreaShape], area: Rect) -> LandGrid {
        let count = |length: f64| (length / CELL_PT).ceil().max(1.0) as usize;
        let (columns, rows) = (count(area.width()), count(area.height()));
        let is_land = vec![false; columns * rows];
        let mut grid = LandGrid { area, columns, rows, is_land, lines: Vec::new() };
        let polygons = shapes.iter().flat_map(|shape| &shape.polygons);
        for ring in polygons.filter_map(|polygon| polygon.first()) {
            grid.fill_ring(ring);
        }
        grid
    }

    /// Marks the cells on and inside a closed ring.
    fn fill_ring(&mut self, ring: &[Point]) {
        let ends = ring.iter().zip(ring.iter().cycle().skip(1));
        let edges: Vec<Line> = ends.map(|(start, end)| Line::new(*start, *end)).collect();
        let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); self.rows];
        let row_at = |y: f64| ((y - self.area.y0) / CELL_PT - 0.5).clamp(-1.0, self.rows as f64);
        for Line { p0, p1 } in &edges {
            let (top, bottom) = (row_at(p0.y.min(p1.y)), row_at(p0.y.max(p1.y)));
            for row in (top.floor() as isize + 1)..=(bottom.floor() as isize) {
                let Ok(row) = usize::try_from(row) else { continue };
                let y = self.area.y0 + (row as f64 + 0.5) * CELL_PT;
                let x = p0.x + (p1.x - p0.x) * (y - p0.y) / (p1.y - p0.y);
                crossings.get_mut(row).into_iter().for_each(|crossings| crossings.push(x));
            }
        }
        for (row, mut crossings) in crossings.into_iter().enumerate() {
            crossings.sort_by(f64::total_cmp);
            for pair in crossings.chunks_exact(2) {
                let column = |x: f64| ((x - self.area.x0) / CELL_PT).max(0.0) as usize;
                for column in column(pair[0])..=column(pair[1]).min(self.columns) {
                    self.mark(column, row);
                }
            }
        }
        for Line { p0, p1 } in edges {
            let steps = ((p1 - p0).hypot() / CELL_PT).ceil().clamp(1.0, 1000.0) as usize;
            for step in 0..=steps {
                let offset = p0.lerp(p1, step as f64 / steps as f64) - self.area.origin();
                if offset.x >= 0.0 && offset.y >= 0.0 {
                    self.mark((offset.x / CELL_PT) as usize, (offset.y / CELL_PT) as usize);
                }
            }
        }
    }

    /// Marks a cell as land. Ignores cells outside of the grid.
    fn mark(&mut self, column: usize, row: usize) {
        if column < self.columns
            && let Some(cell) = self.is_land.get_mut(row * self.columns + column)
        {
            *cell = true;
        }
    }

    /// Returns whether a rectangle in the area touches no land.
    fn is_free(&self, rect: Rect) -> bool {
        let cell = |value: f64, start: f64| ((value - start) / CELL_PT).max(0.0) as usize;
        let columns = cell(rect.x0, self.area.x0)..=cell(rect.x1, self.area.x0);
        (cell(rect.y0, self.area.y0)..=cell(rect.y1, self.area.y0)).all(|row| {
            let is_sea = |column: usize| {
                !self.is_land.get(row * self.columns + column).copied().unwrap_or(false)
            };
            columns.clone().all(is_sea)
        })
    }

    /// Places a text of this size in points as near as possible to `start`, outside of the land and of
    /// `taken`. Returns its rectangle, and the line to it. None without space near enough.
    fn find_place(&self, start: Point, size: Size, taken: &[Rect]) -> Option<(Rect, Line)> {
        let max_length = self.area.width().min(self.area.height()) * MAX_LINE_SHARE;
        Callout { start, size, max_length, gap: 0.0, taken, lines: &self.lines }.find_place(
            |rect| {
                let is_taken = || taken.iter().any(|other| other.overlaps(rect));
                self.area.contains_rect(rect) && self.is_free(rect) && !is_taken()
            },
        )
    }
}

/// Draws a name and a value, either of which may be empty, beside the land with a line to `start`, and adds
/// the rectangle to `taken`. The value is below the name if one line has no space. Returns false without
/// space.
pub fn draw(
    (name, value): (&str, &str),
    start: Point,
    land: &mut LandGrid,
    taken: &mut Vec<Rect>,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let size = style.small_size;
    let has_both = !name.is_empty() && !value.is_empty();
    let gap = if has_both { size * 0.35 } else { 0.0 };
    let name_width = style.text_width(name, size);
    let value_width = text::width(value, size, Face::BOLD);
    let padding = size * 0.25;
    let one_line = Size::new(name_width + gap + value_width + padding * 2.0, size * 1.2);
    let two_lines = Size::new(name_width.max(value_width) + padding * 2.0, size * 2.3);
    let blocks = if has_both { &[one_line, two_lines][..] } else { &[one_line][..] };
    let find_place = |block: &Size| Some((*block, land.find_place(start, *block, taken)?));
    let Some((block, (rect, line))) = blocks.iter().find_map(find_place) else { return false };
    taken.push(rect);
    land.lines.push(line);
    draw_line(line, style, scene);
    let is_stacked = block != one_line;
    let half_step = if is_stacked { size * 0.55 } else { 0.0 };
    let baseline = rect.center().y + HALF_CAP_HEIGHT_EM * size;
    let (name_x, value_x) = match is_stacked {
        true => (rect.center().x - name_width / 2.0, rect.center().x - value_width / 2.0),
        false => (rect.x0 + padding, rect.x0 + padding + name_width + gap),
    };
    if !name.is_empty() {
        let y = baseline - half_step;
        let label = style.label_text(name_x, y, Anchor::Start, size, name);
        scene.text(Text { color: style.label_color, ..label });
    }
    if !value.is_empty() {
        let y = baseline + half_step;
        let label = style.label_text(value_x, y, Anchor::Start, size, value);
        let color = style.value_color;
        scene.text(Text { face: Face::BOLD, width: value_width, color, ..label });
    }
    true
}

/// Draws the line from an area to its label, with a dot in the area.
fn draw_line(line: Line, style: &ChartStyle, scene: &mut Scene) {
    // The line must be visible on dark areas.
    scene.line(line.p0, line.p1, Stroke::new(style.background, 2.25 * style.unit));
    scene.line(line.p0, line.p1, Stroke::new(style.text_color, 0.75 * style.unit));
    scene.circle(line.p0, 1.25 * style.unit, style.text_color, None);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::Chart;

    #[test]
    fn city_states_have_their_values_beside_the_map() {
        let names = [
            "Mecklenburg-Vorpommern",
            "Nordrhein-Westfalen",
            "Berlin",
            "Bremen",
            "Hamburg",
            "Bayern",
            "Saarland",
            "Brandenburg",
            "Niedersachsen",
            "Sachsen",
        ];
        let record = |(index, name): (usize, &str)| json!({"region": name, "value": 31 + index});
        let data: Vec<Value> = names.into_iter().enumerate().map(record).collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("choropleth").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for text in ["Berlin", "33", "Bremen", "34", "Hamburg", "35"] {
            assert!(texts.contains(&text), "{text}: {texts:?}");
        }
        let boxes: Vec<Rect> = scene.text_boxes().map(|(_, bounds)| bounds).collect();
        for (index, one) in boxes.iter().enumerate() {
            assert!(!boxes[..index].iter().any(|two| two.overlaps(*one)), "{texts:?}");
        }
    }

    #[test]
    fn lines_to_labels_do_not_cross() {
        let names = [
            "Denmark",
            "Switzerland",
            "Netherlands",
            "Belgium",
            "Luxembourg",
            "Estonia",
            "France",
            "Germany",
            "Spain",
            "Poland",
            "Ukraine",
            "Austria",
            "Czechia",
            "Portugal",
            "Ireland",
            "Latvia",
            "Lithuania",
            "Slovenia",
            "Croatia",
            "Hungary",
            "Slovakia",
            "Greece",
            "Italy",
        ];
        let record = |(index, name): (usize, &str)| json!({"region": name, "value": 31 + index});
        let data: Vec<Value> = names.into_iter().enumerate().map(record).collect();
        let kind = crate::find_kind("choropleth").unwrap();
        for (width, height) in [(720.0, 405.0), (960.0, 640.0), (1080.0, 1080.0)] {
            let scene = crate::draw(&Chart { width, height, ..Chart::new(kind, &data) });
            let lines = scene.shapes.iter().filter_map(|shape| match shape.primitive {
                crate::scene::Primitive::Line { from, to, .. } => Some(Line::new(from, to)),
                _ => None,
            });
            let lines: Vec<Line> = lines.collect();
            assert!(!lines.is_empty(), "{width}");
            for (index, one) in lines.iter().enumerate() {
                let crosses = |two: &&Line| *two != one && crate::shape::line::cross(*one, **two);
                assert_eq!(lines[..index].iter().find(crosses), None, "{width}: {one:?}");
            }
        }
    }

    #[test]
    fn lines_do_not_pass_through_the_dots_of_others() {
        let names = [
            "Austria",
            "Germany",
            "France",
            "Italy",
            "Spain",
            "Poland",
            "Sweden",
            "Norway",
            "Croatia",
            "Hungary",
            "Switzerland",
            "Czechia",
            "United Kingdom",
        ];
        let data: Vec<Value> = names.map(|name| json!({"region": name, "value": 5})).to_vec();
        let kind = crate::find_kind("choropleth").unwrap();
        let settings = json!({"labels": "names", "map": "europe"});
        for (width, height) in [(720.0, 405.0), (960.0, 640.0)] {
            let chart = Chart { settings: &settings, width, height, ..Chart::new(kind, &data) };
            let scene = crate::draw(&chart);
            let lines = scene.shapes.iter().filter_map(|shape| match shape.primitive {
                crate::scene::Primitive::Line { from, to, .. } => Some(Line::new(from, to)),
                _ => None,
            });
            let lines: Vec<Line> = lines.collect();
            assert!(lines.len() > 5, "{width}");
            for one in &lines {
                let others = lines.iter().filter(|other| other.p0 != one.p0);
                let distance = |other: &Line| {
                    kurbo::ParamCurveNearest::nearest(one, other.p0, 0.1).distance_sq
                };
                let nearest = others.map(distance).fold(f64::INFINITY, f64::min).sqrt();
                assert!(nearest > 2.0, "{width}: {one:?}");
            }
        }
    }

    #[test]
    fn the_land_grid_knows_the_inside_of_a_ring() {
        let area = Rect::new(0.0, 0.0, 90.0, 60.0);
        let mut grid =
            LandGrid { area, columns: 30, rows: 20, is_land: vec![false; 600], lines: Vec::new() };
        grid.fill_ring(&[Point::new(30.0, 10.0), Point::new(60.0, 10.0), Point::new(45.0, 50.0)]);
        assert!(!grid.is_free(Rect::new(43.0, 25.0, 47.0, 30.0)));
        assert!(grid.is_free(Rect::new(2.0, 2.0, 20.0, 50.0)));
        let place = grid.find_place(Point::new(45.0, 20.0), Size::new(12.0, 6.0), &[]);
        assert!(place.is_some_and(|(rect, _)| rect.y0 < 10.0 || rect.x1 < 45.0 || rect.x0 > 45.0));
    }
}
