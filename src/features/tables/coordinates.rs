//! Columns with ambiguous headings: `Breite` and `Länge`, which are sizes or coordinates, and `Number`.

use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading;

/// Minimum number of different cells of which one may be no coordinate, because of a typing error.
const MIN_CELLS_WITH_ERROR: usize = 3;

/// Factor of the limit of coordinates that a number without its decimal separator exceeds.
const MIN_ERROR_FACTOR: f64 = 2.0;

/// Returns whether one of the first different cells is far beyond the `limit`, as a coordinate without
/// its decimal separator, and no other number of the column is farther from zero or beyond the limit in
/// these cells.
fn has_one_beyond(profile: &ColumnProfile, limit: f64) -> bool {
    let read = |text: &String| text.replace(',', ".").parse::<f64>().ok();
    let numbers: Vec<f64> = profile.examples.iter().filter_map(read).map(f64::abs).collect();
    let mut beyond = numbers.iter().filter(|number| **number > limit);
    let (Some(first), None) = (beyond.next(), beyond.next()) else { return false };
    let is_extreme = profile.range.is_some_and(|(low, high)| low.abs().max(high.abs()) <= *first);
    is_extreme && *first > MIN_ERROR_FACTOR * limit && numbers.len() >= MIN_CELLS_WITH_ERROR
}

/// Sets `is_ids` of the columns `Breite` and `Länge` if they are coordinates, so that they are no
/// amounts. Does nothing unless the table has both, no heights (`Höhe`, `Tiefe`) in the same unit, and the
/// numbers of both have fractions, no unit, and at most 90 and 180 degrees, apart from one number of
/// one column. A height with a unit beside bare numbers is that of a place.
pub fn settle_coordinates(profiles: &mut [ColumnProfile]) {
    let find = |wanted: &str| {
        profiles.iter().position(|profile| heading::normalize(&profile.heading) == wanted)
    };
    let (Some(latitudes), Some(longitudes)) = (find("breite"), find("lange")) else { return };
    let have_unit = [latitudes, longitudes].iter().any(|index| has_unit(&profiles[*index]));
    let is_size = |profile: &ColumnProfile| {
        let name = heading::normalize(&profile.heading);
        ["hohe", "tiefe"].contains(&name.as_str()) && (have_unit || !has_unit(profile))
    };
    let has_sizes = profiles.iter().any(is_size);
    let limits = [(latitudes, 90.0), (longitudes, 180.0)];
    let is_within = |(index, limit): &(usize, f64)| {
        profiles[*index].range.is_some_and(|(low, high)| low >= -limit && high <= *limit)
    };
    let fits = |column: &(usize, f64)| {
        let profile = &profiles[column.0];
        profile.column_type == ColumnType::Number
            && !profile.is_whole
            && profile.unit.is_none()
            && (is_within(column) || has_one_beyond(profile, column.1))
    };
    if !has_sizes && limits.iter().all(fits) && limits.iter().any(is_within) {
        profiles[latitudes].is_ids = true;
        profiles[longitudes].is_ids = true;
    }
}

/// Returns whether a column has a unit, or another text after the name in its heading.
fn has_unit(profile: &ColumnProfile) -> bool {
    profile.unit.is_some() || profile.heading.trim().contains([' ', '('])
}

/// Unsets `is_ids` of a column below `Number` that counts the records, as in a table of vehicles and their
/// number: it is not the first column, its numbers do not all rise by one, and the table has no other amounts.
pub fn settle_counts(profiles: &mut [ColumnProfile]) {
    let mut counts = (1..profiles.len()).filter(|index| {
        let profile = &profiles[*index];
        heading::normalize(&profile.heading) == "number"
            && profile.is_ids
            && profile.column_type == ColumnType::Number
            && !profile.rises
    });
    let found = counts.next().filter(|_| counts.next().is_none());
    let has_amounts = profiles.iter().any(ColumnProfile::is_amount);
    if let Some(index) = found.filter(|_| !has_amounts) {
        profiles[index].is_ids = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tables::profile::CellType;
    use chartroom_charts::number_text::{DecimalSeparator, NumberNotation};

    /// Returns whether columns of lengths and widths with these cells are coordinates.
    fn are_coordinates(lengths: &[&str], widths: &[&str]) -> bool {
        let numbers = || CellType::Numbers(NumberNotation::new(DecimalSeparator::Comma));
        let mut profiles = [
            ColumnProfile::of_cells("Länge", numbers(), lengths),
            ColumnProfile::of_cells("Breite", numbers(), widths),
        ];
        settle_coordinates(&mut profiles);
        profiles.iter().all(|profile| profile.is_ids)
    }

    #[test]
    fn numbers_are_counts_without_other_amounts() {
        let number = || CellType::Numbers(NumberNotation::new(DecimalSeparator::Comma));
        let names = || ColumnProfile::of_cells("Vehicle", CellType::Texts, &["Car", "Bike", "Bus"]);
        let is_count = |cells: &[&str], others: Vec<ColumnProfile>| {
            let mut profiles = vec![names(), ColumnProfile::of_cells("Number", number(), cells)];
            profiles.extend(others);
            settle_counts(&mut profiles);
            profiles[1].is_amount()
        };
        assert!(is_count(&["48", "12", "3"], vec![]));
        assert!(!is_count(&["1", "2", "3"], vec![]));
        let sales = ColumnProfile::of_cells("Sales", number(), &["5", "6", "1"]);
        assert!(!is_count(&["48", "12", "3"], vec![sales]));
    }

    #[test]
    fn one_impossible_latitude_does_not_make_coordinates_sizes() {
        assert!(are_coordinates(&["13,40", "9,99", "11,58"], &["52,52", "53,55", "48,14"]));
        assert!(are_coordinates(&["13,40", "9,99", "11,58"], &["52,52", "480,1", "48,14"]));
        assert!(!are_coordinates(&["13,40", "9,99", "11,58"], &["152,5", "480,1", "48,14"]));
        assert!(!are_coordinates(&["13,40", "9,99"], &["152,5", "48,14"]));
    }

    #[test]
    fn sizes_of_furniture_are_no_coordinates() {
        let lengths = ["160,5", "140,5", "200,5", "240,5", "300,0"];
        let widths = ["80,5", "70,5", "100,5", "120,0", "140,0"];
        assert!(!are_coordinates(&lengths, &widths));
        assert!(!are_coordinates(&["60,5", "70,5", "80,5"], &["80,5", "70,5", "100,5", "120,0"]));
    }
}
