//! HTTP handlers of documents.
//!
//! `write` creates and changes documents, `read` returns and renders them, `render` renders
//! documents that are not stored, `file_images` those of files at a provider, `history` handles
//! versions, `download_tokens` handles download tokens, `export` returns the records as table files.

pub mod bodies;
mod data_bodies;
pub mod data;
pub mod export;
pub mod file_images;
mod image_request;
mod image_response;
pub mod history;
pub mod read;
pub mod render;
pub mod download_tokens;
pub mod table_download;
pub mod tables;
mod warnings;
pub mod write;

use serde_json::json;

use super::actions::DocumentTarget;
use super::history::Channel;
use crate::app::RequestContext;
use crate::features::access::Caller;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::Request;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::http::endpoint::Operation;

/// Documents that the operation can return 413 although it has no request body, because rendering
/// or comparing can take too much memory. Extracts nothing.
pub struct MayBeTooLarge;

impl FromRequest for MayBeTooLarge {
    /// Extracts nothing and never fails.
    fn from_request(_: &Request) -> Result<Self> {
        Ok(Self)
    }

    /// Adds the response 413 to the description of the operation.
    fn describe(operation: &mut Operation<'_>) {
        operation.value["responses"]["413"] =
            json!({ "$ref": "#/components/responses/Problem413" });
    }
}

/// Returns the document address in the path, with the header `If-Match` and the channel of the
/// request. Does not check whether the document exists or the caller may read it.
pub fn document_target(request: &RequestContext, caller: &Caller) -> Result<DocumentTarget> {
    Ok(DocumentTarget {
        user: request.param("user_id")?,
        id: request.param("doc")?,
        if_match: IfMatch::from_request(request),
        channel: Channel::from_request(request, caller.user.is_some()),
    })
}

/// Parses a flag in the query string: absent, `0` and `false` are false; empty, `1` and `true` are
/// true. Another value is an `InvalidFields` error about `name`.
fn parse_flag(name: &str, value: Option<&str>) -> Result<bool> {
    match value {
        None | Some("0" | "false") => Ok(false),
        Some("" | "1" | "true") => Ok(true),
        Some(_) => Err(Error::invalid_field(name, "must be 1 or 0")),
    }
}
