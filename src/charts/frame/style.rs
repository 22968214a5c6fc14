//! Font sizes, colors and spacing of one chart: the theme adapted to the size of the canvas.

use crate::Chart;
use crate::color::Color;
use crate::format::Locale;
use crate::scene::{Anchor, Text};
use crate::text;
use crate::text::Face;

/// Minimum height of a canvas in points for the footer to be shown.
pub const MIN_HEIGHT_FOR_FOOTER: f64 = 220.0;
/// Minimum height of a canvas in points for the subtitle to be shown.
pub const MIN_HEIGHT_FOR_SUBTITLE: f64 = 190.0;
/// Minimum font size in points. A label that does not fit at this size is omitted.
pub const MIN_TEXT_SIZE: f64 = 9.0;

/// Font sizes, colors and spacing that all parts of a chart share.
#[derive(Clone, Debug)]
pub struct ChartStyle {
    /// Scale factor of gaps and line widths: 1 on a canvas of 720 × 405 points, proportional to
    /// the square root of the canvas size, 0.7 to 1.8.
    pub unit: f64,
    /// Scale factor of the margins on small canvases, 0.4 to 1, proportional to the canvas size.
    pub margin_scale: f64,
    /// Whether the finished canvas is mirrored, for a right-to-left language.
    pub is_mirrored: bool,
    /// Default margin on each side of the canvas in points.
    pub margin: f64,
    /// Font size of the title in points.
    pub title_size: f64,
    /// Font size of the subtitle in points.
    pub subtitle_size: f64,
    /// Font size of axis labels and value labels in points.
    pub label_size: f64,
    /// Font size of the footer, and of labels with little space, in points.
    pub small_size: f64,
    /// Whether labels are bold.
    pub bold: bool,
    /// Text color of the theme, for the title and for strong lines.
    pub text_color: Color,
    /// Text color of value labels.
    pub value_color: Color,
    /// Text color of category names, legend and subtitle.
    pub label_color: Color,
    /// Text color of axes and footer. Its contrast with the background is at least 4.5:1.
    pub muted_color: Color,
    /// Color of axis lines and baselines.
    pub axis_color: Color,
    /// Color of gridlines.
    pub grid_color: Color,
    /// Background color of the canvas.
    pub background: Color,
    /// Language of generated words and of number and date formats.
    pub locale: Locale,
}

impl ChartStyle {
    /// Derives the style of a chart from its theme and canvas size.
    pub fn new(chart: &Chart) -> ChartStyle {
        let theme = chart.theme;
        let share = (chart.width / 720.0).min(chart.height / 405.0);
        let unit = share.sqrt().clamp(0.7, 1.8);
        let margin_scale = share.clamp(0.4, 1.0);
        // Multiples of a quarter point render the same everywhere and keep SVG files short.
        let scale_size = |size: f64| (size * unit * 4.0).round().max(MIN_TEXT_SIZE * 4.0) / 4.0;
        let body_size = theme.body_font.size;
        let background = theme.background_color;
        let soften =
            |step: f64| theme.text_color.mix(background, step).readable_on(background, 4.5);
        ChartStyle {
            is_mirrored: chart.is_right_to_left(),
            unit,
            margin_scale,
            margin: 24.0 * if share < 1.0 { margin_scale } else { unit },
            title_size: scale_size(theme.title_font.size),
            subtitle_size: scale_size(body_size + 1.0),
            label_size: scale_size(body_size),
            small_size: scale_size(body_size - 2.0),
            bold: theme.body_font.bold,
            text_color: theme.text_color,
            value_color: soften(0.08),
            label_color: soften(0.2),
            muted_color: soften(0.38),
            axis_color: theme.axis_color,
            grid_color: theme.grid_color,
            background,
            locale: chart.locale(),
        }
    }

    /// Returns a copy with both label sizes multiplied by `factor` and rounded to quarter points.
    /// Other sizes stay. For charts with a text that would otherwise leave much of the canvas
    /// empty.
    pub fn scale_labels(&self, factor: f64) -> ChartStyle {
        let scale_size = |size: f64| (size * factor * 4.0).round() / 4.0;
        ChartStyle {
            label_size: scale_size(self.label_size),
            small_size: scale_size(self.small_size),
            ..self.clone()
        }
    }

    /// Returns a copy with both label sizes at the smallest readable size, or at that of small text
    /// if it is even smaller.
    pub fn with_minimal_labels(&self) -> ChartStyle {
        let size = MIN_TEXT_SIZE.min(self.small_size);
        ChartStyle { label_size: size, small_size: size, ..self.clone() }
    }

    /// Returns the color for a line on `fill`: the text color of the theme if its contrast is at
    /// least 3:1 (WCAG 1.4.11), otherwise white or near-black, whichever has more contrast.
    pub fn line_color_on(&self, fill: Color) -> Color {
        if self.text_color.contrast(fill) >= 3.0 { self.text_color } else { fill.text_color() }
    }

    /// Returns `color`, darkened or lightened until its contrast with the background is at least
    /// 2.4:1. Unchanged if it has that contrast. Lines and points need more contrast than filled
    /// areas.
    pub fn readable_line_color(&self, color: Color) -> Color {
        color.readable_on(self.background, 2.4)
    }

    /// Returns the font face of labels, regular or bold.
    pub fn label_face(&self) -> Face {
        Face::new(self.bold, false)
    }

    /// Returns a measured label in the label face and label color, without drawing it. `y` is the
    /// baseline, and `anchor` says which end of the text is at `x`. All lengths are in points.
    ///
    /// Callers override single fields: `Text { color, ..style.label_text(…) }`.
    pub fn label_text(&self, x: f64, y: f64, anchor: Anchor, size: f64, label: &str) -> Text {
        Text {
            x,
            y,
            anchor,
            angle: 0.0,
            size,
            face: self.label_face(),
            color: self.label_color,
            halo: None,
            text: label.to_owned(),
            width: text::width(label, size, self.label_face()),
            full: None,
        }
    }

    /// Returns the note "and 3 more tasks" for omitted items: small, muted and in italics. Does not
    /// draw it.
    ///
    /// `noun` is the English singular of the items (the locale translates it), or empty. The
    /// position is that of the anchor on the baseline.
    pub fn overflow_note(
        &self,
        (x, y): (f64, f64),
        anchor: Anchor,
        count: usize,
        noun: &str,
    ) -> Text {
        let text = self.locale.overflow_note(count, noun);
        let width = text::width(&text, self.small_size, Face::ITALIC);
        let note = self.label_text(x, y, anchor, self.small_size, &text);
        Text { face: Face::ITALIC, width, color: self.muted_color, ..note }
    }

    /// Returns the width in points of `text` in the label face at the font size `size` in points.
    pub fn text_width(&self, text: &str, size: f64) -> f64 {
        text::width(text, size, self.label_face())
    }

    /// Returns the gray fill of marks that are not highlighted while others are.
    pub fn faded_color(&self) -> Color {
        self.muted_color.mix(self.background, 0.45)
    }
}
