//! The height that a chart needs for its names and records.

use crate::Chart;
use crate::MAX_CANVAS_SIDE_PT;
use crate::Scene;
use crate::format::Omission;

/// Heights that are tried, as multiples of the height of the chart.
const FACTORS: [f64; 7] = [1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0];
/// Maximum number of records of a chart that is drawn at other heights. With more records, an image
/// of any height lacks names.
pub const MAX_FITTING_RECORDS: usize = 1000;

/// Returns the height in points at which a chart shows its names and records, at most
/// `MAX_CANVAS_SIDE_PT`. Draws the chart up to five times, and changes nothing.
///
/// Returns the height of the chart if it leaves out nothing, if four times the height would still
/// leave out more than half of the left out names and records, or for more than
/// `MAX_FITTING_RECORDS` records. Otherwise returns the lowest of the tried heights that leaves out
/// no more than four times the height.
pub fn fitting_height(chart: &Chart) -> f64 {
    if chart.data.len() > MAX_FITTING_RECORDS {
        return chart.height;
    }
    let height_for = |factor: f64| (chart.height * factor).min(MAX_CANVAS_SIDE_PT);
    let count_at = |factor: f64| {
        let scene =
            crate::draw(&Chart { height: height_for(factor), interactive: false, ..*chart });
        count_left_out(&scene)
    };
    let at_own_height = count_at(1.0);
    if at_own_height == 0 {
        return chart.height;
    }
    let fewest = count_at(FACTORS[FACTORS.len() - 1]);
    if fewest * 2 > at_own_height {
        return chart.height;
    }
    // The first is too low and the last is known to be high enough.
    let between = &FACTORS[1..FACTORS.len() - 1];
    let index = between.partition_point(|factor| count_at(*factor) > fewest);
    height_for(FACTORS[index + 1]).round()
}

/// Returns the number of names and records that an image leaves out for lack of space.
fn count_left_out(scene: &Scene) -> usize {
    let is_for_space = |omission: &Omission| {
        matches!(omission, Omission::Name | Omission::NoSpace | Omission::TooSmall)
    };
    scene
        .omissions
        .iter()
        .filter(|(omission, _)| is_for_space(omission))
        .map(|(_, count)| count)
        .sum()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use serde_json::json;

    use super::*;

    fn fit(kind: &str, count: usize) -> f64 {
        // Names without numbers, because every second name of a numbered sequence is enough.
        let to_letter = |digit: u8| char::from(digit - b'0' + b'a');
        let name = |at: usize| at.to_string().bytes().map(to_letter).collect::<String>();
        let records: Vec<Value> = (0..count)
            .map(|at| json!({ "label": format!("Village of {}", name(at)), "value": at + 1 }))
            .collect();
        fitting_height(&Chart::new(crate::find_kind(kind).unwrap(), &records))
    }

    #[test]
    fn height_grows_only_if_it_shows_more_names() {
        assert_eq!(fit("bar", 5), 405.0);
        let tall = fit("bar", 60);
        assert!((600.0..=1215.0).contains(&tall), "{tall}");
        assert_eq!(fit("gauge", 3), 405.0);
        assert_eq!(fit("bar", 2000), 405.0);
    }
}
