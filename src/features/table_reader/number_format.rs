//! Number formats of cells, as far as they decide whether a number is a date, a percentage or an
//! amount of money.

use std::collections::HashMap;

use super::currency_format::CurrencyFormat;
use super::limits::body_error;
use chartroom_platform::error::Result;

/// Maximum number of cell formats, the limit of Excel.
const MAX_CELL_FORMATS: usize = 65_490;
/// Maximum length of a format code in characters, the limit of Excel.
const MAX_CODE_CHARACTERS: usize = 255;
/// Code of dates that have no code of their own, or a longer one than `MAX_CODE_CHARACTERS`.
const DEFAULT_DATE_CODE: &str = "yyyy-mm-dd";
/// Code of durations with a longer code than `MAX_CODE_CHARACTERS`.
const DEFAULT_DURATION_CODE: &str = "[h]:mm:ss";

/// The formats of the cells of a workbook.
#[derive(Default)]
pub(super) struct CellFormats {
    /// Number formats with a code of their own, by id.
    codes: HashMap<u16, StoredFormat>,
    /// Id of the number format of each cell format.
    ids: Vec<u16>,
}

/// A number format with a code of its own.
struct StoredFormat {
    meaning: NumberFormat,
    has_plus_sign: bool,
    /// Empty unless the format shows dates or durations.
    code: String,
}

impl CellFormats {
    /// Adds a number format of the workbook with a code such as `dd.mm.yyyy`. It replaces an earlier or
    /// built-in format with the same id. A code longer than `MAX_CODE_CHARACTERS` keeps its meaning, but
    /// a default code replaces it, because the time for parsing a code must be bounded.
    pub fn add_code(&mut self, id: u16, code: &str) {
        let meaning = NumberFormat::from_code(code);
        let is_long = code.chars().nth(MAX_CODE_CHARACTERS).is_some();
        let has_plus_sign = shows_plus_sign(code);
        let code = match meaning {
            NumberFormat::Date if is_long => DEFAULT_DATE_CODE,
            NumberFormat::Duration if is_long => DEFAULT_DURATION_CODE,
            NumberFormat::Date | NumberFormat::Duration => code,
            _ => "",
        };
        self.codes.insert(id, StoredFormat { meaning, has_plus_sign, code: code.to_owned() });
    }

    /// Adds the next cell format, which refers to a number format by its id. The first one has the
    /// index 0.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if there are too many.
    pub fn add_cell_format(&mut self, id: u16) -> Result<()> {
        if self.ids.len() == MAX_CELL_FORMATS {
            return Err(body_error(format!("has more than {MAX_CELL_FORMATS} cell formats")));
        }
        self.ids.push(id);
        Ok(())
    }

    /// Returns the format of numbers in cells with the cell format at `index`, from 0 in the order of
    /// `add_cell_format`. Plain numbers if there is no such cell format or its number format is unknown.
    pub fn get(&self, index: usize) -> CellFormat<'_> {
        let Some(id) = self.ids.get(index) else { return CellFormat::default() };
        match self.codes.get(id) {
            Some(StoredFormat { meaning, has_plus_sign, code }) => {
                CellFormat { meaning: *meaning, has_plus_sign: *has_plus_sign, code }
            }
            None => CellFormat {
                meaning: NumberFormat::from_built_in(*id),
                has_plus_sign: false,
                code: built_in_date_code(*id),
            },
        }
    }
}

/// The format of the number in a cell.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CellFormat<'a> {
    pub meaning: NumberFormat,
    /// Whether positive numbers have a plus sign.
    pub has_plus_sign: bool,
    /// Format code such as `dd.mm.yyyy`. Empty unless the format shows dates or durations.
    pub code: &'a str,
}

impl CellFormat<'_> {
    /// Creates a format without a code.
    pub fn from_meaning(meaning: NumberFormat) -> Self {
        Self { meaning, ..Self::default() }
    }
}

