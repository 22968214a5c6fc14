//! How often values occur: bars over ranges of equal width that touch each other.
//!
//! Record: `value`; or `from`, `to`, `count` for ranges that are already counted; `highlighted`.
//! Settings: `bins` (about how many ranges), `marker` (`none`, `mean`, `median`), `xTitle`,
//! `showValues`, `showGrid`, `axis`.

mod bins;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::{Linear, Ticks};
use crate::scene::{ASCENT, Anchor, Stroke, Text};
use crate::text;
use crate::text::Face;

use bins::{Bin, Bins};

/// The histogram.
pub const KIND: Kind = Kind { slug: "histogram", draw };

/// Where the bars stand.
struct Plot {
    area: Rect,
    x: Linear,
    y: Linear,
}

/// How counts and edges are written.
struct Formats {
    count: NumberFormat,
    edge: NumberFormat,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let Some(bins) = bins::read(chart, scene) else { return frame::no_data(frame, scene) };
    let look = &frame.look;
    let rules = chart.rules("value");
    let edges = bins.edges();
    let formats = Formats {
        count: NumberFormat::for_values(
            bins.all.iter().map(|it| it.count),
            &chart.rules("count"),
            chart.language(),
        ),
        edge: NumberFormat::for_axis(bins.reach(), bins.step(), &rules, chart.language()),
    };
    let marker = bins.marker(chart.word("marker"));
    let size = label_size(chart, &bins, &formats, frame);
    let plot =
        axes(chart, look, frame.area, (&bins, &edges), (&formats, size, marker.is_some()), scene);
    marks(chart, &bins, &plot, &formats, look, scene);
    axis::base_line(scene, look, (plot.area.x0, plot.area.y1), (plot.area.x1, plot.area.y1));
    if let Some((name, at)) = marker {
        let format = NumberFormat::for_values(std::iter::once(at), &rules, chart.language());
        let name = look.locale.word(name);
        let words = format!("{name} {}", format.text(at));
        draw_marker(chart, &words, (at, &bins), &plot, look, scene);
    }
    if let Some(size) = size {
        counts(&bins, &plot, (&formats, size, marker.map(|it| it.1)), look, scene);
    }
    describe(&bins, &formats, scene);
}

/// The size at which the counts fit over their bars; none when they do not, or are not wanted.
fn label_size(chart: &Chart, bins: &Bins, formats: &Formats, frame: &Frame) -> Option<f64> {
    let look = &frame.look;
    let (low, high) = bins.ends();
    let room = |it: &Bin| (it.to - it.from) / (high - low) * frame.area.width() * 0.93;
    let fits = |size: &f64| {
        let width = |it: &Bin| look.width(&formats.count.text(it.count), *size) + 2.0;
        bins.all.iter().all(|it| width(it) <= room(it)) && frame.area.height() > size * 8.0
    };
    let wanted = chart.flag("showValues", true);
    [look.label, look.small].into_iter().find(fits).filter(|_| wanted)
}

/// Lays out and draws both axes.
fn axes(
    chart: &Chart,
    look: &Look,
    area: Rect,
    (bins, edges): (&Bins, &[f64]),
    (formats, size, marked): (&Formats, Option<f64>, bool),
    scene: &mut Scene,
) -> Plot {
    let mut area = area;
    // Ranges of unequal width are compared by area: heights are no counts, and get no axis.
    let highest = bins.all.iter().map(|it| bins.height(it)).fold(0.0, f64::max);
    let with_axis =
        bins.equal && (size.is_none() || highest >= 3.0 && chart.flag("showGrid", true));
    if with_axis {
        area.y0 += axis::title(chart, look, scene, area);
    }
    area.y0 += if marked { look.label * 1.5 } else { look.label * 0.4 };
    let below = x_title(chart, look, scene, area);
    let bottom = (area.y1 - Values::height(look) - 2.0 * look.unit - below).max(area.y0 + 1.0);
    let lengths = (bottom - area.y0, axis::row_spacing(look));
    let values =
        Values::new(chart, look, (0.0, highest), Zero::Always, lengths, &chart.rules("count"));
    let half = look.width(&formats.edge.text(bins.ends().1), look.label) / 2.0;
    let left = if with_axis { values.width(look).min(area.width() * 0.4) } else { 0.0 };
    let right = half.clamp(0.0, area.width() * 0.1);
    let plot = Rect::new(area.x0 + left, area.y0, area.x1 - right, bottom);
    let top = if with_axis { values.domain.1 } else { highest };
    let room = size.map_or(0.0, |it| it * 1.35);
    let free = (1.0 - highest / top) * plot.height();
    let room = (room - free).clamp(0.0, plot.height() * 0.3);
    let y = Linear { domain: (0.0, top), range: (plot.y1, plot.y0 + room) };
    let x = Linear { domain: bins.ends(), range: (plot.x0, plot.x1) };
    if bins.single {
        // A range of one whole number is that number, named under the middle of its bar.
        let at = (x.domain.0 - 0.5, x.domain.1 - 0.5);
        let numbers = edges.split_last().map_or(edges, |it| it.1);
        below_bars(look, plot, numbers, &formats.edge, &Linear { domain: at, ..x }, scene);
    } else {
        below_bars(look, plot, edges, &formats.edge, &x, scene);
    }
    if with_axis {
        values.draw_left(scene, look, plot, &y);
    }
    Plot { area: plot, x, y }
}

