//! Words in dates: names of months, days of the week and time zones.

/// Folded names of the months, and their abbreviations, January first. The languages are those of
/// the locales with Latin letters. No name has different meanings in them.
const MONTHS: [&[&str]; 12] = [
    &[
        "jan", "january", "januar", "janner", "januari", "janv", "janvier", "ene", "enero", "gen",
        "gennaio", "janeiro", "sty", "styczen", "stycznia",
    ],
    &[
        "feb",
        "february",
        "februar",
        "feber",
        "februari",
        "fevr",
        "fev",
        "fevrier",
        "febrero",
        "febbraio",
        "fevereiro",
        "lut",
        "luty",
        "lutego",
    ],
    &[
        "mar", "march", "marz", "mrz", "maerz", "mars", "marzo", "marco", "mrt", "maart", "marts",
        "marzec", "marca",
    ],
    &["apr", "april", "avr", "avril", "abr", "abril", "aprile", "kwi", "kwiecien", "kwietnia"],
    &["may", "mai", "mayo", "mag", "maggio", "maio", "mei", "maj", "maja"],
    &[
        "jun", "june", "juni", "juin", "junio", "giu", "giugno", "junho", "cze", "czerwiec",
        "czerwca",
    ],
    &[
        "jul", "july", "juli", "juil", "juillet", "julio", "lug", "luglio", "julho", "lip",
        "lipiec", "lipca",
    ],
    &[
        "aug", "august", "aout", "ago", "agosto", "augustus", "augusti", "sie", "sierpien",
        "sierpnia",
    ],
    &[
        "sep",
        "sept",
        "september",
        "septembre",
        "septiembre",
        "setiembre",
        "set",
        "settembre",
        "setembro",
        "wrz",
        "wrzesien",
        "wrzesnia",
    ],
    &[
        "oct",
        "october",
        "okt",
        "oktober",
        "octobre",
        "octubre",
        "ott",
        "ottobre",
        "out",
        "outubro",
        "paz",
        "pazdziernik",
        "pazdziernika",
    ],
    &["nov", "november", "novembre", "noviembre", "novembro", "lis", "listopad", "listopada"],
    &[
        "dec",
        "december",
        "dez",
        "dezember",
        "decembre",
        "dic",
        "diciembre",
        "dicembre",
        "dezembro",
        "gru",
        "grudzien",
        "grudnia",
    ],
];
/// Folded words between the parts of a date, as in `3 de marzo de 2025`.
const FILLERS: [&str; 6] = ["de", "del", "le", "of", "the", "den"];
/// Names of the days of the week and their abbreviations, folded, and as written if a language has
/// diacritics. The abbreviation `mar` is absent, because it is a month too.
const WEEKDAYS: &[&str] = &[
    // English and German
    "mo",
    "mon",
    "monday",
    "montag",
    "di",
    "tu",
    "tue",
    "tues",
    "tuesday",
    "dienstag",
    "mi",
    "we",
    "wed",
    "wednesday",
    "mittwoch",
    "do",
    "th",
    "thu",
    "thur",
    "thurs",
    "thursday",
    "donnerstag",
    "fr",
    "fri",
    "friday",
    "freitag",
    "sa",
    "sat",
    "saturday",
    "samstag",
    "sonnabend",
    "so",
    "su",
    "sun",
    "sunday",
    "sonntag",
    // French
    "lundi",
    "mardi",
    "mercredi",
    "jeudi",
    "vendredi",
    "samedi",
    "dimanche",
    "lun",
    "mer",
    "jeu",
    "ven",
    "sam",
    "dim",
    // Spanish and Italian
    "lunes",
    "martes",
    "miercoles",
    "miércoles",
    "jueves",
    "viernes",
    "sabado",
    "sábado",
    "domingo",
    "mie",
    "jue",
    "vie",
    "sab",
    "dom",
    "lunedi",
    "lunedì",
    "martedi",
    "martedì",
    "mercoledi",
    "mercoledì",
    "giovedi",
    "giovedì",
    "venerdi",
    "venerdì",
    "sabato",
    "domenica",
    "gio",
    // Dutch, Danish and Swedish
    "maandag",
    "dinsdag",
    "woensdag",
    "donderdag",
    "vrijdag",
    "zaterdag",
    "zondag",
    "mandag",
    "tirsdag",
    "onsdag",
    "torsdag",
    "fredag",
    "lordag",
    "lørdag",
    "sondag",
    "søndag",
    "måndag",
    "tisdag",
    "lördag",
    "söndag",
    // Polish
    "poniedzialek",
    "poniedziałek",
    "wtorek",
    "sroda",
    "środa",
    "czwartek",
    "piatek",
    "piątek",
    "sobota",
    "niedziela",
];
/// Folded words for quarters, and their abbreviations.
const QUARTERS: [&str; 12] = [
    "q",
    "qtr",
    "quarter",
    "quartal",
    "t",
    "trim",
    "trimestre",
    "kwartaal",
    "kwartal",
    "kvartal",
    "季度",
    "四半期",
];
/// Folded words for weeks, and their abbreviations.
const WEEKS: [&str; 12] = [
    "w",
    "wk",
    "week",
    "kw",
    "cw",
    "woche",
    "semaine",
    "semana",
    "settimana",
    "uge",
    "vecka",
    "tydzien",
];
/// Abbreviations of time zones, and their offsets from UTC in minutes. `IST` is the time of India.
const ZONES: [(&str, i32); 26] = [
    ("UTC", 0),
    ("GMT", 0),
    ("WET", 0),
    ("WEST", 60),
    ("CET", 60),
    ("CEST", 120),
    ("MEZ", 60),
    ("MESZ", 120),
    ("EET", 120),
    ("EEST", 180),
    ("BST", 60),
    ("MSK", 180),
    ("EST", -300),
    ("EDT", -240),
    ("CST", -360),
    ("CDT", -300),
    ("MST", -420),
    ("MDT", -360),
    ("PST", -480),
    ("PDT", -420),
    ("IST", 330),
    ("JST", 540),
    ("KST", 540),
    ("AEST", 600),
    ("AEDT", 660),
    ("NZST", 720),
];

