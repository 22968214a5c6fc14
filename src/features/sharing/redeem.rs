//! Share links and invitations: resolves the token of `/s/{token}`, accepts invitations, signs in.
//!
//! A share link gives access to its node to anyone who has the link. The link of an invitation
//! gives no access. The first signed-in user who opens it and accepts gets the access entry. This
//! need not be the owner of the invited address, because people have several addresses.
//!
//! If the invited address belongs to an account, the link of the mail may also sign in that
//! account. The link then replaces a password, so all of these conditions must hold:
//! - The token was only sent to that address. Without a mail server the sharer gets the link, so it
//!   does not sign in.
//! - The invitation is at most seven days old.
//! - The link was not used before.
//! - The user pressed a button, because mail scanners open every link.
//! - The account is not disabled, not an operator and has no second factor, and none of its
//!   organizations enforces single sign-on.
//!
//! If the invited address has no account, the link may create one under the first three conditions
//! and the setting `register_by_invitation`, because the link proves that the person reads the mail
//! of that address. It creates none at a domain of an organization with managed accounts only.
//!
//! Otherwise the page links to the sign-in page, which returns to the invitation.

use std::time::Duration;

use super::events;
use super::links;
use super::store;
use crate::app::App;
use crate::app::RequestContext;
use crate::features::access;
use crate::features::access::AccessEntry;
use crate::features::access::AccessEntryKind;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts;
use crate::features::accounts::NewSession;
use crate::features::accounts::SessionMethod;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::orgs;
use crate::features::orgs::domains;
use crate::features::tree;
use crate::features::tree::Node;
use crate::features::tree::NodeAction;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// How long the link of an invitation may sign in.
const SIGN_IN_LINK_LIFETIME: Duration = Duration::from_secs(7 * 86_400);

/// Name of the missing object in errors.
pub(super) const NOT_FOUND_LABEL: &str = "page";

/// The result of resolving a token.
pub enum LinkTarget {
    /// The shared node or an item below it, presented to this caller.
    Node(Caller, Box<Node>),
    /// An invitation that is not accepted yet, or is for another user.
    Invitation(Invitation),
    /// Path of the chart's page, for an invitation that the caller has already accepted.
    Redirect(String),
}

/// An invitation as its page presents it.
pub struct Invitation {
    /// Name of the user who shared the node.
    pub inviter: String,
    /// Title of the shared node.
    pub title: String,
    pub is_folder: bool,
    /// Name of the account that the link can sign in.
    pub sign_in_name: Option<String>,
    /// Address for which the link can create an account.
    pub new_account_email: Option<String>,
    /// Whether a new mail of the invitation could create an account.
    pub can_register_by_mail: bool,
    /// Whether the signed-in user is not the recipient.
    pub is_for_another: bool,
}

/// Resolves the token of a share link or an invitation, for a signed-in user or without one.
/// Changes nothing.
///
/// A link gives the shared node or the `item` below it, with the access of a guest. An invitation
/// that `user` has accepted gives the folder or the `item`, or redirects to the page of the
/// document. Other invitations give their page and ignore `item`.
///
/// # Errors
/// `NotFound` if the token is unknown, revoked or expired, if the node is in the trash, if its
/// owner is disabled, if the organization forbids public documents and the token is that of a link,
/// or if `item` does not exist, is not below the shared node, is in the trash or is hidden from the
/// caller. All cases look alike.
pub fn resolve_token(
    tx: &Tx<'_>,
    app: &App,
    user: Option<&User>,
    token: &str,
    item: Option<&NodeId>,
) -> Result<LinkTarget> {
    let (entry, node) = find_by_token(tx, token)?;
    if entry.kind == AccessEntryKind::Link {
        // The page shows what the link gives access to, also if the user has more access.
        let guest = Caller { user: None, share_token_hash: entry.token_hash };
        let node = find_item(tx, &guest, node, item)?;
        return Ok(LinkTarget::Node(guest, Box::new(node)));
    }
    let mut invitation = Invitation {
        inviter: accounts::display_name(tx, &entry.created_by)?,
        title: node.title.clone(),
        is_folder: node.is_folder,
        sign_in_name: None,
        new_account_email: None,
        can_register_by_mail: app.config.register_by_invitation
            && !app.config.smtp_host.is_empty()
            && entry.user.is_none(),
        is_for_another: false,
    };
    match (user, &entry.user) {
        (Some(user), Some(invited)) if user.id == *invited && node.is_folder => {
            let caller = Caller::from(user);
            let node = find_item(tx, &caller, node, item)?;
            return Ok(LinkTarget::Node(caller, Box::new(node)));
        }
        (Some(user), Some(invited)) if user.id == *invited => {
            return Ok(LinkTarget::Redirect(documents::page_url("", &node.owner, &node.id)));
        }
        (Some(_), Some(_)) => invitation.is_for_another = true,
        (Some(_), None) => {}
        (None, _) => {
            invitation.sign_in_name = find_user_to_sign_in(tx, app, &entry)?.map(|user| user.name);
            invitation.new_account_email = find_address_to_register(tx, app, &entry)?;
        }
    }
    Ok(LinkTarget::Invitation(invitation))
}

