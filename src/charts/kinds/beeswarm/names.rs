//! Names of dots, placed without overlap: highlighted dots first, then the extremes of each group.

use std::collections::HashMap;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::ChartStyle;
use crate::kinds::scatter;
use crate::kinds::scatter::ground::Ground;
use crate::kinds::scatter::points;
use crate::scene::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Text};

use super::{Median, PlacedDot};

/// Maximum number of dots that are all named if there is space.
const MAX_DOTS_FOR_ALL_NAMES: usize = 300;
/// Maximum number of dots with lines to their names.
const MAX_DOTS_WITH_LINES: usize = 60;
/// Maximum number of dots for which a position is searched. Bounds the time.
const MAX_SEARCHED_NAMES: usize = 200;
/// Maximum number of medians that are labeled. Bounds the time.
const MAX_MEDIAN_LABELS: usize = 12;
/// Side in points of a cell of the grid that finds dots near a name.
const CELL: f64 = 24.0;

/// Dots by the cell that contains their center.
type DotGrid<'a> = HashMap<(i64, i64), Vec<&'a PlacedDot<'a>>>;

/// Names the dots in order of priority: highlighted, then the lowest and highest values of each
/// group from outside to inside. With more than `MAX_DOTS_FOR_ALL_NAMES` dots, only highlighted
/// dots and the two ends of each group. With few dots, lines can lead to names at a distance. Names
/// avoid the areas `taken`. The scene counts names without a free position. Draws and counts
/// nothing if the setting `showLabels` is false or `area` is narrow.
pub fn draw(
    chart: &Chart,
    placed: &[PlacedDot],
    taken: &[Rect],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    if !chart.bool_setting("showLabels", true) || area.width() < style.label_size * 8.0 {
        return;
    }
    if placed.len() <= MAX_DOTS_WITH_LINES {
        return draw_with_lines(chart, placed, taken, area, style, scene);
    }
    let names_all = placed.len() <= MAX_DOTS_FOR_ALL_NAMES;
    let ranked = rank(placed, names_all);
    let mut grid: DotGrid = HashMap::new();
    let cell = |coordinate: f64| (coordinate / CELL).floor() as i64;
    for dot in placed {
        grid.entry((cell(dot.center.x), cell(dot.center.y))).or_default().push(dot);
    }
    let reach = placed.iter().map(|dot| dot.radius).fold(0.0, f64::max) + 1.5;
    let mut taken: Vec<Rect> = taken.to_vec();
    let limits = Rect::new(area.x0, area.y0, area.x1, area.y1);
    let mut unnamed = ranked.len().saturating_sub(MAX_SEARCHED_NAMES);
    for dot in ranked.into_iter().take(MAX_SEARCHED_NAMES) {
        let is_free = |text: &Text| {
            let bounds = text.bounds();
            let near = bounds.inflate(reach, reach);
            let mut dots = (cell(near.x0)..=cell(near.x1))
                .flat_map(|x| (cell(near.y0)..=cell(near.y1)).map(move |y| (x, y)))
                .filter_map(|key| grid.get(&key))
                .flatten();
            limits.contains_rect(bounds)
                && !taken.iter().any(|other| other.inflate(2.0, 2.0).overlaps(bounds))
                && !dots.any(|other| is_covered(bounds, other))
        };
        let sizes = [style.label_size, style.small_size];
        let found = sizes.iter().find_map(|size| candidates(dot, *size, style).find(&is_free));
        match found {
            Some(text) => {
                taken.push(text.bounds());
                scene.text(text);
            }
            None => unnamed += 1,
        }
    }
    scene.omit(Omission::Name, unnamed);
}

/// Names the dots with the placement of scatter plots, which also places names at a distance and
/// joins them to their dots with lines. Used for few dots.
fn draw_with_lines(
    chart: &Chart,
    placed: &[PlacedDot],
    taken: &[Rect],
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let colors: Vec<Color> = placed.iter().map(|dot| dot.fill).collect();
    let point = |(index, dot): (usize, &PlacedDot)| points::Dot {
        row: dot.dot.row,
        x: 0.0,
        y: 0.0,
        size: dot.dot.size,
        group: index,
        highlighted: dot.dot.highlighted,
    };
    let points: Vec<points::Dot> = placed.iter().enumerate().map(point).collect();
    let dots = placed.iter().zip(&points).map(|(dot, point)| scatter::PlacedDot {
        dot: point,
        center: dot.center,
        radius: dot.radius,
    });
    let dots: Vec<scatter::PlacedDot> = dots.collect();
    let ground = Ground { taken: taken.to_vec(), opacity: Some(1.0), ..Ground::default() };
    scatter::names::draw(chart, &dots, (&colors, &ground), area, style, scene);
}

