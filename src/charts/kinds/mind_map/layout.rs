//! Layout of a mind map: two trees that grow from the center to both sides.

use kurbo::{Point, Rect, Size};

use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::text;
use crate::text::Face;
use crate::tree;
use crate::tree::{NodeExtent, RecordNode, RecordTree};

/// Line height of text relative to the font size.
pub const LINE_HEIGHT_EM: f64 = 1.25;

/// Space for the dot in the center in points, if several nodes have no parent.
const ROOT_POINT_SIZE: Size = Size::new(12.0, 12.0);

/// Maximum number of lines of a label that is never shortened.
const MAX_WHOLE_LINES: usize = 5;
/// Maximum number of nodes for which more than two lines are tried.
const MAX_NODES_WITH_LONG_LABELS: usize = 80;

/// A layout that fits into the available area.
#[derive(Clone, Debug)]
pub struct MindMapLayout {
    /// Font size of nodes in points. The font of the center is larger.
    pub font_size: f64,
    /// Rectangle of each node.
    pub boxes: Vec<Rect>,
    /// Distance between the center and the start of the lines to the children of each node.
    fork_distances: Vec<f64>,
    /// Index of the node in the center, if exactly one node has no parent.
    pub center_node: Option<usize>,
    /// Rectangle of the dot in the center, if several nodes have no parent.
    pub root_point: Option<Rect>,
    /// Maximum number of lines of a label.
    max_lines: usize,
}

impl MindMapLayout {
    /// Returns the x coordinate of the middle of the center node or dot, in points. 0 without
    /// either.
    pub fn center_x(&self) -> f64 {
        let center = self.center_node.and_then(|index| self.boxes.get(index));
        center.or(self.root_point.as_ref()).map_or(0.0, |rect| rect.center().x)
    }

    /// Returns the x coordinate in points at which the lines to the children of a node start:
    /// beyond the texts of all nodes of its level on its side, so that no line crosses one of them.
    /// `center_x` is the middle of the center. None for an unknown node.
    pub fn fork_x(&self, index: usize, center_x: f64) -> Option<f64> {
        let rect = self.boxes.get(index)?;
        let distance = *self.fork_distances.get(index)?;
        Some(if rect.center().x < center_x { center_x - distance } else { center_x + distance })
    }

    /// Returns the font size of the center or of another node in points.
    pub fn font_size_of(&self, is_center: bool) -> f64 {
        if is_center { self.font_size * 1.2 } else { self.font_size }
    }

    /// Returns the face of a label, bold for the center and the main branches.
    pub fn face(&self, index: usize, node: &RecordNode) -> Face {
        let main_depth = usize::from(self.center_node.is_some());
        Face::new(self.center_node == Some(index) || node.depth == main_depth, false)
    }

    /// Returns the lines of the label of the node at `index`, wrapped to the width of its box and
    /// shortened if necessary. The center may have one line more than the others, so that the topic
    /// is rarely shortened.
    pub fn wrap(&self, index: usize, node: &RecordNode) -> Vec<String> {
        let Some(rect) = self.boxes.get(index) else { return Vec::new() };
        let is_center = self.center_node == Some(index);
        let padding = if is_center { self.font_size * 1.6 } else { 0.0 };
        // Slightly wider, so that rounding errors do not cause a line break.
        let max_width = rect.width() - padding + 0.5;
        let max_lines = self.max_lines + usize::from(is_center);
        let face = self.face(index, node);
        text::wrap(&node.label, max_width, max_lines, self.font_size_of(is_center), face)
    }

    /// Returns the number of letters in the drawn lines of all labels, to compare layouts that
    /// shorten labels.
    pub fn count_letters(tree: &RecordTree, layout: &MindMapLayout) -> usize {
        let lines =
            tree.nodes.iter().enumerate().flat_map(|(index, node)| layout.wrap(index, node));
        lines.map(|line| line.chars().count()).sum()
    }
}

/// Parameters of an attempt to lay out the tree.
struct LayoutAttempt<'a> {
    tree: &'a RecordTree,
    style: &'a ChartStyle,
    area: Rect,
    /// Index of the node in the center. None if several nodes have no parent.
    center_node: Option<usize>,
    /// Whether each node is on the left side.
    is_left: &'a [bool],
    /// The nodes on the left and on the right.
    side_trees: &'a [SideTree; 2],
    text: TextSettings,
}

/// The nodes on one side of the center.
struct SideTree {
    tree: RecordTree,
    /// Index of each node in the whole tree.
    indices: Vec<usize>,
}

