//! Tornado chart: the effect of low and high inputs on a result, one bar per input, the widest at
//! the top.
//!
//! Record: `label`, `low` and `high` (result at the low and at the high input), `highlighted`
//! (optional flag). Settings: `base` (result without changes), `baseTitle`, `lowTitle`,
//! `highTitle`, `lowColor`, `highColor`, `sort` (by width, default `desc`), `showValues`,
//! `showLegend`, `showGrid`, `axis`.

use std::borrow::Cow;
use std::cmp::Ordering;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::category::RowLabels;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{ASCENT_EM, Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;

/// The tornado chart.
pub const KIND: Kind = Kind { slug: "tornado", draw };

/// A record with its results at the low and at the high input.
struct Input<'a> {
    row: usize,
    label: Cow<'a, str>,
    ends: [Option<f64>; 2],
    words: [String; 2],
    highlighted: bool,
}

/// Key, title and color of the low or the high end of all bars.
struct End {
    key: &'static str,
    title: String,
    color: Color,
}

/// Layout of the plot.
struct Plot {
    area: Rect,
    band: BandScale,
    scale: LinearScale,
    base: f64,
    /// Font size of the values in points. None if they do not fit or are switched off.
    size: Option<f64>,
}

/// Draws legend, axis, bars and the line of the base.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut inputs = read(chart);
    let Some(base) = base(chart, &inputs) else { return frame::draw_no_data(frame, scene) };
    sort(&mut inputs, chart.str_setting("sort"), base);
    let style = &frame.style;
    let ends = ends(chart);
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) {
        area = legend::draw(scene, style, area, ends.iter().map(|it| (&*it.title, it.color)));
    }
    let all = inputs.iter().flat_map(|it| it.ends).flatten();
    let format =
        NumberFormat::for_values(all.chain([base]), &chart.format_rules("low"), chart.locale());
    let base_words = format.text(base);
    describe(&inputs, &base_words, base, scene);
    let plot = layout(&inputs, base, chart, style, area, scene);
    marks(&inputs, &ends, &plot, style, scene);
    base_line(chart, &plot, &base_words, style, scene);
}

/// Returns key, title and color of both ends.
fn ends(chart: &Chart) -> [End; 2] {
    let end = |key, title: &str, usual: Term, color: &str, index| {
        let own = text::sanitize(chart.str_setting(title)).into_owned();
        End {
            key,
            title: if own.is_empty() { chart.locale().translate(usual).to_owned() } else { own },
            color: Color::parse(chart.str_setting(color))
                .unwrap_or_else(|| chart.series_color(index)),
        }
    };
    [
        end("low", "lowTitle", Term::Low, "lowColor", 1),
        end("high", "highTitle", Term::High, "highColor", 0),
    ]
}

