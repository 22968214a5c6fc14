//! The three steps of a sign-in: the request to the identity provider, its response, and the session.

use std::time::Duration;

use super::browser;
use super::browser::BrowserCookie;
use super::key::RequestKey;
use super::protocol;
use super::protocol::IdentityProvider;
use super::protocol::ReasonCode;
use super::protocol::Rejection;
use super::protocol::ServiceProvider;
use super::protocol::VerifiedAssertion;
use super::rejections;
use super::rejections::RejectedSignIn;
use super::request;
use super::request::ACS_PATH;
use super::request::REQUEST_LIFETIME;
use super::settings;
use super::settings::SsoSettings;
use super::store;
use super::store::PendingRequest;
use super::store::PendingSession;
use super::target;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::NewSession;
use crate::features::orgs;
use crate::features::people::managed;
use crate::features::people::managed::SsoAccount;
use crate::features::people::managed::SsoIdentity;
use crate::features::people::managed::SsoOutcome;
use crate::features::people::managed::SsoRefusal;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::rate_limits;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Time in which the browser must follow the redirect after a response.
const CODE_LIFETIME: Duration = Duration::from_mins(1);

/// A redirect to an identity provider.
pub struct SignInRedirect {
    /// URL with the signed request.
    pub url: String,
    /// Value of the `Set-Cookie` header that binds the sign-in to the browser.
    pub cookie: String,
}

/// Result of an accepted response.
pub enum AcceptedResponse {
    /// The code with which the browser gets its session.
    SignIn(String),
    /// An administrator has tested the settings. Nobody is signed in.
    Test(Box<TestResult>),
}

/// The result of a test with a valid response.
pub struct TestResult {
    /// Organization of the settings.
    pub org: AccountId,
    /// The verified statements.
    pub assertion: VerifiedAssertion,
    /// The change of the account that a sign-in with this response would make, or its rejection.
    pub outcome: std::result::Result<SsoOutcome, Rejection>,
}

/// Result of the transaction of an accepted response.
enum Outcome {
    SignIn,
    /// The test, with its [`TestResult::outcome`].
    Test(std::result::Result<SsoOutcome, Rejection>),
}

/// Creates and stores a request to an identity provider. `target` is the path to show after the
/// sign-in. `tester` is the administrator that tests the settings, None for a sign-in.
///
/// # Errors
/// `Busy` if too many sign-ins are unfinished and no other site has more of them. `Internal` if the request
/// cannot be signed.
pub fn begin(
    request: &RequestContext,
    settings: &SsoSettings,
    target: &str,
    tester: Option<AccountId>,
) -> Result<SignInRedirect> {
    let key = RequestKey::load_or_create(request.app)?;
    let cookie = BrowserCookie::find_or_create(request)?;
    let id = request::new_id()?;
    let pending = PendingRequest {
        org: settings.org.clone(),
        browser: cookie.hash,
        target: target.to_owned(),
        tester,
    };
    let base_url = &request.app.config.base_url;
    let issued = (id.as_str(), Timestamp::now());
    let url = request::build_redirect(&key, base_url, &settings.sign_in_url, issued)?;
    let (limits, ip) = (&request.app.rate_limits, request.client_ip);
    let evicted = limits.reserve_sso_request(ip, id.clone(), REQUEST_LIFETIME)?;
    let stored_id = id.clone();
    let stored = request.app.db.write_with_reserve(move |tx| {
        store::delete_expired(tx)?;
        if let Some(evicted) = &evicted {
            store::delete_request(tx, evicted)?;
        }
        let expires = tx.now.saturating_add(REQUEST_LIFETIME);
        store::insert_request(tx, &stored_id, &pending, expires)
    });
    if stored.is_err() {
        limits.release_sso_request(ip, &id);
    }
    stored?;
    Ok(SignInRedirect { url, cookie: cookie.header })
}

/// Verifies the response in the body of the request, and stores its result. The inner error is the
/// rejection, which is logged and recorded.
///
/// # Errors
/// `TooManyRequests` for a rejection after too many of this client. A valid response is always accepted.
pub fn accept_response(
    request: &RequestContext,
) -> Result<std::result::Result<AcceptedResponse, RejectedSignIn>> {
    let form = match ResponseForm::read(&request.body) {
        Ok(form) => form,
        Err(rejection) => {
            return rejections::reject_response(request, None, None, rejection).map(Err);
        }
    };
    let relay_state = form.relay_state.clone();
    let (settings, result) = match verify_response(request, form) {
        Ok(verified) => (Some(verified.settings.clone()), store_result(request, verified)?),
        Err(Failure::Rejected(settings, rejection)) => {
            (settings.map(|settings| *settings), Err(rejection))
        }
        Err(Failure::Server(error)) => return Err(error),
    };
    match result {
        Ok(accepted) => Ok(Ok(accepted)),
        Err(rejection) => {
            let relay_state = relay_state.as_deref();
            rejections::reject_response(request, settings, relay_state, rejection).map(Err)
        }
    }
}

