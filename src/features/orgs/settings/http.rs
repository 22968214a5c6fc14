//! Bodies and handlers of `/orgs/{org}/settings`.

use super::rules::Patch;
use super::rules::Settings;
use crate::features::accounts::User;
use crate::features::orgs::Layout;
use crate::features::orgs::Role;
use crate::features::orgs::actions;
use crate::features::orgs::store;
use crate::platform::db::WriteTx;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::http::Call;
use crate::platform::http::IdempotencyKey;
use crate::platform::http::Json;
use crate::platform::http::NoContent;
use crate::platform::http::Reply;
use crate::platform::http::endpoint::Given;
use crate::platform::id::AccountId;

/// `GET /orgs/{org}/settings`: for every member.
pub fn get(call: &Call, caller: &User, (): ()) -> Result<Json<Settings>> {
    let name: String = call.param("org")?;
    call.app.db.read(|tx| {
        let org = actions::membership(tx, &name, &caller.id)?.org;
        Ok(Json(store::settings(tx, &org.id)?))
    })
}

/// `PUT /orgs/{org}/settings`: what is absent gets its default.
pub fn put(call: &Call, caller: &User, Given(body): Given<Settings>) -> Result<NoContent> {
    change(call, caller, move |_| Ok(body.clone()))
}

/// `PATCH /orgs/{org}/settings`.
pub fn patch(call: &Call, caller: &User, Json(body): Json<Patch>) -> Result<NoContent> {
    change(call, caller, move |present| Ok(present.patched(body.clone())))
}

/// `POST /orgs/{org}/settings/layouts`.
pub fn add_layout(
    call: &Call,
    caller: &User,
    (key, Given(body)): (IdempotencyKey, Given<Layout>),
) -> Result<NoContent> {
    body.check("")?;
    if body.name.is_none() {
        return Err(Error::field("name", "is required"));
    }
    let (name, caller) = (call.param::<String>("org")?, caller.id.clone());
    let who = caller.to_string();
    key.write(call, &who, move |tx| {
        change_in(tx, &name, &caller, |present| Ok(present.with_layout(body.clone())))?;
        Ok(Reply::no_content())
    })?;
    Ok(NoContent)
}

/// `DELETE /orgs/{org}/settings/layouts/{name}`.
pub fn remove_layout(call: &Call, caller: &User, (): ()) -> Result<NoContent> {
    let name: String = call.param("name")?;
    change(call, caller, move |present| present.without_layout(&name))
}

/// `DELETE /orgs/{org}/settings/{key}`: back to the default.
pub fn reset(call: &Call, caller: &User, (): ()) -> Result<NoContent> {
    let key: String = call.param("key")?;
    change(call, caller, move |present| present.without(&key))
}

/// `DELETE /orgs/{org}/settings/layouts`: [`reset`] of a key that is a path of its own.
pub fn reset_layouts(call: &Call, caller: &User, (): ()) -> Result<NoContent> {
    change(call, caller, |present| present.without("layouts"))
}

/// A change of the settings by somebody who may.
fn change(
    call: &Call,
    caller: &User,
    to: impl Fn(Settings) -> Result<Settings> + Send + 'static,
) -> Result<NoContent> {
    let (name, caller) = (call.param::<String>("org")?, caller.id.clone());
    call.app.db.write(move |tx| change_in(tx, &name, &caller, &to))?;
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
