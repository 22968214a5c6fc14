//! Lines over real dates, one a series; distances along the axis are true to the calendar.
//!
//! Record: `date` and a number for each series; records without a readable date are left out.
//! Settings: those of lines, and `area` (fills down to zero).

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves;
use crate::frame::lines;
use crate::frame::lines::Ground;
use crate::kinds::Kind;

pub const KIND: Kind = Kind { slug: "time-series", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, along) = curves::along(chart, true, scene);
    let curves = curves::curves(chart, &rows);
    let Some(first) = curves.first() else { return frame::no_data(frame, scene) };
    let rules = chart.rules(&first.series.key);
    let ground = if chart.flag("area", false) { Ground::Filled } else { Ground::Open };
    let format = curves::format(&curves, &rules, chart);
    scene.desc = curves::describe("Time series", &curves, &along, &format, chart);
    lines::draw(chart, frame, scene, (&along, &curves, ground), (&rules, &format));
}
