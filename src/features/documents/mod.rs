//! Documents: their content, how they are made, read, changed and drawn.
//!
//! Routes: `/create-document`, `/users/{user_id}/documents/{doc}…`. Tables: `document`, `chunk`,
//! `version`, `copy`, `download_token`; the node of a document is `tree`'s. Content is stored and
//! answered as the text that was sent: JSON is
//! parsed to check it and to draw it, never to read or save it.

mod actions;
mod address;
mod annotations;
mod csv;
mod download;
mod draft;
mod history;
pub mod http;
mod json;
pub mod lent;
mod page;
mod picture;
mod records;
mod shown;
mod rules;
mod store;
mod tasks;
mod thumbnails;
mod texts;
mod view;

pub use actions::Target;
pub use actions::copy::copy_into;
pub use actions::create::Creation;
pub use actions::create::Origin;
pub use actions::create::create;
pub use actions::entrusted;
pub use actions::save::Replacement;
pub use actions::save::replace;
pub use address::endpoint;
pub use address::view;
pub use download::Format;
pub use draft::Draft;
pub use history::Channel;
pub use history::HISTORY_CHECK;
pub use history::THIN_HISTORY;
pub use history::keep::Prepared;
pub use history::thin_history;
pub use history::thin_history_at;
pub use picture::Inline;
pub use picture::Options;
pub use picture::draw;
pub use records::Records;
pub use shown::Shown;
pub use shown::Whole;
pub use shown::newest;
pub use shown::show;
pub use shown::show_whole;
pub use store::Head;
pub use tasks::FORGET;
pub use tasks::PURGE_TOKENS;
pub use tasks::THUMBNAIL;
pub use tasks::forget;
pub use tasks::make_thumbnail;
pub use tasks::purge_tokens;
pub use tasks::remove_thumbnails;
pub use texts::Texts;
pub use texts::data_texts;
pub use texts::texts;
pub use view::DocumentUrls;
pub use view::urls;
