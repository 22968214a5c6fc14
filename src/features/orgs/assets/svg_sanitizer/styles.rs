//! Simple style sheets and `style` attributes of an SVG, resolved to presentation attributes.

use std::collections::HashMap;
use std::rc::Rc;

use roxmltree::Document;
use roxmltree::Node;

use super::values;

/// Maximum number of selectors in all style sheets of a file. Further ones are ignored.
const MAX_SELECTORS: usize = 2_000;
/// Maximum number of classes of an element. Further ones are ignored.
const MAX_CLASSES: usize = 8;
/// Maximum length of the value of a property in bytes. A property with a longer value is left out.
const MAX_VALUE_BYTES: usize = 1_000;

/// Properties that are kept.
pub const PROPERTIES: &[&str] = &[
    "alignment-baseline",
    "baseline-shift",
    "clip-rule",
    "color",
    "color-interpolation",
    "direction",
    "display",
    "dominant-baseline",
    "fill-opacity",
    "fill-rule",
    "font-family",
    "font-size",
    "font-stretch",
    "font-style",
    "font-variant",
    "font-weight",
    "image-rendering",
    "letter-spacing",
    "opacity",
    "overflow",
    "paint-order",
    "shape-rendering",
    "stop-color",
    "stop-opacity",
    "stroke-dasharray",
    "stroke-dashoffset",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
    "text-anchor",
    "text-decoration",
    "text-rendering",
    "unicode-bidi",
    "vector-effect",
    "visibility",
    "word-spacing",
    "writing-mode",
];
/// Properties that are kept and may refer to an element of the same document.
const REFERENCE_PROPERTIES: &[&str] =
    &["clip-path", "fill", "marker-end", "marker-mid", "marker-start", "mask", "stroke"];

/// Safe properties with their normalized values, each name once.
type Properties = Vec<(&'static str, Rc<str>)>;

/// The rules of all style sheets with a simple selector: a class, an id, an element, or an element
/// with a class.
pub struct StyleRules<'a> {
    /// Properties by selector, in which later rules have replaced earlier ones. The number of
    /// properties is limited, so that an element with many rules takes little time.
    rules: HashMap<&'a str, Properties>,
}

impl<'a> StyleRules<'a> {
    /// Reads the style sheets of a document. Ignores selectors and rules that are not simple.
    pub fn collect(document: &'a Document<'_>) -> StyleRules<'a> {
        let mut rules: HashMap<&str, Properties> = HashMap::new();
        let is_style = |node: &Node<'_, '_>| node.tag_name().name() == "style";
        let mut remaining = MAX_SELECTORS;
        for sheet in document.descendants().filter(is_style) {
            let texts = sheet.children().filter_map(|child| child.text());
            for (selectors, declarations) in texts.flat_map(split_rules) {
                let mut properties = Properties::new();
                for (name, value) in split_declarations(declarations) {
                    set_property(&mut properties, name, value);
                }
                for selector in selectors.split(',').map(str::trim) {
                    if remaining == 0 {
                        return StyleRules { rules };
                    }
                    remaining -= 1;
                    merge(rules.entry(selector).or_default(), &properties);
                }
            }
        }
        StyleRules { rules }
    }

    /// Returns the safe properties of an element, each once: those of its attributes, replaced by
    /// those of the matching rules, replaced by those of its `style` attribute.
    pub fn resolve_properties(&self, node: Node<'a, '_>) -> Properties {
        let mut found = Properties::new();
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            set_property(&mut found, attribute.name(), attribute.value());
        }
        if !self.rules.is_empty() {
            for selector in list_selectors(node) {
                if let Some(properties) = self.rules.get(selector.as_str()) {
                    merge(&mut found, properties);
                }
            }
        }
        let own = node.attribute("style").unwrap_or_default();
        split_declarations(own).for_each(|(name, value)| set_property(&mut found, name, value));
        found
    }
}

/// Returns the simple selectors that match an element, by specificity, the least first.
fn list_selectors(node: Node<'_, '_>) -> Vec<String> {
    let element = node.tag_name().name();
    let classes = node.attribute("class").unwrap_or_default().split_ascii_whitespace();
    let classes: Vec<&str> = classes.take(MAX_CLASSES).collect();
    let mut selectors = vec![element.to_owned()];
    selectors.extend(classes.iter().map(|class| format!(".{class}")));
    selectors.extend(classes.iter().map(|class| format!("{element}.{class}")));
    selectors.extend(node.attribute("id").map(|id| format!("#{id}")));
    selectors
}

/// Sets a property, unless its name or its value is not safe.
fn set_property(properties: &mut Properties, name: &str, value: &str) {
    let value = value.trim().strip_suffix("!important").unwrap_or(value);
    if let Some((name, value)) = check_property(name.trim(), value) {
        merge(properties, &[(name, value.into())]);
    }
}

/// Adds properties, which replace those with the same name.
fn merge(target: &mut Properties, source: &[(&'static str, Rc<str>)]) {
    for (name, value) in source {
        match target.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value.clone(),
            None => target.push((*name, value.clone())),
        }
    }
}

/// Returns the name and the normalized value of a property if both are safe.
fn check_property(name: &str, value: &str) -> Option<(&'static str, String)> {
    if value.len() > MAX_VALUE_BYTES {
        return None;
    }
    let find = |list: &[&'static str]| list.iter().copied().find(|known| *known == name);
    if let Some(name) = find(PROPERTIES) {
        return Some((name, values::check_value(&value.replace('"', "'"))?));
    }
    Some((find(REFERENCE_PROPERTIES)?, values::check_reference(value)?))
}

/// Splits a style sheet into selectors and declarations. Leaves out at-rules with their content,
/// and selectors with a comment.
fn split_rules(sheet: &str) -> Vec<(&str, &str)> {
    let mut rules = Vec::new();
    let mut rest = sheet;
    while let Some((before, after)) = rest.split_once('{') {
        // An at-rule without a block, such as an import, ends with a semicolon.
        let selectors = before.rsplit(';').next().unwrap_or_default();
        let selectors = selectors.rsplit("*/").next().unwrap_or_default().trim();
        if selectors.starts_with('@') {
            rest = skip_block(after);
            continue;
        }
        let Some((declarations, next)) = after.split_once('}') else { break };
        rules.push((selectors, declarations));
        rest = next;
    }
    rules
}

/// Returns the text after the block that `text` is inside of. Empty if the block does not end.
fn skip_block(text: &str) -> &str {
    let mut depth = 1;
    for (position, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text.get(position + 1..).unwrap_or_default();
        }
    }
    ""
}

/// Splits declarations into names and values.
fn split_declarations(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(';').filter_map(|entry| entry.split_once(':'))
}
