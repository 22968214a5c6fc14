//! The mail that tells a team member that a comment mentions him.

use std::num::NonZeroU32;

use askama::Template;

use super::content;
use super::content::Part;
use super::store;
use super::store::Comment;
use crate::app::App;
use crate::features::access;
use crate::features::accounts;
use crate::features::accounts::User;
use crate::features::documents;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::CommentId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::text;

/// Name of the task that tells somebody of a mention; its subject is the comment and the user.
pub const MAIL: &str = "comments.mail";

/// Most characters of a comment that the mail shows: a long one is read in its place.
const EXCERPT: usize = 1_000;

/// What the mail says.
#[derive(Template)]
#[template(path = "mention.txt")]
struct Text<'a> {
    said: &'a Said,
}

/// The same as HTML.
#[derive(Template)]
#[template(path = "mention.html")]
struct Html<'a> {
    said: &'a Said,
}

struct Said {
    to: String,
    author: String,
    title: String,
    /// What the comment says, or how it begins.
    excerpt: String,
    url: String,
    base_url: String,
}

/// Has those told whom a comment of `author` mentions: each once, whatever is edited, and never the
/// author. Of whom an edit took the mention away before he was told, nothing is sent.
///
/// # Errors
/// `TooMany` when the author has too many mails sent; then nobody is told.
pub fn tell(tx: &WriteTx<'_>, app: &App, author: &User, comment: &Comment) -> Result<()> {
    let mentioned = content::mentioned(&comment.content);
    for user in store::mentions(tx, &comment.id)? {
        let is_waiting = tasks::is_waiting(tx, MAIL, &subject(&comment.id, &user))?;
        if is_waiting && !mentioned.contains(&&user) {
            store::forget_mention(tx, &comment.id, &user)?;
        }
    }
    let mut new = Vec::new();
    for user in mentioned.into_iter().filter(|it| **it != author.id) {
        if store::note_mention(tx, &comment.id, user)? {
            new.push(user);
        }
    }
    let Some(count) = NonZeroU32::new(u32::try_from(new.len()).unwrap_or(u32::MAX)) else {
        return Ok(());
    };
    if app.config.smtp_host.is_empty() {
        tracing::info!(comment = %comment.id, "no mail server is set: of a mention nobody is told");
        return Ok(());
    }
    app.limits.mails(author.id.as_str(), count)?;
    new.into_iter()
        .try_for_each(|user| tasks::enqueue(tx, MAIL, &subject(&comment.id, user), "{}", tx.now))
}

/// Tells somebody of a mention; does nothing when the mention is gone or he does not see the document
/// any more.
///
/// # Errors
/// When no mail server takes it; trying again does no harm.
pub fn send(app: &App, task: &Task) -> Result<()> {
    let Some(said) = app.db.read(|tx| said(tx, app, &task.subject))? else { return Ok(()) };
    let subject = format!("{} mentioned you in “{}”", said.author, said.title);
    let mail = Mail::of(&said.to, subject, &Text { said: &said }, &Html { said: &said })?;
    if !mail::send(&app.config, &mail)? {
        tracing::warn!(
            subject = task.subject,
            "no mail server is set: of a mention nobody is told"
        );
    }
    Ok(())
}

/// The address that the task of this subject writes to; none when it would not write.
pub fn addressee(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(said(tx, app, subject)?.map(|it| it.to))
}

fn subject(comment: &CommentId, user: &AccountId) -> String {
    format!("{comment} {user}")
}

fn said(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<Said>> {
    let Some((comment, user)) = subject.split_once(' ') else { return Ok(None) };
    let user = AccountId::from_text(user);
    let Some((document, comment)) = store::comment(tx, &CommentId::from_text(comment))? else {
        return Ok(None);
    };
    if !content::mentioned(&comment.content).contains(&&user) {
        return Ok(None);
    }
    let Some(node) = tree::find(tx, &document)?.filter(|it| it.deleted.is_none()) else {
        return Ok(None);
    };
    let people = access::people(tx, &document)?;
    let Some(person) = people.into_iter().find(|it| it.id == user) else { return Ok(None) };
    let page = documents::view(&app.config.base_url, &node.owner, &node.id);
    Ok(Some(Said {
        to: person.email,
        author: accounts::name_of(tx, &comment.author)?,
        title: text::line(&node.title),
        excerpt: excerpt(&comment.content),
        url: format!("{page}#comment-{}", comment.thread),
        base_url: app.config.base_url.clone(),
    }))
}

fn excerpt(parts: &[Part]) -> String {
    let whole = content::plain(parts);
    let whole = whole.trim();
    match whole.char_indices().nth(EXCERPT) {
        None => whole.to_owned(),
        Some((end, _)) => format!("{}…", whole[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_comment_is_cut() {
        assert_eq!(excerpt(&[Part::text(" short \n")]), "short");
        let long = excerpt(&[Part::text(&"ü".repeat(EXCERPT + 1))]);
        assert_eq!(long, format!("{}…", "ü".repeat(EXCERPT)));
    }
}
