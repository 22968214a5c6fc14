//! Reading of tables under the memory budget of the server.

use std::ops::Deref;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::LazyLock;
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
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::current_actor;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::fair_semaphore::FairSemaphore;
use chartroom_platform::fair_semaphore::Permit;
use chartroom_platform::memory_budget::MemoryBudget;
use chartroom_platform::memory_budget::Reservation;
use chartroom_platform::memory_budget::ReserveError;
use chartroom_platform::threads::thread_processor_time;

/// Maximum time that a table waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Maximum time that a table waits for others to be read, if no request has a deadline.
const MAX_QUEUE_TIME: Duration = Duration::from_secs(20);
/// Tables below this memory in bytes need no reservation and no permit, so that they never wait for large
/// ones. The number of threads bounds their total.
const MIN_RESERVED_BYTES: u64 = 4 << 20;

/// Permits to read a large table: one per core, without one core that remains for other requests. Callers get
/// them in turn. The server itself, which reads sources on schedule, is one of them.
static READS: LazyLock<FairSemaphore<WriteActor>> =
    LazyLock::new(|| FairSemaphore::new(max_large_reads()));

/// Returns the number of large tables that may be read at once.
fn max_large_reads() -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    cores.saturating_sub(1).max(1)
}

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
/// `MIN_RESERVED_BYTES` needs no reservation. Waits until fewer than `READS` large tables are read, up to
/// `MAX_WAIT` for memory, and then reads for up to `MAX_READ_TIME` of processor time, but in all not beyond the
/// deadline in `limits`. The result holds the reservation until it is dropped.
///
/// # Errors
/// The errors of [`read::read`]. `Busy` if other tables are not read or do not release memory in time. `TooLarge`
/// if the table could take more than the whole budget. `InvalidFields` about `body` if the reader
/// panics, which is logged. `RemoteTimeout` after the deadline in `limits`.
pub fn read_within_budget<'a, 'b>(
    budget: &'b MemoryBudget,
    bytes: &'a [u8],
    options: &ReadOptions<'_>,
    limits: Limits,
) -> Result<BudgetedTable<'a, 'b>> {
    let needed = read::estimate_memory(bytes, options, limits)?;
    let _permit = acquire_permit(needed, limits)?;
    let reservation = reserve(budget, needed, limits)?;
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
    let _permit = acquire_permit(needed, limits)?;
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
    let needed = 3 * bytes.len() as u64;
    let _permit = acquire_permit(needed, limits)?;
    let _reservation = reserve(budget, needed, limits)?;
    read_until_deadline(limits, |limits| worksheets::read_workbook(bytes, options, limits))
}

/// Waits until another large table may be read. None if `bytes`, the estimated memory, is below
/// `MIN_RESERVED_BYTES`. Take the permit before the memory, so that nobody waits with memory that others need.
///
/// # Errors
/// `Busy` if others read for too long, or `RemoteTimeout` if the request has no time left.
fn acquire_permit(bytes: u64, limits: Limits) -> Result<Option<Permit<'static, WriteActor>>> {
    if bytes < MIN_RESERVED_BYTES {
        return Ok(None);
    }
    let (wait, late) = match limits.deadline.and_then(|deadline| deadline.request) {
        Some(deadline) => (deadline.remaining().unwrap_or_default(), Error::RemoteTimeout),
        None => (MAX_QUEUE_TIME, Error::Busy),
    };
    READS.acquire_within(current_actor(), wait).map(Some).ok_or(late)
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

#[cfg(test)]
mod tests {
    use chartroom_platform::remote::Deadline;

    use super::*;

    #[test]
    fn a_large_table_waits_for_others_and_a_small_one_does_not() {
        let memory = MemoryBudget::new(1 << 30);
        let read = |rows: usize, wait: Duration| {
            let bytes = format!("a,b\n{}", "1234567,1234567\n".repeat(rows));
            let deadline = ReadDeadline::of_request(Deadline::after(wait));
            let limits = Limits { deadline: Some(deadline), ..Limits::WORKSHEETS };
            let read =
                read_within_budget(&memory, bytes.as_bytes(), &ReadOptions::default(), limits);
            read.map(|table| table.headings.len())
        };
        // Without the wait, the table would be read in this time.
        let (large, short) = (150_000, Duration::from_secs(1));
        // Tests beside this one may read large tables too.
        let permits: Vec<_> =
            (0..max_large_reads()).map(|_| READS.acquire(WriteActor::Operator)).collect();
        assert!(matches!(read(large, short), Err(Error::RemoteTimeout)));
        assert!(read(10, short).is_ok());
        drop(permits);
        assert_eq!(read(large, Duration::from_secs(60)).unwrap(), 2);
    }
}
