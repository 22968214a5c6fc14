//! Columns of shares whose widths are a second measure, so that areas are amounts.
//!
//! Record: `label`, a number for each series, `width` (optional; the sum of the record without
//! it), `highlighted` (optional flag). Settings: `series` (`key`, `title`, `color`), `sort` (by
//! width), `showTotals` (widths over the columns), `showValues`, `showLegend`, `showGrid`.

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::color::Color;
use crate::data;
use crate::format::{NumberFormat, Rules};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::bands;
use crate::frame::category::Names;
use crate::frame::side_names;
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::kinds::stacked_column;
use crate::scale::Linear;
use crate::scene::{Anchor, Text};
use crate::text;
use crate::text::Face;

/// The Marimekko chart.
pub const KIND: Kind = Kind { slug: "marimekko", draw };

/// A record as a column.
struct Column<'a> {
    row: usize,
    label: Cow<'a, str>,
    /// Exact shares in percent and those to be written, one a series; none without a value.
    shares: Vec<Option<(f64, f64)>>,
    width: f64,
    words: String,
    highlighted: bool,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let series: Vec<Series> = chart.series().into_iter().filter(|it| it.key != "width").collect();
    let columns = read(chart, &series, scene);
    let whole: f64 = columns.iter().map(|it| it.width).sum();
    if whole <= 0.0 || columns.iter().all(|it| it.shares.iter().all(Option::is_none)) {
        return frame::no_data(frame, scene);
    }
    describe(&columns, &series, scene);
    let look = &frame.look;
    let rules = share_rules(chart, &series);
    let last = columns.iter().rfind(|it| it.width > 0.0);
    let seen = |it: &Option<(f64, f64)>| it.is_some_and(|it| it.0 > 0.0);
    let direct = last.is_some_and(|it| it.shares.iter().all(seen));
    let named = side_names::plan(chart, look, scene, frame.area, (&series, direct));
    let totals = chart.flag("showTotals", true) && named.area.height() > look.label * 7.0;
    let mut area = named.area;
    area.y0 += if totals { look.label * 1.5 } else { look.label * 0.4 };
    let values = values(chart, look, area, &rules);
    area.x0 += values.as_ref().map_or(0.0, |it| it.width(look).min(area.width() * 0.4));
    let places = places(&columns, whole, (area.x0, area.x1));
    let labels: Vec<Cow<str>> = columns.iter().map(|it| it.label.clone()).collect();
    let limits = (frame.area.x0, frame.area.x1);
    let (names, middles) = Names::plan_uneven(&labels, &places, limits, area.height() * 0.42, look);
    let plot = Rect { y1: (area.y1 - names.height).max(area.y0 + 1.0), ..area };
    let y = Linear { domain: (0.0, 100.0), range: (plot.y1, plot.y0) };
    if let Some(values) = values {
        values.draw_left(scene, look, plot, &y);
    }
    names.draw_at(scene, look, plot, |it| middles.get(it).copied().unwrap_or(0.0));
    let format = NumberFormat::plain(rules.decimals.unwrap_or(0), &rules, chart.language());
    let any_highlighted = columns.iter().any(|it| it.highlighted);
    for (column, place) in columns.iter().zip(&places) {
        let rect = Rect { x0: place.0, x1: place.1, ..plot };
        let muted = any_highlighted && !column.highlighted;
        parts(chart, column, (&series, &format, muted), (rect, &y), look, scene);
        if totals {
            total(column, rect, look, scene);
        }
    }
    axis::base_line(scene, look, (plot.x0, plot.y1), (plot.x1, plot.y1));
    let Some(last) = last else { return };
    let mut below = 0.0;
    let middles = last.shares.iter().zip(&series).filter_map(|(share, one)| {
        let share = (*share)?.0;
        below += share;
        Some((y.at(below - share / 2.0), one))
    });
    named.draw(look, scene, plot, middles.collect::<Vec<_>>().into_iter());
}

fn share_rules(chart: &Chart, series: &[Series]) -> Rules {
    let rules = series.first().map(|it| chart.rules(&it.key)).unwrap_or_default();
    // A currency or unit of the amounts does not belong to their shares.
    Rules { percent: true, prefix: String::new(), suffix: String::new(), ..rules }
}

fn read<'a>(chart: &Chart<'a>, series: &[Series], scene: &mut Scene) -> Vec<Column<'a>> {
    let width = |record| data::number(data::field(record, "width"));
    let own = chart.data.iter().any(|it| width(it).is_some());
    let decimals = share_rules(chart, series);
    let mut below = false;
    let mut columns: Vec<Column> = Vec::with_capacity(chart.data.len());
    for (row, record) in chart.data.iter().enumerate() {
        let value = |one: &Series| data::number(data::field(record, &one.key));
        let given: Vec<Option<f64>> = series.iter().map(value).collect();
        below |= given.iter().flatten().any(|it| *it < 0.0);
        let given: Vec<Option<f64>> =
            given.into_iter().map(|it| it.map(|it| it.max(0.0))).collect();
        let sum: f64 = given.iter().flatten().sum();
        let shown = stacked_column::shares(&given, &decimals).unwrap_or_default();
        let share = |(index, value): (usize, &Option<f64>)| {
            let exact = (*value)? / sum * 100.0;
            Some((exact, shown.get(index).copied().unwrap_or(exact)))
        };
        let shares = given.iter().enumerate().map(share);
        columns.push(Column {
            row,
            label: data::label(record),
            shares: if sum > 0.0 { shares.collect() } else { vec![None; series.len()] },
            width: if own { width(record).unwrap_or(0.0).max(0.0) } else { sum },
            words: String::new(),
            highlighted: data::flag(data::field(record, "highlighted")),
        });
    }
    if below {
        scene.warn("Values below zero have no share and are left out.");
    }
    let key = if own { "width" } else { series.first().map_or("width", |it| &it.key) };
    let format = NumberFormat::for_values(
        columns.iter().map(|it| it.width),
        &chart.rules(key),
        chart.language(),
    );
    for column in &mut columns {
        column.words = format.text(column.width);
    }
    sorted(chart, columns)
}

