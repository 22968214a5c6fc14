//! The supported locales, by the facts of Unicode CLDR.

use crate::format::locale::{DateOrder, Locale, NumberScale, WeekStart};

const NBSP: &str = "\u{a0}";
const ENGLISH_MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// English as in Britain.
pub const EN: Locale = Locale {
    tag: "en",
    decimal_separator: '.',
    group_separator: ',',
    zero_digit: '0',
    sign_mark: "",
    number_scale: NumberScale::Thousands(["k", "M", "bn", "tn"]),
    percent_separator: "",
    percent_sign: "%",
    month_names: ENGLISH_MONTHS,
    weekday_letters: ["M", "T", "W", "T", "F", "S", "S"],
    week_start: WeekStart::Monday,
    has_weekend_on_friday: false,
    date_order: DateOrder::DayMonth,
};

const DE: Locale = Locale {
    tag: "de",
    decimal_separator: ',',
    group_separator: '.',
    number_scale: NumberScale::Thousands(["\u{a0}Tsd.", "\u{a0}Mio.", "\u{a0}Mrd.", "\u{a0}Bio."]),
    percent_separator: NBSP,
    month_names: [
        "Jan", "Feb", "März", "Apr", "Mai", "Juni", "Juli", "Aug", "Sept", "Okt", "Nov", "Dez",
    ],
    weekday_letters: ["M", "D", "M", "D", "F", "S", "S"],
    date_order: DateOrder::DayDotMonth,
    ..EN
};

const JA: Locale = Locale {
    tag: "ja",
    number_scale: NumberScale::TenThousands(["万", "億", "兆"]),
    month_names: [
        "1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月",
    ],
    weekday_letters: ["月", "火", "水", "木", "金", "土", "日"],
    week_start: WeekStart::Sunday,
    date_order: DateOrder::YearMonthDay { year_sign: "年", day_sign: "日", separator: "" },
    ..EN
};

/// Arabic as in Egypt.
const AR: Locale = Locale {
    tag: "ar",
    decimal_separator: '٫',
    group_separator: '٬',
    zero_digit: '٠',
    sign_mark: "\u{61c}",
    number_scale: NumberScale::Thousands([
        "\u{a0}ألف",
        "\u{a0}مليون",
        "\u{a0}مليار",
        "\u{a0}ترليون",
    ]),
    percent_sign: "٪\u{61c}",
    month_names: [
        "يناير",
        "فبراير",
        "مارس",
        "أبريل",
        "مايو",
        "يونيو",
        "يوليو",
        "أغسطس",
        "سبتمبر",
        "أكتوبر",
        "نوفمبر",
        "ديسمبر",
    ],
    weekday_letters: ["ن", "ث", "ر", "خ", "ج", "س", "ح"],
    week_start: WeekStart::Saturday,
    has_weekend_on_friday: true,
    ..EN
};

const AR_LB: Locale = Locale {
    tag: "ar-LB",
    month_names: LEVANTINE_MONTHS,
    week_start: WeekStart::Monday,
    has_weekend_on_friday: false,
    ..AR
};

/// Arabic with the digits of Europe.
const AR_AE: Locale = Locale {
    tag: "ar-AE",
    decimal_separator: '.',
    group_separator: ',',
    zero_digit: '0',
    sign_mark: "\u{200e}",
    percent_sign: "\u{200e}%\u{200e}",
    week_start: WeekStart::Monday,
    has_weekend_on_friday: false,
    ..AR
};

const AR_MA: Locale = Locale {
    tag: "ar-MA",
    decimal_separator: ',',
    group_separator: '.',
    month_names: [
        "يناير",
        "فبراير",
        "مارس",
        "أبريل",
        "ماي",
        "يونيو",
        "يوليوز",
        "غشت",
        "شتنبر",
        "أكتوبر",
        "نونبر",
        "دجنبر",
    ],
    ..AR_AE
};

const AR_LY: Locale = Locale {
    tag: "ar-LY",
    decimal_separator: ',',
    group_separator: '.',
    week_start: WeekStart::Saturday,
    has_weekend_on_friday: true,
    ..AR_AE
};

