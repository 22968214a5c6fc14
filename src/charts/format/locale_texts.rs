//! Texts of numbers and dates in languages with other digits, units, signs or orders than English.

use crate::date_text;
use crate::format::{FormatRules, Locale, NumberFormat, WeekStart, date};
use crate::number_text::DecimalSeparator;

const RULES: FormatRules = FormatRules {
    percent: false,
    decimals: None,
    prefix: String::new(),
    suffix: String::new(),
    grouped: true,
    date_format: None,
    clock: None,
};

/// Returns the label of a value that is alone in its column.
fn label(value: f64, tag: &str) -> String {
    NumberFormat::for_values([value].into_iter(), &RULES, Locale::parse(tag)).text(value)
}

/// Checks the texts of 0, 7, 1234.5 with a decimal, 12,345,678, 1.2e12, -0.05 and 12.5 %.
fn check_numbers(tag: &str, want: [&str; 7]) {
    let locale = Locale::parse(tag);
    let labels = [0.0, 7.0, 12_345_678.0, 1.2e12, -0.05].map(|value| label(value, tag));
    let decimal = NumberFormat::with_fixed_decimals(1, &RULES, locale);
    let [zero, seven, million, trillion, small] = labels;
    let percent = decimal.clone().with_percent().text(12.5);
    let texts = [zero, seven, decimal.text(1234.5), million, trillion, small, percent];
    assert_eq!(texts, want, "{tag}");
}

#[test]
fn numbers_have_the_units_of_the_language() {
    let (minus, tail) = ("\u{2212}0.05", "12.5%");
    check_numbers("ja", ["0", "7", "1,234.5", "1,235万", "1.2兆", minus, tail]);
    check_numbers("zh", ["0", "7", "1,234.5", "1,235万", "1.2万亿", minus, tail]);
    check_numbers("zh-TW", ["0", "7", "1,234.5", "1,235萬", "1.2兆", minus, tail]);
    check_numbers("ko", ["0", "7", "1,234.5", "1,235만", "1.2조", minus, tail]);
    let minus = "\u{200e}\u{2212}0.05";
    check_numbers("he", ["0", "7", "1,234.5", "12.3M", "1.2T", minus, tail]);
    assert_eq!(label(3.4e8, "ja"), "3.4億");
    assert_eq!(label(3.4e8, "zh-CN"), "3.4亿");
    assert_eq!(label(3.4e8, "ko-KR"), "3.4억");
}

#[test]
fn arabic_numbers_have_the_digits_of_the_country() {
    let (million, trillion) = ("١٢٫٣\u{a0}مليون", "١٫٢\u{a0}ترليون");
    for tag in ["ar", "ar-EG", "ar-SA", "ar-IQ"] {
        let (minus, percent) = ("\u{61c}\u{2212}٠٫٠٥", "١٢٫٥٪\u{61c}");
        check_numbers(tag, ["٠", "٧", "١٬٢٣٤٫٥", million, trillion, minus, percent]);
    }
    let (million, trillion) = ("12,3\u{a0}مليون", "1,2\u{a0}ترليون");
    for tag in ["ar-MA", "ar-DZ", "ar-TN", "ar-LY"] {
        let (minus, percent) = ("\u{200e}\u{2212}0,05", "12,5\u{200e}%\u{200e}");
        check_numbers(tag, ["0", "7", "1.234,5", million, trillion, minus, percent]);
    }
    assert_eq!(label(12_345_678.0, "ar-AE"), "12.3\u{a0}مليون");
    assert_eq!(
        NumberFormat::with_fixed_decimals(1, &RULES, Locale::parse("ar-AE")).text(1234.5),
        "1,234.5"
    );
}

#[test]
fn texts_of_the_user_keep_their_digits() {
    let rules = FormatRules { prefix: "Q1 ".to_owned(), suffix: " m2".to_owned(), ..RULES };
    let format = NumberFormat::with_fixed_decimals(0, &rules, Locale::parse("ar"));
    assert_eq!(format.text(25.0), "Q1 ٢٥ m2");
    // A percent sign is on the same side of every number.
    let rules = FormatRules { suffix: "%".to_owned(), ..RULES };
    let percent = NumberFormat::with_fixed_decimals(0, &rules, Locale::parse("ar"));
    assert_eq!(percent.text(25.0), "٢٥٪\u{61c}");
    let day = date::timestamp(2024, 3, 4);
    let pattern = date::format_with_pattern(day, "D/M/YYYY, 5", Locale::parse("ar"));
    assert_eq!(pattern, "٤/٣/٢٠٢٤, 5");
}

