//! The pages of a sign-in: the address, the way to the identity provider and back, and errors. They work
//! without scripts.

use askama::Template;
use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;
use hyper::header::SET_COOKIE;
use serde::Deserialize;

use super::protocol::ReasonCode;
use super::protocol::Rejection;
use super::rejections::RejectedSignIn;
use super::settings;
use super::settings::SsoSettings;
use super::sign_in;
use super::sign_in::AcceptedResponse;
use super::sign_in::TestResult;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::accounts::pages as account_pages;
use crate::features::accounts::pages::SsoOffer;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::people::managed::SsoOutcome;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Maximum size of the form with a response: 400 KB of base64, in which the encoding of a form can triple
/// the characters outside of letters and digits.
pub const MAX_RESPONSE_FORM_BYTES: usize = 640 << 10;

/// The form that asks for an address. On `/sign-in` it has a hidden field for the password, so that
/// password managers fill both at once.
#[derive(Template)]
#[template(path = "sign-in-address.html")]
struct AddressPage<'a> {
    /// Path that gets the form.
    action: &'static str,
    email: &'a str,
    next: &'a str,
    /// Whether the page offers a sign-in with a password.
    offers_password: bool,
    error: Option<&'static str>,
}

/// The page of a rejected sign-in.
#[derive(Template)]
#[template(path = "sso-error.html")]
struct RejectedPage<'a> {
    /// Instruction for the person.
    text: &'static str,
    /// The way on.
    link: RejectedLink,
    code: &'static str,
    request_id: &'a str,
}

/// The way on after a rejected sign-in.
enum RejectedLink {
    /// To the sign-in page.
    SignIn,
    /// To the sign-in with a password, for accounts that single sign-on does not reach.
    Password,
    /// To the list of rejected sign-ins in this path, for an administrator who tests the settings.
    Settings(String),
}

/// The page of a test of the settings with a valid response.
#[derive(Template)]
#[template(path = "sso-test.html")]
struct TestPage<'a> {
    /// The change that a sign-in would make, or that it would be rejected.
    verdict: &'static str,
    /// Why a sign-in would be rejected. None if it would succeed.
    rejection: Option<&'a Rejection>,
    /// Name and value of each statement that the server uses.
    facts: Vec<(&'static str, &'a str)>,
    /// Name and values of each attribute.
    attributes: &'a [(String, Vec<String>)],
    /// Path of the settings.
    back: String,
}

impl TestPage<'_> {
    /// Returns the heading.
    fn title(&self) -> &'static str {
        let is_failure = self.rejection.is_some();
        language::text(if is_failure { "saml.testFailedTitle" } else { "saml.testTitle" })
    }
}

/// Fields of the forms for an address.
#[derive(Deserialize)]
struct AddressForm {
    #[serde(default)]
    email: String,
    #[serde(default)]
    password: String,
    #[serde(default)]
    next: String,
    /// `address` on the form that asks for the address first.
    #[serde(default)]
    step: String,
}

/// Handles `GET /sign-in`: asks for the address first if an organization of this server has an identity
/// provider, unless the query has `password`. Otherwise shows the form for address and password.
pub fn sign_in_page(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    let is_simple = caller.is_some() || request.query_value("password").is_some();
    if is_simple || !request.app.db.read(settings::is_any_configured)? {
        return account_pages::sign_in_page(request, caller, ());
    }
    let next = request.query_value("next").unwrap_or_default();
    let page = AddressPage {
        action: "/sign-in",
        email: "",
        next: account_pages::local_path_or_root(&next),
        offers_password: true,
        error: None,
    };
    account_pages::render_page(StatusCode::OK, &page)
}

