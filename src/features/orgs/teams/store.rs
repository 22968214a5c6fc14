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
    pub id: TeamId,
    pub name: String,
    /// Its folder; none when that was removed for good.
    pub folder: Option<NodeId>,
    pub created: Timestamp,
    pub member_count: u32,
}

/// A member of a team.
#[derive(Debug, Clone)]
pub struct TeamMember {
    pub user: AccountId,
    pub name: String,
    pub email: String,
}

const TEAM: &str = "select team.id, team.name, team.folder, team.created,
        (select count(*) from team_member where team_id = team.id) as member_count
 from team";

fn team(row: &Row<'_>) -> rusqlite::Result<Team> {
    Ok(Team {
        id: row.get("id")?,
        name: row.get("name")?,
        folder: row.get("folder")?,
        created: row.get("created")?,
        member_count: row.get("member_count")?,
    })
}

/// The teams of an organization by name.
pub fn all(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<Team>> {
    tx.all(
        &format!("{TEAM} where org_id = :org order by name, id"),
        named_params! { ":org": org },
        team,
    )
}

/// A team of an organization.
pub fn find(tx: &Tx<'_>, org: &AccountId, id: &TeamId) -> Result<Option<Team>> {
    tx.find(
        &format!("{TEAM} where org_id = :org and id = :id"),
        named_params! { ":org": org, ":id": id },
        team,
    )
}

/// How many teams an organization has.
pub fn count(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as teams from team where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("teams"),
    )
}

/// Adds a team without members.
pub fn insert(tx: &WriteTx<'_>, org: &AccountId, team: &Team) -> Result<()> {
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

/// Gives a team another name.
pub fn rename(tx: &WriteTx<'_>, id: &TeamId, name: &str) -> Result<()> {
    tx.execute(
        "update team set name = :name where id = :id",
        named_params! { ":id": id, ":name": name },
    )?;
    Ok(())
}

/// Removes a team; its members and what was shared with it go along.
pub fn delete(tx: &WriteTx<'_>, id: &TeamId) -> Result<()> {
    tx.execute("delete from team where id = :id", named_params! { ":id": id })?;
    Ok(())
}

/// The members of a team by name (reads `user`).
pub fn members(tx: &Tx<'_>, id: &TeamId) -> Result<Vec<TeamMember>> {
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

/// Adds a member; one who is there already stays.
pub fn add_member(tx: &WriteTx<'_>, id: &TeamId, user: &AccountId) -> Result<()> {
    tx.execute(
        "insert into team_member (team_id, user_id, created)
         values (:id, :user, :now)
         on conflict do nothing",
        named_params! { ":id": id, ":user": user, ":now": tx.now },
    )?;
    Ok(())
}

/// Takes a member out of a team; one who is not there stays away.
pub fn remove_member(tx: &WriteTx<'_>, id: &TeamId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from team_member where team_id = :id and user_id = :user",
        named_params! { ":id": id, ":user": user },
    )?;
    Ok(())
}

/// Takes somebody out of all teams of an organization.
pub fn leave_all(tx: &WriteTx<'_>, org: &AccountId, user: &AccountId) -> Result<()> {
    tx.execute(
        "delete from team_member
         where user_id = :user and team_id in (select id from team where org_id = :org)",
        named_params! { ":org": org, ":user": user },
    )?;
    Ok(())
}
