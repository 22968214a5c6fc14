//! Properties of the texts of random columns and axes.

use crate::format::{FormatRules, Locale, NumberFormat, NumberScale};
use crate::scale;

const TAGS: [&str; 10] = ["en", "en-IN", "de", "ja", "zh", "zh-TW", "ko", "he", "ar", "ar-MA"];

/// Returns pairs of a seed and a locale: `count` seeds with English, and a fifth as many with each
/// of [`TAGS`].
fn list_cases(count: u64) -> impl Iterator<Item = (u64, Locale)> {
    let others = move |tag: &'static str| (0..count / 5).map(move |seed| (seed, tag));
    let seeds = (0..count).map(|seed| (seed, "en"));
    seeds.chain(TAGS.into_iter().flat_map(others)).map(|(seed, tag)| (seed, Locale::parse(tag)))
}

/// Returns pseudo-random numbers from 0 to 1 (xorshift).
fn random_shares(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Returns the units of a locale, the largest one first.
fn list_units(locale: Locale) -> Vec<(&'static str, f64)> {
    match locale.number_scale {
        NumberScale::Thousands([k, m, bn, tn]) => vec![(tn, 1e12), (bn, 1e9), (m, 1e6), (k, 1e3)],
        NumberScale::LakhAndCrore([lakh, crore]) => vec![(crore, 1e7), (lakh, 1e5)],
        NumberScale::TenThousands([four, eight, twelve]) => {
            vec![(twelve, 1e12), (eight, 1e8), (four, 1e4)]
        }
    }
}

/// Returns a text with the digits, the minus sign and the decimal point of JSON.
fn to_json(text: &str, locale: Locale) -> String {
    let convert = |character: char| match character {
        '\u{2212}' => Some('-'),
        '\u{61c}' | '\u{200e}' => None,
        '٠'..='٩' => char::from_digit(character as u32 - '٠' as u32, 10),
        character if character == locale.group_separator => None,
        character if character == locale.decimal_separator => Some('.'),
        _ => Some(character),
    };
    text.chars().filter_map(convert).collect()
}

/// Returns the number that a text shows, and its unit.
fn read(text: &str, locale: Locale) -> (f64, &'static str) {
    for (unit, factor) in list_units(locale) {
        if let Some(number) = text.strip_suffix(unit) {
            return (to_json(number, locale).parse::<f64>().expect(text) * factor, unit);
        }
    }
    (to_json(text, locale).parse().expect(text), "")
}

/// Returns the number of digits of a text from the first one that is not zero.
fn count_significant(text: &str) -> usize {
    let mantissa = text.split('e').next().unwrap_or("");
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_start_matches('0').len()
}

/// Returns a column of up to 12 numbers with up to seven decimals, over a random number of
/// magnitudes.
fn random_column(seed: u64) -> Vec<f64> {
    let mut random = random_shares(seed + 1);
    let magnitude = -7.0 + 22.0 * random();
    let spread = 11.0 * random() * random();
    let has_negatives = random() < 0.3;
    let decimals = (random() * 8.0) as usize;
    let count = 1 + (random() * 12.0) as usize;
    let number = |_| {
        let exact = 10f64.powf(magnitude + spread * (random() - 0.5));
        let sign = if has_negatives && random() < 0.5 { -1.0 } else { 1.0 };
        match random() {
            share if share < 0.06 => 0.0,
            // A number that a person typed.
            share if share < 0.7 => {
                format!("{:.decimals$}", sign * exact).parse().expect("a number")
            }
            _ => sign * exact,
        }
    };
    (0..count).map(number).collect()
}

#[test]
fn a_column_has_one_unit_and_keeps_two_digits_of_every_value() {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    for (seed, locale) in list_cases(5000) {
        let read = |text: &str| read(text, locale);
        let values = random_column(seed);
        let format = NumberFormat::for_values(values.iter().copied(), &rules, locale);
        let texts: Vec<String> = values.iter().map(|value| format.text(*value)).collect();
        let case = format!("{} seed {seed}: {values:?} as {texts:?}", locale.tag);
        let nonzero = || values.iter().zip(&texts).filter(|(value, _)| **value != 0.0);
        let mut units: Vec<(&str, bool)> =
            nonzero().map(|(_, text)| (read(text).1, text.contains('e'))).collect();
        units.dedup();
        assert!(units.len() <= 1, "{case}");
        for (value, text) in values.iter().zip(&texts) {
            let (shown, _) = read(text);
            assert_eq!(shown == 0.0, *value == 0.0, "{case}");
            assert_eq!(text.contains('\u{2212}'), *value < 0.0, "{case}");
            let is_exact = (shown - value).abs() <= value.abs() * 1e-5;
            assert!(is_exact || count_significant(&to_json(text, locale)) >= 2, "{text}, {case}");
            // Two digits change 0.95 to 1.0 and 1.05 to 1.1.
            assert!((shown - value).abs() <= value.abs() * 0.0527, "{text}, {case}");
        }
        for (one, one_text) in values.iter().zip(&texts) {
            for (two, two_text) in values.iter().zip(&texts) {
                assert!(one > two || read(one_text).0 <= read(two_text).0, "{case}");
            }
        }
    }
}

#[test]
fn ticks_are_exact_and_have_one_unit() {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    for (seed, locale) in list_cases(5000) {
        let mut random = random_shares(seed + 7);
        let low = (random() - 0.3) * 10f64.powf(-9.0 + 30.0 * random());
        let span = low.abs() * 10f64.powf(-4.0 + 6.0 * random());
        let (_, ticks) = scale::nice_ticks(low, low + span, 2 + (random() * 6.0) as usize);
        let format = NumberFormat::for_axis(ticks.max_magnitude(), ticks.step, &rules, locale);
        let texts: Vec<String> = ticks.values.iter().map(|tick| format.text(*tick)).collect();
        let case = format!("{} seed {seed}: {:?} as {texts:?}", locale.tag, ticks.values);
        let mut units: Vec<&str> = Vec::new();
        for (tick, text) in ticks.values.iter().zip(&texts) {
            let (shown, unit) = read(text, locale);
            assert!((shown - tick).abs() <= ticks.step * 1e-3, "{text}, {case}");
            if shown != 0.0 {
                units.push(unit);
            }
        }
        units.dedup();
        assert!(units.len() <= 1, "{case}");
        assert!(texts.windows(2).all(|pair| pair[0] != pair[1]), "{case}");
    }
}

#[test]
fn ticks_of_logarithmic_axes_are_exact_and_have_one_unit() {
    let rules = FormatRules { grouped: true, ..FormatRules::default() };
    for (seed, locale) in list_cases(5000) {
        let mut random = random_shares(seed + 3);
        let low = 10f64.powf(-12.0 + 30.0 * random());
        let high = low * 10f64.powf(12.0 * random());
        let ticks = scale::log_ticks(low, high, 3 + (random() * 5.0) as usize).values;
        let texts = NumberFormat::for_log_axis(&ticks, &rules, locale);
        let case = format!("{} seed {seed}: {ticks:?} as {texts:?}", locale.tag);
        let shown: Vec<(f64, &str)> = texts.iter().map(|text| read(text, locale)).collect();
        assert!(shown.windows(2).all(|pair| pair[0].1 == pair[1].1), "{case}");
        for (tick, (number, _)) in ticks.iter().zip(shown) {
            assert!((number / tick - 1.0).abs() < 1e-3, "{number}, {case}");
        }
    }
}

#[test]
fn a_part_of_a_hundred_is_not_printed_as_a_hundred() {
    let values =
        NumberFormat::for_values([99.972].into_iter(), &FormatRules::default(), Locale::default());
    assert_eq!(
        (values.text(99.972), values.with_parts().text(99.972)),
        ("100.0".to_owned(), "99.97".to_owned())
    );
    let rules = FormatRules { suffix: "%".to_owned(), decimals: Some(1), ..FormatRules::default() };
    let percent = NumberFormat::for_values([99.97, 0.03].into_iter(), &rules, Locale::default());
    assert_eq!(
        [percent.text(99.97), percent.text(0.03), percent.text(100.0), percent.text(-99.97)],
        ["99.97%", "0.03%", "100.0%", "\u{2212}99.97%"]
    );
}
