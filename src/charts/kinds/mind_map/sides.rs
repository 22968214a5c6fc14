//! Where the thoughts of a mind map stand: two trees that grow from the middle to both sides.

use kurbo::{Point, Rect};

use crate::frame::ChartStyle;
use crate::text;
use crate::text::Face;
use crate::tree;
use crate::tree::{NodeExtent, RecordTree};

/// Height of a line of text, as a share of its size.
pub const LINE: f64 = 1.25;

/// Most lines of a thought: the topic is never cut where a third line saves it.
pub fn most_lines(heart: bool) -> usize {
    if heart { 3 } else { 2 }
}

/// A layout that fits.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Font size of thoughts; that of the middle is larger.
    pub size: f64,
    /// A box for each thought.
    pub boxes: Vec<Rect>,
    /// The thought in the middle, if there is just one without a parent.
    pub heart: Option<usize>,
    /// The middle, if several thoughts have no parent.
    pub point: Option<Rect>,
}

impl Plan {
    /// Font size of a thought.
    pub fn size_of(&self, heart: bool) -> f64 {
        if heart { self.size * 1.2 } else { self.size }
    }

    /// Width of a thought's text in its box.
    pub fn room(&self, rect: &Rect, heart: bool) -> f64 {
        // A hair wider, so that rounding does not break a line.
        if heart { rect.width() - self.size * 1.6 + 0.5 } else { rect.width() + 0.5 }
    }
}

/// A try: sizes, the widest text in points, and the space between thoughts.
struct Try<'a> {
    tree: &'a RecordTree,
    style: &'a ChartStyle,
    area: Rect,
    heart: Option<usize>,
    /// Whether each thought stands on the left.
    left: &'a [bool],
    size: f64,
    widest: f64,
    gap: f64,
    /// Whether text may be shortened.
    cut: bool,
}

/// The most readable layout of the whole tree; none when it does not fit.
pub fn find(tree: &RecordTree, style: &ChartStyle, area: Rect, both: bool) -> Option<Plan> {
    let mut roots = tree.roots();
    let heart = match (roots.next(), roots.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    };
    let left = split(tree, heart, both);
    let left = left.as_slice();
    let sizes = [style.label_size * 1.2, style.label_size, style.small_size];
    let widths = [260.0, 190.0, 140.0, 100.0, 76.0];
    let whole = sizes.into_iter().flat_map(|size| widths.map(|it| (size, it, false)));
    let cut = [190.0, 140.0, 100.0, 84.0].map(|it| (style.small_size, it, true));
    whole.chain(cut).find_map(|(size, widest, cut)| {
        [34.0, 26.0, 20.0, 12.0, 7.0, 4.0].into_iter().find_map(|gap| {
            let (widest, gap) = (widest * style.unit, gap * style.unit);
            Try { tree, style, area, heart, left, size, widest, gap, cut }.plan()
        })
    })
}

/// Which thoughts stand on the left: the later main branches, so that both sides have about
/// equally many leaves and the order runs clockwise.
fn split(tree: &RecordTree, heart: Option<usize>, both: bool) -> Vec<bool> {
    let mut leaves = vec![0usize; tree.nodes.len()];
    for (at, node) in tree.nodes.iter().enumerate().rev() {
        let below: usize = node.children.iter().filter_map(|it| leaves.get(*it)).sum();
        leaves[at] = below.max(1);
    }
    let main: Vec<usize> = match heart.and_then(|it| tree.nodes.get(it)) {
        Some(node) => node.children.clone(),
        None => tree.roots().collect(),
    };
    let total: usize = main.iter().map(|it| leaves[*it]).sum();
    let mut left = vec![false; tree.nodes.len()];
    let mut before = 0;
    for at in main {
        // A branch goes where its middle lies.
        left[at] = both && before * 2 + leaves[at] > total && before > 0;
        before += leaves[at];
    }
    for (at, node) in tree.nodes.iter().enumerate() {
        let above = node.parent.filter(|it| heart != Some(*it));
        if let Some(side) = above.and_then(|it| left.get(it).copied()) {
            left[at] = side;
        }
    }
    left
}

