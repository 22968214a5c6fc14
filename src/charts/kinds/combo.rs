//! Columns and lines together over the same categories.
//!
//! Record: `label` and a number for each series. Settings: `series` (`key`, `title`, `color`),
//! `lines` (keys of the columns drawn as lines; without it the last series is one), `secondAxis`
//! (lines on an axis of their own at the right), `interpolation`, `showPoints`, `showValues`,
//! `showLegend`, `showGrid`, `axis`, `lineAxis`.

mod second;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::bands;
use crate::frame::category::Names;
use crate::frame::legend;
use crate::frame::legend::Chip;
use crate::frame::lines;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::{Band, Linear};
use crate::scene::{ASCENT, Anchor, Stroke, Text};
use crate::shape::curve;
use crate::shape::curve::Join;

/// The combo chart.
pub const KIND: Kind = Kind { slug: "combo", draw };

/// A series with its values, one a record.
struct Part {
    series: Series,
    values: Vec<Option<f64>>,
    /// Drawn as a line instead of columns.
    line: bool,
    format: NumberFormat,
}

/// Where columns and lines stand.
struct Plot {
    area: Rect,
    band: Band,
    columns: Linear,
    lines: Linear,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let parts = read(chart, &frame.look);
    if parts.is_empty() {
        return frame::no_data(frame, scene);
    }
    describe(chart, &parts, scene);
    let look = &frame.look;
    let mut area = frame.area;
    if parts.len() > 1 && chart.flag("showLegend", true) {
        let chip = |it: &Part| if it.line { Chip::Line } else { Chip::Box };
        let entries = parts.iter().map(|it| (&*it.series.title, it.series.color, chip(it)));
        area = legend::draw_chips(scene, look, area, entries);
    }
    let plot = axes(chart, look, area, &parts, scene);
    columns(chart, &parts, &plot, look, scene);
    let zero = plot.columns.at(0.0);
    axis::base_line(scene, look, (plot.area.x0, zero), (plot.area.x1, zero));
    draw_lines(chart, &parts, &plot, look, scene);
}

/// The series that hold a number, columns first, with the colours they are drawn in.
fn read(chart: &Chart, look: &Look) -> Vec<Part> {
    let series = chart.series();
    let listed = chart.setting("lines").as_array();
    let named: Vec<&str> = listed.into_iter().flatten().filter_map(|it| it.as_str()).collect();
    let chosen = series.iter().any(|it| named.contains(&it.key.as_str()));
    let last = series.len().saturating_sub(1);
    let mut parts = Vec::with_capacity(series.len());
    for (index, mut one) in series.into_iter().enumerate() {
        let mut place = 0;
        let value = |record| data::number(data::field_near(record, &one.key, &mut place));
        let values: Vec<Option<f64>> = chart.data.iter().map(value).collect();
        let line =
            if chosen { named.contains(&one.key.as_str()) } else { index == last && last > 0 };
        // Lines lie on columns: the accent stands out from them, unless another colour is asked for.
        let usual = chart.style.custom_colors.is_empty() && one.color == chart.color(index);
        if line && usual && !parts.iter().any(|it: &Part| it.line) {
            one.color = chart.theme.highlight;
        }
        if line {
            one.color = lines::line_color(one.color, look);
        }
        let rules = chart.rules(&one.key);
        let format =
            NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.language());
        if values.iter().any(Option::is_some) {
            parts.push(Part { series: one, values, line, format });
        }
    }
    parts.sort_by_key(|it| it.line);
    parts
}

/// Lowest and highest value of some parts; nothing gives a range that is turned over.
fn range<'a>(parts: impl Iterator<Item = &'a Part>) -> (f64, f64) {
    let all = parts.flat_map(|it| it.values.iter().flatten());
    all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(*it), high.max(*it)))
}

