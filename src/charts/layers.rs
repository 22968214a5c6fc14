//! Puts what leads to what into layers, for flows and flow charts.

/// Nodes in layers: links lead from lower to higher ones, but for those that close a circle.
pub struct Layers {
    /// Layer of each node, from 0.
    pub of: Vec<usize>,
    /// Number of layers.
    pub count: usize,
    /// Which links close a circle, or lead from a node to itself.
    pub backward: Vec<bool>,
}

/// Layers of nodes `0..count` with these links: each node stands one behind the last of those
/// that lead to it. Links to other nodes than these lead nowhere.
pub fn arrange(count: usize, links: &[(usize, usize)]) -> Layers {
    let mut leaving = vec![Vec::new(); count];
    let mut entering = vec![0usize; count];
    for (index, (from, to)) in links.iter().enumerate() {
        if *from < count && *to < count {
            leaving[*from].push((index, *to));
            entering[*to] += 1;
        }
    }
    let backward = circles(&leaving, &entering, links.len());
    let mut waits = vec![0usize; count];
    for (_, to) in leaving.iter().flatten().filter(|it| !backward[it.0]) {
        waits[*to] += 1;
    }
    let mut of = vec![0usize; count];
    let mut ready: Vec<usize> = (0..count).filter(|it| waits[*it] == 0).collect();
    while let Some(node) = ready.pop() {
        for (_, to) in leaving[node].iter().filter(|it| !backward[it.0]) {
            of[*to] = of[*to].max(of[node] + 1);
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.push(*to);
            }
        }
    }
    let count = of.iter().max().map_or(0, |it| it + 1);
    Layers { of, count, backward }
}

/// The links that lead back to a node on the way to them, searched from those that nothing
/// leads to, then in the order of the nodes.
fn circles(leaving: &[Vec<(usize, usize)>], entering: &[usize], links: usize) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut backward = vec![false; links];
    let mut marks = vec![Mark::New; leaving.len()];
    let first = (0..leaving.len()).filter(|it| entering[*it] == 0);
    for start in first.chain(0..leaving.len()) {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut way = vec![(start, 0)];
        while let Some((node, next)) = way.last_mut() {
            let Some((link, to)) = leaving[*node].get(*next).copied() else {
                marks[*node] = Mark::Done;
                way.pop();
                continue;
            };
            *next += 1;
            match marks[to] {
                Mark::Open => backward[link] = true,
                Mark::New => {
                    marks[to] = Mark::Open;
                    way.push((to, 0));
                }
                Mark::Done => {}
            }
        }
    }
    backward
}

/// Sorts each layer by the mean place of its neighbours in the layers beside it, to and fro, so
/// that few links cross. `links` join nodes of any two layers; equal ones keep their order.
pub fn untangle(rows: &mut [Vec<usize>], count: usize, links: &[(usize, usize)]) {
    /// More rounds hardly change anything.
    const ROUNDS: usize = 8;
    let mut layer = vec![0usize; count];
    for (index, row) in rows.iter().enumerate() {
        row.iter().for_each(|it| layer[*it] = index);
    }
    let mut beside = vec![(Vec::new(), Vec::new()); count];
    for (from, to) in links.iter().filter(|it| layer[it.0] < layer[it.1]) {
        beside[*from].1.push(*to);
        beside[*to].0.push(*from);
    }
    let mut place = vec![0.0; count];
    let number = |row: &[usize], place: &mut [f64]| {
        for (index, node) in row.iter().enumerate() {
            place[*node] = (index as f64 + 0.5) / row.len() as f64;
        }
    };
    rows.iter().for_each(|it| number(it, &mut place));
    for round in 0..ROUNDS {
        let forth = round % 2 == 0;
        for step in 0..rows.len() {
            let index = if forth { step } else { rows.len() - 1 - step };
            let row = &mut rows[index];
            let key = |node: usize| {
                let near = if forth { &beside[node].0 } else { &beside[node].1 };
                let sum: f64 = near.iter().map(|it: &usize| place[*it]).sum();
                if near.is_empty() { place[node] } else { sum / near.len() as f64 }
            };
            row.sort_by(|one, two| key(*one).total_cmp(&key(*two)));
            number(row, &mut place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stand_behind_all_that_lead_to_them() {
        let layers = arrange(4, &[(0, 1), (1, 2), (0, 2), (2, 3)]);
        assert_eq!(layers.of, [0, 1, 2, 3]);
        assert_eq!(layers.count, 4);
        assert_eq!(layers.backward, [false; 4]);
    }

    #[test]
    fn circles_are_opened_where_they_lead_back() {
        let layers = arrange(3, &[(0, 1), (1, 2), (2, 0), (1, 1)]);
        assert_eq!(layers.of, [0, 1, 2]);
        assert_eq!(layers.backward, [false, false, true, true]);
    }

    #[test]
    fn long_chains_and_odd_links_do_no_harm() {
        let chain: Vec<(usize, usize)> = (0..50_000).map(|it| (it, it + 1)).collect();
        assert_eq!(arrange(50_001, &chain).count, 50_001);
        assert_eq!(arrange(1, &[(7, 0), (0, 7)]).of, [0]);
        assert_eq!(arrange(0, &[]).count, 0);
    }

    #[test]
    fn crossing_links_are_untangled() {
        let mut rows = vec![vec![0, 1], vec![2, 3]];
        untangle(&mut rows, 4, &[(0, 3), (1, 2)]);
        assert_eq!(rows, [[0, 1], [3, 2]]);
    }
}
