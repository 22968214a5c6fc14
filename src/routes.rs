//! The route table: method, path, guard, handler and OpenAPI summary of every route.
//!
//! A guard states who may call the handler, and its type determines the caller argument: none for
//! `public` and `token_in_path`, `Option<&User>` for `optional_auth`, `&User` for `authenticated`
//! and `authenticated_with_body`, and `&Caller` (an account or a guest with a share link) for
//! `account_or_link` and `account_or_link_with_body`. A handler with the wrong guard does not
//! compile.

mod cloud_routes;
mod definition;
mod guards;
mod page_routes;
mod scim_routes;
mod sso_routes;

use std::sync::Arc;
use std::sync::LazyLock;

pub use definition::AppRoute;
use definition::accepts_bytes;
use definition::accepts_document_body;
use definition::accepts_public_form;
use definition::allow_any_origin;
use definition::may_use_remote_pool;
use definition::route;
use definition::undocumented;
use definition::uses_remote_pool;
use definition::uses_render_pool;
use definition::uses_write_pool;
pub use guards::AppAccessCheck;
pub use guards::AppHandler;
use guards::account_or_link;
use guards::account_or_link_with_body;
use guards::authenticated;
use guards::authenticated_for_setup;
use guards::authenticated_with_body;
use guards::document_writer;
use guards::optional_auth;
use guards::optional_auth_for_setup;
use guards::public;
use guards::token_in_path;

use crate::app::App;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::casting;
use crate::features::cloud;
use crate::features::comments;
use crate::features::documents::http::data as document_data;
use crate::features::documents::http::download_tokens as document_token;
use crate::features::documents::http::export as export_document;
use crate::features::documents::http::history as document_history;
use crate::features::documents::http::read as read_document;
use crate::features::documents::http::render as render_document;
use crate::features::documents::http::table_download as download_table;
use crate::features::documents::http::tables as analyze_table;
use crate::features::documents::http::write as write_document;
use crate::features::external;
use crate::features::folders;
use crate::features::listing;
use crate::features::me;
use crate::features::orgs;
use crate::features::pages;
use crate::features::people;
use crate::features::portfolio::http as portfolio;
use crate::features::presence;
use crate::features::sharing;
use crate::features::sso;
use crate::features::stars;
use crate::features::sync;
use chartroom_platform::http::Json;
use chartroom_platform::http::Response;
use chartroom_platform::http::Route;
use chartroom_platform::http::health;
use chartroom_platform::http::openapi;
use chartroom_platform::http::openapi::OpenApiDocument;
use chartroom_platform::http::route::AccessCheck;
use chartroom_platform::http::route::Handler;

/// Binds the application to all handlers, so that the server can run them.
pub fn bind_app(routes: Vec<AppRoute>, app: &Arc<App>) -> Vec<Route> {
    let bind_handler = |handler: AppHandler, app: Arc<App>| -> Handler {
        Box::new(move |request| handler(&RequestContext { app: &app, request }))
    };
    let bind_check = |check: AppAccessCheck, app: Arc<App>| -> AccessCheck {
        Box::new(move |request| check(&RequestContext { app: &app, request }))
    };
    routes
        .into_iter()
        .map(|route| {
            route.map(
                |handler| bind_handler(handler, app.clone()),
                |check| bind_check(check, app.clone()),
            )
        })
        .collect()
}

/// Returns all routes of the program.
pub fn all_routes() -> Vec<AppRoute> {
    add_help_route(routes_without_help())
}

/// Returns all routes of the program without the help page that lists them.
fn routes_without_help() -> Vec<AppRoute> {
    let mut routes = health_routes();
    routes.extend(account_routes());
    routes.extend(org_routes());
    routes.extend(org_sso_routes());
    routes.extend(portfolio_routes());
    routes.extend(document_routes());
    routes.extend(folder_routes());
    routes.extend(listing_routes());
    routes.extend(sharing_routes());
    routes.extend(comment_routes());
    routes.extend(presence_routes());
    routes.extend(sync_routes());
    routes.extend(cloud_routes::cloud_routes());
    routes.extend(casting_routes());
    routes.extend(sso_routes::sso_routes());
    routes.extend(scim_routes::scim_routes());
    routes.extend(page_routes::org_page_routes());
    routes.extend(page_routes::org_sso_page_routes());
    routes.extend(page_routes::account_page_routes());
    routes.extend(page_routes::page_routes());
    routes.push(openapi_route());
    routes
}

