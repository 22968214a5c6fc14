//! Risk matrix: risks in a grid of five by five cells, by probability and impact.
//!
//! Record: `label`, `probability` and `impact` (1 to 5, a percentage, or a word such as `Likely`),
//! `highlighted`. Settings: `labels`
//! (`auto`, `names`, `numbers`), `probabilityTitles` and `impactTitles` (five titles each),
//! `xTitle`, `yTitle`, `lowColor`, `highColor`, `showList`.

mod grid;
mod labels;
mod steps;
mod words;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{Locale, Omission, Term};
use crate::frame;
use crate::frame::category;
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::number_columns::quote;
use crate::scale::BandScale;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;
use crate::text::Face;

use grid::{Risk, RiskGrid, STEPS};
use labels::ListPlan;
pub use steps::is_step_word;
use steps::{Step, StepColumn};

/// The risk matrix.
pub const KIND: Kind = Kind { slug: "risk-matrix", draw };

/// Maximum number of names in a warning.
const MAX_REPORTED_NAMES: usize = 12;
/// Minimum width of the row labels in points.
const MIN_ROW_LABEL_WIDTH: f64 = 18.0;

/// Draws the grid with a name or a number for each risk. Draws a note instead if there are no
/// risks.
///
/// The setting `labels` forces `names` or `numbers`. With `auto`, the cells contain names if all
/// names fit and there are at most 40 risks, otherwise numbers. With numbers, a list beside the
/// grid contains the names, unless the area is narrow or the setting `showList` is false.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let risks = read_risks(chart, scene);
    if risks.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    // If the names do not fit into the cells, the cells have numbers, and a list beside the grid
    // has the names.
    let name_size = if chart.str_setting("labels") == "numbers" {
        None
    } else {
        let discarded_scene = &mut Scene::new(1.0, 1.0, style.background);
        let fitting_size = labels::choose_name_size(
            &risks,
            &lay_out_grid(chart, frame.area, style, discarded_scene),
            style,
        );
        fitting_size.or((chart.str_setting("labels") == "names").then_some(style.small_size))
    };
    let with_list = name_size.is_none() && chart.bool_setting("showList", true);
    let gap = style.label_size * 1.6;
    let grid_share = if frame.area.width() > frame.area.height() * 1.5 { 0.56 } else { 0.62 };
    // A list in which not all names are whole gets more space, unless the numbers in the cells
    // would have too little.
    let list_area = |share: f64| {
        let left = frame.area.x0 + frame.area.width() * share + gap / 2.0;
        Rect { x0: left, y0: frame.area.y0 + style.label_size * 1.6, ..frame.area }
    };
    let has_all_names =
        |share: &f64| ListPlan::find_whole(&risks, list_area(*share), style).is_some();
    let is_wide_enough = |share: &f64| frame.area.width() * share >= style.label_size * 13.0;
    let shares = [0.48, 0.42, 0.36].into_iter().filter(is_wide_enough);
    let grid_share =
        std::iter::once(grid_share).chain(shares).find(has_all_names).unwrap_or(grid_share);
    let has_list_area = with_list && frame.area.width() > style.label_size * 22.0;
    let (grid_area, list_area) = if has_list_area {
        let split_x = frame.area.x0 + frame.area.width() * grid_share;
        (
            Rect { x1: split_x - gap / 2.0, ..frame.area },
            Some(Rect { x0: split_x + gap / 2.0, ..frame.area }),
        )
    } else {
        (frame.area, None)
    };
    let grid = lay_out_grid(chart, grid_area, style, scene);
    draw_cells(&grid, scene);
    match name_size {
        Some(size) => labels::draw_names(&risks, &grid, size, style, scene),
        None => labels::draw_numbers(chart, &risks, &grid, style, scene),
    }
    if let Some(area) = list_area {
        labels::draw_list(chart, &risks, &grid, Rect { y0: grid.plot.y0, ..area }, style, scene);
    }
    describe(&risks, scene);
}

