//! Recognition of a failed flush.
//!
//! The operating system may drop the unwritten pages of a file after a failed flush, and report the
//! next flush as a success. So the program must not repeat a flush. It stops writing, and the next
//! start reads the pages that are on the disk.

use rusqlite::ffi;

/// Returns whether the error says that SQLite failed to flush a file or a directory to the disk.
pub(super) fn is_sync_failure(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error().map(|failure| failure.extended_code),
        Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
    )
}
