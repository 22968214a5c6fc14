//! Donut chart: a ring with one slice per record, and the total or a custom number in the middle.
//!
//! Record: `label`, `value` (above 0), `highlighted`. Settings: those of the pie chart, and
//! `innerRadius`, `showTotal`, `centerValue`, `centerLabel`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::slices;
use crate::slices::CircleExtent;

/// The donut chart.
pub const KIND: Kind = Kind { slug: "donut", draw };

/// Default radius of the hole as a share of the outer radius. Leaves space for a number.
const DEFAULT_HOLE_SHARE: f64 = 0.6;

/// Draws the slices of a full circle with a hole. The setting `innerRadius` is the radius of the
/// hole as a share (0 to 0.95) of the outer radius.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let hole_share =
        chart.number_setting("innerRadius").unwrap_or(DEFAULT_HOLE_SHARE).clamp(0.0, 0.95);
    slices::draw(chart, frame, scene, CircleExtent::Full, hole_share);
}
