//! The segments of stacked columns on the value axis.

use crate::Chart;
use crate::Series;
use crate::data;

/// A segment of a column: the part of one series.
pub struct Segment {
    /// Index of its series.
    pub series: usize,
    /// Index of its record in the data.
    pub row: usize,
    /// Position of its column, from 0.
    pub column: usize,
    /// Value on the axis at which the segment starts, on the side of zero.
    pub from: f64,
    /// Value on the axis at which the segment ends.
    pub to: f64,
    /// Value in labels, in percent mode the share.
    pub value: f64,
}

/// Total of a column.
pub struct ColumnTotal {
    /// Value on the axis at which the column ends: above zero, unless all its segments are below.
    pub end: f64,
    /// Sum of all segments, for the label.
    pub sum: f64,
}

impl ColumnTotal {
    /// Returns whether the sum is less than the end, because some segments are below zero.
    pub fn is_net(&self) -> bool {
        self.sum != self.end
    }
}

/// All columns with their segments on the value axis.
pub struct StackedColumns {
    /// Record indexes in the order of the columns.
    pub order: Vec<usize>,
    /// Segments, ordered by column.
    pub segments: Vec<Segment>,
    /// Total of each column. None for an empty column.
    pub totals: Vec<Option<ColumnTotal>>,
}

/// Stacks the values of each record in the order of the series: positive values upwards from zero,
/// negative ones downwards. The columns are in the order of the setting `sort`.
///
/// With `percent`, the magnitudes of a column add up to 100, unless all its values are zero or
/// missing. Records without a number in a series get no segment for it.
pub fn stack_values(chart: &Chart, series: &[Series], percent: bool) -> StackedColumns {
    let read = |record| -> Vec<Option<f64>> {
        series.iter().map(|series| data::number(data::field(record, &series.key))).collect()
    };
    let rows: Vec<Vec<Option<f64>>> = chart.data.iter().map(read).collect();
    let sort_keys: Vec<_> = rows.iter().map(|values| compute_sort_key(values, percent)).collect();
    let order = chart.sorted_indices(&sort_keys);
    let mut segments = Vec::with_capacity(rows.len() * series.len());
    let mut totals = Vec::with_capacity(rows.len());
    for (column, (row, values)) in
        order.iter().filter_map(|row| Some((*row, rows.get(*row)?))).enumerate()
    {
        let whole: f64 = values.iter().flatten().map(|value| value.abs()).sum();
        let scale = if !percent || whole == 0.0 { 1.0 } else { 100.0 / whole };
        let (mut above, mut below, mut sum, mut has_value) = (0.0, 0.0, 0.0, false);
        for (index, value) in values.iter().enumerate() {
            let Some(exact) = value.map(|value| value * scale) else { continue };
            let end = if exact < 0.0 { &mut below } else { &mut above };
            segments.push(Segment {
                series: index,
                row,
                column,
                from: *end,
                to: *end + exact,
                value: exact,
            });
            *end += exact;
            sum += exact;
            has_value = true;
        }
        let end = if above == 0.0 { below } else { above };
        // The order of additions must not make a difference between both.
        let sum = if above == 0.0 || below == 0.0 { end } else { sum };
        totals.push(has_value.then_some(ColumnTotal { end, sum }));
    }
    StackedColumns { order, segments, totals }
}

/// Returns the number by which columns are sorted: the total, or in percent mode the share of the
/// first series, 0 to 1, negative for a negative value. None for a record without values.
fn compute_sort_key(values: &[Option<f64>], percent: bool) -> Option<f64> {
    values.iter().flatten().next()?;
    let sum_of = |transform: fn(f64) -> f64| {
        values.iter().flatten().map(|value| transform(*value)).sum::<f64>()
    };
    if !percent {
        return Some(sum_of(|value| value));
    }
    let first = values.first().copied().flatten().unwrap_or(0.0);
    let whole = sum_of(f64::abs);
    Some(if whole == 0.0 { 0.0 } else { first / whole })
}
