//! Filled lines over ordered points or dates: stacked into a whole, or over each other.
//!
//! Record: `label` or `date`, and a number for each series; in a stack a missing number is zero.
//! Settings: those of lines, and `stacked` (on by default), `percent` (shares of the whole).

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::Frame;
use crate::frame::curves;
use crate::frame::curves::Curve;
use crate::frame::lines;
use crate::frame::lines::Ground;
use crate::kinds::Kind;

pub const KIND: Kind = Kind { slug: "area", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let (rows, along) = curves::along(chart, false, scene);
    let mut curves = curves::curves(chart, &rows);
    let Some(first) = curves.first() else { return frame::no_data(frame, scene) };
    let mut rules = chart.rules(&first.series.key);
    let percent = chart.flag("percent", false);
    let format = curves::format(&curves, &rules, chart);
    scene.desc = curves::describe("Area chart", &curves, &along, &format, chart);
    let stacked = percent || chart.flag("stacked", true) && curves.len() > 1;
    if stacked {
        stack(&mut curves, percent);
        rules.percent |= percent;
    }
    let ground = if stacked { Ground::Layered } else { Ground::Filled };
    lines::draw(chart, frame, scene, (&along, &curves, ground), (&rules, &format));
}

/// Puts each layer on those before it.
fn stack(curves: &mut [Curve], percent: bool) {
    let points = curves.first().map_or(0, |it| it.values.len());
    for index in 0..points {
        let whole: f64 = curves.iter().filter_map(|it| it.values[index]).map(f64::abs).sum();
        let scale = if percent && whole > 0.0 { 100.0 / whole } else { 1.0 };
        let mut end = 0.0;
        for curve in curves.iter_mut() {
            curve.bottoms.push(end);
            end += curve.values[index].unwrap_or(0.0) * scale;
            curve.tops[index] = Some(end);
        }
    }
}
