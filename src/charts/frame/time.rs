//! The time axis: calendar ticks under (or over) a plot, with year or day where they change.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Locale, Word, date};
use crate::frame::Look;
use crate::frame::category::GAP;
use crate::scale::Linear;
use crate::scale::time;
use crate::scale::time::TimeTick;
use crate::scene::{ASCENT, Anchor, Stroke, Text};

/// A time axis with its place along x.
#[derive(Clone, Debug)]
pub struct TimeAxis {
    /// Moments in seconds to points.
    pub x: Linear,
    ticks: Vec<TimeTick>,
    contexts: bool,
}

impl TimeAxis {
    /// An axis from `low` to `high` (seconds) between two places in points.
    pub fn new(domain: (f64, f64), range: (f64, f64), look: &Look, locale: Locale) -> TimeAxis {
        TimeAxis::at_least(domain, range, 0.0, look, locale)
    }

    /// An axis from the first to the last of rising moments. Its ticks are no finer than these:
    /// days have no hours, and months no days.
    pub fn over(moments: &[f64], range: (f64, f64), look: &Look, locale: Locale) -> TimeAxis {
        let ends =
            (moments.first().copied().unwrap_or(0.0), moments.last().copied().unwrap_or(0.0));
        let least = match moments {
            it if !it.iter().all(|it| it % date::DAY == 0.0) => 0.0,
            it if !it.iter().all(|it| date::civil(*it).day == 1) => 1.0,
            // One date says nothing of how often others come.
            [_] => 1.0,
            it if !it.iter().all(|it| date::civil(*it).month == 1) => 28.0,
            _ => 365.0,
        };
        TimeAxis::at_least(ends, range, least * date::DAY, look, locale)
    }

    /// The same with ticks that are at least `least` seconds apart.
    pub fn at_least(
        (low, high): (f64, f64),
        range: (f64, f64),
        least: f64,
        look: &Look,
        locale: Locale,
    ) -> TimeAxis {
        let length = (range.1 - range.0).max(1.0);
        if low >= high {
            let x = Linear { domain: (low - date::DAY / 2.0, low + date::DAY / 2.0), range };
            return TimeAxis { x, ticks: time::single(low, locale), contexts: true };
        }
        let x = Linear { domain: (low, high), range };
        // Start from the closest labels that could fit, and widen until they do.
        let mut gap = (look.label * 2.6).max(24.0).max(least / (high - low) * length);
        let mut ticks = time::ticks(low, high, (high - low) * gap / length, locale);
        for _ in 0..12 {
            if !crowded(&ticks, &x, look) {
                break;
            }
            gap *= 1.35;
            ticks = time::ticks(low, high, (high - low) * gap / length, locale);
        }
        let contexts = ticks.iter().any(|it| it.context.is_some());
        TimeAxis { x, ticks, contexts }
    }

    /// An axis on which rising moments stand at equal distances, one an entry, so that nights and
    /// weekends leave no holes. `x` takes places in the list; a tick stands at the first entry
    /// that is not before it.
    pub fn by_order(moments: &[f64], range: (f64, f64), look: &Look, locale: Locale) -> TimeAxis {
        let (low, high) = match moments {
            [low, .., high] if high > low => (*low, *high),
            [low, ..] => (*low - date::DAY / 2.0, *low + date::DAY / 2.0),
            [] => (0.0, date::DAY),
        };
        let x = Linear { domain: (-0.5, moments.len().max(1) as f64 - 0.5), range };
        let length = (range.1 - range.0).max(1.0);
        let mut gap = (look.label * 2.6).max(24.0);
        let ordered = |gap: f64| {
            let mut ticks = time::ticks(low, high, (high - low) * gap / length, locale);
            for tick in &mut ticks {
                tick.at = moments.partition_point(|it| *it < tick.at) as f64;
            }
            ticks
        };
        let mut ticks = ordered(gap);
        for _ in 0..20 {
            if !crowded(&ticks, &x, look) {
                break;
            }
            gap *= 1.35;
            ticks = ordered(gap);
        }
        let contexts = ticks.iter().any(|it| it.context.is_some());
        TimeAxis { x, ticks, contexts }
    }

    /// Height in points that the labels take.
    pub fn height(&self, look: &Look) -> f64 {
        look.unit * GAP + look.label * if self.contexts { 2.2 } else { 1.0 }
    }

    /// Draws the labels from `top` downwards.
    pub fn draw_labels(&self, scene: &mut Scene, look: &Look, top: f64) {
        let size = look.label;
        let baseline = top + look.unit * GAP + ASCENT * size;
        let edge = look.margin.max(4.0);
        let (mut free, mut free_below) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for tick in &self.ticks {
            let mut label = |words: &str, y: f64, free: &mut f64| {
                let half = look.width(words, size) / 2.0;
                // The outermost labels end with the picture's margins.
                let most = (scene.width - edge - half).max(edge + half);
                let at = self.x.at(tick.at).clamp(edge + half, most);
                if at - half >= *free {
                    let text = look.text(at, y, Anchor::Middle, size, words);
                    scene.text(Text { color: look.muted, ..text });
                    *free = at + half + size * 0.4;
                }
            };
            label(&tick.label, baseline, &mut free);
            if let Some(context) = &tick.context {
                label(context, baseline + size * 1.2, &mut free_below);
            }
        }
    }