/// Texts of an attempt.
#[derive(Clone, Copy)]
struct TextSettings {
    /// Font size of nodes in points.
    font_size: f64,
    /// Maximum width of a label in points for canvases of the default size.
    max_width: f64,
    /// Maximum width of a label of a node with children as a share of `max_width`. Such nodes have
    /// more space above and below them than leaves.
    inner_share: f64,
    /// Minimum width of the topic in points for canvases of the default size. It is not wrapped as
    /// narrowly as other nodes.
    min_center_width: f64,
    /// Minimum length of the lines between two levels in points for canvases of the default size.
    min_link: f64,
    /// Maximum number of lines of a label.
    max_lines: usize,
    /// Whether labels may be shortened with an ellipsis.
    may_shorten: bool,
}

/// Returns the texts to try, the most readable first: large fonts before small ones, and within a
/// size wide labels before narrow ones. With `may_shorten` only the small size.
fn list_text_settings(
    node_count: usize,
    style: &ChartStyle,
    may_shorten: bool,
) -> Vec<TextSettings> {
    let settings = |font_size: f64, max_width: f64, inner_share: f64, max_lines: usize| {
        let (min_center_width, min_link) = (120.0, 16.0);
        TextSettings {
            font_size,
            max_width,
            inner_share,
            min_center_width,
            min_link,
            max_lines,
            may_shorten,
        }
    };
    if may_shorten {
        return [190.0, 140.0, 100.0, 84.0]
            .map(|width| settings(style.small_size, width, 1.0, 2))
            .into();
    }
    let minimal_size = MIN_TEXT_SIZE.min(style.small_size);
    let mut attempts = Vec::new();
    for font_size in [style.label_size * 1.2, style.label_size, style.small_size, minimal_size] {
        let short =
            [260.0, 190.0, 140.0, 100.0, 76.0].map(|width| settings(font_size, width, 1.0, 2));
        attempts.extend(short);
        // Large trees do not fit with long labels, and large text is for short ones.
        if node_count <= MAX_NODES_WITH_LONG_LABELS && font_size <= style.label_size {
            for width in [320.0, 190.0, 140.0, 115.0, 100.0, 88.0, 76.0, 64.0] {
                let shares = [1.0, 0.75, 0.55];
                attempts
                    .extend(shares.map(|share| settings(font_size, width, share, MAX_WHOLE_LINES)));
            }
        }
    }
    attempts
}

