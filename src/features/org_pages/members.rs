//! The page of the members, with the seat meter.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::labels;
use super::labels::RoleOption;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Plan;
use crate::features::people;
use crate::features::people::Person;
use crate::features::people::members;
use crate::features::people::members::MemberFilter;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Page;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Number of members per page.
const PAGE_SIZE: u32 = 50;

/// The page of the members.
#[derive(Template)]
#[template(path = "org-members.html")]
struct MembersPage {
    frame: Frame,
    title: &'static str,
    /// Seats. Only for admins.
    seats: Option<SeatMeter>,
    /// Whether managed accounts can be created.
    has_managed_accounts: bool,
    roles: [RoleOption; 3],
    /// Search text.
    query: String,
    /// Selected role, or an empty text.
    role: String,
    /// Number of members that the filter selects.
    count: usize,
    members: Vec<MemberRow>,
    /// Address of the previous page; empty on the first.
    previous: String,
    /// Address of the next page; empty on the last.
    next: String,
}

/// A member in the list.
struct MemberRow {
    id: AccountId,
    name: String,
    email: String,
    role: &'static str,
    is_managed: bool,
    is_caller: bool,
    last_seen: Option<Timestamp>,
}

/// The seats of an organization.
pub struct SeatMeter {
    /// Seats that members and open invites take.
    pub taken: u32,
    /// Seats in total. None if unlimited.
    pub limit: Option<u32>,
    /// Members and open invites.
    pub details: String,
}

impl SeatMeter {
    /// Counts the seats of an organization.
    pub fn load(tx: &Tx<'_>, org: &Org) -> Result<Self> {
        let (members, taken) = (orgs::count_members(tx, &org.id)?, people::count_taken(tx, org)?);
        let invites = taken.saturating_sub(members);
        let details = language::fill("organization.seatDetails")
            .with("members", language::fill("organization.memberCount").with("count", members))
            .with("invites", language::fill("organization.openInviteCount").with("count", invites));
        Ok(Self { taken, limit: org.seats.limit(), details: details.into() })
    }
}

impl MemberRow {
    /// Converts a member.
    fn new(person: Person, caller: &User) -> Self {
        Self {
            is_caller: person.id == caller.id,
            id: person.id,
            name: person.name,
            email: person.email,
            role: labels::role_label(person.role),
            is_managed: person.is_managed,
            last_seen: person.last_seen,
        }
    }
}

/// Handles `GET /orgs/{org}`, for all members: the members of the organization. The query has
/// `role`, `q` and `offset`; an unknown role counts as none.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let query = Form::from_query(&request.query);
    frame::show(request, caller, Section::Members, &Problem::default(), |tx, view| {
        build_page(tx, view, caller, &query)
    })
}

/// Builds the page with the members that the query selects.
fn build_page(tx: &Tx<'_>, view: OrgView, caller: &User, query: &Form) -> Result<MembersPage> {
    let (role, text) = (query.value("role"), query.value("q"));
    let filter = MemberFilter::new(role.parse().ok(), text, false);
    let found = members::list_people(tx, &view.org.id, &filter)?;
    let count = found.len();
    let page = Page { offset: query.value("offset").parse().unwrap_or(0), limit: PAGE_SIZE };
    let (previous, next) = page.adjacent_pages(count as u64);
    let url_at = |target: Page| {
        let mut address = form_urlencoded::Serializer::new(String::new());
        address.append_pair("q", text).append_pair("role", role);
        address.append_pair("offset", &target.offset.to_string());
        format!("{}?{}", view.frame.home, address.finish())
    };
    let is_admin = view.role == orgs::Role::Admin;
    let rows = found.into_iter().skip(page.offset as usize).take(page.limit as usize);
    Ok(MembersPage {
        title: language::text("members.title"),
        seats: is_admin.then(|| SeatMeter::load(tx, &view.org)).transpose()?,
        has_managed_accounts: view.org.plan != Plan::Team,
        roles: labels::list_roles(),
        query: text.to_owned(),
        role: role.to_owned(),
        count,
        members: rows.map(|person| MemberRow::new(person, caller)).collect(),
        previous: previous.map(url_at).unwrap_or_default(),
        next: next.map(url_at).unwrap_or_default(),
        frame: view.frame,
    })
}
