//! Words in headings that tell the meaning of the numbers below them.

use super::heading::normalize;
use super::period;

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
    let year = normalized.rsplit_once(' ').filter(|(_, last)| period::is_year(last));
    let name = year.map_or(normalized.as_str(), |(name, _)| name);
    COUNTED.contains(&name)
        || ["number of ", "no of ", "anzahl ", "zahl der "]
            .iter()
            .any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_recognized_with_a_year_or_a_word_for_numbers() {
        for heading in ["Employees", "Einwohner 2024", "Number of stores", "Anzahl Filialen"] {
            assert!(is_count(heading), "{heading}");
        }
        for heading in ["Sales per employee", "Sales", "Umsatz je Mitarbeiter", "2024"] {
            assert!(!is_count(heading), "{heading}");
        }
    }
}
