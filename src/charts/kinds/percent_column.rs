//! Columns or bars of equal length, divided into the shares of the series.
//!
//! Record: `label`, a number for each series, `highlighted` (optional flag). Settings: `series`
//! (`key`, `title`, `color`), `orientation` (`vertical`, `horizontal`), `sort` (by the share of the
//! first series), `showValues`, `showLegend`, `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::columns;
use crate::columns::ColumnMode;
use crate::frame::Frame;
use crate::kinds::Kind;

/// The 100 % stacked column chart.
pub const KIND: Kind = Kind { slug: "percent-column", draw };

/// Draws the columns as shares of their totals.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    columns::draw(chart, frame, scene, ColumnMode::Percent);
}
