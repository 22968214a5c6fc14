//! Search for the shapes that a chart kind has drawn for a record.

use std::collections::BTreeMap;

use kurbo::{Point, Rect, Shape as _, Vec2};
use serde_json::Value;

use crate::Scene;
use crate::category_dates;
use crate::data;
use crate::date_text;
use crate::format::Locale;
use crate::scene::{Primitive, Shape};
use crate::style::MarkRef;
use crate::times_of_day;

/// Fields, besides the label, by which a record is found.
const NAME_FIELDS: [&str; 7] = ["label", "name", "date", "id", "category", "start", "text"];

/// Part of the marks that are annotations.
pub const ANNOTATION_PART: &str = "annotation";

/// Shapes drawn for a record.
pub struct DrawnMark {
    /// Bounding box of the shapes.
    pub bounds: Rect,
    /// A point inside the shapes, as near to the center of the bounding box as a coarse search
    /// finds it. The center itself if the search finds no point inside.
    pub inner_point: Point,
    primitives: Vec<Primitive>,
}

/// Returns the index of the record that a mark reference denotes, or None if there is none.
///
/// A reference without a row denotes the first record with its label in one of [`NAME_FIELDS`]. The
/// label may be a date as the data has it, unless it has two readings. The records have it in the
/// notation of ISO 8601, or as a category in the words of `locale`. The same is true of times of
/// day.
pub fn find_row(mark: &MarkRef, records: &[Value], locale: Locale) -> Option<usize> {
    if let Some(row) = mark.row {
        return (row < records.len()).then_some(row);
    }
    let find = |label: &str| {
        let is_named = |record: &Value| {
            data::record_label(record) == label
                || NAME_FIELDS
                    .iter()
                    .any(|key| data::display_text(data::field(record, key)) == label)
        };
        records.iter().position(is_named)
    };
    let iso = || date_text::to_certain_iso_date(&mark.label);
    find(&mark.label)
        .or_else(|| find(&iso()?))
        .or_else(|| find(&category_dates::format_name(&iso()?, locale)?))
        .or_else(|| times_of_day::list_timestamps(&mark.label)?.iter().find_map(|time| find(time)))
}

/// Returns the visible shapes of a record, or None if there are none. With `field`, only the shapes
/// of that column and of marks without a column.
///
/// Finds the shapes by the marks that the scene has recorded. Uses only the first of these groups
/// that is not empty: shapes other than texts and lines through all records, texts, lines through
/// all records.
pub fn find_mark(scene: &Scene, row: usize, field: Option<&str>) -> Option<DrawnMark> {
    let mut visible = collect_visible_shapes(scene, |scene, shape| {
        let mark = scene.marks.get((shape.mark as usize).checked_sub(1)?)?;
        // A mark without a column stands for all columns of its record.
        let has_field =
            mark.field.as_deref().is_none_or(|column| field.is_none_or(|wanted| wanted == column));
        (mark.row == Some(row) && has_field).then_some(mark.part == "line")
    });
    // Prefers other shapes over a line through all records and over labels.
    for is_weak in [
        |shape: &VisibleShape| shape.is_line,
        |shape: &VisibleShape| matches!(shape.primitive, Primitive::Text(_)),
    ] {
        if visible.iter().any(|shape| !is_weak(shape)) {
            visible.retain(|shape| !is_weak(shape));
        }
    }
    let bounds = visible.iter().map(|shape| shape.bounds).reduce(|one, two| one.union(two))?;
    let mut drawn = DrawnMark {
        bounds,
        inner_point: bounds.center(),
        primitives: visible.into_iter().map(|shape| shape.primitive.clone()).collect(),
    };
    drawn.inner_point = drawn.find_inner_point();
    Some(drawn)
}

