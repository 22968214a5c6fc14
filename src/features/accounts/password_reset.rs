//! Password reset by mail: a person without a session asks for a link to set a new password.
//!
//! The request only enqueues a task, for every address alike. The task looks the account up, creates
//! the link and sends it. Therefore neither the response nor its time reveals which addresses have
//! an account.

use std::net::IpAddr;
use std::time::Duration;

use askama::Template;
use hyper::header::USER_AGENT;
use serde::Deserialize;
use serde::Serialize;
use serde_json::json;

use super::credentials;
use super::events;
use super::password_link;
use super::password_link::PasswordLink;
use super::rules;
use super::store;
use super::store::Profile;
use crate::app::App;
use crate::app::RequestContext;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::error::Result;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;

/// Name of the task that creates and sends a link. Its subject is the address in lower case.
pub const MAIL_TASK: &str = "accounts.reset-mail";

/// Time for which a link works.
const LINK_LIFETIME: Duration = Duration::from_hours(1);

/// Payload of the task: the client that asked for the link.
#[derive(Serialize, Deserialize)]
struct ResetRequest {
    ip_address: IpAddr,
    user_agent: String,
}

/// Content of the mail.
struct ResetMail {
    to: String,
    /// Title of the HTML page.
    title: &'static str,
    url: String,
    base_url: String,
}

/// Plain text body.
#[derive(Template)]
#[template(path = "reset.txt")]
struct TextBody<'a> {
    mail: &'a ResetMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "reset.html")]
struct HtmlBody<'a> {
    mail: &'a ResetMail,
}

/// Asks for a link to reset the password of the account with an address, if there is one.
///
/// # Errors
/// `InvalidFields` for `email`, `Forbidden` for a request from another site, `TooManyRequests` after
/// too many requests of this client or for this address.
pub fn request_link(request: &RequestContext, email: &str) -> Result<()> {
    credentials::reject_cross_site(request)?;
    let key = rules::parse_email(email)?.key;
    let limits = &request.app.rate_limits;
    limits.count_password_reset(request.client_ip, crypto::sha256(key.as_bytes()))?;
    let client = ResetRequest {
        ip_address: request.client_ip,
        user_agent: request.header(&USER_AGENT).unwrap_or_default().to_owned(),
    };
    let payload = serde_json::to_string(&client)?;
    request.app.db.write(move |tx| tasks::enqueue(tx, MAIL_TASK, &key, &payload, tx.now))
}

/// Runs the task [`MAIL_TASK`]. Makes earlier links of the user invalid. Sends nothing if the address
/// has no account that may reset its password by mail. Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry creates another link.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let client: ResetRequest = serde_json::from_str(&task.payload)?;
    let (key, email) = (app.server_key.clone(), task.subject.clone());
    let created = app.db.write_with_reserve(move |tx| {
        let Some(user) = find_recipient(tx, &email)? else { return Ok(None) };
        let link = PasswordLink::create(tx, &key, &user.id, LINK_LIFETIME)?;
        let origin = WriteOrigin::of_request(client.ip_address, &client.user_agent);
        let tx = tx.with_origin(&origin);
        events::record_user_event(&tx, &user, "user.request_password_reset", &json!({}))?;
        Ok(Some((user.email, link)))
    })?;
    let Some((to, link)) = created else { return Ok(()) };
    let content = ResetMail {
        to,
        title: "Set a new password",
        url: link.url(&app.server_key, &app.config.base_url),
        base_url: app.config.base_url.clone(),
    };
    let mail = Mail::render(
        &content.to,
        content.title.to_owned(),
        &TextBody { mail: &content },
        &HtmlBody { mail: &content },
    )?;
    if !mail::send(&app.config, &mail)? {
        tracing::warn!("smtp_host is not set: a link to reset a password was not sent");
    }
    Ok(())
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, _: &App, subject: &str) -> Result<Option<String>> {
    Ok(find_recipient(tx, subject)?.map(|user| user.email))
}

/// Returns the user with an address in lower case, if the user may reset the password by mail. None
/// for a disabled account, for one that must use single sign-on, and for an operator with an account
/// that an organization manages.
fn find_recipient(tx: &Tx<'_>, email: &str) -> Result<Option<Profile>> {
    let Some(user) = store::find_user_by_email(tx, email)? else { return Ok(None) };
    let may_reset = password_link::may_use_link(tx, &user)?
        && !store::organizations::must_use_sso(tx, &user.id)?;
    Ok(may_reset.then_some(user))
}
