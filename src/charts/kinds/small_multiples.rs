//! Small multiples: one small panel per series or group, in a grid, with common axes.
//!
//! Record: `label` or `date`, and a number for each series; or `label` or `date`, a number and
//! `group`. A missing number leaves a gap. Settings: `series`, `panel` (`line`, `area`, `column`),
//! `interpolation` (`linear`, `step`, `smooth`), `sharedAxis`, `showOthers` (lines only),
//! `showValues`, `colorBySeries`, `sort` (by the last value), `showGrid`, `axis`. Dates are on a
//! time axis. Panels without space are omitted.

mod grid;
mod labels;
mod marks;
mod panels;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::{FormatRules, NumberFormat, Omission};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::curves::XValues;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::number_columns::quote;
use crate::scene::Primitive;

use grid::{Gaps, Grid, Title};
use labels::XLabels;
use marks::{Scales, Tooltips};
use panels::{Content, Panel, find_range};

/// Small multiples.
pub const KIND: Kind = Kind { slug: "small-multiples", draw };

/// Maximum number of panels.
const MAX_PANELS: usize = 60;
/// Maximum number of panels in the description.
const MAX_DESCRIBED_PANELS: usize = 12;
/// Ratio of the largest values of two panels from which on one of them is flat on a common axis.
const MAX_SCALE_RATIO: f64 = 20.0;
/// Share of a step that a column covers.
const COLUMN_SHARE: f64 = 0.8;

/// Form of the marks in a panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PanelForm {
    Line,
    Area,
    Column,
}

/// Rules of all value axes.
struct AxisRules {
    form: PanelForm,
    is_shared: bool,
    is_log: bool,
    /// Number format of the common axis.
    shared: FormatRules,
}

/// Positions of the panels.
struct Layout {
    grid: Grid,
    /// Plot areas of the panels.
    plots: Vec<Rect>,
    x_labels: XLabels,
}

/// Everything that the panels have in common.
struct Sheet<'a> {
    chart: &'a Chart<'a>,
    style: &'a ChartStyle,
    panels: &'a [Panel],
    x_values: &'a XValues<'a>,
    rules: &'a AxisRules,
    layout: &'a Layout,
}

/// Draws the panels with titles and axes, as many as fit. Draws a note instead if no series has a value.
/// All value axes have the same domain, unless the setting `sharedAxis` is false, or absent and most
/// panels would be flat.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let form = match chart.str_setting("panel") {
        "area" => PanelForm::Area,
        "column" => PanelForm::Column,
        _ => PanelForm::Line,
    };
    let Content { mut panels, x_values } = panels::read(chart, scene);
    let is_log = form == PanelForm::Line && panels::apply_log_axis(chart, &mut panels, scene);
    if panels.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let rules = AxisRules {
        form,
        is_shared: has_common_axis(chart, &panels, scene),
        is_log,
        shared: chart.series_format_rules(panels.iter().map(|panel| &*panel.key)),
    };
    let mut area = frame.area;
    let title_height = axis::draw_title(chart, style, scene, area);
    area.y0 += if title_height > 0.0 { title_height + style.label_size * 0.4 } else { 0.0 };
    let layout = lay_out(chart, &mut panels, &x_values, &rules, area, style, scene);
    describe(&panels, &x_values, &rules, chart, scene);
    labels::count_hidden_names(&layout.x_labels, &x_values, scene);
    let common = rules.is_shared.then(|| find_range(&panels));
    let sheet = Sheet {
        chart,
        style,
        panels: &panels,
        x_values: &x_values,
        rules: &rules,
        layout: &layout,
    };
    for (index, panel) in panels.iter().enumerate() {
        let range = common.unwrap_or_else(|| find_range(std::slice::from_ref(panel)));
        sheet.draw_panel(index, panel, range, scene);
    }
}

