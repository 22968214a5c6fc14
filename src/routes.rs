//! Every route on one page: method, path, who may call, what answers.
//!
//! The guard in a row is a type: `open` handlers get no caller, `signed` ones get a `User`, and
//! `either` ones get an `Option<User>`; `shared` ones get a `Caller`, who may have come by a share
//! link. A handler on the wrong guard does not compile.

use std::sync::Arc;

use hyper::header::WWW_AUTHENTICATE;

use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::casting;
use crate::features::comments;
use crate::features::documents::http::history as document_history;
use crate::features::documents::http::read as read_document;
use crate::features::documents::http::render as render_document;
use crate::features::documents::http::token as document_token;
use crate::features::documents::http::write as write_document;
use crate::features::folders;
use crate::features::listing;
use crate::features::me;
use crate::features::orgs;
use crate::features::pages;
use crate::features::portfolio::http as portfolio;
use crate::features::sharing;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Input;
use chartroom_platform::http::Json;
use chartroom_platform::http::Output;
use chartroom_platform::http::Pool;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::Security;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::health;
use chartroom_platform::http::openapi;
use chartroom_platform::http::problem;
use chartroom_platform::http::route::BodyLimit;
use chartroom_platform::http::route::Handler;

/// A handler that still lacks the application's state.
pub type RowHandler = Box<dyn Fn(&RequestContext) -> Result<Response> + Send + Sync>;

/// A row of the route table.
pub type Row = Route<RowHandler>;

