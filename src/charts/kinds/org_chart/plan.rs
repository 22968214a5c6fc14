//! Where the boxes of an organization chart stand, and how large their text is.

use kurbo::Rect;

use crate::Chart;
use crate::data;
use crate::frame::ChartStyle;
use crate::text;
use crate::text::Face;
use crate::tree;
use crate::tree::{NodeExtent, RecordTree};

/// Height of a line of text, as a share of its size.
pub const LINE: f64 = 1.28;
/// Widest box, and the narrowest one whose text may be shortened, in points at unit 1.
const WIDEST: f64 = 176.0;
const NARROWEST: f64 = 60.0;
/// Boxes with little text are still so wide where there is room.
const USUAL: f64 = 104.0;

/// A layout that fits.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Font size of names.
    pub size: f64,
    /// Font size of subtitles; 0 when they are left out.
    pub subtitle: f64,
    /// Space between the edge of a box and its text.
    pub pad: f64,
    /// How far a pile stands to the right of its head.
    pub indent: f64,
    /// Whether levels run to the right instead of down.
    pub rightward: bool,
    /// A box for each node.
    pub boxes: Vec<Rect>,
    /// Whether the children of a node stand in a pile.
    pub piled: Vec<bool>,
}

/// A try: sizes of text, the level from which on boxes are piled, and whether text may be cut.
struct Try<'a> {
    tree: &'a RecordTree,
    style: &'a ChartStyle,
    area: Rect,
    /// Name and subtitle of each node.
    words: &'a [(String, String)],
    size: f64,
    subtitle: f64,
    piled_from: usize,
    cut: bool,
    rightward: bool,
}

/// The most readable layout of the whole tree; none when it does not fit.
pub fn find(chart: &Chart, style: &ChartStyle, area: Rect, tree: &RecordTree) -> Option<Plan> {
    let rightward = chart.str_setting("direction") == "right";
    let with_subtitles = chart.bool_setting("showSubtitles", true);
    let words: Vec<(String, String)> = tree
        .nodes
        .iter()
        .map(|it| {
            let subtitle = data::display_text(data::field(&chart.data[it.row], "subtitle"));
            (it.label.clone(), if with_subtitles { subtitle.into_owned() } else { String::new() })
        })
        .collect();
    let any = words.iter().any(|it| !it.1.is_empty());
    let below = |size: f64| if any { (size - 1.0 * style.unit).max(style.small_size) } else { 0.0 };
    let large = style.label_size * 1.25;
    let sizes = [
        (large, below(large), false),
        (style.label_size, below(style.label_size), false),
        (style.small_size, below(style.small_size), false),
        (style.small_size, below(style.small_size), true),
        (style.label_size, 0.0, false),
        (style.small_size, 0.0, false),
        (style.small_size, 0.0, true),
    ];
    // Each level above the piles takes a row; more than so many find no room.
    let rows = (area.height() / (style.small_size * LINE)).max(1.0) as usize;
    let last = tree.levels.saturating_sub(1);
    let piles = if rightward { last..last + 1 } else { 0..last.min(rows) + 1 };
    sizes.into_iter().find_map(|(size, subtitle, cut)| {
        let words = words.as_slice();
        let mut plans = piles.clone().rev().filter_map(|piled_from| {
            Try { tree, style, area, words, size, subtitle, piled_from, cut, rightward }.plan()
        });
        // Where text is cut, the widest boxes cut the least of it.
        let width = |plan: &Plan| plan.boxes.iter().map(Rect::width).fold(0.0, f64::max);
        let wider = |one: Plan, two: Plan| if width(&two) > width(&one) { two } else { one };
        if cut { plans.reduce(wider) } else { plans.next() }
    })
}

