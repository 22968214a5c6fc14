//! Classes of values, each with a color, and continuous color scales.

mod limits;

use crate::Chart;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame::ChartStyle;

pub use limits::Method;

/// Approximate number of classes. Many more could not be distinguished.
const TARGET_CLASS_COUNT: usize = 5;

/// Limits, colors and names of the classes.
pub struct ValueClasses {
    /// Limits between classes in ascending order, one fewer than classes. Empty with bubbles.
    limits: Vec<f64>,
    /// Colors from the lowest class to the highest.
    pub colors: Vec<Color>,
    /// Names such as `20–40`, from the lowest class to the highest.
    pub names: Vec<String>,
    /// Ends of the lowest and of the highest class.
    pub ends: (f64, f64),
    /// Colors of a continuous scale from low to high. None with classes.
    stops: Option<Vec<Color>>,
    /// Whether values on both sides of zero have two hues that meet at zero.
    is_diverging: bool,
}

impl ValueClasses {
    /// Creates about five classes with round limits for these values. Values on both sides of zero
    /// have two hues that meet at zero. Otherwise the classes have one hue from pale to strong. The
    /// setting `scale` overrides these colors. Equal values have a single class.
    ///
    /// There must be at least one value. With bubbles there are no limits, because the colors do
    /// not show the values.
    pub fn new(
        chart: &Chart,
        style: &ChartStyle,
        values: impl Iterator<Item = f64> + Clone,
        with_bubbles: bool,
    ) -> ValueClasses {
        let low = values.clone().fold(f64::MAX, f64::min);
        let high = values.fold(f64::MIN, f64::max);
        // The limits are round numbers. If zero is inside the range, it is one of them.
        let (_, ticks) = chart.format_rules("value").round_ticks(low, high, TARGET_CLASS_COUNT);
        let mut classes =
            ValueClasses::from_edges(chart, style, &ticks.values, ticks.step, (low, high));
        if low == high {
            classes.name_single_value(chart, low);
        }
        if with_bubbles { ValueClasses { limits: Vec::new(), ..classes } } else { classes }
    }

    /// Creates classes with limits by a method: about `count` classes of equal width, at most two
    /// more, or at most `count` others. The limits are as round as the distances between the values
    /// allow, so that the printed limits are exact. Without positive values, the lowest class has
    /// the strongest color, unless the setting `scale` sets the colors.
    ///
    /// There must be at least one value.
    pub fn by_method(
        chart: &Chart,
        style: &ChartStyle,
        values: &[f64],
        (method, count): (Method, usize),
    ) -> ValueClasses {
        let low = values.iter().copied().fold(f64::MAX, f64::min);
        let high = values.iter().copied().fold(f64::MIN, f64::max);
        let (edges, step) = limits::find_edges(values, method, count);
        let mut classes = ValueClasses::from_edges(chart, style, &edges, step, (low, high));
        if method == Method::Continuous {
            classes.stops = Some(choose_color_stops(chart, style, classes.is_diverging));
            classes.ends = (low, high);
        }
        if low == high {
            classes.name_single_value(chart, low);
        }
        if high <= 0.0 && low < 0.0 && !has_custom_colors(chart) {
            // The strongest color belongs to the value farthest from zero.
            classes.colors.reverse();
            classes.stops.iter_mut().for_each(|stops| stops.reverse());
        }
        classes
    }

    /// Reduces the classes to the first one, with the formatted `value` as its name.
    fn name_single_value(&mut self, chart: &Chart, value: f64) {
        let rules = chart.format_rules("value");
        let format = NumberFormat::for_values([value].into_iter(), &rules, chart.locale());
        self.limits.clear();
        self.names = vec![format.text(value)];
        self.colors.truncate(1);
    }

