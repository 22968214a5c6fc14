//! SQL of tables `access_entry` and `left_share`: the entries themselves.

use rusqlite::Row;
use rusqlite::named_params;

use crate::features::access::entry::Entry;
use crate::features::access::rules::Level;
use chartroom_platform::crypto::Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// An entry with what answers show beside it.
pub struct Shown {
    pub entry: Entry,
    /// Whose the node is.
    pub owner: AccountId,
    /// Whether the node is a folder.
    pub is_folder: bool,
    /// How many folders above the node that was asked about: 0 is itself.
    pub height: u32,
    /// Of the user or team.
    pub name: Option<String>,
    /// The user's address, or the one that was invited.
    pub email: Option<String>,
    /// Whether it is for the caller: him, a team of his, or the link he came with.
    pub is_callers: bool,
}

/// The columns of an entry, for statements that know it as `entry`. By number: see [`entry`].
macro_rules! columns {
    () => {
        "entry.id, entry.node, entry.type, entry.mode, entry.user_id, entry.team_id, entry.email,
         entry.token_hash, entry.rotation, entry.created, entry.created_by, entry.expires,
         entry.last_used"
    };
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        id: row.get(0)?,
        node: row.get(1)?,
        kind: row.get(2)?,
        mode: Level::of_letter(&row.get::<_, String>(3)?),
        user: row.get(4)?,
        team: row.get(5)?,
        email: row.get(6)?,
        token_hash: row.get(7)?,
        rotation: row.get(8)?,
        created: row.get(9)?,
        created_by: row.get(10)?,
        expires: row.get(11)?,
        last_used: row.get(12)?,
    })
}

fn shown_row(row: &Row<'_>) -> rusqlite::Result<Shown> {
    Ok(Shown {
        entry: entry(row)?,
        owner: row.get(13)?,
        is_folder: row.get(14)?,
        height: row.get(15)?,
        name: row.get(16)?,
        email: row.get(17)?,
        is_callers: row.get(18)?,
    })
}

/// Whether a node or a folder above has entries (reads `node`). A statement for each folder takes a
/// third of what a recursive one takes to begin.
pub fn is_any(tx: &Tx<'_>, node: &NodeId) -> Result<bool> {
    let mut next = Some(node.clone());
    while let Some(node) = next {
        let found: Option<(Option<NodeId>, bool)> = tx.find(
            "select parent, exists (select 1 from access_entry where node = :node)
             from node
             where id = :node",
            named_params! { ":node": node },
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        next = match found {
            Some((_, true)) => return Ok(true),
            Some((parent, false)) => parent,
            None => None,
        };
    }
    Ok(false)
}

/// The entries of a node and of the folders above, from the root down, oldest first (reads `node`,
/// `user`, `team`, `team_member`). All by primary keys and one index.
pub fn of_node(
    tx: &Tx<'_>,
    node: &NodeId,
    user: Option<&AccountId>,
    share: Option<&Hash>,
) -> Result<Vec<Shown>> {
    tx.all(
        concat!(
            "with recursive up (id, parent, owner, type, height) as (
                 select id, parent, owner, type, 0 from node where id = :node
                 union all
                 select node.id, node.parent, node.owner, node.type, up.height + 1
                 from up join node on node.id = up.parent
             )
             select ",
            columns!(),
            ", up.owner, up.type = 'folder', up.height, ifnull(user.name, team.name),
                    ifnull(user.email, entry.email),
                    entry.user_id is :user and :user is not null
                    or entry.type = 'link' and entry.token_hash is :share and :share is not null
                    or exists (select 1 from team_member
                               where team_id = entry.team_id and user_id = :user)
             from up
             cross join access_entry as entry on entry.node = up.id
             left join user on user.id = entry.user_id
             left join team on team.id = entry.team_id
             order by up.height desc, entry.created, entry.id"
        ),
        named_params! { ":node": node, ":user": user, ":share": share },
        shown_row,
    )
}

/// What [`of_node`] tells of one entry; `height` is 0.
pub fn shown(tx: &Tx<'_>, id: &str) -> Result<Option<Shown>> {
    tx.find(
        concat!(
            "select ",
            columns!(),
            ", node.owner, node.type = 'folder', 0, ifnull(user.name, team.name),
                    ifnull(user.email, entry.email), 0
             from access_entry as entry
             join node on node.id = entry.node
             left join user on user.id = entry.user_id
             left join team on team.id = entry.team_id
             where entry.id = :id"
        ),
        named_params! { ":id": id },
        shown_row,
    )
}

