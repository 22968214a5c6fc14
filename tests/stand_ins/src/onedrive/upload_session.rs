//! Upload sessions: contents in several requests to a URL with its own credentials.

use serde_json::json;

use super::context::Context;
use super::error::error;
use super::error::invalid;
use super::error::name_conflict;
use super::error::not_found;
use super::items;
use crate::State;
use crate::http::Request;
use crate::http::Response;

/// Path of the upload URLs.
const PATH: &str = "/personal/ann/_api/upload/";

/// A file that is being uploaded.
#[derive(Debug)]
pub struct UploadSession {
    /// Key of the folder.
    parent: String,
    name: String,
    /// Bytes that have arrived.
    content: Vec<u8>,
}

/// Creates a session for a file in a folder. An existing file is replaced unless the request says otherwise.
pub(super) fn create(
    context: &Context,
    state: &State,
    request: &Request,
    (parent, name): (&str, &str),
) -> Response {
    if !items::is_valid_name(name) {
        return invalid("The provided name cannot contain some of its characters.");
    }
    let behavior = &request.json()["item"][items::CONFLICT_BEHAVIOR];
    if *behavior == "fail" && state.tree.find_child(parent, name).is_some() {
        return name_conflict();
    }
    let mut sessions = context.upload_sessions();
    sessions.push(UploadSession {
        parent: parent.to_owned(),
        name: name.to_owned(),
        content: Vec::new(),
    });
    let number = sessions.len() - 1;
    let body = json!({
        "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#microsoft.graph.uploadSession",
        "expirationDateTime": "2026-01-03T03:04:05Z",
        "nextExpectedRanges": ["0-"],
        "uploadUrl": format!("{}{PATH}{number}", state.download_url),
    });
    Response::json(200, &body)
}

/// Handles a request to an upload URL. None for other URLs.
pub(super) fn receive(context: &Context, state: &mut State, request: &Request) -> Option<Response> {
    let number: usize = request.path.strip_prefix(PATH)?.parse().ok()?;
    let mut sessions = context.upload_sessions();
    let Some(session) = sessions.get_mut(number).filter(|_| request.method == "PUT") else {
        return Some(not_found());
    };
    let range = request.header("content-range").and_then(parse_range);
    let Some((start, end, total)) = range.filter(|_| !request.body.is_empty()) else {
        return Some(invalid("The Content-Range header is missing or malformed."));
    };
    if start != session.content.len() || end + 1 - start != request.body.len() || end >= total {
        let text = "The uploaded fragment does not follow the ones before.";
        return Some(error(416, "invalidRange", text));
    }
    session.content.extend_from_slice(&request.body);
    if end + 1 < total {
        let body = json!({
            "expirationDateTime": "2026-01-03T03:04:05Z",
            "nextExpectedRanges": [format!("{}-", end + 1)],
        });
        return Some(Response::json(202, &body));
    }
    let known = state.tree.find_child(&session.parent, &session.name).map(|node| node.id.clone());
    Some(match known {
        Some(id) => {
            state.tree.set_content(&id, &session.content);
            items::answer(state, 200, &id)
        }
        None => {
            let id = state.tree.add_file(&session.parent, &session.name, &session.content);
            items::answer(state, 201, &id)
        }
    })
}

/// Parses `bytes START-END/TOTAL`.
fn parse_range(text: &str) -> Option<(usize, usize, usize)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (start, end) = range.split_once('-')?;
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (start <= end).then_some((start, end, total.parse().ok()?))
}
