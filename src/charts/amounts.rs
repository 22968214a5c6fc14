//! Data and axes of chart kinds with one value per record and a common zero baseline (bars and
//! lollipops), vertical or horizontal.
//!
//! Record: `label`, `value`, `highlighted` (optional flag), `color`. A record without a number
//! keeps its category and has no mark. Settings: `orientation` (`horizontal`, `vertical`), `sort`,
//! `showValues`, `showGrid`, `axis` (with `scale`: `log` for a logarithmic axis).

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission};
use crate::frame::ChartStyle;
use crate::frame::Frame;
use crate::frame::axis;
use crate::frame::bands;
use crate::frame::bands::{BandPlot, BandPlotSpec};

/// A record that becomes one mark.
pub struct Amount<'a> {
    /// Index of the record in the data.
    pub row: usize,
    /// Name of the category.
    pub label: Cow<'a, str>,
    /// Value; None if the record has no number.
    pub value: Option<f64>,
    /// Formatted value; empty if there is none.
    pub value_text: String,
    /// Color of the record. Without one, the first series color. If a record is highlighted, the
    /// highlight color or, for the other records, a faded color.
    pub color: Color,
}

/// All amounts of a chart, with their common layout choices.
pub struct Amounts<'a> {
    /// The amounts in drawing order, including those without a value.
    pub entries: Vec<Amount<'a>>,
    /// Whether marks are vertical (columns); otherwise they are horizontal.
    pub is_vertical: bool,
    /// Font size in points at which all value labels fit. None if they do not fit or if the
    /// setting `showValues` is false.
    pub value_label_size: Option<f64>,
    /// Whether the value axis is logarithmic. All values are above zero then.
    pub is_log: bool,
}

/// Space that the marks of a chart kind need.
pub struct MarkLayout {
    /// Length in points by which a mark extends beyond its value.
    pub overshoot: f64,
    /// Share of a category step between two marks, 0 to 1.
    pub padding: f64,
    /// Maximum width of a mark along the category axis in points.
    pub max_width: f64,
    /// Further value that the domain includes, such as a benchmark.
    pub extra_value: Option<f64>,
}

impl<'a> Amounts<'a> {
    /// Reads the records of a chart, also those without a number, and orders them by the setting
    /// `sort`. Chooses the size of the value labels. Returns None if no record has a number.
    ///
    /// The scene counts the missing values and, on a logarithmic axis, those that are not above
    /// zero or beyond `axis.min` and `axis.max`.
    pub fn read(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Option<Amounts<'a>> {
        let field = |record: &'a serde_json::Value, key| data::field(record, key);
        let mut values: Vec<Option<f64>> =
            chart.data.iter().map(|record| data::number(field(record, "value"))).collect();
        let is_log = axis::choose_log(chart, values.iter().flatten().copied(), scene);
        if is_log {
            let is_outside = |value: &&mut Option<f64>| value.is_some_and(|value| value <= 0.0);
            let outside = values.iter_mut().filter(is_outside).map(|value| *value = None);
            scene.omit(Omission::NotOnLogAxis, outside.count());
            omit_values_outside(chart, &mut values, scene);
        }
        let numbers = values.iter().flatten().copied();
        let format =
            NumberFormat::for_values(numbers, &chart.format_rules("value"), chart.locale());
        let is_highlighted = |record| data::is_true(field(record, "highlighted"));
        let any_highlighted = chart.data.iter().any(is_highlighted);
        let amount = |row: usize| {
            let record = chart.data.get(row)?;
            let default_color = || match (any_highlighted, is_highlighted(record)) {
                (false, _) => chart.series_color(0),
                (true, true) => chart.theme.highlight_color,
                (true, false) => frame.style.faded_color(),
            };
            let value = values.get(row).copied().flatten();
            Some(Amount {
                row,
                label: data::record_label(record),
                value,
                value_text: value.map_or(String::new(), |number| format.text(number)),
                color: field(record, "color")
                    .as_str()
                    .and_then(Color::parse)
                    .unwrap_or_else(default_color),
            })
        };
        let entries: Vec<Amount> =
            chart.sorted_indices(&values).into_iter().filter_map(amount).collect();
        entries.iter().find(|entry| entry.value.is_some())?;
        scene.omit(Omission::MissingValue, chart.count_gaps(["value"]));
        let is_vertical = chart.str_setting("orientation") == "vertical";
        let mut amounts = Amounts { entries, is_vertical, value_label_size: None, is_log };
        if chart.bool_setting("showValues", true) {
            amounts.value_label_size = amounts.choose_label_size(frame);
        }
        Some(amounts)
    }

    /// Returns the distance in points between the centers of two neighboring marks, if the marks
    /// fill the whole area of the frame. Axes and names, which make the plot smaller, are ignored.
    pub fn step(&self, frame: &Frame) -> f64 {
        let length = if self.is_vertical { frame.area.width() } else { frame.area.height() };
        length / self.entries.len() as f64
    }

