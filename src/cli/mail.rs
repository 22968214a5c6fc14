//! `chartroom mail`: whether the mail settings work, and what became of mails that did not go out.

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use super::Failure;
use super::Shell;
use crate::app::App;
use crate::features::comments;
use crate::features::sharing;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Failed;
use chartroom_platform::time::Timestamp;

/// What to do about mail.
#[derive(Subcommand)]
pub enum Verb {
    /// Send a test mail
    Test {
        /// To whom
        address: String,
    },
    /// List the mails that no mail server has taken so far: those that are tried again, and those
    /// that were given up
    List,
    /// Try mails again that no mail server has taken
    Retry {
        /// Which, by the ids that `list` prints [default: all]
        ids: Vec<String>,
    },
    /// Drop mails that no mail server has taken
    Discard {
        /// Which, by the ids that `list` prints
        #[arg(required = true)]
        ids: Vec<String>,
    },
}

/// A kind of mail: its task, what it is, and to whom a task of it writes.
type Kind = (&'static str, &'static str, fn(&Tx<'_>, &App, &str) -> Result<Option<String>>);

const KINDS: [Kind; 2] = [
    (sharing::MAIL, "invitation", sharing::addressee),
    (comments::MAIL, "mention", comments::addressee),
];

/// A mail that failed.
#[derive(Serialize)]
struct Letter {
    kind: &'static str,
    /// None when it would not be sent any more.
    to: Option<String>,
    #[serde(flatten)]
    task: Failed,
}

impl Letter {
    fn line(&self, now: Timestamp) -> String {
        let Failed { id, attempts, error, given_up, created, next, .. } = &self.task;
        let to = self.to.as_deref().unwrap_or("nobody any more");
        let fate = match given_up {
            true => "given up".to_owned(),
            false => format!("next try at {next}"),
        };
        let (kind, age) = (self.kind, created.age_at(now));
        let tries = if *attempts == 1 { "1 try".to_owned() } else { format!("{attempts} tries") };
        format!("{id}  {kind} to {to}, {age} old, {tries}, {fate}: {error}")
    }
}

/// Runs `chartroom mail`.
pub fn run(shell: &Shell, verb: &Verb) -> std::result::Result<(), Failure> {
    match verb {
        Verb::Test { address } => test(shell, address),
        Verb::List => list(shell),
        Verb::Retry { ids } => {
            let count = each(shell, ids, tasks::retry)?;
            let text = format!("{count} to be tried again, by the running server or the next one");
            shell.print(&json!({ "retried": count }), text)
        }
        Verb::Discard { ids } => {
            let count = each(shell, ids, tasks::discard)?;
            shell.print(&json!({ "discarded": count }), format!("{count} dropped"))
        }
    }
}

fn test(shell: &Shell, address: &str) -> std::result::Result<(), Failure> {
    let config = shell.config()?;
    let text = format!(
        "This mail was sent by `chartroom mail test` on {}.\n\
         If you can read it, the mail settings work.\n",
        config.base_url
    );
    let subject = "Chartroom test mail".to_owned();
    if !mail::send(&config, &Mail { to: address.to_owned(), subject, text, html: None })? {
        return Err(Failure::setting("smtp_host", "is not set, so no mail can be sent"));
    }
    let server = &config.smtp_host;
    shell.print(
        &json!({ "sent": true, "to": address, "server": server }),
        format!("{server} has taken the test mail to {address}"),
    )
}

fn list(shell: &Shell) -> std::result::Result<(), Failure> {
    let app = shell.app()?;
    let (letters, now) = app.db.read(|tx| Ok((letters(tx, &app)?, tx.now)))?;
    let lines: Vec<String> = letters.iter().map(|it| it.line(now)).collect();
    let text = match lines.is_empty() {
        true => "no mail has failed".to_owned(),
        false => lines.join("\n"),
    };
    shell.print(&json!({ "mails": letters }), text)
}

fn letters(tx: &Tx<'_>, app: &App) -> Result<Vec<Letter>> {
    let mut letters = Vec::new();
    for task in tasks::failed(tx)? {
        if let Some((_, kind, addressee)) = KINDS.iter().find(|(name, ..)| *name == task.name) {
            letters.push(Letter { kind, to: addressee(tx, app, &task.subject)?, task });
        }
    }
    Ok(letters)
}

/// Does something to each mail that failed and is among `ids`, or to all when there are none; gives how
/// many.
fn each(
    shell: &Shell,
    ids: &[String],
    work: fn(&WriteTx<'_>, &Failed) -> Result<()>,
) -> std::result::Result<usize, Failure> {
    let app = shell.app()?;
    let all = app.db.read(|tx| letters(tx, &app))?;
    if let Some(unknown) = ids.iter().find(|id| !all.iter().any(|it| it.task.id == **id)) {
        return Err(Failure::text(format!("{unknown}: no mail of this id has failed")));
    }
    let is_meant = |it: &Letter| ids.is_empty() || ids.contains(&it.task.id);
    let meant: Vec<Failed> = all.into_iter().filter(is_meant).map(|it| it.task).collect();
    let count = meant.len();
    app.db.write(move |tx| meant.iter().try_for_each(|it| work(tx, it)))?;
    Ok(count)
}
