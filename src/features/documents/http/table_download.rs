//! Handler that loads a table from another server, because the scripts of a page may not.

use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::CONTENT_DISPOSITION;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::table_reader;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::remote::Deadline;
use chartroom_platform::remote::DownloadOwner;
use chartroom_platform::remote::RemoteClient;
use chartroom_platform::remote::RemoteRequest;

/// Maximum time for the whole response of the other server.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Body of `POST /tables/download`.
#[derive(Deserialize, JsonSchema)]
pub struct TableSource {
    /// URL of a file with a table, with `http` or `https`, of at most 4,096 bytes.
    url: String,
}

/// Handles `POST /tables/download`: returns the bytes of the file at a URL, at most as many as a document
/// may have. For a signed-in user. Stores nothing. Only addresses on the public internet are reached,
/// unless the settings `remote_private` and `remote_networks` permit others.
pub fn download(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<TableSource>,
) -> Result<Response> {
    let url = table_reader::parse_table_url(&body.url)?;
    let config = &request.app.config;
    let client = RemoteClient::for_user_urls(config, TIMEOUT)?;
    let _owner = DownloadOwner::begin(&caller.id);
    // Some servers set a cookie and redirect to the same address until they get it.
    let request = RemoteRequest {
        accept_cookies: true,
        ..RemoteRequest::get(url.as_str(), config.max_document_bytes as u64)
    };
    let found = client.send(&request, Deadline::after(TIMEOUT)).map_err(Error::from);
    let found = found.map_err(|error| match error {
        // Nearly always the URL is wrong.
        Error::RemoteRefused(reason) => refuse_source(&reason),
        error => error,
    })?;
    if !(200..300).contains(&found.status) {
        return Err(refuse_source(&format!("its server responded with status {}", found.status)));
    }
    // The page reads the bytes. Nobody may open them as a page of this server.
    Response::bytes("application/octet-stream", Bytes::from_owner(found.body))
        .with_header(CONTENT_DISPOSITION, "attachment")
}

/// Returns the error for a URL that gives no file.
fn refuse_source(reason: &str) -> Error {
    Error::invalid_field("url", format!("cannot be loaded: {reason}"))
}
