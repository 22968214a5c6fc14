//! What a document says in words, for finding it.

use std::collections::HashSet;

use serde_json::Value;

use super::store::texts as store;
use crate::features::portfolio;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;

/// Most bytes of the texts in a document's data that count.
const MOST_TEXT: usize = 64 << 10;
/// Most bytes of data that are looked through for texts.
const MOST_DATA: usize = 256 << 10;

/// A document's texts but for its title and those in its data, as plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Texts {
    /// Subtitle, description and footer.
    pub around: Vec<String>,
    /// Title and other names of its kind.
    pub kind: String,
}

/// The texts of a document but for its title and [`data_texts`]; none when there is no such document.
pub fn texts(tx: &Tx<'_>, id: &NodeId) -> Result<Option<Texts>> {
    let Some((kind, style)) = store::kind_and_style(tx, id)? else { return Ok(None) };
    let mut texts = Texts::default();
    if let Some(info) = portfolio::find(&kind) {
        texts.kind.clone_from(&info.title);
        for alias in &info.aliases {
            texts.kind.push_str(", ");
            texts.kind.push_str(alias);
        }
    }
    if let Some(style) = style {
        let style: Value = serde_json::from_str(&style)?;
        for name in ["subtitle", "description", "footer"] {
            let text = style.get(name).and_then(Value::as_str).unwrap_or_default();
            texts.around.push(plain(text));
        }
    }
    Ok(Some(texts))
}

/// The texts in a document's data, each once.
pub fn data_texts(tx: &Tx<'_>, id: &NodeId) -> Result<String> {
    let mut data = Data::default();
    store::each_chunk(tx, id, |chunk| data.add(chunk))?;
    Ok(data.text)
}

#[derive(Default)]
struct Data {
    text: String,
    seen: HashSet<String>,
    looked_at: usize,
}

impl Data {
    /// Takes up a chunk's texts; whether there is room for more.
    fn add(&mut self, chunk: &str) -> bool {
        self.looked_at += chunk.len();
        // One record may be larger than all that counts: it is not even read.
        if self.looked_at > MOST_DATA {
            return false;
        }
        if let Ok(records) = serde_json::from_str::<Value>(&format!("[{chunk}]")) {
            self.value(records);
        }
        self.text.len() < MOST_TEXT
    }

    fn value(&mut self, value: Value) {
        match value {
            Value::String(text) => {
                if self.text.len() + text.len() <= MOST_TEXT
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
            Value::Array(list) => list.into_iter().for_each(|it| self.value(it)),
            Value::Object(object) => object.into_iter().for_each(|(_, it)| self.value(it)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Simple HTML without its tags, and its common entities as the signs that they stand for.
pub fn plain(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        text.push_str(before);
        let is_tag = tag.get(1..).is_some_and(|it| {
            it.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '/' || sign == '!')
        });
        match tag.find('>').filter(|_| is_tag) {
            Some(end) => {
                // Words on two lines or in two paragraphs are two words; <b>o</b>ne is one.
                let is_break = ["br", "/p", "p", "li", "div"];
                let name = tag.get(1..).unwrap_or_default().to_ascii_lowercase();
                if is_break.iter().any(|it| name.starts_with(it)) {
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
    fn tags_go_and_other_signs_stay() {
        let check = |html: &str, want: &str| assert_eq!(plain(html), want, "{html}");
        check("<b>Net</b> sales<br>a &amp; b", "Net sales a & b");
        check("1 < 2, <", "1 < 2, <");
        check("<a href=\"x\">l</a>ink", "link");
        check("<unclosed", "<unclosed");
    }

    #[test]
    fn texts_of_data_count_once_and_to_a_limit() {
        let mut data = Data::default();
        assert!(data.add(r#"{"a":"North","b":[{"c":"South"}],"n":1,"d":"2024-01-01"}"#));
        assert!(data.add(r#"{"a":"North"},{"a":"East"}"#));
        assert_eq!(data.text, "North · South · East");
        let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MOST_DATA));
        assert!(!data.add(&long));
        assert_eq!(data.text, "North · South · East");
    }
}
