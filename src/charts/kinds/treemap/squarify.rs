//! Division of a rectangle into parts of given areas that are as square as possible.

use kurbo::Rect;

/// A strip of rectangles that are laid side by side.
struct Strip {
    /// Number of rectangles.
    count: usize,
    /// Total area of the rectangles.
    area: f64,
}

/// Returns rectangles that fill `area`, one per weight, with areas proportional to the weights.
///
/// The weights should be sorted in descending order, because the aspect ratios are bad otherwise.
/// The algorithm lays strips along the shorter side, and extends a strip as long as the aspect
/// ratios of its parts improve (Bruls, Huizing and van Wijk, "Squarified Treemaps", 2000).
pub fn squarify(weights: &[f64], area: Rect) -> Vec<Rect> {
    let total: f64 = weights.iter().sum();
    let scale = if total > 0.0 { area.area() / total } else { 0.0 };
    let mut rects = Vec::with_capacity(weights.len());
    let mut remaining = weights;
    let mut free = area;
    while !remaining.is_empty() {
        let strip = choose_strip(remaining, scale, free.width().min(free.height()));
        let (strip_weights, rest) = remaining.split_at(strip.count.clamp(1, remaining.len()));
        free = place_strip(strip_weights, scale, strip.area, free, rest.is_empty(), &mut rects);
        remaining = rest;
    }
    rects
}

/// Returns a strip of the first weights, at least one, along a side of `side` points. It ends before the
/// first weight that makes its worst aspect ratio worse. `scale` is the area of a weight of 1 in square
/// points.
fn choose_strip(weights: &[f64], scale: f64, side: f64) -> Strip {
    let mut strip_area = 0.0;
    let mut worst_ratio = f64::INFINITY;
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0f64);
    for (count, weight) in weights.iter().enumerate() {
        let part_area = weight * scale;
        (smallest, largest) = (smallest.min(part_area), largest.max(part_area));
        let next_area = strip_area + part_area;
        let depth = next_area / side.max(1e-9);
        let ratio = (depth * depth / smallest.max(1e-12)).max(largest / (depth * depth).max(1e-12));
        if count > 0 && ratio > worst_ratio {
            return Strip { count, area: strip_area };
        }
        (strip_area, worst_ratio) = (next_area, ratio);
    }
    Strip { count: weights.len(), area: strip_area }
}

/// Appends the rectangles of a strip to `rects`: below each other at the left of `free` if it is wide,
/// otherwise side by side at its top. Returns the remaining rectangle. The last strip fills all of `free`.
fn place_strip(
    weights: &[f64],
    scale: f64,
    strip_area: f64,
    free: Rect,
    is_last: bool,
    rects: &mut Vec<Rect>,
) -> Rect {
    let is_vertical = free.width() >= free.height();
    let (side, max_depth) =
        if is_vertical { (free.height(), free.width()) } else { (free.width(), free.height()) };
    // The last strip takes all remaining space, so that rounding errors leave no gap.
    let depth = if is_last { max_depth } else { (strip_area / side.max(1e-9)).min(max_depth) };
    let mut start = 0.0;
    for weight in weights {
        let share =
            if strip_area > 0.0 { weight * scale / strip_area } else { 1.0 / weights.len() as f64 };
        let end = (start + share * side).min(side);
        rects.push(if is_vertical {
            Rect::new(free.x0, free.y0 + start, free.x0 + depth, free.y0 + end)
        } else {
            Rect::new(free.x0 + start, free.y0, free.x0 + end, free.y0 + depth)
        });
        start = end;
    }
    if is_vertical {
        Rect { x0: free.x0 + depth, ..free }
    } else {
        Rect { y0: free.y0 + depth, ..free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_proportional_and_fill_the_rectangle() {
        let weights = [6.0, 6.0, 4.0, 3.0, 2.0, 2.0, 1.0];
        let rects = squarify(&weights, Rect::new(0.0, 0.0, 6.0, 4.0));
        for (rect, weight) in rects.iter().zip(weights) {
            assert!((rect.area() - weight).abs() < 1e-9, "{rect:?}");
        }
        let ratios = rects.iter().map(|rect| rect.width() / rect.height());
        assert!(ratios.map(|ratio| ratio.max(1.0 / ratio)).fold(0.0, f64::max) < 3.0);
    }

    #[test]
    fn no_weights_give_no_rectangles() {
        assert!(squarify(&[], Rect::new(0.0, 0.0, 6.0, 4.0)).is_empty());
        assert_eq!(squarify(&[0.0, 0.0], Rect::new(0.0, 0.0, 6.0, 4.0)).len(), 2);
    }
}
