//! The lines of the label of a node: its name, then its amount.

use crate::frame::ChartStyle;
use crate::text;

/// Line height as a share of the font size.
pub const LINE_HEIGHT_EM: f64 = 1.2;
/// Space between a name and an amount in the same line, as a share of the font size.
const AMOUNT_GAP_EM: f64 = 0.4;

/// The lines of a label.
#[derive(Clone)]
pub struct LabelText {
    /// Lines of the name. The last one ends with an ellipsis if the name is shortened.
    pub name_lines: Vec<String>,
    /// Formatted amount. Empty if it has no space.
    pub amount: String,
    /// Whether the amount is below the name instead of in its last line.
    is_amount_below: bool,
    is_shortened: bool,
}

/// Limits for the lines of a label.
#[derive(Clone, Copy)]
pub struct Lines {
    /// Maximum number of lines of the name.
    pub max_name_lines: usize,
    /// Whether the amount is below the name although it would fit beside it.
    pub is_stacked: bool,
    /// Whether the amount may be below a name of one line.
    pub may_be_below: bool,
    /// Whether the amount may be below a name of several lines.
    pub may_be_below_wrapped: bool,
}

impl Lines {
    /// Name and amount in a single line.
    pub const ONE: Lines = Lines {
        max_name_lines: 1,
        is_stacked: false,
        may_be_below: false,
        may_be_below_wrapped: false,
    };
}

impl LabelText {
    /// Breaks a label into lines of at most `max_width` points. `size` is the font size in points.
    ///
    /// A name that does not fit whole is shortened to one line. The amount is in the last line of the
    /// name, or below if `lines` allows that. An amount without space is left out, because the name
    /// has priority.
    pub fn new(
        name: &str,
        amount: &str,
        max_width: f64,
        lines: Lines,
        size: f64,
        style: &ChartStyle,
    ) -> LabelText {
        let face = style.label_face();
        let whole_lines = text::wrap_whole(name, max_width, lines.max_name_lines, size, face);
        let is_shortened = whole_lines.is_none();
        let name_lines = whole_lines
            .unwrap_or_else(|| vec![text::ellipsize(name, max_width, size, face).into_owned()]);
        let last_width = name_lines.last().map_or(0.0, |line| style.text_width(line, size));
        let amount_width = style.text_width(amount, size);
        let fits_beside = !lines.is_stacked
            && last_width + size * AMOUNT_GAP_EM + amount_width <= max_width + 0.01;
        let may_be_below =
            if name_lines.len() > 1 { lines.may_be_below_wrapped } else { lines.may_be_below };
        let fits_below = may_be_below && amount_width <= max_width;
        let amount = if fits_beside || fits_below { amount.to_owned() } else { String::new() };
        LabelText { name_lines, amount, is_amount_below: !fits_beside, is_shortened }
    }

    /// Returns whether the name is shortened.
    pub fn is_shortened(&self) -> bool {
        self.is_shortened
    }

    /// Returns whether not even the start of the name fits. Then no text of the name is shown.
    pub fn is_empty(&self) -> bool {
        self.is_shortened && self.name_lines.iter().all(String::is_empty)
    }

    /// Returns the amount if it is in the last line of the name. None if it is below or left out.
    pub fn inline_amount(&self) -> Option<&str> {
        (!self.is_amount_below && !self.amount.is_empty()).then_some(&self.amount)
    }

    /// Returns the amount if it is below the name. None if it is beside the name or left out.
    pub fn amount_below(&self) -> Option<&str> {
        (self.is_amount_below && !self.amount.is_empty()).then_some(&self.amount)
    }

    /// Returns the space between the last line of the name and `amount` beside it, in points. It is 0
    /// without an amount. `size` is the font size in points.
    pub fn amount_gap(&self, amount: Option<&str>, size: f64) -> f64 {
        if amount.is_some() { size * AMOUNT_GAP_EM } else { 0.0 }
    }

    /// Returns the number of lines of the name, plus one if the amount is below it.
    pub fn line_count(&self) -> usize {
        self.name_lines.len() + usize::from(self.amount_below().is_some())
    }

    /// Returns the height of all lines in points, with the distance `gap` to other labels if there are
    /// several lines. `size` is the font size in points.
    pub fn height(&self, size: f64, gap: f64) -> f64 {
        let gap = if self.line_count() > 1 { gap } else { 0.0 };
        self.line_count() as f64 * size * LINE_HEIGHT_EM + gap
    }

    /// Returns the width of the widest line in points, with the amount if it is in that line. `size` is
    /// the font size in points.
    pub fn width(&self, size: f64, style: &ChartStyle) -> f64 {
        let lines = self.name_lines.iter().map(String::as_str).chain(self.amount_below());
        let widest = lines.map(|line| style.text_width(line, size)).fold(0.0, f64::max);
        let last_width = self.name_lines.last().map_or(0.0, |line| style.text_width(line, size));
        let inline_width = self.inline_amount().map_or(0.0, |amount| {
            last_width + size * AMOUNT_GAP_EM + style.text_width(amount, size)
        });
        widest.max(inline_width)
    }
}
