//! `chartroom org audit`: shows the audit log of an organization.

use clap::Args;
use serde_json::json;

use crate::app::App;
use crate::cli::context::print;
use crate::cli::user::join_lines;
use crate::features::accounts;
use crate::features::audit;
use crate::features::audit::Event;
use crate::features::audit::EventFilter;
use crate::features::orgs;
use crate::features::orgs::audit_log;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Arguments of `chartroom org audit`. ORG is an id or a slug.
#[derive(Debug, Args)]
pub struct AuditArguments {
    org: String,
    /// Exact action, such as document.share
    #[arg(long)]
    action: Option<String>,
    /// Earliest time (RFC 3339) or date
    #[arg(long, value_name = "TIME")]
    from: Option<String>,
    /// Time (RFC 3339) or date before which the events happened
    #[arg(long, value_name = "TIME")]
    to: Option<String>,
    /// Actor: an e-mail address, an id or a username
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
    /// Text in the action, the actor, the target or the address
    #[arg(long, value_name = "TEXT")]
    q: Option<String>,
    /// Number of events to skip
    #[arg(long, default_value_t = 0)]
    offset: u32,
    /// Maximum number of events
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

impl AuditArguments {
    /// Prints the matching events of the last 90 days, newest first, as JSON if `json` is set.
    pub fn run(self, app: &App, json: bool) -> Result<()> {
        let (offset, limit) = (self.offset, self.limit);
        let events = app.db.read(|tx| {
            let org = orgs::find_org(tx, &self.org)?;
            audit::list_events(tx, &org.id, &self.filter(tx)?, offset, limit)
        })?;
        let value = json!({ "offset": offset, "limit": limit, "events": events });
        print(json, &value, join_lines(events.iter().map(format_line)))
    }

    /// Returns the conditions of the arguments. A user who no longer exists must be named by id.
    ///
    /// # Errors
    /// `InvalidFields` for a time.
    fn filter(&self, tx: &Tx<'_>) -> Result<EventFilter> {
        let time = |name: &'static str, text: &Option<String>| {
            text.as_deref().map(|text| audit_log::parse_time(name, text)).transpose()
        };
        let user = match self.user.as_deref().map(|text| (text, accounts::find_user(tx, text))) {
            None => None,
            Some((_, Ok(user))) => Some(user.id.to_string()),
            Some((text, Err(Error::NotFound(_)))) => Some(text.to_owned()),
            Some((_, Err(error))) => return Err(error),
        };
        Ok(EventFilter {
            from: time("from", &self.from)?,
            to: time("to", &self.to)?,
            action: self.action.clone(),
            user,
            text: self.q.clone(),
        })
    }
}

/// Returns the line of an event in the text output: time, action, actor, target and details.
fn format_line(event: &Event) -> String {
    let Event { created, action, actor, target, ip_address, details, .. } = event;
    let actor = if actor.email.is_empty() { &actor.kind } else { &actor.email };
    let address = if ip_address.is_empty() { String::new() } else { format!(" ({ip_address})") };
    let line =
        format!("{created} {action:<24} {actor}{address}: {} {:?}", target.kind, target.name);
    let line = match details.as_object().is_some_and(|details| !details.is_empty()) {
        true => format!("{line} {details}"),
        false => line,
    };
    escape_control_characters(&line)
}

/// Returns a text with escaped control characters (C0, DEL and C1), which a terminal would execute.
fn escape_control_characters(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter.is_control() {
            true => escaped.extend(letter.escape_unicode()),
            false => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let text = "a\u{1b}[2J\u{9b}1m\u{7f}\r\nä";
        let escaped = "a\\u{1b}[2J\\u{9b}1m\\u{7f}\\u{d}\\u{a}ä";
        assert_eq!(escape_control_characters(text), escaped);
    }
}