impl Try<'_> {
    fn plan(&self) -> Option<Plan> {
        let measured: Vec<(f64, f64)> =
            (0..self.tree.nodes.len()).map(|it| self.measure(it)).collect::<Option<_>>()?;
        let heart = self.heart.and_then(|it| measured.get(it)).copied().unwrap_or((12.0, 12.0));
        let sides = [true, false].map(|left| self.side(left, &measured));
        let highest = sides.iter().map(|it| it.breadth).fold(heart.1, f64::max);
        let least = self.style.unit * 16.0;
        // Width of a side with lines of this length; those of the middle are a little longer.
        let room = |side: &Side, link: f64| match side.columns.len() {
            0 => heart.0 / 2.0,
            levels => {
                side.columns.iter().sum::<f64>() + heart.0 / 2.0 + link * (levels as f64 + 0.4)
            }
        };
        let used = |link: f64| room(&sides[0], link) + room(&sides[1], link);
        let spare = self.area.width() - used(least);
        if spare < 0.0 || highest > self.area.height() {
            return None;
        }
        let slope = (used(least + 1.0) - used(least)).max(0.1);
        let link = least + (spare / slope).min(self.style.unit * 24.0);
        let left = self.area.x0 + (self.area.width() - used(link)) / 2.0;
        let center = Point::new(left + room(&sides[0], link), self.area.center().y);
        let middle = Rect::from_center_size(center, heart);
        let boxes = (0..self.tree.nodes.len()).map(|at| {
            if self.heart == Some(at) {
                return middle;
            }
            let side = &sides[usize::from(self.left.get(at) != Some(&true))];
            self.place(at, side, measured[at], (center, heart.0 / 2.0, link))
        });
        Some(Plan {
            size: self.size,
            boxes: boxes.collect(),
            heart: self.heart,
            point: self.heart.is_none().then_some(middle),
        })
    }

    /// The level of a thought on its side, from 0 on.
    fn level(&self, at: usize) -> usize {
        let depth = self.tree.nodes.get(at).map_or(0, |it| it.depth);
        depth.saturating_sub(usize::from(self.heart.is_some()))
    }

    /// Width and height of a thought with its text in few lines; none when that would
    /// shorten it though it may not.
    fn measure(&self, at: usize) -> Option<(f64, f64)> {
        let node = self.tree.nodes.get(at)?;
        let heart = self.heart == Some(at);
        let size = if heart { self.size * 1.2 } else { self.size };
        let face = Face::new(heart || self.level(at) == 0, false);
        // The topic has room for its words.
        let least = if heart { self.style.unit * 120.0 } else { 0.0 };
        let widest = self.widest.max(least);
        let lines = text::wrap_balanced(&node.label, widest, most_lines(heart), size, face);
        if !self.cut && lines.last().is_some_and(|it| it.ends_with('…')) {
            return None;
        }
        let width = lines.iter().map(|it| text::width(it, size, face)).fold(size * 0.5, f64::max);
        let height = lines.len().max(1) as f64 * size * LINE;
        if heart {
            Some((width + self.size * 1.6, height + size * 0.9))
        } else {
            Some((width, height + size * 0.1))
        }
    }

    /// The tree of one side.
    fn side(&self, left: bool, measured: &[(f64, f64)]) -> Side {
        let mut columns: Vec<f64> = Vec::new();
        let own = |at: usize| self.heart != Some(at) && self.left.get(at) == Some(&left);
        for at in (0..measured.len()).filter(|it| own(*it)) {
            let level = self.level(at);
            columns.resize(columns.len().max(level + 1), 0.0);
            columns[level] = columns[level].max(measured[at].0);
        }
        let part = self.tree.filtered(own);
        let blocks: Vec<NodeExtent> = part
            .1
            .iter()
            .map(|old| NodeExtent { size: measured[*old].1, has_side_by_side_children: true })
            .collect();
        let (centers, breadth) = tree::tidy_layout(&part.0, &blocks, self.gap);
        let mut places = vec![0.0; measured.len()];
        for (old, center) in part.1.iter().zip(centers) {
            places[*old] = center - breadth / 2.0;
        }
        let breadth = if part.1.is_empty() { 0.0 } else { breadth };
        Side { columns, breadth, places }
    }

    fn place(
        &self,
        at: usize,
        side: &Side,
        (width, height): (f64, f64),
        (center, half, link): (Point, f64, f64),
    ) -> Rect {
        let before: f64 = side.columns.iter().take(self.level(at)).map(|it| it + link).sum();
        let y = center.y + side.places.get(at).copied().unwrap_or(0.0);
        let near = half + link * 1.4 + before;
        let left = self.left.get(at) == Some(&true);
        let x = if left { center.x - near - width } else { center.x + near };
        Rect::new(x, y - height / 2.0, x + width, y + height / 2.0)
    }
}

/// One side of the middle.
struct Side {
    /// Width of each level, from the middle outwards.
    columns: Vec<f64>,
    /// Height of all.
    breadth: f64,
    /// Height of each thought's centre over the middle of the side.
    places: Vec<f64>,
}
