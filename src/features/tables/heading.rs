//! Headings of columns: normalization for comparison, and headings with a
//! meaning of their own, such as months and ids.

use chartroom_charts::mixed_units::UNIT_HEADINGS;
use chartroom_charts::number_text;
use chartroom_charts::time_order;
use chartroom_platform::text;

/// Normalized headings of columns that number or name records.
const IDS: [&str; 25] = [
    "bib",
    "startnummer",
    "startnr",
    "id",
    "no",
    "nr",
    "number",
    "nummer",
    "key",
    "code",
    "index",
    "lfd nr",
    "row",
    "zeile",
    "pos",
    "wbs",
    "psp",
    "rank",
    "rang",
    "ranking",
    "rk",
    "platz",
    "rangliste",
    "iso",
    "ags",
];
/// Normalized headings of columns with years.
const YEARS: [&str; 42] = [
    "year",
    "jahr",
    "season",
    "saison",
    "geschaftsjahr",
    "fiscal year",
    "base year",
    "birth year",
    "calendar year",
    "census year",
    "construction year",
    "data year",
    "founding year",
    "model year",
    "publication year",
    "reference year",
    "reporting year",
    "source year",
    "survey year",
    "year built",
    "year founded",
    "year of birth",
    "year of construction",
    "year of publication",
    "established",
    "founded",
    "founded year",
    "basisjahr",
    "baujahr",
    "berichtsjahr",
    "bezugsjahr",
    "datenjahr",
    "erhebungsjahr",
    "erscheinungsjahr",
    "geburtsjahr",
    "grundungsjahr",
    "modelljahr",
    "referenzjahr",
    "stichjahr",
    "erbaut",
    "gegrundet",
    "grundung",
];

/// Names of powers of ten in English and German, without a full stop.
const SCALE_WORDS: [&str; 18] = [
    "thousand",
    "thousands",
    "million",
    "millions",
    "billion",
    "billions",
    "bn",
    "mn",
    "k",
    "m",
    "Tausend",
    "Tsd",
    "Mio",
    "Millionen",
    "Mrd",
    "Milliarden",
    "T€",
    "k€",
];
/// Normalized words in the steps of an answer scale.
const SURVEY_WORDS: [&str; 43] = [
    "agree",
    "disagree",
    "neutral",
    "undecided",
    "neither",
    "satisfied",
    "dissatisfied",
    "never",
    "rarely",
    "seldom",
    "sometimes",
    "often",
    "always",
    "poor",
    "fair",
    "good",
    "excellent",
    "likely",
    "unlikely",
    "important",
    "unimportant",
    "stimme",
    "zu",
    "zufrieden",
    "unzufrieden",
    "nie",
    "selten",
    "manchmal",
    "oft",
    "haufig",
    "immer",
    "schlecht",
    "gut",
    "mittel",
    "teils",
    "weder",
    "unentschieden",
    "trifft",
    "eher",
    "voll",
    "nicht",
    "rather",
    "fully",
];

/// Returns the part of a heading before its first comma in the form of `normalize`, as for
/// `Population, millions`. Empty without a comma.
pub fn before_comma(heading: &str) -> String {
    heading.split_once(',').map_or(String::new(), |(name, _)| normalize(name))
}

/// Returns a heading in the form that comparisons use: its words in lower case without accents,
/// separated by spaces.
///
/// Removes text in brackets and all words from the last `in` on, as in `Sales in EUR`.
/// A change from a lower to an upper case letter separates words, as in `startDate`.
/// Every `ae`, `oe` and `ue` loses its `e`, so that `Faelligkeit` equals `Fälligkeit`.
/// Compare the result only with normalized texts, because `value` becomes `valu`. It is
/// empty if the heading has no letters and digits.
pub fn normalize(heading: &str) -> String {
    let mut words = String::with_capacity(heading.len());
    let (mut depth, mut was_lower) = (0_usize, false);
    for letter in heading.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ => {
                if was_lower && letter.is_uppercase() {
                    words.push(' ');
                }
                words.push(letter);
            }
        }
        was_lower = letter.is_lowercase();
    }
    let mut words = text::fold_words(&words);
    if let Some(at) = words.iter().rposition(|word| word == "in").filter(|at| *at > 0) {
        words.truncate(at);
    }
    words.join(" ").replace("ae", "a").replace("oe", "o").replace("ue", "u")
}