/// Names of the months in Algeria and Tunisia.
const MAGHREB_MONTHS: [&str; 12] = [
    "جانفي",
    "فيفري",
    "مارس",
    "أفريل",
    "ماي",
    "جوان",
    "جويلية",
    "أوت",
    "سبتمبر",
    "أكتوبر",
    "نوفمبر",
    "ديسمبر",
];
/// Names of the months between the Mediterranean and the Tigris.
const LEVANTINE_MONTHS: [&str; 12] = [
    "كانون الثاني",
    "شباط",
    "آذار",
    "نيسان",
    "أيار",
    "حزيران",
    "تموز",
    "آب",
    "أيلول",
    "تشرين الأول",
    "تشرين الثاني",
    "كانون الأول",
];

/// All locales. The first one of a language is that of its tags without another entry.
pub const LOCALES: [Locale; 30] = [
    EN,
    Locale { tag: "en-US", date_order: DateOrder::MonthDay, week_start: WeekStart::Sunday, ..EN },
    Locale {
        tag: "en-IN",
        number_scale: NumberScale::LakhAndCrore(["\u{a0}L", "\u{a0}Cr"]),
        week_start: WeekStart::Sunday,
        ..EN
    },
    DE,
    Locale { tag: "de-CH", decimal_separator: '.', group_separator: '’', ..DE },
    Locale {
        tag: "fr",
        decimal_separator: ',',
        group_separator: '\u{a0}',
        number_scale: NumberScale::Thousands(["\u{a0}k", "\u{a0}M", "\u{a0}Md", "\u{a0}Bn"]),
        percent_separator: NBSP,
        month_names: [
            "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.",
            "nov.", "déc.",
        ],
        weekday_letters: ["L", "M", "M", "J", "V", "S", "D"],
        ..EN
    },
    Locale {
        tag: "es",
        decimal_separator: ',',
        group_separator: '.',
        number_scale: NumberScale::Thousands([
            "\u{a0}mil",
            "\u{a0}M",
            "\u{a0}mil\u{a0}M",
            "\u{a0}B",
        ]),
        percent_separator: NBSP,
        month_names: [
            "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic",
        ],
        weekday_letters: ["L", "M", "X", "J", "V", "S", "D"],
        ..EN
    },
    Locale {
        tag: "it",
        decimal_separator: ',',
        group_separator: '.',
        number_scale: NumberScale::Thousands(["\u{a0}mila", "\u{a0}mln", "\u{a0}mrd", "\u{a0}bln"]),
        month_names: [
            "gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic",
        ],
        weekday_letters: ["L", "M", "M", "G", "V", "S", "D"],
        ..EN
    },
    Locale {
        tag: "pt",
        decimal_separator: ',',
        group_separator: '.',
        number_scale: NumberScale::Thousands(["\u{a0}mil", "\u{a0}mi", "\u{a0}bi", "\u{a0}tri"]),
        month_names: [
            "jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez",
        ],
        weekday_letters: ["S", "T", "Q", "Q", "S", "S", "D"],
        week_start: WeekStart::Sunday,
        ..EN
    },
    Locale {
        tag: "nl",
        decimal_separator: ',',
        group_separator: '.',
        number_scale: NumberScale::Thousands([
            "\u{a0}dzd.",
            "\u{a0}mln.",
            "\u{a0}mld.",
            "\u{a0}bln.",
        ]),
        month_names: [
            "jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
        ],
        weekday_letters: ["M", "D", "W", "D", "V", "Z", "Z"],
        ..EN
    },
    Locale {
        tag: "sv",
        decimal_separator: ',',
        group_separator: '\u{a0}',
        number_scale: NumberScale::Thousands(["\u{a0}tn", "\u{a0}mn", "\u{a0}md", "\u{a0}bn"]),
        percent_separator: NBSP,
        month_names: [
            "jan", "feb", "mars", "apr", "maj", "juni", "juli", "aug", "sep", "okt", "nov", "dec",
        ],
        weekday_letters: ["M", "T", "O", "T", "F", "L", "S"],
        ..EN
    },
    Locale {
        tag: "da",
        decimal_separator: ',',
        group_separator: '.',
        number_scale: NumberScale::Thousands([
            "\u{a0}t.",
            "\u{a0}mio.",
            "\u{a0}mia.",
            "\u{a0}bio.",
        ]),
        percent_separator: NBSP,
        month_names: [
            "jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
        ],
        weekday_letters: ["M", "T", "O", "T", "F", "L", "S"],
        date_order: DateOrder::DayDotMonth,
        ..EN
    },
    Locale {
        tag: "pl",
        decimal_separator: ',',
        group_separator: '\u{a0}',
        number_scale: NumberScale::Thousands(["\u{a0}tys.", "\u{a0}mln", "\u{a0}mld", "\u{a0}bln"]),
        month_names: [
            "sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru",
        ],
        weekday_letters: ["P", "W", "Ś", "C", "P", "S", "N"],
        ..EN
    },
    JA,
    Locale {
        tag: "zh",
        number_scale: NumberScale::TenThousands(["万", "亿", "万亿"]),
        weekday_letters: ["一", "二", "三", "四", "五", "六", "日"],
        week_start: WeekStart::Monday,
        ..JA
    },
    Locale {
        tag: "zh-TW",
        number_scale: NumberScale::TenThousands(["萬", "億", "兆"]),
        weekday_letters: ["一", "二", "三", "四", "五", "六", "日"],
        ..JA
    },
    Locale {
        tag: "ko",
        number_scale: NumberScale::TenThousands(["만", "억", "조"]),
        month_names: [
            "1월", "2월", "3월", "4월", "5월", "6월", "7월", "8월", "9월", "10월", "11월", "12월",
        ],
        weekday_letters: ["월", "화", "수", "목", "금", "토", "일"],
        date_order: DateOrder::YearMonthDay { year_sign: "년", day_sign: "일", separator: " " },
        ..JA
    },
    Locale {
        tag: "he",
        sign_mark: "\u{200e}",
        number_scale: NumberScale::Thousands(["K", "M", "B", "T"]),
        month_names: [
            "ינו׳", "פבר׳", "מרץ", "אפר׳", "מאי", "יוני", "יולי", "אוג׳", "ספט׳", "אוק׳", "נוב׳",
            "דצמ׳",
        ],
        weekday_letters: ["ב׳", "ג׳", "ד׳", "ה׳", "ו׳", "ש׳", "א׳"],
        week_start: WeekStart::Sunday,
        has_weekend_on_friday: true,
        date_order: DateOrder::DayPrefixMonth("ב"),
        ..EN
    },
    AR,
    Locale { tag: "ar-SA", week_start: WeekStart::Sunday, ..AR },
    Locale { tag: "ar-IQ", month_names: LEVANTINE_MONTHS, ..AR },
    Locale { tag: "ar-SY", month_names: LEVANTINE_MONTHS, ..AR },
    Locale { tag: "ar-JO", month_names: LEVANTINE_MONTHS, ..AR },
    AR_LB,
    Locale { tag: "ar-PS", ..AR_LB },
    AR_AE,
    AR_MA,
    Locale { tag: "ar-TN", month_names: MAGHREB_MONTHS, ..AR_MA },
    AR_LY,
    Locale { tag: "ar-DZ", month_names: MAGHREB_MONTHS, ..AR_LY },
];

/// Script and regions of traditional Chinese characters.
const TRADITIONAL: [&str; 4] = ["Hant", "TW", "HK", "MO"];

impl Locale {
    /// Returns the locale of a language tag such as `de-AT`.
    ///
    /// If the tag is unknown, returns the locale of its language, else English. Chinese is in
    /// traditional characters if the tag names them or a place that uses them.
    pub fn parse(tag: &str) -> Locale {
        let tag = tag.trim().replace('_', "-");
        let mut parts = tag.split('-');
        let language = match parts.next().unwrap_or("") {
            code if code.eq_ignore_ascii_case("iw") => "he",
            code => code,
        };
        let is_traditional = language.eq_ignore_ascii_case("zh")
            && !tag.to_ascii_lowercase().contains("-hans")
            && parts.any(|part| TRADITIONAL.iter().any(|known| known.eq_ignore_ascii_case(part)));
        let find = |tag: &str| LOCALES.iter().find(|locale| locale.tag.eq_ignore_ascii_case(tag));
        let exact = find(if is_traditional { "zh-TW" } else { &tag });
        exact.or_else(|| find(language)).copied().unwrap_or(EN)
    }
}

impl Default for Locale {
    /// Returns English.
    fn default() -> Locale {
        EN
    }
}
