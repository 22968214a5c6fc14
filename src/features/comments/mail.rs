//! The mail that notifies a team member of a mention.

use askama::Template;

use super::content;
use super::content::Part;
use super::store;
use super::thread::Comment;
use crate::app::App;
use crate::app::CountedMails;
use crate::features::access;
use crate::features::accounts;
use crate::features::accounts::NotificationKind;
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

/// Records the mentions of a comment by `author` and enqueues a mail for each new one: one per user
/// and comment, also after edits, and none to the author. If an edit removes a mention before its
/// mail is sent, its record is deleted and the mail is dropped.
///
/// Without a mail server, the mentions are recorded too, so no mail about them is sent later.
///
/// # Errors
/// The error of [`CountedMails::require`]. Then no mail is enqueued, but the caller must roll back
/// the transaction, because the mentions are recorded already.
pub fn enqueue_mention_mails(
    tx: &WriteTx<'_>,
    app: &App,
    counted: CountedMails,
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
    for user in mentioned.into_iter().filter(|user| **user != author.id) {
        if store::insert_mention(tx, &comment.id, user)? {
            new.push(user);
        }
    }
    if new.is_empty() {
        return Ok(());
    }
    if app.config.smtp_host.is_empty() {
        tracing::info!(comment = %comment.id, "smtp_host is not set: a mention mail was not sent");
        return Ok(());
    }
    counted.require(u32::try_from(new.len()).unwrap_or(u32::MAX))?;
    new.into_iter().try_for_each(|user| {
        tasks::enqueue(tx, MAIL_TASK, &task_subject(&comment.id, user), "{}", tx.now)
    })
}

/// Runs the task [`MAIL_TASK`]: sends a mention mail. Sends nothing if the comment or the mention
/// was removed, the document is in the trash, or the user may no longer read it through an account
/// or does not want mails about mentions. Without a mail server, only logs a warning.
///
/// # Errors
/// If the content cannot be loaded, the mail cannot be built, or the mail server does not accept
/// it. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!(subject = task.subject, "smtp_host is not set: a mention mail was not sent");
    }
    Ok(())
}

/// Renders the mail with this content: subject, plain text body and HTML body. Sends nothing.
fn render_mail(content: &MentionMail) -> Result<Mail> {
    let subject = format!("{} mentioned you in “{}”", content.author, content.title);
    Mail::render(&content.to, subject, &TextBody { mail: content }, &HtmlBody { mail: content })
}

/// Returns the email address of the recipient of the mail task with this subject, or None if
/// [`send_mail`] would send nothing for another reason than a missing mail server.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Returns the subject of the mail task for a mention: the comment id, a space and the user id. It
/// is not the subject line of the mail.
fn task_subject(comment: &CommentId, user: &AccountId) -> String {
    format!("{comment} {user}")
}

/// Loads the content of the mail of the task with this subject. None if the subject is malformed,
/// or if the mail must not be sent: the comment or the mention was removed, the document is in the
/// trash, or the user may no longer read it through an account or does not want such mails.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<MentionMail>> {
    let Some((comment, user)) = subject.split_once(' ') else { return Ok(None) };
    let user = AccountId::from_text(user);
    let Some((document, comment)) = store::find_comment(tx, &CommentId::from_text(comment))? else {
        return Ok(None);
    };
    if !content::mentioned_users(&comment.content).contains(&&user) {
        return Ok(None);
    }
    if !accounts::wants_mail(tx, &user, NotificationKind::Mentions)? {
        return Ok(None);
    }
    let Some(node) = tree::find_node(tx, &document)?.filter(|node| node.deleted.is_none()) else {
        return Ok(None);
    };
    let people = access::list_people_with_access(tx, &document)?;
    let Some(person) = people.into_iter().find(|person| person.id == user) else { return Ok(None) };
    let page = documents::page_url(&app.config.base_url, &node.owner, &node.id);
    Ok(Some(MentionMail {
        to: person.email,
        author: accounts::display_name(tx, &comment.author)?,
        title: text::single_line_title(&node.title),
        excerpt: build_excerpt(&comment.content),
        url: format!("{page}#comment-{}", comment.thread),
        base_url: app.config.base_url.clone(),
    }))
}

/// Returns the trimmed plain text of a comment, or its first [`MAX_EXCERPT_CHARS`] characters and
/// `…` if it is longer.
fn build_excerpt(parts: &[Part]) -> String {
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
        assert_eq!(build_excerpt(&[Part::new_text(" short \n")]), "short");
        let long = build_excerpt(&[Part::new_text(&"ü".repeat(MAX_EXCERPT_CHARS + 1))]);
        assert_eq!(long, format!("{}…", "ü".repeat(MAX_EXCERPT_CHARS)));
    }
}
