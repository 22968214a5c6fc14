//! Perceptually even color scales: sequential from pale to strong, or diverging from a neutral
//! middle.

use crate::Chart;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::ChartStyle;

/// A mapping from values to colors.
pub struct ColorScale {
    /// Values at the ends of the scale.
    pub ends: (f64, f64),
    /// Lowest and highest value of the data.
    range: (f64, f64),
    /// Neutral value of a diverging scale. None if the scale is sequential.
    midpoint: Option<f64>,
    /// Colors of a sequential scale, or of the values above the midpoint.
    upper: ColorRamp,
    /// Colors of the values below the midpoint.
    lower: ColorRamp,
}

/// A gradient from a pale color through a palette color to a strong one.
struct ColorRamp {
    pale: Color,
    palette: Color,
    strong: Color,
    /// Position of the palette color, 0 to 1, chosen so that lightness changes evenly.
    palette_position: f64,
}

impl ColorScale {
    /// Creates a scale for data from `low` to `high`. The settings `axis.min` and `axis.max`
    /// replace its ends, if the result is not empty or reversed.
    ///
    /// The setting `scale` chooses sequential or diverging. Without it, the scale is diverging if
    /// the setting `midpoint` (0 unless set) is between its ends.
    pub fn new(chart: &Chart, style: &ChartStyle, (low, high): (f64, f64)) -> ColorScale {
        let from = chart.axis_limit("min").unwrap_or(low);
        let to = chart.axis_limit("max").unwrap_or(high);
        let ends = if from < to { (from, to) } else { (low, high) };
        let midpoint = chart.number_setting("midpoint").unwrap_or(0.0);
        let is_inside = ends.0 < midpoint && midpoint < ends.1;
        let is_diverging = match chart.str_setting("scale") {
            "sequential" => false,
            "diverging" => true,
            _ => is_inside,
        };
        let background = style.background;
        let pale = |color: Color| {
            background.mix(if is_diverging { style.muted_color } else { color }, 0.11)
        };
        let (upper, lower) = (chart.series_color(0), chart.theme.highlight_color);
        ColorScale {
            ends,
            range: (low, high),
            midpoint: is_diverging.then_some(midpoint),
            upper: ColorRamp::new(pale(upper), upper, background),
            lower: ColorRamp::new(pale(lower), lower, background),
        }
    }

    /// Returns the formatted low and high end for a legend. An end beyond which there are values
    /// starts with "≤" or "≥".
    pub fn end_texts(&self, format: &NumberFormat) -> (String, String) {
        mark_exceeded_ends(self.ends, self.range, format)
    }

    /// Returns the color of a value.
    ///
    /// On a sequential scale, values beyond the ends have the color of the nearest end. On a
    /// diverging scale, the strength of the color depends on the distance from the midpoint alone,
    /// so that only the end farthest from it has the strongest color.
    pub fn color_of(&self, value: f64) -> Color {
        let (low, high) = self.ends;
        let Some(midpoint) = self.midpoint else {
            let span = high - low;
            return self.upper.color_at(if span > 0.0 { (value - low) / span } else { 0.6 });
        };
        let reach = (high - midpoint).max(midpoint - low);
        let share = if reach > 0.0 { (value - midpoint).abs() / reach } else { 0.0 };
        if value < midpoint { self.lower.color_at(share) } else { self.upper.color_at(share) }
    }
}

/// Returns the texts of both ends of a color scale. An end beyond which the data, from `low` to
/// `high`, have values starts with "≤" or "≥".
pub fn mark_exceeded_ends(
    ends: (f64, f64),
    (low, high): (f64, f64),
    format: &NumberFormat,
) -> (String, String) {
    let (from, to) = (format.text(ends.0), format.text(ends.1));
    let from = if low < ends.0 { format!("≤ {from}") } else { from };
    let to = if high > ends.1 { format!("≥ {to}") } else { to };
    (from, to)
}

impl ColorRamp {
    /// Creates a gradient from `pale` through `palette` to a strong color: the palette color,
    /// changed until its contrast to `background` is 7.5:1. The position of the palette color
    /// follows from its lightness.
    fn new(pale: Color, palette: Color, background: Color) -> ColorRamp {
        // The strong end is the palette color, changed until its contrast to the background is
        // 7.5:1.
        let strong = palette.readable_on(background, 7.5);
        let lightness = |color: Color| color.luminance().cbrt();
        let span = lightness(strong) - lightness(pale);
        let share = if span == 0.0 { 0.5 } else { (lightness(palette) - lightness(pale)) / span };
        ColorRamp { pale, palette, strong, palette_position: share.clamp(0.1, 1.0) }
    }

    /// Returns the color at a position from 0 (pale) to 1 (strong). Other positions have the color
    /// of the nearest end.
    fn color_at(&self, position: f64) -> Color {
        let position = position.clamp(0.0, 1.0);
        if position < self.palette_position {
            self.pale.mix(self.palette, position / self.palette_position)
        } else if self.palette_position < 1.0 {
            let share = (position - self.palette_position) / (1.0 - self.palette_position);
            self.palette.mix(self.strong, share)
        } else {
            self.palette
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::color::WHITE;

    #[test]
    fn ends_with_values_beyond_them_say_so() {
        let chart = Chart::new(crate::find_kind("heat-map").unwrap(), &[]);
        let rules = chart.format_rules("value");
        let format = NumberFormat::for_values([2.0, 40.0].into_iter(), &rules, chart.locale());
        let texts = |range| mark_exceeded_ends((2.0, 40.0), range, &format);
        assert_eq!(texts((2.0, 40.0)), ("2".to_owned(), "40".to_owned()));
        assert_eq!(texts((1.0, 77.0)), ("≤ 2".to_owned(), "≥ 40".to_owned()));
    }

    #[test]
    fn ramp_darkens_evenly_on_white() {
        let blue = Color::hex(0x3f90da);
        let ramp = ColorRamp::new(WHITE.mix(blue, 0.1), blue, WHITE);
        let lightness: Vec<f64> =
            (0..=10).map(|step| ramp.color_at(f64::from(step) / 10.0).luminance().cbrt()).collect();
        let steps: Vec<f64> = lightness.windows(2).map(|pair| pair[0] - pair[1]).collect();
        let (min_step, max_step) =
            steps.iter().fold((1.0f64, 0.0f64), |(a, b), step| (a.min(*step), b.max(*step)));
        assert!(min_step > 0.0 && max_step < min_step * 1.8, "{steps:?}");
    }
}
