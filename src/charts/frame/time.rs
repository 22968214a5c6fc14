//! Time axes with calendar ticks below (or above) the plot area, and marker lines at dates.

#[cfg(test)]
mod tests;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::date::{PeriodOfYear, Precision};
use crate::format::{FormatRules, Locale, NumberFormat, Term, date};
use crate::frame::category::CATEGORY_LABEL_GAP;
use crate::frame::style::ChartStyle;
use crate::scale::LinearScale;
use crate::scale::time;
use crate::scale::time::{CalendarStep, TimeTick};
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};

/// Minimum number of ticks, unless the data has fewer times or the axis is too short for their
/// labels.
const MIN_TICKS: usize = 3;
/// Maximum number of ticks.
const MAX_TICKS: usize = 7;

/// A time axis with its scale along x.
#[derive(Clone, Debug)]
pub struct TimeAxis {
    /// Scale from seconds since 1970 to points. For [`TimeAxis::ordinal`], from entry indexes.
    pub x: LinearScale,
    ticks: Vec<TimeTick>,
    /// Whether a tick has a second line with the larger calendar unit.
    has_contexts: bool,
}

impl TimeAxis {
    /// Returns the axis of a time span (`domain`, in seconds since 1970) between two coordinates
    /// (`range`, in points). Its ticks may be milliseconds to centuries apart.
    pub fn new(
        domain: (f64, f64),
        range: (f64, f64),
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        TimeAxis::with_min_step(domain, range, 0.0, style, locale)
    }

    /// Returns the axis from the first to the last of ascending timestamps.
    ///
    /// Its ticks are not finer than the timestamps: if all are days, no tick is an hour, if all are
    /// firsts of months, no tick is another day, and if all are firsts of years, no tick is another
    /// month. `precision` is that of the most precise date. The ticks of quarters and of periods
    /// without a year have their names.
    pub fn for_timestamps(
        timestamps: &[f64],
        precision: Precision,
        range: (f64, f64),
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let low = timestamps.first().copied().unwrap_or(0.0);
        let high = timestamps.last().copied().unwrap_or(0.0);
        let steps: Vec<CalendarStep> = match PeriodOfYear::find(low) {
            _ if low >= high => return TimeAxis::for_single_date(low, precision, range, locale),
            Some(period) => time::list_steps_of_year(period.unit).collect(),
            None if precision == Precision::Quarter => time::list_quarter_steps().collect(),
            None => {
                return TimeAxis::with_min_step(
                    (low, high),
                    range,
                    finest_step(timestamps),
                    style,
                    locale,
                );
            }
        };
        TimeAxis::with_steps((low, high), range, &steps, style, locale)
    }

    /// Returns the axis from the first to the last of ascending numbers. The ticks are the numbers if
    /// their labels have enough space, else round numbers. The scale `x` takes the numbers themselves.
    pub fn for_numbers(
        numbers: &[f64],
        range: (f64, f64),
        rules: &FormatRules,
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let low = numbers.first().copied().unwrap_or(0.0);
        let high = numbers.last().copied().unwrap_or(1.0);
        let x = LinearScale { domain: (low, high), range };
        let to_ticks = |values: &[f64]| -> Vec<TimeTick> {
            let format = NumberFormat::for_values(values.iter().copied(), rules, locale);
            let to_tick = |at: f64| {
                let label = format.text(at);
                TimeTick { seconds: at, at, label, context: None }
            };
            values.iter().copied().map(to_tick).collect()
        };
        let ticks = to_ticks(numbers);
        if !labels_overlap(&ticks, &x, style) {
            return TimeAxis { x, ticks, has_contexts: false };
        }
        for count in (2..=MAX_TICKS).rev() {
            let (_, found) = rules.round_ticks(low, high, count);
            let slack = found.step * 1e-9;
            let inside = |value: &f64| (low - slack..=high + slack).contains(value);
            let values: Vec<f64> = found.values.iter().copied().filter(inside).collect();
            let ticks = to_ticks(&values);
            if !labels_overlap(&ticks, &x, style) || count == 2 {
                return TimeAxis { x, ticks, has_contexts: false };
            }
        }
        TimeAxis { x, ticks: Vec::new(), has_contexts: false }
    }

