//! Value axes: domain, ticks, tick labels and gridlines.

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat};
use crate::frame::measure_name;
use crate::frame::style::ChartStyle;
use crate::scale;
use crate::scale::{LogTicks, Ticks, ValueScale};
use crate::scene::{Anchor, AxisPlace, HALF_CAP_HEIGHT_EM, Stroke, Text};

/// A value axis before it has a position on the canvas: domain, ticks and tick labels.
#[derive(Clone, Debug)]
pub struct ValueAxis {
    /// Lowest and highest value of the axis. Round numbers, unless the settings or the data fix
    /// an end.
    pub domain: (f64, f64),
    /// Round tick values within the domain.
    pub ticks: Ticks,
    /// Label of each tick.
    pub labels: Vec<String>,
    /// Width of the widest tick label in points.
    pub max_label_width: f64,
    /// Whether the axis is logarithmic.
    pub is_log: bool,
    /// Values of gridlines without labels.
    pub minor_values: Vec<f64>,
    /// The setting that moves the ends. None if no setting does.
    pub setting: Option<AxisSetting>,
}

/// The setting that moves the ends of a value axis.
#[derive(Clone, Copy, Debug)]
pub struct AxisSetting {
    /// Key of the setting: an object with `min` and `max`.
    pub key: &'static str,
    /// Lowest and highest value that the axis includes, whatever the setting says. None if the
    /// setting may cut off values.
    pub required: Option<(f64, f64)>,
}

/// Rule that decides whether the domain of a value axis includes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncludeZero {
    /// The domain includes zero, whatever the settings say. For marks that encode values as
    /// lengths, such as bars.
    Always,
    /// The domain includes zero if the distance from zero to the data is at most 40 % of the
    /// largest magnitude. For marks that encode values as positions, such as lines.
    WhenNear,
    /// The same with at most 15 %. For marks positioned in two directions, such as points.
    WhenAdjacent,
}