/// Who may call a route and what it does.
struct Guard {
    security: Security,
    handler: RowHandler,
    describe: fn(&mut Operation<'_>),
}

/// Anybody; the handler gets no caller.
fn open<I: Input + 'static, O: Output + 'static>(
    run: fn(&RequestContext, I) -> Result<O>,
) -> Guard {
    Guard {
        security: Security::Open,
        handler: Box::new(move |request| run(request, I::of(request)?)?.into_response()),
        describe: describe::<I, O>,
    }
}

/// Anybody; the handler gets the caller if there is one, and decides.
fn either<I: Input + 'static, O: Output + 'static>(
    run: fn(&RequestContext, Option<&User>, I) -> Result<O>,
) -> Guard {
    Guard {
        security: Security::Optional,
        handler: Box::new(move |request| {
            let caller = accounts::caller(request)?;
            run(request, caller.as_ref(), I::of(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Anybody, by credentials or a share link; the handler gets who asks, and decides.
fn shared<I: Input + 'static, O: Output + 'static>(
    run: fn(&RequestContext, &Caller, I) -> Result<O>,
) -> Guard {
    Guard {
        security: Security::Optional,
        handler: Box::new(move |request| {
            let caller = Caller::of(request)?;
            let response = run(request, &caller, I::of(request)?)?.into_response()?;
            if let Err(error) = access::note_use(request, &caller) {
                tracing::warn!(error = error.full(), "the use of a link was not noted");
            }
            Ok(response)
        }),
        describe: describe::<I, O>,
    }
}

/// A signed-in user. Credentials are checked before the request is read.
fn signed<I: Input + 'static, O: Output + 'static>(
    run: fn(&RequestContext, &User, I) -> Result<O>,
) -> Guard {
    Guard {
        security: Security::Signed,
        handler: Box::new(move |request| {
            let caller = accounts::require(request)?;
            run(request, &caller, I::of(request)?)?.into_response()
        }),
        describe: describe::<I, O>,
    }
}

/// Whoever has the token in the path: credentials are not looked at. A token that opens nothing is
/// refused without the challenge at which a browser asks for a password: nobody is there to type one.
fn by_token<I: Input + 'static, O: Output + 'static>(
    run: fn(&RequestContext, I) -> Result<O>,
) -> Guard {
    Guard {
        security: Security::Optional,
        handler: Box::new(move |request| match run(request, I::of(request)?) {
            Err(error @ Error::SignIn(_)) => {
                problem::response(&error, &request.headers, &request.request_id)
                    .with(WWW_AUTHENTICATE, "Bearer")
            }
            other => other?.into_response(),
        }),
        describe: describe::<I, O>,
    }
}

fn describe<I: Input, O: Output>(operation: &mut Operation<'_>) {
    I::describe(operation);
    O::describe(operation);
}

/// A row. `summary` is its sentence in the OpenAPI document.
fn row(method: &'static str, path: &'static str, guard: Guard, summary: &'static str) -> Row {
    Route {
        method,
        path,
        pool: if method == "GET" { Pool::Read } else { Pool::Write },
        body_limit: None,
        security: guard.security,
        any_site: false,
        handler: guard.handler,
        describe: guard.describe,
        summary: Some(summary),
    }
}

/// A row whose body may be as large as a document.
fn large(row: Row) -> Row {
    Row { body_limit: Some(BodyLimit::Document), ..row }
}

/// A row that draws.
fn drawn(row: Row) -> Row {
    Row { pool: Pool::Draw, ..row }
}

/// A row whose answers scripts of other sites may read.
fn any_site(row: Row) -> Row {
    Row { any_site: true, ..row }
}

/// A GET row that may write, or wait a moment for the disk before it reads.
fn waiting(row: Row) -> Row {
    Row { pool: Pool::Write, ..row }
}

/// A row that the OpenAPI document leaves out: pages and health.
fn hidden(method: &'static str, path: &'static str, guard: Guard) -> Row {
    Row { summary: None, ..row(method, path, guard, "") }
}

/// Returns routes that the server can run: their handlers receive `app` with each request.
pub fn bind(rows: Vec<Row>, app: &Arc<App>) -> Vec<Route> {
    let bind = |handler: RowHandler, app: Arc<App>| -> Handler {
        Box::new(move |request| handler(&RequestContext { app: &app, request }))
    };
    rows.into_iter().map(|row| row.map_handler(|it| bind(it, app.clone()))).collect()
}

/// All routes.
pub fn all() -> Vec<Row> {
    let mut rows = health_rows();
    rows.extend(people());
    rows.extend(portfolio_rows());
    rows.extend(document_rows());
    rows.extend(folder_rows());
    rows.extend(listing_rows());
    rows.extend(sharing_rows());
    rows.extend(comment_rows());
    rows.extend(casting_rows());
    rows.extend(page_rows());
    with_help(with_openapi(rows))
}

/// Adds the row that answers with the description of all rows, its own included.
fn with_openapi(mut routes: Vec<Row>) -> Vec<Row> {
    let guard = open(|_, (): ()| Ok(Json(serde_json::Map::new())));
    let summary = "Describe this interface (OpenAPI 3.1)";
    routes.push(row("GET", "/api/v1/openapi.json", guard, summary));
    let document = openapi::Document::of(&routes);
    if let Some(own) = routes.last_mut() {
        own.handler = Box::new(move |_| document.response());
    }
    routes
}

/// Adds the page that lists all rows that the OpenAPI document describes.
fn with_help(mut routes: Vec<Row>) -> Vec<Row> {
    let groups = pages::api_groups(&routes);
    let guard = either(|_, _, (): ()| Ok(Response::no_content()));
    let mut own = hidden("GET", "/help/api", guard);
    own.handler =
        Box::new(move |request| pages::http::api(accounts::caller(request)?.as_ref(), &groups));
    routes.push(own);
    routes
}

// == health

fn health_rows() -> Vec<Row> {
    vec![
        hidden("GET", "/livez", open(|_, (): ()| Ok(health::live()))),
        hidden("GET", "/readyz", open(|request, (): ()| health::ready(&request.app.db))),
    ]
}

// == accounts, orgs, me

#[rustfmt::skip]
fn people() -> Vec<Row> {
    vec![
        // accounts
        row("DELETE", "/api/v1/session", signed(accounts::http::end_session), "End the session of the cookie"),
        row("GET", "/api/v1/user/tokens", signed(accounts::http::list_tokens), "List one's API tokens"),
        row("POST", "/api/v1/user/tokens", signed(accounts::http::make_token), "Make an API token, shown once"),
        row("DELETE", "/api/v1/user/tokens/{id}", signed(accounts::http::delete_token), "Remove an API token"),
        hidden("GET", "/sign-in", either(accounts::pages::sign_in_page)),
        hidden("POST", "/sign-in", open(accounts::pages::sign_in)),
        hidden("POST", "/sign-out", either(accounts::pages::sign_out)),
        hidden("GET", "/setup/{token}", open(accounts::pages::setup_page)),
        hidden("POST", "/setup/{token}", open(accounts::pages::set_up)),
        // orgs
        row("GET", "/api/v1/orgs/{org}", signed(orgs::http::get), "Read an organization that one belongs to"),
        row("PATCH", "/api/v1/orgs/{org}", signed(orgs::http::patch), "Change the name or the theme of an organization"),
        row("GET", "/api/v1/orgs/{org}/settings", signed(orgs::settings::http::get), "Read the settings of an organization"),
        row("PUT", "/api/v1/orgs/{org}/settings", signed(orgs::settings::http::put), "Replace all settings of an organization"),
        row("PATCH", "/api/v1/orgs/{org}/settings", signed(orgs::settings::http::patch), "Change some settings of an organization"),
        row("POST", "/api/v1/orgs/{org}/settings/layouts", signed(orgs::settings::http::add_layout), "Add or replace a layout preset"),
        row("DELETE", "/api/v1/orgs/{org}/settings/layouts", signed(orgs::settings::http::reset_layouts), "Remove all layout presets"),
        row("DELETE", "/api/v1/orgs/{org}/settings/layouts/{name}", signed(orgs::settings::http::remove_layout), "Remove a layout preset"),
        row("DELETE", "/api/v1/orgs/{org}/settings/{key}", signed(orgs::settings::http::reset), "Set one setting back to its default"),
        row("GET", "/api/v1/orgs/{org}/teams", signed(orgs::teams::http::list), "List the teams of an organization"),
        row("POST", "/api/v1/orgs/{org}/teams", signed(orgs::teams::http::create), "Make a team and its folder"),
        row("GET", "/api/v1/orgs/{org}/team/{team}", signed(orgs::teams::http::get), "Read a team with its members"),
        row("PUT", "/api/v1/orgs/{org}/team/{team}", signed(orgs::teams::http::put), "Rename a team, or set its members"),
        row("DELETE", "/api/v1/orgs/{org}/team/{team}", signed(orgs::teams::http::delete), "Remove a team; its folder stays"),
        row("PUT", "/api/v1/orgs/{org}/team/{team}/member/{id}", signed(orgs::teams::http::add_member), "Add a member to a team"),
        row("DELETE", "/api/v1/orgs/{org}/team/{team}/member/{id}", signed(orgs::teams::http::remove_member), "Take a member out of a team"),

        // me
        row("POST", "/api/v1/session", open(me::http::sign_in), "Sign in by password: sets the session cookie"),
        row("GET", "/api/v1/user", signed(me::http::get), "Read the current user"),
        row("PATCH", "/api/v1/user", signed(me::http::patch), "Change the current user"),
        row("GET", "/api/v1/users/{user_id}/avatar.svg", signed(me::http::avatar), "Draw an avatar"),
    ]
}

// == portfolio

#[rustfmt::skip]
fn portfolio_rows() -> Vec<Row> {
    vec![
        row("GET", "/api/v1/portfolio", either(portfolio::list), "List the chart kinds"),
        row("GET", "/api/v1/portfolio/search", either(portfolio::search), "Search the chart kinds"),
        row("GET", "/api/v1/portfolio/widgets/{id}", either(portfolio::details), "Describe a chart kind"),
        drawn(row("GET", "/api/v1/portfolio/widgets/{id}/thumbnail.svg", open(portfolio::thumbnail), "Draw a chart kind's example")),
        row("GET", "/api/v1/portfolio/widgets/{id}/icon.svg", open(portfolio::icon), "Read a chart kind's icon"),
        row("PUT", "/api/v1/portfolio/favorites/{id}", signed(portfolio::add_favorite), "Mark a chart kind as favorite"),
        row("DELETE", "/api/v1/portfolio/favorites/{id}", signed(portfolio::remove_favorite), "Unmark a favorite"),
        row("GET", "/api/v1/widgets/{id}", either(portfolio::download), "Read all that a chart kind is"),
        row("GET", "/api/v1/widgets/{id}/reviews", open(portfolio::reviews), "List the public reviews of a chart kind"),
        row("POST", "/api/v1/widgets/{id}/reviews", signed(portfolio::review), "Review a chart kind"),
    ]
}

// == documents

#[rustfmt::skip]
fn document_rows() -> Vec<Row> {
    vec![
        drawn(large(row("POST", "/api/v1/render", signed(render_document::render), "Draw a document without storing it"))),
        row("POST", "/api/v1/create-document", signed(write_document::create), "Make a document"),
        row("GET", "/api/v1/users/{user_id}/documents/{doc}", shared(read_document::get), "Read a document"),
        large(row("PUT", "/api/v1/users/{user_id}/documents/{doc}", shared(write_document::put), "Replace a document")),
        large(row("PUT", "/api/v1/users/{user_id}/documents/{doc}/data", shared(write_document::put_data), "Replace a document's data by JSON or CSV")),
        row("PATCH", "/api/v1/users/{user_id}/documents/{doc}", shared(write_document::patch), "Move or rename a document"),
        row("DELETE", "/api/v1/users/{user_id}/documents/{doc}", shared(write_document::delete), "Put a document into the trash, or remove it for good"),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}", shared(write_document::act), "Close, fork, duplicate or restore a document"),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}/move", shared(write_document::relocate), "Move a document without renaming it"),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}/add-record", shared(write_document::add_record), "Append a record to a document's data"),
        row("GET", "/api/v1/users/{user_id}/documents/{doc}/history", shared(document_history::list), "List a document's versions, newest first"),
        row("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}", shared(document_history::get), "Read a document as it was in a version"),
        row("PATCH", "/api/v1/users/{user_id}/documents/{doc}/history/{n}", shared(document_history::name), "Name a version, which keeps it for ever"),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}/history/{n}/restore", shared(document_history::restore), "Make a version the newest; who may see the document stays as it is"),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}/diff", shared(document_history::diff), "Compare two versions")),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}.svg", shared(read_document::version_svg), "Draw a version as SVG")),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}.png", shared(read_document::version_png), "Draw a version as PNG")),
        waiting(row("GET", "/api/v1/users/{user_id}/documents/{doc}/token", shared(document_token::newest), "Read the newest download token, or make one")),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}/token", shared(document_token::make), "Make a download token: it opens pictures without credentials"),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}.svg", shared(read_document::svg), "Draw a document as SVG")),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}.png", shared(read_document::png), "Draw a document as PNG")),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}.html", shared(read_document::html), "Draw a document as a page that may be framed")),
        drawn(row("GET", "/api/v1/users/{user_id}/documents/{doc}/thumbnail.png", shared(read_document::thumbnail), "Read a document's thumbnail")),
    ]
}