/// Labels the median lines of horizontal rows: right or left of an end of the line, where no dot
/// and no other median is in the way. Adds the areas of the labels to `medians`. Omits labels
/// without space. Draws nothing for columns, for more than `MAX_MEDIAN_LABELS` medians, or if the
/// setting `showLabels` is false.
pub fn draw_median_labels(
    chart: &Chart,
    placed: &[PlacedDot],
    medians: &mut Vec<Median>,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let is_vertical = chart.str_setting("orientation") == "vertical";
    if is_vertical || !chart.bool_setting("showLabels", true) || medians.len() > MAX_MEDIAN_LABELS {
        return;
    }
    let (size, gap) = (style.small_size, style.unit * 4.0);
    for index in 0..medians.len() {
        let Some(Median { area: line, text }) = medians.get(index) else { continue };
        let (top, bottom) = (line.y0 + ASCENT_EM * size, line.y1 - DESCENT_EM * size);
        let positions = [
            (line.x1 + gap, top, Anchor::Start),
            (line.x0 - gap, top, Anchor::End),
            (line.x1 + gap, bottom, Anchor::Start),
            (line.x0 - gap, bottom, Anchor::End),
        ];
        let label = |(x, baseline, anchor)| Text {
            color: style.muted_color,
            halo: Some(style.background),
            ..style.label_text(x, baseline, anchor, size, text)
        };
        let is_free = |label: &Text| {
            let bounds = label.bounds();
            area.contains_rect(bounds)
                && line.height() >= size * 2.0
                && !medians.iter().any(|other| other.area.overlaps(bounds))
                && !placed.iter().any(|dot| is_covered(bounds, dot))
        };
        if let Some(label) = positions.into_iter().map(label).find(is_free) {
            medians.push(Median { area: label.bounds(), text: String::new() });
            scene.text(label);
        }
    }
}

/// Returns the dots to name, the most important first: highlighted dots, then those with the fewest
/// dots between them and the lowest or highest value of their group.
///
/// Leaves out dots without a name, and without `names_all` those that are neither highlighted nor
/// the lowest or highest named dot of their group.
fn rank<'a>(placed: &'a [PlacedDot<'a>], names_all: bool) -> Vec<&'a PlacedDot<'a>> {
    let mut groups: HashMap<usize, Vec<&PlacedDot>> = HashMap::new();
    for dot in placed.iter().filter(|dot| !dot.dot.label.is_empty()) {
        groups.entry(dot.dot.group).or_default().push(dot);
    }
    let mut ranked: Vec<(bool, usize, usize, &PlacedDot)> = Vec::new();
    for (group, mut dots) in groups {
        dots.sort_by(|one, two| {
            one.dot.value.total_cmp(&two.dot.value).then(one.dot.row.cmp(&two.dot.row))
        });
        let count = dots.len();
        for (index, dot) in dots.into_iter().enumerate() {
            let depth = index.min(count - 1 - index);
            if names_all || dot.dot.highlighted || depth == 0 {
                ranked.push((!dot.dot.highlighted, depth, group, dot));
            }
        }
    }
    ranked.sort_by_key(|(is_plain, depth, group, dot)| (*is_plain, *depth, *group, dot.dot.row));
    ranked.into_iter().map(|(_, _, _, dot)| dot).collect()
}

/// Returns whether a dot overlaps the bounding box of a name or is less than 1 point away from it.
fn is_covered(bounds: Rect, dot: &PlacedDot) -> bool {
    let x = dot.center.x.clamp(bounds.x0, bounds.x1) - dot.center.x;
    let y = dot.center.y.clamp(bounds.y0, bounds.y1) - dot.center.y;
    x.hypot(y) < dot.radius + 1.0
}

/// Returns eight possible texts for the name of a dot, the best first: right, left, centered above
/// and below, then above and below beginning or ending at a side of the dot. `size` is the font
/// size.
fn candidates<'a>(
    dot: &'a PlacedDot,
    size: f64,
    style: &'a ChartStyle,
) -> impl Iterator<Item = Text> + 'a {
    let (x, y, distance) = (dot.center.x, dot.center.y, dot.radius + 3.0);
    let middle = y + HALF_CAP_HEIGHT_EM * size;
    let (above, below) = (y - distance - DESCENT_EM * size * 0.5, y + distance + ASCENT_EM * size);
    let positions = [
        (x + distance, middle, Anchor::Start),
        (x - distance, middle, Anchor::End),
        (x, above, Anchor::Middle),
        (x, below, Anchor::Middle),
        (x - dot.radius, above, Anchor::Start),
        (x + dot.radius, above, Anchor::End),
        (x - dot.radius, below, Anchor::Start),
        (x + dot.radius, below, Anchor::End),
    ];
    positions.into_iter().map(move |(x, baseline, anchor)| Text {
        halo: Some(style.background),
        ..style.label_text(x, baseline, anchor, size, &dot.dot.label)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_name_may_reach_beside_the_names_of_the_groups() {
        let dots = [
            ("Maxvorstadt", 247, "Region 1"),
            ("Milbertshofen", 572, "Region 1"),
            ("Schwabing West", 988, "Region 1"),
            ("Neuhausen-Nymphenburg", -11, "Region 2"),
            ("Obergiesing", -36, "Region 2"),
            ("Au-Haidhausen", -68, "Region 2"),
            ("Hadern", 364, "Region 3"),
            ("Sendling", 780, "Region 3"),
            ("Laim", 1196, "Region 3"),
            ("Berg am Laim", -52, "Region 4"),
            ("Trudering-Riem", -84, "Region 4"),
        ];
        let record = |(label, value, group): (&str, i32, &str)| json!({"label": label, "value": value, "group": group});
        let data: Vec<Value> = dots.into_iter().map(record).collect();
        let kind = crate::find_kind("beeswarm").unwrap();
        let scene = crate::draw(&Chart { width: 720.0, height: 405.0, ..Chart::new(kind, &data) });
        assert_eq!(scene.omissions, []);
    }
}
