//! Threads, comments and team members in responses.

use schemars::JsonSchema;
use serde::Serialize;

use super::content;
use super::content::Part;
use super::team_members::TeamMembers;
use super::team_members::Visibility;
use super::thread::Comment;
use super::thread::Position;
use super::thread::Thread;
use crate::features::accounts;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::NodeId;
use chartroom_platform::id::ThreadId;
use chartroom_platform::time::Timestamp;

/// Display name of an author without an account.
const DELETED_AUTHOR_NAME: &str = "Deleted user";

/// Threads of a document and its team members.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Comments")]
pub struct CommentsView {
    /// Number of threads of the document, also those that are not on this page.
    pub count: u64,
    /// Threads, oldest first.
    pub threads: Vec<ThreadView>,
    pub team_members: Vec<TeamMember>,
}

/// A thread at a position of a document.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CommentThread")]
pub struct ThreadView {
    #[schemars(extend("x-placeholder" = "thread"))]
    pub id: ThreadId,
    /// Account id of the author of the first comment.
    pub author_id: u64,
    pub document_id: NodeId,
    pub created: Timestamp,
    pub position: Position,
    /// Whether the thread is resolved.
    pub resolved: bool,
    /// Oldest first.
    pub comments: Vec<CommentView>,
    /// Team members; only when a single thread is read.
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
    /// Current name of the author.
    pub author_displayname: String,
    pub author_avatar_url: String,
    pub content: Vec<PartView>,
    pub created: Timestamp,
    /// Time of the last edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Timestamp>,
}

/// A part of a comment.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
#[schemars(rename = "CommentPart")]
pub enum PartView {
    /// Plain text.
    Text { text: String },
    /// A mention of a user who may read the document.
    User {
        /// Account id.
        id: u64,
        name: String,
        avatar_url: String,
    },
}

/// A user who may read the document through an account and can be mentioned.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DocumentTeamMember")]
pub struct TeamMember {
    /// Account id.
    pub id: u64,
    pub name: String,
    /// E-mail address; empty if the caller may not see it.
    pub email: String,
    pub avatar_url: String,
}

impl ThreadView {
    /// Builds the view of a thread with the given comments in their order. Its field `team_members`
    /// is None: the parameter only provides the names in mentions.
    pub fn new(
        thread: Thread,
        comments: impl IntoIterator<Item = Comment>,
        team_members: &TeamMembers,
        base_url: &str,
    ) -> Self {
        let comments =
            comments.into_iter().map(|comment| CommentView::new(comment, team_members, base_url));
        Self {
            id: thread.id,
            author_id: user_number(&thread.author),
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
    /// Builds the view of a comment. Mentions get the current names, also those of team members
    /// hidden from the caller. A mention of a user that is no team member (any more) becomes plain
    /// text with the name at the time of writing.
    pub fn new(comment: Comment, team_members: &TeamMembers, base_url: &str) -> Self {
        let parts = content::resolve_mentions(comment.content, |id| team_members.name(id));
        Self {
            id: comment.id,
            thread_id: comment.thread,
            author_id: user_number(&comment.author),
            author_displayname: comment
                .author_name
                .unwrap_or_else(|| DELETED_AUTHOR_NAME.to_owned()),
            author_avatar_url: accounts::avatar_url(base_url, &comment.author),
            content: parts.into_iter().map(|part| PartView::new(part, base_url)).collect(),
            created: comment.created,
            updated: comment.updated,
        }
    }
}

impl PartView {
    /// Builds the view of a part. A mention gets the URL of the avatar below `base_url`.
    fn new(part: Part, base_url: &str) -> Self {
        match part {
            Part::Text { text } => Self::Text { text },
            Part::User { id, name } => {
                let avatar_url = accounts::avatar_url(base_url, &id);
                Self::User { id: user_number(&id), name, avatar_url }
            }
        }
    }
}

/// Returns the team members that the caller of `team_members` may see. The address of a member is
/// empty if the caller may see only the name. `base_url` is the start of the avatar addresses.
pub fn visible_team_members(team_members: &TeamMembers, base_url: &str) -> Vec<TeamMember> {
    let visible = team_members.visible();
    visible
        .map(|(person, visibility)| TeamMember {
            id: user_number(&person.id),
            name: person.name.clone(),
            email: match visibility {
                Visibility::NameAndEmail => person.email.clone(),
                Visibility::NameOnly | Visibility::Hidden => String::new(),
            },
            avatar_url: accounts::avatar_url(base_url, &person.id),
        })
        .collect()
}

/// Returns a user's id as a number, or 0 if it is not a number.
fn user_number(id: &AccountId) -> u64 {
    id.as_str().parse().unwrap_or(0)
}
