//! Finds what is drawn for a record: the shapes that a kind has tagged with its place.

use std::collections::BTreeMap;

use kurbo::{Point, Rect, Shape as _, Vec2};
use serde_json::Value;

use crate::Scene;
use crate::data;
use crate::scene::{Form, Shape};
use crate::style::Mark;

/// Names that a record can be found by, beside its label.
const NAMES: [&str; 7] = ["label", "name", "date", "id", "category", "start", "text"];

/// What is drawn for a record.
pub struct Drawn {
    /// The upright box round it.
    pub bounds: Rect,
    /// A point of it, in its middle if that is a part of it.
    pub heart: Point,
    forms: Vec<Form>,
}

/// The place of the record that a mark is of.
pub fn row(mark: &Mark, records: &[Value]) -> Option<usize> {
    if let Some(row) = mark.row {
        return (row < records.len()).then_some(row);
    }
    let called = |record: &Value| {
        data::label(record) == mark.label
            || NAMES.iter().any(|key| data::words(data::field(record, key)) == mark.label)
    };
    records.iter().position(called)
}

/// What the scene shows of a record; none when that is nothing.
pub fn find(scene: &Scene, row: usize, field: Option<&str>) -> Option<Drawn> {
    let mut shown = shown(scene, |scene, shape| {
        let tag = scene.tags.get((shape.tag as usize).checked_sub(1)?)?;
        // Where one mark stands for all columns of a record, it is that of each.
        let of_field = tag.field.as_deref().is_none_or(|it| field.is_none_or(|field| field == it));
        (tag.row == Some(row) && of_field).then_some(tag.part == "line")
    });
    // A line through all records is not the mark of its first, nor are names what they name.
    for weak in [|it: &Seen| it.line, |it: &Seen| matches!(it.form, Form::Text(_))] {
        if shown.iter().any(|it| !weak(it)) {
            shown.retain(|it| !weak(it));
        }
    }
    let bounds = shown.iter().map(|it| it.bounds).reduce(|one, two| one.union(two))?;
    let mut drawn = Drawn {
        bounds,
        heart: bounds.center(),
        forms: shown.into_iter().map(|it| it.form.clone()).collect(),
    };
    drawn.heart = drawn.inner_point();
    Some(drawn)
}

/// The box that grid, base lines and marks share.
pub fn plot(scene: &Scene) -> Rect {
    let part = |_: &Scene, shape: &Shape| {
        let line = matches!(shape.form, Form::Line { .. });
        (line || shape.tag > 0 && !matches!(shape.form, Form::Text(_))).then_some(false)
    };
    let boxes = shown(scene, part).into_iter().map(|it| it.bounds);
    boxes.reduce(|one, two| one.union(two)).unwrap_or_default()
}

/// Whether records follow each other from side to side; false from top to bottom, none when there
/// is no telling. Along their axis they do so in equal steps.
pub fn run_across(scene: &Scene) -> Option<bool> {
    let mut rows: BTreeMap<usize, Point> = BTreeMap::new();
    for shape in &scene.shapes {
        let tag = (shape.tag as usize).checked_sub(1).and_then(|it| scene.tags.get(it));
        if let Some((row, bounds)) = tag.and_then(|it| it.row).zip(bounds(&shape.form)) {
            rows.entry(row).or_insert(bounds.center());
        }
    }
    let places: Vec<Point> = rows.into_values().collect();
    let steps: Vec<Vec2> = places.windows(2).map(|it| it[1] - it[0]).collect();
    // Standard deviation of the steps as a share of their mean.
    let unevenness = |along: fn(&Vec2) -> f64| {
        let count = steps.len().max(1) as f64;
        let mean = steps.iter().map(along).sum::<f64>() / count;
        let spread = steps.iter().map(|it| (along(it) - mean).powi(2)).sum::<f64>() / count;
        spread.sqrt() / mean.abs().max(1e-9)
    };
    let (x, y) = (unevenness(|it| it.x), unevenness(|it| it.y));
    (x.min(y) < 0.75).then_some(x <= y)
}

