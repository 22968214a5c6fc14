//! The page that asks before members are removed.

use std::collections::BTreeSet;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::OrgView;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::teams;
use crate::features::people::Person;
use crate::features::people::managed;
use crate::features::people::members;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::language;

/// Maximum number of people that are removed at once.
const MAX_PEOPLE: usize = 100;

/// Handles `GET /orgs/{org}/members/remove`, for admins: asks before the people with the ids in the
/// query are removed.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &Form::from_query(&request.query), &Problem::default())
}

/// Handles `POST /orgs/{org}/members/remove`, for admins: removes the people, all or none.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (org, caller_id) = (request.param::<String>("org")?, caller.id.clone());
    let ids = form.values("id");
    let removed = request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role_even_if_suspended(tx, &org, &caller_id, Role::Admin)?;
        remove_people(tx, &org, &caller_id, &ids)
    });
    match removed {
        // The caller can no longer see the organization.
        Ok(()) if form.values("id").contains(&caller.id.to_string()) => Response::see_other("/"),
        Ok(()) => frame::redirect(request, "", "members-removed"),
        Err(error) => show_page(request, caller, &form, &Problem::from_error(error, &[])?),
    }
}

/// Removes people from an organization. Managed accounts are disabled, and their documents move to
/// the organization.
///
/// # Errors
/// `NotFound` for a user who is not a member. As [`members::remove_members`] and
/// [`managed::remove_user`].
fn remove_people(tx: &WriteTx<'_>, org: &Org, caller: &AccountId, ids: &[String]) -> Result<()> {
    if ids.is_empty() {
        return Err(Error::invalid_field("id", "is required"));
    }
    let people = find_people(tx, org, ids)?;
    let (accounts, others): (Vec<Person>, Vec<Person>) =
        people.into_iter().partition(|person| person.is_managed);
    if !others.is_empty() {
        let ids: Vec<String> = others.iter().map(|person| person.id.to_string()).collect();
        members::remove_members(tx, org, &ids)?;
    }
    accounts.iter().try_for_each(|person| managed::remove_user(tx, org, &person.id, caller))
}

/// Returns the members with these ids, each once.
///
/// # Errors
/// `InvalidFields` for the number of ids, `NotFound` for a user who is not a member.
fn find_people(tx: &Tx<'_>, org: &Org, ids: &[String]) -> Result<Vec<Person>> {
    let ids: BTreeSet<&String> = ids.iter().collect();
    if ids.len() > MAX_PEOPLE {
        return Err(Error::invalid_field("id", format!("must occur at most {MAX_PEOPLE} times")));
    }
    let find = |id: &&String| members::find_person(tx, &org.id, &AccountId::from_text(id.as_str()));
    ids.iter().map(find).collect()
}

/// Shows the page, or the list of members if nobody is selected.
fn show_page(
    request: &RequestContext,
    caller: &User,
    form: &Form,
    problem: &Problem,
) -> Result<Response> {
    let ids = form.values("id");
    let org: String = request.param("org")?;
    let role = request.app.db.read(|tx| Ok(orgs::find_membership(tx, &org, &caller.id)?.role))?;
    if ids.is_empty() && role == Role::Admin {
        return frame::redirect(request, "", "nobody-selected");
    }
    let build = |tx: &Tx<'_>, view: OrgView| {
        let people = find_people(tx, &view.org, &ids)?;
        let consequences = describe_removal(tx, &view.org, &people, &caller.id)?;
        Ok(ConfirmPage {
            title: match people.as_slice() {
                [person] => language::fill("members.removeOneTitle").with("name", &person.name),
                _ => language::fill("members.removeManyTitle").with("count", people.len()),
            }
            .into(),
            consequences,
            fields: ids.iter().map(|id| ("id", id.clone())).collect(),
            action: language::text("common.remove"),
            cancel: view.frame.home.clone(),
            is_possible: true,
            frame: view.frame,
            problem,
        })
    };
    frame::show_for(request, caller, Section::Members, Role::Admin, problem, build)
}

/// Describes the consequences of a removal, one sentence each.
fn describe_removal(
    tx: &Tx<'_>,
    org: &Org,
    people: &[Person],
    caller: &AccountId,
) -> Result<Vec<String>> {
    let mut left_teams = BTreeSet::new();
    for person in people {
        let teams = teams::list_teams_of_user(tx, &org.id, &person.id)?;
        left_teams.extend(teams.into_iter().map(|team| team.id.to_string()));
    }
    let removes = match left_teams.len() {
        0 => language::fill("members.removes"),
        count => language::fill("members.removesWithTeams").with("count", count),
    };
    let removes = removes.with("people", name_people(people)).with("organization", &org.name);
    let mut sentences = vec![removes.to_string()];
    let documents = tree::count_documents(tx, &org.id)?;
    if documents > 0 {
        let text = language::fill("members.documentsStay").with("count", documents);
        sentences.push(text.with("organization", &org.name).into());
    }
    sentences.push(language::text("members.accessEnds").to_owned());
    for person in people.iter().filter(|person| person.is_managed) {
        let text = match tree::count_documents(tx, &person.id)? {
            0 => language::fill("members.accountDisabled"),
            count => language::fill("members.accountDisabledWithDocuments").with("count", count),
        };
        sentences.push(text.with("email", &person.email).into());
    }
    for person in people.iter().filter(|person| person.provisions_users(tx.now)) {
        let text = language::fill("members.provisioningEnds").with("name", &person.name);
        sentences.push(text.into());
    }
    if people.iter().any(|person| person.id == *caller) {
        sentences.push(language::text("members.removesYou").to_owned());
    }
    Ok(sentences)
}

/// Names people in a sentence: their number and their names, or the name of a single one.
fn name_people(people: &[Person]) -> String {
    if let [person] = people {
        return person.name.clone();
    }
    let names: Vec<&str> = people.iter().map(|person| person.name.as_str()).collect();
    let text = language::fill("members.namedPeople").with("count", people.len());
    text.with("names", names.join(", ")).into()
}
