//! Creation of an account with the link of an invitation.

use super::redeem;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::NewSession;
use crate::features::accounts::NewUser;
use crate::features::accounts::SessionMethod;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;

/// Creates an account for the invited address, accepts the invitation for it and begins a session.
/// Returns the session and the path to continue with.
///
/// # Errors
/// `NotFound` if the link creates no account, also because the address has one meanwhile.
/// `InvalidFields` for `name` or `password`. `Forbidden` if the request comes from another site.
pub fn register_by_invitation(
    request: &RequestContext,
    token: &str,
    name: &str,
    password: &str,
) -> Result<(NewSession, String)> {
    accounts::reject_cross_site(request)?;
    let (app, token) = (request.app.clone(), token.to_owned());
    // A token that creates no account must not cost the time of a password hash.
    request.app.db.read(|tx| {
        let (entry, _) = redeem::find_by_token(tx, &token)?;
        redeem::find_address_to_register(tx, &app, &entry)?.or_not_found(redeem::NOT_FOUND_LABEL)
    })?;
    accounts::parse_name(name)?;
    let client = Some(accounts::client_network(request));
    let hash = accounts::hash_new_password(request.app, client, password)?;
    let new = NewUser { name: name.to_owned(), password_hash: Some(hash), ..NewUser::default() };
    let (user, to) = request.app.db.write(move |tx| {
        let (entry, _) = redeem::find_by_token(tx, &token)?;
        let email = redeem::find_address_to_register(tx, &app, &entry)?
            .or_not_found(redeem::NOT_FOUND_LABEL)?;
        let user = accounts::create_user(tx, &NewUser { email, ..new.clone() })?.user();
        let actor = WriteActor::User(user.id.clone());
        let origin = WriteOrigin { actor, ..tx.origin.clone() };
        let to = redeem::accept_invitation(&tx.with_origin(&origin), &user.id, &token)?;
        Ok((user, to))
    })?;
    Ok((accounts::begin_session(request, user, SessionMethod::Invite)?, to))
}
