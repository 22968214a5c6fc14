//! Smartsheet (API 2.0).
//!
//! Smartsheet has no files of its own. The folders of this module are workspaces, folders and sheets:
//! - The root contains the workspaces, and workspaces and folders contain folders and sheets. Sheets outside
//!   of workspaces are reachable only by a link.
//! - Workspaces and folders list each sheet twice with the same id: as a folder with the attachments of
//!   the sheet as files, and as a spreadsheet, which is a source of data.
//! - Only sheets contain files. A sheet contains no folders.
//!
//! Ids have a prefix for the kind: `workspace:1`, `folder:2`, `sheet:3`, and `attachment:3/4` for the
//! attachment 4 of the sheet 3.
//!
//! Each version of an attachment has its own id, and each of these ids names the file. A file keeps the id
//! by which the caller knows it, but [`list_folder`] has the id of the newest version. The revision is the
//! id of the newest version.
//!
//! Smartsheet permits equal names and has no conditional requests. This module looks for entries with the
//! same name and for other versions before a change, so that a small race remains for names.
//! [`update_file`] looks again after its change, so that it notices each concurrent update.

mod attachments;
mod folders;
mod ids;
mod links;
mod multipart;
mod responses;
mod rows;

use chartroom_platform::remote::RemoteMethod;
use chartroom_platform::remote::RemoteResponse;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::error::CloudError;
use super::error::CloudResult;
use super::model::Account;
use super::model::Fetched;
use super::session;
use super::session::ApiRequest;
use super::session::Session;

pub(super) use attachments::create_file;
pub(super) use attachments::file;
pub(super) use attachments::read_file;
pub(super) use attachments::rename_file;
pub(super) use attachments::update_file;
pub(super) use folders::create_folder;
pub(super) use folders::delete_folder;
pub(super) use folders::folder;
pub(super) use folders::list_folder;
pub(super) use links::fetch_link;

use ids::Id;

/// The form of an error.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ApiError {
    #[serde(default)]
    error_code: u64,
}

/// The form of the account of the token.
#[derive(Deserialize)]
struct UserProfile {
    id: u64,
    email: String,
}

/// Converts an error of the API. A missing scope has the same code as a missing right.
fn classify(response: &RemoteResponse) -> CloudError {
    let error: Option<ApiError> = serde_json::from_slice(&response.body).ok();
    let code = error.map_or(0, |error| error.error_code);
    match (response.status, code) {
        // Maintenance, timeout, rate limit, and an error after which clients should try again.
        (_, 4001..=4004) | (429 | 503, _) => {
            CloudError::Busy { retry_after: response.retry_after() }
        }
        (401, _) => CloudError::Unauthorized,
        (403, _) => CloudError::Forbidden,
        (404, _) => CloudError::NotFound,
        (413, _) => CloudError::TooLarge,
        (status, 0) => CloudError::rejected(status, ""),
        (status, code) => CloudError::rejected(status, &code.to_string()),
    }
}

/// Converts an error of a request that must not be sent twice, because Smartsheet may have executed it.
fn classify_upload(response: &RemoteResponse) -> CloudError {
    match (classify(response), response.status) {
        (error @ CloudError::Busy { .. }, 429 | 503) => error,
        (CloudError::Busy { .. }, status) => CloudError::rejected(status, "retry"),
        (error, _) => error,
    }
}

/// Returns the URL of a path after the version of the API.
fn url(session: &Session<'_>, path: &str) -> String {
    format!("{}/2.0/{path}", session.settings.api_url)
}

/// Sends a `GET` request for JSON. `path` has no slash at its beginning.
fn get<T: DeserializeOwned>(session: &Session<'_>, path: &str) -> CloudResult<T> {
    let url = url(session, path);
    session::parse_json(&session.send(&ApiRequest::get(&url), classify)?)
}

/// Sends a `DELETE` request.
fn delete(session: &Session<'_>, path: &str) -> CloudResult<()> {
    let url = url(session, path);
    session.send(&ApiRequest::new(RemoteMethod::Delete, &url), classify).map(drop)
}

/// Sends a `POST` request that creates an object.
fn post<T: DeserializeOwned>(
    session: &Session<'_>,
    path: &str,
    content_type: &str,
    body: &[u8],
) -> CloudResult<T> {
    let url = url(session, path);
    let headers = [("Content-Type", content_type)];
    let request = ApiRequest {
        headers: &headers,
        body: Some(body),
        ..ApiRequest::new(RemoteMethod::Post, &url)
    };
    let response = session.send(&request, classify_upload)?;
    let created: responses::Created<T> = session::parse_json(&response)?;
    Ok(created.result)
}

/// Returns the account of the access token.
pub(super) fn account(session: &Session<'_>) -> CloudResult<Account> {
    let user: UserProfile = get(session, "users/me")?;
    Ok(Account { key: user.id.to_string(), address: user.email })
}

/// Returns the rows of a sheet, or the content of an attachment.
pub(super) fn fetch_source(
    session: &Session<'_>,
    id: &str,
    known: Option<&str>,
) -> CloudResult<Fetched> {
    match Id::parse(id)? {
        Id::Sheet(sheet) => rows::fetch_sheet(session, sheet, known),
        Id::Attachment { sheet, attachment } => {
            attachments::fetch_attachment(session, (sheet, attachment), known)
        }
        Id::Root | Id::Workspace(_) | Id::Folder(_) => {
            Err(CloudError::WrongType("a folder is no source of data; choose a sheet"))
        }
    }
}
