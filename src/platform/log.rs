//! The log: text on a terminal, JSON lines otherwise, written by a background thread.
//!
//! The access log contains no secrets: [`redact_url`] removes tokens from URLs.

mod access;
mod json_line;
mod line_queue;
mod redact;

use std::io::IsTerminal;
use std::io::Write;
use std::sync::OnceLock;

use tracing::Level;
use tracing_subscriber::EnvFilter;

pub use access::ACCESS_TARGET;
pub use access::AccessRecord;
pub use redact::redact_url;

use json_line::JsonLineFormat;
use line_queue::LineQueue;

use crate::config::LogFormat;
use crate::error::Error;
use crate::error::Result;

/// Queue for the lines of the access log. Set if the log format is JSON.
static JSON_ACCESS_LOG: OnceLock<LineQueue> = OnceLock::new();

/// A guard that keeps the log open. On drop it writes all queued lines.
pub struct LogGuard {
    _writer: line_queue::WriterThread,
}

/// Starts the log on standard error. Replaces the panic hook, so that the log contains panics.
///
/// `filter` is a level such as `info`, or a list such as `info,access=off`. With `LogFormat::Auto`,
/// the format is text on a terminal and JSON otherwise.
///
/// # Errors
/// The filter is invalid, the process has already started a log, or the thread cannot be started.
pub fn start(filter: &str, format: LogFormat) -> Result<LogGuard> {
    let filter = EnvFilter::try_new(filter).map_err(|error| {
        Error::invalid_field(
            "log",
            format!("must be a level or a list such as info,access=off: {error}"),
        )
    })?;
    let is_terminal = std::io::stderr().is_terminal();
    let is_text = match format {
        LogFormat::Auto => is_terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let (queue, writer) = line_queue::start(std::io::stderr())?;
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(queue.clone());
    let started = if is_text {
        subscriber.with_ansi(is_terminal).try_init()
    } else {
        subscriber.event_format(JsonLineFormat).try_init()
    };
    started.map_err(|error| Error::internal(error.to_string()))?;
    if !is_text {
        // `try_init` fails in a process that has already started a log, so the cell is empty.
        JSON_ACCESS_LOG.get_or_init(|| queue);
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("no message");
        tracing::error!(place, text, "panic");
    }));
    Ok(LogGuard { _writer: writer })
}

/// Writes the record of a finished request to the access log, unless the filter excludes it.
///
/// The duration of the request ends with this call.
pub fn write_access_record(record: &AccessRecord<'_>) {
    if !tracing::enabled!(target: ACCESS_TARGET, Level::INFO) {
        return;
    }
    let micros = u64::try_from(record.received_at.elapsed().as_micros()).unwrap_or(u64::MAX);
    if let Some(queue) = JSON_ACCESS_LOG.get() {
        // Queueing a line cannot fail.
        drop(queue.clone().write(&json_line::format_record(record, micros)));
        return;
    }
    access::emit_event(record, micros);
}
