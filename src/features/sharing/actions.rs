//! Creates, changes and revokes shares: load, check access, apply the rules, store.

use super::events;
use super::links;
use super::mail;
use super::rules::RequestedRecipient;
use super::rules::ShareRequest;
use super::rules::ShareTarget;
use super::store;
use crate::app::App;
use crate::app::CountedMails;
use crate::features::access;
use crate::features::access::AccessEntry;
use crate::features::access::AccessEntryKind;
use crate::features::access::AccessLevel;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::accounts;
use crate::features::accounts::Email;
use crate::features::accounts::Profile;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::Node;
use crate::features::tree::NodeAction;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// The recipient of a new share after lookup.
enum Recipient {
    AnyoneWithLink,
    User(Box<Profile>),
    Address(Email),
    Team(String),
}

/// Shares a node. A link is always new. An existing share with the same recipient gets the
/// requested mode and expiry, or read access without expiry if they are absent, and no mail is
/// sent.
///
/// If the request names an e-mail address, a mail is enqueued. If the address belongs to a user,
/// they get access at once. Otherwise the entry is an invitation, which the first signed-in user
/// who opens its link accepts. Without a mail server, the response contains the link so that the
/// caller can pass it on. Users named by id and teams get no mail.
///
/// # Errors
/// `NotFound` or `Forbidden` if the caller may not change the node; `Conflict` if it is in the
/// trash; `PaymentRequired` while the owning organization is suspended; `Forbidden` for a link if
/// the organization allows no public documents; `InvalidFields` for an unusable recipient, an
/// expiry that is not in the future, or the root folder; the error of [`CountedMails::require`].
pub fn share_node(
    tx: &WriteTx<'_>,
    app: &App,
    counted: CountedMails,
    caller: &User,
    request: &ShareRequest,
) -> Result<Ace> {
    let node = find_shareable_node(tx, caller, request)?;
    let recipient = resolve_recipient(tx, caller, &node, &request.recipient)?;
    let present = access::list_direct_entries(tx, &node.id)?
        .into_iter()
        .find(|entry| is_entry_for(entry, &recipient));
    let old = present.clone();
    let mut entry = present
        .unwrap_or_else(|| AccessEntry::new(&node.id, AccessEntryKind::Link, &caller.id, tx.now));
    entry.mode = request.mode.unwrap_or(AccessLevel::Read);
    entry.expires = check_expiry(tx, request.expires.unwrap_or_default())?;
    match recipient {
        Recipient::AnyoneWithLink if !access::allows_public_access(tx, &node.owner)? => {
            let text =
                "the organization does not allow public documents; share with users or teams";
            return Err(Error::Forbidden(text.to_owned()));
        }
        Recipient::AnyoneWithLink => {}
        Recipient::User(user) => {
            (entry.kind, entry.user, entry.email) = (AccessEntryKind::User, Some(user.id), None);
        }
        Recipient::Address(email) => {
            (entry.kind, entry.email) = (AccessEntryKind::Email, Some(email.text));
        }
        Recipient::Team(team) => (entry.kind, entry.team) = (AccessEntryKind::Team, Some(team)),
    }
    if let Some(old) = old {
        access::update_entry(tx, &entry)?;
        events::record_share_change(tx, &node, &old, &entry)?;
        return load_ace(tx, app, &entry);
    }
    let by_mail = matches!(request.recipient, RequestedRecipient::Email(_));
    assign_token(tx, app, counted, &mut entry, by_mail)?;
    access::insert_entry(tx, &entry)?;
    events::record_share(tx, &node, NodeAction::Share, &entry)?;
    let mut ace = load_ace(tx, app, &entry)?;
    if by_mail && ace.link.is_none() && app.config.smtp_host.is_empty() {
        // No mail is sent, so the caller gets the address that the mail would contain.
        ace.link = Some(links::node_page_url(tx, &app.config.base_url, &node)?);
    }
    Ok(ace)
}

