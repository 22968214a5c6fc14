//! Limits of XML texts that the parser does not have.
//!
//! The parser limits only the number of nodes. It compares each attribute of an element with all
//! others of the element, and copies all namespaces in scope to each element with a namespace of
//! its own. It reserves memory for each `<` and each `=` before it reads the first node.

/// Maximum number of attributes of an element.
const MAX_ELEMENT_ATTRIBUTES: usize = 200;
/// Maximum number of equals signs, and thereby of attributes.
const MAX_EQUALS_SIGNS: usize = 200_000;
/// Maximum number of opening brackets. A node has at most two: those of its start and end tags.
const MAX_BRACKETS: usize = 200_000;
/// Maximum number of namespace declarations.
const MAX_NAMESPACES: usize = 100;
/// Name of the attributes that declare namespaces.
const NAMESPACE_ATTRIBUTE: &str = "xmlns";

/// Returns whether parsing a text as XML takes time and memory in proportion to its length.
///
/// An element may have 200 attributes. The text may have 200,000 attributes and 100 declarations of
/// namespaces. Reads the bytes once, and does not check whether the text is well-formed. Counts also
/// similar characters in comments and texts.
pub fn has_limited_cost(text: &str) -> bool {
    let count = |wanted: u8| text.bytes().filter(|byte| *byte == wanted).count();
    // In well-formed XML, all of a tag is between its own bracket and the next one, because a value
    // of an attribute contains no bracket.
    count(b'=') <= MAX_EQUALS_SIGNS
        && count(b'<') <= MAX_BRACKETS
        && text.matches(NAMESPACE_ATTRIBUTE).count() <= MAX_NAMESPACES
        && text.split('<').all(|tag| count_attributes(tag) <= MAX_ELEMENT_ATTRIBUTES)
}

/// Returns the maximum number of attributes of a tag, given without its opening bracket and with
/// the text after it. Zero for comments, sections and instructions.
fn count_attributes(tag: &str) -> usize {
    if tag.starts_with(['!', '?']) {
        return 0;
    }
    // Attributes have quoted values.
    let values = tag.split('=').skip(1);
    values.filter(|value| value.trim_ascii_start().starts_with(['"', '\''])).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an element with `count` attributes.
    fn element_with(count: usize) -> String {
        let attributes: String = (0..count).map(|number| format!(" a{number} = '1'")).collect();
        format!("<svg{attributes}/>")
    }

    #[test]
    fn attributes_of_an_element_are_limited() {
        assert!(has_limited_cost(&element_with(200)));
        assert!(!has_limited_cost(&element_with(201)));
        let hidden = element_with(201).replace("<svg", "<svg z=\"'>\"");
        assert!(!has_limited_cost(&hidden));
        let comment = format!("<!-- {} ' {0} --><svg/>", "=".repeat(300));
        assert!(has_limited_cost(&comment));
        assert!(has_limited_cost(&format!("<!-- {} --><svg/>", "a='1' ".repeat(300))));
    }

    #[test]
    fn all_attributes_elements_and_namespaces_are_limited() {
        let large = |element: &str, count| format!("<svg>{}</svg>", element.repeat(count));
        assert!(has_limited_cost(&large("<g a='1' b='1'/>", 90_000)));
        assert!(!has_limited_cost(&large("<g a='1' b='1'/>", 110_000)));
        assert!(!has_limited_cost(&large("<g/>", 200_001)));
        assert!(has_limited_cost(&large("<g xmlns='a'/>", 100)));
        assert!(!has_limited_cost(&large("<g xmlns:b='a'/>", 101)));
    }
}