// == folders

#[rustfmt::skip]
fn folder_rows() -> Vec<Row> {
    vec![
        row("GET", "/api/v1/users/{user_id}/folders", shared(folders::http::root), "Read the root folder with the folders in it"),
        row("GET", "/api/v1/users/{user_id}/folders/{*path}", shared(folders::http::get), "Read a folder with the folders in it"),
        row("PUT", "/api/v1/users/{user_id}/folders/{*path}", shared(folders::http::put), "Make a folder, or move or rename it"),
        row("POST", "/api/v1/users/{user_id}/folders/{*path}", shared(folders::http::act), "Duplicate or restore a folder"),
        row("DELETE", "/api/v1/users/{user_id}/folders/{*path}", shared(folders::http::delete), "Put a folder into the trash, or remove it for good"),
        row("DELETE", "/api/v1/users/{user_id}/trash", signed(folders::http::empty_trash), "Empty the trash"),
    ]
}

// == listing

#[rustfmt::skip]
fn listing_rows() -> Vec<Row> {
    vec![
        waiting(row("GET", "/api/v1/search", shared(listing::search), "Search documents and folders")),
        row("GET", "/api/v1/users/{user_id}/list", shared(listing::http::root), "List what is in the root folder"),
        row("GET", "/api/v1/users/{user_id}/list/{*path}", shared(listing::http::folder), "List what is in a folder"),
        row("GET", "/api/v1/users/{user_id}/recent", signed(listing::http::recent), "List the documents of one's own and of one's organizations, last changed first"),
        row("GET", "/api/v1/users/{user_id}/trash", signed(listing::http::trash), "List the trash"),
    ]
}

