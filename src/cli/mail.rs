//! `chartroom mail`: whether the mail settings work, before somebody waits for a mail.

use clap::Subcommand;
use serde_json::json;

use super::Failure;
use super::Shell;
use crate::platform::mail::Mail;
use crate::platform::mail::Mailer;
use crate::platform::remote::Names;

/// What to do about mail.
#[derive(Subcommand)]
pub enum Verb {
    /// Send a test mail
    Test {
        /// To whom
        address: String,
    },
}

/// Runs `chartroom mail`.
pub fn run(shell: &Shell, verb: &Verb) -> Result<(), Failure> {
    let Verb::Test { address } = verb;
    let config = shell.config()?;
    let mailer = Mailer::new(&config, Names::new(config.dns.clone())?)?
        .ok_or_else(|| Failure::setting("smtp_host", "is not set, so no mail can be sent"))?;
    mailer.send(&Mail {
        to: address.clone(),
        subject: "Chartroom test mail".to_owned(),
        text: format!(
            "This mail was sent by `chartroom mail test` on {}.\n\
             If you can read it, the mail settings work.\n",
            config.base_url
        ),
        html: None,
    })?;
    let server = &config.smtp_host;
    shell.print(
        &json!({ "sent": true, "to": address, "server": server }),
        format!("{server} has taken the test mail to {address}"),
    )
}
