//! Rectangles of the tiles of a treemap, and of the headings of its groups.

use kurbo::Rect;

use crate::Chart;
use crate::color::Color;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::text;
use crate::text::Face;
use crate::value_tree::{PATH_SEPARATOR, ValueNode, ValueTree};

use super::squarify::squarify;

/// Maximum number of levels of groups. Groups below them are tiles.
const MAX_GROUP_LEVELS: usize = 4;
/// Distance between two tiles, multiplied by the style's `unit`.
const TILE_GAP: f64 = 1.5;
/// Distance between two groups in a group, multiplied by the style's `unit`.
const INNER_GROUP_GAP: f64 = 3.0;
/// Distance between two groups at the top level, multiplied by the style's `unit`.
const GROUP_GAP: f64 = 4.0;
/// Number of times that the weights of groups are corrected for the space of the headings.
const CORRECTION_ROUNDS: usize = 4;
/// Height of a heading as a multiple of its font size.
const HEADING_HEIGHT_EM: f64 = 1.5;
/// Minimum height of a group with a heading, as a multiple of the height of the heading.
const MIN_HEIGHT_WITH_HEADING: f64 = 2.4;

/// A node with parts and its rectangles.
pub struct GroupPlace<'a> {
    pub node: &'a ValueNode,
    /// Number of groups that contain it.
    pub depth: usize,
    /// Rectangle of its heading, in points. None if headings are switched off, or if the heading does
    /// not fit.
    pub heading: Option<Rect>,
}

/// A node without parts, or with parts that are too small, and its rectangle.
pub struct TilePlace<'a> {
    pub node: &'a ValueNode,
    /// Name with those of the groups that have no space for a heading.
    pub label: String,
    /// Rectangle in points.
    pub rect: Rect,
    /// Properties that the tile has or gets from its groups.
    pub traits: Traits,
}

/// Properties that tiles get from their groups.
#[derive(Clone, Copy, Default)]
pub struct Traits {
    /// Index of the group at the top level.
    pub top_index: usize,
    /// Color of the record, or else that of the innermost group with one.
    pub color: Option<Color>,
    /// Whether the record or a group of it is highlighted.
    pub highlighted: bool,
}

/// The rectangles of a treemap.
#[derive(Default)]
pub struct TreemapPlaces<'a> {
    /// Groups, each before its parts.
    pub groups: Vec<GroupPlace<'a>>,
    /// Tiles, group by group.
    pub tiles: Vec<TilePlace<'a>>,
    /// Number of parts without a tile, because their groups are too small.
    pub hidden_parts: usize,
}

/// State of the layout of a tree.
struct Layout<'a, 'b> {
    tree: &'a ValueTree,
    style: &'b ChartStyle,
    with_headings: bool,
    /// Whether any node at the top level has parts.
    is_grouped: bool,
    /// Area in square points that headings and gaps took from each node in the round before.
    used_areas: Vec<f64>,
    places: TreemapPlaces<'a>,
}

/// Nodes with the same parent, and their common rectangle.
struct Siblings<'a, 'b> {
    /// Indexes of the nodes.
    nodes: &'a [usize],
    area: Rect,
    depth: usize,
    /// Names of the groups around them that have no heading, each with a separator after it.
    prefix: &'b str,
    traits: Traits,
}

/// Lays out all groups and tiles in `area`.
///
/// Headings and gaps take space, so the weights are corrected in a few rounds, after which the tiles of all
/// groups have areas in almost the same proportion to their values. `is_grouped` tells whether any
/// top-level node has children.
pub fn lay_out<'a>(
    chart: &Chart,
    tree: &'a ValueTree,
    area: Rect,
    style: &ChartStyle,
    is_grouped: bool,
) -> TreemapPlaces<'a> {
    let mut layout = Layout {
        tree,
        style,
        with_headings: is_grouped && chart.bool_setting("showHeadings", true),
        is_grouped,
        used_areas: vec![0.0; tree.nodes.len()],
        places: TreemapPlaces::default(),
    };
    for _ in 0..=if is_grouped { CORRECTION_ROUNDS } else { 0 } {
        layout.places = TreemapPlaces::default();
        layout.place_siblings(&Siblings {
            nodes: &tree.top_level,
            area,
            depth: 0,
            prefix: "",
            traits: Traits::default(),
        });
    }
    layout.places
}

