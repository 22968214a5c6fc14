//! Checks of the source text of a document before a parser builds a tree.
//!
//! They bound the work of the parser, and reject constructs that parsers read differently: a second
//! default namespace on an element, attributes such as `p:xmlns`, names that begin with a colon,
//! references to characters that do not exist, and other encodings and versions.

use super::xml_error::XmlError;

/// Maximum nesting depth of elements.
pub const MAX_DEPTH: usize = 30;
/// Maximum number of attributes of an element, and also of its namespace declarations.
pub const MAX_ATTRIBUTES: usize = 32;
/// Maximum number of namespace declarations of an element and its ancestors together. The parser
/// copies them for each element that declares another one.
const MAX_DECLARATIONS_IN_SCOPE: usize = 64;
/// Maximum length of a qualified name in bytes.
const MAX_NAME_BYTES: usize = 256;
/// Maximum number of `<`. The parser reserves memory for a node per `<`; an element has two.
const MAX_ANGLE_BRACKETS: usize = 20_000;
/// Maximum number of `=`. The parser reserves memory for an attribute per `=`.
const MAX_EQUALS_SIGNS: usize = 50_000;

/// Checks the text of a document without byte order mark and carriage returns.
///
/// The parser still checks everything else, such as matching tags. In a document that is not
/// well-formed, this function and the parser agree up to the first error.
///
/// # Errors
/// The text exceeds a limit, or contains a processing instruction, a document type or a rejected
/// construct.
pub fn check(text: &str) -> Result<(), XmlError> {
    let count = |wanted: char| text.matches(wanted).count();
    if count('<') > MAX_ANGLE_BRACKETS || count('=') > MAX_EQUALS_SIGNS {
        return Err(XmlError::new("the document has too many elements or attributes"));
    }
    let mut scanner = Scanner { rest: skip_declaration(text)?, declarations: Vec::new() };
    while let Some(start) = scanner.rest.find('<') {
        let (before, markup) = scanner.rest.split_at(start);
        check_references(before)?;
        scanner.rest = markup;
        scanner.skip_markup()?;
    }
    check_references(scanner.rest)
}

/// Returns the text after the XML declaration.
fn skip_declaration(text: &str) -> Result<&str, XmlError> {
    // With another separator than a space, the parser reads a processing instruction.
    if !text.starts_with("<?xml ") {
        return Ok(text);
    }
    let malformed = || XmlError::new("the XML declaration is malformed");
    let (mut declaration, rest) = text["<?xml".len()..].split_once("?>").ok_or_else(malformed)?;
    for (name, allowed) in [
        ("version", &["1.0"][..]),
        ("encoding", &["utf-8", "utf8"]),
        ("standalone", &["yes", "no"]),
    ] {
        let trimmed = skip_space(declaration);
        let Some(value) = trimmed.strip_prefix(name) else {
            if name == "version" {
                return Err(malformed());
            }
            continue;
        };
        if trimmed.len() == declaration.len() {
            return Err(malformed());
        }
        let value = skip_space(value).strip_prefix('=').ok_or_else(malformed)?;
        let (value, after) = split_quoted(skip_space(value))?;
        if !allowed.contains(&value.to_ascii_lowercase().as_str()) {
            return Err(XmlError::new("the document must be XML 1.0 in UTF-8"));
        }
        declaration = after;
    }
    match declaration.trim_matches(is_space).is_empty() {
        true => Ok(rest),
        false => Err(malformed()),
    }
}

/// Position in the text, and the elements that are open there.
struct Scanner<'a> {
    /// Text that has not been checked.
    rest: &'a str,
    /// Number of namespace declarations of each open element and its ancestors.
    declarations: Vec<usize>,
}

impl<'a> Scanner<'a> {
    /// Checks the markup at the position, and moves behind it.
    fn skip_markup(&mut self) -> Result<(), XmlError> {
        if let Some(comment) = self.rest.strip_prefix("<!--") {
            self.rest = skip_past(comment, "-->")?;
        } else if let Some(section) = self.rest.strip_prefix("<![CDATA[") {
            self.rest = skip_past(section, "]]>")?;
        } else if let Some(tag) = self.rest.strip_prefix("</") {
            self.declarations.pop();
            self.rest = skip_past(tag, ">")?;
        } else if self.rest.starts_with("<!") {
            return Err(XmlError::new("the document must not have a document type declaration"));
        } else if self.rest.starts_with("<?") {
            return Err(XmlError::new("the document must not have processing instructions"));
        } else {
            self.skip_start_tag()?;
        }
        Ok(())
    }

