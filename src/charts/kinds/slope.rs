//! Slope chart: one line per record from the value before to the value after, labeled at both
//! ends.
//!
//! Record: `label`, `before`, `after` (otherwise the first two numeric columns), `highlighted`.
//! Settings: `beforeTitle`, `afterTitle`, `positiveColor`, `negativeColor`, `showValues`, `axis`
//! (`min`, `max`).

mod labels;
mod records;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::format::{NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text, ValueEnd};
use crate::text;
use crate::text::Face;

use labels::EndLabels;
use records::Slope;

/// The slope chart.
pub const KIND: Kind = Kind { slug: "slope", draw };

/// Maximum width of the plot as a multiple of its height, so that the lines are not too flat.
const MAX_ASPECT_RATIO: f64 = 2.4;
/// Maximum number of lines with the usual width. More lines are thinner, with smaller end points.
const MAX_THICK_LINES: usize = 60;
/// Minimum space of a line with the usual width if the ends were evenly spread, in
/// [`ChartStyle::unit`]s.
const MIN_THICK_PITCH: f64 = 6.0;

/// Titles above both sides of the plot.
struct SideTitles<'a> {
    /// Title above the values before.
    before: Cow<'a, str>,
    /// Title above the values after.
    after: Cow<'a, str>,
}

/// Draws titles, axes, lines and labels. The scene counts records without a value. Draws a note instead
/// if no record has one. The limits of the setting `axis` can only extend the range of the values.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let keys = records::find_keys(chart);
    let slopes = records::read_slopes(chart, &keys, style);
    if slopes.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    scene.omit(Omission::NoValue, chart.record_count().saturating_sub(slopes.len()));
    let values: Vec<f64> =
        slopes.iter().flat_map(|slope| [slope.before, slope.after]).flatten().collect();
    let rules = chart.shared_format_rules(keys.iter().map(String::as_str));
    let format = NumberFormat::for_values(values.iter().copied(), &rules, chart.locale());
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Limits from the settings may only extend the range of the values.
    let low = chart.axis_limit("min").map_or(min, |limit| limit.min(min));
    let high = chart.axis_limit("max").map_or(max, |limit| limit.max(max));
    let mut area = frame.area;
    let titles = read_titles(chart, area.height() > style.label_size * 6.0);
    area.y0 += if titles.is_some() { style.label_size * 1.7 } else { 0.0 };
    // Half a label extends above and below the outermost ends.
    let margin = style.label_size * 0.65;
    let bottom = (area.y1 - margin).max(area.y0 + margin + 1.0);
    let y = LinearScale { domain: (low, high), range: (bottom, area.y0 + margin) };
    let labels = EndLabels::new(chart, &slopes, &format, area, style);
    let plot = lay_out_plot(area, labels.left_width, labels.right_width);
    if let Some(titles) = titles {
        draw_titles(&titles, plot, frame.area, style, scene);
    }
    for x in [plot.x0, plot.x1] {
        scene.line((x, plot.y0), (x, plot.y1), Stroke::new(style.axis_color, 1.0));
    }
    draw_lines(&slopes, plot, &y, &format, style, scene);
    for slope in &slopes {
        let sides = [slope.before, slope.after].into_iter().zip([plot.x0, plot.x1]);
        for ((value, x), key) in sides.zip(&keys) {
            let Some(value) = value else { continue };
            let end = ValueEnd::new(true, x, y.at(value), 0.0);
            scene.record_value(slope.row, Some(key), value, end);
        }
    }
    labels.draw(&slopes, plot, &y, style, scene);
    describe(&slopes, &format, scene);
}

/// Returns the titles of both sides from the settings, or the translated default titles. None if
/// `has_space` is false or both titles are empty.
fn read_titles<'a>(chart: &Chart<'a>, has_space: bool) -> Option<SideTitles<'a>> {
    let settings = chart.settings;
    let read_title = |key: &str, default: Term| match &settings[key] {
        serde_json::Value::String(title) => text::sanitize(title),
        _ => Cow::Borrowed(chart.locale().translate(default)),
    };
    let before = read_title("beforeTitle", Term::Before);
    let after = read_title("afterTitle", Term::After);
    let has_title = !(before.is_empty() && after.is_empty());
    (has_space && has_title).then_some(SideTitles { before, after })
}

