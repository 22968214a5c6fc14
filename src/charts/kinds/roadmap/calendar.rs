//! The heading of a roadmap: months, quarters or years, each over its column.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::Term;
use crate::format::date;
use crate::frame::ChartStyle;
use crate::frame::time::TimeAxis;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};

/// The time axis with its columns.
pub struct Calendar {
    axis: TimeAxis,
    /// Months of a column; none when no column has room for its name, and the axis stands alone.
    months: Option<i32>,
}

impl Calendar {
    /// Whole columns over the span of the items.
    pub fn new(
        chart: &Chart,
        (low, high): (f64, f64),
        range: (f64, f64),
        style: &ChartStyle,
    ) -> Calendar {
        let wanted: &[i32] = match chart.str_setting("unit") {
            "month" => &[1, 3, 12],
            "quarter" => &[3, 12],
            "year" => &[12],
            _ if high - low < 130.0 * date::DAY_SECONDS => &[1, 3, 12],
            _ => &[3, 12],
        };
        let fitting = |months: &&i32| {
            let (from, to) = (floor(low, **months), floor(high - 1.0, **months));
            let count =
                ((to - from) / (f64::from(**months) * 30.4 * date::DAY_SECONDS)).round() + 1.0;
            let widest =
                style.text_width(if **months == 1 { "Mmm." } else { "2000" }, style.label_size);
            (range.1 - range.0) / count >= widest + style.label_size * 0.6
        };
        let months = wanted.iter().find(fitting).copied();
        let domain = match months {
            Some(it) => (floor(low, it), after(floor(high - 1.0, it), it)),
            None => (low, high),
        };
        Calendar { axis: TimeAxis::new(domain, range, style, chart.locale()), months }
    }

    /// Moments to points.
    pub fn x(&self) -> LinearScale {
        self.axis.x
    }

    /// Height of the heading in points.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        match self.months {
            Some(12) => style.label_size * 1.7,
            Some(_) => style.label_size * 2.9,
            None => self.axis.height(style),
        }
    }

    /// Writes the heading and draws a rule between columns, stronger where a year begins.
    pub fn draw(
        &self,
        chart: &Chart,
        plot: Rect,
        grid: bool,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let top = plot.y0 - self.height(style);
        let Some(months) = self.months else {
            if grid {
                self.axis.draw_gridlines(scene, style, plot);
            }
            return self.axis.draw_labels(scene, style, top - 6.0 * style.unit);
        };
        let (low, high) = self.axis.x.domain;
        let base = plot.y0 - style.label_size * 0.75;
        let mut at = low;
        let mut year = (low, date::to_civil(low).year);
        while at < high {
            let next = after(at, months);
            let it = date::to_civil(at);
            if it.year != year.1 {
                self.year(year, at, months, top, style, scene);
                year = (at, it.year);
            }
            let words = match months {
                1 => date::month_name(it.month, chart.locale()).to_owned(),
                3 => format!("{}{}", style.locale.translate(Term::Quarter), it.month.div_ceil(3)),
                _ => it.year.to_string(),
            };
            let middle = f64::midpoint(self.axis.x.at(at), self.axis.x.at(next));
            let set = style.label_text(middle, base, Anchor::Middle, style.label_size, &words);
            scene.text(Text { color: style.muted_color, ..set });
            if grid && at > low {
                let color = if it.month == 1 && months < 12 {
                    style.axis_color.mix(style.background, 0.55)
                } else {
                    style.grid_color
                };
                let x = self.axis.x.at(at);
                scene.line((x, plot.y0), (x, plot.y1), Stroke::new(color, 1.0));
            }
            at = next;
        }
        self.year(year, high, months, top, style, scene);
    }

    /// Writes a year over its months or quarters.
    fn year(
        &self,
        (from, year): (f64, i32),
        to: f64,
        months: i32,
        top: f64,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let (left, right) = (self.axis.x.at(from), self.axis.x.at(to));
        let words = year.to_string();
        let set = style.label_text(
            f64::midpoint(left, right),
            top + ASCENT_EM * style.label_size,
            Anchor::Middle,
            style.label_size,
            &words,
        );
        if months < 12 && set.width <= right - left {
            scene.text(set);
        }
    }
}

/// The start of the column that a moment lies in.
fn floor(moment: f64, months: i32) -> f64 {
    let it = date::to_civil(moment);
    date::timestamp(it.year, (it.month as i32 - 1) / months * months + 1, 1)
}

/// The start of the next column.
fn after(start: f64, months: i32) -> f64 {
    let it = date::to_civil(start);
    date::timestamp(it.year, it.month as i32 + months, 1)
}
