//! Radii of bubbles, and the legend of their sizes.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::frame::ChartStyle;
use crate::kinds::point_map::size_legend;
use crate::kinds::point_map::size_legend::Sizes;
use crate::kinds::scatter::points::{Dots, MAX_INDIVIDUAL_SHAPES};
use crate::text;

/// Minimum radius in points of the largest bubble of a chart with a legend of sizes.
const MIN_RADIUS: f64 = 6.0;

/// Returns the radius in points of the largest bubble, or of all points if they have no sizes.
pub fn choose_max_radius(dots: &Dots, area: Rect, style: &ChartStyle) -> f64 {
    if dots.sized {
        // Beyond `MAX_INDIVIDUAL_SHAPES` bubbles the radius shrinks, so that the covered area does
        // not grow.
        let area_factor = MAX_INDIVIDUAL_SHAPES as f64 / dots.all.len().max(1) as f64;
        let shrink_factor = area_factor.sqrt().min(1.0);
        return (area.width().min(area.height()) * 0.07 * shrink_factor).clamp(3.0, 60.0);
    }
    let radius = match dots.all.len() {
        0..=60 => 4.5,
        61..=250 => 3.5,
        251..=1000 => 2.75,
        1001..=4000 => 2.25,
        _ => 1.75,
    };
    radius * style.unit.min(1.3)
}

/// Returns the height in points at the top of `area` that the legend of sizes needs. 0 without a legend:
/// if the setting `showLegend` is false, all sizes are equal, or the area is low.
pub fn reserve_legend(chart: &Chart, dots: &Dots, area: Rect, style: &ChartStyle) -> f64 {
    let sizes = || dots.all.iter().map(|dot| dot.size);
    let differ = sizes().any(|size| size > 0.0 && size < dots.max_size);
    let radius = choose_max_radius(dots, area, style);
    let is_shown = dots.sized && differ && radius >= MIN_RADIUS;
    if !is_shown
        || area.height() < style.label_size * 16.0
        || !chart.bool_setting("showLegend", true)
    {
        return 0.0;
    }
    let largest = radius.min(size_legend::max_radius(style));
    (2.0 * largest).max(style.label_size * 1.2) + style.unit * 8.0
}

/// Draws the legend of sizes at the top of `area`. `plot` is the area of the points.
pub fn draw_legend(
    chart: &Chart,
    dots: &Dots,
    colors: &[Color],
    (area, plot): (Rect, Rect),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let max_radius = choose_max_radius(dots, plot, style);
    let radius = |size: f64| max_radius * (size / dots.max_size).clamp(0.0, 1.0).sqrt();
    let values: Vec<f64> = dots.all.iter().map(|dot| dot.size).collect();
    let title = text::sanitize(chart.str_setting("sizeTitle"));
    let sizes = Sizes { values: &values, radius: &radius, column: "size", title: &title };
    size_legend::draw(chart, &sizes, colors, style, area, scene);
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn bubbles_have_a_legend_with_the_name_of_the_sizes() {
        let settings = json!({"sizeTitle": "Einwohner in Millionen"});
        let texts = |slug: &str, sizes: [f64; 3]| -> Vec<String> {
            let record = |(index, size): (usize, f64)| json!({"label": format!("Land {index}"), "x": index, "y": index * 3 % 4, "size": size});
            let data: Vec<Value> = sizes.into_iter().enumerate().map(record).collect();
            let kind = crate::find_kind(slug).unwrap();
            let scene = crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) });
            scene.text_boxes().map(|(text, _)| text.to_owned()).collect()
        };
        for slug in ["scatter", "quadrant"] {
            let has = |texts: &[String], wanted: &str| texts.iter().any(|text| text == wanted);
            let different = texts(slug, [10.0, 84.0, 1400.0]);
            assert!(has(&different, "Einwohner in Millionen"), "{slug}: {different:?}");
            let is_round = |text: &String| ["200", "500", "1,000"].contains(&&**text);
            assert!(different.iter().any(is_round), "{slug}: {different:?}");
            assert!(!has(&texts(slug, [7.0; 3]), "Einwohner in Millionen"), "{slug}");
        }
    }
}
