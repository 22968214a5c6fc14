//! Removes everything from an SVG that can run, load or expand.
//!
//! The result is written from scratch: only known elements, attributes and values are copied. It has
//! no scripts, event handlers, animations, foreign content, links, style sheets and references
//! outside the file. Simple rules of style sheets become attributes, because drawing programs
//! write the colors of a logo as classes.

mod references;
mod styles;
mod values;

use std::collections::HashSet;

use roxmltree::Document;
use roxmltree::Node;
use roxmltree::NodeType;
use roxmltree::ParsingOptions;

use references::References;
use styles::StyleRules;
use values::is_id;

use chartroom_charts::xml_limits;

/// Maximum number of XML nodes: elements, texts, comments and instructions.
const MAX_NODES: u32 = 100_000;
/// Maximum nesting depth of elements.
const MAX_DEPTH: usize = 64;
const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";
const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";

/// Elements that are kept.
const ELEMENTS: &[&str] = &[
    "circle",
    "clipPath",
    "defs",
    "desc",
    "ellipse",
    "g",
    "line",
    "linearGradient",
    "marker",
    "mask",
    "path",
    "pattern",
    "polygon",
    "polyline",
    "radialGradient",
    "rect",
    "stop",
    "svg",
    "symbol",
    "text",
    "title",
    "tspan",
    "use",
];
/// Elements with text that is kept.
const TEXT_ELEMENTS: &[&str] = &["desc", "text", "title", "tspan"];
/// Attributes that are kept, besides the properties in [`styles::PROPERTIES`], `id` and `href`.
const ATTRIBUTES: &[&str] = &[
    "clipPathUnits",
    "cx",
    "cy",
    "d",
    "dx",
    "dy",
    "fr",
    "fx",
    "fy",
    "gradientTransform",
    "gradientUnits",
    "height",
    "lengthAdjust",
    "markerHeight",
    "markerUnits",
    "markerWidth",
    "maskContentUnits",
    "maskUnits",
    "offset",
    "orient",
    "pathLength",
    "patternContentUnits",
    "patternTransform",
    "patternUnits",
    "points",
    "preserveAspectRatio",
    "r",
    "refX",
    "refY",
    "role",
    "rotate",
    "rx",
    "ry",
    "spreadMethod",
    "textLength",
    "transform",
    "version",
    "viewBox",
    "width",
    "x",
    "x1",
    "x2",
    "y",
    "y1",
    "y2",
];

/// Reason why an SVG is rejected, as a rule that it breaks.
pub type Rejection = &'static str;

/// Returns the SVG without unsafe content, as UTF-8. Returns its own result unchanged.
///
/// # Errors
/// If the file is not an SVG, defines entities, has more than 100,000 nodes or 64 levels, exceeds
/// [`xml_limits`], or if the result has more than `max_bytes` bytes.
pub fn sanitize_svg(file: &[u8], max_bytes: usize) -> Result<String, Rejection> {
    let text = std::str::from_utf8(file).map_err(|_| "must be encoded as UTF-8")?;
    let text = text.trim_start_matches('\u{feff}').trim_start();
    // Entities could expand to much more than the file. Without them, a document type is harmless,
    // because the parser never loads the file that it names.
    if text.contains("<!ENTITY") {
        return Err("must not define entities");
    }
    if !xml_limits::has_limited_cost(text) {
        return Err("must have at most 200 attributes per element, 200,000 attributes and 100 \
                    declarations of namespaces");
    }
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)
        .map_err(|_| "must be well-formed XML with at most 100,000 nodes")?;
    let root = document.root_element();
    if !is_svg_element(root) || root.tag_name().name() != "svg" {
        return Err("must have the root element svg");
    }
    let rules = StyleRules::collect(&document);
    let mut writer = SvgWriter {
        references: References::collect(root, &rules),
        rules,
        written_ids: HashSet::new(),
        max_bytes,
        out: String::with_capacity(file.len().min(max_bytes)),
    };
    writer.write_element(root, 0)?;
    Ok(writer.out)
}

/// Returns whether an element belongs to SVG. An element without a namespace counts too.
fn is_svg_element(node: Node<'_, '_>) -> bool {
    node.is_element() && node.tag_name().namespace().is_none_or(|name| name == SVG_NAMESPACE)
}

/// Writes the safe parts of a document.
struct SvgWriter<'a> {
    rules: StyleRules<'a>,
    references: References<'a>,
    /// Ids that the result has already.
    written_ids: HashSet<&'a str>,
    max_bytes: usize,
    out: String,
}

