//! Origin of the order of day and month in a column of dates.

use chartroom_charts::date_text::DateOrder;

/// How the order of day and month of a column was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateOrderSource {
    /// The order does not matter for the dates of the column.
    None,
    /// A date has only one reading.
    Certain(DateOrder),
    /// All dates have two readings.
    Assumed,
}
