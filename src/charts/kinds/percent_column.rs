//! Columns or bars of equal length, each parted into the shares of its series.
//!
//! Record: `label`, a number for each series, `highlighted` (optional flag). Settings: `series`
//! (`key`, `title`, `color`), `orientation` (`vertical`, `horizontal`), `sort` (by the share of the
//! first series), `showValues`, `showLegend`, `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::kinds::stacked_column;

/// The 100 % stacked column chart.
pub const KIND: Kind = Kind { slug: "percent-column", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    stacked_column::stacks(chart, frame, scene, true);
}