    /// Checks the start tag at the position, and moves behind it.
    fn skip_start_tag(&mut self) -> Result<(), XmlError> {
        if self.declarations.len() == MAX_DEPTH {
            return Err(XmlError::new(format!("elements are nested deeper than {MAX_DEPTH}")));
        }
        let (name, mut rest) = split_name(&self.rest[1..])?;
        check_name(name)?;
        let mut names = Vec::new();
        let is_empty = loop {
            rest = skip_space(rest);
            if let Some(after) = rest.strip_prefix("/>") {
                rest = after;
                break true;
            }
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break false;
            }
            let (name, after) = split_attribute(rest)?;
            names.push(name);
            // Checked here because the cost of the search for duplicates grows with the square.
            if names.len() > 2 * MAX_ATTRIBUTES {
                return Err(XmlError::new("an element has too many attributes"));
            }
            rest = after;
        };
        self.rest = rest;
        let declarations = check_attribute_names(&names)?;
        let in_scope = self.declarations.last().unwrap_or(&0) + declarations;
        if in_scope > MAX_DECLARATIONS_IN_SCOPE {
            return Err(XmlError::new("too many namespaces are declared"));
        }
        if !is_empty {
            self.declarations.push(in_scope);
        }
        Ok(())
    }
}

/// Checks the names of the attributes of an element. Returns the number of namespace declarations.
fn check_attribute_names(names: &[&str]) -> Result<usize, XmlError> {
    let is_declaration = |name: &&&str| **name == "xmlns" || name.starts_with("xmlns:");
    let declarations = names.iter().filter(is_declaration).count();
    if declarations > MAX_ATTRIBUTES || names.len() - declarations > MAX_ATTRIBUTES {
        return Err(XmlError::new(format!(
            "an element has more than {MAX_ATTRIBUTES} attributes or namespace declarations"
        )));
    }
    for (index, name) in names.iter().enumerate() {
        check_name(name)?;
        if names[..index].contains(name) {
            return Err(XmlError::new("an element has an attribute twice"));
        }
    }
    Ok(declarations)
}

/// Checks the qualified name of an element or an attribute, as far as the parser does not.
fn check_name(name: &str) -> Result<(), XmlError> {
    // The parser takes `:a` for `a`, `p:xmlns` for a declaration of the default namespace, and
    // accepts `xmlns:xml` several times.
    let is_misleading =
        name.starts_with(':') || name.ends_with(":xmlns") || name == "xmlns:xml" || name.is_empty();
    match is_misleading || name.len() > MAX_NAME_BYTES {
        true => Err(XmlError::new("a name is not allowed")),
        false => Ok(()),
    }
}

/// Returns the name of the attribute at the start of the text, and the text after its value.
fn split_attribute(text: &str) -> Result<(&str, &str), XmlError> {
    let (name, rest) = split_name(text)?;
    let rest = skip_space(rest).strip_prefix('=');
    let rest = rest.ok_or_else(|| XmlError::new("an attribute has no value"))?;
    let (value, rest) = split_quoted(skip_space(rest))?;
    check_references(value)?;
    if name.starts_with("xmlns:") && value.is_empty() {
        return Err(XmlError::new("a namespace prefix has no namespace"));
    }
    Ok((name, rest))
}

/// Returns the text up to the end of a name, and the rest.
fn split_name(text: &str) -> Result<(&str, &str), XmlError> {
    let is_end = |byte: &u8| {
        matches!(*byte, b' ' | b'\t' | b'\n' | b'\r' | b'=' | b'/' | b'>' | b'<' | b'"' | b'\'')
    };
    match text.as_bytes().iter().position(is_end) {
        Some(end) => Ok(text.split_at(end)),
        None => Err(XmlError::new("a tag is not closed")),
    }
}

/// Returns the text in quotation marks at the start, and the rest.
fn split_quoted(text: &str) -> Result<(&str, &str), XmlError> {
    let quote = text.chars().next().filter(|char| "\"'".contains(*char));
    quote
        .and_then(|quote| text[1..].split_once(quote))
        .ok_or_else(|| XmlError::new("an attribute has no value in quotation marks"))
}

/// Returns the text after the first `end`.
fn skip_past<'a>(text: &'a str, end: &str) -> Result<&'a str, XmlError> {
    let found = text.split_once(end);
    found.map(|(_, rest)| rest).ok_or_else(|| XmlError::new("the document ends in the middle"))
}

/// Checks the numbers of character references. The parser replaces numbers without a character by
/// U+FFFD and checks the rest of the syntax.
fn check_references(text: &str) -> Result<(), XmlError> {
    for reference in text.split('&').skip(1) {
        let Some(reference) = reference.strip_prefix('#') else { continue };
        let (digits, radix) = match reference.strip_prefix('x') {
            Some(digits) => (digits, 16),
            None => (reference, 10),
        };
        let end = digits.find(|char: char| !char.is_digit(radix)).unwrap_or(digits.len());
        let number = u32::from_str_radix(&digits[..end], radix).ok();
        if number.and_then(char::from_u32).is_none() {
            return Err(XmlError::new("a character reference has no character"));
        }
    }
    Ok(())
}

/// Returns the text after the white space at its start.
fn skip_space(text: &str) -> &str {
    let is_other = |byte: &u8| !matches!(*byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = text.as_bytes().iter().position(is_other);
    &text[start.unwrap_or(text.len())..]
}

/// Returns whether a character is white space in XML.
pub fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\r')
}
