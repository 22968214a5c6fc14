//! Filled areas over ordered points or dates, stacked or overlapping.
//!
//! Record: `label` or `date`, and a number for each series. In a stack a missing number counts as
//! zero. Settings: those of the line chart, and `stacked` (default true), `percent` (shares of the
//! total).

use crate::Chart;
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

/// Draws one filled curve per series. Several series are stacked unless the settings say otherwise.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, x_values) = curves::read_x_values(chart, false, scene);
    let mut curves = curves::read_curves(chart, &rows);
    let Some(first) = curves.first() else { return frame::draw_no_data(frame, scene) };
    let mut rules = chart.format_rules(&first.series.key);
    let percent = chart.bool_setting("percent", false);
    let format = curves::value_format(&curves, &rules, chart);
    scene.description = curves::describe("Area chart", &curves, &x_values, &format, chart);
    let stacked = percent || chart.bool_setting("stacked", true) && curves.len() > 1;
    if stacked {
        stack_curves(&mut curves, percent);
        rules.percent |= percent;
    }
    let fill = if stacked { AreaFill::Stacked } else { AreaFill::ToZero };
    let content =
        LineChart { x_values: &x_values, curves: &curves, fill, rules: &rules, format: &format };
    lines::draw(chart, frame, scene, &content);
}

/// Stacks the curves: sets the lower and upper edge of each from the sum of the curves before it.
///
/// With `percent` the values of each point are scaled so that their absolute values add up to 100.
fn stack_curves(curves: &mut [Curve], percent: bool) {
    let points = curves.first().map_or(0, |curve| curve.values.len());
    for index in 0..points {
        let whole: f64 = curves.iter().filter_map(|curve| curve.values[index]).map(f64::abs).sum();
        let scale = if percent && whole > 0.0 { 100.0 / whole } else { 1.0 };
        let mut end = 0.0;
        for curve in curves.iter_mut() {
            curve.bottoms.push(end);
            end += curve.values[index].unwrap_or(0.0) * scale;
            curve.tops[index] = Some(end);
        }
    }
}