/// Returns the text of the OpenAPI document of all routes. A test compares it with `routes/openapi.json`.
pub fn generate_openapi_text() -> String {
    openapi::generate_text(&routes_without_help())
}

/// Returns the route of the OpenAPI document, which describes all routes. The document is part of the
/// program: the server would keep three more megabytes after generating it.
fn openapi_route() -> AppRoute {
    static DOCUMENT: LazyLock<OpenApiDocument> =
        LazyLock::new(|| OpenApiDocument::from_text(include_str!("routes/openapi.json")));
    let guard = public(|_, (): ()| Ok(Json(serde_json::Map::new())));
    let summary = "Read the OpenAPI 3.1 document of this API";
    let mut route = route("GET", "/api/v1/openapi.json", guard, summary);
    route.handler = Box::new(|_| DOCUMENT.response());
    route
}

/// Appends the route of the help page that lists the documented routes in `routes`. The list is
/// built once, now.
fn add_help_route(mut routes: Vec<AppRoute>) -> Vec<AppRoute> {
    let groups = pages::group_api_routes(&routes);
    let guard = optional_auth(|_, _, (): ()| Ok(Response::no_content()));
    let mut own = undocumented("GET", "/help/api", guard);
    own.handler = Box::new(move |request| {
        pages::http::api(accounts::authenticate(request)?.as_ref(), &groups)
    });
    routes.push(own);
    routes
}

// == health

/// Returns the routes of the health checks, without documentation.
fn health_routes() -> Vec<AppRoute> {
    vec![
        undocumented("GET", "/livez", public(|_, (): ()| Ok(health::check_liveness()))),
        undocumented(
            "GET",
            "/readyz",
            public(|request, (): ()| health::check_readiness(&request.app.db, &request.app.search)),
        ),
    ]
}

// == accounts, orgs, me

