//! Time axes with calendar ticks below (or above) the plot area, and marker lines at dates.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Locale, Term, date};
use crate::frame::category::CATEGORY_LABEL_GAP;
use crate::frame::style::ChartStyle;
use crate::scale::LinearScale;
use crate::scale::time;
use crate::scale::time::TimeTick;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};

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
    /// Returns the axis of a time span (`domain`, in seconds) between two coordinates (`range`).
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
    /// month.
    pub fn for_timestamps(
        timestamps: &[f64],
        range: (f64, f64),
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let ends =
            (timestamps.first().copied().unwrap_or(0.0), timestamps.last().copied().unwrap_or(0.0));
        let min_step = match timestamps {
            _ if !timestamps.iter().all(|timestamp| timestamp % date::DAY_SECONDS == 0.0) => 0.0,
            _ if !timestamps.iter().all(|timestamp| date::to_civil(*timestamp).day == 1) => 1.0,
            // A single date does not tell whether the data is monthly or yearly.
            [_] => 1.0,
            _ if !timestamps.iter().all(|timestamp| date::to_civil(*timestamp).month == 1) => 28.0,
            _ => 365.0,
        };
        TimeAxis::with_min_step(ends, range, min_step * date::DAY_SECONDS, style, locale)
    }

    /// Returns the axis of a time span with ticks about `min_step` seconds or more apart.
    ///
    /// Ticks are further apart where their labels would otherwise overlap. For an empty span, the
    /// axis is one day long and has a single tick in its middle.
    pub fn with_min_step(
        (low, high): (f64, f64),
        range: (f64, f64),
        min_step: f64,
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let length = (range.1 - range.0).max(1.0);
        if low >= high {
            let x = LinearScale {
                domain: (low - date::DAY_SECONDS / 2.0, low + date::DAY_SECONDS / 2.0),
                range,
            };
            return TimeAxis { x, ticks: time::make_single_tick(low, locale), has_contexts: true };
        }
        let x = LinearScale { domain: (low, high), range };
        // Start with the smallest tick distance that could fit, and increase it until labels fit.
        let mut gap = (style.label_size * 2.6).max(24.0).max(min_step / (high - low) * length);
        let mut ticks = time::compute_ticks(low, high, (high - low) * gap / length, locale);
        for _ in 0..12 {
            if !labels_overlap(&ticks, &x, style) {
                break;
            }
            gap *= 1.35;
            ticks = time::compute_ticks(low, high, (high - low) * gap / length, locale);
        }
        let has_contexts = ticks.iter().any(|tick| tick.context.is_some());
        TimeAxis { x, ticks, has_contexts }
    }

    /// Returns an axis with one entry per timestamp at equal distances, so that nights and weekends
    /// without data leave no gaps.
    ///
    /// The timestamps ascend. The scale `x` takes indexes of entries. A tick is at the first entry
    /// that is not before it.
    pub fn ordinal(
        timestamps: &[f64],
        range: (f64, f64),
        style: &ChartStyle,
        locale: Locale,
    ) -> TimeAxis {
        let (low, high) = match timestamps {
            [low, .., high] if high > low => (*low, *high),
            [low, ..] => (*low - date::DAY_SECONDS / 2.0, *low + date::DAY_SECONDS / 2.0),
            [] => (0.0, date::DAY_SECONDS),
        };
        let x = LinearScale { domain: (-0.5, timestamps.len().max(1) as f64 - 0.5), range };
        let length = (range.1 - range.0).max(1.0);
        let mut gap = (style.label_size * 2.6).max(24.0);
        let place_ticks = |gap: f64| {
            let mut ticks = time::compute_ticks(low, high, (high - low) * gap / length, locale);
            for tick in &mut ticks {
                tick.at = timestamps.partition_point(|timestamp| *timestamp < tick.at) as f64;
            }
            ticks
        };
        let mut ticks = place_ticks(gap);
        for _ in 0..20 {
            if !labels_overlap(&ticks, &x, style) {
                break;
            }
            gap *= 1.35;
            ticks = place_ticks(gap);
        }
        let has_contexts = ticks.iter().any(|tick| tick.context.is_some());
        TimeAxis { x, ticks, has_contexts }
    }

    /// Returns the height of the labels in points.
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
    /// Returns the marker `Today, DATE` at the date of the setting `showToday`, or None if there
    /// is no such setting or the date lies outside the time span.
    pub fn from_settings(
        chart: &Chart,
        style: &ChartStyle,
        (low, high): (f64, f64),
    ) -> Option<DateMarker> {
        let timestamp = data::timestamp(chart.setting("showToday"))?;
        let day = date::format_day(timestamp, false, chart.locale());
        let marker = DateMarker {
            label: format!("{}, {day}", style.locale.translate(Term::Today)),
            ..DateMarker::at_date(timestamp, chart, style)
        };
        (low..=high).contains(&timestamp).then_some(marker)
    }

    /// Returns a marker with the date as its label.
    pub fn at_date(timestamp: f64, chart: &Chart, style: &ChartStyle) -> DateMarker {
        let color = chart.theme.highlight_color.readable_on(style.background, 4.5);
        DateMarker { timestamp, label: date::format_day(timestamp, false, chart.locale()), color }
    }

    /// Draws the line at `x` between the y coordinates `top` and `bottom`.
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

