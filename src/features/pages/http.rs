//! The pages' handlers: each reads through the doors of the features and fills a template.

use hyper::HeaderMap;
use hyper::StatusCode;
use hyper::header::ACCEPT;
use hyper::header::CACHE_CONTROL;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::problems;
use super::views;
use super::views::Api;
use super::views::ChartPage;
use super::views::FolderPage;
use super::views::Group;
use super::views::Library;
use super::views::Message;
use super::views::Row;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::listing;
use crate::features::listing::Card;
use crate::features::listing::Wish;
use crate::features::listing::shown_title;
use crate::features::tree;
use crate::features::tree::FolderPath;
use crate::platform::assets;
use crate::platform::crypto;
use crate::platform::error::Error;
use crate::platform::error::Found;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::Page;
use crate::platform::http::Query;
use crate::platform::http::Reply;
use crate::platform::http::Route;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;

/// Charts on one page of the library.
const PAGE_SIZE: u64 = 48;

/// Which part of the library to show.
#[derive(Deserialize, JsonSchema)]
pub struct Paging {
    /// How many charts to skip.
    #[serde(default)]
    offset: u64,
}

/// `GET /`: one's charts as pictures; without a caller the sign-in page.
pub fn library(call: &Call, caller: Option<&User>, query: Query<Paging>) -> Result<Reply> {
    let Some(caller) = caller else { return Reply::see_other("/sign-in") };
    let offset = query.0.offset;
    let (count, newest) =
        call.app.db.read(|tx| documents::newest(tx, &caller.id, offset, PAGE_SIZE))?;
    let at = |offset: u64| format!("/?offset={offset}");
    let cards = newest
        .into_iter()
        .map(|it| Card {
            title: shown_title(&it.title).to_owned(),
            view: format!("/d/{}/{}", it.owner, it.id),
            picture: format!(
                "/api/v1/users/{}/documents/{}/thumbnail.png?v={}",
                it.owner, it.id, it.revision
            ),
            note: format!("{} · {}", it.kind, it.folder),
        })
        .collect();
    views::reply(&Library {
        who: caller.name.clone(),
        folders: tree::folder_view("", &caller.id, &FolderPath::default()),
        count,
        cards,
        newer: if offset > 0 { at(offset.saturating_sub(PAGE_SIZE)) } else { String::new() },
        older: if offset + PAGE_SIZE < count { at(offset + PAGE_SIZE) } else { String::new() },
    })
}

/// `GET /f/{owner}`: what is at the top of an account, as pictures.
pub fn root(call: &Call, caller: &User, Query(paging): Query<Paging>) -> Result<Reply> {
    folder_page(call, caller, FolderPath::default(), paging.offset)
}

/// `GET /f/{owner}/{*path}`: what is in a folder, as pictures.
pub fn folder(call: &Call, caller: &User, Query(paging): Query<Paging>) -> Result<Reply> {
    let path: String = call.param("path")?;
    // What cannot be a path is no folder's.
    let path = FolderPath::parse(&format!("/{path}")).map_err(|_| Error::NotFound("folder"))?;
    folder_page(call, caller, path, paging.offset)
}

fn folder_page(call: &Call, caller: &User, path: FolderPath, offset: u64) -> Result<Reply> {
    let owner: AccountId = call.param("owner")?;
    let page = Page {
        offset: u32::try_from(offset).unwrap_or(u32::MAX),
        limit: u32::try_from(PAGE_SIZE).unwrap_or(u32::MAX),
    };
    let wish = Wish { user: owner.to_string(), path, matching: String::new(), page };
    // Addresses without the server's name: those of this page.
    let listing = call.app.db.read(|tx| listing::list(tx, "", &Caller::from(caller), &wish))?;
    let (previous, next) = page.neighbours(listing.count);
    let view = |path: &FolderPath| tree::folder_view("", &owner, path);
    let named = |path: &FolderPath| match path.title() {
        "" => "All charts and folders".to_owned(),
        title => title.to_owned(),
    };
    let (here, above) = (view(&wish.path), wish.path.parent());
    let at = |page: Page| format!("{here}?offset={}", page.offset);
    views::reply(&FolderPage {
        who: caller.name.clone(),
        title: named(&wish.path),
        count: listing.count,
        cards: listing.results.iter().map(|it| Card::of(it, it.urls.view.clone(), "")).collect(),
        up: above.as_ref().map(view).unwrap_or_default(),
        above: above.as_ref().map(named).unwrap_or_default(),
        previous: previous.map(at).unwrap_or_default(),
        next: next.map(at).unwrap_or_default(),
    })
}

