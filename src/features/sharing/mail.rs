//! The mail about a share or an invitation.

use askama::Template;

use super::links;
use crate::app::App;
use crate::features::access;
use crate::features::access::AccessEntryKind;
use crate::features::access::AccessLevel;
use crate::features::accounts;
use crate::features::accounts::NotificationKind;
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

/// Name of the task that sends the mail. Its subject is the id of the access entry.
pub const MAIL_TASK: &str = "sharing.mail";

/// Plain text body.
#[derive(Template)]
#[template(path = "share.txt")]
struct TextBody<'a> {
    mail: &'a InvitationMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "share.html")]
struct HtmlBody<'a> {
    mail: &'a InvitationMail,
}

/// Content of the mail.
struct InvitationMail {
    to: String,
    inviter: String,
    /// `chart` or `folder`.
    kind: &'static str,
    title: String,
    may_write: bool,
    /// Whether the receiver has an account.
    is_user: bool,
    url: String,
    base_url: String,
}

/// Enqueues the mail of the access entry with the id `entry`. It is sent after this transaction.
pub fn enqueue_mail(tx: &WriteTx<'_>, entry: &str) -> Result<()> {
    tasks::enqueue(tx, MAIL_TASK, entry, "{}", tx.now)
}

/// Runs the task [`MAIL_TASK`]: sends the mail of an access entry. Sends nothing if the entry was
/// revoked, has expired or got a new token, its link was used, its node is in the trash, or its user
/// does not want mails about shares. Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!(entry = task.subject, "smtp_host is not set: an invitation was not sent");
    }
    Ok(())
}

/// Renders the mail with this content. It has a plain text body and an HTML body.
fn render_mail(content: &InvitationMail) -> Result<Mail> {
    let subject = format!("{} shared “{}” with you", content.inviter, content.title);
    Mail::render(&content.to, subject, &TextBody { mail: content }, &HtmlBody { mail: content })
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Loads the content of the mail about the access entry `id`. Returns None if the mail is not
/// needed any more, as `send_mail` describes, or if the entry has no address.
fn load_content(tx: &Tx<'_>, app: &App, id: &str) -> Result<Option<InvitationMail>> {
    let Some(details) = access::find_entry_details(tx, id)? else { return Ok(None) };
    let (entry, links) = (&details.entry, links::share_links(app));
    let token = links.invitation_token(entry);
    let is_unused = entry.token_hash == Some(crypto::sha256(token.as_bytes()))
        && entry.last_used.is_none()
        && !entry.has_expired(tx.now);
    let (Some(to), Some(node)) = (details.email, tree::find_node(tx, &entry.node)?) else {
        return Ok(None);
    };
    if !is_unused || node.deleted.is_some() {
        return Ok(None);
    }
    if let Some(user) = &entry.user
        && !accounts::wants_mail(tx, user, NotificationKind::Shares)?
    {
        return Ok(None);
    }
    Ok(Some(InvitationMail {
        to,
        inviter: accounts::display_name(tx, &entry.created_by)?,
        kind: if node.is_folder { "folder" } else { "chart" },
        title: text::single_line_title(&node.title),
        may_write: entry.mode == AccessLevel::Write,
        is_user: entry.kind == AccessEntryKind::User,
        url: links.url(&token),
        base_url: app.config.base_url.clone(),
    }))
}
