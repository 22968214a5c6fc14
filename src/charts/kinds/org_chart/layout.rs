//! Layout of an organization chart: the rectangles of the boxes and the font sizes.

use kurbo::Rect;

use crate::Chart;
use crate::data;
use crate::frame::ChartStyle;
use crate::text;
use crate::text::Face;
use crate::tree;
use crate::tree::{NodeExtent, RecordTree};

use super::font_sizes;
use super::widths::{MeasuredWidths, WidthKey};

/// Line height of text relative to the font size.
pub const LINE_HEIGHT_EM: f64 = 1.28;
/// Maximum width of a box in points at unit 1.
const MAX_BOX_WIDTH: f64 = 176.0;
/// Maximum width of a box in points at unit 1, if its text may be shortened.
const MAX_SHORTENED_BOX_WIDTH: f64 = 60.0;
/// Maximum numbers of lines of a label that are tried.
const LINE_COUNTS: [usize; 4] = [2, 3, 4, 5];
/// Width of boxes with short texts in points at unit 1, if the area is wide enough.
const DEFAULT_BOX_WIDTH: f64 = 104.0;

/// A layout that fits into the available area.
#[derive(Clone, Debug, Default)]
pub struct OrgChartLayout {
    /// Font size of labels in points.
    pub label_size: f64,
    /// Font size of subtitles in points. 0 omits them.
    pub subtitle_size: f64,
    /// Space between the edge of a box and its text in points.
    pub padding: f64,
    /// Indentation of stacked boxes relative to the box above them in points.
    pub stack_indent: f64,
    /// Maximum number of lines of a label, and of a subtitle.
    pub max_lines: usize,
    /// Whether the tree grows to the right instead of down.
    pub grows_right: bool,
    /// Rectangle of each node.
    pub boxes: Vec<Rect>,
    /// Whether the children of each node are stacked below it instead of placed side by side.
    pub has_stacked_children: Vec<bool>,
}

impl OrgChartLayout {
    /// Wraps a text to the width of its box `rect`, in at most `max_lines` lines. The last line
    /// ends with an ellipsis if the text is longer.
    pub fn wrap(&self, text: &str, rect: Rect, font_size: f64, face: Face) -> Vec<String> {
        let text_width = rect.width() - self.padding * 2.0;
        text::wrap_balanced(text, text_width, self.max_lines, font_size, face)
    }

    /// Returns the number of letters in the drawn lines of all labels, without subtitles, to
    /// compare layouts that shorten labels.
    pub fn count_letters(tree: &RecordTree, layout: &OrgChartLayout) -> usize {
        let boxes = tree.nodes.iter().zip(&layout.boxes);
        let lines = boxes.flat_map(|(node, rect)| {
            layout.wrap(&node.label, *rect, layout.label_size, Face::BOLD)
        });
        lines.map(|line| line.chars().count()).sum()
    }
}

/// Texts in the box of a node.
struct BoxText {
    label: String,
    /// Empty without a subtitle, or if subtitles are hidden.
    subtitle: String,
}

/// Vertical position of a box in points.
struct BoxRow {
    top: f64,
    height: f64,
}

/// Parameters of an attempt to lay out the tree.
struct LayoutAttempt<'a> {
    tree: &'a RecordTree,
    style: &'a ChartStyle,
    area: Rect,
    /// Texts of each node.
    texts: &'a [BoxText],
    measured_widths: &'a MeasuredWidths,
    /// Font size of labels in points.
    label_size: f64,
    /// Font size of subtitles in points. 0 omits them.
    subtitle_size: f64,
    /// Maximum number of lines of a label, and of a subtitle.
    max_lines: usize,
    /// Level from which on the children of a node are stacked.
    stacked_from_level: usize,
    /// Whether texts may be shortened with an ellipsis.
    may_shorten: bool,
    /// Whether the tree grows to the right instead of down.
    grows_right: bool,
}

