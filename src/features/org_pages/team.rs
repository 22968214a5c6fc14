//! The page of one team: name and members, and the page that asks before it is deleted.

use askama::Template;

use super::confirm::ConfirmPage;
use super::frame;
use super::frame::Frame;
use super::frame::OrgView;
use super::frame::Section;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::teams;
use crate::features::orgs::teams::Team;
use crate::features::orgs::teams::TeamMember;
use crate::features::orgs::teams::TeamRequest;
use crate::features::people::Person;
use crate::features::people::members;
use crate::features::people::members::MemberFilter;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::TeamId;
use chartroom_platform::language;

/// Names and labels of the fields of the form.
const FIELDS: &FieldLabels = &[("name", "common.name")];

/// The page of a team.
#[derive(Template)]
#[template(path = "org-team.html")]
struct TeamPage<'a> {
    frame: Frame,
    title: String,
    id: TeamId,
    /// Path and address of the folder. None if it is in the trash or was deleted permanently.
    folder: Option<(String, String)>,
    members: Vec<TeamMember>,
    /// Members of the organization, for the form. Empty for callers who cannot change the team.
    people: Vec<Person>,
    name: String,
    /// Ids of the selected members.
    selected: Vec<String>,
    problem: &'a Problem,
}

/// Handles `GET /orgs/{org}/teams/{team}`, for all members.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, None, &Problem::default())
}

/// Handles `POST /orgs/{org}/teams/{team}`, for admins: changes the name, and adds and removes the
/// people who are selected differently than in the shown form. People that somebody else has added or
/// removed meanwhile stay as they are.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (org, id) = (request.param::<String>("org")?, request.param::<TeamId>("team")?);
    let user = caller.clone();
    let (name, shown, selected) =
        (form.value("name").to_owned(), form.values("shown"), form.values("member"));
    let saved = request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &user.id, Role::Admin)?;
        let present = teams::list_members(tx, &id)?;
        let mut members: Vec<String> = present.iter().map(|one| one.user.to_string()).collect();
        members.retain(|one| selected.contains(one) || !shown.is_empty() && !shown.contains(one));
        members.extend(selected.iter().filter(|one| !shown.contains(one)).cloned());
        let wanted = TeamRequest { name: Some(name.clone()), members: Some(members) };
        teams::update_team(tx, &user, &org, &id, wanted).map(drop)
    });
    match saved {
        Ok(()) => frame::redirect(request, "/teams", "team-changed"),
        Err(error) => show_page(request, caller, Some(&form), &Problem::from_error(error, FIELDS)?),
    }
}

/// Handles `GET /orgs/{org}/teams/{team}/delete`, for admins: asks before the team is deleted.
pub fn delete_page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let id = request.param::<TeamId>("team")?;
    let problem = Problem::default();
    let build = |tx: &Tx<'_>, view: OrgView| {
        let team = teams::find_team(tx, &view.org, &id)?;
        Ok(ConfirmPage {
            title: language::fill("teams.deleteTitle").with("name", &team.name).into(),
            consequences: describe_deletion(tx, &view.org, &team)?,
            fields: Vec::new(),
            action: language::text("teams.deleteAction"),
            cancel: format!("{}/teams/{}", view.frame.home, team.id),
            is_possible: !view.frame.is_suspended,
            frame: view.frame,
            problem: &problem,
        })
    };
    frame::show_for(request, caller, Section::Teams, Role::Admin, &problem, build)
}

/// Handles `POST /orgs/{org}/teams/{team}/delete`, for admins: deletes the team, but not its folder.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let (org, id) = (request.param::<String>("org")?, request.param::<TeamId>("team")?);
    let caller = caller.clone();
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &org, &caller.id, Role::Admin)?;
        teams::delete_team(tx, &caller, &org, &id)
    })?;
    frame::redirect(request, "/teams", "team-deleted")
}

/// Describes the consequences of deleting a team, one sentence each.
fn describe_deletion(tx: &Tx<'_>, org: &Org, team: &Team) -> Result<Vec<String>> {
    let members = language::fill("teams.deleteMembers").with("count", team.member_count);
    let mut sentences = vec![
        members.with("organization", &org.name).into(),
        language::text("teams.deleteShares").to_owned(),
    ];
    let folder = teams::find_folder_path(tx, org, team)?;
    if let (Some(path), Some(id)) = (folder, &team.folder) {
        let documents = tree::count_documents_below(tx, id)?;
        let text = language::fill("teams.deleteFolder").with("count", documents);
        sentences.push(text.with("path", path).with("organization", &org.name).into());
    }
    Ok(sentences)
}

/// Shows the page with the stored values, or with those of a form that has errors.
fn show_page(
    request: &RequestContext,
    caller: &User,
    form: Option<&Form>,
    problem: &Problem,
) -> Result<Response> {
    let id = request.param::<TeamId>("team")?;
    frame::show(request, caller, Section::Teams, problem, |tx, view| {
        let team = teams::find_team(tx, &view.org, &id)?;
        let folder = teams::find_folder_path(tx, &view.org, &team)?;
        let members = teams::list_members(tx, &team.id)?;
        let stored = || members.iter().map(|member| member.user.to_string()).collect();
        Ok(TeamPage {
            folder: folder.map(|path| {
                let address = tree::folder_page_url("", &view.org.id, &path);
                (path.to_string(), address)
            }),
            people: match view.frame.can_manage {
                true => members::list_people(tx, &view.org.id, &MemberFilter::default())?,
                false => Vec::new(),
            },
            name: form.map_or_else(|| team.name.clone(), |form| form.value("name").to_owned()),
            selected: form.map_or_else(stored, |form| form.values("member")),
            members,
            title: team.name,
            id: team.id,
            problem,
            frame: view.frame,
        })
    })
}
