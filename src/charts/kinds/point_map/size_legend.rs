//! The legend of the sizes of circles.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;
use crate::scale::round_down;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;

/// Maximum radius in points of a circle of the legend, for canvases of the default size.
const MAX_LEGEND_RADIUS: f64 = 16.0;
/// Minimum radius in points of a circle of the legend.
const MIN_LEGEND_RADIUS: f64 = 3.0;

/// The sizes that a legend explains.
pub struct Sizes<'a> {
    /// Values of the circles in the chart.
    pub values: &'a [f64],
    /// Returns the radius of a value in points.
    pub radius: &'a dyn Fn(f64) -> f64,
    /// Key of the column of the values.
    pub column: &'a str,
    /// Name of the values before the circles. May be empty.
    pub title: &'a str,
}

/// Returns the maximum radius in points of a circle of the legend on this canvas.
pub fn max_radius(style: &ChartStyle) -> f64 {
    MAX_LEGEND_RADIUS * style.unit
}

/// Returns the height in points of the row of circles that `draw` draws, at least that of a line of
/// text.
pub fn row_height(sizes: &Sizes, style: &ChartStyle) -> f64 {
    let shown = choose_values(sizes, max_radius(style));
    let largest = shown.iter().map(|value| (sizes.radius)(*value)).fold(0.0, f64::max);
    (2.0 * largest).max(style.label_size * 1.2)
}

/// Draws circles of up to three round values and of one value below zero, each with its value, in a
/// row at the top of `area`. Those beyond the right edge are left out. With several groups the
/// circles are gray.
///
/// Returns the area below, or all of `area` if it is too small or no value has a legible circle.
pub fn draw(
    chart: &Chart,
    sizes: &Sizes,
    colors: &[Color],
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let size = style.label_size;
    let values = sizes.values;
    let shown = choose_values(sizes, max_radius(style));
    let height = row_height(sizes, style);
    if shown.is_empty() || area.height() < height * 5.0 || area.height() < size * 9.0 {
        return area;
    }
    let rules = chart.format_rules(sizes.column);
    let format = NumberFormat::for_values(shown.iter().copied(), &rules, chart.locale());
    let middle = area.y0 + height / 2.0;
    let baseline = middle + HALF_CAP_HEIGHT_EM * size;
    let mut x = area.x0 + draw_title(sizes.title, (area, baseline), style, scene);
    for value in shown {
        let text = format.text(value);
        let radius = (sizes.radius)(value);
        let label_x = x + radius * 2.0 + size * 0.4;
        let end = label_x + style.text_width(&text, size);
        if end > area.x1 {
            break;
        }
        let has_groups = colors.len() > 1 && values.iter().all(|value| *value >= 0.0);
        let color = if value < 0.0 { colors.get(1) } else { colors.first() };
        let color = color.copied().filter(|_| !has_groups).unwrap_or(style.muted_color);
        let outline = Stroke::new(color.mix(style.text_color, 0.3), 0.75);
        let fill = color.with_opacity(if has_groups { 0.15 } else { 0.6 });
        scene.circle((x + radius, middle), radius, fill, Some(outline));
        scene.text(style.label_text(label_x, baseline, Anchor::Start, size, &text));
        x = end + size * 1.35;
    }
    Rect { y0: area.y0 + height + style.unit * 6.0, ..area }
}

/// Draws the name of the values at the left, shortened to half the width of the area. Returns the
/// width in points that it takes, with the gap after it. 0 without a name.
fn draw_title(
    title: &str,
    (area, baseline): (Rect, f64),
    style: &ChartStyle,
    scene: &mut Scene,
) -> f64 {
    let size = style.label_size;
    let fitted = text::ellipsize(title, area.width() / 2.0, size, style.label_face());
    if fitted.is_empty() {
        return 0.0;
    }
    let full = (*fitted != *title).then(|| title.to_owned());
    let text = style.label_text(area.x0, baseline, Anchor::Start, size, &fitted);
    let width = text.width;
    scene.text(Text { color: style.muted_color, full, ..text });
    width + size
}

/// Returns up to three round values, the largest first, with circles that are neither too small nor
/// too large, and not far below the smallest value above zero. One value below zero follows if
/// there are such values.
fn choose_values(sizes: &Sizes, max_radius: f64) -> Vec<f64> {
    let values = sizes.values;
    let is_legible = |value: f64| (MIN_LEGEND_RADIUS..=max_radius).contains(&(sizes.radius)(value));
    let positive = values.iter().copied().filter(|value| *value > 0.0);
    let lowest_useful = positive.fold(f64::INFINITY, f64::min) / 2.0;
    let choose = |largest: f64, count: usize| {
        let mut chosen = Vec::new();
        let mut value = round_down(largest);
        for _ in 0..12 {
            if !chosen.is_empty() && value < lowest_useful {
                break;
            }
            if value > 0.0 && chosen.len() < count && is_legible(value) {
                chosen.push(value);
                value = round_down(value / 4.0);
            } else {
                value = round_down(value / 2.0);
            }
        }
        chosen
    };
    let mut shown = choose(values.iter().copied().fold(0.0, f64::max), 3);
    let lowest = values.iter().copied().fold(0.0, f64::min);
    shown.extend(choose(-lowest, 1).into_iter().map(|value| -value));
    shown
}
