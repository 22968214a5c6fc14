//! Events of the audit log for shares of nodes that organizations own.

use serde_json::Value;
use serde_json::json;

use crate::features::access::AccessEntry;
use crate::features::tree;
use crate::features::tree::EventNode;
use crate::features::tree::Node;
use crate::features::tree::NodeAction;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;

/// Records a change to an access entry of a node. The details are the entry without its token.
pub fn record_share(
    tx: &WriteTx<'_>,
    node: &Node,
    action: NodeAction,
    entry: &AccessEntry,
) -> Result<()> {
    tree::record_event(tx, EventNode::from(node), action, &entry_details(entry))
}

/// Records that mode, expiry or link of an access entry changed from those of `old`. Records nothing
/// if they are the same.
pub fn record_share_change(
    tx: &WriteTx<'_>,
    node: &Node,
    old: &AccessEntry,
    new: &AccessEntry,
) -> Result<()> {
    let (before, mut details) = (entry_details(old), entry_details(new));
    let is_rotated = new.rotation != old.rotation;
    if before == details && !is_rotated {
        return Ok(());
    }
    details["rotated"] = is_rotated.into();
    tree::record_event(tx, EventNode::from(node), NodeAction::ChangeShare, &details)
}

/// Returns the facts of an access entry without its token.
fn entry_details(entry: &AccessEntry) -> Value {
    json!({
        "share": entry.id,
        "recipient": entry.kind.as_str(),
        "user_id": entry.user,
        "team": entry.team,
        "email": entry.email,
        "mode": entry.mode.letter(),
        "expires_at": entry.expires,
    })
}
