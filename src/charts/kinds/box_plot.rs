//! The spread of samples: a box from the first to the third quartile, a line at the median, and
//! whiskers to the ends.
//!
//! Record: `label`, `min`, `q1`, `median`, `q3`, `max`, `highlighted`; or `label` and `values`, the
//! sample itself as a list. Settings: `orientation` (`vertical`, `horizontal`), `whiskers`
//! (`tukey`: to the last value within 1.5 box lengths, others as dots; `range`: to the ends),
//! `sort` (by median), `showValues` (medians), `showGrid`, `axis`.

mod sample;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::category::{Names, Rows};
use crate::frame::lines;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::{Band, Linear};
use crate::scene::{Anchor, CENTER, Stroke, Text};

use sample::Sample;

/// The box plot.
pub const KIND: Kind = Kind { slug: "box-plot", draw };

/// Where boxes and values stand.
struct Plot {
    upright: bool,
    band: Band,
    scale: Linear,
}

impl Plot {
    /// A box across the categories from `start` to `end` and from one value to another.
    fn rect(&self, (start, end): (f64, f64), (low, high): (f64, f64)) -> Rect {
        let (one, two) = (self.scale.at(low), self.scale.at(high));
        if self.upright {
            Rect::new(start, one.min(two), end, one.max(two))
        } else {
            Rect::new(one.min(two), start, one.max(two), end)
        }
    }

    /// A line along the values, or across them when both ends have one value.
    fn line(&self, (from, to): ((f64, f64), (f64, f64)), stroke: Stroke, scene: &mut Scene) {
        let at = |(across, value): (f64, f64)| {
            let along = self.scale.at(value);
            if self.upright { (across, along) } else { (along, across) }
        };
        scene.line(at(from), at(to), stroke);
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let samples = sample::read(chart, scene);
    let all = || samples.iter().flat_map(Sample::all);
    if all().next().is_none() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let rules =
        ["median", "values"].into_iter().find(|it| chart.setting("rulesets")[*it].is_object());
    let rules = chart.rules(rules.unwrap_or("median"));
    let medians: Vec<Option<f64>> =
        samples.iter().map(|it| it.figures.map(|it| it.median)).collect();
    let format =
        NumberFormat::for_values(medians.iter().flatten().copied(), &rules, chart.language());
    let samples: Vec<&Sample> =
        chart.order(&medians).into_iter().filter_map(|it| samples.get(it)).collect();
    let range = samples.iter().flat_map(|it| it.all());
    let range = range
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)));
    describe(&samples, &format, range, scene);
    let upright = chart.word("orientation") != "horizontal";
    let plot = lay(chart, &samples, (range, upright), &rules, frame, scene);
    let accented = samples.iter().any(|it| it.highlighted);
    for (index, sample) in samples.iter().enumerate() {
        let color = match (accented, sample.highlighted) {
            (false, _) => chart.color(0),
            (true, true) => chart.theme.highlight,
            (true, false) => look.muted.mix(look.background, 0.15),
        };
        scene.tag("box", Some(sample.row), || (None, sample.tip(&format)));
        mark(sample, index, &plot, (color, accented && sample.highlighted), look, scene);
    }
    scene.untag();
    if chart.flag("showValues", true) {
        medians_beside(&samples, &plot, &format, look, scene);
    }
}

fn describe(samples: &[&Sample], format: &NumberFormat, range: (f64, f64), scene: &mut Scene) {
    let medians = || samples.iter().filter_map(|it| Some((it.figures?.median, *it)));
    let lowest = medians().min_by(|one, two| one.0.total_cmp(&two.0));
    let highest = medians().max_by(|one, two| one.0.total_cmp(&two.0));
    if let (Some(low), Some(high)) = (lowest, highest) {
        scene.desc = format!(
            "Box plot of {} samples between {} and {}; medians from {} ({}) to {} ({}).",
            medians().count(),
            format.text(range.0),
            format.text(range.1),
            format.text(low.0),
            low.1.label,
            format.text(high.0),
            high.1.label,
        );
    }
}

