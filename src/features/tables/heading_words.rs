//! Words in headings that tell the meaning of the numbers below them.

use std::collections::HashSet;

use chartroom_charts::time_order;

use super::heading;
use super::heading::normalize;

/// Normalized words for rounds of a competition or race.
const ROUNDS: [&str; 6] = ["spieltag", "matchday", "etappe", "stage", "lap", "gameweek"];
/// Normalized words for other periods that are numbered.
const PERIODS: [&str; 22] = [
    "month",
    "monat",
    "day",
    "tag",
    "jour",
    "dia",
    "giorno",
    "dag",
    "week",
    "woche",
    "year",
    "jahr",
    "quarter",
    "quartal",
    "sprint",
    "iteration",
    "step",
    "schritt",
    "hour",
    "stunde",
    "round",
    "runde",
];

/// Returns whether the numbers below a heading are places in a ranking, as under `Platz` or `Rank`.
pub fn is_rank(heading: &str) -> bool {
    const RANKS: [&str; 9] =
        ["platz", "rang", "rank", "ranking", "pos", "position", "place", "pl", "standing"];
    RANKS.contains(&normalize(heading).as_str())
}

/// Returns whether a normalized heading names rounds, such as `Spieltag`.
pub fn is_round(normalized: &str) -> bool {
    ROUNDS.contains(&normalized)
}

/// Returns whether a normalized heading is a word for periods, such as `Month` or `Spieltag`.
pub fn is_period_word(normalized: &str) -> bool {
    is_round(normalized) || PERIODS.iter().any(|word| normalize(word) == normalized)
}

/// Returns the number of a period in a heading or a cell, such as `Month 0` or `1. Spieltag`. None for other
/// texts.
pub fn period_number(text: &str) -> Option<u32> {
    let normalized = normalize(text);
    let (first, second) = normalized.split_once(' ')?;
    let numbered = |word: &str, number: &str| number.parse().ok().filter(|_| is_period_word(word));
    numbered(first, second).or_else(|| numbered(second, first))
}

/// Returns whether a heading tells that the numbers below it count people or things, such as
/// `Employees 2025`, `Einwohner` or `Number of stores`.
pub fn is_count(heading: &str) -> bool {
    const COUNTED: [&str; 31] = [
        "anzahl",
        "arbeitnehmer",
        "beschaftigte",
        "besucher",
        "bevolkerung",
        "count",
        "customers",
        "einwohner",
        "employees",
        "fte",
        "gaste",
        "guests",
        "headcount",
        "households",
        "haushalte",
        "inhabitants",
        "kunden",
        "members",
        "mitarbeitende",
        "mitarbeiter",
        "mitglieder",
        "nutzer",
        "passengers",
        "passagiere",
        "personen",
        "people",
        "population",
        "staff",
        "subscribers",
        "users",
        "visitors",
    ];
    let normalized = normalize(heading);
    let year = normalized.rsplit_once(' ').filter(|(_, last)| time_order::is_year(last));
    let name = year.map_or(normalized.as_str(), |(name, _)| name);
    COUNTED.contains(&name)
        || ["number of ", "no of ", "anzahl ", "zahl der "]
            .iter()
            .any(|start| name.starts_with(start))
}

/// Returns the physical quantity that a heading names with its first or last word, such as `age` for
/// `Age at entry`. None for other headings. Different quantities have different units.
pub fn find_quantity(heading: &str) -> Option<&'static str> {
    const QUANTITIES: [&str; 16] = [
        "age",
        "alter",
        "druck",
        "geschwindigkeit",
        "gewicht",
        "height",
        "humidity",
        "luftdruck",
        "luftfeuchte",
        "luftfeuchtigkeit",
        "pressure",
        "rating",
        "speed",
        "temperatur",
        "temperature",
        "weight",
    ];
    let normalized = normalize(heading);
    let mut words = normalized.split(' ');
    let (first, last) = (words.next(), words.next_back());
    let is_named = |word: &&&str| first == Some(**word) || last == Some(**word);
    QUANTITIES.iter().find(is_named).copied()
}

