//! Parsing of documents with limits, and access to elements and texts.

use roxmltree::Attribute;
use roxmltree::Document;
use roxmltree::Node;
use roxmltree::ParsingOptions;

use super::lexical;
use super::xml_error::XmlError;

/// Maximum number of nodes: the document, elements, texts and comments.
pub const MAX_NODES: u32 = 5_000;

/// Text of a document that passed the lexical checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XmlText(String);

impl XmlText {
    /// Checks a text and normalizes its line ends to line feeds, as XML requires before parsing.
    /// Removes a byte order mark.
    ///
    /// # Errors
    /// The text exceeds a limit, declares another encoding, or has a document type, processing
    /// instructions or names that parsers read differently.
    pub fn new(text: &str) -> Result<Self, XmlError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        // The parser keeps a carriage return before a character reference.
        let text = match text.contains('\r') {
            true => text.replace("\r\n", "\n").replace('\r', "\n"),
            false => text.to_owned(),
        };
        lexical::check(&text)?;
        Ok(Self(text))
    }

    /// Parses the text. The tree borrows it.
    ///
    /// # Errors
    /// The text is not well-formed, or has more than `MAX_NODES` nodes.
    pub fn parse(&self) -> Result<Document<'_>, XmlError> {
        let options =
            ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, entity_resolver: None };
        Document::parse_with_options(&self.0, options)
            .map_err(|error| XmlError::new(format!("the document is not well-formed: {error}")))
    }
}

/// Returns the qualified name of an element as in the source, such as `saml:Issuer`.
pub fn element_name<'a>(element: Node<'a, '_>) -> &'a str {
    name_at(element.document().input_text(), element.range().start + 1)
}

/// Returns the qualified name of an attribute of the element as in the source.
pub fn attribute_name<'a>(element: Node<'a, '_>, attribute: &Attribute<'_, '_>) -> &'a str {
    name_at(element.document().input_text(), attribute.range().start)
}

/// Returns the name that begins at a byte of the text.
fn name_at(text: &str, start: usize) -> &str {
    let text = text.get(start..).unwrap_or_default();
    let is_end = |byte: &u8| matches!(*byte, b' ' | b'\t' | b'\n' | b'\r' | b'=' | b'/' | b'>');
    &text[..text.as_bytes().iter().position(is_end).unwrap_or(text.len())]
}

/// Returns the prefix of a qualified name. Empty if it has none.
pub fn prefix_of(name: &str) -> &str {
    name.split_once(':').map_or("", |(prefix, _)| prefix)
}

/// Returns the child elements of an element that holds only elements and white space.
///
/// # Errors
/// The element contains text or comments.
pub fn element_children<'a, 'input>(
    element: Node<'a, 'input>,
) -> Result<Vec<Node<'a, 'input>>, XmlError> {
    let mut children = Vec::new();
    for child in element.children() {
        if child.is_element() {
            children.push(child);
        } else if !(child.is_text() && child.text().is_none_or(is_blank)) {
            let name = element.tag_name().name();
            return Err(XmlError::new(format!("{name} must contain only elements")));
        }
    }
    Ok(children)
}

/// Returns the text of an element that holds only text. Empty if it holds nothing.
///
/// # Errors
/// The element contains elements or comments.
pub fn text_content<'a>(element: Node<'a, '_>) -> Result<&'a str, XmlError> {
    let mut children = element.children();
    match (children.next(), children.next()) {
        (None, _) => Ok(""),
        (Some(child), None) if child.is_text() => Ok(child.text().unwrap_or_default()),
        _ => Err(XmlError::new(format!("{} must contain only text", element.tag_name().name()))),
    }
}

/// Returns whether a text has only white space.
fn is_blank(text: &str) -> bool {
    text.chars().all(lexical::is_space)
}
