//! The right axis of a combo chart, and the value labels of its lines.
//!
//! Its ticks have the same positions as those of the left axis, so that one set of grid lines
//! serves both, unless the settings give its ends.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame::ChartStyle;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::kinds::combo::series;
use crate::kinds::combo::series::ComboSeries;
use crate::scale::{LinearScale, Ticks};
use crate::scene::{ASCENT_EM, Anchor, Primitive, Stroke, Text};
use crate::text;

/// The right axis.
pub struct LineAxis {
    /// Range, ticks and labels.
    pub values: ValueAxis,
    /// Color of the labels: that of the line if there is only one.
    pub color: Color,
    /// Whether the ticks are at other heights than those of the left axis, because the settings
    /// give the ends of this axis.
    pub has_own_ticks: bool,
}

/// Returns the range of the right axis for `lines`: from the lowest to the highest value, and zero.
/// None without values, with a warning if the settings give ends to the axis.
///
/// The settings `lineAxis.min` and `lineAxis.max` replace its ends, unless this leaves no range.
/// They can also exclude values and zero.
pub fn choose_range<'a>(
    chart: &Chart,
    lines: impl Iterator<Item = &'a ComboSeries>,
    scene: &mut Scene,
) -> Option<(f64, f64)> {
    let (low, high) = series::find_value_range(lines);
    if low > high {
        warn_without_axis(chart, scene);
        return None;
    }
    let (low, high) = (low.min(0.0), high.max(0.0));
    let (min, max) = read_limits(chart);
    let range = (min.unwrap_or(low), max.unwrap_or(high));
    Some(if range.0 < range.1 { range } else { (low, high) })
}

/// Returns the settings `lineAxis.min` and `lineAxis.max`.
fn read_limits(chart: &Chart) -> (Option<f64>, Option<f64>) {
    let limit = |key: &str| data::number(&chart.setting("lineAxis")[key]);
    (limit("min"), limit("max"))
}

/// Adds a warning if the settings give ends to the right axis, but the chart has none.
fn warn_without_axis(chart: &Chart, scene: &mut Scene) {
    let (min, max) = read_limits(chart);
    if min.or(max).is_some() {
        scene.warn(
            "The lines have no axis of their own, so `lineAxis` is ignored. \
             The setting `secondAxis` adds one if there are also columns.",
        );
    }
}

/// Creates the right axis, which is `length` points long. `lines` is the range that `choose_range`
/// returned.
///
/// Its ticks are at the heights of the ticks of `left`, unless the ends of the settings do not
/// permit it. With one end from the settings, the domain of `left` is extended as far as a common
/// zero needs.
pub fn create(
    chart: &Chart,
    style: &ChartStyle,
    lines: (f64, f64),
    (left, length): (&mut ValueAxis, f64),
    parts: &[ComboSeries],
) -> LineAxis {
    let aligned = align_to_left_axis(chart, style, lines, left, parts);
    let (low, high) = aligned.values.domain;
    let slack = (high - low) * 1e-9;
    let (min, max) = read_limits(chart);
    let (min, max) = (min.filter(|min| *min == lines.0), max.filter(|max| *max == lines.1));
    let is_kept =
        |limit: Option<f64>, end: f64| limit.is_none_or(|limit| (limit - end).abs() <= slack);
    if is_kept(min, low) && is_kept(max, high) {
        return aligned;
    }
    let (low, high) = &mut left.domain;
    let domain = match (min, max) {
        (None, Some(max)) if lines.0 <= 0.0 && max > 0.0 && *high > 0.0 => {
            *low = low.min(*high * lines.0 / max);
            (max * *low / *high, max)
        }
        (Some(min), None) if lines.1 >= 0.0 && min < 0.0 && *low < 0.0 => {
            *high = high.max(*low * lines.1 / min);
            (min, min * *high / *low)
        }
        _ => lines,
    };
    let settings = serde_json::json!({"axis": {"min": domain.0, "max": domain.1}});
    let fixed = Chart { settings: &settings, default_locale: chart.locale(), ..*chart };
    let lengths = (length, axis::y_tick_spacing(style));
    let rules = read_rules(chart, parts);
    let values = ValueAxis::new(&fixed, style, domain, IncludeZero::WhenNear, lengths, &rules);
    LineAxis { values, has_own_ticks: true, ..aligned }
}