/// Returns the most readable layout of the whole tree. None if the tree does not fit into `area`.
///
/// Tries large texts first, then smaller ones. If none fits, omits the subtitles and starts again
/// at the normal size. For each size, uses as few lines and stacks as few levels as possible, but
/// uses more lines rather than one stack of everything. If texts are shortened, chooses the widest
/// boxes instead.
pub fn find_layout(
    chart: &Chart,
    style: &ChartStyle,
    area: Rect,
    tree: &RecordTree,
    may_shorten: bool,
    measured_widths: &MeasuredWidths,
) -> Option<OrgChartLayout> {
    let grows_right = chart.str_setting("direction") == "right";
    let texts = read_texts(chart, tree);
    let texts = texts.as_slice();
    let any_subtitle = texts.iter().any(|text| !text.subtitle.is_empty());
    // Each level above the stacks needs a row, so more levels than rows cannot fit.
    let max_rows = (area.height() / (style.small_size * LINE_HEIGHT_EM)).max(1.0) as usize;
    let last_level = tree.levels.saturating_sub(1);
    let levels =
        if grows_right { last_level..last_level + 1 } else { 0..last_level.min(max_rows) + 1 };
    let attempt = |sizes: (f64, f64), max_lines: usize, stacked_from_level: usize| {
        LayoutAttempt {
            tree,
            style,
            area,
            texts,
            measured_widths,
            label_size: sizes.0,
            subtitle_size: sizes.1,
            max_lines,
            stacked_from_level,
            may_shorten,
            grows_right,
        }
        .lay_out()
    };
    // Large trees do not fit with long labels, and wrapping takes time.
    let tried = if tree.nodes.len() > 80 { 1 } else { LINE_COUNTS.len() };
    let line_counts = LINE_COUNTS.into_iter().take(tried);
    let width = |layout: &OrgChartLayout| layout.boxes.iter().map(Rect::width).fold(0.0, f64::max);
    let is_one_stack = |level: usize| level == 0 && !grows_right && last_level > 0;
    font_sizes::list_font_sizes(style, any_subtitle, may_shorten).into_iter().find_map(|sizes| {
        let at = |lines: usize, level: usize| attempt(sizes, lines, level);
        if may_shorten {
            // The layout with the most lines and the widest boxes shortens its texts least.
            return line_counts.clone().rev().find_map(|lines| {
                let layouts = levels.clone().rev().filter_map(|level| at(lines, level));
                layouts.reduce(|a, b| if width(&b) > width(&a) { b } else { a })
            });
        }
        [false, true].into_iter().find_map(|as_one_stack| {
            let levels = levels.clone().rev().filter(|level| is_one_stack(*level) == as_one_stack);
            line_counts.clone().find_map(|lines| levels.clone().find_map(|level| at(lines, level)))
        })
    })
}

/// Reads the label and, unless the setting `showSubtitles` hides it, the subtitle of each node.
fn read_texts(chart: &Chart, tree: &RecordTree) -> Vec<BoxText> {
    let with_subtitles = chart.bool_setting("showSubtitles", true);
    let text = |node: &tree::RecordNode| {
        let subtitle = data::display_text(data::field(&chart.data[node.row], "subtitle"));
        BoxText {
            label: node.label.clone(),
            subtitle: if with_subtitles { subtitle.into_owned() } else { String::new() },
        }
    };
    tree.nodes.iter().map(text).collect()
}

