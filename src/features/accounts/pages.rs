//! The pages of signing in, signing out and making the first operator. They work without scripts.

use askama::Template;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, SET_COOKIE};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::User;
use super::credentials;
use super::credentials::SignedIn;
use super::secrets;
use super::setup;
use super::setup::First;
use crate::app::RequestContext;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::text;

/// The sign-in page. Texts in the fields are what was sent before.
#[derive(Template)]
#[template(path = "sign-in.html")]
struct SignInPage<'a> {
    email: &'a str,
    next: &'a str,
    error: Option<String>,
}

/// The page of a setup link, and what was wrong with each field.
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

/// A page that only says something and leads on.
#[derive(Template)]
#[template(path = "message.html")]
pub struct MessagePage<'a> {
    pub title: &'a str,
    pub text: &'a str,
    /// Address to go on to.
    pub link: &'a str,
    /// What the link is called.
    pub action: &'a str,
    /// The name of who is signed in, for the bar at the top; empty for nobody.
    pub who: &'a str,
}

/// What the form of the sign-in page sends.
#[derive(Deserialize)]
struct SignInForm {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
}

/// What the form of the setup page sends.
#[derive(Deserialize)]
struct SetupForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
}

/// `GET /sign-in`. Whoever is signed in goes on.
pub fn sign_in_page(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let next = request.query_value("next").unwrap_or_default();
    if caller.is_some() {
        return Response::see_other(local(&next));
    }
    page(StatusCode::OK, &SignInPage { email: "", next: local(&next), error: None })
}

/// `POST /sign-in`.
pub fn sign_in(request: &RequestContext, (): ()) -> Result<Response> {
    let form: SignInForm = form(request)?;
    match credentials::sign_in(request, form.email.trim(), &form.password) {
        Ok(signed_in) => go_on(&signed_in, local(&form.next)),
        Err(error @ (Error::SignIn(_) | Error::TooMany(_) | Error::Forbidden(_))) => {
            let shown = SignInPage {
                email: &form.email,
                next: local(&form.next),
                error: Some(sentence(&error)),
            };
            let response = page(status(&error), &shown)?;
            match error {
                Error::TooMany(seconds) => response.with(RETRY_AFTER, &seconds.to_string()),
                _ => Ok(response),
            }
        }
        Err(error) => Err(error),
    }
}

/// `POST /sign-out`.
pub fn sign_out(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let response = Response::see_other("/sign-in")?;
    match caller {
        Some(_) => response.and(SET_COOKIE, &credentials::sign_out(request)?),
        None => Ok(response),
    }
}

/// `GET /setup/{token}`.
pub fn setup_page(request: &RequestContext, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    match request.app.db.read(|tx| setup::check(tx, &token)) {
        Ok(()) => page(StatusCode::OK, &SetupPage::default()),
        Err(Error::NotFound(_)) => dead_link(),
        Err(error) => Err(error),
    }
}

/// `POST /setup/{token}`.
pub fn set_up(request: &RequestContext, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    let form: SetupForm = form(request)?;
    let first = First {
        name: form.name.clone(),
        email: form.email.clone(),
        password: form.password.clone(),
    };
    let error = match setup::accept(request, &token, first) {
        Ok(signed_in) => return go_on(&signed_in, "/"),
        Err(Error::NotFound(_)) => return dead_link(),
        Err(error @ (Error::Fields(_) | Error::Forbidden(_))) => error,
        Err(error) => return Err(error),
    };
    let mut shown = SetupPage { name: &form.name, email: &form.email, ..SetupPage::default() };
    let status = status(&error);
    let Error::Fields(fields) = error else {
        shown.error = Some(sentence(&error));
        return page(status, &shown);
    };
    for wrong in fields {
        let text = Some(format!("{} {}.", text::capital(&wrong.field), wrong.message));
        match wrong.field.as_str() {
            "name" => shown.name_error = text,
            "email" => shown.email_error = text,
            "password" => shown.password_error = text,
            _ => shown.error = text,
        }
    }
    page(status, &shown)
}

fn dead_link() -> Result<Response> {
    let shown = MessagePage {
        title: "This setup link does not work",
        text: "It has been used, or is older than 30 minutes. While there are no users, starting \
               the server again prints a new one.",
        link: "/sign-in",
        action: "Sign in",
        who: "",
    };
    page(StatusCode::NOT_FOUND, &shown)
}

fn go_on(signed_in: &SignedIn, to: &str) -> Result<Response> {
    Response::see_other(to)?.and(SET_COOKIE, &signed_in.cookie)
}

/// A page that no cache keeps: it shows what somebody typed.
fn page(status: StatusCode, page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    let mut response = Response::html(text).with(CACHE_CONTROL, "no-store")?;
    response.status = status;
    Ok(response)
}

/// What the form of a page sends.
///
/// # Errors
/// `MediaType` when it is no form, `Invalid` when it is not this one.
pub fn form<T: DeserializeOwned>(request: &RequestContext) -> Result<T> {
    let kind = request.header(&CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if kind != "application/x-www-form-urlencoded" {
        let text = format!("this form sends application/x-www-form-urlencoded, not {kind}");
        return Err(Error::MediaType(text));
    }
    serde_urlencoded::from_bytes(&request.body).map_err(|error| Error::Invalid(error.to_string()))
}

/// Where to go on: a path on this server, else the start.
fn local(next: &str) -> &str {
    if secrets::is_local(next) { next } else { "/" }
}

fn status(error: &Error) -> StatusCode {
    StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST)
}

/// The error as a sentence.
fn sentence(error: &Error) -> String {
    format!("{}.", text::capital(&error.to_string()))
}