/// Reads the risks and numbers them from 1 in the returned order: descending by the product of
/// probability and impact, or as in the data if the setting `showList` is false. Ties keep the order of
/// the data.
///
/// Warns about numbers that are not near the scale. Omits records without probability or impact. The
/// scene counts those with a label if there are other risks.
fn read_risks<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Vec<Risk<'a>> {
    let columns = ["probability", "impact"].map(|key| StepColumn::read(chart, key));
    let titles = read_tooltip_titles(chart);
    let mut risks = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let [Some(probability_step), Some(impact_step)] = steps_of(&columns, row).map(Step::index)
        else {
            continue;
        };
        risks.push(Risk {
            row,
            number: 0,
            label: data::record_label(record),
            probability_step,
            impact_step,
            position: describe_position(&titles, [probability_step, impact_step], chart.locale()),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    if chart.bool_setting("showList", true) {
        // The list starts with the worst risk.
        risks.sort_by_key(|risk: &Risk| {
            std::cmp::Reverse((risk.probability_step + 1) * (risk.impact_step + 1))
        });
    }
    for (index, risk) in risks.iter_mut().enumerate() {
        risk.number = index + 1;
    }
    report_steps(chart, &columns, !risks.is_empty(), scene);
    risks
}

/// Returns probability and impact of a record.
fn steps_of(columns: &[StepColumn; 2], row: usize) -> [Step; 2] {
    [0, 1].map(|index| columns[index].steps.get(row).copied().unwrap_or(Step::Missing))
}

/// Warns about texts that are no steps, with the names of the records, and counts the risks with numbers
/// outside the scale. With `has_risks`, also omits the records without a step.
fn report_steps(chart: &Chart, columns: &[StepColumn; 2], has_risks: bool, scene: &mut Scene) {
    let mut unknown = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let steps = steps_of(columns, row);
        let label = data::record_label(record);
        if steps.contains(&Step::Unknown) {
            if has_risks {
                scene.omit_named(Omission::Unknown, &label);
            }
            let index = usize::from(steps[0] != Step::Unknown);
            let text = data::display_text(data::field(record, ["probability", "impact"][index]));
            unknown.push(format!("{} ({})", quote(&label), quote(&text)));
        } else if steps.contains(&Step::Missing) {
            scene.omit(Omission::Incomplete, usize::from(has_risks && !label.is_empty()));
        } else if steps.iter().any(|step| matches!(step, Step::Beyond(_))) {
            scene.omit_named(Omission::AtScaleEnd, &label);
        }
    }
    if !unknown.is_empty() {
        scene.warn(format!(
            "Probability or impact is neither a number from 1 to 5, a percentage nor a known word: {}.",
            join_names(&unknown)
        ));
    }
}

/// Joins up to [`MAX_REPORTED_NAMES`] names, and adds the number of the others.
fn join_names(names: &[String]) -> String {
    let shown = names[..names.len().min(MAX_REPORTED_NAMES)].join(", ");
    match names.len() - names.len().min(MAX_REPORTED_NAMES) {
        0 => shown,
        others => format!("{shown} and {others} more"),
    }
}

/// Returns the five step titles of an axis, from the lowest step to the highest. `key` is the setting
/// with the titles. Steps without a title there have the word or the percentages of the column
/// `column`, or their number from 1 to 5.
fn read_step_titles<'a>(chart: &Chart<'a>, key: &str, column: &str) -> Vec<Cow<'a, str>> {
    let titles = chart.settings[key].as_array();
    let custom_title =
        |index: usize| titles.and_then(|titles| titles.get(index)).map(data::display_text);
    let non_empty_title = |index: usize| custom_title(index).filter(|title| !title.is_empty());
    let read_titles = StepColumn::read(chart, column).titles;
    let titles = read_titles.into_iter().zip(number_titles(chart.locale())).enumerate();
    titles
        .map(|(index, (read, number))| non_empty_title(index).or(read).unwrap_or(number))
        .collect()
}

/// Returns the names of probability and impact, in this order, for tooltips: the titles of the axes, or
/// the translated defaults for missing and empty titles.
fn read_tooltip_titles<'a>(chart: &Chart<'a>) -> [Cow<'a, str>; 2] {
    let titles = [("yTitle", Term::Probability), ("xTitle", Term::Impact)];
    titles.map(|(key, default)| match read_axis_title(chart, key, default) {
        title if title.is_empty() => Cow::Borrowed(chart.locale().translate(default)),
        title => title,
    })
}

