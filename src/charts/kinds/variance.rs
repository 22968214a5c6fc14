//! Variance chart: actual against planned values, with their differences in panels beside them.
//!
//! The first panel has a bar for the actual value in the outline of the planned value. The others
//! have the difference, and the difference in percent of the plan. Each panel has a scale of its
//! own, with zero in common for all rows.
//!
//! Record: `label`, `actual`, `plan`, `isForecast` (optional flag: the actual value is only
//! expected), `highlighted` (optional flag). Settings: `variance` (`both`, `absolute`, `relative`),
//! `higherIsBetter`, `sort` with `sortBy` (`variance`, `percent`, `actual`, `plan`), `actualTitle`,
//! `planTitle`, `varianceTitle`, `positiveColor`, `negativeColor`, `showValues`, `showLegend`,
//! `showGrid`, `axis` (`title`).

mod panels;
mod records;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, Omission, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::RowLabels;
use crate::frame::legend;
use crate::frame::legend::Swatch;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;

use records::{Difference, Row};

/// The variance chart.
pub const KIND: Kind = Kind { slug: "variance", draw };

/// Minimum width in label sizes of a plot with both panels of differences.
const MIN_WIDTH_FOR_BOTH: f64 = 26.0;
/// Usual shares of the width of values, absolute and relative differences.
const THREE_PANEL_SHARES: [f64; 3] = [0.44, 0.29, 0.27];
/// Usual shares of the width without relative differences.
const TWO_PANEL_SHARES: [f64; 3] = [0.58, 0.42, 0.0];
/// Maximum share of the width of a panel for its texts.
const MAX_TEXT_SHARE: f64 = 0.65;
/// Minimum width of the bars of the values in label sizes, beside texts that take more than the usual share.
const MIN_BARS: f64 = 4.0;

/// Colors of the marks.
struct Colors {
    actual: Color,
    forecast: Color,
    plan: Color,
    good: Color,
    bad: Color,
    /// Whether a value above the plan is good.
    higher_is_better: bool,
}

/// A panel with a horizontal scale.
struct Panel {
    area: Rect,
    scale: LinearScale,
}

/// Layout of the plot.
struct Plot {
    band: BandScale,
    values: Panel,
    /// Panel of the absolute differences. None if it is switched off.
    absolute: Option<Panel>,
    /// Panel of the relative differences. None if it is switched off or has no space.
    relative: Option<Panel>,
    /// Font size of all values in points. None if they do not fit or are switched off.
    value_size: Option<f64>,
}

impl Colors {
    /// Reads the colors of the settings, or the defaults.
    fn new(chart: &Chart, style: &ChartStyle) -> Colors {
        let setting = |key: &str| Color::parse(chart.str_setting(key));
        let actual = style.muted_color.mix(style.background, 0.1);
        Colors {
            actual,
            forecast: actual.mix(style.background, 0.4),
            plan: style.text_color,
            good: setting("positiveColor").unwrap_or_else(|| chart.series_color(0)),
            bad: setting("negativeColor").unwrap_or(chart.theme.highlight_color),
            higher_is_better: chart.bool_setting("higherIsBetter", true),
        }
    }

    /// Returns the color of a difference, actual minus plan: good or bad as the setting
    /// `higherIsBetter` says, or that of actual values for 0.
    fn of_difference(&self, difference: f64) -> Color {
        match difference {
            0.0 => self.actual,
            _ if (difference > 0.0) == self.higher_is_better => self.good,
            _ => self.bad,
        }
    }
}

/// Draws legend, names and panels with one row per record. The scene counts missing values. Draws a note
/// instead if no record has an actual or planned value.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let rows = records::read_rows(chart);
    if rows.iter().all(|row| row.actual.is_none() && row.plan.is_none()) {
        return frame::draw_no_data(frame, scene);
    }
    scene.omit(Omission::MissingValue, chart.count_gaps(["actual", "plan"]));
    describe(&rows, scene);
    let colors = Colors::new(chart, style);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) {
        area = draw_legend(chart, &rows, &colors, style, area, scene);
    }
    let plot = lay_out(chart, &rows, area, style, scene);
    for (index, row) in rows.iter().enumerate() {
        panels::draw_values(row, index, &plot, &colors, style, scene);
        panels::draw_absolute(row, index, &plot, &colors, style, scene);
        panels::draw_relative(row, index, &plot, &colors, style, scene);
    }
    for panel in [Some(&plot.values), plot.absolute.as_ref(), plot.relative.as_ref()] {
        let Some(panel) = panel else { continue };
        panels::draw_zero_line(&panel.scale, panel.area, style, scene);
    }
}

