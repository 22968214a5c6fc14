//! Bubbles on pale tiles, with areas proportional to the values, and a legend of their sizes.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::world_map::countries::{COUNTRIES, ROWS};
use crate::kinds::world_map::{CountryRecord, TileGrid};
use crate::scale::round_down;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// Maximum radius of a bubble as a share of the smaller distance between tiles.
const MAX_RADIUS_SHARE: f64 = 1.6;
/// Minimum radius of a bubble in points.
const MIN_RADIUS: f64 = 0.8;
/// Minimum radius of a bubble in the legend in points.
const MIN_LEGEND_RADIUS: f64 = 1.5;
/// Number of columns at the lower left of the map that contain no tiles in the last
/// [`FREE_ROWS`] rows.
const FREE_COLUMNS: u8 = 14;
/// Number of rows at the lower left of the map that contain no tiles in the first
/// [`FREE_COLUMNS`] columns.
const FREE_ROWS: u8 = 3;

/// Position of a bubble before the size of the bubbles is known.
#[derive(Clone, Copy)]
struct BubblePosition {
    /// Center of the tile of its country.
    center: Point,
    /// Radius relative to that of the largest bubble, 0 to 1.
    radius_share: f64,
}

/// A country with its bubble.
struct Bubble<'a> {
    /// Index in [`COUNTRIES`].
    country_index: usize,
    record: &'a CountryRecord,
    center: Point,
    /// Radius in points.
    radius: f64,
    fill: Color,
}

/// Draws tiles, bubbles with areas in proportion to the magnitudes, codes and the legend. `records` has
/// one entry per country of `COUNTRIES`, None for countries without a bubble. Small bubbles are over large
/// ones.
pub fn draw(
    chart: &Chart,
    records: &[Option<CountryRecord>],
    grid: &TileGrid,
    frame: &Frame,
    scene: &mut Scene,
) {
    let style = &frame.style;
    let tile_color = |has_record: bool| {
        style.grid_color.mix(style.background, if has_record { 0.45 } else { 0.75 })
    };
    for (country, record) in COUNTRIES.iter().zip(records) {
        scene.rect(grid.tile_rect(country.tile), tile_color(record.is_some()));
    }
    let known = || {
        let indexed = records.iter().enumerate();
        indexed.filter_map(|(index, record)| Some((index, record.as_ref()?)))
    };
    let max_magnitude = known().map(|(_, record)| record.value.abs()).fold(0.0, f64::max);
    let radius_share = |value: f64| {
        if max_magnitude > 0.0 { (value.abs() / max_magnitude).sqrt() } else { 0.0 }
    };
    let position = |(index, record): (usize, &CountryRecord)| {
        let tile = COUNTRIES.get(index).map(|country| grid.tile_rect(country.tile));
        let center = tile.map_or(Point::ORIGIN, |tile| tile.center());
        BubblePosition { center, radius_share: radius_share(record.value) }
    };
    let positions: Vec<BubblePosition> = known().map(position).collect();
    let max_radius = fit_max_radius(&positions, grid, frame.area);
    let mut bubbles: Vec<Bubble> = known()
        .zip(&positions)
        .map(|((country_index, record), position)| Bubble {
            country_index,
            record,
            center: position.center,
            radius: (position.radius_share * max_radius).max(MIN_RADIUS),
            fill: choose_bubble_color(chart, style, record.value < 0.0, record.highlighted),
        })
        .collect();
    bubbles.sort_by(|a, b| b.radius.total_cmp(&a.radius));
    for Bubble { record, center, radius, fill, .. } in &bubbles {
        scene.begin_mark("country", Some(record.row), || {
            (Some("value".to_owned()), format!("{}: {}", record.name, record.value_text))
        });
        scene.circle(*center, *radius, *fill, None);
    }
    scene.end_mark();
    draw_codes(chart, &bubbles, tile_color(false), grid, style, scene);
    if chart.bool_setting("showLegend", true) {
        let values: Vec<f64> = known().map(|(_, record)| record.value).collect();
        draw_legend(chart, &values, &|value| radius_share(value) * max_radius, grid, frame, scene);
    }
}

