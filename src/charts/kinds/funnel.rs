//! Funnel chart: the amount left at each step as a centered bar, and the share that continues.
//!
//! Record: `label`, `value` (0 or more), `highlighted`. A record without a valid value keeps its
//! row, without a bar. Settings: `sort`, `showConversion`, `showValues`, `rulesets`, `valueTitle`.

use std::borrow::Cow;

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame;
use crate::frame::bands;
use crate::frame::category::RowLabels;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::BandScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};

/// The funnel chart.
pub const KIND: Kind = Kind { slug: "funnel", draw };

/// A step of the funnel.
struct FunnelStep<'a> {
    /// Index of the record in the data.
    row: usize,
    label: Cow<'a, str>,
    /// Amount, 0 or more. None without a valid value.
    value: Option<f64>,
    /// Formatted value. Empty without a value.
    value_text: String,
    /// Formatted share of the previous step. Empty if it cannot be computed.
    share_text: String,
    color: Color,
}

/// Draws one bar per step, the pieces between adjacent bars, and the labels that fit. Draws a note
/// instead if no step has a value.
///
/// A step without a value, or with a negative one, keeps its row but has no bar. Rows of less than
/// 4 points have no pieces, because their bars touch.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let steps = read_steps(chart, frame, scene);
    let largest = steps.iter().filter_map(|step| step.value).reduce(f64::max);
    let Some(largest) = largest else { return frame::draw_no_data(frame, scene) };
    describe(&steps, scene);
    let style = &frame.style;
    let area = frame.area;
    let names: Vec<Cow<str>> = steps.iter().map(|step| step.label.clone()).collect();
    let shows_shares = chart.bool_setting("showConversion", true);
    let row_height = area.height() / steps.len() as f64;
    // Shares are between the bars if a line fits there, otherwise after the values.
    let shares_between =
        shows_shares && row_height * 0.42 >= style.small_size * 1.4 && steps.len() > 1;
    let bar_scale = lay_out_bars(steps.len(), area, shares_between, style);
    let row_labels = RowLabels::plan(&names, row_height, area.width() * 0.32, style);
    row_labels.draw(scene, style, area.x0, &bar_scale);
    let plot = Rect { x0: area.x0 + row_labels.width, ..area };
    let bar_rect = |index: usize, value: f64| {
        let share = if largest > 0.0 { value / largest } else { 0.0 };
        let half = (plot.width() * share / 2.0).max(0.5);
        let (middle, start) = (plot.center().x, bar_scale.start(index));
        Rect::new(middle - half, start, middle + half, start + bar_scale.width())
    };
    let bars: Vec<Option<Rect>> =
        steps.iter().enumerate().map(|(index, step)| Some(bar_rect(index, step.value?))).collect();
    // The pieces are drawn before all texts, so that they do not cover any.
    for (pair, step) in bars.windows(2).zip(&steps).filter(|_| bar_scale.padding > 0.0) {
        if let [Some(upper), Some(lower)] = pair {
            scene.fill(outline_piece(*upper, *lower), piece_color(step.color, style));
        }
    }
    let fits = |size: &f64| size * 1.1 <= row_height && size * 0.85 <= bar_scale.width();
    let size = [style.label_size, style.small_size].into_iter().find(fits);
    for (index, (step, bar)) in steps.iter().zip(&bars).enumerate() {
        let Some(bar) = bar else { continue };
        draw_bar(step, *bar, scene);
        let previous = index
            .checked_sub(1)
            .and_then(|previous| Some((bars.get(previous).copied()??, steps.get(previous)?)));
        if let (true, Some((upper_bar, previous_step))) = (shares_between, previous) {
            let background = piece_color(previous_step.color, style);
            draw_share(step, upper_bar, *bar, background, style, scene);
        }
        if let Some(size) = size {
            let label = format_bar_label(chart, step, shows_shares && !shares_between);
            draw_bar_label(step, &label, *bar, plot, size, style, scene);
        }
    }
}

/// Returns the vertical positions of `count` bars.
///
/// With `shares_between` the gaps are wide enough for a line of text, which the caller has checked.
/// Otherwise they are narrow, or 0 in very low rows. The bars of a single step, and those without
/// shares between them, have a maximum thickness.
fn lay_out_bars(count: usize, area: Rect, shares_between: bool, style: &ChartStyle) -> BandScale {
    let padding = match area.height() / count as f64 {
        _ if shares_between => 0.42,
        // Bars this thin have no gaps and form a single outline.
        step if step < 4.0 => 0.0,
        _ => 0.24,
    };
    let max_width = match count {
        1 => 60.0 * style.unit,
        _ if shares_between => f64::MAX,
        _ => 44.0 * style.unit,
    };
    BandScale { count, range: (area.y0, area.y1), padding, max_width }
}

