//! Columns with several series per record: side by side, stacked, or as shares of the total.
//!
//! Shared by the kinds `grouped-column`, `stacked-column` and `percent-column`. The first two can
//! show each other's arrangement through the setting `mode`, so the drawing code is here and not in
//! one of the kinds.

mod grouped;
pub mod stacked;

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;

/// Arrangement of the series of one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnMode {
    /// One column per series, side by side.
    Grouped,
    /// One column per record. Its segments are the amounts of the series.
    Stacked,
    /// One column per record. Its segments are shares that add up to 100 %.
    Percent,
}

impl ColumnMode {
    /// Returns the arrangement that the setting `mode` names, or `default` if it names none.
    pub fn from_settings(chart: &Chart, default: ColumnMode) -> ColumnMode {
        match chart.str_setting("mode") {
            "grouped" => ColumnMode::Grouped,
            "stacked" => ColumnMode::Stacked,
            "percent" => ColumnMode::Percent,
            _ => default,
        }
    }
}

/// Draws the columns of all records in the arrangement `mode`.
pub fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene, mode: ColumnMode) {
    match mode {
        ColumnMode::Grouped => grouped::draw(chart, frame, scene),
        ColumnMode::Stacked => stacked::draw(chart, frame, scene, false),
        ColumnMode::Percent => stacked::draw(chart, frame, scene, true),
    }
}