/// Returns the code of a built-in format of dates or durations in the language en-US. The East Asian
/// formats have no form there, so they become short dates and times. Empty for other formats.
fn built_in_date_code(id: u16) -> &'static str {
    match id {
        14 | 27..=31 | 34..=36 | 50..=58 => "m/d/yyyy",
        15 => "d-mmm-yy",
        16 => "d-mmm",
        17 => "mmm-yy",
        18 => "h:mm AM/PM",
        19 => "h:mm:ss AM/PM",
        20 | 32 => "h:mm",
        21 | 33 => "h:mm:ss",
        22 => "m/d/yyyy h:mm",
        45 => "mm:ss",
        46 => "[h]:mm:ss",
        47 => "mm:ss.0",
        _ => "",
    }
}

/// Meaning of the numbers in cells with a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum NumberFormat {
    #[default]
    Number,
    /// A share of 1, shown as percentage.
    Percentage,
    /// A date, a time of day or both.
    Date,
    /// Hours, minutes or seconds that may exceed a day, such as `[h]:mm`.
    Duration,
    /// An amount of money.
    Currency(CurrencyFormat),
}

impl NumberFormat {
    /// Returns the meaning of the built-in number format with an id. The ids 27 to 36 and 50 to 58 are
    /// dates in East Asian versions (ECMA-376, part 1, section 18.8.30). Unknown ids, and built-in
    /// formats of currencies, are `Number`.
    fn from_built_in(id: u16) -> Self {
        match id {
            9 | 10 => Self::Percentage,
            46 => Self::Duration,
            14..=22 | 27..=36 | 45 | 47 | 50..=58 => Self::Date,
            _ => Self::Number,
        }
    }

    /// Returns the meaning of a format code such as `dd.mm.yyyy`. Reads only the section before the
    /// first `;`, which is for positive numbers. The first percent sign, letter of a date or `[h]`
    /// outside of quotes decides. Otherwise, a text before or after the digits that is only a currency
    /// gives `Currency`. All other codes are `Number`.
    pub fn from_code(code: &str) -> Self {
        let mut characters = code.chars();
        let mut texts = FormatTexts::default();
        while let Some(character) = characters.next() {
            match character {
                '"' => texts.extend(characters.by_ref().take_while(|next| *next != '"')),
                '\\' => texts.extend(characters.next()),
                // The next character is a width or a filler.
                '_' | '*' => drop(characters.next()),
                '[' => {
                    let content: String =
                        characters.by_ref().take_while(|next| *next != ']').take(256).collect();
                    if is_duration_unit(&content) {
                        return Self::Duration;
                    }
                    // The currency in front of the language, as in `[$€-407]`.
                    let currency =
                        content.strip_prefix('$').and_then(|rest| rest.split('-').next());
                    texts.extend(currency.unwrap_or_default().chars());
                }
                '%' => return Self::Percentage,
                ';' => break,
                'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return Self::Date,
                // `General` stands for the digits of any number.
                'G' if characters.as_str().starts_with("eneral") => {
                    characters = characters.as_str()["eneral".len()..].chars();
                    texts.has_digits = true;
                }
                '0' | '#' | '?' | '@' => texts.has_digits = true,
                '.' | ',' => {}
                other => texts.extend([other]),
            }
        }
        CurrencyFormat::find(&texts.before, &texts.after).map_or(Self::Number, Self::Currency)
    }
}

/// Returns whether the section of a format code for positive numbers has a plus sign before the digits, as
/// in `+0.0%;-0.0%`.
fn shows_plus_sign(code: &str) -> bool {
    let mut characters = code.chars();
    while let Some(character) = characters.next() {
        let has_sign = match character {
            '+' => true,
            '"' => characters.by_ref().take_while(|next| *next != '"').any(|next| next == '+'),
            '\\' => characters.next() == Some('+'),
            '0' | '#' | '?' | '@' | ';' => return false,
            // The next character is a width or a filler.
            '_' | '*' => {
                characters.next();
                false
            }
            '[' => {
                characters.by_ref().take_while(|next| *next != ']').for_each(drop);
                false
            }
            _ => false,
        };
        if has_sign {
            return true;
        }
    }
    false
}

