//! The page of the invites: open invites, the form for new ones, and the step that checks the
//! addresses and the seats before people are invited.

use askama::Template;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use super::labels;
use super::labels::Offer;
use super::labels::RoleOption;
use super::members::SeatMeter;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::domains;
use crate::features::orgs::domains::DomainStatus;
use crate::features::people;
use crate::features::people::Invite;
use crate::features::people::SeatCheck;
use crate::features::people::invites;
use crate::features::people::invites::AddressStatus;
use crate::features::people::invites::MAX_ADDRESSES;
use crate::features::people::invites::NewInvites;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::InviteId;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels = &[
    ("emails", "field-labels.list"),
    ("role", "organization.role"),
    ("message", "field-labels.message"),
];

/// The page of the invites.
#[derive(Template)]
#[template(path = "org-invites.html")]
struct InvitesPage<'a> {
    frame: Frame,
    title: &'static str,
    seats: SeatMeter,
    /// Whether the server sends mails.
    sends_mail: bool,
    /// Why only some addresses can be invited. Empty if all can.
    restriction: String,
    invites: Vec<InviteRow>,
    roles: [RoleOption; 3],
    max_addresses: usize,
    emails: &'a str,
    role: &'a str,
    message: &'a str,
    problem: &'a Problem,
}

/// An open invite in the list.
struct InviteRow {
    id: InviteId,
    email: String,
    role: &'static str,
    inviter: String,
    last_sent: Timestamp,
    expires: Timestamp,
}

/// The page with the result of a check.
#[derive(Template)]
#[template(path = "org-invite-check.html")]
struct CheckPage<'a> {
    frame: Frame,
    /// Whether the server sends mails.
    sends_mail: bool,
    title: &'static str,
    addresses: Vec<CheckedAddress>,
    /// Number of addresses that can be invited.
    possible: u32,
    /// Addresses that can be invited, one per line.
    emails: String,
    /// All addresses of the form.
    typed: &'a str,
    role: &'a str,
    role_label: &'static str,
    message: &'a str,
    offer: Option<Offer>,
    /// Label of the button that invites.
    action: String,
    confirmation: String,
    problem: &'a Problem,
}

/// An address with its status.
struct CheckedAddress {
    email: String,
    can_be_invited: bool,
    text: &'static str,
}

/// Handles `GET /orgs/{org}/invites`, for admins.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &Form::default(), &Problem::default())
}

/// Handles `POST /orgs/{org}/invites`, for admins. The field `step` tells the action: `check` shows
/// the status of each address and the price of further seats, `invite` invites the people, and
/// `edit` shows the form again.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let result = match form.value("step") {
        "edit" => return show_page(request, caller, &form, &Problem::default()),
        "invite" => match create(request, caller, &form) {
            Ok(()) => return frame::redirect(request, "/invites", "invited"),
            Err(error @ Error::ConfirmationRequired(_)) => {
                let problem = Problem::from_error(error, FIELDS)?;
                show_check(request, caller, &form, &problem)
            }
            Err(error) => Err(error),
        },
        _ => show_check(request, caller, &form, &Problem::default()),
    };
    match result {
        Err(error) => show_page(request, caller, &form, &describe_error(error, &form)?),
        shown => shown,
    }
}

/// Handles `POST /orgs/{org}/invites/{id}/send`, for admins: sends an open invite again.
pub fn send(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let id = request.param::<InviteId>("id")?;
    let sent = people::write_as_admin(request, caller, move |tx, app, org| {
        invites::send_again(tx, &app.server_key, &org, &id).map(|_| ((), 1))
    });
    match sent {
        Ok(()) if request.app.config.smtp_host.is_empty() => {
            frame::redirect(request, "/invites", "invite-renewed")
        }
        Ok(()) => frame::redirect(request, "/invites", "invite-sent"),
        Err(error) => {
            let problem = Problem::from_error(error, FIELDS)?;
            show_page(request, caller, &Form::default(), &problem)
        }
    }
}

