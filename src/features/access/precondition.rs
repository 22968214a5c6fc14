//! The precondition `If-Match` of requests that change a document or folder.

use super::Caller;
use crate::features::accounts;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::CurrentVersion;
use chartroom_platform::error::Result;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// Stored state of a document or folder, for the comparison with `If-Match`.
#[derive(Debug)]
pub struct NodeState<'a> {
    /// Node id.
    pub id: &'a NodeId,
    /// Counter of changes to the node.
    pub revision: i64,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Account id of the last author. Empty for a guest.
    pub updated_by: &'a str,
}

/// Checks the header `If-Match` against the stored state. A request without the header passes. The
/// caller must have write access.
///
/// # Errors
/// `PreconditionFailed` with the current entity tag, the author and the time of the last change.
/// The name of the author is included only for a caller who signed in without a share link, because
/// such callers can read it in the history too.
pub fn check_if_match(
    tx: &Tx<'_>,
    caller: &Caller,
    if_match: &IfMatch,
    state: &NodeState<'_>,
) -> Result<()> {
    let etag = format!("\"{}\"", tree::entity_tag(tx.restore_epoch, state.id, state.revision));
    if_match.check(&etag, || {
        let shows_author = caller.user.is_some() && caller.share_token_hash.is_none();
        let name = || accounts::display_name(tx, &AccountId::from_text(state.updated_by));
        Ok(CurrentVersion {
            etag: etag.clone(),
            updated: state.updated.to_string(),
            updated_by: state.updated_by.to_owned(),
            updated_by_name: shows_author.then(name).transpose()?,
        })
    })
}
