//! Radii of bubbles, and the legend of their sizes.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::point_map::size_legend;
use crate::kinds::point_map::size_legend::Sizes;
use crate::kinds::scatter::points::{Dots, MAX_INDIVIDUAL_SHAPES};
use crate::text;

/// Minimum radius in points of the largest bubble of a chart with a legend of sizes.
const MIN_RADIUS: f64 = 6.0;
/// Distance between the legend of sizes and the plot, in [`ChartStyle::unit`]s.
const LEGEND_GAP: f64 = 8.0;

/// Returns the radius in points of the largest bubble, or of all points if they have no sizes. Bubbles
/// depend on the smaller side of `area`. The more points there are, the smaller the radius.
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

/// Returns the height in points at the top of `area` that the legend of sizes needs, with its distance to
/// the plot. 0 without a legend: if the setting `showLegend` is false, all positive sizes are equal, the
/// bubbles are small, or the area is low.
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
    (2.0 * largest).max(style.label_size * 1.2) + style.unit * LEGEND_GAP
}

/// Draws the legend of the groups if there are several, and reserves space for the legend of sizes,
/// right of it if both fit into a row, otherwise below it. Does not draw the legend of sizes.
///
/// Returns the place of the legend of sizes, or None without one, and the area below both. The setting
/// `showLegend` hides both.
pub fn draw_group_legend(
    chart: &Chart,
    dots: &Dots,
    colors: &[Color],
    frame: &Frame,
    scene: &mut Scene,
) -> (Option<LegendPlace>, Rect) {
    let (style, area) = (&frame.style, frame.area);
    let has_legend = dots.groups.len() > 1 && chart.bool_setting("showLegend", true);
    let names = || dots.groups.iter().map(String::as_str);
    let entries = || names().zip(colors.iter().copied());
    let row = reserve_common_row(chart, dots, names(), area, style);
    if let Some(row) = row.filter(|_| has_legend) {
        let top = row.middle - style.label_size * 0.5;
        legend::draw(scene, style, Rect { y0: top, ..area }, entries());
        let place = LegendPlace::Middle(Rect { x0: row.x0, ..area }, row.middle);
        return (Some(place), Rect { y0: area.y0 + row.height, ..area });
    }
    let area = if has_legend { legend::draw(scene, style, area, entries()) } else { area };
    let height = reserve_legend(chart, dots, area, style);
    let place = (height > 0.0).then_some(LegendPlace::Top(area));
    (place, Rect { y0: area.y0 + height, ..area })
}

/// Reserves a row at the top of `area` for the legend of the groups with these names and, right of
/// it, the legend of sizes. None if one of them is not needed or if both do not fit.
fn reserve_common_row<'a>(
    chart: &Chart,
    dots: &Dots,
    names: impl Iterator<Item = &'a str>,
    area: Rect,
    style: &ChartStyle,
) -> Option<CommonRow> {
    let height = reserve_legend(chart, dots, area, style);
    let size = style.label_size;
    let x0 = area.x0 + legend::measure(style, names) + size;
    let rules = chart.format_rules("size");
    let format = NumberFormat::for_values([dots.max_size].into_iter(), &rules, chart.locale());
    let circle = 2.0 * size_legend::max_radius(style) + size * 1.75;
    let widest = circle + style.text_width(&format.text(dots.max_size), size);
    let title = text::sanitize(chart.str_setting("sizeTitle"));
    let width = style.text_width(&title, size) + size + 3.0 * widest;
    let middle = area.y0 + (height - style.unit * LEGEND_GAP) / 2.0;
    (height > 0.0 && x0 + width <= area.x1).then_some(CommonRow { x0, middle, height })
}

/// A row with the legends of groups and of sizes.
struct CommonRow {
    /// Left edge of the legend of sizes in points.
    x0: f64,
    /// Middle of both legends in points.
    middle: f64,
    /// Height in points, including the distance to the plot.
    height: f64,
}

/// Place of the legend of sizes.
pub enum LegendPlace {
    /// At the top of an area.
    Top(Rect),
    /// In an area, around the y coordinate of the middle.
    Middle(Rect, f64),
}

/// Draws the legend of sizes at its place. `plot` is the area of the points, which determines the radii.
/// `colors` are those of the groups.
pub fn draw_legend(
    chart: &Chart,
    dots: &Dots,
    colors: &[Color],
    (place, plot): (LegendPlace, Rect),
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let max_radius = choose_max_radius(dots, plot, style);
    let radius = |size: f64| max_radius * (size / dots.max_size).clamp(0.0, 1.0).sqrt();
    let values: Vec<f64> = dots.all.iter().map(|dot| dot.size).collect();
    let title = text::sanitize(chart.str_setting("sizeTitle"));
    let sizes = Sizes { values: &values, radius: &radius, column: "size", title: &title };
    let area = match place {
        LegendPlace::Top(area) => area,
        LegendPlace::Middle(area, middle) => {
            Rect { y0: middle - size_legend::row_height(&sizes, style) / 2.0, ..area }
        }
    };
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

    #[test]
    fn the_legends_of_groups_and_sizes_share_a_row() {
        let record = |(index, group): (usize, &str)| json!({"label": "", "x": index, "y": index * 3 % 4, "size": 1 + index * 9, "group": group});
        let groups = ["Littoral", "Montagne", "Plaine", "Littoral"];
        let data: Vec<Value> = groups.into_iter().enumerate().map(record).collect();
        let settings = json!({"sizeTitle": "Habitants, milliers"});
        let middle = |title: &str, width: f64| {
            let kind = crate::find_kind("scatter").unwrap();
            let chart =
                Chart { settings: &settings, width, height: 405.0, ..Chart::new(kind, &data) };
            let scene = crate::draw(&chart);
            let mut texts = scene.text_boxes().filter(|(text, _)| *text == title);
            texts.next().map(|(_, bounds)| bounds.center().y).unwrap()
        };
        let distance = |width| middle("Habitants, milliers", width) - middle("Plaine", width);
        assert!(distance(720.0).abs() < 0.1 && distance(320.0) > 10.0);
    }
}
