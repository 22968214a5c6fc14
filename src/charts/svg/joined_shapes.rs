//! Joining of shapes with equal style into one path, because browsers become slow with very many
//! elements.
//!
//! A path can have many marks. Its attribute `data-rows` lists their records, one for each subpath, so
//! that a page can find the record below the pointer.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use kurbo::{Rect, Size};

use crate::color::Color;
use crate::scene::{Mark, Primitive, Scene, Shape, Stroke};
use crate::svg::attributes::write_paint_attributes;
use crate::svg::attributes::write_stroke_attributes;
use crate::svg::xml_writer::XmlWriter;
use crate::time_limit;

/// Width in points of the strips in which overlapping shapes are searched.
const STRIP_WIDTH: f64 = 2.0;
/// Maximum number of shapes in a path. Browsers paint an image in tiles, and a path takes its whole
/// time in each tile that it touches: one path with 2,000 columns took 310 ms, in Chromium.
const MAX_MEMBERS: usize = 64;
/// Maximum number of comparisons of two shapes in a run, which bounds the time. Later shapes are not
/// joined with earlier ones.
const MAX_COMPARISONS: usize = 4_000_000;
/// Length in points by which shapes must overlap to count. Adjacent bars share an edge.
const MIN_OVERLAP: f64 = 0.01;

/// Properties that all shapes of a path share. Lengths are compared by their bits.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PathStyle<'a> {
    /// Geometry, with the radius of circles.
    form: (Form, u64),
    fill: Option<Color>,
    /// Color, width, dash, gap and round caps.
    stroke: Option<(Color, [u64; 3], bool)>,
    /// Part and column of the marks.
    mark: Option<(&'static str, Option<&'a str>)>,
}

/// Geometry of a shape that can be joined.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Rect,
    Line,
    Circle,
}

/// Shapes that become one path, by their indexes.
pub struct JoinedPath<'a> {
    style: PathStyle<'a>,
    /// Indexes in the run, in drawing order.
    pub members: Vec<usize>,
}

/// Returns the number of shapes from the start that can be joined: rectangles with square corners,
/// straight lines and circles that belong to a record or to no mark.
pub fn count_joinable(scene: &Scene, shapes: &[Shape]) -> usize {
    shapes.iter().take_while(|shape| find_style(scene, shape).is_some()).count()
}

/// Groups a run of joinable shapes by style. The paths, drawn one after the other, look like the
/// shapes: a shape joins an earlier path only if nothing between overlaps it.
pub fn join_run<'a>(scene: &'a Scene, run: &[Shape]) -> Vec<JoinedPath<'a>> {
    let mut paths: Vec<JoinedPath> = Vec::new();
    let mut latest: HashMap<PathStyle, usize> = HashMap::new();
    let mut strips = Strips::new(run);
    for (index, shape) in run.iter().enumerate() {
        time_limit::check();
        let Some(style) = find_style(scene, shape) else { continue };
        let bounds = measure_bounds(&shape.primitive);
        // A translucent shape darkens those below, and an outline is over the fills of its path.
        let is_layered = style.is_layered();
        let found = latest.get(&style).copied();
        let can_join = |path: usize| {
            paths[path].members.len() < MAX_MEMBERS
                && strips.is_free_above(bounds, path, is_layered)
        };
        let path = match found {
            Some(path) if can_join(path) => path,
            _ => {
                latest.insert(style.clone(), paths.len());
                paths.push(JoinedPath { style, members: Vec::new() });
                paths.len() - 1
            }
        };
        if let Some(path) = paths.get_mut(path) {
            path.members.push(index);
        }
        strips.add(bounds, path);
    }
    paths
}

impl PathStyle<'_> {
    /// Returns whether two overlapping shapes of one path would look different from separate ones.
    /// Invisible shapes never do.
    fn is_layered(&self) -> bool {
        let is_translucent = |color: Color| color.a > 0 && color.a < 255;
        let has_outlined_fill = self.fill.is_some() && self.stroke.is_some();
        has_outlined_fill
            || self.fill.is_some_and(is_translucent)
            || self.stroke.is_some_and(|(color, ..)| is_translucent(color))
    }
}

