//! Threads and comments as they are stored.

use schemars::JsonSchema;
use serde::Serialize;

use super::content::Part;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::ThreadId;
use chartroom_platform::time::Timestamp;

/// A position on the canvas of a document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CommentPosition")]
pub struct Position {
    /// Points from the left edge.
    pub x: f64,
    /// Points from the top edge.
    pub y: f64,
}

/// A thread without its comments.
#[derive(Debug, Clone)]
pub struct Thread {
    pub id: ThreadId,
    pub document: NodeId,
    pub author: AccountId,
    pub created: Timestamp,
    pub position: Position,
    pub resolved: bool,
}

/// A comment.
#[derive(Debug, Clone)]
pub struct Comment {
    pub id: CommentId,
    pub thread: ThreadId,
    pub author: AccountId,
    /// Current name of the author; None if the account does not exist any more.
    pub author_name: Option<String>,
    pub content: Vec<Part>,
    pub created: Timestamp,
    /// Time of the last edit.
    pub updated: Option<Timestamp>,
}

/// Threads of a document by their position in the order of creation.
#[derive(Clone, Copy)]
pub struct ThreadRange {
    /// Number of skipped threads.
    pub offset: u32,
    /// Maximum number of threads, or None for all.
    pub limit: Option<u32>,
}

impl ThreadRange {
    /// All threads.
    pub const ALL: Self = Self { offset: 0, limit: None };
}
