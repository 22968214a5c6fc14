//! Documents: create, read, change, render, and their version history.
//!
//! Routes: `/create-document`, `/users/{user_id}/documents/{doc}…`. Tables: `document`, `chunk`,
//! `version`, `copy`, `download_token`. The row in `node` belongs to the feature `tree`.
//!
//! Content is stored and returned as the JSON text that clients sent. The server parses it only for
//! validation and rendering.

mod actions;
mod annotations;
mod axis_choice;
mod background;
mod column_problems;
mod column_titles;
mod column_units;
pub mod content_memory;
mod data_export;
mod document_file;
mod document_locale;
mod document_theme;
mod download_token;
mod draft;
mod grouped_records;
mod history;
pub mod http;
mod image;
mod json;
mod kind_image;
mod mapped_settings;
mod mapping_view;
mod open_records;
mod page;
mod record_columns;
mod record_encoder;
mod record_keys;
mod records;
mod render_memory;
mod render_options;
mod row_totals;
mod rule_sets;
mod rules;
pub mod screen_render;
mod search_text;
mod storage_check;
mod store;
mod summary;
#[cfg(test)]
mod table_column_tests;
#[cfg(test)]
mod table_fit_tests;
#[cfg(test)]
mod table_suggestion_tests;
#[cfg(test)]
mod table_tests;
#[cfg(test)]
mod table_unit_tests;
mod synced_table;
mod table_draft;
mod table_profiles;
mod table_records;
mod table_texts;
mod tasks;
mod thumbnail_queue;
mod thumbnails;
mod urls;

pub use actions::DocumentTarget;
pub use actions::copy::CopiedDocument;
pub use actions::copy::CopyAuthor;
pub use actions::copy::copy_document_to;
pub use actions::create::InitialContent;
pub use actions::create::NewDocument;
pub use actions::create::create_document;
pub use actions::find_shared;
pub use actions::images::check_draft;
pub use actions::images::render_draft_inline;
pub use actions::save::DocumentReplacement;
pub use actions::save::replace_document;
pub use actions::view::DocumentUrls;
pub use actions::view::document_urls;
pub use column_problems::ColumnProblem;
pub use column_problems::report_for_kind;
pub use document_file::DocumentFile;
pub use document_file::FileChanges;
pub use download_token::OutputFormat;
pub use draft::Draft;
pub use history::Channel;
pub use history::HISTORY_CHECK;
pub use history::thin_history_at;
pub use history::writer::Precompression;
pub use http::MayBeTooLarge;
pub use http::bodies::CreateBody;
pub use http::export::TableFileFormat;
pub use http::export::table_file_response;
pub use http::file_images::FileRevision;
pub use http::file_images::file_thumbnail;
pub use http::file_images::render_file_response;
pub use http::write::Created;
pub use http::write::create as create_on_request;
pub use image::InlineChart;
pub use image::RenderInput;
pub use image::find_fitting_height;
pub use image::render_document;
pub use kind_image::find_kind_image;
pub use kind_image::kind_image_key;
pub use kind_image::render_kind_image;
pub use mapping_view::MappingView;
pub use records::RecordLimits;
pub use records::Records;
pub use render_options::RenderOptions;
pub use search_text::SearchTexts;
pub use search_text::load_data_search_text;
pub use search_text::load_search_texts;
pub use storage_check::STORAGE_CHECK;
pub use storage_check::repair_sizes;
pub use store::Document;
pub use store::document_order::DocumentOrder;
pub use store::document_order::SORT_VALUES;
pub use store::used_parameters;
pub use summary::DocumentDetails;
pub use summary::DocumentSummary;
pub use summary::list_owned;
pub use summary::list_recent;
pub use summary::load_details;
pub use summary::load_summary;
pub use synced_table::SyncedTable;
pub use synced_table::check_synced_table;
pub use synced_table::find_changeable_document;
pub use synced_table::find_synced_document;
pub use synced_table::map_synced_table;
pub use synced_table::read_synced_table;
pub use synced_table::save_synced_table;
pub use table_draft::TableChart;
pub use table_draft::TableDraft;
pub use tasks::PURGE_TOKENS;
pub use tasks::THIN_HISTORY;
pub use tasks::purge_tokens;
pub use tasks::remove_thumbnails;
pub use tasks::render_thumbnail;
pub use tasks::thin_history;
pub use thumbnail_queue::REMOVE_THUMBNAILS;
pub use thumbnail_queue::RENDER_THUMBNAIL;
pub use thumbnail_queue::enqueue_thumbnail_removal;
pub use urls::endpoint_url;
pub use urls::page_url;