/// Checks that the caller may share the node that a request names. Does not check the recipient,
/// and changes nothing.
///
/// # Errors
/// As [`share_node`] if the caller may not change the node, it is in the trash, or it is the root
/// folder.
pub fn check_may_share(tx: &Tx<'_>, caller: &User, request: &ShareRequest) -> Result<()> {
    find_shareable_node(tx, caller, request).map(|_| ())
}

/// Changes mode and expiry of a share. Absent fields keep their value. With `rotate`, a link gets a
/// new token, and an invitation is sent again with a new token. Without a mail server, the response
/// contains the new link of the invitation instead.
///
/// # Errors
/// As [`share_node`]; `NotFound` if the node is not shared with this recipient; `InvalidFields` for
/// `rotate` if the share is neither a link nor an invitation.
pub fn change_share(
    tx: &WriteTx<'_>,
    app: &App,
    counted: CountedMails,
    caller: &User,
    request: &ShareRequest,
) -> Result<Ace> {
    let node = find_shareable_node(tx, caller, request)?;
    let old = find_entry(tx, caller, &node, &request.recipient)?;
    let mut entry = old.clone();
    entry.mode = request.mode.unwrap_or(entry.mode);
    if let Some(expires) = request.expires {
        entry.expires = check_expiry(tx, expires)?;
    }
    if request.rotate {
        if !matches!(entry.kind, AccessEntryKind::Link | AccessEntryKind::Email) {
            return Err(Error::invalid_field(
                "rotate",
                "must be false unless the share is a link or an invitation",
            ));
        }
        entry.rotation += 1;
        entry.last_used = None;
        assign_token(tx, app, counted, &mut entry, true)?;
    }
    access::update_entry(tx, &entry)?;
    events::record_share_change(tx, &node, &old, &entry)?;
    load_ace(tx, app, &entry)
}

/// Revokes a share: deletes the access entry on the node itself.
///
/// # Errors
/// `NotFound` if the node is not shared with this recipient; `InvalidFields` if the request names
/// no recipient. As [`share_node`] if the caller may not change the node, it is in the trash, or it
/// is the root folder.
pub fn revoke_share(tx: &WriteTx<'_>, caller: &User, request: &ShareRequest) -> Result<()> {
    let node = find_shareable_node(tx, caller, request)?;
    let entry = find_entry(tx, caller, &node, &request.recipient)?;
    access::delete_entry(tx, &entry.id)?;
    events::record_share(tx, &node, NodeAction::Unshare, &entry)
}

/// Assigns the token of a new or rotated entry. A link always gets one. With `by_mail`, an entry of
/// an address or a user is mailed with a token that only the receiver learns. Without a mail
/// server, an invitation gets the token of a link instead, which the caller learns, and a user gets
/// none. Enqueues the mail, but does not store the entry.
///
/// The mail limit counts per caller, also for repeated and revoked invitations.
///
/// # Errors
/// The error of [`CountedMails::require`], before any change.
fn assign_token(
    tx: &WriteTx<'_>,
    app: &App,
    counted: CountedMails,
    entry: &mut AccessEntry,
    by_mail: bool,
) -> Result<()> {
    let links = links::share_links(app);
    let has_mail = !app.config.smtp_host.is_empty();
    let token = match entry.kind {
        AccessEntryKind::Link => links.link_token(entry),
        AccessEntryKind::Email | AccessEntryKind::User if by_mail && has_mail => {
            counted.require(1)?;
            mail::enqueue_mail(tx, &entry.id)?;
            links.invitation_token(entry)
        }
        _ if !by_mail => return Ok(()),
        kind => {
            tracing::warn!(entry = entry.id, "smtp_host is not set: an invitation was not sent");
            match kind {
                AccessEntryKind::Email => links.link_token(entry),
                _ => return Ok(()),
            }
        }
    };
    entry.token_hash = Some(crypto::sha256(token.as_bytes()));
    Ok(())
}

