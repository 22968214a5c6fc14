//! The page on which an invited person joins an organization. It works without scripts.

use askama::Template;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use hyper::header::SET_COOKIE;
use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;
use serde::Deserialize;

use super::actions;
use super::mail;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::NewUser;
use crate::features::accounts::SessionMethod;
use crate::features::accounts::User;
use crate::features::accounts::field_errors;
use crate::features::accounts::pages::MessagePage;
use crate::features::orgs;
use crate::features::people::invite::Invite;
use crate::features::people::store;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteActor;
use chartroom_platform::db::WriteOrigin;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// The choice that the page offers.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Offer {
    /// The signed-in user has the invited address.
    Join,
    /// The signed-in user has another address.
    OtherUser,
    /// The invited address has an account, and nobody is signed in.
    SignIn,
    /// The invited address has no account.
    NewAccount,
}

/// The page.
#[derive(Template)]
#[template(path = "join.html")]
struct InvitePage<'a> {
    /// Name of the signed-in user. Empty if nobody is signed in.
    user_name: &'a str,
    org: String,
    inviter: String,
    email: &'a str,
    /// Address of the sign-in page that returns here.
    sign_in: String,
    offer: Offer,
    name: &'a str,
    name_error: Option<String>,
    password_error: Option<String>,
    error: Option<String>,
}