// == sharing

#[rustfmt::skip]
fn sharing_rows() -> Vec<Row> {
    vec![
        row("POST", "/api/v1/share", signed(sharing::http::share), "Share a document or folder with a user, a team, an address, or by link"),
        row("PATCH", "/api/v1/share", signed(sharing::http::change), "Change how something is shared"),
        row("DELETE", "/api/v1/share", signed(sharing::http::revoke), "Stop sharing something"),
        row("GET", "/api/v1/users/{user_id}/shares", signed(sharing::http::ledger), "List everything that is shared of an account's or by it"),
        row("GET", "/api/v1/users/{user_id}/foreign-folders", signed(sharing::http::foreign_folders), "List the folders that others share with one"),
        row("DELETE", "/api/v1/users/{user_id}/foreign-folders/{owner}/{*path}", signed(sharing::http::leave_folder), "Take a folder off the list of those shared with one"),
        row("GET", "/api/v1/users/{user_id}/foreign-documents", signed(sharing::http::foreign_documents), "List the documents that others share with one"),
        row("DELETE", "/api/v1/users/{user_id}/foreign-documents/{owner}/{doc}", signed(sharing::http::leave_document), "Take a document off the list of those shared with one"),
        row("GET", "/api/v1/users/{user_id}/visible-folders", signed(sharing::http::visible_folders), "List the folders that one may see, for a tree of places to move to"),
        drawn(hidden("GET", "/s/{token}", either(sharing::pages::opened))),
        hidden("POST", "/s/{token}", either(sharing::pages::accept)),
    ]
}

