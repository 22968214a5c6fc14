//! Bubbles on pale tiles, with areas proportional to the values, and a legend of their sizes.

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::world_map::countries::COUNTRIES;
use crate::kinds::world_map::{Entry, Grid};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// Maximum radius of a bubble as a share of the distance between tiles.
const MAX_RADIUS: f64 = 1.6;
/// Number of columns and rows at the lower left of the map that contain no tiles.
const FREE: (u8, u8) = (14, 3);
/// Minimum radius of a bubble in points.
const SMALLEST: f64 = 0.8;

/// A country with its bubble.
struct Bubble<'a> {
    at: usize,
    entry: &'a Entry,
    middle: Point,
    radius: f64,
    fill: Color,
}

/// Draws tiles, bubbles, codes and the legend.
pub fn draw(
    chart: &Chart,
    entries: &[Option<Entry>],
    grid: &Grid,
    frame: &Frame,
    scene: &mut Scene,
) {
    let style = &frame.style;
    let tile =
        |known: bool| style.grid_color.mix(style.background, if known { 0.45 } else { 0.75 });
    for (country, entry) in COUNTRIES.iter().zip(entries) {
        scene.rect(grid.rect(country.place), tile(entry.is_some()));
    }
    let given = || entries.iter().enumerate().filter_map(|it| Some((it.0, it.1.as_ref()?)));
    let largest = given().map(|it| it.1.value.abs()).fold(0.0, f64::max);
    let share = |value: f64| if largest > 0.0 { (value.abs() / largest).sqrt() } else { 0.0 };
    let bubble = |(at, entry): (usize, &'_ Entry)| {
        let middle = COUNTRIES.get(at).map_or(Point::ORIGIN, |it| grid.rect(it.place).center());
        (at, middle, share(entry.value))
    };
    let places: Vec<(usize, Point, f64)> = given().map(bubble).collect();
    let reach = reach(&places, grid, frame.area);
    let mut bubbles: Vec<Bubble> = given()
        .zip(&places)
        .map(|((at, entry), (_, middle, share))| Bubble {
            at,
            entry,
            middle: *middle,
            radius: (share * reach).max(SMALLEST),
            fill: fill(chart, style, entry.value < 0.0, entry.highlighted),
        })
        .collect();
    bubbles.sort_by(|one, two| two.radius.total_cmp(&one.radius));
    for it in &bubbles {
        scene.begin_mark("country", Some(it.entry.row), || {
            (Some("value".to_owned()), format!("{}: {}", it.entry.name, it.entry.words))
        });
        scene.circle(it.middle, it.radius, it.fill, None);
    }
    scene.end_mark();
    codes(chart, &bubbles, tile(false), grid, style, scene);
    if chart.bool_setting("showLegend", true) {
        let values: Vec<f64> = given().map(|it| it.1.value).collect();
        legend(chart, &values, &|it| share(it) * reach, grid, frame, scene);
    }
}

/// Returns the radius of the greatest value: as large as possible without overlaps, but at least so
/// large that the bubble fills its tile.
fn reach(places: &[(usize, Point, f64)], grid: &Grid, area: Rect) -> f64 {
    let least = (grid.step.0.min(grid.step.1) - grid.gap) / 2.0;
    let mut reach = grid.step.0.min(grid.step.1) * MAX_RADIUS;
    for (index, (_, at, share)) in places.iter().enumerate() {
        if *share <= 0.0 {
            continue;
        }
        let edges = [at.x - area.x0, area.x1 - at.x, at.y - area.y0, area.y1 - at.y];
        reach = edges.into_iter().fold(reach, |reach, it| reach.min(it / share));
        for (_, other, also) in &places[..index] {
            reach = reach.min((*other - *at).hypot() / (share + also));
        }
    }
    reach.max(least)
}

/// Returns the color of a bubble, pale enough for the code to be readable on it and beside it.
fn fill(chart: &Chart, style: &ChartStyle, below_zero: bool, highlighted: bool) -> Color {
    let hue = match (highlighted, below_zero) {
        (true, _) => chart.theme.highlight_color,
        (false, true) => chart.series_color(2),
        (false, false) => chart.series_color(0),
    };
    let pale = |step: u32| hue.over(style.background).mix(style.background, f64::from(step) / 10.0);
    (3..10).map(pale).find(|it| style.text_color.contrast(*it) >= 4.5).unwrap_or(style.background)
}

