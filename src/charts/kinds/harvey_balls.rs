//! Harvey balls: a table of options by criteria, with a partly filled circle for each score.
//!
//! Record: `option` (or `label`), one column per criterion (score, 0 to `steps`), `highlighted`.
//! Settings: `series` (`key`, `title` of the criteria), `steps` (score of a full circle, default
//! 4), `sort` (by the sum), `showTotals`, `totalTitle`, `showLegend`, `emptyTitle`, `fullTitle`.

mod options;

use std::borrow::Cow;
use std::f64::consts::TAU;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::end_names::EndNames;
use crate::frame::{ChartStyle, Frame, MIN_TEXT_SIZE};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::shape::ring;
use crate::text;
use crate::text::Face;
use crate::tiles;

use options::{Criteria, ScoredOption};

/// The Harvey balls.
pub const KIND: Kind = Kind { slug: "harvey-balls", draw };

/// Minimum height of a row as a multiple of the smallest font size.
const MIN_ROW_HEIGHT_EM: f64 = 1.35;
/// Minimum width of the column of a criterion beside long names, as a multiple of the font size.
const MIN_COLUMN_WIDTH_EM: f64 = 4.5;

/// Layout of the table. All lengths are in points.
struct TableLayout {
    /// Rectangle of the table. It ends with the last column.
    area: Rect,
    /// Left edge of the column of the first criterion.
    criteria_left: f64,
    /// Width of the column of a criterion.
    column_width: f64,
    /// Number of criteria shown.
    column_count: usize,
    /// Font and lines of the column headers.
    header: HeaderSize,
    /// Lower edge of the column headers.
    header_bottom: f64,
    /// Names of the options.
    names: EndNames,
    /// Height of a row.
    row_height: f64,
    /// Number of options shown.
    row_count: usize,
    /// Radius of a circle.
    radius: f64,
    /// Whether there is a column with the sum of the scores.
    has_totals: bool,
}

/// Font and lines of the column headers.
#[derive(Clone, Copy)]
struct HeaderSize {
    /// Font size in points.
    font_size: f64,
    /// Maximum number of lines.
    line_count: usize,
    /// Height of all lines and of the space below them, in points.
    height: f64,
    /// Number of headers that are shortened.
    cut_count: usize,
}

/// Widths of the columns, with the names and headers in them.
struct ColumnLayout {
    /// Width of the column of names in points.
    label_width: f64,
    /// Width of the column of a criterion in points.
    width: f64,
    /// Number of columns after that of the names.
    count: usize,
    names: EndNames,
    header: HeaderSize,
}

/// Vertical position and font of the texts of a row.
#[derive(Clone, Copy)]
struct RowFont {
    /// Vertical center of the row in points.
    center: f64,
    /// Font size in points.
    size: f64,
    face: Face,
}

/// Draws legend, column headers and one row per option, as many as fit. Warns about options and
/// criteria that do not fit. Draws a note instead if no record has a score.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let criteria = options::read_criteria(chart, scene);
    let options = options::read_options(chart, &criteria, scene);
    if options.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) && area.height() > style.label_size * 16.0 {
        area = draw_legend(chart, area, style, scene);
    }
    let table = lay_out(chart, &options, &criteria.columns, area, style);
    draw_headers(chart, &table, &criteria.columns, style, scene);
    for (index, option) in options.iter().take(table.row_count).enumerate() {
        draw_row(chart, option, index, &table, &criteria, style, scene);
    }
    scene.end_mark();
    tiles::draw_overflow_note(frame.area, style, options.len() - table.row_count, "option", scene);
    let omitted_count = criteria.columns.len().saturating_sub(table.column_count);
    scene.omit(Omission::Series, omitted_count);
    describe(&options, &criteria, scene);
}

