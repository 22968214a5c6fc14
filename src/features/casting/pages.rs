//! The pages of screens and of those who choose what they show.

use askama::Template;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use hyper::header::HeaderName;
use hyper::header::REFERRER_POLICY;
use schemars::JsonSchema;
use serde::Deserialize;

use super::actions;
use super::actions::Wish;
use super::http;
use super::pairing;
use super::rules;
use super::screen::SERVER;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use crate::features::accounts::pages::form;
use crate::features::documents;
use crate::features::documents::Shown;
use crate::features::listing::shown_title;
use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::NodeId;

/// Charts on one page to choose from.
const PAGE_SIZE: u64 = 48;

const ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");

/// The page of a screen: it waits to be paired, or shows what its address opens.
#[derive(Template)]
#[template(path = "cast.html")]
struct ReceiverPage {
    server: &'static str,
}

/// The page at which a code is entered.
#[derive(Template)]
#[template(path = "pair-code.html")]
struct CodePage {
    who: String,
    code: String,
    error: Option<String>,
}

/// The page at which somebody chooses what a screen shows.
#[derive(Template)]
#[template(path = "pair.html")]
struct ChoicePage {
    who: String,
    /// As it stands on the screen.
    code: String,
    device_name: String,
    charts: Vec<Choice>,
    /// Address of the page with newer charts; empty on the first.
    newer: String,
    /// Address of the page with older charts; empty on the last.
    older: String,
    error: Option<String>,
}

/// A chart to choose.
struct Choice {
    id: String,
    title: String,
    note: String,
    picture: String,
    is_chosen: bool,
}

/// `GET /cast/receiver` and `GET /cast/{token}`: one page, which finds out by its script whether the
/// token opens anything.
pub fn receiver(_: &RequestContext, (): ()) -> Result<Response> {
    // Its address is a secret that no link of it may tell. (Forms need the origin that this hides.)
    page(StatusCode::OK, &ReceiverPage { server: &SERVER })?.with(REFERRER_POLICY, "no-referrer")
}

/// `GET /assets/cast/{file}`: scripts and styles of these pages.
pub fn asset(request: &RequestContext, (): ()) -> Result<Response> {
    let name: String = request.param("file")?;
    let kind = match name.as_str() {
        "cast.js" => "text/javascript; charset=utf-8",
        "cast.css" | "pair.css" => "text/css; charset=utf-8",
        _ => return Err(Error::NotFound("file")),
    };
    let bytes = assets::file(&format!("cast/{name}")).found("file")?;
    Response::bytes(kind, bytes)
        .tagged(&crypto::tag(bytes))?
        .with(CACHE_CONTROL, "public, max-age=300")
}

/// A code, as a form sends it.
#[derive(Deserialize, JsonSchema)]
pub struct CodeQuery {
    /// Eight letters, with or without a hyphen.
    code: Option<String>,
}

/// `GET /pair`: asks for the code that a screen shows.
pub fn enter(
    _: &RequestContext,
    user: Option<&User>,
    Query(query): Query<CodeQuery>,
) -> Result<Response> {
    let who = user.map(|it| it.name.clone()).unwrap_or_default();
    let Some(typed) = query.code else {
        return page(StatusCode::OK, &CodePage { who, code: String::new(), error: None });
    };
    match rules::code(&typed) {
        Some(code) => Response::see_other(&format!("/pair/{code}")),
        None => {
            let error = "A code has eight letters, such as BCDF-GHJK.".to_owned();
            page(StatusCode::BAD_REQUEST, &CodePage { who, code: typed, error: Some(error) })
        }
    }
}

/// Which charts to choose from.
#[derive(Deserialize, JsonSchema)]
pub struct ChoiceQuery {
    /// How many charts to skip.
    #[serde(default)]
    offset: u64,
}

/// `GET /pair/{code}`: one's charts, to choose one for the screen with this code.
pub fn choose(
    request: &RequestContext,
    user: &User,
    Query(query): Query<ChoiceQuery>,
) -> Result<Response> {
    let code: String = request.param("code")?;
    let checked = http::guarded(request, user, || {
        request.app.db.read(|tx| pairing::waiting(tx, &request.app, &code))
    });
    match checked {
        Ok(_) => {}
        Err(Error::Fields(_)) => return unknown(user, &code),
        Err(other) => return Err(other),
    }
    let shown = choice(request, user, &code, query.offset)?;
    page(StatusCode::OK, &shown)
}

/// What somebody chose.
#[derive(Deserialize)]
struct ChoiceForm {
    #[serde(default)]
    document: String,
    #[serde(default)]
    device_name: String,
}

