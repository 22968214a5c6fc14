//! Pages of screens, and pages where users choose a chart for a screen.

use askama::Template;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use hyper::header::HeaderName;
use hyper::header::REFERRER_POLICY;
use schemars::JsonSchema;
use serde::Deserialize;

use super::actions;
use super::actions::CastRequest;
use super::http;
use super::pairing;
use super::rules;
use super::screen::SERVER_BUILD;
use crate::app::RequestContext;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::accounts::pages::MessagePage;
use crate::features::accounts::pages::parse_form;
use crate::features::documents;
use crate::features::documents::DocumentSummary;
use crate::features::listing::display_title;
use chartroom_platform::assets;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::id::NodeId;
use chartroom_platform::language;

/// Number of charts on one page of the choice.
const PAGE_SIZE: u64 = 48;

/// The header that keeps pages out of search engines.
const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// The receiver page of a screen. It waits for pairing, or shows the document of its token.
#[derive(Template)]
#[template(path = "cast.html")]
struct ReceiverPage {
    server: &'static str,
}

/// The page where a user enters a code.
#[derive(Template)]
#[template(path = "pair-code.html")]
struct CodePage {
    user_name: String,
    code: String,
    error: Option<String>,
}

/// The page where a user chooses the chart for a screen.
#[derive(Template)]
#[template(path = "pair.html")]
struct ChoicePage {
    user_name: String,
    /// Code as the screen displays it.
    code: String,
    device_name: String,
    charts: Vec<ChartChoice>,
    /// Address of the page with newer charts; empty on the first.
    newer: String,
    /// Address of the page with older charts; empty on the last.
    older: String,
    error: Option<String>,
}

/// A chart in the choice.
struct ChartChoice {
    id: String,
    title: String,
    note: String,
    picture: String,
    is_chosen: bool,
}

/// Handles `GET /cast/receiver` and `GET /cast/{token}`. Both return the same page; its script
/// checks the token.
pub fn receiver(_: &RequestContext, (): ()) -> Result<Response> {
    // The address is a secret that links must not reveal. (Forms need the origin, which this policy
    // hides.)
    render_page(StatusCode::OK, &ReceiverPage { server: &SERVER_BUILD })?
        .with_header(REFERRER_POLICY, "no-referrer")
}

/// Handles `GET /assets/cast/{file}`: returns the script or a style sheet of these pages, cacheable
/// for five minutes. Other files of the program are `NotFound`.
pub fn asset(request: &RequestContext, (): ()) -> Result<Response> {
    let name: String = request.param("file")?;
    let kind = match name.as_str() {
        "cast.js" => "text/javascript; charset=utf-8",
        "cast.css" | "pair.css" => "text/css; charset=utf-8",
        _ => return Err(Error::NotFound("file")),
    };
    let bytes = assets::embedded_file(&format!("cast/{name}")).or_not_found("file")?;
    Response::bytes(kind, bytes)
        .with_etag(&crypto::content_hash_tag(bytes))?
        .with_header(CACHE_CONTROL, "public, max-age=300")
}

/// Query of `GET /pair`.
#[derive(Deserialize, JsonSchema)]
pub struct CodeQuery {
    /// Code of eight letters, with or without hyphen.
    code: Option<String>,
}

/// Handles `GET /pair`: asks for the code on the screen, also without sign-in. Redirects to
/// `/pair/{code}` if the query contains a well-formed code. A malformed code gives the same page
/// with an error and status 400. Does not check whether a screen shows the code.
pub fn code_page(
    _: &RequestContext,
    user: Option<&User>,
    Query(query): Query<CodeQuery>,
) -> Result<Response> {
    let user_name = user.map(|user| user.name.clone()).unwrap_or_default();
    let Some(typed) = query.code else {
        return render_page(
            StatusCode::OK,
            &CodePage { user_name, code: String::new(), error: None },
        );
    };
    match rules::parse_code(&typed) {
        Some(code) => Response::see_other(&format!("/pair/{code}")),
        None => {
            let error = language::text("casting-page.malformedCode").to_owned();
            render_page(
                StatusCode::BAD_REQUEST,
                &CodePage { user_name, code: typed, error: Some(error) },
            )
        }
    }
}

/// Query of `GET /pair/{code}`.
#[derive(Deserialize, JsonSchema)]
pub struct ChoiceQuery {
    /// Number of charts to skip.
    #[serde(default)]
    offset: u64,
}

/// Handles `GET /pair/{code}`: shows one page of the charts of the caller and their organizations
/// to choose from. Does not pair yet. For a code that no screen shows, asks for the code again with
/// status 404 and counts a wrong code.
pub fn choice_page(
    request: &RequestContext,
    user: &User,
    Query(query): Query<ChoiceQuery>,
) -> Result<Response> {
    let code: String = request.param("code")?;
    let checked = http::limit_code_guesses(request, user, || {
        request.app.db.read(|tx| pairing::find_unused_code(tx, request.app, &code))
    });
    match checked {
        Ok(_) => {}
        Err(Error::InvalidFields(_)) => return render_unknown_code_page(user, &code),
        Err(other) => return Err(other),
    }
    let page = build_choice_page(request, user, &code, query.offset)?;
    render_page(StatusCode::OK, &page)
}

/// Form of `POST /pair/{code}`.
#[derive(Deserialize)]
struct ChoiceForm {
    #[serde(default)]
    document: String,
    #[serde(default)]
    device_name: String,
}

