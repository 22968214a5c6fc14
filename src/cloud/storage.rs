//! The functions that every provider has.

use chartroom_platform::remote::RemoteBody;

use super::box_storage;
use super::dropbox;
use super::error::CloudResult;
use super::google_drive;
use super::model::Account;
use super::model::Fetched;
use super::model::Folder;
use super::model::Page;
use super::model::StoredFile;
use super::onedrive;
use super::provider::Provider;
use super::session::Session;
use super::smartsheet;

/// Calls a function of the module of the provider.
macro_rules! of_provider {
    ($session:expr, $function:ident($($argument:expr),*)) => {
        match $session.settings.provider {
            Provider::Box => box_storage::$function($session, $($argument),*),
            Provider::Dropbox => dropbox::$function($session, $($argument),*),
            Provider::GoogleDrive => google_drive::$function($session, $($argument),*),
            Provider::OneDrive => onedrive::$function($session, $($argument),*),
            Provider::Smartsheet => smartsheet::$function($session, $($argument),*),
        }
    };
}

/// All functions fail with `Unauthorized` if the token is not valid, and with the other errors of
/// [`super::CloudError`] for the reasons that they state.
impl Session<'_> {
    /// Returns the account of the access token.
    ///
    /// # Errors
    /// See [`super::CloudError`].
    pub fn account(&self) -> CloudResult<Account> {
        of_provider!(self, account())
    }

    /// Returns a folder.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `WrongType` for a file.
    pub fn folder(&self, id: &str) -> CloudResult<Folder> {
        of_provider!(self, folder(id))
    }

    /// Lists a folder, folders first where the provider sorts, from `cursor` on. Entries that are neither
    /// folders nor files are left out.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `CursorExpired` for a cursor that the provider does not know any more.
    pub fn list_folder(&self, id: &str, cursor: Option<&str>) -> CloudResult<Page> {
        of_provider!(self, list_folder(id, cursor))
    }

    /// Creates a folder.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `NameConflict` if the parent has an entry with this name.
    pub fn create_folder(&self, parent_id: &str, name: &str) -> CloudResult<Folder> {
        of_provider!(self, create_folder(parent_id, name))
    }

    /// Deletes a folder with its content, to the trash of the provider if it has one.
    ///
    /// # Errors
    /// See [`super::CloudError`].
    pub fn delete_folder(&self, id: &str) -> CloudResult<()> {
        of_provider!(self, delete_folder(id))
    }

    /// Creates a file.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `NameConflict` if the folder has an entry with this name.
    pub fn create_file(
        &self,
        folder_id: &str,
        name: &str,
        bytes: &[u8],
    ) -> CloudResult<StoredFile> {
        of_provider!(self, create_file(folder_id, name, bytes))
    }

    /// Replaces the content of a file. With `revision`, only if the file still has it.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `RevisionConflict` if the file has another revision.
    pub fn update_file(
        &self,
        id: &str,
        bytes: &[u8],
        revision: Option<&str>,
    ) -> CloudResult<StoredFile> {
        of_provider!(self, update_file(id, bytes, revision))
    }

    /// Returns a file without its content.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `WrongType` for a folder.
    pub fn file(&self, id: &str) -> CloudResult<StoredFile> {
        of_provider!(self, file(id))
    }

    /// Returns a file with its content, which are of the same revision.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `WrongType` for a folder, `TooLarge` beyond `max_bytes`.
    pub fn read_file(&self, id: &str, max_bytes: u64) -> CloudResult<(StoredFile, RemoteBody)> {
        of_provider!(self, read_file(id, max_bytes))
    }

    /// Renames a file. With `revision`, only if the file still has it, where the provider supports this.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `NameConflict` if the folder has an entry with this name, where names are
    /// unique.
    pub fn rename_file(
        &self,
        id: &str,
        name: &str,
        revision: Option<&str>,
    ) -> CloudResult<StoredFile> {
        of_provider!(self, rename_file(id, name, revision))
    }

    /// Downloads a spreadsheet of the account as a source of data, unless it still has the revision
    /// `known`. Native spreadsheets of the provider are converted.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `WrongType` for a folder, `TooLarge` beyond the limit of downloads.
    pub fn fetch_source(&self, id: &str, known: Option<&str>) -> CloudResult<Fetched> {
        of_provider!(self, fetch_source(id, known))
    }

    /// Downloads the spreadsheet of a shared link of this provider with the rights of the account, unless
    /// it still has the revision `known`.
    ///
    /// # Errors
    /// See [`super::CloudError`]; `WrongType` for a link to a folder or to a page without a spreadsheet.
    pub fn fetch_link(&self, link: &str, known: Option<&str>) -> CloudResult<Fetched> {
        of_provider!(self, fetch_link(link, known))
    }
}
