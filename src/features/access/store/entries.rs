//! SQL of tables `access_entry` and `left_share`: reading and writing entries.

use rusqlite::Row;
use rusqlite::named_params;

use crate::features::access::entry::AccessEntry;
use crate::features::access::rules::AccessLevel;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// An entry with the data that responses show beside it.
pub struct EntryDetails {
    /// Stored entry.
    pub entry: AccessEntry,
    /// Account that owns the node.
    pub owner: AccountId,
    /// Whether the node is a folder.
    pub is_folder: bool,
    /// Distance from the requested node up to the node of the entry. 0 is the requested node
    /// itself.
    pub height: u32,
    /// Name of the user or team.
    pub name: Option<String>,
    /// Address of the user, or the invited address.
    pub email: Option<String>,
    /// Whether the entry is for the user, a team of the user, or the share link of the caller.
    pub is_for_caller: bool,
}

/// Columns of an entry, for statements with the alias `entry`. [`entry_from_row`] reads them by
/// number.
macro_rules! entry_columns {
    () => {
        "entry.id, entry.node, entry.type, entry.mode, entry.user_id, entry.team_id, entry.email,
         entry.token_hash, entry.rotation, entry.created, entry.created_by, entry.expires,
         entry.last_used"
    };
}

/// Reads an entry from a row of `entry_columns!`. An unknown mode becomes no access.
fn entry_from_row(row: &Row<'_>) -> rusqlite::Result<AccessEntry> {
    Ok(AccessEntry {
        id: row.get(0)?,
        node: row.get(1)?,
        kind: row.get(2)?,
        mode: AccessLevel::from_letter(&row.get::<_, String>(3)?),
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

/// Reads an entry and its details from a row: `entry_columns!`, followed by the other fields of
/// [`EntryDetails`] in their order.
fn details_from_row(row: &Row<'_>) -> rusqlite::Result<EntryDetails> {
    Ok(EntryDetails {
        entry: entry_from_row(row)?,
        owner: row.get(13)?,
        is_folder: row.get(14)?,
        height: row.get(15)?,
        name: row.get(16)?,
        email: row.get(17)?,
        is_for_caller: row.get(18)?,
    })
}

/// Returns whether a node or a folder above has entries, expired ones included (reads `node`).
///
/// One statement per folder takes a third of the time that a recursive statement needs to start.
pub fn has_entries(tx: &Tx<'_>, node: &NodeId) -> Result<bool> {
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

/// Returns the entries of a node and of the folders above, expired ones included: from the root
/// down, and for each node oldest first (reads `node`, `user`, `team`, `team_member`).
///
/// `user` and `share` determine only `is_for_caller`. Uses primary keys and one index only.
pub fn list_inherited_entries(
    tx: &Tx<'_>,
    node: &NodeId,
    user: Option<&AccountId>,
    share: Option<&Sha256Hash>,
) -> Result<Vec<EntryDetails>> {
    tx.all(
        concat!(
            "with recursive up (id, parent, owner, type, height) as (
                 select id, parent, owner, type, 0 from node where id = :node
                 union all
                 select node.id, node.parent, node.owner, node.type, up.height + 1
                 from up join node on node.id = up.parent
             )
             select ",
            entry_columns!(),
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
        details_from_row,
    )
}

/// Returns one entry, expired or not, as `list_inherited_entries` does, with height 0 and
/// `is_for_caller` false.
pub fn find_entry_details(tx: &Tx<'_>, id: &str) -> Result<Option<EntryDetails>> {
    tx.find(
        concat!(
            "select ",
            entry_columns!(),
            ", node.owner, node.type = 'folder', 0, ifnull(user.name, team.name),
                    ifnull(user.email, entry.email), 0
             from access_entry as entry
             join node on node.id = entry.node
             left join user on user.id = entry.user_id
             left join team on team.id = entry.team_id
             where entry.id = :id"
        ),
        named_params! { ":id": id },
        details_from_row,
    )
}

/// Returns the entries of the node itself, expired ones included, oldest first.
pub fn list_direct_entries(tx: &Tx<'_>, node: &NodeId) -> Result<Vec<AccessEntry>> {
    tx.all(
        concat!(
            "select ",
            entry_columns!(),
            " from access_entry as entry where node = :node order by created, id"
        ),
        named_params! { ":node": node },
        entry_from_row,
    )
}

/// Returns the entry with this token hash, expired or not: a share link or an invitation.
pub fn find_entry_by_token(tx: &Tx<'_>, token: &Sha256Hash) -> Result<Option<AccessEntry>> {
    tx.find(
        concat!(
            "select ",
            entry_columns!(),
            " from access_entry as entry where token_hash = :token"
        ),
        named_params! { ":token": token },
        entry_from_row,
    )
}

/// Returns the invitations for an address that have not been accepted, expired or not. `email_key`
/// is the address in the form of `accounts::email_key`.
pub fn list_invitations_to_address(tx: &Tx<'_>, email_key: &str) -> Result<Vec<AccessEntry>> {
    tx.all(
        concat!(
            "select ",
            entry_columns!(),
            " from access_entry as entry where email_key = :key and type = 'email' order by id"
        ),
        named_params! { ":key": email_key },
        entry_from_row,
    )
}

/// Minimum time in milliseconds between two stored uses of a link.
const LINK_USE_INTERVAL_MS: i64 = 60_000;

/// Returns whether the token belongs to a share link that has not expired and its last stored use
/// is at least one minute old or absent.
pub fn is_use_record_due(tx: &Tx<'_>, token: &Sha256Hash) -> Result<bool> {
    tx.one(
        "select exists (
             select 1
             from access_entry
             where token_hash = :token and type = 'link' and (expires is null or expires > :now)
               and (last_used is null or last_used <= :before))",
        named_params! {
            ":token": token,
            ":now": tx.now,
            ":before": tx.now.0 - LINK_USE_INTERVAL_MS,
        },
        |row| row.get(0),
    )
}

/// Stores the current time as the last use of a share link. Does not check its expiry.
pub fn update_last_use(tx: &WriteTx<'_>, token: &Sha256Hash) -> Result<()> {
    tx.execute(
        "update access_entry
         set last_used = :now
         where token_hash = :token and type = 'link' and ifnull(last_used, 0) < :now",
        named_params! { ":token": token, ":now": tx.now },
    )?;
    Ok(())
}

/// Inserts an entry. `email_key` is the invited address in the form of `accounts::email_key`. A
/// second entry for the same recipient violates a unique constraint.
pub fn insert(tx: &WriteTx<'_>, entry: &AccessEntry, email_key: Option<&str>) -> Result<()> {
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

/// Updates the changeable columns of an entry: all except node, team and creation. Does nothing if
/// the entry does not exist. `email_key` is the invited address in the form of
/// `accounts::email_key`.
pub fn update(tx: &WriteTx<'_>, entry: &AccessEntry, email_key: Option<&str>) -> Result<()> {
    tx.execute(
        "update access_entry
         set type = :type, mode = :mode, user_id = :user, email = :email,
             email_key = :email_key,
             token_hash = :token, rotation = :rotation, expires = :expires, last_used = :last_used
         where id = :id",
        named_params! {
            ":id": entry.id,
            ":type": entry.kind,
            ":mode": entry.mode.letter(),
            ":user": entry.user,
            ":email": entry.email,
            ":email_key": email_key,
            ":token": entry.token_hash,
            ":rotation": entry.rotation,
            ":expires": entry.expires,
            ":last_used": entry.last_used,
        },
    )?;
    Ok(())
}

/// Deletes an entry. Returns false if it did not exist.
pub fn delete(tx: &WriteTx<'_>, id: &str) -> Result<bool> {
    Ok(tx.execute("delete from access_entry where id = :id", named_params! { ":id": id })? > 0)
}

/// Returns the nodes of one owner on which a user has an entry, expired or not, by id (reads `node`).
pub fn list_nodes_of_user(tx: &Tx<'_>, user: &AccountId, owner: &AccountId) -> Result<Vec<NodeId>> {
    tx.all(
        "select node
         from access_entry
         where user_id = :user and node in (select id from node where owner = :owner)
         order by node",
        named_params! { ":user": user, ":owner": owner },
        |row| row.get("node"),
    )
}

/// Deletes the entries of a user on the nodes of one owner (reads `node`).
pub fn delete_of_user(tx: &WriteTx<'_>, user: &AccountId, owner: &AccountId) -> Result<()> {
    tx.execute(
        "delete from access_entry
         where user_id = :user and node in (select id from node where owner = :owner)",
        named_params! { ":user": user, ":owner": owner },
    )?;
    Ok(())
}

/// Hides a node from a user's list of items shared by teams. Does nothing if it is hidden already.
/// The access remains.
pub fn insert_left_share(tx: &WriteTx<'_>, user: &AccountId, node: &NodeId) -> Result<()> {
    tx.execute(
        "insert into left_share (user_id, node) values (:user, :node)
         on conflict (user_id, node) do nothing",
        named_params! { ":user": user, ":node": node },
    )?;
    Ok(())
}

/// Makes a node reappear on the lists of all users who had removed it.
pub fn delete_left_shares(tx: &WriteTx<'_>, node: &NodeId) -> Result<()> {
    tx.execute("delete from left_share where node = :node", named_params! { ":node": node })?;
    Ok(())
}
