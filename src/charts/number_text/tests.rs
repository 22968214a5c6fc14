//! Tests of the notations of numbers.

use super::DecimalSeparator::{Comma, Point};
use super::*;

/// Checks both readings of a text.
fn check(text: &str, with_point: Option<&str>, with_comma: Option<&str>) {
    let readings = [Point, Comma].map(|separator| read_as_json(text, separator));
    let readings = readings.each_ref().map(Option::as_deref);
    assert_eq!(readings, [with_point, with_comma], "{text}");
}

#[test]
fn groups_and_decimals_have_different_separators() {
    check("1284", Some("1284"), Some("1284"));
    check("1,284.50", Some("1284.50"), None);
    check("1.284,50", None, Some("1284.50"));
    check("1,284", Some("1284"), Some("1.284"));
    check("1.284", Some("1.284"), Some("1284"));
    check("95,5", None, Some("95.5"));
    check("0,125", None, Some("0.125"));
    check("1,234,567", Some("1234567"), None);
    check("12,34,567", Some("1234567"), None);
    check("1 284 350,50", None, Some("1284350.50"));
    check("1\u{202f}284\u{202f}350", Some("1284350"), Some("1284350"));
    check("1’234.50", Some("1234.50"), None);
    check("1'234'567", Some("1234567"), Some("1234567"));
    check(".5", Some("0.5"), None);
    check("5.", Some("5"), None);
}

#[test]
fn signs_may_be_before_after_or_around() {
    for text in ["-1,234.5", "(1,234.5)", "1,234.5-", "($1,234.5)", "(1,234.5) €", "$ (1,234.5)"]
    {
        check(text, Some("-1234.5"), None);
    }
    check("+4,2 %", None, Some("4.2"));
    check("-$5", Some("-5"), Some("-5"));
    check("$-5", Some("-5"), Some("-5"));
    check("--5", None, None);
    check("-(5)", None, None);
    check("(-5)", None, None);
    check("5--", None, None);
}

#[test]
fn dashes_in_place_of_decimals_are_no_sign() {
    check("95.--", Some("95"), None);
    check("1'204.--", Some("1204"), None);
    check("95.-", Some("95"), None);
    check("95,-", None, Some("95"));
    check("95,--", None, Some("95"));
    check("95.–", Some("95"), None);
    check("95,—", None, Some("95"));
    check("CHF 1'204.--", Some("1204"), None);
    check("12,- €", None, Some("12"));
    check("-95.--", Some("-95"), None);
    check("95-", Some("-95"), Some("-95"));
    check("95.50-", Some("-95.50"), None);
    check("12.5.--", None, None);
    check("95.---", None, None);
    assert!(!is_plain("95.--") && !is_plain("95-") && is_plain("-95.5e-3"));
}

#[test]
fn a_column_has_one_currency_or_percent_sign() {
    let read = |texts: &[&str]| {
        let mut votes = SeparatorVotes::default();
        for text in texts {
            votes.add(text);
        }
        let reading = votes.decide(Comma);
        let numbers: Vec<Option<f64>> =
            texts.iter().map(|text| reading.notation.read(text)).collect();
        assert_eq!(numbers.iter().flatten().count(), reading.numbers, "{texts:?}");
        numbers
    };
    let one = Some(1.0);
    assert_eq!(read(&["1 €", "1 EUR", "1 $", "1"]), [one, one, None, one]);
    assert_eq!(read(&["1 €", "1 $", "1 %", "1", "1"]), [None, None, None, one, one]);
    assert_eq!(read(&["5 ‰", "3 %", "11 ‰"]), [Some(0.5), Some(3.0), Some(1.1)]);
    assert_eq!(read(&["5 ‰", "3 ‰"]), [Some(5.0), Some(3.0)]);
    assert_eq!(read(&["1 %", "1"]), [one, one]);
    assert_eq!(read(&["US$ 1", "$1", "USD 1"]), [one, one, one]);
    assert_eq!(read(&["1 T€", "1 €", "CHF 1"]), [Some(1000.0), one, None]);
}

#[test]
fn magnitudes_of_many_languages_multiply() {
    for (text, want) in [
        ("12 Mill. €", "12000000"),
        ("2 Bio. €", "2000000000000"),
        ("12 mio. kr.", "12000000"),
        ("2 mia. kr.", "2000000000"),
        ("850 mkr", "850000000"),
        ("12 tkr", "12000"),
        ("3 miljarder", "3000000000"),
        ("850 tusen", "850000"),
        ("12 mil", "12000"),
        ("850 millones", "850000000"),
        ("2 mil millones", "2000000000"),
        ("R$ 2 bi", "2000000000"),
        ("R$ 850 mi", "850000000"),
        ("12 tys. zł", "12000"),
        ("€ 2 mld.", "2000000000"),
        ("€ 850 mln.", "850000000"),
        ("2 miliardi", "2000000000"),
        ("850 milioni", "850000000"),
        ("12 mila", "12000"),
        ("2 milliard", "2000000000"),
        ("12百万円", "12000000"),
        ("4千円", "4000"),
        ("９ lakh", "900000"),
        ("12 mn", "12000000"),
        ("△12", "-12"),
        ("１２", "12"),
        ("१२", "12"),
    ] {
        check(text, Some(want), Some(want));
    }
    check("１，２３４", Some("1234"), Some("1.234"));
    check("850 mi", None, None);
    check("▲12", None, None);
}

