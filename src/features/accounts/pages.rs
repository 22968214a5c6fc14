//! Pages for sign-in, sign-out and creation of the first operator. They work without scripts.

use askama::Template;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, SET_COOKIE};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::User;
use super::credentials;
use super::credentials::NewSession;
use super::field_errors;
use super::password_check;
use super::password_link;
use super::password_sign_in;
use super::password_sign_in::SignInStep;
use super::secrets;
use super::setup;
use super::setup::FirstOperator;
use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;
use chartroom_platform::messages;

/// Maximum size of a form that needs no credentials. The longest one contains a password of 1,024
/// characters, each with up to twelve bytes in the encoding of a form.
pub const MAX_PUBLIC_FORM_BYTES: usize = 16 << 10;

/// The sign-in page. `email` and `next` repeat the values of the submitted form. If `needs_setup` is
/// set, it explains the setup link instead, because nobody can sign in.
#[derive(Template)]
#[template(path = "sign-in.html")]
struct SignInPage<'a> {
    email: &'a str,
    next: &'a str,
    error: Option<String>,
    needs_setup: bool,
    sso: Option<SsoOffer<'a>>,
}

/// The offer to sign in with the identity provider of an organization instead.
#[derive(Clone, Copy)]
pub struct SsoOffer<'a> {
    /// Name of the organization.
    pub org: &'a str,
    /// Address of the person.
    pub email: &'a str,
}

/// The second step of a sign-in: the page that asks for the code of a second factor.
#[derive(Template)]
#[template(path = "sign-in-code.html")]
struct SignInCodePage<'a> {
    /// Proof that the password was right.
    ticket: &'a str,
    next: &'a str,
    error: Option<String>,
}

/// The page of a setup link, with the error of each field.
#[derive(Template, Default)]
#[template(path = "setup.html")]
struct SetupPage<'a> {
    name: &'a str,
    email: &'a str,
    name_error: Option<String>,
    email_error: Option<String>,
    password_error: Option<String>,
    error: Option<String>,
}

/// The page of a password link.
#[derive(Template)]
#[template(path = "set-password.html")]
struct SetPasswordPage<'a> {
    /// Address of the account.
    email: &'a str,
    error: Option<String>,
}

/// A page that shows a message and a link.
#[derive(Template)]
#[template(path = "message.html")]
pub struct MessagePage<'a> {
    pub title: &'a str,
    pub text: &'a str,
    /// Target of the link.
    pub link: &'a str,
    /// Label of the link.
    pub action: &'a str,
    /// Name of the signed-in user, for the bar at the top. Empty if nobody is signed in.
    pub user_name: &'a str,
}

/// Fields of the sign-in form.
#[derive(Deserialize)]
struct SignInForm {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
    /// Ticket of the page for the code. Empty in the first step.
    #[serde(default)]
    ticket: String,
    /// Code of the second factor. Only with a ticket.
    #[serde(default)]
    code: String,
}

/// Fields of the form for a new password.
#[derive(Deserialize)]
struct PasswordForm {
    #[serde(default)]
    password: String,
}

/// Fields of the setup form.
#[derive(Deserialize)]
struct SetupForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
}

/// Handles `GET /sign-in`: shows the form, or on a server without users the way to the setup link.
/// Redirects a signed-in user to the page in `next`
/// instead, or to `/` if `next` is not a path on this server.
pub fn sign_in_page(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let next = request.query_value("next").unwrap_or_default();
    if caller.is_some() {
        return Response::see_other(local_path_or_root(&next));
    }
    let page = SignInPage {
        email: "",
        next: local_path_or_root(&next),
        error: None,
        needs_setup: setup::needs_setup(request.app)?,
        sso: None,
    };
    render_page(StatusCode::OK, &page)
}

/// Renders the form for the password of a user with this address, as the second step of a sign-in.
pub fn render_password_form(
    email: &str,
    next: &str,
    sso: Option<SsoOffer<'_>>,
) -> Result<Response> {
    let page = SignInPage { email, next, error: None, needs_setup: false, sso };
    render_page(StatusCode::OK, &page)
}

