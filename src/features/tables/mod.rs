//! Columns of tables: their types, and their mapping to the columns of chart kinds.
//!
//! This module only decides. The readers of tables and the conversion of cells to records belong to
//! the feature `documents`. Every decision depends on nothing but the table and the chart kind.

mod boolean_text;
mod column_match;
mod column_profile;
mod column_properties;
mod comparable_columns;
mod coordinates;
mod date_order_source;
mod fit;
mod fit_facts;
mod fit_reasons;
mod heading;
mod heading_words;
mod inference;
mod layout;
mod long_table;
mod mapping;
mod period;
mod period_rows;
mod profile;
mod record_layout;
mod record_rows;
mod share_columns;
mod text_roles;
mod time_order;
mod total_finder;
mod trailing_rows;
mod unit_count;
mod word_match;

pub use boolean_text::parse_boolean;
pub use column_match::LeftOverReason;
pub use column_match::MappedColumn;
pub use column_match::MatchReason;
pub use column_profile::CellProblem;
pub use column_profile::ColumnProfile;
pub use column_profile::ColumnType as TableColumnType;
pub use column_profile::OTHER_UNIT_MESSAGE;
pub use column_properties::keeps_own_units;
pub use coordinates::settle_coordinates;
pub use date_order_source::DateOrderSource;
pub use fit::KindFit;
pub use fit::rank_kinds;
pub use heading::is_unit_heading;
pub use heading::scale_in_brackets;
pub use long_table::RowNames;
pub use mapping::KeptColumn;
pub use mapping::TableMapping;
pub use mapping::map_table;
pub use mapping::map_table_again;
pub use period::is_period;
pub use profile::CellType;
pub use profile::ColumnProfiler;
pub use record_layout::RecordLayout;
pub use record_rows::RecordRows;
pub use time_order::falls as falls_in_time;
pub use total_finder::TotalFinder;
pub use total_finder::may_name_result;
pub use total_finder::may_name_total;
pub use trailing_rows::MAX_TRAILING_ROWS;
pub use trailing_rows::RowNote;
pub use trailing_rows::TrailingRow;
pub use trailing_rows::count_notes;
pub use trailing_rows::is_note_text;
pub use trailing_rows::is_total;
