//! Tests of the number formats of dates and times.

use super::*;

/// Checks the text of a number of days since 1900, rounded as for a cell.
fn check(code: &str, serial: f64, want: &str) {
    let format = DateFormat::compile(code);
    let ms = format.round_ms(serial_date::to_ms(serial, 0).unwrap());
    let text = format.render(ms);
    assert_eq!(text, want, "{code} {serial}");
    assert!(text.len() <= format.max_text_bytes(), "{code} {serial}");
}

/// 2024-03-31 13:05:09.
const MOMENT: f64 = 45_382.545_243_055_55;

#[test]
fn parts_of_dates_have_one_to_five_letters() {
    for (code, want) in [
        ("d/dd", "31/31"),
        ("ddd dddd", "Sun Sunday"),
        ("m mm", "3 03"),
        ("mmm mmmm mmmmm", "Mar March M"),
        ("y yy yyy yyyy", "24 24 2024 2024"),
        ("YYYY-MM-DD", "2024-03-31"),
        ("e aaa bbbb", "2024 Sun 2567"),
        ("ggge", "2024"),
    ] {
        check(code, MOMENT, want);
    }
    check("mmmm", 45_292.0, "January");
    check("d.m.yy", 36_526.0, "1.1.00");
}

#[test]
fn minutes_are_beside_hours_or_seconds() {
    for (code, want) in [
        ("h:mm", "13:05"),
        ("h \"o'clock\" m", "13 o'clock 5"),
        ("m:ss", "5:09"),
        ("mm/dd hh:mm", "03/31 13:05"),
        ("hh:mm mm", "13:05 03"),
        ("h mmm", "13 Mar"),
        ("m/d h:m:s", "3/31 13:5:9"),
    ] {
        check(code, MOMENT, want);
    }
}

#[test]
fn hours_count_to_12_with_halves_of_the_day() {
    check("h AM/PM", 0.0, "12 AM");
    check("h am/pm", 0.5, "12 PM");
    check("hh:mm a/p", MOMENT, "01:05 p");
    check("h A/P", 0.25, "6 A");
    check("AM/PM h", 0.999, "PM 11");
}

#[test]
fn durations_count_beyond_a_day() {
    check("[h]:mm:ss", 1.5, "36:00:00");
    check("[hhh]:mm", 0.25, "006:00");
    check("[m]", 0.0625, "90");
    check("[s].00", 0.000_005_787, "0.50");
    check("[mm]:ss", 1.0, "1440:00");
    assert!(DateFormat::compile("[h]:mm").is_duration);
    assert!(!DateFormat::compile("[Red]h:mm").is_duration);
}

#[test]
fn fractions_are_rounded_and_carry_into_the_next_day() {
    check("ss.000", MOMENT, "09.000");
    check("mm:ss.0", 0.96 / 86_400.0, "00:01.0");
    check("ss.00", 0.994 / 86_400.0, "00.99");
    check("ss.0000", 0.5 / 86_400.0, "00.500");
    check("yyyy-mm-dd hh:mm", 45_382.999_999_99, "2024-04-01 00:00");
    check("hh:mm", 0.999_99, "23:59");
    check("s.", 0.0, "0.");
}

#[test]
fn days_are_those_of_excel() {
    check("m/d/yyyy", 0.0, "1/0/1900");
    check("dddd m/d/yyyy", 1.0, "Sunday 1/1/1900");
    check("m/d/yyyy", 59.0, "2/28/1900");
    check("dddd m/d/yyyy", 60.0, "Wednesday 2/29/1900");
    check("dddd m/d/yyyy", 61.0, "Thursday 3/1/1900");
    check("m/d/yyyy", 2_958_465.0, "12/31/9999");
}

#[test]
fn texts_widths_languages_and_colors() {
    for (code, want) in [
        ("\"Day \"d\\d", "Day 31d"),
        ("_(d_)", " 31 "),
        ("* d", "31"),
        ("[Blue][$-407]d. mmmm", "31. March"),
        ("[$€-2]d", "€31"),
        ("yyyy年m月", "2024年3月"),
        ("d \"open", "31 open"),
        ("d\\", "31"),
        ("d[", "31"),
        ("d_", "31 "),
        ("[$-F800]dddd, mmmm dd, yyyy", "Sunday, March 31, 2024"),
        ("[$-f400]h:mm:ss AM/PM", "1:05:09 PM"),
        ("", ""),
    ] {
        check(code, MOMENT, want);
    }
}

#[test]
fn sections_depend_on_the_number() {
    check("yyyy;\"-\"yyyy;\"none\"", 0.0, "none");
    check("h:mm;\"-\"yyyy", 0.0, "0:00");
    check("yyyy;;", 0.0, "");
    check("yyyy;@", MOMENT, "2024");
    check("\";\"d;x", MOMENT, ";31");
    check("[<1]h:mm;yyyy", 0.25, "6:00");
    check("[<1]h:mm;yyyy", MOMENT, "2024");
    check("[>=45000]\"new \"d;[>1]\"old \"d;General", MOMENT, "new 31");
    check("[>=45000]\"new \"d;[>1]\"old \"d;General", 2.0, "old 2");
    check("[>=45000]\"new \"d;[>1]\"old \"d;General", 0.5, "0.5");
    check("[>50000]d", MOMENT, "");
}

#[test]
fn the_time_for_a_code_grows_with_its_length_only() {
    for part in ["[", "\"", "\\", "d;", "[<1]", "ss.0", "_", "*", "AM/PM", "ä"] {
        let code = part.repeat(20_000);
        let format = DateFormat::compile(&code);
        assert!(format.render(0).len() <= format.max_text_bytes());
    }
}