impl ValueAxis {
    /// Computes the axis for data between `low` and `high`, which must be finite.
    ///
    /// The axis is `length` points long and has a tick about every `spacing` points, but about
    /// `MAX_TICKS` steps at most. The settings `axis.min` and `axis.max` override the ends, unless
    /// this leaves no range. With [`IncludeZero::Always`], a setting that would cut off zero or
    /// data is ignored.
    pub fn new(
        chart: &Chart,
        style: &ChartStyle,
        (low, high): (f64, f64),
        zero: IncludeZero,
        (length, spacing): (f64, f64),
        rules: &FormatRules,
    ) -> ValueAxis {
        let (mut low, mut high) = (low.min(high), low.max(high));
        // Including zero would waste most of the plot area if all data lie far from it.
        let share = if zero == IncludeZero::WhenAdjacent { 0.15 } else { 0.4 };
        let is_near_zero = low >= 0.0 && low <= share * high || high <= 0.0 && high >= share * low;
        if zero == IncludeZero::Always || is_near_zero {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let (min, max) = (chart.axis_limit("min"), chart.axis_limit("max"));
        let (min, max) = match zero {
            IncludeZero::Always => {
                (min.filter(|limit| *limit <= low), max.filter(|limit| *limit >= high))
            }
            IncludeZero::WhenNear | IncludeZero::WhenAdjacent => (min, max),
        };
        let (from, to) = (min.unwrap_or(low), max.unwrap_or(high));
        let (from, to) = if from < to { (from, to) } else { (low, high) };
        let target_count = (length / spacing).round() as usize;
        let (round, mut ticks) = rules.round_ticks(from, to, target_count.min(MAX_TICKS));
        // For a single value, round ends are kept, because only they give it ticks on both sides.
        let round = if from < to { trim_domain(round, (from, to), ticks.step) } else { round };
        // An end from the settings is kept exactly, unless it was dropped above.
        let fixed = |end: Option<f64>, used: f64, round: f64| match end {
            Some(end) if end == used => end,
            _ => round,
        };
        let domain = (fixed(min, from, round.0), fixed(max, to, round.1));
        let slack = ticks.step * 1e-6;
        ticks.values.retain(|value| *value >= domain.0 - slack && *value <= domain.1 + slack);
        let format =
            NumberFormat::for_axis(ticks.max_magnitude(), ticks.step, rules, chart.locale());
        let labels: Vec<String> = ticks.values.iter().map(|value| format.text(*value)).collect();
        let required = (zero == IncludeZero::Always).then_some((low, high));
        let setting = Some(AxisSetting { key: "axis", required });
        ValueAxis { setting, ..ValueAxis::linear(style, domain, ticks, labels) }
    }

    /// Creates a linear axis from its ends, its ticks and their labels, without minor gridlines
    /// and without a setting. Computes only the width of the labels.
    pub fn linear(
        style: &ChartStyle,
        domain: (f64, f64),
        ticks: Ticks,
        labels: Vec<String>,
    ) -> ValueAxis {
        let widths = labels.iter().map(|label| style.text_width(label, style.label_size));
        let max_label_width = widths.fold(0.0, f64::max);
        ValueAxis {
            domain,
            ticks,
            labels,
            max_label_width,
            is_log: false,
            minor_values: Vec::new(),
            setting: None,
        }
    }

    /// Computes a logarithmic axis for data between `low` and `high`, which must be finite and
    /// above zero.
    ///
    /// The axis is `length` points long and has a tick about every `spacing` points, about three to
    /// seven in total. The settings `axis.min` and `axis.max` override the ends if they are above
    /// zero, unless this leaves no range.
    pub fn new_log(
        chart: &Chart,
        style: &ChartStyle,
        (low, high): (f64, f64),
        (length, spacing): (f64, f64),
        rules: &FormatRules,
    ) -> ValueAxis {
        let limit = |key: &str| chart.axis_limit(key).filter(|limit| *limit > 0.0);
        let (min, max) = (limit("min"), limit("max"));
        let (from, to) = (min.unwrap_or(low), max.unwrap_or(high));
        let (from, to, min, max) =
            if from < to { (from, to, min, max) } else { (low, high, None, None) };
        let max_count = (length / spacing).round() as usize + 1;
        let LogTicks { domain, mut values, mut minor_values } =
            scale::log_ticks(from, to, max_count.clamp(3, 7));
        let domain = (min.unwrap_or(domain.0), max.unwrap_or(domain.1));
        let is_inside =
            |value: &f64| *value >= domain.0 * (1.0 - 1e-9) && *value <= domain.1 * (1.0 + 1e-9);
        values.retain(is_inside);
        minor_values.retain(is_inside);
        let labels = NumberFormat::for_log_axis(&values, rules, chart.locale());
        let widths = labels.iter().map(|label| style.text_width(label, style.label_size));
        let max_label_width = widths.fold(0.0, f64::max);
        let step = values.first().copied().unwrap_or(1.0);
        let ticks = Ticks { step, values };
        let setting = Some(AxisSetting { key: "axis", required: None });
        ValueAxis { domain, ticks, labels, max_label_width, is_log: true, minor_values, setting }
    }

    /// Computes the axis like [`ValueAxis::new`], but from `range` alone: the settings of the axis do
    /// not move its ends.
    pub fn fixed(
        chart: &Chart,
        style: &ChartStyle,
        range: (f64, f64),
        zero: IncludeZero,
        lengths: (f64, f64),
        rules: &FormatRules,
    ) -> ValueAxis {
        let (settings, default_locale) = (serde_json::Value::Null, chart.locale());
        let without_settings = Chart { settings: &settings, default_locale, ..*chart };
        ValueAxis::new(&without_settings, style, range, zero, lengths, rules).with_setting(None)
    }

    /// Names another setting than `axis` as the one that moves the ends. None if no setting does.
    #[must_use]
    pub fn with_setting(mut self, key: Option<&'static str>) -> ValueAxis {
        let required = self.setting.and_then(|setting| setting.required);
        self.setting = key.map(|key| AxisSetting { key, required });
        self
    }

    /// Returns the scale of the axis between two coordinates in points, the first of which is that
    /// of the lowest value.
    pub fn scale(&self, range: (f64, f64)) -> ValueScale {
        ValueScale { domain: self.domain, range, is_log: self.is_log }
    }

    /// Returns the value and the stroke of each gridline: paler ones without labels, then those of
    /// the ticks. There are none if they have the background color (see [`grid_style`]).
    fn gridlines(&self, style: &ChartStyle) -> impl Iterator<Item = (f64, Stroke)> {
        let minor_color = style.grid_color.mix(style.background, 0.55);
        let minor =
            self.minor_values.iter().map(move |value| (*value, Stroke::new(minor_color, 1.0)));
        let color = style.grid_color;
        let major = self.ticks.values.iter().map(move |value| (*value, Stroke::new(color, 1.0)));
        // Gridlines with the background color are switched off, see [`grid_style`].
        let is_visible = style.grid_color != style.background;
        minor.chain(major).filter(move |_| is_visible)
    }

    /// Returns the number of values below the start or above the end of the axis. Values that
    /// differ from an end only by binary rounding do not count.
    pub fn count_outside<'a>(&self, values: impl Iterator<Item = &'a f64>) -> usize {
        let (low, high) = self.domain;
        let slack = (high - low) * 1e-9;
        values.filter(|value| **value < low - slack || **value > high + slack).count()
    }