    /// Creates a class between each two neighboring edges, which ascend, with its name and color.
    /// `step` is the difference that the printed edges must show, and the last pair has the lowest
    /// and the highest value.
    fn from_edges(
        chart: &Chart,
        style: &ChartStyle,
        edges: &[f64],
        step: f64,
        (low, high): (f64, f64),
    ) -> ValueClasses {
        let count = edges.len().saturating_sub(1).max(1);
        let limits = edges.iter().copied().map(limits::to_shortest_decimal);
        let limits: Vec<f64> = limits.take(count).skip(1).collect();
        let rules = chart.format_rules("value");
        let magnitude = edges.iter().map(|edge| edge.abs()).fold(0.0, f64::max);
        let format = NumberFormat::for_axis(magnitude, step, &rules, chart.locale());
        let to_word = style.locale.translate(Term::To);
        let name = |pair: &[f64]| match pair {
            [from, to] if low < 0.0 => {
                format!("{} {to_word} {}", format.text(*from), format.text(*to))
            }
            [from, to] => format_range(&format.text(*from), &format.text(*to)),
            _ => String::new(),
        };
        let has_both_signs = low < 0.0 && high > 0.0;
        let stops = choose_color_stops(chart, style, has_both_signs);
        let is_diverging = has_both_signs && !has_custom_colors(chart);
        // Zero is an edge of a diverging scale. The sides have the same steps of color.
        let count_below = limits.partition_point(|limit| *limit < 0.0) + 1;
        let longer_side = count_below.max(count.saturating_sub(count_below)).max(1) as f64;
        let color = |index: usize| {
            let position = if is_diverging {
                0.5 + (index as f64 + 0.5 - count_below as f64) / longer_side / 2.0
            } else if count < 2 {
                1.0
            } else {
                index as f64 / (count - 1) as f64
            };
            interpolate_color(&stops, position)
        };
        let edge_pairs = || edges.windows(2);
        ValueClasses {
            limits,
            colors: (0..edge_pairs().count()).map(color).collect(),
            names: edge_pairs().map(name).collect(),
            ends: (edges.first().copied().unwrap_or(low), edges.last().copied().unwrap_or(high)),
            stops: None,
            is_diverging,
        }
    }

    /// Returns whether colors change continuously with the values.
    pub fn is_continuous(&self) -> bool {
        self.stops.is_some()
    }

    /// Returns the color of a value on a continuous scale, limited to its ends. The middle of a
    /// diverging scale is at zero, with the same steps on both sides.
    fn continuous_color(&self, stops: &[Color], value: f64) -> Color {
        let (low, high) = self.ends;
        let position = if self.is_diverging {
            0.5 + value / low.abs().max(high.abs()).max(f64::MIN_POSITIVE) / 2.0
        } else if high > low {
            (value - low) / (high - low)
        } else {
            1.0
        };
        interpolate_color(stops, position)
    }

    /// Returns the color of a value's class, or of the value on a continuous scale. A value on a
    /// limit belongs to the class above. Values beyond the ends belong to the outermost classes.
    /// With bubbles, all values have the first color.
    pub fn color_of(&self, value: f64) -> Color {
        if let Some(stops) = &self.stops {
            return self.continuous_color(stops, value);
        }
        let value = limits::to_shortest_decimal(value);
        let class = self.limits.partition_point(|limit| *limit <= value);
        self.colors.get(class).or(self.colors.last()).copied().unwrap_or(Color::hex(0x80_80_80))
    }
}

/// Joins two formatted numbers to a range. A unit of letters or a percent sign right after the
/// digits is written only once, such as in `20–40%`.
fn format_range(from: &str, to: &str) -> String {
    let unit = to.trim_start_matches(|c: char| !c.is_alphabetic() && !matches!(c, '%' | '٪'));
    let number = from.strip_suffix(unit).filter(|rest| rest.ends_with(char::is_numeric));
    format!("{}–{to}", number.unwrap_or(from))
}

/// Reads the colors of the setting `scale`, at most 12, which replace those of the theme. Ignores
/// entries that are no colors.
fn read_custom_colors(chart: &Chart) -> impl Iterator<Item = Color> {
    let entries = chart.setting("scale").as_array().into_iter().flatten().take(12);
    entries.filter_map(|entry| Color::parse(entry.as_str()?))
}

/// Returns whether the setting `scale` contains a color.
fn has_custom_colors(chart: &Chart) -> bool {
    read_custom_colors(chart).next().is_some()
}

/// Returns the colors of the scale, from low to high: those of the setting `scale`, at most 12, or
/// the default ones. These have two hues if `has_both_signs`, otherwise one.
fn choose_color_stops(chart: &Chart, style: &ChartStyle, has_both_signs: bool) -> Vec<Color> {
    let custom: Vec<Color> =
        read_custom_colors(chart).map(|color| color.over(style.background)).collect();
    if !custom.is_empty() {
        return custom;
    }
    let background = style.background;
    let strong = |hue: Color| hue.mix(style.text_color, 0.45);
    let hue = |index: usize| chart.series_color(index).over(background);
    if has_both_signs {
        let middle = hue(0).mix(background, 0.88);
        vec![strong(hue(2)), hue(2).mix(background, 0.35), middle, hue(0), strong(hue(0))]
    } else {
        vec![hue(0).mix(background, 0.66), hue(0), strong(hue(0))]
    }
}