/// Returns the style of a shape, or None if the shape cannot be joined: it has another geometry, or
/// belongs to a mark without a record.
fn find_style<'a>(scene: &'a Scene, shape: &Shape) -> Option<PathStyle<'a>> {
    let mark = match (shape.mark as usize).checked_sub(1) {
        None => None,
        Some(index) => {
            let mark = scene.marks.get(index).filter(|mark| mark.row.is_some())?;
            Some((mark.part, mark.field.as_deref()))
        }
    };
    let bits_of = |stroke: &Stroke| {
        let (dash, gap) = stroke.dash.unwrap_or_default();
        (stroke.color, [stroke.width, dash, gap].map(f64::to_bits), stroke.round)
    };
    let (form, fill, stroke) = match &shape.primitive {
        Primitive::Rect { radius: 0.0, fill, .. } => ((Form::Rect, 0), Some(*fill), None),
        Primitive::Line { stroke, .. } => ((Form::Line, 0), None, Some(bits_of(stroke))),
        Primitive::Circle { radius, fill, stroke, .. } => {
            ((Form::Circle, radius.to_bits()), *fill, stroke.as_ref().map(bits_of))
        }
        _ => return None,
    };
    Some(PathStyle { form, fill, stroke, mark })
}

/// Returns the rectangle that a joinable shape covers, with its stroke.
fn measure_bounds(primitive: &Primitive) -> Rect {
    match primitive {
        Primitive::Rect { rect, .. } => *rect,
        Primitive::Line { from, to, stroke } => {
            let half = stroke.width / 2.0;
            Rect::from_points(*from, *to).inflate(half, half)
        }
        Primitive::Circle { center, radius, stroke, .. } => {
            let reach = radius + stroke.map_or(0.0, |stroke| stroke.width / 2.0);
            Rect::from_center_size(*center, (2.0 * reach, 2.0 * reach))
        }
        _ => Rect::ZERO,
    }
}

/// Strips of the canvas with the shapes in them, to find overlaps.
struct Strips {
    /// Whether the strips follow each other from top to bottom instead of from left to right.
    are_rows: bool,
    /// Bounds and path of each shape, by strip.
    strips: HashMap<i64, Vec<(Rect, usize)>>,
    /// Number of comparisons that are left.
    budget: Cell<usize>,
}

impl Strips {
    /// Creates empty strips, across the direction in which the shapes are short.
    fn new(run: &[Shape]) -> Strips {
        let mut sum = Size::ZERO;
        for shape in run {
            let size = measure_bounds(&shape.primitive).size();
            sum = Size::new(sum.width + size.width, sum.height + size.height);
        }
        Strips {
            are_rows: sum.height < sum.width,
            strips: HashMap::new(),
            budget: Cell::new(MAX_COMPARISONS),
        }
    }

    /// Returns the range of strips that a rectangle touches.
    fn range(&self, bounds: Rect) -> RangeInclusive<i64> {
        let (start, end) =
            if self.are_rows { (bounds.y0, bounds.y1) } else { (bounds.x0, bounds.x1) };
        let strip = |coordinate: f64| (coordinate / STRIP_WIDTH).floor() as i64;
        strip(start)..=strip(end)
    }

    /// Returns whether no shape of a path after `path` overlaps the rectangle, and with
    /// `is_layered` no shape of `path` either. False after too many comparisons.
    fn is_free_above(&self, bounds: Rect, path: usize, is_layered: bool) -> bool {
        let overlaps = |other: &Rect| {
            let common = bounds.intersect(*other);
            common.width() > MIN_OVERLAP && common.height() > MIN_OVERLAP
        };
        for strip in self.range(bounds) {
            let Some(shapes) = self.strips.get(&strip) else { continue };
            let budget = self.budget.get();
            if budget < shapes.len() {
                return false;
            }
            self.budget.set(budget - shapes.len());
            let is_above = |other: usize| other > path || is_layered && other == path;
            if shapes.iter().any(|(other, path)| is_above(*path) && overlaps(other)) {
                return false;
            }
        }
        true
    }

