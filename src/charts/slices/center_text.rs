//! A figure and a label in the hole of a ring.

use kurbo::Point;

use crate::Scene;
use crate::frame::ChartStyle;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::slices::CircleExtent;
use crate::text;
use crate::text::Face;

/// Draws `figure` and below it `label` in a hole, which is given as its center and its radius in
/// points.
///
/// The figure is as large as the hole and the title size of `style` allow. The label has one or two
/// lines. If it is too long, it is cut with an ellipsis in a full circle and omitted in a half
/// circle. A small hole has no label, and a figure that would be smaller than the small text is
/// omitted.
pub fn draw_center_text(
    figure: &str,
    label: &str,
    style: &ChartStyle,
    (center, hole): (Point, f64),
    extent: CircleExtent,
    scene: &mut Scene,
) {
    // In a half circle, only the space above the baseline is available.
    let (center, hole) = match extent {
        CircleExtent::Full => (center, hole),
        CircleExtent::Half => (Point::new(center.x, center.y - hole * 0.3), hole * 0.75),
    };
    // About the chord of the circle at the height of the text.
    let max_width = hole * 1.55;
    let face = Face::BOLD;
    let unit_width = text::width(figure, 1.0, face);
    let size = (max_width / unit_width.max(0.1)).min(hole * 0.52).min(style.title_size * 1.9);
    let max_lines = if hole > style.label_size * 4.0 { 2 } else { 1 };
    let lines = text::wrap(label, max_width, max_lines, style.label_size, style.label_face());
    // A half circle shows the label only if it is complete.
    let is_cut = extent == CircleExtent::Half && lines.iter().any(|line| line.ends_with('…'));
    let shows_label = hole > style.label_size * 2.2 && !label.is_empty() && !is_cut;
    let shift = if shows_label { style.label_size * 0.6 } else { 0.0 };
    let mut base = center.y + HALF_CAP_HEIGHT_EM * size - shift;
    if size >= style.small_size && !figure.is_empty() {
        let figure_text = style.label_text(center.x, base, Anchor::Middle, size, figure);
        let width = text::width(figure, size, face);
        scene.text(Text { face, width, color: style.text_color, ..figure_text });
    } else {
        base = center.y;
    }
    if shows_label {
        // Below the descenders of the figure.
        let mut y = base + style.label_size + 0.2 * size;
        for line in lines {
            let line_text = style.label_text(center.x, y, Anchor::Middle, style.label_size, &line);
            let full = line.ends_with('…').then(|| label.to_owned());
            scene.text(Text { color: style.muted_color, full, ..line_text });
            y += style.label_size * 1.2;
        }
    }
}