/// Returns the number of the month with a folded name or abbreviation, 1 to 12. None for other
/// words.
pub(crate) fn find_month(word: &str) -> Option<usize> {
    MONTHS.iter().position(|names| names.contains(&word)).map(|index| index + 1)
}

/// Returns whether a folded word stands for a quarter.
pub(crate) fn is_quarter_word(word: &str) -> bool {
    QUARTERS.contains(&word)
}

/// Returns whether a folded word stands for a week.
pub(crate) fn is_week_word(word: &str) -> bool {
    WEEKS.contains(&word)
}

/// Returns whether a folded word has no meaning for a date: a preposition, an article or the name
/// of a day.
pub(crate) fn is_filler(word: &str) -> bool {
    FILLERS.contains(&word) || is_weekday(word)
}

/// Removes the name of a day of the week and a space at the start of a date, as in
/// `Mo, 03.03.2025`. Returns the text unchanged if there is none.
pub(crate) fn strip_weekday(text: &str) -> &str {
    let Some((word, rest)) = text.split_once(' ') else { return text };
    if is_weekday(word.trim_end_matches(['.', ','])) { rest.trim_start() } else { text }
}

/// Returns whether a word is the name of a day of the week or its abbreviation without a point.
pub(crate) fn is_weekday(word: &str) -> bool {
    WEEKDAYS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Returns the time zone after a time of day, as the text writes it, such as `+01:00` and `CET`.
/// All names of UTC give `Z`. `None` without a zone or without a time with a colon.
pub(crate) fn find_zone(text: &str) -> Option<&str> {
    let text = text.trim();
    let after_hour = &text[text.find(':')?..];
    let words = &text[strip_zone(text).len()..];
    let zone = if words.is_empty() {
        let start = after_hour.find(['Z', 'z', '+', '-'])?;
        let zone = &after_hour[start..];
        let is_offset = zone[1..].bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
        Some(zone).filter(|_| is_offset)?
    } else {
        words.trim()
    };
    let is_utc = ["Z", "z", "UTC", "GMT", "+00:00", "+0000", "+00", "-00:00"].contains(&zone);
    Some(if is_utc { "Z" } else { zone })
}

/// Returns the offset from UTC, in minutes, of the time zone after a time of day. It is negative
/// west of Greenwich. `None` without a zone, and for unknown zones and offsets above 14 hours.
pub(crate) fn zone_offset(text: &str) -> Option<i32> {
    let zone = find_zone(text)?;
    // JavaScript adds the name of the zone: `GMT+0100 (CET)`.
    let zone = zone.split(' ').next().unwrap_or(zone);
    if let Some((_, offset)) = ZONES.iter().find(|(name, _)| *name == zone) {
        return Some(*offset);
    }
    let zone = zone.strip_prefix("UTC").or_else(|| zone.strip_prefix("GMT")).unwrap_or(zone);
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let digits = zone.strip_prefix(['+', '-'])?;
    let (hours, minutes) = match (digits.split_once(':'), digits.len()) {
        (Some(parts), _) => parts,
        (None, 1 | 2) => (digits, "0"),
        (None, 4) => digits.split_at_checked(2)?,
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

/// Returns the time zone after a time of day as ISO 8601 writes it: `Z` or `+01:00`. `None` without
/// a zone and for an unknown one.
pub(crate) fn iso_zone(text: &str) -> Option<String> {
    let minutes = zone_offset(text)?;
    let sign = if minutes < 0 { '-' } else { '+' };
    let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
    Some(if minutes == 0 { "Z".to_owned() } else { format!("{sign}{hours:02}:{rest:02}") })
}

/// Removes the time zone after a time of day and a space, such as `CET` or `GMT+1`. A zone without
/// a space before it, as in `10:00Z`, stays. Returns other texts unchanged.
pub(crate) fn strip_zone(text: &str) -> &str {
    // JavaScript adds the name of the zone: `09:12:00 GMT+0100 (CET)`.
    let text = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((rest, _)) if rest.contains(':') => rest,
        _ => text,
    };
    let Some((rest, word)) = text.rsplit_once(' ').filter(|(rest, _)| rest.contains(':')) else {
        return text;
    };
    let is_number = |byte: u8| byte.is_ascii_digit() || byte == b':';
    let is_offset = |offset: &str| {
        offset.is_empty() || offset.starts_with(['+', '-']) && offset[1..].bytes().all(is_number)
    };
    // A number of one or two digits may be something else: `12:30 -13`.
    let is_zone = word.len() >= 5 && is_offset(word)
        || ZONES.iter().any(|(zone, _)| *zone == word)
        || ["UTC", "GMT"].iter().any(|zone| word.strip_prefix(zone).is_some_and(is_offset));
    if is_zone { rest.trim_end() } else { text }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn each_name_means_one_month() {
        let names: Vec<&str> = MONTHS.iter().flat_map(|names| names.iter().copied()).collect();
        let different: HashSet<&str> = names.iter().copied().collect();
        assert_eq!(different.len(), names.len());
        assert!(names.iter().all(|name| !is_filler(name)));
        assert_eq!(
            (find_month("mars"), find_month("paz"), find_month("x")),
            (Some(3), Some(10), None)
        );
    }

    #[test]
    fn weekdays_and_zones_are_removed() {
        assert_eq!(strip_weekday("Mo, 03.03.2025"), "03.03.2025");
        assert_eq!(strip_weekday("Wed 3/5/2025"), "3/5/2025");
        assert_eq!(strip_weekday("Mai 2025"), "Mai 2025");
        assert_eq!(strip_zone("2026/03/01 9:12:33 AM MEZ"), "2026/03/01 9:12:33 AM");
        assert_eq!(strip_zone("2026-03-01 09:12 GMT+1"), "2026-03-01 09:12");
        assert_eq!(strip_zone("2026-03-01 09:12 PM"), "2026-03-01 09:12 PM");
        assert_eq!(strip_zone("3 GMT"), "3 GMT");
        assert_eq!(strip_zone("2026-03-01 09:12:00 GMT+0100 (CET)"), "2026-03-01 09:12:00");
        assert_eq!(strip_weekday("mar 5 2024"), "mar 5 2024");
    }

    #[test]
    fn zones_have_offsets_from_utc() {
        for (text, minutes) in [
            ("2024-01-01T00:00:00Z", Some(0)),
            ("2024-01-01T00:00:00.5+02:00", Some(120)),
            ("2024-01-01 00:00:00-0330", Some(-210)),
            ("2024-01-01 00:00:00+01", Some(60)),
            ("2024-01-01 00:00:00 +0530", Some(330)),
            ("2024-01-01 00:00 CEST", Some(120)),
            ("2024-01-01 00:00 GMT-5", Some(-300)),
            ("2024-01-01 09:12:00 GMT+0100 (CET)", Some(60)),
            ("2024-01-01 00:00", None),
            ("2024-01-01 00:00+99:00", None),
        ] {
            assert_eq!(zone_offset(text), minutes, "{text}");
        }
        assert_eq!(iso_zone("2024-01-01 00:00 EST").as_deref(), Some("-05:00"));
    }

    #[test]
    fn zones_are_found_after_a_time_of_day() {
        assert_eq!(find_zone("2024-01-01T00:00:00Z"), Some("Z"));
        assert_eq!(find_zone("2024-01-01T01:00:00+00:00"), Some("Z"));
        assert_eq!(find_zone("2024-01-01T01:00:00.5+01:00"), Some("+01:00"));
        assert_eq!(find_zone("2026-03-01 09:12 CET"), Some("CET"));
        for text in ["2024-01-01", "2024-01-01T00:00", "Ratio 1:2", "a: b-c", "12:30 - 13:30"] {
            assert_eq!(find_zone(text), None, "{text}");
        }
    }
}