/// Returns the item that `caller` may read, or `node` if `item` is None.
///
/// # Errors
/// `NotFound` if the item does not exist, is neither `node` nor below it, is in the trash, or is
/// hidden from the caller.
fn find_item(tx: &Tx<'_>, caller: &Caller, node: Node, item: Option<&NodeId>) -> Result<Node> {
    let Some(item) = item else { return Ok(node) };
    let found = tree::find_node(tx, item)?
        .filter(|node| node.deleted.is_none())
        .or_not_found(NOT_FOUND_LABEL)?;
    // The page would present any other node as content of the shared folder.
    if !tree::is_same_or_descendant(tx, item, &node.id)? {
        return Err(Error::NotFound(NOT_FOUND_LABEL));
    }
    let resource =
        Resource { node: Some(item), owner: &found.owner, is_public: false, in_trash: false };
    match access::access_level(tx, caller, &resource)? {
        AccessLevel::None => Err(Error::NotFound(NOT_FOUND_LABEL)),
        _ => Ok(found),
    }
}

/// Accepts an invitation for a user and returns the path of the page to continue with.
///
/// Changes nothing if the user has accepted it before, or owns the node without an access entry on
/// it. If the user has another access entry on the node, the invitation is deleted and its link
/// belongs to that entry. That entry gets the mode and expiry of the invitation if it has expired,
/// or if neither its mode nor its lifetime becomes less.
///
/// # Errors
/// `NotFound` as [`resolve_token`], if another user has accepted the invitation, and if the token
/// belongs to a share link.
pub fn accept_invitation(tx: &WriteTx<'_>, user: &AccountId, token: &str) -> Result<String> {
    let (entry, node) = find_by_token(tx, token)?;
    let is_own = entry.kind == AccessEntryKind::User && entry.user.as_ref() == Some(user);
    match entry.kind {
        _ if is_own => {}
        AccessEntryKind::Email => grant_to_user(tx, entry, &node, user, Some(tx.now))?,
        _ => return Err(Error::NotFound(NOT_FOUND_LABEL)),
    }
    Ok(match node.is_folder {
        true => format!("/s/{token}"),
        false => documents::page_url("", &node.owner, &node.id),
    })
}

/// Converts an invitation into an access entry of a user, with `used` as its last use if present.
///
/// If the user has an access entry on the node already, the invitation is deleted and that entry
/// takes its token. It takes its mode and expiry only as [`extends_access`] says. If the user owns
/// the node without such an entry, nothing changes. The expiry of the invitation is not checked.
fn grant_to_user(
    tx: &WriteTx<'_>,
    mut entry: AccessEntry,
    node: &Node,
    user: &AccountId,
    used: Option<Timestamp>,
) -> Result<()> {
    let present = access::list_direct_entries(tx, &node.id)?;
    match present.into_iter().find(|entry| entry.user.as_ref() == Some(user)) {
        // Owners need no entry. The invitation stays open for another user.
        None if node.owner == *user => Ok(()),
        None => {
            (entry.kind, entry.user, entry.email) =
                (AccessEntryKind::User, Some(user.clone()), None);
            entry.last_used = used.or(entry.last_used);
            access::update_entry(tx, &entry)?;
            events::record_share(tx, node, NodeAction::AcceptShare, &entry)
        }
        Some(mut present) => {
            access::delete_entry(tx, &entry.id)?;
            if extends_access(&entry, &present, tx.now) {
                (present.mode, present.expires) = (entry.mode, entry.expires);
            }
            // The link of the mail keeps working for the user.
            present.token_hash = entry.token_hash;
            access::update_entry(tx, &present)?;
            events::record_share(tx, node, NodeAction::AcceptShare, &present)
        }
    }
}

/// Returns whether an invitation grants at least the mode of an existing entry for at least its
/// lifetime, or the existing entry has expired. No expiry is the longest lifetime.
///
/// An entry has one mode and one expiry. If the invitation grants a higher mode for a shorter time,
/// the entry stays: it must neither become shorter nor grant the higher mode for longer than the
/// invitation.
fn extends_access(invitation: &AccessEntry, present: &AccessEntry, now: Timestamp) -> bool {
    let lasts_as_long = match (invitation.expires, present.expires) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(new), Some(old)) => new >= old,
    };
    present.has_expired(now) || invitation.mode >= present.mode && lasts_as_long
}