    /// Returns the larger of the two label sizes, in points, at which all value labels fit beside
    /// or above their marks. None if they fit at neither, or if the area is too low for labels of
    /// vertical marks.
    fn choose_label_size(&self, frame: &Frame) -> Option<f64> {
        let (style, area, step) = (&frame.style, frame.area, self.step(frame));
        let fits = |size: &f64| {
            let widest = measure_widest_text(self.entries.iter(), *size, style);
            if self.is_vertical {
                widest + size * 0.3 <= step && area.height() > size * 7.0
            } else {
                size * 1.1 <= step && widest < area.width() * 0.3
            }
        };
        [style.label_size, style.small_size].into_iter().find(fits)
    }

    /// Draws the category names and the axis title. Draws the value axis with the setting
    /// `showGrid`, without value labels, and if it is logarithmic. Returns plot area and scales for
    /// the marks.
    ///
    /// Does not draw the baseline and the marks.
    pub fn draw_axes(
        &self,
        chart: &Chart,
        frame: &Frame,
        mark_layout: &MarkLayout,
        scene: &mut Scene,
    ) -> BandPlot {
        let style = &frame.style;
        let label_space = |is_negative: bool| {
            let side = self
                .entries
                .iter()
                .filter(|entry| entry.value.is_some_and(|value| (value < 0.0) == is_negative));
            let measure = |size| {
                bands::compute_label_space(
                    self.is_vertical,
                    size,
                    measure_widest_text(side, size, style),
                )
            };
            self.value_label_size.map_or(0.0, measure) + mark_layout.overshoot
        };
        let names: Vec<Cow<str>> = self.entries.iter().map(|entry| entry.label.clone()).collect();
        let extra_value = mark_layout.extra_value.filter(|value| !self.is_log || *value > 0.0);
        let values = self.entries.iter().filter_map(|entry| entry.value).chain(extra_value);
        let start = if self.is_log { (f64::INFINITY, f64::NEG_INFINITY) } else { (0.0, 0.0) };
        let spec = BandPlotSpec {
            category_names: &names,
            is_vertical: self.is_vertical,
            range: values
                .fold(start, |(low, high): (f64, f64), value| (low.min(value), high.max(value))),
            is_log: self.is_log,
            rules: &chart.format_rules("value"),
            label_space: (label_space(true), label_space(false)),
            // Value labels are more precise than an axis, so the axis would only repeat them.
            show_axis: self.value_label_size.is_none() || chart.bool_setting("showGrid", false),
            padding: mark_layout.padding,
            max_width: mark_layout.max_width,
            ends_at_last_column: false,
        };
        BandPlot::new(chart, style, scene, frame.area, &spec)
    }

    /// Sets the description of the image, an English sentence with the number of values and with
    /// the lowest and the highest value and their categories. Leaves the description unchanged if
    /// there are no values.
    ///
    /// `kind` starts the sentence.
    pub fn describe(&self, kind: &str, scene: &mut Scene) {
        let values =
            || self.entries.iter().filter_map(|entry| entry.value.map(|value| (value, entry)));
        let lowest = values().min_by(|one, two| one.0.total_cmp(&two.0));
        let highest = values().max_by(|one, two| one.0.total_cmp(&two.0));
        if let (Some((_, low)), Some((_, high))) = (lowest, highest) {
            scene.description = format!(
                "{kind} of {} values, from {} ({}) to {} ({}).",
                values().count(),
                low.value_text,
                low.label,
                high.value_text,
                high.label,
            );
        }
    }
}

impl Amount<'_> {
    /// Records the end of the mark of this amount for annotations. `center` is the middle of the
    /// mark along the category axis. `half_width` is half the width of the mark in points.
    pub fn record_end(&self, bands: &BandPlot, center: f64, half_width: f64, scene: &mut Scene) {
        if let Some(value) = self.value {
            let end = bands.value_end(center, value, half_width);
            scene.record_value(self.row, Some("value"), value, end);
        }
    }

    /// Starts the mark of this amount in the scene, with category and formatted value as its
    /// tooltip. Shapes drawn next belong to it. `part` is the name of the mark type, such as `bar`.
    pub fn begin_mark(&self, part: &'static str, scene: &mut Scene) {
        scene.begin_mark(part, Some(self.row), || {
            (Some("value".to_owned()), format!("{}: {}", self.label, self.value_text))
        });
    }
}

/// Sets the values below `axis.min` or above `axis.max` to None and counts them in the scene as out
/// of range. Changes nothing if no value would be left. A value equal to a limit stays.
fn omit_values_outside(chart: &Chart, values: &mut [Option<f64>], scene: &mut Scene) {
    let min = chart.axis_limit("min").unwrap_or(0.0);
    let max = chart.axis_limit("max").filter(|max| *max > min.max(0.0)).unwrap_or(f64::INFINITY);
    let is_inside = |value: f64| value >= min && value <= max;
    if values.iter().flatten().any(|value| is_inside(*value)) {
        let outside =
            values.iter_mut().filter(|value| value.is_some_and(|value| !is_inside(value)));
        scene.omit(Omission::OutOfRange, outside.map(|value| *value = None).count());
    }
}

/// Returns the width in points of the widest value label at a font size in points. 0 without
/// labels.
fn measure_widest_text<'b>(
    amounts: impl Iterator<Item = &'b Amount<'b>>,
    size: f64,
    style: &ChartStyle,
) -> f64 {
    amounts.map(|amount| style.text_width(&amount.value_text, size)).fold(0.0, f64::max)
}
