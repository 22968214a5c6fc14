//! Title and footer of a chart from the texts above and below its table.

use serde_json::Value;
use serde_json::value;

use super::json::RawObject;
use super::page;
use super::store::Document;
use crate::features::tables::TableMapping;
use chartroom_platform::error::Result;

/// Maximum number of characters of a footer. Longer notes would take the space of the chart.
pub const MAX_FOOTER_CHARS: usize = 300;

/// Texts of a table for a document that gets its first data.
#[derive(Debug, Clone, Default)]
pub struct TableTexts {
    pub title: Option<String>,
    /// Footer as simple HTML.
    pub footer: Option<String>,
}

impl TableTexts {
    /// Sets the texts that a document lacks.
    ///
    /// # Errors
    /// `Internal` if the stored style is not valid JSON.
    pub fn add_to(&self, document: &mut Document) -> Result<()> {
        if let Some(title) = self.title.as_ref().filter(|_| document.title.is_empty()) {
            document.title.clone_from(title);
        }
        if let Some(footer) = &self.footer {
            let style = document.style.as_deref().unwrap_or("{}");
            document.style = Some(add_footer(style, footer)?);
        }
        Ok(())
    }
}

/// Returns the footer that shows the notes below the records of a table, such as the source of the data,
/// one per line. None if there are no notes, or too many characters.
pub fn find_footer(mapping: &TableMapping<'_>) -> Option<String> {
    let notes = mapping.left_out.iter().map(|row| row.whole_note.trim());
    let notes: Vec<&str> = notes.filter(|note| !note.is_empty()).collect();
    let length: usize = notes.iter().map(|note| note.chars().count()).sum();
    if notes.is_empty() || length > MAX_FOOTER_CHARS {
        return None;
    }
    let mut footer = String::new();
    for note in notes {
        if !footer.is_empty() {
            footer.push_str("<br>");
        }
        page::escape_html(note, &mut footer);
    }
    Some(footer)
}

/// Returns a style, a JSON object, with a footer. A style that has one stays as it is.
///
/// # Errors
/// `Internal` if the style is not valid JSON.
fn add_footer(style: &str, footer: &str) -> Result<String> {
    let mut style = RawObject::parse(style)?;
    let own = style.0.iter().find(|(name, _)| name == "footer");
    if own.is_none_or(|(_, value)| matches!(value.get(), "null" | "\"\"")) {
        style.set("footer", value::to_raw_value(&Value::from(footer))?);
    }
    Ok(style.to_json()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_does_not_replace_that_of_the_document() {
        let add = |style: &str| add_footer(style, "Source: A &amp; B").unwrap();
        assert_eq!(add("{}"), r#"{"footer":"Source: A &amp; B"}"#);
        assert_eq!(
            add(r#"{"footer":"","width":9}"#),
            r#"{"footer":"Source: A &amp; B","width":9}"#
        );
        assert_eq!(add(r#"{"footer":"Own"}"#), r#"{"footer":"Own"}"#);
    }
}