/// Returns the common number format of all lines.
fn read_rules(chart: &Chart, parts: &[ComboSeries]) -> FormatRules {
    let lines = parts.iter().filter(|part| part.is_line);
    chart.series_format_rules(lines.map(|part| &*part.series.key))
}

impl LineAxis {
    /// Draws the labels right of `plot`, with short tick marks if the gridlines belong to other
    /// values. The scene counts the values of lines beyond the axis.
    pub fn draw(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        plot: Rect,
        scale: &LinearScale,
        parts: &[ComboSeries],
    ) {
        let lines = parts.iter().filter(|part| part.is_line);
        let values = lines.flat_map(|part| part.values.iter().flatten());
        scene.omit(Omission::OutOfRange, self.values.count_outside(values));
        self.values.draw_right_labels(scene, style, plot, scale, self.color);
        for value in self.values.ticks.values.iter().filter(|_| self.has_own_ticks) {
            let y = scale.at(*value);
            let stroke = Stroke::new(style.axis_color, 1.0);
            scene.line((plot.x1, y), (plot.x1 + 4.0 * style.unit, y), stroke);
        }
    }
}

/// Returns the range of the left axis, with zero, extended so that its zero can be at the same
/// height as the zero of the right axis with the range `lines`. Adds only zero if the right axis
/// has no zero or no axis has negative values.
///
/// The share of the plot below zero is the one at which the values of both axes are drawn as high
/// as possible.
pub fn extend_for_common_zero(columns: (f64, f64), lines: (f64, f64)) -> (f64, f64) {
    let (low, high) = (columns.0.min(0.0), columns.1.max(0.0));
    // Without negative values, or without zero on the right axis, nothing is to be extended.
    if low >= 0.0 && lines.0 >= 0.0 || lines.0 > 0.0 {
        return (low, high);
    }
    // Length of the axis as a multiple of its range, if the share below zero is given.
    let stretch = |(low, high): (f64, f64), share: f64| {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let length = (high / (1.0 - share)).max(-low / share);
        if high > low { length / (high - low) } else { 0.0 }
    };
    let worst = |share: &f64| stretch(columns, *share).max(stretch(lines, *share));
    let shares = (1..SHARE_STEPS).map(|step| f64::from(step) / f64::from(SHARE_STEPS));
    let Some(share) = shares.min_by(|one, two| worst(one).total_cmp(&worst(two))) else {
        return (low, high);
    };
    let length = (high / (1.0 - share)).max(-low / share);
    // Columns that are all zero have no length.
    let length = if length > 0.0 { length } else { 1.0 };
    // The product may be smaller than the value by rounding.
    ((-share * length).min(low), ((1.0 - share) * length).max(high))
}

/// Number of steps in the search for the share of the plot below zero.
const SHARE_STEPS: i32 = 48;

/// Returns a right axis that includes `low` to `high`, with one round tick value at the height of
/// each tick of `left`. If the range includes zero, both axes have their zero at the same height
/// where possible.
fn align_to_left_axis(
    chart: &Chart,
    style: &ChartStyle,
    (low, high): (f64, f64),
    left: &ValueAxis,
    parts: &[ComboSeries],
) -> LineAxis {
    let mut lines = parts.iter().filter(|part| part.is_line);
    let first_line = lines.next();
    let color = match (first_line, lines.next()) {
        (Some(only), None) => only.series.color.readable_on(style.background, 4.5),
        _ => style.muted_color,
    };
    let (start, step) = match left.ticks.values.as_slice() {
        [first, second, ..] => (*first, second - first),
        _ => (left.domain.0, left.domain.1 - left.domain.0),
    };
    let ends = ((left.domain.0 - start) / step, (left.domain.1 - start) / step);
    let rules = read_rules(chart, parts);
    let has_zero = low <= 0.0 && high >= 0.0;
    let with_shared_zero = has_zero.then(|| {
        let sides = (left.domain.0 / step, left.domain.1 / step);
        fit_with_shared_zero((low, high), sides, start / step, &rules)
    });
    let TickSequence { first: first_tick, step: tick_step } =
        with_shared_zero.flatten().unwrap_or_else(|| fit_round_step(low, high, ends, &rules));
    let line_value = |value: &f64| first_tick + (value - start) / step * tick_step;
    let ticks: Vec<f64> = left
        .ticks
        .values
        .iter()
        .map(line_value)
        .map(|tick| round_to_step(tick, tick_step))
        .collect();
    let ticks = Ticks { step: tick_step, values: ticks };
    let format = NumberFormat::for_axis(ticks.max_magnitude(), tick_step, &rules, chart.locale());
    let labels: Vec<String> = ticks.values.iter().map(|tick| format.text(*tick)).collect();
    let domain = (first_tick + ends.0 * tick_step, first_tick + ends.1 * tick_step);
    let values = ValueAxis::linear(style, domain, ticks, labels);
    LineAxis { values, color, has_own_ticks: false }
}

