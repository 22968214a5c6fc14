//! Filled areas over ordered points or dates, stacked or overlapping.
//!
//! Record: `label` or `date`, and a number for each series. In a stack a missing number counts as
//! zero. Settings: those of the line chart, and `stacked` (default true), `percent` (shares of the
//! total).

use crate::Chart;
use crate::Omission;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves;
use crate::frame::curves::{AreaFill, Curve};
use crate::frame::lines;
use crate::frame::lines::LineChart;
use crate::kinds::Kind;

/// The area chart.
pub const KIND: Kind = Kind { slug: "area", draw };

/// Draws one filled curve per series.
///
/// Several series are stacked unless the setting `stacked` is false. With the setting `percent`
/// they are always stacked.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, x_values) = curves::read_x_values(chart, false, scene);
    let mut curves = curves::read_curves(chart, &rows, scene);
    let is_percent = chart.bool_setting("percent", false);
    let is_stacked = is_percent || chart.bool_setting("stacked", true) && curves.len() > 1;
    // The heights of stacked areas must be proportional to their values.
    let is_log = !is_stacked && curves::apply_log_axis(chart, &mut curves, scene);
    if curves.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let mut rules = chart.shared_format_rules(curves.iter().map(|curve| &*curve.series.key));
    let format = curves::value_format(&curves, &rules, chart);
    scene.description = curves::describe("Area chart", &curves, &x_values, &format, chart);
    if is_stacked {
        scene.omit(Omission::MissingValue, count_missing_values(&curves));
        stack_curves(&mut curves, is_percent);
        rules.percent |= is_percent;
    }
    let fill = if is_stacked { AreaFill::Stacked } else { AreaFill::ToZero };
    let content = LineChart {
        x_values: &x_values,
        curves: &curves,
        fill,
        rules: &rules,
        format: &format,
        is_log,
    };
    lines::draw(chart, frame, scene, &content);
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

/// Stacks the curves: sets the lower and upper edge of each from the sum of the curves before it.
///
/// A missing value has no height, which a note tells. With `is_percent` the values of each point are scaled so that
/// their absolute values add up to 100.
fn stack_curves(curves: &mut [Curve], is_percent: bool) {
    let point_count = curves.first().map_or(0, |curve| curve.values.len());
    for point in 0..point_count {
        let total: f64 = curves.iter().filter_map(|curve| curve.values[point]).map(f64::abs).sum();
        let scale = if is_percent && total > 0.0 { 100.0 / total } else { 1.0 };
        let mut end = 0.0;
        for curve in curves.iter_mut() {
            curve.bottoms.push(end);
            end += curve.values[point].unwrap_or(0.0) * scale;
            curve.tops[point] = Some(end);
        }
    }
}
