//! Clients of cloud storage providers: OAuth, folders and files.
//!
//! Each provider has a module with the same functions. [`Session`] calls the one of its provider, so that
//! callers know no provider. Nothing is stored here, and every function ends at a deadline.

mod boundary;
mod box_storage;
mod dropbox;
mod error;
mod google_drive;
mod model;
pub mod oauth;
mod onedrive;
mod provider;
mod session;
mod settings;
mod smartsheet;
mod storage;

pub use error::CloudError;
pub use error::CloudResult;
pub use google_drive::links::find_worksheet_id as find_google_worksheet_id;
pub use model::Account;
pub use model::Entry;
pub use model::EntryKind;
pub use model::Fetched;
pub use model::Folder;
pub use model::Page;
pub use model::ROOT_FOLDER;
pub use model::SourceFile;
pub use model::StoredFile;
pub use provider::Provider;
pub use session::Session;
pub use settings::ProviderSettings;
