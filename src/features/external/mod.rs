//! Documents that users keep at a provider of cloud storage, and the folders that contain them.
//!
//! Routes: `/cloud/{provider}/{connection}/documents…`, `…/folders…`, `…/upload…`,
//! `/cloud-preview/{token}`, `/c/{provider}/{connection}…` and `/create-document`. No tables: the files are
//! at the provider. This server keeps only thumbnails of them, in memory.

pub mod documents;
pub mod export;
pub mod folders;
pub mod page;
pub mod preview;
pub mod upload;
mod cursor;
mod file_names;
mod place;
mod shown_files;
mod stored;
