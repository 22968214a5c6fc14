//! Spreads boxes of one column or row so that they do not overlap, with minimal movement.

/// Returns the middles of boxes along one axis, in the given order, so that no two overlap and all
/// lie between `from` and `to`.
///
/// `preferred` are the preferred middles in ascending order, `sizes` the sizes of the boxes. Boxes
/// that would overlap move together about their common mean, so that the sum of squared movements
/// is minimal (pool adjacent violators). The caller ensures that all boxes fit, otherwise they
/// extend beyond `to`.
pub fn spread_apart(preferred: &[f64], sizes: &[f64], from: f64, to: f64) -> Vec<f64> {
    /// A group of adjacent boxes.
    struct Group {
        /// Preferred start of the first box.
        start: f64,
        count: usize,
        /// Sum of the sizes.
        size: f64,
    }
    let limit = |start: f64, size: f64| start.min(to - size).max(from);
    let mut groups: Vec<Group> = Vec::with_capacity(preferred.len());
    for (middle, size) in preferred.iter().zip(sizes) {
        let mut group = Group { start: limit(middle - size / 2.0, *size), count: 1, size: *size };
        while let Some(previous) = groups.pop() {
            if previous.start + previous.size <= group.start {
                groups.push(previous);
                break;
            }
            let (a, b) = (previous.count as f64, group.count as f64);
            let size = previous.size + group.size;
            let start = (previous.start * a + (group.start - previous.size) * b) / (a + b);
            group = Group { start: limit(start, size), count: previous.count + group.count, size };
        }
        groups.push(group);
    }
    let mut middles = Vec::with_capacity(preferred.len());
    for group in &groups {
        let mut start = group.start;
        for _ in 0..group.count {
            let size = sizes[middles.len()];
            middles.push(start + size / 2.0);
            start += size;
        }
    }
    middles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_that_do_not_overlap_stay() {
        assert_eq!(spread_apart(&[10.0, 50.0], &[10.0, 10.0], 0.0, 100.0), [10.0, 50.0]);
    }

    #[test]
    fn overlapping_boxes_move_apart_about_their_mean() {
        assert_eq!(spread_apart(&[50.0, 50.0, 50.0], &[10.0; 3], 0.0, 100.0), [40.0, 50.0, 60.0]);
    }

    #[test]
    fn boxes_stay_between_the_limits() {
        assert_eq!(spread_apart(&[0.0, 1.0, 99.0], &[10.0; 3], 0.0, 100.0), [5.0, 15.0, 95.0]);
    }
}
