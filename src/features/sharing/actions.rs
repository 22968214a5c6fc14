//! Sharing, changing and revoking: load, check access, apply the rules, store.

use std::num::NonZeroU32;

use super::mail;
use super::open;
use super::rules::Thing;
use super::rules::Whom;
use super::rules::Wish;
use super::store;
use crate::app::App;
use crate::features::access;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Entry;
use crate::features::access::EntryKind;
use crate::features::access::Level;
use crate::features::access::Links;
use crate::features::access::Resource;
use crate::features::accounts;
use crate::features::accounts::Email;
use crate::features::accounts::Profile;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use crate::features::tree::Node;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// Whom a request names.
enum Recipient {
    Anybody,
    User(Box<Profile>),
    Address(Email),
    Team(String),
}

/// What links are made of here.
pub fn links(app: &App) -> Links<'_> {
    Links { base_url: &app.config.base_url, key: &app.key }
}

/// Shares something. What is shared with somebody already is changed; a link is always a new one.
///
/// An address of a user here gives him access at once; another one gets an invitation that waits
/// for whoever opens its link. Both get a mail. Without a mail server an invitation's link is in
/// the answer, for the sharer to pass on.
///
/// # Errors
/// `NotFound` and `Forbidden` for who may not change the thing, `Forbidden` for a link to what may
/// not be public; `Fields` for whom it cannot be shared with; `TooMany` for too many mails.
pub fn share(tx: &WriteTx<'_>, app: &App, caller: &User, wish: &Wish) -> Result<Ace> {
    let node = shareable(tx, caller, wish)?;
    let recipient = recipient(tx, caller, &node, &wish.whom)?;
    let present = access::direct(tx, &node.id)?.into_iter().find(|it| is_for(it, &recipient));
    let is_new = present.is_none();
    let mut entry =
        present.unwrap_or_else(|| Entry::new(&node.id, EntryKind::Link, &caller.id, tx.now));
    entry.mode = wish.mode.unwrap_or(Level::Read);
    entry.expires = later(tx, wish.expires.unwrap_or_default())?;
    match recipient {
        Recipient::Anybody if !access::may_be_public(tx, &node.owner)? => {
            let text = "the organization lets nothing be public: share it with people instead";
            return Err(Error::Forbidden(text.to_owned()));
        }
        Recipient::Anybody => {}
        Recipient::User(user) => {
            (entry.kind, entry.user, entry.email) = (EntryKind::User, Some(user.id), None);
        }
        Recipient::Address(email) => {
            (entry.kind, entry.email) = (EntryKind::Email, Some(email.text));
        }
        Recipient::Team(team) => (entry.kind, entry.team) = (EntryKind::Team, Some(team)),
    }
    if !is_new {
        access::update(tx, &entry)?;
        return answer(tx, app, &entry);
    }
    let by_mail = matches!(wish.whom, Whom::Email(_));
    give_token(tx, app, caller, &mut entry, by_mail)?;
    access::insert(tx, &entry)?;
    let mut ace = answer(tx, app, &entry)?;
    if by_mail && ace.link.is_none() && app.config.smtp_host.is_empty() {
        // Nobody tells the user: the sharer gets what he would have got.
        ace.link = Some(open::address(tx, &app.config.base_url, &node)?);
    }
    Ok(ace)
}

/// Changes mode and expiry of what was shared; `rotate` gives a link another token, or sends an
/// invitation again with another one.
///
/// # Errors
/// As [`share`]; `NotFound` when it is not shared in this way.
pub fn change(tx: &WriteTx<'_>, app: &App, caller: &User, wish: &Wish) -> Result<Ace> {
    let node = shareable(tx, caller, wish)?;
    let mut entry = named(tx, &node, &wish.whom)?;
    entry.mode = wish.mode.unwrap_or(entry.mode);
    if let Some(expires) = wish.expires {
        entry.expires = later(tx, expires)?;
    }
    if wish.rotate {
        if !matches!(entry.kind, EntryKind::Link | EntryKind::Email) {
            return Err(Error::field("rotate", "only links and invitations can be rotated"));
        }
        entry.rotation += 1;
        entry.last_used = None;
        give_token(tx, app, caller, &mut entry, true)?;
    }
    access::update(tx, &entry)?;
    answer(tx, app, &entry)
}

/// Ends what was shared.
///
/// # Errors
/// As [`change`].
pub fn revoke(tx: &WriteTx<'_>, caller: &User, wish: &Wish) -> Result<()> {
    let node = shareable(tx, caller, wish)?;
    let entry = named(tx, &node, &wish.whom)?;
    access::delete(tx, &entry.id)?;
    Ok(())
}

/// Gives a link its token, or, `by_mail`, has an invitation sent with one that nobody else learns.
/// So many mails of one caller are sent at most, whatever he invites anew or takes back.
fn give_token(
    tx: &WriteTx<'_>,
    app: &App,
    caller: &User,
    entry: &mut Entry,
    by_mail: bool,
) -> Result<()> {
    let links = links(app);
    let has_mail = !app.config.smtp_host.is_empty();
    let token = match entry.kind {
        EntryKind::Link => links.token(entry),
        EntryKind::Email | EntryKind::User if by_mail && has_mail => {
            app.limits.mails(caller.id.as_str(), NonZeroU32::MIN)?;
            mail::enqueue(tx, &entry.id)?;
            links.mail_token(entry)
        }
        _ if !by_mail => return Ok(()),
        kind => {
            tracing::warn!(entry = entry.id, "no mail server is set: an invitation was not sent");
            match kind {
                EntryKind::Email => links.token(entry),
                _ => return Ok(()),
            }
        }
    };
    entry.token_hash = Some(crypto::sha256(token.as_bytes()));
    Ok(())
}

