//! Tidy tree layout: positions of nodes within their levels (along the breadth of the tree).
//!
//! Parents are centered over their children, and subtrees are as close to each other as their
//! outlines allow (Reingold and Tilford, 1981).

use crate::tree::RecordTree;

/// Space that a node takes along the breadth.
#[derive(Clone, Copy, Debug)]
pub struct NodeExtent {
    /// Size of the node itself along the breadth in points.
    pub size: f64,
    /// Whether its children are side by side. If not, all descendants are in a stack below the
    /// node, which then occupies its size on all further levels.
    pub has_side_by_side_children: bool,
}

/// The left and right edge of a subtree on each level, starting with the level of its root.
type Outline = Vec<(f64, f64)>;

/// Returns the centers of the nodes along the breadth and the total breadth, in points. The left
/// edge of the layout is 0.
///
/// `extents` has one entry per node. On the same level, siblings are at least `gap` points apart,
/// and nodes of different parents at least 1.5 `gap`. Nodes in a stack have the center of the node
/// above them.
pub fn tidy_layout(tree: &RecordTree, extents: &[NodeExtent], gap: f64) -> (Vec<f64>, f64) {
    let mut outlines: Vec<Outline> = vec![Outline::new(); tree.nodes.len()];
    let mut shift = vec![0.0; tree.nodes.len()];
    for (index, (node, extent)) in tree.nodes.iter().zip(extents).enumerate().rev() {
        let own = (-extent.size / 2.0, extent.size / 2.0);
        let mut outline = vec![own];
        if extent.has_side_by_side_children && !node.children.is_empty() {
            let below = place_side_by_side(&node.children, &mut outlines, &mut shift, gap);
            outline.extend(below);
        } else if !node.children.is_empty() {
            outline.resize(tree.levels.saturating_sub(node.depth).max(1), own);
        }
        outlines[index] = outline;
    }
    let roots: Vec<usize> = tree.roots().collect();
    let whole = place_side_by_side(&roots, &mut outlines, &mut shift, gap);
    let left = whole.iter().map(|edge| edge.0).fold(f64::MAX, f64::min).min(f64::MAX / 4.0);
    let right = whole.iter().map(|edge| edge.1).fold(f64::MIN, f64::max).max(left);
    let mut centers: Vec<f64> = Vec::with_capacity(tree.nodes.len());
    for (node, own) in tree.nodes.iter().zip(shift) {
        let parent = node.parent.and_then(|parent| centers.get(parent).copied());
        centers.push(parent.unwrap_or(-left) + own);
    }
    (centers, right - left)
}

/// Places subtrees side by side. Returns their common outline, relative to the middle between the
/// first and the last root.
///
/// Writes the offset of each root from that middle to `shift`. Takes the outlines from `outlines`,
/// so that they are empty afterwards.
fn place_side_by_side(
    nodes: &[usize],
    outlines: &mut [Outline],
    shift: &mut [f64],
    gap: f64,
) -> Outline {
    let mut whole = Outline::new();
    let mut last = 0.0;
    for node in nodes {
        let outline = std::mem::take(&mut outlines[*node]);
        let pairs = whole.iter().zip(&outline).enumerate();
        let distances = pairs
            .map(|(level, (one, two))| one.1 - two.0 + if level == 0 { gap } else { gap * 1.5 });
        let offset = distances.fold(f64::MIN, f64::max);
        last = if whole.is_empty() { 0.0 } else { offset };
        shift[*node] = last;
        for (level, (left, right)) in outline.into_iter().enumerate() {
            match whole.get_mut(level) {
                Some(edge) => edge.1 = right + last,
                None => whole.push((left + last, right + last)),
            }
        }
    }
    let middle = last / 2.0;
    nodes.iter().for_each(|node| shift[*node] -= middle);
    whole.iter_mut().for_each(|edge| *edge = (edge.0 - middle, edge.1 - middle));
    whole
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Scene;
    use crate::color::WHITE;

    #[test]
    fn parents_are_centered_and_nothing_overlaps() {
        let data = [("a", ""), ("b", "a"), ("c", "a"), ("d", "b"), ("e", "b"), ("f", "c")];
        let data: Vec<_> =
            data.iter().map(|(id, parent)| json!({"id": id, "parent": parent})).collect();
        let tree = RecordTree::read(&data, &mut Scene::new(10.0, 10.0, WHITE));
        let extents = vec![NodeExtent { size: 10.0, has_side_by_side_children: true }; 6];
        let (centers, breadth) = tidy_layout(&tree, &extents, 2.0);
        assert_eq!(centers, [20.5, 11.0, 30.0, 5.0, 17.0, 30.0]);
        assert_eq!(breadth, 35.0);
    }
}
