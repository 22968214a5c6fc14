//! Exclusive XML canonicalization 1.0 without comments (W3C, 18 July 2002).

use roxmltree::Node;
use roxmltree::NodeId;
use roxmltree::NodeType;

use super::tree::attribute_name;
use super::tree::element_name;
use super::tree::prefix_of;
use super::xml_error::XmlError;

/// Maximum length of the result. A namespace that many siblings declare again makes it longer than
/// the document.
const MAX_CANONICAL_BYTES: usize = 1 << 20;

/// Returns the canonical form of an element with its content.
///
/// `inclusive_prefixes` is the PrefixList: prefixes that are declared even if no name uses them. The
/// empty prefix is the default namespace. `excluded` is left out with its content; the text around
/// it stays.
///
/// # Errors
/// The result is longer than 1 MiB, or the element contains a processing instruction.
pub fn canonicalize(
    element: Node<'_, '_>,
    inclusive_prefixes: &[&str],
    excluded: Option<NodeId>,
) -> Result<String, XmlError> {
    let mut writer = Writer { output: String::new(), inclusive_prefixes, rendered: Vec::new() };
    let mut steps = vec![Step::Open(element)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Close(name, rendered) => {
                writer.rendered.truncate(rendered);
                writer.output.extend(["</", name, ">"]);
            }
            Step::Open(node) if Some(node.id()) == excluded => {}
            Step::Open(node) => match node.node_type() {
                NodeType::Element => {
                    let name = element_name(node);
                    steps.push(Step::Close(name, writer.rendered.len()));
                    writer.write_start_tag(node, name);
                    steps.extend(node.children().rev().map(Step::Open));
                }
                NodeType::Text => escape_text(node.text().unwrap_or_default(), &mut writer.output),
                NodeType::Comment => {}
                NodeType::PI | NodeType::Root => {
                    return Err(XmlError::new("the element cannot be canonicalized"));
                }
            },
        }
        if writer.output.len() > MAX_CANONICAL_BYTES {
            return Err(XmlError::new("the canonical form is longer than 1 MiB"));
        }
    }
    Ok(writer.output)
}

/// A part of the document that remains to be written.
enum Step<'a, 'input> {
    /// A node with its content.
    Open(Node<'a, 'input>),
    /// An end tag with its name, and the number of namespaces that are rendered outside of it.
    Close(&'a str, usize),
}

/// The output, and the namespaces that are declared at its end.
struct Writer<'a> {
    output: String,
    inclusive_prefixes: &'a [&'a str],
    /// Prefixes and namespaces that output ancestors declare. Later entries hide earlier ones.
    rendered: Vec<(&'a str, &'a str)>,
}

impl<'a> Writer<'a> {
    /// Writes the start tag of an element.
    fn write_start_tag(&mut self, element: Node<'a, '_>, name: &'a str) {
        let mut attributes: Vec<_> = element
            .attributes()
            .map(|attribute| {
                let key = (attribute.namespace().unwrap_or_default(), attribute.name());
                (key, attribute_name(element, &attribute), attribute.value())
            })
            .collect();
        attributes.sort_unstable_by_key(|(key, ..)| *key);
        self.output.extend(["<", name]);
        let prefixes = attributes.iter().map(|(_, name, _)| prefix_of(name));
        // An attribute without a prefix is in no namespace.
        let prefixes = prefixes.filter(|prefix| !prefix.is_empty()).chain([prefix_of(name)]);
        self.write_declarations(element, prefixes.collect());
        for (_, name, value) in attributes {
            self.output.extend([" ", name, "=\""]);
            escape_attribute(value, &mut self.output);
            self.output.push('"');
        }
        self.output.push('>');
    }

    /// Writes the declarations of the prefixes that the names of an element and its attributes use.
    fn write_declarations(&mut self, element: Node<'a, '_>, mut prefixes: Vec<&'a str>) {
        prefixes.extend(self.inclusive_prefixes);
        prefixes.sort_unstable();
        prefixes.dedup();
        for prefix in prefixes.into_iter().filter(|prefix| *prefix != "xml") {
            let wanted = Some(prefix).filter(|prefix| !prefix.is_empty());
            let declared = element.namespaces().find(|namespace| namespace.name() == wanted);
            let namespace = declared.map_or("", |namespace| namespace.uri());
            let rendered = self.rendered.iter().rev().find(|(rendered, _)| *rendered == prefix);
            if rendered.map_or("", |(_, namespace)| namespace) == namespace {
                continue;
            }
            self.rendered.push((prefix, namespace));
            let name = if prefix.is_empty() { [" xmlns", ""] } else { [" xmlns:", prefix] };
            self.output.extend(name);
            self.output.push_str("=\"");
            escape_attribute(namespace, &mut self.output);
            self.output.push('"');
        }
    }
}

/// Appends a text with the escapes that the standard requires in text.
fn escape_text(text: &str, output: &mut String) {
    for char in text.chars() {
        match char {
            '&' => output.push_str("&amp;"),
            '<' => output.push_str("&lt;"),
            '>' => output.push_str("&gt;"),
            '\r' => output.push_str("&#xD;"),
            other => output.push(other),
        }
    }
}

/// Appends a text with the escapes that the standard requires in the value of an attribute. Also correct
/// for the content of an element that has no white space but spaces.
pub fn escape_attribute(text: &str, output: &mut String) {
    for char in text.chars() {
        match char {
            '&' => output.push_str("&amp;"),
            '<' => output.push_str("&lt;"),
            '"' => output.push_str("&quot;"),
            '\t' => output.push_str("&#x9;"),
            '\n' => output.push_str("&#xA;"),
            '\r' => output.push_str("&#xD;"),
            other => output.push(other),
        }
    }
}
