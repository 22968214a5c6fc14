//! A ring cut into slices, one a record, with the total or a figure of one's own in the middle.
//!
//! Record: `label`, `value` (over 0), `highlighted`. Settings: those of the pie chart, and
//! `innerRadius`, `showTotal`, `centerValue`, `centerLabel`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::slices;
use crate::slices::Extent;

/// The donut chart.
pub const KIND: Kind = Kind { slug: "donut", draw };

/// Radius of the hole as a share of the outer one: wide enough for a figure.
const HOLE: f64 = 0.6;

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let hole = chart.number("innerRadius").unwrap_or(HOLE).clamp(0.0, 0.95);
    slices::draw(chart, frame, scene, Extent::Full, hole);
}
