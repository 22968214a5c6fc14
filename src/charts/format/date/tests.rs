//! Tests of dates and times.

use super::*;

#[test]
fn dates_survive_a_round_trip() {
    for text in ["1970-01-01", "2000-02-29", "2024-12-31", "1900-03-01", "2100-02-28"] {
        let civil = to_civil(parse(text).expect(text));
        assert_eq!(format!("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day), text);
    }
    assert_eq!(timestamp(1970, 1, 2), DAY_SECONDS);
    assert_eq!(timestamp(1, 1, 1), FIRST_MIDNIGHT);
}

#[test]
fn a_moment_has_its_time_of_day() {
    let format = |text: &str| format_moment(parse(text).expect(text), Locale::parse("en"));
    assert_eq!(format("2024-03-09"), "9 Mar 2024");
    assert_eq!(format("2024-03-09T14:30"), "9 Mar 2024, 14:30");
    assert_eq!(format("0001-01-01T06:15:30"), "06:15:30");
    assert_eq!(format("0001-01-02"), "00:00");
    assert_eq!(format("0001-01-01T10:00:00.2"), "10:00:00.200");
    assert_eq!(format("2024-03-09T14:30:05.007"), "9 Mar 2024, 14:30:05.007");
    assert_eq!(format("2024-03-09T14:30:05.1"), "9 Mar 2024, 14:30:05.100");
}

#[test]
fn invalid_dates_are_rejected() {
    for text in ["", "24-01-01", "2024-13-01", "2023-02-29", "2024-01-01T25:00", "x", "2024-Q5"] {
        assert_eq!(parse(text), None, "{text}");
    }
    assert_eq!(parse("2024-Q2"), parse("2024-04-01"));
    assert_eq!(parse("2024-03-09T14:30:00Z"), Some(timestamp(2024, 3, 9) + 52_200.0));
    let with_fraction = Some(timestamp(2024, 3, 9) + 52_200.25);
    assert_eq!(parse("2024-03-09 14:30:00,250"), with_fraction);
    assert_eq!(parse("2024-03-09 14:30:00.25 +0200"), with_fraction);
    assert_eq!(parse("2024-03-09 14:30:00.2x"), None);
}

#[test]
fn printed_days_and_months_are_read_back() {
    for tag in ["en", "en-US", "de", "fr", "ja", "ko", "he", "ar", "pl", "zh"] {
        let locale = Locale::parse(tag);
        for seconds in [timestamp(2026, 3, 14), timestamp(2026, 11, 1), timestamp(1999, 12, 31)] {
            let day = read_dated_name(&format_day(seconds, true, locale), locale);
            let year = to_civil(seconds).year;
            let short = format_day(seconds, false, locale);
            let year_text = format_year(year, locale);
            assert_eq!(day, Some(DatedName { seconds, year, short, year_text }), "{tag}");
            let month = read_dated_name(&format_month(seconds, locale), locale);
            assert_eq!(month.map(|name| name.year), Some(year), "{tag}");
        }
    }
    for text in ["14 Mar", "Mar", "2026", "Umsatz 2026", "Mars 2026", "31 Feb 2026", "March 2026"] {
        assert_eq!(read_dated_name(text, Locale::parse("en")), None, "{text}");
    }
}

#[test]
fn the_date_order_depends_on_the_language() {
    let day = timestamp(2024, 3, 9);
    assert_eq!(format_day(day, true, Locale::parse("en")), "9 Mar 2024");
    assert_eq!(format_day(day, false, Locale::parse("de")), "9. März");
    assert_eq!(format_with_pattern(day, "DD.MM.YY", Locale::parse("de")), "09.03.24");
}

#[test]
fn periods_without_a_year_have_names_and_distances() {
    let english = Locale::parse("en");
    for (unit, number, name) in [
        (PeriodUnit::Week, 1, "W1"),
        (PeriodUnit::Week, 52, "W52"),
        (PeriodUnit::Week, 54, "W2"),
        (PeriodUnit::Month, 3, "Mar"),
        (PeriodUnit::Month, 13, "Jan"),
        (PeriodUnit::Quarter, 4, "Q4"),
        (PeriodUnit::Quarter, 5, "Q1"),
    ] {
        let period = PeriodOfYear { unit, number };
        let seconds = period.to_timestamp();
        assert_eq!(PeriodOfYear::find(seconds), Some(period));
        assert_eq!(
            (period.name(english), format_moment(seconds, english)),
            (name.to_owned(), name.to_owned())
        );
    }
    // A Monday, like the ticks of whole weeks.
    assert_eq!((FIRST_WEEK / DAY_SECONDS + 3.0).rem_euclid(7.0), 0.0);
    assert_eq!(PeriodOfYear::find(timestamp(1066, 10, 14)), None);
    assert_eq!(PeriodOfYear::find(FIRST_MIDNIGHT), None);
    assert_eq!(Locale::parse("de").format_week(14), "KW\u{a0}14");
}

#[test]
fn dates_keep_the_precision_of_their_texts() {
    let format =
        |text: &str| Precision::of_text(text).format(parse(text).unwrap(), Locale::parse("en"));
    assert_eq!(
        ["2024", "2024-Q2", "2024-03", "2024-03-09"].map(format),
        ["2024", "Q2 2024", "Mar 2024", "9 Mar 2024"]
    );
}

#[test]
fn other_characters_in_a_fraction_are_no_date() {
    assert_eq!(parse_fraction("12345é"), None);
    assert_eq!(parse_fraction("1234567"), Some(0.123_456));
}
