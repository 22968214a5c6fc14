//! The page of the teams.

use askama::Template;

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
use crate::features::orgs::Role;
use crate::features::orgs::teams;
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

/// Names and labels of the fields of the form for a new team.
const FIELDS: &FieldLabels = &[("name", "common.name")];

/// The page of the teams.
#[derive(Template)]
#[template(path = "org-teams.html")]
struct TeamsPage<'a> {
    frame: Frame,
    title: &'static str,
    teams: Vec<TeamRow>,
    /// Members of the organization, for the form. Empty for callers who cannot create a team.
    people: Vec<Person>,
    name: &'a str,
    /// Ids of the selected members.
    selected: Vec<String>,
    problem: &'a Problem,
}

/// A team in the list.
struct TeamRow {
    id: TeamId,
    name: String,
    members: String,
    /// Path and address of the folder. None if it is in the trash or was deleted permanently.
    folder: Option<(String, String)>,
}

/// Handles `GET /orgs/{org}/teams`, for all members.
pub fn page(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    show_page(request, caller, &Form::default(), &Problem::default())
}

/// Handles `POST /orgs/{org}/teams`, for admins: creates a team with its folder.
pub fn submit(request: &RequestContext, caller: &User, (): ()) -> Result<Response> {
    let form = Form::from_request(request)?;
    let (org, user) = (request.param::<String>("org")?, caller.clone());
    let wanted = TeamRequest {
        name: Some(form.value("name").to_owned()),
        members: Some(form.values("member")),
    };
    let created = request.app.db.write(move |tx| {
        let org = orgs::require_role(tx, &org, &user.id, Role::Admin)?;
        teams::create_team(tx, &user, &org, wanted.clone()).map(drop)
    });
    match created {
        Ok(()) => frame::redirect(request, "/teams", "team-created"),
        Err(error) => show_page(request, caller, &form, &Problem::from_error(error, FIELDS)?),
    }
}

/// Shows the teams and the form with its values.
fn show_page(
    request: &RequestContext,
    caller: &User,
    form: &Form,
    problem: &Problem,
) -> Result<Response> {
    frame::show(request, caller, Section::Teams, problem, |tx, view| {
        let all = teams::list_teams(tx, &view.org)?;
        let rows = all.into_iter().map(|team| build_row(tx, &view, team));
        Ok(TeamsPage {
            title: language::text("teams.title"),
            teams: rows.collect::<Result<_>>()?,
            people: match view.frame.can_manage {
                true => members::list_people(tx, &view.org.id, &MemberFilter::default())?,
                false => Vec::new(),
            },
            name: form.value("name"),
            selected: form.values("member"),
            problem,
            frame: view.frame,
        })
    })
}

/// Builds the row of a team.
fn build_row(tx: &Tx<'_>, view: &OrgView, team: teams::Team) -> Result<TeamRow> {
    let folder = teams::find_folder_path(tx, &view.org, &team)?;
    let folder = folder.map(|path| {
        let address = tree::folder_page_url("", &view.org.id, &path);
        (path.to_string(), address)
    });
    Ok(TeamRow {
        id: team.id,
        name: team.name,
        members: language::fill("organization.memberCount").with("count", team.member_count).into(),
        folder,
    })
}
