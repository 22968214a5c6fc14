//! Names of years, months and weekdays, and the texts in the cells of a calendar heat map.

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::{NumberFormat, Omission, date};
use crate::frame::ChartStyle;
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::value_labels::ValueLabelCount;

use super::PlacedDay;
use super::layout;
use super::layout::{Block, Layout, Weeks};

/// Draws the names around the days. If weeks are columns: the year of each block, its months and
/// its weekday letters (without a header only the months of the first row, no letters). If weeks
/// are rows: month with year, and weekday letters.
pub fn draw_names(layout: &Layout, style: &ChartStyle, scene: &mut Scene) {
    for (index, block) in layout.blocks.iter().enumerate() {
        match layout.weeks {
            Weeks::Columns => {
                draw_year(layout, index, block, style, scene);
                if layout.header > 0.0 || layout.is_in_first_row(index) {
                    draw_months(layout, index, block, style, scene);
                }
                if layout.header > 0.0 {
                    draw_weekday_rows(layout, index, style, scene);
                }
            }
            Weeks::Rows => draw_month_header(layout, index, block, style, scene),
        }
    }
}

/// Draws the year of a block above the weekday letters, or without a header left of the middle of
/// the days. `index` is the position of the block in the layout.
fn draw_year(layout: &Layout, index: usize, block: &Block, style: &ChartStyle, scene: &mut Scene) {
    let (origin, size) = (layout.origin(index), style.label_size);
    let baseline = if layout.header > 0.0 {
        origin.y - size * 0.5
    } else {
        origin.y + layout.cell.height * 3.5 + HALF_CAP_HEIGHT_EM * size
    };
    let x = origin.x - layout.gutter;
    let year = style.label_text(
        x,
        baseline,
        Anchor::Start,
        size,
        &date::format_year(block.year, style.locale),
    );
    scene.text(Text { color: style.value_color, ..year });
}

/// Draws the names of the months of a block above their weeks, in the label size, or in the small
/// size if they do not fit. With little space, draws every third name, starting with the first
/// month of the block, because readers can infer the others. With even less space, draws nothing.
///
/// `index` is the position of the block in the layout.
fn draw_months(
    layout: &Layout,
    index: usize,
    block: &Block,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let name = |offset: i32| date::month_name((block.month + offset) as u32, style.locale);
    let month_width = layout.cell.width * 4.3;
    let widest = |size: f64| {
        (0..block.months).map(|offset| style.text_width(name(offset), size)).fold(0.0, f64::max)
    };
    let size = [style.label_size, style.small_size]
        .into_iter()
        .find(|size| widest(*size) + size * 0.3 <= month_width);
    let interval = match size {
        Some(_) => 1,
        None if widest(style.small_size) + 3.0 <= month_width * 3.0 => 3,
        None => return,
    };
    let size = size.unwrap_or(style.small_size);
    let origin = layout.origin(index);
    for offset in (0..block.months).step_by(interval) {
        let month = Block { month: block.month + offset, months: 1, ..*block };
        let (first, end) = month.days();
        let start = layout.cell_rect(index, block, first).x0;
        let stop = layout.cell_rect(index, block, end - 1).x1;
        let (x, anchor) = match interval {
            1 => ((start + stop) / 2.0, Anchor::Middle),
            _ => (start, Anchor::Start),
        };
        let text = style.label_text(x, origin.y - size * 0.5, anchor, size, name(offset));
        scene.text(Text { color: style.muted_color, ..text });
    }
}

/// Draws the weekday letters left of their rows: every second one if the rows are low, none if they
/// are very low.
fn draw_weekday_rows(layout: &Layout, index: usize, style: &ChartStyle, scene: &mut Scene) {
    let (size, height) = (style.small_size, layout.cell.height);
    let interval = match height {
        height if height >= size * 1.05 => 1,
        height if height * 2.0 >= size * 1.05 => 2,
        _ => return,
    };
    let origin = layout.origin(index);
    for row in (0..7).step_by(interval) {
        let y = origin.y + (row as f64 + 0.5) * height + HALF_CAP_HEIGHT_EM * size;
        let x = origin.x - size * 0.5;
        let text = style.label_text(x, y, Anchor::End, size, weekday_letter(layout, row, style));
        scene.text(Text { color: style.muted_color, ..text });
    }
}

/// Returns the letter of a weekday in the language of the chart. `weekday` counts from 0, the first
/// day of the week in this layout.
fn weekday_letter(layout: &Layout, weekday: usize, style: &ChartStyle) -> &'static str {
    let index = (weekday + 7 - layout.week_start.days_to_monday()) % 7;
    style.locale.weekday_letters.get(index).copied().unwrap_or("")
}

/// Draws month and year in the header of a block, and below them the letters of the seven weekdays.
/// Omits each of the two if it is too wide.
fn draw_month_header(
    layout: &Layout,
    index: usize,
    block: &Block,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let (origin, size) = (layout.origin(index), style.label_size);
    let month = date::timestamp(block.year, block.month, 1);
    let title = date::format_month(month, style.locale);
    let top = origin.y - layout.header;
    let text = style.label_text(origin.x, top + ASCENT_EM * size, Anchor::Start, size, &title);
    if text.width <= layout.cell.width * 7.0 {
        scene.text(Text { color: style.value_color, ..text });
    }
    if layout.cell.width < style.small_size * 1.1 {
        return;
    }
    for column in 0..7 {
        let x = origin.x + (column as f64 + 0.5) * layout.cell.width;
        let letter = weekday_letter(layout, column, style);
        let text = style.label_text(
            x,
            origin.y - style.small_size * 0.5,
            Anchor::Middle,
            style.small_size,
            letter,
        );
        scene.text(Text { color: style.muted_color, ..text });
    }
}