/// `GET /d/{owner}/{doc}`: one chart with its downloads.
pub fn chart(call: &Call, caller: &Caller, (): ()) -> Result<Reply> {
    let id: NodeId = call.param("doc")?;
    let owner: String = call.param("owner")?;
    let shown = call.app.db.read(|tx| documents::show(tx, caller, &owner, &id))?;
    views::reply(&ChartPage {
        who: caller.user.as_ref().map(|it| it.name.clone()).unwrap_or_default(),
        id: id.to_string(),
        title: shown_title(&shown.title).to_owned(),
        kind: shown.kind,
        endpoint: format!("/api/v1/users/{}/documents/{id}", shown.owner),
        owner_name: shown.owner_name,
        folder: shown.folder,
        updated: shown.updated.to_string(),
        width: shown.size.0,
        height: shown.size.1,
    })
}

/// `GET /assets/{*path}`: the static files, with an entity tag.
pub fn asset(call: &Call, (): ()) -> Result<Reply> {
    let path: String = call.param("path")?;
    let (content_type, bytes): (&'static str, &'static [u8]) = match path.as_str() {
        "fonts/noto-sans-regular.ttf" => ("font/ttf", notosans::REGULAR_TTF),
        "fonts/noto-sans-bold.ttf" => ("font/ttf", notosans::BOLD_TTF),
        other => {
            let file = assets::file(&format!("web/{other}")).found("file")?;
            (content_type(other).found("file")?, file)
        }
    };
    let tag = crypto::sha256(bytes);
    let tag: String = tag.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
    Reply::bytes(content_type, bytes).tagged(&tag)?.with(CACHE_CONTROL, "public, max-age=300")
}

/// The types of the files that are served; templates are not among them.
fn content_type(path: &str) -> Option<&'static str> {
    match path.rsplit('.').next()? {
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        _ => None,
    }
}

/// `GET /help/errors/{code}`: what an error's `type` points to.
pub fn error_help(call: &Call, caller: Option<&User>, (): ()) -> Result<Reply> {
    let code: String = call.param("code")?;
    let text = problems::explanation(&code).found("page")?;
    views::reply(&Message {
        who: caller.map(|it| it.name.clone()).unwrap_or_default(),
        title: code,
        text: text.to_owned(),
        link: "/help/api",
        action: "All calls",
    })
}

/// `GET /help/api`: every route of the interface, from the route table itself.
pub fn api_page(routes: &[Route]) -> String {
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
    views::text(&Api { who: String::new(), groups })
}

/// A page that was made before, again.
pub fn page(text: &str) -> Result<Reply> {
    Ok(Reply::html(text.to_owned()))
}

/// An error as a page, for a browser that asked for one; `None` when the caller wants JSON. Who has
/// to sign in is led there and back.
pub fn error_page(error: &Error, path: &str, headers: &HeaderMap) -> Option<Reply> {
    let accepts = headers.get(ACCEPT)?.to_str().ok()?;
    if path.starts_with("/api/") || !accepts.contains("text/html") {
        return None;
    }
    if let Error::SignIn(_) = error {
        let next = utf8_percent_encode(path, NON_ALPHANUMERIC);
        return Reply::see_other(&format!("/sign-in?next={next}")).ok();
    }
    let mut page = views::reply(&Message {
        who: String::new(),
        title: error.title().to_owned(),
        text: format!("{error}."),
        link: "/",
        action: "My charts",
    })
    .ok()?;
    page.status = StatusCode::from_u16(error.status()).ok()?;
    Some(page)
}