impl LayoutAttempt<'_> {
    /// Returns the space between the edge of a box and its text in points.
    fn padding(&self) -> f64 {
        self.label_size * if self.max_lines > 2 { 0.4 } else { 0.6 }
    }

    /// Returns the indentation of stacked boxes in points.
    fn stack_indent(&self) -> f64 {
        self.label_size * 1.1
    }

    /// Returns the indentation of a stacked node in points, which grows with each stacked level. 0
    /// for a node that is not stacked.
    fn stack_offset(&self, index: usize) -> f64 {
        let depth = self.tree.nodes.get(index).map_or(0, |node| node.depth);
        depth.saturating_sub(self.stacked_from_level) as f64 * self.stack_indent()
    }

    /// Returns the smallest known width in points of a node's box at which its label and subtitle
    /// fit into `max_lines` lines each, without shortening. Includes the padding, but no
    /// indentation.
    fn measure_box_width(&self, index: usize, max_lines: usize) -> f64 {
        let (Some(node), Some(texts)) = (self.tree.nodes.get(index), self.texts.get(index)) else {
            return 0.0;
        };
        let measure = |text: &str, font_size: f64, is_label: bool| {
            let face = if is_label { Face::BOLD } else { self.style.label_face() };
            let key = WidthKey::new(node.row, is_label, max_lines, font_size);
            self.measured_widths.measure(key, text, face)
        };
        let label = measure(&texts.label, self.label_size, true);
        let subtitle = measure(&texts.subtitle, self.subtitle_size, false);
        // Slightly wider, so that rounding errors do not cause a line break.
        label.max(subtitle) + self.padding() * 2.0 + 0.5
    }

    /// Returns the height in points of a node's box of this width, for its texts in at most
    /// `max_lines` lines.
    fn measure_box_height(&self, index: usize, width: f64) -> f64 {
        let text_width = width - self.padding() * 2.0;
        let Some(BoxText { label, subtitle }) = self.texts.get(index) else { return 0.0 };
        let text_height = |text: &str, font_size: f64, face| match font_size {
            0.0 => 0.0,
            _ => {
                text::wrap_balanced(text, text_width, self.max_lines, font_size, face).len() as f64
                    * font_size
                    * LINE_HEIGHT_EM
            }
        };
        let label = text_height(label, self.label_size, Face::BOLD);
        label
            + text_height(subtitle, self.subtitle_size, self.style.label_face())
            + self.label_size * 0.7
    }

    /// Returns the layout with these parameters. None if the tree does not fit. The boxes of a tree
    /// of one level form a grid.
    fn lay_out(&self) -> Option<OrgChartLayout> {
        let boxes = match (self.tree.levels, self.grows_right) {
            (0 | 1, _) => self.lay_out_grid(),
            (_, true) => self.lay_out_rightward(),
            (_, false) => self.lay_out_downward(),
        }?;
        let is_stacked_parent =
            |node: &tree::RecordNode| !self.grows_right && node.depth >= self.stacked_from_level;
        Some(OrgChartLayout {
            label_size: self.label_size,
            subtitle_size: self.subtitle_size,
            padding: self.padding(),
            stack_indent: self.stack_indent(),
            max_lines: self.max_lines,
            grows_right: self.grows_right,
            boxes,
            has_stacked_children: self.tree.nodes.iter().map(is_stacked_parent).collect(),
        })
    }

    /// Returns the width in points at which the texts of all these nodes fit into `max_lines` lines
    /// each, limited to a maximum. None if the maximum would shorten texts and that is not allowed.
    ///
    /// The maximum is smaller if texts may be shortened.
    fn fit_common_width(
        &self,
        nodes: impl Iterator<Item = usize> + Clone,
        max_lines: usize,
    ) -> Option<f64> {
        let needed = self.measure_required_width(nodes, max_lines);
        let unit = self.style.unit;
        let max_shortened = MAX_SHORTENED_BOX_WIDTH * unit.max(1.0);
        let max_width = if self.may_shorten { max_shortened } else { MAX_BOX_WIDTH * unit };
        if needed <= max_width || self.may_shorten { Some(needed.min(max_width)) } else { None }
    }

    /// Returns the smallest known width in points at which the label and the subtitle of each of
    /// these nodes fit into `max_lines` lines each, including the padding of the box and the
    /// indentation of stacked boxes. At least four times the label size, also without nodes.
    fn measure_required_width(&self, nodes: impl Iterator<Item = usize>, max_lines: usize) -> f64 {
        nodes
            .map(|index| self.measure_box_width(index, max_lines) + self.stack_offset(index))
            .fold(self.label_size * 4.0, f64::max)
    }

    /// Returns the box of each node in a tree that grows down, as wide as the area permits up to a
    /// preferred width. None if the boxes do not fit.
    fn lay_out_downward(&self) -> Option<Vec<Rect>> {
        let (nodes, style) = (&self.tree.nodes, self.style);
        let first = usize::from(self.has_wide_top());
        let min_width = self.fit_common_width(first..nodes.len(), self.max_lines)?;
        let gap = style.unit * 10.0;
        let tidy_layout_of = |width: f64| {
            let extent = |node: &tree::RecordNode| NodeExtent {
                size: width,
                has_side_by_side_children: node.depth < self.stacked_from_level,
            };
            tree::tidy_layout(self.tree, &nodes.iter().map(extent).collect::<Vec<_>>(), gap)
        };
        let breadth = tidy_layout_of(min_width).1;
        if breadth > self.area.width() {
            return None;
        }
        // The breadth grows linearly with the width of boxes, because the gaps are constant.
        let breadth_per_point = (tidy_layout_of(min_width + 1.0).1 - breadth).max(1.0);
        let preferred_width = self
            .measure_required_width(first..nodes.len(), 1)
            .clamp(DEFAULT_BOX_WIDTH * style.unit, MAX_BOX_WIDTH * style.unit);
        let preferred_width = preferred_width.max(min_width);
        let width =
            (min_width + (self.area.width() - breadth) / breadth_per_point).min(preferred_width);
        let (centers, breadth) = tidy_layout_of(width);
        let top_width = self.top_width(width);
        let rows = self.lay_out_box_rows(width, top_width)?;
        let left = self.area.x0 + (self.area.width() - breadth) / 2.0;
        let rect = |(index, (center, row)): (usize, (&f64, &BoxRow))| {
            let width = if index == 0 { top_width } else { width };
            let x = (left + center - width / 2.0).min(self.area.x1 - width).max(self.area.x0);
            Rect::new(x + self.stack_offset(index), row.top, x + width, row.top + row.height)
        };
        Some(centers.iter().zip(&rows).enumerate().map(rect).collect())
    }

    /// Returns whether the first box is alone in its row, so that it can be wider than the others.
    fn has_wide_top(&self) -> bool {
        self.tree.roots().count() == 1 && self.tree.levels > 1 && self.stacked_from_level > 0
    }

    /// Returns the width in points of the first box: that of its texts if it is alone in its row,
    /// but at least `width`, that of the others.
    fn top_width(&self, width: f64) -> f64 {
        if !self.has_wide_top() {
            return width;
        }
        let max_width = (MAX_BOX_WIDTH * self.style.unit.max(1.0)).min(self.area.width());
        let widths = (1..=self.max_lines).map(|lines| self.measure_box_width(0, lines));
        let needed = widths.into_iter().find(|needed| *needed <= max_width).unwrap_or(max_width);
        width.max(needed)
    }

    /// Returns the vertical position of each box in a tree that grows down. None if the boxes do
    /// not fit.
    ///
    /// Boxes of one level have the same height. All stacked boxes have one height, too. `width` is
    /// the width of a box that is not stacked, and `top_width` that of the first box, in points.
    fn lay_out_box_rows(&self, width: f64, top_width: f64) -> Option<Vec<BoxRow>> {
        let nodes = &self.tree.nodes;
        let level = |node: &tree::RecordNode| node.depth.min(self.stacked_from_level + 1);
        let mut heights = vec![0.0f64; self.tree.levels.min(self.stacked_from_level + 2)];
        for (index, node) in nodes.iter().enumerate() {
            let width = if index == 0 { top_width } else { width };
            let height = self.measure_box_height(index, width - self.stack_offset(index));
            heights[level(node)] = heights[level(node)].max(height);
        }
        let stack_positions = self.tree.find_stack_positions(self.stacked_from_level);
        let longest_stack = stack_positions.iter().copied().max().unwrap_or(0) as f64;
        let (level_heights, lower_heights) =
            heights.split_at((self.stacked_from_level + 1).min(heights.len()));
        let stacked_height = lower_heights.first().copied().unwrap_or(0.0);
        let boxes_height = level_heights.iter().sum::<f64>() + stacked_height * longest_stack;
        let gaps = (level_heights.len() as f64 - 1.0).max(0.0);
        // Gaps in a stack are a third of the gaps between levels.
        let available_gap =
            (self.area.height() - boxes_height) / (gaps + longest_stack / 3.0).max(0.1);
        let (min_gap, max_gap) = (self.style.unit * 12.0, self.style.unit * 34.0);
        if available_gap < min_gap
            && boxes_height + gaps * min_gap + longest_stack * min_gap / 3.0 > self.area.height()
        {
            return None;
        }
        let gap = available_gap.clamp(min_gap, max_gap);
        let used_height = boxes_height + gap * (gaps + longest_stack / 3.0);
        let spare_height = (self.area.height() - used_height).max(0.0);
        let mut top = self.area.y0 + spare_height.min(self.style.unit * 60.0) / 2.0;
        let mut starts = Vec::with_capacity(level_heights.len());
        for height in level_heights {
            starts.push(top);
            top += height + gap;
        }
        let upper_end = top - gap;
        let row = |(index, node): (usize, &tree::RecordNode)| match starts.get(node.depth) {
            Some(start) => {
                let height = level_heights.get(node.depth).copied().unwrap_or(0.0);
                BoxRow { top: *start, height }
            }
            None => {
                let position = stack_positions.get(index).copied().unwrap_or(0);
                let boxes_before = position.saturating_sub(1) as f64;
                let top = upper_end + gap / 3.0 + boxes_before * (stacked_height + gap / 3.0);
                BoxRow { top, height: stacked_height }
            }
        };
        Some(nodes.iter().enumerate().map(row).collect())
    }

    /// Returns the boxes of nodes without lines between them, row by row in a grid of equal cells.
    /// None if the boxes do not fit.
    fn lay_out_grid(&self) -> Option<Vec<Rect>> {
        let nodes = &self.tree.nodes;
        let gap = self.style.unit * 8.0;
        let min_width = self.fit_common_width(0..nodes.len(), self.max_lines)?;
        let preferred_width = self
            .measure_required_width(0..nodes.len(), 1)
            .min(MAX_BOX_WIDTH * self.style.unit)
            .max(min_width);
        [preferred_width, min_width].into_iter().find_map(|width| {
            let tallest = (0..nodes.len())
                .map(|index| self.measure_box_height(index, width))
                .fold(0.0, f64::max);
            let columns = ((self.area.width() + gap) / (width + gap)).floor();
            let rows = (nodes.len() as f64 / columns.max(1.0)).ceil();
            if columns < 1.0 || rows * (tallest + gap) - gap > self.area.height() {
                return None;
            }
            let used_width = columns.min(nodes.len() as f64) * (width + gap) - gap;
            let left = self.area.x0 + (self.area.width() - used_width) / 2.0;
            let spare_height = self.area.height() - (rows * (tallest + gap) - gap);
            let top = self.area.y0 + spare_height.clamp(0.0, self.style.unit * 60.0) / 2.0;
            let rect = |index: usize| {
                let (row, column) = ((index as f64 / columns).floor(), index as f64 % columns);
                let x = left + column * (width + gap);
                let y = top + row * (tallest + gap);
                Rect::new(x, y, x + width, y + tallest)
            };
            Some((0..nodes.len()).map(rect).collect())
        })
    }

    /// Returns the width of the boxes of each level in a tree that grows to the right, with at least `gap`
    /// points between levels. Texts get one line if the area is wide enough for it, otherwise as many as
    /// necessary. None if the levels do not fit.
    fn level_widths(&self, gap: f64) -> Option<Vec<f64>> {
        let nodes = &self.tree.nodes;
        let levels = 0..self.tree.levels;
        let nodes_of =
            |depth: usize| (0..nodes.len()).filter(move |index| nodes[*index].depth == depth);
        let narrow: Option<Vec<f64>> = levels
            .clone()
            .map(|depth| self.fit_common_width(nodes_of(depth), self.max_lines))
            .collect();
        let narrow = narrow?;
        let widest = MAX_BOX_WIDTH * self.style.unit;
        let wide = levels.zip(&narrow).map(|(depth, narrow)| {
            self.measure_required_width(nodes_of(depth), 1).min(widest).max(*narrow)
        });
        let wide: Vec<f64> = wide.collect();
        let space = self.area.width() - gap * (narrow.len() as f64 - 1.0);
        let (least, most) = (narrow.iter().sum::<f64>(), wide.iter().sum::<f64>());
        let share = ((space - least) / (most - least).max(0.1)).min(1.0);
        let width = |(narrow, wide): (&f64, &f64)| narrow + (wide - narrow) * share;
        (least <= space).then(|| narrow.iter().zip(&wide).map(width).collect())
    }

    /// Returns the box of each node in a tree that grows to the right, one column per level. All
    /// boxes have the same height, and those of a level the same width. None if the boxes do not
    /// fit.
    fn lay_out_rightward(&self) -> Option<Vec<Rect>> {
        let (nodes, style) = (&self.tree.nodes, self.style);
        let gap = style.unit * 26.0;
        let level_widths = self.level_widths(gap)?;
        let used_width = level_widths.iter().sum::<f64>() + gap * (level_widths.len() as f64 - 1.0);
        let spare_width =
            (self.area.width() - used_width) / (level_widths.len() as f64 - 1.0).max(1.0);
        let gap = (gap + spare_width).min(style.unit * 90.0);
        let mut starts = Vec::with_capacity(level_widths.len());
        let mut x = self.area.x0;
        for level_width in &level_widths {
            starts.push(x);
            x += level_width + gap;
        }
        let height =
            |index: usize| self.measure_box_height(index, level_widths[nodes[index].depth]);
        let tallest = (0..nodes.len()).map(height).fold(0.0, f64::max);
        let extents =
            vec![NodeExtent { size: tallest, has_side_by_side_children: true }; nodes.len()];
        let min_sibling_gap = style.unit * 4.0;
        let breadth = tree::tidy_layout(self.tree, &extents, min_sibling_gap).1;
        if breadth > self.area.height() {
            return None;
        }
        let breadth_per_point =
            (tree::tidy_layout(self.tree, &extents, min_sibling_gap + 1.0).1 - breadth).max(1.0);
        let sibling_gap = min_sibling_gap
            + ((self.area.height() - breadth) / breadth_per_point).min(style.unit * 10.0);
        let (centers, breadth) = tree::tidy_layout(self.tree, &extents, sibling_gap);
        let top = self.area.y0 + (self.area.height() - breadth) / 2.0;
        let rect = |(node, center): (&tree::RecordNode, &f64)| {
            let x = starts[node.depth];
            let y = top + center - tallest / 2.0;
            Rect::new(x, y, x + level_widths[node.depth], y + tallest)
        };
        Some(nodes.iter().zip(&centers).map(rect).collect())
    }
}