impl<'a> SvgWriter<'a> {
    /// Writes an element with its safe attributes and content. Leaves out unknown elements with
    /// their content. Links and switches become groups.
    ///
    /// # Errors
    /// If the result is too large or `depth` is too deep.
    fn write_element(&mut self, node: Node<'a, '_>, depth: usize) -> Result<(), Rejection> {
        if depth > MAX_DEPTH {
            return Err("must not nest more than 64 elements");
        }
        if !is_svg_element(node) {
            return Ok(());
        }
        let name = match node.tag_name().name() {
            "a" if node.ancestors().any(|outer| outer.has_tag_name((SVG_NAMESPACE, "text"))) => {
                "tspan"
            }
            "a" | "switch" => "g",
            name if ELEMENTS.contains(&name) => name,
            _ => return Ok(()),
        };
        let target = find_local_target(node);
        let may_use = |target| self.references.allows_use(node, target);
        if name == "use" && !target.is_some_and(may_use) {
            return Ok(());
        }
        self.out.push('<');
        self.out.push_str(name);
        if depth == 0 {
            self.out.push_str(" xmlns=\"");
            self.out.push_str(SVG_NAMESPACE);
            self.out.push('"');
        }
        self.write_attributes(node, target)?;
        self.out.push('>');
        let content_start = self.out.len();
        for child in node.children() {
            match child.node_type() {
                NodeType::Element => self.write_element(child, depth + 1)?,
                NodeType::Text if TEXT_ELEMENTS.contains(&name) => {
                    escape_xml(child.text().unwrap_or_default(), &mut self.out);
                    self.check_size()?;
                }
                _ => {}
            }
        }
        if self.out.len() == content_start {
            self.out.pop();
            self.out.push_str("/>");
        } else {
            self.out.push_str("</");
            self.out.push_str(name);
            self.out.push('>');
        }
        self.check_size()
    }

    /// Checks the size of the part that is written already. Called after each text and attribute,
    /// because style sheets can add much more to each element than the file has.
    ///
    /// # Errors
    /// If it has more than `max_bytes` bytes.
    fn check_size(&self) -> Result<(), Rejection> {
        match self.out.len() > self.max_bytes {
            true => Err("is too large after its style sheets are resolved"),
            false => Ok(()),
        }
    }

    /// Writes the safe attributes of an element, and its id unless another element has it. `target`
    /// is the id that its link refers to.
    ///
    /// # Errors
    /// If the result is too large.
    fn write_attributes(
        &mut self,
        node: Node<'a, '_>,
        target: Option<&str>,
    ) -> Result<(), Rejection> {
        for attribute in node.attributes().filter(|attribute| attribute.namespace().is_none()) {
            let (name, value) = (attribute.name(), attribute.value());
            if ATTRIBUTES.contains(&name)
                && let Some(value) = values::check_value(value)
            {
                self.write_attribute(name, &value)?;
            }
        }
        if let Some(id) = node.attribute("id").filter(|id| is_id(id))
            && self.written_ids.insert(id)
        {
            self.write_attribute("id", id)?;
        }
        // Only elements of SVG that draw or color something refer to others.
        if let (Some(id), "use" | "linearGradient" | "radialGradient" | "pattern") =
            (target, node.tag_name().name())
        {
            self.write_attribute("href", &format!("#{id}"))?;
        }
        for (name, value) in self.rules.resolve_properties(node) {
            if self.references.allows_property(node, name, &value) {
                self.write_attribute(name, &value)?;
            }
        }
        Ok(())
    }

    /// Writes an attribute with an escaped value.
    ///
    /// # Errors
    /// If the result is too large.
    fn write_attribute(&mut self, name: &str, value: &str) -> Result<(), Rejection> {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape_xml(value, &mut self.out);
        self.out.push('"');
        self.check_size()
    }
}

/// Returns the id that the `href` or `xlink:href` of an element refers to within the document. None
/// for other links.
fn find_local_target<'a>(node: Node<'a, '_>) -> Option<&'a str> {
    let link = node.attribute("href").or_else(|| node.attribute((XLINK_NAMESPACE, "href")))?;
    link.trim().strip_prefix('#').filter(|id| is_id(id))
}

/// Appends text, escaped for XML content and attributes. Leaves out control characters.
fn escape_xml(text: &str, out: &mut String) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            _ if character.is_control() => {}
            _ => out.push(character),
        }
    }
}

#[cfg(test)]
mod tests;