/// Returns the radius in points of the largest bubble: as large as possible so that no bubbles overlap or
/// leave `area`, up to `MAX_RADIUS_SHARE`, but at least so large that the bubble fills its tile.
fn fit_max_radius(positions: &[BubblePosition], grid: &TileGrid, area: Rect) -> f64 {
    let min_radius = (grid.step.x.min(grid.step.y) - grid.gap) / 2.0;
    let mut max_radius = grid.step.x.min(grid.step.y) * MAX_RADIUS_SHARE;
    for (index, BubblePosition { center, radius_share }) in positions.iter().enumerate() {
        if *radius_share <= 0.0 {
            continue;
        }
        let edge_distances =
            [center.x - area.x0, area.x1 - center.x, center.y - area.y0, area.y1 - center.y];
        for distance in edge_distances {
            max_radius = max_radius.min(distance / radius_share);
        }
        for other in &positions[..index] {
            let distance = (other.center - *center).hypot();
            max_radius = max_radius.min(distance / (radius_share + other.radius_share));
        }
    }
    max_radius.max(min_radius)
}

/// Returns the color of a bubble: the highlight color, or one series color for negative values and another
/// one for all others, mixed with the background until the text color of the style is readable on it.
fn choose_bubble_color(
    chart: &Chart,
    style: &ChartStyle,
    is_negative: bool,
    highlighted: bool,
) -> Color {
    let base_color = match (highlighted, is_negative) {
        (true, _) => chart.theme.highlight_color,
        (false, true) => chart.series_color(2),
        (false, false) => chart.series_color(0),
    };
    let mixed =
        |step: u32| base_color.over(style.background).mix(style.background, f64::from(step) / 10.0);
    (3..10)
        .map(mixed)
        .find(|color| style.text_color.contrast(*color) >= 4.5)
        .unwrap_or(style.background)
}

/// Draws the codes on tiles and bubbles, with the value if values are shown and it fits into the
/// bubble. Leaves out a code that overlaps the bubble of another country. Draws nothing if codes do
/// not fit on the tiles.
///
/// `empty_tile_color` is the color of tiles without a record.
fn draw_codes(
    chart: &Chart,
    bubbles: &[Bubble],
    empty_tile_color: Color,
    grid: &TileGrid,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(size) = grid.code_size else { return };
    for (index, country) in COUNTRIES.iter().enumerate() {
        let center = grid.tile_rect(country.tile).center();
        let own_bubble = bubbles.iter().find(|bubble| bubble.country_index == index);
        let color = if own_bubble.is_some() {
            style.text_color
        } else {
            style.muted_color.readable_on(empty_tile_color, 4.5)
        };
        let value_text = own_bubble.map_or("", |bubble| bubble.record.value_text.as_str());
        let max_width = own_bubble.map_or(0.0, |bubble| bubble.radius * 1.7);
        let with_value = chart.bool_setting("showValues", true)
            && max_width > style.text_width(value_text, size)
            && max_width > size * 2.4;
        let lift = if with_value { size * 0.6 } else { 0.0 };
        let face = if with_value { Face::BOLD } else { style.label_face() };
        let y = center.y - lift + HALF_CAP_HEIGHT_EM * size;
        let code = style.label_text(center.x, y, Anchor::Middle, size, country.code);
        let code = Text { face, width: text::width(country.code, size, face), color, ..code };
        let bounds = code.bounds();
        let is_covered_by = |bubble: &Bubble| {
            let Point { x, y } = bubble.center;
            let nearest = Point::new(x.clamp(bounds.x0, bounds.x1), y.clamp(bounds.y0, bounds.y1));
            (nearest - bubble.center).hypot() < bubble.radius
        };
        if bubbles.iter().any(|bubble| bubble.country_index != index && is_covered_by(bubble)) {
            continue;
        }
        scene.text(code);
        if with_value {
            let y = center.y + size * 0.6 + HALF_CAP_HEIGHT_EM * size;
            let label_text = style.label_text(center.x, y, Anchor::Middle, size, value_text);
            scene.text(Text { color, ..label_text });
        }
    }
}