/// Returns the title in the setting `key`, or the translated default title if that is empty or no text.
fn read_title<'a>(chart: &Chart<'a>, key: &str, default: Term) -> Cow<'a, str> {
    match chart.settings[key].as_str().map(text::sanitize) {
        Some(title) if !title.is_empty() => title,
        _ => Cow::Borrowed(chart.locale().translate(default)),
    }
}

/// Draws the legend of actual values, forecasts and planned values, as far as there are any.
/// Returns the area below it.
fn draw_legend(
    chart: &Chart,
    rows: &[Row],
    colors: &Colors,
    style: &ChartStyle,
    area: Rect,
    scene: &mut Scene,
) -> Rect {
    let actual = read_title(chart, "actualTitle", Term::Actual);
    let plan = read_title(chart, "planTitle", Term::Planned);
    let forecast = chart.locale().translate(Term::Forecast);
    let has_actual = |is_forecast: bool| {
        rows.iter().any(|row| row.is_forecast == is_forecast && row.actual.is_some())
    };
    let has_plan = rows.iter().any(|row| row.plan.is_some());
    let entries = [
        has_actual(false).then_some((&*actual, colors.actual, Swatch::Box)),
        has_actual(true).then_some((forecast, colors.forecast, Swatch::Box)),
        has_plan.then_some((&*plan, colors.plan, Swatch::Outline)),
    ];
    legend::draw_with_swatches(scene, style, area, entries.into_iter().flatten())
}

/// Lays out the panels in `area` and draws their titles, the axes and the names, but not the bars.
///
/// If the settings ask for both differences, a narrow plot has only the absolute ones. A low area has no
/// titles. Unless the setting `showGrid` is present, axes are drawn only if there are no values.
fn lay_out(
    chart: &Chart,
    rows: &[Row],
    mut area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Plot {
    let header_y = area.y0;
    let with_header = area.height() > style.label_size * 6.0;
    area.y0 += if with_header { style.label_size * 1.7 } else { 0.0 };
    let names: Vec<Cow<str>> = rows.iter().map(|row| row.label.clone()).collect();
    let count = rows.len().max(1) as f64;
    let row_labels = RowLabels::plan_uncut(
        &names,
        area.height() / count,
        (area.width() * 0.3, area.width() * 0.45),
        style,
    );
    let left = area.x0 + row_labels.width;
    let plot_area = Rect { x0: left.min(area.x1 - 1.0), ..area };
    // The axis is drawn below values only if the settings ask for it.
    let axis_space =
        if chart.bool_setting("showGrid", false) { ValueAxis::bottom_height(style) } else { 0.0 };
    let step = (area.height() - axis_space) / count;
    let (areas, value_size) = choose_areas(chart, rows, plot_area, step, style);
    let value_size = value_size.filter(|_| chart.bool_setting("showValues", true));
    let with_axis = chart.bool_setting("showGrid", value_size.is_none())
        && area.height() > style.label_size * 4.0;
    let axis_height = if with_axis { ValueAxis::bottom_height(style) } else { 0.0 };
    let bottom = (area.y1 - axis_height).max(area.y0 + 1.0);
    let max_width = 40.0 * style.unit;
    let band = BandScale { count: rows.len(), range: (area.y0, bottom), padding: 0.3, max_width };
    row_labels.draw(scene, style, area.x0, &band);
    let percent = FormatRules { percent: true, ..FormatRules::default() };
    let rules = chart.format_rules("actual");
    let mut new_panel = |column: Column, rules: &FormatRules| {
        let area = areas.get(column as usize).copied().flatten()?;
        let rules = with_axis.then_some(rules);
        let panel_area = Rect { y1: bottom, ..area };
        let space = measure_space(rows, column, value_size, style);
        let domain = find_domain(rows, column);
        let panel = create_panel(chart, panel_area, domain, space, rules, style, scene);
        if with_header {
            draw_header(chart, column, &panel, header_y, style, scene);
        }
        Some(panel)
    };
    let values = new_panel(Column::Values, &rules);
    let absolute = new_panel(Column::Absolute, &rules);
    let relative = new_panel(Column::Relative, &percent);
    let empty =
        || Panel { area, scale: LinearScale { domain: (0.0, 1.0), range: (left, area.x1) } };
    Plot { band, values: values.unwrap_or_else(empty), absolute, relative, value_size }
}

/// A panel of the chart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Values = 0,
    Absolute = 1,
    Relative = 2,
}

impl Column {
    const ALL: [Column; 3] = [Column::Values, Column::Absolute, Column::Relative];

