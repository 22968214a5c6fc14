//! Tornado chart: the effect of low and high inputs on a result, one bar per input, the widest at
//! the top.
//!
//! Record: `label`, `low` and `high` (result at the low and at the high input), `base` (optional,
//! result without changes, the same in all records), `highlighted` (optional flag). Settings: `base` (result without changes), `baseTitle`, `lowTitle`,
//! `highTitle`, `lowColor`, `highColor`, `sort` (by width, default `desc`), `showValues`,
//! `showLegend`, `showGrid`, `axis`.

use std::borrow::Cow;
use std::cmp::Ordering;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Omission, Term};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::bands;
use crate::frame::category::{MIN_ROW_EM, RowLabels};
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{
    ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Primitive, Shape, Stroke, Text, ValueEnd,
};
use crate::text;
use crate::text::Face;

/// The tornado chart.
pub const KIND: Kind = Kind { slug: "tornado", draw };

/// An input with its results at the low and at the high value.
struct Input<'a> {
    /// Index of the record in the data.
    row: usize,
    label: Cow<'a, str>,
    /// Results at the low and at the high value.
    results: [Option<f64>; 2],
    /// Formatted results. Empty for missing ones.
    result_texts: [String; 2],
    highlighted: bool,
}

/// Key, title and color of the low or the high end of all bars.
struct BarEnd {
    key: &'static str,
    title: String,
    color: Color,
}

/// Layout of the plot.
struct Plot {
    /// Area of the bars and their values, in points.
    area: Rect,
    /// Scale from input indexes to y coordinates.
    band: BandScale,
    /// Scale from results to x coordinates.
    scale: LinearScale,
    /// Result at which the bars start.
    base: f64,
    /// Font size of the values in points. None if they do not fit or are switched off.
    value_size: Option<f64>,
    /// Smallest x coordinate and baseline of the label of the base in points.
    base_label: (f64, f64),
}

/// Draws legend, axis, bars and the line of the base. The scene counts missing results. Draws a note
/// instead if no record has a result.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut inputs = read_inputs(chart);
    let Some(base) = find_base(chart, &inputs) else { return frame::draw_no_data(frame, scene) };
    sort_inputs(&mut inputs, chart.str_setting("sort"), base);
    scene.omit(Omission::MissingValue, chart.count_gaps(["low", "high"]));
    let style = &frame.style;
    let ends = read_ends(chart);
    let (mut area, first_shape) = (frame.area, scene.shapes.len());
    if chart.bool_setting("showLegend", true) {
        area = legend::draw(scene, style, area, ends.iter().map(|end| (&*end.title, end.color)));
    }
    let legend_line = find_single_line(scene.shapes.get(first_shape..).unwrap_or_default());
    area.y0 += axis::draw_title(chart, style, scene, area);
    let base_label = reserve_base_label(inputs.len(), legend_line, &mut area, style);
    let results = inputs.iter().flat_map(|input| input.results).flatten();
    let rules = chart.shared_format_rules(["low", "high"]);
    let format = NumberFormat::for_values(results.chain([base]), &rules, chart.locale());
    let base_text = format.text(base);
    set_description(&inputs, &base_text, base, scene);
    let plot = layout_plot(&inputs, base, chart, style, area, scene);
    let plot = Plot { base_label, ..plot };
    draw_bars(&inputs, &ends, &plot, style, scene);
    let label = format!("{}: {base_text}", choose_base_title(chart, &inputs));
    draw_base_line(chart, &plot, &label, style, scene);
}

/// Returns key, title and color of the low and of the high end, in this order, from the settings or their
/// defaults.
fn read_ends(chart: &Chart) -> [BarEnd; 2] {
    let read_end = |key, title_key: &str, default_title: Term, color_key: &str, color_index| {
        let title = text::sanitize(chart.str_setting(title_key)).into_owned();
        BarEnd {
            key,
            title: if title.is_empty() {
                chart.locale().translate(default_title).to_owned()
            } else {
                title
            },
            color: Color::parse(chart.str_setting(color_key))
                .unwrap_or_else(|| chart.series_color(color_index)),
        }
    };
    [
        read_end("low", "lowTitle", Term::Low, "lowColor", 1),
        read_end("high", "highTitle", Term::High, "highColor", 0),
    ]
}

