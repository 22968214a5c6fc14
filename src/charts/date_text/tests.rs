//! Tests of the readings of dates.

use super::DateOrder::{DayMonth, MonthDay};
use super::*;

#[test]
fn dates_become_the_notation_of_charts() {
    let check = |text: &str, order: DateOrder, want: &str| {
        assert_eq!(to_iso_date(text, order).as_deref(), Some(want), "{text}");
    };
    check("31.12.2023", DayMonth, "2023-12-31");
    check("1.2.24", DayMonth, "2024-02-01");
    check("12/31/23", MonthDay, "2023-12-31");
    check("3/4/2024", DayMonth, "2024-04-03");
    check("3/4/2024", MonthDay, "2024-03-04");
    check("31.12.2023 14:30", DayMonth, "2023-12-31 14:30");
    check("3/14/2026 9:30 PM", MonthDay, "2026-03-14 21:30:00");
    check("14.03.2026, 6:05 Uhr", DayMonth, "2026-03-14 06:05:00");
    check("March 3, 2024 12:05 a.m.", DayMonth, "2024-03-03 00:05:00");
    check("03/2024", DayMonth, "2024-03");
    check("Mrz 24", DayMonth, "2024-03");
    check("März 2024", DayMonth, "2024-03");
    check("3. März 2024", DayMonth, "2024-03-03");
    check("March 3rd, 2024", DayMonth, "2024-03-03");
    check("Q2 2024", DayMonth, "2024-Q2");
    check("2024 Q2", DayMonth, "2024-Q2");
    check("KW 1 2026", DayMonth, "2025-12-29");
    check("2024-W14", DayMonth, "2024-04-01");
    check("14 avr. 2025", DayMonth, "2025-04-14");
    check("1er mai 2025", DayMonth, "2025-05-01");
    check("3 de marzo de 2025", DayMonth, "2025-03-03");
    check("12 października 2025", DayMonth, "2025-10-12");
    check("Mo, 03.03.2025", DayMonth, "2025-03-03");
    check("Monday, March 3, 2025", DayMonth, "2025-03-03");
    check("2026/03/01 9:12:33 AM MEZ", DayMonth, "2026-03-01 09:12:33+01:00");
    check("2026-03-01 09:12 UTC", DayMonth, "2026-03-01 09:12Z");
    check("2026-03-01 09:12:33 -0500", DayMonth, "2026-03-01 09:12:33-05:00");
    check("2026-03-01T09:12:33.250+02:00", DayMonth, "2026-03-01T09:12:33.250+02:00");
    check("03/Mar/26 4:40 PM", DayMonth, "2026-03-03 16:40:00");
    check("2024-03-09T14:30", DayMonth, "2024-03-09T14:30");
    check("2024", DayMonth, "2024");
    for text in [
        "24-03-05",
        "24 March",
        "5 May",
        "31.13.2023",
        "12/31/2023",
        "x",
        "3.5",
        "1-2",
        "Mai",
        "24.12.",
        "12.345",
    ] {
        assert_eq!(to_iso_date(text, DayMonth), None, "{text}");
    }
}

#[test]
fn quarters_weeks_and_dates_of_many_languages_are_read() {
    let check = |text: &str, order: DateOrder, want: &str| {
        assert_eq!(to_iso_date(text, order).as_deref(), Some(want), "{text}");
    };
    check("KW14/2024", DayMonth, "2024-04-01");
    check("14. KW 2024", DayMonth, "2024-04-01");
    check("W14 2024", DayMonth, "2024-04-01");
    check("2024 KW 14", DayMonth, "2024-04-01");
    check("CW 14/24", DayMonth, "2024-04-01");
    check("semaine 14 2024", DayMonth, "2024-04-01");
    check("2023Q4", DayMonth, "2023-Q4");
    check("Q4 2023", DayMonth, "2023-Q4");
    check("Q4/23", DayMonth, "2023-Q4");
    check("1Q24", DayMonth, "2024-Q1");
    check("4. Quartal 2023", DayMonth, "2023-Q4");
    check("T1 2023", DayMonth, "2023-Q1");
    check("4º trimestre 2023", DayMonth, "2023-Q4");
    check("2024年第1季度", DayMonth, "2024-Q1");
    check("2023M09", DayMonth, "2023-09");
    check("2024. 3. 5.", DayMonth, "2024-03-05");
    check("lundi 4 mars 2024", DayMonth, "2024-03-04");
    check("lun 4 mar 2024", DayMonth, "2024-03-04");
    check("mar 5 2024", DayMonth, "2024-03-05");
    check("mar 5 mar 2024", DayMonth, "2024-03-05");
    check("mar 2 abr 2024", DayMonth, "2024-04-02");
    check("2023m9", DayMonth, "2023-09");
    check("Mon Mar 04 2024 00:00:00 GMT+0100 (CET)", DayMonth, "2024-03-04 00:00:00+01:00");
    for text in ["KW 60 2024", "KW 14", "Q5 2024", "W 12/30", "T1 23"] {
        assert_eq!(to_iso_date(text, DayMonth), None, "{text}");
    }
}

#[test]
fn the_order_is_certain_if_only_one_is_possible() {
    let certain = |text: &str| read_date(text).certain_order;
    assert_eq!(certain("31.12.2023"), Some(DayMonth));
    assert_eq!(certain("12/31/2023"), Some(MonthDay));
    assert_eq!(certain("12/31/2023 14:30"), Some(MonthDay));
    assert_eq!(certain("3.4.2024"), Some(DayMonth));
    assert_eq!(
        (certain("3/4/2024"), certain("2024-03-04"), certain("Mai 2024")),
        (None, None, None)
    );
    assert!(read_date("3/4/2024").is_ambiguous);
    for text in ["3.4.2024", "4/4/2024", "12/2024", "2024-03-04", "x"] {
        assert!(!read_date(text).is_ambiguous, "{text}");
    }
}

#[test]
fn a_short_number_beside_a_month_is_a_year_or_a_day() {
    assert_eq!(month_with_short_number("Mrz 24"), Some((3, 24)));
    assert_eq!(month_with_short_number("May 5"), Some((5, 5)));
    for text in ["Mar '24", "Mar 2024", "24 Mar", "Mar", "KW 24"] {
        assert_eq!(month_with_short_number(text), None, "{text}");
    }
    assert!(is_month_name("März") && !is_month_name("Q1") && !is_month_name("März 24"));
}

#[test]
fn a_date_with_two_readings_is_not_certain() {
    let certain = |text: &str| to_certain_iso_date(text);
    assert_eq!(certain("12/31/2023").as_deref(), Some("2023-12-31"));
    assert_eq!(certain("3. März 2024").as_deref(), Some("2024-03-03"));
    assert_eq!(certain("3/4/2024"), None);
}

#[test]
fn readings_agree_with_the_conversion() {
    for text in
        ["31.12.2023", "1/2/24", "12/31/23", "Mrz 24", "2024", "x", "3.4.2024 25:00", "12/2024"]
    {
        let readings = read_date(text);
        assert_eq!(readings.day_first, to_iso_date(text, DayMonth).is_some(), "{text}");
        assert_eq!(readings.month_first, to_iso_date(text, MonthDay).is_some(), "{text}");
    }
}
