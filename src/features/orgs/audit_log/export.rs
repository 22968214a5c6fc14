//! Events as CSV and as JSON Lines.

use super::rules::LogFormat;
use super::rules::MAX_EXPORT_BYTES;
use crate::features::audit::Event;
use chartroom_platform::csv;
use chartroom_platform::error::Result;

/// Names of the columns.
const COLUMNS: [&str; 13] = [
    "id",
    "created",
    "action",
    "actor_type",
    "actor_id",
    "actor_name",
    "actor_email",
    "target_type",
    "target_id",
    "target_name",
    "ip_address",
    "user_agent",
    "details",
];

/// An export in the making. Events are added as they are read, so that only the text is in memory.
pub struct Export {
    format: LogFormat,
    /// Maximum number of events.
    limit: u32,
    /// The text so far.
    pub text: String,
    /// Number of events in the text.
    pub events: u32,
    /// Whether an event did not fit.
    pub has_more: bool,
}

impl Export {
    /// Creates an export without events, of at most `limit` events. CSV begins with a header line.
    pub fn new(format: LogFormat, limit: u32) -> Self {
        let mut text = String::new();
        if format == LogFormat::Csv {
            push_line(&mut text, &COLUMNS);
        }
        Self { format, limit, text, events: 0, has_more: false }
    }

    /// Adds an event. Returns false if it does not fit, because the export has the maximum number of
    /// events or of bytes. The first event fits unless the limit is 0.
    pub fn push(&mut self, event: &Event) -> Result<bool> {
        let is_full = self.events > 0 && self.text.len() >= MAX_EXPORT_BYTES;
        if is_full || self.events == self.limit {
            self.has_more = true;
            return Ok(false);
        }
        self.events += 1;
        match self.format {
            LogFormat::Csv => push_event_line(&mut self.text, event)?,
            LogFormat::Json | LogFormat::JsonLines => {
                self.text.push_str(&serde_json::to_string(event)?);
                self.text.push('\n');
            }
        }
        Ok(true)
    }

    /// Returns whether the export ended because of its size.
    pub fn is_cut(&self) -> bool {
        self.has_more && self.events < self.limit
    }
}

/// Appends an event as a line of CSV (RFC 4180). The details are a JSON text.
///
/// A value that a spreadsheet would evaluate as a formula gets an apostrophe, because guests and other
/// clients determine some of the values.
fn push_event_line(out: &mut String, event: &Event) -> Result<()> {
    let (created, details) = (event.created.to_string(), serde_json::to_string(&event.details)?);
    let Event { actor, target, .. } = event;
    let values: [&str; COLUMNS.len()] = [
        &event.id,
        &created,
        &event.action,
        &actor.kind,
        &actor.id,
        &actor.name,
        &actor.email,
        &target.kind,
        &target.id,
        &target.name,
        &event.ip_address,
        &event.user_agent,
        &details,
    ];
    push_line(out, &values);
    Ok(())
}

/// Appends a line with these values.
fn push_line(out: &mut String, values: &[&str]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        csv::push_value(out, value);
    }
    out.push_str("\r\n");
}
