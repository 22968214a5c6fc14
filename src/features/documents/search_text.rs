//! Extracts the searchable text of a document.

use std::collections::HashSet;

use serde_json::Value;

use super::store::search_text as store;
use crate::features::portfolio;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Maximum size of the text extracted from the data of a document.
const MAX_TEXT_BYTES: usize = 64 << 10;
/// Maximum number of bytes of data that are scanned for text.
const MAX_SCANNED_BYTES: usize = 256 << 10;

/// Plain text of a document, without its title and its data.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchTexts {
    /// Subtitle, description and footer, without HTML tags.
    pub captions: Vec<String>,
    /// Title and aliases of the chart kind in all languages, separated by commas.
    pub kind_names: String,
}

/// Loads the searchable text of a document except its title and [`load_data_search_text`]. `None`
/// if the document does not exist.
pub fn load_search_texts(tx: &Tx<'_>, id: &NodeId) -> Result<Option<SearchTexts>> {
    let Some((kind, style)) = store::find_kind_and_style(tx, id)? else { return Ok(None) };
    let mut texts = SearchTexts::default();
    if let Some(info) = portfolio::find_kind(&kind) {
        texts.kind_names = info.all_names().join(", ");
    }
    if let Some(style) = style {
        let style: Value = serde_json::from_str(&style)?;
        for name in ["subtitle", "description", "footer"] {
            let text = style.get(name).and_then(Value::as_str).unwrap_or_default();
            texts.captions.push(html_to_text(text));
        }
    }
    Ok(Some(texts))
}

/// Loads the distinct strings with a letter from the data of a document, joined by ` · `. Keys do
/// not count. Empty if the document does not exist.
///
/// Omits strings beyond `MAX_TEXT_BYTES` of text and records beyond `MAX_SCANNED_BYTES` of data.
pub fn load_data_search_text(tx: &Tx<'_>, id: &NodeId) -> Result<String> {
    let mut data = DataTextCollector::default();
    store::for_each_chunk(tx, id, |chunk| data.add_chunk(chunk))?;
    Ok(data.text)
}

/// Collects the distinct strings in a document's data.
#[derive(Default)]
struct DataTextCollector {
    text: String,
    seen: HashSet<String>,
    scanned_bytes: usize,
}

impl DataTextCollector {
    /// Adds the strings of a chunk as `add_value` does. Returns false if no more chunks are needed,
    /// because a limit is reached.
    ///
    /// Ignores a chunk that exceeds [`MAX_SCANNED_BYTES`] in total or is not valid JSON.
    fn add_chunk(&mut self, chunk: &str) -> bool {
        self.scanned_bytes += chunk.len();
        // A single record may be larger than the limit. It is not even parsed.
        if self.scanned_bytes > MAX_SCANNED_BYTES {
            return false;
        }
        if let Ok(records) = serde_json::from_str::<Value>(&format!("[{chunk}]")) {
            self.add_value(records);
        }
        self.text.len() < MAX_TEXT_BYTES
    }

    /// Adds the strings within a JSON value (not its keys) that contain a letter, are new and fit
    /// within `MAX_TEXT_BYTES`, at any depth. A string that does not fit is left out as a whole.
    fn add_value(&mut self, value: Value) {
        match value {
            Value::String(text) => {
                if self.text.len() + text.len() <= MAX_TEXT_BYTES
                    && text.chars().any(char::is_alphabetic)
                    && !self.seen.contains(&text)
                {
                    if !self.text.is_empty() {
                        self.text.push_str(" · ");
                    }
                    self.text.push_str(&text);
                    self.seen.insert(text);
                }
            }
            Value::Array(list) => list.into_iter().for_each(|item| self.add_value(item)),
            Value::Object(object) => {
                object.into_iter().for_each(|(_, member)| self.add_value(member))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Converts simple HTML to plain text: removes tags and decodes the common entities. Tags of line
/// breaks, paragraphs, list items and divisions become spaces. A `<` that starts no tag stays. The
/// result is not escaped and not trimmed.
pub fn html_to_text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        text.push_str(before);
        let is_tag = tag.get(1..).is_some_and(|rest| {
            rest.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '/' || sign == '!')
        });
        match tag.find('>').filter(|_| is_tag) {
            Some(end) => {
                // `a<br>b` is two words, `<b>o</b>ne` is one.
                let name = tag.trim_start_matches(['<', '/']);
                let name = name.split(|sign: char| !sign.is_ascii_alphanumeric()).next();
                let separates = |tag: &str| name.is_some_and(|name| name.eq_ignore_ascii_case(tag));
                if ["br", "p", "li", "div", "pre"].into_iter().any(separates) {
                    text.push(' ');
                }
                rest = tag.get(end + 1..).unwrap_or_default();
            }
            None => {
                text.push('<');
                rest = tag.get(1..).unwrap_or_default();
            }
        }
    }
    text.push_str(rest);
    for (entity, sign) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&nbsp;", " "), ("&amp;", "&")]
    {
        if text.contains(entity) {
            text = text.replace(entity, sign);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_tags_are_removed() {
        let check = |html: &str, want: &str| assert_eq!(html_to_text(html), want, "{html}");
        check("<b>Net</b> sales<br>a &amp; b", "Net sales a & b");
        check("1 < 2, <", "1 < 2, <");
        check("<a href=\"x\">l</a>ink", "link");
        check("<unclosed", "<unclosed");
        check("<DIV class=\"x\">a</DIV>b", " a b");
        check("<ul><li>a</li></ul>b<br/>c", " a b c");
        check("a<link rel=\"x\"><progress>b</progress>c", "abc");
        check("a<pre>b</pre>c", "a b c");
    }

    #[test]
    fn strings_in_data_are_collected_once_and_up_to_a_limit() {
        let mut data = DataTextCollector::default();
        assert!(data.add_chunk(r#"{"a":"North","b":[{"c":"South"}],"n":1,"d":"2024-01-01"}"#));
        assert!(data.add_chunk(r#"{"a":"North"},{"a":"East"}"#));
        assert_eq!(data.text, "North · South · East");
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_SCANNED_BYTES));
        assert!(!data.add_chunk(&long));
        assert_eq!(data.text, "North · South · East");
    }
}
