//! Shares of answers on a scale, laid round a middle: rejection to the left, approval to the right.
//!
//! Record: `question` (or `label`), one column per step of the scale from rejection to approval,
//! `highlighted`. Settings: `series` (`key`, `title`, `color` of the steps), `neutral` (`center`,
//! `aside`), `sort` (by approval), `showValues`, `showTotals`, `showLegend`, `showGrid`,
//! `positiveColor`, `negativeColor`, `neutralColor`.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::bands;
use crate::frame::category::Rows;
use crate::frame::legend;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::{Band, Linear};
use crate::scene::{Anchor, CENTER, Stroke, Text};
use crate::slices::spread;
use crate::text;
use crate::text::Face;

/// The Likert chart.
pub const KIND: Kind = Kind { slug: "likert", draw };

/// One question with the shares of its answers.
struct Item<'a> {
    row: usize,
    label: Cow<'a, str>,
    /// Percent by step of the scale; adds up to 100.
    shares: Vec<f64>,
    highlighted: bool,
}

/// A step of the scale.
struct Step {
    title: String,
    color: Color,
}

/// How shares are shown in the bars.
struct Shown {
    format: NumberFormat,
    decimals: usize,
    /// Font size; none when they have no room, or are not wanted.
    size: Option<f64>,
}

/// Where the steps of the scale stand.
#[derive(Clone, Copy)]
struct Scale {
    count: usize,
    /// Whether the middle step stands in a column of its own at the right.
    aside: bool,
}

/// Where everything stands.
struct Plot {
    area: Rect,
    band: Band,
    x: Linear,
    /// Left end in points of the column of middle answers, when they stand aside.
    aside: f64,
}

impl Scale {
    /// Place of the step in the middle; none when their number is even.
    fn middle(self) -> Option<usize> {
        (self.count % 2 == 1 && self.count > 1).then_some(self.count / 2)
    }

    /// Percent left and right of the middle line, and of the column aside.
    fn reach(self, shares: &[f64]) -> (f64, f64, f64) {
        let (mut left, mut right, mut aside) = (0.0, 0.0, 0.0);
        for (index, share) in shares.iter().enumerate() {
            if Some(index) == self.middle() {
                match self.aside {
                    true => aside += share,
                    false => (left, right) = (left + share / 2.0, right + share / 2.0),
                }
            } else if self.count > 1 && index < self.count / 2 {
                left += share;
            } else {
                right += share;
            }
        }
        (left, right, aside)
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let look = &frame.look;
    let steps = steps(chart, look);
    let scale = Scale { count: steps.len(), aside: chart.word("neutral") == "aside" };
    let items = read(chart, scale, scene);
    if items.is_empty() {
        return frame::no_data(frame, scene);
    }
    let mut area = frame.area;
    if chart.flag("showLegend", true) && steps.len() > 1 {
        area =
            legend::draw(scene, look, area, steps.iter().map(|it| (it.title.as_str(), it.color)));
    }
    let totals = chart.flag("showTotals", false);
    let plot = ground(chart, &items, scale, (area, totals), look, scene);
    let crossed = scale.middle().is_some() && !scale.aside;
    if crossed {
        middle_line(&plot, look, scene);
    }
    let any = items.iter().any(|it| it.highlighted);
    let size = value_size(chart, &plot, look);
    let values = Shown { format: percent(chart), decimals: decimals(chart), size };
    for (index, item) in items.iter().enumerate() {
        bar(item, &steps, scale, &plot, (index, any, &values), look, scene);
    }
    scene.untag();
    // Neutral answers lie across the line, and their values would be struck through.
    if !crossed {
        middle_line(&plot, look, scene);
    }
    if let (true, Some(size)) = (totals, size) {
        sums(chart, &items, scale, &plot, size, look, scene);
    }
    describe(&items, scale, scene);
}

/// The steps of the scale; their colours run from one end through a neutral middle to the other.
fn steps(chart: &Chart, look: &Look) -> Vec<Step> {
    let listed = chart.setting("series").as_array().map_or(&[][..], |it| it.as_slice());
    let series = chart.series();
    let count = series.len();
    let own = |key: &str, usual: Color| Color::parse(chart.word(key)).unwrap_or(usual);
    let ends = (own("negativeColor", chart.theme.highlight), own("positiveColor", chart.color(0)));
    let neutral = own("neutralColor", look.grid.mix(look.muted, 0.25));
    let color = |index: usize| {
        let half = count / 2;
        // How many steps from the outer end, of how many on this side.
        let (end, place) = match count {
            1 => (ends.1, 0),
            _ if count % 2 == 1 && index == half => return neutral,
            _ if index < half => (ends.0, index),
            _ => (ends.1, count - 1 - index),
        };
        let pale = place as f64 / half.max(1) as f64;
        end.mix(look.background, pale * 0.75).carrying_towards(look.background)
    };
    let given = |key: &str| {
        let entry = listed.iter().find(|it| it["key"].as_str() == Some(key));
        entry.and_then(|it| it["color"].as_str()).and_then(Color::parse)
    };
    let step = |(index, it): (usize, crate::Series)| Step {
        color: given(&it.key).unwrap_or_else(|| color(index)),
        title: it.title,
    };
    series.into_iter().enumerate().map(step).collect()
}

/// The questions that anyone answered, in drawing order.
fn read<'a>(chart: &Chart<'a>, scale: Scale, scene: &mut Scene) -> Vec<Item<'a>> {
    let keys: Vec<String> = chart.series().into_iter().map(|it| it.key).collect();
    let mut negative = false;
    let mut items = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let amounts = keys.iter().map(|key| data::number(data::field(record, key)).unwrap_or(0.0));
        let amounts: Vec<f64> = amounts.collect();
        negative |= amounts.iter().any(|it| *it < 0.0);
        let most = amounts.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            continue;
        }
        // Divided by the largest first, so that huge amounts can be summed.
        let parts: Vec<f64> = amounts.iter().map(|it| it.max(0.0) / most).collect();
        let total: f64 = parts.iter().sum();
        let question = data::field(record, "question");
        items.push(Item {
            row,
            label: if question.is_null() { data::label(record) } else { data::words(question) },
            shares: parts.iter().map(|it| it / total * 100.0).collect(),
            highlighted: data::flag(data::field(record, "highlighted")),
        });
    }
    if negative {
        scene.warn("Answers below zero count as none.");
    }
    let approval: Vec<Option<f64>> =
        items.iter().map(|it| Some(scale.reach(&it.shares).1)).collect();
    let order = chart.order(&approval);
    let mut slots: Vec<Option<Item>> = items.into_iter().map(Some).collect();
    order.into_iter().filter_map(|it| slots.get_mut(it).and_then(Option::take)).collect()
}

