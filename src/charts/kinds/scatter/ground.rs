//! Areas of a plot that the labels of points avoid or prefer.

use kurbo::Rect;

/// Areas that labels avoid or prefer.
#[derive(Default)]
pub struct Ground {
    /// Rectangles that no label may overlap.
    pub taken: Vec<Rect>,
    /// Rectangles in which labels should be. Without any, labels may be anywhere.
    pub fields: Vec<Rect>,
    /// Rectangles along the trend line, which labels avoid if possible.
    pub trend_line: Vec<Rect>,
    /// Opacity of the points. If None, that of the points of a scatter plot.
    pub opacity: Option<f64>,
}
