//! The mail that tells somebody what was shared with him.

use askama::Template;

use super::actions;
use crate::app::App;
use crate::features::access;
use crate::features::access::EntryKind;
use crate::features::access::Level;
use crate::features::accounts;
use crate::features::tree;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::text;

/// Name of the task that sends an invitation; its subject is the entry's id.
pub const MAIL: &str = "sharing.mail";

/// What the mail says.
#[derive(Template)]
#[template(path = "share.txt")]
struct Text<'a> {
    said: &'a Said,
}

/// The same as HTML.
#[derive(Template)]
#[template(path = "share.html")]
struct Html<'a> {
    said: &'a Said,
}

struct Said {
    to: String,
    inviter: String,
    /// `chart` or `folder`.
    kind: &'static str,
    title: String,
    may_write: bool,
    /// Whether the receiver has an account here.
    is_user: bool,
    url: String,
    base_url: String,
}

/// Has the mail of an entry sent after this transaction.
pub fn enqueue(tx: &WriteTx<'_>, entry: &str) -> Result<()> {
    tasks::enqueue(tx, MAIL, entry, "{}", tx.now)
}

/// Sends the mail of an entry; does nothing when it was revoked or used meanwhile.
///
/// # Errors
/// When no mail server takes it; trying again does no harm.
pub fn send(app: &App, task: &Task) -> Result<()> {
    let Some(said) = app.db.read(|tx| said(tx, app, &task.subject))? else { return Ok(()) };
    let subject = format!("{} shared “{}” with you", said.inviter, said.title);
    let mail = Mail::of(&said.to, subject, &Text { said: &said }, &Html { said: &said })?;
    if !mail::send(&app.config, &mail)? {
        tracing::warn!(entry = task.subject, "no mail server is set: an invitation was not sent");
    }
    Ok(())
}

/// The address that the task of this subject writes to; none when it would not write.
pub fn addressee(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(said(tx, app, subject)?.map(|it| it.to))
}

fn said(tx: &Tx<'_>, app: &App, id: &str) -> Result<Option<Said>> {
    let Some(shown) = access::shown(tx, id)? else { return Ok(None) };
    let (entry, links) = (&shown.entry, actions::links(app));
    let token = links.mail_token(entry);
    let is_waiting = entry.token_hash == Some(crypto::sha256(token.as_bytes()))
        && entry.last_used.is_none()
        && !entry.has_expired(tx.now);
    let (Some(to), Some(node)) = (shown.email, tree::find(tx, &entry.node)?) else {
        return Ok(None);
    };
    if !is_waiting || node.deleted.is_some() {
        return Ok(None);
    }
    Ok(Some(Said {
        to,
        inviter: accounts::name_of(tx, &entry.created_by)?,
        kind: if node.is_folder { "folder" } else { "chart" },
        title: text::line(&node.title),
        may_write: entry.mode == Level::Write,
        is_user: entry.kind == EntryKind::User,
        url: links.address(&token),
        base_url: app.config.base_url.clone(),
    }))
}