/// Returns the bounding box of all visible straight lines and of the visible shapes of marks except
/// texts and annotations, that is, about the plot area. An empty rectangle if there are none.
pub fn measure_plot_bounds(scene: &Scene) -> Rect {
    let is_part = |scene: &Scene, shape: &Shape| {
        let is_line = matches!(shape.primitive, Primitive::Line { .. });
        let mark = (shape.mark as usize).checked_sub(1).and_then(|index| scene.marks.get(index));
        let is_data = mark.is_some_and(|mark| mark.part != ANNOTATION_PART);
        (is_line || is_data && !matches!(shape.primitive, Primitive::Text(_))).then_some(false)
    };
    let boxes = collect_visible_shapes(scene, is_part).into_iter().map(|shape| shape.bounds);
    boxes.reduce(|one, two| one.union(two)).unwrap_or_default()
}

/// Returns true if the marks of successive records follow each other horizontally, false if
/// vertically, None if the steps between them are uneven in both directions.
///
/// The direction with the more even steps is that of the category axis. True if fewer than three
/// records have marks, because a single step has no variation. The first shape of a record counts.
pub fn records_run_horizontally(scene: &Scene) -> Option<bool> {
    let mut rows: BTreeMap<usize, Point> = BTreeMap::new();
    for shape in &scene.shapes {
        let mark = (shape.mark as usize).checked_sub(1).and_then(|index| scene.marks.get(index));
        if let Some((row, bounds)) =
            mark.and_then(|mark| mark.row).zip(measure_bounds(&shape.primitive))
        {
            rows.entry(row).or_insert(bounds.center());
        }
    }
    let centers: Vec<Point> = rows.into_values().collect();
    let steps: Vec<Vec2> = centers.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Standard deviation of the steps as a share of their mean.
    let measure_unevenness = |along: fn(&Vec2) -> f64| {
        let count = steps.len().max(1) as f64;
        let mean = steps.iter().map(along).sum::<f64>() / count;
        let variance = steps.iter().map(|step| (along(step) - mean).powi(2)).sum::<f64>() / count;
        variance.sqrt() / mean.abs().max(1e-9)
    };
    let (x, y) = (measure_unevenness(|step| step.x), measure_unevenness(|step| step.y));
    (x.min(y) < 0.75).then_some(x <= y)
}

/// A shape with its visible part.
struct VisibleShape<'a> {
    primitive: &'a Primitive,
    /// Bounding box within the canvas and the clips.
    bounds: Rect,
    /// Whether it is a line through all records.
    is_line: bool,
}

/// Returns the selected shapes that are visible on the canvas and within their clips.
///
/// `select` returns None for shapes to skip, otherwise whether the shape is a line through all
/// records.
fn collect_visible_shapes(
    scene: &Scene,
    select: impl Fn(&Scene, &Shape) -> Option<bool>,
) -> Vec<VisibleShape<'_>> {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut clips = vec![canvas];
    let mut found = Vec::new();
    for shape in &scene.shapes {
        let clip = clips.last().copied().unwrap_or(canvas);
        match &shape.primitive {
            Primitive::BeginClip(rect) => clips.push(clip.intersect(*rect)),
            Primitive::EndClip => drop(clips.pop()),
            primitive => {
                let Some(is_line) = select(scene, shape) else { continue };
                let Some(bounds) = measure_bounds(primitive) else { continue };
                let is_outside = bounds.x0 > clip.x1
                    || bounds.x1 < clip.x0
                    || bounds.y0 > clip.y1
                    || bounds.y1 < clip.y0;
                if !is_outside {
                    found.push(VisibleShape { primitive, bounds: bounds.intersect(clip), is_line });
                }
            }
        }
    }
    found
}

