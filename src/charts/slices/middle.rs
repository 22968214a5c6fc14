//! A figure in the hole of a ring, and a few words under it.

use kurbo::Point;

use crate::Scene;
use crate::frame::Look;
use crate::scene::{Anchor, CENTER, Text};
use crate::slices::Extent;
use crate::text;
use crate::text::Face;

/// Sets `figure` as large as a hole of this middle and radius allows, and `words` under it.
pub fn figure(
    figure: &str,
    words: &str,
    look: &Look,
    (center, hole): (Point, f64),
    extent: Extent,
    scene: &mut Scene,
) {
    // Half a hole has its room above the base line.
    let (center, hole) = match extent {
        Extent::Full => (center, hole),
        Extent::Half => (Point::new(center.x, center.y - hole * 0.3), hole * 0.75),
    };
    // Text in a circle may be as wide as the chord at its height.
    let room = hole * 1.55;
    let face = Face::Bold;
    let full = text::width(figure, 1.0, face);
    let size = (room / full.max(0.1)).min(hole * 0.52).min(look.title * 1.9);
    let most = if hole > look.label * 4.0 { 2 } else { 1 };
    let lines = text::wrap(words, room, most, look.label, look.face());
    // Under an arch there is room for whole words only.
    let cut = extent == Extent::Half && lines.iter().any(|it| it.ends_with('…'));
    let with_words = hole > look.label * 2.2 && !words.is_empty() && !cut;
    let shift = if with_words { look.label * 0.6 } else { 0.0 };
    let mut base = center.y + CENTER * size - shift;
    if size >= look.small && !figure.is_empty() {
        let set = look.text(center.x, base, Anchor::Middle, size, figure);
        let width = text::width(figure, size, face);
        scene.text(Text { face, width, color: look.ink, ..set });
    } else {
        base = center.y;
    }
    if with_words {
        // Clear of letters that reach below the line.
        let mut y = base + look.label + 0.2 * size;
        for line in lines {
            let set = look.text(center.x, y, Anchor::Middle, look.label, &line);
            let full = line.ends_with('…').then(|| words.to_owned());
            scene.text(Text { color: look.muted, full, ..set });
            y += look.label * 1.2;
        }
    }
}
