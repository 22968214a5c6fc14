//! Bodies and handlers of `/orgs/{org}/invites`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::AddressStatus;
use super::actions::NewInvites;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::orgs::Subscription;
use crate::features::people::admin_write::write_as_admin;
use crate::features::people::admin_write::write_as_admin_once;
use crate::features::people::invite::Invite;
use crate::features::people::seats::SeatCheck;
use crate::features::people::subscription;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::InviteId;
use chartroom_platform::time::Timestamp;

/// An open invite.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Invite")]
pub struct InviteView {
    /// UUID.
    #[schemars(extend("x-placeholder" = "invite"))]
    id: InviteId,
    email: String,
    /// `admin`, `brand_manager` or `member`.
    role: &'static str,
    created: Timestamp,
    last_sent_at: Timestamp,
    expires_at: Timestamp,
    /// Account id of the person who invited. Null for the command line and automatic invites.
    invited_by: Option<AccountId>,
}

impl InviteView {
    /// Converts an invite to the JSON view, which has no link: only the mail proves that a person has
    /// the invited address.
    pub fn new(invite: Invite) -> Self {
        Self {
            id: invite.id,
            email: invite.email,
            role: invite.role.as_str(),
            created: invite.created,
            last_sent_at: invite.last_sent,
            expires_at: invite.expires,
            invited_by: (!invite.invited_by.as_str().is_empty()).then_some(invite.invited_by),
        }
    }
}

/// The open invites of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Invites {
    /// Invites, oldest first.
    invites: Vec<InviteView>,
}

/// Body of `POST …/invites/check` and `POST …/invites`. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct InvitesBody {
    /// Up to 100 e-mail addresses.
    emails: Vec<String>,
    /// `admin`, `brand_manager` or `member`, the default.
    role: Option<String>,
    /// Text for the mail, at most 2,000 characters.
    message: Option<String>,
    /// Confirmation from a check, needed if seats must be added. Not for the check itself.
    confirmation: Option<String>,
}

impl InvitesBody {
    /// Converts the body.
    ///
    /// # Errors
    /// `InvalidFields` for `role`.
    fn into_new_invites(self) -> Result<NewInvites> {
        let role = self.role.as_deref().map_or(Ok(Role::Member), str::parse)?;
        Ok(NewInvites { emails: self.emails, role, message: self.message.unwrap_or_default() })
    }
}

/// An address with its status.
#[derive(Serialize, JsonSchema)]
pub struct CheckedAddress {
    /// Address as given.
    email: String,
    status: AddressStatus,
}

/// Response of a check.
#[derive(Serialize, JsonSchema)]
pub struct CheckedInvites {
    /// The addresses in the order of the request.
    emails: Vec<CheckedAddress>,
    org_subscription: Subscription,
    #[serde(flatten)]
    check: SeatCheck,
}

/// Handles `GET /orgs/{org}/invites`, for admins: the open invites.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Invites>> {
    let name = request.param::<String>("org")?;
    request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller.id, Role::Admin)?;
        let invites = actions::list_invites(tx, &org)?;
        let invites = invites.into_iter().map(InviteView::new);
        Ok(Json(Invites { invites: invites.collect() }))
    })
}

/// Handles `POST /orgs/{org}/invites/check`, for admins: whether addresses can be invited, and what
/// must change in the subscription. Changes nothing.
pub fn check(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<InvitesBody>,
) -> Result<Json<CheckedInvites>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    let new = body.into_new_invites()?;
    request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &name, &caller.id, Role::Admin)?;
        let (statuses, check) = actions::check_invites(tx, &request.app.server_key, &org, &new)?;
        let emails = new.emails.iter().zip(statuses);
        let emails = emails.map(|(email, status)| CheckedAddress { email: email.clone(), status });
        Ok(Json(CheckedInvites {
            emails: emails.collect(),
            org_subscription: subscription::summarize(tx, &org, base_url)?,
            check,
        }))
    })
}

/// Handles `POST /orgs/{org}/invites`, for admins: invites people, all or none. A repeated request
/// with the same idempotency key has no effect.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<InvitesBody>),
) -> Result<NoContent> {
    let confirmation = body.confirmation.clone();
    let (new, caller_id) = (body.into_new_invites()?, caller.id.clone());
    write_as_admin_once(request, caller, &key, move |tx, app, org| {
        let (key, confirmation) = (&app.server_key, confirmation.as_deref());
        let mails = actions::create_invites(tx, key, org, &caller_id, &new, confirmation)?;
        Ok((Response::no_content(), mails))
    })?;
    Ok(NoContent)
}

/// Handles `DELETE /orgs/{org}/invite/{id}`, for admins: deletes an open invite, also while the
/// organization is suspended.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    let id = request.param::<InviteId>("id")?;
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller, Role::Admin)?;
        actions::delete_invite(tx, &org, &id)
    })?;
    Ok(NoContent)
}

/// Handles `POST /orgs/{org}/invites/{id}/send`, for admins: sends an open invite again.
pub fn send(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let id = request.param::<InviteId>("id")?;
    write_as_admin(request, caller, move |tx, app, org| {
        actions::send_again(tx, &app.server_key, &org, &id).map(|_| (NoContent, 1))
    })
}
