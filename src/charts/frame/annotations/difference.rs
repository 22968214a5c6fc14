//! Difference arrows: two lines at the values of two marks, an arrow between them, and a label with
//! the change.

use kurbo::{Point, Rect, RoundedRect, Shape as _};

use crate::Chart;
use crate::Scene;
use crate::frame::annotations::difference_text;
use crate::frame::annotations::marks;
use crate::frame::annotations::occupancy::OccupancyGrid;
use crate::frame::annotations::shapes;
use crate::frame::annotations::shapes::AnnotationText;
use crate::frame::style::ChartStyle;
use crate::scene::{Anchor, MarkValue, Primitive, Stroke};
use crate::style::{Annotation, DifferenceDisplay, MarkRef};

/// Number of places across the value axis that are tried for the arrow.
const MAX_PLACES: usize = 64;
/// Farthest place of the arrow from the two marks, in units of the style.
const MAX_DISTANCE: f64 = 90.0;
/// Penalty of an arrow, level line or label that covers a text.
const TEXT_PENALTY: f64 = 400.0;
/// Positions of a label along the arrow to try, as shares of its length.
const LABEL_SHARES: [f64; 5] = [0.5, 0.3, 0.7, 0.1, 0.9];

/// Draws the arrow and its label. Returns the reason why nothing is drawn, if so.
///
/// `mark`, `to` and `display` are the first mark, the second mark and the numbers of the label. The
/// text of the annotation replaces the computed label. Adds a warning if the label has no place, or
/// if the label cannot have the ratio that was asked for.
pub fn draw(
    chart: &Chart,
    annotation: &Annotation,
    (mark, to, display): (&MarkRef, &MarkRef, DifferenceDisplay),
    style: &ChartStyle,
    scene: &mut Scene,
    occupancy: &mut OccupancyGrid,
) -> Option<&'static str> {
    let find = |mark: &MarkRef, scene: &Scene| {
        let row = marks::find_row(mark, chart.data, chart.locale());
        row.ok_or("its mark is not drawn").and_then(|row| find_value(scene, row, mark))
    };
    let (from, to) = match (find(mark, scene), find(to, scene)) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(problem), _) | (_, Err(problem)) => return Some(problem),
    };
    if from.end.axis != to.end.axis || from.end.is_vertical != to.end.is_vertical {
        return Some("its marks are on different value axes");
    }
    let is_computed = annotation.text.trim().is_empty();
    if is_computed
        && matches!(display, DifferenceDisplay::Percent | DifferenceDisplay::Factor)
        && !difference_text::has_ratio(from.value, to.value)
    {
        scene.warn(
            "The label of a difference has no percentage or factor, because that needs a first value \
             above zero and no value below zero.",
        );
    }
    let annotation = match is_computed {
        true => {
            &Annotation { text: compute_label(chart, &from, &to, display), ..annotation.clone() }
        }
        false => annotation,
    };
    let max_width = scene.width * if is_computed { 0.9 } else { 0.3 };
    let text = AnnotationText::new(annotation, max_width, style);
    let color = annotation.color.unwrap_or(style.text_color);
    let geometry = Geometry {
        levels: [&from, &to].map(Level::new),
        is_vertical: from.end.is_vertical,
        unit: style.unit,
        canvas: (scene.width, scene.height),
    };
    let placement = geometry.place(&text, occupancy);
    geometry.draw(&placement, Stroke::new(color, 1.25 * style.unit), style, scene, occupancy);
    match placement.label {
        Some(rect) => draw_label(&text, rect, annotation, style, scene, occupancy),
        None => scene.warn("An annotation has no space near its mark."),
    }
    None
}

/// Returns the drawn value of a record in the column of `mark`. Without a column, the total of the
/// record or its only value. Returns a reason if there is none.
fn find_value(scene: &Scene, row: usize, mark: &MarkRef) -> Result<MarkValue, &'static str> {
    let mut found = scene.mark_values.iter().filter(|value| value.row == row);
    if let Some(field) = &mark.field {
        let exact = found.find(|value| value.field.as_ref() == Some(field));
        return exact.cloned().ok_or("its mark does not end at its value on a value axis");
    }
    let all: Vec<&MarkValue> = found.collect();
    match (all.iter().find(|value| value.field.is_none()), all.as_slice()) {
        (Some(total), _) => Ok((*total).clone()),
        (None, [only]) => Ok((*only).clone()),
        (None, []) => Err("its mark does not end at its value on a value axis"),
        (None, _) => Err("its record has several values and no field names one of them"),
    }
}