/// The edges under the bars, thinned by a common step; no rules, since the bars show them.
fn below_bars(
    look: &Look,
    plot: Rect,
    edges: &[f64],
    format: &NumberFormat,
    x: &Linear,
    scene: &mut Scene,
) {
    let labels: Vec<String> = edges.iter().map(|it| format.text(*it)).collect();
    let widest = labels.iter().map(|it| look.width(it, look.label)).fold(0.0, f64::max);
    let narrowest = edges
        .windows(2)
        .filter_map(|it| Some(x.at(*it.last()?) - x.at(*it.first()?)))
        .fold(f64::INFINITY, f64::min);
    let every = ((widest + look.label) / narrowest.max(0.1)).ceil().clamp(1.0, 1e6) as usize;
    let every = [1, 2, 4, 5, 10, 20].into_iter().find(|it| *it >= every).unwrap_or(every);
    let kept = |it: Vec<f64>| it.into_iter().step_by(every).collect();
    let ticks = Ticks { step: narrowest, values: kept(edges.to_vec()) };
    let labels = labels.into_iter().step_by(every).collect();
    let values = Values { domain: x.domain, ticks, labels, widest };
    let quiet = Look { grid: look.background, ..look.clone() };
    // A little lower, so that the first labels of both axes do not touch in the corner.
    let low = Rect { y0: plot.y1, y1: plot.y1 + 2.0 * look.unit, ..plot };
    values.draw_bottom(scene, &quiet, low, x);
}

/// The name of the measure under its axis, right-aligned; returns the height it took.
fn x_title(chart: &Chart, look: &Look, scene: &mut Scene, area: Rect) -> f64 {
    let words = text::clean(chart.word("xTitle"));
    let fitted = text::fit(&words, area.width(), look.label, look.face());
    if fitted.is_empty() || area.height() < look.label * 10.0 {
        return 0.0;
    }
    let set = look.text(area.x1, area.y1 - look.label * 0.2, Anchor::End, look.label, &fitted);
    scene.text(Text { color: look.muted, ..set });
    look.label * 1.6
}

/// The colour of a bar.
fn fill(chart: &Chart, bin: &Bin, accented: bool, look: &Look) -> Color {
    match (accented, bin.highlighted) {
        (false, _) => chart.color(0),
        (true, true) => chart.theme.highlight,
        (true, false) => look.faded(),
    }
}

fn marks(
    chart: &Chart,
    bins: &Bins,
    plot: &Plot,
    formats: &Formats,
    look: &Look,
    scene: &mut Scene,
) {
    let accented = bins.all.iter().any(|it| it.highlighted);
    for bin in &bins.all {
        let fill = fill(chart, bin, accented, look);
        let (from, to) = (plot.x.at(bin.from), plot.x.at(bin.to));
        // Bars touch, because their ranges do; a hair of ground tells them apart.
        let gap = if to - from > 4.0 { 1.0 } else { 0.0 };
        let rect =
            Rect::new(from + gap / 2.0, plot.y.at(bins.height(bin)), to - gap / 2.0, plot.area.y1);
        let words = formats.count.text(bin.count);
        scene.tag("bar", bin.row, || {
            let (from, to) = (formats.edge.text(bin.from), formats.edge.text(bin.to));
            (Some("value".to_owned()), format!("{from} – {to}: {words}"))
        });
        scene.rect(rect, fill);
    }
    scene.untag();
}

