//! Mails that tell users about changes of the credentials of their accounts, so that they notice a change
//! by somebody else. They cannot be switched off.

use askama::Template;

use super::store;
use super::store::Profile;
use crate::app::App;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::mail;
use chartroom_platform::mail::Mail;
use chartroom_platform::tasks;
use chartroom_platform::tasks::Task;
use chartroom_platform::time::Timestamp;

/// Name of the task that sends a mail. Its subject is the account id, the name of the change and its
/// time in milliseconds since 1970.
pub const MAIL_TASK: &str = "accounts.security-mail";

/// A change of the credentials of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecurityChange {
    /// The account has another password.
    PasswordChanged,
    /// A second factor was set up.
    SecondFactorEnabled,
    /// The user turned the second factor off.
    SecondFactorDisabled,
    /// An admin or the operator removed the second factor.
    SecondFactorReset,
    /// Somebody signed in with a recovery code, or changed the second factor with one.
    RecoveryCodeUsed,
    /// The recovery codes were replaced.
    RecoveryCodesRenewed,
}

impl SecurityChange {
    const ALL: [Self; 6] = [
        Self::PasswordChanged,
        Self::SecondFactorEnabled,
        Self::SecondFactorDisabled,
        Self::SecondFactorReset,
        Self::RecoveryCodeUsed,
        Self::RecoveryCodesRenewed,
    ];

    /// Returns the name in the subject of the task.
    fn as_str(self) -> &'static str {
        match self {
            Self::PasswordChanged => "password",
            Self::SecondFactorEnabled => "enabled",
            Self::SecondFactorDisabled => "disabled",
            Self::SecondFactorReset => "reset",
            Self::RecoveryCodeUsed => "recovery-code",
            Self::RecoveryCodesRenewed => "recovery-codes",
        }
    }

    /// Returns the title of the mail.
    fn title(self) -> &'static str {
        match self {
            Self::PasswordChanged => "Your password was changed",
            Self::SecondFactorEnabled => "A second factor protects your account",
            Self::SecondFactorDisabled => "The second factor of your account is off",
            Self::SecondFactorReset => "An administrator removed your second factor",
            Self::RecoveryCodeUsed => "A recovery code of your account was used",
            Self::RecoveryCodesRenewed => "Your recovery codes were replaced",
        }
    }

    /// Returns a sentence about the effect.
    fn effect(self) -> &'static str {
        match self {
            Self::PasswordChanged => "All other sessions have ended.",
            Self::SecondFactorEnabled => {
                "Signing in with the password now also needs a code. All other sessions have ended."
            }
            Self::SecondFactorDisabled | Self::SecondFactorReset => {
                "The password alone signs in again."
            }
            Self::RecoveryCodeUsed => "Each recovery code works once.",
            Self::RecoveryCodesRenewed => "The earlier recovery codes do not work any more.",
        }
    }
}

/// Plain text body.
#[derive(Template)]
#[template(path = "security.txt")]
struct TextBody<'a> {
    mail: &'a SecurityMail,
}

/// HTML body.
#[derive(Template)]
#[template(path = "security.html")]
struct HtmlBody<'a> {
    mail: &'a SecurityMail,
}

/// Content of the mail.
struct SecurityMail {
    to: String,
    title: &'static str,
    effect: &'static str,
    /// Time of the change, for people.
    time: String,
    url: String,
    base_url: String,
}

/// Enqueues a mail to the user. It is sent after this transaction.
pub fn enqueue_mail(tx: &WriteTx<'_>, user: &AccountId, change: SecurityChange) -> Result<()> {
    let subject = format!("{user} {} {}", change.as_str(), tx.now.0);
    tasks::enqueue(tx, MAIL_TASK, &subject, "{}", tx.now)
}

/// Enqueues the mail about a new password, unless the user had none before.
pub fn enqueue_password_mail(tx: &WriteTx<'_>, old: &Profile) -> Result<()> {
    match old.password_hash {
        Some(_) => enqueue_mail(tx, &old.id, SecurityChange::PasswordChanged),
        None => Ok(()),
    }
}

/// Runs the task [`MAIL_TASK`]. Sends nothing if the user does not exist any more or is disabled. Without
/// a mail server, does nothing, because the user can see the state on the account page.
///
/// # Errors
/// If the mail server does not accept the mail. A retry is safe.
pub fn send_mail(app: &App, task: &Task) -> Result<()> {
    let load = |tx: &Tx<'_>| load_content(tx, app, &task.subject);
    mail::send_task_mail(&app.db, &app.config, load, render_mail).map(drop)
}

/// Returns the recipient of the mail task with this subject, or None if [`send_mail`] would send
/// nothing.
pub fn mail_recipient(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<String>> {
    Ok(load_content(tx, app, subject)?.map(|content| content.to))
}

/// Renders the mail.
fn render_mail(content: &SecurityMail) -> Result<Mail> {
    let (text, html) = (TextBody { mail: content }, HtmlBody { mail: content });
    Mail::render(&content.to, content.title.to_owned(), &text, &html)
}

/// Loads the content of the mail with this subject, or None if it is not needed any more or the subject
/// is malformed.
fn load_content(tx: &Tx<'_>, app: &App, subject: &str) -> Result<Option<SecurityMail>> {
    let parts: Vec<&str> = subject.split(' ').collect();
    let [user, change, time] = parts[..] else { return Ok(None) };
    let change = SecurityChange::ALL.into_iter().find(|known| known.as_str() == change);
    let user = store::find_user(tx, user)?.filter(|user| !user.disabled);
    let (Some(change), Some(user), Ok(time)) = (change, user, time.parse()) else {
        return Ok(None);
    };
    Ok(Some(SecurityMail {
        to: user.email,
        title: change.title(),
        effect: change.effect(),
        time: Timestamp(time).format_to_minute(),
        url: format!("{}/account/security", app.config.base_url),
        base_url: app.config.base_url.clone(),
    }))
}