#[test]
fn currencies_and_percent_signs_are_ignored_and_magnitudes_multiply() {
    check("1.234,50 €", None, Some("1234.50"));
    check("€ 1.234,50", None, Some("1234.50"));
    check("CHF 95.–", Some("95"), None);
    check("R$ 10,00", None, Some("10.00"));
    check("45 %", Some("45"), Some("45"));
    check("12.5k", Some("12500"), None);
    check("1,5 Mio. €", None, Some("1500000"));
    check("2 Mrd. EUR", Some("2000000000"), Some("2000000000"));
    check("$3.25bn", Some("3250000000"), None);
    check("0.0005k", Some("0.5"), None);
    check("1.5E+03", Some("1.5e+03"), None);
    check("9.109E-31", Some("9.109e-31"), None);
    check("12 k€", Some("12000"), Some("12000"));
    check("12,5 TEUR", None, Some("12500"));
    check("3 T€", Some("3000"), Some("3000"));
}

#[test]
fn a_zero_may_have_both_signs() {
    check("±0,0 %", None, Some("0.0"));
    check("± 0", Some("0"), Some("0"));
    check("±5", None, None);
    check("±", None, None);
}

#[test]
fn numbers_of_arabic_and_east_asian_texts_are_read() {
    check("١٬٢٣٤٫٥", Some("1234.5"), Some("1234.5"));
    check("\u{61c}\u{2212}٠٫٠٥", Some("-0.05"), Some("-0.05"));
    check("١٢٫٥٪\u{61c}", Some("12.5"), Some("12.5"));
    check("٣\u{a0}مليون", Some("3000000"), Some("3000000"));
    check("\u{200e}-7\u{200e}%\u{200e}", Some("-7"), Some("-7"));
    check("1,235万", Some("12350000"), Some("12350"));
    check("1.2兆円", Some("1200000000000"), None);
    check("3.5万亿元", Some("3500000000000"), None);
    check("¥２億", Some("200000000"), Some("200000000"));
    check("4.2만", Some("42000"), None);
}

#[test]
fn magnitudes_are_scales() {
    for text in ["Mrd. €", "Tsd.", "T€", "Mio. EUR", "1 000", "1.000", "1000", "1,000,000"] {
        assert!(is_scale(text), "{text}");
    }
    for text in ["€", "kg", "1 001", "1", "10", "x", "", "-", "1000 kg", "5 Mio."] {
        assert!(!is_scale(text), "{text}");
    }
}

#[test]
fn other_texts_are_not_numbers() {
    for text in [
        "",
        "-",
        "k",
        "€",
        "%",
        "1,23,4",
        "1 2",
        "2020 2021",
        "2026-01-02",
        "12:30",
        "1.2.3",
        "1,2,3",
        "31.12.2023",
        "1e",
        "e5",
        "twelve",
        "n/a",
        "#DIV/0!",
        "12abc",
        "NaN",
        "inf",
        "1 284,350.5.1",
        "1'234,567 890",
        "5 k k",
        "007,5.5",
    ] {
        check(text, None, None);
    }
    check(&"1".repeat(61), None, None);
}

#[test]
fn one_unambiguous_text_decides_for_the_column() {
    let choose = |texts: &[&str], default| {
        let mut votes = SeparatorVotes::default();
        for text in texts {
            votes.add(text);
        }
        let reading = votes.decide(default);
        (reading.notation.separator, reading.numbers, reading.ambiguous)
    };
    assert_eq!(choose(&["1,234", "95,5"], Point), (Comma, 2, None));
    assert_eq!(choose(&["1.234", "95.5"], Comma), (Point, 2, None));
    assert_eq!(choose(&["1,234", "5"], Point), (Point, 2, Some("1,234".to_owned())));
    assert_eq!(choose(&["1,234", "n/a"], Comma), (Comma, 1, Some("1,234".to_owned())));
    assert_eq!(choose(&["1,5", "2,5", "3.5"], Point), (Comma, 2, None));
    assert_eq!(choose(&["5", "6"], Comma), (Comma, 2, None));
}

#[test]
fn numbers_out_of_range_are_no_numbers() {
    for text in ["1e999", "951e999%", "-1E+999", "(9e400)"] {
        check(text, None, None);
    }
    check("1e30", Some("1e30"), Some("1e30"));
}

#[test]
fn numbers_of_a_column_have_one_unit() {
    let choose = |texts: &[&str]| {
        let mut votes = SeparatorVotes::default();
        for text in texts {
            votes.add(text);
        }
        let reading = votes.decide(Point);
        (reading.notation.unit, reading.numbers)
    };
    assert_eq!(choose(&["12,3 km", "8 km", "5"]), (Some("km"), 3));
    assert_eq!(choose(&["12 km", "closed"]), (Some("km"), 1));
    assert_eq!(choose(&["1.2 kg", "900 g", "5"]), (None, 1));
    assert_eq!(choose(&["12 A", "12 B", "14 A"]), (None, 0));
    assert_eq!(choose(&["12 A", "14 A"]), (Some("A"), 2));
    let notation = NumberNotation { unit: Some("km"), ..NumberNotation::new(Comma) };
    assert_eq!(notation.read("1.234,5 km"), Some(1234.5));
    assert_eq!(notation.read("(2) km"), Some(-2.0));
    assert_eq!(notation.read("5"), Some(5.0));
    assert_eq!(notation.read("5 kg"), None);
    assert!(has_unit("900 g") && has_unit("1,5 km") && !has_unit("5") && !has_unit("5 €"));
}

#[test]
fn a_dash_with_a_currency_is_missing() {
    for text in ["", "-", "n/a", "- €", "€ -", "-   €", "EUR –", "- %"] {
        assert!(is_missing(text), "{text}");
    }
    for text in ["€", "5 €", "- 5", "x €", "nano"] {
        assert!(!is_missing(text), "{text}");
    }
}
