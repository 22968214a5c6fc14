//! The legend above the plot area: a swatch and a name for each series, wrapped by measured width.

use std::borrow::Cow;

use kurbo::{Rect, Shape};

use crate::Scene;
use crate::color::Color;
use crate::format::Omission;
use crate::frame::line_pattern::LinePattern;
use crate::frame::style::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Primitive, Stroke, Text};
use crate::text;

/// Maximum number of lines and share of the height of a legend with few names.
const MAX_LINES: usize = 3;
const MAX_SHARE: f64 = 0.25;
/// Maximum share of the height of a legend with many or long names.
const MAX_CROWDED_SHARE: f64 = 0.5;
/// Distance between a swatch and its name as a multiple of the font size.
const PAD_EM: f64 = 0.45;
/// Distance between two entries of a legend with few names as a multiple of the font size.
const GAP_EM: f64 = 1.35;

/// The sample of the color before the name of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swatch {
    /// A filled square, for bars, areas and points.
    Box,
    /// A short line, for lines in charts that also have bars.
    Line,
    /// A short dashed line, for dashed lines.
    DashedLine,
    /// A line of this pattern, long enough to show it.
    Pattern(LinePattern),
    /// The outline of a square, for marks that are only outlines.
    Outline,
}

/// Draws a legend with square swatches at the top of `area`, in the order of `entries`. Returns the
/// area below it, as [`draw_with_swatches`] does.
pub fn draw<'a>(
    scene: &mut Scene,
    style: &ChartStyle,
    area: Rect,
    entries: impl IntoIterator<Item = (&'a str, Color)>,
) -> Rect {
    draw_with_swatches(
        scene,
        style,
        area,
        entries.into_iter().map(|(title, color)| (title, color, Swatch::Box)),
    )
}

/// Draws a legend of lines, as [`draw`] does. The swatches are lines if a line has dashes.
pub fn draw_for_lines<'a>(
    scene: &mut Scene,
    style: &ChartStyle,
    area: Rect,
    entries: impl Iterator<Item = (&'a str, Color, LinePattern)> + Clone,
) -> Rect {
    let has_dashes = entries.clone().any(|(_, _, pattern)| pattern != LinePattern::Solid);
    let swatch = |pattern| if has_dashes { Swatch::Pattern(pattern) } else { Swatch::Box };
    let entries = entries.map(|(title, color, pattern)| (title, color, swatch(pattern)));
    draw_with_swatches(scene, style, area, entries)
}

/// Returns the width in points of a legend with square swatches in one line, including the gap
/// after its last entry. 0 without names.
pub fn measure<'a>(style: &ChartStyle, names: impl Iterator<Item = &'a str>) -> f64 {
    let size = style.label_size;
    let frame = size * (PAD_EM + GAP_EM) + swatch_side(size);
    names.map(|name| frame + style.text_width(name, size)).sum()
}

/// Returns the width of a square swatch beside text of font size `size`, both in points, rounded to
/// whole points.
fn swatch_side(size: f64) -> f64 {
    (size * 0.8).round()
}

/// Draws a swatch of `width` points. `(x, middle)` is the middle of its left side, in points. The
/// height depends on the kind of swatch.
fn draw_swatch(
    scene: &mut Scene,
    style: &ChartStyle,
    (x, middle): (f64, f64),
    width: f64,
    (color, swatch): (Color, Swatch),
) {
    if swatch == Swatch::DashedLine {
        // Two dashes fill the width.
        let stroke = Stroke::new(color, 1.75 * style.unit).dashed(width * 0.4, width * 0.2);
        return scene.line((x, middle), (x + width, middle), stroke);
    }
    if let Swatch::Pattern(pattern) = swatch {
        let stroke = pattern.apply(Stroke::new(color, 2.0 * style.unit));
        return scene.line((x, middle), (x + width, middle), stroke);
    }
    let half_height = if swatch == Swatch::Line { style.unit * 1.25 } else { width / 2.0 };
    let rect = Rect::new(x, middle - half_height, x + width, middle + half_height);
    if swatch == Swatch::Outline {
        let stroke = Stroke::new(color, 1.25 * style.unit);
        let inset = stroke.width / 2.0;
        scene.stroke(rect.inset(-inset).to_path(0.1), stroke);
    } else {
        scene.push(Primitive::Rect { rect, radius: half_height * 0.4, fill: color });
    }
}

