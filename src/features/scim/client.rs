//! The client of a request: an identity provider with the API token of an admin.

use std::time::Duration;

use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use chartroom_platform::db;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteActor;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Parameters that clients send to get other attributes. Ignoring them would give a client attributes
/// that it has excluded.
const REFUSED_PARAMETERS: [&str; 2] = ["attributes", "excludedattributes"];

/// Resolution of the stored time at which the client last sent a request.
const USE_RESOLUTION: Duration = Duration::from_mins(5);

/// An identity provider that has authenticated with the API token of an admin of the organization in
/// the path.
#[derive(Debug, Clone)]
pub struct ScimClient {
    /// Owner of the token.
    pub user: AccountId,
    /// Id or slug of the organization, as the path has it.
    pub org: String,
}

impl ScimClient {
    /// Authenticates the client of a request. Its later writes have the actor type `scim`.
    ///
    /// # Errors
    /// `SignInRequired` without a valid API token. `Forbidden` unless its owner is an admin of the
    /// organization and the plan has managed accounts; the text is the same for an organization that
    /// does not exist. `InvalidFields` for a parameter that selects attributes.
    pub fn from_request(request: &RequestContext) -> Result<Self> {
        let User { id, .. } = accounts::require_token_owner(request)?;
        db::set_actor(WriteActor::Scim(id.clone()));
        let client = Self { user: id, org: request.param("org")? };
        let (org, last_use) = request.app.db.read(|tx| {
            let org = client.find_org(tx)?;
            let last_use = orgs::find_scim_use(tx, &org.id, &client.user)?;
            Ok((org, last_use))
        })?;
        let is_recent = |time: Timestamp| time.saturating_add(USE_RESOLUTION) > Timestamp::now();
        if !last_use.is_some_and(is_recent) {
            client.store_use(request, org);
        }
        for (name, _) in form_urlencoded::parse(request.query.as_bytes()) {
            if REFUSED_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) {
                return Err(Error::invalid_field(name, "is not supported"));
            }
        }
        Ok(client)
    }

    /// Stores that the token of the client provisions users, so that a page can warn before its owner is
    /// removed. An error is only logged, because no provisioning depends on it.
    fn store_use(&self, request: &RequestContext, org: Org) {
        let user = self.user.clone();
        let stored = request.app.db.write(move |tx| orgs::put_scim_use(tx, &org.id, &user));
        if let Err(error) = stored {
            let error = error.operator_message();
            tracing::warn!(%error, "the use of a token for provisioning was not stored");
        }
    }

    /// Returns the organization for reading and for the end of access, which is possible while the
    /// organization is suspended.
    ///
    /// # Errors
    /// `Forbidden` as [`ScimClient::from_request`].
    pub fn find_org(&self, tx: &Tx<'_>) -> Result<Org> {
        match orgs::require_role_even_if_suspended(tx, &self.org, &self.user, Role::Admin) {
            Ok(org) if org.plan != Plan::Team => Ok(org),
            Ok(_) | Err(Error::NotFound(_) | Error::Forbidden(_)) => Err(forbidden()),
            Err(error) => Err(error),
        }
    }

    /// Returns the organization for a change.
    ///
    /// # Errors
    /// As [`ScimClient::find_org`]. `PaymentRequired` while the organization is suspended.
    pub fn find_changeable_org(&self, tx: &Tx<'_>) -> Result<Org> {
        self.find_org(tx)?;
        orgs::require_role(tx, &self.org, &self.user, Role::Admin)
    }
}

/// Returns the error for all organizations that the client may not provision.
fn forbidden() -> Error {
    let text =
        "this needs the API token of an administrator of an organization with managed accounts";
    Error::Forbidden(text.to_owned())
}
