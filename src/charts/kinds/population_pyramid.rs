//! Age bands of two groups, back to back and without gaps, the youngest at the bottom.
//!
//! Record: `label` (such as `20–24`), `left`, `right`, `highlighted` (optional flag). Records may
//! run from young to old or from old to young. Settings: `leftTitle`, `rightTitle`, `leftColor`,
//! `rightColor`, `showValues`, `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::two_sided;
use crate::two_sided::{TwoSidedOptions, TwoSidedRow};

/// The population pyramid.
pub const KIND: Kind = Kind { slug: "population-pyramid", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    // Bars touch, but a few of them are no blocks.
    let options = TwoSidedOptions {
        name: "Population pyramid",
        padding: 0.0,
        max_thickness: 48.0,
        show_values: false,
    };
    two_sided::draw(chart, frame, scene, &options, |pairs| {
        if !falls(pairs) {
            pairs.reverse();
        }
    });
}

/// Whether the first record is the oldest; ages that cannot be read are taken as rising.
fn falls(pairs: &[TwoSidedRow]) -> bool {
    let mut ages = pairs.iter().filter_map(|it| age(&it.label));
    match (ages.next(), ages.next_back()) {
        (Some(first), Some(last)) => first > last,
        _ => false,
    }
}

/// The first number of a label: 20 in `20–24`, 90 in `90+`, 5 in `under 5`.
fn age(label: &str) -> Option<f64> {
    let digits = label.trim_start_matches(|it: char| !it.is_ascii_digit());
    let end = digits.find(|it: char| !it.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_read_from_labels() {
        assert_eq!(age("20–24"), Some(20.0));
        assert_eq!(age("under 5"), Some(5.0));
        assert_eq!(age("90+"), Some(90.0));
        assert_eq!(age("unknown"), None);
    }
}