impl Try<'_> {
    fn pad(&self) -> f64 {
        self.size * 0.6
    }

    fn indent(&self) -> f64 {
        self.size * 1.1
    }

    /// How far a node of a pile stands to the right of its head.
    fn shift(&self, at: usize) -> f64 {
        let depth = self.tree.nodes.get(at).map_or(0, |it| it.depth);
        depth.saturating_sub(self.piled_from) as f64 * self.indent()
    }

    /// Width at which a text stands in so many lines, whole.
    fn least(&self, words: &str, size: f64, face: Face, lines: f64) -> f64 {
        let full = text::width(words, size, face);
        if full == 0.0 || size == 0.0 {
            return 0.0;
        }
        let whole = |room: &f64| {
            let set = text::wrap(words, *room, lines as usize, size, face);
            set.last().is_some_and(|it| !it.ends_with('…'))
        };
        let tries =
            (0..8).map(|it| full / lines + f64::from(it) * full * (1.0 - 1.0 / lines) / 8.0);
        tries.into_iter().find(whole).unwrap_or(full)
    }

    /// Width of a node's box with its text in so many lines.
    fn width(&self, at: usize, lines: f64) -> f64 {
        let Some((label, subtitle)) = self.words.get(at) else { return 0.0 };
        let label = self.least(label, self.size, Face::BOLD, lines);
        let subtitle = self.least(subtitle, self.subtitle, self.style.label_face(), lines);
        // A hair wider, so that rounding does not break a line.
        label.max(subtitle) + self.pad() * 2.0 + 0.5
    }

    /// Height of a node's box at this width.
    fn height(&self, at: usize, width: f64) -> f64 {
        let room = width - self.pad() * 2.0;
        let Some((label, subtitle)) = self.words.get(at) else { return 0.0 };
        let lines = |words: &str, size: f64, face| match size {
            0.0 => 0.0,
            _ => text::wrap(words, room, 2, size, face).len() as f64 * size * LINE,
        };
        let label = lines(label, self.size, Face::BOLD);
        label + lines(subtitle, self.subtitle, self.style.label_face()) + self.size * 0.7
    }

    fn plan(&self) -> Option<Plan> {
        let boxes = match (self.tree.levels, self.rightward) {
            (0 | 1, _) => self.grid(),
            (_, true) => self.rightward(),
            (_, false) => self.downward(),
        }?;
        let piled = |it: &tree::RecordNode| !self.rightward && it.depth >= self.piled_from;
        Some(Plan {
            size: self.size,
            subtitle: self.subtitle,
            pad: self.pad(),
            indent: self.indent(),
            rightward: self.rightward,
            boxes,
            piled: self.tree.nodes.iter().map(piled).collect(),
        })
    }

    /// The width all boxes need, at most the widest allowed; none when that cuts text.
    fn common_width(&self, nodes: impl Iterator<Item = usize> + Clone, lines: f64) -> Option<f64> {
        let needed = self.widest_need(nodes, lines);
        let limit = if self.cut { NARROWEST } else { WIDEST } * self.style.unit;
        if needed <= limit || self.cut { Some(needed.min(limit)) } else { None }
    }

    /// The width in which the text of all these stands in so many lines.
    fn widest_need(&self, nodes: impl Iterator<Item = usize>, lines: f64) -> f64 {
        nodes.map(|it| self.width(it, lines) + self.shift(it)).fold(self.size * 4.0, f64::max)
    }

    fn downward(&self) -> Option<Vec<Rect>> {
        let (nodes, style) = (&self.tree.nodes, self.style);
        let narrow = self.common_width(0..nodes.len(), 2.0)?;
        let gap = style.unit * 10.0;
        let lay = |width: f64| {
            let block = |it: &tree::RecordNode| NodeExtent {
                size: width,
                has_side_by_side_children: it.depth < self.piled_from,
            };
            tree::tidy_layout(self.tree, &nodes.iter().map(block).collect::<Vec<_>>(), gap)
        };
        let breadth = lay(narrow).1;
        if breadth > self.area.width() {
            return None;
        }
        // Breadth grows evenly with the width of boxes: the gaps stay.
        let spare = (lay(narrow + 1.0).1 - breadth).max(1.0);
        let wide =
            self.widest_need(0..nodes.len(), 1.0).clamp(USUAL * style.unit, WIDEST * style.unit);
        let wide = wide.max(narrow);
        let width = (narrow + (self.area.width() - breadth) / spare).min(wide);
        let (centers, breadth) = lay(width);
        let tops = self.tops(width)?;
        let left = self.area.x0 + (self.area.width() - breadth) / 2.0;
        let rect = |(at, (center, (top, height))): (usize, (&f64, &(f64, f64)))| {
            let x = left + center - width / 2.0;
            Rect::new(x + self.shift(at), *top, x + width, top + height)
        };
        Some(centers.iter().zip(&tops).enumerate().map(rect).collect())
    }

    /// Top and height of each box; none when they do not fit.
    fn tops(&self, width: f64) -> Option<Vec<(f64, f64)>> {
        let nodes = &self.tree.nodes;
        let level = |it: &tree::RecordNode| it.depth.min(self.piled_from + 1);
        let mut heights = vec![0.0f64; self.tree.levels.min(self.piled_from + 2)];
        for (at, node) in nodes.iter().enumerate() {
            let own = self.height(at, width - self.shift(at));
            heights[level(node)] = heights[level(node)].max(own);
        }
        let pile = self.piles();
        let most = pile.iter().copied().max().unwrap_or(0) as f64;
        let (upper, lower) = heights.split_at((self.piled_from + 1).min(heights.len()));
        let lower = lower.first().copied().unwrap_or(0.0);
        let solid = upper.iter().sum::<f64>() + lower * most;
        let gaps = (upper.len() as f64 - 1.0).max(0.0);
        // The gaps of a pile are a third of those between levels.
        let share = (self.area.height() - solid) / (gaps + most / 3.0).max(0.1);
        let (least, largest) = (self.style.unit * 12.0, self.style.unit * 34.0);
        if share < least && solid + gaps * least + most * least / 3.0 > self.area.height() {
            return None;
        }
        let gap = share.clamp(least, largest);
        let used = solid + gap * (gaps + most / 3.0);
        let spare = (self.area.height() - used).max(0.0);
        let mut top = self.area.y0 + spare.min(self.style.unit * 60.0) / 2.0;
        let mut starts = Vec::with_capacity(upper.len());
        for height in upper {
            starts.push(top);
            top += height + gap;
        }
        let end = top - gap;
        let place = |(at, node): (usize, &tree::RecordNode)| match starts.get(node.depth) {
            Some(start) => (*start, upper.get(node.depth).copied().unwrap_or(0.0)),
            None => {
                let before = pile.get(at).map_or(0, |it| it.saturating_sub(1)) as f64;
                (end + gap / 3.0 + before * (lower + gap / 3.0), lower)
            }
        };
        Some(nodes.iter().enumerate().map(place).collect())
    }

    /// The place of each node in the pile of its head, from 1 on; 0 outside of piles.
    fn piles(&self) -> Vec<usize> {
        let mut places = vec![0; self.tree.nodes.len()];
        for (head, _) in
            self.tree.nodes.iter().enumerate().filter(|it| it.1.depth == self.piled_from)
        {
            let mut open = vec![head];
            let mut place = 0;
            while let Some(at) = open.pop() {
                if let Some(own) = places.get_mut(at) {
                    *own = place;
                }
                place += 1;
                open.extend(self.tree.nodes.get(at).iter().flat_map(|it| it.children.iter().rev()));
            }
        }
        places
    }

    /// Boxes without any tie between them, in rows.
    fn grid(&self) -> Option<Vec<Rect>> {
        let nodes = &self.tree.nodes;
        let gap = self.style.unit * 8.0;
        let narrow = self.common_width(0..nodes.len(), 2.0)?;
        let wide = self.widest_need(0..nodes.len(), 1.0).min(WIDEST * self.style.unit).max(narrow);
        [wide, narrow].into_iter().find_map(|width| {
            let tallest = (0..nodes.len()).map(|it| self.height(it, width)).fold(0.0, f64::max);
            let columns = ((self.area.width() + gap) / (width + gap)).floor();
            let rows = (nodes.len() as f64 / columns.max(1.0)).ceil();
            if columns < 1.0 || rows * (tallest + gap) - gap > self.area.height() {
                return None;
            }
            let used = columns.min(nodes.len() as f64) * (width + gap) - gap;
            let left = self.area.x0 + (self.area.width() - used) / 2.0;
            let spare = self.area.height() - (rows * (tallest + gap) - gap);
            let top = self.area.y0 + spare.clamp(0.0, self.style.unit * 60.0) / 2.0;
            let rect = |at: usize| {
                let (row, column) = ((at as f64 / columns).floor(), at as f64 % columns);
                let x = left + column * (width + gap);
                let y = top + row * (tallest + gap);
                Rect::new(x, y, x + width, y + tallest)
            };
            Some((0..nodes.len()).map(rect).collect())
        })
    }

    fn rightward(&self) -> Option<Vec<Rect>> {
        let (nodes, style) = (&self.tree.nodes, self.style);
        let gap = style.unit * 26.0;
        let mut columns = vec![0.0f64; self.tree.levels];
        for (depth, column) in columns.iter_mut().enumerate() {
            let level = || (0..nodes.len()).filter(|it| nodes[*it].depth == depth);
            let (one, two) = (self.common_width(level(), 1.0), self.common_width(level(), 2.0));
            *column = one.or(two).or(self.cut.then_some(NARROWEST * style.unit))?;
        }
        let used = columns.iter().sum::<f64>() + gap * (columns.len() as f64 - 1.0);
        if used > self.area.width() {
            return None;
        }
        let spare = (self.area.width() - used) / (columns.len() as f64 - 1.0).max(1.0);
        let gap = (gap + spare).min(style.unit * 90.0);
        let mut starts = Vec::with_capacity(columns.len());
        let mut x = self.area.x0;
        for column in &columns {
            starts.push(x);
            x += column + gap;
        }
        let height = |at: usize| self.height(at, columns[nodes[at].depth]);
        let tallest = (0..nodes.len()).map(height).fold(0.0, f64::max);
        let blocks =
            vec![NodeExtent { size: tallest, has_side_by_side_children: true }; nodes.len()];
        let small = style.unit * 4.0;
        let breadth = tree::tidy_layout(self.tree, &blocks, small).1;
        if breadth > self.area.height() {
            return None;
        }
        let gaps = (tree::tidy_layout(self.tree, &blocks, small + 1.0).1 - breadth).max(1.0);
        let roomy = small + ((self.area.height() - breadth) / gaps).min(style.unit * 10.0);
        let (centers, breadth) = tree::tidy_layout(self.tree, &blocks, roomy);
        let top = self.area.y0 + (self.area.height() - breadth) / 2.0;
        let rect = |(node, center): (&tree::RecordNode, &f64)| {
            let x = starts[node.depth];
            let y = top + center - tallest / 2.0;
            Rect::new(x, y, x + columns[node.depth], y + tallest)
        };
        Some(nodes.iter().zip(&centers).map(rect).collect())
    }
}
