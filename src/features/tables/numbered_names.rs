//! Numbers that name the records of a table, such as routes of buses and sizes of shoes.

use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading::normalize;

/// Maximum number of records that numbers name. Longer lists are measurements.
const MAX_RECORDS: usize = 40;
/// Maximum number of sizes, such as those of shoes. Longer lists are measurements.
const MAX_SIZES: usize = 12;
/// Normalized headings of columns with numbers as names.
const NUMBERED: [&str; 36] = [
    "autobahn",
    "bezirk",
    "bus",
    "buslinie",
    "channel",
    "district",
    "exit",
    "flight",
    "flug",
    "gate",
    "gleis",
    "highway",
    "kanal",
    "kapitel",
    "line",
    "linie",
    "machine",
    "maschine",
    "no",
    "nr",
    "nummer",
    "platform",
    "precinct",
    "raum",
    "room",
    "route",
    "station",
    "tisch",
    "train",
    "tram",
    "tramlinie",
    "wahlbezirk",
    "wahlkreis",
    "ward",
    "zimmer",
    "zug",
];
/// Normalized headings of columns with sizes, which are names only in a short list that rises.
const SIZES: [&str; 5] = ["grosse", "konfektionsgrosse", "schuhgrosse", "shoe size", "size"];

/// Sets the properties of the first column if it numbers weeks or months over the end of a year, such as 52,
/// 53, 1, 2: the numbers are names in the order of time.
pub fn settle_turn_of_year(profiles: &mut [ColumnProfile]) {
    const NUMBERED_PERIODS: [(&str, f64); 9] = [
        ("kw", 53.0),
        ("cw", 53.0),
        ("week", 53.0),
        ("woche", 53.0),
        ("kalenderwoche", 53.0),
        ("calendar week", 53.0),
        ("semaine", 53.0),
        ("month", 12.0),
        ("monat", 12.0),
    ];
    let Some(first) = profiles.first_mut() else { return };
    let normalized = normalize(&first.heading);
    let Some((_, last)) = NUMBERED_PERIODS.iter().find(|(word, _)| *word == normalized) else {
        return;
    };
    let is_in_range = first.range.is_some_and(|(low, high)| low == 1.0 && high <= *last);
    let turns = is_in_range
        && first.column_type == ColumnType::Number
        && first.is_whole
        && first.falls == 1
        && first.empty == 0
        && first.distinct == first.records;
    if turns {
        (first.is_ids, first.is_numbered_name) = (true, true);
        (first.is_periods, first.is_ordered) = (true, true);
    }
}

/// Sets `is_ids` and `is_numbered_name` of the first column if its numbers name the records: they are
/// different whole numbers without a unit below a word such as `Route`, only other columns have amounts,
/// and no other column has names.
pub fn settle_numbered_names(profiles: &mut [ColumnProfile]) {
    let Some((first, others)) = profiles.split_first_mut() else { return };
    let normalized = normalize(&first.heading);
    let is_size = SIZES.contains(&normalized.as_str());
    let is_listed = match is_size {
        true => first.rises && first.records <= MAX_SIZES && !first.heading.contains('('),
        false => NUMBERED.contains(&normalized.as_str()) && first.records <= MAX_RECORDS,
    };
    let are_names = first.column_type == ColumnType::Number
        && first.is_whole
        && !first.is_years
        && first.unit.is_none()
        && first.empty == 0
        && first.problem_count == 0
        && first.distinct == first.records
        && first.range.is_some_and(|(low, _)| low >= 0.0);
    let has_names = others.iter().any(|other| other.is_name() && !other.has_remarks());
    if is_listed && are_names && !has_names && others.iter().any(ColumnProfile::is_amount) {
        (first.is_ids, first.is_numbered_name) = (true, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tables::profile::CellType;
    use chartroom_charts::number_text::{DecimalSeparator, NumberNotation};

    /// Returns whether the numbers below a heading, beside amounts or texts, are names.
    fn are_names(heading: &str, cells: &[&str], has_texts: bool) -> bool {
        let number = || CellType::Numbers(NumberNotation::new(DecimalSeparator::Point));
        let values: Vec<String> = (0..cells.len()).map(|index| format!("{index}.5")).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let mut profiles = vec![
            ColumnProfile::of_cells(heading, number(), cells),
            ColumnProfile::of_cells("Value", number(), &values),
        ];
        if has_texts {
            profiles.push(ColumnProfile::of_cells("Name", CellType::Texts, &["A", "B", "C"]));
        }
        settle_numbered_names(&mut profiles);
        profiles[0].is_numbered_name
    }

    #[test]
    fn routes_and_sizes_are_names() {
        assert!(are_names("Route", &["5", "10", "25", "100"], false));
        assert!(are_names("No.", &["1", "3", "2"], false));
        assert!(are_names("Größe", &["36", "38", "40"], false));
    }

    #[test]
    fn measurements_are_no_names() {
        assert!(!are_names("Size", &["45", "38", "72"], false));
        assert!(!are_names("Size (m²)", &["36", "38", "40"], false));
        assert!(!are_names("Route", &["5.5", "10", "25"], false));
        assert!(!are_names("Route", &["5", "5", "25"], false));
        assert!(!are_names("Distance", &["5", "10", "25"], false));
        assert!(!are_names("Line", &["5", "10", "25"], true));
    }

    #[test]
    fn weeks_over_the_end_of_a_year_are_times() {
        let number = || CellType::Numbers(NumberNotation::new(DecimalSeparator::Point));
        let are_times = |heading: &str, cells: &[&str]| {
            let mut profiles = vec![ColumnProfile::of_cells(heading, number(), cells)];
            settle_turn_of_year(&mut profiles);
            profiles[0].is_time() && !profiles[0].is_amount()
        };
        assert!(are_times("Week", &["52", "53", "1", "2"]));
        assert!(are_times("Monat", &["11", "12", "1"]));
        assert!(!are_times("Week", &["52", "1", "30", "2"]));
        assert!(!are_times("Month", &["52", "53", "1"]));
        assert!(!are_times("Orders", &["52", "53", "1"]));
    }
}
