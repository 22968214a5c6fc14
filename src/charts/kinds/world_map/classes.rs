//! Classes of values with round limits, each with a color.

use crate::Chart;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame::ChartStyle;
use crate::scale::nice_ticks;

/// Approximate number of classes. Many more could not be distinguished.
const WANTED: usize = 5;

/// Limits, colors and names of the classes.
pub struct Classes {
    /// Limits between classes in ascending order, one fewer than classes. Empty for bubbles.
    borders: Vec<f64>,
    /// Colors from the lowest class to the highest.
    pub colors: Vec<Color>,
    /// Names such as `20–40`, from the lowest class to the highest.
    pub names: Vec<String>,
}

impl Classes {
    /// Creates the classes for these values. Values on both sides of zero have two hues that meet
    /// at zero. Otherwise the classes have one hue from pale to strong. The setting `scale`
    /// overrides these colors.
    pub fn new(
        chart: &Chart,
        style: &ChartStyle,
        values: impl Iterator<Item = f64> + Clone,
        bubbles: bool,
    ) -> Classes {
        let low = values.clone().fold(f64::MAX, f64::min);
        let high = values.fold(f64::MIN, f64::max);
        // The limits are round numbers. If zero is inside the range, it is one of them.
        let (_, ticks) = nice_ticks(low, high, WANTED);
        let inner = ticks.values.len().saturating_sub(1).max(1);
        let borders: Vec<f64> = ticks.values.iter().copied().take(inner).skip(1).collect();
        let rules = chart.format_rules("value");
        let format =
            NumberFormat::for_axis(ticks.max_magnitude(), ticks.step, &rules, chart.locale());
        let to_word = style.locale.translate(Term::To);
        let name = |pair: &[f64]| match pair {
            [from, to] if low < 0.0 => {
                format!("{} {to_word} {}", format.text(*from), format.text(*to))
            }
            [from, to] => span(&format.text(*from), &format.text(*to)),
            _ => String::new(),
        };
        let stops = stops(chart, style, low < 0.0 && high > 0.0);
        let middle = |pair: &[f64]| f64::midpoint(pair[0], pair[1]);
        let reach = ticks.max_magnitude().max(f64::MIN_POSITIVE);
        let count = inner;
        let color = |(at, pair): (usize, &[f64])| {
            let even = if count < 2 { 1.0 } else { at as f64 / (count - 1) as f64 };
            let own = chart.setting("scale").as_array().is_some_and(|it| !it.is_empty());
            let both = low < 0.0 && high > 0.0 && !own;
            let share = if both { 0.5 + middle(pair) / reach / 2.0 } else { even };
            blend(&stops, share)
        };
        let pairs = || ticks.values.windows(2);
        Classes {
            borders: if bubbles { Vec::new() } else { borders },
            colors: pairs().enumerate().map(color).collect(),
            names: pairs().map(name).collect(),
        }
    }

    /// Returns the color of a value's class. A value on a limit belongs to the class above.
    pub fn color(&self, value: f64) -> Color {
        let class = self.borders.partition_point(|it| *it <= value);
        self.colors.get(class).or(self.colors.last()).copied().unwrap_or(Color::hex(0x80_80_80))
    }
}

/// Formats a range with its unit written only once, such as `20–40%`.
fn span(from: &str, to: &str) -> String {
    let unit = to.trim_start_matches(|it: char| !it.is_alphabetic() && it != '%');
    let plain = from.strip_suffix(unit).filter(|it| it.ends_with(|it: char| it.is_ascii_digit()));
    format!("{}–{to}", plain.unwrap_or(from))
}

/// Returns the colors of the scale, from low to high.
fn stops(chart: &Chart, style: &ChartStyle, both_signs: bool) -> Vec<Color> {
    let own = chart.setting("scale").as_array().into_iter().flatten().take(12);
    let own: Vec<Color> = own
        .filter_map(|it| Color::parse(it.as_str()?))
        .map(|it| it.over(style.background))
        .collect();
    if !own.is_empty() {
        return own;
    }
    let paper = style.background;
    let strong = |hue: Color| hue.mix(style.text_color, 0.45);
    let hue = |at: usize| chart.series_color(at).over(paper);
    if both_signs {
        let middle = hue(0).mix(paper, 0.88);
        vec![strong(hue(2)), hue(2).mix(paper, 0.35), middle, hue(0), strong(hue(0))]
    } else {
        vec![hue(0).mix(paper, 0.66), hue(0), strong(hue(0))]
    }
}

/// Returns the color at a share (0 to 1) of the scale.
fn blend(stops: &[Color], share: f64) -> Color {
    let last = stops.len().saturating_sub(1);
    let at = share.clamp(0.0, 1.0) * last as f64;
    let low = (at.floor() as usize).min(last);
    let one = stops.get(low).copied().unwrap_or(Color::hex(0x80_80_80));
    let two = stops.get(low + 1).copied().unwrap_or(one);
    one.mix(two, at - low as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_its_unit_once() {
        assert_eq!(span("0%", "20%"), "0–20%");
        assert_eq!(span("10k", "20k"), "10–20k");
        assert_eq!(span("0", "20k"), "0–20k");
        assert_eq!(span("€20", "€40"), "€20–€40");
        assert_eq!(span("20", "40"), "20–40");
    }

    #[test]
    fn a_blend_ends_where_its_stops_do() {
        let stops = [Color::hex(0xffffff), Color::hex(0x3f90da), Color::hex(0)];
        assert_eq!(blend(&stops, -1.0), stops[0]);
        assert_eq!(blend(&stops, 0.5), stops[1]);
        assert_eq!(blend(&stops, 1.0), stops[2]);
        assert_eq!(blend(&stops[..1], 0.7), stops[0]);
    }
}
