//! A column such as `Unit` that has the same unit in each row.

use crate::features::portfolio::ColumnType as KindColumnType;
use chartroom_charts::number_text;
use chartroom_charts::number_text::NumberUnit;
use chartroom_charts::time_order;
use chartroom_platform::text;

use super::column_match::LeftOverReason;
use super::column_match::MappedColumn;
use super::column_profile::ColumnProfile;
use super::column_properties;
use super::heading;

/// Maximum number of characters of a unit that is not a known one, such as `Einwohner/km²`.
const MAX_UNIT_CHARS: usize = 16;
/// Folded words for the percent sign.
const PERCENT_WORDS: [&str; 5] = ["percent", "per cent", "percentage", "prozent", "pourcent"];
/// Folded words for units that are written out, and for things and persons that are counted. Other words
/// may be parts of an organization, such as `Controlling`.
const UNIT_WORDS: [&str; 74] = [
    "beds",
    "besucher",
    "betten",
    "calls",
    "cars",
    "cases",
    "clicks",
    "customers",
    "dollar",
    "dollars",
    "downloads",
    "einwohner",
    "employees",
    "euro",
    "euros",
    "fahrzeuge",
    "falle",
    "flaschen",
    "fte",
    "gaste",
    "grad",
    "gramm",
    "grams",
    "guests",
    "haushalte",
    "households",
    "inhabitants",
    "items",
    "kilogramm",
    "kilograms",
    "kilometer",
    "kilometers",
    "kilometres",
    "kisten",
    "klicks",
    "kunden",
    "liter",
    "liters",
    "litres",
    "members",
    "meter",
    "meters",
    "metres",
    "minuten",
    "minutes",
    "mitarbeiter",
    "mitarbeitende",
    "mitglieder",
    "paletten",
    "pallets",
    "participants",
    "patienten",
    "patients",
    "people",
    "persons",
    "personen",
    "pieces",
    "platze",
    "points",
    "punkte",
    "seats",
    "seconds",
    "sekunden",
    "sitze",
    "stuck",
    "stucke",
    "teilnehmer",
    "tickets",
    "tonnen",
    "tonnes",
    "tons",
    "vehicles",
    "visitors",
    "vza",
];

/// Returns the column with the unit of all amounts of a table, by its index, and the unit. None without
/// such a column.
///
/// Its heading is a word such as `Unit`, it has the same text in each row, and no column of the kind shows
/// it. The table must have one column of amounts, or one for each of several periods, and none of them may
/// have a unit in its cells or its heading.
pub fn find_unit_of_rows(
    columns: &[MappedColumn<'_>],
    profiles: &[ColumnProfile],
) -> Option<(usize, NumberUnit)> {
    let is_unit = |(mapped, profile): (&MappedColumn<'_>, &ColumnProfile)| {
        mapped.column().is_none()
            && heading::is_unit_heading(&profile.heading)
            && (profile.distinct, profile.empty) == (1, 0)
    };
    let index = columns.iter().zip(profiles).position(is_unit)?;
    let amounts: Vec<&ColumnProfile> =
        profiles.iter().filter(|profile| profile.is_amount()).collect();
    let is_one_measure =
        amounts.len() == 1 || amounts.iter().all(|profile| time_order::is_period(&profile.heading));
    let has_own_unit = |profile: &&ColumnProfile| {
        profile.unit.is_some()
            || profile.has_mixed_units
            || heading::unit_in_brackets(&profile.heading).is_some()
            || heading::scale_in_brackets(&profile.heading).is_some()
    };
    if !is_one_measure || amounts.iter().any(has_own_unit) {
        return None;
    }
    Some((index, parse_unit(profiles[index].examples.first()?)?))
}

/// Marks the column of `find_unit_of_rows` as the unit of the numbers, if the kind shows an amount with
/// its unit. A table chart and shares of a progress have none.
pub(super) fn mark_unit_of_rows(columns: &mut [MappedColumn<'_>], profiles: &[ColumnProfile]) {
    let shows_unit = |(mapped, profile): (&MappedColumn<'_>, &ColumnProfile)| {
        mapped.column().is_some_and(|column| {
            column.column_type == KindColumnType::Number
                && column.role != "progress"
                && profile.is_amount()
                && !column_properties::keeps_own_units(column, profile)
        })
    };
    if columns.iter().zip(profiles).any(shows_unit)
        && let Some((index, _)) = find_unit_of_rows(columns, profiles)
        && columns[index].is_free()
    {
        columns[index].left_over_reason = Some(LeftOverReason::Unit);
    }
}

/// Returns whether a column has a heading such as `Unit` and units in its cells. A column of organizational
/// units has none.
pub(super) fn has_units(profile: &ColumnProfile) -> bool {
    heading::is_unit_heading(&profile.heading)
        && profile.examples.iter().any(|example| parse_unit(example).is_some())
}

/// Returns the unit of a cell in a column of units. None for a text that is no unit, such as the name of
/// an organizational unit.
fn parse_unit(text: &str) -> Option<NumberUnit> {
    let folded = text::fold_words(text).join(" ");
    let sign = if PERCENT_WORDS.contains(&folded.as_str()) { "%" } else { text };
    let number = if sign == "%" { "1%".to_owned() } else { format!("1 {sign}") };
    let known = NumberUnit::find(&number).filter(|unit| unit.text.trim() == sign);
    let other = || NumberUnit { text: format!("\u{a0}{text}"), is_prefix: false };
    known.or_else(|| is_other_unit(text, &folded).then(other))
}

/// Returns whether a text names a unit, is a word of [`UNIT_WORDS`] or begins with one, as in
/// `Einwohner/km²`. False for a text that begins with a digit. `folded` is the folded text.
fn is_other_unit(text: &str, folded: &str) -> bool {
    let starts_with_word = || {
        let first = text.split([' ', '\u{a0}', '/']).next().unwrap_or_default();
        UNIT_WORDS.contains(&text::fold_words(first).join(" ").as_str())
    };
    !text.starts_with(|first: char| first.is_numeric())
        && text.chars().count() <= MAX_UNIT_CHARS
        && (UNIT_WORDS.contains(&folded) || number_text::names_unit(text) || starts_with_word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_or_begin_with_a_unit() {
        let unit = |text: &str| parse_unit(text).map(|unit| unit.text.trim().to_owned());
        for text in ["kg", "€", "EUR", "Mt CO2", "t CO2e", "Personen", "Stück", "FTE", "VZÄ"] {
            assert_eq!(unit(text).as_deref(), Some(text), "{text}");
        }
        for text in ["Mio. €", "TEUR", "€/Monat", "EUR pro Tag", "Einwohner/km²", "Fälle"] {
            assert_eq!(unit(text).as_deref(), Some(text), "{text}");
        }
        assert_eq!(unit("Prozent").as_deref(), Some("%"));
        for text in ["EMEA", "Controlling", "Vertrieb", "IT", "Anzahl", "North", "1000 t", "HR/IT"]
        {
            assert_eq!(unit(text), None, "{text}");
        }
    }
}
