//! Currencies that spreadsheet programs show beside numbers, which do not contain them.

use chartroom_charts::number_text::CURRENCIES;

/// A currency and its place beside a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrencyFormat {
    /// Index in [`CURRENCIES`], because each cell has one.
    index: u8,
    place: Place,
}

/// Place of a currency beside a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Before,
    BeforeSpace,
    After,
    AfterSpace,
}

impl CurrencyFormat {
    /// Returns the currency in the texts before and after the digits of a number. Signs,
    /// parentheses and spaces do not count. None if there is no currency, or other text beside it,
    /// such as `Mio.` or `k`.
    pub(super) fn find(before: &str, after: &str) -> Option<Self> {
        let is_sign = |sign: char| "+-\u{2212}–()".contains(sign);
        let is_ignored = |sign: char| is_sign(sign) || sign.is_whitespace();
        let (before, after) = (before.trim_end_matches(is_sign), after.trim_start_matches(is_sign));
        let names = [before, after].map(|text| text.trim_matches(is_ignored));
        let (name, place) = match names {
            [name, ""] if before.ends_with(char::is_whitespace) => (name, Place::BeforeSpace),
            [name, ""] => (name, Place::Before),
            ["", name] if after.starts_with(char::is_whitespace) => (name, Place::AfterSpace),
            ["", name] => (name, Place::After),
            _ => return None,
        };
        let index = CURRENCIES.iter().position(|currency| *currency == name)?;
        Some(Self { index: u8::try_from(index).ok()?, place })
    }

    /// Returns the currency in the displayed text of a number, such as `1.284,50 €`. None if there
    /// is no digit, no known currency before the first or after the last digit, or other text
    /// there.
    pub(super) fn find_in_text(text: &str) -> Option<Self> {
        let first = text.find(char::is_numeric)?;
        let last = text.rfind(char::is_numeric)?;
        let end = last + text[last..].chars().next().map_or(0, char::len_utf8);
        Self::find(&text[..first], &text[end..])
    }

    /// Returns a number with the currency, as people write it into a cell. The currency is before
    /// or after it, with or without a space. `number` is not changed.
    pub fn add_to(self, number: &str) -> String {
        let name = CURRENCIES.get(usize::from(self.index)).copied().unwrap_or_default();
        match self.place {
            Place::Before => format!("{name}{number}"),
            Place::BeforeSpace => format!("{name} {number}"),
            Place::After => format!("{number}{name}"),
            Place::AfterSpace => format!("{number} {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn currencies_are_found_in_displayed_texts() {
        let check = |text: &str, want: Option<&str>| {
            let found = CurrencyFormat::find_in_text(text).map(|format| format.add_to("7"));
            assert_eq!(found.as_deref(), want, "{text}");
        };
        check("1.284,50 €", Some("7 €"));
        check("-5€", Some("7€"));
        check("(12 kr)", Some("7 kr"));
        check("$1,234.50", Some("$7"));
        check("-$5", Some("$7"));
        check("CHF\u{a0}-5.00", Some("CHF 7"));
        for text in ["", "5", "5 %", "5 Mio. €", "5 k€", "$5 million", "5 kg", "€ 5 $", "€", "95,–"]
        {
            check(text, None);
        }
    }
}
