//! Bars, one a record, on a common zero line; level or upright.
//!
//! Records and settings are those of [`amounts`](crate::charts::amounts), and `benchmark`.

use crate::charts::Chart;
use crate::charts::Scene;
use crate::charts::amounts::{Amounts, Shape};
use crate::charts::frame;
use crate::charts::frame::Frame;
use crate::charts::frame::bands::Bands;
use crate::charts::kinds::Kind;

/// The bar chart.
pub const KIND: Kind = Kind { slug: "bar", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let Some(bars) = Amounts::read(chart, frame) else { return frame::no_data(frame, scene) };
    bars.describe("Bar chart", scene);
    let look = &frame.look;
    let shape = Shape {
        beyond: 0.0,
        padding: if bars.all.len() > 60 { 0.1 } else { 0.3 },
        most: if bars.upright { 72.0 } else { 44.0 } * look.unit,
        also: chart.number("benchmark"),
    };
    let ground = bars.ground(chart, frame, &shape, scene);
    marks(&bars, &ground, frame, scene);
    ground.base_line(look, scene);
    if let Some(value) = chart.number("benchmark") {
        ground.benchmark(look, scene, value);
    }
}

fn marks(bars: &Amounts, ground: &Bands, frame: &Frame, scene: &mut Scene) {
    for (index, bar) in bars.all.iter().enumerate() {
        let Some(value) = bar.value else { continue };
        bar.tag("bar", scene);
        let start = ground.band.start(index);
        let rect = ground.rect((start, start + ground.band.width()), (0.0, value));
        scene.rect(rect, bar.color);
        if let Some(size) = bars.size {
            scene.text(ground.end_label(&frame.look, rect, value < 0.0, size, &bar.words));
        }
    }
    scene.untag();
}