/// Returns whether the content of brackets in a format code is a unit of durations: one of the letters
/// `h`, `m` and `s`, in any case and any number of times, such as `hh`.
fn is_duration_unit(content: &str) -> bool {
    let content = content.to_ascii_lowercase();
    let unit = content.chars().next().unwrap_or(' ');
    matches!(unit, 'h' | 'm' | 's') && content.chars().all(|next| next == unit)
}

/// Texts of a format code around the digits.
#[derive(Default)]
struct FormatTexts {
    before: String,
    after: String,
    has_digits: bool,
}

impl FormatTexts {
    /// Appends to `after` if a placeholder for digits was read already, and otherwise to `before`.
    fn extend(&mut self, text: impl IntoIterator<Item = char>) {
        if self.has_digits { &mut self.after } else { &mut self.before }.extend(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_tell_dates_percentages_and_durations_from_numbers() {
        let check = |code, want| assert_eq!(NumberFormat::from_code(code), want, "{code}");
        for code in
            ["dd.mm.yyyy", "m/d/yy h:mm", "[$-407]d. mmmm yyyy", "h:mm AM/PM", "YYYY", "mm:ss.0"]
        {
            check(code, NumberFormat::Date);
        }
        for code in ["0.0%", "[Red]0 %;-0 %", "0\\ %"] {
            check(code, NumberFormat::Percentage);
        }
        for code in ["[h]:mm", "[hh]:mm:ss", "[mm]", "[s]"] {
            check(code, NumberFormat::Duration);
        }
        for code in [
            "General",
            "0.00",
            "#,##0 \"days\"",
            "0\" % of all\"",
            "0\\%",
            "0.00E+00",
            "[Red]-0;0",
            "#,##0.00 [$-407]",
            "#,##0.0,, \"Mio. €\"",
            "#,##0 \"k€\"",
            "_-* #,##0.00 _€_-",
            "0;0 \"€\"",
            "€ 0 \"$\"",
            "[$XYZ] 0",
            "0 \\d",
            "0;yyyy",
            "_-* #,##0 _d",
            "[Magenta]0",
            "@",
            "",
        ] {
            check(code, NumberFormat::Number);
        }
        assert_eq!(NumberFormat::from_built_in(14), NumberFormat::Date);
        assert_eq!(NumberFormat::from_built_in(46), NumberFormat::Duration);
        assert_eq!(NumberFormat::from_built_in(9), NumberFormat::Percentage);
        assert_eq!(NumberFormat::from_built_in(4), NumberFormat::Number);
    }

    #[test]
    fn formats_tell_plus_signs_of_positive_numbers() {
        for code in ["+0.0%;-0.0%", "[Green]\"+\"0", "_-\\+#,##0.00 €", "\"▲ +\"0", "$+0"] {
            assert!(shows_plus_sign(code), "{code}");
        }
        for code in ["0.0%", "0.00E+00", "0;+0", "[>+5]0", "_+0", "0\"+\"", "General", ""] {
            assert!(!shows_plus_sign(code), "{code}");
        }
    }

    #[test]
    fn formats_tell_currencies_and_their_places() {
        for (code, want) in [
            ("#,##0.00 \"€\"", "7 €"),
            ("#,##0.00\\ [$€-407];[RED]\\-#,##0.00\\ [$€-407]", "7 €"),
            ("\"$\"#,##0_);(\"$\"#,##0)", "$7"),
            ("$#,##0.00", "$7"),
            ("_(\"$\"* #,##0.00_)", "$7"),
            ("_-* #,##0.00\\ [$CHF]_-;-* #,##0.00\\ [$CHF]_-", "7 CHF"),
            ("[$EUR ]#,##0.00_-", "EUR 7"),
            ("[$kr-414] 0", "kr 7"),
            ("[Red][>=100]-0€", "7€"),
            ("General\\ \"zł\"", "7 zł"),
        ] {
            let NumberFormat::Currency(currency) = NumberFormat::from_code(code) else {
                panic!("{code} has no currency");
            };
            assert_eq!(currency.add_to("7"), want, "{code}");
        }
    }
}
