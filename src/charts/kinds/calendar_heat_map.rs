//! Calendar heat map: each day is a cell, colored by its value, in blocks of years or months.
//!
//! Record: `date`, `value`, `label`. Several records of a day are combined. A day without a value
//! is an empty cell. Settings: `layout` (`auto`, `years`, `months`), `aggregate` (`sum`, `mean`,
//! `max`), `weekStart` (`auto`, `monday`, `sunday`, `saturday`), `scale` (`auto`, `sequential`,
//! `diverging`), `midpoint`, `showValues`, `showLegend`, `axis` (`min`, `max`, `title` of the color
//! scale).

mod days;
mod labels;
mod layout;

use kurbo::{BezPath, Rect, Shape as _};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::date;
use crate::format::date::DAY_SECONDS;
use crate::format::{NumberFormat, Omission, WeekStart};
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::kinds::heat_map;
use crate::kinds::heat_map::color_scale::ColorScale;
use crate::scene::{Primitive, Stroke};

use days::{Day, Days};
use layout::{Block, Layout, Weeks};

/// The calendar heat map.
pub const KIND: Kind = Kind { slug: "calendar-heat-map", draw };

/// A day with its place on the canvas.
struct PlacedDay<'a> {
    day: &'a Day,
    /// Number of the day since 1970-01-01.
    number: i64,
    /// Visible cell.
    cell: Rect,
    fill: Color,
}

/// Draws legend, names of months and weekdays, and the days. Draws a note instead if no record has
/// a date and a value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let days = days::read(chart, scene);
    if days.by_number.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let values = || days.by_number.values().map(|day| day.value);
    let format = NumberFormat::for_values(values(), &chart.format_rules("value"), chart.locale());
    let range = values().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    let color_scale = ColorScale::new(chart, style, range);
    describe(&days, &format, chart, scene);
    let area = draw_legend(chart, &days, &color_scale, &format, frame, scene);
    let week_start = match chart.str_setting("weekStart") {
        "monday" => WeekStart::Monday,
        "sunday" => WeekStart::Sunday,
        "saturday" => WeekStart::Saturday,
        _ => chart.locale().week_start,
    };
    let numbers: Vec<i64> = days.by_number.keys().copied().collect();
    let layout = Layout::new(&numbers, chart.str_setting("layout"), week_start, area, style);
    let count = layout.count_missing_years();
    if count > 0 {
        scene.warn(format!("Years without values that are not shown: {count}."));
    }
    let gap = half_cell_gap(&layout, style);
    let place = |(number, day): (&i64, &'_ Day)| {
        let index = layout.find_block(*number)?;
        let block = layout.blocks.get(index)?;
        Some((index, block, *number, day.value))
    };
    let mut placed: Vec<PlacedDay> = Vec::with_capacity(numbers.len());
    let mut omitted = 0;
    for (number, day) in &days.by_number {
        let Some((index, block, number, value)) = place((number, day)) else {
            omitted += 1 + day.other_rows.len();
            continue;
        };
        let cell = layout.cell_rect(index, block, number).inset(-gap);
        placed.push(PlacedDay { day, number, cell, fill: color_scale.color_of(value) });
    }
    scene.omit(Omission::NoSpace, omitted);
    labels::draw_names(&layout, style, scene);
    draw_empty_days(&layout, &days, gap, style, scene);
    draw_days(&placed, &format, chart, scene);
    draw_month_borders(&layout, style, scene);
    labels::draw_cell_texts(&placed, &layout, &format, chart, style, scene);
}

/// Sets the text description of the scene: number of days with a value, the first and the last of
/// them, lowest and highest value with their days.
fn describe(days: &Days, format: &NumberFormat, chart: &Chart, scene: &mut Scene) {
    let format_day =
        |number: &i64| date::format_day(*number as f64 * DAY_SECONDS, true, chart.locale());
    let compare = |one: &(&i64, &Day), two: &(&i64, &Day)| one.1.value.total_cmp(&two.1.value);
    let lowest = days.by_number.iter().min_by(compare);
    let highest = days.by_number.iter().max_by(compare);
    let (first, last) = (days.by_number.keys().next(), days.by_number.keys().next_back());
    if let (Some(low), Some(high), Some(first), Some(last)) = (lowest, highest, first, last) {
        scene.description = format!(
            "Calendar heat map of {} days with values from {} to {}, lowest {} ({}), highest {} ({}).",
            days.by_number.len(),
            format_day(first),
            format_day(last),
            format.text(low.1.value),
            format_day(low.0),
            format.text(high.1.value),
            format_day(high.0),
        );
    }
}

