//! Lines over ordered points, one a series.
//!
//! Record: `label` and a number for each series; a missing number leaves a gap. Settings:
//! `series`, `interpolation` (`linear`, `step`, `smooth`), `showPoints`, `showValues`, `showLegend`,
//! `showGrid`, `axis`. Labels that are all dates make a time axis.

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves;
use crate::frame::lines;
use crate::frame::lines::Ground;
use crate::kinds::Kind;

pub const KIND: Kind = Kind { slug: "line", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, along) = curves::along(chart, false, scene);
    let curves = curves::curves(chart, &rows);
    let Some(first) = curves.first() else { return frame::no_data(frame, scene) };
    let rules = chart.rules(&first.series.key);
    let format = curves::format(&curves, &rules, chart);
    scene.desc = curves::describe("Line chart", &curves, &along, &format, chart);
    lines::draw(chart, frame, scene, (&along, &curves, Ground::Open), (&rules, &format));
}
