//! Reading of tables under the memory budget of the server.

use std::ops::Deref;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::time::Duration;

use super::limits::Limits;
use super::limits::MAX_READ_TIME;
use super::limits::ReadDeadline;
use super::limits::damaged;
use super::read;
use super::read::ReadOptions;
use super::table::Table;
use super::worksheet::SheetName;
use super::worksheet::Workbook;
use super::worksheet::Worksheet;
use super::worksheets;
use super::worksheets::SheetSelection;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::memory_budget::MemoryBudget;
use chartroom_platform::memory_budget::Reservation;
use chartroom_platform::memory_budget::ReserveError;
use chartroom_platform::threads::thread_processor_time;

/// Maximum time that a table waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Tables below this memory in bytes need no reservation, so that they never wait for large ones.
/// The number of threads bounds their total.
const MIN_RESERVED_BYTES: u64 = 4 << 20;

/// A table with its part of the memory budget.
pub struct BudgetedTable<'a, 'b> {
    table: Table<'a>,
    /// Releases the memory when the table is dropped.
    _reservation: Option<Reservation<'b>>,
}

impl<'a> Deref for BudgetedTable<'a, '_> {
    type Target = Table<'a>;

    fn deref(&self) -> &Table<'a> {
        &self.table
    }
}

/// Worksheets with their part of the memory budget.
pub struct BudgetedWorksheets<'b> {
    sheets: Vec<Worksheet>,
    /// Releases the memory when the worksheets are dropped.
    _reservation: Option<Reservation<'b>>,
}

impl BudgetedWorksheets<'_> {
    /// Sets the id and the name of the first worksheet, for a source that knows them better than its file.
    pub fn rename_first(&mut self, name: SheetName) {
        if let Some(sheet) = self.sheets.first_mut() {
            (sheet.sheet_id, sheet.name) = (name.id, name.name);
        }
    }
}

impl Deref for BudgetedWorksheets<'_> {
    type Target = [Worksheet];

    fn deref(&self) -> &[Worksheet] {
        &self.sheets
    }
}

/// Reads a table like [`read::read`], after reserving its estimated memory. A table below
/// `MIN_RESERVED_BYTES` needs no reservation. Waits up to `MAX_WAIT` for memory, and then reads for
/// up to `MAX_READ_TIME` of processor time, but in both not beyond the deadline in `limits`. The result
/// holds the reservation until it is dropped.
///
/// # Errors
/// The errors of [`read::read`]. `Busy` if other tables do not release memory in time. `TooLarge`
/// if the table could take more than the whole budget. `InvalidFields` about `body` if the reader
/// panics, which is logged. `RemoteTimeout` after the deadline in `limits`.
pub fn read_within_budget<'a, 'b>(
    budget: &'b MemoryBudget,
    bytes: &'a [u8],
    options: &ReadOptions<'_>,
    limits: Limits,
) -> Result<BudgetedTable<'a, 'b>> {
    let reservation = reserve(budget, read::estimate_memory(bytes, options, limits)?, limits)?;
    let table = read_until_deadline(limits, |limits| read::read(bytes, options, limits))?;
    Ok(BudgetedTable { table, _reservation: reservation })
}

/// Reads worksheets like [`super::read_worksheet`] or [`super::read_worksheets`], with the memory, the
/// deadline and the errors of [`read_within_budget`]. The text of the worksheets as JSON is not part of
/// the reservation.
///
/// # Errors
/// The errors of [`super::read_worksheet`], and those of [`read_within_budget`].
pub fn read_worksheets_within_budget<'b>(
    budget: &'b MemoryBudget,
    bytes: &[u8],
    options: &ReadOptions<'_>,
    selection: SheetSelection<'_>,
    limits: Limits,
) -> Result<BudgetedWorksheets<'b>> {
    let needed = worksheets::estimate_memory(bytes, options, limits)?;
    let reservation = reserve(budget, needed, limits)?;
    let sheets = read_until_deadline(limits, |limits| {
        worksheets::read_selection(bytes, options, selection, limits)
    })?;
    Ok(BudgetedWorksheets { sheets, _reservation: reservation })
}

/// Reads the names of the worksheets like [`super::read_workbook`], with the memory, the deadline and the
/// errors of [`read_within_budget`].
///
/// # Errors
/// The errors of [`super::read_workbook`], and those of [`read_within_budget`].
pub fn read_workbook_within_budget(
    budget: &MemoryBudget,
    bytes: &[u8],
    options: &ReadOptions<'_>,
    limits: Limits,
) -> Result<Workbook> {
    // The text of a file in another encoding than UTF-8, or the stream of an xls file. The parts of a ZIP
    // file are streams.
    let _reservation = reserve(budget, 3 * bytes.len() as u64, limits)?;
    read_until_deadline(limits, |limits| worksheets::read_workbook(bytes, options, limits))
}

/// Reserves memory. None if `bytes` is below `MIN_RESERVED_BYTES`.
///
/// # Errors
/// `Busy` if the memory is not free in time, or `RemoteTimeout` if the request has no time left. `TooLarge` if it
/// is more than the whole budget.
fn reserve(budget: &MemoryBudget, bytes: u64, limits: Limits) -> Result<Option<Reservation<'_>>> {
    let wait = match limits.deadline.and_then(|deadline| deadline.request) {
        Some(deadline) => deadline.remaining().ok_or(Error::RemoteTimeout)?.min(MAX_WAIT),
        None => MAX_WAIT,
    };
    if bytes < MIN_RESERVED_BYTES {
        return Ok(None);
    }
    let reserved = budget.reserve(bytes, wait).map_err(|error| match error {
        ReserveError::ExceedsTotal => Error::TooLarge("body is too large to be read".to_owned()),
        ReserveError::Timeout => Error::Busy,
    });
    reserved.map(Some)
}

/// Calls `read` with a deadline after `MAX_READ_TIME` of processor time.
///
/// # Errors
/// The errors of `read`. `InvalidFields` about `body` if it panics, which is logged.
fn read_until_deadline<T>(limits: Limits, read: impl FnOnce(Limits) -> Result<T>) -> Result<T> {
    // The reader has no known panic. One in it must not end more than this request.
    let deadline = ReadDeadline {
        processor_time: thread_processor_time() + MAX_READ_TIME,
        request: limits.deadline.and_then(|deadline| deadline.request),
    };
    let limits = Limits { deadline: Some(deadline), ..limits };
    catch_unwind(AssertUnwindSafe(|| read(limits))).unwrap_or_else(|_| {
        tracing::error!("the table reader panicked");
        Err(damaged("it cannot be read"))
    })
}