#[test]
fn ticks_count_in_ten_thousands() {
    let ticks = |largest: f64, step: f64, values: [f64; 3]| {
        let format = NumberFormat::for_axis(largest, step, &RULES, Locale::parse("ja"));
        values.map(|value| format.text(value))
    };
    assert_eq!(ticks(40_000.0, 10_000.0, [0.0, 10_000.0, 40_000.0]), ["0", "1万", "4万"]);
    assert_eq!(ticks(8_000.0, 2_000.0, [0.0, 2_000.0, 8_000.0]), ["0", "2,000", "8,000"]);
    assert_eq!(ticks(12_000.0, 2_000.0, [0.0, 2_000.0, 12_000.0]), ["0", "0.2万", "1.2万"]);
    assert_eq!(ticks(10_500.0, 500.0, [0.0, 500.0, 10_500.0]), ["0", "500", "10,500"]);
    assert_eq!(ticks(2e8, 5e7, [0.0, 5e7, 2e8]), ["0", "0.5億", "2.0億"]);
}

#[test]
fn changes_have_a_sign_on_the_side_of_the_minus_sign() {
    let change = |value: f64, tag: &str| {
        NumberFormat::with_fixed_decimals(0, &RULES, Locale::parse(tag)).signed_text(value)
    };
    assert_eq!(
        [change(5.0, "ja"), change(-5.0, "ja"), change(0.0, "ja")],
        ["+5", "\u{2212}5", "0"]
    );
    assert_eq!([change(5.0, "ar"), change(-5.0, "ar")], ["\u{61c}+٥", "\u{61c}\u{2212}٥"]);
    assert_eq!([change(5.0, "he"), change(-5.0, "he")], ["\u{200e}+5", "\u{200e}\u{2212}5"]);
}

#[test]
fn dates_have_the_order_of_the_language() {
    let day = date::timestamp(2024, 3, 4);
    let check = |tag: &str, want: [&str; 4]| {
        let locale = Locale::parse(tag);
        let texts = [
            date::format_day(day, true, locale),
            date::format_day(day, false, locale),
            date::format_month(day, locale),
            date::format_year(2024, locale),
        ];
        assert_eq!(texts, want, "{tag}");
    };
    check("en", ["4 Mar 2024", "4 Mar", "Mar 2024", "2024"]);
    check("en-US", ["Mar 4, 2024", "Mar 4", "Mar 2024", "2024"]);
    check("de", ["4. März 2024", "4. März", "März 2024", "2024"]);
    check("de-CH", ["4. März 2024", "4. März", "März 2024", "2024"]);
    check("fr", ["4 mars 2024", "4 mars", "mars 2024", "2024"]);
    check("es", ["4 mar 2024", "4 mar", "mar 2024", "2024"]);
    check("it", ["4 mar 2024", "4 mar", "mar 2024", "2024"]);
    check("nl", ["4 mrt 2024", "4 mrt", "mrt 2024", "2024"]);
    check("sv", ["4 mars 2024", "4 mars", "mars 2024", "2024"]);
    check("da", ["4. mar 2024", "4. mar", "mar 2024", "2024"]);
    check("pl", ["4 mar 2024", "4 mar", "mar 2024", "2024"]);
    for tag in ["ja", "zh", "zh-TW"] {
        check(tag, ["2024年3月4日", "3月4日", "2024年3月", "2024年"]);
    }
    check("ko", ["2024년 3월 4일", "3월 4일", "2024년 3월", "2024년"]);
    check("he", ["4 במרץ 2024", "4 במרץ", "מרץ 2024", "2024"]);
    check("ar", ["٤ مارس ٢٠٢٤", "٤ مارس", "مارس ٢٠٢٤", "٢٠٢٤"]);
    check("ar-AE", ["4 مارس 2024", "4 مارس", "مارس 2024", "2024"]);
    check("ar-SY", ["٤ آذار ٢٠٢٤", "٤ آذار", "آذار ٢٠٢٤", "٢٠٢٤"]);
}

