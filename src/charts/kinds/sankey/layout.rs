//! Positions of nodes and ribbons. Nodes are as near to their neighbors as order and gaps allow.

use kurbo::Rect;

use crate::kinds::sankey::flows::Flows;
use crate::spread;

/// Number of rounds in which nodes move towards their neighbors.
const ROUNDS: usize = 24;

/// Positions of nodes and ribbons in points.
pub struct Layout {
    /// Rectangle of each node.
    pub nodes: Vec<Rect>,
    /// Top of each ribbon at its source and at its target.
    pub ends: Vec<(f64, f64)>,
    /// Height in points of an amount of 1.
    pub scale: f64,
}

/// Lays out the nodes of `rows` in `plot`. Nodes are `width` points wide. The gaps between them are
/// at least `gap` points, or smaller if the height is too small.
///
/// Reorders the nodes within a layer unless the order is `fixed`.
pub fn arrange(
    flows: &Flows,
    rows: &mut [Vec<usize>],
    fixed: bool,
    plot: Rect,
    (width, gap): (f64, f64),
) -> Layout {
    let most = rows.iter().map(Vec::len).max().unwrap_or(1);
    // Gaps take at most a third of the height.
    let gap = gap.min(plot.height() / 3.0 / (most.max(2) - 1) as f64);
    let sum = |row: &Vec<usize>| row.iter().map(|it| flows.nodes[*it].value).sum::<f64>();
    let room = |row: &Vec<usize>| plot.height() - gap * (row.len().max(1) - 1) as f64;
    let fits = rows.iter().map(|row| room(row) / sum(row).max(f64::MIN_POSITIVE));
    let scale = fits.fold(f64::MAX, f64::min);
    let heights: Vec<f64> = flows.nodes.iter().map(|it| it.value * scale).collect();
    let mut middles = vec![0.0; heights.len()];
    for row in rows.iter() {
        let mut top = plot.y0 + (room(row) - sum(row) * scale) / 2.0;
        for node in row {
            middles[*node] = top + heights[*node] / 2.0;
            top += heights[*node] + gap;
        }
    }
    for round in 0..ROUNDS {
        let count = rows.len();
        for step in 1..count {
            let forth = round % 2 == 0;
            let row = &mut rows[if forth { step } else { count - 1 - step }];
            relax(flows, row, forth, fixed, &mut middles, (&heights, gap, plot));
        }
    }
    let step = (plot.width() - width) / (rows.len().max(2) - 1) as f64;
    let place = |(node, height): (usize, &f64)| {
        let left = plot.x0 + step * flows.nodes[node].layer as f64;
        let top = middles[node] - height / 2.0;
        Rect::new(left, top, left + width, top + height)
    };
    let nodes: Vec<Rect> = heights.iter().enumerate().map(place).collect();
    let ends = ends(flows, &nodes, scale);
    Layout { nodes, ends, scale }
}

/// Moves the nodes of a layer towards their sources if `forth`, otherwise towards their targets.
fn relax(
    flows: &Flows,
    row: &mut [usize],
    forth: bool,
    fixed: bool,
    middles: &mut [f64],
    (heights, gap, plot): (&[f64], f64, Rect),
) {
    let mut wanted: Vec<(usize, f64)> = Vec::with_capacity(row.len());
    for node in row.iter() {
        let it = &flows.nodes[*node];
        let near = if forth { &it.entering } else { &it.leaving };
        let (mut sum, mut weight) = (0.0, 0.0);
        for flow in near.iter().filter_map(|it| flows.all.get(*it)) {
            let other = middles[if forth { flow.from } else { flow.to }];
            let share = flow.value / it.value;
            sum += other * share;
            weight += share;
        }
        wanted.push((*node, if weight > 0.0 { sum / weight } else { middles[*node] }));
    }
    if !fixed {
        wanted.sort_by(|one, two| one.1.total_cmp(&two.1));
        row.iter_mut().zip(&wanted).for_each(|(node, it)| *node = it.0);
    }
    let targets: Vec<f64> = wanted.iter().map(|it| it.1).collect();
    let tall: Vec<f64> = wanted.iter().map(|it| heights[it.0] + gap).collect();
    let (from, to) = (plot.y0 - gap / 2.0, plot.y1 + gap / 2.0);
    for ((node, _), middle) in wanted.iter().zip(spread::spread_apart(&targets, &tall, from, to)) {
        middles[*node] = middle;
    }
}

/// Returns the top of each ribbon at both ends. The ribbons of a node have the vertical order of
/// the nodes at their other ends.
fn ends(flows: &Flows, nodes: &[Rect], scale: f64) -> Vec<(f64, f64)> {
    let mut ends = vec![(0.0, 0.0); flows.all.len()];
    let middle = |node: usize| nodes[node].center().y;
    for (node, rect) in flows.nodes.iter().zip(nodes) {
        let mut leaving = node.leaving.clone();
        leaving.sort_by(|a, b| middle(flows.all[*a].to).total_cmp(&middle(flows.all[*b].to)));
        let mut top = rect.y0;
        for flow in leaving {
            ends[flow].0 = top;
            top += flows.all[flow].value * scale;
        }
        let mut entering = node.entering.clone();
        entering.sort_by(|a, b| middle(flows.all[*a].from).total_cmp(&middle(flows.all[*b].from)));
        let mut top = rect.y0;
        for flow in entering {
            ends[flow].1 = top;
            top += flows.all[flow].value * scale;
        }
    }
    ends
}