/// The entries of a node itself, oldest first.
pub fn direct(tx: &Tx<'_>, node: &NodeId) -> Result<Vec<Entry>> {
    tx.all(
        concat!(
            "select ",
            columns!(),
            " from access_entry as entry where node = :node order by created, id"
        ),
        named_params! { ":node": node },
        entry,
    )
}

/// The entry of this token, expired or not.
pub fn by_token(tx: &Tx<'_>, token: &Hash) -> Result<Option<Entry>> {
    tx.find(
        concat!("select ", columns!(), " from access_entry as entry where token_hash = :token"),
        named_params! { ":token": token },
        entry,
    )
}

/// The invitations that wait for an address.
pub fn by_address(tx: &Tx<'_>, email_key: &str) -> Result<Vec<Entry>> {
    tx.all(
        concat!(
            "select ",
            columns!(),
            " from access_entry as entry where email_key = :key and type = 'email' order by id"
        ),
        named_params! { ":key": email_key },
        entry,
    )
}

/// How long the last use of a link stands before a further one is noted, in milliseconds.
const USE: i64 = 60_000;

/// Whether this is the token of a link whose last use was noted long enough ago.
pub fn is_use_new(tx: &Tx<'_>, token: &Hash) -> Result<bool> {
    tx.one(
        "select exists (
             select 1
             from access_entry
             where token_hash = :token and type = 'link' and (expires is null or expires > :now)
               and (last_used is null or last_used <= :before))",
        named_params! { ":token": token, ":now": tx.now, ":before": tx.now.0 - USE },
        |row| row.get(0),
    )
}

/// Notes that the link of this token is used now.
pub fn note_use(tx: &WriteTx<'_>, token: &Hash) -> Result<()> {
    tx.execute(
        "update access_entry
         set last_used = :now
         where token_hash = :token and type = 'link' and ifnull(last_used, 0) < :now",
        named_params! { ":token": token, ":now": tx.now },
    )?;
    Ok(())
}

/// Adds an entry.
pub fn insert(tx: &WriteTx<'_>, entry: &Entry, email_key: Option<&str>) -> Result<()> {
    tx.execute(
        "insert into access_entry
             (id, node, type, mode, user_id, team_id, email, email_key, token_hash, rotation,
              created, created_by, expires, last_used)
         values (:id, :node, :type, :mode, :user, :team, :email, :email_key, :token, :rotation,
                 :created, :created_by, :expires, :last_used)",
        named_params! {
            ":id": entry.id,
            ":node": entry.node,
            ":type": entry.kind,
            ":mode": entry.mode.letter(),
            ":user": entry.user,
            ":team": entry.team,
            ":email": entry.email,
            ":email_key": email_key,
            ":token": entry.token_hash,
            ":rotation": entry.rotation,
            ":created": entry.created,
            ":created_by": entry.created_by,
            ":expires": entry.expires,
            ":last_used": entry.last_used,
        },
    )?;
    Ok(())
}

/// Stores what of an entry can change; an entry that is not for an address any more loses it.
pub fn update(tx: &WriteTx<'_>, entry: &Entry) -> Result<()> {
    tx.execute(
        "update access_entry
         set type = :type, mode = :mode, user_id = :user, email = :email,
             email_key = iif(:email is null, null, email_key),
             token_hash = :token, rotation = :rotation, expires = :expires, last_used = :last_used
         where id = :id",
        named_params! {
            ":id": entry.id,
            ":type": entry.kind,
            ":mode": entry.mode.letter(),
            ":user": entry.user,
            ":email": entry.email,
            ":token": entry.token_hash,
            ":rotation": entry.rotation,
            ":expires": entry.expires,
            ":last_used": entry.last_used,
        },
    )?;
    Ok(())
}

/// Removes an entry; false when it was gone.
pub fn delete(tx: &WriteTx<'_>, id: &str) -> Result<bool> {
    Ok(tx.execute("delete from access_entry where id = :id", named_params! { ":id": id })? > 0)
}

/// Takes a node off a user's list of what teams share with him.
pub fn leave(tx: &WriteTx<'_>, user: &AccountId, node: &NodeId) -> Result<()> {
    tx.execute(
        "insert into left_share (user_id, node) values (:user, :node)
         on conflict (user_id, node) do nothing",
        named_params! { ":user": user, ":node": node },
    )?;
    Ok(())
}

/// Puts a node back on the lists of all whom it is shared with by teams.
pub fn unleave(tx: &WriteTx<'_>, node: &NodeId) -> Result<()> {
    tx.execute("delete from left_share where node = :node", named_params! { ":node": node })?;
    Ok(())
}