/// Names, scale and grid.
fn ground(
    chart: &Chart,
    items: &[Item],
    scale: Scale,
    (area, totals): (Rect, bool),
    look: &Look,
    scene: &mut Scene,
) -> Plot {
    let grid = chart.flag("showGrid", false);
    let foot = if grid { Values::height(look) } else { 0.0 };
    let bottom = (area.y1 - foot).max(area.y0 + 1.0);
    let most = 40.0 * look.unit;
    let band = Band { count: items.len(), range: (area.y0, bottom), padding: 0.28, most };
    let names: Vec<Cow<str>> = items.iter().map(|it| it.label.clone()).collect();
    let rows =
        Rows::plan_whole(&names, band.step(), (area.width() * 0.36, area.width() * 0.5), look);
    let side = if totals { look.width("100%", look.label) + look.label } else { 0.0 };
    let left = (area.x0 + rows.width + side).min(area.x1 - 2.0);
    let plot = Rect::new(left, area.y0, (area.x1 - side).max(left + 1.0), bottom);
    let reach = items.iter().map(|it| scale.reach(&it.shares));
    let far = reach.fold((0.0, 0.0, 0.0), |far: (f64, f64, f64), it| {
        (far.0.max(it.0), far.1.max(it.1), far.2.max(it.2))
    });
    let gap = if far.2 > 0.0 { look.label * 2.0 } else { 0.0 };
    let whole = (far.0 + far.1 + far.2).max(1.0);
    let width = (plot.width() - gap).max(1.0) * (far.0 + far.1) / whole;
    let plot = Rect { x1: plot.x0 + width, ..plot };
    let mut x = Linear { domain: (-far.0, far.1.max(1.0 - far.0)), range: (plot.x0, plot.x1) };
    if grid {
        let lengths = (plot.width(), axis::column_spacing(look));
        let mut values =
            Values::new(chart, look, x.domain, Zero::Always, lengths, &Rules::default());
        values.domain = x.domain;
        values.ticks.values.retain(|it| *it >= x.domain.0 && *it <= x.domain.1);
        let format = percent(chart);
        values.labels = values.ticks.values.iter().map(|it| format.text(it.abs())).collect();
        x.range = (plot.x0, plot.x1);
        values.draw_bottom(scene, look, plot, &x);
    }
    rows.draw(scene, look, area.x0, &band);
    Plot { area: plot, band, x, aside: plot.x1 + gap + if totals { side } else { 0.0 } }
}

/// How shares are written.
fn percent(chart: &Chart) -> NumberFormat {
    NumberFormat::plain(decimals(chart), &Rules::default(), chart.language()).with_percent()
}

/// Decimals of the shares: those that the first step of the scale asks for.
fn decimals(chart: &Chart) -> usize {
    let first = chart.series().into_iter().next();
    first.and_then(|it| chart.rules(&it.key).decimals).unwrap_or(0).min(2)
}