// == comments

#[rustfmt::skip]
fn comment_rows() -> Vec<Row> {
    vec![
        row("GET", "/api/v1/users/{user_id}/documents/{doc}/comments", shared(comments::http::list), "List what is said about a document, and its team members"),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}/comments", shared(comments::http::begin), "Begin a comment thread at a place on the canvas"),
        row("GET", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", shared(comments::http::get), "Read a comment thread"),
        row("POST", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", shared(comments::http::reply), "Add a comment to a thread"),
        row("PUT", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", shared(comments::http::change), "Move a comment thread, or mark it as resolved or open"),
        row("DELETE", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", shared(comments::http::remove_thread), "Remove a comment thread with all its comments"),
        row("PUT", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", shared(comments::http::edit), "Change what one's comment says"),
        row("DELETE", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", shared(comments::http::remove), "Remove one's comment"),
    ]
}

// == casting

#[rustfmt::skip]
fn casting_rows() -> Vec<Row> {
    vec![
        row("POST", "/api/v1/cast/sessions", signed(casting::http::create), "Show a document of one's own on a screen"),
        row("GET", "/api/v1/cast/sessions/{documentId}", signed(casting::http::list), "List the screens that show a document"),
        row("DELETE", "/api/v1/cast/sessions/{sessionId}", signed(casting::http::revoke), "End what a screen shows"),
        row("POST", "/api/v1/cast/pair", open(casting::http::begin_pairing), "Get a code for a screen, to be entered elsewhere"),
        row("GET", "/api/v1/cast/pair/{poll_token}", open(casting::http::poll_pairing), "Ask whether a screen's code was entered"),
        any_site(waiting(row("GET", "/api/v1/cast/{token}/check", by_token(casting::screen::check), "Ask whether a screen's session holds and what it should show"))),
        any_site(waiting(row("GET", "/api/v1/cast/{token}/document", by_token(casting::screen::document), "Read what a screen shows"))),
        drawn(row("GET", "/api/v1/cast/{token}/document.svg", by_token(casting::screen::svg), "Draw what a screen shows as SVG, to its size")),
        drawn(row("GET", "/api/v1/cast/{token}/document.png", by_token(casting::screen::png), "Draw what a screen shows as PNG, to its size")),
        waiting(row("GET", "/api/v1/cast/{token}/events", by_token(casting::screen::events), "Be told when a screen should show something else (server-sent events)")),
        row("POST", "/api/v1/cast/{token}/seen", by_token(casting::screen::seen), "Tell what a screen shows"),
        hidden("GET", "/cast/receiver", open(casting::pages::receiver)),
        hidden("GET", "/cast/{token}", open(casting::pages::receiver)),
        hidden("GET", "/pair", either(casting::pages::enter)),
        hidden("GET", "/pair/{code}", signed(casting::pages::choose)),
        hidden("POST", "/pair/{code}", signed(casting::pages::confirm)),
        hidden("GET", "/assets/cast/{file}", open(casting::pages::asset)),
    ]
}

// == pages

fn page_rows() -> Vec<Row> {
    vec![
        hidden("GET", "/", either(pages::library::all)),
        hidden("GET", "/f/{owner}", signed(pages::library::root)),
        hidden("GET", "/f/{owner}/{*path}", signed(pages::library::folder)),
        hidden("GET", "/recent", signed(pages::library::recent)),
        hidden("GET", "/shared", signed(pages::library::shared)),
        hidden("GET", "/trash", signed(pages::library::trash)),
        waiting(hidden("GET", "/search", signed(pages::library::search))),
        drawn(hidden("GET", "/d/{owner}/{doc}", shared(pages::chart::page))),
        hidden("GET", "/help/errors/{code}", either(pages::http::error_help)),
        hidden("GET", "/assets/{*path}", open(pages::http::asset)),
    ]
}