/// Lays out and draws rules, tick labels and names.
fn lay(
    chart: &Chart,
    samples: &[&Sample],
    (range, upright): ((f64, f64), bool),
    rules: &crate::format::Rules,
    frame: &Frame,
    scene: &mut Scene,
) -> Plot {
    let look = &frame.look;
    let mut area = frame.area;
    area.y0 += axis::title(chart, look, scene, area);
    let names: Vec<Cow<str>> = samples.iter().map(|it| Cow::Borrowed(&*it.label)).collect();
    let shown = &*axis::ruled(chart, look);
    let band =
        |range: (f64, f64), most: f64| Band { count: names.len(), range, padding: 0.45, most };
    if upright {
        area.y0 += look.label * 0.4;
        let lengths = (area.height(), axis::row_spacing(look));
        let values = Values::new(chart, look, range, Zero::WhenTouched, lengths, rules);
        let left = area.x0 + values.width(look).min(area.width() * 0.4);
        let band = band((left, area.x1.max(left + 1.0)), 60.0 * look.unit);
        let under = Names::plan(&names, band.step(), area.height() * 0.4, look);
        let plot =
            Rect::new(left, area.y0, band.range.1, (area.y1 - under.height).max(area.y0 + 1.0));
        let scale = Linear { domain: values.domain, range: (plot.y1, plot.y0) };
        values.draw_left(scene, shown, plot, &scale);
        if values.crosses_zero() {
            let zero = scale.at(0.0);
            axis::base_line(scene, look, (plot.x0, zero), (plot.x1, zero));
        }
        under.draw(scene, look, plot, &band);
        return Plot { upright, band, scale };
    }
    let bottom = (area.y1 - Values::height(look)).max(area.y0 + 1.0);
    let band = band((area.y0, bottom), 36.0 * look.unit);
    let beside = Rows::plan(&names, band.step(), area.width() * 0.36, look);
    let plot = Rect::new(
        area.x0 + beside.width,
        area.y0,
        area.x1.max(area.x0 + beside.width + 1.0),
        bottom,
    );
    let lengths = (plot.width(), axis::column_spacing(look));
    let values = Values::new(chart, look, range, Zero::WhenTouched, lengths, rules);
    let scale = Linear { domain: values.domain, range: (plot.x0, plot.x1) };
    values.draw_bottom(scene, shown, plot, &scale);
    if values.crosses_zero() {
        let zero = scale.at(0.0);
        axis::base_line(scene, look, (zero, plot.y0), (zero, plot.y1));
    }
    beside.draw(scene, look, area.x0, &band);
    Plot { upright, band, scale }
}

/// Whiskers, box, median and the values beyond the whiskers.
fn mark(
    sample: &Sample,
    index: usize,
    plot: &Plot,
    (color, stands_out): (Color, bool),
    look: &Look,
    scene: &mut Scene,
) {
    let Some(figures) = sample.figures else { return };
    let (middle, width) = (plot.band.center(index), plot.band.width().max(1.0));
    let start = middle - width / 2.0;
    let line = lines::line_color(color, look);
    let thin = Stroke::new(line, (1.25 * look.unit).min(width * 0.5));
    for (from, to) in [(figures.low, figures.q1), (figures.q3, figures.high)] {
        if from < to {
            plot.line(((middle, from), (middle, to)), thin, scene);
        }
    }
    for end in [figures.low, figures.high] {
        let cap = width * 0.22;
        if width >= 6.0 && figures.low < figures.high {
            plot.line(((middle - cap, end), (middle + cap, end)), thin, scene);
        }
    }
    let rect = plot.rect((start, start + width), (figures.q1, figures.q3));
    // The one that stands out has its colour in full.
    let fill = color.mix(look.background, if stands_out { 0.15 } else { 0.5 });
    scene.rect(rect, fill);
    let strong = Stroke::new(look.line_on(fill), (2.25 * look.unit).min(width.max(1.0)));
    plot.line(((start, figures.median), (start + width, figures.median)), strong, scene);
    let radius = (2.5 * look.unit).min(width * 0.5).max(0.75);
    for value in &sample.outside {
        let along = plot.scale.at(*value);
        let at = if plot.upright { (middle, along) } else { (along, middle) };
        let hollow = Stroke::new(line, look.unit);
        scene.circle(at, radius, look.background, Some(hollow));
    }
}

/// Writes the medians into the gaps between the boxes, if all of them fit.
fn medians_beside(
    samples: &[&Sample],
    plot: &Plot,
    format: &NumberFormat,
    look: &Look,
    scene: &mut Scene,
) {
    let free = plot.band.step() - plot.band.width();
    let words = |it: &Sample| it.figures.map(|it| format.text(it.median));
    let fits = |size: &f64| {
        let widest = samples
            .iter()
            .filter_map(|it| words(it))
            .map(|it| look.width(&it, *size))
            .fold(0.0, f64::max);
        if plot.upright { widest + size <= free } else { size * 1.3 <= free && samples.len() <= 60 }
    };
    let Some(size) = [look.label, look.small].into_iter().find(fits) else { return };
    for (index, sample) in samples.iter().enumerate() {
        let (Some(figures), Some(words)) = (sample.figures, words(sample)) else { continue };
        let along = plot.scale.at(figures.median);
        let (middle, half) = (plot.band.center(index), plot.band.width() / 2.0);
        let set = if plot.upright {
            let y = along + CENTER * size;
            look.text(middle + half + size * 0.35, y, Anchor::Start, size, &words)
        } else {
            let wide = look.width(&words, size) / 2.0;
            let (low, high) = plot.scale.range;
            let x = along.clamp(low + wide, (high - wide).max(low + wide));
            look.text(x, middle - half - size * 0.28, Anchor::Middle, size, &words)
        };
        scene.text(Text { color: look.value_ink, halo: Some(look.background), ..set });
    }
}