/// Routes of organizations and their people.
#[rustfmt::skip]
fn org_routes() -> Vec<AppRoute> {
    vec![
        route("GET", "/api/v1/orgs/{org}", authenticated(orgs::http::get), "Read an organization of the caller"),
        route("PATCH", "/api/v1/orgs/{org}", authenticated_with_body(orgs::http::check_may_change, orgs::http::patch), "Change the name or the theme of an organization"),
        route("GET", "/api/v1/orgs/{org}/settings", authenticated(orgs::settings::http::get), "Read the settings of an organization"),
        route("PUT", "/api/v1/orgs/{org}/settings", authenticated_with_body(orgs::http::check_may_change, orgs::settings::http::put), "Replace all settings of an organization"),
        route("PATCH", "/api/v1/orgs/{org}/settings", authenticated_with_body(orgs::http::check_may_change, orgs::settings::http::patch), "Change some settings of an organization"),
        route("POST", "/api/v1/orgs/{org}/settings/layouts", authenticated_with_body(orgs::http::check_may_change, orgs::settings::http::add_layout), "Add or replace a layout preset"),
        route("DELETE", "/api/v1/orgs/{org}/settings/layouts", authenticated(orgs::settings::http::reset_layouts), "Remove all layout presets"),
        route("DELETE", "/api/v1/orgs/{org}/settings/layouts/{name}", authenticated(orgs::settings::http::remove_layout), "Remove a layout preset"),
        route("DELETE", "/api/v1/orgs/{org}/settings/{key}", authenticated(orgs::settings::http::reset), "Reset a setting to its default"),
        route("GET", "/api/v1/orgs/{org}/members", authenticated(people::members::http::list), "List the members of an organization"),
        route("POST", "/api/v1/orgs/{org}/members/remove", authenticated_with_body(orgs::http::check_may_remove, people::members::http::remove), "Remove members from an organization"),
        route("GET", "/api/v1/orgs/{org}/users", authenticated(people::managed::http::list), "List the managed accounts of an organization"),
        route("POST", "/api/v1/orgs/{org}/users/check", authenticated_with_body(orgs::http::check_is_admin, people::managed::http::check), "Check whether a managed account can be created"),
        route("POST", "/api/v1/orgs/{org}/users", authenticated_with_body(orgs::http::check_is_admin, people::managed::http::create), "Create a managed account"),
        route("GET", "/api/v1/orgs/{org}/users/{id}", authenticated(people::managed::http::get), "Read a managed account"),
        route("PATCH", "/api/v1/orgs/{org}/users/{id}", authenticated_with_body(orgs::http::check_is_admin, people::managed::http::patch), "Change a managed account"),
        route("DELETE", "/api/v1/orgs/{org}/users/{id}", authenticated(people::managed::http::delete), "Remove a managed account and keep its documents"),
        route("POST", "/api/v1/orgs/{org}/users/{id}/send", authenticated(people::managed::http::send_password_link), "Send a managed account a new link to set a password"),
        route("DELETE", "/api/v1/orgs/{org}/users/{id}/second-factor", authenticated(people::managed::http::reset_second_factor), "Remove the second factor of a managed account that has lost it"),
        route("GET", "/api/v1/orgs/{org}/invites", authenticated(people::invites::http::list), "List the open invites of an organization"),
        route("POST", "/api/v1/orgs/{org}/invites/check", authenticated_with_body(orgs::http::check_is_admin, people::invites::http::check), "Check whether people can be invited"),
        route("POST", "/api/v1/orgs/{org}/invites", authenticated_with_body(orgs::http::check_is_admin, people::invites::http::create), "Invite people to an organization"),
        route("DELETE", "/api/v1/orgs/{org}/invite/{id}", authenticated(people::invites::http::delete), "Delete an open invite"),
        route("POST", "/api/v1/orgs/{org}/invites/{id}/send", authenticated(people::invites::http::send), "Send an open invite again"),
        route("GET", "/api/v1/orgs/{org}/subscription", authenticated(people::subscription::get), "Read the subscription of an organization"),
        route("GET", "/api/v1/orgs/{org}/teams", authenticated(orgs::teams::http::list), "List the teams of an organization"),
        route("POST", "/api/v1/orgs/{org}/teams", authenticated_with_body(orgs::http::check_is_admin, orgs::teams::http::create), "Create a team and its folder"),
        route("GET", "/api/v1/orgs/{org}/team/{team}", authenticated(orgs::teams::http::get), "Read a team with its members"),
        route("PUT", "/api/v1/orgs/{org}/team/{team}", authenticated_with_body(orgs::http::check_is_admin, orgs::teams::http::put), "Rename a team or set its members"),
        route("DELETE", "/api/v1/orgs/{org}/team/{team}", authenticated(orgs::teams::http::delete), "Delete a team but keep its folder"),
        route("PUT", "/api/v1/orgs/{org}/team/{team}/member/{id}", authenticated(orgs::teams::http::add_member), "Add a member to a team"),
        route("DELETE", "/api/v1/orgs/{org}/team/{team}/member/{id}", authenticated(orgs::teams::http::remove_member), "Remove a member from a team"),
        route("GET", "/api/v1/orgs/{org}/domains", authenticated(orgs::domains::http::list), "List the domains of an organization"),
        route("POST", "/api/v1/orgs/{org}/domains", authenticated_with_body(orgs::domains::http::check_may_change, orgs::domains::http::register), "Register a domain and get the TXT record that proves its ownership"),
        uses_remote_pool(route("POST", "/api/v1/orgs/{org}/domains/{domain}/verify", authenticated(orgs::domains::http::verify), "Look up the TXT record of a domain and update its status")),
        route("DELETE", "/api/v1/orgs/{org}/domains/{domain}", authenticated(orgs::domains::http::delete), "Remove a domain from an organization"),
        route("GET", "/api/v1/orgs/{org}/themes", authenticated(orgs::themes::http::list), "List the themes of an organization"),
        route("POST", "/api/v1/orgs/{org}/themes", authenticated_with_body(orgs::themes::http::check_may_change, orgs::themes::http::create), "Create a theme"),
        route("GET", "/api/v1/orgs/{org}/themes/{name}", authenticated(orgs::themes::http::get), "Read a theme"),
        route("PUT", "/api/v1/orgs/{org}/themes/{name}", authenticated_with_body(orgs::themes::http::check_may_change, orgs::themes::http::put), "Replace a theme"),
        route("DELETE", "/api/v1/orgs/{org}/themes/{name}", authenticated(orgs::themes::http::delete), "Delete a theme; documents with it get the default theme"),
        route("GET", "/api/v1/orgs/{org}/assets", authenticated(orgs::assets::http::list), "List the images and fonts of an organization"),
        accepts_bytes(orgs::assets::http::MAX_UPLOAD_BYTES, route("POST", "/api/v1/orgs/{org}/assets", authenticated_with_body(orgs::assets::http::check_may_change, orgs::assets::http::upload), "Upload an image or a font as a form")),
        route("GET", "/api/v1/orgs/{org}/assets/{filename}", authenticated(orgs::assets::http::get), "Read an image or a font"),
        accepts_bytes(orgs::assets::http::MAX_UPLOAD_BYTES, route("PUT", "/api/v1/orgs/{org}/assets/{filename}", authenticated_with_body(orgs::assets::http::check_may_change, orgs::assets::http::put), "Upload or replace an image or a font")),
        route("DELETE", "/api/v1/orgs/{org}/assets/{filename}", authenticated(orgs::assets::http::delete), "Delete an image or a font"),
        route("GET", "/api/v1/orgs/{org}/audit-log", authenticated(orgs::audit_log::http::list), "List the changes of an organization and of what it owns, or export them"),
    ]
}

