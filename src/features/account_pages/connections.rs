//! The page of the connections to cloud storage.

use askama::Template;
use chartroom_cloud::Provider;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use crate::features::cloud;
use crate::features::cloud::Connection;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::ConnectionId;
use chartroom_platform::language;

/// Path of the page.
const PATH: &str = "/account/connections";

/// Names and labels of the fields.
const FIELDS: &FieldLabels = &[("title", "common.name")];

/// The page of the connections.
#[derive(Template)]
#[template(path = "account-connections.html")]
struct ConnectionsPage<'a> {
    frame: Frame,
    title: &'static str,
    connections: Vec<Row>,
    /// Providers that the operator has set up.
    offered: Vec<Offer>,
    /// Names of the providers that the operator has not set up, separated by commas.
    missing: String,
    problem: &'a Problem,
}

/// The page that asks before a connection ends.
#[derive(Template)]
#[template(path = "account-disconnect.html")]
struct DisconnectPage {
    frame: Frame,
    title: &'static str,
    connection: Connection,
}

/// A connection in the list.
struct Row {
    connection: Connection,
    provider: &'static str,
    /// Path that permits the access again. None if the operator has not set up the provider.
    renew: Option<String>,
}

/// A provider to connect.
struct Offer {
    title: &'static str,
    path: String,
}

/// Returns the path that begins a connection and leads back to this page.
fn start_path(provider: Provider) -> String {
    format!("/cloud/oauth/{}/start", provider.as_str())
}

/// Handles `GET /account/connections`.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &Problem::default())
}

/// Handles `POST /account/connections/{id}`: renames a connection.
pub fn rename(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (user, id) = (caller.id.clone(), request.param::<ConnectionId>("id")?);
    let title = form.value("title").to_owned();
    let renamed = request.app.db.write(move |tx| cloud::rename_connection(tx, &user, &id, &title));
    match renamed {
        Ok(_) => frame::redirect(PATH, "connection-renamed"),
        Err(error) => show_page(request, caller, &Problem::from_error(error, FIELDS)?),
    }
}

/// Handles `GET /account/connections/{id}/remove`: asks before a connection ends.
pub fn remove_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let id = request.param::<ConnectionId>("id")?;
    let connection = request.app.db.read(|tx| cloud::find_connection(tx, &caller.id, &id))?;
    let page = DisconnectPage {
        frame: Frame::new(request, caller, Section::Connections),
        title: language::text("account.disconnectTitle"),
        connection,
    };
    page_parts::render_with_problem(&page, &Problem::default())
}

/// Handles `POST /account/connections/{id}/remove`: ends a connection. One that does not exist any more
/// counts as ended.
pub fn remove(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (user, id) = (caller.id.clone(), request.param::<ConnectionId>("id")?);
    match request.app.db.write_with_reserve(move |tx| cloud::delete_connection(tx, &user, &id)) {
        Ok(()) | Err(Error::NotFound(_)) => frame::redirect(PATH, "connection-removed"),
        Err(error) => Err(error),
    }
}

/// Shows the page.
fn show_page(request: &RequestContext, caller: &User, problem: &Problem) -> Result<Response> {
    let config = &request.app.config;
    let is_set_up = |provider: Provider| cloud::find_settings(config, provider).is_some();
    let all = request.app.db.read(|tx| cloud::list_connections(tx, &caller.id))?;
    let row = |connection: Connection| Row {
        provider: connection.provider.title(),
        renew: is_set_up(connection.provider).then(|| start_path(connection.provider)),
        connection,
    };
    let (offered, missing): (Vec<Provider>, Vec<Provider>) =
        Provider::ALL.into_iter().partition(|provider| is_set_up(*provider));
    let offer = |provider: Provider| Offer { title: provider.title(), path: start_path(provider) };
    let page = ConnectionsPage {
        frame: Frame::new(request, caller, Section::Connections),
        title: language::text("account.connections"),
        connections: all.into_iter().map(row).collect(),
        offered: offered.into_iter().map(offer).collect(),
        missing: missing.into_iter().map(Provider::title).collect::<Vec<_>>().join(", "),
        problem,
    };
    page_parts::render_with_problem(&page, problem)
}
