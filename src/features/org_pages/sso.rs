//! The page about single sign-on: the values and the steps for the identity provider, its settings, a
//! test, the requirement, and the last rejected sign-ins.

use std::time::Duration;

use askama::Template;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::identity_provider::Provider;
use super::identity_provider::ProviderLink;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::audit::Event;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::settings as org_settings;
use crate::features::orgs::settings::SettingsPatch;
use crate::features::people::managed;
use crate::features::sso;
use crate::features::sso::protocol;
use crate::features::sso::protocol::IdpCertificate;
use crate::features::sso::settings;
use crate::features::sso::settings::SettingsInput;
use crate::features::sso::settings::SsoSettings;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels = &[
    ("entity_id", "org-sso.entityId"),
    ("sign_in_url", "org-sso.signInUrl"),
    ("certificate", "org-sso.certificate"),
];

/// Number of rejected sign-ins on the page.
const MAX_REJECTIONS: u32 = 10;
/// Time before the end of a certificate from which the page warns.
const WARNING_TIME: Duration = Duration::from_hours(30 * 24);

/// The page about single sign-on.
#[derive(Template)]
#[template(path = "org-sso.html")]
struct SsoPage<'a> {
    frame: Frame,
    title: &'static str,
    service: ServiceValues,
    /// Paths of the pages of the domains, of user provisioning, and of its steps.
    domains_path: String,
    scim_path: String,
    scim_steps_path: String,
    /// Selected identity provider, for the steps.
    provider: Option<Provider>,
    providers: Vec<ProviderLink>,
    /// Whether an identity provider is set up.
    is_configured: bool,
    /// Values of the form.
    entity_id: String,
    sign_in_url: String,
    certificate: String,
    allow_idp_initiated: bool,
    allow_relink: bool,
    /// Whether the stored sign-in URL begins with http.
    is_insecure: bool,
    certificates: Vec<CertificateView>,
    /// Path of the test.
    test_path: String,
    last_sign_in: Option<Timestamp>,
    enforcement: Enforcement,
    rejections: Vec<Rejection>,
    problem: &'a Problem,
    /// Errors of the form about the requirement.
    enforcement_problem: &'a Problem,
}

/// The values of this server that an identity provider needs.
struct ServiceValues {
    /// Entity id.
    audience: String,
    /// Address for responses, and of the metadata.
    acs_url: String,
    /// Certificate of the key that signs requests, as PEM.
    certificate: String,
}

/// A stored certificate.
struct CertificateView {
    certificate: IdpCertificate,
    /// SHA-256 in groups.
    fingerprint: String,
    /// Warning about its end. Empty if it is valid for longer.
    warning: String,
}

/// The requirement of single sign-on.
struct Enforcement {
    is_on: bool,
    /// Whether a sign-in or a test has succeeded.
    is_possible: bool,
    /// Number of managed accounts without an identifier.
    unlinked: usize,
}

/// A rejected sign-in.
struct Rejection {
    time: Timestamp,
    code: String,
    reason: String,
    request_id: String,
}

impl ServiceValues {
    /// Loads the values. Must run outside a transaction, because the signing key may not exist yet.
    fn load(request: &RequestContext) -> Result<Self> {
        let base_url = &request.app.config.base_url;
        Ok(Self {
            audience: base_url.clone(),
            acs_url: format!("{base_url}{}", sso::ACS_PATH),
            certificate: sso::load_certificate_pem(request.app)?,
        })
    }
}

impl CertificateView {
    /// Describes a certificate at the time `now`.
    fn new(certificate: IdpCertificate, now: Timestamp) -> Self {
        let end = certificate.not_after;
        let time = end.format_to_minute();
        let warning = if end <= now {
            language::fill("org-sso.certificateEnded").with("time", time).to_string()
        } else if end <= now.saturating_add(WARNING_TIME) {
            language::fill("org-sso.certificateEnds").with("time", time).to_string()
        } else {
            String::new()
        };
        let pairs: Vec<&str> = certificate
            .sha256
            .as_bytes()
            .chunks(2)
            .map(|pair| std::str::from_utf8(pair).unwrap_or_default())
            .collect();
        Self { fingerprint: pairs.join(":"), warning, certificate }
    }
}