/// Returns whether all panels have the same value axis: the setting `sharedAxis`. Without it, they have
/// unless the largest value is more than [`MAX_SCALE_RATIO`] times that of more than half of the panels,
/// which would be flat. Warns about own axes that the author did not ask for: those without the setting, and
/// those that a table has set, which `fromTable` tells. A note tells readers about any own axes.
/// Settings that only a common axis can have, such as its ends, keep it.
fn has_common_axis(chart: &Chart, panels: &[Panel], scene: &mut Scene) -> bool {
    let setting = chart.setting("sharedAxis");
    let axis = chart.setting("axis");
    let has_axis_settings = ["min", "max", "scale"].iter().any(|key| !axis[*key].is_null());
    if setting.is_boolean() || has_axis_settings || chart.bool_setting("showOthers", false) {
        let is_shared = chart.bool_setting("sharedAxis", true);
        if !is_shared && panels.len() > 1 {
            scene.omit(Omission::OwnAxes, 1);
            if chart.setting("fromTable")["sharedAxis"] == false {
                scene
                    .warn("Each panel has a value axis of its own, because `sharedAxis` is false.");
            }
        }
        return is_shared;
    }
    let size = |panel: &Panel| panel.values().map(f64::abs).fold(0.0, f64::max);
    let largest = panels.iter().map(size).fold(0.0, f64::max);
    let flat_count = panels.iter().filter(|panel| size(panel) * MAX_SCALE_RATIO < largest).count();
    if flat_count * 2 <= panels.len() {
        return true;
    }
    let has_largest = |panel: &&Panel| size(panel) == largest;
    let name = panels.iter().find(has_largest).map_or("", |panel| &panel.title);
    scene.omit(Omission::OwnAxes, 1);
    scene.warn(format!(
        "Each panel has a value axis of its own, because the values of {} would flatten most others. \
         `sharedAxis`: true gives all the same axis.",
        quote(name)
    ));
    false
}

impl Sheet<'_> {
    /// Draws the panel `index` with its axes and clips its marks if the value axis is shorter than the
    /// data. `range` has the lowest and the highest value that the axis should show.
    ///
    /// A common axis has labels only in the first column, and x labels are below the lowest panels. The
    /// scene counts values beyond the axis. Does nothing if the panel has no plot area.
    fn draw_panel(&self, index: usize, panel: &Panel, range: (f64, f64), scene: &mut Scene) {
        let Sheet { chart, style, rules, layout, .. } = *self;
        let Some(plot) = layout.plots.get(index) else { return };
        let format_rules = rules.format_rules(chart, panel);
        let mut value_axis = rules.create_axis(chart, range, &format_rules, plot.height(), style);
        if rules.is_shared && !layout.grid.is_left(index) {
            value_axis.labels.clear();
        }
        let y = value_axis.scale((plot.y1, plot.y0));
        value_axis.draw_left(scene, &axis::grid_style(chart, style), *plot, y);
        let has_bands = rules.form == PanelForm::Column || layout.x_labels.has_all();
        let x = labels::x_scale(self.x_values, has_bands, (plot.x0, plot.x1));
        let scales = Scales { x, y, x_values: self.x_values };
        let values: Vec<f64> = panel.values().collect();
        scene.omit(Omission::OutOfRange, value_axis.count_outside(values.iter()));
        let is_clipped = range.0 < value_axis.domain.0 || range.1 > value_axis.domain.1;
        if is_clipped {
            // The dot at the last value extends beyond the right side.
            scene.push(Primitive::BeginClip(plot.inflate(4.0 * style.unit, 1.0)));
        }
        self.draw_marks(index, panel, &scales, scene);
        if is_clipped {
            scene.push(Primitive::EndClip);
        }
        if !rules.is_log && (value_axis.domain.0..=value_axis.domain.1).contains(&0.0) {
            let zero = scales.y.at(0.0);
            axis::draw_baseline(scene, style, (plot.x0, zero), (plot.x1, zero));
        }
        if layout.grid.is_bottom(index, self.panels.len()) {
            layout.x_labels.draw(&scales.x, *plot, style, scene);
        }
    }

    /// Draws the columns of a panel, or its line or area. With the setting `showOthers`, lines with a
    /// common axis have the lines of the other panels in the background. Adds targets for tooltips.
    fn draw_marks(&self, index: usize, panel: &Panel, scales: &Scales, scene: &mut Scene) {
        let Sheet { chart, style, rules, panels, .. } = *self;
        let point_count: usize = panels.iter().map(|panel| panel.points.len()).sum();
        let covers_all = point_count <= marks::MAX_HOVER_TARGETS;
        let format = rules.format(chart, panel, panel.values());
        let tooltips = Tooltips { x_values: scales.x_values, format, chart };
        if rules.form == PanelForm::Column {
            let domain = scales.x.domain.1 - scales.x.domain.0;
            let step = labels::smallest_step(scales.x_values) / domain * scales.area().width();
            let width = (step * COLUMN_SHARE).min(40.0 * style.unit);
            let has_tooltips = scene.interactive && covers_all;
            marks::draw_columns(panel, scales, width, has_tooltips.then_some(&tooltips), scene);
            if scene.interactive && !covers_all {
                marks::draw_hover_targets(panel, scales, false, &tooltips, scene);
            }
            return;
        }
        let shows_others = chart.bool_setting("showOthers", false);
        if rules.form == PanelForm::Line && rules.is_shared && shows_others {
            marks::draw_other_lines(panels, index, scales, chart, style, scene);
        }
        marks::draw_line(panel, scales, rules.form == PanelForm::Area, chart, style, scene);
        marks::draw_hover_targets(panel, scales, covers_all, &tooltips, scene);
    }
}

