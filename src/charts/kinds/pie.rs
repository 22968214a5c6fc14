//! Pie chart: a circle divided into slices, one per record, in proportion to the values.
//!
//! Record: `label`, `value` (positive), `highlighted`. Settings: `sort`, `otherAfter`,
//! `startAngle`, `showValues`, `showPercentages`, `valueTitle`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::slices;
use crate::slices::CircleExtent;

/// The pie chart.
pub const KIND: Kind = Kind { slug: "pie", draw };

/// Draws the slices as a full circle without a hole.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    slices::draw(chart, frame, scene, CircleExtent::Full, 0.0);
}