impl Enforcement {
    /// Reads the requirement of an organization and the number of accounts without an identifier.
    fn load(tx: &Tx<'_>, org: &Org, stored: Option<&SsoSettings>) -> Result<Self> {
        Ok(Self {
            is_on: orgs::find_settings(tx, &org.id)?.requires_sso(),
            is_possible: stored.is_some_and(|stored| stored.last_sign_in.is_some()),
            unlinked: managed::count_unlinked(tx, &org.id)?,
        })
    }
}

impl Rejection {
    /// Reads the details of an event.
    fn new(event: Event) -> Self {
        let text = |name: &str| event.details[name].as_str().unwrap_or_default().to_owned();
        Self {
            time: event.created,
            code: text("code"),
            reason: text("reason"),
            request_id: text("request_id"),
        }
    }
}

/// Handles `GET /orgs/{org}/sso`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, None, &Problem::default(), &Problem::default())
}

/// Handles `POST /orgs/{org}/sso`, for admins: sets the identity provider.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let input = SettingsInput {
        entity_id: form.value("entity_id").to_owned(),
        certificate: form.value("certificate").to_owned(),
        sign_in_url: form.value("sign_in_url").to_owned(),
        allow_idp_initiated: form.is_checked("allow_idp_initiated"),
        allow_relink: form.is_checked("allow_relink"),
    };
    let base_url = request.app.config.base_url.clone();
    let saved = write_as_sso_admin(request, caller, move |tx, org| {
        settings::put(tx, org, &input, &base_url)
    });
    match saved {
        Ok(()) => frame::redirect(request, "/sso", "sso-saved"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            show_page(request, caller, Some(&form), &problem, &Problem::default())
        }
    }
}

/// Handles `POST /orgs/{org}/sso/enforcement`, for admins: begins or stops requiring single sign-on. It
/// begins only after a successful sign-in or test, because a wrong setting would lock people out.
pub fn set_enforcement(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let is_on = form.value("enforce") == "on";
    let (session, user) = (accounts::session_hash(request), caller.id.clone());
    let saved = write_as_sso_admin(request, caller, move |tx, org| {
        let has_worked =
            settings::find(tx, &org.id)?.is_some_and(|stored| stored.last_sign_in.is_some());
        if is_on && !has_worked {
            let text = "single sign-on can be required after a successful sign-in or test only";
            return Err(Error::Conflict(text.to_owned()));
        }
        let change = |settings: org_settings::Settings| {
            let patch = SettingsPatch { enforce_sso: Some(is_on), ..SettingsPatch::default() };
            Ok(settings.with_patch(patch))
        };
        org_settings::change_settings(tx, org.id.as_str(), &user, session.as_ref(), change)
    });
    match saved {
        Ok(()) if is_on => frame::redirect(request, "/sso", "sso-required"),
        Ok(()) => frame::redirect(request, "/sso", "sso-optional"),
        Err(error) => {
            let problem = Problem::from_error(error, &[])?;
            show_page(request, caller, None, &Problem::default(), &problem)
        }
    }
}

/// Handles `GET /orgs/{org}/sso/delete`, for admins: asks before the identity provider is removed.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_delete_page(request, caller, &Problem::default())
}

/// Handles `POST /orgs/{org}/sso/delete`, for admins: removes the identity provider.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    match write_as_sso_admin(request, caller, settings::delete) {
        Ok(()) => frame::redirect(request, "/sso", "sso-removed"),
        Err(error) => show_delete_page(request, caller, &Problem::from_error(error, &[])?),
    }
}

/// Shows the page that asks before the identity provider is removed.
fn show_delete_page(
    request: &RequestContext,
    caller: &User,
    problem: &Problem,
) -> Result<Response> {
    let build = |tx: &Tx<'_>, view: OrgView| {
        check_plan(&view.org)?;
        settings::find(tx, &view.org.id)?.or_not_found("identity provider")?;
        let is_required = orgs::find_settings(tx, &view.org.id)?.requires_sso();
        let mut consequences = vec![
            language::text("org-sso.deleteSignIn").to_owned(),
            language::text("org-sso.deleteAccounts").to_owned(),
        ];
        if is_required {
            consequences.insert(0, language::text("org-sso.deleteRequired").to_owned());
        }
        Ok(ConfirmPage {
            title: language::text("org-sso.deleteTitle").to_owned(),
            consequences,
            fields: Vec::new(),
            action: language::text("org-sso.deleteAction"),
            cancel: format!("{}/sso", view.frame.home),
            is_possible: view.frame.can_manage && !is_required,
            problem,
            frame: view.frame,
        })
    };
    frame::show_for(request, caller, Section::SingleSignOn, Role::Admin, problem, build)
}