    /// Returns the axis of a time span with ticks about `min_step` seconds or more apart.
    ///
    /// There are three to seven ticks, fewer if the span has fewer steps or the axis is too short
    /// for their labels. For an empty span, the axis is one day long and has a single tick in its
    /// middle.
    pub fn with_min_step(
        (low, high): (f64, f64),
        range: (f64, f64),
        min_step: f64,
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        if low >= high {
            return TimeAxis::for_single_date(low, Precision::Day, range, locale);
        }
        TimeAxis::with_steps((low, high), range, &list_steps_from(min_step), style, locale)
    }

    /// Returns the axis of a time span of one day with one tick in its middle, at `seconds`, which
    /// is labeled with `precision`.
    fn for_single_date(
        seconds: f64,
        precision: Precision,
        range: (f64, f64),
        locale: Locale,
    ) -> TimeAxis {
        let half = date::DAY_SECONDS / 2.0;
        let x = LinearScale { domain: (seconds - half, seconds + half), range };
        let ticks = time::make_single_tick(seconds, precision, locale);
        TimeAxis { x, has_contexts: has_contexts(&ticks), ticks }
    }

    /// Returns the axis of a time span that is not empty, with the first step of `steps` that has
    /// enough ticks.
    fn with_steps(
        (low, high): (f64, f64),
        range: (f64, f64),
        steps: &[CalendarStep],
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let x = LinearScale { domain: (low, high), range };
        let compute_ticks = |step: CalendarStep| {
            let ticks = step.compute_ticks(low, high, MAX_TICKS)?;
            Some(ticks.into_iter().map(|tick| (tick, tick)).collect())
        };
        TimeAxis::with_best_step(x, steps, compute_ticks, style, locale)
    }

    /// Returns an axis with one entry per timestamp at equal distances, so that nights and weekends
    /// without data leave no gaps.
    ///
    /// The timestamps ascend. The scale `x` takes indexes of entries. A tick is at the first entry
    /// that is not before it. A tick without an entry before the next tick is left out, because no
    /// entry has its label.
    pub fn ordinal(
        timestamps: &[f64],
        range: (f64, f64),
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let x = LinearScale { domain: (-0.5, timestamps.len().max(1) as f64 - 0.5), range };
        let (low, high) = match timestamps {
            [low, .., high] if high > low => (*low, *high),
            _ => {
                let seconds = timestamps.first().copied().unwrap_or(0.0);
                let mut ticks = time::make_single_tick(seconds, Precision::Day, locale);
                ticks.iter_mut().for_each(|tick| tick.at = 0.0);
                return TimeAxis { x, has_contexts: has_contexts(&ticks), ticks };
            }
        };
        let compute_ticks = |step: CalendarStep| {
            // Most ticks of fine steps may fall into gaps.
            let ticks = step.compute_ticks(low, high, timestamps.len().clamp(60, 400))?;
            let place = |tick: f64| {
                let index = timestamps.partition_point(|timestamp| *timestamp < tick);
                let entry = timestamps.get(index)?;
                (*entry < step.find_next_tick(tick)).then_some((tick, index as f64))
            };
            Some(ticks.into_iter().filter_map(place).collect())
        };
        let steps = list_steps_from(finest_step(timestamps));
        TimeAxis::with_best_step(x, &steps, compute_ticks, style, locale)
    }

    /// Returns the axis with the ticks of the first of `steps` that has [`MIN_TICKS`] to
    /// [`MAX_TICKS`] ticks and space for their labels.
    ///
    /// Regular steps take precedence over less common ones. If no step has enough ticks with space,
    /// the axis has the most ticks that fit. `compute_ticks` returns the times and the positions of
    /// the ticks of a step, or None if there are too many.
    fn with_best_step(
        x: LinearScale,
        steps: &[CalendarStep],
        compute_ticks: impl Fn(CalendarStep) -> Option<Vec<(f64, f64)>>,
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let mut best: Vec<TimeTick> = Vec::new();
        for step in steps.iter().copied() {
            let Some(ticks) = compute_ticks(step).filter(|ticks| ticks.len() <= MAX_TICKS) else {
                continue;
            };
            // Times of day without a date have no days and months.
            let is_time_of_day = ticks.iter().any(|(seconds, _)| date::is_time_of_day(*seconds));
            let is_clock = matches!(step, CalendarStep::Milliseconds(_) | CalendarStep::Seconds(_));
            if is_time_of_day && !is_clock {
                continue;
            }
            let mut ticks = step.label_ticks(&ticks, locale);
            if ticks.len() <= best.len()
                || labels_overlap(&ticks, &x, style)
                || !fit_contexts(&mut ticks, step, &x, style, locale)
            {
                continue;
            }
            best = ticks;
            if best.len() >= MIN_TICKS {
                break;
            }
        }
        TimeAxis { x, has_contexts: has_contexts(&best), ticks: best }
    }