/// Handles `POST /sign-in`. After the address, redirects to the identity provider if its organization
/// requires single sign-on, offers both ways if it does not, and otherwise continues with the password.
pub fn sign_in(request: &RequestContext, (): ()) -> Result<Response> {
    let form: AddressForm = account_pages::parse_form(request)?;
    if form.step != "address" {
        return sign_in_with_password(request);
    }
    accounts::reject_cross_site(request)?;
    let (email, next) = (form.email.trim(), account_pages::local_path_or_root(&form.next));
    let found = request.app.db.read(|tx| {
        let Some(settings) = settings::find_settings_by_address(tx, email)? else {
            return Ok(None);
        };
        let org = orgs::find_org(tx, settings.org.as_str())?;
        let is_enforced = orgs::find_settings(tx, &org.id)?.requires_sso();
        Ok(Some((settings, org.name, is_enforced)))
    })?;
    match found {
        Some((settings, _, true)) => redirect(request, &settings, next, None),
        Some((_, org, false)) => {
            let offer = SsoOffer { org: &org, email };
            account_pages::render_password_form(email, next, Some(offer))
        }
        None if form.password.is_empty() => account_pages::render_password_form(email, next, None),
        None => sign_in_with_password(request),
    }
}

/// Signs in with a password. A page that refuses passwords leads to the identity provider.
fn sign_in_with_password(request: &RequestContext) -> Result<Response> {
    account_pages::sign_in(request, |email| {
        request.app.db.read(|tx| {
            let Some(settings) = settings::find_settings_by_address(tx, email)? else {
                return Ok(None);
            };
            Ok(Some(orgs::find_org(tx, settings.org.as_str())?.name))
        })
    })
}

/// Handles `GET /sso/saml2/signin`: asks for an address. With `email`, redirects to the identity provider
/// of its organization and from there to the page in `next`. With `test`, an id or slug of an
/// organization, an admin tests its settings.
pub fn address_page(request: &RequestContext, caller: Option<&User>, (): ()) -> Result<Response> {
    if let Some(org) = request.query_value("test") {
        return begin_test(request, caller, &org);
    }
    let next = request.query_value("next").unwrap_or_default();
    let next = account_pages::local_path_or_root(&next);
    match request.query_value("email") {
        Some(email) => begin(request, email.trim(), next),
        None => render_address_form("", next, None),
    }
}

/// Handles `POST /sso/saml2/signin`: redirects to the identity provider of the organization of an
/// address.
pub fn submit_address(request: &RequestContext, (): ()) -> Result<Response> {
    let form: AddressForm = account_pages::parse_form(request)?;
    accounts::reject_cross_site(request)?;
    begin(request, form.email.trim(), account_pages::local_path_or_root(&form.next))
}

/// Redirects to the identity provider of the organization of an address, or shows the form again if
/// there is none.
fn begin(request: &RequestContext, email: &str, next: &str) -> Result<Response> {
    match request.app.db.read(|tx| settings::find_settings_by_address(tx, email))? {
        Some(settings) => redirect(request, &settings, next, None),
        None => render_address_form(email, next, Some(language::text("saml.unknownAddress"))),
    }
}

/// Redirects an admin to the identity provider of an organization to test the settings.
///
/// # Errors
/// `SignInRequired` without a session, `Forbidden` and `NotFound` as for all settings of an organization,
/// `NotFound` without an identity provider.
fn begin_test(request: &RequestContext, caller: Option<&User>, org: &str) -> Result<Response> {
    let caller = caller.ok_or(Error::SignInRequired("sign-in required"))?;
    let settings = request.app.db.read(|tx| {
        let org = orgs::require_role_even_if_suspended(tx, org, &caller.id, Role::Admin)?;
        settings::check_plan(&org)?;
        settings::find(tx, &org.id)?.ok_or(Error::NotFound("identity provider"))
    })?;
    redirect(request, &settings, "/", Some(caller))
}

/// Redirects to an identity provider.
fn redirect(
    request: &RequestContext,
    settings: &SsoSettings,
    target: &str,
    tester: Option<&User>,
) -> Result<Response> {
    let tester = tester.map(|user| user.id.clone());
    let redirect = sign_in::begin(request, settings, target, tester)?;
    Response::see_other(&redirect.url)?
        .with_header(CACHE_CONTROL, "no-store")?
        .append_header(SET_COOKIE, &redirect.cookie)
}

