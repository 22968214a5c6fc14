//! Events as CSV and as JSON Lines.

use crate::features::audit::Event;
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

/// Returns events as CSV (RFC 4180) with a header line. The details are a JSON text.
///
/// A value that a spreadsheet would evaluate as a formula begins with an apostrophe, because guests
/// and other clients determine some of the values.
pub fn to_csv(events: &[Event]) -> Result<Vec<u8>> {
    let mut out = String::new();
    push_line(&mut out, &COLUMNS);
    for event in events {
        let (created, details) =
            (event.created.to_string(), serde_json::to_string(&event.details)?);
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
        push_line(&mut out, &values);
    }
    Ok(out.into_bytes())
}

/// Appends a line with these values.
fn push_line(out: &mut String, values: &[&str]) {
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push_value(out, value);
    }
    out.push_str("\r\n");
}

/// Appends a value, in quotes if it needs them, with an apostrophe if a spreadsheet would evaluate
/// it.
fn push_value(out: &mut String, value: &str) {
    let is_formula = value.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    let prefix = if is_formula { "'" } else { "" };
    match value.contains(['"', ',', '\r', '\n']) {
        true => {
            out.push('"');
            out.push_str(prefix);
            out.push_str(&value.replace('"', "\"\""));
            out.push('"');
        }
        false => {
            out.push_str(prefix);
            out.push_str(value);
        }
    }
}

/// Returns events as JSON Lines: one JSON object per line.
pub fn to_json_lines(events: &[Event]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    for event in events {
        serde_json::to_writer(&mut out, event)?;
        out.push(b'\n');
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_quoted_and_defused() {
        let check = |value: &str, want: &str| {
            let mut out = String::new();
            push_value(&mut out, value);
            assert_eq!(out, want);
        };
        check("Sales", "Sales");
        check("", "");
        check("Sales, \"EU\"", "\"Sales, \"\"EU\"\"\"");
        check("two\nlines", "\"two\nlines\"");
        check("=1+1", "'=1+1");
        check("+49", "'+49");
        check("-1", "'-1");
        check("@SUM(A1)", "'@SUM(A1)");
        check("\t=1", "'\t=1");
        check("=HYPERLINK(\"x\",\"y\")", "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
        check("2027-01-31T12:00:00.000Z", "2027-01-31T12:00:00.000Z");
    }
}
