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
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use crate::platform::assets;
use crate::platform::crypto;
use crate::platform::error::Error;
use crate::platform::error::Found;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::Reply;
use crate::platform::http::Route;
use crate::platform::http::encoding::Encoding;
use crate::platform::http::encoding::shrinks;
use crate::platform::text;

/// A file whose address changes with its content: a year, as browsers expect it.
const FOR_EVER: &str = "public, max-age=31536000, immutable";

/// `GET /assets/{*path}`: the static files. With this build's version in front a browser keeps them
/// for ever; with another's, as a page has it that was open before the server changed, they are
/// this build's and are asked for again.
pub fn asset(call: &Call, (): ()) -> Result<Reply> {
    let whole: String = call.param("path")?;
    let (first, rest) = whole.split_once('/').unwrap_or(("", &whole));
    let kept = if first == assets::version() { FOR_EVER } else { "no-cache" };
    let (path, file) = match assets::web(&whole) {
        Some(file) => (whole.as_str(), file),
        None => (rest, assets::web(rest).found("file")?),
    };
    let tag = crypto::tag(&file.bytes);
    let encoding =
        if shrinks(file.content_type) { Encoding::accepted(&call.headers) } else { None };
    let encoded = encoding.and_then(|it| Some((it, assets::encoded(path, it)?)));
    let mut reply = match encoded {
        Some((encoding, bytes)) => Reply::bytes(file.content_type, bytes)
            .tagged(&format!("{tag}{}", encoding.suffix()))?
            .with(CONTENT_ENCODING, encoding.word())?,
        None => Reply::bytes(file.content_type, file.bytes).tagged(&tag)?,
    };
    // It was done here, once for all.
    reply.compress = false;
    reply.with(VARY, "accept-encoding")?.with(CACHE_CONTROL, kept)
}

/// `GET /help/errors/{code}`: what an error's `type` points to.
pub fn error_help(call: &Call, caller: Option<&User>, (): ()) -> Result<Reply> {
    let code: String = call.param("code")?;
    let text = problems::explanation(&code).found("page")?;
    views::reply(&MessagePage {
        who: caller.map_or("", |it| &it.name),
        title: &code,
        text,
        link: "/help/api",
        action: "All calls",
    })
}

/// What `/help/api` lists: every route of the interface, from the route table itself.
pub fn api_groups(routes: &[Route]) -> Vec<Group> {
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
pub fn api(caller: Option<&User>, groups: &[Group]) -> Result<Reply> {
    views::reply(&Api { who: caller.map_or("", |it| &it.name), groups })
}

/// An error as a page, for a browser that asked for one; `None` when the caller wants JSON. Who has
/// to sign in is led there and back.
pub fn error_page(error: &Error, call: &Call) -> Option<Reply> {
    let accepts = call.headers.get(ACCEPT)?.to_str().ok()?;
    if call.path.starts_with("/api/") || !accepts.contains("text/html") {
        return None;
    }
    if let Error::SignIn(_) = error {
        let mut here = call.path.clone();
        if !call.query.is_empty() {
            here = format!("{here}?{}", call.query);
        }
        let next = utf8_percent_encode(&here, NON_ALPHANUMERIC);
        return Reply::see_other(&format!("/sign-in?next={next}")).ok();
    }
    let mut page = views::reply(&ErrorPage {
        title: error.title(),
        text: text::capital(&format!("{error}.")),
        explanation: problems::explanation(error.code()).unwrap_or_default(),
        request_id: call.request_id.clone(),
    })
    .ok()?;
    page.status = StatusCode::from_u16(error.status()).ok()?;
    Some(page)
}
