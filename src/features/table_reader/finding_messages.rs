//! Messages about the cells of a column that are reported, after all of them are read.

use super::cell_findings::CellFinding;
use super::cell_findings::CellFindings;
use super::column_content::CellContent;
use super::column_content::ContentCheck;
use super::report::CellMessage;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::NumberNotation;
use chartroom_charts::number_text::SignRule;

/// Type of a column after all cells are read.
pub(super) struct ColumnResult<'a> {
    pub check: &'a ContentCheck,
    pub content: &'a CellContent,
    /// Decimal separator of texts with two readings.
    pub separator: DecimalSeparator,
    /// Whether other columns tell the decimal separator.
    pub is_separator_common: bool,
    /// Whether the whole numbers of the column tell the decimal separator.
    pub is_separator_likely: bool,
}

impl ColumnResult<'_> {
    /// Returns the message about the first text with two readings as a number. None if another cell
    /// of the column decides or makes it likely.
    fn two_readings_message(&self) -> Option<String> {
        if self.is_separator_likely {
            return None;
        }
        let text = self.check.find_undecided_text()?;
        let read = |separator| {
            let number = number_text::read_as_json(&text, separator).unwrap_or_default();
            // `412.000` would look like thousands where the comma is the decimal separator.
            match number.contains('.') {
                true => number.trim_end_matches('0').trim_end_matches('.').to_owned(),
                false => number,
            }
        };
        let (number, other) = (read(self.separator), read(self.separator.other()));
        Some(match self.is_separator_common {
            true => format!("is read as {number}, not {other}, like the other columns"),
            false => {
                format!("is read as {number}; it may also be {other}, and no other cell decides")
            }
        })
    }
}

impl CellFindings {
    /// Returns the messages about the cells of a column that are reported. Leaves out findings in rows
    /// that were not located.
    pub fn messages(&self, column: &ColumnResult<'_>) -> Vec<CellMessage> {
        let messages = self.found.iter().filter_map(|(finding, row)| {
            Some(CellMessage {
                row: row.checked_sub(1)?,
                text: self.message(*finding, column)?,
                is_about_unit: matches!(
                    finding,
                    CellFinding::Sign(_) | CellFinding::NoSign | CellFinding::OtherUnit
                ),
            })
        });
        messages.collect()
    }

    /// Returns the message about a finding. `None` if it needs no report.
    fn message(&self, finding: CellFinding, column: &ColumnResult<'_>) -> Option<String> {
        let notation = match column.content {
            CellContent::Numbers(notation) => Some(*notation),
            _ => None,
        };
        let (needs_report, message) = match finding {
            CellFinding::TwoReadings => {
                return notation.and_then(|_| column.two_readings_message());
            }
            CellFinding::Sign(sign) => return self.sign_message(sign, notation, column),
            CellFinding::NoSign => return self.no_sign_message(notation?, column),
            CellFinding::OtherUnit => (
                column.check.find_flags().is_none(),
                "has another unit than the cells above, so that the column has no numbers",
            ),
            CellFinding::OtherSeparator => (
                notation.is_none(),
                "has another decimal separator than the cells above; the column is read as text",
            ),
            CellFinding::Fraction => (
                column.check.signs().next() == Some("%") && notation?.sign != SignRule::Without,
                "is read as a percentage without a percent sign; it may also be a fraction",
            ),
            CellFinding::NotNumber => (
                self.has_unreadable_numbers(column),
                "is not a number, like most cells of the column, which is read as text",
            ),
            CellFinding::NotBoolean => {
                let booleans = self.booleans + self.bits;
                let needs_report = self.booleans > 0 && booleans * 2 > column.check.cell_count();
                (needs_report, "stands for neither true nor false")
            }
            CellFinding::OtherZone => {
                (true, "has another time zone than the cells above; charts show the times in UTC")
            }
        };
        needs_report.then(|| message.to_owned())
    }

    /// Returns whether most texts of a column start like numbers, one of them is a number, and the
    /// column is nevertheless one of texts.
    fn has_unreadable_numbers(&self, column: &ColumnResult<'_>) -> bool {
        *column.content == CellContent::Texts
            && self.not_numbers * 2 > self.checked_texts
            && column.check.has_readable_number()
    }

    /// Returns the message about the first cell with the currency or percent sign `sign`. None if
    /// the sign is that of the column.
    ///
    /// `notation` is None for a column of texts. In it, only the second sign is reported, and only
    /// if different signs are the reason that the column has no numbers.
    fn sign_message(
        &self,
        sign: &str,
        notation: Option<NumberNotation>,
        column: &ColumnResult<'_>,
    ) -> Option<String> {
        let signs: Vec<&str> = column.check.signs().collect();
        let Some(notation) = notation else {
            let is_other = signs.get(1) == Some(&sign);
            let is_cause = column.check.has_left_out_numbers() && is_other;
            return is_cause.then(|| {
                format!("has {sign}, unlike the cells above, so that the column has no numbers")
            });
        };
        match notation.sign {
            SignRule::One("%") if sign == "‰" => {
                Some("is converted to percent like the other cells of the column".to_owned())
            }
            SignRule::One(known) if known != sign => Some(format!(
                "has the unit {sign}, but the column has {known}; left out by charts of one unit"
            )),
            SignRule::Without => Some(format!(
                "has the unit {sign}, but most cells of the column have none; left out"
            )),
            _ => None,
        }
    }

    /// Returns the message about the first number without a currency in a column of amounts. None
    /// for a column of percentages, with units of measure or without signs. Also None if the first
    /// amount has a currency and most others have none, as in accounts, because the currency is clear
    /// then.
    fn no_sign_message(
        &self,
        notation: NumberNotation,
        column: &ColumnResult<'_>,
    ) -> Option<String> {
        let sign = column.check.signs().next().filter(|sign| !["%", "‰"].contains(sign))?;
        let order = |wanted: fn(&CellFinding) -> bool| {
            self.found.iter().position(|(finding, _)| wanted(finding))
        };
        let starts_with_sign = order(|finding| matches!(finding, CellFinding::Sign(_)))
            < order(|finding| *finding == CellFinding::NoSign);
        let is_exception = column.check.sign_is_usual();
        let is_amount = notation.sign != SignRule::Without && !column.check.has_units();
        (is_amount && (is_exception || !starts_with_sign))
            .then(|| format!("has no currency, unlike other cells of the column; read as {sign}"))
    }
}
