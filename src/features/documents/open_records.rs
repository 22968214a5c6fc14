//! Records while a table is converted to them.

use super::records;
use super::records::RecordLimits;
use super::records::Records;
use crate::features::table_reader::Table;
use crate::features::table_reader::TableRow;
use crate::features::tables::RecordRows;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Records of a table that is mapped to a chart kind.
pub struct MappedRecords {
    pub records: Records,
    /// Key and name of the repeated columns. They belong into the settings.
    pub repeated: Vec<(String, String)>,
}

/// Calls `visit` for each row of the table that is a record, in order. Skips blank rows, totals
/// among the records, and the rows below them. `records` numbers rows from 1, without blank ones.
///
/// # Errors
/// The first error of `visit`, which ends the loop. `InvalidFields` about `body`, as for the first
/// reading of the table.
pub(super) fn for_each_row(
    table: &Table<'_>,
    records: &RecordRows,
    mut visit: impl FnMut(&TableRow<'_>) -> Result<()>,
) -> Result<()> {
    let mut rows = table.rows()?;
    let mut number = 1;
    while records.reaches(number)
        && let Some(row) = rows.next_row()?
    {
        if row.is_blank() {
            continue;
        }
        if records.contains(number) {
            visit(&row)?;
        }
        number += 1;
    }
    Ok(())
}

/// Records that grow while the table is read, as JSON objects without the last brace.
pub(super) struct OpenRecords {
    texts: Vec<String>,
    bytes: i64,
    limits: RecordLimits,
}

impl OpenRecords {
    /// Starts without records.
    pub(super) fn new(limits: RecordLimits) -> Self {
        Self { texts: Vec::new(), bytes: 0, limits }
    }

    /// Adds a record with its first fields and returns its index. `text` is a JSON object without
    /// the last brace.
    ///
    /// # Errors
    /// `TooLarge` if all records have too many bytes.
    pub(super) fn add(&mut self, text: &str) -> Result<usize> {
        self.texts.push(String::new());
        let record = self.texts.len() - 1;
        self.extend(record, |open| open.push_str(text))?;
        Ok(record)
    }

    /// Appends fields, or elements of an open list, to the record with this index. `append` writes
    /// them to the text of the record, with the commas. Does nothing if there is no such record.
    ///
    /// # Errors
    /// `TooLarge` if all records have too many bytes.
    pub(super) fn extend(&mut self, record: usize, append: impl FnOnce(&mut String)) -> Result<()> {
        if let Some(text) = self.texts.get_mut(record) {
            let before = text.len();
            append(text);
            self.bytes += i64::try_from(text.len() - before).unwrap_or(i64::MAX);
        }
        records::check_size(self.bytes, self.limits.max_bytes)
    }

    /// Puts the records into the order of these indexes, which contain each index once.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        let mut texts = std::mem::take(&mut self.texts);
        for index in order {
            self.texts.extend(texts.get_mut(*index).map(std::mem::take));
        }
    }

    /// Ends the JSON array that is open at the end of each record.
    ///
    /// # Errors
    /// `TooLarge` if all records have too many bytes.
    pub(super) fn end_lists(&mut self) -> Result<()> {
        (0..self.texts.len()).try_for_each(|record| self.extend(record, |text| text.push(']')))
    }

    /// Closes each record with a brace and returns the records in the order in which they were
    /// added, or which `reorder` gave them.
    ///
    /// # Errors
    /// `TooLarge` if the records have too many bytes. `InvalidFields` about `data` if there are too
    /// many.
    pub(super) fn finish(self) -> Result<Records> {
        let mut records = Records::default();
        for mut text in self.texts {
            text.push('}');
            push_record(&mut records, &text, self.limits)?;
        }
        Ok(records)
    }
}

/// Appends a record and checks both limits. For records that are not rows of the table, because the
/// reader of the table limits only the rows.
///
/// # Errors
/// `TooLarge` if the records have too many bytes. `InvalidFields` about `data` if there are too
/// many.
pub(super) fn push_record(records: &mut Records, record: &str, limits: RecordLimits) -> Result<()> {
    if usize::try_from(records.count).is_ok_and(|count| count >= limits.max_records) {
        let message = format!(
            "would have more than {} records, because each cell becomes one; use mapping=none",
            limits.max_records
        );
        return Err(Error::invalid_field("data", message));
    }
    records.push(record);
    records.check_size(limits.max_bytes)
}
