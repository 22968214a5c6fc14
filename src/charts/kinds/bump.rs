//! Bump chart: ranks over periods, one line per record with its label at the ends.
//!
//! Record: `label`, a number for each period, `highlighted`; or in long form `label`, `period`,
//! `value`. Settings: `series` (the periods), `values` (`auto`, `amounts`, `ranks`), `top` (number
//! of ranks shown), `showValues` (the rank in each dot).

mod ranks;

use std::borrow::Cow;

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame;
use crate::frame::bands;
use crate::frame::category::ColumnLabels;
use crate::frame::end_names::EndNames;
use crate::frame::line_pattern;
use crate::frame::line_pattern::LinePattern;
use crate::frame::{ChartStyle, Frame, MIN_TEXT_SIZE};
use crate::kinds::Kind;
use crate::scale::BandScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::uneven_times;

use ranks::{RankTable, RankedItem};

/// The bump chart.
pub const KIND: Kind = Kind { slug: "bump", draw };

/// Maximum number of lines with a color of their own. The others are muted, and readers can confuse
/// two of them where they cross. More shades would be too similar.
const MAX_COLORS: usize = 16;

/// Layout of the plot.
struct Plot {
    /// Rectangle from the first to the last period, without labels.
    area: Rect,
    /// Horizontal positions of the periods.
    period_scale: BandScale,
    /// Vertical distance between two ranks in points.
    row_height: f64,
    /// Maximum radius of a dot in points.
    max_dot_radius: f64,
    /// Names of the lines.
    names: EndNames,
}

impl Plot {
    /// Returns the position of `row` in `period`, both from 0. Row 0 is at the top.
    fn position(&self, period: usize, row: usize) -> Point {
        let y = self.area.y0 + self.row_height * (row as f64 + 0.5);
        Point::new(self.period_scale.center(period), y)
    }

    /// Returns whether the dots are large enough for ranks.
    fn fits_ranks(&self, style: &ChartStyle) -> bool {
        self.max_dot_radius >= style.small_size * 0.7
    }
}

/// Draws one line per record, or in long form per label, and the labels of periods and lines.
/// Leaves out lines that never reach a shown rank: the setting `top` and the height of the area
/// limit the ranks. Without ranks in the dots, a note counts equal ones. Colored lines cover muted lines.
/// Writes "No data" instead if no line has a rank.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let fitting_ranks = (frame.area.height() - style.label_size * 1.8) / MIN_TEXT_SIZE;
    let table = ranks::read_table(chart, fitting_ranks.max(2.0) as usize, scene);
    if table.items.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let colors = choose_line_colors(chart, &table, style);
    let patterns = line_pattern::choose(&colors);
    let plot = lay_out(&table, style, frame.area, scene);
    // Colored lines are drawn last, so that muted lines do not cover them.
    let mut order: Vec<usize> = (0..table.items.len()).collect();
    order
        .sort_by_key(|index| colors.get(*index).is_some_and(|color| *color != style.faded_color()));
    for index in order {
        let look = colors.get(index).copied().zip(patterns.get(index).copied());
        let (Some(item), Some(look)) = (table.items.get(index), look) else { continue };
        draw_line(chart, item, look, &plot, &table.periods, style, scene);
    }
    draw_line_labels(&table, &colors, &plot, frame.area, style, scene);
    let tie_count = table.count_ties();
    if !shows_ranks(chart, &plot, style) && tie_count > 0 {
        scene.omit(Omission::TiedRank, tie_count);
        scene.warn("Equal values have the same rank. Their lines follow each other in the order of the data.");
    }
    if uneven_times::are_uneven(table.periods.iter().map(String::as_str)) {
        scene.omit(Omission::UnevenTimes, 1);
    }
    describe(&table, scene);
}

/// Returns whether the dots contain ranks: they are large enough, and the setting `showValues` is not
/// false.
fn shows_ranks(chart: &Chart, plot: &Plot, style: &ChartStyle) -> bool {
    chart.bool_setting("showValues", true) && plot.fits_ranks(style)
}