/// Returns the ACE of an entry as the sharer sees it, with its link. The entry must be stored.
fn load_ace(tx: &Tx<'_>, app: &App, entry: &AccessEntry) -> Result<Ace> {
    let details = access::find_entry_details(tx, &entry.id)?.or_not_found("share")?;
    access::build_ace(tx, links::share_links(app), &details, true)
}

/// Checks that an expiry is in the future, and returns it unchanged. None is no expiry.
///
/// # Errors
/// `InvalidFields` naming `expires_at` if it is not in the future.
fn check_expiry(tx: &Tx<'_>, expires: Option<Timestamp>) -> Result<Option<Timestamp>> {
    match expires {
        Some(time) if time <= tx.now => {
            Err(Error::invalid_field("expires_at", "must be in the future"))
        }
        other => Ok(other),
    }
}

/// Returns the node that a request names. The caller needs write access through their account;
/// access through a link is not enough to share.
///
/// # Errors
/// `NotFound` if the node does not exist or is hidden from the caller; `Forbidden` if the caller
/// may only read it; `Conflict` if it is in the trash; `InvalidFields` if it is the root folder;
/// `PaymentRequired` while the owning organization is suspended.
fn find_shareable_node(tx: &Tx<'_>, caller: &User, request: &ShareRequest) -> Result<Node> {
    let absent = || Error::NotFound(request.target.noun());
    let owner =
        access::resolve_owner(tx, Some(caller), &request.owner).map_err(|error| match error {
            Error::NotFound(_) => absent(),
            other => other,
        })?;
    let account_caller = Caller::from(caller);
    let resource = |node| Resource { node, owner: &owner, is_public: false, in_trash: false };
    let found = match &request.target {
        ShareTarget::Document(id) => tree::find_node(tx, id)?.filter(|node| !node.is_folder),
        ShareTarget::Folder(path) => match tree::find_deepest_folder(tx, &owner, path)? {
            (Some(id), true) => tree::find_node(tx, &id)?,
            (None, true)
                if access::access_level(tx, &account_caller, &resource(None))?
                    != AccessLevel::None =>
            {
                return Err(Error::invalid_field(
                    "folder",
                    "must not be the root, which cannot be shared",
                ));
            }
            _ => None,
        },
    };
    let node = found.filter(|node| node.owner == owner).ok_or_else(absent)?;
    let resource = Resource { in_trash: node.deleted.is_some(), ..resource(Some(&node.id)) };
    match access::require_access(tx, &account_caller, &resource, AccessLevel::Write) {
        Err(Error::NotFound(_)) => {
            let is_public = !node.is_folder
                && documents::load_summary(tx, &account_caller, owner.as_str(), &node.id).is_ok();
            match is_public {
                true => Err(Error::Forbidden("you may read this but not change it".to_owned())),
                false => Err(absent()),
            }
        }
        Err(other) => Err(other),
        Ok(_) if node.deleted.is_some() => Err(Error::Conflict(
            "the document or folder is in the trash; restore it first".to_owned(),
        )),
        Ok(_) => Ok(node),
    }
}

/// Converts the recipient in a request to the recipient of a new share. A user is given by id,
/// username, e-mail address or `me`. If the request has an e-mail address, the result is the user
/// with this address, or else the address itself, which needs no account.
///
/// # Errors
/// `InvalidFields` if the user does not exist or owns the node, the owner has no such team, the
/// address is invalid, or the request names an existing link.
fn resolve_recipient(
    tx: &Tx<'_>,
    caller: &User,
    node: &Node,
    recipient: &RequestedRecipient,
) -> Result<Recipient> {
    match recipient {
        RequestedRecipient::AnyoneWithLink => Ok(Recipient::AnyoneWithLink),
        RequestedRecipient::Link(_) => {
            Err(Error::invalid_field("link", "must be absent when creating a link"))
        }
        RequestedRecipient::User(text) => {
            let text = if text == "me" { caller.id.as_str() } else { text };
            let user = accounts::find_user(tx, text)
                .map_err(|error| not_found_as_field_error(error, "user_id", "no such user"))?;
            build_user_recipient("user_id", node, user)
        }
        RequestedRecipient::Email(text) => {
            let email = accounts::parse_email(text)?;
            match accounts::find_user(tx, &email.text) {
                Ok(user) => build_user_recipient("email", node, user),
                Err(Error::NotFound(_)) => Ok(Recipient::Address(email)),
                Err(other) => Err(other),
            }
        }
        RequestedRecipient::Team(team) => {
            if !store::has_team(tx, &node.owner, team)? {
                return Err(Error::invalid_field("team", "no such team of the owner"));
            }
            Ok(Recipient::Team(team.clone()))
        }
    }
}