fn sorted<'a>(chart: &Chart, columns: Vec<Column<'a>>) -> Vec<Column<'a>> {
    let widths: Vec<Option<f64>> = columns.iter().map(|it| Some(it.width)).collect();
    let mut columns: Vec<Option<Column>> = columns.into_iter().map(Some).collect();
    let order = chart.order(&widths);
    order.into_iter().filter_map(|it| columns.get_mut(it)?.take()).collect()
}

/// The axis of shares; none where the shares are written in the columns.
fn values(chart: &Chart, look: &Look, area: Rect, rules: &Rules) -> Option<Values> {
    let wanted = chart.flag("showGrid", !chart.flag("showValues", true));
    let lengths = (area.height() * 0.85, axis::row_spacing(look));
    let settings = serde_json::Value::Null;
    let plain = Chart { settings: &settings, ..*chart };
    wanted.then(|| Values::new(&plain, look, (0.0, 100.0), Zero::Always, lengths, rules))
}

/// Left and right edges of the columns in points.
fn places(columns: &[Column], whole: f64, (left, right): (f64, f64)) -> Vec<(f64, f64)> {
    let length = right - left;
    let count = columns.iter().filter(|it| it.width > 0.0).count().max(1) as f64;
    let gap = if length / count > 8.0 { 2.0 } else { 0.0 };
    let scale = (length - gap * (count - 1.0)).max(0.0) / whole;
    let mut from = left;
    let place = |it: &Column| {
        let place = (from, (from + it.width * scale).min(right));
        from = place.1 + if it.width > 0.0 { gap } else { 0.0 };
        place
    };
    columns.iter().map(place).collect()
}

fn parts(
    chart: &Chart,
    column: &Column,
    (series, format, muted): (&[Series], &NumberFormat, bool),
    (place, y): (Rect, &Linear),
    look: &Look,
    scene: &mut Scene,
) {
    let labelled = chart.flag("showValues", true);
    let mut from = 0.0;
    for (one, share) in series.iter().zip(&column.shares) {
        let Some((exact, shown)) = share else { continue };
        let words = format.text(*shown);
        scene.tag("bar", Some(column.row), || {
            (Some(one.key.clone()), format!("{}, {}: {words}", column.label, one.title))
        });
        let rect = Rect { y0: y.at(from + exact), y1: y.at(from), ..place };
        from += exact;
        let fill: Color = if muted { one.color.mix(look.background, 0.6) } else { one.color };
        scene.rect(stacked_column::parted(rect, true), fill);
        if labelled && let Some(ink) = bands::inner_ink(fill) {
            let set = stacked_column::inner_label(look, rect, &words);
            scene.text(Text { color: ink, ..set });
        }
    }
    scene.untag();
}

/// Writes the width over a column that is wide enough.
fn total(column: &Column, place: Rect, look: &Look, scene: &mut Scene) {
    let size = look.label;
    let width = text::width(&column.words, size, Face::Bold);
    if column.width > 0.0 && width + 3.0 <= place.width() {
        let y = place.y0 - size * 0.45;
        let set = look.text(place.center().x, y, Anchor::Middle, size, &column.words);
        scene.text(Text { face: Face::Bold, width, color: look.ink, ..set });
    }
}

fn describe(columns: &[Column], series: &[Series], scene: &mut Scene) {
    let drawn = || columns.iter().filter(|it| it.width > 0.0);
    let by = |one: &&Column, two: &&Column| one.width.total_cmp(&two.width);
    let titles: Vec<&str> = series.iter().map(|it| &*it.title).collect();
    scene.desc = format!(
        "Marimekko chart of {} columns with shares of {}",
        drawn().count(),
        titles.join(", ")
    );
    if let (Some(low), Some(high)) = (drawn().min_by(by), drawn().max_by(by)) {
        scene.desc.push_str(&format!(
            "; widths from {} ({}) to {} ({})",
            low.words, low.label, high.words, high.label
        ));
    }
    scene.desc.push('.');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(width: f64) -> Column<'static> {
        Column {
            row: 0,
            label: Cow::Borrowed(""),
            shares: Vec::new(),
            width,
            words: String::new(),
            highlighted: false,
        }
    }

    #[test]
    fn widths_are_in_proportion_and_fill_the_plot() {
        let columns = [column(30.0), column(0.0), column(10.0)];
        let places = places(&columns, 40.0, (10.0, 212.0));
        assert_eq!(places, [(10.0, 160.0), (162.0, 162.0), (162.0, 212.0)]);
    }
}