    /// Returns the height of the labels in points, including the gap above them and the second
    /// line, if there is one.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        style.unit * CATEGORY_LABEL_GAP
            + style.label_size * if self.has_contexts { 2.2 } else { 1.0 }
    }

    /// Draws the tick labels below the y coordinate `top`, with days or years around them in a
    /// second line. Labels are moved to stay between the margins, and omitted if they would overlap
    /// the previous one.
    pub fn draw_labels(&self, scene: &mut Scene, style: &ChartStyle, top: f64) {
        let size = style.label_size;
        let baseline = top + style.unit * CATEGORY_LABEL_GAP + ASCENT_EM * size;
        let edge = style.margin.max(4.0);
        let (mut next_x, mut next_context_x) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for tick in &self.ticks {
            let mut draw_label = |label: &str, y: f64, min_x: &mut f64| {
                let half = style.text_width(label, size) / 2.0;
                // The outermost labels must not extend into the margins.
                let max_center = (scene.width - edge - half).max(edge + half);
                let center = self.x.at(tick.at).clamp(edge + half, max_center);
                if center - half >= *min_x {
                    let text = style.label_text(center, y, Anchor::Middle, size, label);
                    scene.text(Text { color: style.muted_color, ..text });
                    *min_x = center + half + size * 0.4;
                }
            };
            draw_label(&tick.label, baseline, &mut next_x);
            if let Some(context) = &tick.context {
                draw_label(context, baseline + size * 1.2, &mut next_context_x);
            }
        }
    }

    /// Draws vertical gridlines across `plot` at the ticks. The caller checks whether the chart
    /// shows them.
    pub fn draw_gridlines(&self, scene: &mut Scene, style: &ChartStyle, plot: Rect) {
        for tick in &self.ticks {
            let x = self.x.at(tick.at);
            scene.line(
                Point::new(x, plot.y0),
                Point::new(x, plot.y1),
                Stroke::new(style.grid_color, 1.0),
            );
        }
    }

    /// Draws short tick marks below the y coordinate `top`.
    pub fn draw_tick_marks(&self, scene: &mut Scene, style: &ChartStyle, top: f64) {
        for tick in &self.ticks {
            let x = self.x.at(tick.at);
            let end = top + style.unit * 4.0;
            scene.line(Point::new(x, top), Point::new(x, end), Stroke::new(style.axis_color, 1.0));
        }
    }
}

/// A vertical line in the highlight color at a date, with a label.
pub struct DateMarker {
    /// Date in seconds since 1970.
    pub timestamp: f64,
    label: String,
    color: Color,
}

impl DateMarker {
    /// Returns the marker `Today, DATE` at the date of the setting `showToday`, or None if there is
    /// no such setting or the date lies outside the time span, which includes its ends. Never uses
    /// the clock.
    pub fn from_settings(
        chart: &Chart,
        style: &ChartStyle,
        (low, high): (f64, f64),
    ) -> Option<DateMarker> {
        let timestamp = chart.timestamp_setting("showToday")?;
        let day = date::format_day(timestamp, false, chart.locale());
        let separator = style.locale.list_separator();
        let marker = DateMarker {
            label: format!("{}{separator}{day}", style.locale.translate(Term::Today)),
            ..DateMarker::at_date(timestamp, chart, style)
        };
        (low..=high).contains(&timestamp).then_some(marker)
    }

    /// Returns a marker with the date without its year as the label. `timestamp` is in seconds
    /// since 1970.
    pub fn at_date(timestamp: f64, chart: &Chart, style: &ChartStyle) -> DateMarker {
        let color = chart.theme.highlight_color.readable_on(style.background, 4.5);
        DateMarker { timestamp, label: date::format_day(timestamp, false, chart.locale()), color }
    }

    /// Replaces the label.
    pub fn with_label(self, label: String) -> DateMarker {
        DateMarker { label, ..self }
    }

    /// Draws a vertical line at the x coordinate `x` between the y coordinates `top` and `bottom`,
    /// without the label.
    pub fn draw_line(
        &self,
        x: f64,
        (top, bottom): (f64, f64),
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        scene.line((x, top), (x, bottom), Stroke::new(self.color, 1.5 * style.unit));
    }