/// Grants a user all invitations for their e-mail address, except those for their own nodes. Does
/// nothing if the user does not exist.
///
/// Expired invitations become expired access entries.
pub fn accept_pending_invitations(tx: &WriteTx<'_>, id: &AccountId) -> Result<()> {
    let user = match accounts::load_profile(tx, id) {
        Err(Error::NotFound(_)) => return Ok(()),
        other => other?,
    };
    for entry in access::list_invitations_to_address(tx, &accounts::email_key(&user.email))? {
        if let Some(node) = tree::find_node(tx, &entry.node)? {
            grant_to_user(tx, entry, &node, id, None)?;
        }
    }
    Ok(())
}

/// Signs in with the link of an invitation, at most once, and accepts it. Returns the session and
/// the path to continue with.
///
/// # Errors
/// `NotFound` if the link does not sign in; `Forbidden` if the request comes from another site.
pub fn sign_in_by_invitation(
    request: &RequestContext,
    token: &str,
) -> Result<(NewSession, String)> {
    accounts::reject_cross_site(request)?;
    let (app, token) = (request.app.clone(), token.to_owned());
    let (user, to) = request.app.db.write(move |tx| {
        let (mut entry, _) = find_by_token(tx, &token)?;
        let user = find_user_to_sign_in(tx, &app, &entry)?.or_not_found(NOT_FOUND_LABEL)?;
        entry.last_used = Some(tx.now);
        access::update_entry(tx, &entry)?;
        let to = accept_invitation(tx, &user.id, &token)?;
        Ok((user, to))
    })?;
    Ok((accounts::begin_session(request, user, SessionMethod::Invite)?, to))
}

/// Returns the user that the link of an invitation signs in, or None if a condition is not met.
///
/// The module documentation lists the conditions. This function does not check whether the
/// invitation has expired or a button was pressed.
fn find_user_to_sign_in(tx: &Tx<'_>, app: &App, entry: &AccessEntry) -> Result<Option<User>> {
    if !is_fresh_mail_link(tx, app, entry) {
        return Ok(None);
    }
    let text = entry.user.as_ref().map(AccountId::as_str).or(entry.email.as_deref());
    let user = match accounts::find_user(tx, text.unwrap_or_default()) {
        Ok(user) => user,
        Err(Error::NotFound(_)) => return Ok(None),
        Err(other) => return Err(other),
    };
    if user.disabled || user.operator || accounts::must_use_sso(tx, &user)? {
        return Ok(None);
    }
    if accounts::second_factor::has_second_factor(tx, &user.id)? {
        return Ok(None);
    }
    Ok(Some(user.user()))
}

/// Returns the invited address if the link may create an account for it, or None if a condition is
/// not met.
///
/// The module documentation lists the conditions. This function does not check whether the
/// invitation has expired.
pub(super) fn find_address_to_register(
    tx: &Tx<'_>,
    app: &App,
    entry: &AccessEntry,
) -> Result<Option<String>> {
    let is_allowed = app.config.register_by_invitation && is_fresh_mail_link(tx, app, entry);
    let Some(email) = entry.email.as_ref().filter(|_| is_allowed && entry.user.is_none()) else {
        return Ok(None);
    };
    if let Some(org) = domains::find_verified_org(tx, email)?
        && orgs::find_settings(tx, &org)?.disables_unmanaged_accounts()
    {
        return Ok(None);
    }
    match accounts::find_user(tx, email) {
        Ok(_) => Ok(None),
        Err(Error::NotFound(_)) => Ok(Some(email.clone())),
        Err(other) => Err(other),
    }
}

/// Returns whether the link of the entry was only sent to the invited address, is at most seven
/// days old and was not used before.
fn is_fresh_mail_link(tx: &Tx<'_>, app: &App, entry: &AccessEntry) -> bool {
    let mailed = crypto::sha256(links::share_links(app).invitation_token(entry).as_bytes());
    let is_fresh =
        entry.created.saturating_add(SIGN_IN_LINK_LIFETIME) > tx.now && entry.last_used.is_none();
    entry.token_hash == Some(mailed) && is_fresh
}

/// Returns the access entry of a token and its node. `token` is the text in the link.
///
/// # Errors
/// `NotFound` if the token is unknown, revoked or expired, if the node is in the trash, if its
/// owner is disabled, or if the organization forbids public documents and the token is that of a
/// link.
pub(super) fn find_by_token(tx: &Tx<'_>, token: &str) -> Result<(AccessEntry, Node)> {
    let token = crypto::sha256(token.as_bytes());
    let entry = access::find_entry_by_token(tx, &token)?.or_not_found(NOT_FOUND_LABEL)?;
    let node = tree::find_node(tx, &entry.node)?.or_not_found(NOT_FOUND_LABEL)?;
    let is_over = entry.has_expired(tx.now) || node.deleted.is_some();
    let is_closed =
        entry.kind == AccessEntryKind::Link && !access::allows_public_access(tx, &node.owner)?;
    if is_over || is_closed || store::is_disabled(tx, &node.owner)? {
        return Err(Error::NotFound(NOT_FOUND_LABEL));
    }
    Ok((entry, node))
}
