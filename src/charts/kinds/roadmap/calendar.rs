//! The heading of a roadmap: months, quarters or years, each over its column.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::Word;
use crate::format::date;
use crate::frame::Look;
use crate::frame::time::TimeAxis;
use crate::scale::Linear;
use crate::scene::{ASCENT, Anchor, Stroke, Text};

/// The time axis with its columns.
pub struct Calendar {
    axis: TimeAxis,
    /// Months of a column; none when no column has room for its name, and the axis stands alone.
    months: Option<i32>,
}

impl Calendar {
    /// Whole columns over the span of the items.
    pub fn new(chart: &Chart, (low, high): (f64, f64), range: (f64, f64), look: &Look) -> Calendar {
        let wanted: &[i32] = match chart.word("unit") {
            "month" => &[1, 3, 12],
            "quarter" => &[3, 12],
            "year" => &[12],
            _ if high - low < 130.0 * date::DAY => &[1, 3, 12],
            _ => &[3, 12],
        };
        let fitting = |months: &&i32| {
            let (from, to) = (floor(low, **months), floor(high - 1.0, **months));
            let count = ((to - from) / (f64::from(**months) * 30.4 * date::DAY)).round() + 1.0;
            let widest = look.width(if **months == 1 { "Mmm." } else { "2000" }, look.label);
            (range.1 - range.0) / count >= widest + look.label * 0.6
        };
        let months = wanted.iter().find(fitting).copied();
        let domain = match months {
            Some(it) => (floor(low, it), after(floor(high - 1.0, it), it)),
            None => (low, high),
        };
        Calendar { axis: TimeAxis::new(domain, range, look, chart.language()), months }
    }

    /// Moments to points.
    pub fn x(&self) -> Linear {
        self.axis.x
    }

    /// Height of the heading in points.
    pub fn height(&self, look: &Look) -> f64 {
        match self.months {
            Some(12) => look.label * 1.7,
            Some(_) => look.label * 2.9,
            None => self.axis.height(look),
        }
    }

    /// Writes the heading and draws a rule between columns, stronger where a year begins.
    pub fn draw(&self, chart: &Chart, plot: Rect, grid: bool, look: &Look, scene: &mut Scene) {
        let top = plot.y0 - self.height(look);
        let Some(months) = self.months else {
            if grid {
                self.axis.draw_rules(scene, look, plot);
            }
            return self.axis.draw_labels(scene, look, top - 6.0 * look.unit);
        };
        let (low, high) = self.axis.x.domain;
        let base = plot.y0 - look.label * 0.75;
        let mut at = low;
        let mut year = (low, date::civil(low).year);
        while at < high {
            let next = after(at, months);
            let it = date::civil(at);
            if it.year != year.1 {
                self.year(year, at, months, top, look, scene);
                year = (at, it.year);
            }
            let words = match months {
                1 => date::month_name(it.month, chart.language()).to_owned(),
                3 => format!("{}{}", look.locale.word(Word::Quarter), it.month.div_ceil(3)),
                _ => it.year.to_string(),
            };
            let middle = f64::midpoint(self.axis.x.at(at), self.axis.x.at(next));
            let set = look.text(middle, base, Anchor::Middle, look.label, &words);
            scene.text(Text { color: look.muted, ..set });
            if grid && at > low {
                let color = if it.month == 1 && months < 12 {
                    look.axis.mix(look.background, 0.55)
                } else {
                    look.grid
                };
                let x = self.axis.x.at(at);
                scene.line((x, plot.y0), (x, plot.y1), Stroke::new(color, 1.0));
            }
            at = next;
        }
        self.year(year, high, months, top, look, scene);
    }

    /// Writes a year over its months or quarters.
    fn year(
        &self,
        (from, year): (f64, i32),
        to: f64,
        months: i32,
        top: f64,
        look: &Look,
        scene: &mut Scene,
    ) {
        let (left, right) = (self.axis.x.at(from), self.axis.x.at(to));
        let words = year.to_string();
        let set = look.text(
            f64::midpoint(left, right),
            top + ASCENT * look.label,
            Anchor::Middle,
            look.label,
            &words,
        );
        if months < 12 && set.width <= right - left {
            scene.text(set);
        }
    }
}

/// The start of the column that a moment lies in.
fn floor(moment: f64, months: i32) -> f64 {
    let it = date::civil(moment);
    date::moment(it.year, (it.month as i32 - 1) / months * months + 1, 1)
}

/// The start of the next column.
fn after(start: f64, months: i32) -> f64 {
    let it = date::civil(start);
    date::moment(it.year, it.month as i32 + months, 1)
}
