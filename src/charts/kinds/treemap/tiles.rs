//! Tiles of a treemap with their labels.

use kurbo::Rect;

use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::frame::bands;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;
use crate::text::Face;
use crate::value_tree::ValueNode;

/// Line height as a share of the font size.
const LEADING: f64 = 1.22;
/// Distance between the edge of a tile and its text as a share of the font size.
const PAD: f64 = 0.45;
/// Shortened labels are drawn only if a line has more letters than this.
const FEWEST_LETTERS: usize = 5;

/// A node with its rectangle.
pub struct Tile<'a> {
    /// Node of the tile.
    pub node: &'a ValueNode,
    /// Formatted value and share.
    pub detail: String,
    /// Rectangle of the tile.
    pub rect: Rect,
    /// Color, adjusted so that text on it is readable.
    pub fill: Color,
}

impl Tile<'_> {
    /// Draws the tile, its label in the largest font size that fits, and the value if there is
    /// space.
    pub fn draw(&self, style: &ChartStyle, scene: &mut Scene) {
        scene.rect(self.rect, self.fill);
        let Some(ink) = bands::inner_label_color(self.fill) else { return };
        let large = self.rect.width() > style.label_size * 13.0
            && self.rect.height() > style.label_size * 8.0;
        let first = if large { style.label_size * 1.4 } else { style.label_size };
        let sizes = [first, style.label_size, style.small_size];
        let whole = |it: &Vec<String>| !it.iter().any(|line| line.ends_with('…'));
        let telling = |it: &Vec<String>| {
            // A value without its label would not be understandable.
            let named = !it.is_empty() || self.node.label.is_empty();
            named && whole(it) || it.iter().any(|line| line.chars().count() > FEWEST_LETTERS)
        };
        let fitting = sizes.iter().map(|size| (*size, self.set(*size, 3)));
        let mut fitting = fitting.filter(|(_, lines)| !lines.is_empty() && whole(lines));
        let shortened = || Some((style.small_size, self.set(style.small_size, 2)));
        let found = fitting.next().or_else(shortened).filter(|(_, lines)| telling(lines));
        if let Some((size, lines)) = found {
            self.write(size, &lines, ink, style, scene);
        }
    }

    /// Returns the number of lines of this font size that fit.
    fn rows(&self, size: f64) -> usize {
        let room = self.rect.height() - 2.0 * PAD * size + (LEADING - 1.0) * size;
        (room / (size * LEADING)).max(0.0) as usize
    }

    /// Wraps the label into at most `most` lines.
    fn set(&self, size: f64, most: usize) -> Vec<String> {
        let room = self.rect.width() - 2.0 * PAD * size;
        text::wrap(&self.node.label, room, self.rows(size).min(most), size, Face::BOLD)
    }

    /// Draws the lines of the label, and the value below them if it fits.
    fn write(
        &self,
        size: f64,
        lines: &[String],
        ink: Color,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let x = self.rect.x0 + PAD * size;
        let mut y = self.rect.y0 + (PAD + ASCENT_EM) * size;
        for line in lines {
            let width = text::width(line, size, Face::BOLD);
            let full = line.ends_with('…').then(|| self.node.label.clone());
            let set = style.label_text(x, y, Anchor::Start, size, line);
            scene.text(Text { face: Face::BOLD, width, full, color: ink, ..set });
            y += size * LEADING;
        }
        let room = self.rect.width() - 2.0 * PAD * size;
        if lines.len() < self.rows(size) && style.text_width(&self.detail, size) <= room {
            let set = style.label_text(x, y, Anchor::Start, size, &self.detail);
            scene.text(Text { color: ink, ..set });
        }
    }
}