    /// Returns the one or two numbers of a row that the panel shows, each with its text, which may be
    /// empty: the actual and the planned value, or one difference. None for a missing number.
    fn numbers<'a>(self, row: &'a Row) -> [Option<(f64, &'a str)>; 2] {
        let of = |difference: &'a Difference| (difference.value, &*difference.text);
        match self {
            Column::Values => [
                row.actual.map(|actual| (actual, &*row.actual_text)),
                row.plan.map(|plan| (plan, "")),
            ],
            Column::Absolute => [row.absolute.as_ref().map(of), None],
            Column::Relative => [row.percent().map(of), None],
        }
    }
}

/// Returns the areas of the panels, see `split_area`, and the font size of the texts in them. If the
/// texts do not fit with the usual shares of the width, long amounts get more of it. If they fit in
/// no way, returns the areas with the usual shares and no size.
fn choose_areas(
    chart: &Chart,
    rows: &[Row],
    area: Rect,
    step: f64,
    style: &ChartStyle,
) -> ([Option<Rect>; 3], Option<f64>) {
    let has_space = area.width() >= style.label_size * MIN_WIDTH_FOR_BOTH;
    let usual = match chart.str_setting("variance") {
        "relative" => [0.58, 0.0, 0.42],
        "absolute" => TWO_PANEL_SHARES,
        _ if !has_space => TWO_PANEL_SHARES,
        _ => THREE_PANEL_SHARES,
    };
    let areas = split_area(usual, area, style);
    let size = choose_value_size(rows, &areas, step, style);
    if size.is_some() {
        return (areas, size);
    }
    let fitting = [style.label_size, style.small_size].into_iter().find_map(|size| {
        let shares = share_by_need(rows, usual, area.width(), size, style)?;
        let areas = split_area(shares, area, style);
        Some((areas, Some(choose_value_size(rows, &areas, step, style)?)))
    });
    fitting.unwrap_or((areas, None))
}

/// Returns shares of the width with which the texts of each panel fit at a font size. The rest of the
/// width is divided like the `usual` shares. None if the texts need more than the whole width, or leave too
/// little for the bars of the values.
fn share_by_need(
    rows: &[Row],
    usual: [f64; 3],
    width: f64,
    size: f64,
    style: &ChartStyle,
) -> Option<[f64; 3]> {
    let gap = panel_gap(width, style);
    let need = |(column, usual): (Column, f64)| {
        let (left, right) = measure_space(rows, column, Some(size), style);
        // A tolerance against binary rounding.
        if usual > 0.0 { ((left + right) / MAX_TEXT_SHARE + gap + 0.1) / width } else { 0.0 }
    };
    let [values, absolute, relative] = Column::ALL;
    let needed = [(values, usual[0]), (absolute, usual[1]), (relative, usual[2])].map(need);
    let rest = 1.0 - needed.iter().sum::<f64>();
    let shares = [0, 1, 2].map(|index| needed[index] + rest * usual[index]);
    let (left, right) = measure_space(rows, values, Some(size), style);
    let bars = shares[0] * width - gap - left - right;
    (rest >= 0.0 && bars >= style.label_size * MIN_BARS).then_some(shares)
}

/// Returns the gap between two panels in points if all of them have `width` points.
fn panel_gap(width: f64, style: &ChartStyle) -> f64 {
    (18.0 * style.unit).min(width * 0.04)
}

/// Splits `area` into the areas of the panels, side by side with gaps: values, absolute differences,
/// relative differences. None for a panel without a share of the width.
fn split_area(shares: [f64; 3], area: Rect, style: &ChartStyle) -> [Option<Rect>; 3] {
    let gap = panel_gap(area.width(), style);
    let mut x = area.x0;
    shares.map(|share| {
        let width = area.width() * share;
        let panel = Rect { x0: x, x1: x + (width - gap).max(1.0), ..area };
        x += width;
        (share > 0.0).then_some(panel)
    })
}

/// Returns the lowest and the highest number of a panel, with zero. 0 and 1 if all are 0.
fn find_domain(rows: &[Row], column: Column) -> (f64, f64) {
    let numbers = rows.iter().flat_map(|row| column.numbers(row)).flatten();
    let (low, high) = numbers
        .fold((0.0f64, 0.0f64), |(low, high), (number, _)| (low.min(number), high.max(number)));
    if low == high { (0.0, 1.0) } else { (low, high) }
}

/// Returns the space in points for the texts at the left (of negative numbers) and at the right of a
/// panel. Both are 0 if no values are shown (`value_size` is None).
fn measure_space(
    rows: &[Row],
    column: Column,
    value_size: Option<f64>,
    style: &ChartStyle,
) -> (f64, f64) {
    let Some(size) = value_size else { return (0.0, 0.0) };
    let dot = if column == Column::Relative { panels::dot_radius(100.0, style) } else { 0.0 };
    let widest = |is_negative: bool| {
        let numbers = rows.iter().flat_map(|row| column.numbers(row)).flatten();
        let texts = numbers.filter(|(number, _)| (*number < 0.0) == is_negative);
        let width = texts.map(|(_, text)| style.text_width(text, size)).fold(0.0, f64::max);
        if width > 0.0 { width + size * 0.5 + dot } else { 0.0 }
    };
    (widest(true), widest(false).max(size))
}

