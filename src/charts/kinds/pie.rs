//! A circle cut into slices, one a record, by their share of the whole.
//!
//! Record: `label`, `value` (over 0), `highlighted`. Settings: `sort`, `otherAfter`, `startAngle`,
//! `showValues`, `showPercentages`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::slices;
use crate::slices::CircleExtent;

/// The pie chart.
pub const KIND: Kind = Kind { slug: "pie", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    slices::draw(chart, frame, scene, CircleExtent::Full, 0.0);
}
