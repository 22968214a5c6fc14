//! Storage accounting: the size of each node, and the total of each account with its limit.
//!
//! The features that store content in nodes report each change of a size. The total of an account
//! is a row, so that a write does not sum all nodes. Nodes in the trash count until they are
//! deleted permanently. A copy counts the records that it shares with its source in full, so that
//! the size of a node depends on no other node, and copying does not evade the limit.

use super::store::usage;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::text;

/// Size in bytes that a node has without content, for its rows in the table and the indexes.
pub const NODE_BYTES: i64 = 1 << 10;

/// Size in bytes that a version, a comment or a comment thread of a node has without its content.
pub const ROW_BYTES: i64 = 256;

/// Returns the stored total size of the nodes of an account in bytes, including those in the trash. 0
/// if the account has no nodes.
pub fn storage_used(tx: &Tx<'_>, owner: &AccountId) -> Result<u64> {
    Ok(usage::find_usage(tx, owner)?.map_or(0, |bytes| u64::try_from(bytes).unwrap_or(0)))
}

/// Adds `bytes`, which may be negative, to the size of a node and to the total of its owner. Does
/// nothing if there is no such node.
///
/// # Errors
/// `QuotaExceeded` if `bytes` is positive and the total would exceed the limit of the owner.
pub fn add_stored_bytes(tx: &WriteTx<'_>, id: &NodeId, bytes: i64) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let Some((owner, _)) = usage::find_owner_and_size(tx, id)? else { return Ok(()) };
    usage::add_node_size(tx, id, bytes)?;
    add_usage(tx, &owner, None, bytes)
}

/// Sets the size of a node without changing the total of its owner, to repair a wrong size. Does
/// nothing if there is no such node.
pub fn set_stored_bytes(tx: &WriteTx<'_>, id: &NodeId, bytes: i64) -> Result<()> {
    let stored = usage::find_owner_and_size(tx, id)?.map_or(0, |(_, size)| size);
    usage::add_node_size(tx, id, bytes - stored)
}

/// Adds `bytes`, which may be negative, to the total of an account.
///
/// `author` is the account that makes the change. It matters only for the text of the error.
///
/// # Errors
/// `QuotaExceeded` if `bytes` is positive and the total would exceed the limit of the account. The
/// text contains the total only if `author` is the account itself, because the total of others
/// contains documents that the author may not know of.
pub(super) fn add_usage(
    tx: &WriteTx<'_>,
    owner: &AccountId,
    author: Option<&AccountId>,
    bytes: i64,
) -> Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    // A total above a limit that was lowered may still shrink.
    let limit = tx.quota.limit_of(owner).filter(|_| bytes > 0);
    let max_bytes = limit.map_or(i64::MAX, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    if usage::add_usage_within_limit(tx, owner, bytes, max_bytes)? {
        return Ok(());
    }
    match usage::find_usage(tx, owner)? {
        None if bytes <= max_bytes => usage::insert_usage(tx, owner, bytes),
        used => {
            let visible = (author == Some(owner)).then_some(used.unwrap_or(0));
            Err(quota_error(visible, bytes, max_bytes))
        }
    }
}

/// Subtracts `bytes` from the total of `from` and adds them to the total of `to`.
///
/// `bytes` is the size of a node, or of a folder with all its descendants. `author` is the account
/// that makes the change, see [`add_usage`]. If `from` and `to` are the same account, its total
/// stays the same, but its limit is checked nevertheless.
///
/// # Errors
/// As [`add_usage`] for `to`.
pub(super) fn transfer_usage(
    tx: &WriteTx<'_>,
    from: &AccountId,
    to: &AccountId,
    author: &AccountId,
    bytes: i64,
) -> Result<()> {
    add_usage(tx, from, Some(author), -bytes)?;
    add_usage(tx, to, Some(author), bytes)
}

/// Creates the error `QuotaExceeded` for a change that needs `bytes` more than the account may store.
/// `used` is the total of the account in bytes, or None if the author may not see it.
fn quota_error(used: Option<i64>, bytes: i64, limit: i64) -> Error {
    let format = |bytes: i64| text::format_bytes(u64::try_from(bytes).unwrap_or(0));
    let usage = match used {
        Some(used) => format!("you use {} of {} of storage", format(used), format(limit)),
        None => format!("the owner may use {} of storage", format(limit)),
    };
    Error::QuotaExceeded(format!(
        "{usage}, and this change needs {}, which is more than is left; permanently deleted \
         documents free storage",
        format(bytes)
    ))
}
