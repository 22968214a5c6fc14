//! Options of reading a table of texts.

use super::heading_row::HeadingRow;
use chartroom_charts::number_text::DecimalSeparator;

/// Options of reading a table of texts, such as CSV.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct TextOptions {
    /// Decimal separator in the language of the document, if no cell tells it. If None, dates, the
    /// format or the language of the caller decide.
    pub separator: Option<DecimalSeparator>,
    /// Decimal separator that an earlier file of the same source needed. It decides before everything but the cells
    /// that need one.
    pub known_separator: Option<DecimalSeparator>,
    /// Decimal separator in the language of the caller.
    pub caller_separator: Option<DecimalSeparator>,
    pub heading_row: HeadingRow,
    /// Separator of the cells that the first line of the text names.
    pub delimiter: Option<u8>,
    /// Whether the media type says that tabs separate the cells.
    pub is_tab_separated: bool,
}
