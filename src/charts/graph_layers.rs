//! Layers of a directed graph, for Sankey diagrams and flow charts.

/// Assignment of nodes to layers. All links except back edges lead to a higher layer.
pub struct Layers {
    /// Layer of each node, starting at 0.
    pub layer_of: Vec<usize>,
    /// Number of layers.
    pub count: usize,
    /// For each link, whether it closes a cycle or leads from a node to itself.
    pub is_back_edge: Vec<bool>,
}

/// Assigns nodes `0..node_count` to layers: each node to the layer after the highest layer of its
/// predecessors, and nodes without predecessors to layer 0.
///
/// Back edges, which close cycles, do not count as links to a predecessor. Links (source, target)
/// to or from nodes outside `0..node_count` are ignored.
pub fn assign_layers(node_count: usize, links: &[(usize, usize)]) -> Layers {
    let mut outgoing = vec![Vec::new(); node_count];
    let mut incoming_count = vec![0usize; node_count];
    for (index, (from, to)) in links.iter().enumerate() {
        if *from < node_count && *to < node_count {
            outgoing[*from].push((index, *to));
            incoming_count[*to] += 1;
        }
    }
    let is_back_edge = find_back_edges(&outgoing, &incoming_count, links.len());
    let mut pending = vec![0usize; node_count];
    for (_, to) in outgoing.iter().flatten().filter(|(link, _)| !is_back_edge[*link]) {
        pending[*to] += 1;
    }
    let mut layer_of = vec![0usize; node_count];
    let mut ready: Vec<usize> = (0..node_count).filter(|node| pending[*node] == 0).collect();
    while let Some(node) = ready.pop() {
        for (_, to) in outgoing[node].iter().filter(|(link, _)| !is_back_edge[*link]) {
            layer_of[*to] = layer_of[*to].max(layer_of[node] + 1);
            pending[*to] -= 1;
            if pending[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    let count = layer_of.iter().max().map_or(0, |highest| highest + 1);
    Layers { layer_of, count, is_back_edge }
}

/// Returns for each link whether it is a back edge of a depth-first search, that is, whether it
/// leads to a node on the current path.
///
/// The search starts at nodes without incoming links, then at the others in their order.
/// `outgoing` holds link and target for each node. The search does not recurse, because chains can
/// be long.
fn find_back_edges(
    outgoing: &[Vec<(usize, usize)>],
    incoming_count: &[usize],
    link_count: usize,
) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        Unvisited,
        OnPath,
        Done,
    }
    let mut is_back_edge = vec![false; link_count];
    let mut states = vec![State::Unvisited; outgoing.len()];
    let first = (0..outgoing.len()).filter(|node| incoming_count[*node] == 0);
    for start in first.chain(0..outgoing.len()) {
        if states[start] != State::Unvisited {
            continue;
        }
        states[start] = State::OnPath;
        let mut path = vec![(start, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some((link, to)) = outgoing[*node].get(*next).copied() else {
                states[*node] = State::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match states[to] {
                State::OnPath => is_back_edge[link] = true,
                State::Unvisited => {
                    states[to] = State::OnPath;
                    path.push((to, 0));
                }
                State::Done => {}
            }
        }
    }
    is_back_edge
}

/// Reorders the nodes in each layer (`rows`) so that few links cross: the barycenter method,
/// alternately forward and backward.
///
/// Sorts each layer by the mean position of the nodes linked to it in earlier (or later) layers.
/// `links` (source, target) may join any two layers. Links that do not lead to a later layer are
/// ignored. Nodes with equal means keep their order. `count` is the number of nodes.
pub fn reduce_crossings(rows: &mut [Vec<usize>], count: usize, links: &[(usize, usize)]) {
    /// Further rounds change almost nothing.
    const ROUNDS: usize = 8;
    let mut layer = vec![0usize; count];
    for (index, row) in rows.iter().enumerate() {
        row.iter().for_each(|node| layer[*node] = index);
    }
    let mut neighbors = vec![(Vec::new(), Vec::new()); count];
    for (from, to) in links.iter().filter(|(from, to)| layer[*from] < layer[*to]) {
        neighbors[*from].1.push(*to);
        neighbors[*to].0.push(*from);
    }
    let mut position = vec![0.0; count];
    let update_positions = |row: &[usize], position: &mut [f64]| {
        for (index, node) in row.iter().enumerate() {
            position[*node] = (index as f64 + 0.5) / row.len() as f64;
        }
    };
    rows.iter().for_each(|row| update_positions(row, &mut position));
    for round in 0..ROUNDS {
        let is_forward = round % 2 == 0;
        for step in 0..rows.len() {
            let index = if is_forward { step } else { rows.len() - 1 - step };
            let row = &mut rows[index];
            let key = |node: usize| {
                let linked = if is_forward { &neighbors[node].0 } else { &neighbors[node].1 };
                let sum: f64 = linked.iter().map(|neighbor: &usize| position[*neighbor]).sum();
                if linked.is_empty() { position[node] } else { sum / linked.len() as f64 }
            };
            row.sort_by(|one, two| key(*one).total_cmp(&key(*two)));
            update_positions(row, &mut position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_in_a_layer_after_their_predecessors() {
        let layers = assign_layers(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]);
        assert_eq!(layers.layer_of, [0, 1, 2, 3]);
        assert_eq!(layers.count, 4);
        assert_eq!(layers.is_back_edge, [false; 4]);
    }

    #[test]
    fn cycles_are_broken_at_back_edges() {
        let layers = assign_layers(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]);
        assert_eq!(layers.layer_of, [0, 1, 2]);
        assert_eq!(layers.is_back_edge, [false, false, true, true]);
    }

    #[test]
    fn long_chains_and_invalid_links_are_handled() {
        let chain: Vec<(usize, usize)> = (0..50_000).map(|node| (node, node + 1)).collect();
        assert_eq!(assign_layers(50_001, &chain).count, 50_001);
        assert_eq!(assign_layers(1, &[(7, 0), (0, 7)]).layer_of, [0]);
        assert_eq!(assign_layers(0, &[]).count, 0);
    }

    #[test]
    fn crossing_links_are_reordered() {
        let mut rows = vec![vec![0, 1], vec![2, 3]];
        reduce_crossings(&mut rows, 4, &[(0, 3), (1, 2)]);
        assert_eq!(rows, [[0, 1], [3, 2]]);
    }
}
