//! Actions on comments: load, check access, apply the rules, store.

use std::collections::HashMap;
use std::sync::Arc;

use super::content;
use super::content::Part;
use super::mail;
use super::store;
use super::team_members::TeamMembers;
use super::thread::Comment;
use super::thread::Position;
use super::thread::Thread;
use super::thread::ThreadRange;
use super::view;
use super::view::CommentView;
use super::view::CommentsView;
use super::view::ThreadView;
use crate::app::App;
use crate::app::CountedMails;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::documents::Document;
use crate::features::documents::DocumentTarget;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::ThreadId;

/// Maximum total size in bytes of all stored comments of a document, because a listing returns them
/// all.
const MAX_TOTAL_BYTES: usize = 4 << 20;

/// The caller and the document of a request about comments.
#[derive(Clone)]
pub struct CommentContext {
    pub app: Arc<App>,
    pub caller: Caller,
    pub target: DocumentTarget,
    /// Mails to mentioned users that the write may enqueue.
    pub counted_mails: CountedMails,
}

/// The ids of a comment and of the thread that contains it.
#[derive(Clone)]
pub struct CommentPath {
    pub thread: ThreadId,
    pub comment: CommentId,
}

/// Requested changes of a thread. None keeps the stored value.
pub struct ThreadChange {
    pub position: Option<Position>,
    pub resolved: Option<bool>,
}

/// A document with comments that the caller may read.
struct Discussion {
    head: Document,
    level: AccessLevel,
    team_members: TeamMembers,
}

impl CommentContext {
    /// Returns the configured base URL of the server, for avatar addresses.
    fn base_url(&self) -> &str {
        &self.app.config.base_url
    }

    /// Loads the document for reading its comments, with the caller's level and the team members,
    /// but without the comments. A signed-in caller needs read access, which may
    /// be public access. A guest needs a share link; public access is not enough.
    fn authorize_read(&self, tx: &Tx<'_>) -> Result<Discussion> {
        let (head, level) = documents::find_shared(tx, &self.caller, &self.target)?;
        let team_members = TeamMembers::load(tx, self.caller.account_id(), &head, level)?;
        Ok(Discussion { head, level, team_members })
    }

    /// Loads the document for adding or changing comments. Read access is enough, but the caller
    /// must be signed in. Returns the signed-in user too.
    ///
    /// # Errors
    /// The errors of [`Self::authorize_read`]. `SignInRequired` for a guest, `PaymentRequired` if
    /// the owner is a suspended organization, `Conflict` if the document is in the trash.
    fn authorize_write(&self, tx: &Tx<'_>) -> Result<(Discussion, &User)> {
        let discussion = self.authorize_read(tx)?;
        let user = self.caller.user.as_ref().ok_or(Error::SignInRequired("sign-in required"))?;
        access::check_not_suspended(tx, &discussion.head.owner)?;
        discussion.head.check_not_in_trash()?;
        Ok((discussion, user))
    }

    /// Loads the document for removing comments. In addition to [`Self::authorize_write`], requires
    /// write access and a document of an organization. Returns the signed-in user too.
    ///
    /// # Errors
    /// The errors of [`Self::authorize_write`]. `Forbidden` without write access, and for a
    /// document of a user.
    fn authorize_removal(&self, tx: &Tx<'_>) -> Result<(Discussion, &User)> {
        let (discussion, user) = self.authorize_write(tx)?;
        if discussion.level < AccessLevel::Write {
            return Err(Error::Forbidden("you may read this but not change it".to_owned()));
        }
        if !access::is_org_id(&discussion.head.owner) {
            let text = "comments can only be removed from documents of an organization; \
                        mark the thread as resolved instead";
            return Err(Error::Forbidden(text.to_owned()));
        }
        Ok((discussion, user))
    }

    /// Checks new content and resolves its mentions: they get the current names. Mentions of users
    /// that the caller may not see as team members become plain text. Stores nothing.
    ///
    /// The length check counts the names that were sent, not the current names.
    fn prepare_content(&self, discussion: &Discussion, sent: Vec<Part>) -> Result<Vec<Part>> {
        content::check_content(&sent, self.app.config.max_comment_chars)?;
        Ok(content::resolve_mentions(sent, |id| discussion.team_members.visible_name(id)))
    }

    /// Stores a comment of `user` in a thread, adds its size to the document, and enqueues the
    /// mention mails. Checks the limits after the insertion, so that an error must roll back.
    ///
    /// # Errors
    /// `Conflict` if the document now has too many or too large comments. `QuotaExceeded` if the
    /// owner may not store so much. The errors of [`content::check_content`] and
    /// [`mail::enqueue_mention_mails`].
    fn add_comment(
        &self,
        tx: &WriteTx<'_>,
        discussion: &Discussion,
        user: &User,
        thread: &ThreadId,
        sent: Vec<Part>,
    ) -> Result<Comment> {
        let comment = Comment {
            id: CommentId::new(),
            thread: thread.clone(),
            author: user.id.clone(),
            author_name: Some(user.name.clone()),
            content: self.prepare_content(discussion, sent)?,
            created: tx.now,
            updated: None,
        };
        store::insert_comment(tx, &comment)?;
        let bytes = store::measure_comment(tx, &comment.id)?;
        tree::add_stored_bytes(tx, &discussion.head.id, bytes)?;
        let max_comments = self.app.config.max_comments;
        if self.count_within_size_limit(tx, discussion)? > max_comments {
            return Err(Error::Conflict(format!(
                "the document has {max_comments} comments, which is the maximum"
            )));
        }
        mail::enqueue_mention_mails(tx, &self.app, self.counted_mails, user, &comment)?;
        Ok(comment)
    }

