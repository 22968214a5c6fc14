//! Curves out of records: what stands along x, the values of each series, and a sentence on them.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::{NumberFormat, Rules, date};

/// What stands along the x axis, one entry a point of every curve.
pub enum Along<'a> {
    /// Names at equal distances.
    Names(Vec<Cow<'a, str>>),
    /// Moments in seconds, rising.
    Moments(Vec<f64>),
}

/// One series over the x axis.
pub struct Curve {
    /// Key, name and colour.
    pub series: Series,
    /// The record of each point.
    pub rows: Vec<usize>,
    /// The value itself, for labels and tips.
    pub values: Vec<Option<f64>>,
    /// Where the line runs: the value, or the top of a stacked layer.
    pub tops: Vec<Option<f64>>,
    /// Where a stacked layer begins; empty when the area reaches down to zero.
    pub bottoms: Vec<f64>,
}

/// The records in drawing order with what stands along x. Labels that are all dates (with a month
/// at least) make a time axis; `dates_only` drops records whose date cannot be read.
pub fn along<'a>(
    chart: &Chart<'a>,
    dates_only: bool,
    scene: &mut Scene,
) -> (Vec<usize>, Along<'a>) {
    let moment = |record: &serde_json::Value| {
        let date = data::moment(data::field(record, "date"));
        date.or_else(|| data::moment(data::field(record, "label")))
    };
    let has_month = |record: &serde_json::Value| {
        let date = data::field(record, "date");
        let given = if date.is_null() { data::field(record, "label") } else { date };
        given.as_str().is_some_and(|it| it.len() >= 6)
    };
    let dated = dates_only
        || !chart.data.is_empty()
            && chart.data.iter().all(|it| has_month(it) && moment(it).is_some());
    if !dated {
        return (
            (0..chart.data.len()).collect(),
            Along::Names(chart.data.iter().map(data::label).collect()),
        );
    }
    let mut rows: Vec<(f64, usize)> = (chart.data.iter().enumerate())
        .filter_map(|(row, record)| moment(record).map(|moment| (moment, row)))
        .collect();
    if rows.len() < chart.data.len() {
        scene.warn("Records without a readable date are left out.");
    }
    rows.sort_by(|one, two| one.0.total_cmp(&two.0));
    (
        rows.iter().map(|it| it.1).collect(),
        Along::Moments(rows.into_iter().map(|it| it.0).collect()),
    )
}

/// The curves of all series over these records, not stacked.
pub fn curves(chart: &Chart, rows: &[usize]) -> Vec<Curve> {
    let curve = |series: Series| {
        let mut place = 0;
        let value = |row: &usize| {
            data::number(data::field_near(&chart.data[*row], &series.key, &mut place))
        };
        let values: Vec<Option<f64>> = rows.iter().map(value).collect();
        let tops = values.clone();
        Curve { series, rows: rows.to_vec(), values, tops, bottoms: Vec::new() }
    };
    let all = chart.series().into_iter().map(curve);
    all.filter(|it| it.values.iter().any(Option::is_some)).collect()
}

/// How the values of all curves are written.
pub fn format(curves: &[Curve], rules: &Rules, chart: &Chart) -> NumberFormat {
    let all = curves.iter().flat_map(|it| it.values.iter().flatten()).copied();
    NumberFormat::for_values(all, rules, chart.language())
}

/// Says in words what the lines show.
pub fn describe(
    noun: &str,
    curves: &[Curve],
    along: &Along,
    format: &NumberFormat,
    chart: &Chart,
) -> String {
    let all = || curves.iter().flat_map(|it| it.values.iter().flatten()).copied();
    let day = |it: Option<&f64>| {
        it.map_or(String::new(), |it| date::day_text(*it, true, chart.language()))
    };
    let (first, last) = match along {
        Along::Names(names) => (
            names.first().map_or(String::new(), |it| it.to_string()),
            names.last().map_or(String::new(), |it| it.to_string()),
        ),
        Along::Moments(moments) => (day(moments.first()), day(moments.last())),
    };
    let ends: Vec<String> = curves
        .iter()
        .take(8)
        .filter_map(|it| {
            let end = it.values.iter().rev().flatten().next()?;
            Some(format!("{} {}", it.series.title, format.text(*end)))
        })
        .collect();
    format!(
        "{noun} with {} series from {first} to {last}, values from {} to {}. Last values: {}.",
        curves.len(),
        format.text(all().fold(f64::INFINITY, f64::min)),
        format.text(all().fold(f64::NEG_INFINITY, f64::max)),
        ends.join(", "),
    )
}