/// Returns the label of a bar: its value unless the setting `showValues` is false, and `with_share`
/// also its share of the previous step, in parentheses after the value.
fn format_bar_label(chart: &Chart, step: &FunnelStep, with_share: bool) -> String {
    let value = if chart.bool_setting("showValues", true) { step.value_text.as_str() } else { "" };
    match (value, step.share_text.as_str()) {
        (value, share) if !with_share || share.is_empty() => value.to_owned(),
        ("", share) => share.to_owned(),
        (value, share) => format!("{value} ({share})"),
    }
}

/// Reads one step per record in drawing order, with its color and its share of the step before. The
/// share is empty if either value is missing or the value before is 0.
///
/// Treats negative values as missing. The scene counts them.
fn read_steps<'a>(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Vec<FunnelStep<'a>> {
    let numbers: Vec<Option<f64>> =
        chart.data.iter().map(|record| data::number(data::field(record, "value"))).collect();
    let negative_count = numbers.iter().flatten().filter(|value| **value < 0.0).count();
    scene.omit(Omission::BelowZero, negative_count);
    scene.omit(Omission::MissingValue, chart.count_gaps(["value"]));
    let values: Vec<Option<f64>> =
        numbers.into_iter().map(|value| value.filter(|value| *value >= 0.0)).collect();
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.locale());
    let any_highlighted =
        chart.data.iter().any(|record| data::is_true(data::field(record, "highlighted")));
    let color = |highlighted: bool| match (any_highlighted, highlighted) {
        (false, _) => chart.series_color(0),
        (true, true) => chart.theme.highlight_color,
        (true, false) => frame.style.faded_color(),
    };
    let order = chart.sorted_indices(&values);
    let share_format = find_share_format(&order, &values, chart);
    let mut previous: Option<f64> = None;
    let step = |row: usize| {
        let record = chart.data.get(row)?;
        let value = values.get(row).copied().flatten();
        let share_text = match (previous, value) {
            (Some(previous), Some(value)) if previous > 0.0 => {
                format_share(value / previous, &share_format)
            }
            _ => String::new(),
        };
        previous = value;
        let value_text = value.map_or(String::new(), |value| format_value(value, &format, chart));
        let color = color(data::is_true(data::field(record, "highlighted")));
        Some(FunnelStep {
            row,
            label: data::record_label(record),
            value,
            value_text,
            share_text,
            color,
        })
    };
    order.iter().copied().filter_map(step).collect()
}

/// Formats a value. A value above zero that the common format would round to zero gets its own
/// decimals.
fn format_value(value: f64, format: &NumberFormat, chart: &Chart) -> String {
    let text = format.text(value);
    if value > 0.0 && !text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        let values = std::iter::once(value);
        return NumberFormat::for_values(values, &chart.format_rules("value"), chart.locale())
            .text(value);
    }
    text
}

/// Returns the format of the shares between steps in this `order`, in percent: with one decimal if one of
/// them is below 10 %, so that all have the same number of decimals. A share that would be rounded to zero
/// has more.
fn find_share_format(order: &[usize], values: &[Option<f64>], chart: &Chart) -> NumberFormat {
    let value = |row: &usize| values.get(*row).copied().flatten();
    let is_small = |pair: &[usize]| match (value(&pair[0]), value(&pair[1])) {
        (Some(previous), Some(value)) => previous > 0.0 && value / previous * 100.0 < 9.95,
        _ => false,
    };
    let decimals = usize::from(order.windows(2).any(is_small));
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    NumberFormat::for_shares(decimals, &rules, chart.locale())
}

/// Formats a share (1 is 100 %) in percent. Returns an empty text for shares beyond a million percent.
fn format_share(share: f64, format: &NumberFormat) -> String {
    let percent = share * 100.0;
    if percent > 1e6 { String::new() } else { format.text(percent) }
}

/// Sets the text description of the scene: the number of steps with a value, the first and the last
/// of them. Does nothing without such steps.
fn describe(steps: &[FunnelStep], scene: &mut Scene) {
    let mut with_value = steps.iter().filter(|step| step.value.is_some());
    let count = with_value.clone().count();
    if let (Some(first), Some(last)) = (with_value.next(), with_value.next_back()) {
        scene.description = format!(
            "Funnel of {count} steps, from {} ({}) to {} ({}).",
            first.value_text, first.label, last.value_text, last.label
        );
    } else if let Some(only) = steps.iter().find(|step| step.value.is_some()) {
        scene.description = format!("Funnel of 1 step: {} ({}).", only.value_text, only.label);
    }
}

