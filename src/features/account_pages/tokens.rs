//! The page of the API tokens.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::ApiToken;
use crate::features::accounts::NewApiToken;
use crate::features::accounts::TokenScope;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::TokenId;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Path of the page.
const PATH: &str = "/account/tokens";

/// Names and labels of the fields.
const FIELDS: &FieldLabels = &[("name", "common.name"), ("expires_at", "account.lastDay")];

/// The page of the API tokens.
#[derive(Template)]
#[template(path = "account-tokens.html")]
struct TokensPage<'a> {
    frame: Frame,
    title: &'static str,
    tokens: Vec<TokenRow>,
    /// Names and texts of the scopes to choose from, and whether each is chosen.
    scopes: Vec<(&'static str, &'static str, bool)>,
    /// Token that was just created.
    created: Option<&'a NewToken>,
    /// Values of the form.
    form: &'a Form,
    problem: &'a Problem,
}

/// A token in the list.
struct TokenRow {
    token: ApiToken,
    is_expired: bool,
    /// Text about the requests that the token permits.
    scope: &'static str,
}

/// Returns the text about the requests that a scope permits.
fn describe_scope(scope: TokenScope) -> &'static str {
    language::text(match scope {
        TokenScope::Full => "account.scopeFull",
        TokenScope::Read => "account.scopeRead",
        TokenScope::Write => "account.scopeWrite",
        TokenScope::Scim => "account.scopeScim",
    })
}

/// A token with its secret, which only this page shows.
struct NewToken {
    name: String,
    secret: String,
    /// Command line that uses the token. None if the token does not permit it.
    command: Option<String>,
}

/// Handles `GET /account/tokens`.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, None, &Form::default(), &Problem::default())
}

/// Handles `POST /account/tokens`: creates a token and shows its secret. The response is the only
/// page with the secret, so it is no redirect.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let created = parse_expiry(&form).and_then(|expires| {
        let (user, name) = (caller.id.clone(), form.value("name").to_owned());
        let scope = TokenScope::parse(form.text("scope"))?;
        request.app.db.write(move |tx| {
            accounts::create_token(tx, &user, &NewApiToken { name: &name, expires, scope })
        })
    });
    match created {
        Ok((token, secret)) => {
            let base_url = &request.app.config.base_url;
            let command = (token.scope != TokenScope::Scim).then(|| {
                format!("curl -H \"Authorization: Bearer {secret}\" {base_url}/api/v1/user")
            });
            let new = NewToken { name: token.name, secret, command };
            show_page(request, caller, Some(&new), &Form::default(), &Problem::default())
        }
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            show_page(request, caller, None, &form, &problem)
        }
    }
}

/// Handles `POST /account/tokens/{id}/revoke`: deletes a token. One that is deleted already counts
/// as revoked.
pub fn revoke(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (user, id) = (caller.id.clone(), request.param::<TokenId>("id")?);
    match request.app.db.write_with_reserve(move |tx| accounts::delete_token(tx, &user, &id)) {
        Ok(()) | Err(Error::NotFound(_)) => frame::redirect(PATH, "token-revoked"),
        Err(error) => Err(error),
    }
}

/// Parses the last day of a token, such as `2027-01-31`. The token expires at the end of this day in
/// UTC. None without a day.
///
/// # Errors
/// `InvalidFields` for `expires_at`.
fn parse_expiry(form: &Form) -> Result<Option<Timestamp>> {
    let Some(day) = form.text("expires_at") else { return Ok(None) };
    let time = Timestamp::parse_rfc3339(&format!("{day}T23:59:59.999Z"));
    let time = time.filter(|_| day.len() == 10);
    let invalid = || Error::invalid_field("expires_at", "must be a day such as 2027-01-31");
    time.map(Some).ok_or_else(invalid)
}

/// Shows the page.
fn show_page(
    request: &RequestContext,
    caller: &User,
    created: Option<&NewToken>,
    form: &Form,
    problem: &Problem,
) -> Result<Response> {
    let now = Timestamp::now();
    let tokens = accounts::list_tokens(request, &caller.id)?.into_iter();
    let row = |token: ApiToken| TokenRow {
        is_expired: token.expires.is_some_and(|time| time <= now),
        scope: describe_scope(token.scope),
        token,
    };
    let choice = |scope: TokenScope| {
        (scope.as_str(), describe_scope(scope), form.value("scope") == scope.as_str())
    };
    let page = TokensPage {
        frame: Frame::new(request, caller, Section::Tokens),
        title: language::text("account.tokens"),
        tokens: tokens.map(row).collect(),
        scopes: TokenScope::ALL.map(choice).to_vec(),
        created,
        form,
        problem,
    };
    page_parts::render_with_problem(&page, problem)
}
