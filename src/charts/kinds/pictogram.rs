//! Amounts as rows of equal icons, each of which stands for so many.
//!
//! Record: `label`, `value`, `icon` (`person`, `square`, `circle`, `house`, `tree`, `car`, `drop`,
//! `star`), `highlighted`. Settings: `perIcon` (what one icon stands for; chosen when 0), `icon`,
//! `unitTitle`, `sort`, `showValues`, `showLegend`.

mod icons;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::format::Term;
use crate::frame;
use crate::frame::category::RowLabels;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::BandScale;
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Text};
use crate::text;
use crate::tiles;

use icons::Icon;

/// The pictogram.
pub const KIND: Kind = Kind { slug: "pictogram", draw };

/// More icons in a row than this are not counted by anyone.
const MOST_ICONS: f64 = 25.0;
/// No row holds more, whatever one icon is asked to stand for.
const CROWD: f64 = 200.0;
/// No picture holds more.
const ALL_ICONS: f64 = 3000.0;
/// Smallest height of an icon in points.
const SMALLEST: f64 = 7.0;
/// Space between icons as a share of their height.
const APART: f64 = 0.16;

/// One record.
struct Entry<'a> {
    row: usize,
    label: Cow<'a, str>,
    value: f64,
    words: String,
    icon: Icon,
    fill: Color,
}

/// Where icons stand.
struct Plot {
    left: f64,
    band: BandScale,
    /// Height of an icon in points.
    height: f64,
    /// From one icon to the next in points.
    pitch: f64,
    /// Icons beside each other before a row of them wraps.
    across: usize,
    /// Size of the values; none when they are not written.
    values: Option<f64>,
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let entries = read(chart, frame, scene);
    if entries.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    let keyed =
        chart.bool_setting("showLegend", true) && frame.area.height() > style.label_size * 5.0;
    let above = if keyed { style.label_size * 1.5 + style.unit * 10.0 } else { 0.0 };
    let area = Rect { y0: frame.area.y0 + above, ..frame.area };
    // Rows too low for icons are left out.
    let least = (SMALLEST * 1.35).max(style.small_size * 1.2);
    let room = |height: f64| (height / least).max(1.0) as usize;
    let (shown, bottom) = match room(area.height()) {
        all if all >= entries.len() => (entries.len(), area.y1),
        _ => {
            let bottom = area.y1 - tiles::overflow_note_height(style);
            (room(bottom - area.y0).min(entries.len()), bottom)
        }
    };
    let entries_shown = entries.get(..shown).unwrap_or(&entries);
    let most = entries_shown.iter().map(|it| it.value).fold(0.0, f64::max);
    let area = Rect { y1: bottom.max(area.y0 + 1.0), ..area };
    let wanted = chart.number_setting("perIcon").filter(|it| *it > 0.0);
    let per = wanted.unwrap_or_else(|| round_step(most / MOST_ICONS)).max(most / CROWD);
    // Summed as parts of the largest, so that huge amounts can be summed.
    let parts: f64 =
        entries.iter().take(shown).map(|it| it.value / most.max(f64::MIN_POSITIVE)).sum();
    let per = per.max(most * (parts / ALL_ICONS));
    if wanted.is_some_and(|it| it < per) {
        scene.warn("One icon stands for more than asked, so that the icons can be counted.");
    }
    let plot = arrange(chart, entries_shown, per, area, style, scene);
    for (index, entry) in entries_shown.iter().enumerate() {
        row(entry, index, per, &plot, style, scene);
    }
    scene.end_mark();
    tiles::draw_overflow_note(frame.area, style, entries.len() - shown, "row", scene);
    let unit = per_words(chart, per);
    if keyed {
        key(&entries, &unit, frame.area, style, scene);
    }
    describe(&entries, &unit, scene);
}

