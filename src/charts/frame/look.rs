//! Sizes and inks of a picture: the theme's, fitted to the canvas.

use crate::Chart;
use crate::color::Color;
use crate::format::Locale;
use crate::scene::{Anchor, Text};
use crate::text;
use crate::text::Face;

/// Canvases lower than this many points carry no footer.
pub const FOOTER_FROM: f64 = 220.0;
/// Canvases lower than this many points carry no subtitle.
pub const SUBTITLE_FROM: f64 = 190.0;
/// Nothing is set smaller than this, in points: a label that does not fit is dropped instead.
pub const SMALLEST_TEXT: f64 = 9.0;

/// Sizes in points and inks that all parts of a picture share.
#[derive(Clone, Debug)]
pub struct Look {
    /// 1 on a canvas of 720 by 405 points; grows and shrinks with the square root of the size.
    pub unit: f64,
    /// Below 1 on small canvases, in proportion.
    pub shrink: f64,
    /// Space round everything.
    pub margin: f64,
    /// Font size of the title.
    pub title: f64,
    /// Font size of the subtitle.
    pub subtitle: f64,
    /// Font size of axis and value labels.
    pub label: f64,
    /// Font size of the footer and of labels that have little room.
    pub small: f64,
    /// Whether labels are bold.
    pub bold: bool,
    /// Ink of the title.
    pub ink: Color,
    /// Ink of value labels.
    pub value_ink: Color,
    /// Ink of names: categories, legend, subtitle.
    pub label_ink: Color,
    /// Ink of axes and footer; still 4.5:1.
    pub muted: Color,
    /// Base and zero lines.
    pub axis: Color,
    /// Grid lines.
    pub grid: Color,
    /// Ground.
    pub background: Color,
    /// Language of fixed words.
    pub locale: Locale,
}

impl Look {
    /// The look of a chart on its canvas.
    pub fn of(chart: &Chart) -> Look {
        let theme = chart.theme;
        let share = (chart.width / 720.0).min(chart.height / 405.0);
        let unit = share.sqrt().clamp(0.7, 1.8);
        let shrink = share.clamp(0.4, 1.0);
        // Sizes on quarter points look the same everywhere and keep files short.
        let fit = |size: f64| (size * unit * 4.0).round().max(SMALLEST_TEXT * 4.0) / 4.0;
        let body = theme.body_font.size;
        let paper = theme.background;
        let lesser = |step: f64| theme.text.mix(paper, step).readable_on(paper, 4.5);
        Look {
            unit,
            shrink,
            margin: 24.0 * if share < 1.0 { shrink } else { unit },
            title: fit(theme.title_font.size),
            subtitle: fit(body + 1.0),
            label: fit(body),
            small: fit(body - 2.0),
            bold: theme.body_font.bold,
            ink: theme.text,
            value_ink: lesser(0.08),
            label_ink: lesser(0.2),
            muted: lesser(0.38),
            axis: theme.axis,
            grid: theme.grid,
            background: paper,
            locale: chart.language(),
        }
    }

    /// The same with larger labels, for words that would else leave much of the canvas empty.
    pub fn larger(&self, share: f64) -> Look {
        let fit = |size: f64| (size * share * 4.0).round() / 4.0;
        Look { label: fit(self.label), small: fit(self.small), ..self.clone() }
    }

    /// The ink of a line on a colour: the usual one where it stands out (3:1, WCAG 1.4.11), else the
    /// one that the colour carries.
    pub fn line_on(&self, fill: Color) -> Color {
        if self.ink.contrast(fill) >= 3.0 { self.ink } else { fill.ink() }
    }

    /// The usual face of labels.
    pub fn face(&self) -> Face {
        Face::of(self.bold, false)
    }

    /// A measured label in the usual face and ink, for `Text { color, ..look.text(…) }`.
    /// `y` is the baseline.
    pub fn text(&self, x: f64, y: f64, anchor: Anchor, size: f64, words: &str) -> Text {
        Text {
            x,
            y,
            anchor,
            angle: 0.0,
            size,
            face: self.face(),
            color: self.label_ink,
            halo: None,
            text: words.to_owned(),
            width: text::width(words, size, self.face()),
            full: None,
        }
    }

    /// The note "and 3 more tasks", small, muted and in italics; `noun` is the English word for
    /// one of them, or empty. `y` is the baseline.
    pub fn more(&self, (x, y): (f64, f64), anchor: Anchor, count: usize, noun: &str) -> Text {
        let words = self.locale.more(count, noun);
        let width = text::width(&words, self.small, Face::Italic);
        let set = self.text(x, y, anchor, self.small, &words);
        Text { face: Face::Italic, width, color: self.muted, ..set }
    }

    /// Width of a label in the usual face.
    pub fn width(&self, words: &str, size: f64) -> f64 {
        text::width(words, size, self.face())
    }

    /// Fill of marks that stand back behind highlighted ones.
    pub fn faded(&self) -> Color {
        self.muted.mix(self.background, 0.45)
    }
}
