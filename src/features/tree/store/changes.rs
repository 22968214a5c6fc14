//! Reading changes of the tree by change number, for consumers that keep a copy of it.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Returns the last change number of the next batch after `after`, or None if nothing has changed.
///
/// A batch consists of all changed and removed nodes with `after < change <= end`, about `limit` of
/// them. It can have more, because nodes with the same change number always belong to the same
/// batch; the last batch can have fewer.
pub fn next_batch_end(tx: &Tx<'_>, after: i64, limit: u32) -> Result<Option<i64>> {
    // The inner limits keep SQLite from sorting all later changes.
    tx.one(
        "select max(change) from (
             select change from (
                 select change from (select change from node where change > :after
                                     order by change limit :limit)
                 union all
                 select change from (select change from gone where change > :after
                                     order by change limit :limit))
             order by change limit :limit)",
        named_params! { ":after": after, ":limit": limit },
        |row| row.get(0),
    )
}

/// Returns the ids of nodes that were changed or permanently deleted, with change numbers from
/// `after` (exclusive) to `until` (inclusive).
pub fn list_changed(tx: &Tx<'_>, after: i64, until: i64) -> Result<Vec<NodeId>> {
    tx.all(
        "select id from gone where change > :after and change <= :until
         union all
         select id from node where change > :after and change <= :until",
        named_params! { ":after": after, ":until": until },
        |row| row.get(0),
    )
}

/// Maximum number of changes in which [`find_last_change_by`] searches.
const MAX_SEARCHED_CHANGES: u32 = 2000;

/// Returns the number of the last change of a node by `author` after the change number `after`, or
/// None if there is none. An empty `author` stands for all guests.
///
/// Searches only the last `MAX_SEARCHED_CHANGES` changed nodes. Does not find permanent deletions
/// and changes of a node that somebody else has changed again.
pub fn find_last_change_by(tx: &Tx<'_>, author: &str, after: i64) -> Result<Option<i64>> {
    tx.one(
        "select max(change) from (
             select change, updated_by from node where change > :after
             order by change desc limit :limit)
         where updated_by = :author",
        named_params! { ":after": after, ":author": author, ":limit": MAX_SEARCHED_CHANGES },
        |row| row.get(0),
    )
}

/// Returns the ids of the descendants of a folder, trashed ones included, that have not changed
/// after `until`.
pub fn list_unchanged_below(tx: &Tx<'_>, folder: &NodeId, until: i64) -> Result<Vec<NodeId>> {
    tx.all(
        "with recursive below (id) as (
             select id from node where parent = :folder
             union all
             select node.id from below join node on node.parent = below.id
         )
         select node.id from below join node on node.id = below.id where change <= :until",
        named_params! { ":folder": folder, ":until": until },
        |row| row.get(0),
    )
}

/// Counts the nodes that are not in the trash.
pub fn count_active(tx: &Tx<'_>) -> Result<u64> {
    tx.one("select count(*) from node where deleted is null", [], |row| {
        Ok(row.get::<_, i64>(0)?.unsigned_abs())
    })
}

/// Returns the ids of the nodes that are not in the trash and have not changed after `until`.
pub fn list_active(tx: &Tx<'_>, until: i64) -> Result<Vec<NodeId>> {
    tx.all(
        "select id from node where deleted is null and change <= :until",
        named_params! { ":until": until },
        |row| row.get(0),
    )
}
