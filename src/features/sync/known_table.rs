//! Facts about the table of a source that a job keeps for its next runs.

use serde::Deserialize;
use serde::Serialize;

use crate::features::table_reader::HeadingRow;
use crate::features::tables::KeptColumn;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Result;

/// Facts about the table of the last run. Later rows of the source must not change them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredTable")]
pub struct KnownTable {
    /// Columns of the chart kind with the headings of the table.
    pub columns: Vec<KeptColumn>,
    /// Whether the first row of the table has the headings.
    pub has_headings: bool,
    /// How the source writes numbers and dates.
    #[serde(flatten)]
    pub notation: KnownNotation,
}

/// How a source writes numbers and dates, as far as a file has shown it. It decides numbers such as `1.073` and dates
/// such as `03/04/2026` in later files where no other cell does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownNotation {
    /// Whether the comma is the decimal separator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    has_decimal_comma: Option<bool>,
    /// Whether the month stands before the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    has_month_first: Option<bool>,
}

impl KnownNotation {
    /// Returns the notation after a file with this decimal separator and this order of dates. Without one, that of
    /// earlier files stays.
    #[must_use]
    pub fn after(self, separator: Option<DecimalSeparator>, order: Option<DateOrder>) -> Self {
        let has_comma = separator.map(|separator| separator == DecimalSeparator::Comma);
        let has_month_first = order.map(|order| order == DateOrder::MonthDay);
        Self {
            has_decimal_comma: has_comma.or(self.has_decimal_comma),
            has_month_first: has_month_first.or(self.has_month_first),
        }
    }

    /// Returns the decimal separator.
    pub fn separator(self) -> Option<DecimalSeparator> {
        let has_comma = self.has_decimal_comma?;
        Some(if has_comma { DecimalSeparator::Comma } else { DecimalSeparator::Point })
    }

    /// Returns the order of day and month.
    pub fn date_order(self) -> Option<DateOrder> {
        let has_month_first = self.has_month_first?;
        Some(if has_month_first { DateOrder::MonthDay } else { DateOrder::DayMonth })
    }
}

/// The stored forms of [`KnownTable`].
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredTable {
    /// Of a run that took the first row as headings in any case.
    Columns(Vec<KeptColumn>),
    Table {
        columns: Vec<KeptColumn>,
        has_headings: bool,
        #[serde(flatten)]
        notation: KnownNotation,
    },
}

impl From<StoredTable> for KnownTable {
    fn from(stored: StoredTable) -> Self {
        match stored {
            StoredTable::Columns(columns) => {
                Self { columns, has_headings: true, notation: KnownNotation::default() }
            }
            StoredTable::Table { columns, has_headings, notation } => {
                Self { columns, has_headings, notation }
            }
        }
    }
}

impl KnownTable {
    /// Parses the stored text.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn parse(text: &str) -> Result<Self> {
        Ok(serde_json::from_str(text)?)
    }

    /// Returns the text to store.
    ///
    /// # Errors
    /// Never in practice.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(self)?)
    }

    /// Returns whether the first row has headings.
    pub fn heading_row(&self) -> HeadingRow {
        if self.has_headings { HeadingRow::Present } else { HeadingRow::Absent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stored_forms_are_read() {
        let columns = r#"[{"heading":"Sales","key":"value","reason":"type"}]"#;
        let old = KnownTable::parse(columns).unwrap();
        assert_eq!((old.columns.len(), old.heading_row()), (1, HeadingRow::Present));
        let notation = old.notation.after(Some(DecimalSeparator::Comma), None);
        assert_eq!(
            (notation.separator(), notation.date_order()),
            (Some(DecimalSeparator::Comma), None)
        );
        assert_eq!(notation.after(None, None), notation);
        let table = KnownTable { has_headings: false, notation, ..old };
        let read = KnownTable::parse(&table.to_json().unwrap()).unwrap();
        assert_eq!((read.heading_row(), &read), (HeadingRow::Absent, &table));
        assert!(KnownTable::parse("{}").is_err());
    }
}