/// Returns the color at a position of the scale, from 0 (first stop) to 1 (last stop). Positions
/// beyond the ends have the color of the nearest end.
fn interpolate_color(stops: &[Color], position: f64) -> Color {
    let last = stops.len().saturating_sub(1);
    let scaled = position.clamp(0.0, 1.0) * last as f64;
    let index = (scaled.floor() as usize).min(last);
    let lower = stops.get(index).copied().unwrap_or(Color::hex(0x80_80_80));
    let upper = stops.get(index + 1).copied().unwrap_or(lower);
    lower.mix(upper, scaled - index as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_names_its_unit_once() {
        assert_eq!(format_range("0%", "20%"), "0–20%");
        assert_eq!(format_range("10k", "20k"), "10–20k");
        assert_eq!(format_range("0", "20k"), "0–20k");
        assert_eq!(format_range("€20", "€40"), "€20–€40");
        assert_eq!(format_range("20", "40"), "20–40");
    }

    #[test]
    fn a_scale_begins_and_ends_with_its_outer_stops() {
        let stops = [Color::hex(0xffffff), Color::hex(0x3f90da), Color::hex(0)];
        assert_eq!(interpolate_color(&stops, -1.0), stops[0]);
        assert_eq!(interpolate_color(&stops, 0.5), stops[1]);
        assert_eq!(interpolate_color(&stops, 1.0), stops[2]);
        assert_eq!(interpolate_color(&stops[..1], 0.7), stops[0]);
    }

    #[test]
    fn each_of_more_classes_than_requested_has_a_color_and_a_name() {
        let chart = Chart::new(crate::find_kind("choropleth").unwrap(), &[]);
        let style = ChartStyle::new(&chart);
        let mut max_excess = 0;
        for (low, high) in (-40..40).flat_map(|low| (1..90).map(move |span| (low, low + span))) {
            let values = [low, high].map(|value| f64::from(value) * 0.37);
            for count in 3..=7 {
                let method = (Method::Equal, count);
                let classes = ValueClasses::by_method(&chart, &style, &values, method);
                let ValueClasses { limits, colors, names, .. } = &classes;
                assert_eq!((colors.len(), names.len()), (limits.len() + 1, limits.len() + 1));
                let is_repeated = |(index, color)| colors[..index].contains(color);
                assert!(!colors.iter().enumerate().any(is_repeated), "{values:?} {colors:?}");
                max_excess = max_excess.max(colors.len().saturating_sub(count));
                for value in values {
                    assert!(colors.contains(&classes.color_of(value)));
                }
            }
        }
        assert_eq!(max_excess, 2);
    }

    #[test]
    fn a_scale_without_valid_colors_is_ignored() {
        let kind = crate::find_kind("choropleth").unwrap();
        for values in [[-10.0, 20.0, 100.0], [-100.0, -20.0, -10.0]] {
            let colors = |scale: serde_json::Value| {
                let settings = serde_json::json!({ "scale": scale });
                let chart = Chart { settings: &settings, ..Chart::new(kind, &[]) };
                let style = ChartStyle::new(&chart);
                ValueClasses::by_method(&chart, &style, &values, (Method::Equal, 5)).colors
            };
            assert_eq!(colors(serde_json::json!(["nope", 7])), colors(serde_json::json!([])));
            assert_ne!(colors(serde_json::json!(["red"])), colors(serde_json::json!([])));
        }
    }

    #[test]
    fn a_value_on_a_limit_has_the_color_of_the_class_above() {
        let chart = Chart::new(crate::find_kind("choropleth").unwrap(), &[]);
        let style = ChartStyle::new(&chart);
        let values: Vec<f64> = (1..=9).map(|tenth| format!("0.{tenth}").parse().unwrap()).collect();
        let classes = ValueClasses::by_method(&chart, &style, &values, (Method::Equal, 5));
        for (limit, color) in classes.limits.iter().zip(&classes.colors[1..]) {
            let printed: f64 = format!("{limit:.6}").parse().unwrap();
            assert_eq!(classes.color_of(printed), *color, "{limit}");
            assert_eq!(classes.color_of(printed - 1e-17), *color, "{limit} by calculation");
        }
        let classes = ValueClasses::new(&chart, &style, values.iter().copied(), false);
        assert_eq!(classes.color_of(0.6), classes.colors[3], "{:?}", classes.names);
    }
}