/// Chooses the sizes of labels, columns, rows and circles, the font size of the headers, and how many
/// columns and rows fit, at least one of each.
///
/// With the setting `showTotals`, the last fitting column is that of the sums, unless only one column
/// fits. Leaves space for the note about omitted rows if there are any.
fn lay_out(
    chart: &Chart,
    options: &[ScoredOption],
    criteria: &[Series],
    area: Rect,
    style: &ChartStyle,
) -> TableLayout {
    let size = style.label_size;
    let wants_totals = chart.bool_setting("showTotals", false);
    let ColumnLayout { label_width, width: column_width, count: fitting_columns, names, header } =
        lay_out_columns(options, criteria, wants_totals, area, style);
    let has_totals = wants_totals && fitting_columns > 1;
    let column_count = (fitting_columns - usize::from(has_totals)).max(1);
    let min_row_height = MIN_TEXT_SIZE * MIN_ROW_HEIGHT_EM;
    let fitting_rows =
        |bottom: f64| ((bottom - area.y0 - header.height).max(0.0) / min_row_height) as usize;
    let row_count = match fitting_rows(area.y1) {
        all if all >= options.len() => options.len(),
        _ => fitting_rows(area.y1 - tiles::overflow_note_height(style)).clamp(1, options.len()),
    };
    let has_note = row_count < options.len();
    let bottom = area.y1 - if has_note { tiles::overflow_note_height(style) } else { 0.0 };
    let row_height =
        ((bottom - area.y0 - header.height) / row_count as f64).min(size * 5.5).max(1.0);
    let radius = (row_height * 0.36).min(column_width * 0.36).min(size * 1.5);
    let area = Rect { x1: area.x0 + label_width + column_width * fitting_columns as f64, ..area };
    TableLayout {
        area,
        criteria_left: area.x0 + label_width,
        column_width,
        column_count,
        header,
        names,
        header_bottom: area.y0 + header.height,
        row_height,
        row_count,
        radius,
        has_totals,
    }
}

/// Chooses the widths of the columns: those that shorten the fewest names and headers, then those with larger
/// names.
fn lay_out_columns(
    options: &[ScoredOption],
    criteria: &[Series],
    wants_totals: bool,
    area: Rect,
    style: &ChartStyle,
) -> ColumnLayout {
    let size = style.label_size;
    let width = |option: &ScoredOption| text::width(&option.label, size, Face::BOLD);
    let widest_label = options.iter().map(width).fold(0.0, f64::max);
    let usual_width = (widest_label + size * 1.2).min(area.width() * 0.36).max(size);
    let wanted_columns = criteria.len().max(1) + usize::from(wants_totals);
    let labels: Vec<&str> = options.iter().map(|option| &*option.label).collect();
    let lay_out = |label_width: f64, may_widen: bool| {
        let free_width = area.width() - label_width;
        let count = ((free_width / (size * 3.0)).max(1.0) as usize).min(wanted_columns);
        // The maximum keeps the columns of few criteria close together.
        let width = (free_width / count as f64).min(size * 13.0);
        let label_width = if may_widen {
            (area.width() - width * count as f64).min(label_width * 2.2).max(label_width)
        } else {
            label_width
        };
        let header = size_headers(criteria, width, area.height() * 0.35, style);
        let row_height = (area.height() - header.height) / options.len().max(1) as f64;
        let row_height = row_height.max(MIN_TEXT_SIZE * MIN_ROW_HEIGHT_EM);
        let widths = [(label_width - size * 0.6).max(0.0)];
        let names = EndNames::plan(&labels, row_height * 0.9, &widths, style);
        ColumnLayout { label_width, width, count, names, header }
    };
    let cost = |layout: &ColumnLayout| {
        let cut_names = layout.names.full.iter().flatten().count();
        let is_small = layout.names.size < size;
        (wanted_columns - layout.count, cut_names + layout.header.cut_count, is_small)
    };
    let mut best = lay_out(usual_width, widest_label + size * 0.6 <= usual_width);
    for share in [0.36, 0.3, 0.24, 0.42, 0.48, 0.54] {
        if cost(&best) <= (0, 0, false) {
            break;
        }
        let other = lay_out(area.width() * share, false);
        if cost(&other) < cost(&best) {
            best = other;
        }
    }
    if cost(&best).1 > 0 {
        // Columns as narrow as their circles permit.
        let narrow_columns = wanted_columns as f64 * size * MIN_COLUMN_WIDTH_EM;
        let other = lay_out((area.width() - narrow_columns).max(best.label_width), false);
        if cost(&other) <= cost(&best) {
            best = other;
        }
    }
    best
}

/// Chooses the largest font size and the fewest lines at which no header of a criterion is shortened
/// and the headers take at most `max_height` points. Ignores the header of the sums.
fn size_headers(
    criteria: &[Series],
    column_width: f64,
    max_height: f64,
    style: &ChartStyle,
) -> HeaderSize {
    let measure = |(font_size, line_count): (f64, usize)| {
        let wrap_title = |criterion: &Series| {
            let width = column_width - font_size * 0.5;
            text::wrap(&criterion.title, width, line_count, font_size, Face::BOLD)
        };
        let titles: Vec<Vec<String>> = criteria.iter().map(wrap_title).collect();
        let is_cut =
            |lines: &&Vec<String>| lines.is_empty() || lines.iter().any(|line| line.ends_with('…'));
        let rows = titles.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64;
        let height = font_size * 1.2 * rows + font_size * 0.6;
        HeaderSize {
            font_size,
            line_count,
            height,
            cut_count: titles.iter().filter(is_cut).count(),
        }
    };
    let (label, small) = (style.label_size, style.small_size);
    let middle = (small + MIN_TEXT_SIZE) / 2.0;
    let forms = [
        (label, 2),
        (small, 2),
        (label, 3),
        (small, 3),
        (middle, 3),
        (MIN_TEXT_SIZE, 3),
        (MIN_TEXT_SIZE, 4),
    ];
    let mut sizes: Vec<HeaderSize> = forms.map(measure).into();
    let two_lines = measure((small, 2));
    sizes.retain(|size| size.height <= max_height);
    sizes.into_iter().min_by_key(|size| size.cut_count).unwrap_or(two_lines)
}