/// The counts over their bars, with a rim that parts them from a marker.
fn counts(
    bins: &Bins,
    plot: &Plot,
    (formats, size, marker): (&Formats, f64, Option<f64>),
    look: &Look,
    scene: &mut Scene,
) {
    for bin in bins.all.iter().filter(|it| it.count > 0.0) {
        let x = (plot.x.at(bin.from) + plot.x.at(bin.to)) / 2.0;
        let y = plot.y.at(bins.height(bin)) - size * 0.35;
        let words = formats.count.text(bin.count);
        let (from, to) = (plot.x.at(bin.from), plot.x.at(bin.to));
        let half = look.width(&words, size) / 2.0;
        // Beside the marker, where the bar is wide enough.
        let line = marker.map(|it| plot.x.at(if bins.single { it + 0.5 } else { it }));
        let line = line.filter(|it| (it - x).abs() < half + 2.5);
        let x = match line {
            Some(at) if at <= x && at + half * 2.0 + 1.5 <= to => at + half + 2.5,
            Some(at) if at >= x && at - half * 2.0 - 1.5 >= from => at - half - 2.5,
            _ => x,
        };
        let set = look.text(x, y, Anchor::Middle, size, &words);
        scene.text(Text { color: look.value_ink, halo: Some(look.background), ..set });
    }
}

/// A dashed line at the mean or median with its name over the plot.
fn draw_marker(
    chart: &Chart,
    words: &str,
    (at, bins): (f64, &Bins),
    plot: &Plot,
    look: &Look,
    scene: &mut Scene,
) {
    // A bar of one whole number has it in its middle.
    let x = plot.x.at(if bins.single { at + 0.5 } else { at });
    let size = look.label;
    let top = plot.area.y0 - size * 0.3;
    // Over a bar the line has an ink that its colour carries.
    let bar = bins.all.iter().find(|it| it.from <= at && at < it.to);
    let bend = bar.map_or(plot.area.y1, |it| plot.y.at(bins.height(it)));
    let accented = bins.all.iter().any(|it| it.highlighted);
    let over = bar.map_or(look.ink, |it| look.line_on(fill(chart, it, accented, look)));
    let parts = [(top, bend, look.ink), (bend, plot.area.y1, over)];
    for (from, to, ink) in parts {
        let stroke = Stroke::new(ink, 1.25 * look.unit).dashed(4.0, 3.0);
        scene.line(Point::new(x, from), Point::new(x, to), stroke);
    }
    let half = text::width(words, size, Face::Bold) / 2.0;
    let most = (plot.area.x1 - half).max(plot.area.x0 + half);
    let middle = x.clamp(plot.area.x0 + half, most);
    let baseline = plot.area.y0 - size * (1.5 - ASCENT) + size * 0.05;
    let set = look.text(middle, baseline, Anchor::Middle, size, words);
    scene.text(Text { face: Face::Bold, width: half * 2.0, color: look.ink, ..set });
}

/// Says in words how the values are spread.
fn describe(bins: &Bins, formats: &Formats, scene: &mut Scene) {
    let total: f64 = bins.all.iter().map(|it| it.count).sum();
    let fullest = bins.all.iter().rev().max_by(|one, two| one.count.total_cmp(&two.count));
    let (low, high) = bins.ends();
    let edge = |it: f64| formats.edge.text(it);
    let most = fullest.map_or(String::new(), |it| {
        let count = formats.count.text(it.count);
        format!(" Most ({count}) lie from {} to {}.", edge(it.from), edge(it.to))
    });
    scene.desc = format!(
        "Histogram of {} values in {} {} from {} to {}.{most}",
        formats.count.text(total),
        bins.all.len(),
        if bins.all.len() == 1 { "range" } else { "ranges" },
        edge(low),
        edge(high),
    );
}