/// Deletes expired requests, assertions and codes.
pub fn delete_expired(tx: &WriteTx<'_>) -> Result<()> {
    store::delete_expired(tx)
}

/// The fields of the form with a response.
struct ResponseForm {
    /// Response in base64.
    response: String,
    /// Value that the identity provider has sent with it. None without one.
    relay_state: Option<String>,
}

impl ResponseForm {
    /// Reads a URL-encoded form. Ignores fields with other names.
    ///
    /// # Errors
    /// `Format` if a field is missing or repeated.
    fn read(body: &[u8]) -> std::result::Result<Self, Rejection> {
        let invalid = |text: &str| Rejection::new(ReasonCode::Format, text);
        let (mut response, mut relay_state) = (None, None);
        for (name, value) in form_urlencoded::parse(body) {
            let field = match &*name {
                "SAMLResponse" => &mut response,
                "RelayState" => &mut relay_state,
                _ => continue,
            };
            if field.replace(value.into_owned()).is_some() {
                return Err(invalid("the form has a field twice"));
            }
        }
        let response = response.ok_or_else(|| invalid("the form has no field SAMLResponse"))?;
        Ok(Self { response, relay_state })
    }
}

/// A verified response and the identity provider that has signed it.
struct VerifiedResponse {
    settings: SsoSettings,
    assertion: VerifiedAssertion,
    relay_state: Option<String>,
}

/// Reason why a response has no result.
enum Failure {
    /// The response is rejected. The settings are known if its issuer is.
    Rejected(Option<Box<SsoSettings>>, Rejection),
    /// The server failed.
    Server(Error),
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(None, rejection)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Server(error)
    }
}

/// Verifies a response with the keys of the organization that its issuer belongs to.
fn verify_response(
    request: &RequestContext,
    form: ResponseForm,
) -> std::result::Result<VerifiedResponse, Failure> {
    let ResponseForm { response, relay_state } = form;
    let network = rate_limits::find_client_network(request.client_ip);
    let _permit = request.app.sso_verifications.acquire(network);
    let xml = protocol::decode_response(&response)?;
    let issuer = protocol::unverified_issuer(&xml)?;
    let found = request.app.db.read(|tx| {
        let Some(settings) = settings::find_by_entity_id(tx, &issuer)? else { return Ok(None) };
        let org = orgs::find_org(tx, settings.org.as_str())?;
        Ok(Some((settings, settings::check_plan(&org).is_ok())))
    })?;
    let reject = |reason: String| Rejection::new(ReasonCode::Issuer, reason);
    let Some((settings, has_plan)) = found else {
        let text = format!("no organization has an identity provider with the entity id {issuer}");
        return Err(reject(text).into());
    };
    let failed = |rejection| Failure::Rejected(Some(Box::new(settings.clone())), rejection);
    if !has_plan {
        let text = "the plan of the organization has no single sign-on";
        return Err(failed(reject(text.to_owned())));
    }
    let base_url = &request.app.config.base_url;
    let service =
        ServiceProvider { audience: base_url.clone(), acs_url: format!("{base_url}{ACS_PATH}") };
    let certificates = protocol::parse_certificates(&settings.certificate)?;
    let provider = IdentityProvider {
        entity_id: settings.entity_id.clone(),
        keys: certificates.into_iter().map(|certificate| certificate.key).collect(),
    };
    let assertion =
        protocol::verify(&xml, &service, &provider, Timestamp::now()).map_err(failed)?;
    Ok(VerifiedResponse { settings, assertion, relay_state })
}

/// Uses up a verified assertion and its request, and finds or creates the account, in one transaction.
fn store_result(
    request: &RequestContext,
    verified: VerifiedResponse,
) -> Result<std::result::Result<AcceptedResponse, Rejection>> {
    let VerifiedResponse { settings, assertion, relay_state } = verified;
    let code = accounts::Secret::generate()?;
    let (hash, org, tested) = (code.hash, settings.org.clone(), assertion.clone());
    let answered = assertion.in_response_to.clone();
    let outcome = request.app.db.write_with_reserve(move |tx| {
        use_assertion(tx, &settings, &assertion, relay_state.as_deref(), &hash)
    })?;
    if let Some(id) = &answered {
        request.app.rate_limits.release_sso_request(request.client_ip, id);
    }
    Ok(outcome.map(|outcome| match outcome {
        Outcome::SignIn => AcceptedResponse::SignIn(code.text),
        Outcome::Test(outcome) => {
            AcceptedResponse::Test(Box::new(TestResult { org, assertion: tested, outcome }))
        }
    }))
}