/// Draws the bar of a step, without its label.
fn draw_bar(step: &FunnelStep, bar: Rect, scene: &mut Scene) {
    scene.begin_mark("bar", Some(step.row), || {
        let share = if step.share_text.is_empty() {
            String::new()
        } else {
            format!(" ({})", step.share_text)
        };
        (Some("value".to_owned()), format!("{}: {}{share}", step.label, step.value_text))
    });
    scene.rect(bar, step.color);
    scene.end_mark();
}

/// Returns the color of the piece below a bar: a pale tint of the color of the bar.
fn piece_color(bar_color: Color, style: &ChartStyle) -> Color {
    bar_color.mix(style.background, 0.78)
}

/// Returns the outline of the piece between two bars: from the lower edge of `upper` to the upper
/// edge of `lower`.
fn outline_piece(upper: Rect, lower: Rect) -> BezPath {
    let mut path = BezPath::new();
    path.move_to((upper.x0, upper.y1));
    path.line_to((upper.x1, upper.y1));
    path.line_to((lower.x1, lower.y0));
    path.line_to((lower.x0, lower.y0));
    path.close_path();
    path
}

/// Draws the share of a step on the piece between two bars or, if it does not fit there, right of
/// the wider bar. An empty share draws nothing.
///
/// `upper` and `lower` are the bars, and `background` is the color of the piece.
fn draw_share(
    step: &FunnelStep,
    upper: Rect,
    lower: Rect,
    background: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = if lower.y0 - upper.y1 >= style.label_size * 1.5 {
        style.label_size
    } else {
        style.small_size
    };
    let middle = upper.center().x;
    let half_width = f64::midpoint(upper.width(), lower.width()) / 2.0;
    let baseline = f64::midpoint(upper.y1, lower.y0) + HALF_CAP_HEIGHT_EM * size;
    let width = style.text_width(&step.share_text, size);
    let fits_inside = width + size < 2.0 * half_width.min(lower.width().max(upper.width()) / 2.0)
        && width + size * 0.4 < upper.width().min(lower.width()).max(half_width);
    if fits_inside {
        let text = style.label_text(middle, baseline, Anchor::Middle, size, &step.share_text);
        scene.text(Text { color: style.label_color.readable_on(background, 4.5), ..text });
    } else {
        let half_max_width = upper.width().max(lower.width()) / 2.0;
        let text = style.label_text(
            middle + half_max_width + size * 0.4,
            baseline,
            Anchor::Start,
            size,
            &step.share_text,
        );
        scene.text(text);
    }
}

/// Draws the label of a bar centered on the bar or, if it does not fit there, right of it. Omits
/// the label if it does not fit before the right edge of `plot` either.
fn draw_bar_label(
    step: &FunnelStep,
    label: &str,
    bar: Rect,
    plot: Rect,
    size: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let width = style.text_width(label, size);
    let baseline = bar.center().y + HALF_CAP_HEIGHT_EM * size;
    if width + size * 0.8 <= bar.width() {
        let color = bands::inner_label_color(step.color);
        let text = style.label_text(bar.center().x, baseline, Anchor::Middle, size, label);
        scene.text(Text { color, ..text });
    } else if bar.x1 + size * 0.4 + width <= plot.x1 {
        let text = style.label_text(bar.x1 + size * 0.4, baseline, Anchor::Start, size, label);
        scene.text(Text { color: style.value_color, ..text });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_without_a_value_are_counted() {
        let data = [
            json!({"label": "Applied", "value": 348}),
            json!({"label": "Interview", "value": null}),
            json!({"label": "Hired", "value": 9}),
        ];
        let scene = crate::draw(&Chart::new(&KIND, &data));
        assert_eq!(scene.omissions, [(Omission::MissingValue, 1)]);
    }

    #[test]
    fn all_shares_have_the_same_number_of_decimals() {
        let shares = |values: &[f64]| -> Vec<String> {
            let record = |value: &f64| json!({"label": "Step", "value": value});
            let data: Vec<serde_json::Value> = values.iter().map(record).collect();
            let scene = crate::draw(&Chart::new(&KIND, &data));
            let texts = scene.text_boxes().map(|(text, _)| text.to_owned());
            texts.filter(|text| text.contains('%')).collect()
        };
        assert_eq!(shares(&[120_000.0, 34_800.0, 520.0, 12.0]), ["29.0%", "1.5%", "2.3%"]);
        assert_eq!(shares(&[100.0, 50.0, 10.0]), ["50%", "20%"]);
        assert_eq!(shares(&[100_000.0, 29_000.0, 2.0]), ["29.0%", "0.01%"]);
    }
}
