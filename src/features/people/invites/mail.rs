//! The mail of an invite.

use askama::Template;

use crate::app::App;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::people::invite::Invite;
use crate::features::people::store;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::InviteId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::text;

/// Name of the task that sends the mail. Its subject is the id of the invite.
pub const MAIL_TASK: &str = "people.invite-mail";

/// Plain text body.
#[derive(Template)]
#[template(path = "invite.txt")]
struct TextBody<'a> {
    mail: &'a InviteMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "invite.html")]
struct HtmlBody<'a> {
    mail: &'a InviteMail,
}

/// Content of the mail.
struct InviteMail {
    to: String,
    /// Name of the organization.
    title: String,
    /// See [`inviter_name`].
    inviter: String,
    message: String,
    url: String,
    base_url: String,
}

/// Enqueues the mail of an invite.
pub fn enqueue_mail(tx: &WriteTx<'_>, invite: &InviteId) -> Result<()> {
    tasks::enqueue(tx, MAIL_TASK, invite.as_str(), "{}", tx.now)
}

/// Returns the token of an invite. The rotation makes it new each time the invite is sent.
pub fn derive_token(key: &ServerKey, invite: &Invite) -> String {
    key.derive_token("invite", &format!("{} {}", invite.id, invite.rotation))
}

/// Returns the absolute URL of the page of an invite.
pub fn invite_url(key: &ServerKey, base_url: &str, invite: &Invite) -> String {
    format!("{base_url}/invite/{}", derive_token(key, invite))
}

/// Returns the name of the person who invites, or `An administrator` for invites of the command line
/// and automatic ones.
pub fn inviter_name(tx: &Tx<'_>, invite: &Invite) -> Result<String> {
    match invite.invited_by.as_str() {
        "" => Ok("An administrator".to_owned()),
        _ => accounts::display_name(tx, &invite.invited_by),
    }
}

/// Runs the task [`MAIL_TASK`]. Sends nothing if the invite was accepted or deleted, or has expired.
/// Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!(invite = task.subject, "smtp_host is not set: an invite was not sent");
    }
    Ok(())
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Renders the mail.
fn render_mail(content: &InviteMail) -> Result<Mail> {
    let subject = format!("{} invites you to {}", content.inviter, content.title);
    Mail::render(&content.to, subject, &TextBody { mail: content }, &HtmlBody { mail: content })
}

/// Loads the content of the mail of an invite, or None if the invite is not open.
fn load_content(tx: &Tx<'_>, app: &App, id: &str) -> Result<Option<InviteMail>> {
    let Some(invite) = store::invites::find_open(tx, &InviteId::from_text(id))? else {
        return Ok(None);
    };
    let org = orgs::find_org(tx, invite.org.as_str())?;
    let title = text::single_line_title(&org.name);
    let inviter = inviter_name(tx, &invite)?;
    Ok(Some(InviteMail {
        url: invite_url(&app.server_key, &app.config.base_url, &invite),
        to: invite.email,
        title,
        inviter,
        message: invite.message,
        base_url: app.config.base_url.clone(),
    }))
}