/// `POST /pair/{code}`: shows the chosen chart on the screen.
pub fn confirm(request: &RequestContext, user: &User, (): ()) -> Result<Response> {
    let code: String = request.param("code")?;
    let sent: ChoiceForm = form(request)?;
    let wish = Wish {
        document: NodeId::from_text(sent.document.as_str()),
        device_name: sent.device_name.clone(),
        code: Some(code.clone()),
    };
    let (app, caller) = (request.app.clone(), user.clone());
    let made = http::guarded(request, user, || {
        request.app.db.write(move |tx| actions::create(tx, &app, &caller, &wish))
    });
    let error = match made {
        Ok(_) => return paired(request, user, &sent),
        Err(Error::Fields(fields)) if fields.iter().any(|it| it.field == "code") => {
            return unknown(user, &code);
        }
        Err(Error::Fields(_)) => "Give the screen a name of at most 100 letters.",
        Err(Error::NotFound(_)) => "Choose a chart.",
        Err(Error::Forbidden(_)) => "Only those to whom a chart belongs may show it on a screen.",
        Err(other) => return Err(other),
    };
    let mut shown = choice(request, user, &code, 0)?;
    shown.error = Some(error.to_owned());
    shown.device_name = sent.device_name;
    shown.charts.iter_mut().for_each(|it| it.is_chosen = it.id == sent.document);
    page(StatusCode::BAD_REQUEST, &shown)
}

fn paired(request: &RequestContext, user: &User, sent: &ChoiceForm) -> Result<Response> {
    let id = NodeId::from_text(sent.document.as_str());
    let shown = request.app.db.read(|tx| shown(tx, &Caller::from(user), &id))?;
    let shown = MessagePage {
        who: &user.name,
        title: "The screen has it",
        text: &format!(
            "{} shows {} within a few seconds, and every change of it from then on.",
            sent.device_name.trim(),
            shown_title(&shown.title)
        ),
        link: &documents::view("", &shown.owner, &shown.id),
        action: "Open the chart",
    };
    page(StatusCode::OK, &shown)
}

/// A document whose owner is not known yet.
fn shown(tx: &Tx<'_>, caller: &Caller, id: &NodeId) -> Result<Shown> {
    let head = documents::lent::find(tx, id)?.found("document")?;
    documents::show(tx, caller, head.owner.as_str(), id)
}

/// What somebody is told whose code no screen shows.
fn unknown(user: &User, code: &str) -> Result<Response> {
    let shown = CodePage {
        who: user.name.clone(),
        code: rules::code(code).map_or_else(|| code.to_owned(), |it| rules::spelled(&it)),
        error: Some("No screen shows this code now. A code lasts ten minutes.".to_owned()),
    };
    page(StatusCode::NOT_FOUND, &shown)
}

fn choice(request: &RequestContext, user: &User, code: &str, offset: u64) -> Result<ChoicePage> {
    let (count, newest) = request.app.db.read(|tx| {
        let caller = Caller::from(user);
        let (count, ids) = documents::newest(tx, &user.id, offset, PAGE_SIZE)?;
        let newest: Result<Vec<Shown>> = ids.iter().map(|id| shown(tx, &caller, id)).collect();
        Ok((count, newest?))
    })?;
    let code = rules::code(code).unwrap_or_default();
    let after = offset.saturating_add(PAGE_SIZE);
    let at = |offset: u64| format!("/pair/{code}?offset={offset}");
    Ok(ChoicePage {
        who: user.name.clone(),
        device_name: "Screen".to_owned(),
        charts: newest.into_iter().map(Choice::of).collect(),
        newer: if offset > 0 { at(offset.saturating_sub(PAGE_SIZE)) } else { String::new() },
        older: if after < count { at(after) } else { String::new() },
        code: rules::spelled(&code),
        error: None,
    })
}

impl Choice {
    fn of(shown: Shown) -> Self {
        let endpoint = documents::endpoint("", &shown.owner, &shown.id);
        Self {
            title: shown_title(&shown.title).to_owned(),
            note: format!("{} · {}", shown.kind, shown.folder),
            picture: format!("{endpoint}/thumbnail.png?v={}", shown.revision),
            id: shown.id.to_string(),
            is_chosen: false,
        }
    }
}

/// A page that no cache keeps and no search finds.
fn page(status: StatusCode, page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    let mut response =
        Response::html(text).with(CACHE_CONTROL, "no-store")?.with(ROBOTS, "noindex")?;
    response.status = status;
    Ok(response)
}