/// Returns the user as recipient.
///
/// # Errors
/// `InvalidFields` naming `field` if the user owns the node.
fn build_user_recipient(field: &str, node: &Node, user: Profile) -> Result<Recipient> {
    if user.id == node.owner {
        return Err(Error::invalid_field(field, "must not be the owner, who always has access"));
    }
    Ok(Recipient::User(Box::new(user)))
}

/// Converts `NotFound` into an error of a field. The error names `field` and has the message
/// `text`. Other errors are unchanged.
fn not_found_as_field_error(error: Error, field: &str, text: &str) -> Error {
    match error {
        Error::NotFound(_) => Error::invalid_field(field, text),
        other => other,
    }
}

/// Returns whether sharing with `recipient` changes this entry. For a user, this includes an
/// invitation to the user's e-mail address. Sharing by link changes no entry.
fn is_entry_for(entry: &AccessEntry, recipient: &Recipient) -> bool {
    let is_address =
        |key: &str| entry.email.as_deref().is_some_and(|email| accounts::email_key(email) == key);
    match recipient {
        // Every link is a separate entry.
        Recipient::AnyoneWithLink => false,
        Recipient::User(user) => {
            entry.user.as_ref() == Some(&user.id) || is_address(&accounts::email_key(&user.email))
        }
        Recipient::Address(email) => is_address(&email.key),
        Recipient::Team(team) => entry.team.as_ref() == Some(team),
    }
}

/// Returns the access entry on the node itself that a request names. `me` names the entry of the
/// caller, and an e-mail address the entry of its user or an invitation.
///
/// # Errors
/// `NotFound` if there is none; `InvalidFields` if the request names no recipient.
fn find_entry(
    tx: &Tx<'_>,
    caller: &User,
    node: &Node,
    recipient: &RequestedRecipient,
) -> Result<AccessEntry> {
    let user = match recipient {
        RequestedRecipient::User(text) if text == "me" => Some(caller.id.clone()),
        RequestedRecipient::AnyoneWithLink => {
            return Err(Error::invalid_field(
                "link",
                "is required unless user_id, email or team is given",
            ));
        }
        RequestedRecipient::User(text) | RequestedRecipient::Email(text) => {
            match accounts::find_user(tx, text) {
                Ok(user) => Some(user.id),
                Err(Error::NotFound(_)) => None,
                Err(other) => return Err(other),
            }
        }
        RequestedRecipient::Team(_) | RequestedRecipient::Link(_) => None,
    };
    let is_named = |entry: &AccessEntry| match recipient {
        RequestedRecipient::AnyoneWithLink => false,
        RequestedRecipient::User(_) => user.is_some() && entry.user == user,
        RequestedRecipient::Email(text) => {
            let key = accounts::email_key(text.trim());
            user.is_some() && entry.user == user
                || entry.email.as_deref().is_some_and(|email| accounts::email_key(email) == key)
        }
        RequestedRecipient::Team(team) => entry.team.as_ref() == Some(team),
        RequestedRecipient::Link(token) => {
            entry.user.is_none() && entry.token_hash.as_ref() == Some(token)
        }
    };
    access::list_direct_entries(tx, &node.id)?.into_iter().find(is_named).or_not_found("share")
}
