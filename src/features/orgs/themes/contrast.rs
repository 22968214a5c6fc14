//! Warnings about colors of a theme that are hard to see.

use chartroom_charts::Theme;
use chartroom_charts::color::Color;

/// Minimum contrast of text (WCAG 2.2, criterion 1.4.3).
const MIN_TEXT_CONTRAST: f64 = 4.5;
/// Minimum contrast of shapes (WCAG 2.2, criterion 1.4.11).
const MIN_SHAPE_CONTRAST: f64 = 3.0;

/// Returns a warning for each color of a theme with too little contrast to the background. Grid
/// lines may be faint.
pub fn find_contrast_problems(theme: &Theme) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut check = |name: &str, color: Color, min: f64| {
        let contrast = color.over(theme.background_color).contrast(theme.background_color);
        if contrast < min {
            // Rounded down, so that 4.49 does not read as 4.5.
            let shown = (contrast * 10.0).floor() / 10.0;
            warnings.push(format!(
                "{name} {color} has a contrast of {shown}:1 to background_color {}; at least \
                 {min}:1 is needed to see it well.",
                theme.background_color
            ));
        }
    };
    check("text_color", theme.text_color, MIN_TEXT_CONTRAST);
    check("axis_color", theme.axis_color, MIN_SHAPE_CONTRAST);
    check("highlight_color", theme.highlight_color, MIN_SHAPE_CONTRAST);
    for (index, color) in theme.colors.iter().enumerate() {
        check(&format!("colors[{index}]"), *color, MIN_SHAPE_CONTRAST);
    }
    warnings
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
            assert!(warning.starts_with(start), "{warning}");
        }
    }
}
