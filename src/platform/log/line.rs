//! An event as one line of JSON. Every request writes such a line, so it costs no tree of values
//! and no memory of its own: the subscriber's formatter takes several times as long.

use std::fmt;
use std::fmt::Write;

use tracing::Event;
use tracing::Subscriber;
use tracing::field::Field;
use tracing::field::Visit;
use tracing_subscriber::fmt::FmtContext;
use tracing_subscriber::fmt::FormatEvent;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::registry::LookupSpan;

use crate::platform::time::Timestamp;

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

    #[test]
    fn a_line_is_one_json_object_whatever_is_in_it() {
        let sink = Sink::default();
        let made = sink.clone();
        let log = tracing_subscriber::fmt()
            .event_format(JsonLine)
            .with_writer(move || made.clone())
            .finish();
        let nasty = "a \"quote\", a \\, a\nline, a \u{1} and é";
        tracing::subscriber::with_default(log, || {
            tracing::warn!(target: "here", text = nasty, shown = %nasty, count = 3u64, ok = true, "said {nasty}");
        });
        let text = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let line: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(line["text"], nasty);
        assert_eq!(line["shown"], nasty);
        assert_eq!(line["message"], format!("said {nasty}"));
        assert_eq!((&line["count"], &line["ok"]), (&Value::from(3), &Value::from(true)));
        assert_eq!((&line["level"], &line["target"]), (&"WARN".into(), &"here".into()));
    }
}
