//! Encodes the content of a version as one JSON object: the writable fields, then `data`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::features::documents::records;
use crate::features::documents::store::Document;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// A decoded version of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// The document with the content of the version, but the current owner and folder.
    ///
    /// `updated` and `updated_by` are those of the version, `history_version` is its number.
    pub document: Document,
    /// The records as JSON text, joined by commas.
    pub records: String,
}

/// Encodes the content of a document as one uncompressed JSON object: the writable fields, then
/// `data`.
///
/// `records` are JSON records joined by commas, without brackets. They are copied without a check.
pub fn encode_content_json(document: &Document, records: &str) -> Result<Vec<u8>> {
    let capacity = document.settings.len()
        + document.style.as_ref().map_or(0, String::len)
        + document.svg.as_ref().map_or(0, String::len)
        + records.len();
    // 400 bytes are enough for the other fields, except a long title.
    let mut out = Vec::with_capacity(capacity + 400);
    let write_string = |out: &mut Vec<u8>, key: &str, text: &str| {
        out.extend_from_slice(key.as_bytes());
        serde_json::to_writer(out, text)
    };
    write_string(&mut out, "{\"plugin_id\":", &document.kind)?;
    write_string(&mut out, ",\"title\":", &document.title)?;
    write_string(&mut out, ",\"theme\":", &document.theme)?;
    let fields = [
        (",\"isPublic\":", if document.is_public { "true" } else { "false" }),
        (",\"version\":", &document.schema_version.to_string()),
        (",\"settings\":", &document.settings),
        (",\"custom_theme\":", document.custom_theme.as_deref().unwrap_or("null")),
        (",\"style\":", document.style.as_deref().unwrap_or("null")),
    ];
    for (key, json) in fields {
        out.extend_from_slice(key.as_bytes());
        out.extend_from_slice(json.as_bytes());
    }
    if let Some(svg) = &document.svg {
        write_string(&mut out, ",\"svg\":", svg)?;
    }
    out.extend_from_slice(b",\"data\":[");
    out.extend_from_slice(records.as_bytes());
    out.extend_from_slice(b"]}");
    Ok(out)
}

/// The JSON object that [`encode_content_json`] writes, borrowed from its text.
#[derive(Deserialize)]
struct EncodedContent<'a> {
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

/// Decodes a decompressed text of [`encode_content_json`], with only the first `count` records,
/// because earlier versions can share the text.
///
/// Fields that the text does not contain (such as owner, folder, `updated` and `history_version`)
/// are copied from `current`.
///
/// # Errors
/// `Internal` if the text cannot be parsed or has fewer than `count` records.
pub fn decode_content_json(text: &[u8], current: &Document, count: i64) -> Result<Version> {
    let fields: EncodedContent<'_> = serde_json::from_slice(text)?;
    let data = fields.data.get().strip_prefix('[').and_then(|data| data.strip_suffix(']'));
    let data = data.ok_or_else(|| Error::internal("the records of a version are not an array"))?;
    let records = records::first_records(data, count)?.to_owned();
    let to_text = |field: Option<&RawValue>| field.map(|value| value.get().to_owned());
    let document = Document {
        kind: fields.plugin_id.into_owned(),
        title: fields.title.into_owned(),
        theme: fields.theme.into_owned(),
        is_public: fields.is_public,
        schema_version: fields.version,
        settings: fields.settings.get().to_owned(),
        custom_theme: to_text(fields.custom_theme),
        style: to_text(fields.style),
        svg: fields.svg.map(Cow::into_owned),
        record_count: count,
        data_bytes: i64::try_from(records.len()).unwrap_or(i64::MAX),
        ..current.clone()
    };
    Ok(Version { document, records })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::time::Timestamp;

    #[test]
    fn decoding_returns_the_encoded_content() {
        let records = r#"{"a":"},{\"\\","b":[1,{"c":2.50}]},{},{"é":null}"#;
        let document = Document {
            title: "A \"title\" \\ é".to_owned(),
            kind: "k".to_owned(),
            settings: r#"{"b":1.10,"a":[1e3]}"#.to_owned(),
            style: Some("{}".to_owned()),
            svg: Some("<svg id=\"x\"/>".to_owned()),
            is_public: true,
            schema_version: 3,
            record_count: 3,
            data_bytes: records.len() as i64,
            ..Document::empty(Timestamp(5))
        };
        let text = encode_content_json(&document, records).unwrap();
        let version = decode_content_json(&text, &document, 3).unwrap();
        assert_eq!(version, Version { document: document.clone(), records: records.to_owned() });
        assert!(serde_json::from_slice::<serde_json::Value>(&text).unwrap()["data"][0].is_object());
        let shorter = decode_content_json(&text, &document, 1).unwrap();
        assert_eq!(shorter.records, r#"{"a":"},{\"\\","b":[1,{"c":2.50}]}"#);
        assert_eq!(decode_content_json(&text, &document, 0).unwrap().records, "");
        assert!(decode_content_json(&text, &document, 4).is_err());
    }
}
