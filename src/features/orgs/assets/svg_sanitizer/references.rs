//! References between the elements of an SVG, limited so that they cannot multiply shapes.
//!
//! Ten levels of elements that each refer ten times to the level below draw ten thousand million
//! shapes. A `use` element therefore refers only to elements without a `use` inside, and the content
//! of patterns, masks, clip paths and markers has no patterns, masks, clip paths and markers.

use std::collections::HashMap;
use std::collections::HashSet;

use roxmltree::Node;
use roxmltree::NodeId;

use super::styles::StyleRules;

/// Elements that other elements draw by a property that refers to them.
const CONTAINERS: &[&str] = &["clipPath", "marker", "mask", "pattern"];
/// Elements with colors. They draw no shapes.
const GRADIENTS: &[&str] = &["linearGradient", "radialGradient"];
/// Properties with references that the content of an element does not inherit.
const OWN_PROPERTIES: &[&str] = &["clip-path", "mask"];

/// The references that are safe in a document.
pub struct References<'a> {
    /// Ids that belong only to elements without a `use` inside.
    usable: HashSet<&'a str>,
    /// Ids that belong only to elements that have no references inside, except those to gradients.
    plain: HashSet<&'a str>,
    /// Ids that belong only to gradients.
    gradients: HashSet<&'a str>,
    /// Containers and all elements inside of them.
    contained: HashSet<NodeId>,
    /// Ancestors of containers, the containers included.
    containing: HashSet<NodeId>,
}

impl<'a> References<'a> {
    /// Finds the safe references of a document. `rules` are those of its style sheets.
    pub fn collect(root: Node<'a, '_>, rules: &StyleRules<'a>) -> References<'a> {
        let gradients = find_ids(root, |node| GRADIENTS.contains(&node.tag_name().name()));
        let mut contained = HashSet::new();
        let (mut using, mut containing, mut referring) =
            (HashSet::new(), HashSet::new(), HashSet::new());
        for node in root.descendants().filter(Node::is_element) {
            let name = node.tag_name().name();
            if name == "use" {
                add_ancestors(node, &mut using);
            }
            if CONTAINERS.contains(&name) {
                add_ancestors(node, &mut containing);
            }
            if CONTAINERS.contains(&name)
                || node.parent().is_some_and(|parent| contained.contains(&parent.id()))
            {
                contained.insert(node.id());
            }
            let properties = rules.resolve_properties(node);
            if properties.iter().any(|(_, value)| draws_shapes(value, &gradients)) {
                add_ancestors(node, &mut referring);
            }
        }
        References {
            usable: find_ids(root, |node| !using.contains(&node.id())),
            plain: find_ids(root, |node| !referring.contains(&node.id())),
            gradients,
            contained,
            containing,
        }
    }

    /// Returns whether a `use` element may refer to the element with the id `target`.
    pub fn allows_use(&self, node: Node<'_, '_>, target: &str) -> bool {
        self.usable.contains(target)
            && (!self.contained.contains(&node.id()) || self.plain.contains(target))
    }

    /// Returns whether an element may have a property with this value.
    pub fn allows_property(&self, node: Node<'_, '_>, name: &str, value: &str) -> bool {
        let is_inherited = !OWN_PROPERTIES.contains(&name);
        let reaches_container = self.contained.contains(&node.id())
            || is_inherited && self.containing.contains(&node.id());
        !reaches_container || !draws_shapes(value, &self.gradients)
    }
}

/// Returns whether a value refers to an element that is no gradient.
fn draws_shapes(value: &str, gradients: &HashSet<&str>) -> bool {
    let target = value.strip_prefix("url(#").and_then(|rest| rest.split_once(')'));
    target.is_some_and(|(id, _)| !gradients.contains(id))
}

/// Adds an element and its ancestors. The ancestors of an element that is there already are there
/// too, so that each element is visited only once.
fn add_ancestors(node: Node<'_, '_>, elements: &mut HashSet<NodeId>) {
    for ancestor in node.ancestors() {
        if !elements.insert(ancestor.id()) {
            break;
        }
    }
}

/// Returns the ids that belong only to elements that `fits` returns true for. Viewers may differ
/// about the element that a repeated id refers to.
fn find_ids<'a>(root: Node<'a, '_>, fits: impl Fn(&Node<'a, '_>) -> bool) -> HashSet<&'a str> {
    let mut ids = HashMap::new();
    for node in root.descendants().filter(Node::is_element) {
        if let Some(id) = node.attribute("id") {
            *ids.entry(id).or_insert(true) &= fits(&node);
        }
    }
    ids.into_iter().filter_map(|(id, fits)| fits.then_some(id)).collect()
}