    /// Draws the label at the line, with its baseline at `base`, moved to stay between `left` and
    /// `right`. Draws nothing if it does not fit between them.
    pub fn draw_label(
        &self,
        (x, base): (f64, f64),
        (left, right): (f64, f64),
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let half = style.text_width(&self.label, style.label_size) / 2.0;
        if right - left > 2.0 * half {
            let center = x.clamp(left + half, right - half);
            let text =
                style.label_text(center, base, Anchor::Middle, style.label_size, &self.label);
            scene.text(Text { color: self.color, ..text });
        }
    }
}

/// Returns the calendar steps with an average length of at least `min_step` seconds, in the order
/// in which to try them.
fn list_steps_from(min_step: f64) -> Vec<CalendarStep> {
    // The tolerance of 0.1 % covers the average lengths of months and years.
    time::list_steps().filter(|step| step.average_seconds() >= min_step * 0.999).collect()
}

/// Returns the length in seconds of the finest useful step: a year if all timestamps are firsts of
/// years, a month if all are firsts of months, a day if all are days or for a single date, a second
/// if all are whole seconds, else 0. Times of day without a date have no days.
fn finest_step(timestamps: &[f64]) -> f64 {
    let all = |is_coarse: fn(f64) -> bool| timestamps.iter().all(|seconds| is_coarse(*seconds));
    let days = match timestamps {
        _ if !all(|seconds| seconds.fract() == 0.0) => 0.0,
        _ if all(date::is_time_of_day) => return 1.0,
        _ if !all(|seconds| seconds % date::DAY_SECONDS == 0.0) => return 1.0,
        _ if !all(|seconds| date::to_civil(seconds).day == 1) => 1.0,
        // A single date does not tell whether the data is monthly or yearly.
        [_] => 1.0,
        _ if !all(|seconds| date::to_civil(seconds).month == 1) => 28.0,
        _ => 365.0,
    };
    days * date::DAY_SECONDS
}

/// Returns whether any tick has a label of the larger calendar unit, such as the year of a month.
fn has_contexts(ticks: &[TimeTick]) -> bool {
    ticks.iter().any(|tick| tick.context.is_some())
}

/// Returns the x coordinate of the center of a label of a tick at `at`. A label that would extend
/// beyond the right end of the axis ends there.
fn label_center(label: &str, at: f64, x: &LinearScale, style: &ChartStyle) -> f64 {
    let half = style.text_width(label, style.label_size) / 2.0;
    x.at(at).min(x.range.1 - half)
}

/// Returns whether two neighboring labels are closer than 0.7 of the font size.
fn labels_overlap(ticks: &[TimeTick], x: &LinearScale, style: &ChartStyle) -> bool {
    let texts: Vec<(&str, f64)> = ticks.iter().map(|tick| (tick.label.as_str(), tick.at)).collect();
    texts_overlap(&texts, style.label_size * 0.7, x, style)
}

/// Returns whether two neighboring texts at positions of the axis are closer than `gap` points.
fn texts_overlap(texts: &[(&str, f64)], gap: f64, x: &LinearScale, style: &ChartStyle) -> bool {
    let span = |(text, at): &(&str, f64)| {
        let half = style.text_width(text, style.label_size) / 2.0;
        let center = label_center(text, *at, x, style);
        (center - half, center + half)
    };
    texts.windows(2).any(|pair| match pair {
        [one, two] => span(two).0 - span(one).1 < gap,
        _ => false,
    })
}

/// Returns whether the labels of larger units below the tick labels do not overlap, if necessary
/// after removing the first one of them.
///
/// If the first one would overlap the second one, only the second one stays, with its year: it
/// tells the first one too.
fn fit_contexts(
    ticks: &mut [TimeTick],
    step: CalendarStep,
    x: &LinearScale,
    style: &ChartStyle,
    locale: Locale,
) -> bool {
    let overlap = |ticks: &[TimeTick]| {
        let contexts: Vec<(&str, f64)> =
            ticks.iter().filter_map(|tick| Some((tick.context.as_deref()?, tick.at))).collect();
        texts_overlap(&contexts, style.label_size * 0.4, x, style)
    };
    if !overlap(ticks) {
        return true;
    }
    let mut with_context = ticks.iter_mut().filter(|tick| tick.context.is_some());
    if let (Some(first), Some(second)) = (with_context.next(), with_context.next()) {
        first.context = None;
        second.context = step.format_full_context(second.seconds, locale);
    }
    !overlap(ticks)
}
