//! Locales: number and date conventions of the supported languages.

/// A language with its number and date conventions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Locale {
    /// Language tag, such as `de` or `en-IN`.
    pub tag: &'static str,
    /// Decimal separator.
    pub decimal_separator: char,
    /// Separator between groups of digits.
    pub group_separator: char,
    /// Suffixes for thousand, million, billion (10^9) and trillion (10^12), with a leading space
    /// where the language has one.
    pub unit_suffixes: [&'static str; 4],
    /// Whether large numbers use lakh (10^5) and crore (10^7), with digit groups of 3, 2, 2.
    pub uses_lakh_and_crore: bool,
    /// Text between a number and the percent sign.
    pub percent_separator: &'static str,
    /// Short names of the months.
    pub month_names: [&'static str; 12],
    /// First letters of the weekdays, Monday first.
    pub weekday_letters: [&'static str; 7],
    /// Whether calendars start a week on Sunday. Otherwise on Monday.
    pub starts_week_on_sunday: bool,
    /// Order of day, month and year in a short date.
    pub date_order: DateOrder,
}

/// Order of day, month and year in a short date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// Such as `4 Mar 2024`.
    DayMonth,
    /// Such as `4. Mär 2024`.
    DayDotMonth,
    /// Such as `Mar 4, 2024`.
    MonthDay,
}

const NBSP: &str = "\u{a0}";
const ENGLISH_MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const EN: Locale = Locale {
    tag: "en",
    decimal_separator: '.',
    group_separator: ',',
    unit_suffixes: ["k", "M", "bn", "tn"],
    uses_lakh_and_crore: false,
    percent_separator: "",
    month_names: ENGLISH_MONTHS,
    weekday_letters: ["M", "T", "W", "T", "F", "S", "S"],
    starts_week_on_sunday: false,
    date_order: DateOrder::DayMonth,
};

const LOCALES: [Locale; 13] = [
    EN,
    Locale { tag: "en-US", date_order: DateOrder::MonthDay, starts_week_on_sunday: true, ..EN },
    Locale { tag: "en-IN", uses_lakh_and_crore: true, starts_week_on_sunday: true, ..EN },
    Locale {
        tag: "de",
        decimal_separator: ',',
        group_separator: '.',
        unit_suffixes: ["\u{a0}Tsd.", "\u{a0}Mio.", "\u{a0}Mrd.", "\u{a0}Bio."],
        percent_separator: NBSP,
        month_names: [
            "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
        ],
        weekday_letters: ["M", "D", "M", "D", "F", "S", "S"],
        date_order: DateOrder::DayDotMonth,
        ..EN
    },
    Locale {
        tag: "de-CH",
        group_separator: '’',
        unit_suffixes: ["\u{a0}Tsd.", "\u{a0}Mio.", "\u{a0}Mrd.", "\u{a0}Bio."],
        percent_separator: NBSP,
        month_names: [
            "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
        ],
        weekday_letters: ["M", "D", "M", "D", "F", "S", "S"],
        date_order: DateOrder::DayDotMonth,
        ..EN
    },
    Locale {
        tag: "fr",
        decimal_separator: ',',
        group_separator: '\u{a0}',
        unit_suffixes: ["\u{a0}k", "\u{a0}M", "\u{a0}Md", "\u{a0}Bn"],
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
        unit_suffixes: ["\u{a0}mil", "\u{a0}M", "\u{a0}mil\u{a0}M", "\u{a0}B"],
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
        unit_suffixes: ["\u{a0}mila", "\u{a0}mln", "\u{a0}mrd", "\u{a0}bln"],
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
        unit_suffixes: ["\u{a0}mil", "\u{a0}mi", "\u{a0}bi", "\u{a0}tri"],
        month_names: [
            "jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez",
        ],
        weekday_letters: ["S", "T", "Q", "Q", "S", "S", "D"],
        starts_week_on_sunday: true,
        ..EN
    },
    Locale {
        tag: "nl",
        decimal_separator: ',',
        group_separator: '.',
        unit_suffixes: ["\u{a0}dzd.", "\u{a0}mln.", "\u{a0}mld.", "\u{a0}bln."],
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
        unit_suffixes: ["\u{a0}tn", "\u{a0}mn", "\u{a0}md", "\u{a0}bn"],
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
        unit_suffixes: ["\u{a0}t.", "\u{a0}mio.", "\u{a0}mia.", "\u{a0}bio."],
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
        unit_suffixes: ["\u{a0}tys.", "\u{a0}mln", "\u{a0}mld", "\u{a0}bln"],
        month_names: [
            "sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru",
        ],
        weekday_letters: ["P", "W", "Ś", "C", "P", "S", "N"],
        ..EN
    },
];

impl Locale {
    /// Returns the locale of a language tag such as `de-AT`.
    ///
    /// If the tag is unknown, returns the locale of its language, else English.
    pub fn parse(tag: &str) -> Locale {
        let exact = LOCALES.iter().find(|locale| locale.tag.eq_ignore_ascii_case(tag.trim()));
        let language = tag.trim().split(['-', '_']).next().unwrap_or("");
        let same_language =
            || LOCALES.iter().find(|locale| locale.tag.eq_ignore_ascii_case(language));
        exact.or_else(same_language).copied().unwrap_or(EN)
    }
}

impl Default for Locale {
    /// Returns English.
    fn default() -> Locale {
        EN
    }
}
