//! The page that a link opens: a chart, a folder as pictures, or an invitation. It works without
//! scripts and loads nothing from elsewhere.

use askama::Template;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use hyper::header::CONTENT_SECURITY_POLICY;
use hyper::header::SET_COOKIE;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use schemars::JsonSchema;
use serde::Deserialize;

use super::open;
use super::open::Invitation;
use super::open::Opening;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use crate::features::documents;
use crate::features::documents::Inline;
use crate::features::documents::Shown;
use crate::features::documents::Whole;
use crate::features::listing;
use crate::features::listing::Card;
use crate::features::listing::Entry;
use crate::features::listing::Listing;
use crate::features::listing::Wish;
use crate::features::listing::shown_title;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::NodeId;

/// Pictures on one page of a folder.
const PAGE_SIZE: u32 = 48;

/// What the pages that show something may do: our own style and pictures, those that stand within a
/// picture (the logo of a theme), our own forms, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What those may do that only say something: our own scripts too.
const SAYING: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; \
    img-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What of a shared folder to show.
#[derive(Deserialize, JsonSchema)]
pub struct OpenQuery {
    /// Id of something in it.
    item: Option<NodeId>,
    /// How many entries to skip.
    #[serde(default)]
    offset: u32,
}

/// One chart.
#[derive(Template)]
#[template(path = "shared-chart.html")]
struct ChartPage {
    who: String,
    title: String,
    kind: &'static str,
    owner_name: String,
    /// For programs and for people.
    updated: (String, String),
    /// Path of the document in the interface.
    endpoint: String,
    /// What belongs behind a question mark to open it; empty or with an `&` at the end.
    share: String,
    drawn: Inline,
    /// The whole that it is a part of; empty without one.
    up: String,
    /// Where this page is, for print.
    address: String,
    /// Its page for people who are signed in.
    view: String,
    /// Where programs that show a preview of the page get the picture.
    preview: String,
}

/// A folder.
#[derive(Template)]
#[template(path = "shared-folder.html")]
struct FolderPage {
    who: String,
    title: String,
    count: u64,
    cards: Vec<Card>,
    up: String,
    /// Address of the page before; empty on the first.
    previous: String,
    /// Address of the page after; empty on the last.
    next: String,
}

/// An invitation.
#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationPage<'a> {
    who: String,
    invitation: &'a Invitation,
    kind: &'static str,
    title: &'a str,
    /// Address of this page, for the form.
    here: &'a str,
    sign_in: String,
}

/// What was read for a page.
enum Read {
    Chart(Box<Whole>),
    Folder(Box<Node>, Listing),
    Invitation(Invitation),
    Go(String),
}

/// `GET /s/{token}`.
pub fn opened(
    request: &RequestContext,
    user: Option<&User>,
    Query(query): Query<OpenQuery>,
) -> Result<Response> {
    let token: String = request.param("token")?;
    let who = name(user);
    let here = here(&token);
    let read = request.app.db.read(|tx| read(tx, &request.app, user, &token, &query));
    let (caller, read) = match read {
        Err(Error::NotFound(_)) => return dead(who),
        other => other?,
    };
    access::note_use(request, &caller)?;
    let share = match caller.share {
        Some(_) => format!("share={token}&"),
        None => String::new(),
    };
    let up = if query.item.is_some() { here.clone() } else { String::new() };
    match read {
        Read::Go(to) => Response::see_other(&to),
        Read::Chart(whole) => {
            let drawn = whole.draw()?;
            let base_url = &request.app.config.base_url;
            page(&chart(base_url, who, whole.shown, drawn, (here, share, up)))
        }
        Read::Folder(node, listing) => {
            let (previous, next) = page_of(&query).neighbours(listing.count);
            page(&FolderPage {
                who,
                title: shown_title(&node.title).to_owned(),
                count: listing.count,
                previous: previous.map(|it| at(&here, &query, it.offset)).unwrap_or_default(),
                next: next.map(|it| at(&here, &query, it.offset)).unwrap_or_default(),
                cards: listing.results.iter().map(|it| card(it, &here, &share)).collect(),
                up,
            })
        }
        Read::Invitation(invitation) => saying(&InvitationPage {
            who,
            kind: if invitation.is_folder { "folder" } else { "chart" },
            title: shown_title(&invitation.title),
            invitation: &invitation,
            sign_in: format!("/sign-in?next={}", utf8_percent_encode(&here, NON_ALPHANUMERIC)),
            here: &here,
        }),
    }
}

