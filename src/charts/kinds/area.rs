//! Filled areas over ordered points or dates, stacked or overlapping.
//!
//! Record: `label` or `date`, and a number for each series. A missing number is a hole in the area,
//! see [`stack`]; a note counts it. Negative numbers are stacked below zero. Settings: those of the
//! line chart, and `stacked` (default true), `percent` (shares of the total).

use crate::Chart;
use crate::Omission;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves::{AreaFill, Curve};
use crate::frame::lines;
use crate::frame::lines::LineChart;
use crate::frame::stack;
use crate::kinds::Kind;
use crate::shape::curve::Interpolation;

/// The area chart.
pub const KIND: Kind = Kind { slug: "area", draw };

/// Draws one filled curve per series: stacked bands, or translucent areas down to zero. Draws a
/// note instead without values.
///
/// Several series are stacked unless the setting `stacked` is false. With the setting `percent`
/// they are always stacked, as shares of 100 %.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let is_percent = chart.bool_setting("percent", false);
    let is_stacked = |count: usize| is_percent || chart.bool_setting("stacked", true) && count > 1;
    let choose_fill = |count| if is_stacked(count) { AreaFill::Stacked } else { AreaFill::ToZero };
    let Some(mut content) = LineChart::read(chart, scene, "Area chart", false, choose_fill) else {
        return frame::draw_no_data(frame, scene);
    };
    if content.fill == AreaFill::Stacked {
        scene.omit(Omission::MissingValue, count_missing_values(&content.curves));
        let interpolation = Interpolation::parse(chart.str_setting("interpolation"));
        let LineChart { curves, x_values, .. } = &mut content;
        stack::stack_curves(curves, x_values, is_percent, interpolation);
        content.rules.percent |= is_percent;
    }
    lines::draw(chart, frame, scene, content);
}

/// Returns the number of missing values at points where another curve has a value.
fn count_missing_values(curves: &[Curve]) -> usize {
    let point_count = curves.first().map_or(0, |curve| curve.values.len());
    let count_at = |point: usize| {
        let missing = curves.iter().filter(|curve| curve.values[point].is_none()).count();
        if missing == curves.len() { 0 } else { missing }
    };
    (0..point_count).map(count_at).sum()
}