/// Returns the most readable layout of the whole tree. None if the tree does not fit into `area`.
///
/// Tries large fonts, wide labels and wide gaps first. `may_shorten` allows shortened labels.
/// Without `on_both_sides` all branches are on the right.
pub fn find_layout(
    tree: &RecordTree,
    style: &ChartStyle,
    area: Rect,
    on_both_sides: bool,
    may_shorten: bool,
) -> Option<MindMapLayout> {
    let mut roots = tree.roots();
    let center_node = match (roots.next(), roots.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    let is_left = assign_sides(tree, center_node, on_both_sides);
    let is_left = is_left.as_slice();
    let side_trees = &[true, false].map(|side| {
        let is_on_side = |index: usize| center_node != Some(index) && is_left[index] == side;
        let (tree, indices) = tree.filtered(is_on_side);
        SideTree { tree, indices }
    });
    list_text_settings(tree.nodes.len(), style, may_shorten).into_iter().find_map(|text| {
        let attempt = LayoutAttempt { tree, style, area, center_node, is_left, side_trees, text };
        let sizes = attempt.measure_nodes()?;
        let widths = attempt.find_widths(&sizes)?;
        let gaps = [34.0, 26.0, 20.0, 12.0, 7.0, 4.0, 2.5].map(|gap| gap * style.unit);
        gaps.into_iter().find_map(|gap| attempt.lay_out(&sizes, &widths, gap))
    })
}

/// Returns for each node whether it is on the left side. Without `on_both_sides`, none is.
///
/// The later main branches are on the left, so that both sides have about the same number of leaves
/// and the order is clockwise.
fn assign_sides(tree: &RecordTree, center_node: Option<usize>, on_both_sides: bool) -> Vec<bool> {
    let mut leaves = vec![0usize; tree.nodes.len()];
    for (index, node) in tree.nodes.iter().enumerate().rev() {
        let leaves_below: usize = node.children.iter().filter_map(|child| leaves.get(*child)).sum();
        leaves[index] = leaves_below.max(1);
    }
    let main_branches: Vec<usize> = match center_node.and_then(|index| tree.nodes.get(index)) {
        Some(node) => node.children.clone(),
        None => tree.roots().collect(),
    };
    let total: usize = main_branches.iter().map(|branch| leaves[*branch]).sum();
    let mut is_left = vec![false; tree.nodes.len()];
    let mut leaves_before = 0;
    for index in main_branches {
        // A branch is on the left if its middle leaf is in the second half of all leaves.
        is_left[index] =
            on_both_sides && leaves_before * 2 + leaves[index] > total && leaves_before > 0;
        leaves_before += leaves[index];
    }
    for (index, node) in tree.nodes.iter().enumerate() {
        let parent = node.parent.filter(|parent| center_node != Some(*parent));
        if let Some(side) = parent.and_then(|parent| is_left.get(parent).copied()) {
            is_left[index] = side;
        }
    }
    is_left
}

impl LayoutAttempt<'_> {
    /// Returns the sizes of all nodes in points. None if a label would be shortened although it
    /// must not.
    fn measure_nodes(&self) -> Option<Vec<Size>> {
        (0..self.tree.nodes.len()).map(|index| self.measure_node(index)).collect()
    }

    /// Returns the widths of all levels of nodes of these sizes, with longer lines between levels if
    /// there is space. None if the tree is wider than the area.
    fn find_widths(&self, sizes: &[Size]) -> Option<MapWidths> {
        let levels = self.side_trees.each_ref().map(|side| self.level_widths(side, sizes));
        let center = self.center_size(sizes).width;
        let link = self.style.unit * self.text.min_link;
        let mut widths = MapWidths { levels, center, link };
        let spare_width = self.area.width() - widths.total();
        if spare_width < 0.0 {
            return None;
        }
        // The width grows linearly with the length of the lines.
        let narrow = widths.total();
        widths.link = link + 1.0;
        let width_per_point = (widths.total() - narrow).max(0.1);
        widths.link = link + (spare_width / width_per_point).min(self.style.unit * 24.0);
        Some(widths)
    }

    /// Returns the width of each level of one side in points, starting at the center.
    fn level_widths(&self, side: &SideTree, sizes: &[Size]) -> Vec<f64> {
        let mut widths: Vec<f64> = Vec::new();
        for index in &side.indices {
            let level = self.level(*index);
            widths.resize(widths.len().max(level + 1), 0.0);
            widths[level] = widths[level].max(sizes[*index].width);
        }
        widths
    }

    /// Returns the size of the center in points.
    fn center_size(&self, sizes: &[Size]) -> Size {
        let size = self.center_node.and_then(|index| sizes.get(index));
        size.copied().unwrap_or(ROOT_POINT_SIZE)
    }

    /// Returns the layout of nodes of these sizes with `gap` points between siblings, centered in
    /// the area. None if the tree is higher than the area.
    fn lay_out(&self, sizes: &[Size], widths: &MapWidths, gap: f64) -> Option<MindMapLayout> {
        let center_size = self.center_size(sizes);
        let sides = self.side_trees.each_ref().map(|side| side.lay_out(sizes, gap));
        let max_height = sides.iter().map(|side| side.height).fold(center_size.height, f64::max);
        if max_height > self.area.height() {
            return None;
        }
        let left_edge = self.area.x0 + (self.area.width() - widths.total()) / 2.0;
        let center = Point::new(left_edge + widths.side(0), self.area.center().y);
        let center_rect = Rect::from_center_size(center, center_size);
        let side_of = |index: usize| usize::from(self.is_left.get(index) != Some(&true));
        let boxes = sizes.iter().enumerate().map(|(index, size)| {
            if self.center_node == Some(index) {
                return center_rect;
            }
            let side = side_of(index);
            let (near_distance, _) = widths.level_distances(side, self.level(index));
            let y = center.y + sides[side].center_offsets.get(index).copied().unwrap_or(0.0);
            let x = match side {
                0 => center.x - near_distance - size.width,
                _ => center.x + near_distance,
            };
            Rect::new(x, y - size.height / 2.0, x + size.width, y + size.height / 2.0)
        });
        let fork_distance =
            |index: usize| widths.level_distances(side_of(index), self.level(index)).1;
        Some(MindMapLayout {
            font_size: self.text.font_size,
            fork_distances: (0..sizes.len()).map(fork_distance).collect(),
            boxes: boxes.collect(),
            center_node: self.center_node,
            root_point: self.center_node.is_none().then_some(center_rect),
            max_lines: self.text.max_lines,
        })
    }

    /// Returns the level of a node on its side. Main branches have level 0.
    fn level(&self, index: usize) -> usize {
        let depth = self.tree.nodes.get(index).map_or(0, |node| node.depth);
        depth.saturating_sub(usize::from(self.center_node.is_some()))
    }

    /// Returns the size of a node in points, including the padding of the center. None if its text
    /// does not fit and must not be shortened.
    fn measure_node(&self, index: usize) -> Option<Size> {
        let node = self.tree.nodes.get(index)?;
        let is_center = self.center_node == Some(index);
        let TextSettings { max_lines, may_shorten, .. } = self.text;
        let font_size = self.text.font_size * if is_center { 1.2 } else { 1.0 };
        let face = Face::new(is_center || self.level(index) == 0, false);
        let min_text_width = if is_center { self.text.min_center_width } else { 0.0 };
        let is_inner = !node.children.is_empty() || self.level(index) == 0;
        let share = if is_inner { self.text.inner_share } else { 1.0 };
        let max_text_width = (self.text.max_width * share).max(min_text_width) * self.style.unit;
        let max_lines = max_lines + usize::from(is_center);
        let whole = text::wrap_whole(&node.label, max_text_width, max_lines, font_size, face);
        let lines = match whole {
            Some(lines) => lines,
            None if !may_shorten => return None,
            None => text::wrap_balanced(&node.label, max_text_width, max_lines, font_size, face),
        };
        let width = lines
            .iter()
            .map(|line| text::width(line, font_size, face))
            .fold(font_size * 0.5, f64::max);
        let height = lines.len().max(1) as f64 * font_size * LINE_HEIGHT_EM;
        if is_center {
            Some(Size::new(width + self.text.font_size * 1.6, height + font_size * 0.9))
        } else {
            Some(Size::new(width, height + font_size * 0.1))
        }
    }
}