/// Returns the larger of two font sizes in points at which the texts of all panels fit in rows of `step`
/// points and leave enough width for the marks. None if they do not fit.
fn choose_value_size(
    rows: &[Row],
    areas: &[Option<Rect>; 3],
    step: f64,
    style: &ChartStyle,
) -> Option<f64> {
    let fits_panel = |column: Column, size: f64| {
        let Some(area) = areas.get(column as usize).copied().flatten() else { return true };
        let (left, right) = measure_space(rows, column, Some(size), style);
        left + right <= area.width() * MAX_TEXT_SHARE
    };
    let fits = |size: &f64| {
        size * 1.1 <= step && Column::ALL.into_iter().all(|column| fits_panel(column, *size))
    };
    [style.label_size, style.small_size].into_iter().find(fits)
}

/// Creates a panel with a scale for numbers in `domain`. `left` and `right` are the spaces for texts in
/// points. With `axis_rules`, draws the axis below, with these formats, and ends the scale at round
/// numbers. Ignores the settings of the axis.
fn create_panel(
    chart: &Chart,
    area: Rect,
    domain: (f64, f64),
    (left, right): (f64, f64),
    axis_rules: Option<&FormatRules>,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Panel {
    let range = (area.x0 + left, (area.x1 - right).max(area.x0 + left + 1.0));
    let Some(rules) = axis_rules else {
        return Panel { area, scale: LinearScale { domain, range } };
    };
    let lengths = (range.1 - range.0, axis::x_tick_spacing(style));
    let value_axis = ValueAxis::fixed(chart, style, domain, IncludeZero::Always, lengths, rules);
    // The labels at both ends stay in the panel, so that they do not touch those of its neighbors.
    let half = value_axis.max_label_width / 2.0;
    let inset_left = if domain.0 < 0.0 { half } else { 0.0 };
    let range = (range.0 + inset_left, (range.1 - half).max(range.0 + inset_left + 1.0));
    let scale = LinearScale { domain: value_axis.domain, range };
    value_axis.draw_bottom(scene, style, area, &scale);
    Panel { area, scale }
}

/// Draws the title of a panel above its zero line, moved and shortened to stay in the panel. The title of
/// the panel of values, the setting `axis.title`, is at its left edge. `top` is the y coordinate of the
/// upper edge of the title.
fn draw_header(
    chart: &Chart,
    column: Column,
    panel: &Panel,
    top: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let variance = read_title(chart, "varianceTitle", Term::Variance);
    let title = match column {
        Column::Values => crate::data::display_text(&chart.setting("axis")["title"]),
        Column::Absolute => variance,
        Column::Relative => Cow::Owned(format!("{variance}, {}", style.locale.percent_sign)),
    };
    let size = style.label_size;
    let area = panel.area;
    let fitted = text::ellipsize(&title, area.width(), size, style.label_face());
    let width = style.text_width(&fitted, size);
    let x = match column {
        Column::Values => area.x0,
        _ => (panel.scale.at(0.0) - width / 2.0).clamp(area.x0, (area.x1 - width).max(area.x0)),
    };
    let full = (*fitted != *title).then(|| title.to_string());
    let label = style.label_text(x, top + ASCENT_EM * size, Anchor::Start, size, &fitted);
    scene.text(Text { color: style.muted_color, full, ..label });
}

/// Sets the text description of the scene: number of records, how many are above and below the
/// plan, and the largest difference.
fn describe(rows: &[Row], scene: &mut Scene) {
    let differences: Vec<(&Row, &Difference)> =
        rows.iter().filter_map(|row| Some((row, row.absolute.as_ref()?))).collect();
    let above = differences.iter().filter(|(_, difference)| difference.value > 0.0).count();
    let below = differences.iter().filter(|(_, difference)| difference.value < 0.0).count();
    scene.description = format!(
        "Variance chart of {} records: {above} above and {below} below the plan",
        rows.len()
    );
    let largest = differences.iter().max_by(|a, b| a.1.value.abs().total_cmp(&b.1.value.abs()));
    if let Some((row, difference)) = largest {
        scene.description.push_str(&format!(
            "; largest difference {} ({}), {} instead of {}",
            difference.text, row.label, row.actual_text, row.plan_text
        ));
    }
    scene.description.push('.');
}
