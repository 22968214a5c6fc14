//! Columns of durations by the clock, such as `2:06:39`, as opposed to times of day.

use chartroom_platform::text;

use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;

/// Folded words that make a heading one of times of day, or of results such as `28:25`.
const OTHER_WORDS: [&str; 39] = [
    "uhrzeit",
    "uhr",
    "beginn",
    "start",
    "ende",
    "end",
    "von",
    "bis",
    "um",
    "wann",
    "termin",
    "abfahrt",
    "ankunft",
    "offnung",
    "offnet",
    "schliesst",
    "horaire",
    "clock",
    "from",
    "to",
    "at",
    "when",
    "opens",
    "closes",
    "departure",
    "arrival",
    "sunrise",
    "sunset",
    "heure",
    "hora",
    "ergebnis",
    "endstand",
    "spielstand",
    "stand",
    "result",
    "score",
    "ratio",
    "verhaltnis",
    "format",
];
/// Ends of folded words that make a heading one of durations.
const DURATION_ENDS: [&str; 9] =
    ["zeit", "zeiten", "time", "times", "finish", "temps", "tiempo", "tempo", "tijd"];
/// Starts and ends of folded words that only durations have.
const CERTAIN_WORDS: [&str; 6] = ["dauer", "duration", "duree", "duracion", "durata", "laufzeit"];
/// Times of a schedule are multiples of so many minutes.
const SCHEDULE_STEP: f64 = 5.0;
/// Minutes of a day.
const DAY: f64 = 1440.0;

/// Turns columns of clock texts into columns of numbers if they are durations, and not times of day.
///
/// Times of day have a heading such as `Uhrzeit`, rise in the first column like a time axis, also over
/// midnight, or rise in steps
/// of five minutes like a schedule if no other column has such texts. Beside other amounts, only a heading
/// such as `Zeit` or a negative duration makes durations.
pub fn settle_durations(profiles: &mut [ColumnProfile]) {
    let is_only_one = profiles.iter().filter(|profile| profile.is_clock).count() == 1;
    let has_amounts = profiles.iter().any(|profile| profile.is_amount() && !profile.is_clock);
    for (index, profile) in profiles.iter_mut().enumerate() {
        // Durations with parts of a second are numbers already.
        if !profile.is_clock || profile.column_type == ColumnType::Number {
            continue;
        }
        let words = text::fold_words(&profile.heading);
        let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
        let ends = |known: &[&str]| {
            words
                .iter()
                .any(|word| known.iter().any(|end| word.ends_with(end) || word.starts_with(end)))
        };
        // No time of day is negative.
        let is_negative = profile.range.is_some_and(|(low, _)| low < 0.0);
        let is_certain = is_negative || ends(&CERTAIN_WORDS);
        let rises = profile.rises || profile.rises_over_midnight;
        let is_axis = rises && (index == 0 || is_only_one && is_schedule(profile));
        let may_be = !has(&OTHER_WORDS) && !is_axis && (!has_amounts || ends(&DURATION_ENDS));
        if is_certain || may_be {
            profile.column_type = ColumnType::Number;
            (profile.is_periods, profile.falls_in_time) = (false, false);
        } else {
            (profile.range, profile.sum) = (None, 0.0);
        }
    }
}

/// Returns whether all cells are times of a day in steps of five minutes.
fn is_schedule(profile: &ColumnProfile) -> bool {
    let is_step = |text: &String| {
        let minutes = chartroom_charts::clock_value(text);
        minutes.is_some_and(|minutes| minutes % SCHEDULE_STEP == 0.0)
    };
    let has_two_parts = profile.examples.iter().all(|text| text.matches(':').count() == 1);
    let is_within_day = profile.range.is_some_and(|(_, high)| high <= DAY);
    has_two_parts && is_within_day && profile.examples.iter().all(is_step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tables::profile::CellType;
    use chartroom_charts::number_text::{DecimalSeparator, NumberNotation};

    /// Returns whether the second column of a table with names and these cells has durations.
    fn has_durations(heading: &str, cells: &[&str]) -> bool {
        let names = ColumnProfile::of_cells("Name", CellType::Texts, &["A", "B", "C"]);
        let mut profiles = [names, ColumnProfile::of_cells(heading, CellType::Texts, cells)];
        settle_durations(&mut profiles);
        assert_eq!(profiles[1].has_durations(), profiles[1].range.is_some());
        profiles[1].has_durations()
    }

    #[test]
    fn durations_are_told_from_times_of_day() {
        for (heading, cells, expected) in [
            ("Schlaf", ["7:45", "6:30", "8:10"], true),
            ("Zeit", ["2:01:09", "2:01:41", "2:02:48"], true),
            ("Fahrzeit", ["1:45", "4:02", "n/a"], true),
            ("Dauer", ["0:30", "0:45", "1:00"], true),
            ("Saldo", ["1:15", "-2:30", "0:00"], true),
            ("Uhrzeit", ["14:30", "9:00", "11:15"], false),
            ("Zeit", ["08:00", "09:30", "12:00"], false),
            ("Ergebnis", ["28:25", "31:29", "24:22"], false),
            ("Zeit", ["08:00", "morgens", "12:00"], false),
        ] {
            assert_eq!(has_durations(heading, &cells), expected, "{heading}, {cells:?}");
        }
    }

    #[test]
    fn times_that_rise_over_midnight_are_a_time_axis() {
        let settle = |cells: &[&str]| {
            let mut profiles = [ColumnProfile::of_cells("Time", CellType::Texts, cells)];
            settle_durations(&mut profiles);
            profiles[0].has_durations()
        };
        assert!(!settle(&["22:00", "23:30", "00:00", "01:30"]));
        assert!(settle(&["22:00", "23:30", "20:10", "21:30", "19:00"]));
        assert!(settle(&["22:00", "23:30", "20:10", "24:30"]), "ends later than it began");
    }

    #[test]
    fn a_rising_first_column_is_a_time_axis() {
        let notation = NumberNotation::new(DecimalSeparator::Point);
        let amounts =
            || ColumnProfile::of_cells("Visitors", CellType::Numbers(notation), &["5", "9", "7"]);
        let cells = ["10:00:10", "10:00:20", "10:00:30"];
        let mut axis = [ColumnProfile::of_cells("Time", CellType::Texts, &cells), amounts()];
        settle_durations(&mut axis);
        assert!(!axis[0].has_durations());
        let cells = ["4:32", "4:12", "3:58"];
        let mut named =
            [amounts(), ColumnProfile::of_cells("Handling time", CellType::Texts, &cells)];
        settle_durations(&mut named);
        assert!(named[1].has_durations());
        let mut unnamed = [amounts(), ColumnProfile::of_cells("Notiz", CellType::Texts, &cells)];
        settle_durations(&mut unnamed);
        assert!(!unnamed[1].has_durations());
    }
}