/// Returns the routes of the identity providers of organizations.
#[rustfmt::skip]
fn org_sso_routes() -> Vec<AppRoute> {
    vec![
        route("GET", "/api/v1/orgs/{org}/sso", authenticated(sso::settings::http::get), "Read the identity provider of an organization for single sign-on"),
        route("PUT", "/api/v1/orgs/{org}/sso", authenticated_with_body(sso::settings::http::check_may_change, sso::settings::http::put), "Set the identity provider of an organization for single sign-on"),
        route("DELETE", "/api/v1/orgs/{org}/sso", authenticated(sso::settings::http::delete), "Remove the identity provider of an organization"),
    ]
}

/// Returns the routes of accounts, sign-in, organizations, teams and the current user.
#[rustfmt::skip]
fn account_routes() -> Vec<AppRoute> {
    vec![
        // accounts
        route("DELETE", "/api/v1/session", authenticated_for_setup(accounts::http::end_session), "End the current session"),
        route("GET", "/api/v1/user/tokens", authenticated(accounts::http::list_tokens), "List the caller's API tokens"),
        route("POST", "/api/v1/user/tokens", authenticated(accounts::http::create_token), "Create an API token; its value is returned only once"),
        route("DELETE", "/api/v1/user/tokens/{id}", authenticated(accounts::http::delete_token), "Delete an API token"),
        route("GET", "/api/v1/user/sessions", authenticated(accounts::http::list_sessions), "List the caller's browser sessions"),
        route("DELETE", "/api/v1/user/sessions", authenticated(accounts::http::delete_other_sessions), "End all browser sessions of the caller except that of the request"),
        route("DELETE", "/api/v1/user/sessions/{id}", authenticated(accounts::http::delete_session), "End a browser session of the caller"),
        route("GET", "/api/v1/user/second-factor", authenticated_for_setup(accounts::second_factor::http::get), "Read the state of the caller's second factor"),
        route("POST", "/api/v1/user/second-factor", authenticated_for_setup(accounts::second_factor::http::set_up), "Create a secret for a second factor, which works once it is confirmed"),
        route("POST", "/api/v1/user/second-factor/confirm", authenticated_for_setup(accounts::second_factor::http::confirm), "Turn on the second factor with a first code, and get the recovery codes"),
        route("POST", "/api/v1/user/second-factor/recovery-codes", authenticated(accounts::second_factor::http::renew_recovery_codes), "Replace the recovery codes of the second factor"),
        route("DELETE", "/api/v1/user/second-factor", authenticated(accounts::second_factor::http::disable), "Turn off the second factor"),
        route("GET", "/api/v1/user/notifications", authenticated(accounts::http::get_notifications), "Read which mails about actions of other people the caller gets"),
        route("PATCH", "/api/v1/user/notifications", authenticated(accounts::http::patch_notifications), "Switch mails about actions of other people on or off"),
        undocumented("POST", "/sign-out", optional_auth_for_setup(accounts::pages::sign_out)),
        undocumented("GET", "/setup/{token}", public(accounts::pages::setup_page)),
        accepts_public_form(undocumented("POST", "/setup/{token}", public(accounts::pages::submit_setup))),
        undocumented("GET", "/forgot-password", public(accounts::reset_pages::page)),
        accepts_public_form(undocumented("POST", "/forgot-password", public(accounts::reset_pages::submit))),
        undocumented("GET", "/set-password/{token}", public(accounts::pages::set_password_page)),
        accepts_public_form(undocumented("POST", "/set-password/{token}", public(accounts::pages::submit_password))),

        // me
        route("POST", "/api/v1/session", public(me::http::sign_in), "Sign in with a password and set the session cookie"),
        route("GET", "/api/v1/user", authenticated(me::http::get), "Read the current user"),
        route("PATCH", "/api/v1/user", authenticated(me::http::patch), "Change the current user"),
        accepts_bytes(me::avatar_upload::MAX_AVATAR_BYTES, route("PUT", "/api/v1/user/avatar", authenticated(me::http::put_avatar), "Upload an avatar: a PNG, JPEG or WebP image")),
        route("DELETE", "/api/v1/user/avatar", authenticated(me::http::delete_avatar), "Remove the uploaded avatar"),
        route("GET", "/api/v1/users/{user_id}/avatar.svg", authenticated_for_setup(me::http::avatar), "Render an avatar"),
    ]
}

