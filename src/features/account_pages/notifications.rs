//! The page of the notifications.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::NotificationPatch;
use crate::features::accounts::User;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// The page of the notifications.
#[derive(Template)]
#[template(path = "account-notifications.html")]
struct NotificationsPage {
    frame: Frame,
    title: &'static str,
    email: String,
    toggles: [Toggle; 2],
    /// Whether the server has a mail server.
    sends_mail: bool,
}

/// A kind of mail that is on or off.
struct Toggle {
    /// Name in the API.
    name: &'static str,
    label: &'static str,
    hint: &'static str,
    is_on: bool,
}

/// Handles `GET /account/notifications`.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let choices = request.app.db.read(|tx| accounts::find_notifications(tx, &caller.id))?;
    let page = NotificationsPage {
        frame: Frame::new(request, caller, Section::Notifications),
        title: language::text("account.notifications"),
        email: caller.email.clone(),
        toggles: [
            Toggle {
                name: "mentions",
                label: language::text("account.mentions"),
                hint: language::text("account.mentionsHint"),
                is_on: choices.mentions,
            },
            Toggle {
                name: "shares",
                label: language::text("account.shares"),
                hint: language::text("account.sharesHint"),
                is_on: choices.shares,
            },
        ],
        sends_mail: !request.app.config.smtp_host.is_empty(),
    };
    page_parts::render_with_problem(&page, &Problem::default())
}

/// Handles `POST /account/notifications`: stores all choices. An unchecked box is off.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let patch = NotificationPatch {
        mentions: Some(form.is_checked("mentions")),
        shares: Some(form.is_checked("shares")),
    };
    let user = caller.id.clone();
    request
        .app
        .db
        .write_with_reserve(move |tx| accounts::change_notifications(tx, &user, patch))?;
    frame::redirect("/account/notifications", "notifications-saved")
}