/// Fields of the form for a new account.
#[derive(Deserialize, Default)]
struct NewAccountForm {
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

/// Handles `GET /invite/{token}`: shows what the invited person can do. If the invite is not open,
/// shows a page with status 404.
pub fn page(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    match request.app.db.read(|tx| load_page(tx, caller, &token, &NewAccountForm::default(), None))
    {
        Err(Error::NotFound(_)) => render_invalid_invite_page(caller),
        other => other,
    }
}

/// Handles `POST /invite/{token}`: joins the organization as the signed-in user, or creates an
/// account for the invited address and signs in. Shows the page again with the errors if that is
/// not possible.
pub fn accept(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let token: String = request.param("token")?;
    let form: NewAccountForm = serde_urlencoded::from_bytes(&request.body)
        .map_err(|_| Error::Invalid("the form is not valid".to_owned()))?;
    let accepted = match caller {
        Some(user) => join(request, user, &token),
        None => join_with_new_account(request, &token, &form),
    };
    match accepted {
        Ok(response) => Ok(response),
        Err(Error::NotFound(_)) => render_invalid_invite_page(caller),
        Err(
            error @ (Error::InvalidFields(_)
            | Error::Conflict(_)
            | Error::FieldConflict(_)
            | Error::Forbidden(_)
            | Error::PaymentRequired(_)),
        ) => {
            let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
            let page = request.app.db.read(|tx| load_page(tx, caller, &token, &form, Some(error)));
            let mut response = page?;
            response.status = status;
            Ok(response)
        }
        Err(error) => Err(error),
    }
}

/// Joins the organization as a signed-in user and redirects to the library.
///
/// # Errors
/// `NotFound` without such an open invite, `Forbidden` if it is for another address. The errors of
/// [`actions::accept_invite`].
fn join(request: &RequestContext, user: &User, token: &str) -> Result<Response> {
    let (user, token) = (user.clone(), token.to_owned());
    request.app.db.write(move |tx| {
        let invite = find_by_token(tx, &token)?;
        if accounts::email_key(&invite.email) != accounts::email_key(&user.email) {
            let text = format!("the invitation is for {}", invite.email);
            return Err(Error::Forbidden(text));
        }
        actions::accept_invite(tx, &invite, &user.id)
    })?;
    Response::see_other("/")
}

/// Creates an account for the invited address, joins the organization with it, signs in and
/// redirects to the library.
///
/// # Errors
/// `NotFound` without such an open invite, `InvalidFields` for `name` or `password`, `Conflict` if
/// the address has an account, `Forbidden` for a request from another site. The errors of
/// [`actions::accept_invite`].
fn join_with_new_account(
    request: &RequestContext,
    token: &str,
    form: &NewAccountForm,
) -> Result<Response> {
    accounts::reject_cross_site(request)?;
    let email = request.app.db.read(|tx| Ok(find_by_token(tx, token)?.email))?;
    accounts::parse_name(&form.name)?;
    let client = Some(accounts::client_network(request));
    let new = NewUser {
        email,
        name: form.name.clone(),
        password_hash: Some(accounts::hash_new_password(request.app, client, &form.password)?),
        ..NewUser::default()
    };
    let token = token.to_owned();
    let user = request.app.db.write(move |tx| {
        let invite = find_by_token(tx, &token)?;
        let user = accounts::create_user(tx, &new)?.user();
        let actor = WriteActor::User(user.id.clone());
        let origin = WriteOrigin { actor, ..tx.origin.clone() };
        actions::accept_invite(&tx.with_origin(&origin), &invite, &user.id)?;
        Ok(user)
    })?;
    let session = accounts::begin_session(request, user, SessionMethod::Invite)?;
    Response::see_other("/")?.append_header(SET_COOKIE, &session.cookie)
}

/// Returns the open invite with this token.
///
/// # Errors
/// `NotFound` if there is none.
fn find_by_token(tx: &Tx<'_>, token: &str) -> Result<Invite> {
    let hash = crypto::sha256(token.as_bytes());
    store::invites::find_by_token(tx, &hash)?.or_not_found("invite")
}

/// Loads and renders the page with the values of a form and the error of its use.
///
/// # Errors
/// `NotFound` without such an open invite.
fn load_page(
    tx: &Tx<'_>,
    caller: Option<&User>,
    token: &str,
    form: &NewAccountForm,
    error: Option<Error>,
) -> Result<Response> {
    let invite = find_by_token(tx, token)?;
    let org = orgs::find_org(tx, invite.org.as_str())?;
    let inviter = mail::inviter_name(tx, &invite)?;
    let offer = match caller {
        Some(user) if accounts::email_key(&user.email) == accounts::email_key(&invite.email) => {
            Offer::Join
        }
        Some(_) => Offer::OtherUser,
        None => match accounts::find_user(tx, &invite.email) {
            Ok(_) => Offer::SignIn,
            Err(Error::NotFound(_)) => Offer::NewAccount,
            Err(other) => return Err(other),
        },
    };
    let here = format!("/invite/{token}");
    let mut page = InvitePage {
        user_name: caller.map_or("", |user| user.name.as_str()),
        org: org.name,
        inviter,
        email: &invite.email,
        sign_in: format!("/sign-in?next={}", utf8_percent_encode(&here, NON_ALPHANUMERIC)),
        offer,
        name: &form.name,
        name_error: None,
        password_error: None,
        error: None,
    };
    match error {
        Some(Error::InvalidFields(fields)) => {
            for field in fields {
                let message = Some(field_errors::describe_field(&field));
                match field.field.as_str() {
                    "name" => page.name_error = message,
                    "password" => page.password_error = message,
                    _ => page.error = message,
                }
            }
        }
        Some(error) => page.error = Some(field_errors::sentence(&error.to_string())),
        None => {}
    }
    render_page(&page)
}

/// Renders the page of an invite that is not open, with status 404.
fn render_invalid_invite_page(caller: Option<&User>) -> Result<Response> {
    let user_name = caller.map_or("", |user| user.name.as_str());
    let page = MessagePage {
        user_name,
        title: language::text("invitation.notOpenTitle"),
        text: language::text("invitation.notOpen"),
        link: "/",
        action: match user_name.is_empty() {
            true => language::text("shell.signIn"),
            false => language::text("common.myCharts"),
        },
    };
    let mut response = render_page(&page)?;
    response.status = StatusCode::NOT_FOUND;
    Ok(response)
}

/// Renders a page that must not be cached, because its address is a secret.
fn render_page(page: &impl Template) -> Result<Response> {
    let text = page.render().map_err(|error| Error::internal(error.to_string()))?;
    Response::html(text).with_header(CACHE_CONTROL, "no-store")
}
