//! The mail that tells an admin that a managed account got another identifier at the identity provider.

use askama::Template;

use crate::app::App;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::people::store;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::text;
use chartroom_platform::time::Timestamp;

/// Name of the task that sends the mail to one admin. Its subject is the organization id, the id of the
/// account, the id of the admin and the time in milliseconds since 1970.
pub const RELINK_MAIL_TASK: &str = "people.relink-mail";

/// Plain text body.
#[derive(Template)]
#[template(path = "relink.txt")]
struct TextBody<'a> {
    mail: &'a RelinkMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "relink.html")]
struct HtmlBody<'a> {
    mail: &'a RelinkMail,
}

/// Content of the mail.
struct RelinkMail {
    to: String,
    /// Name of the organization, on one line.
    org: String,
    /// Name of the user, on one line. It is the title of the HTML body.
    title: String,
    /// Address of the account.
    email: String,
    /// Time of the sign-in, for people.
    time: String,
    url: String,
    base_url: String,
}

/// Enqueues a mail about an account to each admin of an organization. They are sent after this
/// transaction.
pub fn enqueue_mails(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    for member in orgs::list_members(tx, org)? {
        if member.role == Role::Admin {
            let subject = format!("{org} {user} {} {}", member.user, tx.now.0);
            tasks::enqueue(tx, RELINK_MAIL_TASK, &subject, "{}", tx.now)?;
        }
    }
    Ok(())
}

/// Runs the task [`RELINK_MAIL_TASK`]. Sends nothing if the account is not managed any more, or the
/// recipient is disabled or no longer an admin. Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_relink_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!("smtp_host is not set: the mail about a relinked account was not sent");
    }
    Ok(())
}

/// Returns the recipient of the mail task with this subject, or None if [`send_relink_mail`] would send
/// nothing.
pub fn relink_mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Renders the mail.
fn render_mail(content: &RelinkMail) -> Result<Mail> {
    let subject = format!("The account of {} has another identity", content.title);
    Mail::render(&content.to, subject, &TextBody { mail: content }, &HtmlBody { mail: content })
}

/// Loads the content of the mail with this subject, or None if it is not needed any more or the subject
/// is malformed.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<RelinkMail>> {
    let parts: Vec<&str> = subject.split(' ').collect();
    let [org, user, admin, time] = parts[..] else { return Ok(None) };
    let Ok(time) = time.parse() else { return Ok(None) };
    let (org, user) = (AccountId::from_text(org), AccountId::from_text(user));
    let admin = AccountId::from_text(admin);
    let is_admin = orgs::find_role(tx, &org, &admin)? == Some(Role::Admin);
    if !is_admin || store::managed::managing_org(tx, &user)?.as_ref() != Some(&org) {
        return Ok(None);
    }
    let admin = match accounts::load_profile(tx, &admin) {
        Ok(admin) if !admin.disabled => admin,
        Ok(_) | Err(Error::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let (org, user) = (orgs::find_org(tx, org.as_str())?, accounts::load_profile(tx, &user)?);
    Ok(Some(RelinkMail {
        to: admin.email,
        org: text::single_line_title(&org.name),
        title: text::single_line_title(&user.name),
        email: user.email,
        time: Timestamp(time).format_to_minute(),
        url: format!("{}/orgs/{}/members/{}", app.config.base_url, org.slug, user.id),
        base_url: app.config.base_url.clone(),
    }))
}