/// Returns whether the gap between two neighboring labels is below 0.7 of the font size.
fn labels_overlap(ticks: &[TimeTick], x: &LinearScale, style: &ChartStyle) -> bool {
    ticks.windows(2).any(|pair| {
        let half = |tick: &TimeTick| style.text_width(&tick.label, style.label_size) / 2.0;
        x.at(pair[1].at) - x.at(pair[0].at)
            < half(&pair[0]) + half(&pair[1]) + style.label_size * 0.7
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::Theme;
    use crate::kinds;

    fn chart_style() -> ChartStyle {
        let (theme, style, null) = (Theme::default(), Style::default(), serde_json::Value::Null);
        ChartStyle::new(&Chart {
            kind: kinds::kinds().first().expect("a kind"),
            title: "",
            settings: &null,
            data: &[],
            theme: &theme,
            style: &style,
            width: 720.0,
            height: 405.0,
            default_locale: Locale::default(),
            interactive: false,
            id_prefix: "",
        })
    }

    #[test]
    fn ticks_are_not_finer_than_the_timestamps() {
        let style = chart_style();
        let labels = |timestamps: &[f64]| {
            let axis =
                TimeAxis::for_timestamps(timestamps, (0.0, 640.0), &style, Locale::default());
            axis.ticks.iter().map(|tick| tick.label.clone()).collect::<Vec<_>>()
        };
        let on = |month: i32, day: i32| date::timestamp(2026, month, day);
        assert_eq!(labels(&[on(1, 5), on(1, 6), on(1, 7)]), ["5 Jan", "6 Jan", "7 Jan"]);
        assert_eq!(labels(&[on(1, 5)]), ["5 Jan"]);
        assert_eq!(labels(&[on(1, 1), on(2, 1), on(3, 1)]), ["Jan", "Feb", "Mar"]);
        let years: Vec<f64> = (2024..=2026).map(|year| date::timestamp(year, 1, 1)).collect();
        assert_eq!(labels(&years), ["2024", "2025", "2026"]);
        assert!(labels(&[on(1, 5), on(1, 5) + 3600.0]).len() > 2);
    }

    #[test]
    fn ordinal_axis_has_equal_distances_and_ticks_at_the_next_entry() {
        let style = chart_style();
        // Thursday, Friday, and the following Monday to Wednesday: 2025-03-08 was a Saturday.
        let days = [6, 7, 10, 11, 12].map(|day| date::timestamp(2025, 3, day));
        let axis = TimeAxis::ordinal(&days, (0.0, 500.0), &style, Locale::default());
        assert!((axis.x.at(2.0) - axis.x.at(1.0) - 100.0).abs() < 1e-9);
        assert!(axis.ticks.iter().all(|tick| tick.at < 5.0 && tick.at.fract() == 0.0));
        assert!(
            TimeAxis::ordinal(&[], (0.0, 9.0), &style, Locale::default()).x.at(0.0).is_finite()
        );
    }
}
