//! Tests of number formats.

use super::*;

fn axis(largest: f64, step: f64, value: f64, tag: &str) -> String {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    NumberFormat::for_axis(largest, step, &rules, Locale::parse(tag)).text(value)
}

#[test]
fn a_part_is_not_printed_as_the_whole() {
    let format = NumberFormat::for_shares(0, &FormatRules::default(), Locale::default());
    assert_eq!(format.text(99.7), "99.7%");
    assert_eq!(format.text(99.99), "99.99%");
    assert_eq!(format.text(0.3), "0.3%");
    assert_eq!(format.text(2e-14), "2.0e-14%");
    assert_eq!(format.text(99.4), "99%");
    assert_eq!(format.text(100.0), "100%");
}

#[test]
fn an_axis_has_one_unit_and_one_precision() {
    assert_eq!(axis(12_000.0, 2_000.0, 12_000.0, "en"), "12k");
    assert_eq!(axis(2_500_000.0, 500_000.0, 1_000_000.0, "en"), "1.0M");
    assert_eq!(axis(2_500_000.0, 500_000.0, 0.0, "en"), "0");
    assert_eq!(axis(5.0, 2.5, 0.0, "en"), "0.0");
    assert_eq!(axis(5_000.0, 1_000.0, 5_000.0, "en"), "5,000");
    assert_eq!(axis(10_490.0, 10.0, 10_440.0, "en"), "10,440");
    assert_eq!(axis(2.5e9, 5e8, 2.5e9, "de"), "2,5\u{a0}Mrd.");
    assert_eq!(axis(3e7, 1e7, 2e7, "en-IN"), "2\u{a0}Cr");
    assert_eq!(axis(1e5, 20_000.0, 20_000.0, "en-IN"), "0.2\u{a0}L");
    assert_eq!(axis(10_000.0, 2_000.0, 2_000.0, "en-IN"), "2,000");
    assert_eq!(axis(80_000.0, 20_000.0, 80_000.0, "en-IN"), "80,000");
}

#[test]
fn negative_numbers_have_a_minus_sign_but_zero_has_none() {
    assert_eq!(axis(50.0, 10.0, -50.0, "en"), "\u{2212}50");
    assert_eq!(axis(50.0, 10.0, -0.0, "en"), "0");
}

#[test]
fn labels_have_as_many_decimals_as_the_data_need() {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    let format = |values: &[f64]| {
        NumberFormat::for_values(values.iter().copied(), &rules, Locale::default())
    };
    assert_eq!(format(&[12.5, 3.0]).text(3.0), "3.0");
    assert_eq!(format(&[1234.56]).text(1234.56), "1,235");
    assert_eq!(format(&[0.1 + 0.2]).text(0.3), "0.3");
    assert_eq!(format(&[0.000_655, 0.000_512_4]).text(0.000_512_4), "0.000512");
    assert_eq!(format(&[0.0, 0.02]).text(0.02), "0.02");
    assert_eq!(format(&[1e300]).text(1e300), "1.0e300");
    assert_eq!(format(&[0.0025, 0.001]).text(0.0025), "0.0025");
    assert_eq!(format(&[0.012_345, 0.001]).text(0.012_345), "0.0123");
    assert_eq!(format(&[0.0]).text(0.0), "0");
}

#[test]
fn exact_values_with_two_decimals_are_not_rounded() {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    let texts = |values: &[f64]| -> Vec<String> {
        let format = NumberFormat::for_values(values.iter().copied(), &rules, Locale::default());
        values.iter().map(|value| format.text(*value)).collect()
    };
    assert_eq!(texts(&[12.5, 7.25]), ["12.50", "7.25"]);
    assert_eq!(texts(&[20.95, -4.05]), ["20.95", "\u{2212}4.05"]);
    assert_eq!(texts(&[3.125, 1.5]), ["3.125", "1.500"]);
    assert_eq!(texts(&[12_450_000.0, 3_000_000.0]), ["12.45M", "3.00M"]);
    assert_eq!(texts(&[12.5, 7.251_8]), ["12.5", "7.3"]);
    assert_eq!(texts(&[152.25, 98.5]), ["152.25", "98.50"]);
    assert_eq!(texts(&[152.257, 98.5]), ["152.3", "98.5"]);
    assert_eq!(texts(&[4346.5, 125.0]), ["4,346.5", "125.0"]);
    assert_eq!(texts(&[1310.5, 3212.75]), ["1,311", "3,213"]);
}

