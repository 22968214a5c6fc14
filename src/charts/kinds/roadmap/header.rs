//! Header of a roadmap: months, quarters or years above the columns of the plot.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::date;
use crate::frame::ChartStyle;
use crate::frame::time::TimeAxis;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Stroke, Text};

/// The time axis and the columns of the header.
pub struct TimeHeader {
    axis: TimeAxis,
    /// Number of months per column. None if no column is wide enough for its label. The header then
    /// shows the labels of the time axis.
    months_per_column: Option<i32>,
}

impl TimeHeader {
    /// Returns a header with complete columns that cover the time from `first` to `last`.
    ///
    /// Chooses the shortest columns that fit and are not shorter than the setting `unit`. By
    /// default, quarters are the shortest from 130 days on. If none fits, the header has no
    /// columns. `first` and `last` are in seconds since 1970, `range` is the extent of the plot in
    /// points.
    pub fn new(
        chart: &Chart,
        (first, last): (f64, f64),
        range: (f64, f64),
        style: &ChartStyle,
    ) -> TimeHeader {
        let candidates: &[i32] = match chart.str_setting("unit") {
            "month" => &[1, 3, 12],
            "quarter" => &[3, 12],
            "year" => &[12],
            _ if last - first < 130.0 * date::DAY_SECONDS => &[1, 3, 12],
            _ => &[3, 12],
        };
        let fits = |months_per_column: &&i32| {
            let (from, to) = (
                find_column_start(first, **months_per_column),
                find_column_start(last - 1.0, **months_per_column),
            );
            let count = ((to - from) / (f64::from(**months_per_column) * 30.4 * date::DAY_SECONDS))
                .round()
                + 1.0;
            let label_width = style.text_width(
                if **months_per_column == 1 { "Mmm." } else { "2000" },
                style.label_size,
            );
            (range.1 - range.0) / count >= label_width + style.label_size * 0.6
        };
        let months_per_column = candidates.iter().find(fits).copied();
        let domain = match months_per_column {
            Some(months_per_column) => (
                find_column_start(first, months_per_column),
                find_next_column_start(
                    find_column_start(last - 1.0, months_per_column),
                    months_per_column,
                ),
            ),
            None => (first, last),
        };
        TimeHeader { axis: TimeAxis::new(domain, range, style, chart.locale()), months_per_column }
    }

    /// Returns the scale from timestamps in seconds since 1970 to x coordinates in points.
    pub fn scale(&self) -> LinearScale {
        self.axis.x
    }

    /// Returns the height of the header in points. Above months and quarters it includes a line of years.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        match self.months_per_column {
            Some(12) => style.label_size * 1.7,
            Some(_) => style.label_size * 2.9,
            None => self.axis.height(style),
        }
    }

    /// Draws the labels of the columns above `plot`, and grid lines between the columns if
    /// `with_grid` is true. Unless the columns are years, their years are above the labels, and the
    /// line at the start of a year is darker.
    ///
    /// Without columns, draws the labels of the time axis, and its grid lines if `with_grid` is true.
    pub fn draw(
        &self,
        chart: &Chart,
        plot: Rect,
        with_grid: bool,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let top = plot.y0 - self.height(style);
        let Some(months_per_column) = self.months_per_column else {
            if with_grid {
                self.axis.draw_gridlines(scene, style, plot);
            }
            return self.axis.draw_labels(scene, style, top - 6.0 * style.unit);
        };
        let (start, end) = self.axis.x.domain;
        let baseline = plot.y0 - style.label_size * 0.75;
        let mut current = start;
        let mut year = HeaderYear { number: date::to_civil(start).year, start };
        while current < end {
            let next_start = find_next_column_start(current, months_per_column);
            let date = date::to_civil(current);
            if date.year != year.number {
                self.draw_year(&year, current, months_per_column, top, style, scene);
                year = HeaderYear { number: date.year, start: current };
            }
            let label = match months_per_column {
                1 => date::month_name(date.month, chart.locale()).to_owned(),
                3 => style.locale.format_quarter(date.month.div_ceil(3)),
                _ => date::format_year(date.year, chart.locale()),
            };
            let center = f64::midpoint(self.axis.x.at(current), self.axis.x.at(next_start));
            let label_text =
                style.label_text(center, baseline, Anchor::Middle, style.label_size, &label);
            scene.text(Text { color: style.muted_color, ..label_text });
            if with_grid && current > start {
                let color = if date.month == 1 && months_per_column < 12 {
                    style.axis_color.mix(style.background, 0.55)
                } else {
                    style.grid_color
                };
                let x = self.axis.x.at(current);
                scene.line((x, plot.y0), (x, plot.y1), Stroke::new(color, 1.0));
            }
            current = next_start;
        }
        self.draw_year(&year, end, months_per_column, top, style, scene);
    }

    /// Draws the number of a year centered above its months or quarters, which end at the timestamp
    /// `end`. `top` is the upper edge of the header in points. Draws nothing if the columns are years
    /// or the number is wider than the columns of the year.
    fn draw_year(
        &self,
        year: &HeaderYear,
        end: f64,
        months_per_column: i32,
        top: f64,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let (left, right) = (self.axis.x.at(year.start), self.axis.x.at(end));
        let label_text = style.label_text(
            f64::midpoint(left, right),
            top + ASCENT_EM * style.label_size,
            Anchor::Middle,
            style.label_size,
            &date::format_year(year.number, style.locale),
        );
        if months_per_column < 12 && label_text.width <= right - left {
            scene.text(label_text);
        }
    }
}

/// A calendar year, as far as the header covers it.
struct HeaderYear {
    /// Number of the year.
    number: i32,
    /// Start of its first column in seconds since 1970.
    start: f64,
}

/// Returns the start of the month, quarter or year (1, 3 or 12 months) that contains the timestamp.
/// Both are in seconds since 1970.
fn find_column_start(timestamp: f64, months_per_column: i32) -> f64 {
    let date = date::to_civil(timestamp);
    date::timestamp(
        date.year,
        (date.month as i32 - 1) / months_per_column * months_per_column + 1,
        1,
    )
}

/// Returns the start of the column after the one that starts at `start`. Both are in seconds since
/// 1970.
fn find_next_column_start(start: f64, months_per_column: i32) -> f64 {
    let date = date::to_civil(start);
    date::timestamp(date.year, date.month as i32 + months_per_column, 1)
}
