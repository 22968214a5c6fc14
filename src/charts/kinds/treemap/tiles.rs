//! Tiles of a treemap with their labels.

use kurbo::Rect;

use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::bands;
use crate::frame::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::slices::AmountText;
use crate::text;
use crate::text::Face;
use crate::value_tree::ValueNode;

/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.22;
/// Distance between the edge of a tile and its text as a multiple of the font size.
const PADDING: f64 = 0.45;
/// Maximum number of lines of a label, unless it would be shortened.
const MAX_LINES: usize = 3;
/// Maximum number of lines of a label that does not fit into fewer.
const MAX_HIGH_LINES: usize = 7;
/// Maximum number of lines of a shortened label.
const MAX_SHORTENED_LINES: usize = 2;
/// Minimum number of characters in the longest line of a shortened label, including the ellipsis.
/// Shorter ones would not be understandable.
const MIN_SHORTENED_CHARS: usize = 6;

/// A node with its rectangle.
pub struct Tile<'a> {
    /// Node of the tile.
    pub node: &'a ValueNode,
    /// Name, with those of groups without a heading.
    pub label: String,
    /// Formatted value and share.
    pub amount: AmountText,
    /// Rectangle of the tile in points.
    pub rect: Rect,
    /// Color, adjusted so that text on it is readable.
    pub fill: Color,
}

