//! Smartsheet.

use super::error::CloudError;
use super::error::CloudResult;
use super::model::Account;
use super::model::Fetched;
use super::model::Folder;
use super::model::Page;
use super::model::StoredFile;
use super::session::Session;

/// Not written yet.
const MISSING: CloudError = CloudError::Forbidden;

pub(crate) fn account(_: &Session<'_>) -> CloudResult<Account> {
    Err(MISSING)
}
pub(crate) fn folder(_: &Session<'_>, _: &str) -> CloudResult<Folder> {
    Err(MISSING)
}
pub(crate) fn list_folder(_: &Session<'_>, _: &str, _: Option<&str>) -> CloudResult<Page> {
    Err(MISSING)
}
pub(crate) fn create_folder(_: &Session<'_>, _: &str, _: &str) -> CloudResult<Folder> {
    Err(MISSING)
}
pub(crate) fn delete_folder(_: &Session<'_>, _: &str) -> CloudResult<()> {
    Err(MISSING)
}
pub(crate) fn create_file(_: &Session<'_>, _: &str, _: &str, _: &[u8]) -> CloudResult<StoredFile> {
    Err(MISSING)
}
pub(crate) fn update_file(
    _: &Session<'_>,
    _: &str,
    _: &[u8],
    _: Option<&str>,
) -> CloudResult<StoredFile> {
    Err(MISSING)
}
pub(crate) fn file(_: &Session<'_>, _: &str) -> CloudResult<StoredFile> {
    Err(MISSING)
}
pub(crate) fn read_file(_: &Session<'_>, _: &str, _: u64) -> CloudResult<(StoredFile, Vec<u8>)> {
    Err(MISSING)
}
pub(crate) fn rename_file(
    _: &Session<'_>,
    _: &str,
    _: &str,
    _: Option<&str>,
) -> CloudResult<StoredFile> {
    Err(MISSING)
}
pub(crate) fn fetch_source(_: &Session<'_>, _: &str, _: Option<&str>) -> CloudResult<Fetched> {
    Err(MISSING)
}
pub(crate) fn fetch_link(_: &Session<'_>, _: &str, _: Option<&str>) -> CloudResult<Fetched> {
    Err(MISSING)
}
