//! Population pyramid: age groups of two populations, back to back and without gaps, the youngest
//! at the bottom.
//!
//! Record: `label` (such as `20–24`), `left`, `right`, `highlighted` (optional flag). Records may
//! be ordered from young to old or from old to young. Settings: `leftTitle`, `rightTitle`,
//! `leftColor`, `rightColor`, `showValues`, `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::frame::Frame;
use crate::kinds::Kind;
use crate::two_sided;
use crate::two_sided::{TwoSidedOptions, TwoSidedRow};

/// The population pyramid.
pub const KIND: Kind = Kind { slug: "population-pyramid", draw };

/// Draws the rows, the oldest at the top. Without ages in the labels, the last record is at the
/// top.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    // Bars touch, but the thickness is limited, so that a few bars do not look like blocks.
    let options = TwoSidedOptions {
        name: "Population pyramid",
        padding: 0.0,
        max_thickness: 48.0,
        show_values: false,
        reads_signs_as_sides: true,
    };
    two_sided::draw(chart, frame, scene, &options, |rows| {
        if !starts_with_oldest(rows) {
            rows.reverse();
        }
    });
}

/// Returns whether the age in the first label that has one is higher than that in the last one.
/// False if fewer than two labels have an age.
fn starts_with_oldest(rows: &[TwoSidedRow]) -> bool {
    let mut ages = rows.iter().filter_map(|row| parse_age(&row.label));
    match (ages.next(), ages.next_back()) {
        (Some(first), Some(last)) => first > last,
        _ => false,
    }
}

/// Returns the first number of a label: 20 for `20–24`, 90 for `90+`, 5 for `under 5`. None without
/// a digit.
fn parse_age(label: &str) -> Option<f64> {
    let digits = label.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn negative_values_of_one_side_are_amounts() {
        let texts = |left: [i32; 2], right: [i32; 2]| -> Vec<String> {
            let labels = ["0–14", "15+"];
            let record = |row: usize| {
                let (label, left, right) = (labels[row], left[row], right[row]);
                json!({"label": label, "left": left, "right": right})
            };
            let data = [record(0), record(1)];
            let settings = json!({"showValues": true});
            let kind = crate::find_kind("population-pyramid").unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
        };
        let amounts = texts([-120, -140], [115, 135]);
        assert!(amounts.iter().any(|text| text == "140"), "{amounts:?}");
        assert!(!amounts.iter().any(|text| text.contains('−')), "{amounts:?}");
        let signed = texts([-120, 140], [115, 135]);
        assert!(signed.iter().any(|text| text == "−120"), "{signed:?}");
    }

    #[test]
    fn age_is_parsed_from_label() {
        assert_eq!(parse_age("20–24"), Some(20.0));
        assert_eq!(parse_age("under 5"), Some(5.0));
        assert_eq!(parse_age("90+"), Some(90.0));
        assert_eq!(parse_age("unknown"), None);
    }
}