impl Tile<'_> {
    /// Draws the tile, its label and, if there is space, the value.
    ///
    /// The label is drawn as `wrap_whole_label` returns it. If it does not fit as a whole, it is
    /// shortened to at most `MAX_SHORTENED_LINES` lines of the small font size. A label that would be
    /// too short to be understandable is omitted, together with the value, and the scene counts and names it.
    /// Returns whether the value or share is drawn. Also true if the settings hide both, and for a tile
    /// without a label, which the scene counts already.
    pub fn draw(&self, style: &ChartStyle, scene: &mut Scene) -> bool {
        scene.rect(self.rect, self.fill);
        let text_color = bands::inner_label_color(self.fill);
        let is_uncut = |lines: &[String]| !lines.iter().any(|line| line.ends_with('…'));
        let is_understandable = |lines: &[String]| {
            // A value without its label would not be understandable.
            let has_label = !lines.is_empty() || self.label.is_empty();
            has_label && is_uncut(lines)
                || lines.iter().any(|line| line.chars().count() >= MIN_SHORTENED_CHARS)
        };
        let (size, lines) = self.wrap_whole_label(style).unwrap_or_else(|| {
            (style.small_size, self.wrap_label(style.small_size, MAX_SHORTENED_LINES))
        });
        if is_understandable(&lines) {
            self.draw_text(size, &lines, text_color, style, scene)
        } else {
            scene.omit_named(Omission::Name, &self.label);
            true
        }
    }

    /// Returns a font size in points at which the whole label fits into the tile, and the lines of
    /// the label.
    ///
    /// Tries the font sizes from large to small, each with up to `MAX_LINES` lines. If none fits,
    /// tries them again with up to `MAX_HIGH_LINES` lines, without the enlarged size of large
    /// tiles. Returns None if the label is empty, or does not fit as a whole at any size.
    pub fn wrap_whole_label(&self, style: &ChartStyle) -> Option<(f64, Vec<String>)> {
        let is_large = self.rect.width() > style.label_size * 13.0
            && self.rect.height() > style.label_size * 8.0;
        let first_size = if is_large { style.label_size * 1.4 } else { style.label_size };
        let sizes = [first_size, style.label_size, style.small_size, MIN_TEXT_SIZE];
        let wrap = |(size, max_lines): (f64, usize)| {
            let max_lines = self.max_lines(size).min(max_lines);
            let width = self.text_width(size);
            let lines = text::wrap_whole(&self.label, width, max_lines, size, Face::BOLD)?;
            (!lines.is_empty()).then_some((size, lines))
        };
        let usual = sizes.into_iter().map(|size| (size, MAX_LINES));
        let high =
            [style.label_size, style.small_size, MIN_TEXT_SIZE].map(|size| (size, MAX_HIGH_LINES));
        usual.chain(high).find_map(wrap)
    }

    /// Draws the filled rectangle of the tile without its label and value.
    pub fn draw_blank(&self, scene: &mut Scene) {
        scene.rect(self.rect, self.fill);
    }

    /// Returns whether the tile is large enough for the disc with `number` that `draw_number` draws.
    pub fn has_number_space(&self, number: usize, style: &ChartStyle) -> bool {
        let diameter =
            2.0 * number_radius(&style.locale.format_integer(number), number_size(style));
        diameter + 1.0 <= self.rect.width().min(self.rect.height())
    }

    /// Draws a disc with `number` in the center of the tile. A list has the name of the tile under
    /// this number. Does not draw the tile.
    pub fn draw_number(&self, number: usize, style: &ChartStyle, scene: &mut Scene) {
        let size = number_size(style);
        let number = style.locale.format_integer(number);
        let width = text::width(&number, size, Face::BOLD);
        // A bare number would look like a value.
        let center = self.rect.center();
        scene.circle(center, number_radius(&number, size), style.background, None);
        let baseline = center.y + HALF_CAP_HEIGHT_EM * size;
        let text = style.label_text(center.x, baseline, Anchor::Middle, size, &number);
        scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..text });
    }

    /// Draws the value, or the share if there is no value, below the disc with `number`. Returns whether
    /// it fits. True without drawing if the settings hide both.
    pub fn draw_amount_below_number(
        &self,
        number: usize,
        style: &ChartStyle,
        scene: &mut Scene,
    ) -> bool {
        let (amount, size) = (self.amount.main_text(), number_size(style));
        let center = self.rect.center();
        let radius = number_radius(&style.locale.format_integer(number), size);
        let baseline = center.y + radius + size * (0.2 + ASCENT_EM);
        let fits = style.text_width(amount, size) <= self.text_width(size)
            && baseline + size * 0.3 <= self.rect.y1;
        if fits && !amount.is_empty() {
            let text = style.label_text(center.x, baseline, Anchor::Middle, size, amount);
            scene.text(Text { color: bands::inner_label_color(self.fill), ..text });
        }
        fits || amount.is_empty()
    }

    /// Returns the number of lines that fit into the height of the tile, 0 if none fits. `size` is the
    /// font size in points.
    fn max_lines(&self, size: f64) -> usize {
        let height = self.rect.height() - 2.0 * PADDING * size + (LINE_HEIGHT - 1.0) * size;
        (height / (size * LINE_HEIGHT)).max(0.0) as usize
    }

    /// Returns the width in points that is available for text. `size` is the font size in points. It is
    /// negative in very narrow tiles.
    fn text_width(&self, size: f64) -> f64 {
        self.rect.width() - 2.0 * PADDING * size
    }

    /// Wraps the label into at most `max_lines` lines that fit into the tile, and shortens it if
    /// necessary. Empty if nothing fits. `size` is the font size in points.
    fn wrap_label(&self, size: f64, max_lines: usize) -> Vec<String> {
        let max_lines = self.max_lines(size).min(max_lines);
        text::wrap(&self.label, self.text_width(size), max_lines, size, Face::BOLD)
    }

    /// Returns the lines of the amount: value and share in one line, or else in two, or else only
    /// the value (only the share if there is no value). Empty if none of these forms fits into
    /// `free_lines` lines of the tile. `size` is the font size in points.
    pub fn fit_amount(&self, size: f64, free_lines: usize, style: &ChartStyle) -> Vec<String> {
        let AmountText { value, share, .. } = &self.amount;
        let forms = [
            vec![self.amount.detail()],
            vec![value.clone(), share.clone()],
            vec![self.amount.main_text().to_owned()],
        ];
        let fits = |lines: &Vec<String>| {
            let widths = lines.iter().map(|line| style.text_width(line, size));
            lines.len() <= free_lines && widths.fold(0.0, f64::max) <= self.text_width(size)
        };
        forms.into_iter().find(fits).unwrap_or_default()
    }

    /// Draws the lines of the label in bold from the upper left corner of the tile, and value and share
    /// below them as far as they fit. `size` is the font size in points. Returns whether one of them fits,
    /// or the settings hide both.
    fn draw_text(
        &self,
        size: f64,
        lines: &[String],
        color: Color,
        style: &ChartStyle,
        scene: &mut Scene,
    ) -> bool {
        let x = self.rect.x0 + PADDING * size;
        let mut baseline = self.rect.y0 + (PADDING + ASCENT_EM) * size;
        for line in lines {
            let width = text::width(line, size, Face::BOLD);
            let full = line.ends_with('…').then(|| self.label.clone());
            let label = style.label_text(x, baseline, Anchor::Start, size, line);
            scene.text(Text { face: Face::BOLD, width, full, color, ..label });
            baseline += size * LINE_HEIGHT;
        }
        let free_lines = self.max_lines(size).saturating_sub(lines.len());
        let amount = self.fit_amount(size, free_lines, style);
        for line in &amount {
            let label = style.label_text(x, baseline, Anchor::Start, size, line);
            scene.text(Text { color, ..label });
            baseline += size * LINE_HEIGHT;
        }
        !amount.is_empty() || self.amount.main_text().is_empty()
    }
}

/// Returns the font size of the numbers on tiles in points.
fn number_size(style: &ChartStyle) -> f64 {
    MIN_TEXT_SIZE.min(style.small_size)
}

/// Returns the radius in points of the disc behind a formatted number. `size` is its font size in points.
fn number_radius(number: &str, size: f64) -> f64 {
    (text::width(number, size, Face::BOLD) / 2.0 + 2.0).max(size * 0.72)
}
