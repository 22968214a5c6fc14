//! The frame of all account pages: navigation and notice.

use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::page_parts::NavigationLink;
use crate::features::accounts::page_parts::Notice;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;

/// A page in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Name, avatar and default layout.
    Profile,
    /// Password and sessions.
    Security,
    /// API tokens.
    Tokens,
    /// Mails about actions of other people.
    Notifications,
}

/// The navigation: page, label, path and icon.
const SECTIONS: [(Section, &str, &str, &str); 4] = [
    (Section::Profile, "Profile", "/account", "user"),
    (Section::Security, "Password and sessions", "/account/security", "lock"),
    (Section::Tokens, "API tokens", "/account/tokens", "code"),
    (Section::Notifications, "Notifications", "/account/notifications", "mail"),
];

/// All notices.
const NOTICES: &[Notice] = &[
    Notice::success("profile-saved", "The profile is saved."),
    Notice::success("avatar-saved", "The avatar is saved."),
    Notice::success("avatar-removed", "The avatar is removed. People see your initials again."),
    Notice::success("layout-saved", "New documents get this layout."),
    Notice::success("layout-removed", "New documents get the default layout again."),
    Notice::success(
        "password-changed",
        "The password is changed. All other sessions are signed out.",
    ),
    Notice::success("session-ended", "The session is signed out."),
    Notice::success("sessions-ended", "All other sessions are signed out."),
    Notice::success("token-revoked", "The API token is revoked. Requests with it are refused."),
    Notice::success("notifications-saved", "The notifications are saved."),
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
            label,
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
