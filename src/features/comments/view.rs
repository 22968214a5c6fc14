//! Threads, comments and people as answers show them.

use schemars::JsonSchema;
use serde::Serialize;

use super::content;
use super::content::Part;
use super::people::People;
use super::store::Comment;
use super::store::Thread;
use crate::features::accounts;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::ThreadId;
use chartroom_platform::time::Timestamp;

/// The name of an author whose account is gone.
const GONE: &str = "Deleted user";

/// A place on the canvas of a document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "CommentPosition")]
pub struct Position {
    /// Points from the left edge.
    pub x: f64,
    /// Points from the upper edge.
    pub y: f64,
}

/// All that is said about a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Comments")]
pub struct TalkView {
    /// In the order in which they were begun.
    pub threads: Vec<ThreadView>,
    pub team_members: Vec<TeamMember>,
}

/// What is said about one place of a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CommentThread")]
pub struct ThreadView {
    #[schemars(extend("x-placeholder" = "thread"))]
    pub id: ThreadId,
    /// Account id of who began it.
    pub author_id: u64,
    pub document_id: NodeId,
    pub created: Timestamp,
    pub position: Position,
    /// Whether there is nothing more to do about it.
    pub resolved: bool,
    /// Oldest first.
    pub comments: Vec<CommentView>,
    /// When one thread is read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_members: Option<Vec<TeamMember>>,
}

/// A comment.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Comment")]
pub struct CommentView {
    #[schemars(extend("x-placeholder" = "comment"))]
    pub id: CommentId,
    pub thread_id: ThreadId,
    /// Account id.
    pub author_id: u64,
    /// The author's present name.
    pub author_displayname: String,
    pub author_avatar_url: String,
    pub content: Vec<PartView>,
    pub created: Timestamp,
    /// When it was last edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
}

/// A part of a comment.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(rename = "CommentPart")]
pub enum PartView {
    /// Something written.
    Text { text: String },
    /// Somebody who is addressed and sees the document.
    User {
        /// Account id.
        id: u64,
        name: String,
        avatar_url: String,
    },
}

/// Somebody who sees a document by an account, and may be mentioned.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocumentTeamMember")]
pub struct TeamMember {
    /// Account id.
    pub id: u64,
    pub name: String,
    /// Empty where the caller may not know it.
    pub email: String,
    pub avatar_url: String,
}

impl ThreadView {
    /// `comments` are those of the thread.
    pub fn of(
        thread: Thread,
        comments: impl IntoIterator<Item = Comment>,
        people: &People,
        base_url: &str,
    ) -> Self {
        let comments = comments.into_iter().map(|it| CommentView::of(it, people, base_url));
        Self {
            id: thread.id,
            author_id: number(&thread.author),
            document_id: thread.document,
            created: thread.created,
            position: thread.position,
            resolved: thread.resolved,
            comments: comments.collect(),
            team_members: None,
        }
    }
}

impl CommentView {
    /// Somebody who is mentioned and does not see the document any more is plain text.
    pub fn of(comment: Comment, people: &People, base_url: &str) -> Self {
        let parts = content::with_names(comment.content, |id| people.name(id));
        Self {
            id: comment.id,
            thread_id: comment.thread,
            author_id: number(&comment.author),
            author_displayname: comment.author_name.unwrap_or_else(|| GONE.to_owned()),
            author_avatar_url: accounts::avatar_url(base_url, &comment.author),
            content: parts.into_iter().map(|it| PartView::of(it, base_url)).collect(),
            created: comment.created,
            updated: comment.updated,
        }
    }
}

impl PartView {
    fn of(part: Part, base_url: &str) -> Self {
        match part {
            Part::Text { text } => Self::Text { text },
            Part::User { id, name } => {
                let avatar_url = accounts::avatar_url(base_url, &id);
                Self::User { id: number(&id), name, avatar_url }
            }
        }
    }
}

/// A user's id as the number that it is.
pub fn number(id: &AccountId) -> u64 {
    id.as_str().parse().unwrap_or(0)
}