/// Draws the codes on tiles and bubbles, with the value if it fits into the bubble. Leaves out a
/// code that overlaps the bubble of another country.
fn codes(
    chart: &Chart,
    bubbles: &[Bubble],
    unknown: Color,
    grid: &Grid,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(size) = grid.size else { return };
    for (at, country) in COUNTRIES.iter().enumerate() {
        let middle = grid.rect(country.place).center();
        let own = bubbles.iter().find(|it| it.at == at);
        let color = if own.is_some() {
            style.text_color
        } else {
            style.muted_color.readable_on(unknown, 4.5)
        };
        let words = own.map_or("", |it| it.entry.words.as_str());
        let room = own.map_or(0.0, |it| it.radius * 1.7);
        let valued = chart.bool_setting("showValues", true)
            && room > style.text_width(words, size)
            && room > size * 2.4;
        let lift = if valued { size * 0.6 } else { 0.0 };
        let face = if valued { Face::BOLD } else { style.label_face() };
        let y = middle.y - lift + HALF_CAP_HEIGHT_EM * size;
        let code = style.label_text(middle.x, y, Anchor::Middle, size, country.code);
        let code = Text { face, width: text::width(country.code, size, face), color, ..code };
        let bounds = code.bounds();
        let covered = bubbles.iter().filter(|it| it.at != at).any(|it| {
            let (x, y) = (it.middle.x, it.middle.y);
            let nearest = Point::new(x.clamp(bounds.x0, bounds.x1), y.clamp(bounds.y0, bounds.y1));
            (nearest - it.middle).hypot() < it.radius
        });
        if covered {
            continue;
        }
        scene.text(code);
        if valued {
            let y = middle.y + size * 0.6 + HALF_CAP_HEIGHT_EM * size;
            scene
                .text(Text { color, ..style.label_text(middle.x, y, Anchor::Middle, size, words) });
        }
    }
}

/// Draws bubbles of round values with their labels in the free corner at the lower left.
fn legend(
    chart: &Chart,
    values: &[f64],
    radius: &dyn Fn(f64) -> f64,
    grid: &Grid,
    frame: &Frame,
    scene: &mut Scene,
) {
    let style = &frame.style;
    let (width, height) =
        (f64::from(FREE.0) * grid.step.0 - grid.gap, f64::from(FREE.1) * grid.step.1 - grid.gap);
    let foot = grid.rect((0, super::countries::ROWS as u8 - 1)).y1;
    let left = grid.rect((0, 0)).x0;
    let size = style.small_size;
    if size * 1.2 > height {
        return;
    }
    let high = values.iter().copied().fold(0.0, f64::max);
    let low = values.iter().copied().fold(0.0, f64::min);
    let mut shown = Vec::new();
    let mut value = round_down(high);
    while shown.len() < 3 && value > 0.0 && radius(value) >= 1.5 {
        shown.push(value);
        value = round_down(value / 4.0);
    }
    shown.extend(Some(-round_down(-low)).filter(|it| *it < 0.0 && radius(*it) >= 1.5));
    shown.retain(|it| radius(*it) * 2.0 <= height);
    let format = NumberFormat::for_values(
        shown.iter().copied(),
        &chart.format_rules("value"),
        chart.locale(),
    );
    let tallest = shown.iter().map(|it| radius(*it)).fold(size * 0.6, f64::max);
    let middle = foot - tallest;
    let mut x = left;
    for value in shown {
        let words = format.text(value);
        let radius = radius(value);
        let end = x + radius * 2.0 + size * 0.4 + style.text_width(&words, size);
        if end > left + width {
            break;
        }
        let rim = Stroke::new(style.muted_color, 0.75 * style.unit);
        scene.circle(
            (x + radius, middle),
            radius,
            fill(chart, style, value < 0.0, false),
            Some(rim),
        );
        let at = (x + radius * 2.0 + size * 0.4, middle + HALF_CAP_HEIGHT_EM * size);
        scene.text(style.label_text(at.0, at.1, Anchor::Start, size, &words));
        x = end + size * 1.2;
    }
}

/// Returns the greatest number that is 1, 2 or 5 times a power of ten and not greater than a value.
/// 0 if there is none.
fn round_down(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [10.0, 5.0, 2.0, 1.0].map(|it| it * power);
    let found = steps.into_iter().find(|it| *it <= value * (1.0 + 1e-9));
    found.filter(|it| it.is_finite()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::world_map::countries::ROWS;

    #[test]
    fn no_tile_stands_where_the_legend_does() {
        let (columns, rows) = FREE;
        let first = ROWS as u8 - rows;
        assert!(!COUNTRIES.iter().any(|it| it.place.0 < columns && it.place.1 >= first));
    }

    #[test]
    fn the_legend_shows_round_values() {
        let cases = [(12_600.0, 10_000.0), (99.0, 50.0), (0.34, 0.2), (1.0, 1.0), (0.0, 0.0)];
        for (value, round) in cases {
            assert!((round_down(value) - round).abs() <= 1e-9 * round, "{value}");
        }
        assert_eq!(round_down(-3.0), 0.0);
    }

    #[test]
    fn circles_grow_until_they_would_touch() {
        let grid =
            Grid { origin: Point::ORIGIN, step: (10.0, 10.0), gap: 1.0, size: None, values: false };
        let area = Rect::new(0.0, 0.0, 330.0, 160.0);
        let alone = [(0, Point::new(100.0, 80.0), 1.0)];
        assert_eq!(reach(&alone, &grid, area), 16.0);
        let near = [alone[0], (1, Point::new(120.0, 80.0), 1.0)];
        assert_eq!(reach(&near, &grid, area), 10.0);
        let beside = [alone[0], (1, Point::new(102.0, 80.0), 1.0)];
        assert_eq!(reach(&beside, &grid, area), 4.5, "they fill their tiles");
    }
}
