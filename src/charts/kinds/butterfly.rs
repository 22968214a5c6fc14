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
    };
    two_sided::draw(chart, frame, scene, &options, |pairs| sort_by_sum(chart, pairs));
}

/// Sorts the pairs by the sum of their values as the setting `sort` asks.
fn sort_by_sum(chart: &Chart, pairs: &mut [TwoSidedRow]) {
    let sums: Vec<Option<f64>> = pairs.iter().map(TwoSidedRow::sum).collect();
    let mut positions = vec![0; pairs.len()];
    for (position, row) in chart.sorted_indices(&sums).into_iter().enumerate() {
        if let Some(slot) = positions.get_mut(row) {
            *slot = position;
        }
    }
    pairs.sort_by_key(|pair| positions.get(pair.row).copied());
}
