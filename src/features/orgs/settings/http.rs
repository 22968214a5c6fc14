//! Bodies and handlers of `/orgs/{org}/settings`.

use super::rules::Patch;
use super::rules::Settings;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs::Layout;
use crate::features::orgs::Role;
use crate::features::orgs::actions;
use crate::features::orgs::store;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Given;
use chartroom_platform::id::AccountId;

/// `GET /orgs/{org}/settings`: for every member.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Settings>> {
    let name: String = request.param("org")?;
    request.app.db.read(|tx| {
        let org = actions::membership(tx, &name, &caller.id)?.org;
        Ok(Json(store::settings(tx, &org.id)?))
    })
}

/// `PUT /orgs/{org}/settings`: what is absent gets its default.
pub fn put(
    request: &RequestContext,
    caller: &User,
    Given(body): Given<Settings>,
) -> Result<NoContent> {
    change(request, caller, move |_| Ok(body.clone()))
}

/// `PATCH /orgs/{org}/settings`.
pub fn patch(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<Patch>,
) -> Result<NoContent> {
    change(request, caller, move |present| Ok(present.patched(body.clone())))
}

/// `POST /orgs/{org}/settings/layouts`.
pub fn add_layout(
    request: &RequestContext,
    caller: &User,
    (key, Given(body)): (IdempotencyKey, Given<Layout>),
) -> Result<NoContent> {
    body.check("")?;
    if body.name.is_none() {
        return Err(Error::field("name", "is required"));
    }
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    let who = caller.to_string();
    request.write_once(&key, &who, move |tx| {
        change_in(tx, &name, &caller, |present| Ok(present.with_layout(body.clone())))?;
        Ok(Response::no_content())
    })?;
    Ok(NoContent)
}

/// `DELETE /orgs/{org}/settings/layouts/{name}`.
pub fn remove_layout(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let name: String = request.param("name")?;
    change(request, caller, move |present| present.without_layout(&name))
}

/// `DELETE /orgs/{org}/settings/{key}`: back to the default.
pub fn reset(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let key: String = request.param("key")?;
    change(request, caller, move |present| present.without(&key))
}

/// `DELETE /orgs/{org}/settings/layouts`: [`reset`] of a key that is a path of its own.
pub fn reset_layouts(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    change(request, caller, |present| present.without("layouts"))
}

/// A change of the settings by somebody who may.
fn change(
    request: &RequestContext,
    caller: &User,
    to: impl Fn(Settings) -> Result<Settings> + Send + 'static,
) -> Result<NoContent> {
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write(move |tx| change_in(tx, &name, &caller, &to))?;
    Ok(NoContent)
}

fn change_in(
    tx: &WriteTx<'_>,
    name: &str,
    caller: &AccountId,
    to: impl Fn(Settings) -> Result<Settings>,
) -> Result<()> {
    let org = actions::changeable(tx, name, caller, Role::BrandManager)?;
    let settings = to(store::settings(tx, &org.id)?)?;
    settings.check()?;
    store::set_settings(tx, &org.id, &settings)
}
