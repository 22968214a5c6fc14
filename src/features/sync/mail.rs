//! Mails that tell the creator of a sync job that its source fails, and that it works again.

use askama::Template;

use crate::app::App;
use crate::features::access::Caller;
use crate::features::accounts;
use crate::features::documents;
use crate::features::sync_jobs;
use crate::features::sync_jobs::SyncJob;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::text;

/// Name of the task that sends a mail. Its subject is the id of the document and the kind of the mail.
pub const MAIL_TASK: &str = "sync.state-mail";

/// Kind of a mail about a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MailKind {
    /// The source failed several times in a row.
    Failing,
    /// The source works again.
    Recovered,
}

/// Plain text body.
#[derive(Template)]
#[template(path = "sync.txt")]
struct TextBody<'a> {
    mail: &'a SyncMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "sync.html")]
struct HtmlBody<'a> {
    mail: &'a SyncMail,
}

/// Content of the mail.
struct SyncMail {
    to: String,
    /// Sentence without a full stop, which names the document.
    title: String,
    /// Title of the document, on one line.
    document: String,
    /// Reason of the failure. Empty if the source works again.
    error: String,
    /// Time of the last successful download, for people. Empty before the first one.
    downloaded_at: String,
    url: String,
    base_url: String,
}

/// Enqueues a mail to the creator of a job. It is sent after this transaction.
pub fn enqueue(tx: &WriteTx<'_>, job: &SyncJob, kind: MailKind) -> Result<()> {
    let kind = match kind {
        MailKind::Failing => "failing",
        MailKind::Recovered => "recovered",
    };
    tasks::enqueue(tx, MAIL_TASK, &format!("{} {kind}", job.document), "{}", tx.now)
}

/// Runs the task [`MAIL_TASK`]. Sends nothing if the state of the job has changed meanwhile, the document is in
/// the trash, or the creator is disabled. Without a mail server, only logs a warning.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    if !mail::send_task_mail(&app.db, &app.config, load, render_mail)? {
        tracing::warn!(subject = task.subject, "smtp_host is not set: a mail was not sent");
    }
    Ok(())
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Renders the mail with this content.
fn render_mail(content: &SyncMail) -> Result<Mail> {
    let (text, html) = (TextBody { mail: content }, HtmlBody { mail: content });
    Mail::render(&content.to, content.title.clone(), &text, &html)
}

/// Loads the content of the mail of the task with this subject. None if it is not needed any more, or if
/// the subject is malformed.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<SyncMail>> {
    let Some((document, kind)) = subject.split_once(' ') else { return Ok(None) };
    let document = NodeId::from_text(document);
    let Some(job) = sync_jobs::find_job(tx, &document)? else { return Ok(None) };
    let is_failing = kind == "failing";
    let Some(creator) = &job.creator else { return Ok(None) };
    let creator = accounts::load_profile(tx, creator)?;
    if creator.disabled || job.run.error.is_some() != is_failing {
        return Ok(None);
    }
    // The mail contains the title, which may have changed after the creator lost access. Nobody waits for new data
    // of a chart in the trash.
    let caller = Caller::of_user(&creator.user());
    let found = documents::find_synced_document(tx, &caller, &document);
    if matches!(found, Err(Error::NotFound(_) | Error::Conflict(_))) {
        return Ok(None);
    }
    let base_url = app.config.base_url.clone();
    let Some(node) = tree::find_node(tx, &document)? else { return Ok(None) };
    let title = match text::single_line_title(&node.title) {
        title if title.is_empty() => "Untitled chart".to_owned(),
        title => title,
    };
    Ok(Some(SyncMail {
        to: creator.email,
        title: match is_failing {
            true => format!("The source of “{title}” does not work"),
            false => format!("The source of “{title}” works again"),
        },
        document: title,
        error: job.run.error.unwrap_or_default(),
        downloaded_at: job
            .run
            .downloaded_at
            .map(|time| time.format_to_minute())
            .unwrap_or_default(),
        url: documents::page_url(&base_url, &node.owner, &document),
        base_url,
    }))
}
