//! SQL of the table `storage_usage` and of the column `stored_bytes` of `node`.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Returns the stored total size of the nodes of an account in bytes, including those in the trash.
/// None if the account has no total yet.
pub fn find_usage(tx: &Tx<'_>, owner: &AccountId) -> Result<Option<i64>> {
    tx.find(
        "select bytes from storage_usage where owner = :owner",
        named_params! { ":owner": owner },
        |row| row.get("bytes"),
    )
}

/// Adds `bytes`, which may be negative, to the total of an account, unless the result would exceed
/// `limit`. Returns true if it added them. An account without a total gives false.
pub fn add_usage_within_limit(
    tx: &WriteTx<'_>,
    owner: &AccountId,
    bytes: i64,
    limit: i64,
) -> Result<bool> {
    let changed = tx.execute(
        "update storage_usage set bytes = bytes + :bytes
         where owner = :owner and bytes + :bytes <= :limit",
        named_params! { ":owner": owner, ":bytes": bytes, ":limit": limit },
    )?;
    Ok(changed > 0)
}

/// Stores the total of an account that has none.
pub fn insert_usage(tx: &WriteTx<'_>, owner: &AccountId, bytes: i64) -> Result<()> {
    tx.execute(
        "insert into storage_usage (owner, bytes) values (:owner, :bytes)",
        named_params! { ":owner": owner, ":bytes": bytes },
    )?;
    Ok(())
}

/// Returns the owner of a node and its own size in bytes, without descendants. None if there is no such
/// node.
pub fn find_owner_and_size(tx: &Tx<'_>, id: &NodeId) -> Result<Option<(AccountId, i64)>> {
    tx.find(
        "select owner, stored_bytes from node where id = :id",
        named_params! { ":id": id },
        |row| Ok((row.get("owner")?, row.get("stored_bytes")?)),
    )
}

/// Adds `bytes`, which may be negative, to the size of a node. Does not change the total of its
/// owner.
pub fn add_node_size(tx: &WriteTx<'_>, id: &NodeId, bytes: i64) -> Result<()> {
    tx.execute(
        "update node set stored_bytes = stored_bytes + :bytes where id = :id",
        named_params! { ":id": id, ":bytes": bytes },
    )?;
    Ok(())
}

/// Returns each owner of a node and all its descendants with the total size of these nodes in bytes.
/// Includes descendants in the trash.
pub fn list_subtree_usage(tx: &Tx<'_>, id: &NodeId) -> Result<Vec<(AccountId, i64)>> {
    tx.all(
        "with recursive below (id) as (
             select :id
             union all
             select node.id from below join node on node.parent = below.id
         )
         select owner, sum(stored_bytes) as bytes
         from node where id in (select id from below)
         group by owner",
        named_params! { ":id": id },
        |row| Ok((row.get("owner")?, row.get("bytes")?)),
    )
}

/// Replaces the totals of all accounts by the sums of the sizes of their nodes.
pub fn rebuild_usage(tx: &WriteTx<'_>) -> Result<()> {
    tx.execute("delete from storage_usage", [])?;
    tx.execute(
        "insert into storage_usage (owner, bytes)
         select owner, sum(stored_bytes) from node group by owner",
        [],
    )?;
    Ok(())
}

/// Returns the accounts with a total that differs from the sum of the sizes of their nodes, with
/// the total and the sum in bytes.
pub fn list_wrong_usage(tx: &Tx<'_>) -> Result<Vec<(AccountId, i64, i64)>> {
    tx.all(
        "with node_sum (owner, bytes) as (
             select owner, sum(stored_bytes) from node group by owner
         )
         select account.id, ifnull(storage_usage.bytes, 0) as total,
                ifnull(node_sum.bytes, 0) as expected
         from account
         left join storage_usage on storage_usage.owner = account.id
         left join node_sum on node_sum.owner = account.id
         where ifnull(storage_usage.bytes, 0) <> ifnull(node_sum.bytes, 0)
         order by account.id",
        [],
        |row| Ok((row.get("id")?, row.get("total")?, row.get("expected")?)),
    )
}
