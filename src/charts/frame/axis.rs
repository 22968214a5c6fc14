//! Value axes: their range, ticks and labels, and the rules across the plot.

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{NumberFormat, Rules};
use crate::frame::Look;
use crate::scale;
use crate::scale::Linear;
use crate::scale::Ticks;
use crate::scene::{Anchor, CENTER, Stroke, Text};

/// A value axis before it has a place: range, ticks and their labels.
#[derive(Clone, Debug)]
pub struct Values {
    /// Both ends of the axis; round unless settings say otherwise.
    pub domain: (f64, f64),
    /// Round ticks, all within the domain.
    pub ticks: Ticks,
    /// A label for each tick.
    pub labels: Vec<String>,
    /// Width of the widest label in points.
    pub widest: f64,
}

/// What decides the range of an axis beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zero {
    /// Marks are lengths: the axis holds zero, whatever the settings say.
    Always,
    /// Marks are places: zero only when the data are near it.
    WhenNear,
    /// Marks are places in two directions: zero only when the data all but touch it.
    WhenTouched,
}

impl Values {
    /// An axis for data between `low` and `high`, `length` points long, with a tick about every
    /// `spacing` points. `axis.min` and `axis.max` of the settings move the ends.
    pub fn new(
        chart: &Chart,
        look: &Look,
        (low, high): (f64, f64),
        zero: Zero,
        (length, spacing): (f64, f64),
        rules: &Rules,
    ) -> Values {
        let (mut low, mut high) = (low.min(high), low.max(high));
        // A line that stays within the upper third would waste the space down to zero.
        let share = if zero == Zero::WhenTouched { 0.15 } else { 0.4 };
        let near = low >= 0.0 && low <= share * high || high <= 0.0 && high >= share * low;
        if zero == Zero::Always || near {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let (min, max) = (chart.axis_end("min"), chart.axis_end("max"));
        let (min, max) = match zero {
            Zero::Always => (min.filter(|it| *it <= low), max.filter(|it| *it >= high)),
            Zero::WhenNear | Zero::WhenTouched => (min, max),
        };
        let (from, to) = (min.unwrap_or(low), max.unwrap_or(high));
        let (from, to) = if from < to { (from, to) } else { (low, high) };
        let wanted = (length / spacing).round() as usize;
        let (round, mut ticks) = scale::nice(from, to, wanted.min(MOST_TICKS));
        // About a single value the ticks tell where it stands.
        let round = if from < to { trimmed(round, (from, to), ticks.step) } else { round };
        let fixed = |end: Option<f64>, wish: f64, round: f64| match end {
            Some(end) if end == wish => end,
            _ => round,
        };
        let domain = (fixed(min, from, round.0), fixed(max, to, round.1));
        let slack = ticks.step * 1e-6;
        ticks.values.retain(|it| *it >= domain.0 - slack && *it <= domain.1 + slack);
        let format = NumberFormat::for_axis(ticks.largest(), ticks.step, rules, chart.language());
        let labels: Vec<String> = ticks.values.iter().map(|it| format.text(*it)).collect();
        let widest = labels.iter().map(|it| look.width(it, look.label)).fold(0.0, f64::max);
        Values { domain, ticks, labels, widest }
    }

    /// The values at which rules show: none where they have the colour of the ground.
    fn ruled(&self, look: &Look) -> &[f64] {
        if look.grid == look.background { &[] } else { &self.ticks.values }
    }

    /// Whether values lie on both sides of zero, which then has a line of its own.
    pub fn crosses_zero(&self) -> bool {
        self.domain.0 < 0.0 && self.domain.1 > 0.0
    }

    /// Draws level rules across `plot` with their labels to the left of it, right-aligned.
    pub fn draw_left(&self, scene: &mut Scene, look: &Look, plot: Rect, y: &Linear) {
        let grid = Stroke::new(look.grid, 1.0);
        for value in self.ruled(look) {
            let at = y.at(*value);
            scene.line(Point::new(plot.x0, at), Point::new(plot.x1, at), grid);
        }
        for (value, label) in self.ticks.values.iter().zip(&self.labels) {
            let baseline = y.at(*value) + CENTER * look.label;
            let x = plot.x0 - GAP * look.unit;
            let text = look.text(x, baseline, Anchor::End, look.label, label);
            scene.text(Text { color: look.muted, ..text });
        }
    }

    /// Writes the labels right of `plot`, left-aligned in this ink, without rules: those of the
    /// left axis serve both.
    pub fn draw_right(&self, scene: &mut Scene, look: &Look, plot: Rect, y: &Linear, ink: Color) {
        for (value, label) in self.ticks.values.iter().zip(&self.labels) {
            let baseline = y.at(*value) + CENTER * look.label;
            let x = plot.x1 + GAP * look.unit;
            let text = look.text(x, baseline, Anchor::Start, look.label, label);
            scene.text(Text { color: ink, ..text });
        }
    }

    /// Draws plumb rules across `plot` with their labels under it. Labels that would touch their
    /// neighbours are left out by a common step.
    pub fn draw_bottom(&self, scene: &mut Scene, look: &Look, plot: Rect, x: &Linear) {
        let grid = Stroke::new(look.grid, 1.0);
        for value in self.ruled(look) {
            let at = x.at(*value);
            scene.line(Point::new(at, plot.y0), Point::new(at, plot.y1), grid);
        }
        let pitch = match self.ticks.values.as_slice() {
            [one, two, ..] => (x.at(*two) - x.at(*one)).abs(),
            _ => f64::INFINITY,
        };
        let every = ((self.widest + 8.0) / pitch.max(0.1)).ceil().clamp(1.0, 1e6) as usize;
        let baseline = plot.y1 + look.unit * 6.0 + look.label * 0.76;
        for (value, label) in self.ticks.values.iter().zip(&self.labels).step_by(every) {
            let half = look.width(label, look.label) / 2.0;
            let at = x.at(*value).clamp(4.0 + half, (scene.width - 4.0 - half).max(4.0 + half));
            let text = look.text(at, baseline, Anchor::Middle, look.label, label);
            scene.text(Text { color: look.muted, ..text });
        }
    }

    /// Height in points that [`Values::draw_bottom`] needs under the plot.
    pub fn height(look: &Look) -> f64 {
        look.unit * 6.0 + look.label
    }

    /// Width in points that [`Values::draw_left`] needs left of the plot.
    pub fn width(&self, look: &Look) -> f64 {
        if self.labels.is_empty() { 0.0 } else { self.widest + GAP * look.unit }
    }
}

/// More ticks than this make a grid louder than the data.
const MOST_TICKS: usize = 6;

/// Ends an axis with the data where a whole step would stay mostly empty.
fn trimmed(round: (f64, f64), (low, high): (f64, f64), step: f64) -> (f64, f64) {
    let air = step * 0.05;
    // A line at the end keeps its distance from the rule next to it.
    let apart = |end: f64| {
        let next = (end / step).ceil() * step;
        if next - end < step * 0.2 { next - step * 0.2 } else { end }
    };
    let wasteful = |end: f64, data: f64| (end - data).abs() > step * 0.6 && data != 0.0;
    (
        if wasteful(round.0, low) { apart(low - air) } else { round.0 },
        if wasteful(round.1, high) { high + air } else { round.1 },
    )
}

/// Space between tick labels and the plot, in units.
const GAP: f64 = 8.0;

/// Points from one level rule to the next that look calm on this canvas.
pub fn row_spacing(look: &Look) -> f64 {
    48.0 * look.unit
}

/// Points from one plumb rule to the next that leave room for labels.
pub fn column_spacing(look: &Look) -> f64 {
    80.0 * look.unit
}

/// How rules and ticks look: without `showGrid` the numbers stay, since nothing else tells them.
pub fn ruled<'a>(chart: &Chart, look: &'a Look) -> Cow<'a, Look> {
    if chart.flag("showGrid", true) {
        return Cow::Borrowed(look);
    }
    Cow::Owned(Look { grid: look.background, ..look.clone() })
}

/// The line that bars stand on, stronger than the rules.
pub fn base_line(scene: &mut Scene, look: &Look, from: impl Into<Point>, to: impl Into<Point>) {
    scene.line(from, to, Stroke::new(look.axis, 1.0));
}

/// The name of the value axis (`axis.title`), level above the plot; returns the height it took.
pub fn title(chart: &Chart, look: &Look, scene: &mut Scene, area: Rect) -> f64 {
    let words = crate::data::words(&chart.setting("axis")["title"]);
    let fitted = crate::text::fit(&words, area.width(), look.label, look.face());
    if fitted.is_empty() || area.height() < look.label * 6.0 {
        return 0.0;
    }
    let baseline = area.y0 + crate::scene::ASCENT * look.label;
    let text = look.text(area.x0, baseline, Anchor::Start, look.label, &fitted);
    scene.text(Text { color: look.muted, ..text });
    look.label * 1.5
}
