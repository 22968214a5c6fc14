//! Number formats of cells, as far as they decide whether a number is a date or a percentage.

use std::collections::HashMap;

use super::limits::body_error;
use chartroom_platform::error::Result;

/// Maximum number of cell formats, the limit of Excel.
const MAX_CELL_FORMATS: usize = 65_490;

/// The formats of the cells of a workbook.
#[derive(Default)]
pub(super) struct CellFormats {
    /// Number formats with a code of their own, by id.
    codes: HashMap<u16, NumberFormat>,
    /// Id of the number format of each cell format.
    ids: Vec<u16>,
}

impl CellFormats {
    /// Adds a number format with a code such as `dd.mm.yyyy`.
    pub fn add_code(&mut self, id: u16, code: &str) {
        self.codes.insert(id, NumberFormat::from_code(code));
    }

    /// Adds the next cell format, with the id of its number format.
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

    /// Returns the number format of a cell format. An unknown one is a plain number.
    pub fn get(&self, index: usize) -> NumberFormat {
        let Some(id) = self.ids.get(index) else { return NumberFormat::Number };
        self.codes.get(id).copied().unwrap_or_else(|| NumberFormat::from_built_in(*id))
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
}

impl NumberFormat {
    /// Returns the built-in format with an id. The ids 27 to 36 and 50 to 58
    /// are dates in East Asian versions (ECMA-376, part 1, section 18.8.30).
    fn from_built_in(id: u16) -> Self {
        match id {
            9 | 10 => Self::Percentage,
            46 => Self::Duration,
            14..=22 | 27..=36 | 45 | 47 | 50..=58 => Self::Date,
            _ => Self::Number,
        }
    }

    /// Returns the meaning of a format code such as `dd.mm.yyyy`. Only the
    /// section for positive numbers counts.
    fn from_code(code: &str) -> Self {
        let mut characters = code.chars();
        while let Some(character) = characters.next() {
            match character {
                '"' => {
                    characters.by_ref().take_while(|next| *next != '"').for_each(drop);
                }
                // The next character is literal, a width or a filler.
                '\\' | '_' | '*' => drop(characters.next()),
                '[' => {
                    let content: String =
                        characters.by_ref().take_while(|next| *next != ']').take(256).collect();
                    let content = content.to_ascii_lowercase();
                    let unit = content.chars().next().unwrap_or(' ');
                    let is_unit = matches!(unit, 'h' | 'm' | 's');
                    if is_unit && content.chars().all(|next| next == unit) {
                        return Self::Duration;
                    }
                }
                '%' => return Self::Percentage,
                ';' => return Self::Number,
                'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return Self::Date,
                // `General` has no other meaning than a number.
                'G' if code.contains("General") => return Self::Number,
                _ => {}
            }
        }
        Self::Number
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
            "#,##0.00 [$€-407]",
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
}