/// Handles `GET /orgs/{org}/invites/{id}/delete`, for admins: asks before an invite is deleted.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let id = request.param::<InviteId>("id")?;
    let problem = Problem::default();
    let build = |tx: &Tx<'_>, view: OrgView| {
        let invite = invites::find_invite(tx, &view.org, &id)?;
        Ok(ConfirmPage {
            title: language::fill("org-invites.deleteTitle").with("email", &invite.email).into(),
            consequences: vec![
                language::text("org-invites.deleteLink").to_owned(),
                language::text("org-invites.deleteMail").to_owned(),
            ],
            fields: Vec::new(),
            action: language::text("common.delete"),
            cancel: format!("{}/invites", view.frame.home),
            is_possible: true,
            frame: view.frame,
            problem: &problem,
        })
    };
    frame::show(request, caller, Section::Invites, &problem, build)
}

/// Handles `POST /orgs/{org}/invites/{id}/delete`, for admins.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (name, caller) = (request.param::<String>("org")?, caller.id.clone());
    let id = request.param::<InviteId>("id")?;
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role_even_if_suspended(tx, &name, &caller, Role::Admin)?;
        invites::delete_invite(tx, &org, &id)
    })?;
    frame::redirect(request, "/invites", "invite-deleted")
}

/// Returns the people that the form describes. Addresses are separated by white space, commas or
/// semicolons; angle brackets around them are removed.
///
/// # Errors
/// `InvalidFields` for `role`.
fn parse_invites(form: &Form) -> Result<NewInvites> {
    let separators = |character: char| character.is_whitespace() || ",;".contains(character);
    let mut emails: Vec<String> = Vec::new();
    for text in form.value("emails").split(separators) {
        let address = text.trim_matches(['<', '>', '"']);
        let is_known = || {
            let key = accounts::email_key(address);
            emails.iter().any(|email| accounts::email_key(email) == key)
        };
        if !address.is_empty() && !is_known() {
            emails.push(address.to_owned());
        }
    }
    Ok(NewInvites {
        emails,
        role: form.text("role").map_or(Ok(Role::Member), str::parse)?,
        message: form.value("message").replace("\r\n", "\n"),
    })
}

/// Invites the people, all or none.
fn create(request: &RequestContext, caller: &User, form: &Form) -> Result<()> {
    let (new, caller_id) = (parse_invites(form)?, caller.id.clone());
    let confirmation = form.text("confirmation").map(str::to_owned);
    people::write_as_admin(request, caller, move |tx, app, org| {
        let (key, confirmation) = (&app.server_key, confirmation.as_deref());
        let mails = invites::create_invites(tx, key, org, &caller_id, &new, confirmation)?;
        Ok(((), mails))
    })
}

/// Converts an error of the form. Errors about single addresses name them.
fn describe_error(error: Error, form: &Form) -> Result<Problem> {
    let Error::InvalidFields(errors) = error else {
        return Problem::from_error(error, FIELDS);
    };
    let emails = parse_invites(form).map(|new| new.emails).unwrap_or_default();
    let (mut lines, mut others) = (Vec::new(), Vec::new());
    for error in errors {
        let index = error.field.strip_prefix("emails[").and_then(|rest| rest.strip_suffix(']'));
        let index = index.and_then(|index| index.parse::<usize>().ok());
        match index.and_then(|index| emails.get(index)) {
            Some(email) => lines.push(format!("{email} {}.", error.message)),
            None => others.push(error),
        }
    }
    let mut problem = Problem::from_error(Error::InvalidFields(others), FIELDS)?;
    if !lines.is_empty() {
        problem.text = lines.join("\n");
    }
    Ok(problem)
}

/// Shows the open invites and the form with its values.
fn show_page(
    request: &RequestContext,
    caller: &User,
    form: &Form,
    problem: &Problem,
) -> Result<Response> {
    frame::show(request, caller, Section::Invites, problem, |tx, view| {
        let open = invites::list_invites(tx, &view.org)?;
        let rows = open.into_iter().map(|invite| build_row(tx, invite));
        Ok(InvitesPage {
            title: language::text("org-invites.title"),
            seats: SeatMeter::load(tx, &view.org)?,
            sends_mail: !request.app.config.smtp_host.is_empty(),
            restriction: describe_restriction(tx, &view.org)?,
            invites: rows.collect::<Result<_>>()?,
            roles: labels::list_roles(),
            max_addresses: MAX_ADDRESSES,
            emails: form.text("typed").unwrap_or(form.value("emails")),
            role: form.text("role").unwrap_or("member"),
            message: form.value("message"),
            problem,
            frame: view.frame,
        })
    })
}

