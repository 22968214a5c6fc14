//! Scales that map data to points of the canvas, and ticks for value axes and time axes.

mod log;
mod ticks;
pub mod time;

pub use log::{LogTicks, log_ticks};
pub use ticks::{CLOCK_STEPS, Ticks, clock_ticks, nice_ticks, round_down};

/// A linear scale from values to points along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearScale {
    /// Values at the two ends of the range. They must differ.
    pub domain: (f64, f64),
    /// Coordinates in points of the two ends; the first may be the larger one.
    pub range: (f64, f64),
}

impl LinearScale {
    /// Returns the coordinate of `value` in points, clamped to the range so that no mark leaves
    /// the plot area.
    pub fn at(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        self.at_unclamped(value).clamp(low.min(high), low.max(high))
    }

    /// Returns the coordinate of `value` in points, which may be outside the range, at most 1000
    /// times its length from the first end. For lines that a clip cuts at the plot area.
    ///
    /// Returns the middle of the range for an empty domain.
    pub fn at_unclamped(&self, value: f64) -> f64 {
        let span = self.domain.1 - self.domain.0;
        let share = if span == 0.0 { 0.5 } else { (value - self.domain.0) / span };
        // The limit keeps the coordinate of an extreme value finite and short in the SVG.
        self.range.0 + share.clamp(-1e3, 1e3) * (self.range.1 - self.range.0)
    }
}

/// A linear or logarithmic scale from values to points along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueScale {
    /// Values at the two ends of the range. They must differ, and be above zero on a logarithmic
    /// scale.
    pub domain: (f64, f64),
    /// Coordinates in points of the two ends; the first may be the larger one.
    pub range: (f64, f64),
    /// Whether equal distances stand for equal ratios.
    pub is_log: bool,
}

impl ValueScale {
    /// Returns the coordinate of `value` in points, clamped to the range so that no mark leaves
    /// the plot area. Values that are not above zero are at the start of a logarithmic scale.
    pub fn at(&self, value: f64) -> f64 {
        self.linear().at(self.transform(value))
    }

    /// Returns the coordinate of `value` in points, as [`LinearScale::at_unclamped`].
    pub fn at_unclamped(&self, value: f64) -> f64 {
        self.linear().at_unclamped(self.transform(value))
    }

    /// Returns the number that is proportional to distances: the value, or its decimal logarithm on
    /// a logarithmic scale, where values that are not above zero count as the start of the domain.
    pub fn transform(&self, value: f64) -> f64 {
        match self.is_log {
            true if value > 0.0 => value.log10(),
            true => self.domain.0.log10(),
            false => value,
        }
    }

    /// Returns the linear scale of the numbers that [`ValueScale::transform`] returns.
    pub fn linear(&self) -> LinearScale {
        let domain = (self.transform(self.domain.0), self.transform(self.domain.1));
        LinearScale { domain, range: self.range }
    }
}

impl From<&LinearScale> for ValueScale {
    /// Returns a scale that is not logarithmic.
    fn from(scale: &LinearScale) -> ValueScale {
        ValueScale { domain: scale.domain, range: scale.range, is_log: false }
    }
}

impl From<&ValueScale> for ValueScale {
    /// Copies the scale.
    fn from(scale: &ValueScale) -> ValueScale {
        *scale
    }
}

/// A scale from category indexes to equal steps along one axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BandScale {
    /// Number of categories, at least 1.
    pub count: usize,
    /// Coordinates in points of the two ends.
    pub range: (f64, f64),
    /// Share of a step between two marks, 0 to 1.
    pub padding: f64,
    /// Maximum width of a mark along the axis in points.
    pub max_width: f64,
}

impl BandScale {
    /// Returns the distance between two neighboring categories in points. Negative if the range
    /// descends.
    pub fn step(&self) -> f64 {
        (self.range.1 - self.range.0) / self.count.max(1) as f64
    }

    /// Returns the width of a mark along the axis in points: a step without its padding, or the
    /// whole step if the gap between marks would be below half a point. Never more than
    /// `max_width`. 0 if the range descends.
    pub fn width(&self) -> f64 {
        let step = self.step();
        // Gaps below half a point would cause moiré patterns.
        let share = if step * self.padding < 0.5 { 1.0 } else { 1.0 - self.padding };
        (step * share).clamp(0.0, self.max_width)
    }

    /// Returns the coordinate in points of the middle of a category with a zero-based index.
    pub fn center(&self, index: usize) -> f64 {
        self.range.0 + self.step() * (index as f64 + 0.5)
    }

    /// Returns the coordinate in points of the edge of a mark that is nearer to the start of the
    /// range. `index` is the zero-based index of its category.
    pub fn start(&self, index: usize) -> f64 {
        self.center(index) - self.width() / 2.0
    }
}