/// Returns the names of probability and impact, each with the number of its step, such as
/// "Probability 4, Impact 2". `steps` count from 0, the numbers in the text from 1.
fn describe_position(titles: &[Cow<str>; 2], steps: [usize; 2], locale: Locale) -> String {
    let parts = titles.iter().zip(steps);
    let parts = parts.map(|(title, step)| format!("{title} {}", locale.format_integer(step + 1)));
    parts.collect::<Vec<String>>().join(locale.list_separator())
}

/// Returns the numbers from 1 to `STEPS` as titles, in the digits of the locale.
fn number_titles<'a>(locale: Locale) -> Vec<Cow<'a, str>> {
    (1..=STEPS).map(|step| Cow::Owned(locale.format_integer(step))).collect()
}

/// Returns the title of an axis: the setting `key`, or `default` if the setting is not a text. An
/// empty setting means no title.
fn read_axis_title<'a>(chart: &Chart<'a>, key: &str, default: Term) -> Cow<'a, str> {
    let custom_title = &chart.settings[key];
    if custom_title.is_string() {
        data::display_text(custom_title)
    } else {
        Cow::Borrowed(chart.locale().translate(default))
    }
}

/// Draws the title of the probability at the upper left and that of the impact at the lower right of
/// `area`, bold and shortened to its width. Returns the area between them.
///
/// Empty titles take no space. If the area is low, draws no titles and returns all of it.
fn draw_axis_titles(chart: &Chart, area: Rect, style: &ChartStyle, scene: &mut Scene) -> Rect {
    let size = style.label_size;
    if area.height() <= size * 13.0 {
        return area;
    }
    let y_title = read_axis_title(chart, "yTitle", Term::Probability);
    let x_title = read_axis_title(chart, "xTitle", Term::Impact);
    let mut draw_title = |title: &str, x: f64, baseline: f64, anchor: Anchor| {
        let shown = text::ellipsize(title, area.width(), size, Face::BOLD);
        let width = text::width(&shown, size, Face::BOLD);
        let text = style.label_text(x, baseline, anchor, size, &shown);
        scene.text(Text { face: Face::BOLD, width, ..text });
    };
    draw_title(&y_title, area.x0, area.y0 + ASCENT_EM * size, Anchor::Start);
    draw_title(&x_title, area.x1, area.y1 - size * 0.25, Anchor::End);
    let top_height = if y_title.is_empty() { 0.0 } else { size * 1.5 };
    let bottom_height = if x_title.is_empty() { 0.0 } else { size * 1.35 };
    Rect { y0: area.y0 + top_height, y1: area.y1 - bottom_height, ..area }
}

/// Lays out the grid in `area` and draws the titles and step titles of its axes, but not the cells. If
/// the step titles of the columns are too long, both axes have numbers as step titles.
fn lay_out_grid(chart: &Chart, area: Rect, style: &ChartStyle, scene: &mut Scene) -> RiskGrid {
    let top = area.y0;
    let area = draw_axis_titles(chart, area, style, scene);
    let padding = 0.04;
    let mut row_titles = read_step_titles(chart, "probabilityTitles", "probability");
    let mut column_titles = read_step_titles(chart, "impactTitles", "impact");
    row_titles.reverse();
    let step = (area.y1 - top) / 6.0;
    let mut row_labels = RowLabels::plan(&row_titles, step, area.width() * 0.3, style);
    let column_scale_from = |left: f64| BandScale {
        count: STEPS,
        range: (left, area.x1),
        padding,
        max_width: f64::INFINITY,
    };
    let mut columns = column_scale_from(area.x0 + row_labels.width);
    let mut column_labels =
        ColumnLabels::plan(&column_titles, columns.step(), area.height() * 0.4, style);
    if column_labels.height > style.unit * category::CATEGORY_LABEL_GAP + style.label_size * 2.3 {
        // Rotated titles would take the space of the cells, so both axes have numbers.
        column_titles = number_titles(chart.locale());
        row_titles = number_titles(chart.locale()).into_iter().rev().collect();
        row_labels = RowLabels::plan(&row_titles, step, area.width() * 0.3, style);
        columns = column_scale_from(area.x0 + row_labels.width);
        column_labels =
            ColumnLabels::plan(&column_titles, columns.step(), area.height() * 0.4, style);
    }
    let plot = Rect::new(
        columns.range.0,
        area.y0,
        area.x1,
        (area.y1 - column_labels.height).max(area.y0 + 5.0),
    );
    // The height of the rows is known now, so the row labels are wrapped again.
    let min_label_width = MIN_ROW_LABEL_WIDTH + style.unit * 8.0;
    let row_labels = RowLabels::plan(
        &row_titles,
        plot.height() / STEPS as f64,
        row_labels.width.max(min_label_width) + 0.1,
        style,
    );
    // Horizontal and vertical gaps are equal.
    let gap = (columns.step() * padding).min(3.0 * style.unit);
    let padding_for = |step: f64| (gap / step.max(1.0)).min(0.5);
    let columns = BandScale { padding: padding_for(columns.step()), ..columns };
    let rows = BandScale {
        count: STEPS,
        range: (plot.y0, plot.y1),
        padding: padding_for(plot.height() / 5.0),
        max_width: f64::INFINITY,
    };
    row_labels.draw(scene, style, area.x0, &rows);
    column_labels.draw(scene, style, plot, &columns);
    RiskGrid { plot, columns, rows, fills: grade_colors(chart, style) }
}

