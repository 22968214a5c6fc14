//! Division of a rectangle into parts of given areas that are as square as possible.

use kurbo::Rect;

/// Returns rectangles that fill `area`, one per weight, with areas proportional to the weights.
///
/// The weights must be sorted in descending order. The algorithm lays strips along the shorter
/// side, and extends a strip as long as the aspect ratios of its parts improve (Bruls, Huizing and
/// van Wijk, "Squarified Treemaps", 2000).
pub fn squarify(weights: &[f64], area: Rect) -> Vec<Rect> {
    let total: f64 = weights.iter().sum();
    let scale = if total > 0.0 { area.area() / total } else { 0.0 };
    let mut rects = Vec::with_capacity(weights.len());
    let mut left = weights;
    let mut free = area;
    while !left.is_empty() {
        let (count, size) = strip(left, scale, free.width().min(free.height()));
        let (parts, others) = left.split_at(count.clamp(1, left.len()));
        free = lay(parts, (scale, size), free, others.is_empty(), &mut rects);
        left = others;
    }
    rects
}

/// Returns the number of weights that form the best strip along this side, and the area of the
/// strip.
fn strip(weights: &[f64], scale: f64, side: f64) -> (usize, f64) {
    let (mut sum, mut worst, mut largest) = (0.0, f64::INFINITY, 0.0f64);
    let mut smallest = f64::INFINITY;
    for (count, weight) in weights.iter().enumerate() {
        let size = weight * scale;
        (largest, smallest) = (largest.max(size), smallest.min(size));
        let next = sum + size;
        let depth = next / side.max(1e-9);
        let ratio = (depth * depth / smallest.max(1e-12)).max(largest / (depth * depth).max(1e-12));
        if count > 0 && ratio > worst {
            return (count, sum);
        }
        (sum, worst) = (next, ratio);
    }
    (weights.len(), sum)
}

/// Adds the rectangles of a strip at the start of the longer side. Returns the remaining rectangle.
fn lay(
    parts: &[f64],
    (scale, size): (f64, f64),
    free: Rect,
    last: bool,
    rects: &mut Vec<Rect>,
) -> Rect {
    let upright = free.width() >= free.height();
    let (side, room) =
        if upright { (free.height(), free.width()) } else { (free.width(), free.height()) };
    // The last strip takes all remaining space, so that rounding errors leave no gap.
    let depth = if last { room } else { (size / side.max(1e-9)).min(room) };
    let mut from = 0.0;
    for weight in parts {
        let share = if size > 0.0 { weight * scale / size } else { 1.0 / parts.len() as f64 };
        let to = (from + share * side).min(side);
        rects.push(if upright {
            Rect::new(free.x0, free.y0 + from, free.x0 + depth, free.y0 + to)
        } else {
            Rect::new(free.x0 + from, free.y0, free.x0 + to, free.y0 + depth)
        });
        from = to;
    }
    if upright {
        Rect { x0: free.x0 + depth, ..free }
    } else {
        Rect { y0: free.y0 + depth, ..free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_in_proportion_and_fill_all() {
        let weights = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let rects = squarify(&weights, Rect::new(0.0, 0.0, 6.0, 4.0));
        for (rect, weight) in rects.iter().zip(weights) {
            assert!((rect.area() - weight).abs() < 1e-9, "{rect:?}");
        }
        let worst = rects.iter().map(|it| it.width() / it.height());
        assert!(worst.map(|it| it.max(1.0 / it)).fold(0.0, f64::max) < 3.0);
    }

    #[test]
    fn nothing_is_laid_for_no_weights() {
        assert!(squarify(&[], Rect::new(0.0, 0.0, 6.0, 4.0)).is_empty());
        assert_eq!(squarify(&[0.0, 0.0], Rect::new(0.0, 0.0, 6.0, 4.0)).len(), 2);
    }
}