/// Returns the color of each line, in the order of `table.items`.
///
/// If any record is highlighted, highlighted lines get the highlight color and the others are gray.
/// Otherwise the `MAX_COLORS` lines that rank best in their last period get the series colors in
/// this order, and the others are gray. Colors are changed until they stand out from the
/// background.
fn choose_line_colors(chart: &Chart, table: &RankTable, style: &ChartStyle) -> Vec<Color> {
    let any_highlighted = table.items.iter().any(|item| item.highlighted);
    let mut order: Vec<usize> = (0..table.items.len()).collect();
    let last_row = |index: &usize| {
        table.items.get(*index).and_then(RankedItem::last_row).unwrap_or(usize::MAX)
    };
    order.sort_by_key(last_row);
    let mut colors = vec![style.faded_color(); table.items.len()];
    for (position, index) in order.into_iter().enumerate() {
        let highlighted = table.items.get(index).is_some_and(|item| item.highlighted);
        let color = match (any_highlighted, highlighted) {
            (true, true) => chart.theme.highlight_color,
            (false, _) if position < MAX_COLORS => chart.series_color(position),
            _ => continue,
        };
        if let Some(slot) = colors.get_mut(index) {
            *slot = style.readable_line_color(color);
        }
    }
    colors
}

/// Lays out the plot, and draws a vertical grid line and a label for each period.
///
/// Reserves space for the names of the lines on the right, and in a wide area with several periods
/// also on the left. Does not draw these names.
fn lay_out(table: &RankTable, style: &ChartStyle, area: Rect, scene: &mut Scene) -> Plot {
    let period_count = table.periods.len().max(1);
    let has_labels_on_both_sides = area.width() >= style.label_size * 38.0 && period_count > 1;
    let estimated_height =
        (area.height() - style.label_size * 1.8) / table.rank_count.max(1) as f64;
    let radius = (estimated_height * 0.36).min(style.label_size * 0.95).max(1.5);
    let max_gap = radius + style.label_size * 0.45;
    let shares: &[f64] = if has_labels_on_both_sides { &[0.24, 0.33] } else { &[0.4, 0.5, 0.6] };
    let width = |share: &f64| (area.width() * share - max_gap).max(0.0);
    let widths: Vec<f64> = shares.iter().map(width).collect();
    let labels: Vec<&str> = table.items.iter().map(|item| &*item.label).collect();
    let names = EndNames::plan(&labels, estimated_height * 0.97, &widths, style);
    let side_width = names.width + radius + names.size * 0.45;
    // The label of the first period is centered below its line and must not leave the area.
    let first_half_width = table
        .periods
        .first()
        .map_or(0.0, |period| style.text_width(period, style.label_size) / 2.0);
    let left_width = if has_labels_on_both_sides {
        side_width
    } else {
        (radius + 1.0).max(first_half_width.min(area.width() * 0.08))
    };
    let left = area.x0 + left_width;
    let right = (area.x1 - side_width).max(area.x0 + left_width + 1.0);
    let step = (right - left) / (period_count.max(2) - 1) as f64;
    let half_step = if period_count == 1 { 0.0 } else { step / 2.0 };
    let period_scale = BandScale {
        count: period_count,
        range: (left - half_step, right + half_step),
        padding: 0.0,
        max_width: f64::INFINITY,
    };
    let radius = radius.min(step * 0.3).max(1.0);
    let periods: Vec<Cow<str>> =
        table.periods.iter().map(|period| Cow::Borrowed(&**period)).collect();
    let period_labels =
        ColumnLabels::plan_below(&periods, &period_scale, area.height() * 0.3, style);
    let bottom = (area.y1 - period_labels.height).max(area.y0 + 1.0);
    let plot = Rect::new(left, area.y0, right, bottom);
    let row_height = plot.height() / table.rank_count.max(1) as f64;
    for period in 0..period_count {
        let center = period_scale.center(period);
        scene.line((center, plot.y0), (center, plot.y1), Stroke::new(style.grid_color, 1.0));
    }
    period_labels.draw(scene, style, plot, &period_scale);
    let max_dot_radius = radius.min(row_height * 0.42);
    Plot { area: plot, period_scale, row_height, max_dot_radius, names }
}

