//! The page of one member: role, and name and address of a managed account.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::labels;
use super::labels::RoleOption;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Role;
use crate::features::orgs::teams;
use crate::features::orgs::teams::Team;
use crate::features::people;
use crate::features::people::Person;
use crate::features::people::managed;
use crate::features::people::managed::ManagedUserChanges;
use crate::features::people::members;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels = &[
    ("name", "account.fullName"),
    ("email", "account.email"),
    ("role", "organization.role"),
    ("sso_id", "field-labels.identifier"),
];

/// The page of a member.
#[derive(Template)]
#[template(path = "org-member.html")]
struct MemberPage<'a> {
    frame: Frame,
    title: String,
    person: Person,
    teams: Vec<Team>,
    roles: [RoleOption; 3],
    /// Values of the form.
    name: String,
    email: String,
    role: String,
    sso_id: String,
    /// Whether user provisioning ends if the member gets another role.
    provisions_users: bool,
    problem: &'a Problem,
}

/// Handles `GET /orgs/{org}/members/{id}`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, None, &Problem::default())
}

/// Handles `POST /orgs/{org}/members/{id}`, for admins: changes the role, and the other fields of a
/// managed account.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (user, form) = (request.param::<AccountId>("id")?, Form::from_request(request)?);
    let saved = {
        let form = form.clone();
        people::write_as_admin(request, caller, move |tx, app, org| {
            change_member(tx, &app.server_key, &org, &user, &form).map(|mails| ((), mails))
        })
    };
    match saved {
        Ok(()) => frame::redirect(request, "", "member-changed"),
        Err(error) => show_page(request, caller, Some(&form), &Problem::from_error(error, FIELDS)?),
    }
}

/// Handles `POST /orgs/{org}/members/{id}/second-factor/off`, for admins: removes the second factor of
/// a managed account.
pub fn reset_second_factor(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    managed::http::reset_second_factor(request, caller, ())?;
    frame::redirect(request, "", "second-factor-removed")
}

/// Changes a member to the values of the form. A member without a managed account has only a role.
/// Returns the number of enqueued mails.
///
/// # Errors
/// `NotFound` if the user is not a member. As [`managed::update_user`] and [`people::add_member`].
fn change_member(
    tx: &WriteTx<'_>,
    key: &ServerKey,
    org: &orgs::Org,
    user: &AccountId,
    form: &Form,
) -> Result<u32> {
    let person = members::find_person(tx, &org.id, user)?;
    let role: Role = form.value("role").parse()?;
    if !person.is_managed {
        return people::add_member(tx, org, user, role).map(|()| 0);
    }
    // An address that stays the same may be on a domain that is no longer verified.
    let changed = |name: &str, present: &str| {
        let text = form.value(name).trim();
        (text != present).then(|| text.to_owned())
    };
    let sso_id = form.text("sso_id");
    let change = ManagedUserChanges {
        name: changed("name", &person.name),
        email: changed("email", &person.email),
        role: Some(role),
        sso_id: (sso_id != person.sso_id.as_deref()).then(|| sso_id.map(str::to_owned)),
    };
    managed::update_user(tx, key, org, user, change)
}

/// Shows the page with the stored values, or with those of a form that has errors.
fn show_page(
    request: &RequestContext,
    caller: &User,
    form: Option<&Form>,
    problem: &Problem,
) -> Result<Response> {
    let user = request.param::<AccountId>("id")?;
    let build = |tx: &Tx<'_>, view: OrgView| {
        let person = members::find_person(tx, &view.org.id, &user)?;
        let value = |name: &str, stored: &str| {
            form.map_or_else(|| stored.to_owned(), |form| form.value(name).to_owned())
        };
        Ok(MemberPage {
            title: person.name.clone(),
            teams: teams::list_teams_of_user(tx, &view.org.id, &user)?,
            roles: labels::list_roles(),
            name: value("name", &person.name),
            email: value("email", &person.email),
            role: value("role", person.role.as_str()),
            sso_id: value("sso_id", person.sso_id.as_deref().unwrap_or_default()),
            provisions_users: person.provisions_users(tx.now),
            person,
            problem,
            frame: view.frame,
        })
    };
    frame::show_for(request, caller, Section::Members, Role::Admin, problem, build)
}
