//! Columns side by side: one group per record, one column per series.
//!
//! Record: `label` and a number for each series. Settings: `series` (`key`, `title`, `color`),
//! `mode` (`grouped`, `stacked`, `percent`), `orientation`, `showValues`, `showLegend`,
//! `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::columns;
use crate::columns::ColumnMode;
use crate::frame::Frame;
use crate::kinds::Kind;

/// The grouped column chart.
pub const KIND: Kind = Kind { slug: "grouped-column", draw };

/// Draws the columns side by side, unless the setting `mode` asks for another arrangement.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mode = ColumnMode::from_settings(chart, ColumnMode::Grouped);
    columns::draw(chart, frame, scene, mode);
}
