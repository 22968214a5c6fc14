//! The page of the password, the second factor and the sessions.

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::devices;
use super::frame;
use super::frame::Frame;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::Session;
use crate::features::accounts::SessionMethod;
use crate::features::accounts::User;
use crate::features::accounts::UserChanges;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use crate::features::accounts::second_factor;
use crate::features::accounts::second_factor::SetupSecret;
use crate::features::accounts::second_factor::State;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::SessionId;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Path of the page.
pub(super) const PATH: &str = "/account/security";

/// Names of the fields, and the start of their errors.
const FIELDS: &FieldLabels =
    &[("current_password", "field-labels.thisValue"), ("password", "field-labels.newPassword")];

/// The page of the password, the second factor and the sessions.
#[derive(Template)]
#[template(path = "account-security.html")]
struct SecurityPage<'a> {
    frame: Frame,
    title: &'static str,
    /// Address, for password managers.
    email: String,
    has_password: bool,
    /// Whether passwords do not work, because the organization requires single sign-on.
    must_use_sso: bool,
    factor_state: State,
    /// Whether an organization requires a second factor and the user has none. The page then shows only
    /// how to set it up, because all other requests are refused.
    must_set_up: bool,
    factor: &'a SecondFactorView,
    sessions: Vec<SessionRow>,
    /// Whether there are sessions of other browsers.
    has_others: bool,
    problem: &'a Problem,
}

/// The result of the last form of the second factor.
#[derive(Default)]
pub struct SecondFactorView {
    /// New secret that must be confirmed.
    pub setup: Option<SetupSecret>,
    /// New recovery codes, which only this page shows.
    pub recovery_codes: Vec<String>,
    pub problem: Problem,
}

impl SecondFactorView {
    /// Returns a `data:` URL of a text file with the recovery codes.
    fn download_url(&self) -> String {
        let text: String = self.recovery_codes.iter().flat_map(|code| [code, "\n"]).collect();
        format!("data:text/plain;base64,{}", STANDARD.encode(text))
    }
}

/// A session in the list.
struct SessionRow {
    id: SessionId,
    /// Browser and system in words.
    device: String,
    /// Address of the client that signed in. Empty if unknown.
    ip_address: String,
    method: &'static str,
    created: Timestamp,
    last_used: Timestamp,
    is_current: bool,
}

impl SessionRow {
    /// Describes a session. `is_current` states whether it is that of the request.
    fn new(session: Session, is_current: bool) -> Self {
        Self {
            device: devices::describe_device(&session.user_agent),
            ip_address: session.ip_address,
            method: language::text(match session.method {
                SessionMethod::Password => "account.withPassword",
                SessionMethod::Setup => "account.withSetupLink",
                SessionMethod::Invite => "account.withInvitation",
                SessionMethod::PasswordLink => "account.withPasswordLink",
                SessionMethod::Sso => "account.withSso",
            }),
            id: session.id,
            created: session.created,
            last_used: session.last_used,
            is_current,
        }
    }
}

/// Handles `GET /account/security`.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &Problem::default(), &SecondFactorView::default())
}

/// Handles `POST /account/security`: changes the password and ends all other sessions.
pub fn submit_password(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let current = Some(form.value("current_password")).filter(|text| !text.is_empty());
    let new = form.value("password");
    let changed =
        accounts::check_password_change(request, caller, current, new).and_then(|checked| {
            let (user, session) = (caller.clone(), accounts::session_hash(request));
            request.app.db.write_with_reserve(move |tx| {
                let change = UserChanges::default();
                accounts::update_own_account(tx, &user, change, Some(&checked), session).map(drop)
            })
        });
    match changed {
        Ok(()) => frame::redirect(PATH, "password-changed"),
        // The form was sent twice, and the other request has stored the same password.
        Err(Error::Conflict(_)) if accounts::has_password(request, caller, new)? => {
            frame::redirect(PATH, "password-changed")
        }
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            show_page(request, caller, &problem, &SecondFactorView::default())
        }
    }
}

/// Handles `POST /account/sessions/{id}/end`: ends a session. One that has ended already counts as
/// ended.
pub fn end_session(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (user, id) = (caller.id.clone(), request.param::<SessionId>("id")?);
    match request.app.db.write_with_reserve(move |tx| accounts::end_session(tx, &user, &id)) {
        Ok(()) | Err(Error::NotFound(_)) => frame::redirect(PATH, "session-ended"),
        Err(error) => Err(error),
    }
}

/// Handles `POST /account/sessions/end`: ends all sessions except that of the request.
pub fn end_other_sessions(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (user, kept) = (caller.id.clone(), accounts::session_hash(request));
    request
        .app
        .db
        .write_with_reserve(move |tx| accounts::end_sessions(tx, &user, kept.as_ref()))?;
    frame::redirect(PATH, "sessions-ended")
}

/// Shows the page with the errors of the form for the password, and the result of a form of the second
/// factor.
pub(super) fn show_page(
    request: &RequestContext,
    caller: &User,
    problem: &Problem,
    factor: &SecondFactorView,
) -> Result<Response> {
    let (profile, must_use_sso, factor_state) = request.app.db.read(|tx| {
        let profile = accounts::load_profile(tx, &caller.id)?;
        let must_use_sso = accounts::must_use_sso(tx, &profile)?;
        Ok((profile, must_use_sso, second_factor::find_state(tx, &caller.id)?))
    })?;
    let current = accounts::session_hash(request);
    let sessions = accounts::list_sessions(request, &caller.id)?.into_iter();
    let mut sessions: Vec<SessionRow> = sessions
        .map(|session| {
            let is_current = current == Some(session.hash);
            SessionRow::new(session, is_current)
        })
        .collect();
    sessions.sort_by_key(|session| (!session.is_current, std::cmp::Reverse(session.last_used)));
    let page = SecurityPage {
        frame: Frame::new(request, caller, Section::Security),
        title: language::text("account.security"),
        email: profile.email,
        has_password: profile.password_hash.is_some(),
        must_use_sso,
        must_set_up: !must_use_sso && factor_state.is_required && factor_state.confirmed.is_none(),
        factor_state,
        factor,
        has_others: sessions.iter().any(|session| !session.is_current),
        sessions,
        problem,
    };
    let shown = if problem.status.is_success() { &factor.problem } else { problem };
    page_parts::render_with_problem(&page, shown)
}
