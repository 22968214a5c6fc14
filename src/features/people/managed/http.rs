//! Bodies and handlers of `/orgs/{org}/users`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::ManagedUserChanges;
use super::actions::NewManagedUser;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::orgs::Subscription;
use crate::features::people::admin_write::write_as_admin;
use crate::features::people::admin_write::write_as_admin_once;
use crate::features::people::members;
use crate::features::people::members::MemberQuery;
use crate::features::people::members::PersonView;
use crate::features::people::person::Person;
use crate::features::people::seats::SeatCheck;
use crate::features::people::subscription;
use crate::features::presence;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::AccountId;
use chartroom_platform::json_field::deserialize_nullable;
use chartroom_platform::time::Timestamp;

/// A managed account.
#[derive(Serialize, JsonSchema)]
pub struct ManagedUser {
    #[serde(flatten)]
    person: PersonView,
    /// Identifier at the identity provider, or null.
    sso_id: Option<String>,
    /// Whether the account has a second factor.
    second_factor: bool,
    created: Timestamp,
}

impl ManagedUser {
    /// Converts a managed person to the JSON view. `base_url` is the start of the URL of the avatar,
    /// unless the picture at the identity provider is the avatar.
    fn new(person: Person, base_url: &str) -> Self {
        let picture_url = person.picture_url.clone().filter(|_| !person.has_avatar);
        Self {
            sso_id: person.sso_id.clone(),
            second_factor: person.has_second_factor,
            created: person.created,
            person: PersonView::with_picture(person, base_url, picture_url),
        }
    }
}

/// A page of the managed accounts of an organization.
#[derive(Serialize, JsonSchema)]
pub struct ManagedUsers {
    org_subscription: Subscription,
    /// Accounts in the order in which they became members. Absent if nothing matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<Vec<ManagedUser>>,
}

/// Body of `POST …/users/check` and `POST …/users`. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct NewUserBody {
    /// Full name.
    name: String,
    /// Address on a verified domain of the organization.
    email: String,
    /// `admin`, `brand_manager` or `member`, the default.
    role: Option<String>,
    /// Confirmation from a check. Only for the creation.
    confirmation: Option<String>,
}

/// Body of `PATCH …/users/{id}`. An absent field keeps the stored value.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserPatch {
    /// Full name.
    name: Option<String>,
    /// Address on a verified domain of the organization.
    email: Option<String>,
    /// `admin`, `brand_manager` or `member`.
    role: Option<String>,
    /// Identifier at the identity provider. Null removes it.
    #[serde(default, deserialize_with = "deserialize_nullable")]
    sso_id: Option<Option<String>>,
}

/// Response of a check.
#[derive(Serialize, JsonSchema)]
pub struct CheckedUser {
    org_subscription: Subscription,
    #[serde(flatten)]
    check: SeatCheck,
}

impl NewUserBody {
    /// Converts the body.
    ///
    /// # Errors
    /// `InvalidFields` for `role`.
    fn into_new_user(self) -> Result<NewManagedUser> {
        let role = self.role.as_deref().map_or(Ok(Role::Member), str::parse)?;
        Ok(NewManagedUser { name: self.name, email: self.email, role })
    }
}

/// Handles `GET /orgs/{org}/users`, for admins: the managed accounts.
pub fn list(
    request: &RequestContext,
    caller: &User,
    Query(query): Query<MemberQuery>,
) -> Result<RawJson<ManagedUsers>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    let (filter, page) = (query.filter(true)?, query.page());
    let (users, count) = request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller.id, Role::Admin)?;
        let people = members::list_people(tx, &org.id, &filter)?;
        let count = people.len() as u64;
        let users = members::page_of(people, page).map(|person| ManagedUser::new(person, base_url));
        let users: Vec<ManagedUser> = users.collect();
        let org_subscription = subscription::summarize(tx, &org, base_url)?;
        Ok((ManagedUsers { org_subscription, users: (!users.is_empty()).then_some(users) }, count))
    })?;
    let response = Response::json(&users)?;
    page.add_link_headers(response, base_url, request, count).map(RawJson::new)
}

/// Handles `GET /orgs/{org}/users/{id}`, for admins: a managed account.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<ManagedUser>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    let user = request.param::<AccountId>("id")?;
    request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller.id, Role::Admin)?;
        let person = actions::find_managed_person(tx, &org, &user)?;
        Ok(Json(ManagedUser::new(person, base_url)))
    })
}

/// Handles `POST /orgs/{org}/users/check`, for admins: whether an account can be created, what must
/// change in the subscription, and the confirmation for [`create`]. Changes nothing.
pub fn check(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<NewUserBody>,
) -> Result<Json<CheckedUser>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    let new = body.into_new_user()?;
    request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &name, &caller.id, Role::Admin)?;
        let check = actions::check_new_user(tx, &request.app.server_key, &org, &new)?;
        let org_subscription = subscription::summarize(tx, &org, base_url)?;
        Ok(Json(CheckedUser { org_subscription, check }))
    })
}

/// Handles `POST /orgs/{org}/users`, for admins: creates or restores a managed account and returns
/// it. A repeated request with the same idempotency key gets the stored response.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<NewUserBody>),
) -> Result<RawJson<ManagedUser>> {
    let confirmation = body.confirmation.clone();
    let new = body.into_new_user()?;
    let response = write_as_admin_once(request, caller, &key, move |tx, app, org| {
        let (key, confirmation) = (&app.server_key, confirmation.as_deref());
        let (person, mails) = actions::create_user(tx, key, org, &new, confirmation)?;
        Ok((Response::json(&ManagedUser::new(person, &app.config.base_url))?, mails))
    });
    response.map(RawJson::new)
}

/// Handles `PATCH /orgs/{org}/users/{id}`, for admins: changes a managed account.
pub fn patch(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<UserPatch>,
) -> Result<NoContent> {
    let user = request.param::<AccountId>("id")?;
    let change = ManagedUserChanges {
        name: body.name,
        email: body.email,
        role: body.role.as_deref().map(str::parse).transpose()?,
        sso_id: body.sso_id,
    };
    write_as_admin(request, caller, move |tx, app, org| {
        let mails = actions::update_user(tx, &app.server_key, &org, &user, change.clone())?;
        Ok((NoContent, mails))
    })
}

/// Handles `DELETE /orgs/{org}/users/{id}`, for admins: removes a managed account, also while the
/// organization is suspended. Its documents move to the organization.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (name, caller) = (request.param::<String>("org")?, caller.clone());
    let user = request.param::<AccountId>("id")?;
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller.id, Role::Admin)?;
        actions::remove_user(tx, &org, &user, &caller.id)
    })?;
    presence::request_check(request.app);
    Ok(NoContent)
}

/// Handles `POST /orgs/{org}/users/{id}/send`, for admins: sends a managed account a new link to set
/// a password.
pub fn send_password_link(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let user = request.param::<AccountId>("id")?;
    write_as_admin(request, caller, move |tx, app, org| {
        actions::send_password_link(tx, &app.server_key, &org, &user).map(|()| (NoContent, 1))
    })
}

/// Handles `DELETE /orgs/{org}/users/{id}/second-factor`, for admins: removes the second factor of a
/// managed account, also while the organization is suspended.
pub fn reset_second_factor(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    let user = request.param::<AccountId>("id")?;
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller, Role::Admin)?;
        actions::reset_second_factor(tx, &org, &user)
    })?;
    Ok(NoContent)
}
