//! Marks of small multiples: lines, areas, columns, lines of the other panels, and pointer targets.

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::frame::bands;
use crate::frame::curves::XValues;
use crate::frame::lines;
use crate::scale::{LinearScale, ValueScale};
use crate::scene::{Stroke, ValueEnd};
use crate::shape::curve;
use crate::shape::curve::Interpolation;

use super::labels;
use super::panels::{Panel, PanelPoint};

/// Maximum distance in points between the pointer and a point of a line for its tooltip.
const HOVER_RADIUS: f64 = 4.0;
/// Number of points of all panels up to which every point gets a hover target.
pub const MAX_HOVER_TARGETS: usize = 2000;
/// Maximum number of points of all lines of other panels together, so that the image stays small.
const MAX_BACKGROUND_POINTS: usize = 40_000;
/// Opacity of the area below a line.
const AREA_OPACITY: f64 = 0.22;

/// Scales of a panel, in the coordinates of the canvas.
pub struct Scales<'a> {
    pub x: LinearScale,
    pub y: ValueScale,
    pub x_values: &'a XValues<'a>,
}

impl Scales<'_> {
    /// Returns the plot area of the panel on the canvas, in points.
    pub fn area(&self) -> Rect {
        Rect::new(self.x.range.0, self.y.range.1, self.x.range.1, self.y.range.0)
    }

    /// Returns the canvas positions of the points of a panel as runs without gaps. A missing value is a
    /// gap, and so is a category without a record.
    fn runs(&self, points: &[PanelPoint]) -> Vec<Vec<Point>> {
        let is_category = matches!(self.x_values, XValues::Categories(_));
        let mut placed: Vec<Option<Point>> = Vec::with_capacity(points.len());
        let mut previous = f64::NEG_INFINITY;
        for point in points {
            if is_category && point.x - previous > 1.5 {
                placed.push(None);
            }
            previous = point.x;
            placed.push(point.value.map(|value| self.place(point.x, value)));
        }
        curve::split_at_gaps(&placed)
    }

    /// Records the end of a mark for annotations: its value, and half its width in points. Each
    /// panel has an axis of its own.
    fn record_value(
        &self,
        panel: &Panel,
        point: &PanelPoint,
        (value, half_width): (f64, f64),
        scene: &mut Scene,
    ) {
        let position = self.place(point.x, value);
        let corner = self.area().origin();
        // Two panels never have the same corner. A canvas side has fewer than 8192 points.
        let axis = corner.x.round() as usize * 8192 + corner.y.round() as usize;
        let end = ValueEnd::new(true, position.x, position.y, half_width).on_axis(axis);
        scene.record_value(point.row, Some(&panel.key), value, end);
    }

    /// Returns the canvas coordinates of a value in points. They may be above or below the plot area.
    fn place(&self, x: f64, value: f64) -> Point {
        Point::new(self.x.at(x), self.y.at_unclamped(value))
    }
}

/// Draws the lines of all panels except the one at `index`, in gray, as one path without tooltips. With
/// many panels the lines have fewer points, so that the image stays small.
pub fn draw_other_lines(
    panels: &[Panel],
    index: usize,
    scales: &Scales,
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let interpolation = Interpolation::parse(chart.str_setting("interpolation"));
    let width = (scales.x.range.1 - scales.x.range.0).max(1.0);
    let max_points = (MAX_BACKGROUND_POINTS / panels.len().max(1).pow(2)).max(12);
    // A line has up to four points in each column of half a point. Smaller coordinates have fewer
    // columns.
    let factor = (max_points as f64 / (8.0 * width)).min(1.0);
    let scale = |points: Vec<Point>, factor: f64| -> Vec<Point> {
        points.into_iter().map(|point| Point::new(point.x * factor, point.y)).collect()
    };
    let mut path = BezPath::new();
    for (_, other) in panels.iter().enumerate().filter(|(other, _)| *other != index) {
        for run in scales.runs(&other.points) {
            let run = scale(curve::decimate(scale(run, factor)), 1.0 / factor);
            curve::append_curve(&mut path, &run, interpolation, true);
        }
    }
    if !path.is_empty() {
        let color = style.muted_color.mix(style.background, 0.62);
        scene.stroke(path, Stroke::new(color, 0.9 * style.unit).rounded());
    }
}

