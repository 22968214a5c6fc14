//! The mail with the link to set a password, for a new or restored managed account.

use std::time::Duration;

use askama::Template;

use crate::app::App;
use crate::features::accounts;
use crate::features::accounts::PasswordLink;
use crate::features::orgs;
use crate::features::people::store;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;

/// Name of the task that sends the mail. Its subject is the account id and the nonce of the link,
/// separated by a dot.
pub const MAIL_TASK: &str = "people.account-mail";

/// Time for which the link works.
const LINK_LIFETIME: Duration = Duration::from_secs(7 * 86_400);

/// Plain text body.
#[derive(Template)]
#[template(path = "account.txt")]
struct TextBody<'a> {
    mail: &'a AccountMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "account.html")]
struct HtmlBody<'a> {
    mail: &'a AccountMail,
}

/// Content of the mail.
struct AccountMail {
    to: String,
    /// Name of the organization.
    title: String,
    url: String,
    base_url: String,
}

/// Creates a password link. Earlier links of the user stop working.
pub fn create_link(tx: &WriteTx<'_>, key: &ServerKey, user: &AccountId) -> Result<PasswordLink> {
    PasswordLink::create(tx, key, user, LINK_LIFETIME)
}

/// Creates a password link for a managed account and enqueues its mail. Earlier links stop working.
pub fn enqueue_mail(tx: &WriteTx<'_>, key: &ServerKey, user: &AccountId) -> Result<()> {
    let link = create_link(tx, key, user)?;
    tasks::enqueue(tx, MAIL_TASK, &format!("{user}.{}", link.nonce), "{}", tx.now)
}

/// Runs the task [`MAIL_TASK`]. Sends nothing if the link was used or replaced, or the account is
/// not managed any more. Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!("smtp_host is not set: the mail about a new account was not sent");
    }
    Ok(())
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Renders the mail.
fn render_mail(content: &AccountMail) -> Result<Mail> {
    let subject = format!("Your Chartroom account at {}", content.title);
    Mail::render(&content.to, subject, &TextBody { mail: content }, &HtmlBody { mail: content })
}

/// Loads the content of the mail with this subject, or None if it is not needed any more.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<AccountMail>> {
    let Some((user, nonce)) = subject.split_once('.') else { return Ok(None) };
    let (user, link) = (AccountId::from_text(user), PasswordLink { nonce: nonce.to_owned() });
    let Some(org) = store::managed::managing_org(tx, &user)? else { return Ok(None) };
    let profile = match accounts::load_profile(tx, &user) {
        Err(Error::NotFound(_)) => return Ok(None),
        other => other?,
    };
    if !link.is_valid(tx, &app.server_key)? {
        return Ok(None);
    }
    Ok(Some(AccountMail {
        to: profile.email,
        title: orgs::find_org(tx, org.as_str())?.name,
        url: link.url(&app.server_key, &app.config.base_url),
        base_url: app.config.base_url.clone(),
    }))
}
