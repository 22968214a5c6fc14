//! SQL of tables `team` and `team_member`.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::TeamId;
use chartroom_platform::time::Timestamp;

/// A team.
#[derive(Debug, Clone)]
pub struct Team {
    /// UUID.
    pub id: TeamId,
    /// Name, unique in the organization.
    pub name: String,
    /// Folder of the team. None if it was deleted permanently.
    pub folder: Option<NodeId>,
    /// Time of creation.
    pub created: Timestamp,
    /// Number of members.
    pub member_count: u32,
}

/// A member of a team.
#[derive(Debug, Clone)]
pub struct TeamMember {
    /// Account id.
    pub user: AccountId,
    /// Full name.
    pub name: String,
    /// E-mail address.
    pub email: String,
}

const SELECT_TEAM: &str = "select team.id, team.name, team.folder, team.created,
        (select count(*) from team_member where team_id = team.id) as member_count
 from team";

/// Reads the columns of `SELECT_TEAM`.
fn team_from_row(row: &Row<'_>) -> rusqlite::Result<Team> {
    Ok(Team {
        id: row.get("id")?,
        name: row.get("name")?,
        folder: row.get("folder")?,
        created: row.get("created")?,
        member_count: row.get("member_count")?,
    })
}

/// Returns the teams of an organization, by name.
pub fn list_teams(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Team>> {
    tx.all(
        &format!("{SELECT_TEAM} where org_id = :org order by name, id"),
        named_params! { ":org": org },
        team_from_row,
    )
}

/// Returns the teams of an organization that a user is in, by name.
pub fn list_teams_of_user(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Vec<Team>> {
    tx.all(
        &format!(
            "{SELECT_TEAM}
             where org_id = :org
               and id in (select team_id from team_member where user_id = :user)
             order by name, id"
        ),
        named_params! { ":org": org, ":user": user },
        team_from_row,
    )
}

/// Returns a team of an organization. None if the organization has no team with this id.
pub fn find_team(tx: &Tx<'_>, org: &AccountId, id: &TeamId) -> Result<Option<Team>> {
    tx.find(
        &format!("{SELECT_TEAM} where org_id = :org and id = :id"),
        named_params! { ":org": org, ":id": id },
        team_from_row,
    )
}

/// Returns the teams of an organization that a user is in, by name.
pub fn list_teams_of_member(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Vec<Team>> {
    tx.all(
        &format!(
            "{SELECT_TEAM}
             where org_id = :org and id in (select team_id from team_member where user_id = :user)
             order by name, id"
        ),
        named_params! { ":org": org, ":user": user },
        team_from_row,
    )
}

/// Counts the access entries of a team that have not expired (reads `access_entry`).
pub fn count_shares(tx: &Tx<'_>, id: &TeamId) -> Result<u32> {
    tx.one(
        "select count(*)
         from access_entry
         where team_id = :id and (expires is null or expires > :now)",
        named_params! { ":id": id, ":now": tx.now },
        |row| row.get(0),
    )
}

/// Counts the teams of an organization.
pub fn count_teams(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as teams from team where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("teams"),
    )
}

/// Inserts a team without members.
pub fn insert_team(tx: &WriteTx<'_>, org: &AccountId, team: &Team) -> Result<()> {
    tx.execute(
        "insert into team (id, org_id, name, folder, created)
         values (:id, :org, :name, :folder, :created)",
        named_params! {
            ":id": team.id,
            ":org": org,
            ":name": team.name,
            ":folder": team.folder,
            ":created": team.created,
        },
    )?;
    Ok(())
}

/// Changes the name of a team.
pub fn rename_team(tx: &WriteTx<'_>, id: &TeamId, name: &str) -> Result<()> {
    tx.execute(
        "update team set name = :name where id = :id",
        named_params! { ":id": id, ":name": name },
    )?;
    Ok(())
}

/// Deletes a team. Its members and access entries are deleted by cascade. Its folder stays.
pub fn delete_team(tx: &WriteTx<'_>, id: &TeamId) -> Result<()> {
    tx.execute("delete from team where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// Returns the members of a team, by name (reads `user`).
pub fn list_members(tx: &Tx<'_>, id: &TeamId) -> Result<Vec<TeamMember>> {
    tx.all(
        "select user.id, user.name, user.email
         from team_member
         join user on user.id = team_member.user_id
         where team_member.team_id = :id
         order by user.name, user.id",
        named_params! { ":id": id },
        |row| {
            Ok(TeamMember {
                user: row.get("id")?,
                name: row.get("name")?,
                email: row.get("email")?,
            })
        },
    )
}

/// Adds a member. Returns false if the user is already a member.
pub fn add_member(tx: &WriteTx<'_>, id: &TeamId, user: &AccountId) -> Result<bool> {
    let added = tx.execute(
        "insert into team_member (team_id, user_id, created)
         values (:id, :user, :now)
         on conflict do nothing",
        named_params! { ":id": id, ":user": user, ":now": tx.now },
    )?;
    Ok(added > 0)
}

/// Removes a member. Returns false if the user is not a member.
pub fn remove_member(tx: &WriteTx<'_>, id: &TeamId, user: &AccountId) -> Result<bool> {
    let removed = tx.execute(
        "delete from team_member where team_id = :id and user_id = :user",
        named_params! { ":id": id, ":user": user },
    )?;
    Ok(removed > 0)
}

/// Removes a user from all teams of an organization.
pub fn remove_from_all_teams(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from team_member
         where user_id = :user and team_id in (select id from team where org_id = :org)",
        named_params! { ":org": org, ":user": user },
    )?;
    Ok(())
}
