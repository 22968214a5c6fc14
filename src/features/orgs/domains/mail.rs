//! The mail that tells an admin that the TXT record of a verified domain is missing.

use askama::Template;

use super::store;
use super::verification::DomainStatus;
use crate::app::App;
use crate::features::accounts;
use crate::features::orgs;
use crate::features::orgs::Role;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::text;

/// Name of the task that sends the mail to one admin. Its subject is the organization id, the domain
/// and the user id.
pub const MAIL_TASK: &str = "orgs.domain_mail";

/// Plain text body.
#[derive(Template)]
#[template(path = "domain.txt")]
struct TextBody<'a> {
    mail: &'a MissingRecordMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "domain.html")]
struct HtmlBody<'a> {
    mail: &'a MissingRecordMail,
}

/// Content of the mail.
struct MissingRecordMail {
    to: String,
    /// Name of the organization, on one line.
    org: String,
    /// Domain. It is the title of the HTML body.
    title: String,
    record_value: String,
    /// Time of the first check without the record, for people.
    missing_since: String,
    url: String,
    base_url: String,
}

/// Enqueues a mail about a domain to each admin of an organization. They are sent after this
/// transaction.
pub fn enqueue_mails(tx: &WriteTx<'_>, org: &AccountId, domain: &str) -> Result<()> {
    for member in orgs::list_members(tx, org)? {
        if member.role == Role::Admin {
            let subject = format!("{org} {domain} {}", member.user);
            tasks::enqueue(tx, MAIL_TASK, &subject, "{}", tx.now)?;
        }
    }
    Ok(())
}

/// Runs the task [`MAIL_TASK`]. Sends nothing if the record is there again, the domain is no longer
/// verified, or the user is disabled or no longer an admin. Without a mail server, only logs a
/// warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!(subject = task.subject, "smtp_host is not set: a mail was not sent");
    }
    Ok(())
}

/// Renders the mail with this content. It has a plain text body and an HTML body.
fn render_mail(content: &MissingRecordMail) -> Result<Mail> {
    let subject = format!("The TXT record of {} is missing", content.title);
    Mail::render(&content.to, subject, &TextBody { mail: content }, &HtmlBody { mail: content })
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Loads the content of the mail of the task with this subject. Returns None if the mail is not
/// needed any more, as `send_mail` describes, or if the subject is malformed.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<MissingRecordMail>> {
    let parts: Vec<&str> = subject.split(' ').collect();
    let [org, name, user] = parts[..] else { return Ok(None) };
    let (org, user) = (AccountId::from_text(org), AccountId::from_text(user));
    let Some(domain) = store::find_domain(tx, &org, name)? else { return Ok(None) };
    let is_admin = orgs::find_role(tx, &org, &user)? == Some(Role::Admin);
    let (Some(since), DomainStatus::Verified, true) =
        (domain.missing_since, domain.status, is_admin)
    else {
        return Ok(None);
    };
    let (admin, org) = (accounts::load_profile(tx, &user)?, orgs::find_org(tx, org.as_str())?);
    if admin.disabled {
        return Ok(None);
    }
    Ok(Some(MissingRecordMail {
        to: admin.email,
        org: text::single_line_title(&org.name),
        title: domain.name,
        record_value: domain.record_value,
        missing_since: since.format_to_minute(),
        url: format!("{}/orgs/{}", app.config.base_url, org.slug),
        base_url: app.config.base_url.clone(),
    }))
}