    /// Adds a shape of a path.
    fn add(&mut self, bounds: Rect, path: usize) {
        for strip in self.range(bounds) {
            self.strips.entry(strip).or_default().push((bounds, path));
        }
    }
}

impl JoinedPath<'_> {
    /// Writes the members as one `path` element, with the attributes of their marks.
    pub fn write(&self, scene: &Scene, run: &[Shape], out: &mut XmlWriter) {
        let members = || self.members.iter().filter_map(|index| run.get(*index));
        let Some(first) = members().next() else { return };
        out.raw("<path d=\"");
        for shape in members() {
            write_subpath(&shape.primitive, out);
        }
        out.raw("\"");
        match &first.primitive {
            Primitive::Rect { fill, .. } => drop(out.color(" fill", *fill)),
            Primitive::Line { stroke, .. } => {
                out.raw(" fill=\"none\"");
                write_stroke_attributes(stroke, out);
            }
            Primitive::Circle { radius, fill: Some(fill), stroke: None, .. } => {
                out.raw(" fill=\"none\" stroke-linecap=\"round\"").color(" stroke", *fill);
                out.number(" stroke-width", radius * 2.0);
            }
            Primitive::Circle { fill, stroke, .. } => {
                write_paint_attributes(*fill, stroke.as_ref(), out);
            }
            _ => {}
        }
        let rows = members().filter_map(|shape| find_mark(scene, shape)?.row);
        if let Some((part, field)) = self.style.mark {
            out.raw(" data-part=\"").escaped(part).raw("\" data-rows=\"");
            out.raw(&format_rows(rows)).raw("\"");
            if let Some(field) = field {
                out.raw(" data-field=\"").escaped(field).raw("\"");
            }
        }
        out.raw("/>");
    }
}

/// Returns the mark of a shape.
fn find_mark<'a>(scene: &'a Scene, shape: &Shape) -> Option<&'a Mark> {
    scene.marks.get((shape.mark as usize).checked_sub(1)?)
}

/// Writes one shape as a subpath that starts with `M`. A circle without an outline is a line of length
/// 0, which round caps make a dot.
pub fn write_subpath(primitive: &Primitive, out: &mut XmlWriter) {
    match primitive {
        Primitive::Rect { rect, .. } => {
            out.raw("M").point(rect.origin()).raw("h").value(rect.width());
            out.raw("v").value(rect.height()).raw("h").value(-rect.width()).raw("z");
        }
        Primitive::Line { from, to, .. } => {
            out.raw("M").point(*from);
            match () {
                () if from.y == to.y => out.raw("H").value(to.x),
                () if from.x == to.x => out.raw("V").value(to.y),
                () => out.raw("L").point(*to),
            };
        }
        Primitive::Circle { center, fill: Some(_), stroke: None, .. } => {
            out.raw("M").point(*center).raw("h0");
        }
        Primitive::Circle { center, radius, .. } => {
            out.raw("M").value(center.x - radius).raw(" ").value(center.y);
            for length in [radius * 2.0, -radius * 2.0] {
                out.raw("a").value(*radius).raw(" ").value(*radius).raw(" 0 1 0 ");
                out.value(length).raw(" 0");
            }
            out.raw("z");
        }
        _ => {}
    }
}

