//! Access entries as answers show them.

use schemars::JsonSchema;
use serde::Serialize;

use super::Caller;
use super::rules::Level;
use crate::platform::crypto::ServerKey;
use crate::platform::db::Tx;
use crate::platform::error::Result;
use crate::platform::id::AccountId;
use crate::platform::id::NodeId;
use crate::platform::time::Timestamp;

/// What links are made of: where this server is, and its key, which gives their tokens again.
#[derive(Clone, Copy)]
pub struct Links<'a> {
    /// Without a slash at the end.
    pub base_url: &'a str,
    /// The server's own secret.
    pub key: &'a ServerKey,
}

/// An access entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Ace {
    pub id: String,
    /// `user`, `email`, `link` or `team`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Account id of the owner of what is shared.
    pub owner: AccountId,
    /// The document that is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document: Option<NodeId>,
    /// Absolute path of the folder that is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// `r` or `w`.
    pub mode: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<AccountId>,
    /// Id of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// Of the user or team.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// The address that opens it, for callers with write access only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// An e-mail invitation that was not used yet.
    pub pending: bool,
    pub created: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Timestamp>,
}

/// The entries of a node and of the folders above: all for a caller who may change it, else his own.
pub fn acl(
    _tx: &Tx<'_>,
    _links: Links<'_>,
    _caller: &Caller,
    _level: Level,
    _node: &NodeId,
) -> Result<Vec<Ace>> {
    Ok(Vec::new())
}
