//! Lollipop chart: one dot per record at its value, on a thin stem from a common zero line,
//! horizontal or vertical. On a logarithmic axis the dots have no stems.
//!
//! Records and settings are those of [`amounts`](crate::amounts).

use kurbo::Point;

use crate::Chart;
use crate::Scene;
use crate::amounts::{Amounts, MarkLayout};
use crate::frame;
use crate::frame::Frame;
use crate::frame::bands::BandPlot;
use crate::kinds::Kind;
use crate::scene::Stroke;

/// The lollipop chart.
pub const KIND: Kind = Kind { slug: "lollipop", draw };

/// Draws the axes and one stem with a dot per record. Draws a note instead if no record has a
/// value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let Some(amounts) = Amounts::read(chart, frame, scene) else {
        return frame::draw_no_data(frame, scene);
    };
    amounts.describe("Lollipop chart", scene);
    draw_lollipops(chart, frame, &amounts, None, scene);
}

/// Draws the axes, the stems and dots, and the value labels if they all fit. Returns plot area and
/// scales. The domain of the value axis includes `extra_value`.
pub(super) fn draw_lollipops(
    chart: &Chart,
    frame: &Frame,
    amounts: &Amounts,
    extra_value: Option<f64>,
    scene: &mut Scene,
) -> BandPlot {
    let style = &frame.style;
    let dot_radius = (amounts.step(frame) * 0.34).clamp(1.0, 6.0 * style.unit);
    let mark_layout = MarkLayout {
        overshoot: dot_radius + 1.0,
        padding: 0.3,
        max_width: 2.0 * dot_radius,
        extra_value,
    };
    let plot = amounts.draw_axes(chart, frame, &mark_layout, scene);
    plot.draw_baseline(style, scene);
    draw_marks(amounts, &plot, frame, dot_radius, scene);
    plot
}

/// Draws stem and dot of each record with a value, and their value labels unless
/// `Amounts::value_label_size` is None. `dot_radius` is in points. On a logarithmic axis the stem
/// is a pale hairline.
fn draw_marks(
    amounts: &Amounts,
    plot: &BandPlot,
    frame: &Frame,
    dot_radius: f64,
    scene: &mut Scene,
) {
    let style = &frame.style;
    let stem_width = (dot_radius * 0.4).clamp(1.0, 2.0 * style.unit);
    for (index, amount) in amounts.entries.iter().enumerate() {
        let Some(value) = amount.value else { continue };
        let category_center = plot.category_scale.center(index);
        let point = |value: f64| {
            let value_position = plot.value_scale.at(value);
            if plot.is_vertical {
                Point::new(category_center, value_position)
            } else {
                Point::new(value_position, category_center)
            }
        };
        let color = style.readable_line_color(amount.color);
        amount.begin_mark("point", scene);
        amount.record_end(plot, category_center, dot_radius, scene);
        // The length of a stem means nothing without a zero. A hairline leads from the name to the
        // dot instead.
        let stem = match amounts.is_log {
            true => Stroke::new(style.axis_color.mix(style.background, 0.6), 1.0),
            false => Stroke::new(color, stem_width),
        };
        scene.line(point(0.0), point(value), stem);
        scene.circle(point(value), dot_radius, color, None);
        if let Some(size) = amounts.value_label_size {
            // The label is placed beyond the edge of the dot instead of the end of the stem.
            let rect = plot
                .bar_rect((category_center, category_center), (0.0, value))
                .inflate(dot_radius, dot_radius);
            scene.text(plot.end_label(style, rect, value < 0.0, size, &amount.value_text));
        }
    }
    scene.end_mark();
}