/// Draws the line of one record, and a dot at each of its ranks.
///
/// The line is horizontal at each dot and has a gap where the record has no rank. With the setting
/// `showValues`, dots contain the rank if they are large enough.
fn draw_line(
    chart: &Chart,
    item: &RankedItem,
    (color, pattern): (Color, LinePattern),
    plot: &Plot,
    periods: &[String],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let width = (plot.row_height * 0.16).clamp(1.0, 4.0 * style.unit);
    let points: Vec<Option<Point>> = item
        .rows_of_ranks
        .iter()
        .enumerate()
        .map(|(period, row)| row.map(|row| plot.position(period, row)))
        .collect();
    scene.begin_mark("line", item.rows.iter().flatten().next().copied(), || {
        (None, item.label.clone())
    });
    let mut path = BezPath::new();
    let mut previous: Option<Point> = None;
    for point in &points {
        match (previous, *point) {
            (Some(from), Some(to)) => {
                let middle = (from.x + to.x) / 2.0;
                path.curve_to((middle, from.y), (middle, to.y), (to.x, to.y));
            }
            (None, Some(to)) => path.move_to(to),
            _ => {}
        }
        previous = *point;
    }
    if points.windows(2).any(|pair| pair.iter().all(Option::is_some)) {
        scene.stroke(path, pattern.apply(Stroke::new(color, width).rounded()));
    }
    let has_rank_text = shows_ranks(chart, plot, style);
    for (period, point) in points.iter().enumerate() {
        let (Some(point), Some(rank)) = (point, item.rank_in(period)) else { continue };
        let row = item.rows.get(period).copied().flatten();
        scene.begin_mark("point", row, || {
            let name = periods.get(period).map_or("", |name| name);
            (None, format!("{}, {name}: {rank}", item.label))
        });
        let radius = if has_rank_text {
            plot.max_dot_radius
        } else {
            (width * 1.1).min(plot.max_dot_radius)
        };
        scene.circle(*point, radius, color, None);
        if has_rank_text {
            draw_rank(rank, *point, radius, color, style, scene);
        }
    }
    scene.end_mark();
}

/// Draws the number `rank` in a dot at `point` with `radius` points and the color
/// `fill`.
///
/// Omits the number if there is no space for it.
fn draw_rank(
    rank: usize,
    point: Point,
    radius: f64,
    fill: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let rank_text = style.locale.format_integer(rank);
    let size = style.small_size;
    if style.text_width(&rank_text, size) <= radius * 1.8 {
        let color = bands::inner_label_color(fill);
        let text = style.label_text(
            point.x,
            point.y + HALF_CAP_HEIGHT_EM * size,
            Anchor::Middle,
            size,
            &rank_text,
        );
        scene.text(Text { color, ..text });
    }
}

/// Draws the labels of the lines right of the last period, and if there is space also left of the
/// first.
///
/// A line without a rank in that period gets no label there. The scene counts lines without any
/// label.
fn draw_line_labels(
    table: &RankTable,
    colors: &[Color],
    plot: &Plot,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = plot.names.size;
    let gap = plot.max_dot_radius + size * 0.45;
    let last = table.periods.len().saturating_sub(1);
    let sides =
        [(last, Anchor::Start, area.x1 - plot.area.x1), (0, Anchor::End, plot.area.x0 - area.x0)];
    let mut unnamed = 0;
    for (index, (item, color)) in table.items.iter().zip(colors).enumerate() {
        let mut is_named = item.label.is_empty();
        for (period, anchor, side_width) in sides {
            // Short names need less than two letters of the font size.
            let needed_width = (size * 2.0).min(plot.names.width) - 0.01;
            if side_width - gap < needed_width || period == last && anchor == Anchor::End {
                continue;
            }
            let Some(row) = item.rows_of_ranks.get(period).copied().flatten() else { continue };
            let dot = plot.position(period, row);
            let x = if anchor == Anchor::Start { dot.x + gap } else { dot.x - gap };
            let is_muted = *color == style.faded_color();
            let color =
                if is_muted { style.label_color } else { color.readable_on(style.background, 4.5) };
            for text in plot.names.texts(index, (x, dot.y), anchor, style) {
                is_named = true;
                scene.text(Text { color, ..text });
            }
        }
        unnamed += usize::from(!is_named);
    }
    scene.omit(Omission::Name, unnamed);
}

