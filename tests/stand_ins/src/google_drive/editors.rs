//! The host of Google's editors, which exports spreadsheets and single worksheets.

use super::nodes;
use crate::State;
use crate::http::Request;
use crate::http::Response;

/// Handles `GET /spreadsheets/d/{id}/export`: redirects to the host of the downloads. A request without a
/// valid token gets the page for signing in.
pub(super) fn export(state: &mut State, request: &Request) -> Response {
    if let Some(fault) = state.begin(request) {
        return fault;
    }
    let segments = request.segments();
    let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
    let ("GET", ["spreadsheets", "d", id, "export"]) = (request.method.as_str(), &*segments) else {
        return Response::text(404, "<!DOCTYPE html><title>Page not found</title>");
    };
    let token = request.bearer().unwrap_or_default();
    if state.oauth.find_access(token).is_none() {
        let page = "<!DOCTYPE html><title>Sign in</title>";
        return Response::text(200, page).with("Content-Type", "text/html");
    }
    if nodes::find(state, request, id).is_err() {
        return Response::text(404, "<!DOCTYPE html><title>Page not found</title>");
    }
    let gid = request.parameter("gid").unwrap_or_default();
    let has_content = match request.parameter("format") {
        Some("csv") => state.worksheets.contains_key(&((*id).to_owned(), gid.to_owned())),
        Some("xlsx") => gid.is_empty(),
        _ => false,
    };
    match has_content {
        true => Response::redirect(&format!("{}/export/{id}/{gid}", state.download_url)),
        false => {
            Response::text(400, "<!DOCTYPE html><title>Sorry, unable to open the file</title>")
        }
    }
}

/// Handles the host of the downloads, where the URL has the credentials.
pub(super) fn download(state: &mut State, request: &Request) -> Response {
    state.note(request);
    if state.refuses_token(request) {
        return Response::text(400, "no token belongs here");
    }
    let segments = request.segments();
    let (Some(id), Some(gid)) = (segments.get(1), segments.get(2)) else {
        return Response::text(404, "not found");
    };
    let content = match gid.as_str() {
        "" => state.tree.find(id).and_then(|node| node.content.as_ref()),
        gid => state.worksheets.get(&(id.clone(), gid.to_owned())),
    };
    match content {
        Some(content) => Response::file(content.clone()),
        None => Response::text(404, "not found"),
    }
}