/// Draws bubbles of up to three positive round values, the largest first, and one negative round value,
/// with the values at their right, in the free corner at the lower left. Leaves out bubbles that are very
/// small or that do not fit there.
///
/// `values` are those of all countries. `radius` returns the radius of a value in points.
fn draw_legend(
    chart: &Chart,
    values: &[f64],
    radius: &dyn Fn(f64) -> f64,
    grid: &TileGrid,
    frame: &Frame,
    scene: &mut Scene,
) {
    let style = &frame.style;
    let max_width = f64::from(FREE_COLUMNS) * grid.step.x - grid.gap;
    let max_height = f64::from(FREE_ROWS) * grid.step.y - grid.gap;
    let bottom = grid.tile_rect((0, ROWS as u8 - 1)).y1;
    let left = grid.tile_rect((0, 0)).x0;
    let size = style.small_size;
    if size * 1.2 > max_height {
        return;
    }
    let high = values.iter().copied().fold(0.0, f64::max);
    let low = values.iter().copied().fold(0.0, f64::min);
    let mut shown = Vec::new();
    let mut value = round_down(high);
    while shown.len() < 3 && value > 0.0 && radius(value) >= MIN_LEGEND_RADIUS {
        shown.push(value);
        value = round_down(value / 4.0);
    }
    let negative = -round_down(-low);
    if negative < 0.0 && radius(negative) >= MIN_LEGEND_RADIUS {
        shown.push(negative);
    }
    shown.retain(|value| radius(*value) * 2.0 <= max_height);
    let format = NumberFormat::for_values(
        shown.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let largest_radius = shown.iter().map(|value| radius(*value)).fold(size * 0.6, f64::max);
    let center_y = bottom - largest_radius;
    let mut x = left;
    for value in shown {
        let value_text = format.text(value);
        let radius = radius(value);
        let label_x = x + radius * 2.0 + size * 0.4;
        let end = label_x + style.text_width(&value_text, size);
        if end > left + max_width {
            break;
        }
        let outline = Stroke::new(style.muted_color, 0.75 * style.unit);
        let fill = choose_bubble_color(chart, style, value < 0.0, false);
        scene.circle((x + radius, center_y), radius, fill, Some(outline));
        let baseline = center_y + HALF_CAP_HEIGHT_EM * size;
        scene.text(style.label_text(label_x, baseline, Anchor::Start, size, &value_text));
        x = end + size * 1.2;
    }
}

#[cfg(test)]
mod tests {
    use kurbo::Vec2;

    use super::*;

    #[test]
    fn no_tile_is_in_the_corner_of_the_legend() {
        let first_row = ROWS as u8 - FREE_ROWS;
        let is_free = |(column, row): (u8, u8)| column < FREE_COLUMNS && row >= first_row;
        assert!(!COUNTRIES.iter().any(|country| is_free(country.tile)));
    }

    #[test]
    fn circles_grow_until_they_would_touch() {
        let grid = TileGrid {
            origin: Point::ORIGIN,
            step: Vec2::new(10.0, 10.0),
            gap: 1.0,
            code_size: None,
            with_values: false,
        };
        let area = Rect::new(0.0, 0.0, 330.0, 160.0);
        let at = |x: f64| BubblePosition { center: Point::new(x, 80.0), radius_share: 1.0 };
        assert_eq!(fit_max_radius(&[at(100.0)], &grid, area), 16.0);
        assert_eq!(fit_max_radius(&[at(100.0), at(120.0)], &grid, area), 10.0);
        let adjacent = [at(100.0), at(102.0)];
        assert_eq!(fit_max_radius(&adjacent, &grid, area), 4.5, "they fill their tiles");
    }
}
