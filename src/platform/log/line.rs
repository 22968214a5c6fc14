//! An event as one line of JSON, without a tree of values: the subscriber's formatter takes several
//! times as long. The line of a request, of which there are most, is not even an event first.

use std::fmt;
use std::fmt::Write;
use std::net::IpAddr;

use serde::Serialize;
use tracing::Event;
use tracing::Level;
use tracing::Subscriber;
use tracing::field::Field;
use tracing::field::Visit;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::FormatEvent;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::registry::LookupSpan;

use super::ACCESS;
use super::Access;
use super::redacted;
use crate::time::Timestamp;

/// The line of a request, as [`JsonLine`] writes it of an event.
#[derive(Serialize)]
struct Request<'a> {
    timestamp: Timestamp,
    level: &'static str,
    method: &'a str,
    path: &'a str,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    micros: u64,
    request_id: &'a str,
    peer: IpAddr,
    target: &'static str,
}

/// The line of a request that took so many microseconds.
pub fn of_request(access: &Access<'_>, micros: u64) -> Vec<u8> {
    let request = Request {
        timestamp: Timestamp::now(),
        level: Level::INFO.as_str(),
        method: access.method.as_str(),
        path: &redacted(access.path, access.query),
        status: access.status,
        bytes: access.bytes,
        micros,
        request_id: access.request_id,
        peer: access.peer,
        target: ACCESS,
    };
    // 300 bytes for everything but path and query.
    let mut line = Vec::with_capacity(access.path.len() + access.query.len() + 300);
    // Texts and numbers always have a JSON form.
    drop(serde_json::to_writer(&mut line, &request));
    line.push(b'\n');
    line
}

/// Formats events as JSON lines: `timestamp`, `level`, the event's own fields, `target`.
pub struct JsonLine;

impl<S, N> FormatEvent<S, N> for JsonLine
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let about = event.metadata();
        write!(out, r#"{{"timestamp":"{}","level":"{}""#, Timestamp::now(), about.level())?;
        let mut fields = Fields { out: out.by_ref(), result: Ok(()) };
        event.record(&mut fields);
        fields.result?;
        out.write_str(r#","target":"#)?;
        string(&mut out, about.target())?;
        out.write_str("}\n")
    }
}

/// Writes fields one after the other; keeps the first failure.
struct Fields<'a> {
    out: Writer<'a>,
    result: fmt::Result,
}

impl Fields<'_> {
    fn field(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.result.is_ok() {
            // Names of fields are words in our own source: nothing in them needs escaping.
            let (out, name) = (&mut self.out, field.name());
            let parts = [",\"", name, "\":"];
            self.result =
                parts.iter().try_for_each(|it| out.write_str(it)).and_then(|()| value(out));
        }
    }
}

impl Visit for Fields<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.field(field, |out| string(out, value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.field(field, |out| write!(out, "{value}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.field(field, |out| write!(out, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.field(field, |out| write!(out, "{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.field(field, |out| {
            out.write_char('"')?;
            write!(Escaped(out), "{value:?}")?;
            out.write_char('"')
        });
    }
}

fn string(out: &mut Writer<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    Escaped(out).write_str(text)?;
    out.write_char('"')
}

/// Escapes what a JSON string cannot hold as it is (RFC 8259, section 7).
struct Escaped<'a, 'b>(&'a mut Writer<'b>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut plain = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.0.write_str(&text[plain..at])?;
            match byte {
                b'"' | b'\\' => write!(self.0, "\\{}", char::from(byte))?,
                b'\n' => self.0.write_str("\\n")?,
                _ => write!(self.0, "\\u{byte:04x}")?,
            }
            plain = at + 1;
        }
        self.0.write_str(&text[plain..])
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::Mutex;

    use serde_json::Value;

    use super::*;

    /// Collects what is written.
    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What is logged by `work`.
    fn logged(work: impl FnOnce()) -> String {
        let sink = Sink::default();
        let made = sink.clone();
        let log = tracing_subscriber::fmt()
            .event_format(JsonLine)
            .with_writer(move || made.clone())
            .finish();
        tracing::subscriber::with_default(log, work);
        String::from_utf8(sink.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn the_line_of_a_request_is_that_of_its_event() {
        let peers = ["192.0.2.1", "2001:db8::7"].map(|it| it.parse().unwrap());
        for (peer, bytes) in peers.into_iter().zip([Some(4096), None]) {
            let access = Access {
                method: &hyper::Method::GET,
                path: "/s/secret/\"quoted\"\\é",
                query: "x=1&token=secret",
                status: 200,
                bytes,
                since: std::time::Instant::now(),
                request_id: "r-1",
                peer,
            };
            let event = logged(|| super::super::event(&access, 12));
            let direct = String::from_utf8(of_request(&access, 12)).unwrap();
            let after_time = |line: &str| line.split_once("Z\",").unwrap().1.to_owned();
            assert_eq!(after_time(&direct), after_time(&event));
            assert!(direct.starts_with(r#"{"timestamp":"20"#), "{direct}");
        }
    }

    #[test]
    fn a_line_is_one_json_object_whatever_is_in_it() {
        let nasty = "a \"quote\", a \\, a\nline, a \u{1} and é";
        let text = logged(|| {
            tracing::warn!(target: "here", text = nasty, shown = %nasty, count = 3u64, ok = true, "said {nasty}");
        });
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["text"], nasty);
        assert_eq!(line["shown"], nasty);
        assert_eq!(line["message"], format!("said {nasty}"));
        assert_eq!((&line["count"], &line["ok"]), (&Value::from(3), &Value::from(true)));
        assert_eq!((&line["level"], &line["target"]), (&"WARN".into(), &"here".into()));
    }
}