/// Runs `work` in a write transaction if the caller may change the identity provider of the
/// organization in the path.
fn write_as_sso_admin(
    request: &RequestContext,
    caller: &User,
    work: impl Fn(&WriteTx<'_>, &Org) -> Result<()> + Send + 'static,
) -> Result<()> {
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &name, &caller, Role::Admin)?;
        settings::check_plan(&org)?;
        work(tx, &org)
    })
}

/// Checks that the plan of an organization includes single sign-on.
///
/// # Errors
/// `Forbidden` with a text for people.
fn check_plan(org: &Org) -> Result<()> {
    match org.plan {
        Plan::Team => Err(Error::Forbidden(language::text("org-sso.planNeeded").to_owned())),
        Plan::Education | Plan::Enterprise => Ok(()),
    }
}

/// Shows the page with the stored values, or with those of a form that has errors.
fn show_page(
    request: &RequestContext,
    caller: &User,
    form: Option<&Form>,
    problem: &Problem,
    enforcement_problem: &Problem,
) -> Result<Response> {
    let shown = if problem.status.is_success() { enforcement_problem } else { problem };
    let service = ServiceValues::load(request)?;
    let provider = Provider::from_query(request);
    let build = |tx: &Tx<'_>, view: OrgView| {
        check_plan(&view.org)?;
        let stored = settings::find(tx, &view.org.id)?;
        let value = |name: &str, stored: Option<&String>| match form {
            Some(form) => form.value(name).to_owned(),
            None => stored.cloned().unwrap_or_default(),
        };
        let is_on = |name: &str, stored: Option<bool>| match form {
            Some(form) => form.is_checked(name),
            None => stored.unwrap_or(true),
        };
        let source = stored.as_ref();
        let rejections = settings::list_rejections(tx, &view.org.id, MAX_REJECTIONS)?;
        Ok(SsoPage {
            title: language::text("org-sso.title"),
            service,
            domains_path: format!("{}/domains", view.frame.home),
            scim_path: format!("{}/scim", view.frame.home),
            scim_steps_path: Provider::OneLogin.steps_path(&format!("{}/scim", view.frame.home)),
            provider,
            providers: Provider::list_links(&format!("{}/sso", view.frame.home), provider),
            is_configured: stored.is_some(),
            entity_id: value("entity_id", source.map(|stored| &stored.entity_id)),
            sign_in_url: value("sign_in_url", source.map(|stored| &stored.sign_in_url)),
            certificate: value("certificate", source.map(|stored| &stored.certificate)),
            allow_idp_initiated: is_on(
                "allow_idp_initiated",
                source.map(|stored| stored.allow_idp_initiated),
            ),
            allow_relink: is_on("allow_relink", source.map(|stored| stored.allow_relink)),
            is_insecure: source.is_some_and(|stored| is_http(&stored.sign_in_url)),
            certificates: list_certificates(source, tx.now)?,
            test_path: format!("/sso/saml2/signin?test={}", view.org.slug),
            last_sign_in: source.and_then(|stored| stored.last_sign_in),
            enforcement: Enforcement::load(tx, &view.org, source)?,
            rejections: rejections.into_iter().map(Rejection::new).collect(),
            problem,
            enforcement_problem,
            frame: view.frame,
        })
    };
    frame::show(request, caller, Section::SingleSignOn, shown, build)
}

/// Returns the stored certificates with their warnings at the time `now`.
fn list_certificates(stored: Option<&SsoSettings>, now: Timestamp) -> Result<Vec<CertificateView>> {
    let Some(stored) = stored else { return Ok(Vec::new()) };
    let all = protocol::parse_certificates(&stored.certificate)?.into_iter();
    Ok(all.map(|certificate| CertificateView::new(certificate, now)).collect())
}

/// Returns whether a URL has the scheme http, in any case.
fn is_http(url: &str) -> bool {
    url.split_once(':').is_some_and(|(scheme, _)| scheme.eq_ignore_ascii_case("http"))
}