impl<'a> Layout<'a, '_> {
    /// Places nodes with the same parent and all their parts. Returns the area that headings and gaps
    /// take from them, in square points.
    fn place_siblings(&mut self, siblings: &Siblings<'a, '_>) -> f64 {
        let Siblings { area, depth, .. } = *siblings;
        let tree = self.tree;
        let nodes: Vec<(usize, &'a ValueNode)> =
            siblings.nodes.iter().filter_map(|index| Some((*index, tree.node(*index)?))).collect();
        let gap = self.choose_gap(depth, &nodes);
        // Half a gap is added on all sides, so that the outer edges of the tiles are those of the area.
        let area = area.inflate(gap / 2.0, gap / 2.0);
        let used: Vec<f64> = nodes
            .iter()
            .map(|(index, _)| self.used_areas.get(*index).copied().unwrap_or(0.0))
            .collect();
        let total: f64 = nodes.iter().map(|(_, node)| node.value).sum();
        let available = (area.area() - used.iter().sum::<f64>()).max(0.0);
        let weigh =
            |(node, used): (&(usize, &ValueNode), &f64)| node.1.value / total * available + used;
        let weights: Vec<f64> = nodes.iter().zip(&used).map(weigh).collect();
        let mut used_area = 0.0;
        for (position, ((index, node), rect)) in
            nodes.into_iter().zip(squarify(&weights, area)).enumerate()
        {
            let inner = rect.inset(-(gap / 2.0).min(rect.width() / 4.0).min(rect.height() / 4.0));
            let mut traits = siblings.traits;
            if depth == 0 {
                traits.top_index = position;
            }
            traits.color = node.color.or(traits.color);
            traits.highlighted |= node.highlighted;
            let inner_used = self.place_node(node, inner, siblings, traits);
            let used = inner_used + if depth == 0 { rect.area() - inner.area() } else { 0.0 };
            if let Some(stored) = self.used_areas.get_mut(index) {
                *stored = used;
            }
            used_area += used;
        }
        used_area
    }

    /// Places one of `siblings` in `rect`: its heading and its parts, or its tile. Returns the area that
    /// headings and gaps in it take, in square points.
    fn place_node(
        &mut self,
        node: &'a ValueNode,
        rect: Rect,
        siblings: &Siblings<'a, '_>,
        traits: Traits,
    ) -> f64 {
        let Siblings { depth, prefix, .. } = *siblings;
        if node.children.is_empty() || !self.divides(rect, depth) {
            self.places.hidden_parts += node.children.len();
            let label = format!("{prefix}{}", node.label);
            self.places.tiles.push(TilePlace { node, label, rect, traits });
            return 0.0;
        }
        let (area, heading) = self.split_heading(rect, node, depth);
        let needs_prefix = depth > 0 && heading.is_none() && self.with_headings;
        let prefix = match needs_prefix && !node.label.is_empty() {
            true => format!("{prefix}{}{PATH_SEPARATOR}", node.label),
            false => prefix.to_owned(),
        };
        self.places.groups.push(GroupPlace { node, depth, heading });
        let nodes = &node.children;
        let inner_used = self.place_siblings(&Siblings {
            nodes,
            area,
            depth: depth + 1,
            prefix: &prefix,
            traits,
        });
        rect.area() - area.area() + inner_used
    }

    /// Returns whether a group in `rect` has tiles for its parts, and not one for all of them. False for
    /// groups inside of others that are too small for texts.
    fn divides(&self, rect: Rect, depth: usize) -> bool {
        depth == 0
            || depth < MAX_GROUP_LEVELS && rect.width().min(rect.height()) >= MIN_TEXT_SIZE * 2.0
    }

    /// Returns the distance between siblings in points.
    fn choose_gap(&self, depth: usize, nodes: &[(usize, &ValueNode)]) -> f64 {
        let are_groups = nodes.iter().any(|(_, node)| !node.children.is_empty());
        let gap = match depth {
            0 if self.is_grouped => GROUP_GAP,
            1.. if nodes.len() < 2 => 0.0,
            1..MAX_GROUP_LEVELS if are_groups => INNER_GROUP_GAP,
            _ => TILE_GAP,
        };
        gap * self.style.unit
    }

    /// Returns the rectangle of the tiles of a group and that of its heading. Headings of groups inside
    /// of others have space for the whole name.
    fn split_heading(&self, rect: Rect, node: &ValueNode, depth: usize) -> (Rect, Option<Rect>) {
        let size = heading_size(self.style, depth);
        let height = size * HEADING_HEIGHT_EM;
        if !self.with_headings || rect.height() <= height * MIN_HEIGHT_WITH_HEADING {
            return (rect, None);
        }
        let heading = Rect { y1: rect.y0 + height, ..rect };
        let below_heading = Rect { y0: heading.y1, ..rect };
        if depth == 0 {
            // Tiles without space for a heading begin at the same height as those beside them.
            let is_wide = rect.width() > size * 3.5;
            return (below_heading, is_wide.then_some(heading));
        }
        let is_whole = text::width(&node.label, size, heading_face(depth)) <= rect.width();
        if is_whole { (below_heading, Some(heading)) } else { (rect, None) }
    }
}

/// Returns the font size of the headings of groups in points.
pub fn heading_size(style: &ChartStyle, depth: usize) -> f64 {
    if depth == 0 { style.label_size } else { style.small_size }
}

/// Returns the font of the headings of groups.
pub fn heading_face(depth: usize) -> Face {
    if depth == 0 { Face::BOLD } else { Face::REGULAR }
}