/// Lays out and draws both axes, their titles and the names under the columns.
fn axes(chart: &Chart, look: &Look, area: Rect, parts: &[Part], scene: &mut Scene) -> Plot {
    let mut area = area;
    let two = chart.flag("secondAxis", false)
        && parts.iter().any(|it| it.line)
        && !parts.iter().all(|it| it.line);
    let titled = area;
    let above = axis::title(chart, look, scene, Rect { x1: area.center().x, ..area });
    area.y0 += above;
    let on_left = |it: &&Part| !two || !it.line;
    let rules = parts.first().map(|it| chart.rules(&it.series.key)).unwrap_or_default();
    let lengths = (area.height(), axis::row_spacing(look));
    let all = range(parts.iter().filter(on_left));
    let values = Values::new(chart, look, all, Zero::Always, lengths, &rules);
    let other = two.then(|| {
        second::values(chart, look, range(parts.iter().filter(|it| it.line)), &values, parts)
    });
    if let Some(other) = &other
        && above == 0.0
    {
        area.y0 += second::title(chart, look, scene, titled, other.ink);
    } else if let Some(other) = &other {
        second::title(chart, look, scene, titled, other.ink);
    }
    area.y0 += look.label * 0.4;
    let left = values.width(look).min(area.width() * 0.4);
    let right = other.as_ref().map_or(0.0, |it| it.values.width(look).min(area.width() * 0.3));
    let sides = (area.x0 + left, (area.x1 - right).max(area.x0 + left + 1.0));
    let count = chart.data.len();
    let groups = parts.iter().filter(|it| !it.line).count().max(1) as f64;
    let padding = if count > 60 { 0.1 } else { (0.65 / (groups + 0.65)).min(0.36) };
    let band = Band { count, range: sides, padding, most: groups.sqrt() * 72.0 * look.unit };
    let names: Vec<Cow<str>> = chart.data.iter().map(data::label).collect();
    let names = Names::plan(&names, band.step(), area.height() * 0.4, look);
    let bottom = (area.y1 - names.height).max(area.y0 + 1.0);
    let plot = Rect::new(sides.0, area.y0, sides.1, bottom);
    let columns = Linear { domain: values.domain, range: (plot.y1, plot.y0) };
    let domain = other.as_ref().map_or(values.domain, |it| it.values.domain);
    let lines = Linear { domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::ruled(chart, look), plot, &columns);
    if let Some(other) = &other {
        other.values.draw_right(scene, look, plot, &lines, other.ink);
    }
    names.draw(scene, look, plot, &band);
    Plot { area: plot, band, columns, lines }
}

fn columns(chart: &Chart, parts: &[Part], plot: &Plot, look: &Look, scene: &mut Scene) {
    let these: Vec<&Part> = parts.iter().filter(|it| !it.line).collect();
    let marked = |record| data::flag(data::field(record, "highlighted"));
    let any_marked = chart.data.iter().any(marked);
    let group = plot.band.width();
    let inner = |start: f64| Band {
        count: these.len(),
        range: (start, start + group),
        padding: 0.0,
        most: f64::INFINITY,
    };
    let thickness = inner(0.0).width();
    let gap = if thickness >= 5.0 && these.len() > 1 { 1.0 } else { 0.0 };
    let labels = chart.flag("showValues", false) && column_labels_fit(&these, thickness, look);
    for (row, record) in chart.data.iter().enumerate() {
        let band = inner(plot.band.start(row));
        for (index, part) in these.iter().enumerate() {
            let Some(value) = part.values.get(row).copied().flatten() else { continue };
            let words = part.format.text(value);
            let quiet = any_marked && !marked(record);
            let fill = part.series.color;
            let fill = if quiet { fill.mix(look.background, 0.55) } else { fill };
            scene.tag("bar", Some(row), || {
                (Some(part.series.key.clone()), format!("{}: {words}", part.series.title))
            });
            let from = band.start(index) + gap / 2.0;
            let (zero, end) = (plot.columns.at(0.0), plot.columns.at(value));
            let rect = Rect::new(from, zero.min(end), from + thickness - gap, zero.max(end));
            scene.rect(rect, fill);
            if labels
                && let Some(label) = foot_label(&words, value < 0.0, rect, fill, look)
                && !crossed(&label, row, parts, plot)
            {
                scene.text(label);
            }
        }
    }
    scene.untag();
}

