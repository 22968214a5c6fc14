//! What changed in the tree since a number of change, for whoever keeps a copy of it.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// The number of change with which about `most` changed nodes after `after` end: one number may
/// have many nodes, and is never cut. None: nothing changed.
pub fn next_changes(tx: &Tx<'_>, after: i64, most: u32) -> Result<Option<i64>> {
    // Each list is read no further than needed.
    tx.one(
        "select max(change) from (
             select change from (
                 select change from (select change from node where change > :after
                                     order by change limit :most)
                 union all
                 select change from (select change from gone where change > :after
                                     order by change limit :most))
             order by change limit :most)",
        named_params! { ":after": after, ":most": most },
        |row| row.get(0),
    )
}

/// The nodes that changed after `after` and not after `until`, and those that went for good.
pub fn changed(tx: &Tx<'_>, after: i64, until: i64) -> Result<Vec<NodeId>> {
    tx.all(
        "select id from gone where change > :after and change <= :until
         union all
         select id from node where change > :after and change <= :until",
        named_params! { ":after": after, ":until": until },
        |row| row.get(0),
    )
}

/// Everything below a folder, at any depth, that has not changed after `until`.
pub fn unchanged_below(tx: &Tx<'_>, folder: &NodeId, until: i64) -> Result<Vec<NodeId>> {
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

/// How many nodes there are, the trash apart.
pub fn present_count(tx: &Tx<'_>) -> Result<u64> {
    tx.one("select count(*) from node where deleted is null", [], |row| {
        Ok(row.get::<_, i64>(0)?.unsigned_abs())
    })
}

/// The ids of all nodes that have not changed after `until`, the trash apart.
pub fn present(tx: &Tx<'_>, until: i64) -> Result<Vec<NodeId>> {
    tx.all(
        "select id from node where deleted is null and change <= :until",
        named_params! { ":until": until },
        |row| row.get(0),
    )
}
