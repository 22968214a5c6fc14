//! Facts about the table of a source that a job keeps for its next runs.

use serde::Deserialize;
use serde::Serialize;

use crate::features::table_reader::HeadingRow;
use crate::features::tables::KeptColumn;
use chartroom_platform::error::Result;

/// Facts about the table of the last run. Later rows of the source must not change them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredTable")]
pub struct KnownTable {
    /// Columns of the chart kind with the headings of the table.
    pub columns: Vec<KeptColumn>,
    /// Whether the first row of the table has the headings.
    pub has_headings: bool,
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
    },
}

impl From<StoredTable> for KnownTable {
    fn from(stored: StoredTable) -> Self {
        match stored {
            StoredTable::Columns(columns) => Self { columns, has_headings: true },
            StoredTable::Table { columns, has_headings } => Self { columns, has_headings },
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
        let table = KnownTable { has_headings: false, ..old };
        let read = KnownTable::parse(&table.to_json().unwrap()).unwrap();
        assert_eq!((read.heading_row(), &read), (HeadingRow::Absent, &table));
        assert!(KnownTable::parse("{}").is_err());
    }
}
