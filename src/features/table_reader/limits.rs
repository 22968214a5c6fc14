//! Limits of tables in files, and the errors about them.

use std::time::Duration;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::remote::Deadline;
use chartroom_platform::threads::thread_processor_time;

/// Maximum number of columns of a table.
pub const MAX_COLUMNS: usize = 1000;
/// Maximum number of cells of a table, including empty cells and those of blank
/// rows. 100,000 records can have 30 columns.
pub const MAX_CELLS: usize = 3_000_000;
/// Maximum length of a heading in bytes. Each record repeats the headings as keys.
pub const MAX_HEADING_BYTES: usize = 1000;
/// Maximum length of a cell of a spreadsheet file in characters, the limit of spreadsheet programs.
pub const MAX_CELL_CHARACTERS: usize = 32_767;
/// Maximum number of columns of a worksheet.
pub const MAX_WORKSHEET_COLUMNS: usize = 2000;
/// Maximum number of cells of all worksheets that are read together, including empty cells before
/// others of their row.
pub const MAX_WORKSHEET_CELLS: usize = 2_000_000;

/// Maximum processor time that reading a table in a request may take. The largest tables take about
/// one second, and ten times as long in a debug build. Processor time does not grow while other requests
/// have the processors.
pub const MAX_READ_TIME: Duration =
    Duration::from_secs(if cfg!(debug_assertions) { 100 } else { 10 });
/// Number of steps (rows, cells, XML tags) between two looks at the clock.
const STEPS_PER_TIME_CHECK: usize = 1024;

/// Limits of one table that depend on the server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of rows of a worksheet, or of rows of a table below the headings.
    pub max_rows: usize,
    /// Maximum size of the text of all cells in bytes, of all worksheets that are read together.
    pub max_text_bytes: usize,
    /// End of reading. None for no such limit.
    pub deadline: Option<ReadDeadline>,
}

/// Time at which reading ends with an error.
#[derive(Debug, Clone, Copy)]
pub struct ReadDeadline {
    /// Processor time of the current thread.
    pub(super) processor_time: Duration,
    /// End of the request. None without one.
    pub(super) request: Option<Deadline>,
}

impl ReadDeadline {
    /// Returns the deadline at a processor time of the current thread.
    pub fn of_processor_time(processor_time: Duration) -> Self {
        Self { processor_time, request: None }
    }

    /// Returns the deadline of a request. The functions that reserve memory add that of the processor time.
    pub fn of_request(deadline: Deadline) -> Self {
        Self { processor_time: Duration::MAX, request: Some(deadline) }
    }
}

impl Limits {
    /// Limits of worksheets without a deadline: 200,000 rows and 64 MiB of text.
    pub const WORKSHEETS: Self =
        Self { max_rows: 200_000, max_text_bytes: 64 << 20, deadline: None };

    /// Returns an error if the deadline has passed. Looks at the clock only if `step`, the number of
    /// the current step from 0 or 1, is a multiple of `STEPS_PER_TIME_CHECK`, and otherwise returns Ok.
    /// Never fails without a deadline.
    ///
    /// # Errors
    /// `InvalidFields` about `body` after the deadline, and `RemoteTimeout` after that of the request.
    pub(super) fn check_time(&self, step: usize) -> Result<()> {
        let Some(deadline) = self.deadline.filter(|_| step.is_multiple_of(STEPS_PER_TIME_CHECK))
        else {
            return Ok(());
        };
        if deadline.request.is_some_and(Deadline::is_passed) {
            return Err(Error::RemoteTimeout);
        }
        if thread_processor_time() >= deadline.processor_time {
            let seconds = MAX_READ_TIME.as_secs();
            return Err(body_error(format!("takes longer than {seconds} seconds to read")));
        }
        Ok(())
    }
}

/// Creates the error `InvalidFields` about the field `body`, which stands for the bytes of the file.
pub(super) fn body_error(message: impl Into<String>) -> Error {
    Error::invalid_field("body", message)
}

/// Creates the error `InvalidFields` about `body` for a file that breaks the rules of its format.
pub(super) fn damaged(detail: impl std::fmt::Display) -> Error {
    body_error(format!("is damaged or not complete: {detail}"))
}

/// Creates the error `InvalidFields` about `data` for a table with more than `max_rows` rows below the
/// headings.
pub(super) fn too_many_rows(max_rows: usize) -> Error {
    Error::invalid_field("data", format!("has more than {max_rows} records"))
}