struct Seen<'a> {
    form: &'a Form,
    bounds: Rect,
    line: bool,
}

/// The wanted shapes with what of them lies on the canvas and within their clips.
fn shown(scene: &Scene, wanted: impl Fn(&Scene, &Shape) -> Option<bool>) -> Vec<Seen<'_>> {
    let canvas = Rect::new(0.0, 0.0, scene.width, scene.height);
    let mut clips = vec![canvas];
    let mut found = Vec::new();
    for shape in &scene.shapes {
        let clip = clips.last().copied().unwrap_or(canvas);
        match &shape.form {
            Form::Clip(rect) => clips.push(clip.intersect(*rect)),
            Form::EndClip => drop(clips.pop()),
            form => {
                let Some(line) = wanted(scene, shape) else { continue };
                let Some(bounds) = bounds(form) else { continue };
                let outside = bounds.x0 > clip.x1
                    || bounds.x1 < clip.x0
                    || bounds.y0 > clip.y1
                    || bounds.y1 < clip.y0;
                if !outside {
                    found.push(Seen { form, bounds: bounds.intersect(clip), line });
                }
            }
        }
    }
    found
}

/// The upright box round a shape; none when it has no places.
pub fn bounds(form: &Form) -> Option<Rect> {
    let round = |points: &[Point], by: f64| {
        let first = Rect::from_points(*points.first()?, *points.first()?);
        Some(points.iter().fold(first, |all, it| all.union_pt(*it)).inflate(by, by))
    };
    match form {
        Form::Rect { rect, .. } | Form::Image { rect, .. } => Some(*rect),
        Form::Line { from, to, .. } => Some(Rect::from_points(*from, *to)),
        Form::Circle { center, radius, .. } => round(&[*center], *radius),
        Form::Path { path, .. } if path.is_empty() => None,
        Form::Path { path, .. } => Some(path.bounding_box()),
        Form::Polyline { points, .. } => round(points, 0.0),
        Form::Marks { points, radius, .. } => round(points, *radius),
        Form::Text(text) => Some(text.bounds()),
        Form::Clip(_) | Form::EndClip => None,
    }
}

impl Drawn {
    fn hit(&self, point: Point) -> bool {
        self.forms.iter().any(|form| match form {
            Form::Path { fill: None, .. } | Form::Line { .. } | Form::Polyline { .. } => false,
            Form::Path { path, .. } => path.contains(point),
            Form::Circle { center, radius, .. } => (point - *center).hypot() <= *radius,
            other => bounds(other).is_some_and(|it| it.contains(point)),
        })
    }

    /// Of points spread over the box, the one of the mark that is nearest to the middle.
    fn inner_point(&self) -> Point {
        let Rect { x0, y0, .. } = self.bounds;
        let (width, height) = (self.bounds.width(), self.bounds.height());
        let at = |it: usize| (it as f64 + 0.5) / 9.0;
        let middle = self.bounds.center();
        let spread =
            (0..81).map(|it| Point::new(x0 + width * at(it % 9), y0 + height * at(it / 9)));
        let far = |it: &Point| (*it - middle).hypot2();
        let inner = std::iter::once(middle).chain(spread).filter(|it| self.hit(*it));
        inner.min_by(|one, two| far(one).total_cmp(&far(two))).unwrap_or(middle)
    }

    /// Where somebody who comes straight from `from` meets it, `gap` points before.
    pub fn edge(&self, from: Point, gap: f64) -> Point {
        const STEPS: usize = 256;
        let way: Vec2 = self.heart - from;
        let length = way.hypot();
        if length < gap + 1.0 {
            return from;
        }
        let at = |step: usize| from + way * (step as f64 / STEPS as f64);
        let meets = (0..=STEPS).map(at).find(|it| self.hit(*it)).unwrap_or(self.heart);
        let travelled = (meets - from).hypot();
        from + way * ((travelled - gap).max(0.0) / length)
    }
}
