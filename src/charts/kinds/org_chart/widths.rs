//! Widths of the texts in the boxes of an organization chart.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::text;
use crate::text::Face;

/// Widths of texts in points that attempts have measured. Most attempts need the same ones, and
/// wrapping takes time.
#[derive(Default)]
pub struct MeasuredWidths(RefCell<HashMap<WidthKey, f64>>);

/// Conditions of a measured width.
#[derive(PartialEq, Eq, Hash)]
pub struct WidthKey {
    /// Record of the node.
    row: usize,
    is_label: bool,
    max_lines: usize,
    /// Font size in points, as bits.
    font_size: u64,
}

impl WidthKey {
    /// Creates the conditions for the label or the subtitle of a record. `font_size` is in points.
    pub fn new(row: usize, is_label: bool, max_lines: usize, font_size: f64) -> Self {
        Self { row, is_label, max_lines, font_size: font_size.to_bits() }
    }
}

impl MeasuredWidths {
    /// Returns the width in points that `measure_min_text_width` returns for a text. Remembers it
    /// under `key`, so that `text` and `face` only count for the first call with a key.
    pub fn measure(&self, key: WidthKey, text: &str, face: Face) -> f64 {
        let (font_size, max_lines) = (f64::from_bits(key.font_size), key.max_lines);
        let measure = || measure_min_text_width(text, font_size, face, max_lines);
        *self.0.borrow_mut().entry(key).or_insert_with(measure)
    }
}

/// Returns a width in points at which a text fits into `max_lines` lines without being shortened:
/// the smallest of eight candidates between an equal share of its length per line and its whole
/// length.
///
/// Returns the width of the text in one line if none of them is enough, and 0 for an empty text or
/// a font size of 0.
fn measure_min_text_width(text: &str, font_size: f64, face: Face, max_lines: usize) -> f64 {
    let full_width = text::width(text, font_size, face);
    if full_width == 0.0 || font_size == 0.0 {
        return 0.0;
    }
    let is_complete =
        |width: &f64| text::is_whole(&text::wrap(text, *width, max_lines, font_size, face), text);
    let shortest = full_width / max_lines as f64;
    let candidates =
        (0..8).map(|index| shortest + f64::from(index) * (full_width - shortest) / 8.0);
    candidates.into_iter().find(is_complete).unwrap_or(full_width)
}
