//! Time series: lines over dates, one per series. Distances along the axis are proportional to
//! time.
//!
//! Record: `date` and one number per series. Records without a valid date are left out. Settings:
//! those of the line chart, and `area` (fills down to zero).

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves;
use crate::frame::curves::AreaFill;
use crate::frame::lines;
use crate::frame::lines::LineChart;
use crate::kinds::Kind;

/// The time series.
pub const KIND: Kind = Kind { slug: "time-series", draw };

/// Draws axes and one line per series, and sets the description of the scene. Draws the text for
/// missing data if no series has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, x_values) = curves::read_x_values(chart, true, scene);
    let mut curves = curves::read_curves(chart, &rows, scene);
    let is_log = curves::apply_log_axis(chart, &mut curves, scene);
    if curves.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let rules = chart.shared_format_rules(curves.iter().map(|curve| &*curve.series.key));
    let fill = if chart.bool_setting("area", false) { AreaFill::ToZero } else { AreaFill::None };
    let format = curves::value_format(&curves, &rules, chart);
    scene.description = curves::describe("Time series", &curves, &x_values, &format, chart);
    let line_chart = LineChart {
        x_values: &x_values,
        curves: &curves,
        fill,
        rules: &rules,
        format: &format,
        is_log,
    };
    lines::draw(chart, frame, scene, &line_chart);
}