/// Draws the line of a panel, interrupted at gaps, with a dot at its last value, and with a translucent
/// area down to zero if `has_area`. All of it is one mark.
pub fn draw_line(
    panel: &Panel,
    scales: &Scales,
    has_area: bool,
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let interpolation = Interpolation::parse(chart.str_setting("interpolation"));
    let color = style.readable_line_color(panel.color);
    let width = style.unit * if panel.points.len() > 300 { 1.2 } else { 1.9 };
    scene.begin_mark("line", None, || (Some(panel.key.clone()), panel.title.clone()));
    for run in scales.runs(&panel.points) {
        let run = curve::decimate(run);
        if has_area && let (Some(first), Some(last)) = (run.first(), run.last()) {
            let zero = scales.y.at(0.0);
            let mut path = BezPath::new();
            curve::append_curve(&mut path, &run, interpolation, true);
            path.line_to((last.x, zero));
            path.line_to((first.x, zero));
            path.close_path();
            scene.fill(path, panel.color.with_opacity(AREA_OPACITY));
        }
        lines::draw_unbroken_line(scene, run, interpolation, Stroke::new(color, width).rounded());
    }
    let last = panel.points.iter().rev().find_map(|point| Some((point.x, point.value?)));
    if let Some((x, value)) = last {
        scene.circle(scales.place(x, value), style.unit * 2.6, color, None);
    }
    scene.end_mark();
}

/// Draws the columns of a panel from zero to the values, `width` points wide. With `tooltips` each column
/// is a mark. Otherwise several columns in the same half point become one from the lowest to the highest
/// of them.
pub fn draw_columns(
    panel: &Panel,
    scales: &Scales,
    width: f64,
    tooltips: Option<&Tooltips>,
    scene: &mut Scene,
) {
    let zero = scales.y.at(0.0);
    let width = width.max(0.5);
    let values = || panel.points.iter().filter_map(|point| Some((point, point.value?)));
    if let Some(tooltips) = tooltips {
        for (point, value) in values() {
            let (x, end) = (scales.x.at(point.x), bands::visible_end(scales.y, (0.0, value)));
            scene.begin_mark("column", Some(point.row), || {
                (Some(panel.key.clone()), tooltips.describe(panel, point, value))
            });
            scales.record_value(panel, point, (value, width / 2.0), scene);
            let (top, bottom) = (end.min(zero), end.max(zero));
            scene.rect(Rect::new(x - width / 2.0, top, x + width / 2.0, bottom), panel.color);
        }
        return scene.end_mark();
    }
    let mut columns: Vec<(f64, f64, f64)> = Vec::new();
    for (point, value) in values() {
        let (x, end) = (scales.x.at(point.x), bands::visible_end(scales.y, (0.0, value)));
        match columns.last_mut().filter(|(last, ..)| (x * 2.0).floor() == (*last * 2.0).floor()) {
            Some((_, top, bottom)) => (*top, *bottom) = (top.min(end), bottom.max(end)),
            None => columns.push((x, end.min(zero), end.max(zero))),
        }
    }
    for (x, top, bottom) in columns {
        scene.rect(Rect::new(x - width / 2.0, top, x + width / 2.0, bottom), panel.color);
    }
}

/// Texts of tooltips.
pub struct Tooltips<'a> {
    pub x_values: &'a XValues<'a>,
    pub format: NumberFormat,
    pub chart: &'a Chart<'a>,
}

impl Tooltips<'_> {
    /// Returns the tooltip of a point: panel, name or date, and value.
    fn describe(&self, panel: &Panel, point: &PanelPoint, value: f64) -> String {
        let x = labels::format_x(point.x, self.x_values, self.chart);
        format!("{}, {x}: {}", panel.title, self.format.text(value))
    }
}

/// Adds an invisible circle with a tooltip at each point of a line in the plot area. If
/// `covers_all` is false, only the points that annotations refer to get one. Does nothing if the
/// scene is not interactive.
pub fn draw_hover_targets(
    panel: &Panel,
    scales: &Scales,
    covers_all: bool,
    tooltips: &Tooltips,
    scene: &mut Scene,
) {
    if !scene.interactive {
        return;
    }
    let area = scales.area();
    for point in &panel.points {
        let Some(value) = point.value else { continue };
        let position = scales.place(point.x, value);
        let is_inside = area.inflate(1.0, 1.0).contains(position);
        if !is_inside || !covers_all && !scene.requires_mark(point.row) {
            continue;
        }
        scene.begin_mark("point", Some(point.row), || {
            (Some(panel.key.clone()), tooltips.describe(panel, point, value))
        });
        scales.record_value(panel, point, (value, 0.0), scene);
        scene.circle(position, HOVER_RADIUS, panel.color.with_opacity(0.0), None);
    }
    scene.end_mark();
}