/// Reads the records and formats their values.
fn read<'a>(chart: &Chart<'a>) -> Vec<Input<'a>> {
    let mut inputs: Vec<Input> = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let ends = ["low", "high"].map(|key| data::number(data::field(record, key)));
        inputs.push(Input {
            row,
            label: data::record_label(record),
            ends,
            words: Default::default(),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    let all = inputs.iter().flat_map(|it| it.ends).flatten();
    let rules = ["low", "high"].map(|key| chart.format_rules(key));
    let formats = rules.map(|it| NumberFormat::for_values(all.clone(), &it, chart.locale()));
    let words = |ends: [Option<f64>; 2]| {
        let [low, high] = ends;
        let set = |value: Option<f64>, format: &NumberFormat| {
            value.map_or(String::new(), |it| format.text(it))
        };
        [set(low, &formats[0]), set(high, &formats[1])]
    };
    let all: Vec<[String; 2]> = inputs.iter().map(|it| words(it.ends)).collect();
    for (input, words) in inputs.iter_mut().zip(all) {
        input.words = words;
    }
    inputs
}

/// Returns the value at which the bars start: the setting `base`, otherwise the mean of the middles
/// of all inputs. None without numbers.
fn base(chart: &Chart, inputs: &[Input]) -> Option<f64> {
    let middles = inputs.iter().filter_map(|it| match it.ends {
        [Some(low), Some(high)] => Some(low / 2.0 + high / 2.0),
        [low, high] => low.or(high),
    });
    let count = middles.clone().count();
    if count == 0 {
        return None;
    }
    Some(chart.number_setting("base").unwrap_or_else(|| middles.map(|it| it / count as f64).sum()))
}

/// Returns the distance between the outermost values, including the base. None without values.
fn width(input: &Input, base: f64) -> Option<f64> {
    let mut given = input.ends.iter().flatten().copied();
    let first = given.next()?;
    let (low, high) =
        given.chain([base]).fold((first, first), |(low, high), it| (low.min(it), high.max(it)));
    Some(high - low)
}

/// Sorts the inputs by width, descending unless `word` is `asc` or `none`. Inputs without values
/// are last.
fn sort(inputs: &mut [Input], word: &str, base: f64) {
    let rising = match word {
        "none" => return,
        "asc" => true,
        _ => false,
    };
    inputs.sort_by(|one, two| match (width(one, base), width(two, base)) {
        (Some(one), Some(two)) if rising => one.total_cmp(&two),
        (Some(one), Some(two)) => two.total_cmp(&one),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
}

/// Lays out the plot, and draws the axis and the labels of the inputs.
fn layout(
    inputs: &[Input],
    base: f64,
    chart: &Chart,
    style: &ChartStyle,
    mut area: Rect,
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::draw_title(chart, style, scene, area);
    // Reserves a line for the label of the base.
    if area.height() > style.label_size * 5.0 {
        area.y0 += style.label_size * 1.4;
    }
    let wanted = chart.bool_setting("showValues", true);
    let size = value_size(inputs, area, style).filter(|_| wanted);
    let with_axis =
        chart.bool_setting("showGrid", size.is_none()) && area.height() > style.label_size * 4.0;
    if with_axis {
        area.y1 -= ValueAxis::bottom_height(style);
    }
    let bottom = area.y1.max(area.y0 + 1.0);
    let padding = if inputs.len() > 60 { 0.1 } else { 0.28 };
    let most = 36.0 * style.unit;
    let band =
        BandScale { count: inputs.len(), range: (area.y0, bottom), padding, max_width: most };
    let names: Vec<Cow<str>> = inputs.iter().map(|it| it.label.clone()).collect();
    let rows = RowLabels::plan(&names, band.step(), area.width() * 0.36, style);
    let left = area.x0 + rows.width;
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let all = inputs.iter().flat_map(|it| it.ends).flatten();
    let range = all.fold((base, base), |(low, high), it| (low.min(it), high.max(it)));
    let lengths = (plot.width(), axis::x_tick_spacing(style));
    let values = ValueAxis::new(
        chart,
        style,
        range,
        IncludeZero::WhenAdjacent,
        lengths,
        &chart.format_rules("low"),
    );
    let domain = if with_axis { values.domain } else { tight(chart, range) };
    let room = size.map_or(0.0, |it| widest(inputs, it, style) + it * 0.5);
    let room = room.min(plot.width() * 0.3);
    let scale = LinearScale { domain, range: (plot.x0 + room, plot.x1 - room) };
    if with_axis {
        values.draw_bottom(scene, style, plot, &scale);
    }
    rows.draw(scene, style, area.x0, &band);
    Plot { area: plot, band, scale, base, size }
}

/// Returns the range of a scale without a visible axis.
fn tight(chart: &Chart, (low, high): (f64, f64)) -> (f64, f64) {
    let low = chart.axis_limit("min").map_or(low, |it| it.min(low));
    let high = chart.axis_limit("max").map_or(high, |it| it.max(high));
    if low == high { (low - 1.0, low + 1.0) } else { (low, high) }
}

/// Returns the width in points of the widest value at this font size.
fn widest(inputs: &[Input], size: f64, style: &ChartStyle) -> f64 {
    inputs.iter().flat_map(|it| &it.words).map(|it| style.text_width(it, size)).fold(0.0, f64::max)
}

/// Returns the font size at which all values fit. None if they do not fit.
fn value_size(inputs: &[Input], area: Rect, style: &ChartStyle) -> Option<f64> {
    let step = area.height() / inputs.len().max(1) as f64;
    let fits =
        |size: &f64| size * 1.1 <= step && widest(inputs, *size, style) <= area.width() * 0.15;
    [style.label_size, style.small_size].into_iter().find(fits)
}

/// Draws the bars with their values.
fn marks(inputs: &[Input], ends: &[End; 2], plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let muting = inputs.iter().any(|it| it.highlighted);
    for (index, input) in inputs.iter().enumerate() {
        let start = plot.band.start(index);
        let zero = plot.scale.at(plot.base);
        let places = input.ends.map(|it| it.map(|it| plot.scale.at(it)));
        // If both bars are on the same side of the base, the longer one would cover the shorter
        // one. So the longer one is drawn first.
        let reach =
            |at: usize| places.get(at).copied().flatten().map_or(0.0, |it| (it - zero).abs());
        let order = if reach(0) >= reach(1) { [0, 1] } else { [1, 0] };
        for at in order {
            let (Some(Some(place)), Some(end)) = (places.get(at), ends.get(at)) else { continue };
            let words = input.words.get(at).map_or("", |it| it);
            scene.begin_mark("bar", Some(input.row), || {
                (Some(end.key.to_owned()), format!("{}, {}: {words}", input.label, end.title))
            });
            let muted = muting && !input.highlighted;
            let fill = if muted { end.color.mix(style.background, 0.6) } else { end.color };
            let (near, far) = (place.min(zero), place.max(zero));
            scene.rect(Rect::new(near, start, far, start + plot.band.width()), fill);
        }
        scene.end_mark();
        labels(input, index, places, plot, style, scene);
    }
}

/// Draws the values at both ends of a bar. If both are on the same side of the base, only the outer
/// one is drawn.
fn labels(
    input: &Input,
    index: usize,
    places: [Option<f64>; 2],
    plot: &Plot,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let Some(size) = plot.size else { return };
    let zero = plot.scale.at(plot.base);
    let given = || places.iter().zip(&input.words).filter_map(|(at, words)| Some(((*at)?, words)));
    let left = given().filter(|it| it.0 < zero).min_by(|one, two| one.0.total_cmp(&two.0));
    let right = given().filter(|it| it.0 >= zero).max_by(|one, two| one.0.total_cmp(&two.0));
    let y = plot.band.center(index) + HALF_CAP_HEIGHT_EM * size;
    let gap = size * 0.35;
    let left = left.map(|(at, words)| style.label_text(at - gap, y, Anchor::End, size, words));
    let right = right.map(|(at, words)| style.label_text(at + gap, y, Anchor::Start, size, words));
    for text in [left, right].into_iter().flatten() {
        scene.text(Text { color: style.value_color, ..text });
    }
}

/// Draws the line of the base, with its title and value above.
fn base_line(chart: &Chart, plot: &Plot, words: &str, style: &ChartStyle, scene: &mut Scene) {
    let x = plot.scale.at(plot.base);
    let top = Point::new(x, plot.area.y0 - style.unit * 2.0);
    let stroke = Stroke::new(style.text_color, 1.25 * style.unit);
    scene.line(top, Point::new(x, plot.area.y1), stroke);
    let title = text::sanitize(chart.str_setting("baseTitle"));
    let title = if title.is_empty() { style.locale.translate(Term::Base) } else { &title };
    let size = style.label_size;
    let words = format!("{title}: {words}");
    let words = text::ellipsize(&words, plot.area.width(), size, Face::BOLD);
    let width = text::width(&words, size, Face::BOLD);
    let (low, high) = (4.0 + width / 2.0, scene.width - 4.0 - width / 2.0);
    let baseline = plot.area.y0 - size * 1.4 + ASCENT_EM * size;
    let set = style.label_text(x.clamp(low, high.max(low)), baseline, Anchor::Middle, size, &words);
    if chart.height > style.label_size * 12.0 {
        scene.text(Text { face: Face::BOLD, width, color: style.text_color, ..set });
    }
}

/// Sets the text description of the scene: number of inputs, the base, and the widest bar.
fn describe(inputs: &[Input], base_words: &str, base: f64, scene: &mut Scene) {
    let given = || inputs.iter().filter(|it| width(it, base).is_some());
    scene.description = format!("Tornado chart of {} inputs round {base_words}", given().count());
    let by = |one: &&Input, two: &&Input| {
        width(one, base).unwrap_or(0.0).total_cmp(&width(two, base).unwrap_or(0.0))
    };
    if let Some(widest) = given().max_by(by) {
        let [low, high] = &widest.words;
        scene.description.push_str(&format!("; widest {}, from {low} to {high}", widest.label));
    }
    scene.description.push('.');
}
