//! From data to points: linear and band scales, round ticks, calendar ticks.

mod ticks;
pub mod time;

pub use ticks::{Ticks, nice};

/// Values along a straight axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    /// Value at either end of the range; the two differ.
    pub domain: (f64, f64),
    /// Points at either end.
    pub range: (f64, f64),
}

impl Linear {
    /// Place of a value in points, kept within the range, so that nothing leaves the plot.
    pub fn at(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        self.at_free(value).clamp(low.min(high), low.max(high))
    }

    /// Place of a value, also beyond the range (for lines that are clipped).
    pub fn at_free(&self, value: f64) -> f64 {
        let span = self.domain.1 - self.domain.0;
        let share = if span == 0.0 { 0.5 } else { (value - self.domain.0) / span };
        // A far value must stay a number that can still be written down.
        self.range.0 + share.clamp(-1e3, 1e3) * (self.range.1 - self.range.0)
    }
}

/// Equal steps along an axis, one a category.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Number of categories, at least 1.
    pub count: usize,
    /// Points at either end.
    pub range: (f64, f64),
    /// Share of a step that stays empty, 0 to 1.
    pub padding: f64,
    /// Thickest mark in points.
    pub most: f64,
}

impl Band {
    /// Distance from one category to the next in points.
    pub fn step(&self) -> f64 {
        (self.range.1 - self.range.0) / self.count.max(1) as f64
    }

    /// Thickness of a mark in points.
    pub fn width(&self) -> f64 {
        let step = self.step();
        // Gaps finer than half a point would only shimmer.
        let share = if step * self.padding < 0.5 { 1.0 } else { 1.0 - self.padding };
        (step * share).clamp(0.0, self.most)
    }

    /// Middle of a category.
    pub fn center(&self, index: usize) -> f64 {
        self.range.0 + self.step() * (index as f64 + 0.5)
    }

    /// Near edge of a mark.
    pub fn start(&self, index: usize) -> f64 {
        self.center(index) - self.width() / 2.0
    }
}