    /// Returns the number of comments of the document, after a check of their total size.
    ///
    /// # Errors
    /// `Conflict` if their total size exceeds [`MAX_TOTAL_BYTES`].
    fn count_within_size_limit(&self, tx: &Tx<'_>, discussion: &Discussion) -> Result<usize> {
        let (count, bytes) = store::total_size(tx, &discussion.head.id)?;
        if bytes > MAX_TOTAL_BYTES {
            let text = format!(
                "the comments of a document may have at most {MAX_TOTAL_BYTES} bytes in total"
            );
            return Err(Error::Conflict(text));
        }
        Ok(count)
    }

    /// Builds the view of a thread with its comments, which it loads, and without team members.
    fn build_thread_view(
        &self,
        tx: &Tx<'_>,
        discussion: &Discussion,
        thread: Thread,
    ) -> Result<ThreadView> {
        let comments = store::list_comments(tx, &thread.id)?;
        Ok(ThreadView::new(thread, comments, &discussion.team_members, self.base_url()))
    }
}

/// Checks that the caller may read the comments of the document.
///
/// # Errors
/// `NotFound` and `SignInRequired` if the caller may not read the document.
pub fn check_access(tx: &Tx<'_>, context: &CommentContext) -> Result<()> {
    documents::find_shared(tx, &context.caller, &context.target).map(|_| ())
}

/// Lists the threads in `range` with their comments, both oldest first, the number of all threads
/// of the document, and the team members that the caller may see.
///
/// # Errors
/// `NotFound` and `SignInRequired` if the caller may not read the document. All actions below can
/// return them too.
pub fn list_threads(
    tx: &Tx<'_>,
    context: &CommentContext,
    range: ThreadRange,
) -> Result<CommentsView> {
    let (discussion, base_url) = (context.authorize_read(tx)?, context.base_url());
    let document = &discussion.head.id;
    let mut comments: HashMap<ThreadId, Vec<Comment>> = HashMap::new();
    for comment in store::list_comments_in_range(tx, document, range)? {
        comments.entry(comment.thread.clone()).or_default().push(comment);
    }
    let threads = store::list_threads(tx, document, range)?.into_iter().map(|thread| {
        let own = comments.remove(&thread.id).unwrap_or_default();
        ThreadView::new(thread, own, &discussion.team_members, base_url)
    });
    let threads: Vec<ThreadView> = threads.collect();
    Ok(CommentsView {
        count: store::count_threads(tx, document)?,
        threads,
        team_members: view::visible_team_members(&discussion.team_members, base_url),
    })
}

/// Returns a thread with its comments and the team members that the caller may see.
///
/// # Errors
/// `NotFound` if the document has no such thread. The actions below with a thread id or a comment
/// path can return it too.
pub fn read_thread(tx: &Tx<'_>, context: &CommentContext, id: &ThreadId) -> Result<ThreadView> {
    let discussion = context.authorize_read(tx)?;
    let thread = find_thread(tx, &discussion, id)?;
    let team_members =
        Some(view::visible_team_members(&discussion.team_members, context.base_url()));
    Ok(ThreadView { team_members, ..context.build_thread_view(tx, &discussion, thread)? })
}

/// Creates a thread with its first comment, and enqueues a mail to each mentioned user except the
/// author.
///
/// # Errors
/// `SignInRequired` for a guest, `Conflict` for a document in the trash or with too many or too
/// large comments, `PaymentRequired` while the organization is suspended, `InvalidFields` naming
/// `content`, `QuotaExceeded` if the owner of the document may not store so much, and the error of
/// [`CountedMails::require`]. The actions below can return the same errors where they apply.
pub fn create_thread(
    tx: &WriteTx<'_>,
    context: &CommentContext,
    position: Position,
    sent: Vec<Part>,
) -> Result<ThreadView> {
    let (discussion, user) = context.authorize_write(tx)?;
    let thread = Thread {
        id: ThreadId::new(),
        document: discussion.head.id.clone(),
        author: user.id.clone(),
        created: tx.now,
        position,
        resolved: false,
    };
    store::insert_thread(tx, &thread)?;
    tree::add_stored_bytes(tx, &discussion.head.id, tree::ROW_BYTES)?;
    let comment = context.add_comment(tx, &discussion, user, &thread.id, sent)?;
    Ok(ThreadView::new(thread, [comment], &discussion.team_members, context.base_url()))
}

