//! Points with a name, and the ways to write the name.

use std::cell::OnceCell;

use kurbo::Vec2;

use crate::color::Color;
use crate::frame::ChartStyle;
use crate::kinds::scatter::PlacedDot;
use crate::kinds::scatter::label_space::PointLabel;
use crate::scene::{Anchor, Text};
use crate::text;

/// Maximum width of a line of a label in points at font size 12. Wider labels are wrapped.
pub const MAX_LINE_WIDTH: f64 = 150.0;
/// Maximum number of lines of a label.
const MAX_LINES: usize = 3;
/// Distance between the lines of a label as a multiple of the font size.
pub const LINE_HEIGHT: f64 = 1.15;

/// A point with the name to place.
pub struct Named<'a> {
    /// Point on the canvas.
    pub dot: &'a PlacedDot<'a>,
    /// Name of the record.
    pub name: String,
    /// Visible color of the point.
    pub fill: Color,
    /// Cluster of points that touch this one.
    pub cluster: usize,
    /// Crowd of the point.
    pub crowd: usize,
    /// Direction from the middle of the crowd to the point. None if it has few points.
    pub outward: Option<Vec2>,
    /// Ways to write the name in the label size, the small size and the smallest size.
    pub shapes: [OnceCell<Vec<Shape>>; 3],
}

impl Named<'_> {
    /// Returns the ways to write the name, computed once per size. `size` is the label size or the
    /// small size of `style`, or the smallest size, in points.
    pub fn shapes(&self, size: f64, style: &ChartStyle) -> &[Shape] {
        let [label, small, smallest] = &self.shapes;
        let cell = match size {
            size if size == style.label_size => label,
            size if size == style.small_size => small,
            _ => smallest,
        };
        cell.get_or_init(|| list_shapes(&self.name, size, style))
    }
}

/// A way to write a name.
pub struct Shape {
    /// Lines from top to bottom.
    pub lines: Vec<String>,
    /// Width of each line in points.
    widths: Vec<f64>,
}

impl Shape {
    /// Measures the lines of a name, so that many positions can be tried without measuring again.
    /// `size` is the font size in points.
    pub fn new(lines: Vec<String>, size: f64, style: &ChartStyle) -> Shape {
        let widths = lines.iter().map(|line| style.text_width(line, size)).collect();
        Shape { lines, widths }
    }

    /// Returns the width of the widest line in points.
    pub fn width(&self) -> f64 {
        self.widths.iter().copied().fold(0.0, f64::max)
    }
}

/// Returns the ways to write a whole name in one to `MAX_LINES` lines, the best first. One line is the
/// first if it is at most `MAX_LINE_WIDTH` wide, otherwise the last. Short names are not wrapped.
///
/// Never shortens the name. `size` is the font size in points.
fn list_shapes(name: &str, size: f64, style: &ChartStyle) -> Vec<Shape> {
    let max_width = MAX_LINE_WIDTH * size / 12.0;
    let width = style.text_width(name, size);
    let wrap = |line_count: usize, slack: f64| {
        let max_width = (width / line_count as f64 * slack).min(max_width);
        let lines = text::wrap(name, max_width, line_count, size, style.label_face());
        let is_whole = !lines.iter().any(|line| line.ends_with('…')) || name.ends_with('…');
        (lines.len() > 1 && is_whole).then_some(lines)
    };
    // Lines of about equal length first.
    let wrapped = |line_count: usize| wrap(line_count, 1.15).or_else(|| wrap(line_count, 1.5));
    let mut shapes: Vec<Vec<String>> =
        (2..=MAX_LINES).filter(|_| width > size * 4.0).filter_map(wrapped).collect();
    shapes.dedup();
    shapes.insert(if width <= max_width { 0 } else { shapes.len() }, vec![name.to_owned()]);
    shapes.into_iter().map(|lines| Shape::new(lines, size, style)).collect()
}

/// Returns the label of a point at a place, one line below the other, with a halo and without a leader.
/// `(x, y)` is the anchor on the baseline of the first line. `size` is the font size in points with
/// which `shape` is measured.
pub fn label_at(
    shape: &Shape,
    (x, y): (f64, f64),
    anchor: Anchor,
    size: f64,
    style: &ChartStyle,
) -> PointLabel {
    let line = |(index, (text, width)): (usize, (&String, &f64))| Text {
        x,
        y: y + index as f64 * LINE_HEIGHT * size,
        anchor,
        angle: 0.0,
        size,
        face: style.label_face(),
        color: style.label_color,
        halo: Some(style.background),
        text: text.clone(),
        width: *width,
        full: None,
    };
    let lines = shape.lines.iter().zip(&shape.widths).enumerate().map(line).collect();
    PointLabel { lines, leader: None, crossed: None }
}
