//! Marks of tasks with a single date: a bar without an end reaches the end of the chart and
//! dissolves there, and a point in time is a diamond.

use kurbo::{BezPath, Point, Rect};

use crate::Scene;
use crate::color::Color;

/// Minimum length of an open bar as a share of the time of the other bars.
const MIN_OPEN_SHARE: f64 = 0.1;
/// Left ends and widths of the stripes as shares of the part that dissolves.
const STRIPES: [(f64, f64); 3] = [(0.12, 0.26), (0.52, 0.16), (0.82, 0.08)];

/// Returns the end of the chart: the latest end of the bars of `span`, or a later time if an open
/// bar would be too short.
///
/// An open bar that starts last has a tenth of the time, so that it does not look like a day.
/// `open_starts` has the starts of the open bars. `span` is the first start and the last end of all
/// bars, in seconds since 1970.
pub fn extend_span(span: (f64, f64), open_starts: impl Iterator<Item = f64>) -> f64 {
    let min_length = (span.1 - span.0) * MIN_OPEN_SHARE;
    open_starts.map(|start| start + min_length).fold(span.1, f64::max)
}

/// Returns the width in points of the part of an open bar that dissolves, at its right end.
pub fn tail_width(bar_width: f64, bar_height: f64) -> f64 {
    (bar_height * 1.8).min(bar_width * 0.6)
}

/// Draws the part of a bar right of `solid_right` as stripes that get narrower. Returns the part
/// before it.
pub fn draw_tail(bar: Rect, solid_right: f64, fill: Color, scene: &mut Scene) -> Rect {
    let tail = bar.x1 - solid_right;
    if tail <= 0.0 {
        return bar;
    }
    for (start, width) in STRIPES {
        let left = solid_right + tail * start;
        scene.rect(Rect { x0: left, x1: left + tail * width, ..bar }, fill);
    }
    Rect { x1: solid_right, ..bar }
}

/// Returns the outline of a diamond. `half_diagonal` is in points.
pub fn diamond(center: Point, half_diagonal: f64) -> BezPath {
    let mut path = BezPath::new();
    path.move_to((center.x, center.y - half_diagonal));
    path.line_to((center.x + half_diagonal, center.y));
    path.line_to((center.x, center.y + half_diagonal));
    path.line_to((center.x - half_diagonal, center.y));
    path.close_path();
    path
}
