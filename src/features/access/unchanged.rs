//! Whether what somebody changes is still as he read it.

use super::Caller;
use crate::features::accounts;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::error::Stale;
use chartroom_platform::http::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// What is stored of a document or a folder.
#[derive(Debug)]
pub struct State<'a> {
    pub id: &'a NodeId,
    pub revision: i64,
    pub updated: Timestamp,
    /// Account id.
    pub updated_by: &'a str,
}

/// Checks the header `If-Match` against what is stored. The caller may change it.
///
/// # Errors
/// `Stale` with the current tag and who changed it when; his name for a caller who is here with an
/// account of his own, who finds it in the history too.
pub fn check_unchanged(
    tx: &Tx<'_>,
    caller: &Caller,
    if_match: &IfMatch,
    state: &State<'_>,
) -> Result<()> {
    let etag = format!("\"{}\"", tree::tag(state.id, state.revision));
    if_match.check(&etag, || {
        let is_insider = caller.user.is_some() && caller.share.is_none();
        let name = || accounts::name_of(tx, &AccountId::from_text(state.updated_by));
        Ok(Stale {
            etag: etag.clone(),
            updated: state.updated.to_string(),
            updated_by: state.updated_by.to_owned(),
            updated_by_name: is_insider.then(name).transpose()?,
        })
    })
}
