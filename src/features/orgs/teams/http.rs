//! Bodies and handlers of `/orgs/{org}/teams` and `/orgs/{org}/team/{team}`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::Team;
use super::TeamMember;
use super::actions;
use super::actions::TeamRequest;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::actions as orgs;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::TeamId;
use chartroom_platform::time::Timestamp;

/// A team.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Team")]
pub struct TeamView {
    /// UUID.
    #[schemars(extend("x-placeholder" = "team"))]
    id: TeamId,
    name: String,
    member_count: u32,
    /// Members. Only in responses with a single team.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<MemberView>>,
    /// Absolute path of the folder of the team. Null while it is in the trash, or if it was deleted
    /// permanently.
    folder: Option<String>,
    created: Timestamp,
    urls: TeamUrls,
}

/// URLs of a team.
#[derive(Serialize, JsonSchema)]
pub struct TeamUrls {
    endpoint: String,
}

/// A member of a team.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TeamMember")]
pub struct MemberView {
    /// Account id.
    id: AccountId,
    /// Full name.
    name: String,
    /// E-mail address.
    email: String,
    /// URL of the avatar image.
    avatar_url: String,
}

/// The teams of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Teams {
    /// Teams by name.
    teams: Vec<TeamView>,
}

/// Body of `POST …/teams`, where `name` is required, and of `PUT …/team/{team}`. An absent field
/// keeps the stored value. Unknown fields are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct TeamBody {
    /// Name, 1 to 255 characters without a slash. The folder of a new team gets the same name.
    name: Option<String>,
    /// Complete list of members.
    members: Option<Vec<MemberReference>>,
}

/// A reference to a member: an id, username or address, or a member object of a response.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum MemberReference {
    /// Account id, username or e-mail address.
    Text(String),
    /// Account id as a number.
    Number(u64),
    /// Member object of a response.
    Entry {
        /// Account id.
        id: String,
    },
}

impl From<TeamBody> for TeamRequest {
    /// Converts the body. Each reference to a member becomes a text: an account id, username or
    /// address.
    fn from(body: TeamBody) -> Self {
        let text = |reference: MemberReference| match reference {
            MemberReference::Text(text) | MemberReference::Entry { id: text } => text,
            MemberReference::Number(id) => id.to_string(),
        };
        let members = body.members.map(|all| all.into_iter().map(text).collect());
        Self { name: body.name, members }
    }
}

impl TeamView {
    /// Builds the view of a team without its members.
    fn new(tx: &Tx<'_>, org: &Org, team: Team, base_url: &str) -> Result<Self> {
        Ok(Self {
            folder: actions::find_folder_path(tx, org, &team)?.map(|path| path.to_string()),
            urls: TeamUrls {
                endpoint: format!("{base_url}/api/v1/orgs/{}/team/{}", org.id, team.id),
            },
            id: team.id,
            name: team.name,
            member_count: team.member_count,
            members: None,
            created: team.created,
        })
    }

    /// Builds the view of a team with its members, including their e-mail addresses.
    fn with_members(tx: &Tx<'_>, org: &Org, team: Team, base_url: &str) -> Result<Self> {
        let members = actions::list_members(tx, &team.id)?;
        let members =
            members.into_iter().map(|member| MemberView::from_member(member, base_url)).collect();
        Ok(Self { members: Some(members), ..Self::new(tx, org, team, base_url)? })
    }
}

impl MemberView {
    /// Converts a team member to the JSON view. `base_url` is the start of the URL of the avatar.
    fn from_member(member: TeamMember, base_url: &str) -> Self {
        Self {
            avatar_url: accounts::avatar_url(base_url, &member.user),
            id: member.user,
            name: member.name,
            email: member.email,
        }
    }
}

/// Handles `GET /orgs/{org}/teams`, for all members of the organization: its teams by name, without
/// the lists of their members.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Teams>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &name, &caller.id)?.org;
        let teams = actions::list_teams(tx, &org)?;
        let teams = teams.into_iter().map(|team| TeamView::new(tx, &org, team, base_url));
        Ok(Json(Teams { teams: teams.collect::<Result<_>>()? }))
    })
}