/// Returns the label with the difference of two values in the number format of their columns.
fn compute_label(
    chart: &Chart,
    from: &MarkValue,
    to: &MarkValue,
    display: DifferenceDisplay,
) -> String {
    let is_share = from.end.is_share || to.end.is_share;
    let rules = match (&from.field, &to.field) {
        (Some(one), Some(two)) => chart.series_format_rules([&**one, &**two].into_iter()),
        // A total has the format of the series.
        _ => {
            let series = chart.series();
            chart.series_format_rules(series.iter().map(|series| &*series.key))
        }
    };
    difference_text::format_difference(
        (from.value, to.value),
        display,
        (&rules, is_share),
        chart.locale(),
    )
}

/// Draws the label in a rounded box with the background color.
fn draw_label(
    text: &AnnotationText,
    rect: Rect,
    annotation: &Annotation,
    style: &ChartStyle,
    scene: &mut Scene,
    occupancy: &mut OccupancyGrid,
) {
    let color = annotation.color.unwrap_or(style.text_color);
    let radius = (rect.height() / 2.0).min(9.0 * style.unit);
    scene.push(Primitive::Path {
        path: RoundedRect::from_rect(rect, radius).to_path(0.05),
        fill: Some(style.background),
        stroke: Some(Stroke::new(color, style.unit)),
    });
    let corner = rect.center() - Point::new(text.width / 2.0, text.height() / 2.0).to_vec2();
    text.draw(corner, Anchor::Middle, color, style, scene);
    occupancy.add_text(rect);
}

/// One end of the arrow, in coordinates across and along the value axis.
struct Level {
    across: f64,
    along: f64,
    half_width: f64,
}

impl Level {
    /// Reads the end of a mark.
    fn new(value: &MarkValue) -> Level {
        let Point { x, y } = value.end.position;
        let (across, along) = if value.end.is_vertical { (x, y) } else { (y, x) };
        Level { across, along, half_width: value.end.half_width }
    }

    /// Returns the edge of the mark that is nearest to `across`, or `across` if it is over the mark.
    fn nearest_edge(&self, across: f64) -> f64 {
        across.clamp(self.across - self.half_width, self.across + self.half_width)
    }
}

/// Positions of both values, in points.
struct Geometry {
    /// First and second value.
    levels: [Level; 2],
    /// Whether the value axis is vertical.
    is_vertical: bool,
    unit: f64,
    /// Width and height of the canvas.
    canvas: (f64, f64),
}

/// Place of an arrow and its label.
struct Placement {
    /// Coordinate of the arrow across the value axis.
    across: f64,
    /// Box of the label. None without a free place.
    label: Option<Rect>,
}

impl Geometry {
    /// Returns the point with these coordinates across and along the value axis.
    fn point(&self, across: f64, along: f64) -> Point {
        if self.is_vertical { Point::new(across, along) } else { Point::new(along, across) }
    }

    /// Returns the box around two points given by their coordinates across and along the axis.
    fn rect(&self, one: (f64, f64), two: (f64, f64)) -> Rect {
        Rect::from_points(self.point(one.0, one.1), self.point(two.0, two.1))
    }

    /// Returns the place of arrow and label with the lowest penalty.
    ///
    /// It prefers a place near the second mark where arrow, level lines and label cover no text and
    /// few marks. The label never covers a text.
    fn place(&self, text: &AnnotationText, occupancy: &OccupancyGrid) -> Placement {
        let mut best: Option<(f64, Placement)> = None;
        for across in self.list_places() {
            let arrow = self.rate_arrow(across, occupancy);
            let label = self.place_label(across, text, occupancy);
            let (label_penalty, label) = match label {
                Some((penalty, rect)) => (penalty, Some(rect)),
                None => (2.0 * TEXT_PENALTY, None),
            };
            let penalty = arrow + label_penalty;
            if best.as_ref().is_none_or(|(lowest, _)| penalty < *lowest) {
                best = Some((penalty, Placement { across, label }));
            }
        }
        let fallback = Placement { across: self.levels[1].across, label: None };
        best.map_or(fallback, |(_, placement)| placement)
    }

    /// Returns the coordinates of the arrow to try: around both marks, on the canvas.
    fn list_places(&self) -> impl Iterator<Item = f64> {
        let [from, to] = &self.levels;
        let reach = MAX_DISTANCE * self.unit;
        let low = (from.across - from.half_width).min(to.across - to.half_width) - reach;
        let high = (from.across + from.half_width).max(to.across + to.half_width) + reach;
        let length = if self.is_vertical { self.canvas.0 } else { self.canvas.1 };
        let margin = 8.0 * self.unit;
        let (low, high) = (low.max(margin), high.min(length - margin).max(margin));
        let regular = (0..=MAX_PLACES)
            .map(move |index| low + (high - low) * index as f64 / MAX_PLACES as f64);
        [to.across, from.across].into_iter().chain(regular)
    }