// == portfolio

/// Returns the routes of the portfolio: the lists, descriptions, images, downloads and reviews of
/// chart kinds, and the favorites of the caller.
#[rustfmt::skip]
fn portfolio_routes() -> Vec<AppRoute> {
    vec![
        route("GET", "/api/v1/portfolio", optional_auth(portfolio::list), "List the chart kinds"),
        route("GET", "/api/v1/portfolio/search", optional_auth(portfolio::search), "Search the chart kinds"),
        route("GET", "/api/v1/portfolio/widgets/{id}", optional_auth(portfolio::details), "Read the description of a chart kind"),
        uses_render_pool(route("GET", "/api/v1/portfolio/widgets/{id}/thumbnail.svg", public(portfolio::thumbnail), "Render the example of a chart kind")),
        route("GET", "/api/v1/portfolio/widgets/{id}/icon.svg", public(portfolio::icon), "Read the icon of a chart kind"),
        route("PUT", "/api/v1/portfolio/favorites/{id}", authenticated(portfolio::add_favorite), "Add a chart kind to the favorites"),
        route("DELETE", "/api/v1/portfolio/favorites/{id}", authenticated(portfolio::remove_favorite), "Remove a chart kind from the favorites"),
        route("GET", "/api/v1/widgets/{id}", optional_auth(portfolio::download), "Download a chart kind"),
        route("GET", "/api/v1/widgets/{id}/reviews", public(portfolio::reviews), "List the public reviews of a chart kind"),
        route("POST", "/api/v1/widgets/{id}/reviews", authenticated(portfolio::review), "Review a chart kind"),
    ]
}

// == documents