/// Draws the color scale with its title, which also names the rule that combined the records of a
/// day. Returns the area below it, which is all of it if the setting `showLegend` is false or all
/// values are equal.
fn draw_legend(
    chart: &Chart,
    days: &Days,
    color_scale: &ColorScale,
    format: &NumberFormat,
    frame: &Frame,
    scene: &mut Scene,
) -> Rect {
    if !chart.bool_setting("showLegend", true) || color_scale.ends.0 >= color_scale.ends.1 {
        return frame.area;
    }
    let measure = data::display_text(&chart.setting("axis")["title"]);
    let rule = days.combination.map_or("", |term| chart.locale().translate(term));
    let title = match (measure.is_empty(), rule.is_empty()) {
        (false, false) => format!("{measure} ({rule})"),
        _ => format!("{measure}{rule}"),
    };
    heat_map::draw_legend(color_scale, format, &title, &frame.style, frame.area, scene)
}

/// Returns half the distance between two cells in points. 0 for very small cells.
fn half_cell_gap(layout: &Layout, style: &ChartStyle) -> f64 {
    match layout.cell.width.min(layout.cell.height) {
        side if side < 4.0 => 0.0,
        side if side < 10.0 => 0.4,
        side => (side * 0.04).min(1.5 * style.unit),
    }
}

/// Draws the outlines of the days without a value as one shape, for all days of the shown months.
/// `gap` is half the distance between two cells in points.
fn draw_empty_days(layout: &Layout, days: &Days, gap: f64, style: &ChartStyle, scene: &mut Scene) {
    let width = if layout.cell.width < 4.0 { 0.3 } else { 0.6 };
    let mut outlines = BezPath::new();
    for (index, block) in layout.blocks.iter().enumerate() {
        let (first, end) = block.days();
        for number in (first..end).filter(|number| !days.by_number.contains_key(number)) {
            let rect = layout.cell_rect(index, block, number).inset(-gap - width / 2.0);
            if rect.width() > 0.0 && rect.height() > 0.0 {
                outlines.extend(rect.path_elements(0.1));
            }
        }
    }
    if !outlines.elements().is_empty() {
        scene.stroke(outlines, Stroke::new(style.muted_color.mix(style.background, 0.45), width));
    }
}

/// Draws the cells of the days with a value. In an interactive scene, further records of a day get
/// invisible marks on the same cell.
fn draw_days(placed: &[PlacedDay], format: &NumberFormat, chart: &Chart, scene: &mut Scene) {
    for PlacedDay { day, number, cell, fill } in placed {
        let tip = || {
            let name = date::format_day(*number as f64 * DAY_SECONDS, true, chart.locale());
            let tip = format!("{name}: {}", format.text(day.value));
            let tip = if day.label.is_empty() { tip } else { format!("{tip} ({})", day.label) };
            (Some("value".to_owned()), tip)
        };
        for row in day.other_rows.iter().filter(|_| scene.interactive).collect::<Vec<_>>() {
            scene.begin_mark("cell", Some(*row), tip);
            scene.push(Primitive::Rect { rect: *cell, radius: 0.0, fill: fill.with_opacity(0.0) });
        }
        scene.begin_mark("cell", Some(day.row), tip);
        scene.rect(*cell, *fill);
    }
    scene.end_mark();
}

/// Draws stepped lines between the months of each block. Draws none if a week is a row, because a
/// block then has one month, or if the cells are very small.
fn draw_month_borders(layout: &Layout, style: &ChartStyle, scene: &mut Scene) {
    if layout.weeks == Weeks::Rows || layout.cell.width.min(layout.cell.height) < 3.0 {
        return;
    }
    let stroke = Stroke::new(style.axis_color, (style.unit * 1.2).min(layout.cell.width * 0.15));
    for (index, block) in layout.blocks.iter().enumerate() {
        let top = layout.origin(index).y;
        let bottom = top + layout.cell.height * 7.0;
        for offset in 1..block.months {
            let month = Block { month: block.month + offset, months: 1, ..*block };
            let cell = layout.cell_rect(index, block, month.days().0);
            let mut path = BezPath::new();
            path.move_to((cell.x0, bottom));
            path.line_to((cell.x0, cell.y0));
            if cell.y0 > top + 0.1 {
                path.line_to((cell.x1, cell.y0));
                path.line_to((cell.x1, top));
            }
            scene.stroke(path, stroke);
        }
    }
}
