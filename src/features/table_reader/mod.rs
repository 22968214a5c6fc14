//! The table reader: CSV and other separated text, HTML, JSON and the files of
//! spreadsheet programs.
//!
//! Pure functions from bytes to a [`Table`] for charts, or to each [`Worksheet`] as a spreadsheet
//! program shows it, without network and database. Every format is read as a stream into one compact
//! form, and each source of memory has a limit, because a file of some kilobytes may describe
//! terabytes. The format follows from the content, never from a file name.

mod budget;
mod cell_findings;
mod cell_grid;
mod cell_sink;
mod column_checks;
mod column_content;
mod compound_file;
mod csv_headings;
mod csv_rewrite;
mod csv_rows;
mod currency_format;
mod date_format;
#[cfg(test)]
mod decimal_tests;
mod declared_type;
mod finding_messages;
mod flags;
mod grid_headings;
mod heading_row;
mod headings;
mod html_table;
mod json_table;
mod layout;
mod limits;
mod number_dates;
mod number_format;
mod ods;
mod ods_formats;
mod read;
mod relations;
mod report;
mod row_rules;
mod serial_date;
mod shared_strings;
mod sheet_cells;
mod sheet_list;
mod side_tables;
mod spreadsheet;
mod table;
mod table_url;
mod text_encoding;
mod text_numbers;
mod text_options;
mod title;
mod workbook;
mod worksheet;
mod worksheet_cells;
mod worksheets;
mod xls;
mod xls_records;
mod xlsb;
mod xlsx;
mod xml_reader;
mod zip_archive;

pub use budget::BudgetedTable;
pub use budget::BudgetedWorksheets;
pub use budget::read_within_budget;
pub use budget::read_workbook_within_budget;
pub use budget::read_worksheets_within_budget;
pub use cell_grid::Cell;
pub use cell_grid::CellKind;
pub use column_content::CellContent;
pub use column_content::ContentCheck;
pub use column_content::push_cell;
pub use column_content::text_in_notation;
pub use currency_format::CurrencyFormat;
pub use declared_type::DeclaredType;
pub use heading_row::HeadingRow;
pub use html_table::is_saved_table;
pub use json_table::rows_of_records;
pub use json_table::without_byte_order_mark;
pub use limits::Limits;
pub use limits::MAX_HEADING_BYTES;
pub use limits::MAX_READ_TIME;
pub use limits::ReadDeadline;
pub use read::ReadOptions;
pub use read::TABLE_TYPES;
pub use read::is_spreadsheet;
pub use read::is_table;
pub use read::read;
pub use read::require_no_sheet;
pub use report::TableFormat;
pub use report::TableProblem;
pub use report::TableReport;
pub use sheet_list::KnownSheet;
pub use sheet_list::SheetChoice;
pub use table::Table;
pub use table::TableRow;
pub use table::TableRows;
pub use table_url::parse_table_url;
pub use worksheet::DateCell;
pub use worksheet::DateKind;
pub use worksheet::SheetName;
pub use worksheet::Workbook;
pub use worksheet::Worksheet;
pub use worksheet::WorksheetCell;
pub use worksheets::SheetSelection;
pub use worksheets::read_workbook;
pub use worksheets::read_worksheet;
pub use worksheets::read_worksheets;
