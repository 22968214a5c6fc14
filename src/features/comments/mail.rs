//! The mail that notifies a team member of a mention.

use std::num::NonZeroU32;

use askama::Template;

use super::content;
use super::content::Part;
use super::store;
use super::thread::Comment;
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

/// Name of the task that sends a mention mail. Its subject is the comment id and the user id.
pub const MAIL_TASK: &str = "comments.mail";

/// Maximum number of characters of a comment in the mail.
const MAX_EXCERPT_CHARS: usize = 1_000;

/// Plain text body.
#[derive(Template)]
#[template(path = "mention.txt")]
struct TextBody<'a> {
    mail: &'a MentionMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "mention.html")]
struct HtmlBody<'a> {
    mail: &'a MentionMail,
}

/// Content of a mention mail.
struct MentionMail {
    to: String,
    author: String,
    title: String,
    /// Content of the comment, possibly truncated.
    excerpt: String,
    url: String,
    base_url: String,
}

/// Enqueues mails to the users that a comment of `author` mentions: one per user and comment, also
/// after edits, and none to the author. If an edit removes a mention before its mail is sent, the
/// mail is dropped.
///
/// # Errors
/// `TooManyRequests` if the author exceeds the mail limit. Then no mail is sent.
pub fn enqueue_mention_mails(
    tx: &WriteTx<'_>,
    app: &App,
    author: &User,
    comment: &Comment,
) -> Result<()> {
    let mentioned = content::mentioned_users(&comment.content);
    for user in store::list_mentions(tx, &comment.id)? {
        let is_queued = tasks::is_pending(tx, MAIL_TASK, &task_subject(&comment.id, &user))?;
        if is_queued && !mentioned.contains(&&user) {
            store::delete_mention(tx, &comment.id, &user)?;
        }
    }
    let mut new = Vec::new();
    for user in mentioned.into_iter().filter(|it| **it != author.id) {
        if store::insert_mention(tx, &comment.id, user)? {
            new.push(user);
        }
    }
    let Some(count) = NonZeroU32::new(u32::try_from(new.len()).unwrap_or(u32::MAX)) else {
        return Ok(());
    };
    if app.config.smtp_host.is_empty() {
        tracing::info!(comment = %comment.id, "smtp_host is not set: a mention mail was not sent");
        return Ok(());
    }
    app.rate_limits.count_mails(author.id.as_str(), count)?;
    new.into_iter().try_for_each(|user| {
        tasks::enqueue(tx, MAIL_TASK, &task_subject(&comment.id, user), "{}", tx.now)
    })
}

/// Sends a mention mail. Does nothing if the mention was removed or the user may no longer read the
/// document.
///
/// # Errors
/// If no mail server accepts the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let Some(content) = app.db.read(|tx| load_content(tx, app, &task.subject))? else {
        return Ok(());
    };
    let subject = format!("{} mentioned you in “{}”", content.author, content.title);
    let mail = Mail::render(
        &content.to,
        subject,
        &TextBody { mail: &content },
        &HtmlBody { mail: &content },
    )?;
    if !mail::send(&app.config, &mail)? {
        tracing::warn!(subject = task.subject, "smtp_host is not set: a mention mail was not sent");
    }
    Ok(())
}

/// Returns the recipient of a mail task, or None if the mail is not needed any more.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|it| it.to))
}

/// Returns the subject of the mail task for a mention.
fn task_subject(comment: &CommentId, user: &AccountId) -> String {
    format!("{comment} {user}")
}

/// Loads the content of a mail, or None if the mail is not needed any more.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<MentionMail>> {
    let Some((comment, user)) = subject.split_once(' ') else { return Ok(None) };
    let user = AccountId::from_text(user);
    let Some((document, comment)) = store::find_comment(tx, &CommentId::from_text(comment))? else {
        return Ok(None);
    };
    if !content::mentioned_users(&comment.content).contains(&&user) {
        return Ok(None);
    }
    let Some(node) = tree::find_node(tx, &document)?.filter(|it| it.deleted.is_none()) else {
        return Ok(None);
    };
    let people = access::list_people_with_access(tx, &document)?;
    let Some(person) = people.into_iter().find(|it| it.id == user) else { return Ok(None) };
    let page = documents::page_url(&app.config.base_url, &node.owner, &node.id);
    Ok(Some(MentionMail {
        to: person.email,
        author: accounts::display_name(tx, &comment.author)?,
        title: text::single_line_title(&node.title),
        excerpt: excerpt(&comment.content),
        url: format!("{page}#comment-{}", comment.thread),
        base_url: app.config.base_url.clone(),
    }))
}

/// Returns the beginning of a comment as plain text.
fn excerpt(parts: &[Part]) -> String {
    let whole = content::plain_text(parts);
    let whole = whole.trim();
    match whole.char_indices().nth(MAX_EXCERPT_CHARS) {
        None => whole.to_owned(),
        Some((end, _)) => format!("{}…", whole[..end].trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_comments_are_truncated() {
        assert_eq!(excerpt(&[Part::new_text(" short \n")]), "short");
        let long = excerpt(&[Part::new_text(&"ü".repeat(MAX_EXCERPT_CHARS + 1))]);
        assert_eq!(long, format!("{}…", "ü".repeat(MAX_EXCERPT_CHARS)));
    }
}