/// Returns the routes of documents: content, history, images and download tokens.
#[rustfmt::skip]
fn document_routes() -> Vec<AppRoute> {
    vec![
        uses_render_pool(accepts_document_body(route("POST", "/api/v1/render", authenticated(render_document::render), "Render a document without storing it"))),
        accepts_document_body(route("POST", "/api/v1/tables/document", authenticated(analyze_table::fill_document), "Show the content that a document would have with a table, without storing either")),
        accepts_document_body(route("POST", "/api/v1/tables", authenticated(analyze_table::analyze), "Analyse a table without storing it, and rate the chart kinds for it")),
        uses_remote_pool(route("POST", "/api/v1/tables/download", authenticated(download_table::download), "Load a table from a URL without storing it")),
        uses_render_pool(accepts_document_body(route("POST", "/api/v1/tables/chart.svg", authenticated(analyze_table::draw), "Draw a table as a chart without storing it"))),
        may_use_remote_pool(external::documents::is_for_this_server, route("POST", "/api/v1/create-document", authenticated(external::documents::create_anywhere), "Create a document")),
        route("GET", "/api/v1/users/{user_id}/documents/{doc}", account_or_link(read_document::get), "Read a document"),
        accepts_document_body(route("PUT", "/api/v1/users/{user_id}/documents/{doc}", document_writer(write_document::put), "Replace a document")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/data.csv", account_or_link(export_document::csv), "Read the data of a document as CSV")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/data.xlsx", account_or_link(export_document::xlsx), "Read the data of a document as an XLSX workbook")),
        accepts_document_body(route("PUT", "/api/v1/users/{user_id}/documents/{doc}/data", document_writer(document_data::put), "Replace the data of a document with JSON, CSV, HTML or a spreadsheet file")),
        accepts_document_body(route("POST", "/api/v1/users/{user_id}/documents/{doc}/data", document_writer(document_data::preview), "Show the content that a document would have with other data, without storing it")),
        route("PATCH", "/api/v1/users/{user_id}/documents/{doc}", account_or_link_with_body(write_document::check_writable, write_document::patch), "Move or rename a document"),
        route("DELETE", "/api/v1/users/{user_id}/documents/{doc}", account_or_link(write_document::delete), "Move a document to the trash, or expunge it"),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}", account_or_link_with_body(write_document::check_readable, write_document::run_action), "Close, fork, duplicate or restore a document"),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}/move", account_or_link_with_body(write_document::check_writable, write_document::move_document), "Move a document without renaming it"),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}/add-record", account_or_link_with_body(write_document::check_writable, write_document::add_record), "Append a record to the data of a document"),
        route("GET", "/api/v1/users/{user_id}/documents/{doc}/history", account_or_link(document_history::list), "List the versions of a document, newest first"),
        route("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}", account_or_link(document_history::get), "Read a version of a document"),
        route("PATCH", "/api/v1/users/{user_id}/documents/{doc}/history/{n}", account_or_link_with_body(write_document::check_readable, document_history::set_name), "Name a version, which protects it from automatic deletion"),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}/history/{n}/restore", account_or_link_with_body(write_document::check_readable, document_history::restore), "Restore a version as the newest; access to the document does not change"),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}/diff", account_or_link(document_history::diff), "Compare two versions")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}.svg", account_or_link(read_document::version_svg), "Render a version as SVG")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}.png", account_or_link(read_document::version_png), "Render a version as PNG")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/history/{n}.pdf", account_or_link(read_document::version_pdf), "Render a version as PDF")),
        uses_write_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/token", account_or_link(document_token::get_or_create), "Read the newest download token, or create one")),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}/token", account_or_link(document_token::create), "Create a download token, which gives access to images without credentials"),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}.svg", account_or_link(read_document::svg), "Render a document as SVG")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}.png", account_or_link(read_document::png), "Render a document as PNG")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}.pdf", account_or_link(read_document::pdf), "Render a document as PDF")),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}.html", account_or_link(read_document::html), "Render a document as an HTML page for embedding")),
        uses_render_pool(undocumented("GET", "/embed/{doc}", account_or_link(read_document::embed))),
        uses_render_pool(route("GET", "/api/v1/users/{user_id}/documents/{doc}/thumbnail.png", account_or_link(read_document::thumbnail), "Read the thumbnail of a document")),
    ]
}

// == folders

/// Returns the routes of folders, except their listings.
#[rustfmt::skip]
fn folder_routes() -> Vec<AppRoute> {
    vec![
        route("GET", "/api/v1/users/{user_id}/folders", account_or_link(folders::http::root), "Read the root folder with its subfolders"),
        route("GET", "/api/v1/users/{user_id}/folders/{*path}", account_or_link(folders::http::get), "Read a folder with its subfolders"),
        route("PUT", "/api/v1/users/{user_id}/folders/{*path}", account_or_link_with_body(folders::http::check_readable, folders::http::put), "Create, move or rename a folder"),
        route("POST", "/api/v1/users/{user_id}/folders/{*path}", account_or_link_with_body(folders::http::check_readable, folders::http::post), "Duplicate or restore a folder"),
        route("DELETE", "/api/v1/users/{user_id}/folders/{*path}", account_or_link(folders::http::delete), "Move a folder to the trash, or expunge it"),
        route("DELETE", "/api/v1/users/{user_id}/trash", authenticated(folders::http::empty_trash), "Empty the trash"),
    ]
}

