//! The log: text on a terminal, JSON lines elsewhere, written by a thread of its own.
//!
//! What is secret in an address (tokens in the query or in the path) never reaches it.

mod line;
mod lines;

use std::borrow::Cow;
use std::io::IsTerminal;
use std::io::Write;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Instant;

use hyper::Method;
use tracing::Level;
use tracing_subscriber::EnvFilter;

use line::JsonLine;
use lines::Lines;

use crate::config::LogFormat;
use crate::error::Error;
use crate::error::Result;

/// The target of the access log, to be named in a filter such as `info,access=off`.
pub const ACCESS: &str = "access";

/// Query parameters that are as good as a password, or, like `next`, may hold such an address.
const SECRET_PARAMETERS: [&str; 6] = ["token", "share", "code", "password", "confirmation", "next"];

/// Path segments after which a token follows.
const SECRET_AFTER: [&str; 5] = ["s", "cast", "pair", "setup", "invite"];

/// What may follow such a segment and is not a token.
const NOT_SECRET: [&str; 3] = ["sessions", "pair", "receiver"];

/// Takes the lines of answered requests, when the log is JSON.
static JSON: OnceLock<Lines> = OnceLock::new();

/// Keeps the log open; what is not yet written is written when this is dropped.
pub struct Log {
    _writing: lines::Writing,
}

/// Starts the log on standard error. `filter` is a level such as `info`, or a list of
/// `target=level`. Panics go into the log as well.
///
/// # Errors
/// When the filter cannot be read, or a log was started before.
pub fn start(filter: &str, format: LogFormat) -> Result<Log> {
    let filter = EnvFilter::try_new(filter)
        .map_err(|error| Error::field("log", format!("is not a log filter: {error}")))?;
    let terminal = std::io::stderr().is_terminal();
    let text = match format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let (writer, writing) = lines::start(std::io::stderr())?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer.clone());
    let started = if text {
        lines.with_ansi(terminal).try_init()
    } else {
        lines.event_format(JsonLine).try_init()
    };
    started.map_err(|error| Error::internal(error.to_string()))?;
    if !text {
        // The log was not started before, so this is empty.
        JSON.get_or_init(|| writer);
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let text = panic.payload_as_str().unwrap_or("no text");
        tracing::error!(place, text, "panic");
    }));
    Ok(Log { _writing: writing })
}

/// One answered request.
pub struct Access<'a> {
    /// The method as it was sent.
    pub method: &'a Method,
    /// The path as it was sent.
    pub path: &'a str,
    /// The query as it was sent.
    pub query: &'a str,
    /// The answer's status.
    pub status: u16,
    /// Bytes of the answer's body; unknown for a stream.
    pub bytes: Option<usize>,
    /// When the request's headers were complete.
    pub since: Instant,
    /// The request's id.
    pub request_id: &'a str,
    /// Who asked.
    pub peer: IpAddr,
}

/// Writes the line of a request.
pub fn access(access: &Access<'_>) {
    if !tracing::enabled!(target: ACCESS, Level::INFO) {
        return;
    }
    let micros = u64::try_from(access.since.elapsed().as_micros()).unwrap_or(u64::MAX);
    if let Some(lines) = JSON.get() {
        // Taking a line cannot fail.
        drop(lines.clone().write(&line::of_request(access, micros)));
        return;
    }
    event(access, micros);
}

fn event(access: &Access<'_>, micros: u64) {
    tracing::info!(
        target: ACCESS,
        method = access.method.as_str(),
        path = redacted(access.path, access.query).as_ref(),
        status = access.status,
        bytes = access.bytes,
        micros,
        request_id = access.request_id,
        peer = %access.peer,
    );
}

/// A path and its query without what is secret in them.
pub fn redacted<'a>(path: &'a str, query: &str) -> Cow<'a, str> {
    let path = redacted_path(path);
    if query.is_empty() {
        return path;
    }
    let mut text = path.into_owned();
    for (index, pair) in query.split('&').enumerate() {
        text.push(if index == 0 { '?' } else { '&' });
        match pair.split_once('=') {
            Some((name, _)) if SECRET_PARAMETERS.contains(&name) => {
                text.push_str(name);
                text.push_str("=…");
            }
            _ => text.push_str(pair),
        }
    }
    Cow::Owned(text)
}

fn redacted_path(path: &str) -> Cow<'_, str> {
    let secret = |before: &str, segment: &str| {
        SECRET_AFTER.contains(&before) && !segment.is_empty() && !NOT_SECRET.contains(&segment)
    };
    let segments = || path.split('/').skip(1).zip(path.split('/'));
    if !names_a_secret(path) || !segments().any(|(segment, before)| secret(before, segment)) {
        return Cow::Borrowed(path);
    }
    let mut text = String::with_capacity(path.len());
    for (segment, before) in segments() {
        text.push('/');
        text.push_str(if secret(before, segment) { "…" } else { segment });
    }
    Cow::Owned(text)
}

/// Whether a segment is one after which a token follows. As bytes: for short pieces this takes a
/// quarter of the time that splitting text does.
fn names_a_secret(path: &str) -> bool {
    let mut segments = path.as_bytes().split(|it| *it == b'/');
    segments.any(|segment| SECRET_AFTER.iter().any(|it| it.as_bytes() == segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_do_not_reach_the_log() {
        let check = |path: &str, query: &str, want: &str| assert_eq!(redacted(path, query), want);
        check("/api/v1/user", "", "/api/v1/user");
        check("/api/v1/x", "a=1&token=secret&b", "/api/v1/x?a=1&token=…&b");
        check("/api/v1/x", "share=secret", "/api/v1/x?share=…");
        check("/s/secret", "", "/s/…");
        check("/sign-in", "next=%2Fs%2Fsecret", "/sign-in?next=…");
        check("/cast/secret", "", "/cast/…");
        check("/cast/receiver", "", "/cast/receiver");
        check("/api/v1/cast/secret/check", "", "/api/v1/cast/…/check");
        check("/api/v1/cast/sessions/s1", "", "/api/v1/cast/sessions/s1");
        check("/api/v1/cast/pair/secret", "", "/api/v1/cast/pair/…");
        check("/setup/secret", "x=1", "/setup/…?x=1");
        check("/invite/secret/more", "", "/invite/…/more");
    }
}