fn column_labels_fit(parts: &[&Part], thickness: f64, look: &Look) -> bool {
    parts.iter().all(|part| {
        let mut all = part.values.iter().flatten();
        all.all(|it| look.width(&part.format.text(*it), look.small) + 2.0 <= thickness)
    })
}

/// Whether the point of a line, or the value over it, stands on a label.
fn crossed(label: &Text, row: usize, parts: &[Part], plot: &Plot) -> bool {
    let bounds = label.bounds();
    let near = (bounds.y0 - label.size * 0.5)..(bounds.y1 + label.size * 2.0);
    let mut points =
        parts.iter().filter(|it| it.line).filter_map(|it| it.values.get(row)?.as_ref());
    points.any(|it| near.contains(&plot.lines.at(*it)))
}

/// The value at the foot of a column, where lines seldom pass; dropped from columns too low for it.
fn foot_label(words: &str, negative: bool, rect: Rect, fill: Color, look: &Look) -> Option<Text> {
    let size = look.small;
    let ink = bands::inner_ink(fill)?;
    if rect.height() < size * 1.6 {
        return None;
    }
    let y = if negative { rect.y0 + size * (0.4 + ASCENT) } else { rect.y1 - size * 0.5 };
    let set = look.text(rect.center().x, y, Anchor::Middle, size, words);
    Some(Text { color: ink, ..set })
}

fn draw_lines(chart: &Chart, parts: &[Part], plot: &Plot, look: &Look, scene: &mut Scene) {
    let join = Join::parse(chart.word("interpolation"));
    let few = chart.data.len() <= 40;
    let width = look.unit * if chart.data.len() > 300 { 1.5 } else { 2.5 };
    for part in parts.iter().filter(|it| it.line) {
        let color = part.series.color;
        let place = |(row, value): (usize, &Option<f64>)| {
            value.map(|it| Point::new(plot.band.center(row), plot.lines.at(it)))
        };
        let points: Vec<Option<Point>> = part.values.iter().enumerate().map(place).collect();
        let runs: Vec<Vec<Point>> = curve::runs(&points).into_iter().map(curve::thinned).collect();
        // A rim of ground parts the line from the columns that it crosses.
        for run in &runs {
            let rim = Stroke::new(look.background, width + 2.0 * look.unit).rounded();
            lines::draw_run(scene, run.clone(), join, rim);
        }
        let title = &part.series.title;
        scene.tag("line", None, || (Some(part.series.key.clone()), title.clone()));
        for run in runs {
            lines::draw_run(scene, run, join, Stroke::new(color, width).rounded());
        }
        let dots = chart.flag("showPoints", true) && few;
        for (row, point) in points.iter().enumerate() {
            let Some(point) = point.filter(|_| dots || scene.interactive && points.len() <= 2000)
            else {
                continue;
            };
            scene.tag("point", Some(row), || {
                let value = part.values.get(row).copied().flatten();
                let words = value.map_or(String::new(), |it| part.format.text(it));
                (Some(part.series.key.clone()), format!("{title}: {words}"))
            });
            if dots {
                let rim = Stroke::new(look.background, look.unit);
                scene.circle(point, width * 1.4, color, Some(rim));
            } else {
                scene.circle(point, 5.0, color.with_opacity(0.0), None);
            }
        }
        scene.untag();
        if chart.flag("showValues", false) {
            second::values_at(part, &points, plot, look, scene);
        }
    }
}

/// Says in words what stands as columns and what as lines, and how far it reaches.
fn describe(chart: &Chart, parts: &[Part], scene: &mut Scene) {
    let told: Vec<String> = parts
        .iter()
        .take(8)
        .map(|part| {
            let (low, high) = range(std::iter::once(part));
            let form = if part.line { "line" } else { "columns" };
            let (low, high) = (part.format.text(low), part.format.text(high));
            format!("{} ({form}) from {low} to {high}", part.series.title)
        })
        .collect();
    let count = chart.data.len();
    scene.desc = format!("Combo chart of {count} records: {}.", told.join(", "));
}