/// Draws a legend with the given swatch for each entry at the top of `area`. Returns the area below
/// it, or all of `area` if it is too low for a legend or if there are no entries.
///
/// The legend takes at most three lines and about a quarter of the height. If that is too little
/// for all names, it has smaller text and more lines, up to half of the height. Then it shortens
/// long names. The last entry counts those without space, and so does the scene.
pub fn draw_with_swatches<'a>(
    scene: &mut Scene,
    style: &ChartStyle,
    area: Rect,
    entries: impl IntoIterator<Item = (&'a str, Color, Swatch)>,
) -> Rect {
    let entries: Vec<(&str, Color, Swatch)> = entries.into_iter().collect();
    let Some(spacing) = choose_spacing(&entries, style, area) else {
        scene.omit(Omission::Name, entries.len());
        return area;
    };
    let shown: Vec<Cow<str>> =
        entries.iter().map(|(name, _, swatch)| spacing.shorten(name, *swatch, style)).collect();
    let widths: Vec<f64> = shown
        .iter()
        .zip(&entries)
        .map(|(name, (_, _, swatch))| spacing.entry_width(name, *swatch, style))
        .collect();
    let mut places = spacing.place(&widths, area.width());
    let note = spacing.limit_lines(&mut places, area.width(), style);
    for (((full_name, color, swatch), name), (x, line)) in entries.iter().zip(&shown).zip(&places) {
        let (x, swatch_width) = (area.x0 + x, spacing.swatch_width(*swatch));
        let middle = spacing.middle(area, *line);
        draw_swatch(scene, style, (x, middle), swatch_width, (*color, *swatch));
        let baseline = middle + HALF_CAP_HEIGHT_EM * spacing.size;
        let text_x = x + swatch_width + spacing.pad();
        let text = style.label_text(text_x, baseline, Anchor::Start, spacing.size, name);
        let full = (**name != **full_name).then(|| (*full_name).to_owned());
        scene.text(Text { full, color: style.label_color, ..text });
    }
    let last_line = note.map_or(places.last().map_or(0, |place| place.1), |(_, line)| line);
    if let Some((x, line)) = note {
        let count = entries.len() - places.len();
        let baseline = spacing.middle(area, line) + HALF_CAP_HEIGHT_EM * spacing.size;
        scene.text(style.overflow_note((area.x0 + x, baseline), Anchor::Start, count, ""));
        scene.omit(Omission::Name, count);
    }
    let height = (last_line as f64 + 1.0) * spacing.line_height + style.unit * 5.0;
    Rect { y0: area.y0 + height, ..area }
}

/// Sizes and distances of a legend in points.
#[derive(Clone, Copy)]
struct Spacing {
    /// Font size.
    size: f64,
    line_height: f64,
    /// Distance between two entries of a line.
    gap: f64,
    max_lines: usize,
    /// Maximum width of an entry.
    max_width: f64,
}

/// Returns the first spacing with which all names fit, if possible without shortening one. None for
/// an area that is too low, or without entries.
fn choose_spacing(
    entries: &[(&str, Color, Swatch)],
    style: &ChartStyle,
    area: Rect,
) -> Option<Spacing> {
    let new = |size: f64, line_em: f64, gap_em: f64, share: f64, max_lines: usize| {
        let line_height = size * line_em;
        let max_lines = ((area.height() * share / line_height) as usize).min(max_lines);
        Spacing { size, line_height, gap: size * gap_em, max_lines, max_width: area.width() }
    };
    let roomy = |size: f64| new(size, 1.55, GAP_EM, MAX_SHARE, MAX_LINES);
    let dense = |size: f64| new(size, 1.2, 0.9, MAX_CROWDED_SHARE, usize::MAX);
    let smallest = MIN_TEXT_SIZE.min(style.small_size);
    let spacings = [
        roomy(style.label_size),
        roomy(style.small_size),
        dense(style.small_size),
        dense(smallest),
    ];
    let widths_of = |spacing: &Spacing| -> Vec<f64> {
        let width =
            |(name, _, swatch): &(&str, Color, Swatch)| spacing.entry_width(name, *swatch, style);
        entries.iter().map(width).collect()
    };
    let is_possible = |spacing: &&Spacing| spacing.max_lines > 0 && !entries.is_empty();
    let mut possible = spacings.iter().filter(is_possible);
    let whole = possible.clone().find(|spacing| {
        let widths = widths_of(spacing);
        widths.iter().all(|width| *width <= area.width())
            && spacing.count_lines(&widths, area.width()) <= spacing.max_lines
    });
    let shortened = || {
        let shorten = |spacing: &Spacing| {
            let max_width = spacing.choose_max_width(&widths_of(spacing), area.width())?;
            Some(Spacing { max_width, ..*spacing })
        };
        possible.clone().find_map(shorten)
    };
    whole.copied().or_else(shortened).or_else(|| possible.next_back().copied())
}

impl Spacing {
    /// Returns the width in points of the swatch of an entry, which depends on its kind.
    fn swatch_width(&self, swatch: Swatch) -> f64 {
        match swatch {
            Swatch::Line | Swatch::DashedLine => self.size * 1.4,
            Swatch::Pattern(_) => self.size * 2.4,
            Swatch::Box | Swatch::Outline => swatch_side(self.size),
        }
    }

    /// Returns the distance in points between the swatch and the name.
    fn pad(&self) -> f64 {
        self.size * PAD_EM
    }

    /// Returns the width in points of an entry: swatch, distance and unshortened name.
    fn entry_width(&self, name: &str, swatch: Swatch, style: &ChartStyle) -> f64 {
        self.swatch_width(swatch) + self.pad() + style.text_width(name, self.size)
    }

