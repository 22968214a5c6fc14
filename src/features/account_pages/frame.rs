//! The frame of all account pages: navigation and notice.

use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::page_parts::NavigationLink;
use crate::features::accounts::page_parts::Notice;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// A page in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Name, avatar and default layout.
    Profile,
    /// Password, second factor and sessions.
    Security,
    /// API tokens.
    Tokens,
    /// Connections to cloud storage.
    Connections,
    /// Mails about actions of other people.
    Notifications,
}

/// The navigation: page, key of the label, path and icon.
const SECTIONS: [(Section, &str, &str, &str); 5] = [
    (Section::Profile, "account.profile", "/account", "user"),
    (Section::Security, "account.security", "/account/security", "lock"),
    (Section::Tokens, "account.tokens", "/account/tokens", "code"),
    (Section::Connections, "account.connections", "/account/connections", "cloud"),
    (Section::Notifications, "account.notifications", "/account/notifications", "mail"),
];

/// All notices.
const NOTICES: &[Notice] = &[
    Notice::success("profile-saved", "account.profileSaved"),
    Notice::success("avatar-saved", "account.avatarSaved"),
    Notice::success("avatar-removed", "account.avatarRemoved"),
    Notice::success("layout-saved", "account.layoutSaved"),
    Notice::success("layout-removed", "account.layoutRemoved"),
    Notice::success("password-changed", "account.passwordChanged"),
    Notice::success("second-factor-off", "account.secondFactorOff"),
    Notice::success("session-ended", "account.sessionEnded"),
    Notice::success("sessions-ended", "account.sessionsEnded"),
    Notice::success("token-revoked", "account.tokenRevoked"),
    Notice::success("connected", "account.connected"),
    Notice::warning("connection-denied", "account.connectionDenied"),
    Notice::warning("connection-failed", "account.connectionFailed"),
    Notice::warning("too-many-connections", "account.tooManyConnections"),
    Notice::success("connection-renamed", "account.connectionRenamed"),
    Notice::success("connection-removed", "account.connectionRemoved"),
    Notice::success("notifications-saved", "account.notificationsSaved"),
];

/// The parts that all account pages have.
pub struct Frame {
    /// Name of the signed-in user.
    pub user_name: String,
    /// All account pages.
    pub links: Vec<NavigationLink>,
    /// Notice about the last action.
    pub notice: Option<Notice>,
}

impl Frame {
    /// Creates the frame of a page.
    pub fn new(request: &RequestContext, caller: &User, current: Section) -> Self {
        let links = SECTIONS.iter().map(|(section, label, path, icon)| NavigationLink {
            label: language::text(label),
            href: (*path).to_owned(),
            icon,
            is_current: *section == current,
        });
        let code = request.query_value("done");
        Self {
            user_name: caller.name.clone(),
            links: links.collect(),
            notice: code.and_then(|code| Notice::find(NOTICES, &code)),
        }
    }
}

/// Redirects to an account page, which shows the notice with this code.
///
/// # Errors
/// Never for the paths of this module.
pub fn redirect(path: &str, code: &str) -> Result<Response> {
    Response::see_other(&format!("{path}?done={code}"))
}
