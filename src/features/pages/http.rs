//! The pages' handlers: each reads through the doors of the features and fills a template.

use hyper::StatusCode;
use hyper::header::{ACCEPT, CACHE_CONTROL, CONTENT_ENCODING, VARY};
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use super::problems;
use super::views;
use super::views::Api;
use super::views::ErrorPage;
use super::views::Group;
use super::views::Row;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::Request;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::encoding::Encoding;
use chartroom_platform::http::encoding::shrinks;
use chartroom_platform::text;

/// A file whose address changes with its content: a year, as browsers expect it.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// `GET /assets/{*path}`: the static files. With this build's version in front a browser keeps them
/// for ever; with another's, as a page has it that was open before the server changed, they are
/// this build's and are asked for again.
pub fn asset(request: &RequestContext, (): ()) -> Result<Response> {
    let whole: String = request.param("path")?;
    let (first, rest) = whole.split_once('/').unwrap_or(("", &whole));
    let kept = if first == assets::version() { FOR_EVER } else { "no-cache" };
    let (path, file) = match assets::web(&whole) {
        Some(file) => (whole.as_str(), file),
        None => (rest, assets::web(rest).found("file")?),
    };
    let tag = crypto::tag(&file.bytes);
    let encoding =
        if shrinks(file.content_type) { Encoding::accepted(&request.headers) } else { None };
    let encoded = encoding.and_then(|it| Some((it, assets::encoded(path, it)?)));
    let mut response = match encoded {
        Some((encoding, bytes)) => Response::bytes(file.content_type, bytes)
            .tagged(&format!("{tag}{}", encoding.suffix()))?
            .with(CONTENT_ENCODING, encoding.word())?,
        None => Response::bytes(file.content_type, file.bytes).tagged(&tag)?,
    };
    // It was done here, once for all.
    response.compress = false;
    response.with(VARY, "accept-encoding")?.with(CACHE_CONTROL, kept)
}

/// `GET /help/errors/{code}`: what an error's `type` points to.
pub fn error_help(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let code: String = request.param("code")?;
    let text = problems::explanation(&code).found("page")?;
    views::response(&MessagePage {
        who: caller.map_or("", |it| &it.name),
        title: &code,
        text,
        link: "/help/api",
        action: "All calls",
    })
}

/// What `/help/api` lists: every route of the interface, from the route table itself.
pub fn api_groups<H>(routes: &[Route<H>]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for route in routes {
        let Some(summary) = route.summary else { continue };
        let Some(rest) = route.path.strip_prefix("/api/v1/") else { continue };
        let name = match rest.split('/').collect::<Vec<_>>().as_slice() {
            ["users", _, second, ..] if !second.contains('.') => (*second).to_owned(),
            ["create-document"] => "documents".to_owned(),
            [first, ..] => (*first).to_owned(),
            [] => continue,
        };
        // As the OpenAPI document spells it.
        let row = Row { method: route.method, path: route.path.replace("{*", "{"), summary };
        match groups.iter_mut().find(|it| it.name == name) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { name, rows: vec![row] }),
        }
    }
    groups
}

/// `GET /help/api`.
pub fn api(caller: Option<&User>, groups: &[Group]) -> Result<Response> {
    views::response(&Api { who: caller.map_or("", |it| &it.name), groups })
}

/// An error as a page, for a browser that asked for one; `None` when the caller wants JSON. Who has
/// to sign in is led there and back.
pub fn error_page(error: &Error, request: &Request) -> Option<Response> {
    let accepts = request.headers.get(ACCEPT)?.to_str().ok()?;
    if request.path.starts_with("/api/") || !accepts.contains("text/html") {
        return None;
    }
    if let Error::SignIn(_) = error {
        let mut here = request.path.clone();
        if !request.query.is_empty() {
            here = format!("{here}?{}", request.query);
        }
        let next = utf8_percent_encode(&here, NON_ALPHANUMERIC);
        return Response::see_other(&format!("/sign-in?next={next}")).ok();
    }
    let mut page = views::response(&ErrorPage {
        title: error.title(),
        text: text::capital(&format!("{error}.")),
        explanation: problems::explanation(error.code()).unwrap_or_default(),
        request_id: request.request_id.clone(),
    })
    .ok()?;
    page.status = StatusCode::from_u16(error.status()).ok()?;
    Some(page)
}
