//! Half donut chart: half a ring with one slice per record, and the total or a custom number below.
//!
//! Record: `label`, `value` (above 0), `highlighted`. Settings: `sort`, `otherAfter`,
//! `showValues`, `showPercentages`, `innerRadius`, `showTotal`, `centerValue`, `centerLabel`,
//! `valueTitle`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::slices;
use crate::slices::CircleExtent;

/// The half donut chart.
pub const KIND: Kind = Kind { slug: "half-donut", draw };

/// Default radius of the hole as a share of the outer radius. Leaves space for a number.
const DEFAULT_HOLE_SHARE: f64 = 0.6;

/// Draws the slices of a half circle with a hole. The setting `innerRadius` is the radius of the
/// hole as a share (0 to 0.95) of the outer radius.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let hole_share =
        chart.number_setting("innerRadius").unwrap_or(DEFAULT_HOLE_SHARE).clamp(0.0, 0.95);
    slices::draw(chart, frame, scene, CircleExtent::Half, hole_share);
}
