//! Rows of a table that are records, unlike totals and notes.

/// The rows of a table that are records. Rows are numbered from 1, without blank ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecordRows {
    /// Number of the last record. `None` if there is no row below the records.
    pub last: Option<usize>,
    /// Numbers of totals among the records, in rising order.
    pub skipped: Vec<usize>,
}

impl RecordRows {
    /// Returns the rows 1 to `last`, both included, without skipped ones.
    pub fn up_to(last: usize) -> Self {
        Self { last: Some(last), skipped: Vec::new() }
    }

    /// Returns whether the row with this number, from 1, is not below the last record. True also for a
    /// skipped total among the records.
    pub fn reaches(&self, number: usize) -> bool {
        self.last.is_none_or(|last| number <= last)
    }

    /// Returns whether the row with this number, from 1, is a record: not below the last record and
    /// not a skipped total. If `last` is None, all rows except the skipped ones are records.
    pub fn contains(&self, number: usize) -> bool {
        self.reaches(number) && self.skipped.binary_search(&number).is_err()
    }
}
