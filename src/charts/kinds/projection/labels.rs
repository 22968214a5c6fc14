//! Texts of a projection chart: the values at the end with their range, the last known value, and
//! the name of the forecast.

use kurbo::Point;

use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::kinds::projection::Plot;
use crate::kinds::projection::records::Moment;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::shape::curve;
use crate::spread;
use crate::text;
use crate::text::Face;

/// A value at the right end of the lines.
pub struct EndValue {
    value: f64,
    text: String,
    /// Whether the value is that of the line, not an end of a band.
    is_main: bool,
}

/// Returns the values at the last record that has any: that of the line (expected, else known) and
/// the ends of its bands, the highest first. Equal values appear once. Empty without values.
pub fn read_end_values(moments: &[Moment], format: &NumberFormat) -> Vec<EndValue> {
    let Some(last) = moments.iter().rfind(|moment| moment.values().next().is_some()) else {
        return Vec::new();
    };
    let main = last.expected.or(last.actual);
    let to_end = |value: f64, is_main: bool| EndValue { value, text: format.text(value), is_main };
    let ends = last.bands.into_iter().flatten().flat_map(|(low, high)| [low, high]);
    let mut values: Vec<EndValue> = main.into_iter().map(|value| to_end(value, true)).collect();
    for end in ends {
        if !values.iter().any(|other| other.value == end) {
            values.push(to_end(end, false));
        }
    }
    values.sort_by(|one, two| two.value.total_cmp(&one.value));
    values
}

/// Returns the face of a value at the end: bold for that of the line, regular label face for ends
/// of bands.
fn end_face(end: &EndValue, style: &ChartStyle) -> Face {
    if end.is_main { Face::BOLD } else { style.label_face() }
}

/// Returns the width in points of the space right of the plot for the values `ends` at the right
/// ends of the lines and bands: that of the widest text and a gap. 0 without values.
pub fn measure_gutter(ends: &[EndValue], style: &ChartStyle) -> f64 {
    let widest = ends
        .iter()
        .map(|end| text::width(&end.text, style.label_size, end_face(end, style)))
        .fold(0.0, f64::max);
    if widest > 0.0 { widest + 8.0 * style.unit } else { 0.0 }
}

/// Draws the values at the end right of the plot, moved apart where they would overlap. If they do
/// not all fit, only that of the line is drawn.
pub fn draw_end_values(
    ends: &[EndValue],
    plot: &Plot,
    color: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = style.label_size;
    let height = size * 1.2;
    let available = plot.area.height() + size;
    let fits = height * ends.len() as f64 <= available;
    let shown: Vec<&EndValue> = ends.iter().filter(|end| fits || end.is_main).collect();
    let preferred: Vec<f64> = shown.iter().map(|end| plot.y.at(end.value)).collect();
    let sizes = vec![height; shown.len()];
    let (top, bottom) = (plot.area.y0 - size / 2.0, plot.area.y1 + size / 2.0);
    let middles = spread::spread_apart(&preferred, &sizes, top, bottom);
    for (end, middle) in shown.into_iter().zip(middles) {
        let x = plot.area.x1 + 7.0 * style.unit;
        let baseline = middle + HALF_CAP_HEIGHT_EM * size;
        let label = style.label_text(x, baseline, Anchor::Start, size, &end.text);
        let face = end_face(end, style);
        let width = text::width(&end.text, size, face);
        let color =
            if end.is_main { color.readable_on(style.background, 4.5) } else { style.muted_color };
        scene.text(Text { face, width, color, ..label });
    }
}

/// Draws the last known value near its point: above or below it, left-hand side first, where no
/// line passes and no other text is. Draws nothing without such a place.
pub fn draw_last_known(
    moments: &[Moment],
    plot: &Plot,
    color: Color,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(position) = moments.iter().rposition(|moment| moment.actual.is_some()) else { return };
    let Some(value) = moments.get(position).and_then(|moment| moment.actual) else { return };
    let (size, point) = (style.label_size, plot.point(position, value));
    let gap = style.unit * 5.0 + size * 0.25;
    let center = |moment: &Moment| moment.actual.or(moment.expected);
    let line: Vec<Point> = (moments.iter().enumerate())
        .filter_map(|(position, moment)| Some(plot.point(position, center(moment)?)))
        .collect();
    let line = curve::decimate(line);
    let at = |x: f64, y: f64, anchor: Anchor| {
        let label = style.label_text(x, y, anchor, size, &format.text(value));
        Text {
            color: color.readable_on(style.background, 4.5),
            halo: Some(style.background),
            ..label
        }
    };
    let (above, below) = (point.y - gap, point.y + gap + ASCENT_EM * size);
    let candidates = [
        at(point.x - gap, above, Anchor::End),
        at(point.x - gap, below, Anchor::End),
        at(point.x, above, Anchor::Middle),
        at(point.x, below, Anchor::Middle),
    ];
    let limits = plot.area.inflate(0.0, size);
    let occupied: Vec<_> = scene.text_boxes().map(|(_, bounds)| bounds).collect();
    let is_free = |label: &Text| {
        let bounds = label.bounds().inflate(1.0, 1.0);
        limits.contains_rect(label.bounds())
            && !curve::passes_through(&line, bounds)
            && !occupied.iter().any(|other| other.overlaps(bounds))
    };
    if let Some(label) = candidates.into_iter().find(is_free) {
        scene.text(label);
    }
}