/// Handles `POST /sign-in`: begins a session and redirects to the page in `next`. If the account has a
/// second factor, shows the form for its code, which is sent to this path too. If the sign-in is
/// refused, shows the form again with the error and its status.
///
/// If the account must use single sign-on, offers it with the name of the organization that `find_org`
/// returns for its address.
pub fn sign_in(
    request: &RequestContext,
    find_org: impl FnOnce(&str) -> Result<Option<String>>,
) -> Result<Response> {
    let form: SignInForm = parse_form(request)?;
    if !form.ticket.is_empty() {
        return submit_code(request, &form);
    }
    let next = local_path_or_root(&form.next);
    match password_sign_in::begin_sign_in(request, form.email.trim(), &form.password) {
        Ok(SignInStep::SignedIn(session)) => redirect_with_session(&session, next),
        Ok(SignInStep::CodeRequired(ticket)) => {
            render_page(StatusCode::OK, &SignInCodePage { ticket: &ticket, next, error: None })
        }
        Err(error) if password_check::is_sso_required(&error) => {
            let org = find_org(form.email.trim())?;
            let offer = org.as_deref().map(|org| SsoOffer { org, email: form.email.trim() });
            show_sign_in_error(&form, error, offer)
        }
        Err(error) => show_sign_in_error(&form, error, None),
    }
}

/// Handles the second step of a sign-in. Shows the form for the code again after a wrong one, and the
/// form for the password if the ticket does not work any more.
fn submit_code(request: &RequestContext, form: &SignInForm) -> Result<Response> {
    let next = local_path_or_root(&form.next);
    match password_sign_in::sign_in_with_ticket(request, &form.ticket, &form.code) {
        Ok(session) => redirect_with_session(&session, next),
        Err(error @ (Error::SecondFactor(_) | Error::TooManyRequests(_))) => {
            let text = Some(messages::describe_in_sentence(&error));
            let page = SignInCodePage { ticket: &form.ticket, next, error: text };
            add_retry_after(render_page(error_status(&error), &page)?, &error)
        }
        Err(error) => show_sign_in_error(form, error, None),
    }
}

/// Shows the form for the password again with an error that people can correct. Returns other errors.
fn show_sign_in_error(
    form: &SignInForm,
    error: Error,
    sso: Option<SsoOffer<'_>>,
) -> Result<Response> {
    match error {
        Error::SignInRequired(_) | Error::TooManyRequests(_) | Error::Forbidden(_) => {
            let page = SignInPage {
                email: &form.email,
                next: local_path_or_root(&form.next),
                error: Some(messages::describe_in_sentence(&error)),
                needs_setup: false,
                sso,
            };
            add_retry_after(render_page(error_status(&error), &page)?, &error)
        }
        error => Err(error),
    }
}

/// Adds the header `Retry-After` to the page of an error that has a time to wait.
fn add_retry_after(page: Response, error: &Error) -> Result<Response> {
    match error {
        Error::TooManyRequests(seconds) => page.with_header(RETRY_AFTER, &seconds.to_string()),
        _ => Ok(page),
    }
}

/// Handles `POST /sign-out`: deletes the session. Redirects to the sign-in page, even if no user is
/// signed in.
pub fn sign_out(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let response = Response::see_other("/sign-in")?;
    match caller {
        Some(_) => response.append_header(SET_COOKIE, &credentials::sign_out(request)?),
        None => Ok(response),
    }
}

/// Handles `GET /setup/{token}`: shows the form for the first operator, or a page with status 404
/// if the link is not valid.
pub fn setup_page(request: &RequestContext, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    match request.app.db.read(|tx| setup::check_setup_link(tx, &token)) {
        Ok(()) => render_page(StatusCode::OK, &SetupPage::default()),
        Err(Error::NotFound(_)) => render_invalid_link_page(),
        Err(error) => Err(error),
    }
}

/// Handles `GET /set-password/{token}`: shows the form for a new password, or a page with status
/// 404 if the link is not valid.
pub fn set_password_page(request: &RequestContext, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    match request.app.db.read(|tx| password_link::find_link_user(tx, &token)) {
        Ok(user) => {
            render_page(StatusCode::OK, &SetPasswordPage { email: &user.email, error: None })
        }
        Err(Error::NotFound(_)) => render_invalid_password_link_page(),
        Err(error) => Err(error),
    }
}

/// Handles `POST /set-password/{token}`: sets the password, begins a session and redirects to `/`. For
/// an account with a second factor, shows a page with a link to the sign-in instead.
/// If the password is invalid or the request comes from another site, shows the form again with the
/// error. If the link is not valid, shows a page with status 404.
pub fn submit_password(request: &RequestContext, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    let form: PasswordForm = parse_form(request)?;
    let error = match password_link::set_password_by_link(request, &token, &form.password) {
        Ok(Some(signed_in)) => return redirect_with_session(&signed_in, "/"),
        Ok(None) => return render_password_set_page(),
        Err(Error::NotFound(_)) => return render_invalid_password_link_page(),
        Err(error @ (Error::InvalidFields(_) | Error::Forbidden(_))) => error,
        Err(error) => return Err(error),
    };
    let user = request.app.db.read(|tx| password_link::find_link_user(tx, &token))?;
    let text = match &error {
        Error::InvalidFields(fields) => {
            fields.iter().map(field_errors::describe_field).collect::<Vec<_>>().join(" ")
        }
        other => messages::describe_in_sentence(other),
    };
    render_page(error_status(&error), &SetPasswordPage { email: &user.email, error: Some(text) })
}