fn read<'a>(chart: &Chart<'a>, frame: &Frame, scene: &mut Scene) -> Vec<Entry<'a>> {
    let amount = |it: &serde_json::Value| data::number(data::field(it, "value"));
    let values: Vec<Option<f64>> =
        chart.data.iter().map(|it| amount(it).filter(|it| *it >= 0.0)).collect();
    if chart.data.iter().filter_map(amount).any(|it| it < 0.0) {
        scene.warn("Amounts below zero cannot be shown by icons.");
    }
    let rules = chart.format_rules("value");
    let format = NumberFormat::for_values(values.iter().flatten().copied(), &rules, chart.locale());
    let any = chart.data.iter().any(|it| data::is_true(data::field(it, "highlighted")));
    let usual = Icon::find(chart.str_setting("icon")).unwrap_or(Icon::Person);
    let entry = |row: usize| {
        let record = chart.data.get(row)?;
        let value = values.get(row).copied().flatten()?;
        let own = data::field(record, "color").as_str().and_then(Color::parse);
        let fill = match (any, data::is_true(data::field(record, "highlighted"))) {
            (false, _) => chart.series_color(0),
            (true, true) => chart.theme.highlight_color,
            (true, false) => frame.style.faded_color(),
        };
        Some(Entry {
            row,
            label: data::record_label(record),
            value,
            words: format.text(value),
            icon: data::field(record, "icon").as_str().and_then(Icon::find).unwrap_or(usual),
            fill: own.unwrap_or(fill),
        })
    };
    chart.sorted_indices(&values).into_iter().filter_map(entry).collect()
}

/// The least of 1, 2, 2.5, 5 times a power of ten that is not below `least`; no 2.5 itself, since
/// nobody counts in halves.
fn round_step(least: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let steps: &[f64] = if power == 1.0 { &[1.0, 2.0, 5.0] } else { &[1.0, 2.0, 2.5, 5.0] };
    let enough = |it: &&f64| **it * power >= least * (1.0 - 1e-9);
    steps.iter().find(enough).copied().unwrap_or(10.0) * power
}

/// How many icons an amount takes, the last of them in part.
fn icons(value: f64, per: f64) -> f64 {
    (value / per).clamp(0.0, CROWD)
}