/// Returns the horizontal center of a column. The column of the sums follows the last criterion.
fn column_center(table: &TableLayout, index: usize) -> f64 {
    table.criteria_left + (index as f64 + 0.5) * table.column_width
}

/// Draws the column headers, bottom-aligned, with a line below them.
fn draw_headers(
    chart: &Chart,
    table: &TableLayout,
    criteria: &[Series],
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let size = table.header.font_size;
    let max_width = table.column_width - size * 0.5;
    let sum_title = chart
        .setting("totalTitle")
        .as_str()
        .map_or(Cow::Borrowed(style.locale.translate(Term::Sum)), text::sanitize);
    let titles = criteria.iter().take(table.column_count).map(|criterion| criterion.title.as_str());
    for (index, title) in titles.chain(table.has_totals.then_some(&*sum_title)).enumerate() {
        let lines = text::wrap(title, max_width, table.header.line_count, size, Face::BOLD);
        for (line, line_text) in lines.iter().enumerate() {
            let offset = (lines.len() - 1 - line) as f64 * size * 1.2;
            let baseline = table.header_bottom - size * 0.6 - offset - size * 0.1;
            let width = text::width(line_text, size, Face::BOLD);
            let full = line_text.ends_with('…').then(|| title.to_owned());
            let text = style.label_text(
                column_center(table, index),
                baseline,
                Anchor::Middle,
                size,
                line_text,
            );
            scene.text(Text { face: Face::BOLD, width, full, ..text });
        }
    }
    scene.line(
        (table.area.x0, table.header_bottom),
        (table.area.x1, table.header_bottom),
        Stroke::new(style.axis_color, 1.0),
    );
}

/// Draws the row of one option: its label, its circles and, if the table has a column for it, the
/// sum of its scores. A missing score is a dash.
///
/// Draws a line above each row but the first. Leaves the mark of the last circle open.
fn draw_row(
    chart: &Chart,
    option: &ScoredOption,
    index: usize,
    table: &TableLayout,
    criteria: &Criteria,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let top = table.header_bottom + index as f64 * table.row_height;
    let center = top + table.row_height / 2.0;
    if index > 0 {
        scene.line((table.area.x0, top), (table.area.x1, top), Stroke::new(style.grid_color, 1.0));
    }
    let face = if option.highlighted { Face::BOLD } else { style.label_face() };
    let size = table.names.size;
    for name in table.names.texts(index, (table.area.x0, center), Anchor::Start, style) {
        let bold_width = text::width(&name.text, size, Face::BOLD);
        // A bold name may be wider than the space measured for a regular one.
        let fits = table.area.x0 + bold_width <= table.criteria_left - size * 0.2;
        let (face, width) = if option.highlighted && fits {
            (Face::BOLD, bold_width)
        } else {
            (name.face, name.width)
        };
        scene.text(Text { face, width, ..name });
    }
    let fill = if option.highlighted { chart.theme.highlight_color } else { chart.series_color(0) };
    for (column, (score, criterion)) in
        option.scores.iter().zip(&criteria.columns).take(table.column_count).enumerate()
    {
        let at = Point::new(column_center(table, column), center);
        let Some(score) = score else {
            let half = table.radius * 0.4;
            scene.line(
                (at.x - half, at.y),
                (at.x + half, at.y),
                Stroke::new(style.muted_color, 1.0),
            );
            continue;
        };
        scene.begin_mark("ball", Some(option.row), || {
            let [score, steps] = [*score, criteria.steps].map(|number| {
                let (all, rules) = ([number].into_iter(), FormatRules::default());
                NumberFormat::for_values(all, &rules, chart.locale()).text(number)
            });
            let tip = format!("{}, {}: {score}/{steps}", option.label, criterion.title);
            (Some(criterion.key.clone()), tip)
        });
        draw_ball(at, table.radius, score / criteria.steps, fill, style, scene);
    }
    if table.has_totals {
        draw_score_sum(chart, option, table, RowFont { center, size, face }, style, scene);
    }
}

