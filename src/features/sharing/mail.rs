//! The mail that tells somebody what was shared with him.

use askama::Template;

use super::actions;
use crate::features::access;
use crate::features::access::EntryKind;
use crate::features::access::Level;
use crate::features::accounts;
use crate::features::tree;
use crate::platform::App;
use crate::platform::crypto;
use crate::platform::db::Tx;
use crate::platform::db::WriteTx;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::mail::Mail;
use crate::platform::mail::Mailer;
use crate::platform::remote::Names;
use crate::platform::tasks;
use crate::platform::tasks::Task;

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
    let names = Names::new(app.config.dns.clone())?;
    let Some(mailer) = Mailer::new(&app.config, names)? else {
        tracing::warn!(entry = task.subject, "no mail server is set: an invitation was not sent");
        return Ok(());
    };
    let broken = |error: askama::Error| Error::internal(error.to_string());
    mailer.send(&Mail {
        to: said.to.clone(),
        subject: format!("{} shared “{}” with you", said.inviter, said.title),
        text: Text { said: &said }.render().map_err(broken)?,
        html: Some(Html { said: &said }.render().map_err(broken)?),
    })
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
        inviter: inviter(tx, entry)?,
        kind: if node.is_folder { "folder" } else { "chart" },
        title: line(&node.title),
        may_write: entry.mode == Level::Write,
        is_user: entry.kind == EntryKind::User,
        url: links.address(&token),
        base_url: app.config.base_url.clone(),
    }))
}

/// The name of who made an entry.
pub fn inviter(tx: &Tx<'_>, entry: &access::Entry) -> Result<String> {
    match accounts::profile(tx, &entry.created_by) {
        Ok(user) => Ok(line(&user.name)),
        Err(Error::NotFound(_)) => Ok("Somebody".to_owned()),
        Err(other) => Err(other),
    }
}

/// A name or title as one line; the empty one has a name too.
fn line(text: &str) -> String {
    let line: String = text.chars().map(|it| if it.is_control() { ' ' } else { it }).collect();
    if line.trim().is_empty() { "Untitled".to_owned() } else { line.trim().to_owned() }
}
