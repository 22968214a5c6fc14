//! Two measures of the same categories, back to back over a spine of names.
//!
//! Record: `label`, `left`, `right`, `highlighted` (optional flag). Both sides have one scale, so
//! that lengths can be compared across the spine. Settings: `leftTitle`, `rightTitle`,
//! `leftColor`, `rightColor`, `sort` (by both values together), `showValues`, `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::two_sided;
use crate::two_sided::{Manner, Pair};

/// The butterfly chart.
pub const KIND: Kind = Kind { slug: "butterfly", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let manner = Manner { name: "Butterfly chart", padding: 0.3, most: 36.0, values: true };
    two_sided::draw(chart, frame, scene, &manner, |pairs| sort(chart, pairs));
}

fn sort(chart: &Chart, pairs: &mut [Pair]) {
    let sums: Vec<Option<f64>> = pairs.iter().map(Pair::sum).collect();
    let mut places = vec![0; pairs.len()];
    for (place, row) in chart.order(&sums).into_iter().enumerate() {
        if let Some(it) = places.get_mut(row) {
            *it = place;
        }
    }
    pairs.sort_by_key(|it| places.get(it.row).copied());
}