    /// Returns whether the axis starts below zero and ends above zero. False if an end is zero.
    pub fn crosses_zero(&self) -> bool {
        self.domain.0 < 0.0 && self.domain.1 > 0.0
    }

    /// Draws horizontal gridlines across `plot`, with right-aligned tick labels left of it. Draws
    /// no gridlines if they have the background color (see [`grid_style`]).
    pub fn draw_left(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        plot: Rect,
        y: impl Into<ValueScale>,
    ) {
        let y = y.into();
        self.record_place(scene, &y, plot.x0, true);
        for (value, grid) in self.gridlines(style) {
            let position = y.at(value);
            scene.line(Point::new(plot.x0, position), Point::new(plot.x1, position), grid);
        }
        for (value, label) in self.ticks.values.iter().zip(&self.labels) {
            let baseline = y.at(*value) + HALF_CAP_HEIGHT_EM * style.label_size;
            let x = plot.x0 - TICK_LABEL_GAP * style.unit;
            let text = style.label_text(x, baseline, Anchor::End, style.label_size, label);
            scene.text(Text { color: style.muted_color, ..text });
        }
    }

    /// Draws left-aligned tick labels right of `plot` in `color`. Draws no gridlines, because a
    /// right axis shares those of the left axis.
    pub fn draw_right_labels(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        plot: Rect,
        y: impl Into<ValueScale>,
        color: Color,
    ) {
        let y = y.into();
        for (value, label) in self.ticks.values.iter().zip(&self.labels) {
            let baseline = y.at(*value) + HALF_CAP_HEIGHT_EM * style.label_size;
            let x = plot.x1 + TICK_LABEL_GAP * style.unit;
            let text = style.label_text(x, baseline, Anchor::Start, style.label_size, label);
            scene.text(Text { color, ..text });
        }
    }

    /// Draws vertical gridlines across `plot`, with centered tick labels below it, moved to stay on
    /// the canvas. If labels would overlap, only every n-th label is drawn.
    ///
    /// Draws no gridlines if they have the background color (see [`grid_style`]).
    pub fn draw_bottom(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        plot: Rect,
        x: impl Into<ValueScale>,
    ) {
        let x = x.into();
        self.record_place(scene, &x, plot.y1, false);
        for (value, grid) in self.gridlines(style) {
            let position = x.at(value);
            scene.line(Point::new(position, plot.y0), Point::new(position, plot.y1), grid);
        }
        let distances = self.ticks.values.windows(2).map(|pair| match pair {
            [one, two] => (x.at(*two) - x.at(*one)).abs(),
            _ => f64::INFINITY,
        });
        // The ticks of a logarithmic axis have different distances.
        let pitch = distances.fold(f64::INFINITY, f64::min);
        let every = ((self.max_label_width + 8.0) / pitch.max(0.1)).ceil().clamp(1.0, 1e6) as usize;
        let baseline = plot.y1 + style.unit * 6.0 + style.label_size * 0.76;
        for (value, label) in self.ticks.values.iter().zip(&self.labels).step_by(every) {
            let half = style.text_width(label, style.label_size) / 2.0;
            let max_center = (scene.width - 4.0 - half).max(4.0 + half);
            let center = x.at(*value).clamp(4.0 + half, max_center);
            let text = style.label_text(center, baseline, Anchor::Middle, style.label_size, label);
            scene.text(Text { color: style.muted_color, ..text });
        }
    }

    /// Records the place of the axis for handles at its ends, if a setting moves them. `across` is its
    /// coordinate across the axis in points.
    fn record_place(&self, scene: &mut Scene, scale: &ValueScale, across: f64, is_vertical: bool) {
        if let Some(AxisSetting { key, required }) = self.setting {
            let scale = *scale;
            scene.record_axis(AxisPlace { setting: key, scale, across, is_vertical, required });
        }
    }

    /// Returns the height in points that [`ValueAxis::draw_bottom`] needs below the plot area.
    pub fn bottom_height(style: &ChartStyle) -> f64 {
        style.unit * 6.0 + style.label_size
    }

