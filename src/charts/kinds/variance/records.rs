//! Rows of a variance chart: actual and planned values with their difference.

use std::borrow::Cow;

use crate::Chart;
use crate::data;
use crate::differences;
use crate::format::{FormatRules, NumberFormat};

/// A record with its values and their texts.
pub struct Row<'a> {
    /// Index of the record in the data.
    pub row: usize,
    pub label: Cow<'a, str>,
    pub actual: Option<f64>,
    pub plan: Option<f64>,
    /// Whether the actual value is only expected.
    pub is_forecast: bool,
    /// Whether the marks are faded, because others are highlighted.
    pub is_faded: bool,
    /// Formatted actual value. Empty without one.
    pub actual_text: String,
    /// Formatted planned value. Empty without one.
    pub plan_text: String,
    /// Actual minus planned value. None unless both are present.
    pub absolute: Option<Difference>,
    /// Difference in percent of the planned value. None unless both values are present.
    pub relative: Option<RelativeDifference>,
}

/// A difference with its text.
#[derive(Clone)]
pub struct Difference {
    pub value: f64,
    /// Formatted difference with its sign.
    pub text: String,
}

/// A difference in percent of the planned value.
#[derive(Clone)]
pub enum RelativeDifference {
    Percent(Difference),
    /// The planned value is zero, negative or tiny, so that a percentage has no meaning.
    Undefined,
}

impl Row<'_> {
    /// Returns the difference in percent of the plan. None if a value is missing, or if a percentage has no
    /// meaning.
    pub fn percent(&self) -> Option<&Difference> {
        match &self.relative {
            Some(RelativeDifference::Percent(difference)) => Some(difference),
            _ => None,
        }
    }
}

/// Reads one row per record, also if values are missing. The setting `sort` sorts by the value that
/// `sortBy` names, by default the absolute difference. Otherwise the order is that of the data.
pub fn read_rows<'a>(chart: &Chart<'a>) -> Vec<Row<'a>> {
    let number = |record, key: &str| data::number(data::field(record, key));
    let all: Vec<(Option<f64>, Option<f64>)> = (chart.data.iter())
        .map(|record| (number(record, "actual"), number(record, "plan")))
        .collect();
    let differences: Vec<Option<f64>> = all
        .iter()
        .map(|(actual, plan)| Some(differences::subtract((*plan)?, (*actual)?)))
        .collect();
    let percents: Vec<Option<f64>> = (all.iter().zip(&differences))
        .map(|((_, plan), difference)| compute_percent(*difference, *plan))
        .collect();
    let formats = Formats::new(chart, &all, &differences, &percents);
    let sort_values: Vec<Option<f64>> = (0..all.len())
        .map(|index| match chart.str_setting("sortBy") {
            "actual" => all.get(index)?.0,
            "plan" => all.get(index)?.1,
            "percent" => percents.get(index).copied().flatten(),
            _ => differences.get(index).copied().flatten(),
        })
        .collect();
    let is_highlighted = |record| data::is_true(data::field(record, "highlighted"));
    let any_highlighted = chart.data.iter().any(is_highlighted);
    let read_row = |row: usize| {
        let (record, (actual, plan)) = (chart.data.get(row)?, *all.get(row)?);
        let text = |value: Option<f64>, format: &NumberFormat| {
            value.map_or(String::new(), |value| format.text(value))
        };
        let signed = |value: f64, format: &NumberFormat| Difference {
            value,
            text: format.signed_text(value),
        };
        let absolute = differences.get(row).copied().flatten();
        let relative = absolute.map(|_| match percents.get(row).copied().flatten() {
            Some(percent) => RelativeDifference::Percent(signed(percent, &formats.percent)),
            None => RelativeDifference::Undefined,
        });
        Some(Row {
            row,
            label: data::record_label(record),
            actual,
            plan,
            is_forecast: data::is_true(data::field(record, "isForecast")),
            is_faded: any_highlighted && !is_highlighted(record),
            actual_text: text(actual, &formats.actual),
            plan_text: text(plan, &formats.plan),
            absolute: absolute.map(|value| signed(value, &formats.difference)),
            relative,
        })
    };
    chart.sorted_indices(&sort_values).into_iter().filter_map(read_row).collect()
}

/// Returns a difference as percentage of the planned value. None if one of them is missing, if the planned
/// value is not positive, or if it is so small that the percentage is beyond all numbers that a chart can
/// show.
fn compute_percent(difference: Option<f64>, plan: Option<f64>) -> Option<f64> {
    let percent = difference? / plan.filter(|plan| *plan > 0.0)? * 100.0;
    // A tiny planned value gives a percentage beyond all numbers that a chart can show.
    (percent.abs() < 1e15).then_some(percent)
}

/// Number formats of the columns.
struct Formats {
    actual: NumberFormat,
    plan: NumberFormat,
    difference: NumberFormat,
    percent: NumberFormat,
}

impl Formats {
    /// Chooses one format each for actual values, planned values, differences and percentages, which suits
    /// all numbers of the chart. Percentages have a decimal only if all are below 10 % and one is not
    /// whole.
    fn new(
        chart: &Chart,
        all: &[(Option<f64>, Option<f64>)],
        differences: &[Option<f64>],
        percents: &[Option<f64>],
    ) -> Formats {
        let values = || all.iter().flat_map(|(actual, plan)| [*actual, *plan]).flatten();
        let format =
            |key| NumberFormat::for_values(values(), &chart.format_rules(key), chart.locale());
        let difference = differences::difference_format(
            differences.iter().flatten().copied(),
            values(),
            &chart.format_rules("actual"),
            chart.locale(),
        );
        let largest = percents.iter().flatten().map(|percent| percent.abs()).fold(0.0, f64::max);
        let is_whole = |percent: &f64| percent.fract() == 0.0;
        let needs_decimal = largest < 10.0 && !percents.iter().flatten().all(is_whole);
        let decimals = Some(usize::from(needs_decimal));
        let rules =
            FormatRules { percent: true, decimals, grouped: true, ..FormatRules::default() };
        let percent =
            NumberFormat::for_values(percents.iter().flatten().copied(), &rules, chart.locale());
        Formats { actual: format("actual"), plan: format("plan"), difference, percent }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::find_kind;

    #[test]
    fn percentages_need_a_planned_value_above_zero() {
        let data = [
            json!({"actual": 0.3, "plan": 0.1}),
            json!({"actual": 5, "plan": 0}),
            json!({"actual": 5, "plan": -10}),
            json!({"plan": 3}),
        ];
        let chart = Chart::new(find_kind("variance").unwrap(), &data);
        let rows = read_rows(&chart);
        assert_eq!(rows[0].percent().unwrap().text, "+200%");
        assert_eq!(rows[0].absolute.as_ref().unwrap().text, "+0.2");
        assert!(matches!(rows[1].relative, Some(RelativeDifference::Undefined)));
        assert!(matches!(rows[2].relative, Some(RelativeDifference::Undefined)));
        assert!(rows[3].relative.is_none() && rows[3].absolute.is_none());
    }
}
