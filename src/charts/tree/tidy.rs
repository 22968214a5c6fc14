//! Places along the breadth of a tree: parents over the middle of their children, subtrees as
//! near to each other as their outlines allow, after Reingold and Tilford, 1981.

use crate::tree::Tree;

/// What a node takes of the breadth.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its own size along the breadth.
    pub size: f64,
    /// Whether its children are laid out beside each other; if not, they stand in a pile within
    /// the node's own breadth, which then reaches down to the last level.
    pub spread: bool,
}

/// The left and right edge of a subtree on each level, its own level first.
type Outline = Vec<(f64, f64)>;

/// Centres of the nodes along the breadth, from 0 on, and the whole breadth. Siblings are `gap`
/// apart, nodes of different parents half as much again. Nodes in a pile take their head's centre.
pub fn tidy(tree: &Tree, blocks: &[Block], gap: f64) -> (Vec<f64>, f64) {
    let mut outlines: Vec<Outline> = vec![Outline::new(); tree.nodes.len()];
    let mut shift = vec![0.0; tree.nodes.len()];
    for (at, (node, block)) in tree.nodes.iter().zip(blocks).enumerate().rev() {
        let own = (-block.size / 2.0, block.size / 2.0);
        let mut outline = vec![own];
        if block.spread && !node.children.is_empty() {
            let below = beside(&node.children, &mut outlines, &mut shift, gap);
            outline.extend(below);
        } else if !node.children.is_empty() {
            outline.resize(tree.levels.saturating_sub(node.depth).max(1), own);
        }
        outlines[at] = outline;
    }
    let roots: Vec<usize> = tree.roots().collect();
    let whole = beside(&roots, &mut outlines, &mut shift, gap);
    let left = whole.iter().map(|it| it.0).fold(f64::MAX, f64::min).min(f64::MAX / 4.0);
    let right = whole.iter().map(|it| it.1).fold(f64::MIN, f64::max).max(left);
    let mut centers: Vec<f64> = Vec::with_capacity(tree.nodes.len());
    for (node, own) in tree.nodes.iter().zip(shift) {
        let parent = node.parent.and_then(|it| centers.get(it).copied());
        centers.push(parent.unwrap_or(-left) + own);
    }
    (centers, right - left)
}

/// Sets subtrees side by side, writes how far each stands from their common middle, and returns
/// the outline of all.
fn beside(nodes: &[usize], outlines: &mut [Outline], shift: &mut [f64], gap: f64) -> Outline {
    let mut whole = Outline::new();
    let mut last = 0.0;
    for node in nodes {
        let outline = std::mem::take(&mut outlines[*node]);
        let pairs = whole.iter().zip(&outline).enumerate();
        let apart = pairs
            .map(|(level, (one, two))| one.1 - two.0 + if level == 0 { gap } else { gap * 1.5 });
        let place = apart.fold(f64::MIN, f64::max);
        last = if whole.is_empty() { 0.0 } else { place };
        shift[*node] = last;
        for (level, (left, right)) in outline.into_iter().enumerate() {
            match whole.get_mut(level) {
                Some(edge) => edge.1 = right + last,
                None => whole.push((left + last, right + last)),
            }
        }
    }
    let middle = last / 2.0;
    nodes.iter().for_each(|it| shift[*it] -= middle);
    whole.iter_mut().for_each(|it| *it = (it.0 - middle, it.1 - middle));
    whole
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Scene;
    use crate::color::WHITE;

    #[test]
    fn parents_stand_over_the_middle_and_nothing_overlaps() {
        let data = [("a", ""), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c")];
        let data: Vec<_> = data.iter().map(|it| json!({"id": it.0, "parent": it.1})).collect();
        let tree = Tree::read(&data, &mut Scene::new(10.0, 10.0, WHITE));
        let blocks = vec![Block { size: 10.0, spread: true }; 6];
        let (centers, breadth) = tidy(&tree, &blocks, 2.0);
        assert_eq!(centers, [20.5, 11.0, 30.0, 5.0, 17.0, 30.0]);
        assert_eq!(breadth, 35.0);
    }
}