/// Renders the form of `/sso/saml2/signin`.
fn render_address_form(email: &str, next: &str, error: Option<&'static str>) -> Result<Response> {
    let status = if error.is_some() { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    let page =
        AddressPage { action: "/sso/saml2/signin", email, next, offers_password: false, error };
    account_pages::render_page(status, &page)
}

/// Handles `POST /sso/saml2`: verifies the response of an identity provider and redirects the browser
/// to the last step. The request has no cookie, because it comes from another site.
pub fn consume(request: &RequestContext, (): ()) -> Result<Response> {
    match sign_in::accept_response(request)? {
        Ok(AcceptedResponse::SignIn(code)) => {
            Response::see_other(&format!("/sso/saml2/finish?code={code}"))?
                .with_header(CACHE_CONTROL, "no-store")
        }
        Ok(AcceptedResponse::Test(test)) => render_test(&test),
        Err(rejected) => render_rejection(request, &rejected),
    }
}

/// Handles `GET /sso/saml2/finish`: begins the session and redirects to the page of the sign-in.
pub fn finish(request: &RequestContext, (): ()) -> Result<Response> {
    let code = request.query_value("code").unwrap_or_default();
    match sign_in::finish(request, &code)? {
        Ok((session, target)) => account_pages::redirect_with_session(&session, &target)?
            .with_header(CACHE_CONTROL, "no-store"),
        Err(rejection) => render_rejection(request, &rejection.into()),
    }
}

/// Renders the page of a rejection: 400 for unreadable input, otherwise 403.
fn render_rejection(request: &RequestContext, rejected: &RejectedSignIn) -> Result<Response> {
    let code = rejected.rejection.code;
    let status = match code {
        ReasonCode::Format => StatusCode::BAD_REQUEST,
        _ => StatusCode::FORBIDDEN,
    };
    let key = match code {
        _ if rejected.tested.is_some() => "saml.rejectedTest",
        ReasonCode::Request => "saml.rejectedRequest",
        ReasonCode::Seat => "saml.rejectedSeat",
        ReasonCode::Account => "saml.rejectedAccount",
        _ => "saml.rejected",
    };
    let link = match &rejected.tested {
        Some(org) => RejectedLink::Settings(format!("/orgs/{org}/sso#rejections")),
        None if code == ReasonCode::Account => RejectedLink::Password,
        None => RejectedLink::SignIn,
    };
    let request_id = &request.request_id.to_string();
    let page = RejectedPage { text: language::text(key), link, code: code.as_str(), request_id };
    account_pages::render_page(status, &page)
}

/// Renders the verified statements of a test, and the account that a sign-in would reach.
fn render_test(test: &TestResult) -> Result<Response> {
    let TestResult { org, assertion, outcome } = test;
    let subject = &assertion.subject;
    let mut facts = vec![
        (language::text("saml.factId"), subject.sso_id.as_str()),
        (language::text("saml.factEmail"), subject.email.as_str()),
    ];
    let optional = [
        (language::text("saml.factName"), &subject.name),
        (language::text("saml.factGivenName"), &subject.given_name),
        (language::text("saml.factFamilyName"), &subject.family_name),
        (language::text("saml.factAvatar"), &subject.avatar_url),
    ];
    facts.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?))));
    let verdict = language::text(match outcome {
        Ok(SsoOutcome::Known) => "saml.testKnown",
        Ok(SsoOutcome::Linked) => "saml.testLinked",
        Ok(SsoOutcome::Relinked) => "saml.testRelinked",
        Ok(SsoOutcome::Created) => "saml.testCreated",
        Err(_) => "saml.testRejected",
    });
    let rejection = outcome.as_ref().err();
    let back = format!("/orgs/{org}/sso");
    let page = TestPage { verdict, rejection, facts, attributes: &assertion.attributes, back };
    account_pages::render_page(StatusCode::OK, &page)
}