/// Size of the values in the bars; none when the bars are too thin, or values are not wanted.
fn value_size(chart: &Chart, plot: &Plot, look: &Look) -> Option<f64> {
    let fits = |size: &f64| *size * 1.15 <= plot.band.width();
    let wanted = chart.flag("showValues", true);
    [look.label, look.small].into_iter().find(fits).filter(|_| wanted)
}

/// The answers to one question.
fn bar(
    item: &Item,
    steps: &[Step],
    scale: Scale,
    plot: &Plot,
    (index, any, values): (usize, bool, &Shown),
    look: &Look,
    scene: &mut Scene,
) {
    let (left, _, _) = scale.reach(&item.shares);
    let pale = if any && !item.highlighted { 0.55 } else { 0.0 };
    let (top, thick) = (plot.band.start(index), plot.band.width());
    let per_percent = plot.area.width() / (plot.x.domain.1 - plot.x.domain.0).max(1.0);
    let mut from = -left;
    let shown = spread::shares(&item.shares, values.decimals as u32);
    for (place, ((share, shown), step)) in item.shares.iter().zip(shown).zip(steps).enumerate() {
        if *share <= 0.0 {
            continue;
        }
        let words = values.format.text(shown);
        scene.tag("bar", Some(item.row), || {
            (None, format!("{}: {}, {words}", item.label, step.title))
        });
        let aside = scale.aside && Some(place) == scale.middle();
        let rect = if aside {
            Rect::new(plot.aside, top, plot.aside + share * per_percent, top + thick)
        } else {
            Rect::new(plot.x.at(from), top, plot.x.at(from + share), top + thick)
        };
        if !aside {
            from += share;
        }
        let fill = step.color.mix(look.background, pale);
        scene.rect(rect, fill);
        // A hairline of ground parts neighbours whose colours are close.
        if rect.width() > 4.0 {
            let edge = Stroke::new(look.background, 1.0);
            scene.line((rect.x1, rect.y0), (rect.x1, rect.y1), edge);
        }
        let (Some(size), Some(ink)) = (values.size, bands::inner_ink(fill)) else { continue };
        if look.width(&words, size) + size * 0.5 <= rect.width() {
            let (x, y) = (rect.center().x, rect.center().y + CENTER * size);
            scene.text(Text { color: ink, ..look.text(x, y, Anchor::Middle, size, &words) });
        }
    }
}

fn middle_line(plot: &Plot, look: &Look, scene: &mut Scene) {
    let zero = plot.x.at(0.0);
    let (top, bottom) = (plot.area.y0, plot.area.y1);
    scene.line((zero, top), (zero, bottom), Stroke::new(look.axis, 1.0));
}

/// The sums of both sides, beyond the ends of the bars.
fn sums(
    chart: &Chart,
    items: &[Item],
    scale: Scale,
    plot: &Plot,
    size: f64,
    look: &Look,
    scene: &mut Scene,
) {
    let format = percent(chart);
    for (index, item) in items.iter().enumerate() {
        let (left, right, _) = scale.reach(&item.shares);
        let neutral = scale.middle().filter(|_| !scale.aside).and_then(|it| item.shares.get(it));
        let half = neutral.copied().unwrap_or(0.0) / 2.0;
        let base = plot.band.center(index) + CENTER * size;
        let gap = size * 0.5;
        for (share, at, anchor) in [
            (left - half, plot.x.at(-left) - gap, Anchor::End),
            (right - half, plot.x.at(right) + gap, Anchor::Start),
        ] {
            let words = format.text(share);
            let width = text::width(&words, size, Face::Bold);
            let set = look.text(at, base, anchor, size, &words);
            scene.text(Text { face: Face::Bold, width, color: look.value_ink, ..set });
        }
    }
}

/// Says which question was approved of most and least.
fn describe(items: &[Item], scale: Scale, scene: &mut Scene) {
    let half = |it: &Item| {
        scale.middle().filter(|_| !scale.aside).and_then(|at| it.shares.get(at).copied())
    };
    let approval = |it: &Item| scale.reach(&it.shares).1 - half(it).unwrap_or(0.0) / 2.0;
    let most = items.iter().max_by(|one, two| approval(one).total_cmp(&approval(two)));
    let least = items.iter().min_by(|one, two| approval(one).total_cmp(&approval(two)));
    if let (Some(most), Some(least)) = (most, least) {
        let plural = if items.len() == 1 { "" } else { "s" };
        scene.desc = format!(
            "Likert chart of {} question{plural} on {} steps; approval from {:.0}% ({}) to {:.0}% ({}).",
            items.len(),
            scale.count,
            approval(least),
            least.label,
            approval(most),
            most.label,
        );
    }
}
