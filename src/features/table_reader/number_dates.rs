//! Columns of numbers that are dates: days as spreadsheet programs count them, and dates without
//! separators.

use super::serial_date;

/// First and last count of days that is a date rather than an amount: 1982-02-18 and 2064-04-08, or
/// four years later if the days count from 1904.
const SERIALS: std::ops::RangeInclusive<f64> = 30_000.0..=60_000.0;
/// Years of dates without separators.
const YEARS: std::ops::RangeInclusive<u32> = 1900..=2100;
/// Minimum number of dates such as `20240131` below a heading that does not name a date.
const MIN_DATES: usize = 3;
/// Lower-case words of headings that name a date.
const DATE_WORDS: [&str; 9] =
    ["date", "dates", "datum", "fecha", "dato", "日付", "日期", "날짜", "التاريخ"];
/// Lower-case headings that name a day. As a part of a longer heading, as in `Umsatz pro Tag`, they
/// do not.
const DAY_HEADINGS: [&str; 9] =
    ["tag", "day", "dag", "dia", "día", "jour", "giorno", "dzień", "stichtag"];
/// Lower-case headings of months.
const MONTH_HEADINGS: [&str; 9] =
    ["month", "monat", "mes", "mese", "mois", "mês", "maand", "period", "periode"];
/// Lower-case ends of headings of ids, which can look like dates.
const ID_ENDS: [&str; 5] = ["id", "nr", "nr.", "nummer", "number"];

/// Notation of the dates in a column of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberDate {
    /// Days since 1899-12-30, such as `45292`, or since 1904-01-01.
    Serial { is_1904: bool },
    /// Year, month and day, such as `20240131`.
    Day,
    /// Year and month, such as `202401`.
    Month,
}

impl NumberDate {
    /// Converts a number to a date of ISO 8601: `2024-01-31`, or `2024-01` for a month. A count of days
    /// with a fraction gets its time of day, as in `2024-01-31T12:00:00`. `None` unless the text
    /// consists of digits and points, and the date is valid and in `SERIALS` or `YEARS`.
    pub fn to_iso(self, text: &str) -> Option<String> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !is_number {
            return None;
        }
        let digits = |start: usize, end: usize| text.get(start..end)?.parse::<u32>().ok();
        match self {
            Self::Serial { is_1904 } => {
                let serial = text.parse().ok().filter(|serial| SERIALS.contains(serial))?;
                serial_date::format_date(serial, is_1904)
            }
            Self::Day if text.len() == 8 => {
                let (year, month, day) = (digits(0, 4)?, digits(4, 6)?, digits(6, 8)?);
                let iso = format!("{year:04}-{month:02}-{day:02}");
                let is_valid = chartroom_charts::format::date::parse(&iso).is_some();
                (is_valid && YEARS.contains(&year)).then_some(iso)
            }
            Self::Month if text.len() == 6 => {
                let (year, month) = (digits(0, 4)?, digits(4, 6)?);
                let is_valid = YEARS.contains(&year) && (1..=12).contains(&month);
                is_valid.then(|| format!("{year:04}-{month:02}"))
            }
            Self::Day | Self::Month => None,
        }
    }
}

/// Count of the cells of a column that can be dates in each notation.
#[derive(Debug, Clone, Default)]
pub(super) struct NumberDateCheck {
    cells: usize,
    /// Number of dates as [`NumberDate::Serial`], [`NumberDate::Day`] and [`NumberDate::Month`].
    dates: [usize; 3],
    /// The first cell.
    example: String,
}

impl NumberDateCheck {
    /// Notations, in the order of the counts. The start of counted days does not change the counts.
    const NOTATIONS: [NumberDate; 3] =
        [NumberDate::Serial { is_1904: false }, NumberDate::Day, NumberDate::Month];

    /// Counts a cell for each notation in which it is a date. The caller leaves out empty cells and
    /// placeholders. Once no notation fits all cells, only counts the cells.
    pub fn add(&mut self, text: &str) {
        let has_failed = self.cells > 0 && self.dates.iter().all(|count| *count < self.cells);
        self.cells += 1;
        if has_failed {
            return;
        }
        for (count, notation) in self.dates.iter_mut().zip(Self::NOTATIONS) {
            *count += usize::from(notation.to_iso(text).is_some());
        }
        if self.cells == 1 {
            text.clone_into(&mut self.example);
        }
    }