/// Widths of a layout in points. The left side is 0, the right one 1.
struct MapWidths {
    /// Width of each level of each side, starting at the center.
    levels: [Vec<f64>; 2],
    /// Width of the center.
    center: f64,
    /// Length of the lines between two levels. Those next to the center are 1.4 times as long.
    link: f64,
}

impl MapWidths {
    /// Returns the width of a side from the middle of the center.
    fn side(&self, side: usize) -> f64 {
        match self.levels[side].len() {
            0 => self.center / 2.0,
            count => {
                self.levels[side].iter().sum::<f64>()
                    + self.center / 2.0
                    + self.link * (count as f64 + 0.4)
            }
        }
    }

    /// Returns the width of the whole layout.
    fn total(&self) -> f64 {
        self.side(0) + self.side(1)
    }

    /// Returns the distances of the near and the far end of a level of a side from the middle of the
    /// center. All nodes of a level begin at the near end.
    fn level_distances(&self, side: usize, level: usize) -> (f64, f64) {
        let width_before: f64 =
            self.levels[side].iter().take(level).map(|width| width + self.link).sum();
        let near = self.center / 2.0 + self.link * 1.4 + width_before;
        let widths = self.levels[side].iter().take(level + 1).sum::<f64>();
        let far = self.center / 2.0 + self.link * (1.4 + level as f64) + widths;
        (near, far)
    }
}

/// Layout of one side of the center.
struct SideLayout {
    /// Total height in points.
    height: f64,
    /// Vertical offset of each node's center from the middle of the side. Positive is down. Indices
    /// are those of the whole tree.
    center_offsets: Vec<f64>,
}

impl SideTree {
    /// Lays out the nodes of this side above each other. `sizes` has the size of each node of the
    /// whole tree, and `gap` is the distance of siblings in points.
    fn lay_out(&self, sizes: &[Size], gap: f64) -> SideLayout {
        let extent = |index: &usize| NodeExtent {
            size: sizes[*index].height,
            has_side_by_side_children: true,
        };
        let extents: Vec<NodeExtent> = self.indices.iter().map(extent).collect();
        let (centers, height) = tree::tidy_layout(&self.tree, &extents, gap);
        let mut center_offsets = vec![0.0; sizes.len()];
        for (index, center) in self.indices.iter().zip(centers) {
            center_offsets[*index] = center - height / 2.0;
        }
        let height = if self.indices.is_empty() { 0.0 } else { height };
        SideLayout { height, center_offsets }
    }
}