    /// Draws plumb rules across `plot` at the ticks.
    pub fn draw_rules(&self, scene: &mut Scene, look: &Look, plot: Rect) {
        for tick in &self.ticks {
            let at = self.x.at(tick.at);
            scene.line(
                Point::new(at, plot.y0),
                Point::new(at, plot.y1),
                Stroke::new(look.grid, 1.0),
            );
        }
    }

    /// Draws short marks under a base line, where rules would be too loud.
    pub fn draw_marks(&self, scene: &mut Scene, look: &Look, top: f64) {
        for tick in &self.ticks {
            let at = self.x.at(tick.at);
            let end = top + look.unit * 4.0;
            scene.line(Point::new(at, top), Point::new(at, end), Stroke::new(look.axis, 1.0));
        }
    }
}

/// The day that a document calls today: a line in the accent colour, and its date.
pub struct Today {
    /// In seconds.
    pub moment: f64,
    words: String,
    color: Color,
}

impl Today {
    /// The day of the settings, when it lies in this span of time.
    pub fn given(chart: &Chart, look: &Look, (low, high): (f64, f64)) -> Option<Today> {
        let moment = data::moment(chart.setting("showToday"))?;
        let day = date::day_text(moment, false, chart.language());
        let named = Today {
            words: format!("{}, {day}", look.locale.word(Word::Today)),
            ..Today::on(moment, chart, look)
        };
        (low..=high).contains(&moment).then_some(named)
    }

    /// A day that nobody calls today.
    pub fn on(moment: f64, chart: &Chart, look: &Look) -> Today {
        let color = chart.theme.highlight.readable_on(look.background, 4.5);
        Today { moment, words: date::day_text(moment, false, chart.language()), color }
    }

    /// Draws the line at `x` from one height to another.
    pub fn line(&self, x: f64, (top, end): (f64, f64), look: &Look, scene: &mut Scene) {
        scene.line((x, top), (x, end), Stroke::new(self.color, 1.5 * look.unit));
    }

    /// Writes the date at the line, between two sides; nothing where these are too close.
    pub fn label(
        &self,
        (x, base): (f64, f64),
        (left, right): (f64, f64),
        look: &Look,
        scene: &mut Scene,
    ) {
        let half = look.width(&self.words, look.label) / 2.0;
        if right - left > 2.0 * half {
            let at = x.clamp(left + half, right - half);
            let set = look.text(at, base, Anchor::Middle, look.label, &self.words);
            scene.text(Text { color: self.color, ..set });
        }
    }
}

/// Whether neighbouring labels would stand closer than a letter.
fn crowded(ticks: &[TimeTick], x: &Linear, look: &Look) -> bool {
    ticks.windows(2).any(|pair| {
        let half = |it: &TimeTick| look.width(&it.label, look.label) / 2.0;
        x.at(pair[1].at) - x.at(pair[0].at) < half(&pair[0]) + half(&pair[1]) + look.label * 0.7
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Style;
    use crate::Theme;
    use crate::kinds;

    fn look() -> Look {
        let (theme, style, null) = (Theme::default(), Style::default(), serde_json::Value::Null);
        Look::of(&Chart {
            kind: kinds::kinds().first().expect("a kind"),
            title: "",
            settings: &null,
            data: &[],
            theme: &theme,
            style: &style,
            width: 720.0,
            height: 405.0,
            locale: Locale::default(),
            interactive: false,
            id_prefix: "",
        })
    }

    #[test]
    fn ticks_are_no_finer_than_the_moments() {
        let look = look();
        let labels = |moments: &[f64]| {
            let axis = TimeAxis::over(moments, (0.0, 640.0), &look, Locale::default());
            axis.ticks.iter().map(|it| it.label.clone()).collect::<Vec<_>>()
        };
        let on = |month: i32, day: i32| date::moment(2026, month, day);
        assert_eq!(labels(&[on(1, 5), on(1, 6), on(1, 7)]), ["5 Jan", "6 Jan", "7 Jan"]);
        assert_eq!(labels(&[on(1, 5)]), ["5 Jan"]);
        assert_eq!(labels(&[on(1, 1), on(2, 1), on(3, 1)]), ["Jan", "Feb", "Mar"]);
        let years: Vec<f64> = (2024..=2026).map(|it| date::moment(it, 1, 1)).collect();
        assert_eq!(labels(&years), ["2024", "2025", "2026"]);
        assert!(labels(&[on(1, 5), on(1, 5) + 3600.0]).len() > 2);
    }

    #[test]
    fn ordered_moments_stand_at_equal_distances_and_ticks_at_the_next_of_them() {
        let look = look();
        // Thursday, Friday, and the Monday to Wednesday after: 2025-03-08 was a Saturday.
        let days = [6, 7, 10, 11, 12].map(|day| date::moment(2025, 3, day));
        let axis = TimeAxis::by_order(&days, (0.0, 500.0), &look, Locale::default());
        assert!((axis.x.at(2.0) - axis.x.at(1.0) - 100.0).abs() < 1e-9);
        assert!(axis.ticks.iter().all(|it| it.at < 5.0 && it.at.fract() == 0.0));
        assert!(
            TimeAxis::by_order(&[], (0.0, 9.0), &look, Locale::default()).x.at(0.0).is_finite()
        );
    }
}