/// Sizes icons so that the longest row fits, wrapped where that makes them larger.
fn arrange(
    chart: &Chart,
    entries: &[Entry],
    per: f64,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Plot {
    let count = entries.len().max(1);
    let band =
        BandScale { count, range: (area.y0, area.y1), padding: 0.0, max_width: f64::INFINITY };
    let names: Vec<Cow<str>> = entries.iter().map(|it| it.label.clone()).collect();
    let rows = RowLabels::plan(&names, band.step(), area.width() * 0.34, style);
    let size =
        if band.step() >= style.label_size * 1.15 { style.label_size } else { style.small_size };
    let widest = entries.iter().map(|it| style.text_width(&it.words, size)).fold(0.0, f64::max);
    let wanted = chart.bool_setting("showValues", true) && band.step() >= size * 1.1;
    let values = (wanted && widest < area.width() * 0.25).then_some(size);
    let side = if values.is_some() { widest + size * 0.6 } else { 0.0 };
    let left = area.x0 + rows.width;
    let width = (area.x1 - side - left).max(1.0);
    let longest = entries.iter().map(|it| icons(it.value, per).ceil()).fold(1.0, f64::max);
    let aspect = entries.iter().map(|it| it.icon.aspect()).fold(0.1, f64::max) + APART;
    let thick = band.step() * if count == 1 { 0.9 } else { 0.74 };
    let height = |lines: f64| {
        let across = (longest / lines).ceil();
        (width / (across * aspect)).min(thick / (lines + (lines - 1.0) * APART))
    };
    let lines = (1..=12).map(f64::from).fold(1.0, |best: f64, lines| {
        // A second line has to pay: a row that wraps is harder to compare.
        if height(lines) > height(best) * 1.35 { lines } else { best }
    });
    let height = height(lines).min(style.label_size * 4.5).max(1.0);
    let pitch = height * aspect;
    // Rows keep together when icons need less than the height there is.
    let step = band
        .step()
        .min(height * (lines + (lines - 1.0) * APART) * 1.9)
        .max(band.step().min(style.label_size * 1.6));
    let band = BandScale { range: (area.y0, area.y0 + step * count as f64), ..band };
    rows.draw(scene, style, area.x0, &band);
    Plot { left, band, height, pitch, across: (longest / lines).ceil() as usize, values }
}

/// One row of icons, the last one cut to its part.
fn row(entry: &Entry, index: usize, per: f64, plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let amount = icons(entry.value, per);
    // Rounding of decimal fractions must not add an icon as thin as a hair.
    let count = (amount - 1e-6).ceil().max(0.0) as usize;
    let lines = count.div_ceil(plot.across.max(1)).max(1);
    let leading = plot.height * (1.0 + APART);
    let top = plot.band.center(index) - (lines as f64 * leading - plot.height * APART) / 2.0;
    let width = plot.height * entry.icon.aspect();
    scene.begin_mark("icons", Some(entry.row), || {
        (Some("value".to_owned()), format!("{}: {}", entry.label, entry.words))
    });
    for icon in 0..count {
        let (column, line) = (icon % plot.across.max(1), icon / plot.across.max(1));
        let x = plot.left + column as f64 * plot.pitch;
        let y = top + line as f64 * leading;
        let rect = Rect::new(x, y, x + width, y + plot.height);
        let part = (amount - icon as f64).min(1.0);
        if part >= 1.0 - 1e-6 {
            scene.fill(entry.icon.path(rect), entry.fill);
        } else {
            // The missing part stays visible, pale.
            scene.fill(entry.icon.path(rect), style.grid_color);
            scene.push(Primitive::BeginClip(Rect { x1: x + width * part, ..rect }));
            scene.fill(entry.icon.path(rect), entry.fill);
            scene.push(Primitive::EndClip);
        }
    }
    let Some(size) = plot.values else { return };
    let end = plot.left + count.min(plot.across) as f64 * plot.pitch;
    let x = if count == 0 { plot.left } else { end - plot.pitch + width + size * 0.5 };
    let base = plot.band.center(index) + HALF_CAP_HEIGHT_EM * size;
    let set = style.label_text(x, base, Anchor::Start, size, &entry.words);
    scene.text(Text { color: style.value_color, ..set });
}

/// What one icon stands for, in words.
fn per_words(chart: &Chart, per: f64) -> String {
    let rules = chart.format_rules("value");
    let words = NumberFormat::for_values([per].into_iter(), &rules, chart.locale()).text(per);
    let unit = data::display_text(chart.setting("unitTitle"));
    if unit.is_empty() { words } else { format!("{words} {unit}") }
}

/// The icon and what it stands for, above the rows.
fn key(entries: &[Entry], unit: &str, area: Rect, style: &ChartStyle, scene: &mut Scene) {
    let Some(first) = entries.first() else { return };
    let height = style.label_size * 1.3;
    // One icon speaks for all when the rows have icons of their own.
    let alike = entries.iter().all(|it| it.icon == first.icon);
    let icon = if alike { first.icon } else { Icon::Square };
    let rect = Rect::new(area.x0, area.y0, area.x0 + height * icon.aspect(), area.y0 + height);
    let mut x = area.x0;
    let words = if alike {
        format!("= {unit}")
    } else {
        format!("{} {unit}", style.locale.translate(Term::OneIcon))
    };
    if alike {
        scene.fill(icon.path(rect), style.muted_color);
        x = rect.x1 + style.label_size * 0.5;
    }
    let fitted = text::ellipsize(&words, area.x1 - x, style.label_size, style.label_face());
    let set = style.label_text(
        x,
        rect.center().y + HALF_CAP_HEIGHT_EM * style.label_size,
        Anchor::Start,
        style.label_size,
        &fitted,
    );
    scene.text(Text { color: style.muted_color, ..set });
}

/// Says what an icon stands for, and the extremes.
fn describe(entries: &[Entry], unit: &str, scene: &mut Scene) {
    let most = entries.iter().max_by(|one, two| one.value.total_cmp(&two.value));
    let least = entries.iter().min_by(|one, two| one.value.total_cmp(&two.value));
    if let (Some(most), Some(least)) = (most, least) {
        scene.description = format!(
            "Pictogram of {} amount{}, from {} ({}) to {} ({}); one icon stands for {unit}.",
            entries.len(),
            if entries.len() == 1 { "" } else { "s" },
            least.words,
            least.label,
            most.words,
            most.label,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_icon_stands_for_a_round_number() {
        for (least, step) in [
            (0.7, 1.0),
            (1.0, 1.0),
            (1.4, 2.0),
            (230.0, 250.0),
            (0.031, 0.05),
            (2.1, 5.0),
            (600.0, 1000.0),
        ] {
            assert!((round_step(least) - step).abs() < 1e-9 * step, "{least}");
        }
        assert_eq!(round_step(0.0), 1.0);
    }
}