/// Returns the bounding box of a shape without the width of its lines. None for a shape without
/// points, a clip and a link.
pub fn measure_bounds(primitive: &Primitive) -> Option<Rect> {
    let bounds_around = |points: &[Point], margin: f64| {
        let first = Rect::from_points(*points.first()?, *points.first()?);
        Some(
            points
                .iter()
                .fold(first, |bounds, point| bounds.union_pt(*point))
                .inflate(margin, margin),
        )
    };
    match primitive {
        Primitive::Rect { rect, .. } | Primitive::Image { rect, .. } => Some(*rect),
        Primitive::Line { from, to, .. } => Some(Rect::from_points(*from, *to)),
        Primitive::Circle { center, radius, .. } => bounds_around(&[*center], *radius),
        Primitive::Path { path, .. } if path.is_empty() => None,
        Primitive::Path { path, .. } => Some(path.bounding_box()),
        Primitive::Polyline { points, .. } => bounds_around(points, 0.0),
        Primitive::Dots { points, radius, .. } => bounds_around(points, *radius),
        Primitive::Text(text) => Some(text.bounds()),
        Primitive::BeginClip(_)
        | Primitive::EndClip
        | Primitive::BeginLink(_)
        | Primitive::EndLink => None,
    }
}

impl DrawnMark {
    /// Returns whether a point lies in one of the primitives of the mark: inside a filled path,
    /// inside a circle with or without fill, or in the bounding box of a rectangle, image, text or
    /// group of dots. Lines, polylines and paths without a fill contain no point.
    fn contains(&self, point: Point) -> bool {
        self.primitives.iter().any(|primitive| match primitive {
            Primitive::Path { fill: None, .. }
            | Primitive::Line { .. }
            | Primitive::Polyline { .. } => false,
            Primitive::Path { path, .. } => path.contains(point),
            Primitive::Circle { center, radius, .. } => (point - *center).hypot() <= *radius,
            other => measure_bounds(other).is_some_and(|bounds| bounds.contains(point)),
        })
    }

    /// Returns the point inside the shapes that is nearest to the center of the bounding box, out
    /// of the center and a grid of 9 × 9 points. Returns the center if none is inside.
    fn find_inner_point(&self) -> Point {
        let Rect { x0, y0, .. } = self.bounds;
        let (width, height) = (self.bounds.width(), self.bounds.height());
        let share = |cell: usize| (cell as f64 + 0.5) / 9.0;
        let middle = self.bounds.center();
        let grid = (0..81)
            .map(|cell| Point::new(x0 + width * share(cell % 9), y0 + height * share(cell / 9)));
        let distance = |point: &Point| (*point - middle).hypot2();
        let inner = std::iter::once(middle).chain(grid).filter(|point| self.contains(*point));
        inner.min_by(|one, two| distance(one).total_cmp(&distance(two))).unwrap_or(middle)
    }

    /// Returns the point on the line from `from` to the inner point that is about `gap` points
    /// before the shapes, or before the inner point if the line misses them.
    ///
    /// Returns `from` if it is inside the shapes or nearer than `gap`.
    pub fn find_edge_point(&self, from: Point, gap: f64) -> Point {
        const STEPS: usize = 256;
        let direction: Vec2 = self.inner_point - from;
        let length = direction.hypot();
        if length < gap + 1.0 {
            return from;
        }
        let point_at = |step: usize| from + direction * (step as f64 / STEPS as f64);
        let entry = (0..=STEPS)
            .map(point_at)
            .find(|point| self.contains(*point))
            .unwrap_or(self.inner_point);
        let distance_to_entry = (entry - from).hypot();
        from + direction * ((distance_to_entry - gap).max(0.0) / length)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_label_finds_its_record_after_dates_and_times_are_rewritten() {
        let find = |label: &str, drawn: &str| {
            let mark = MarkRef { label: label.to_owned(), ..MarkRef::default() };
            find_row(
                &mark,
                &[json!({ "label": "x" }), json!({ "label": drawn })],
                Locale::parse("de"),
            )
        };
        for (label, drawn) in [
            ("2026-03-14", "14. März 2026"),
            ("14.03.2026", "2026-03-14"),
            ("06:15", "0001-01-01T06:15:00"),
            ("1 Uhr", "0001-01-02T01:00:00"),
            ("Nord", "Nord"),
        ] {
            assert_eq!(find(label, drawn), Some(1), "{label}");
        }
        assert_eq!(find("2026-03-15", "14. März 2026"), None);
    }
}