// == listing

/// Returns the routes of search and of lists of documents and folders.
#[rustfmt::skip]
fn listing_routes() -> Vec<AppRoute> {
    vec![
        uses_write_pool(route("GET", "/api/v1/search", account_or_link(listing::http::search), "Search documents and folders")),
        route("GET", "/api/v1/users/{user_id}/list", account_or_link(listing::http::root), "List the content of the root folder"),
        route("GET", "/api/v1/users/{user_id}/list/{*path}", account_or_link(listing::http::folder), "List the content of a folder"),
        route("GET", "/api/v1/users/{user_id}/recent", authenticated(listing::http::recent), "List the documents of the caller and of their organizations by last change, newest first"),
        route("GET", "/api/v1/users/{user_id}/trash", authenticated(listing::http::trash), "List the trash"),
    ]
}

// == sharing

/// Returns the routes of shares and share links.
#[rustfmt::skip]
fn sharing_routes() -> Vec<AppRoute> {
    vec![
        route("POST", "/api/v1/share", authenticated(sharing::http::share), "Share a document or folder with a user, a team, an e-mail address, or by link"),
        route("PATCH", "/api/v1/share", authenticated(sharing::http::change), "Change a share"),
        route("DELETE", "/api/v1/share", authenticated(sharing::http::revoke), "Revoke a share"),
        route("GET", "/api/v1/users/{user_id}/shares", authenticated(sharing::http::list_granted_shares), "List the shares of an account"),
        route("GET", "/api/v1/users/{user_id}/foreign-folders", authenticated(sharing::http::foreign_folders), "List the folders that other accounts share with the caller"),
        route("DELETE", "/api/v1/users/{user_id}/foreign-folders/{owner}/{*path}", authenticated(sharing::http::leave_folder), "Remove a folder from the list of shared folders"),
        route("GET", "/api/v1/users/{user_id}/foreign-documents", authenticated(sharing::http::foreign_documents), "List the documents that other accounts share with the caller"),
        route("DELETE", "/api/v1/users/{user_id}/foreign-documents/{owner}/{doc}", authenticated(sharing::http::leave_document), "Remove a document from the list of shared documents"),
        route("GET", "/api/v1/users/{user_id}/stars", authenticated(stars::http::list), "List the documents that the caller has starred"),
        route("PUT", "/api/v1/users/{user_id}/stars/{owner}/{doc}", authenticated(stars::http::add), "Star a document"),
        route("DELETE", "/api/v1/users/{user_id}/stars/{owner}/{doc}", authenticated(stars::http::remove), "Remove the star of a document"),
        route("GET", "/api/v1/users/{user_id}/visible-folders", authenticated(sharing::http::visible_folders), "List all folders that the caller may read, for a tree of move targets"),
        uses_render_pool(undocumented("GET", "/s/{token}", optional_auth(sharing::pages::link_page))),
        accepts_public_form(undocumented("POST", "/s/{token}", optional_auth(sharing::pages::accept))),
        undocumented("GET", "/invite/{token}", optional_auth(people::invites::pages::page)),
        accepts_public_form(undocumented("POST", "/invite/{token}", optional_auth(people::invites::pages::accept))),
    ]
}

// == comments

