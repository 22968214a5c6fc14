//! Packing of dots beside each other along the value axis.

use std::collections::BTreeMap;

/// A dot to pack.
#[derive(Clone, Copy, Debug)]
pub struct PackedDot {
    /// Coordinate on the value axis in points.
    pub along: f64,
    /// Radius in points, including half the gap to the next dot.
    pub radius: f64,
    /// Distance from the middle of the group in points. The packing sets it.
    pub across: f64,
}

/// Maximum number of candidate positions that are checked for one dot.
const MAX_CANDIDATES: usize = 400;

/// Sets `across` of each dot so that dots do not overlap, each as near to the middle of the group
/// as the dots before it permit. Returns false if a dot has no place within `max_across` points of
/// the middle, or if the search would take too long. Some dots are unset then.
///
/// The largest dots come first, then those with the lowest coordinates, so that the shape does not
/// depend on the order of the records.
pub fn pack(dots: &mut [PackedDot], max_across: f64) -> bool {
    let max_radius = dots.iter().map(|dot| dot.radius).fold(0.0, f64::max);
    if max_radius <= 0.0 {
        return dots.is_empty();
    }
    let mut order: Vec<usize> = (0..dots.len()).collect();
    let key = |index: &usize| dots.get(*index).map_or((0.0, 0.0), |dot| (-dot.radius, dot.along));
    order.sort_by(|one, two| {
        let (a, b) = (key(one), key(two));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(one.cmp(two))
    });
    let cell_of = |along: f64| (along / (2.0 * max_radius)).floor() as i64;
    // Placed dots by their interval on the value axis.
    let mut cells: BTreeMap<i64, Vec<PackedDot>> = BTreeMap::new();
    for index in order {
        let Some(dot) = dots.get_mut(index) else { continue };
        let cell = cell_of(dot.along);
        let near: Vec<PackedDot> = cells
            .range(cell - 1..=cell + 1)
            .flat_map(|(_, placed)| placed)
            .filter(|other| (other.along - dot.along).abs() < other.radius + dot.radius)
            .copied()
            .collect();
        let Some(across) = find_place(dot, &near, max_across) else { return false };
        dot.across = across;
        cells.entry(cell).or_default().push(*dot);
    }
    true
}

/// Returns the free position of a dot nearest to the middle, as its signed distance from the middle
/// in points. `near` are the placed dots that it could overlap. None if no position with the whole
/// dot within `max_across` points is free, or none of the nearest `MAX_CANDIDATES`.
fn find_place(dot: &PackedDot, near: &[PackedDot], max_across: f64) -> Option<f64> {
    let limit = (max_across - dot.radius).max(0.0);
    let mut candidates: Vec<f64> = near
        .iter()
        .flat_map(|other| {
            let reach = other.radius + dot.radius;
            let offset = (reach.powi(2) - (other.along - dot.along).powi(2)).max(0.0).sqrt();
            [other.across - offset, other.across + offset]
        })
        .chain([0.0])
        .filter(|across| across.abs() <= limit)
        .collect();
    candidates.sort_by(|a, b| a.abs().total_cmp(&b.abs()).then(b.total_cmp(a)));
    candidates.into_iter().take(MAX_CANDIDATES).find(|across| {
        near.iter().all(|other| {
            let distance = (other.along - dot.along).hypot(other.across - across);
            distance >= other.radius + dot.radius - 1e-6
        })
    })
}

/// Sets `across` of each dot: dots in the same interval of the value axis lie side by side,
/// symmetrically around the middle. An interval is as long as the diameter of the first dot. If the
/// fullest interval does not fit within `max_across` points of the middle, the dots of all
/// intervals move closer together and overlap. Takes linear time.
pub fn stack(dots: &mut [PackedDot], max_across: f64) {
    let Some(radius) = dots.first().map(|dot| dot.radius.max(0.1)) else { return };
    let interval_of = |dot: &PackedDot| (dot.along / (2.0 * radius)).floor() as i64;
    let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
    for dot in dots.iter() {
        *counts.entry(interval_of(dot)).or_default() += 1;
    }
    let mut placed: BTreeMap<i64, usize> = BTreeMap::new();
    let largest = counts.values().copied().max().unwrap_or(1);
    // One distance for all intervals, so that the width of the swarm shows the density.
    let distance = (2.0 * radius).min(2.0 * (max_across - radius).max(0.0) / largest as f64);
    for dot in dots.iter_mut() {
        let interval = interval_of(dot);
        let count = counts.get(&interval).copied().unwrap_or(1);
        let position = placed.entry(interval).or_default();
        dot.across = (*position as f64 - (count as f64 - 1.0) / 2.0) * distance;
        *position += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(values: impl Iterator<Item = f64>, radius: f64) -> Vec<PackedDot> {
        values.map(|along| PackedDot { along, radius, across: 0.0 }).collect()
    }

    #[test]
    fn packed_dots_do_not_overlap() {
        let mut packed = dots((0..200).map(|index| f64::from(index * 37 % 101)), 3.0);
        assert!(pack(&mut packed, 200.0));
        for (index, one) in packed.iter().enumerate() {
            for two in &packed[index + 1..] {
                let distance = (one.along - two.along).hypot(one.across - two.across);
                assert!(distance >= 6.0 - 1e-6, "{one:?} {two:?}");
            }
        }
    }

    #[test]
    fn dots_without_space_are_refused_and_can_be_stacked() {
        let mut equal = dots((0..100).map(|_| 5.0), 3.0);
        assert!(!pack(&mut equal, 20.0));
        stack(&mut equal, 20.0);
        assert!(equal.iter().all(|dot| dot.across.abs() <= 17.0), "{equal:?}");
    }
}