/// First tick of an axis, and distance between its ticks.
#[derive(Debug, PartialEq)]
struct TickSequence {
    first: f64,
    step: f64,
}

/// Rounds `value` to a multiple of `step`, so that labels show no rounding error. Turns -0 into 0.
fn round_to_step(value: f64, step: f64) -> f64 {
    let rounded = (value / step).round() * step;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Returns the smallest round step of about `target_step` or more, of the clock for durations.
fn round_step(target_step: f64, rules: &FormatRules) -> f64 {
    rules.round_ticks(0.0, target_step * 12.0, 12).1.step
}

/// Returns the first tick and the smallest round step of an axis that includes `low` and `high`.
///
/// The axis reaches from `ends.0` to `ends.1`, counted in steps from the first tick. If 24 attempts
/// find none, the step is not round.
fn fit_round_step(low: f64, high: f64, ends: (f64, f64), rules: &FormatRules) -> TickSequence {
    let reach = low.abs().max(high.abs());
    let span = if high - low > reach * 1e-9 { high - low } else { reach.max(1.0) };
    let mut target_step = span / (ends.1 - ends.0).max(0.1);
    for _ in 0..24 {
        let step = round_step(target_step, rules);
        let first = ((low / step - ends.0 + 1e-9).floor()) * step;
        if first + ends.1 * step >= high - step * 1e-6 {
            return TickSequence { first, step };
        }
        target_step *= 1.3;
    }
    let step = span.max(reach);
    TickSequence { first: (low / step - ends.0).floor() * step, step }
}

/// Returns the first tick and the smallest round step of an axis that includes `low` and `high` and
/// has its zero at the zero of the left axis.
///
/// `sides` are the ends of the axis and `first` is the first tick, counted in steps from zero. None
/// if the left axis has no space, or too little, on a side of zero where the lines have values.
fn fit_with_shared_zero(
    (low, high): (f64, f64),
    sides: (f64, f64),
    first: f64,
    rules: &FormatRules,
) -> Option<TickSequence> {
    let mut target_step =
        (low.min(0.0) / sides.0.min(-1e-9)).max(high.max(0.0) / sides.1.max(1e-9));
    let max_step = 4.0 * low.abs().max(high.abs());
    for _ in 0..24 {
        let step = round_step(target_step, rules);
        let slack = step * 1e-6;
        if sides.0 * step <= low + slack && sides.1 * step >= high - slack {
            return (step <= max_step).then_some(TickSequence { first: first * step, step });
        }
        target_step *= 1.3;
    }
    None
}

/// Draws the title of the right axis (setting `lineAxis.title`) above its labels, right-aligned and
/// cut to half of the width. Returns its height in points: 0 if there is no title or `area` is too
/// low.
pub fn draw_title(
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
    area: Rect,
    color: Color,
) -> f64 {
    let title = data::display_text(&chart.setting("lineAxis")["title"]);
    let fitted = text::ellipsize(&title, area.width() * 0.47, style.label_size, style.label_face());
    if fitted.is_empty() || area.height() < style.label_size * 6.0 {
        return 0.0;
    }
    let label_text = style.label_text(
        area.x1,
        area.y0 + ASCENT_EM * style.label_size,
        Anchor::End,
        style.label_size,
        &fitted,
    );
    scene.text(Text { color, ..label_text });
    style.label_size * 1.5
}

/// Draws the values of a line above its points, or below a point near the top of `area`, on boxes
/// in the background color.
///
/// Draws none of them if one would touch another text or one of the `occupied` rectangles, or if
/// there are more than 60 points.
pub fn draw_values(
    (part, points): (&ComboSeries, &[Option<Point>]),
    mut occupied: Vec<Rect>,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if points.len() > 60 {
        return;
    }
    let size = style.small_size;
    let mut labels: Vec<Text> = Vec::with_capacity(points.len());
    for (point, value) in points.iter().zip(&part.values) {
        let (Some(point), Some(value)) = (point, value) else { continue };
        let y = point.y - style.unit * 4.0 - size * 0.45;
        let y = if y - ASCENT_EM * size < area.y0 - size * 0.5 { point.y + size * 1.7 } else { y };
        let label_text =
            style.label_text(point.x, y, Anchor::Middle, size, &part.format.text(*value));
        let color = part.series.color.readable_on(style.background, 4.5);
        labels.push(Text { color, ..label_text });
    }
    occupied.extend(scene.text_boxes().map(|(_, bounds)| bounds));
    let are_apart = labels.windows(2).all(|pair| {
        let [label, next] = pair else { return true };
        !label.bounds().inflate(1.0, 0.0).overlaps(next.bounds())
    });
    let is_free = |label: &Text| !occupied.iter().any(|other| other.overlaps(label.bounds()));
    if are_apart && labels.iter().all(is_free) {
        for label in labels {
            // A background box, because a halo would be too thin to keep the value readable on
            // columns.
            let rect = label.bounds().inflate(style.unit * 1.5, 0.0);
            scene.push(Primitive::Rect { rect, radius: style.unit * 2.0, fill: style.background });
            scene.text(label);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axis_includes_both_values_with_a_round_step() {
        for (low, high, ends) in [
            (0.0, 4.7, (0.0, 5.0)),
            (31.0, 38.0, (0.0, 4.0)),
            (-3.0, 12.0, (-2.0, 4.0)),
            (5.0, 5.0, (-0.4, 3.3)),
            (-1e290, 1e290, (0.0, 5.0)),
        ] {
            let TickSequence { first, step } =
                fit_round_step(low, high, ends, &FormatRules::default());
            let slack = step * 1e-6;
            assert!(first + ends.0 * step <= low + slack, "{low} {first} {step}");
            assert!(first + ends.1 * step >= high - slack, "{high} {first} {step}");
        }
        let ticks = fit_round_step(0.0, 4.7, (0.0, 5.0), &FormatRules::default());
        assert_eq!(ticks, TickSequence { first: 0.0, step: 1.0 });
    }

    #[test]
    fn zero_has_the_same_position_on_both_axes() {
        let rules = FormatRules::default();
        let ticks = fit_with_shared_zero((-19.0, 21.0), (-2.0, 2.0), -2.0, &rules);
        assert_eq!(ticks, Some(TickSequence { first: -40.0, step: 20.0 }));
        assert_eq!(fit_with_shared_zero((0.0, 4.0), (-2.0, 0.0), -2.0, &rules), None);
    }

    /// Draws a combo chart with columns up to 310 and a line from 12 to 24 with its own axis.
    fn draw(line_axis: serde_json::Value, second_axis: bool) -> Scene {
        let record = |(columns, line): (i32, i32)| serde_json::json!({"label": "Q", "Umsatz": columns, "Marge": line});
        let data = [(120, 12), (300, 15), (250, 24), (310, 22)].map(record);
        let settings = serde_json::json!({"secondAxis": second_axis, "lines": ["Marge"], "lineAxis": line_axis, "showLegend": false});
        let kind = crate::find_kind("combo").unwrap();
        crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) })
    }

    /// Returns the tick labels of the right axis with their heights.
    fn right_ticks(scene: &Scene) -> Vec<(f64, f64)> {
        let texts = scene.text_boxes().filter(|(_, bounds)| bounds.x0 > 600.0);
        texts.filter_map(|(text, bounds)| Some((text.parse().ok()?, bounds.center().y))).collect()
    }

    #[test]
    fn the_settings_give_the_ends_of_the_right_axis() {
        let ticks = right_ticks(&draw(serde_json::json!({"min": 0, "max": 100}), true));
        assert_eq!((ticks[0].0, ticks[ticks.len() - 1].0), (0.0, 100.0));
        for limits in [serde_json::json!({"max": 30}), serde_json::json!({"min": -8})] {
            let scene = draw(limits, true);
            let zeros = scene.text_boxes().filter(|(text, _)| *text == "0");
            let heights: Vec<f64> = zeros.map(|(_, bounds)| bounds.y0).collect();
            assert!(heights.len() == 2 && (heights[0] - heights[1]).abs() < 0.01, "{heights:?}");
        }
        let ticks = right_ticks(&draw(serde_json::json!({"max": 30}), true));
        assert_eq!((ticks[0].0, ticks[ticks.len() - 1].0), (0.0, 30.0));
    }

    #[test]
    fn values_beyond_the_right_axis_are_counted_and_have_no_points() {
        let count_points = |scene: &Scene| {
            let is_point =
                |shape: &&crate::scene::Shape| matches!(shape.primitive, Primitive::Circle { .. });
            scene.shapes.iter().filter(is_point).count()
        };
        let scene = draw(serde_json::json!({"min": 10, "max": 20}), true);
        assert_eq!(
            (scene.omissions.as_slice(), count_points(&scene)),
            (&[(crate::Omission::OutOfRange, 2)][..], 2)
        );
        let scene = draw(serde_json::json!({}), true);
        assert_eq!((scene.omissions.as_slice(), count_points(&scene)), (&[][..], 4));
    }

    #[test]
    fn values_of_a_line_do_not_cover_points_of_another_line() {
        let texts = |second: f64| -> Vec<String> {
            let record = |line: f64| serde_json::json!({"label": "Q", "Umsatz": 90, "A": line, "B": line + second});
            let data = [50.0, 60.0, 55.0].map(record);
            let settings =
                serde_json::json!({"lines": ["A", "B"], "showValues": true, "showLegend": false});
            let kind = crate::find_kind("combo").unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
        };
        // The points of the upper line are at the values of the lower one.
        assert!(!texts(3.0).contains(&"55".to_owned()) && texts(3.0).contains(&"58".to_owned()));
        assert!(texts(30.0).contains(&"55".to_owned()));
    }

    #[test]
    fn a_right_axis_that_does_not_exist_cannot_have_ends() {
        let scene = draw(serde_json::json!({"max": 100}), false);
        assert!(scene.warnings[0].contains("`secondAxis`"), "{:?}", scene.warnings);
        assert_eq!(draw(serde_json::json!({}), false).warnings, [""; 0]);
    }

    #[test]
    fn the_left_axis_makes_room_for_the_zero_of_the_right_axis() {
        for (columns, lines) in [
            ((0.0, 100.0), (-5.0, 12.0)),
            ((0.0, 100.0), (-5.0, -1.0)),
            ((0.0, 100.0), (-500.0, 1.0)),
            ((-40.0, 100.0), (0.0, 3.0)),
            ((-40.0, -10.0), (0.0, 3.0)),
            ((0.0, 0.0), (-1.0, 1.0)),
        ] {
            let (low, high) = extend_for_common_zero(columns, lines);
            assert!(low <= columns.0 && high >= columns.1, "{columns:?} {lines:?}: {low} {high}");
            if columns.1 > columns.0 {
                let share = -low / (high - low);
                // Neither axis shows its values on less than a third of the plot.
                for (low, high) in [columns, lines] {
                    let (low, high) = (low.min(0.0), high.max(0.0));
                    let length = (high / (1.0 - share)).max(-low / share);
                    assert!((high - low) / length > 0.33, "{columns:?} {lines:?}: {share}");
                }
            }
        }
        assert_eq!(extend_for_common_zero((0.0, 9.0), (0.0, 5.0)), (0.0, 9.0));
    }
}