/// Returns whether a heading is only a name of a statistic, such as `Min` or `Mittelwert`, so that the
/// quantity is that of the other columns.
pub fn is_statistic(heading: &str) -> bool {
    const OTHERS: [&str; 21] = [
        "average",
        "avg",
        "durchschnitt",
        "durchschn",
        "hoch",
        "hochst",
        "hochster",
        "hochstwert",
        "high",
        "highest",
        "max",
        "maximal",
        "maximum",
        "maximalwert",
        "mean",
        "median",
        "mittel",
        "mittelwert",
        "moyenne",
        "p90",
        "p95",
    ];
    is_minimum(heading) || OTHERS.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is only a name of a minimum, such as `Min` or `Tiefstwert`.
pub fn is_minimum(heading: &str) -> bool {
    const MINIMA: [&str; 9] = [
        "low",
        "lowest",
        "min",
        "minimal",
        "minimalwert",
        "minimum",
        "tief",
        "tiefst",
        "tiefstwert",
    ];
    MINIMA.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for the keys of measurements: ids, times, and the cases or persons
/// measured, such as `Patient`.
pub fn is_key(heading: &str) -> bool {
    const CASES: [&str; 14] = [
        "case",
        "fall",
        "messung",
        "participant",
        "patient",
        "patientin",
        "person",
        "proband",
        "probandin",
        "probe",
        "subject",
        "teilnehmer",
        "versuch",
        "versuchsperson",
    ];
    heading::is_id(heading)
        || is_time_or_age(heading)
        || CASES.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for periods, times or ages, such as `Stunde`, `Jahr` or `Age`.
pub fn is_time_or_age(heading: &str) -> bool {
    const TIMES: [&str; 12] = [
        "age",
        "alter",
        "calendar week",
        "hours",
        "kalenderwoche",
        "kw",
        "minute",
        "stunden",
        "time",
        "uhr",
        "uhrzeit",
        "zeit",
    ];
    let normalized = normalize(heading);
    is_period_word(&normalized)
        || heading::is_year_heading(heading)
        || TIMES.contains(&normalized.as_str())
}

/// Returns whether a heading is a word for the superior of people, such as `Manager`.
pub fn is_superior(heading: &str) -> bool {
    const SUPERIORS: [&str; 12] = [
        "boss",
        "chef",
        "fuhrungskraft",
        "line manager",
        "manager",
        "reports to",
        "superior",
        "supervisor",
        "vorgesetzte",
        "vorgesetzte r",
        "vorgesetzter",
        "vorgesetzte person",
    ];
    SUPERIORS.contains(&normalize(heading).as_str())
}

/// Returns whether a heading names changes or differences, such as `Change` or `Veränderung`.
pub fn is_change(heading: &str) -> bool {
    const CHANGES: [&str; 9] = [
        "abweichung",
        "change",
        "delta",
        "difference",
        "differenz",
        "growth",
        "variance",
        "veranderung",
        "wachstum",
    ];
    let normalized = normalize(heading);
    CHANGES.iter().any(|word| normalized.split(' ').any(|other| other == normalize(word)))
}

/// Returns whether a heading names amounts that people add up, such as `Betrag`, `Travel expenses` or
/// `Gesamtkosten`.
pub fn is_sum(heading: &str) -> bool {
    const SUMS: [&str; 22] = [
        "amount",
        "ausgabe",
        "ausgaben",
        "betrag",
        "costs",
        "donations",
        "einnahmen",
        "expense",
        "expenses",
        "hours",
        "kosten",
        "menge",
        "payment",
        "payments",
        "quantity",
        "revenue",
        "sales",
        "spending",
        "spent",
        "stunden",
        "umsatz",
        "zahlung",
    ];
    let normalized = normalize(heading);
    let last = normalized.rsplit(' ').next().unwrap_or_default();
    SUMS.iter().any(|word| last == normalize(word))
        || ["betrag", "kosten", "ausgaben", "umsatz"].iter().any(|end| last.ends_with(end))
}

/// Returns whether all headings are periods, see [`heading::is_period`]. False for different words before the same
/// year, as in `Plan 2024` and `Forecast 2024`.
pub fn are_periods<'a>(headings: impl Iterator<Item = &'a str> + Clone) -> bool {
    let year_of = |heading: &'a str| {
        let heading = heading.trim();
        let (_, year) = heading.rsplit_once(' ')?;
        (!time_order::is_period(heading)).then_some(year)
    };
    let years: Vec<&str> = headings.clone().filter_map(year_of).collect();
    let different: HashSet<&str> = years.iter().copied().collect();
    headings.into_iter().all(heading::is_period) && different.len() == years.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_recognized_by_the_last_word() {
        for heading in ["Betrag", "Amount (EUR)", "Reisekosten", "Net revenue", "Hours"] {
            assert!(is_sum(heading), "{heading}");
        }
        for heading in ["Salary", "Price", "Amount per person", "Reaction time", "Score", ""] {
            assert!(!is_sum(heading), "{heading}");
        }
    }

    #[test]
    fn counts_are_recognized_with_a_year_or_a_word_for_numbers() {
        for heading in ["Employees", "Einwohner 2024", "Number of stores", "Anzahl Filialen"] {
            assert!(is_count(heading), "{heading}");
        }
        for heading in ["Sales per employee", "Sales", "Umsatz je Mitarbeiter", "2024"] {
            assert!(!is_count(heading), "{heading}");
        }
    }

    #[test]
    fn figures_of_one_year_are_no_periods() {
        assert!(are_periods(["Sales 2023", "Sales 2024"].into_iter()));
        assert!(are_periods(["Jan 2024", "Feb 2024"].into_iter()));
        assert!(are_periods(["2023", "Forecast 2024"].into_iter()));
        assert!(!are_periods(["Plan 2024", "Actual 2024", "Forecast 2024"].into_iter()));
        assert!(!are_periods(["Plan 2023", "Actual 2023", "Plan 2024"].into_iter()));
        assert!(!are_periods(["2023", "Total"].into_iter()));
    }
}
