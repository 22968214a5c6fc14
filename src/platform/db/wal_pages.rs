//! The length of the write-ahead log, as SQLite reports it after each commit.

use std::cell::Cell;
use std::ffi::c_int;

use rusqlite::hooks::Wal;

thread_local! {
    /// Number of pages in the log after the last commit of this thread.
    static PAGES_AFTER_COMMIT: Cell<i64> = const { Cell::new(0) };
}

/// Stores the number of pages in the log. SQLite calls this hook after each commit of a writer.
#[allow(clippy::unnecessary_wraps)] // The type of the hook requires a `Result`.
pub(super) fn store_page_count(_: &Wal, pages: c_int) -> rusqlite::Result<()> {
    PAGES_AFTER_COMMIT.set(i64::from(pages));
    Ok(())
}

/// Returns the number of pages in the log after the last commit of this thread.
pub(super) fn pages_after_commit() -> i64 {
    PAGES_AFTER_COMMIT.get()
}