    /// Returns the notation if there are cells and all of them are dates in it. The heading has to name
    /// a date, because amounts can look like dates. Numbers such as `20240131` need no such heading if
    /// there are at least `MIN_DATES` and the heading does not name ids. `None` otherwise.
    ///
    /// `is_1904` tells whether days count from 1904 instead of 1900.
    pub fn notation(&self, heading: &str, is_1904: bool) -> Option<NumberDate> {
        let notations = Self::NOTATIONS.into_iter().zip(self.dates);
        let mut complete = notations.filter(|(_, count)| *count == self.cells && self.cells > 0);
        let (notation, _) = complete.next()?;
        let heading = heading.trim().to_lowercase();
        let names_date = is_date_heading(&heading);
        let is_date = match notation {
            NumberDate::Serial { .. } => names_date,
            NumberDate::Month => names_date || MONTH_HEADINGS.contains(&heading.as_str()),
            NumberDate::Day => {
                let is_id = ID_ENDS.iter().any(|end| heading.ends_with(end));
                names_date || !is_id && self.cells >= MIN_DATES
            }
        };
        is_date.then_some(match notation {
            NumberDate::Serial { .. } => NumberDate::Serial { is_1904 },
            other => other,
        })
    }

    /// Returns the text of the first cell, empty without cells.
    pub fn example(&self) -> &str {
        &self.example
    }
}

/// Returns whether a heading in lower case names a date: it is one of `DAY_HEADINGS`, or has at most
/// three words of which one is in `DATE_WORDS` or ends with `datum`.
fn is_date_heading(heading: &str) -> bool {
    let words: Vec<&str> = heading
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let is_word = |word: &&str| DATE_WORDS.contains(word) || word.ends_with("datum");
    DAY_HEADINGS.contains(&heading) || words.len() <= 3 && words.iter().any(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notation(heading: &str, cells: &[&str]) -> Option<NumberDate> {
        let mut check = NumberDateCheck::default();
        cells.iter().for_each(|cell| check.add(cell));
        check.notation(heading, false)
    }

    #[test]
    fn counted_days_are_dates_below_a_heading_that_names_a_date() {
        let serial = NumberDate::Serial { is_1904: false };
        let serials = ["45292", "45323", "45352.5"];
        for heading in ["Datum", "Date", "Tag", "Fecha", "Rechnungsdatum", "order date", "日付"] {
            assert_eq!(notation(heading, &serials), Some(serial), "{heading}");
        }
        for heading in ["Umsatz", "Umsatz pro Tag", "Last update", ""] {
            assert_eq!(notation(heading, &serials), None, "{heading}");
        }
        assert_eq!(notation("Datum", &["45292", "100"]), None);
        assert_eq!(notation("Datum", &["45292", "x"]), None);
        assert_eq!(notation("Datum", &[]), None);
        assert_eq!(serial.to_iso("45292").as_deref(), Some("2024-01-01"));
        assert_eq!(serial.to_iso("45292.5").as_deref(), Some("2024-01-01T12:00:00"));
    }

    #[test]
    fn numbers_of_year_month_and_day_are_dates_if_all_are_valid() {
        let days = ["20240101", "20240102", "20240229"];
        assert_eq!(notation("visits", &days), Some(NumberDate::Day));
        assert_eq!(notation("date", &days[..1]), Some(NumberDate::Day));
        assert_eq!(notation("visits", &days[..2]), None);
        assert_eq!(notation("Kundennummer", &days), None);
        assert_eq!(notation("visits", &["20240101", "20240102", "20240230"]), None);
        assert_eq!(notation("Monat", &["202309", "202310"]), Some(NumberDate::Month));
        assert_eq!(notation("Umsatz", &["202309", "202310", "202311"]), None);
        assert_eq!(NumberDate::Day.to_iso("20240229").as_deref(), Some("2024-02-29"));
        assert_eq!(NumberDate::Month.to_iso("202309").as_deref(), Some("2023-09"));
    }
}