impl AxisRules {
    /// Computes the axis of values in `range`, `height` points long, with two to four ticks if possible,
    /// fewer in low panels, and without gridlines between them. Areas and columns include zero.
    fn create_axis(
        &self,
        chart: &Chart,
        range: (f64, f64),
        rules: &FormatRules,
        height: f64,
        style: &ChartStyle,
    ) -> ValueAxis {
        let max_count = ((height / (2.2 * style.label_size)) as usize + 1).clamp(2, 4);
        let zero = match self.form {
            PanelForm::Line => IncludeZero::WhenNear,
            PanelForm::Area | PanelForm::Column => IncludeZero::Always,
        };
        let create = |step_count: f64| match self.is_log {
            true => ValueAxis::new_log(chart, style, range, (step_count, 1.0), rules),
            false => ValueAxis::new(chart, style, range, zero, (step_count, 1.0), rules),
        };
        let has_few_ticks =
            |value_axis: &ValueAxis| (2..=max_count).contains(&value_axis.ticks.values.len());
        let mut axes = [3.0, 2.0].map(create);
        // In a small panel, gridlines without labels would be denser than the data.
        axes.iter_mut().for_each(|value_axis| value_axis.minor_values.clear());
        let [fine, mut coarse] = axes;
        if has_few_ticks(&fine) {
            return fine;
        }
        keep_few_ticks(&mut coarse, max_count);
        coarse
    }

    /// Returns the format rules of the common axis, or of the series of the panel if each panel has an
    /// axis of its own.
    fn format_rules(&self, chart: &Chart, panel: &Panel) -> FormatRules {
        if self.is_shared { self.shared.clone() } else { chart.format_rules(&panel.key) }
    }

    /// Returns the format of values of a panel in titles and tooltips. `values` determine decimals and
    /// scale unit. With a common axis, series without an entry in the setting `rulesets` have its rules.
    fn format(
        &self,
        chart: &Chart,
        panel: &Panel,
        values: impl Iterator<Item = f64> + Clone,
    ) -> NumberFormat {
        let has_own_rules = chart.setting("rulesets")[&panel.key].is_object();
        let rules = match has_own_rules || !self.is_shared {
            true => chart.format_rules(&panel.key),
            false => self.shared.clone(),
        };
        NumberFormat::for_values(values, &rules, chart.locale())
    }
}

/// Keeps every n-th tick and its label, so that at most about `max_count` are left. Keeps zero, or the
/// first tick if zero is none.
fn keep_few_ticks(value_axis: &mut ValueAxis, max_count: usize) {
    let count = value_axis.ticks.values.len();
    let interval = count.saturating_sub(1).div_ceil(max_count.saturating_sub(1).max(1)).max(1);
    let zero = value_axis.ticks.values.iter().position(|value| *value == 0.0).unwrap_or(0);
    let mut index = 0;
    let mut is_kept = || {
        index += 1;
        (index - 1) % interval == zero % interval
    };
    value_axis.ticks.values.retain(|_| is_kept());
    let mut index = 0;
    value_axis.labels.retain(|_| {
        index += 1;
        (index - 1) % interval == zero % interval
    });
}

