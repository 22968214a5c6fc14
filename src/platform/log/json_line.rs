//! Log events as lines of JSON, written without an intermediate JSON tree.
//!
//! The JSON formatter of `tracing_subscriber` takes several times as long. Records of the access
//! log, which are most lines, do not even become a `tracing` event.

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

use super::access::ACCESS_TARGET;
use super::access::AccessRecord;
use super::redact::redact_url;
use crate::time::Timestamp;

/// A line of the access log, with the fields that [`JsonLineFormat`] writes for the same event.
#[derive(Serialize)]
struct AccessLine<'a> {
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

/// Formats a record as a line of JSON that ends in a line break, without the secrets in its URL.
/// `micros` is the duration of the request in microseconds.
pub fn format_record(record: &AccessRecord<'_>, micros: u64) -> Vec<u8> {
    let fields = AccessLine {
        timestamp: Timestamp::now(),
        level: Level::INFO.as_str(),
        method: record.method.as_str(),
        path: &redact_url(record.path, record.query),
        status: record.status,
        bytes: record.bytes,
        micros,
        request_id: record.request_id,
        peer: record.peer,
        target: ACCESS_TARGET,
    };
    // 300 bytes are enough for everything except path and query.
    let mut line = Vec::with_capacity(record.path.len() + record.query.len() + 300);
    // Serializing strings and numbers into memory cannot fail.
    drop(serde_json::to_writer(&mut line, &fields));
    line.push(b'\n');
    line
}

/// An event formatter for JSON lines: `timestamp`, `level`, the fields of the event, and `target`.
pub struct JsonLineFormat;

impl<S, N> FormatEvent<S, N> for JsonLineFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    /// Writes one line of JSON with the time, the level, the fields and the target of an event.
    /// Ignores the spans around it.
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut out: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let metadata = event.metadata();
        write!(out, r#"{{"timestamp":"{}","level":"{}""#, Timestamp::now(), metadata.level())?;
        let mut fields = FieldWriter { out: out.by_ref(), result: Ok(()) };
        event.record(&mut fields);
        fields.result?;
        out.write_str(r#","target":"#)?;
        write_string(&mut out, metadata.target())?;
        out.write_str("}\n")
    }
}

/// A visitor that writes each field of an event. It stops at the first error and keeps it.
struct FieldWriter<'a> {
    out: Writer<'a>,
    result: fmt::Result,
}

impl FieldWriter<'_> {
    /// Writes a comma and the name of a field, then calls `value` to write its value. Does nothing
    /// after an error.
    fn write_field(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        if self.result.is_ok() {
            // Field names are identifiers in the source code, so they need no escaping.
            let (out, name) = (&mut self.out, field.name());
            let parts = [",\"", name, "\":"];
            self.result =
                parts.iter().try_for_each(|part| out.write_str(part)).and_then(|()| value(out));
        }
    }
}

impl Visit for FieldWriter<'_> {
    /// Writes the field as an escaped JSON string.
    fn record_str(&mut self, field: &Field, value: &str) {
        self.write_field(field, |out| write_string(out, value));
    }

    /// Writes the field as a JSON number.
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write_field(field, |out| write!(out, "{value}"));
    }

    /// Writes the field as a JSON number.
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.write_field(field, |out| write!(out, "{value}"));
    }

    /// Writes the field as `true` or `false`.
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.write_field(field, |out| write!(out, "{value}"));
    }

    /// Writes the `Debug` text of the value as an escaped JSON string. Other types, such as
    /// floating-point numbers, also get here.
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.write_field(field, |out| {
            out.write_char('"')?;
            write!(JsonEscaper(out), "{value:?}")?;
            out.write_char('"')
        });
    }
}

/// Writes a text as a JSON string, with quotes and escaped.
fn write_string(out: &mut Writer<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    JsonEscaper(out).write_str(text)?;
    out.write_char('"')
}

/// A writer that escapes text for a JSON string (RFC 8259, section 7).
struct JsonEscaper<'a, 'b>(&'a mut Writer<'b>);

impl Write for JsonEscaper<'_, '_> {
    /// Writes a text with quotation marks, backslashes and control characters escaped, without
    /// quotes around it.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Start of the text that is not written yet.
        let mut start = 0;
        for (index, byte) in text.bytes().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            self.0.write_str(&text[start..index])?;
            match byte {
                b'"' | b'\\' => write!(self.0, "\\{}", char::from(byte))?,
                b'\n' => self.0.write_str("\\n")?,
                _ => write!(self.0, "\\u{byte:04x}")?,
            }
            start = index + 1;
        }
        self.0.write_str(&text[start..])
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::Mutex;

    use serde_json::Value;

    use super::*;

    /// A writer that collects the log in memory.
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

    /// Returns the JSON log of `work`.
    fn capture_log(work: impl FnOnce()) -> String {
        let sink = Sink::default();
        let writer = sink.clone();
        let log = tracing_subscriber::fmt()
            .event_format(JsonLineFormat)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(log, work);
        String::from_utf8(sink.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_formatted_record_equals_the_line_of_its_event() {
        let peers = ["192.0.2.1", "2001:db8::7"].map(|address| address.parse().unwrap());
        for (peer, bytes) in peers.into_iter().zip([Some(4096), None]) {
            let record = AccessRecord {
                method: &hyper::Method::GET,
                path: "/s/secret/\"quoted\"\\é",
                query: "x=1&token=secret",
                status: 200,
                bytes,
                received_at: std::time::Instant::now(),
                request_id: "r-1",
                peer,
            };
            let event = capture_log(|| super::super::access::emit_event(&record, 12));
            let direct = String::from_utf8(format_record(&record, 12)).unwrap();
            let after_time = |line: &str| line.split_once("Z\",").unwrap().1.to_owned();
            assert_eq!(after_time(&direct), after_time(&event));
            assert!(direct.starts_with(r#"{"timestamp":"20"#), "{direct}");
        }
    }

    #[test]
    fn every_event_is_one_line_with_valid_json() {
        let nasty = "a \"quote\", a \\, a\nline, a \u{1} and é";
        let text = capture_log(|| {
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