    /// Returns a name, shortened with an ellipsis so that its entry has at most the maximum width.
    fn shorten<'a>(&self, name: &'a str, swatch: Swatch, style: &ChartStyle) -> Cow<'a, str> {
        let width = self.max_width - self.swatch_width(swatch) - self.pad();
        text::ellipsize(name, width + 0.01, self.size, style.label_face())
    }

    /// Returns the y coordinate in points of the middle of the text in a line, which counts from 0.
    fn middle(&self, area: Rect, line: usize) -> f64 {
        area.y0 + (line as f64) * self.line_height + self.size * 0.5
    }

    /// Returns the distance in points of each entry from the left side of the legend, and its line
    /// from 0. An entry that does not fit into the rest of a line of `available` points starts the
    /// next line.
    fn place(&self, widths: &[f64], available: f64) -> Vec<(f64, usize)> {
        let (mut x, mut line) = (0.0, 0);
        let place = |width: &f64| {
            if x > 0.0 && x + width > available {
                (x, line) = (0.0, line + 1);
            }
            let position = (x, line);
            x += width + self.gap;
            position
        };
        widths.iter().map(place).collect()
    }

    /// Returns the number of lines that entries of these widths take in `available` points. 0
    /// without entries.
    fn count_lines(&self, widths: &[f64], available: f64) -> usize {
        self.place(widths, available).last().map_or(0, |(_, line)| line + 1)
    }

    /// Removes the entries beyond the last line from `places`, and as many of its entries as the
    /// note about them needs. Returns the position of that note (distance from the left side in
    /// points, line), or None if all entries have space.
    fn limit_lines(
        &self,
        places: &mut Vec<(f64, usize)>,
        available: f64,
        style: &ChartStyle,
    ) -> Option<(f64, usize)> {
        let total = places.len();
        let last_line = self.max_lines.saturating_sub(1);
        let mut count = places.iter().filter(|(_, line)| *line <= last_line).count();
        if count == total {
            return None;
        }
        let x = loop {
            let removed = total - count;
            let note = style.overflow_note((0.0, 0.0), Anchor::Start, removed, "");
            // The note takes the place of the first entry that is removed.
            let (x, line) = places.get(count).copied().unwrap_or((0.0, 0));
            match count {
                0 => break 0.0,
                _ if line == last_line && x + note.width <= available => break x,
                _ => count -= 1,
            }
        };
        places.truncate(count);
        Some((x, last_line))
    }

    /// Returns the largest maximum width of an entry at which all entries fit in the lines: the
    /// whole width, or a half to a sixth of it, but at least nine times the font size. None if they
    /// do not fit.
    fn choose_max_width(&self, widths: &[f64], available: f64) -> Option<f64> {
        let part =
            |columns: usize| (available - self.gap * (columns - 1) as f64) / columns as f64 - 0.01;
        let parts = (2..=6).map(part).filter(|width| *width >= self.size * 9.0);
        let fits = |max_width: &f64| {
            let widths: Vec<f64> = widths.iter().map(|width| width.min(*max_width)).collect();
            self.count_lines(&widths, available) <= self.max_lines
        };
        std::iter::once(available).chain(parts).find(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;
    use crate::color;

    /// Draws a legend on a canvas of 320 × 180 points. Returns its texts, and the number of points
    /// that it leaves for the plot.
    fn draw_small(names: &[String]) -> (Vec<String>, f64) {
        let kind = crate::find_kind("line").unwrap();
        let chart = Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &[]) };
        let style = ChartStyle::new(&chart);
        let mut scene = Scene::new(320.0, 180.0, color::WHITE);
        let area = Rect::new(10.0, 40.0, 310.0, 170.0);
        let entries = names.iter().map(|name| (name.as_str(), color::WHITE));
        let rest = draw(&mut scene, &style, area, entries);
        let (texts, bounds): (Vec<String>, Vec<Rect>) =
            scene.text_boxes().map(|(text, bounds)| (text.to_owned(), bounds)).unzip();
        assert!(
            bounds.iter().all(|one| one.x1 <= area.x1 + 0.1 && one.y1 <= rest.y0),
            "{bounds:?}"
        );
        (texts, rest.height())
    }

    #[test]
    fn a_small_chart_names_all_of_many_series() {
        let names: Vec<String> = (1..=16).map(|number| format!("Mittelstadt {number}")).collect();
        let (texts, height) = draw_small(&names);
        assert_eq!(texts, names);
        assert!(height >= 60.0, "{height}");
    }

    #[test]
    fn names_without_space_are_counted_in_the_last_entry() {
        let names: Vec<String> = (1..=40).map(|number| format!("Mittelstadt {number}")).collect();
        let (texts, _) = draw_small(&names);
        let count = names.len() - (texts.len() - 1);
        assert_eq!(texts.last().unwrap(), &format!("and {count} more"));
    }
}
