//! The page on which a person asks for a link to reset the password. It works without scripts.

use askama::Template;
use hyper::StatusCode;
use serde::Deserialize;

use super::form::Problem;
use super::page_parts;
use super::pages;
use super::password_reset;
use crate::app::RequestContext;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// The page with the form.
#[derive(Template)]
#[template(path = "forgot-password.html")]
struct ForgotPasswordPage<'a> {
    email: &'a str,
    problem: &'a Problem,
    /// Whether the server can send mail.
    sends_mail: bool,
    /// Whether a link was requested.
    is_requested: bool,
}

/// Fields of the form.
#[derive(Deserialize)]
struct AddressForm {
    #[serde(default)]
    email: String,
}

/// Handles `GET /forgot-password`: shows the form. Without a mail server, names the command with
/// which an operator sets a password instead.
pub fn page(request: &RequestContext, (): ()) -> Result<Response> {
    let page = ForgotPasswordPage {
        email: "",
        problem: &Problem::default(),
        sends_mail: sends_mail(request),
        is_requested: false,
    };
    pages::render_page(StatusCode::OK, &page)
}

/// Handles `POST /forgot-password`: asks for a link. The response is the same whether or not the
/// address has an account.
pub fn submit(request: &RequestContext, (): ()) -> Result<Response> {
    if !sends_mail(request) {
        return page(request, ());
    }
    let form: AddressForm = pages::parse_form(request)?;
    let email = form.email.trim();
    let problem = match password_reset::request_link(request, email) {
        Ok(()) => Problem::default(),
        Err(error) => Problem::from_error(error, &[("email", "field-labels.address")])?,
    };
    let page = ForgotPasswordPage {
        email,
        problem: &problem,
        sends_mail: true,
        is_requested: problem.status.is_success(),
    };
    page_parts::render_with_problem(&page, &problem)
}

/// Returns whether the server has a mail server.
fn sends_mail(request: &RequestContext) -> bool {
    !request.app.config.smtp_host.is_empty()
}
