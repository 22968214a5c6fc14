//! Dots at their values on thin stems from a common zero line; level or upright.
//!
//! Records and settings are those of [`amounts`](crate::amounts).

use kurbo::Point;

use crate::Chart;
use crate::Scene;
use crate::amounts::{Amounts, Shape};
use crate::frame;
use crate::frame::Frame;
use crate::frame::bands::Bands;
use crate::frame::lines;
use crate::kinds::Kind;
use crate::scene::Stroke;

/// The lollipop chart.
pub const KIND: Kind = Kind { slug: "lollipop", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let Some(stems) = Amounts::read(chart, frame) else { return frame::no_data(frame, scene) };
    stems.describe("Lollipop chart", scene);
    let look = &frame.look;
    let radius = (stems.step(frame) * 0.34).clamp(1.0, 6.0 * look.unit);
    let shape = Shape { beyond: radius + 1.0, padding: 0.3, most: 2.0 * radius, also: None };
    let ground = stems.ground(chart, frame, &shape, scene);
    ground.base_line(look, scene);
    marks(&stems, &ground, frame, radius, scene);
}

fn marks(stems: &Amounts, ground: &Bands, frame: &Frame, radius: f64, scene: &mut Scene) {
    let look = &frame.look;
    let stroke = (radius * 0.4).clamp(1.0, 2.0 * look.unit);
    for (index, stem) in stems.all.iter().enumerate() {
        let Some(value) = stem.value else { continue };
        let middle = ground.band.center(index);
        let point = |value: f64| {
            let at = ground.value.at(value);
            if ground.upright { Point::new(middle, at) } else { Point::new(at, middle) }
        };
        let color = lines::line_color(stem.color, look);
        stem.tag("point", scene);
        scene.line(point(0.0), point(value), Stroke::new(color, stroke));
        scene.circle(point(value), radius, color, None);
        if let Some(size) = stems.size {
            // The label stands beyond the dot, not beyond the end of the stem.
            let rect = ground.rect((middle, middle), (0.0, value)).inflate(radius, radius);
            scene.text(ground.end_label(look, rect, value < 0.0, size, &stem.words));
        }
    }
    scene.untag();
}