/// Returns the rectangle of the plot: `area` without the widths reserved for the labels at the left
/// and the right, in points. The width of the plot is limited relative to its height. A narrower
/// plot is centered between the labels.
fn lay_out_plot(area: Rect, left_width: f64, right_width: f64) -> Rect {
    let available_width = (area.width() - left_width - right_width).max(1.0);
    let width = available_width.min(area.height() * MAX_ASPECT_RATIO);
    let x0 = area.x0 + left_width + (available_width - width) / 2.0;
    Rect::new(x0, area.y0, x0 + width, area.y1)
}

/// Draws the titles above both sides of `plot`, at the top of `area`. A title is centered above its
/// side, but moved inward where it would leave the area. Titles that would overlap are shortened.
fn draw_titles(titles: &SideTitles, plot: Rect, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let size = style.label_size;
    let baseline = area.y0 + ASCENT_EM * size;
    let inner_width = plot.width() / 2.0 - size * 0.5;
    let sides = [
        (plot.x0, &titles.before, inner_width + plot.x0 - area.x0),
        (plot.x1, &titles.after, inner_width + area.x1 - plot.x1),
    ];
    for (side_x, title, max_width) in sides {
        let fitted = text::ellipsize(title, max_width.max(0.0), size, Face::BOLD);
        let width = text::width(&fitted, size, Face::BOLD);
        let min_x = area.x0 + width / 2.0;
        let x = side_x.clamp(min_x, (area.x1 - width / 2.0).max(min_x));
        let label = style.label_text(x, baseline, Anchor::Middle, size, &fitted);
        scene.text(Text { face: Face::BOLD, width, ..label });
    }
}

/// Draws the lines and their end points as one mark per record. A record with only one value has an end
/// point but no line. Lines and points are thinner if there are many.
fn draw_lines(
    slopes: &[Slope],
    plot: Rect,
    y: &LinearScale,
    format: &NumberFormat,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let pitch = plot.height() / slopes.len().max(1) as f64;
    let is_crowded = slopes.len() > MAX_THICK_LINES || pitch < style.unit * MIN_THICK_PITCH;
    let usual_width = style.unit * if is_crowded { 1.25 } else { 2.0 };
    let radius = style.unit * if is_crowded { 2.0 } else { 3.5 };
    let format_value =
        |value: Option<f64>| value.map_or("–".to_owned(), |value| format.text(value));
    for slope in slopes {
        scene.begin_mark("line", Some(slope.row), || {
            let (before, after) = (format_value(slope.before), format_value(slope.after));
            (None, format!("{}: {before} → {after}", slope.label))
        });
        let width = if slope.highlighted { usual_width * 1.4 } else { usual_width };
        let start = slope.before.map(|value| Point::new(plot.x0, y.at(value)));
        let end = slope.after.map(|value| Point::new(plot.x1, y.at(value)));
        if let (Some(start), Some(end)) = (start, end) {
            scene.push(Primitive::Polyline {
                points: vec![start, end],
                stroke: Stroke::new(slope.color, width).rounded(),
            });
        }
        for point in [start, end].into_iter().flatten() {
            scene.circle(point, radius, slope.color, None);
        }
    }
    scene.end_mark();
}

/// Sets the text description of the scene: the numbers of records and of rising and falling lines, and
/// the largest absolute change.
fn describe(slopes: &[Slope], format: &NumberFormat, scene: &mut Scene) {
    let change_of = |slope: &Slope| Some(slope.after? - slope.before?);
    let changes: Vec<(f64, &Slope)> =
        slopes.iter().filter_map(|slope| Some((change_of(slope)?, slope))).collect();
    let rise_count = changes.iter().filter(|(change, _)| *change > 0.0).count();
    let fall_count = changes.iter().filter(|(change, _)| *change < 0.0).count();
    let largest = changes.iter().max_by(|(a, _), (b, _)| a.abs().total_cmp(&b.abs()));
    let largest_text = largest.map_or(String::new(), |(_, slope)| {
        let format_value =
            |value: Option<f64>| value.map_or(String::new(), |value| format.text(value));
        let (before, after) = (format_value(slope.before), format_value(slope.after));
        format!(" Largest change: {}, from {before} to {after}.", slope.label)
    });
    let count = slopes.len();
    scene.description = format!(
        "Slope chart of {count} records: {rise_count} rise, {fall_count} fall.{largest_text}"
    );
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_two_series_have_their_own_number_format() {
        let data = [json!({"label": "Kiel", "2019": 3.25, "2024": 4.5})];
        let rules = json!({"suffix": " €", "decimals": 3});
        let settings = json!({"rulesets": {"2019": rules, "2024": rules}});
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(&KIND, &data) });
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for value in ["3.250 €", "4.500 €"] {
            assert!(texts.iter().any(|text| text.contains(value)), "{texts:?}");
        }
    }
}
