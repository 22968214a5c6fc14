//! Harvey balls: a table of options by criteria, with a partly filled circle for each score.
//!
//! Record: `option` (or `label`), one column per criterion (score, 0 to `steps`), `highlighted`.
//! Settings: `series` (`key`, `title` of the criteria), `steps` (score of a full circle, default
//! 4), `sort` (by the sum), `showTotals`, `totalTitle`, `showLegend`, `emptyTitle`, `fullTitle`.

mod layout;
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
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::shape::ring;
use crate::text;
use crate::text::Face;
use crate::tiles;

use layout::TableLayout;
use options::{Criteria, ScoredOption};

/// The Harvey balls.
pub const KIND: Kind = Kind { slug: "harvey-balls", draw };

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
    let table = layout::lay_out(chart, &options, &criteria.columns, area, style);
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

/// Draws the titles of the criteria and of the sums above their columns, bottom-aligned, wrapped
/// and shortened if necessary, and a line below them.
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
                table.column_center(index),
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
        let at = Point::new(table.column_center(column), center);
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

/// Draws the sum of all scores of an option after the criteria. The table must have a column of
/// sums.
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
    let x = table.column_center(table.column_count);
    let text =
        style.label_text(x, center + HALF_CAP_HEIGHT_EM * size, Anchor::Middle, size, &sum_text);
    scene.text(Text {
        face,
        width: text::width(&sum_text, size, face),
        color: style.value_color,
        ..text
    });
}

/// Draws a circle with a rim in the color `fill`, of which `share` (0 to 1) is filled, too,
/// clockwise from the top. The rest has the background color. `radius` is in points and includes
/// the rim.
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

/// Sets the text description of the scene: the number of options and criteria, the scale, and the
/// options with the lowest and the highest sum. Does nothing without options.
fn describe(options: &[ScoredOption], criteria: &Criteria, scene: &mut Scene) {
    let Criteria { columns, steps } = criteria;
    let best = options.iter().max_by(|a, b| a.sum().total_cmp(&b.sum()));
    let worst = options.iter().min_by(|a, b| a.sum().total_cmp(&b.sum()));
    if let (Some(best), Some(worst)) = (best, worst) {
        scene.description = format!(
            "Harvey balls of {} option{} by {} {}, 0 to {steps}; \
             sums from {:.1} ({}) to {:.1} ({}).",
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
            let name =
                format!("Supplier {index} with an office in the harbour district of the city");
            json!({
                "option": name,
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
