//! Pushes labels of one column apart, moving each as little as possible.

/// Middles for boxes of these `heights` that should stand at `wanted` (ascending), between `from`
/// and `to`. Boxes that touch move together about their common mean, so that the sum of squared
/// moves is least (pool adjacent violators). The caller has made sure that all fit.
pub fn spread(wanted: &[f64], heights: &[f64], from: f64, to: f64) -> Vec<f64> {
    // A block of touching boxes: where its top would best stand, its boxes and its height.
    struct Block {
        top: f64,
        count: usize,
        height: f64,
    }
    let limit = |top: f64, height: f64| top.min(to - height).max(from);
    let mut blocks: Vec<Block> = Vec::with_capacity(wanted.len());
    for (middle, height) in wanted.iter().zip(heights) {
        let mut block =
            Block { top: limit(middle - height / 2.0, *height), count: 1, height: *height };
        while let Some(above) = blocks.pop() {
            if above.top + above.height <= block.top {
                blocks.push(above);
                break;
            }
            let (a, b) = (above.count as f64, block.count as f64);
            let height = above.height + block.height;
            let top = (above.top * a + (block.top - above.height) * b) / (a + b);
            block = Block { top: limit(top, height), count: above.count + block.count, height };
        }
        blocks.push(block);
    }
    let mut middles = Vec::with_capacity(wanted.len());
    for block in &blocks {
        let mut top = block.top;
        for _ in 0..block.count {
            let height = heights[middles.len()];
            middles.push(top + height / 2.0);
            top += height;
        }
    }
    middles
}

/// Shares of the whole in units of 10^-`decimals` percent that add up to 100 exactly: all are
/// rounded down, then those that lost most get the missing units.
pub fn shares(values: &[f64], decimals: u32) -> Vec<f64> {
    let unit = 10f64.powi(decimals as i32);
    let whole: f64 = values.iter().sum();
    if whole <= 0.0 || !whole.is_finite() {
        return vec![0.0; values.len()];
    }
    let exact: Vec<f64> = values.iter().map(|value| value / whole * 100.0 * unit).collect();
    let mut units: Vec<f64> = exact.iter().map(|it| it.floor()).collect();
    let missing = (100.0 * unit - units.iter().sum::<f64>()).round().max(0.0) as usize;
    let mut order: Vec<usize> = (0..values.len()).collect();
    let lost = |index: usize| exact[index] - units[index];
    order.sort_by(|one, two| lost(*two).total_cmp(&lost(*one)).then(one.cmp(two)));
    for index in order.into_iter().take(missing) {
        units[index] += 1.0;
    }
    units.into_iter().map(|it| it / unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_that_have_room_stay() {
        assert_eq!(spread(&[10.0, 50.0], &[10.0, 10.0], 0.0, 100.0), [10.0, 50.0]);
    }

    #[test]
    fn crowded_labels_move_apart_about_their_mean() {
        assert_eq!(spread(&[50.0, 50.0, 50.0], &[10.0; 3], 0.0, 100.0), [40.0, 50.0, 60.0]);
    }

    #[test]
    fn labels_stay_between_the_borders() {
        assert_eq!(spread(&[0.0, 1.0, 99.0], &[10.0; 3], 0.0, 100.0), [5.0, 15.0, 95.0]);
    }

    #[test]
    fn shares_add_up_to_a_hundred() {
        assert_eq!(shares(&[1.0, 1.0, 1.0], 0), [34.0, 33.0, 33.0]);
        assert_eq!(shares(&[2.0, 1.0], 1), [66.7, 33.3]);
        assert_eq!(shares(&[0.0, 0.0], 0), [0.0, 0.0]);
    }
}
