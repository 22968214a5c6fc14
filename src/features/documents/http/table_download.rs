//! Handler that loads a table from another server, because the scripts of a page may not.

use std::time::Duration;

use hyper::Uri;
use hyper::body::Bytes;
use hyper::header::CONTENT_DISPOSITION;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::app::RequestContext;
use crate::features::accounts::User;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::remote::DownloadOwner;
use chartroom_platform::remote::MAX_URL_BYTES;
use chartroom_platform::remote::RemoteClient;

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
    let url = parse_url(&body.url)?;
    let config = &request.app.config;
    let client = RemoteClient::for_user_urls(config, TIMEOUT)?;
    let _owner = DownloadOwner::begin(&caller.id);
    let found =
        client.get(&url, config.max_document_bytes as u64).map_err(|error| match error {
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

/// Checks a URL, and returns it without its fragment.
///
/// # Errors
/// `InvalidFields` for `url`.
fn parse_url(text: &str) -> Result<String> {
    let refuse = |message: &str| Error::invalid_field("url", message);
    let text = text.trim();
    if text.len() > MAX_URL_BYTES {
        return Err(refuse("must have at most 4096 bytes"));
    }
    let text = text.split('#').next().unwrap_or_default();
    let uri: Uri = text
        .parse()
        .map_err(|_| refuse("must be an address such as https://example.org/table.csv"))?;
    let is_web = matches!(uri.scheme_str(), Some("http" | "https"));
    let Some(authority) = uri.authority().filter(|_| is_web) else {
        return Err(refuse("must start with http:// or https://"));
    };
    if authority.as_str().contains('@') {
        return Err(refuse("must not contain a user name or a password"));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::parse_url;

    #[test]
    fn only_web_addresses_without_credentials_are_accepted() {
        assert_eq!(parse_url(" https://a.example/b?c=d#e ").unwrap(), "https://a.example/b?c=d");
        for url in [
            "",
            "a.csv",
            "ftp://a.example/",
            "file:///etc/passwd",
            "//a.example/",
            "https://",
            "http://ann:secret@a.example/",
            "http://a example/",
            &format!("http://a.example/{}", "x".repeat(4096)),
        ] {
            assert!(parse_url(url).is_err(), "{url}");
        }
    }
}
