//! Donut chart: a ring with one slice per record, and the total or a custom number in the middle.
//!
//! Record: `label`, `value` (above 0), `highlighted`. Settings: those of the pie chart, and
//! `innerRadius`, `showTotal`, `centerValue`, `centerLabel`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::slices;
use crate::slices::CircleExtent;

/// The donut chart.
pub const KIND: Kind = Kind { slug: "donut", draw };

/// Default radius of the hole as a share of the outer radius. Leaves space for a number.
const DEFAULT_HOLE_SHARE: f64 = 0.6;

/// Draws the slices of a full circle with a hole. The setting `innerRadius` is the radius of the
/// hole as a share (0 to 0.95) of the outer radius.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let hole_share =
        chart.number_setting("innerRadius").unwrap_or(DEFAULT_HOLE_SHARE).clamp(0.0, 0.95);
    slices::draw(chart, frame, scene, CircleExtent::Full, hole_share);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_rest_of_the_whole_follows_the_named_parts() {
        let data = [("Audi", 12), ("Übrige", 30), ("BMW", 40), ("Opel", 18)]
            .map(|(label, value)| json!({"label": label, "value": value}));
        let order = |settings: &Value| -> Vec<String> {
            let scene =
                crate::draw(&Chart { settings, interactive: true, ..Chart::new(&KIND, &data) });
            let slices = scene.marks.iter().filter(|mark| mark.part == "slice");
            slices.map(|mark| data[mark.row.unwrap()]["label"].to_string()).collect()
        };
        let names = |names: [&str; 4]| names.map(|name| format!("{name:?}"));
        assert_eq!(order(&json!({})), names(["BMW", "Opel", "Audi", "Übrige"]));
        assert_eq!(order(&json!({"sort": "desc"})), names(["BMW", "Opel", "Audi", "Übrige"]));
        assert_eq!(order(&json!({"sort": "none"})), names(["Audi", "Übrige", "BMW", "Opel"]));
    }
}
