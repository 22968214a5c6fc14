//! Password reset by mail: a person without a session asks for a link to set a new password.
//!
//! The request only enqueues a task, for every address alike. The task looks the account up, creates
//! the link once, and enqueues a second task that sends it, with retries. Therefore neither the
//! response nor its time reveals which addresses have an account.

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
use chartroom_platform::time::Timestamp;

/// Name of the task that creates a link. Its subject is the address in lower case.
pub const REQUEST_TASK: &str = "accounts.reset-request";
/// Name of the task that sends a link. Its subject is the account id and the nonce of the link,
/// separated by a dot.
pub const MAIL_TASK: &str = "accounts.reset-mail";

/// Time for which a link works, from the request on.
const LINK_LIFETIME: Duration = Duration::from_hours(1);

/// Payload of the task [`REQUEST_TASK`]: the client that asks for the link.
#[derive(Serialize, Deserialize)]
struct ResetRequest {
    /// Time of the request in milliseconds since 1970.
    requested: i64,
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

/// Asks for a link to reset the password of the account with an address, if there is one. Does nothing
/// after too many requests for this address, so that nobody can see or cause a refusal of the requests
/// of its owner. The earlier links still work.
///
/// # Errors
/// `InvalidFields` for `email`, `Forbidden` for a request from another site, `TooManyRequests` after
/// too many requests of this client.
pub fn request_link(request: &RequestContext, email: &str) -> Result<()> {
    credentials::reject_cross_site(request)?;
    let key = rules::parse_email(email)?.key;
    let limits = &request.app.rate_limits;
    if !limits.count_password_reset(request.client_ip, crypto::sha256(key.as_bytes()))? {
        return Ok(());
    }
    let client = ResetRequest {
        requested: Timestamp::now().0,
        ip_address: request.client_ip,
        user_agent: request.header(&USER_AGENT).unwrap_or_default().to_owned(),
    };
    let payload = serde_json::to_string(&client)?;
    request.app.db.write(move |tx| tasks::enqueue(tx, REQUEST_TASK, &key, &payload, tx.now))
}

/// Runs the task [`REQUEST_TASK`]: creates a link and its audit event, and enqueues [`MAIL_TASK`].
/// Does nothing if the address has no account that may set a password with a link, or the link would
/// have expired already.
pub fn create_link(app: &App, task: &Task) -> Result<()> {
    let client: ResetRequest = serde_json::from_str(&task.payload)?;
    let expires = Timestamp(client.requested).saturating_add(LINK_LIFETIME);
    let (key, email) = (app.server_key.clone(), task.subject.clone());
    app.db.write_with_reserve(move |tx| {
        let found = store::find_user_by_email(tx, &email)?;
        let Some(user) = found.filter(|_| expires > tx.now) else { return Ok(()) };
        if !password_link::may_use_link(tx, &user)? {
            return Ok(());
        }
        let link = PasswordLink::create_for_reset(tx, &key, &user.id, expires)?;
        tasks::enqueue(tx, MAIL_TASK, &format!("{}.{}", user.id, link.nonce), "{}", tx.now)?;
        let origin = WriteOrigin::of_request(client.ip_address, &client.user_agent);
        let tx = tx.with_origin(&origin);
        events::record_user_event(&tx, &user, "user.request_password_reset", &json!({}))
    })
}

/// Runs the task [`MAIL_TASK`]. Sends nothing if the link was used or has expired, or the password or
/// the address was changed meanwhile. Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!("smtp_host is not set: a link to reset a password was not sent");
    }
    Ok(())
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Renders the mail.
fn render_mail(content: &ResetMail) -> Result<Mail> {
    let (text, html) = (TextBody { mail: content }, HtmlBody { mail: content });
    Mail::render(&content.to, content.title.to_owned(), &text, &html)
}

/// Loads the content of the mail with this subject, or None if it is not needed any more.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<ResetMail>> {
    let Some((user, nonce)) = subject.split_once('.') else { return Ok(None) };
    let Some(user) = store::find_user(tx, user)? else { return Ok(None) };
    let link = PasswordLink { nonce: nonce.to_owned() };
    if !link.is_valid(tx, &app.server_key)? || !password_link::may_use_link(tx, &user)? {
        return Ok(None);
    }
    Ok(Some(ResetMail {
        to: user.email,
        title: "Set a new password",
        url: link.url(&app.server_key, &app.config.base_url),
        base_url: app.config.base_url.clone(),
    }))
}