/// `POST /s/{token}`: accepts an invitation, or signs in by it.
pub fn accept(request: &RequestContext, user: Option<&User>, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    let accepted = match user {
        Some(user) => {
            let user = user.id.clone();
            let to = request.app.db.write(move |tx| open::accept(tx, &user, &token));
            to.map(|to| (to, None))
        }
        None => open::sign_in(request, &token).map(|(signed_in, to)| (to, Some(signed_in))),
    };
    match accepted {
        Ok((to, None)) => Response::see_other(&to),
        Ok((to, Some(signed_in))) => Response::see_other(&to)?.and(SET_COOKIE, &signed_in.cookie),
        Err(Error::NotFound(_)) => dead(name(user)),
        Err(other) => Err(other),
    }
}

fn read(
    tx: &Tx<'_>,
    app: &App,
    user: Option<&User>,
    token: &str,
    query: &OpenQuery,
) -> Result<(Caller, Read)> {
    let (caller, node) = match open::open(tx, app, user, token, query.item.as_ref())? {
        Opening::Go(to) => return Ok((Caller::default(), Read::Go(to))),
        Opening::Invitation(it) => return Ok((Caller::default(), Read::Invitation(it))),
        Opening::Shown(caller, node) => (caller, *node),
    };
    if !node.is_folder {
        let whole = documents::show_whole(tx, &caller, node.owner.as_str(), &node.id)?;
        return Ok((caller, Read::Chart(Box::new(whole))));
    }
    let wish = Wish {
        user: node.owner.to_string(),
        path: tree::folder_path(tx, Some(&node.id))?,
        matching: String::new(),
        page: page_of(query),
    };
    let listing = listing::list(tx, &app.config.base_url, &caller, &wish)?;
    Ok((caller, Read::Folder(Box::new(node), listing)))
}

/// The page of one chart. Where: this page, what opens it, and the whole that it is a part of.
fn chart(
    base_url: &str,
    who: String,
    shown: Shown,
    drawn: Inline,
    (here, share, up): (String, String, String),
) -> ChartPage {
    let endpoint = documents::endpoint("", &shown.owner, &shown.id);
    let view = documents::view("", &shown.owner, &shown.id);
    ChartPage {
        who,
        title: shown_title(&shown.title).to_owned(),
        kind: shown.kind,
        owner_name: shown.owner_name,
        updated: (shown.updated.to_string(), shown.updated.readable()),
        preview: format!("{base_url}{endpoint}.png?{share}width=1200"),
        view: format!("{view}?{}", share.trim_end_matches('&')),
        address: format!("{base_url}{here}"),
        endpoint,
        share,
        drawn,
        up,
    }
}

fn card(entry: &Entry, here: &str, share: &str) -> Card {
    let view = entry.id().map(|id| format!("{here}?item={id}")).unwrap_or_default();
    Card::of(entry, view, share)
}

fn name(user: Option<&User>) -> String {
    user.map(|it| it.name.clone()).unwrap_or_default()
}

/// The path of a token's page. A token that opens something has no letters that need escaping.
fn here(token: &str) -> String {
    format!("/s/{token}")
}

/// The address of another page of a folder.
fn at(here: &str, query: &OpenQuery, offset: u32) -> String {
    match &query.item {
        Some(item) => format!("{here}?item={item}&offset={offset}"),
        None => format!("{here}?offset={offset}"),
    }
}

fn page_of(query: &OpenQuery) -> Page {
    Page { offset: query.offset, limit: PAGE_SIZE }
}

/// What every link says that opens nothing, whatever the reason.
fn dead(who: String) -> Result<Response> {
    let shown = MessagePage {
        who: &who,
        title: "This link opens nothing",
        text: "It may be mistyped, or have ended, or somebody took it back. Ask whoever gave it to \
               you for a new one.",
        link: "/",
        action: if who.is_empty() { "Sign in" } else { "My charts" },
    };
    let mut response = saying(&shown)?;
    response.status = StatusCode::NOT_FOUND;
    Ok(response)
}

/// A page that shows something.
fn page(page: &impl Template) -> Result<Response> {
    secret(page, POLICY)
}

/// A page that only says something.
fn saying(page: &impl Template) -> Result<Response> {
    secret(page, SAYING)
}

/// A page that no cache keeps: its address is a secret.
fn secret(page: &impl Template, policy: &'static str) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    Response::html(text).with(CACHE_CONTROL, "no-store")?.with(CONTENT_SECURITY_POLICY, policy)
}
