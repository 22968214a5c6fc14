//! Stacked columns: one column per record, one segment per series, as amounts or as shares.
//!
//! Record: `label`, a number for each series, `highlighted` (optional flag). Negative segments are
//! stacked below zero. Settings: `series`, `mode` (`stacked`, `percent`, `grouped`), `orientation`,
//! `sort` (by totals, or by the share of the first series), `showValues`, `showLegend`, `showGrid`,
//! `axis`.

use crate::Chart;
use crate::Scene;
use crate::columns;
use crate::columns::ColumnMode;
use crate::frame::Frame;
use crate::kinds::Kind;

/// The stacked column chart.
pub const KIND: Kind = Kind { slug: "stacked-column", draw };

/// Draws columns in the arrangement of the setting `mode`, which is stacked by default.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mode = ColumnMode::from_settings(chart, ColumnMode::Stacked);
    columns::draw(chart, frame, scene, mode);
}
