//! Butterfly chart: two measures of the same categories as bars left and right of a center column.
//!
//! The center column holds the category labels.
//!
//! Record: `label`, `left`, `right`, `highlighted` (optional flag). Both sides have the same scale,
//! so that lengths can be compared across the center. Settings: `leftTitle`, `rightTitle`,
//! `leftColor`, `rightColor`, `sort` (by both values together), `showValues`, `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::two_sided;
use crate::two_sided::{TwoSidedOptions, TwoSidedRow};

/// The butterfly chart.
pub const KIND: Kind = Kind { slug: "butterfly", draw };

/// Draws both sides, sorted by the sum of both values if the settings ask for it.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let options = TwoSidedOptions {
        name: "Butterfly chart",
        padding: 0.3,
        max_thickness: 36.0,
        show_values: true,
        reads_signs_as_sides: false,
    };
    two_sided::draw(chart, frame, scene, &options, |rows| sort_by_sum(chart, rows));
}

/// Sorts the rows by the sum of their values in the order of the setting `sort`; rows without a sum
/// come last. Without the setting, the rows keep their order.
///
/// The rows must be those of all records, in the order of the data.
fn sort_by_sum(chart: &Chart, rows: &mut [TwoSidedRow]) {
    let sums: Vec<Option<f64>> = rows.iter().map(TwoSidedRow::sum).collect();
    let mut positions = vec![0; rows.len()];
    for (position, record) in chart.sorted_indices(&sums).into_iter().enumerate() {
        if let Some(slot) = positions.get_mut(record) {
            *slot = position;
        }
    }
    rows.sort_by_key(|row| positions.get(row.row).copied());
}