/// Returns the routes of comment threads and comments.
#[rustfmt::skip]
fn comment_routes() -> Vec<AppRoute> {
    vec![
        route("GET", "/api/v1/users/{user_id}/documents/{doc}/comments", account_or_link(comments::http::list), "List the comment threads of a document, and its team members"),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}/comments", account_or_link_with_body(comments::http::check_readable, comments::http::create), "Create a comment thread at a position on the canvas"),
        route("GET", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", account_or_link(comments::http::get), "Read a comment thread"),
        route("POST", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", account_or_link_with_body(comments::http::check_readable, comments::http::reply), "Add a comment to a thread"),
        route("PUT", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", account_or_link_with_body(comments::http::check_readable, comments::http::change), "Move a comment thread, or mark it as resolved or open"),
        route("DELETE", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}", account_or_link(comments::http::remove_thread), "Delete a comment thread with all its comments"),
        route("PUT", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", account_or_link_with_body(comments::http::check_readable, comments::http::edit), "Change a comment of the caller"),
        route("DELETE", "/api/v1/users/{user_id}/documents/{doc}/comments/{thread}/{comment}", account_or_link(comments::http::remove), "Delete a comment of the caller"),
    ]
}

// == presence

/// Returns the route of the people who have a document open.
#[rustfmt::skip]
fn presence_routes() -> Vec<AppRoute> {
    vec![route("GET", "/api/v1/users/{user_id}/documents/{doc}/presence", authenticated(presence::http::stream), "Receive the people who have a document open, and its changes (server-sent events)")]
}

// == sync

/// Returns the routes of the sources that keep documents up to date.
#[rustfmt::skip]
fn sync_routes() -> Vec<AppRoute> {
    vec![
        uses_remote_pool(route("POST", "/api/v1/sync/document/check", authenticated(sync::http::check), "Check whether a source has a table, and list its worksheets")),
        uses_remote_pool(route("POST", "/api/v1/sync/document", authenticated(sync::http::read), "Read the worksheets of a source")),
        route("POST", "/api/v1/sync/create", authenticated(sync::http::create), "Set up the source that keeps the data of a document up to date"),
        uses_remote_pool(route("GET", "/api/v1/sync/document/{document}", account_or_link(sync::http::get), "Read the sync job of a document")),
        route("DELETE", "/api/v1/sync/document/{document}", account_or_link(sync::http::delete), "Remove the source of a document; its data stay"),
        route("GET", "/api/v1/sync/providers", authenticated(cloud::http::providers), "List the providers of cloud storage"),
        route("GET", "/api/v1/sync/connections", authenticated(cloud::http::connections), "List the connections of the caller to cloud storage"),
        route("DELETE", "/api/v1/sync/connections/{connectionId}", authenticated(cloud::http::delete), "Remove a connection of the caller"),
        route("GET", "/api/v1/user/cloud/connections", authenticated(cloud::http::connections), "List the connections of the caller to cloud storage"),
    ]
}

// == casting

/// Returns the routes of cast sessions and pairing, for the API, the screens and the pages.
#[rustfmt::skip]
fn casting_routes() -> Vec<AppRoute> {
    vec![
        route("POST", "/api/v1/cast/sessions", authenticated(casting::http::create), "Create a cast session, which shows a document on a screen"),
        route("GET", "/api/v1/cast/sessions/{documentId}", authenticated(casting::http::list), "List the active cast sessions of a document"),
        route("DELETE", "/api/v1/cast/sessions/{sessionId}", authenticated(casting::http::revoke), "End a cast session"),
        route("POST", "/api/v1/cast/pair", public(casting::http::create_pairing), "Create a pairing code for a screen"),
        route("GET", "/api/v1/cast/pair/{poll_token}", public(casting::http::poll_pairing), "Read the state of a pairing"),
        allow_any_origin(uses_write_pool(route("GET", "/api/v1/cast/{token}/check", token_in_path(casting::screen::check), "Read the state of a cast session"))),
        allow_any_origin(uses_render_pool(route("GET", "/api/v1/cast/{token}/document", token_in_path(casting::screen::document), "Read the document of a cast session"))),
        uses_render_pool(route("GET", "/api/v1/cast/{token}/document.svg", token_in_path(casting::screen::svg), "Render the document of a cast session as SVG in the size of the screen")),
        uses_render_pool(route("GET", "/api/v1/cast/{token}/document.png", token_in_path(casting::screen::png), "Render the document of a cast session as PNG in the size of the screen")),
        uses_write_pool(route("GET", "/api/v1/cast/{token}/events", token_in_path(casting::screen::events), "Receive changes of a cast session (server-sent events)")),
        route("POST", "/api/v1/cast/{token}/seen", token_in_path(casting::screen::seen), "Report the document revision that a screen shows"),
        undocumented("GET", "/cast/receiver", public(casting::pages::receiver)),
        undocumented("GET", "/cast/{token}", public(casting::pages::receiver)),
        undocumented("GET", "/pair", optional_auth(casting::pages::code_page)),
        undocumented("GET", "/pair/{code}", authenticated(casting::pages::choice_page)),
        undocumented("POST", "/pair/{code}", authenticated(casting::pages::confirm)),
        undocumented("GET", "/assets/cast/{file}", public(casting::pages::asset)),
    ]
}