/// Runs the transaction of [`store_result`]. A rejection does not roll back, so that the assertion stays
/// used up.
fn use_assertion(
    tx: &WriteTx<'_>,
    settings: &SsoSettings,
    assertion: &VerifiedAssertion,
    relay_state: Option<&str>,
    code: &Sha256Hash,
) -> Result<std::result::Result<Outcome, Rejection>> {
    let reject = |code, reason: &str| Ok(Err(Rejection::new(code, reason)));
    store::delete_expired(tx)?;
    if !store::insert_seen(tx, &settings.org, &assertion.id, assertion.replay_until)? {
        return reject(ReasonCode::Replay, "the assertion has already been used");
    }
    let pending = match &assertion.in_response_to {
        Some(id) => match store::take_request(tx, &settings.org, id)? {
            Some(pending) => Some(pending),
            None => {
                let text = "the request that the response belongs to is unknown, was already used, \
                            or is older than 10 minutes";
                return reject(ReasonCode::Request, text);
            }
        },
        None if settings.allow_idp_initiated => None,
        None => {
            let text = "the identity provider began the sign-in, which the settings do not allow";
            return reject(ReasonCode::Request, text);
        }
    };
    if pending.as_ref().is_some_and(|pending| pending.tester.is_some()) {
        let account = tx.try_out(|| sign_in_account(tx, settings, assertion))?;
        if account.is_ok() {
            settings::record_sign_in(tx, &settings.org)?;
        }
        return Ok(Ok(Outcome::Test(account.map(|account| account.outcome))));
    }
    let account = match sign_in_account(tx, settings, assertion)? {
        Ok(account) => account.user.id,
        Err(rejection) => return Ok(Err(rejection)),
    };
    settings::record_sign_in(tx, &settings.org)?;
    let target = match &pending {
        Some(pending) => pending.target.clone(),
        None => target::relay_state_or_root(relay_state).to_owned(),
    };
    let session = PendingSession {
        user: account,
        browser: pending.map(|pending| pending.browser),
        target,
        session_end: assertion.session_not_on_or_after,
    };
    store::insert_code(tx, code, &session, tx.now.saturating_add(CODE_LIFETIME))?;
    Ok(Ok(Outcome::SignIn))
}

/// Finds, links or creates the account of a verified assertion.
fn sign_in_account(
    tx: &WriteTx<'_>,
    settings: &SsoSettings,
    assertion: &VerifiedAssertion,
) -> Result<std::result::Result<SsoAccount, Rejection>> {
    let org = orgs::find_org(tx, settings.org.as_str())?;
    let subject = &assertion.subject;
    let identity = SsoIdentity {
        sso_id: subject.sso_id.clone(),
        email: subject.email.clone(),
        name: subject.name.clone(),
        given_name: subject.given_name.clone(),
        family_name: subject.family_name.clone(),
        avatar_url: subject.avatar_url.clone(),
    };
    let found = managed::sign_in_with_sso(tx, org, settings.allow_relink, &identity)?;
    Ok(found.map_err(|refusal| {
        let (code, reason) = match refusal {
            SsoRefusal::Domain(reason) => (ReasonCode::Domain, reason),
            SsoRefusal::Seat(reason) => (ReasonCode::Seat, reason),
            SsoRefusal::Account(reason) => (ReasonCode::Account, reason),
            SsoRefusal::Address(reason) => (ReasonCode::Address, reason),
        };
        Rejection::new(code, reason)
    }))
}

/// Begins the session of a code, in the browser that began the sign-in. Returns the session and the path
/// to show. The code works once, also if the browser is another one.
///
/// # Errors
/// The inner error is a rejection: the code is unknown, used or expired, the browser is another one, or
/// the account is disabled.
pub fn finish(
    request: &RequestContext,
    code: &str,
) -> Result<std::result::Result<(NewSession, String), Rejection>> {
    let reject = |settings: Option<SsoSettings>, reason: &str| {
        let rejection = Rejection::new(ReasonCode::Request, reason);
        rejections::record(request, settings.as_slice(), &rejection);
        Ok(Err(rejection))
    };
    let Some(hash) = accounts::secret_hash(code) else {
        return reject(None, "the code of the sign-in is malformed");
    };
    // Without the first check, each invented code would cost a write.
    let found = match request.app.db.read(|tx| store::has_code(tx, &hash))? {
        true => request.app.db.write_with_reserve(move |tx| store::take_code(tx, &hash))?,
        false => None,
    };
    let Some(pending) = found else {
        return reject(
            None,
            "the code of the sign-in is unknown, was already used, or has expired",
        );
    };
    let find_settings = || {
        request.app.db.read(|tx| match managed::managing_org(tx, &pending.user)? {
            Some(org) => settings::find(tx, &org),
            None => Ok(None),
        })
    };
    if pending.browser.is_some() && pending.browser != browser::find_hash(request) {
        return reject(find_settings()?, "another browser began the sign-in");
    }
    match accounts::begin_sso_session(request, &pending.user, pending.session_end) {
        Ok(session) => Ok(Ok((session, pending.target))),
        Err(Error::SignInRequired(_) | Error::NotFound(_)) => {
            reject(find_settings()?, "the account was disabled during the sign-in")
        }
        Err(error) => Err(error),
    }
}