/// Builds the row of an open invite.
fn build_row(tx: &Tx<'_>, invite: Invite) -> Result<InviteRow> {
    Ok(InviteRow {
        inviter: invites::inviter_name(tx, &invite)?,
        id: invite.id,
        email: invite.email,
        role: labels::role_label(invite.role),
        last_sent: invite.last_sent,
        expires: invite.expires,
    })
}

/// Explains which addresses can be invited if not all can. Empty if all can.
fn describe_restriction(tx: &Tx<'_>, org: &Org) -> Result<String> {
    if orgs::find_settings(tx, &org.id)?.disables_unmanaged_accounts() {
        return Ok(language::text("org-invites.managedOnly").to_owned());
    }
    if org.external_invites {
        return Ok(String::new());
    }
    let verified = domains::list_domains(tx, org)?.into_iter();
    let verified = verified.filter(|domain| domain.status == DomainStatus::Verified);
    let names: Vec<String> = verified.map(|domain| domain.name).collect();
    Ok(match names.as_slice() {
        [] => language::text("org-invites.noVerifiedDomain").to_owned(),
        _ => language::fill("org-invites.verifiedOnly").with("domains", names.join(", ")).into(),
    })
}

/// Checks the addresses of the form and shows the result. Changes nothing.
///
/// # Errors
/// As [`invites::check_invites`].
fn show_check(
    request: &RequestContext,
    caller: &User,
    form: &Form,
    problem: &Problem,
) -> Result<Response> {
    let (name, new) = (request.param::<String>("org")?, parse_invites(form)?);
    let (statuses, check) = request.app.db.read(|tx| {
        let org = orgs::require_role(tx, &name, &caller.id, Role::Admin)?;
        invites::check_invites(tx, &request.app.server_key, &org, &new)
    })?;
    frame::show(request, caller, Section::Invites, problem, |_, view| {
        let sends_mail = !request.app.config.smtp_host.is_empty();
        let addresses = (&new, statuses.as_slice());
        Ok(build_check_page(view.frame, form, addresses, check, sends_mail, problem))
    })
}

/// Builds the page with the result of a check.
fn build_check_page<'a>(
    frame: Frame,
    form: &'a Form,
    (new, statuses): (&NewInvites, &[AddressStatus]),
    check: SeatCheck,
    sends_mail: bool,
    problem: &'a Problem,
) -> CheckPage<'a> {
    let addresses = new.emails.iter().zip(statuses).map(|(email, status)| CheckedAddress {
        email: email.clone(),
        can_be_invited: status.problem().is_none(),
        text: describe_status(*status),
    });
    let addresses: Vec<CheckedAddress> = addresses.collect();
    let possible = addresses.iter().filter(|address| address.can_be_invited);
    let possible: Vec<&str> = possible.map(|address| address.email.as_str()).collect();
    let offer = check.update_info.as_ref().map(Offer::new);
    CheckPage {
        frame,
        sends_mail,
        title: language::text("org-invites.checkTitle"),
        action: describe_action(offer.is_some(), possible.len(), addresses.len()),
        possible: labels::length(&possible),
        emails: possible.join("\n"),
        typed: form.text("typed").unwrap_or(form.value("emails")),
        role: form.text("role").unwrap_or("member"),
        role_label: labels::role_label(new.role),
        message: form.value("message"),
        offer,
        confirmation: check.confirmation.unwrap_or_default(),
        addresses,
        problem,
    }
}

/// Returns the label of the button that invites `possible` of `all` people.
fn describe_action(adds_seats: bool, possible: usize, all: usize) -> String {
    let text = match (adds_seats, possible < all) {
        (false, false) => language::fill("org-invites.invite"),
        (true, false) => language::fill("org-invites.inviteAddSeats"),
        (false, true) => language::fill("org-invites.invitePossible"),
        (true, true) => language::fill("org-invites.invitePossibleAddSeats"),
    };
    text.with("count", possible).into()
}

/// Returns a sentence about the status of an address.
fn describe_status(status: AddressStatus) -> &'static str {
    language::text(match status {
        AddressStatus::Ok => "org-invites.possible",
        AddressStatus::Invalid => "org-invites.notAnAddress",
        AddressStatus::Member => "org-invites.isMember",
        AddressStatus::Invited => "org-invites.isInvited",
        AddressStatus::ManagedElsewhere => "org-invites.isManagedElsewhere",
        AddressStatus::Disabled => "org-invites.isDisabled",
    })
}
