//! The frame of all pages of an organization: name, navigation, notice and access.

use askama::Template;
use hyper::StatusCode;

use super::notices;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Problem;
use crate::features::accounts::page_parts;
use crate::features::accounts::page_parts::NavigationLink;
use crate::features::accounts::page_parts::Notice;
use crate::features::accounts::pages;
use crate::features::orgs;
use crate::features::orgs::Membership;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::sso;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// A page in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Members and managed accounts.
    Members,
    /// Open invites.
    Invites,
    /// Teams.
    Teams,
    /// Themes.
    Themes,
    /// Images and fonts of themes.
    Assets,
    /// Domains.
    Domains,
    /// User provisioning.
    Provisioning,
    /// Single sign-on.
    SingleSignOn,
    /// Settings and layout presets.
    Settings,
    /// Subscription.
    Subscription,
    /// Audit log.
    AuditLog,
}

/// An entry of the navigation.
struct SectionEntry {
    section: Section,
    /// Key of the label.
    label: &'static str,
    /// Path below that of the organization.
    path: &'static str,
    /// Name of the icon.
    icon: &'static str,
    /// Lowest role that sees the page.
    role: Role,
}

/// Creates an entry of the navigation.
const fn entry(
    section: Section,
    label: &'static str,
    path: &'static str,
    icon: &'static str,
    role: Role,
) -> SectionEntry {
    SectionEntry { section, label, path, icon, role }
}

/// The navigation, in its order.
const SECTIONS: &[SectionEntry] = &[
    entry(Section::Members, "members.title", "", "user", Role::Member),
    entry(Section::Invites, "org-invites.title", "/invites", "mail", Role::Admin),
    entry(Section::Teams, "teams.title", "/teams", "shared", Role::Member),
    entry(Section::Themes, "org-themes.title", "/themes", "palette", Role::Member),
    entry(Section::Assets, "assets.title", "/assets", "image", Role::Member),
    entry(Section::Domains, "domains.title", "/domains", "globe", Role::Admin),
    entry(Section::Provisioning, "org-scim.title", "/scim", "lock", Role::Admin),
    entry(Section::SingleSignOn, "org-sso.title", "/sso", "key", Role::Admin),
    entry(Section::Settings, "org-settings.title", "/settings", "settings", Role::BrandManager),
    entry(
        Section::Subscription,
        "org-subscription.title",
        "/subscription",
        "subscription",
        Role::Admin,
    ),
    entry(Section::AuditLog, "audit-log.title", "/audit", "history", Role::Admin),
];

/// The parts that all pages of an organization have.
pub struct Frame {
    /// Name of the signed-in user.
    pub user_name: String,
    /// Name of the organization.
    pub org_name: String,
    /// Path of the pages: `/orgs/` and the slug.
    pub home: String,
    /// Pages that the caller may see.
    pub links: Vec<NavigationLink>,
    /// Whether the caller may change members, teams and domains: an admin of an organization that
    /// is not suspended.
    pub can_manage: bool,
    /// Whether the caller may change themes and assets: a brand manager or an admin of an
    /// organization that is not suspended.
    pub can_design: bool,
    /// Whether the caller may remove people and invites: an admin, also of a suspended organization.
    pub can_remove: bool,
    /// Whether the organization is suspended.
    pub is_suspended: bool,
    /// Notice about the last action.
    pub notice: Option<Notice>,
}

/// An organization that the caller is a member of, with the frame of the requested page.
pub struct OrgView {
    /// Organization.
    pub org: Org,
    /// Role of the caller.
    pub role: Role,
    /// Frame of the page.
    pub frame: Frame,
}

/// The page for members without the needed role.
#[derive(Template)]
#[template(path = "org-refused.html")]
struct RefusedPage {
    frame: Frame,
    title: &'static str,
    /// Why the page is not shown.
    text: String,
}

impl OrgView {
    /// Loads the organization in the path and the frame of a page.
    ///
    /// # Errors
    /// `NotFound` if the organization does not exist or the caller is not a member.
    pub fn load(
        tx: &Tx<'_>,
        request: &RequestContext,
        caller: &User,
        current: Section,
    ) -> Result<Self> {
        let name: String = request.param("org")?;
        let Membership { org, role } = orgs::find_membership(tx, &name, &caller.id)?;
        let home = format!("/orgs/{}", org.slug);
        let has_sso = sso::settings::check_plan(&org).is_ok();
        let links = SECTIONS.iter().filter(|entry| {
            role >= entry.role && (has_sso || entry.section != Section::SingleSignOn)
        });
        let links = links.map(|entry| NavigationLink {
            label: language::text(entry.label),
            href: format!("{home}{}", entry.path),
            icon: entry.icon,
            is_current: entry.section == current,
        });
        let frame = Frame {
            user_name: caller.name.clone(),
            org_name: org.name.clone(),
            links: links.collect(),
            can_manage: role == Role::Admin && !org.suspended,
            can_design: role >= Role::BrandManager && !org.suspended,
            can_remove: role == Role::Admin,
            is_suspended: org.suspended,
            notice: request.query_value("done").and_then(|code| notices::find_notice(&code)),
            home,
        };
        Ok(Self { org, role, frame })
    }
}

/// Shows a page to members with the role of its section, with the status of `problem`. `build`
/// returns the page, in the same read transaction. Other members get a page with status 403 that
/// says which role is missing.
///
/// # Errors
/// `NotFound` if the organization does not exist or the caller is not a member. The errors of
/// `build`; `Forbidden` is shown as a page.
pub fn show<T: Template>(
    request: &RequestContext,
    caller: &User,
    section: Section,
    problem: &Problem,
    build: impl FnOnce(&Tx<'_>, OrgView) -> Result<T>,
) -> Result<Response> {
    show_for(request, caller, section, needed_role(section), problem, build)
}

/// Shows a page like [`show`] to members with at least the role `needed`.
///
/// # Errors
/// As [`show`].
pub fn show_for<T: Template>(
    request: &RequestContext,
    caller: &User,
    section: Section,
    needed: Role,
    problem: &Problem,
    build: impl FnOnce(&Tx<'_>, OrgView) -> Result<T>,
) -> Result<Response> {
    request.app.db.read(|tx| {
        let view = OrgView::load(tx, request, caller, section)?;
        let refusal = if view.role < needed {
            let text = match needed {
                Role::Admin => language::text("organization.onlyAdmins"),
                _ => language::text("organization.onlyBrandManagers"),
            };
            Error::Forbidden(text.to_owned())
        } else {
            match build(tx, view) {
                Ok(page) => return page_parts::render_with_problem(&page, problem),
                Err(error) => error,
            }
        };
        let Error::Forbidden(text) = refusal else { return Err(refusal) };
        let frame = OrgView::load(tx, request, caller, section)?.frame;
        let title = language::text("organization.refusedTitle");
        let page = RefusedPage { frame, title, text };
        pages::render_page(StatusCode::FORBIDDEN, &page)
    })
}

/// Redirects to a page of the organization in the path, which shows the notice with this code.
/// `path` is the part after the organization. The caller has checked that the organization exists.
///
/// # Errors
/// `Internal` if the address contains characters that a header cannot carry.
pub fn redirect(request: &RequestContext, path: &str, code: &str) -> Result<Response> {
    let org: String = request.param("org")?;
    Response::see_other(&format!("/orgs/{org}{path}?done={code}"))
}

/// Returns the lowest role that sees the page of a section.
fn needed_role(section: Section) -> Role {
    let found = SECTIONS.iter().find(|entry| entry.section == section);
    found.map_or(Role::Admin, |entry| entry.role)
}