/// Reads one input per record, also if its results are missing, and formats the results.
fn read_inputs<'a>(chart: &Chart<'a>) -> Vec<Input<'a>> {
    let mut inputs: Vec<Input> = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        inputs.push(Input {
            row,
            label: data::record_label(record),
            results: ["low", "high"].map(|key| data::number(data::field(record, key))),
            result_texts: Default::default(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    let all_results: Vec<f64> = inputs.iter().flat_map(|input| input.results).flatten().collect();
    let [low_format, high_format] = ["low", "high"].map(|key| {
        let rules = chart.format_rules_or(key, &chart.shared_format_rules(["low", "high"]));
        NumberFormat::for_values(all_results.iter().copied(), &rules, chart.locale())
    });
    let format_result = |result: Option<f64>, format: &NumberFormat| {
        result.map_or(String::new(), |value| format.text(value))
    };
    for input in &mut inputs {
        let [low, high] = input.results;
        input.result_texts = [format_result(low, &low_format), format_result(high, &high_format)];
    }
    inputs
}

/// Returns the result without changes: the setting `base`, otherwise the number `base` that all records
/// with one share, otherwise 0 if the results are changes (see `are_changes`). None if it is unknown.
fn find_known_base(chart: &Chart, inputs: &[Input]) -> Option<f64> {
    let mut own = chart.data.iter().filter_map(|record| data::number(data::field(record, "base")));
    let first = own.next();
    let common = first.filter(|first| own.all(|other| other == *first));
    chart.number_setting("base").or(common).or(are_changes(inputs).then_some(0.0))
}

/// Returns the result at which the bars start: the known base, otherwise the mean of the midpoints of
/// all inputs. The midpoint of an input with one result is that result. None if no input has a result,
/// even if the base is known.
fn find_base(chart: &Chart, inputs: &[Input]) -> Option<f64> {
    let midpoints = inputs.iter().filter_map(|input| match input.results {
        [Some(low), Some(high)] => Some(low / 2.0 + high / 2.0),
        [low, high] => low.or(high),
    });
    let count = midpoints.clone().count();
    if count == 0 {
        return None;
    }
    let default = || {
        let first = midpoints.clone().next().unwrap_or(0.0);
        let mean = midpoints.map(|midpoint| midpoint / count as f64).sum::<f64>();
        // A rounding error of equal midpoints would become a scale of its own.
        if (mean - first).abs() <= first.abs() * 1e-12 { first } else { mean }
    };
    Some(find_known_base(chart, inputs).unwrap_or_else(default))
}

/// Returns whether the results are changes against a base that the table does not contain: each
/// input with two results has one above and one below zero, or a result of zero. False if no input has
/// two results.
fn are_changes(inputs: &[Input]) -> bool {
    let mut pairs = inputs.iter().filter_map(|input| match input.results {
        [Some(low), Some(high)] => Some((low, high)),
        _ => None,
    });
    let mut has_pair = false;
    let all = pairs.all(|(low, high)| {
        has_pair = true;
        low.min(high) <= 0.0 && low.max(high) >= 0.0
    });
    all && has_pair
}

/// Returns the difference between the largest and the smallest of the one or two results of an input and
/// the base, 0 or more. None if the input has no result.
fn measure_span(input: &Input, base: f64) -> Option<f64> {
    let mut results = input.results.iter().flatten().copied();
    let first = results.next()?;
    let (low, high) = results
        .chain([base])
        .fold((first, first), |(low, high), value| (low.min(value), high.max(value)));
    Some(high - low)
}

/// Sorts the inputs by span: ascending if `order` is `asc`, in the order of the records if it is
/// `none`, otherwise descending. Sorted inputs without results are last.
fn sort_inputs(inputs: &mut [Input], order: &str, base: f64) {
    let is_ascending = match order {
        "none" => return,
        "asc" => true,
        _ => false,
    };
    inputs.sort_by(|first, second| match (measure_span(first, base), measure_span(second, base)) {
        (Some(first), Some(second)) if is_ascending => first.total_cmp(&second),
        (Some(first), Some(second)) => second.total_cmp(&first),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
}

/// Returns the x coordinate of the right end and the y coordinate of the baseline of the texts of a legend
/// in one line, in points. None if it has several lines or no text. `shapes` are those of the legend.
fn find_single_line(shapes: &[Shape]) -> Option<(f64, f64)> {
    let texts = shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Text(text) => Some((text.bounds().x1, text.y)),
        _ => None,
    });
    texts.map(Some).reduce(|one, two| {
        let ((x1, y1), (x2, y2)) = (one?, two?);
        (y1 == y2).then_some((x1.max(x2), y1))
    })?
}

/// Reserves a line for the label of the base at the top of `area`, which becomes lower unless it is very
/// low already. Returns the smallest x coordinate and the baseline of the label in points.
///
/// If each of `count` rows has space for its name only without this line, no line is reserved, and the
/// label is right of the legend. `legend_line` is the right end and the baseline of a legend in one line.
fn reserve_base_label(
    count: usize,
    legend_line: Option<(f64, f64)>,
    area: &mut Rect,
    style: &ChartStyle,
) -> (f64, f64) {
    let line_height = style.label_size * 1.4;
    let has_names = |height: f64| height >= style.small_size * MIN_ROW_EM * count as f64;
    let is_reserved = area.height() > style.label_size * 5.0;
    match legend_line {
        Some((end, baseline))
            if has_names(area.height()) && !has_names(area.height() - line_height) =>
        {
            (end + style.label_size * 1.35, baseline)
        }
        _ => {
            area.y0 += if is_reserved { line_height } else { 0.0 };
            (4.0, area.y0 - line_height + ASCENT_EM * style.label_size)
        }
    }
}

/// Lays out the plot. Draws the axis and the labels of the inputs, but not the bars. The caller sets
/// `base_label` of the result.
///
/// Unless the setting `showGrid` is present, the axis is drawn only if the bars have no values. A
/// low plot has no axis.
fn layout_plot(
    inputs: &[Input],
    base: f64,
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    let with_values = chart.bool_setting("showValues", true);
    let value_size = choose_value_size(inputs, area, style).filter(|_| with_values);
    let with_axis = chart.bool_setting("showGrid", value_size.is_none())
        && area.height() > style.label_size * 4.0;
    if with_axis {
        area.y1 -= ValueAxis::bottom_height(style);
    }
    let bottom = area.y1.max(area.y0 + 1.0);
    let padding = if inputs.len() > 60 { 0.1 } else { 0.28 };
    let max_width = 36.0 * style.unit;
    let band = BandScale { count: inputs.len(), range: (area.y0, bottom), padding, max_width };
    let labels: Vec<Cow<str>> = inputs.iter().map(|input| input.label.clone()).collect();
    let row_labels = RowLabels::plan_uncut(
        &labels,
        band.step(),
        (area.width() * 0.36, area.width() * 0.5),
        style,
    );
    let left = area.x0 + row_labels.width;
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let results = inputs.iter().flat_map(|input| input.results).flatten();
    let range = results.fold((base, base), |(low, high), value| (low.min(value), high.max(value)));
    let value_axis = ValueAxis::new(
        chart,
        style,
        range,
        IncludeZero::WhenAdjacent,
        (plot.width(), axis::x_tick_spacing(style)),
        &chart.shared_format_rules(["low", "high"]),
    );
    let domain = if with_axis { value_axis.domain } else { compute_tight_domain(chart, range) };
    let value_width =
        value_size.map_or(0.0, |size| measure_widest_value(inputs, size, style) + size * 0.5);
    let inset = value_width.min(plot.width() * 0.3);
    let scale = LinearScale { domain, range: (plot.x0 + inset, plot.x1 - inset) };
    if with_axis {
        value_axis.draw_bottom(scene, style, plot, &scale);
    }
    row_labels.draw(scene, style, area.x0, &band);
    Plot { area: plot, band, scale, base, value_size, base_label: (0.0, 0.0) }
}

/// Returns the domain of a scale without a visible axis: `low` to `high`, extended to `axis.min`
/// and `axis.max` of the settings where these lie outside. If both ends are equal, they are moved
/// apart.
fn compute_tight_domain(chart: &Chart, (low, high): (f64, f64)) -> (f64, f64) {
    let low = chart.axis_limit("min").map_or(low, |limit| limit.min(low));
    let high = chart.axis_limit("max").map_or(high, |limit| limit.max(high));
    if low == high { (low - 1.0, low + 1.0) } else { (low, high) }
}

/// Returns the width in points of the widest formatted result. `size` is the font size in points.
fn measure_widest_value(inputs: &[Input], size: f64, style: &ChartStyle) -> f64 {
    let texts = inputs.iter().flat_map(|input| &input.result_texts);
    texts.map(|text| style.text_width(text, size)).fold(0.0, f64::max)
}

/// Returns the larger of two font sizes in points at which all values fit beside the bars: they are not
/// higher than a row and take little of the width of `area`. None if they do not fit.
fn choose_value_size(inputs: &[Input], area: Rect, style: &ChartStyle) -> Option<f64> {
    let step = area.height() / inputs.len().max(1) as f64;
    let fits = |size: &f64| {
        size * MIN_ROW_EM <= step
            && measure_widest_value(inputs, *size, style) <= area.width() * 0.15
    };
    [style.label_size, style.small_size].into_iter().find(fits)
}

/// Draws the bars of each input from the base to its results, each a mark, and their values. A missing
/// result has no bar. If an input is highlighted, the bars of the others are muted.
fn draw_bars(
    inputs: &[Input],
    ends: &[BarEnd; 2],
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let any_highlighted = inputs.iter().any(|input| input.highlighted);
    for (index, input) in inputs.iter().enumerate() {
        let top = plot.band.start(index);
        let base_x = plot.scale.at(plot.base);
        let result_x = input.results.map(|result| result.map(|value| plot.scale.at(value)));
        // If both bars are on the same side of the base, the longer one would cover the shorter
        // one. So the longer one is drawn first.
        let [low_length, high_length] =
            result_x.map(|position| position.map_or(0.0, |x| (x - base_x).abs()));
        let order = if low_length >= high_length { [0, 1] } else { [1, 0] };
        for side in order {
            let (Some(Some(x)), Some(end)) = (result_x.get(side), ends.get(side)) else {
                continue;
            };
            let result_text = input.result_texts.get(side).map_or("", |text| text);
            scene.begin_mark("bar", Some(input.row), || {
                (Some(end.key.to_owned()), format!("{}, {}: {result_text}", input.label, end.title))
            });
            let fill = choose_fill(end, input, any_highlighted, style);
            let (left, right) = (x.min(base_x), x.max(base_x));
            let half_width = plot.band.width() / 2.0;
            if let Some(value) = input.results.get(side).copied().flatten() {
                let end_of_bar = ValueEnd::new(false, plot.band.center(index), *x, half_width);
                scene.record_value(input.row, Some(end.key), value, end_of_bar);
            }
            scene.rect(Rect::new(left, top, right, top + plot.band.width()), fill);
        }
        scene.end_mark();
        let fills = ends.each_ref().map(|end| choose_fill(end, input, any_highlighted, style));
        draw_values(input, index, (result_x, fills), plot, style, scene);
    }
}

/// Returns the color of a bar, a paler shade if any input is highlighted but not this one.
fn choose_fill(end: &BarEnd, input: &Input, any_highlighted: bool, style: &ChartStyle) -> Color {
    let is_muted = any_highlighted && !input.highlighted;
    if is_muted { end.color.mix(style.background, 0.6) } else { end.color }
}

/// Draws the values of the results of the input `index` beyond the ends of its bars. Draws nothing if the
/// plot has no value size. `result_x` contains the x coordinates of both results, `fills` the colors of
/// their bars.
///
/// If both results are on the same side of the base, the inner one is in its bar, or on the free
/// side of the base if it does not fit there.
fn draw_values(
    input: &Input,
    index: usize,
    (result_x, fills): ([Option<f64>; 2], [Color; 2]),
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(size) = plot.value_size else { return };
    let base_x = plot.scale.at(plot.base);
    let y = plot.band.center(index) + HALF_CAP_HEIGHT_EM * size;
    let gap = size * 0.35;
    let distance = |x: &Option<f64>| x.map_or(-1.0, |x| (x - base_x).abs());
    let [low, high] = result_x;
    let (inner_index, outer) = if distance(&low) < distance(&high) { (0, high) } else { (1, low) };
    let outer_is_left = outer.is_some_and(|x| x < base_x);
    let values = result_x.iter().zip(&input.result_texts).zip(fills).enumerate();
    let mut labels: Vec<Text> = Vec::new();
    for (index, ((x, text), fill)) in values {
        let Some(x) = *x else { continue };
        // A result at the base belongs to the side that the other one leaves free.
        let is_nearer = index == inner_index && outer.is_some();
        let is_inner = is_nearer && x != base_x && (x < base_x) == outer_is_left;
        let is_left = if is_nearer && x == base_x { !outer_is_left } else { x < base_x };
        let inner_color = bands::inner_label_color(fill);
        let fits_inside = style.text_width(text, size) + gap * 2.0 <= (x - base_x).abs();
        let (x, is_left_of_x, color) = match is_inner {
            true if fits_inside => (x, !is_left, inner_color),
            true => (base_x, !is_left, style.value_color),
            false => (x, is_left, style.value_color),
        };
        let (x, anchor) =
            if is_left_of_x { (x - gap, Anchor::End) } else { (x + gap, Anchor::Start) };
        let label = style.label_text(x, y, anchor, size, text);
        labels.push(Text { color, ..label });
    }
    labels.sort_by(|one, two| one.x.total_cmp(&two.x));
    labels.into_iter().for_each(|label| scene.text(label));
}

/// Returns the name of the result at which the bars start: the setting `baseTitle`, otherwise a word for
/// base, or for mean if the data has no base, because the mean is no result that somebody computed.
fn choose_base_title<'a>(chart: &'a Chart, inputs: &[Input]) -> Cow<'a, str> {
    let own = text::sanitize(chart.str_setting("baseTitle"));
    if !own.is_empty() {
        return own;
    }
    let term = if find_known_base(chart, inputs).is_some() { Term::Base } else { Term::Mean };
    Cow::Borrowed(chart.locale().translate(term))
}

