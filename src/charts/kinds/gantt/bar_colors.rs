//! Colors of the bars of one group, and the text color that is readable on them.

use crate::color::{Color, NEAR_BLACK, WHITE};

/// Colors of the bars of one group.
#[derive(Clone, Copy)]
pub struct BarColors {
    /// Color of the completed part.
    pub done: Color,
    /// Color of the remaining part. Equals `done` if the chart shows no progress.
    pub remaining: Color,
}

/// Returns white, or otherwise near-black, if its contrast on all `fills` is at least 4.5:1. None
/// if neither has enough contrast.
pub fn text_color_on(fills: &[Color]) -> Option<Color> {
    [WHITE, NEAR_BLACK].into_iter().find(|ink| fills.iter().all(|fill| fill.contrast(*ink) >= 4.5))
}
