//! The x axis of a burndown chart: dates, or steps of equal distance such as `Day 1` and `Mon`.

use std::borrow::Cow;

use kurbo::Rect;
use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::date::Precision;
use crate::format::{Omission, date};
use crate::frame::ChartStyle;
use crate::frame::category::ColumnLabels;
use crate::frame::time::TimeAxis;
use crate::scale::LinearScale;

/// Maximum height of the names of the steps as a share of the area of the chart.
const MAX_NAME_SHARE: f64 = 0.3;

/// A record with a readable date, or a step.
pub struct Day {
    /// Index of the record in the data.
    pub row: usize,
    /// Date in seconds since 1970-01-01, or the index of the step.
    pub moment: f64,
    /// Name of the step. None for a date.
    pub step_name: Option<String>,
    /// Planned remaining work.
    pub planned: Option<f64>,
    /// Actual remaining work.
    pub actual: Option<f64>,
}

/// The axis below the plot.
pub enum DayAxis {
    /// Dates.
    Dates(TimeAxis),
    /// Steps of equal distance.
    Steps {
        /// Scale from indexes of steps to points.
        x: LinearScale,
        /// Names of the steps.
        labels: ColumnLabels,
    },
}

impl DayAxis {
    /// Returns the axis of `days` between the x coordinates of `sides`. `height` is that of the plot
    /// with the axis, in points.
    pub fn new(
        chart: &Chart,
        days: &[Day],
        sides: (f64, f64),
        height: f64,
        style: &ChartStyle,
    ) -> DayAxis {
        let names: Option<Vec<Cow<str>>> =
            days.iter().map(|day| Some(Cow::Borrowed(day.step_name.as_deref()?))).collect();
        let Some(names) = names else {
            let moments: Vec<f64> = days.iter().map(|day| day.moment).collect();
            let locale = chart.locale();
            let axis = TimeAxis::for_timestamps(&moments, Precision::Day, sides, style, locale);
            return DayAxis::Dates(axis);
        };
        let last = days.len().saturating_sub(1).max(1) as f64;
        let step = (sides.1 - sides.0) / last;
        let labels = ColumnLabels::plan(&names, step, height * MAX_NAME_SHARE, style);
        DayAxis::Steps { x: LinearScale { domain: (0.0, last), range: sides }, labels }
    }

    /// Returns the scale from moments of days to points.
    pub fn scale(&self) -> LinearScale {
        match self {
            DayAxis::Dates(axis) => axis.x,
            DayAxis::Steps { x, .. } => *x,
        }
    }

    /// Returns the height of the labels below the plot in points.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        match self {
            DayAxis::Dates(axis) => axis.height(style),
            DayAxis::Steps { labels, .. } => labels.height,
        }
    }

    /// Draws the labels below `plot`.
    pub fn draw(&self, plot: Rect, style: &ChartStyle, scene: &mut Scene) {
        match self {
            DayAxis::Dates(axis) => {
                axis.draw_tick_marks(scene, style, plot.y1);
                axis.draw_labels(scene, style, plot.y1);
            }
            DayAxis::Steps { x, labels } => {
                labels.draw_at(scene, style, plot, |index| x.at(index as f64));
            }
        }
    }
}

/// Reads one day per record. If no record has a date, all records that are not blank are steps in
/// their order. Otherwise sorts the days by date, and the scene counts the records without a date.
pub fn read(chart: &Chart, scene: &mut Scene) -> Vec<Day> {
    let date_of = |record: &Value| data::timestamp(data::field(record, "date"));
    let has_dates = chart.data.iter().any(|record| date_of(record).is_some());
    let mut days = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let (moment, step_name) = match date_of(record) {
            Some(moment) => (moment, None),
            None if has_dates || data::is_blank(record) => continue,
            None => {
                let name = data::display_text(data::field(record, "date")).into_owned();
                (days.len() as f64, Some(name))
            }
        };
        let number = |key: &str| data::number(data::field(record, key));
        let (planned, actual) = (number("planned"), number("actual"));
        days.push(Day { row, moment, step_name, planned, actual });
    }
    if has_dates {
        scene.omit(Omission::NoDate, chart.record_count().saturating_sub(days.len()));
    }
    days.sort_by(|a, b| a.moment.total_cmp(&b.moment));
    days
}

impl Day {
    /// Returns the name of the step, or the date with its year.
    pub fn text(&self, chart: &Chart) -> String {
        let date = || date::format_day(self.moment, true, chart.locale());
        self.step_name.clone().unwrap_or_else(date)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::scene::Primitive;

    #[test]
    fn numbers_and_texts_are_steps_with_a_plan() {
        let names: [[Value; 4]; 3] = [
            [1, 2, 3, 4].map(Value::from),
            ["Day 1", "Day 2", "Day 3", "Day 4"].map(Value::from),
            ["Mon", "Tue", "Wed", "Thu"].map(Value::from),
        ];
        for names in names {
            let record = |(name, actual): (&Value, i32)| json!({ "date": name, "actual": actual });
            let data: Vec<Value> = names.iter().zip([30, 21, 12, 3]).map(record).collect();
            let scene = crate::draw(&Chart::new(crate::find_kind("burndown").unwrap(), &data));
            let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
            for name in &names {
                let name = data::display_text(name);
                assert!(texts.contains(&&*name), "{name}: {texts:?}");
            }
            let lines: Vec<Vec<kurbo::Point>> = (scene.shapes.iter())
                .filter_map(|shape| match &shape.primitive {
                    Primitive::Polyline { points, .. } => Some(points.clone()),
                    _ => None,
                })
                .collect();
            let [plan, actual] = lines.as_slice() else { panic!("{} lines", lines.len()) };
            assert_eq!((plan[0], plan.last().unwrap().x), (actual[0], actual[3].x));
            assert!((actual[1].x - actual[0].x - (actual[3].x - actual[2].x)).abs() < 1e-6);
        }
    }
}
