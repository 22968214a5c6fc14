//! What may be done with comments: load, check access, apply the rules, store.

use std::collections::HashMap;
use std::sync::Arc;

use super::content;
use super::content::Part;
use super::mail;
use super::people::People;
use super::store;
use super::store::Comment;
use super::store::Thread;
use super::view::CommentView;
use super::view::Position;
use super::view::TalkView;
use super::view::ThreadView;
use crate::app::App;
use crate::features::access;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::documents::Head;
use crate::features::documents::Target;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::id::CommentId;
use chartroom_platform::id::ThreadId;

/// Most bytes of all comments of a document, as they are stored: a listing has them all.
const MOST_BYTES: usize = 4 << 20;

/// Who asks, and on which document the comments are.
#[derive(Clone)]
pub struct Asked {
    pub app: Arc<App>,
    pub caller: Caller,
    pub target: Target,
}

/// What changes of a thread; `None` leaves it.
pub struct Change {
    pub position: Option<Position>,
    pub resolved: Option<bool>,
}

/// A document whose comments the caller may read.
struct Talk {
    head: Head,
    level: Level,
    people: People,
}

impl Asked {
    fn base_url(&self) -> &str {
        &self.app.config.base_url
    }

    /// For reading. That a document is public does not open its comments to those without an account;
    /// a share link does.
    fn open(&self, tx: &Tx<'_>) -> Result<Talk> {
        let (head, level) = documents::entrusted(tx, &self.caller, &self.target)?;
        let people = People::of(tx, self.caller.id(), &head, level)?;
        Ok(Talk { head, level, people })
    }

    /// For changing something: with an account, and not while the document is in the trash or its
    /// organization is suspended.
    fn join(&self, tx: &Tx<'_>) -> Result<(Talk, &User)> {
        let talk = self.open(tx)?;
        let user = self.caller.user.as_ref().ok_or(Error::SignIn("sign-in required"))?;
        access::check_may_change(tx, &talk.head.owner)?;
        talk.head.check_present()?;
        Ok((talk, user))
    }

    /// For removing comments.
    fn tidy(&self, tx: &Tx<'_>) -> Result<(Talk, &User)> {
        let (talk, user) = self.join(tx)?;
        if talk.level < Level::Write {
            return Err(Error::Forbidden("you may read this but not change it".to_owned()));
        }
        if !access::is_org(&talk.head.owner) {
            let text = "comments can be removed from documents of an organization and its teams only; \
                        a thread that is settled can be marked as resolved";
            return Err(Error::Forbidden(text.to_owned()));
        }
        Ok((talk, user))
    }

    /// What is said once it is known who can be mentioned.
    fn content(&self, talk: &Talk, sent: Vec<Part>) -> Result<Vec<Part>> {
        content::check(&sent, self.app.config.max_comment_chars)?;
        Ok(content::with_names(sent, |id| talk.people.known_name(id)))
    }

    /// Adds a comment to a thread.
    fn add(
        &self,
        tx: &WriteTx<'_>,
        (talk, user): (&Talk, &User),
        thread: &ThreadId,
        sent: Vec<Part>,
    ) -> Result<Comment> {
        let comment = Comment {
            id: CommentId::new(),
            thread: thread.clone(),
            author: user.id.clone(),
            author_name: Some(user.name.clone()),
            content: self.content(talk, sent)?,
            created: tx.now,
            updated: None,
        };
        store::insert(tx, &comment)?;
        let most = self.app.config.max_comments;
        if self.checked_size(tx, talk)? > most {
            return Err(Error::Conflict(format!(
                "the document has {most} comments, and takes no more"
            )));
        }
        mail::tell(tx, &self.app, user, &comment)?;
        Ok(comment)
    }

    /// How many comments the document has, which must not have too many bytes.
    fn checked_size(&self, tx: &Tx<'_>, talk: &Talk) -> Result<usize> {
        let (count, bytes) = store::size(tx, &talk.head.id)?;
        if bytes > MOST_BYTES {
            let text =
                format!("all comments of the document would have more than {MOST_BYTES} bytes");
            return Err(Error::Conflict(text));
        }
        Ok(count)
    }

    fn thread_view(&self, tx: &Tx<'_>, talk: &Talk, thread: Thread) -> Result<ThreadView> {
        let comments = store::comments(tx, &talk.head.id, Some(&thread.id))?;
        Ok(ThreadView::of(thread, comments, &talk.people, self.base_url()))
    }
}

/// All threads with their comments, and the team members.
///
/// # Errors
/// `NotFound` and `SignIn` for who may not read the document; also of all below.
pub fn list(tx: &Tx<'_>, asked: &Asked) -> Result<TalkView> {
    let (talk, base_url) = (asked.open(tx)?, asked.base_url());
    let mut comments: HashMap<ThreadId, Vec<Comment>> = HashMap::new();
    for comment in store::comments(tx, &talk.head.id, None)? {
        comments.entry(comment.thread.clone()).or_default().push(comment);
    }
    let threads = store::threads(tx, &talk.head.id)?.into_iter().map(|thread| {
        let own = comments.remove(&thread.id).unwrap_or_default();
        ThreadView::of(thread, own, &talk.people, base_url)
    });
    let threads = threads.collect();
    Ok(TalkView { threads, team_members: talk.people.members(base_url) })
}

