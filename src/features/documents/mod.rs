//! Documents: their content, how they are made, read, changed and drawn.
//!
//! Routes: `/create-document`, `/users/{user_id}/documents/{doc}…`. Tables: `document`, `chunk`; the
//! node of a document is `tree`'s. Content is stored and answered as the text that was sent: JSON is
//! parsed to check it and to draw it, never to read or save it.

mod actions;
mod address;
mod csv;
mod download;
pub mod http;
mod json;
mod page;
mod picture;
mod records;
mod shown;
mod rules;
mod store;
mod tasks;
mod view;

pub use actions::copy::copy_into;
pub use actions::create::Creation;
pub use actions::create::Origin;
pub use actions::create::create;
pub use address::endpoint;
pub use shown::Shown;
pub use shown::newest;
pub use shown::show;
pub use store::Head;
pub use tasks::COPY;
pub use tasks::FORGET;
pub use tasks::THUMBNAIL;
pub use tasks::copy_thumbnails;
pub use tasks::forget;
pub use tasks::make_thumbnail;
pub use tasks::remove_thumbnails;
pub use tasks::take_over_thumbnails;
pub use view::DocumentUrls;
pub use view::urls;