    /// Returns the width in points that `ValueAxis::draw_left` needs left of the plot area: that
    /// of the widest tick label and the gap after it. 0 without labels.
    pub fn left_width(&self, style: &ChartStyle) -> f64 {
        if self.labels.is_empty() {
            0.0
        } else {
            self.max_label_width + TICK_LABEL_GAP * style.unit
        }
    }
}

/// Maximum number of steps requested for an axis. A denser grid would dominate the data.
const MAX_TICKS: usize = 6;

/// Moves each round end of a domain closer to the data, to 5 % of a step beyond it, where more than
/// 60 % of a tick step would stay empty. `low` and `high` are the ends of the data.
///
/// An end stays if the data end at zero. The new lower end is at least a fifth of a step away from
/// the next gridline.
fn trim_domain(round: (f64, f64), (low, high): (f64, f64), step: f64) -> (f64, f64) {
    let padding = step * 0.05;
    // A baseline at the lower end keeps its distance from the next gridline.
    let away_from_gridline = |end: f64| {
        let next = (end / step).ceil() * step;
        if next - end < step * 0.2 { next - step * 0.2 } else { end }
    };
    let is_wasteful = |end: f64, data: f64| (end - data).abs() > step * 0.6 && data != 0.0;
    (
        if is_wasteful(round.0, low) { away_from_gridline(low - padding) } else { round.0 },
        if is_wasteful(round.1, high) { high + padding } else { round.1 },
    )
}

/// Space between tick labels and the plot area, in [`ChartStyle::unit`]s.
const TICK_LABEL_GAP: f64 = 8.0;

/// Returns the distance in points to aim for between horizontal gridlines.
pub fn y_tick_spacing(style: &ChartStyle) -> f64 {
    48.0 * style.unit
}

/// Returns the distance in points to aim for between vertical gridlines. It leaves space for
/// tick labels.
pub fn x_tick_spacing(style: &ChartStyle) -> f64 {
    80.0 * style.unit
}

/// Returns the style for [`ValueAxis`] to draw with: if the setting `showGrid` is false, gridlines
/// get the background color. Tick labels stay, because nothing else shows the values.
pub fn grid_style<'a>(chart: &Chart, style: &'a ChartStyle) -> Cow<'a, ChartStyle> {
    if chart.bool_setting("showGrid", true) {
        return Cow::Borrowed(style);
    }
    Cow::Owned(ChartStyle { grid_color: style.background, ..style.clone() })
}

/// Draws the baseline of bars from one end to the other, in the axis color, which is stronger than
/// gridlines.
pub fn draw_baseline(
    scene: &mut Scene,
    style: &ChartStyle,
    from: impl Into<Point>,
    to: impl Into<Point>,
) {
    scene.line(from, to, Stroke::new(style.axis_color, 1.0));
}

/// Draws the title of the value axis at the top of `area`: the setting `axis.title`, otherwise the
/// name of the only series. Returns the height in points that the title takes: 0 if there is no
/// title or `area` is too low.
pub fn draw_title(chart: &Chart, style: &ChartStyle, scene: &mut Scene, area: Rect) -> f64 {
    measure_name::draw_axis_title(chart, style, scene, area)
}

/// Returns whether the value axis of a chart is logarithmic: the setting `axis.scale` is `log`, and
/// one of the values is above zero. Adds a warning to the scene if no value is. Sets
/// `Scene::has_log_choice`, so that no warning about an ignored setting follows.
///
/// On a linear axis, adds a warning if no value is below zero and the largest is more than 1000
/// times the smallest above zero.
pub fn choose_log(chart: &Chart, values: impl Iterator<Item = f64>, scene: &mut Scene) -> bool {
    let start = (f64::INFINITY, f64::NEG_INFINITY, 0_usize);
    let (low, high, zeros) = values.fold(start, |(low, high, zeros), value| match value {
        0.0 => (low, high.max(value), zeros + 1),
        _ => (low.min(value), high.max(value), zeros),
    });
    let is_log = chart.setting("axis")["scale"] == "log";
    scene.has_log_choice = true;
    if is_log && high <= 0.0 {
        scene.warn("A logarithmic axis needs values above zero. The axis is linear.");
        return false;
    }
    if !is_log && low > 0.0 && high / low > MAX_LINEAR_RATIO {
        scene.warn(match zeros {
            0 => "The largest value is more than 1000 times the smallest. \
                  A logarithmic axis (`axis.scale`: \"log\") would show both."
                .to_owned(),
            zeros => format!(
                "The largest value is more than 1000 times the smallest above zero. \
                 A logarithmic axis (`axis.scale`: \"log\") would show both, but no zeros: {zeros}."
            ),
        });
    }
    is_log
}