/// Chooses the grid, removes the last panels if there is no space for them, and draws the titles at the
/// top of the cells. The scene counts the removed panels. Returns the plot areas below the titles.
fn lay_out(
    chart: &Chart,
    panels: &mut Vec<Panel>,
    x_values: &XValues,
    rules: &AxisRules,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Layout {
    let left = measure_tick_labels(chart, panels, rules, area, style);
    let mut gaps = Gaps {
        left,
        inner_left: if rules.is_shared { 0.0 } else { left },
        column: 14.0 * style.unit,
        row: style.label_size * 0.9,
        bottom: style.unit * frame::category::CATEGORY_LABEL_GAP + style.label_size,
    };
    let all = panels.len();
    let grid = Grid::choose(all.min(MAX_PANELS), area, &gaps, style);
    panels.truncate(grid.capacity().min(MAX_PANELS));
    scene.omit(Omission::Series, all - panels.len());
    let width = grid.cells(1, area, &gaps).first().map_or(1.0, Rect::width);
    let row_height = area.height() / grid.rows as f64;
    let x_labels = XLabels::plan(chart, x_values, width, row_height, style);
    gaps.bottom = x_labels.height(style);
    let cells = grid.cells(panels.len(), area, &gaps);
    let last_values = || panels.iter().filter_map(Panel::last_value);
    let shows_values = chart.bool_setting("showValues", true);
    let title = |panel: &Panel| Title {
        name: panel.title.clone(),
        value: panel.last_value().filter(|_| shows_values).map_or(String::new(), |value| {
            let values: Vec<f64> =
                if rules.is_shared { last_values().collect() } else { vec![value] };
            rules.format(chart, panel, values.into_iter()).text(value)
        }),
        color: panel.color,
    };
    let titles: Vec<Title> = panels.iter().map(title).collect();
    let title_height = grid::draw_titles(&titles, &cells, style, scene);
    let to_plot = |cell: &Rect| Rect { y0: (cell.y0 + title_height).min(cell.y1 - 1.0), ..*cell };
    Layout { grid, plots: cells.iter().map(to_plot).collect(), x_labels }
}

/// Returns the width in points of the widest tick labels that the axes may have in panels of any height,
/// but at most three tenths of the width of `area`.
fn measure_tick_labels(
    chart: &Chart,
    panels: &[Panel],
    rules: &AxisRules,
    area: Rect,
    style: &ChartStyle,
) -> f64 {
    let measure = |range: (f64, f64), format_rules: &FormatRules| {
        let heights = [2.0, 5.0, 20.0].map(|factor| factor * style.label_size);
        let widths = heights.map(|height| {
            rules.create_axis(chart, range, format_rules, height, style).left_width(style)
        });
        widths.into_iter().fold(0.0, f64::max)
    };
    let width = match rules.is_shared {
        true => measure(find_range(panels), &rules.shared),
        false => (panels.iter().take(MAX_PANELS))
            .map(|panel| {
                measure(find_range(std::slice::from_ref(panel)), &rules.format_rules(chart, panel))
            })
            .fold(0.0, f64::max),
    };
    width.min(area.width() * 0.3)
}

/// Sets the text description of the scene: number of panels, ranges of x and y, and the last values
/// of the first panels.
fn describe(
    panels: &[Panel],
    x_values: &XValues,
    rules: &AxisRules,
    chart: &Chart,
    scene: &mut Scene,
) {
    let ends = match x_values {
        XValues::Categories(names) => Some((0.0, names.len().saturating_sub(1) as f64)),
        XValues::Timestamps(values) | XValues::Numbers(values) => {
            values.first().copied().zip(values.last().copied())
        }
    };
    let format_end = |x: f64| labels::format_x(x, x_values, chart);
    let (first, last) =
        ends.map(|(first, last)| (format_end(first), format_end(last))).unwrap_or_default();
    let ends: Vec<String> = panels
        .iter()
        .take(MAX_DESCRIBED_PANELS)
        .filter_map(|panel| {
            let value = panel.last_value()?;
            let format = rules.format(chart, panel, std::iter::once(value));
            Some(format!("{} {}", panel.title, format.text(value)))
        })
        .collect();
    scene.description = format!(
        "Small multiples with {} panels from {first} to {last}. Last values: {}.",
        panels.len(),
        ends.join(", "),
    );
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::find_kind;

    /// Draws a table of `count` series with values from 20 to 80 in ten months.
    fn draw_series(count: usize, settings: Value) -> Scene {
        let record = |row: usize| {
            let mut record = Map::new();
            record.insert("date".to_owned(), json!(format!("2024-{:02}-01", row + 1)));
            for series in 0..count {
                let value = 20 + (row * 7 + series * 11) % 61;
                record.insert(format!("Series {}", series + 1), json!(value));
            }
            Value::Object(record)
        };
        let data: Vec<Value> = (0..10).map(record).collect();
        let kind = find_kind("small-multiples").unwrap();
        crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) })
    }

    fn count_texts(scene: &Scene, is_counted: impl Fn(&str) -> bool) -> usize {
        scene.text_boxes().filter(|(text, _)| is_counted(text)).count()
    }

    #[test]
    fn ticks_stand_left_of_each_row_of_a_common_axis_and_left_of_each_panel_otherwise() {
        let is_zero = |text: &str| text == "0";
        let columns = |is_shared: bool| json!({"panel": "column", "sharedAxis": is_shared});
        // Six panels are in two rows.
        assert_eq!(count_texts(&draw_series(6, columns(true)), is_zero), 2);
        assert_eq!(count_texts(&draw_series(6, columns(false)), is_zero), 6);
    }

    #[test]
    fn one_huge_series_gives_each_panel_an_axis_of_its_own() {
        let draw = |settings: Value| {
            let data = [2022, 2023].map(|year| {
                json!({"label": year.to_string(), "China": 9000, "Austria": 12, "Spain": 60, "Italy": 70})
            });
            let kind = find_kind("small-multiples").unwrap();
            crate::draw(&Chart { settings: &settings, ..Chart::new(kind, &data) })
        };
        let is_zero = |text: &str| text == "0";
        let scene = draw(json!({"panel": "column"}));
        assert_eq!(count_texts(&scene, is_zero), 4);
        assert!(scene.warnings[0].contains("the values of “China” would flatten"));
        // A setting decides, and comparable values have a common axis.
        let scene = draw(json!({"panel": "column", "sharedAxis": true}));
        assert!(count_texts(&scene, is_zero) < 4 && scene.warnings.is_empty());
        assert_eq!(draw_series(6, json!({})).warnings, [""; 0]);
    }

    #[test]
    fn columns_begin_at_zero() {
        let scene = draw_series(2, json!({"panel": "column", "axis": {"min": 20}}));
        assert_eq!(count_texts(&scene, |text| text == "0"), 1);
    }

    #[test]
    fn panels_without_space_are_counted() {
        let kind = find_kind("small-multiples").unwrap();
        let data: Vec<Value> = (0..300)
            .map(|index| json!({"label": format!("{}", 2020 + index % 3), "value": index, "group": format!("G{}", index / 3)}))
            .collect();
        let scene = crate::draw(&Chart::new(kind, &data));
        let shown = count_texts(&scene, |text| text.starts_with('G'));
        assert!((20..=MAX_PANELS).contains(&shown), "{shown}");
        assert_eq!(scene.omissions, [(Omission::Series, 100 - shown)]);
    }

    #[test]
    fn axes_have_two_to_four_ticks() {
        let style = ChartStyle::new(&Chart::new(find_kind("small-multiples").unwrap(), &[]));
        let chart = Chart::new(find_kind("small-multiples").unwrap(), &[]);
        let shared = FormatRules::default();
        for form in [PanelForm::Line, PanelForm::Column] {
            let rules = AxisRules { form, is_shared: true, is_log: false, shared: shared.clone() };
            for range in [(0.0, 7.0), (-35.0, 210.0), (5.0, 5.0), (-9e9, 1e-3), (0.0, 0.0)] {
                for height in [20.0, 60.0, 400.0] {
                    let value_axis = rules.create_axis(&chart, range, &shared, height, &style);
                    let count = value_axis.ticks.values.len();
                    assert!((2..=4).contains(&count), "{range:?} {height}: {:?}", value_axis.ticks);
                    assert_eq!(value_axis.labels.len(), count);
                }
            }
        }
    }
}