/// German months have at most four letters whole, and otherwise the abbreviation of the dictionary.
#[test]
fn german_months_are_short_without_a_full_stop() {
    let months = (1..=12).map(|month| date::month_name(month, Locale::parse("de")));
    let names: Vec<&str> = months.collect();
    let want = "Jan Feb März Apr Mai Juni Juli Aug Sept Okt Nov Dez";
    assert_eq!(names.join(" "), want);
}

#[test]
fn quarters_months_and_weeks_follow_the_language() {
    let quarter = |tag: &str| Locale::parse(tag).format_quarter(2);
    let quarters = ["en", "fr", "ja", "zh", "zh-TW", "ko", "he", "ar"].map(quarter);
    let want = ["Q2", "T2", "Q2", "2季度", "第2季", "2분기", "רבעון 2", "الربع ٢"];
    assert_eq!(quarters, want);
    let december = |tag: &str| date::month_name(12, Locale::parse(tag));
    let months = ["ja", "ko", "he", "ar", "ar-MA", "ar-DZ", "ar-JO"].map(december);
    assert_eq!(months, ["12月", "12월", "דצמ׳", "ديسمبر", "دجنبر", "ديسمبر", "كانون الأول"]);
    let start = |tag: &str| Locale::parse(tag).week_start;
    assert_eq!(["ja", "ko", "he", "zh-TW", "ar-SA"].map(start), [WeekStart::Sunday; 5]);
    assert_eq!(["zh", "ar-AE", "ar-MA", "ar-TN"].map(start), [WeekStart::Monday; 4]);
    assert_eq!(["ar", "ar-EG", "ar-DZ", "ar-LY"].map(start), [WeekStart::Saturday; 4]);
    let is_friday_off = |tag: &str| Locale::parse(tag).has_weekend_on_friday;
    assert_eq!(["he", "ar", "ar-MA", "ja"].map(is_friday_off), [true, true, false, false]);
}

#[test]
fn tags_name_the_script_the_region_or_an_old_code() {
    let tag = |tag: &str| Locale::parse(tag).tag;
    let traditional = ["zh-TW", "zh_TW", "zh-Hant", "zh-hant-hk", "zh-HK", "zh-MO"].map(tag);
    assert_eq!(traditional, ["zh-TW"; 6]);
    assert_eq!(["zh", "zh-CN", "zh-Hans-HK", "zh-SG"].map(tag), ["zh"; 4]);
    assert_eq!([tag("iw"), tag("ar_dz"), tag("ar-QA"), tag("JA-jp")], ["he", "ar-DZ", "ar", "ja"]);
}

#[test]
fn printed_numbers_and_dates_are_read_back() {
    for tag in ["en", "en-IN", "de", "ja", "zh", "zh-TW", "ko", "he", "ar", "ar-AE", "ar-MA"] {
        let locale = Locale::parse(tag);
        let separator = DecimalSeparator::of_locale(locale);
        for value in [0.0, 7.0, 1234.5, -0.05, -9_876_543.25] {
            let text = NumberFormat::with_fixed_decimals(2, &RULES, locale).text(value);
            assert_eq!(crate::number_text::read(&text, separator), Some(value), "{tag}: {text}");
        }
        let text = NumberFormat::with_fixed_decimals(1, &RULES, locale).with_percent().text(12.5);
        assert_eq!(crate::number_text::read(&text, separator), Some(12.5), "{tag}: {text}");
    }
    for tag in ["ja", "zh", "zh-TW", "ko"] {
        let text = date::format_day(date::timestamp(2024, 3, 4), true, Locale::parse(tag));
        assert_eq!(date_text::to_certain_iso_date(&text).as_deref(), Some("2024-03-04"), "{tag}");
    }
    let iso = date_text::to_certain_iso_date;
    assert_eq!(iso("2024年3月").as_deref(), Some("2024-03"));
    assert_eq!(iso("２０２４年").as_deref(), Some("2024"));
    assert_eq!(iso("٢٠٢٤-٠٣-٠٤").as_deref(), Some("2024-03-04"));
    assert_eq!(iso("2024年3月4日 14:30").as_deref(), Some("2024-03-04 14:30"));
    assert_eq!([iso("2024年度"), iso("令和6年3月"), iso("2024年13月")], [None, None, None]);
}
