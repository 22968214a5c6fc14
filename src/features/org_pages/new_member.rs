//! The page that creates a managed account, with the confirmation of further seats.

use askama::Template;

use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::labels;
use super::labels::Offer;
use super::labels::RoleOption;
use super::members::SeatMeter;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Plan;
use crate::features::orgs::Role;
use crate::features::orgs::domains;
use crate::features::orgs::domains::DomainStatus;
use crate::features::people;
use crate::features::people::SeatCheck;
use crate::features::people::managed;
use crate::features::people::managed::NewManagedUser;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::language;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels =
    &[("name", "account.fullName"), ("email", "account.email"), ("role", "organization.role")];

/// The form for a managed account.
#[derive(Template)]
#[template(path = "org-new-member.html")]
struct NewMemberPage<'a> {
    frame: Frame,
    title: &'static str,
    seats: SeatMeter,
    /// Verified domains, separated by commas. Empty if there is none.
    domains: String,
    /// Address of the page of the domains.
    domains_url: String,
    roles: [RoleOption; 3],
    name: &'a str,
    email: &'a str,
    role: &'a str,
    problem: &'a Problem,
}

/// The page that asks to confirm further seats.
#[derive(Template)]
#[template(path = "org-confirm-member.html")]
struct ConfirmMemberPage<'a> {
    frame: Frame,
    title: &'static str,
    name: &'a str,
    email: &'a str,
    role: &'a str,
    offer: Offer,
    confirmation: String,
    problem: &'a Problem,
}

/// Handles `GET /orgs/{org}/members/new`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_form(request, caller, &Form::default(), &Problem::default())
}

/// Handles `POST /orgs/{org}/members/new`, for admins: creates the account. If that needs further
/// seats, first shows their price; the form of that page contains the confirmation.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    match create(request, caller, &form) {
        Ok(None) if request.app.config.smtp_host.is_empty() => {
            frame::redirect(request, "", "account-created-without-mail")
        }
        Ok(None) => frame::redirect(request, "", "account-created"),
        Ok(Some(check)) => show_offer(request, caller, &form, check, &Problem::default()),
        Err(error @ Error::ConfirmationRequired(_)) => {
            let problem = Problem::from_error(error, FIELDS)?;
            match check_account(request, caller, &form) {
                Ok(check) => show_offer(request, caller, &form, check, &problem),
                Err(error) => {
                    show_form(request, caller, &form, &Problem::from_error(error, FIELDS)?)
                }
            }
        }
        Err(error) => show_form(request, caller, &form, &Problem::from_error(error, FIELDS)?),
    }
}

/// Returns the account that the form describes.
///
/// # Errors
/// `InvalidFields` for `role`.
fn parse_account(form: &Form) -> Result<NewManagedUser> {
    let role = form.text("role").map_or(Ok(Role::Member), str::parse)?;
    let (name, email) = (form.value("name").trim(), form.value("email").trim());
    Ok(NewManagedUser { name: name.to_owned(), email: email.to_owned(), role })
}

/// Checks whether the account can be created.
fn check_account(request: &RequestContext, caller: &User, form: &Form) -> Result<SeatCheck> {
    let (name, new) = (request.param::<String>("org")?, parse_account(form)?);
    request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &name, &caller.id, Role::Admin)?;
        managed::check_new_user(tx, &request.app.server_key, &org, &new)
    })
}

/// Creates the account. Returns the result of the check instead if the form has no confirmation and
/// the person must first see the price of further seats.
fn create(request: &RequestContext, caller: &User, form: &Form) -> Result<Option<SeatCheck>> {
    let new = parse_account(form)?;
    let confirmation = match form.text("confirmation") {
        Some(confirmation) => Some(confirmation.to_owned()),
        None => {
            let check = check_account(request, caller, form)?;
            if check.update_info.is_some() {
                return Ok(Some(check));
            }
            check.confirmation
        }
    };
    people::write_as_admin(request, caller, move |tx, app, org| {
        let (key, confirmation) = (&app.server_key, confirmation.as_deref());
        let (_, mails) = managed::create_user(tx, key, org, &new, confirmation)?;
        Ok(((), mails))
    })?;
    Ok(None)
}

/// Shows the form with its values.
fn show_form(
    request: &RequestContext,
    caller: &User,
    form: &Form,
    problem: &Problem,
) -> Result<Response> {
    let build = |tx: &Tx<'_>, view: OrgView| {
        if view.org.plan == Plan::Team {
            return Err(Error::Forbidden(language::text("members.planNeeded").to_owned()));
        }
        let verified = domains::list_domains(tx, &view.org)?.into_iter();
        let verified = verified.filter(|domain| domain.status == DomainStatus::Verified);
        let verified: Vec<String> = verified.map(|domain| domain.name).collect();
        Ok(NewMemberPage {
            title: language::text("members.newManagedAccount"),
            seats: SeatMeter::load(tx, &view.org)?,
            domains: verified.join(", "),
            domains_url: format!("{}/domains", view.frame.home),
            roles: labels::list_roles(),
            name: form.value("name"),
            email: form.value("email"),
            role: form.text("role").unwrap_or("member"),
            problem,
            frame: view.frame,
        })
    };
    frame::show_for(request, caller, Section::Members, Role::Admin, problem, build)
}

/// Shows the price of further seats.
fn show_offer(
    request: &RequestContext,
    caller: &User,
    form: &Form,
    check: SeatCheck,
    problem: &Problem,
) -> Result<Response> {
    let Some(info) = check.update_info else {
        // The seats suffice again, so that the person can create the account with the form.
        return show_form(request, caller, form, problem);
    };
    let build = |_: &Tx<'_>, view: OrgView| {
        Ok(ConfirmMemberPage {
            title: language::text("members.addSeatTitle"),
            name: form.value("name"),
            email: form.value("email"),
            role: form.text("role").unwrap_or("member"),
            offer: Offer::new(&info),
            confirmation: info.confirmation.clone(),
            problem,
            frame: view.frame,
        })
    };
    frame::show_for(request, caller, Section::Members, Role::Admin, problem, build)
}