/// Handles `GET /orgs/{org}/team/{team}`, for all members of the organization: the team with its
/// members.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<TeamView>> {
    let (name, id) = (request.param::<String>("org")?, request.param::<TeamId>("team")?);
    request.app.db.read(|tx| {
        let org = orgs::find_membership(tx, &name, &caller.id)?.org;
        let team = actions::find_team(tx, &org, &id)?;
        Ok(Json(TeamView::with_members(tx, &org, team, &request.app.config.base_url)?))
    })
}

/// Handles `POST /orgs/{org}/teams`, for admins. Returns the new team with its members. A repeated
/// request with the same idempotency key gets the stored response.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<TeamBody>),
) -> Result<RawJson<TeamView>> {
    let (name, base_url) = (request.param::<String>("org")?, request.app.config.base_url.clone());
    let (caller_id, caller, team_request) =
        (caller.id.to_string(), caller.clone(), TeamRequest::from(body));
    let check_access = {
        let (name, caller) = (name.clone(), caller.clone());
        move |tx: &Tx<'_>| orgs::require_role(tx, &name, &caller.id, Role::Admin).map(|_| ())
    };
    let response = request.write_idempotent(&key, &caller_id, check_access, move |tx| {
        let org = orgs::require_role(tx, &name, &caller.id, Role::Admin)?;
        let team = actions::create_team(tx, &caller, &org, team_request.clone())?;
        Response::json(&TeamView::with_members(tx, &org, team, &base_url)?)
    });
    response.map(RawJson::new)
}

/// Handles `PUT /orgs/{org}/team/{team}`, for admins: changes an existing team.
pub fn put(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<TeamBody>,
) -> Result<Json<TeamView>> {
    let (id, base_url) = (request.param::<TeamId>("team")?, request.app.config.base_url.clone());
    let team_request = TeamRequest::from(body);
    write_as_admin(request, caller, move |tx, caller, org| {
        let team = actions::update_team(tx, caller, org, &id, team_request.clone())?;
        Ok(Json(TeamView::with_members(tx, org, team, &base_url)?))
    })
}

/// Handles `DELETE /orgs/{org}/team/{team}`, for admins: deletes the team, but not its folder.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let id = request.param::<TeamId>("team")?;
    write_as_admin(request, caller, move |tx, caller, org| {
        actions::delete_team(tx, caller, org, &id)?;
        Ok(NoContent)
    })
}

/// Handles `PUT /orgs/{org}/team/{team}/member/{id}`, for admins: adds a member of the organization
/// to the team. `{id}` is an account id, username or e-mail address.
pub fn add_member(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, user) = (request.param::<TeamId>("team")?, request.param::<String>("id")?);
    write_as_admin(request, caller, move |tx, caller, org| {
        actions::add_member(tx, caller, org, &id, &user)?;
        Ok(NoContent)
    })
}

/// Handles `DELETE /orgs/{org}/team/{team}/member/{id}`, for admins: removes a user from the team,
/// but not from the organization.
pub fn remove_member(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, user) = (request.param::<TeamId>("team")?, request.param::<String>("id")?);
    write_as_admin(request, caller, move |tx, caller, org| {
        actions::remove_member(tx, caller, org, &id, &user)?;
        Ok(NoContent)
    })
}

/// Runs `work` in a write transaction if the caller is an admin of the organization in the path,
/// also on a full disk, because administrators must be able to remove members.
///
/// # Errors
/// The errors of `work` and of [`require_role`](orgs::require_role).
fn write_as_admin<T: Send + 'static>(
    request: &RequestContext,
    caller: &User,
    work: impl Fn(&WriteTx<'_>, &User, &Org) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (name, caller) = (request.param::<String>("org")?, caller.clone());
    request.app.db.write_with_reserve(move |tx| {
        let org = orgs::require_role(tx, &name, &caller.id, Role::Admin)?;
        work(tx, &caller, &org)
    })
}
