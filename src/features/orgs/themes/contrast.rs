//! Warnings about colors of a theme that are hard to see.

use std::fmt;

use chartroom_charts::Theme;
use chartroom_charts::color::Color;

/// Minimum contrast of text (WCAG 2.2, criterion 1.4.3).
const MIN_TEXT_CONTRAST: f64 = 4.5;
/// Minimum contrast of shapes (WCAG 2.2, criterion 1.4.11).
const MIN_SHAPE_CONTRAST: f64 = 3.0;

/// A color of a theme that must stand out from the background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThemeColor {
    /// Color of texts.
    Text,
    /// Color of axes.
    Axis,
    /// Color of highlighted marks.
    Highlight,
    /// Color of the series with this index.
    Series(usize),
}

/// A color with too little contrast to the background.
#[derive(Debug, Clone, Copy)]
pub struct ContrastProblem {
    /// Use of the color.
    pub role: ThemeColor,
    /// Color.
    pub color: Color,
    /// Contrast to the background, rounded down to one decimal.
    pub contrast: f64,
    /// Color of the background.
    pub background: Color,
    /// Contrast that is needed.
    pub min: f64,
}

impl fmt::Display for ThemeColor {
    /// Writes the name of the field in the API.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text_color"),
            Self::Axis => f.write_str("axis_color"),
            Self::Highlight => f.write_str("highlight_color"),
            Self::Series(index) => write!(f, "colors[{index}]"),
        }
    }
}

impl fmt::Display for ContrastProblem {
    /// Writes the warning in the API.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, color, contrast, background, min } = self;
        write!(
            f,
            "{role} {color} has a contrast of {contrast}:1 to background_color {background}; at \
             least {min}:1 is needed to see it well."
        )
    }
}

/// Returns each color of a theme with too little contrast to the background. Grid lines may be faint.
pub fn find_contrast_problems(theme: &Theme) -> Vec<ContrastProblem> {
    let background = theme.background_color;
    let fixed = [
        (ThemeColor::Text, theme.text_color, MIN_TEXT_CONTRAST),
        (ThemeColor::Axis, theme.axis_color, MIN_SHAPE_CONTRAST),
        (ThemeColor::Highlight, theme.highlight_color, MIN_SHAPE_CONTRAST),
    ];
    let series = theme.colors.iter().enumerate();
    let series =
        series.map(|(index, color)| (ThemeColor::Series(index), *color, MIN_SHAPE_CONTRAST));
    let check = |(role, color, min): (ThemeColor, Color, f64)| {
        let contrast = color.over(background).contrast(background);
        // Rounded down, so that 4.49 does not read as 4.5.
        let shown = (contrast * 10.0).floor() / 10.0;
        (contrast < min).then_some(ContrastProblem {
            role,
            color,
            contrast: shown,
            background,
            min,
        })
    };
    fixed.into_iter().chain(series).filter_map(check).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pale_colors_are_reported() {
        let theme = Theme::parse(&json!({
            "text_color": "#888", "axis_color": "#000", "highlight_color": "#ffe", "grid_color":
            "#fff", "colors": ["#000", "#fd0"], "background_color": "#fff",
        }));
        let warnings = find_contrast_problems(&theme);
        let starts = ["text_color #888888 has a contrast of 3.5:1", "highlight_color", "colors[1]"];
        assert_eq!(warnings.len(), 3, "{warnings:?}");
        for (warning, start) in warnings.iter().zip(starts) {
            assert!(warning.to_string().starts_with(start), "{warning}");
        }
    }
}