/// Draws the sum of all scores of an option in the last column of the table, which must have a
/// column of sums.
///
/// A missing score counts as 0. The sum includes criteria without a column.
fn draw_score_sum(
    chart: &Chart,
    option: &ScoredOption,
    table: &TableLayout,
    font: RowFont,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let RowFont { center, size, face } = font;
    let sum = option.sum();
    let format =
        NumberFormat::for_values([sum].into_iter(), &FormatRules::default(), chart.locale());
    let sum_text = format.text(sum);
    let x = column_center(table, table.column_count);
    let text =
        style.label_text(x, center + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, &sum_text);
    scene.text(Text {
        face,
        width: text::width(&sum_text, size, face),
        color: style.value_color,
        ..text
    });
}

/// Draws a circle of which `share` (0 to 1) is filled, clockwise from the top.
fn draw_ball(
    center: Point,
    radius: f64,
    share: f64,
    fill: Color,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let rim_width = (radius * 0.14).clamp(1.0, 2.0);
    let rim = Stroke::new(fill, rim_width);
    let inner_radius = (radius - rim_width / 2.0).max(0.5);
    scene.circle(center, inner_radius, style.background, Some(rim));
    if share >= 1.0 - 1e-9 {
        scene.circle(center, inner_radius, fill, None);
    } else if share > 1e-9 {
        scene.fill(ring::sector(center, (inner_radius, 0.0), (0.0, share * TAU)), fill);
    }
}

/// Draws the legend: five circles between the titles of an empty and a full circle. Returns the
/// area below it. If the legend is wider than the area, it is omitted and the area is unchanged.
fn draw_legend(chart: &Chart, area: Rect, style: &ChartStyle, scene: &mut Scene) -> Rect {
    let size = style.label_size;
    let title_or = |key: &str, default: Term| {
        let title = chart.setting(key).as_str().map(text::sanitize);
        title.map_or_else(|| style.locale.translate(default).to_owned(), Cow::into_owned)
    };
    let ends = [title_or("emptyTitle", Term::NotAtAll), title_or("fullTitle", Term::Fully)];
    let radius = size * 0.5;
    let titles_width: f64 = ends.iter().map(|title| style.text_width(title, size)).sum();
    let balls_width = radius * 2.0 * 5.0 + size * 0.35 * 4.0;
    if titles_width + balls_width + size > area.width() {
        return area;
    }
    let center = area.y0 + size * 0.55;
    let mut x = area.x0;
    let [empty, full] = &ends;
    let baseline = center + HALF_CAP_HEIGHT_EM * size;
    scene.text(Text {
        color: style.muted_color,
        ..style.label_text(x, baseline, Anchor::Start, size, empty)
    });
    x += if empty.is_empty() { 0.0 } else { style.text_width(empty, size) + size * 0.5 };
    for step in 0..5 {
        let at = Point::new(x + radius, center);
        draw_ball(at, radius, f64::from(step) / 4.0, style.muted_color, style, scene);
        x += radius * 2.0 + size * 0.35;
    }
    scene.text(Text {
        color: style.muted_color,
        ..style.label_text(x + size * 0.15, baseline, Anchor::Start, size, full)
    });
    Rect { y0: area.y0 + size * 1.1 + style.unit * 10.0, ..area }
}

/// Sets the text description of the scene: the number of options and criteria, and the options with
/// the lowest and the highest sum. Does nothing without options.
fn describe(options: &[ScoredOption], criteria: &Criteria, scene: &mut Scene) {
    let Criteria { columns, steps } = criteria;
    let best = options.iter().max_by(|a, b| a.sum().total_cmp(&b.sum()));
    let worst = options.iter().min_by(|a, b| a.sum().total_cmp(&b.sum()));
    if let (Some(best), Some(worst)) = (best, worst) {
        scene.description = format!(
            "Harvey balls of {} option{} by {} {}, 0 to {steps}; sums from {:.1} ({}) to {:.1} ({}).",
            options.len(),
            if options.len() == 1 { "" } else { "s" },
            columns.len(),
            if columns.len() == 1 { "criterion" } else { "criteria" },
            worst.sum(),
            worst.label,
            best.sum(),
            best.label,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn long_names_and_headers_are_wrapped() {
        let record = |index: usize| {
            json!({
                "option": format!("Supplier {index} with an office in the harbour district of the city"),
                "Price": index % 5,
                "Extension by open interfaces": (index + 1) % 5,
                "Support in the local language": (index + 2) % 5,
            })
        };
        let data: Vec<Value> = (0..8).map(record).collect();
        let scene = crate::draw(&Chart::new(crate::find_kind("harvey-balls").unwrap(), &data));
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        assert_eq!(scene.omissions, [], "{texts:?}");
    }
}