/// Draws values and days of the month into the cells, each only if they fit in all cells. Without
/// space for both, values take precedence. Days of the month are only drawn if weeks are rows.
///
/// Draws labels below the values, in the cells in which they fit. The scene counts the other
/// labels. It counts the values without space only if weeks are rows. The cells of a year are made for
/// colors alone, and readers of such a chart expect no numbers in them.
pub fn draw_cell_texts(
    placed: &[PlacedDay],
    layout: &Layout,
    format: &NumberFormat,
    chart: &Chart,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(cell) = placed.first().map(|day| day.cell) else { return };
    let has_dates = layout.weeks == Weeks::Rows
        && cell.height() >= style.small_size * 1.3
        && cell.width() >= style.text_width("30", style.small_size) + style.small_size * 0.4;
    let date_height = if has_dates { style.small_size * 1.25 } else { 0.0 };
    let fits = |size: &f64, height: f64| {
        let width = cell.width() - size * 0.5;
        let is_wide_enough =
            |day: &PlacedDay| style.text_width(&format.text(day.day.value), *size) <= width;
        height >= size * 1.25 && placed.iter().all(is_wide_enough)
    };
    let sizes = [style.label_size, style.small_size];
    let find_size = |height: f64| sizes.into_iter().find(|size| fits(size, height));
    let shows_values = chart.bool_setting("showValues", true);
    let with_dates = find_size(cell.height() - date_height).filter(|_| shows_values);
    let alone = find_size(cell.height()).filter(|_| shows_values);
    // Values are more useful than days of the month, which follow from the weekdays.
    let (value_size, has_dates) = match (with_dates, alone) {
        (Some(size), _) => (Some(size), has_dates),
        (None, alone) => (alone, has_dates && alone.is_none()),
    };
    let date_height = if has_dates { date_height } else { 0.0 };
    let mut hidden_labels = 0;
    for day in placed {
        let color = day.fill.readable_text_color();
        let rest = Rect { y0: day.cell.y0 + date_height, ..day.cell };
        let label_height = style.small_size * 1.3;
        let fits_label = !day.day.label.is_empty()
            && style.text_width(&day.day.label, style.small_size) <= rest.width() - 4.0
            && rest.height() >= value_size.map_or(0.0, |size| size * 1.25) + label_height;
        hidden_labels += usize::from(!day.day.label.is_empty() && !fits_label);
        if let Some(size) = value_size {
            let bottom = if fits_label { rest.y1 - label_height } else { rest.y1 };
            let y = (rest.y0 + bottom) / 2.0 + HALF_CAP_HEIGHT_EM * size;
            let (x, value) = (rest.center().x, format.text(day.day.value));
            let text = style.label_text(x, y, Anchor::Middle, size, &value);
            scene.begin_mark("value", Some(day.day.row), || (Some("value".to_owned()), value));
            scene.text(Text { color, ..text });
            scene.end_mark();
        }
        if fits_label {
            let (size, y) = (style.small_size, rest.y1 - style.small_size * 0.45);
            let text = style.label_text(rest.center().x, y, Anchor::Middle, size, &day.day.label);
            scene.text(Text { color, ..text });
        }
    }
    scene.omit(Omission::Name, hidden_labels);
    note_values(placed, layout, shows_values && value_size.is_none(), scene);
    if has_dates {
        draw_dates(placed, layout, style, scene);
    }
}

/// Counts the values of all days as values without a label if they are `hidden` and weeks are rows.
fn note_values(placed: &[PlacedDay], layout: &Layout, hidden: bool, scene: &mut Scene) {
    if hidden && layout.weeks == Weeks::Rows {
        let mut value_labels = ValueLabelCount::default();
        placed.iter().for_each(|day| value_labels.add(day.day.value, false));
        value_labels.report(scene);
    }
}

/// Draws the day of the month in the upper left corner of each day of the shown months, also of
/// days without a value. `placed` is ascending by day.
fn draw_dates(placed: &[PlacedDay], layout: &Layout, style: &ChartStyle, scene: &mut Scene) {
    let size = style.small_size;
    let mut with_values = placed.iter().peekable();
    for (index, block) in layout.blocks.iter().enumerate() {
        let (first, end) = block.days();
        for number in first..end {
            let rect = layout.cell_rect(index, block, number);
            let with_value = with_values.next_if(|day| day.number == number);
            let color = with_value.map_or(style.muted_color, |day| day.fill.readable_text_color());
            let (x, y) = (rect.x0 + size * 0.45, rect.y0 + size * 1.1);
            let day = style.locale.format_integer(layout::to_date(number).day);
            let text = style.label_text(x, y, Anchor::Start, size, &day);
            scene.text(Text { color, ..text });
        }
    }
}