/// Adds a comment to a thread, even to a resolved one, and enqueues a mail to each mentioned user
/// except the author. Read access to the document is enough. Returns only the new comment.
pub fn add_reply(
    tx: &WriteTx<'_>,
    context: &CommentContext,
    thread_id: &ThreadId,
    sent: Vec<Part>,
) -> Result<CommentView> {
    let (discussion, user) = context.authorize_write(tx)?;
    let thread = find_thread(tx, &discussion, thread_id)?;
    let comment = context.add_comment(tx, &discussion, user, &thread.id, sent)?;
    Ok(CommentView::new(comment, &discussion.team_members, context.base_url()))
}

/// Moves a thread, marks it as resolved or open, or both, and returns it with all comments. A
/// signed-in caller with read access may do this, also with threads of others.
pub fn update_thread(
    tx: &WriteTx<'_>,
    context: &CommentContext,
    id: &ThreadId,
    change: &ThreadChange,
) -> Result<ThreadView> {
    let (discussion, _) = context.authorize_write(tx)?;
    let mut thread = find_thread(tx, &discussion, id)?;
    thread.position = change.position.unwrap_or(thread.position);
    thread.resolved = change.resolved.unwrap_or(thread.resolved);
    store::update_thread(tx, &thread)?;
    context.build_thread_view(tx, &discussion, thread)
}

/// Replaces the content of a comment, sets its edit time, and enqueues mails to newly mentioned
/// users. Content that is equal after resolving the mentions changes nothing.
///
/// # Errors
/// `Forbidden` unless the caller is the author; as [`create_thread`].
pub fn edit_comment(
    tx: &WriteTx<'_>,
    context: &CommentContext,
    path: &CommentPath,
    sent: Vec<Part>,
) -> Result<CommentView> {
    let (discussion, user) = context.authorize_write(tx)?;
    let mut comment = find_comment(tx, &discussion, path)?;
    if comment.author != user.id {
        return Err(Error::Forbidden("only the author may change a comment".to_owned()));
    }
    let content = context.prepare_content(&discussion, sent)?;
    let visible_name = |id: &_| discussion.team_members.visible_name(id);
    if content != content::resolve_mentions(comment.content.clone(), visible_name) {
        (comment.content, comment.updated) = (content, Some(tx.now));
        let old_bytes = store::measure_comment(tx, &comment.id)?;
        store::update_comment(tx, &comment)?;
        let added_bytes = store::measure_comment(tx, &comment.id)? - old_bytes;
        tree::add_stored_bytes(tx, &discussion.head.id, added_bytes)?;
        context.count_within_size_limit(tx, &discussion)?;
        mail::enqueue_mention_mails(tx, &context.app, context.counted_mails, user, &comment)?;
    }
    Ok(CommentView::new(comment, &discussion.team_members, context.base_url()))
}

/// Removes a thread with all its comments, also those of others.
///
/// # Errors
/// `Forbidden` if the caller may not change the document or a user owns it.
pub fn remove_thread(tx: &WriteTx<'_>, context: &CommentContext, id: &ThreadId) -> Result<()> {
    let (discussion, _) = context.authorize_removal(tx)?;
    let thread = find_thread(tx, &discussion, id)?;
    remove_thread_row(tx, &discussion, &thread.id)
}

/// Removes a comment. Removing the last comment also removes its thread.
///
/// # Errors
/// As [`remove_thread`], and `Forbidden` unless the caller is the author.
pub fn remove_comment(
    tx: &WriteTx<'_>,
    context: &CommentContext,
    path: &CommentPath,
) -> Result<()> {
    let (discussion, user) = context.authorize_removal(tx)?;
    let comment = find_comment(tx, &discussion, path)?;
    if comment.author != user.id {
        return Err(Error::Forbidden("only the author may remove a comment".to_owned()));
    }
    let bytes = store::measure_comment(tx, &comment.id)?;
    store::delete_comment(tx, &comment.id)?;
    tree::add_stored_bytes(tx, &discussion.head.id, -bytes)?;
    match store::list_comments(tx, &comment.thread)?.is_empty() {
        true => remove_thread_row(tx, &discussion, &comment.thread),
        false => Ok(()),
    }
}

/// Deletes a thread with its comments and subtracts their size from that of the document. Does not
/// check access.
fn remove_thread_row(tx: &WriteTx<'_>, discussion: &Discussion, id: &ThreadId) -> Result<()> {
    let bytes = store::measure_thread(tx, id)?;
    store::delete_thread(tx, id)?;
    tree::add_stored_bytes(tx, &discussion.head.id, -bytes)
}

/// Finds a thread of the document. `NotFound` if the document has no such thread.
fn find_thread(tx: &Tx<'_>, discussion: &Discussion, id: &ThreadId) -> Result<Thread> {
    store::find_thread(tx, &discussion.head.id, id)?.or_not_found("thread")
}

/// Finds the comment at `path`.
///
/// # Errors
/// `NotFound` unless the comment is in this thread and the thread in this document.
fn find_comment(tx: &Tx<'_>, discussion: &Discussion, path: &CommentPath) -> Result<Comment> {
    let found = store::find_comment(tx, &path.comment)?;
    let found = found.filter(|(document, comment)| {
        *document == discussion.head.id && comment.thread == path.thread
    });
    found.map(|(_, comment)| comment).or_not_found("comment")
}