/// Handles `POST /pair/{code}`: creates the session that shows the chosen chart on the screen, and
/// confirms it. If the chart is missing or not the caller's, or the name of the screen is invalid,
/// shows the first page of the choice again with the error and status 400. For a code that no
/// screen shows, asks for the code again with status 404.
///
/// # Errors
/// `Conflict` if the chart is in the trash, `TooManyRequests` after too many wrong codes.
pub fn confirm(request: &RequestContext, user: &User, (): ()) -> Result<Response> {
    let code: String = request.param("code")?;
    let form: ChoiceForm = parse_form(request)?;
    let cast = CastRequest {
        document: NodeId::from_text(form.document.as_str()),
        device_name: form.device_name.clone(),
        code: Some(code.clone()),
    };
    let (app, caller) = (request.app.clone(), user.clone());
    let created = http::limit_code_guesses(request, user, || {
        request.app.db.write(move |tx| actions::create_session(tx, &app, &caller, &cast))
    });
    let error = match created {
        Ok(_) => return render_paired_page(request, user, &form),
        Err(Error::InvalidFields(fields)) if fields.iter().any(|field| field.field == "code") => {
            return render_unknown_code_page(user, &code);
        }
        Err(Error::InvalidFields(_)) => "casting-page.invalidName",
        Err(Error::NotFound(_)) => "casting-page.chartMissing",
        Err(Error::Forbidden(_)) => "casting-page.notOwner",
        Err(other) => return Err(other),
    };
    let mut page = build_choice_page(request, user, &code, 0)?;
    page.error = Some(language::text(error).to_owned());
    page.device_name = form.device_name;
    page.charts.iter_mut().for_each(|chart| chart.is_chosen = chart.id == form.document);
    render_page(StatusCode::BAD_REQUEST, &page)
}

/// Renders the page that confirms the pairing, with the name of the screen and a link to the chart
/// from `form`. Pairs nothing.
fn render_paired_page(
    request: &RequestContext,
    user: &User,
    form: &ChoiceForm,
) -> Result<Response> {
    let id = NodeId::from_text(form.document.as_str());
    let summary = request.app.db.read(|tx| load_summary(tx, &Caller::from(user), &id))?;
    let page = MessagePage {
        user_name: &user.name,
        title: language::text("casting-page.pairedTitle"),
        text: &language::fill("casting-page.paired")
            .with("screen", form.device_name.trim())
            .with("chart", display_title(&summary.title))
            .to_string(),
        link: &documents::page_url("", &summary.owner, &summary.id),
        action: language::text("casting-page.openChart"),
    };
    render_page(StatusCode::OK, &page)
}

/// Loads the summary of a document by id alone. `NotFound` if it does not exist or the caller may
/// not read it.
fn load_summary(tx: &Tx<'_>, caller: &Caller, id: &NodeId) -> Result<DocumentSummary> {
    let head = documents::screen_render::find_document(tx, id)?.or_not_found("document")?;
    documents::load_summary(tx, caller, head.owner.as_str(), id)
}

/// Renders the page that asks for the code again because no screen shows `code`, with status 404.
/// The form contains `code`, with a hyphen if it is well-formed.
fn render_unknown_code_page(user: &User, code: &str) -> Result<Response> {
    let page = CodePage {
        user_name: user.name.clone(),
        code: rules::parse_code(code)
            .map_or_else(|| code.to_owned(), |code| rules::format_code(&code)),
        error: Some(language::text("casting-page.unknownCode").to_owned()),
    };
    render_page(StatusCode::NOT_FOUND, &page)
}

/// Builds the page of the choice: at most `PAGE_SIZE` charts of the caller and their organizations,
/// most recently changed first, without the first `offset`. No chart is selected. Does not check
/// the code.
fn build_choice_page(
    request: &RequestContext,
    user: &User,
    code: &str,
    offset: u64,
) -> Result<ChoicePage> {
    let (count, charts) = request.app.db.read(|tx| {
        let caller = Caller::from(user);
        let (count, ids) = documents::list_recent(tx, &user.id, offset, PAGE_SIZE)?;
        let charts: Result<Vec<DocumentSummary>> =
            ids.iter().map(|id| load_summary(tx, &caller, id)).collect();
        Ok((count, charts?))
    })?;
    let code = rules::parse_code(code).unwrap_or_default();
    let after = offset.saturating_add(PAGE_SIZE);
    let url_at = |offset: u64| format!("/pair/{code}?offset={offset}");
    Ok(ChoicePage {
        user_name: user.name.clone(),
        device_name: language::text("dialogs.screen").to_owned(),
        charts: charts.into_iter().map(ChartChoice::new).collect(),
        newer: if offset > 0 { url_at(offset.saturating_sub(PAGE_SIZE)) } else { String::new() },
        older: if after < count { url_at(after) } else { String::new() },
        code: rules::format_code(&code),
        error: None,
    })
}

impl ChartChoice {
    /// Builds the entry of a chart with title, a note with kind and folder, and a relative
    /// thumbnail URL that changes with each revision. The entry is not selected yet.
    fn new(summary: DocumentSummary) -> Self {
        let endpoint = documents::endpoint_url("", &summary.owner, &summary.id);
        Self {
            title: display_title(&summary.title).to_owned(),
            note: format!("{} · {}", summary.kind, summary.folder),
            picture: format!("{endpoint}/thumbnail.png?v={}", summary.revision),
            id: summary.id.to_string(),
            is_chosen: false,
        }
    }
}

/// Renders an HTML page with this status, and with headers that prevent caching and indexing by
/// search engines.
fn render_page(status: StatusCode, page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    let mut response = Response::html(text)
        .with_header(CACHE_CONTROL, "no-store")?
        .with_header(X_ROBOTS_TAG, "noindex")?;
    response.status = status;
    Ok(response)
}
