//! Limits of tables in files, and the errors about them.

use chartroom_platform::error::Error;

/// Maximum number of columns of a table.
pub const MAX_COLUMNS: usize = 1000;
/// Maximum number of cells of a table, including empty cells and those of blank rows. 100,000 records
/// can have 30 columns.
pub const MAX_CELLS: usize = 3_000_000;
/// Maximum length of a heading in bytes. Each record repeats the headings as keys.
pub const MAX_HEADING_BYTES: usize = 1000;
/// Maximum length of a cell of a spreadsheet file in characters, the limit of spreadsheet programs.
pub const MAX_CELL_CHARACTERS: usize = 32_767;

/// Limits of one table that depend on the settings of the server.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum number of rows below the headings.
    pub max_rows: usize,
    /// Maximum size of the text of all cells in bytes.
    pub max_text_bytes: usize,
}

/// Returns an error about the bytes of a file.
pub(super) fn body_error(message: impl Into<String>) -> Error {
    Error::invalid_field("body", message)
}

/// Returns the error about a file that breaks the rules of its format.
pub(super) fn damaged(detail: impl std::fmt::Display) -> Error {
    body_error(format!("is damaged or not complete: {detail}"))
}

/// Returns the error about a table with too many rows below the headings.
pub(super) fn too_many_rows(max_rows: usize) -> Error {
    Error::invalid_field("data", format!("has more than {max_rows} records"))
}
