//! Enlargement of a layout that leaves much of the area free.

use kurbo::{Point, Rect};

use super::layout::OrgChartLayout;

/// Maximum factor of the enlargement. Larger texts would compete with the title.
const MAX_FACTOR: f64 = 1.6;
/// Minimum factor of the enlargement, so that charts that fill their area stay as they are.
const MIN_FACTOR: f64 = 1.12;
/// Maximum enlargement of the gaps between levels, as a multiple of the gaps.
const MAX_EXTRA_GAP: f64 = 1.2;
/// Share of the remaining height above the boxes.
const TOP_SHARE: f64 = 0.4;

/// Enlarges boxes, texts and gaps of a layout evenly until they fill the width or the height of `area`,
/// and then the gaps between the levels of a tree that grows down. Returns layouts with less free space
/// unchanged.
pub fn enlarge(layout: OrgChartLayout, area: Rect) -> OrgChartLayout {
    let Some(bounds) = layout.boxes.iter().copied().reduce(|all, rect| all.union(rect)) else {
        return layout;
    };
    let ratio = (area.width() / bounds.width()).min(area.height() / bounds.height());
    let factor = ratio.min(MAX_FACTOR);
    if !factor.is_finite() || factor < MIN_FACTOR {
        return layout;
    }
    let left = area.center().x - bounds.width() * factor / 2.0;
    let scaled = |point: Point| {
        Point::new(left + (point.x - bounds.x0) * factor, (point.y - bounds.y0) * factor)
    };
    let mut boxes: Vec<Rect> = (layout.boxes.iter())
        .map(|rect| Rect::from_points(scaled(rect.origin()), scaled(Point::new(rect.x1, rect.y1))))
        .collect();
    let mut height = bounds.height() * factor;
    if !layout.grows_right && !layout.has_stacked_children.contains(&true) {
        height += widen_gaps(&mut boxes, area.height() - height);
    }
    let top = area.y0 + (area.height() - height) * TOP_SHARE;
    boxes.iter_mut().for_each(|rect| *rect = *rect + kurbo::Vec2::new(0.0, top));
    OrgChartLayout {
        label_size: layout.label_size * factor,
        subtitle_size: layout.subtitle_size * factor,
        padding: layout.padding * factor,
        stack_indent: layout.stack_indent * factor,
        boxes,
        ..layout
    }
}

/// Moves the levels apart by equal distances, up to `spare_height` points in all. Returns the added
/// height in points.
fn widen_gaps(boxes: &mut [Rect], spare_height: f64) -> f64 {
    let mut levels: Vec<(f64, f64)> = boxes.iter().map(|rect| (rect.y0, rect.y1)).collect();
    levels.sort_by(|one, two| one.0.total_cmp(&two.0));
    levels.dedup_by(|one, two| (one.0 - two.0).abs() < 0.01);
    let gaps = levels.windows(2).map(|pair| pair[1].0 - pair[0].1);
    let gap = gaps.fold(f64::INFINITY, f64::min).max(0.0);
    let count = levels.len().saturating_sub(1) as f64;
    if count < 1.0 {
        return 0.0;
    }
    let extra = (spare_height / count).clamp(0.0, gap * MAX_EXTRA_GAP);
    for rect in boxes {
        let level = levels.iter().filter(|level| level.0 < rect.y0 - 0.01).count() as f64;
        *rect = *rect + kurbo::Vec2::new(0.0, extra * level);
    }
    extra * count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box above two others, 100 points wide and 60 points high.
    fn small_layout() -> OrgChartLayout {
        let boxes = vec![
            Rect::new(30.0, 0.0, 70.0, 20.0),
            Rect::new(0.0, 40.0, 40.0, 60.0),
            Rect::new(60.0, 40.0, 100.0, 60.0),
        ];
        OrgChartLayout { label_size: 10.0, boxes, ..OrgChartLayout::default() }
    }

    #[test]
    fn a_small_layout_fills_a_large_area() {
        let layout = enlarge(small_layout(), Rect::new(0.0, 0.0, 300.0, 300.0));
        assert_eq!(layout.label_size, 10.0 * MAX_FACTOR);
        assert!((layout.boxes[2].x1 - layout.boxes[1].x0 - 160.0).abs() < 1e-9);
        assert!((layout.boxes[0].center().x - 150.0).abs() < 1e-9);
        let gap = layout.boxes[1].y0 - layout.boxes[0].y1;
        assert!((gap - 32.0 * (1.0 + MAX_EXTRA_GAP)).abs() < 1e-9, "{gap}");
    }

    #[test]
    fn a_layout_that_fills_the_area_stays() {
        let layout = enlarge(small_layout(), Rect::new(0.0, 0.0, 105.0, 300.0));
        assert_eq!(layout.boxes, small_layout().boxes);
    }
}
