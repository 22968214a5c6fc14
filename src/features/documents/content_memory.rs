//! The memory budget of write requests that hold the whole content of a document, such as the
//! restoration of a version.
//!
//! Up to 64 writes of one caller run at the same time, and a request of a few bytes can concern
//! 16 MiB of content.

use std::time::Duration;

use crate::app::App;
use crate::app::MAX_CONTENT_BYTES;
use crate::features::table_reader::MAX_HEADING_BYTES;
use crate::features::table_reader::Table;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::memory_budget::Reservation;

/// Number of copies of the content that a request holds at the same time, such as the records as they
/// are stored, decompressed, and as chunks of the new content.
const COPIES: u64 = 3;
/// Requests below this memory in bytes need no reservation, so that they never wait for large ones. The
/// number of threads bounds their total.
const MIN_RESERVED_BYTES: u64 = 1 << 20;
/// Maximum time that a request waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Reserves `COPIES` times `content_bytes` bytes, at most the whole budget, for a write request
/// that handles this content as a whole. None if that is so little that it needs no reservation.
/// Dropping the reservation releases the memory.
///
/// Call it without an open transaction, and not on threads that also handle reads, because it may wait.
///
/// # Errors
/// `Busy` if other requests do not end in time.
pub fn reserve(app: &App, content_bytes: usize) -> Result<Option<Reservation<'_>>> {
    let bytes = (content_bytes as u64).saturating_mul(COPIES).min(MAX_CONTENT_BYTES);
    if bytes < MIN_RESERVED_BYTES {
        return Ok(None);
    }
    app.content_memory.reserve(bytes, MAX_WAIT).map(Some).map_err(|_| Error::Busy)
}

/// Reserves memory for the records of a table, which can be much larger than the table: headings
/// are repeated in each record, and the names of rows for each column of a wide table. `bytes` is the
/// size of the file with the table.
///
/// # Errors
/// `Busy` if other requests do not release memory in time.
pub fn reserve_records<'a>(
    app: &'a App,
    table: &Table<'_>,
    bytes: usize,
) -> Result<Option<Reservation<'a>>> {
    let columns = table.headings.len();
    let names = columns.saturating_mul(table.report.rows).saturating_mul(MAX_HEADING_BYTES);
    let texts = columns.saturating_mul(bytes);
    reserve(app, names.max(texts).min(app.config.max_document_bytes))
}