fn answer(tx: &Tx<'_>, app: &App, entry: &Entry) -> Result<Ace> {
    let shown = access::shown(tx, &entry.id)?.found("share")?;
    access::ace(tx, links(app), &shown, true)
}

/// The time until which something is shared, which must not be over.
fn later(tx: &Tx<'_>, expires: Option<Timestamp>) -> Result<Option<Timestamp>> {
    match expires {
        Some(time) if time <= tx.now => Err(Error::field("expires_at", "is in the past")),
        other => Ok(other),
    }
}

/// The node that a request speaks of, which the caller may change by his account: whoever came with
/// a link does not share.
fn shareable(tx: &Tx<'_>, caller: &User, wish: &Wish) -> Result<Node> {
    let absent = || Error::NotFound(wish.thing.word());
    let owner = access::account(tx, Some(caller), &wish.owner).map_err(|error| match error {
        Error::NotFound(_) => absent(),
        other => other,
    })?;
    let who = Caller::from(caller);
    let resource = |node| Resource { node, owner: &owner, is_public: false, in_trash: false };
    let found = match &wish.thing {
        Thing::Document(id) => tree::find(tx, id)?.filter(|it| !it.is_folder),
        Thing::Folder(path) => match tree::deepest_folder(tx, &owner, path)? {
            (Some(id), true) => tree::find(tx, &id)?,
            (None, true) if access::level(tx, &who, &resource(None))? != Level::None => {
                return Err(Error::field("folder", "the root cannot be shared"));
            }
            _ => None,
        },
    };
    let node = found.filter(|it| it.owner == owner).ok_or_else(absent)?;
    let resource = Resource { in_trash: node.deleted.is_some(), ..resource(Some(&node.id)) };
    match access::require(tx, &who, &resource, Level::Write) {
        Err(Error::NotFound(_)) => {
            let is_public =
                !node.is_folder && documents::show(tx, &who, owner.as_str(), &node.id).is_ok();
            match is_public {
                true => Err(Error::Forbidden("you may read this but not change it".to_owned())),
                false => Err(absent()),
            }
        }
        Err(other) => Err(other),
        Ok(_) if node.deleted.is_some() => {
            Err(Error::Conflict("it is in the trash; restore it first".to_owned()))
        }
        Ok(_) => Ok(node),
    }
}

/// Whom a new entry shall be for.
fn recipient(tx: &Tx<'_>, caller: &User, node: &Node, whom: &Whom) -> Result<Recipient> {
    match whom {
        Whom::Anybody => Ok(Recipient::Anybody),
        Whom::Link(_) => {
            Err(Error::field("link", "names an existing link: leave it out for a new one"))
        }
        Whom::User(text) => {
            let text = if text == "me" { caller.id.as_str() } else { text };
            let user = accounts::find(tx, text)
                .map_err(|error| unknown(error, "user_id", "there is no such user"))?;
            other_than_owner("user_id", node, user)
        }
        Whom::Email(text) => {
            let email = accounts::email_rule(text)?;
            match accounts::find(tx, &email.text) {
                Ok(user) => other_than_owner("email", node, user),
                Err(Error::NotFound(_)) => Ok(Recipient::Address(email)),
                Err(other) => Err(other),
            }
        }
        Whom::Team(team) => {
            if !store::is_team_of(tx, team, &node.owner)? {
                return Err(Error::field("team", "the owner has no such team"));
            }
            Ok(Recipient::Team(team.clone()))
        }
    }
}

fn other_than_owner(field: &str, node: &Node, user: Profile) -> Result<Recipient> {
    if user.id == node.owner {
        return Err(Error::field(field, "is the owner, who has access anyway"));
    }
    Ok(Recipient::User(Box::new(user)))
}

fn unknown(error: Error, field: &str, text: &str) -> Error {
    match error {
        Error::NotFound(_) => Error::field(field, text),
        other => other,
    }
}

/// Whether an entry is the one that sharing with a recipient changes.
fn is_for(entry: &Entry, recipient: &Recipient) -> bool {
    let is_address =
        |key: &str| entry.email.as_deref().is_some_and(|it| accounts::email_key(it) == key);
    match recipient {
        // A further link is another link.
        Recipient::Anybody => false,
        Recipient::User(user) => {
            entry.user.as_ref() == Some(&user.id) || is_address(&accounts::email_key(&user.email))
        }
        Recipient::Address(email) => is_address(&email.key),
        Recipient::Team(team) => entry.team.as_ref() == Some(team),
    }
}

/// The entry of a node itself that a request names.
fn named(tx: &Tx<'_>, node: &Node, whom: &Whom) -> Result<Entry> {
    let user = match whom {
        Whom::Anybody => {
            return Err(Error::field("link", "say which: link, user_id, email or team"));
        }
        Whom::User(text) | Whom::Email(text) => match accounts::find(tx, text) {
            Ok(user) => Some(user.id),
            Err(Error::NotFound(_)) => None,
            Err(other) => return Err(other),
        },
        Whom::Team(_) | Whom::Link(_) => None,
    };
    let is_named = |entry: &Entry| match whom {
        Whom::Anybody => false,
        Whom::User(_) => user.is_some() && entry.user == user,
        Whom::Email(text) => {
            let key = accounts::email_key(text.trim());
            user.is_some() && entry.user == user
                || entry.email.as_deref().is_some_and(|it| accounts::email_key(it) == key)
        }
        Whom::Team(team) => entry.team.as_ref() == Some(team),
        Whom::Link(token) => entry.user.is_none() && entry.token_hash.as_ref() == Some(token),
    };
    access::direct(tx, &node.id)?.into_iter().find(is_named).found("share")
}
