//! Handlers of `/orgs/{org}/settings`.

use super::actions;
use super::rules::Settings;
use super::rules::SettingsPatch;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs::Layout;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RequiredJson;

/// Handles `GET /orgs/{org}/settings`, for all members.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Settings>> {
    let org: String = request.param("org")?;
    request.app.db.read(|tx| Ok(Json(actions::read_settings(tx, &org, &caller.id)?)))
}

/// Handles `PUT /orgs/{org}/settings`, for brand managers and admins: replaces all settings. An
/// absent field is reset to its default.
pub fn put(
    request: &RequestContext,
    caller: &User,
    RequiredJson(body): RequiredJson<Settings>,
) -> Result<NoContent> {
    change_settings(request, caller, move |_| Ok(body.clone()))
}

/// Handles `PATCH /orgs/{org}/settings`, for brand managers and admins. An absent field keeps its
/// value.
pub fn patch(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<SettingsPatch>,
) -> Result<NoContent> {
    change_settings(request, caller, move |settings| Ok(settings.with_patch(body.clone())))
}

/// Handles `POST /orgs/{org}/settings/layouts`, for brand managers and admins: adds a preset at the
/// end, or replaces the one with the same name. The name is required.
pub fn add_layout(
    request: &RequestContext,
    caller: &User,
    (key, RequiredJson(body)): (IdempotencyKey, RequiredJson<Layout>),
) -> Result<NoContent> {
    body.check("")?;
    if body.name.is_none() {
        return Err(Error::invalid_field("name", "is required"));
    }
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    let caller_id = caller.to_string();
    let check_access = {
        let (org, caller) = (org.clone(), caller.clone());
        move |tx: &Tx<'_>| actions::check_may_change(tx, &org, &caller)
    };
    request.write_idempotent(&key, &caller_id, check_access, move |tx| {
        actions::change_settings(tx, &org, &caller, None, |settings| {
            Ok(settings.with_layout(body.clone()))
        })?;
        Ok(Response::no_content())
    })?;
    Ok(NoContent)
}

/// Handles `DELETE /orgs/{org}/settings/layouts/{name}`, for brand managers and admins. `NotFound`
/// without such a preset.
pub fn remove_layout(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let name: String = request.param("name")?;
    change_settings(request, caller, move |settings| settings.without_layout(&name))
}

/// Handles `DELETE /orgs/{org}/settings/{key}`, for brand managers and admins: resets one setting
/// to its default. `NotFound` without such a setting.
pub fn reset(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let key: String = request.param("key")?;
    change_settings(request, caller, move |settings| settings.with_default(&key))
}

/// Handles `DELETE /orgs/{org}/settings/layouts`: [`reset`] for the setting that has a path of its
/// own.
pub fn reset_layouts(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    change_settings(request, caller, |settings| settings.with_default("layouts"))
}

/// Changes the settings of the organization in the path. The caller must have at least the role of
/// a brand manager.
fn change_settings(
    request: &RequestContext,
    caller: &User,
    change: impl Fn(Settings) -> Result<Settings> + Send + 'static,
) -> Result<NoContent> {
    let (org, caller) = (request.param::<String>("org")?, caller.id.clone());
    let session = accounts::session_hash(request);
    request
        .app
        .db
        .write(move |tx| actions::change_settings(tx, &org, &caller, session.as_ref(), &change))?;
    Ok(NoContent)
}