/// Returns a normalized heading without the words that consist of digits, such as years.
pub fn without_numbers(normalized: &str) -> String {
    let is_number = |word: &&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let words: Vec<&str> = normalized.split(' ').filter(|word| !is_number(word)).collect();
    words.join(" ")
}

/// Returns whether a heading names a column of ids, codes or ranks, such as `Task ID`, `Nr.` or `#`.
/// Looks only at the heading, not at the cells.
pub fn is_id(heading: &str) -> bool {
    let normalized = normalize(heading);
    heading.trim() == "#"
        || IDS.contains(&normalized.as_str())
        || [" id", " nr", " code"].iter().any(|end| normalized.ends_with(end))
        || is_compound_id(&normalized)
}

/// Returns whether a heading is a word for accounts or companies as in accounting programs, such as
/// `Konto`. The caller checks the cells: whole numbers are codes, but texts are names.
pub fn is_account_code(heading: &str) -> bool {
    // Codes of accounts and companies in SAP, DATEV and other accounting programs.
    const ACCOUNTING: [&str; 13] = [
        "account",
        "bankkonto",
        "buchungskreis",
        "cost center",
        "cost centre",
        "g l account",
        "gegenkonto",
        "konto",
        "kostenstelle",
        "kostentrager",
        "mandant",
        "profit center",
        "sachkonto",
    ];
    ACCOUNTING.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for the record above another one, such as `Manager`, or for a
/// numbered place, such as `Gleis`, so that numbers below it are ids.
pub fn is_reference(heading: &str) -> bool {
    const REFERENCES: [&str; 21] = [
        "boss",
        "chef",
        "fuhrungskraft",
        "gate",
        "gleis",
        "line manager",
        "manager",
        "parent",
        "platform",
        "predecessor",
        "raum",
        "reports to",
        "room",
        "seat",
        "sitzplatz",
        "supervisor",
        "track",
        "vorganger",
        "vorgesetzte",
        "vorgesetzte r",
        "vorgesetzter",
    ];
    REFERENCES.contains(&normalize(heading).as_str())
}

/// Returns whether a normalized heading is a compound such as `kundennummer`, `personalnr` or
/// `order number`, or a word such as `plz` or `isbn`.
fn is_compound_id(normalized: &str) -> bool {
    const NUMBERED: [&str; 16] = [
        "account",
        "article",
        "case",
        "customer",
        "employee",
        "invoice",
        "item",
        "member",
        "order",
        "part",
        "personnel",
        "phone",
        "product",
        "reference",
        "serial",
        "ticket",
    ];
    let is_single = !normalized.contains(' ');
    let number = normalized.strip_suffix(" number");
    is_single && ["nummer", "nr"].iter().any(|end| normalized.ends_with(end))
        || ["plz", "postleitzahl", "zip", "ean", "gtin", "isbn", "sku"].contains(&normalized)
        || number.is_some_and(|word| NUMBERED.contains(&word))
}

/// Returns whether a heading is a word for units of measure or currencies, such as `Unit`,
/// `Einheit` or `Currency`, so that the cells are units. False for a unit such as `kg`.
pub fn is_unit_heading(heading: &str) -> bool {
    UNIT_HEADINGS.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for texts about a record that do not name it, such as `Remarks` or
/// `Beschreibung`.
pub fn is_remark_heading(heading: &str) -> bool {
    const REMARKS: [&str; 18] = [
        "anmerkung",
        "anmerkungen",
        "bemerkung",
        "bemerkungen",
        "beschreibung",
        "comment",
        "comments",
        "description",
        "details",
        "erlauterung",
        "hinweis",
        "kommentar",
        "note",
        "notes",
        "notiz",
        "notizen",
        "remark",
        "remarks",
    ];
    REMARKS.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for latitudes or longitudes, such as `lat` or `Breitengrad`.
/// True also for `Breite` and `Länge`, which may be sizes.
pub fn is_coordinate_heading(heading: &str) -> bool {
    // Without accents, like every normalized heading.
    const COORDINATES: [&str; 20] = [
        "lat",
        "latitud",
        "latitude",
        "latitudine",
        "breite",
        "breitengrad",
        "geo breite",
        "geogr breite",
        "geographische breite",
        "lon",
        "lng",
        "long",
        "longitud",
        "longitude",
        "longitudine",
        "lange",
        "langengrad",
        "geo lange",
        "geogr lange",
        "geographische lange",
    ];
    COORDINATES.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is one of the words `Breite` and `Länge`, which stand for a size or a
/// coordinate.
pub fn is_size_or_coordinate(heading: &str) -> bool {
    ["breite", "lange"].contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for years, such as `Jahr` or `Season`. False for `2024`.
pub fn is_year_heading(heading: &str) -> bool {
    YEARS.contains(&normalize(heading).as_str())
}

/// Returns whether a heading is a word for dates, such as `Datum`, so that whole numbers below it that can
/// be years are years.
pub fn is_date_heading(heading: &str) -> bool {
    // Not `data`, Italian and Portuguese for date, which is also a heading of measurements.
    const DATES: [&str; 6] = ["date", "dato", "datum", "fecha", "when", "wann"];
    DATES.contains(&normalize(heading).as_str())
}

/// Returns whether a heading or a label is a period, such as a year, quarter, month, week,
/// date or time of day. A text that ends with a year, such as `Umsatz 2023`, is one too.
pub fn is_period(text: &str) -> bool {
    let text = text.trim();
    if time_order::is_period(text) {
        return true;
    }
    let last = text.split_whitespace().next_back().unwrap_or_default();
    last.len() < text.len() && last.len() == 4 && time_order::is_year(last)
}

/// Returns whether at least three headings are the steps of an answer scale: more than
/// half of them have a word such as `agree`, or they are the numbers 1, 2, 3 and so on.
pub fn are_survey_steps(headings: &[&str]) -> bool {
    let is_step =
        |heading: &&&str| normalize(heading).split(' ').any(|word| SURVEY_WORDS.contains(&word));
    let is_numbered = headings
        .iter()
        .enumerate()
        .all(|(index, heading)| heading.trim() == (index + 1).to_string());
    headings.len() >= 3
        && (is_numbered || headings.iter().filter(is_step).count() * 2 > headings.len())
}

/// Returns the unit of measure that is the whole text in round or square brackets at the end of a
/// heading, as in `Weight (kg)`. None without brackets and for other text in them.
pub fn unit_in_brackets(heading: &str) -> Option<&str> {
    text_in_brackets(heading).filter(|unit| number_text::is_unit(unit))
}

/// Returns the unit of measure that is the last word of a heading without brackets, as in
/// `Temperature °C`. None for short words that are units and something else, such as `A` and `min`, and
/// for a single word.
pub fn unit_after_name(heading: &str) -> Option<&str> {
    const WORDS: [&str; 26] = [
        "mm", "cm", "km", "qm", "ha", "mg", "kg", "ml", "hPa", "kPa", "mbar", "kWh", "MWh", "GWh",
        "TWh", "kW", "MW", "GW", "MB", "GB", "TB", "kcal", "EUR", "USD", "CHF", "GBP",
    ];
    let (_, last) = heading.trim_end().rsplit_once(char::is_whitespace)?;
    let has_symbol = last.contains(|c: char| "°€$£²³µ/".contains(c));
    (WORDS.contains(&last) || has_symbol && (number_text::is_unit(last) || last.ends_with('€')))
        .then_some(last)
}

/// Returns the whole text in brackets at the end of a heading if one of its words is a unit, a power of
/// ten, or both with the sign of a currency, as in `GDP (1000 $)`, `Population (millions)` or
/// `Revenue (€m)`.
pub fn scale_in_brackets(heading: &str) -> Option<&str> {
    let is_scale = |word: &str| {
        let word = word.trim_end_matches('.');
        number_text::is_unit(word)
            || word.contains(['€', '$', '£', '¥'])
            || SCALE_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
    };
    text_in_brackets(heading).filter(|text| text.split_whitespace().any(is_scale))
}

/// Returns the text in round or square brackets at the end of a heading, without whitespace around it.
/// None if the heading ends otherwise.
fn text_in_brackets(heading: &str) -> Option<&str> {
    let end = heading.trim_end().strip_suffix([')', ']'])?;
    let (_, text) = end.rsplit_once(['(', '['])?;
    Some(text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_compared_without_case_accents_punctuation_and_units() {
        let check = |heading: &str, want: &str| assert_eq!(normalize(heading), want, "{heading}");
        check("Umsatz (Mio. €)", "umsatz");
        check("Umsatz in Tsd. EUR", "umsatz");
        check("% complete", "complete");
        check("Start-Date:", "start date");
        check("startDate", "start date");
        check("Fälligkeit", "falligkeit");
        check("Faelligkeit", "falligkeit");
        check("MÄNNER", "manner");
        check("€", "");
        check("In", "in");
        assert_eq!(without_numbers("umsatz 2023"), "umsatz");
    }

    #[test]
    fn periods_and_ids_are_recognized() {
        for period in ["Jan", "März", "2023", "Q1", "Q2 2024", "2024-03", "Umsatz 2023", "Mrz 24"]
        {
            assert!(is_period(period), "{period}");
        }
        for other in ["North", "A 1", "12", "Marie", "Q9", ""] {
            assert!(!is_period(other), "{other}");
        }
        for id in ["Konto", "Gegenkonto (ohne BU-Schlüssel)", "Buchungskreis", "Kostenträger"] {
            assert!(is_account_code(id), "{id}");
        }
        assert!(!is_account_code("Skonto") && !is_id("Account"));
        assert!(is_id("Task ID") && is_id("#") && is_id("Nr.") && !is_id("Name"));
        for id in ["Kundennummer", "Personalnr.", "Order number", "CustomerID", "PLZ"] {
            assert!(is_id(id), "{id}");
        }
        assert!(!is_id("Number of orders") && !is_id("Total number") && !is_id("Kunden"));
    }

    #[test]
    fn units_after_names_are_recognized() {
        assert_eq!(unit_after_name("Temperatur °C"), Some("°C"));
        assert_eq!(unit_after_name("Niederschlag mm"), Some("mm"));
        assert_eq!(unit_after_name("Umsatz T€"), Some("T€"));
        for other in ["Team A", "mm", "Umsatz", "Time min", "and/or", "Pass in"] {
            assert_eq!(unit_after_name(other), None, "{other}");
        }
    }

    #[test]
    fn answer_scales_are_recognized() {
        assert!(are_survey_steps(&["Strongly disagree", "Disagree", "Neutral", "Agree"]));
        assert!(are_survey_steps(&["Trifft nicht zu", "Trifft eher nicht zu", "Trifft zu"]));
        assert!(are_survey_steps(&["1", "2", "3", "4", "5"]));
        assert!(!are_survey_steps(&["North", "South", "West"]));
        assert!(!are_survey_steps(&["2021", "2022", "2023"]));
    }

    #[test]
    fn coordinates_are_recognized_with_and_without_accents() {
        for heading in ["Latitude", "Breitengrad", "Längengrad", "geo. Länge", "Laengengrad"] {
            assert!(is_coordinate_heading(heading), "{heading}");
        }
        assert!(is_coordinate_heading("Geographische Länge"));
        assert!(!is_coordinate_heading("Langsam"));
    }
}