/// Returns row numbers as a list of numbers and ascending ranges, such as `0-99 7 3-4`.
fn format_rows(rows: impl Iterator<Item = usize>) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for row in rows {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == row => *end = row,
            _ => ranges.push((row, row)),
        }
    }
    let format = |(start, end): &(usize, usize)| match start == end {
        true => start.to_string(),
        false => format!("{start}-{end}"),
    };
    ranges.iter().map(format).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::WHITE;

    const RED: Color = Color::hex(0xff0000);
    const BLUE: Color = Color::hex(0x0000ff);

    fn draw(fill: impl FnOnce(&mut Scene)) -> Scene {
        let mut scene = Scene::new(800.0, 500.0, WHITE);
        scene.interactive = true;
        fill(&mut scene);
        scene
    }

    fn list_members(scene: &Scene) -> Vec<Vec<usize>> {
        assert_eq!(count_joinable(scene, &scene.shapes), scene.shapes.len());
        join_run(scene, &scene.shapes).into_iter().map(|path| path.members).collect()
    }

    fn begin(scene: &mut Scene, row: usize, field: &str) {
        scene.begin_mark("bar", Some(row), || (Some(field.to_owned()), String::new()));
    }

    #[test]
    fn adjacent_columns_of_two_series_become_few_paths_with_their_rows() {
        let scene = draw(|scene| {
            for row in 0..300 {
                let x = row as f64 * 2.0;
                begin(scene, row, "a");
                scene.rect(Rect::new(x, 100.0, x + 1.0, 500.0), RED);
                begin(scene, row, "b");
                scene.rect(Rect::new(x + 1.0, 200.0, x + 2.0, 500.0), BLUE);
            }
        });
        let paths = join_run(&scene, &scene.shapes);
        assert_eq!(paths.len(), 2 * 300_usize.div_ceil(MAX_MEMBERS));
        let texts: Vec<String> = paths
            .iter()
            .map(|path| {
                let mut out = XmlWriter::with_capacity(10_000);
                path.write(&scene, &scene.shapes, &mut out);
                out.finish()
            })
            .collect();
        assert!(texts[1].starts_with("<path d=\"M1 200h1v300h-1zM3 200h1"), "{}", texts[1]);
        for (text, rows) in texts.iter().skip(1).step_by(2).zip(["0-63", "64-127", "128-191"]) {
            let end = format!("data-part=\"bar\" data-rows=\"{rows}\" data-field=\"b\"/>");
            assert!(text.ends_with(&end), "{text}");
        }
        let count = texts.iter().map(|text| text.matches('M').count()).sum::<usize>();
        assert_eq!(count, 600, "one subpath for each row and series");
    }

    #[test]
    fn shapes_that_would_change_their_order_are_not_joined() {
        let square = |x: f64| Rect::new(x, 0.0, x + 10.0, 10.0);
        let scene = draw(|scene| {
            scene.rect(square(0.0), RED);
            scene.rect(square(5.0), BLUE);
            scene.rect(square(8.0), RED);
            scene.rect(square(40.0), RED);
            scene.rect(square(60.0), BLUE);
        });
        assert_eq!(list_members(&scene), [vec![0], vec![1, 4], vec![2, 3]]);
    }

    #[test]
    fn translucent_and_outlined_shapes_are_joined_unless_they_overlap() {
        let pale = RED.with_opacity(0.5);
        let scene = draw(|scene| {
            for x in [0.0, 20.0, 24.0] {
                scene.circle((x, 50.0), 4.0, pale, None);
            }
            for x in [0.0, 20.0, 24.0] {
                scene.circle((x, 150.0), 4.0, RED, Some(Stroke::new(BLUE, 1.0)));
            }
            for x in [0.0, 20.0, 24.0] {
                scene.circle((x, 50.0), 4.0, RED.with_opacity(0.0), None);
            }
        });
        let members = list_members(&scene);
        assert_eq!(members, [vec![0, 1], vec![2], vec![3, 4], vec![5], vec![6, 7, 8]]);
    }

    #[test]
    fn marks_without_a_record_and_of_other_columns_are_separate() {
        let scene = draw(|scene| {
            begin(scene, 4, "a");
            scene.rect(Rect::new(0.0, 0.0, 5.0, 5.0), RED);
            begin(scene, 2, "b");
            scene.rect(Rect::new(10.0, 0.0, 15.0, 5.0), RED);
            scene.begin_mark("line", None, || (None, String::new()));
            scene.rect(Rect::new(20.0, 0.0, 25.0, 5.0), RED);
        });
        assert_eq!(count_joinable(&scene, &scene.shapes), 2);
        assert_eq!(join_run(&scene, &scene.shapes[..2]).len(), 2);
        assert_eq!(format_rows([0, 1, 2, 7, 6, 7].into_iter()), "0-2 7 6-7");
    }
}
