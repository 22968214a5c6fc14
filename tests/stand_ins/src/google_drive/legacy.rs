//! The routes of version 2 of the API, which has conditional requests.

use super::RouteResult;
use super::errors;
use super::nodes;
use super::respond_selected;
use crate::State;
use crate::http::Request;
use crate::http::Response;

/// Returns a file.
///
/// # Errors
/// 404 if it is not visible, 400 for an invalid selection.
pub(super) fn get(state: &State, request: &Request, id: &str) -> RouteResult {
    respond(state, request, id)
}

/// Replaces the content of a file if the entity tag in `If-Match` is the current one.
///
/// # Errors
/// 404 if it is not visible, 412 for another entity tag, 403 for a file without content.
pub(super) fn update_content(
    state: &mut State,
    request: &Request,
    id: &str,
    content: &[u8],
    media_type: &str,
) -> RouteResult {
    let node = nodes::find(state, request, id)?;
    let tag = nodes::entity_tag(node);
    if request.header("if-match").is_some_and(|wanted| wanted != "*" && wanted != tag) {
        return Err(errors::precondition_failed());
    }
    if nodes::is_native(node) {
        let text = "Content of this type cannot be replaced here.";
        return Err(errors::forbidden("fileNotUploadable", text));
    }
    state.tree.set_content(id, content);
    if let Some(node) = state.tree.find_mut(id) {
        node.media_type = media_type.to_owned();
    }
    respond(state, request, id)
}

/// Returns a response with a file and its entity tag.
///
/// # Errors
/// 404 if it is not visible, 400 for an invalid selection.
fn respond(state: &State, request: &Request, id: &str) -> RouteResult {
    let node = nodes::find(state, request, id)?;
    let file = nodes::legacy_file(state, node);
    let response: Response = respond_selected(&file, request.parameter("fields").unwrap_or("*"))?;
    Ok(response.with("ETag", &nodes::entity_tag(node)))
}
