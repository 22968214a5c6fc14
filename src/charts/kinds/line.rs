//! Line graph: one line per series over ordered points.
//!
//! Record: `label` and a number for each series. A missing number leaves a gap. Settings:
//! `series`, `interpolation` (`linear`, `step`, `smooth`), `showPoints`, `showValues`,
//! `showLegend`, `showGrid`, `axis`. If all labels are dates or times of day, the x axis is a time
//! axis.

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves::AreaFill;
use crate::frame::lines;
use crate::frame::lines::LineChart;
use crate::kinds::Kind;

/// The line graph.
pub const KIND: Kind = Kind { slug: "line", draw };

/// Draws the axes and one line per series. Draws a note instead if no series has a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    match LineChart::read(chart, scene, "Line chart", false, |_| AreaFill::None) {
        Some(content) => lines::draw(chart, frame, scene, content),
        None => frame::draw_no_data(frame, scene),
    }
}
