//! `chartroom mail`: tests the mail settings and manages failed mails.

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use crate::app::App;
use crate::features::accounts;
use crate::features::comments;
use crate::features::orgs::domains;
use crate::features::people;
use crate::features::sharing;
use crate::features::sync;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::FailedTask;
use chartroom_platform::time::Timestamp;

/// Subcommands of `chartroom mail`.
#[derive(Subcommand)]
pub enum MailCommand {
    /// Send a test mail
    Test {
        /// Recipient address
        address: String,
    },
    /// List failed mails: those that will be retried and those that were given up
    List,
    /// Retry failed mails
    Retry {
        /// Ids that `list` prints [default: all]
        ids: Vec<String>,
    },
    /// Discard failed mails
    Discard {
        /// Ids that `list` prints
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

/// A kind of mail.
struct MailKind {
    /// Name of the task that sends it.
    task: &'static str,
    /// Name in the output.
    label: &'static str,
    /// Returns the recipient of a task by its subject, or None if the mail is not needed any more.
    recipient: fn(&Tx<'_>, &App, &str) -> Result<Option<String>>,
}

/// All kinds of mail.
const MAIL_KINDS: [MailKind; 9] = [
    MailKind {
        task: accounts::RESET_MAIL_TASK,
        label: "password reset",
        recipient: accounts::reset_mail_recipient,
    },
    MailKind {
        task: accounts::SECURITY_MAIL_TASK,
        label: "changed credentials",
        recipient: accounts::security_mail_recipient,
    },
    MailKind {
        task: domains::MAIL_TASK,
        label: "missing TXT record",
        recipient: domains::mail_recipient,
    },
    MailKind { task: sharing::MAIL_TASK, label: "invitation", recipient: sharing::mail_recipient },
    MailKind { task: sync::MAIL_TASK, label: "source", recipient: sync::mail_recipient },
    MailKind { task: comments::MAIL_TASK, label: "mention", recipient: comments::mail_recipient },
    MailKind {
        task: people::managed::MAIL_TASK,
        label: "account",
        recipient: people::managed::mail_recipient,
    },
    MailKind {
        task: people::managed::RELINK_MAIL_TASK,
        label: "relinked account",
        recipient: people::managed::relink_mail_recipient,
    },
    MailKind {
        task: people::invites::MAIL_TASK,
        label: "invite",
        recipient: people::invites::mail_recipient,
    },
];

/// A mail that no mail server has accepted yet.
#[derive(Serialize)]
struct FailedMail {
    kind: &'static str,
    /// Recipient; None if the mail is not needed any more.
    to: Option<String>,
    #[serde(flatten)]
    task: FailedTask,
}

impl FailedMail {
    /// Returns the line of the mail in the text output: id, kind, recipient (`nobody` if the mail
    /// is not needed any more), age at `now`, attempts, next attempt and error.
    fn format_line(&self, now: Timestamp) -> String {
        let FailedTask { id, attempts, error, given_up, created, next, .. } = &self.task;
        let to = self.to.as_deref().unwrap_or("nobody");
        let outlook = match given_up {
            true => "given up".to_owned(),
            false => format!("next try at {next}"),
        };
        let (kind, age) = (self.kind, created.format_age(now));
        let tries = if *attempts == 1 { "1 try".to_owned() } else { format!("{attempts} tries") };
        format!("{id}  {kind} to {to}, {age} old, {tries}, {outlook}: {error}")
    }
}

/// Runs `chartroom mail`: sends a test mail, or lists, retries or discards failed mails. Prints the
/// result.
pub fn run(context: &CommandContext, command: &MailCommand) -> std::result::Result<(), Failure> {
    match command {
        MailCommand::Test { address } => send_test_mail(context, address),
        MailCommand::List => print_failed_mails(context),
        MailCommand::Retry { ids } => {
            let count = for_each_selected(context, ids, tasks::retry)?;
            let text =
                format!("{count} queued for retry by the running server or at its next start");
            context.print(&json!({ "retried": count }), text)
        }
        MailCommand::Discard { ids } => {
            let count = for_each_selected(context, ids, tasks::discard)?;
            context.print(&json!({ "discarded": count }), format!("{count} discarded"))
        }
    }
}

/// Sends a test mail to `address` at once, without the queue of mails, and prints the result.
///
/// # Errors
/// If the settings are invalid, no mail server is configured or the mail server refuses the mail.
fn send_test_mail(context: &CommandContext, address: &str) -> std::result::Result<(), Failure> {
    let config = context.load_config()?;
    let text = format!(
        "This mail was sent by `chartroom mail test` on {}.\n\
         If you can read it, the mail settings work.\n",
        config.base_url
    );
    let subject = "Chartroom test mail".to_owned();
    if !mail::send(&config, &Mail { to: address.to_owned(), subject, text, html: None })? {
        return Err(Failure::setting("smtp_host", "must be set to send mail"));
    }
    let server = &config.smtp_host;
    context.print(
        &json!({ "sent": true, "to": address, "server": server }),
        format!("{server} accepted the test mail to {address}"),
    )
}

/// Prints the failed mails: those that will be retried and those that were given up.
fn print_failed_mails(context: &CommandContext) -> std::result::Result<(), Failure> {
    let app = context.open_app()?;
    let (failed_mails, now) = app.db.read(|tx| Ok((list_failed_mails(tx, &app)?, tx.now)))?;
    let lines: Vec<String> = failed_mails.iter().map(|mail| mail.format_line(now)).collect();
    let text = match lines.is_empty() {
        true => "no mail has failed".to_owned(),
        false => lines.join("\n"),
    };
    context.print(&json!({ "mails": failed_mails }), text)
}

/// Lists the mail tasks that were given up or wait for another attempt after a failure, oldest
/// first. A mail that is not needed any more has no recipient.
fn list_failed_mails(tx: &Tx<'_>, app: &App) -> Result<Vec<FailedMail>> {
    let mut failed_mails = Vec::new();
    for task in tasks::list_failed(tx)? {
        if let Some(kind) = MAIL_KINDS.iter().find(|kind| kind.task == task.name) {
            let to = (kind.recipient)(tx, app, &task.subject)?;
            failed_mails.push(FailedMail { kind: kind.label, to, task });
        }
    }
    Ok(failed_mails)
}

/// Runs `work` for the failed mails with the given ids, or for all if `ids` is empty, in one
/// transaction. Returns the number of these mails.
///
/// # Errors
/// If an id is not that of a failed mail. Then `work` runs for none.
fn for_each_selected(
    context: &CommandContext,
    ids: &[String],
    work: fn(&WriteTx<'_>, &FailedTask) -> Result<()>,
) -> std::result::Result<usize, Failure> {
    let app = context.open_app()?;
    let all = app.db.read(|tx| list_failed_mails(tx, &app))?;
    if let Some(unknown) = ids.iter().find(|id| !all.iter().any(|mail| mail.task.id == **id)) {
        return Err(Failure::message(format!("{unknown}: no failed mail has this id")));
    }
    let is_selected = |mail: &FailedMail| ids.is_empty() || ids.contains(&mail.task.id);
    let selected: Vec<FailedTask> =
        all.into_iter().filter(is_selected).map(|mail| mail.task).collect();
    let count = selected.len();
    app.db.write_with_reserve(move |tx| selected.iter().try_for_each(|task| work(tx, task)))?;
    Ok(count)
}
