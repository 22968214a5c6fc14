//! Bodies and handlers of `/orgs/{org}/teams` and `/orgs/{org}/team/{team}`.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::actions;
use super::actions::Wish;
use super::store;
use super::store::Team;
use super::store::TeamMember;
use crate::app::RequestContext;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::orgs::Org;
use crate::features::orgs::Role;
use crate::features::orgs::actions as orgs;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::http::IdempotencyKey;
use chartroom_platform::http::Json;
use chartroom_platform::http::NoContent;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::Raw;
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
    /// When a single team is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<MemberView>>,
    /// Absolute path of its folder; null while that is in the trash, or when it is gone for good.
    folder: Option<String>,
    created: Timestamp,
    urls: TeamUrls,
}

/// Where a team is.
#[derive(Serialize, JsonSchema)]
pub struct TeamUrls {
    endpoint: String,
}

/// A member of a team.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "TeamMember")]
pub struct MemberView {
    id: AccountId,
    name: String,
    email: String,
    avatar_url: String,
}

/// The teams of an organization.
#[derive(Serialize, JsonSchema)]
pub struct Teams {
    /// By name.
    teams: Vec<TeamView>,
}

/// `POST …/teams`, where `name` is required, and `PUT …/team/{team}`. What is absent stays; other
/// keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct TeamBody {
    /// 1 to 255 characters without a slash; the team's folder gets this name too.
    name: Option<String>,
    /// All members of it.
    members: Option<Vec<Who>>,
}

/// A member as one may be named: by the id, or as answers show him.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Who {
    /// Id, username or address.
    Text(String),
    /// The id as a number.
    Number(u64),
    /// What an answer has.
    Entry {
        /// The id.
        id: String,
    },
}

impl From<TeamBody> for Wish {
    fn from(body: TeamBody) -> Self {
        let text = |who: Who| match who {
            Who::Text(text) | Who::Entry { id: text } => text,
            Who::Number(id) => id.to_string(),
        };
        let members = body.members.map(|all| all.into_iter().map(text).collect());
        Self { name: body.name, members }
    }
}

impl TeamView {
    fn of(tx: &Tx<'_>, org: &Org, team: Team, base_url: &str) -> Result<Self> {
        Ok(Self {
            folder: folder(tx, org, &team)?,
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

    fn with_members(tx: &Tx<'_>, org: &Org, team: Team, base_url: &str) -> Result<Self> {
        let members = store::members(tx, &team.id)?;
        let members = members.into_iter().map(|it| MemberView::of(it, base_url)).collect();
        Ok(Self { members: Some(members), ..Self::of(tx, org, team, base_url)? })
    }
}

impl MemberView {
    fn of(member: TeamMember, base_url: &str) -> Self {
        Self {
            avatar_url: accounts::avatar_url(base_url, &member.user),
            id: member.user,
            name: member.name,
            email: member.email,
        }
    }
}

/// The path of a team's folder, when it is where people can go.
fn folder(tx: &Tx<'_>, org: &Org, team: &Team) -> Result<Option<String>> {
    let Some(id) = &team.folder else { return Ok(None) };
    match tree::find(tx, id)? {
        Some(node) if node.deleted.is_none() && node.owner == org.id => {
            Ok(Some(tree::folder_path(tx, Some(id))?.to_string()))
        }
        _ => Ok(None),
    }
}

/// `GET /orgs/{org}/teams`.
pub fn list(request: &RequestContext, caller: &User, (): ()) -> Result<Json<Teams>> {
    let (name, base_url) = (request.param::<String>("org")?, &request.app.config.base_url);
    request.app.db.read(|tx| {
        let org = orgs::membership(tx, &name, &caller.id)?.org;
        let teams = store::all(tx, &org.id)?;
        let teams = teams.into_iter().map(|it| TeamView::of(tx, &org, it, base_url));
        Ok(Json(Teams { teams: teams.collect::<Result<_>>()? }))
    })
}

/// `GET /orgs/{org}/team/{team}`.
pub fn get(request: &RequestContext, caller: &User, (): ()) -> Result<Json<TeamView>> {
    let (name, id) = (request.param::<String>("org")?, request.param::<TeamId>("team")?);
    request.app.db.read(|tx| {
        let org = orgs::membership(tx, &name, &caller.id)?.org;
        let team = actions::find(tx, &org, &id)?;
        Ok(Json(TeamView::with_members(tx, &org, team, &request.app.config.base_url)?))
    })
}

/// `POST /orgs/{org}/teams`.
pub fn create(
    request: &RequestContext,
    caller: &User,
    (key, Json(body)): (IdempotencyKey, Json<TeamBody>),
) -> Result<Raw<TeamView>> {
    let (name, base_url) = (request.param::<String>("org")?, request.app.config.base_url.clone());
    let (who, caller, wish) = (caller.id.to_string(), caller.clone(), Wish::from(body));
    let response = request.write_once(&key, &who, move |tx| {
        let org = orgs::changeable(tx, &name, &caller.id, Role::Admin)?;
        let team = actions::create(tx, &caller, &org, wish.clone())?;
        Response::json(&TeamView::with_members(tx, &org, team, &base_url)?)
    });
    response.map(Raw::new)
}

/// `PUT /orgs/{org}/team/{team}`.
pub fn put(
    request: &RequestContext,
    caller: &User,
    Json(body): Json<TeamBody>,
) -> Result<Json<TeamView>> {
    let (id, base_url) = (request.param::<TeamId>("team")?, request.app.config.base_url.clone());
    let wish = Wish::from(body);
    as_admin(request, caller, move |tx, caller, org| {
        let team = actions::change(tx, caller, org, &id, wish.clone())?;
        Ok(Json(TeamView::with_members(tx, org, team, &base_url)?))
    })
}

/// `DELETE /orgs/{org}/team/{team}`.
pub fn delete(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let id = request.param::<TeamId>("team")?;
    as_admin(request, caller, move |tx, caller, org| {
        actions::delete(tx, caller, org, &id)?;
        Ok(NoContent)
    })
}

/// `PUT /orgs/{org}/team/{team}/member/{id}`.
pub fn add_member(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, user) = (request.param::<TeamId>("team")?, request.param::<String>("id")?);
    as_admin(request, caller, move |tx, caller, org| {
        actions::add_member(tx, caller, org, &id, &user)?;
        Ok(NoContent)
    })
}

/// `DELETE /orgs/{org}/team/{team}/member/{id}`.
pub fn remove_member(request: &RequestContext, caller: &User, (): ()) -> Result<NoContent> {
    let (id, user) = (request.param::<TeamId>("team")?, request.param::<String>("id")?);
    as_admin(request, caller, move |tx, caller, org| {
        actions::remove_member(tx, caller, org, &id, &user)?;
        Ok(NoContent)
    })
}

/// A change by an admin of the organization in the path.
fn as_admin<T: Send + 'static>(
    request: &RequestContext,
    caller: &User,
    work: impl Fn(&WriteTx<'_>, &User, &Org) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (name, caller) = (request.param::<String>("org")?, caller.clone());
    request.app.db.write(move |tx| {
        let org = orgs::changeable(tx, &name, &caller.id, Role::Admin)?;
        work(tx, &caller, &org)
    })
}
