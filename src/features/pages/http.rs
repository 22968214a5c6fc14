//! Handlers of the static files and the help pages, and the page for errors.

use hyper::Method;
use hyper::StatusCode;
use hyper::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, HOST, REFERER, VARY,
};
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::percent_decode_str;
use percent_encoding::utf8_percent_encode;

use super::problems;
use super::templates;
use super::templates::ApiTemplate;
use super::templates::EmbedErrorTemplate;
use super::templates::ErrorTemplate;
use super::templates::LostChart;
use super::templates::RouteGroup;
use super::templates::RouteRow;
use super::web_fonts;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use crate::features::scim;
use chartroom_platform::assets;
use chartroom_platform::assets::WebFile;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::error::SecondFactorError;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::encoding::Encoding;
use chartroom_platform::http::encoding::is_compressible;
use chartroom_platform::language;
use chartroom_platform::messages;

/// `Cache-Control` of a file with a versioned URL. One year is the maximum by convention.
const CACHE_ONE_YEAR: &str = "public, max-age=31536000, immutable";
/// Prefix of the addresses for embedding.
const EMBED_PREFIX: &str = "/embed/";
/// Content security policy of an error in a frame: a style sheet of this server, and frames of all sites.
const EMBED_ERROR_POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors *";

/// Handles `GET /assets/{*path}`: the static files.
///
/// If the path starts with the version of this build, browsers may keep the file permanently. A
/// page that was open during an update asks for the version of the old build. It gets the file of
/// this build, and must revalidate it.
pub fn asset(request: &RequestContext, (): ()) -> Result<Response> {
    let full_path: String = request.param("path")?;
    let (version, rest) = full_path.split_once('/').unwrap_or(("", &full_path));
    let cache_control = if version == assets::version() { CACHE_ONE_YEAR } else { "no-cache" };
    let (path, file) = match find_file(&full_path) {
        Some(file) => (full_path.as_str(), file),
        None => (rest, find_file(rest).or_not_found("file")?),
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

/// Returns a static file or a font by its path below `assets/web`. None if there is no such file.
fn find_file(path: &str) -> Option<WebFile> {
    let font = web_fonts::find_font(path);
    let to_file = |bytes| WebFile { content_type: web_fonts::CONTENT_TYPE, bytes };
    font.map(to_file).or_else(|| assets::web_file(path))
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
        action: language::text("errors.allRoutes"),
    })
}

/// Handles GET of all paths without a page: always `NotFound`. The route exists so that the page of the error
/// shows the account of the caller.
pub fn unknown_page(_: &RequestContext, _: Option<&User>, (): ()) -> Result<Response> {
    Err(Error::NotFound("page"))
}

/// Builds the groups of `/help/api` from the route table, in its order. Leaves out routes without a
/// summary, which are not part of the public API, and routes outside `/api/v1/` and `/sso/`.
///
/// A group has the name of the first path segment. Routes below `users/{user_id}/` are grouped by
/// the segment after it, unless that is a file name, and `create-document` belongs to `documents`.
pub fn group_api_routes<H, C>(routes: &[Route<H, C>]) -> Vec<RouteGroup> {
    let mut groups: Vec<RouteGroup> = Vec::new();
    for route in routes {
        let Some(summary) = route.summary else { continue };
        let path = route.path;
        let rest = path.strip_prefix("/api/v1/").or_else(|| path.strip_prefix("/sso/"));
        let Some(rest) = rest else { continue };
        let name = match rest.split('/').collect::<Vec<_>>().as_slice() {
            ["users", _, second, ..] if !second.contains('.') => (*second).to_owned(),
            ["create-document"] => "documents".to_owned(),
            [first, ..] => (*first).to_owned(),
            [] => continue,
        };
        // Same notation as in the OpenAPI document.
        let row = RouteRow { method: route.method, path: path.replace("{*", "{"), summary };
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
/// sign-in page and from there back, after a form to the page of the form. If a second factor must be
/// set up, redirects to its page. The page of an address for embedding fits a frame, and other sites may
/// show it. Errors of SCIM are plain text for all clients.
pub fn error_page(error: &Error, request: &Request) -> Option<Response> {
    if let Some(response) = scim::error_response(error, request) {
        return Some(response);
    }
    let accepts = request.headers.get(ACCEPT)?.to_str().ok()?;
    if request.path.starts_with("/api/") || !accepts.contains("text/html") {
        return None;
    }
    if request.path.starts_with(EMBED_PREFIX) {
        return render_embed_error(error);
    }
    if let Error::SignInRequired(_) = error {
        let here = find_return_path(request);
        let next = utf8_percent_encode(&here, NON_ALPHANUMERIC);
        return Response::see_other(&format!("/sign-in?next={next}")).ok();
    }
    if let Error::SecondFactor(SecondFactorError::SetupRequired) = error {
        return Response::see_other("/account/security").ok();
    }
    let user = request.user.get();
    let mut page = templates::render_html(&ErrorTemplate {
        user_name: user.map_or("", |user| &user.name),
        lost_chart: user.and_then(|user| find_lost_chart(error, &request.path, &user.id)),
        title: messages::translate(error.title()).into_owned(),
        text: messages::describe_in_sentence(error),
        explanation: problems::find_explanation(error.code()).unwrap_or_default(),
        has_trash_link: user.is_some() && matches!(error.status(), 404 | 410),
        request_id: request.request_id.clone(),
    })
    .ok()?;
    page.status = StatusCode::from_u16(error.status()).ok()?;
    Some(page)
}

/// Returns the chart at the path of a chart page that a user cannot open, because it does not exist or the
/// access has ended. The device may have changes of it that were not saved.
fn find_lost_chart(error: &Error, path: &str, user_id: &str) -> Option<LostChart> {
    let segments: Vec<&str> = path.split('/').collect();
    let decode = |text| percent_decode_str(text).decode_utf8().ok();
    let id = match segments[..] {
        [_, "d", _, id] => decode(id)?.into_owned(),
        [_, "c", _, connection, id] => format!("{}-{}", decode(connection)?, decode(id)?),
        _ => return None,
    };
    matches!(error.status(), 403 | 404 | 410).then(|| LostChart { id, user_id: user_id.to_owned() })
}

/// Renders an error as a small page for frames of other sites, without a link to the sign-in, because browsers
/// show the sign-in page in no frame.
fn render_embed_error(error: &Error) -> Option<Response> {
    let text = match error {
        Error::SignInRequired(_) | Error::NotFound(_) => {
            language::text("errors.noLongerShared").to_owned()
        }
        _ => messages::describe_in_sentence(error),
    };
    let mut page = templates::render_html(&EmbedErrorTemplate { text }).ok()?;
    page.status = StatusCode::from_u16(error.status()).ok()?;
    page.with_header(CONTENT_SECURITY_POLICY, EMBED_ERROR_POLICY).ok()
}