/// One thread with its comments and the team members.
///
/// # Errors
/// `NotFound` when the document has no such thread; also of all below.
pub fn read(tx: &Tx<'_>, asked: &Asked, id: &ThreadId) -> Result<ThreadView> {
    let talk = asked.open(tx)?;
    let thread = thread(tx, &talk, id)?;
    let team_members = Some(talk.people.members(asked.base_url()));
    Ok(ThreadView { team_members, ..asked.thread_view(tx, &talk, thread)? })
}

/// Begins a thread with its first comment.
///
/// # Errors
/// `SignIn` for a guest, `Conflict` in the trash and for too many comments, `Payment` while the
/// organization is suspended, `Fields` naming `content`, `TooMany` for too many mails; also of all
/// below.
pub fn begin(
    tx: &WriteTx<'_>,
    asked: &Asked,
    position: Position,
    sent: Vec<Part>,
) -> Result<ThreadView> {
    let (talk, user) = asked.join(tx)?;
    let thread = Thread {
        id: ThreadId::new(),
        document: talk.head.id.clone(),
        author: user.id.clone(),
        created: tx.now,
        position,
        resolved: false,
    };
    store::insert_thread(tx, &thread)?;
    let comment = asked.add(tx, (&talk, user), &thread.id, sent)?;
    // Its author may be somebody now whom others know.
    Ok(ThreadView::of(thread, [comment], &talk.people, asked.base_url()))
}

/// Adds a comment to a thread.
pub fn reply(
    tx: &WriteTx<'_>,
    asked: &Asked,
    thread_id: &ThreadId,
    sent: Vec<Part>,
) -> Result<CommentView> {
    let (talk, user) = asked.join(tx)?;
    let thread = thread(tx, &talk, thread_id)?;
    let comment = asked.add(tx, (&talk, user), &thread.id, sent)?;
    Ok(CommentView::of(comment, &talk.people, asked.base_url()))
}

/// Moves a thread, or marks it as resolved or open again: whoever may read may.
pub fn change(
    tx: &WriteTx<'_>,
    asked: &Asked,
    id: &ThreadId,
    change: &Change,
) -> Result<ThreadView> {
    let (talk, _) = asked.join(tx)?;
    let mut thread = thread(tx, &talk, id)?;
    thread.position = change.position.unwrap_or(thread.position);
    thread.resolved = change.resolved.unwrap_or(thread.resolved);
    store::update_thread(tx, &thread)?;
    asked.thread_view(tx, &talk, thread)
}

/// Changes what a comment says; only its author may. What is the same is not edited.
///
/// # Errors
/// `Forbidden` for all others; as of [`begin`].
pub fn edit(
    tx: &WriteTx<'_>,
    asked: &Asked,
    ids: (&ThreadId, &CommentId),
    sent: Vec<Part>,
) -> Result<CommentView> {
    let (talk, user) = asked.join(tx)?;
    let mut comment = comment(tx, &talk, ids)?;
    if comment.author != user.id {
        return Err(Error::Forbidden("only its author may change a comment".to_owned()));
    }
    let content = asked.content(&talk, sent)?;
    let known = |id: &_| talk.people.known_name(id);
    if content != content::with_names(comment.content.clone(), known) {
        (comment.content, comment.updated) = (content, Some(tx.now));
        store::update(tx, &comment)?;
        asked.checked_size(tx, &talk)?;
        mail::tell(tx, &asked.app, user, &comment)?;
    }
    Ok(CommentView::of(comment, &talk.people, asked.base_url()))
}

/// Removes a thread with all its comments.
///
/// # Errors
/// `Forbidden` for who may not change the document, and on a document that is a person's.
pub fn remove_thread(tx: &WriteTx<'_>, asked: &Asked, id: &ThreadId) -> Result<()> {
    let (talk, _) = asked.tidy(tx)?;
    let thread = thread(tx, &talk, id)?;
    store::delete_thread(tx, &thread.id)
}

/// Removes a comment; with the last one goes its thread, of which nothing would be left to see.
///
/// # Errors
/// As [`remove_thread`], and `Forbidden` for all but the author.
pub fn remove(tx: &WriteTx<'_>, asked: &Asked, ids: (&ThreadId, &CommentId)) -> Result<()> {
    let (talk, user) = asked.tidy(tx)?;
    let comment = comment(tx, &talk, ids)?;
    if comment.author != user.id {
        return Err(Error::Forbidden("only its author may remove a comment".to_owned()));
    }
    store::delete(tx, &comment.id)?;
    match store::comments(tx, &talk.head.id, Some(&comment.thread))?.is_empty() {
        true => store::delete_thread(tx, &comment.thread),
        false => Ok(()),
    }
}

fn thread(tx: &Tx<'_>, talk: &Talk, id: &ThreadId) -> Result<Thread> {
    store::thread(tx, &talk.head.id, id)?.found("thread")
}

fn comment(tx: &Tx<'_>, talk: &Talk, (thread, id): (&ThreadId, &CommentId)) -> Result<Comment> {
    let found = store::comment(tx, id)?;
    let found = found.filter(|(document, it)| *document == talk.head.id && it.thread == *thread);
    found.map(|(_, comment)| comment).found("comment")
}