    /// Returns how bad an arrow at `across` with its level lines is, from 0.
    fn rate_arrow(&self, across: f64, occupancy: &OccupancyGrid) -> f64 {
        let [from, to] = &self.levels;
        let half = 3.0 * self.unit;
        let rate = |rect: Rect, weight: f64| {
            let occupied = occupancy.count_occupied(rect);
            let text_penalty = if occupied.texts > 0 { TEXT_PENALTY / 2.0 } else { 0.0 };
            text_penalty + f64::from(occupied.marks) * weight
        };
        // The ends touch the marks, so that the cells there do not count.
        let inset = (4.0 * self.unit).min((from.along - to.along).abs() / 2.0);
        let (low, high) = (from.along.min(to.along) + inset, from.along.max(to.along) - inset);
        let mut penalty = rate(self.rect((across - half, low), (across + half, high)), 3.0);
        for level in &self.levels {
            let edge = level.nearest_edge(across);
            let distance = (across - edge).abs();
            if distance > half {
                penalty += rate(self.rect((edge, level.along), (across, level.along)), 0.6);
            }
            penalty += distance * 0.25 / self.unit;
        }
        // Without a preference, the arrow is at the second mark.
        penalty + (across - to.across).abs() * 0.05 / self.unit
    }

    /// Returns the box of the label with the lowest penalty for an arrow at `across`, and the penalty.
    /// None if each place covers a text.
    fn place_label(
        &self,
        across: f64,
        text: &AnnotationText,
        occupancy: &OccupancyGrid,
    ) -> Option<(f64, Rect)> {
        let size = (text.width + 12.0 * self.unit, text.height() + 4.0 * self.unit);
        let (width, length) = if self.is_vertical { size } else { (size.1, size.0) };
        let [from, to] = &self.levels;
        let (low, high) = (from.along.min(to.along), from.along.max(to.along));
        let gap = 6.0 * self.unit;
        let mut places: Vec<(f64, f64, f64)> = Vec::new();
        let shows_arrow = high - low >= length + 26.0 * self.unit;
        for (rank, share) in LABEL_SHARES.into_iter().enumerate() {
            let along = low + (high - low) * share;
            let rank = rank as f64 * 2.0;
            if shows_arrow && share == 0.5 {
                places.push((across, along, 0.0));
            }
            for side in [1.0, -1.0] {
                places.push((across + side * (width / 2.0 + gap), along, 6.0 + rank));
            }
        }
        // The values of marks are often beyond the higher ends, so that farther places are tried, too.
        for distance in [gap, 4.0 * gap] {
            for along in [low - distance - length / 2.0, high + distance + length / 2.0] {
                places.push((across, along, 9.0 + distance / self.unit * 0.5));
            }
        }
        let mut best: Option<(f64, Rect)> = None;
        for (across, along, rank) in places {
            let preferred = Rect::from_center_size(self.point(across, along), size);
            let rect = occupancy.shift_onto_canvas(preferred);
            let occupied = occupancy.count_occupied(rect);
            if occupied.texts > 0 || rect.x1 > self.canvas.0 || rect.y1 > self.canvas.1 {
                continue;
            }
            let moved = (rect.origin() - preferred.origin()).hypot() / self.unit;
            let covered_cells = f64::from(occupied.marks);
            let penalty = rank + moved + covered_cells * 1.2;
            if best.is_none_or(|(lowest, _)| penalty < lowest) {
                best = Some((penalty, rect));
            }
        }
        best
    }

    /// Draws the level lines and the arrow, and marks their space as occupied.
    fn draw(
        &self,
        placement: &Placement,
        stroke: Stroke,
        style: &ChartStyle,
        scene: &mut Scene,
        occupancy: &mut OccupancyGrid,
    ) {
        let across = placement.across;
        let overhang = 4.0 * self.unit;
        let thin = Stroke { width: style.unit, ..stroke };
        for level in &self.levels {
            let edge = level.nearest_edge(across);
            if edge == across && level.half_width > 0.0 {
                continue;
            }
            let end = if across >= level.across { across + overhang } else { across - overhang };
            let (from, to) = (self.point(edge, level.along), self.point(end, level.along));
            scene.line(from, to, thin);
            occupancy.add_mark(Rect::from_points(from, to));
        }
        let [from, to] = self.levels.each_ref().map(|level| self.point(across, level.along));
        shapes::draw_arrow(from, to, stroke, style, scene);
        occupancy.add_mark(Rect::from_points(from, to));
    }
}

#[cfg(test)]
mod tests;
