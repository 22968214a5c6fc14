//! Handlers of the static files and the help pages, and the page for errors.

use hyper::Method;
use hyper::StatusCode;
use hyper::header::{ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, HOST, REFERER, VARY};
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::problems;
use super::templates;
use super::templates::ApiTemplate;
use super::templates::ErrorTemplate;
use super::templates::RouteGroup;
use super::templates::RouteRow;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::encoding::Encoding;
use chartroom_platform::http::encoding::is_compressible;
use chartroom_platform::text;

/// `Cache-Control` of a file with a versioned URL. One year is the maximum by convention.
const CACHE_ONE_YEAR: &str = "public, max-age=31536000, immutable";

/// Handles `GET /assets/{*path}`: the static files.
///
/// If the path starts with the version of this build, browsers may keep the file permanently. A
/// page that was open during an update asks for the version of the old build. It gets the file of
/// this build, and must revalidate it.
pub fn asset(request: &RequestContext, (): ()) -> Result<Response> {
    let full_path: String = request.param("path")?;
    let (version, rest) = full_path.split_once('/').unwrap_or(("", &full_path));
    let cache_control = if version == assets::version() { CACHE_ONE_YEAR } else { "no-cache" };
    let (path, file) = match assets::web_file(&full_path) {
        Some(file) => (full_path.as_str(), file),
        None => (rest, assets::web_file(rest).or_not_found("file")?),
    };
    let tag = crypto::content_hash_tag(&file.bytes);
    let encoding = if is_compressible(file.content_type) {
        Encoding::negotiate(&request.headers)
    } else {
        None
    };
    let encoded = encoding
        .and_then(|encoding| Some((encoding, assets::compressed_web_file(path, encoding)?)));
    let mut response = match encoded {
        Some((encoding, bytes)) => Response::bytes(file.content_type, bytes)
            .with_etag(&format!("{tag}{}", encoding.etag_suffix()))?
            .with_header(CONTENT_ENCODING, encoding.name())?,
        None => Response::bytes(file.content_type, file.bytes).with_etag(&tag)?,
    };
    // The embedded file is already compressed.
    response.compress = false;
    response.with_header(VARY, "accept-encoding")?.with_header(CACHE_CONTROL, cache_control)
}

/// Handles `GET /help/errors/{code}`, the target of the `type` of an error. `NotFound` for an
/// unknown code.
pub fn error_help(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let code: String = request.param("code")?;
    let text = problems::find_explanation(&code).or_not_found("page")?;
    templates::render_html(&MessagePage {
        user_name: caller.map_or("", |user| &user.name),
        title: &code,
        text,
        link: "/help/api",
        action: "All API routes",
    })
}

/// Builds the groups of `/help/api` from the route table, in its order. Leaves out routes without a
/// summary, which are not part of the public API, and routes outside `/api/v1/`.
///
/// A group has the name of the first path segment. Routes below `users/{user_id}/` are grouped by
/// the segment after it, unless that is a file name, and `create-document` belongs to `documents`.
pub fn group_api_routes<H, C>(routes: &[Route<H, C>]) -> Vec<RouteGroup> {
    let mut groups: Vec<RouteGroup> = Vec::new();
    for route in routes {
        let Some(summary) = route.summary else { continue };
        let Some(rest) = route.path.strip_prefix("/api/v1/") else { continue };
        let name = match rest.split('/').collect::<Vec<_>>().as_slice() {
            ["users", _, second, ..] if !second.contains('.') => (*second).to_owned(),
            ["create-document"] => "documents".to_owned(),
            [first, ..] => (*first).to_owned(),
            [] => continue,
        };
        // Same notation as in the OpenAPI document.
        let row = RouteRow { method: route.method, path: route.path.replace("{*", "{"), summary };
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.rows.push(row),
            None => groups.push(RouteGroup { name, rows: vec![row] }),
        }
    }
    groups
}

/// Handles `GET /help/api`: lists the API routes.
pub fn api(caller: Option<&User>, groups: &[RouteGroup]) -> Result<Response> {
    templates::render_html(&ApiTemplate { user_name: caller.map_or("", |user| &user.name), groups })
}

/// Returns the path and the query to show after the sign-in: those of the request, or for a submitted
/// form those of its page, because many forms are sent to a path without a page. This is `/` if the
/// request does not name a page of this server.
fn find_return_path(request: &Request) -> String {
    if matches!(request.method, Method::GET | Method::HEAD) {
        let separator = if request.query.is_empty() { "" } else { "?" };
        return format!("{}{separator}{}", request.path, request.query);
    }
    let page = find_referring_path(request.header(&REFERER), request.header(&HOST));
    page.unwrap_or("/").to_owned()
}

/// Returns the path and the query of a `Referer` on the host of the request. None for another host.
fn find_referring_path<'a>(referer: Option<&'a str>, host: Option<&str>) -> Option<&'a str> {
    let (_, rest) = referer?.split_once("://")?;
    let (authority, _) = rest.split_once('/')?;
    authority.eq_ignore_ascii_case(host?).then(|| &rest[authority.len()..])
}

/// Renders an error as a page for a browser. Returns None if the path is below `/api/`, the client
/// does not accept HTML, or the page cannot be rendered. If sign-in is required, redirects to the
/// sign-in page and from there back, after a form to the page of the form.
pub fn error_page(error: &Error, request: &Request) -> Option<Response> {
    let accepts = request.headers.get(ACCEPT)?.to_str().ok()?;
    if request.path.starts_with("/api/") || !accepts.contains("text/html") {
        return None;
    }
    if let Error::SignInRequired(_) = error {
        let here = find_return_path(request);
        let next = utf8_percent_encode(&here, NON_ALPHANUMERIC);
        return Response::see_other(&format!("/sign-in?next={next}")).ok();
    }
    let mut page = templates::render_html(&ErrorTemplate {
        title: error.title(),
        text: text::capitalize_first(&format!("{error}.")),
        explanation: problems::find_explanation(error.code()).unwrap_or_default(),
        request_id: request.request_id.clone(),
    })
    .ok()?;
    page.status = StatusCode::from_u16(error.status()).ok()?;
    Some(page)
}
