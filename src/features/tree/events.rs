//! Events of the audit log for nodes that organizations own. Nodes of users have no events.

use std::time::Duration;

use serde_json::Value;
use serde_json::json;

use super::paths;
use super::rules::Node;
use super::rules::NodePlacement;
use crate::features::audit;
use crate::features::audit::EventTarget;
use crate::features::audit::Repetition;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// Kind of change to a node, for the audit log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeAction {
    Create,
    Move,
    Rename,
    /// The node was moved to the trash.
    Delete,
    Restore,
    /// The node was deleted permanently.
    Expunge,
    Share,
    /// Mode, expiry or link of a share changed.
    ChangeShare,
    Unshare,
    /// A user accepted an invitation.
    AcceptShare,
    /// A document became public.
    Publish,
    /// A document became private.
    Unpublish,
    /// A download token was created for a document.
    ExportLink,
}

impl NodeAction {
    /// Returns the action as a dotted word, for a folder or a document.
    fn as_str(self, is_folder: bool) -> &'static str {
        let (document, folder) = match self {
            Self::Create => ("document.create", "folder.create"),
            Self::Move => ("document.move", "folder.move"),
            Self::Rename => ("document.rename", "folder.rename"),
            Self::Delete => ("document.delete", "folder.delete"),
            Self::Restore => ("document.restore", "folder.restore"),
            Self::Expunge => ("document.expunge", "folder.expunge"),
            Self::Share => ("document.share", "folder.share"),
            Self::ChangeShare => ("document.change_share", "folder.change_share"),
            Self::Unshare => ("document.unshare", "folder.unshare"),
            Self::AcceptShare => ("document.accept_share", "folder.accept_share"),
            Self::Publish => ("document.publish", "folder.publish"),
            Self::Unpublish => ("document.unpublish", "folder.unpublish"),
            Self::ExportLink => ("document.export_link", "folder.export_link"),
        };
        if is_folder { folder } else { document }
    }
}

/// A node as the target of an event.
#[derive(Debug, Clone, Copy)]
pub struct EventNode<'a> {
    /// Node id.
    pub id: &'a NodeId,
    /// Whether the node is a folder. Otherwise it is a document.
    pub is_folder: bool,
    /// Account that owns the node. Only an organization gets an event.
    pub owner: &'a AccountId,
    /// Title of a document, or name of a folder.
    pub title: &'a str,
}

impl<'a> From<&'a Node> for EventNode<'a> {
    /// Returns the node with its stored owner and title.
    fn from(node: &'a Node) -> Self {
        let Node { id, is_folder, owner, title, .. } = node;
        Self { id, is_folder: *is_folder, owner, title }
    }
}

/// Records a change of a node if an organization owns it. `details` is a JSON object.
pub fn record_event(
    tx: &WriteTx<'_>,
    node: EventNode<'_>,
    action: NodeAction,
    details: &Value,
) -> Result<()> {
    if !node.owner.is_org() {
        return Ok(());
    }
    let kind = if node.is_folder { "folder" } else { "document" };
    let target = EventTarget::new(kind, node.id, node.title);
    audit::record(tx, node.owner, action.as_str(node.is_folder), &target, details)
}

/// Records an event as [`record_event`] does, unless the same actor has caused one for the node within
/// `period`.
pub fn record_event_once(
    tx: &WriteTx<'_>,
    node: EventNode<'_>,
    action: NodeAction,
    details: &Value,
    period: Duration,
) -> Result<()> {
    let kind = if node.is_folder { "folder" } else { "document" };
    let target = EventTarget::new(kind, node.id, node.title);
    let action = action.as_str(node.is_folder);
    let repetition = Repetition::OfActor(period);
    audit::record_unless_repeated(tx, node.owner, action, &target, details, repetition)
}

/// Records a change of a node as [`record_event`] does. Adds the path of `folder`, where None is the
/// root, to the details.
pub fn record_in_folder(
    tx: &WriteTx<'_>,
    node: EventNode<'_>,
    action: NodeAction,
    folder: Option<&NodeId>,
    mut details: Value,
) -> Result<()> {
    if !node.owner.is_org() {
        return Ok(());
    }
    details["folder"] = paths::folder_path(tx, folder)?.to_string().into();
    record_event(tx, node, action, &details)
}

/// Records a move or a rename of a node that is stored at `to` already. A move to another account
/// is recorded for both accounts. Records nothing if the placement is the same.
pub fn record_placement(
    tx: &WriteTx<'_>,
    id: &NodeId,
    is_folder: bool,
    from: &NodePlacement,
    to: &NodePlacement,
) -> Result<()> {
    if from == to || !from.owner.is_org() && !to.owner.is_org() {
        return Ok(());
    }
    let node = |owner| EventNode { id, is_folder, owner, title: &to.title };
    if from.owner == to.owner && from.parent == to.parent {
        let details = json!({ "from": from.title, "to": to.title });
        return record_event(tx, node(&to.owner), NodeAction::Rename, &details);
    }
    let path = |place: &NodePlacement| -> Result<String> {
        Ok(paths::folder_path(tx, place.parent.as_ref())?.join(&place.title))
    };
    let mut details = json!({ "from": path(from)?, "to": path(to)? });
    if from.owner != to.owner {
        details["from_owner"] = from.owner.as_str().into();
        details["to_owner"] = to.owner.as_str().into();
        record_event(tx, node(&from.owner), NodeAction::Move, &details)?;
    }
    record_event(tx, node(&to.owner), NodeAction::Move, &details)
}
