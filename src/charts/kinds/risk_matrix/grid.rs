//! The grid of a risk matrix, and the risks in its cells.

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::color::Color;
use crate::scale::BandScale;

/// Number of steps of each axis.
pub const STEPS: usize = 5;

/// A risk and its cell.
pub struct Risk<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Number in the list, starting at 1. The worst risk is first. Without a list, in the order of
    /// the data.
    pub number: usize,
    /// Label of the risk.
    pub label: Cow<'a, str>,
    /// Step of the probability, starting at 0.
    pub probability_step: usize,
    /// Step of the impact, starting at 0.
    pub impact_step: usize,
    /// Probability and impact with their names, for the tooltip.
    pub position: String,
    /// Whether the risk is highlighted.
    pub highlighted: bool,
}

/// Layout and colors of the cells.
pub struct RiskGrid {
    /// Rectangle of all cells and the gaps between them.
    pub plot: Rect,
    /// Columns, by impact.
    pub columns: BandScale,
    /// Rows, by probability from top (highest) to bottom.
    pub rows: BandScale,
    /// Colors of the four grades, from low to extreme.
    pub fills: [Color; 4],
}

impl RiskGrid {
    /// Returns the rectangle of a cell. Both steps start at 0. Probability 0 is the bottom row, impact
    /// 0 the left column.
    pub fn cell_rect(&self, probability_step: usize, impact_step: usize) -> Rect {
        let (x, y) =
            (self.columns.start(impact_step), self.rows.start(STEPS - 1 - probability_step));
        Rect::new(x, y, x + self.columns.width(), y + self.rows.width())
    }

    /// Returns the color of a cell. Both steps start at 0. The grade depends on the product of
    /// probability and impact, counted from 1: up to 4, 9, 14, or more.
    pub fn cell_color(&self, probability_step: usize, impact_step: usize) -> Color {
        let [low, medium, high, extreme] = self.fills;
        match (probability_step + 1) * (impact_step + 1) {
            0..=4 => low,
            5..=9 => medium,
            10..=14 => high,
            _ => extreme,
        }
    }
}

/// Returns `rect`, reduced by `margin` points on each side. A negative margin enlarges it. Width
/// and height do not become negative.
pub fn shrink(rect: Rect, margin: f64) -> Rect {
    Rect::from_center_size(
        Point::new(rect.center().x, rect.center().y),
        ((rect.width() - margin * 2.0).max(0.0), (rect.height() - margin * 2.0).max(0.0)),
    )
}