/// Adds a warning to the scene if the setting `axis.scale` is `log` and the chart has no
/// logarithmic axis, like stacks, shares and most kinds. Call it after the chart has been drawn.
///
/// Adds none if `choose_log` has been called, which adds its own warning if the values do not allow
/// a logarithmic axis.
pub(crate) fn warn_about_ignored_scale(chart: &Chart, scene: &mut Scene) {
    if chart.setting("axis")["scale"] == "log" && !scene.has_log_choice {
        scene.warn(
            "This chart has no logarithmic axis. The setting `axis.scale` is ignored, \
             and the axis is linear.",
        );
    }
}

/// Ratio of the largest to the smallest value from which on a logarithmic axis is recommended.
const MAX_LINEAR_RATIO: f64 = 1000.0;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::format::Omission;

    /// Draws records with these values in the column `value`.
    fn draw(slug: &str, values: &[f64], settings: &Value) -> Scene {
        let record = |(index, value): (usize, &f64)| json!({"label": format!("P{index}"), "date": format!("2024-01-{:02}", index + 1), "value": value});
        let data: Vec<Value> = values.iter().enumerate().map(record).collect();
        crate::draw(&Chart { settings, ..Chart::new(crate::find_kind(slug).unwrap(), &data) })
    }

    #[test]
    fn values_beyond_the_ends_of_the_axis_are_counted() {
        let settings = json!({"axis": {"min": 20, "max": 100}});
        for slug in ["line", "time-series", "small-multiples"] {
            let scene = draw(slug, &[30.0, 120.0, 100.0, 20.0, 10.0, 99.0], &settings);
            assert_eq!(scene.omissions, [(Omission::OutOfRange, 2)], "{slug}");
            let note = "Not shown: 2 outside the axes";
            assert!(scene.text_boxes().any(|(text, _)| text == note), "{slug}");
        }
        let settings = json!({"axis": {"scale": "log", "max": 100}});
        for slug in ["line", "bar", "lollipop"] {
            let scene = draw(slug, &[30.0, 1200.0, 100.0, 4.0], &settings);
            assert_eq!(scene.omissions, [(Omission::OutOfRange, 1)], "{slug}");
        }
        // Bars begin at zero and are whole.
        let scene = draw("bar", &[30.0, 120.0, 10.0], &json!({"axis": {"min": 20, "max": 100}}));
        assert_eq!(scene.omissions, []);
    }

    #[test]
    fn an_ignored_logarithmic_scale_has_a_warning() {
        let settings = json!({"axis": {"scale": "log"}, "stacked": true});
        let is_ignored = |slug: &str| {
            let scene = draw(slug, &[3.0, 40.0, 800.0], &settings);
            scene.warnings.iter().any(|warning| warning.contains("`axis.scale` is ignored"))
        };
        for slug in ["stacked-column", "grouped-column", "combo", "radar", "waterfall", "pareto"] {
            assert!(is_ignored(slug), "{slug}");
        }
        for slug in ["line", "bar", "lollipop", "time-series", "area", "small-multiples"] {
            assert!(!is_ignored(slug), "{slug}");
        }
        let data = [json!({"label": "P", "a": 3, "b": 70}), json!({"label": "Q", "a": 4, "b": 9})];
        let kind = crate::find_kind("area").unwrap();
        let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
        assert_eq!(scene.warnings.len(), 1, "{:?}", scene.warnings);
    }

    #[test]
    fn a_zero_does_not_hide_that_a_logarithmic_scale_would_help() {
        let suggestion = |values: &[f64]| {
            let scene = draw("bar", values, &Value::Null);
            scene.warnings.into_iter().find(|warning| warning.contains("`axis.scale`"))
        };
        assert!(suggestion(&[2.0, 25_000.0]).unwrap().ends_with("would show both."));
        let with_zeros = suggestion(&[0.0, 2.0, 25_000.0, 0.0]).unwrap();
        assert!(with_zeros.ends_with("would show both, but no zeros: 2."), "{with_zeros}");
        assert_eq!(suggestion(&[0.0, 25_000.0]), None);
        assert_eq!(suggestion(&[-1.0, 2.0, 25_000.0]), None);
    }
}
