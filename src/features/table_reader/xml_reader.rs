//! Streaming reader of XML parts with bounded depth and token size.

use std::borrow::Cow;
use std::io::BufReader;

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::BytesStart;
use quick_xml::events::Event;

use super::limits::damaged;
use super::zip_archive::ZipPart;
use chartroom_platform::error::Result;

/// Maximum depth of nested elements.
const MAX_DEPTH: usize = 100;

/// Reader of one XML part of a ZIP file.
pub(super) struct XmlReader<'a> {
    reader: Reader<BufReader<ZipPart<'a>>>,
    buffer: Vec<u8>,
    /// Number of open elements.
    depth: usize,
}

/// An event of an XML file. An empty element gives a start and an end.
pub(super) enum XmlNode<'a> {
    Start(XmlElement<'a>),
    End(XmlName<'a>),
    /// A part of a text, with entities replaced.
    Text(Cow<'a, str>),
    /// A comment or an instruction.
    Other,
    Eof,
}

/// The start of an element.
pub(super) struct XmlElement<'a>(BytesStart<'a>);

/// The name of an element that ends.
pub(super) struct XmlName<'a>(quick_xml::events::BytesEnd<'a>);

impl XmlElement<'_> {
    /// Returns the name of the element without its namespace prefix.
    pub fn name(&self) -> &str {
        local_name(self.0.name().0)
    }

    /// Returns the value of the first attribute with a name, with entities replaced. The name includes
    /// the prefix if the attribute has one. None if it is absent or not valid.
    pub fn attribute(&self, name: &str) -> Option<Cow<'_, str>> {
        let attribute = self.0.try_get_attribute(name).ok().flatten()?;
        attribute.normalized_value(XmlVersion::Implicit1_0).ok()
    }

    /// Returns the value of the first attribute with a name after any prefix or without one, with
    /// entities replaced. None if it is absent or not valid.
    pub fn attribute_with_any_prefix(&self, name: &str) -> Option<String> {
        let mut attributes = self.0.attributes();
        attributes.with_checks(false);
        let found = attributes.flatten().find(|attribute| local_name(attribute.key.0) == name)?;
        found.normalized_value(XmlVersion::Implicit1_0).ok().map(Cow::into_owned)
    }
}

impl XmlName<'_> {
    /// Returns the name of the element without its namespace prefix.
    pub fn name(&self) -> &str {
        local_name(self.0.name().0)
    }
}

impl<'a> XmlReader<'a> {
    /// Creates a reader before the first event of a part.
    pub fn new(part: ZipPart<'a>) -> Self {
        let mut reader = Reader::from_reader(BufReader::new(part));
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new(), depth: 0 }
    }

    /// Reads the next event. Returns `Eof` at the end of the part.
    ///
    /// # Errors
    /// `InvalidFields` about `body` if the part is not well-formed, nested too
    /// deeply or has a too long tag or text, or after the deadline of the table.
    pub fn next(&mut self) -> Result<XmlNode<'_>> {
        self.buffer.clear();
        self.reader.get_mut().get_mut().mark()?;
        Ok(match self.reader.read_event_into(&mut self.buffer).map_err(damaged)? {
            Event::Start(element) | Event::Empty(element) => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(damaged(format_args!(
                        "it is nested deeper than {MAX_DEPTH} levels"
                    )));
                }
                XmlNode::Start(XmlElement(element))
            }
            Event::End(name) => {
                self.depth = self.depth.saturating_sub(1);
                XmlNode::End(XmlName(name))
            }
            Event::Text(text) => XmlNode::Text(text.xml10_content()),
            Event::CData(text) => XmlNode::Text(text.xml10_content()),
            Event::GeneralRef(reference) => XmlNode::Text(match reference.resolve_char_ref() {
                Ok(Some(character)) => Cow::Owned(character.to_string()),
                // An unknown entity stays as it is, so that no text is lost.
                _ => match resolve_predefined_entity(&reference) {
                    Some(text) => Cow::Borrowed(text),
                    None => Cow::Owned(format!("&{};", &*reference)),
                },
            }),
            Event::Eof => XmlNode::Eof,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => XmlNode::Other,
        })
    }
}

/// Returns the part of a name after its last colon, or the whole name without one.
fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}
