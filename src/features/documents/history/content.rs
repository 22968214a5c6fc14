//! What a version holds, as one JSON text: the writable fields, `data` last.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::features::documents::store::Head;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// A document as it was in a version.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// Where the document is now, and everything else as it was. `updated` and `updated_by` are the
    /// version's, `history_version` is its number.
    pub head: Head,
    /// The records as JSON text, joined by commas.
    pub records: String,
}

/// The text of a version; `records` joined by commas.
pub fn write(head: &Head, records: &str) -> Result<Vec<u8>> {
    let most = head.settings.len()
        + head.style.as_ref().map_or(0, String::len)
        + head.svg.as_ref().map_or(0, String::len)
        + records.len();
    // 400 bytes for the rest, titles aside.
    let mut out = Vec::with_capacity(most + 400);
    let string = |out: &mut Vec<u8>, key: &str, text: &str| {
        out.extend_from_slice(key.as_bytes());
        serde_json::to_writer(out, text)
    };
    string(&mut out, "{\"plugin_id\":", &head.kind)?;
    string(&mut out, ",\"title\":", &head.title)?;
    string(&mut out, ",\"theme\":", &head.theme)?;
    let fields = [
        (",\"isPublic\":", if head.is_public { "true" } else { "false" }),
        (",\"version\":", &head.schema_version.to_string()),
        (",\"settings\":", &head.settings),
        (",\"custom_theme\":", head.custom_theme.as_deref().unwrap_or("null")),
        (",\"style\":", head.style.as_deref().unwrap_or("null")),
    ];
    for (key, json) in fields {
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(json.as_bytes());
    }
    if let Some(svg) = &head.svg {
        string(&mut out, ",\"svg\":", svg)?;
    }
    out.extend_from_slice(b",\"data\":[");
    out.extend_from_slice(records.as_bytes());
    out.extend_from_slice(b"]}");
    Ok(out)
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    plugin_id: Cow<'a, str>,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    theme: Cow<'a, str>,
    #[serde(rename = "isPublic")]
    is_public: bool,
    version: i64,
    #[serde(borrow)]
    settings: &'a RawValue,
    #[serde(borrow)]
    custom_theme: Option<&'a RawValue>,
    #[serde(borrow)]
    style: Option<&'a RawValue>,
    #[serde(borrow, default)]
    svg: Option<Cow<'a, str>>,
    #[serde(borrow)]
    data: &'a RawValue,
}

/// Reads a version's text: the first `count` of its records over where the document is now.
///
/// # Errors
/// When it is no such text, or has fewer records.
pub fn read(text: &[u8], now: &Head, count: i64) -> Result<Version> {
    let fields: Fields<'_> = serde_json::from_slice(text)?;
    let data = fields.data.get().strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let data = data.ok_or_else(|| Error::internal("the records of a version are no array"))?;
    let records = first(data, count)?.to_owned();
    let raw = |field: Option<&RawValue>| field.map(|it| it.get().to_owned());
    let head = Head {
        kind: fields.plugin_id.into_owned(),
        title: fields.title.into_owned(),
        theme: fields.theme.into_owned(),
        is_public: fields.is_public,
        schema_version: fields.version,
        settings: fields.settings.get().to_owned(),
        custom_theme: raw(fields.custom_theme),
        style: raw(fields.style),
        svg: fields.svg.map(Cow::into_owned),
        record_count: count,
        data_bytes: i64::try_from(records.len()).unwrap_or(i64::MAX),
        ..now.clone()
    };
    Ok(Version { head, records })
}

/// The first `count` of the records in a text that joins them by commas.
///
/// # Errors
/// When there are fewer.
pub fn first(joined: &str, count: i64) -> Result<&str> {
    let mut left = count;
    if left <= 0 || joined.is_empty() {
        return if left <= 0 { Ok("") } else { Err(too_few()) };
    }
    for end in ends(joined) {
        left -= 1;
        if left == 0 {
            return Ok(&joined[..end]);
        }
    }
    Err(too_few())
}

fn too_few() -> Error {
    Error::internal("a version has fewer records than it says")
}

/// The records in a text that joins them by commas.
pub fn split(joined: &str) -> Vec<&str> {
    let mut from = 0;
    let cut = |end: usize| {
        let record = &joined[from..end];
        from = end + 1;
        record
    };
    if joined.is_empty() { Vec::new() } else { ends(joined).map(cut).collect() }
}

/// Where each record ends in a text that joins them by commas and is not empty.
fn ends(joined: &str) -> impl Iterator<Item = usize> {
    let bytes = joined.as_bytes();
    let (mut at, mut depth, mut in_string) = (0, 0usize, false);
    let mut ended = false;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            at += 1;
            match byte {
                b'\\' if in_string => at += 1,
                b'"' => in_string = !in_string,
                _ if in_string => {}
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => return Some(at - 1),
                _ => {}
            }
        }
        (!std::mem::replace(&mut ended, true)).then_some(bytes.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn a_version_is_read_as_it_was_written() {
        let records = r#"{"a":"},{\"\\","b":[1,{"c":2.50}]},{},{"é":null}"#;
        let head = Head {
            title: "A \"title\" \\ é".to_owned(),
            kind: "k".to_owned(),
            settings: r#"{"b":1.10,"a":[1e3]}"#.to_owned(),
            style: Some("{}".to_owned()),
            svg: Some("<svg id=\"x\"/>".to_owned()),
            is_public: true,
            schema_version: 3,
            record_count: 3,
            data_bytes: records.len() as i64,
            ..Head::empty(Timestamp(5))
        };
        let text = write(&head, records).unwrap();
        let version = read(&text, &head, 3).unwrap();
        assert_eq!(version, Version { head: head.clone(), records: records.to_owned() });
        assert!(serde_json::from_slice::<serde_json::Value>(&text).unwrap()["data"][0].is_object());
        let shorter = read(&text, &head, 1).unwrap();
        assert_eq!(shorter.records, r#"{"a":"},{\"\\","b":[1,{"c":2.50}]}"#);
        assert_eq!(read(&text, &head, 0).unwrap().records, "");
        assert!(read(&text, &head, 4).is_err());
        assert_eq!(split(records).len(), 3);
        assert_eq!(split(records)[1], "{}");
        assert_eq!(split(""), Vec::<&str>::new());
        assert!(first("", 1).is_err());
    }
}