#[test]
fn small_values_beside_large_ones_keep_two_digits() {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    let check = |values: &[f64], want: &[&str]| {
        let format = NumberFormat::for_values(values.iter().copied(), &rules, Locale::default());
        let texts: Vec<String> = values.iter().map(|value| format.text(*value)).collect();
        assert_eq!(texts, want);
    };
    check(&[2_500_000.0, 340_000.0], &["2.50M", "0.34M"]);
    check(&[2_500_000.0, 45_200.0], &["2,500,000", "45,200"]);
    check(&[2.5e9, 3.0], &["2,500,000,000", "3"]);
    check(&[1234.5, 0.25], &["1,235", "0.25"]);
    check(&[250.0, 0.375], &["250.00", "0.38"]);
    check(&[98.7, 0.0012], &["98.7", "0.0012"]);
    check(&[50.0, -0.004], &["50.0", "\u{2212}0.004"]);
    check(&[1.0, 2e-9, 1e-15], &["1.00", "0.0000000020", "1.0e-15"]);
    check(&[12.0, 0.0], &["12", "0"]);
    check(&[12_500_000.0, 0.4], &["12,500,000", "0.4"]);
    check(&[5120.0, 0.4], &["5,120.0", "0.4"]);
}

#[test]
fn a_fixed_number_of_decimals_never_hides_a_value() {
    let rules = FormatRules { decimals: Some(0), ..FormatRules::default() };
    let format = NumberFormat::for_values([12.6, 0.3].into_iter(), &rules, Locale::default());
    assert_eq!([12.6, 0.3, 0.0].map(|value| format.text(value)), ["13", "0.3", "0"]);
    assert_eq!(format.text(-1e-20), "\u{2212}1.0e-20");
}

#[test]
fn rules_add_prefix_and_decimals() {
    let settings = serde_json::json!({"rulesets": {"v": {"prefix": "€", "decimals": 2, "thousandsSeparator": false}}});
    let rules = FormatRules::from_settings(&settings, "v");
    let format = NumberFormat::for_values([1234.5].into_iter(), &rules, Locale::default());
    assert_eq!(format.text(-1234.5), "\u{2212}€1234.50");
}

#[test]
fn money_has_no_single_decimal() {
    let text = |values: &[f64], suffix: &str| {
        let rules = FormatRules { suffix: suffix.to_owned(), ..FormatRules::default() };
        let format = NumberFormat::for_values(values.iter().copied(), &rules, Locale::parse("de"));
        format.text(values[0])
    };
    assert_eq!(text(&[15.2, 23.8], "\u{a0}€"), "15,20\u{a0}€");
    assert_eq!(text(&[15.0, 23.0], "\u{a0}€"), "15\u{a0}€");
    assert_eq!(text(&[1432.25, 390.58], "\u{a0}€"), "1432,25\u{a0}€");
    assert_eq!(text(&[1432.25, 390.58], "\u{a0}kg"), "1432\u{a0}kg");
    assert_eq!(text(&[12_432.25, 390.58], "\u{a0}€"), "12432\u{a0}€");
    assert_eq!(text(&[15.2, 23.8], "\u{a0}%"), "15,2\u{a0}%");
    assert_eq!(text(&[15.2, 23.8], "\u{a0}Mio.\u{a0}€"), "15,2\u{a0}Mio.\u{a0}€");
    assert_eq!(text(&[1_240_500.0], "\u{a0}€"), "1,24\u{a0}Mio.\u{a0}€");
}
