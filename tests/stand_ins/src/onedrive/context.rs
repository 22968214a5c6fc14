//! Parts that the hosts share.

use std::sync::Arc;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use super::upload_session::UploadSession;
use crate::State;

/// Id of the drive of the account.
pub const DRIVE: &str = "b!Stand-In_Drive";
/// Id of the drive of somebody else.
pub const SHARED_DRIVE: &str = "b!Shared-Drive";
/// Parent of the nodes in the root folder of [`SHARED_DRIVE`].
pub const SHARED_ROOT: &str = "shared";
/// Media type of a shortcut to a folder or file of another drive.
pub const SHORTCUT: &str = "shortcut";
/// Media type of a notebook, which is neither a folder nor a file.
pub const NOTEBOOK: &str = "oneNote";

/// Seconds for which a download URL is valid.
const DOWNLOAD_LIFETIME: u64 = 300;

/// Behavior of the real service that a test must ask for.
#[derive(Debug, Default)]
pub struct Behavior {
    /// Number of reads of an item after which SharePoint changes its eTag, but not its cTag.
    pub touches: u32,
    /// Number of downloads with a connection that ends after half of the content.
    pub truncated_downloads: u32,
    /// Content that replaces the one of a file directly after its next download.
    pub next_content: Option<Vec<u8>>,
}

/// The behavior of a running stand-in.
pub type SharedBehavior = Arc<Mutex<Behavior>>;

/// Parts that the hosts share.
#[derive(Clone)]
pub(super) struct Context {
    pub(super) state: Arc<Mutex<State>>,
    pub(super) behavior: SharedBehavior,
    pub(super) uploads: Arc<Mutex<Vec<UploadSession>>>,
}

impl Context {
    /// Locks the behavior.
    pub(super) fn behavior(&self) -> MutexGuard<'_, Behavior> {
        self.behavior.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the upload sessions.
    pub(super) fn upload_sessions(&self) -> MutexGuard<'_, Vec<UploadSession>> {
        self.uploads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the download URL of a file.
pub(super) fn download_url(state: &State, id: &str) -> String {
    let expires = state.oauth.clock + DOWNLOAD_LIFETIME;
    let path = "/personal/ann/_layouts/15/download.aspx";
    format!("{}{path}?UniqueId={id}&Translate=false&tempauth={expires}", state.download_url)
}
