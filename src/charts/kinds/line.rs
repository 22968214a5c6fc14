//! Line graph: one line per series over ordered points.
//!
//! Record: `label` and a number for each series. A missing number leaves a gap. Settings:
//! `series`, `interpolation` (`linear`, `step`, `smooth`), `showPoints`, `showValues`,
//! `showLegend`, `showGrid`, `axis`. If all labels are dates, the x axis is a time axis.

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves;
use crate::frame::curves::AreaFill;
use crate::frame::lines;
use crate::frame::lines::LineChart;
use crate::kinds::Kind;

/// The line graph.
pub const KIND: Kind = Kind { slug: "line", draw };

/// Draws the axes and one line per series. Draws a note instead if no series has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, x_values) = curves::read_x_values(chart, false, scene);
    let mut curves = curves::read_curves(chart, &rows, scene);
    let is_log = curves::apply_log_axis(chart, &mut curves, scene);
    if curves.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let rules = chart.shared_format_rules(curves.iter().map(|curve| &*curve.series.key));
    let format = curves::value_format(&curves, &rules, chart);
    scene.description = curves::describe("Line chart", &curves, &x_values, &format, chart);
    let fill = AreaFill::None;
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
