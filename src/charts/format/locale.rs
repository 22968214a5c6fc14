//! How a language writes numbers and dates, as far as charts need it.

/// A language and its habits. Unknown ones are written as English.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Locale {
    /// Language tag, such as `de` or `en-IN`.
    pub tag: &'static str,
    /// Decimal separator.
    pub decimal: char,
    /// Separator of groups of digits.
    pub group: char,
    /// Words for a thousand, million, billion (10^9) and trillion (10^12), with their space.
    pub units: [&'static str; 4],
    /// Words for lakh (10^5) and crore (10^7), where digits are grouped 3, 2, 2.
    pub indian: bool,
    /// What stands between a number and the percent sign.
    pub percent_space: &'static str,
    /// Short names of the months.
    pub months: [&'static str; 12],
    /// Order of a short date.
    pub order: DateOrder,
}

/// Order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateOrder {
    /// 4 Mar 2024
    DayMonth,
    /// 4. Mär 2024
    DayDotMonth,
    /// Mar 4, 2024
    MonthDay,
}

const NBSP: &str = "\u{a0}";
const ENGLISH_MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const EN: Locale = Locale {
    tag: "en",
    decimal: '.',
    group: ',',
    units: ["k", "M", "bn", "tn"],
    indian: false,
    percent_space: "",
    months: ENGLISH_MONTHS,
    order: DateOrder::DayMonth,
};

const LOCALES: [Locale; 13] = [
    EN,
    Locale { tag: "en-US", order: DateOrder::MonthDay, ..EN },
    Locale { tag: "en-IN", indian: true, ..EN },
    Locale {
        tag: "de",
        decimal: ',',
        group: '.',
        units: ["\u{a0}Tsd.", "\u{a0}Mio.", "\u{a0}Mrd.", "\u{a0}Bio."],
        percent_space: NBSP,
        months: [
            "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
        ],
        order: DateOrder::DayDotMonth,
        ..EN
    },
    Locale {
        tag: "de-CH",
        group: '’',
        units: ["\u{a0}Tsd.", "\u{a0}Mio.", "\u{a0}Mrd.", "\u{a0}Bio."],
        percent_space: NBSP,
        months: [
            "Jan", "Feb", "Mär", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep", "Okt", "Nov", "Dez",
        ],
        order: DateOrder::DayDotMonth,
        ..EN
    },
    Locale {
        tag: "fr",
        decimal: ',',
        group: '\u{a0}',
        units: ["\u{a0}k", "\u{a0}M", "\u{a0}Md", "\u{a0}Bn"],
        percent_space: NBSP,
        months: [
            "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.",
            "nov.", "déc.",
        ],
        ..EN
    },
    Locale {
        tag: "es",
        decimal: ',',
        group: '.',
        units: ["\u{a0}mil", "\u{a0}M", "\u{a0}mil\u{a0}M", "\u{a0}B"],
        percent_space: NBSP,
        months: [
            "ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic",
        ],
        ..EN
    },
    Locale {
        tag: "it",
        decimal: ',',
        group: '.',
        units: ["\u{a0}mila", "\u{a0}mln", "\u{a0}mrd", "\u{a0}bln"],
        months: [
            "gen", "feb", "mar", "apr", "mag", "giu", "lug", "ago", "set", "ott", "nov", "dic",
        ],
        ..EN
    },
    Locale {
        tag: "pt",
        decimal: ',',
        group: '.',
        units: ["\u{a0}mil", "\u{a0}mi", "\u{a0}bi", "\u{a0}tri"],
        months: [
            "jan", "fev", "mar", "abr", "mai", "jun", "jul", "ago", "set", "out", "nov", "dez",
        ],
        ..EN
    },
    Locale {
        tag: "nl",
        decimal: ',',
        group: '.',
        units: ["\u{a0}dzd.", "\u{a0}mln.", "\u{a0}mld.", "\u{a0}bln."],
        months: [
            "jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
        ],
        ..EN
    },
    Locale {
        tag: "sv",
        decimal: ',',
        group: '\u{a0}',
        units: ["\u{a0}tn", "\u{a0}mn", "\u{a0}md", "\u{a0}bn"],
        percent_space: NBSP,
        months: [
            "jan", "feb", "mars", "apr", "maj", "juni", "juli", "aug", "sep", "okt", "nov", "dec",
        ],
        ..EN
    },
    Locale {
        tag: "da",
        decimal: ',',
        group: '.',
        units: ["\u{a0}t.", "\u{a0}mio.", "\u{a0}mia.", "\u{a0}bio."],
        percent_space: NBSP,
        months: [
            "jan", "feb", "mar", "apr", "maj", "jun", "jul", "aug", "sep", "okt", "nov", "dec",
        ],
        order: DateOrder::DayDotMonth,
        ..EN
    },
    Locale {
        tag: "pl",
        decimal: ',',
        group: '\u{a0}',
        units: ["\u{a0}tys.", "\u{a0}mln", "\u{a0}mld", "\u{a0}bln"],
        months: [
            "sty", "lut", "mar", "kwi", "maj", "cze", "lip", "sie", "wrz", "paź", "lis", "gru",
        ],
        ..EN
    },
];

impl Locale {
    /// The locale of a tag such as `de-AT`: the exact one, else that of its language, else English.
    pub fn parse(tag: &str) -> Locale {
        let exact = LOCALES.iter().find(|it| it.tag.eq_ignore_ascii_case(tag.trim()));
        let language = tag.trim().split(['-', '_']).next().unwrap_or("");
        let near = || LOCALES.iter().find(|it| it.tag.eq_ignore_ascii_case(language));
        exact.or_else(near).copied().unwrap_or(EN)
    }
}

impl Default for Locale {
    fn default() -> Locale {
        EN
    }
}