/// Sets the text description of the scene: the best line of the first and of the last period, and
/// the largest move between the first and the last rank of a line.
fn describe(table: &RankTable, scene: &mut Scene) {
    let leader = |period: usize| {
        let is_first = |item: &&RankedItem| item.rank_in(period) == Some(1);
        let leaders: Vec<&str> =
            table.items.iter().filter(is_first).map(|item| &*item.label).collect();
        if leaders.is_empty() { "no one".to_owned() } else { leaders.join(" and ") }
    };
    let last = table.periods.len().saturating_sub(1);
    let moves =
        table.items.iter().filter_map(|item| Some((item.first_rank()?, item.last_rank()?, item)));
    let largest = moves.max_by_key(|(from, to, _)| from.abs_diff(*to));
    let largest_move = largest.map_or(String::new(), |(from, to, item)| {
        format!(" Largest move: {}, from rank {from} to {to}.", item.label)
    });
    let period_name = |period: usize| table.periods.get(period).map_or("", |name| name);
    scene.description = format!(
        "Bump chart of {} records over {} periods. First in {}: {}, in {}: {}.{largest_move}",
        table.items.len(),
        table.periods.len(),
        period_name(0),
        leader(0),
        period_name(last),
        leader(last),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::scene::Primitive;

    #[test]
    fn the_lines_of_ten_records_differ_in_color_or_dashes() {
        let record = |index: usize| json!({"label": format!("C{index}"), "2023": index + 1, "2024": 10 - index});
        let data: Vec<Value> = (0..10).map(record).collect();
        let scene = crate::draw(&Chart::new(&KIND, &data));
        let lines = scene.shapes.iter().filter_map(|shape| match &shape.primitive {
            Primitive::Path { fill: None, stroke: Some(stroke), .. } => Some(*stroke),
            _ => None,
        });
        let lines: Vec<Stroke> = lines.collect();
        assert_eq!(lines.len(), 10);
        for (index, one) in lines.iter().enumerate() {
            let is_same = |other: &Stroke| other.color == one.color && other.dash == one.dash;
            assert_eq!(lines[..index].iter().filter(|other| is_same(other)).count(), 0, "{one:?}");
        }
    }

    #[test]
    fn equal_ranks_without_numbers_are_counted_also_in_a_preview() {
        let record =
            |index: usize| json!({"label": format!("C{index}"), "2023": index / 2, "2024": index});
        let data: Vec<Value> = (0..24).map(record).collect();
        let settings = json!({"values": "amounts"});
        let chart = Chart { settings: &settings, ..Chart::new(&KIND, &data) };
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..chart });
        let count = scene.omissions.iter().find(|(reason, _)| *reason == Omission::TiedRank);
        let note = format!("Equal ranks drawn one below the other: {}", count.unwrap().1);
        assert!(scene.text_boxes().any(|(text, _)| text.contains(&note)));
        let settings = json!({"values": "amounts", "showValues": false});
        let scene = crate::draw(&Chart { settings: &settings, ..chart });
        assert!(scene.omissions.contains(&(Omission::TiedRank, 24)), "{:?}", scene.omissions);
        let settings = json!({"values": "amounts"});
        let high = Chart { settings: &settings, height: 1080.0, ..chart };
        assert_eq!(crate::draw(&high).omissions, []);
    }

    #[test]
    fn a_note_tells_that_the_distances_between_periods_differ() {
        let omissions = |years: [&str; 3]| {
            let record = |ranks: [u8; 3]| json!({"label": format!("C{}", ranks[0]), years[0]: ranks[0], years[1]: ranks[1], years[2]: ranks[2]});
            let data = [record([1, 2, 1]), record([2, 1, 2])];
            crate::draw(&Chart::new(&KIND, &data)).omissions
        };
        assert_eq!(omissions(["2000", "2004", "2024"]), [(Omission::UnevenTimes, 1)]);
        assert_eq!(omissions(["2000", "2004", "2008"]), []);
    }
}