/// Draws the vertical line of the base across the plot, with its `label` at the place of
/// `plot.base_label`, shortened if necessary. On a low canvas, only the line is drawn.
fn draw_base_line(chart: &Chart, plot: &Plot, label: &str, style: &ChartStyle, scene: &mut Scene) {
    let x = plot.scale.at(plot.base);
    let top = Point::new(x, plot.area.y0 - style.unit * 2.0);
    let stroke = Stroke::new(style.text_color, 1.25 * style.unit);
    scene.line(top, Point::new(x, plot.area.y1), stroke);
    let size = style.label_size;
    let (left, baseline) = plot.base_label;
    let max_width = plot.area.width().min(scene.width - 4.0 - left);
    let fitted = text::ellipsize(label, max_width, size, Face::BOLD);
    let width = text::width(&fitted, size, Face::BOLD);
    let (min_x, max_x) = (left + width / 2.0, scene.width - 4.0 - width / 2.0);
    let label_x = x.clamp(min_x, max_x.max(min_x));
    let label = style.label_text(label_x, baseline, Anchor::Middle, size, &fitted);
    if chart.height > style.label_size * 12.0 {
        scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..label });
    }
}

/// Sets the description of the scene: number of inputs with a result, the base, and the input with
/// the largest span.
fn set_description(inputs: &[Input], base_text: &str, base: f64, scene: &mut Scene) {
    let spans: Vec<(f64, &Input)> = inputs
        .iter()
        .filter_map(|input| measure_span(input, base).map(|span| (span, input)))
        .collect();
    scene.description = format!("Tornado chart of {} inputs round {base_text}", spans.len());
    let widest = spans.iter().max_by(|(first, _), (second, _)| first.total_cmp(second));
    if let Some((_, widest)) = widest {
        let [low, high] = &widest.result_texts;
        scene.description.push_str(&format!("; widest {}, from {low} to {high}", widest.label));
    }
    scene.description.push('.');
}

#[cfg(test)]
mod tests;