/// Renders the page after a new password of an account with a second factor.
fn render_password_set_page() -> Result<Response> {
    let page = MessagePage {
        title: language::text("sign-in.passwordSetTitle"),
        text: language::text("sign-in.passwordSet"),
        link: "/sign-in",
        action: language::text("shell.signIn"),
        user_name: "",
    };
    render_page(StatusCode::OK, &page)
}

/// Renders the page for a password link that is not valid, with status 404.
fn render_invalid_password_link_page() -> Result<Response> {
    let page = MessagePage {
        title: language::text("sign-in.invalidLinkTitle"),
        text: language::text("sign-in.invalidLink"),
        link: "/forgot-password",
        action: language::text("sign-in.invalidLinkAction"),
        user_name: "",
    };
    render_page(StatusCode::NOT_FOUND, &page)
}

/// Handles `POST /setup/{token}`: creates the first operator, begins their session and redirects to
/// `/`. If a value is invalid or the request comes from another site, shows the form again with the
/// errors. If the link is not valid, shows a page with status 404.
pub fn submit_setup(request: &RequestContext, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    let form: SetupForm = parse_form(request)?;
    let first = FirstOperator {
        name: form.name.clone(),
        email: form.email.clone(),
        password: form.password.clone(),
    };
    let error = match setup::accept_setup_link(request, &token, first) {
        Ok(signed_in) => return redirect_with_session(&signed_in, "/"),
        Err(Error::NotFound(_)) => return render_invalid_link_page(),
        Err(error @ (Error::InvalidFields(_) | Error::Forbidden(_))) => error,
        Err(error) => return Err(error),
    };
    let mut page = SetupPage { name: &form.name, email: &form.email, ..SetupPage::default() };
    let status = error_status(&error);
    let Error::InvalidFields(fields) = error else {
        page.error = Some(messages::describe_in_sentence(&error));
        return render_page(status, &page);
    };
    for invalid in fields {
        let text = Some(field_errors::describe_field(&invalid));
        match invalid.field.as_str() {
            "name" => page.name_error = text,
            "email" => page.email_error = text,
            "password" => page.password_error = text,
            _ => page.error = text,
        }
    }
    render_page(status, &page)
}

/// Renders the page for an invalid setup link, with status 404.
fn render_invalid_link_page() -> Result<Response> {
    let page = MessagePage {
        title: language::text("setup.invalidLinkTitle"),
        text: language::text("setup.invalidLink"),
        link: "/sign-in",
        action: language::text("shell.signIn"),
        user_name: "",
    };
    render_page(StatusCode::NOT_FOUND, &page)
}

/// Redirects to the path `to` and sets the session cookie.
pub fn redirect_with_session(signed_in: &NewSession, to: &str) -> Result<Response> {
    Response::see_other(to)?.append_header(SET_COOKIE, &signed_in.cookie)
}

/// Renders a page as HTML with this status. No cache may store it, because it can contain data of
/// people.
///
/// # Errors
/// `Internal` if the template cannot be rendered.
pub fn render_page(status: StatusCode, page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    let mut response = Response::html(text).with_header(CACHE_CONTROL, "no-store")?;
    response.status = status;
    Ok(response)
}

/// Parses the body of a submitted form.
///
/// # Errors
/// `UnsupportedMediaType` if the body is not a URL-encoded form, `Invalid` if a field is missing or
/// malformed.
pub fn parse_form<T: DeserializeOwned>(request: &RequestContext) -> Result<T> {
    let kind = request.header(&CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind != "application/x-www-form-urlencoded" {
        let text =
            format!("the body of a form must be application/x-www-form-urlencoded, not {kind}");
        return Err(Error::UnsupportedMediaType(text));
    }
    serde_urlencoded::from_bytes(&request.body).map_err(|error| Error::Invalid(error.to_string()))
}

/// Returns `next` if it is a path on this server, otherwise `/`. Prevents redirects to other sites.
pub fn local_path_or_root(next: &str) -> &str {
    if secrets::is_local_path(next) { next } else { "/" }
}

/// Returns the HTTP status of an error, 400 if its number is not a status.
fn error_status(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST)
}