/// Returns the cell colors of the four grades, from the lowest to the highest: from the setting
/// `lowColor` over two blends to `highColor`. The defaults are a pale shade of the highlight color of
/// the theme, and that color.
fn grade_colors(chart: &Chart, style: &ChartStyle) -> [Color; 4] {
    let color_setting =
        |key: &str, default: Color| Color::parse(chart.str_setting(key)).unwrap_or(default);
    let low_color =
        color_setting("lowColor", chart.theme.highlight_color.mix(style.background, 0.9));
    let high_color = color_setting("highColor", chart.theme.highlight_color);
    [low_color, low_color.mix(high_color, 0.3), low_color.mix(high_color, 0.62), high_color]
}

/// Draws the backgrounds of all cells.
fn draw_cells(grid: &RiskGrid, scene: &mut Scene) {
    for probability_step in 0..STEPS {
        for impact_step in 0..STEPS {
            scene.rect(
                grid.cell_rect(probability_step, impact_step),
                grid.cell_color(probability_step, impact_step),
            );
        }
    }
}

/// Sets the text description of the scene: the number of risks, the number in the highest grade, and
/// the worst one, which of several is the first. Does nothing without risks.
fn describe(risks: &[Risk], scene: &mut Scene) {
    let severity = |risk: &Risk| (risk.probability_step + 1) * (risk.impact_step + 1);
    let extreme_count = risks.iter().filter(|risk| severity(risk) >= 15).count();
    // In reverse order, because `max_by_key` returns the last of several maxima.
    if let Some(worst) = risks.iter().rev().max_by_key(|risk| severity(risk)) {
        let plural = if risks.len() == 1 { "" } else { "s" };
        scene.description = format!(
            "Risk matrix of {} risk{plural}, {extreme_count} of them in the highest grade; the worst is {} (probability {}, impact {}).",
            risks.len(),
            worst.label,
            worst.probability_step + 1,
            worst.impact_step + 1,
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn records_without_a_known_step_are_named() {
        let records = [
            json!({"label": "Fire", "probability": "Rare", "impact": "Severe"}),
            json!({"label": "Strike", "probability": "now and then", "impact": "Minor"}),
            json!({"label": "Flood", "probability": "Likely", "impact": 9}),
        ];
        let chart = Chart::new(crate::find_kind("risk-matrix").unwrap(), &records);
        let scene = crate::draw(&chart);
        let warnings = scene.warnings.join("\n");
        assert!(warnings.contains("known word: “Strike” (“now and then”)."), "{warnings}");
        assert!(warnings.contains("Outside the scale, drawn at its end: 1 (Flood)."), "{warnings}");
        let texts: Vec<&str> = scene.text_boxes().map(|(text, _)| text).collect();
        for shown in ["Fire", "Flood", "Rare", "Severe"] {
            assert!(texts.contains(&shown), "{shown}: {texts:?}");
        }
        for noted in ["Strike", "drawn at its end: 1 (Flood)"] {
            assert!(texts.iter().any(|text| text.contains(noted)), "{noted}: {texts:?}");
        }
    }
}
