//! The common x scale of small multiples and its labels below the lowest panels.

use std::borrow::Cow;
use std::collections::HashSet;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::format::{Locale, Omission, date};
use crate::frame::ChartStyle;
use crate::frame::category::{CATEGORY_LABEL_GAP, ColumnLabels};
use crate::frame::curves;
use crate::frame::curves::XValues;
use crate::frame::sequence;
use crate::scale::LinearScale;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;

/// Line height of labels as a multiple of their font size.
const LINE_HEIGHT: f64 = 1.2;
/// Maximum share of a row of panels for labels, which have at least one line.
const MAX_SHARE: f64 = 0.15;
/// Maximum share of a row of panels for the first and the last name in two lines.
const MAX_TWO_LINES_SHARE: f64 = 0.25;

/// Labels below a panel.
pub enum XLabels {
    /// All category names.
    All(ColumnLabels),
    /// The first and the last name or date, and the font size.
    Ends {
        first: String,
        last: String,
        size: f64,
        /// Whether the last one is below the first one, because they have no space side by side.
        has_two_lines: bool,
    },
    /// The only name or date.
    Single(String),
    /// No labels, because the names are empty.
    None,
}

impl XLabels {
    /// Plans the labels of panels that are `width` points wide: all category names if they fit, otherwise
    /// the first and the last name or date. A row of panels is `row_height` points high.
    pub fn plan(
        chart: &Chart,
        x_values: &XValues,
        width: f64,
        row_height: f64,
        style: &ChartStyle,
    ) -> XLabels {
        match x_values {
            XValues::Timestamps(timestamps) => plan_dates(timestamps, width, chart.locale(), style),
            XValues::Numbers(numbers) => match (numbers.first(), numbers.last()) {
                (Some(first), Some(last)) => {
                    let [first, last] = [first, last].map(|x| format_x(*x, x_values, chart));
                    XLabels::Ends { first, last, size: style.label_size, has_two_lines: false }
                }
                _ => XLabels::None,
            },
            XValues::Categories(names) => plan_names(names, width, row_height, style),
        }
    }

    /// Returns the height in points that the labels need below a panel, with the gap above them. It is 0
    /// without labels.
    pub fn height(&self, style: &ChartStyle) -> f64 {
        match self {
            XLabels::All(labels) => labels.height,
            XLabels::Ends { has_two_lines: true, size, .. } => {
                CATEGORY_LABEL_GAP * style.unit + style.label_size + size * LINE_HEIGHT
            }
            XLabels::Ends { .. } | XLabels::Single(_) => {
                CATEGORY_LABEL_GAP * style.unit + style.label_size
            }
            XLabels::None => 0.0,
        }
    }

    /// Returns whether each category has its label, and therefore its own column of the panel.
    pub fn has_all(&self) -> bool {
        matches!(self, XLabels::All(_))
    }

    /// Draws the labels below `panel`, the plot area, shortened if they are too wide for it. `x` is the
    /// scale from x values to the coordinates of that panel.
    pub fn draw(&self, x: &LinearScale, panel: Rect, style: &ChartStyle, scene: &mut Scene) {
        let first_line = panel.y1 + CATEGORY_LABEL_GAP * style.unit + ASCENT_EM * style.label_size;
        let mut draw_text = |(x, baseline), anchor, size: f64, max_width: f64, name: &str| {
            let shown = text::ellipsize(name, max_width, size, style.label_face());
            let full = (*shown != *name).then(|| name.to_owned());
            let label = style.label_text(x, baseline, anchor, size, &shown);
            scene.text(Text { color: style.muted_color, full, ..label });
        };
        match self {
            XLabels::All(labels) => labels.draw_at(scene, style, panel, |index| x.at(index as f64)),
            XLabels::Ends { first, last, size, has_two_lines: true } => {
                let second_line = first_line + size * LINE_HEIGHT;
                draw_text((panel.x0, first_line), Anchor::Start, *size, panel.width(), first);
                draw_text((panel.x1, second_line), Anchor::End, *size, panel.width(), last);
            }
            XLabels::Ends { first, last, size, .. } => {
                // A short name leaves its space to the other one.
                let space = panel.width() - size;
                let widths = [first, last].map(|name| style.text_width(name, *size));
                let limit = |own: f64, other: f64| own.min((space - other).max(space / 2.0));
                let limits = [limit(widths[0], widths[1]), limit(widths[1], widths[0])];
                let (left, right) = ((panel.x0, first_line), (panel.x1, first_line));
                draw_text(left, Anchor::Start, *size, limits[0] + 0.01, first);
                draw_text(right, Anchor::End, *size, limits[1] + 0.01, last);
            }
            XLabels::Single(name) => {
                let middle = panel.center().x;
                let size = style.label_size;
                draw_text((middle, first_line), Anchor::Middle, size, panel.width(), name);
            }
            XLabels::None => {}
        }
    }
}

/// Adds the number of distinct category names that labels at both ends leave out to the omissions of the
/// scene. Does nothing for dates and for sequences such as years, which readers can infer.
pub fn count_hidden_names(labels: &XLabels, x_values: &XValues, scene: &mut Scene) {
    if let (XLabels::Ends { .. }, XValues::Categories(names)) = (labels, x_values)
        && !sequence::is_sequence(names)
    {
        let mut hidden: HashSet<&str> = names.iter().map(|name| &**name).collect();
        [Some(""), names.first().map(|name| &**name), names.last().map(|name| &**name)]
            .into_iter()
            .flatten()
            .for_each(|name| {
                hidden.remove(name);
            });
        scene.omit(Omission::Name, hidden.len());
    }
}

/// Returns the scale from x values (timestamps, or indices of categories) to coordinates between `left`
/// and `right`.
///
/// The first and the last x value are at the ends. If `has_bands`, they are half a step away from
/// the ends. A single x value is in the middle.
pub fn x_scale(x_values: &XValues, has_bands: bool, (left, right): (f64, f64)) -> LinearScale {
    let (low, high) = match x_values {
        XValues::Timestamps(values) | XValues::Numbers(values) => {
            (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0))
        }
        XValues::Categories(names) => (0.0, names.len().saturating_sub(1) as f64),
    };
    let half = match low < high {
        true if has_bands => smallest_step(x_values) / 2.0,
        true => 0.0,
        false => 0.5,
    };
    LinearScale { domain: (low - half, high + half), range: (left, right) }
}

/// Returns the smallest distance between two different timestamps in seconds, or numbers. Returns 1 for
/// categories and without two different values.
pub fn smallest_step(x_values: &XValues) -> f64 {
    let (XValues::Timestamps(values) | XValues::Numbers(values)) = x_values else { return 1.0 };
    let steps = values.windows(2).filter_map(|pair| match pair {
        [one, two] => Some(two - one).filter(|step| *step > 0.0),
        _ => None,
    });
    let step = steps.fold(f64::INFINITY, f64::min);
    if step.is_finite() { step } else { 1.0 }
}

/// Plans the labels of dates: the first and the last date side by side, in the longest form that fits
/// into `width` points. A form in which both are equal is not used.
///
/// If no form fits, plans the shortest one, which is shortened when it is drawn. Timestamps are in
/// seconds since 1970.
fn plan_dates(timestamps: &[f64], width: f64, locale: Locale, style: &ChartStyle) -> XLabels {
    let (Some(first), Some(last)) = (timestamps.first(), timestamps.last()) else {
        return XLabels::None;
    };
    let forms = list_date_forms(timestamps, locale);
    if first == last {
        return forms.first().map_or(XLabels::None, |form| XLabels::Single(form(*first)));
    }
    let mut shortest = XLabels::None;
    for form in &forms {
        let (first, last) = (form(*first), form(*last));
        // A form that does not distinguish the ends would be wrong.
        if first == last {
            continue;
        }
        for size in [style.label_size, style.small_size] {
            let fits =
                style.text_width(&first, size) + style.text_width(&last, size) + size <= width;
            let (first, last) = (first.clone(), last.clone());
            shortest = XLabels::Ends { first, last, size, has_two_lines: false };
            if fits {
                return shortest;
            }
        }
    }
    shortest
}

/// Formats an x value of a point: a moment, a number, or the name at this index.
pub fn format_x(x: f64, x_values: &XValues, chart: &Chart) -> String {
    match x_values {
        XValues::Timestamps(_) => date::format_moment(x, chart.locale()),
        XValues::Numbers(numbers) => curves::format_number(x, numbers, chart),
        XValues::Categories(names) => {
            names.get(x as usize).map(|name| name.to_string()).unwrap_or_default()
        }
    }
}

/// Returns functions that format timestamps, from the most to the least detailed one. The first one
/// has a day, month or time only if it differs from the start of the period in some timestamp.
///
/// The last one is the time of day alone if there are times. If all timestamps are times of day without
/// a date, that is the only one.
fn list_date_forms(timestamps: &[f64], locale: Locale) -> Vec<Box<dyn Fn(f64) -> String>> {
    let year = move |seconds: f64| date::format_year(date::to_civil(seconds).year, locale);
    let month = move |seconds: f64| date::format_month(seconds, locale);
    let day = move |seconds: f64| date::format_day(seconds, true, locale);
    let clock = move |seconds: f64| date::format_with_pattern(seconds, "HH:mm", locale);
    let all = |is_round: fn(f64) -> bool| timestamps.iter().all(|seconds| is_round(*seconds));
    if all(date::is_time_of_day) {
        return vec![Box::new(clock)];
    }
    let has_days_only = all(|seconds| seconds % date::DAY_SECONDS == 0.0);
    let has_months_only = has_days_only && all(|seconds| date::to_civil(seconds).day == 1);
    let has_years_only = has_months_only && all(|seconds| date::to_civil(seconds).month == 1);
    let mut forms: Vec<Box<dyn Fn(f64) -> String>> = Vec::new();
    if !has_days_only {
        let separator = locale.list_separator();
        forms.push(Box::new(move |seconds| {
            format!("{}{separator}{}", day(seconds), clock(seconds))
        }));
    }
    if !has_months_only {
        forms.push(Box::new(day));
    }
    if !has_years_only {
        forms.push(Box::new(month));
    }
    forms.push(Box::new(year));
    if !has_days_only {
        forms.push(Box::new(clock));
    }
    forms
}

/// Plans the labels of categories: all names if they fit horizontally and are no sequence such as years,
/// otherwise the first and the last one, in small text or in two lines if necessary.
///
/// `width` is that of a panel, `row_height` the height of a row of panels, both in points.
fn plan_names(names: &[Cow<str>], width: f64, row_height: f64, style: &ChartStyle) -> XLabels {
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return XLabels::None };
    if names.iter().all(|name| name.is_empty()) {
        return XLabels::None;
    }
    if names.len() == 1 {
        return XLabels::Single(first.to_string());
    }
    let step = width / names.len() as f64;
    let one_line = CATEGORY_LABEL_GAP * style.unit + style.label_size;
    let max_height = (row_height * MAX_SHARE).max(one_line);
    let labels = ColumnLabels::plan(names, step, max_height, style);
    if labels.height > 0.0 && labels.is_straight_and_whole() && !sequence::is_sequence(names) {
        return XLabels::All(labels);
    }
    let widths = |size: f64| [first, last].map(|name| style.text_width(name, size));
    let fits_one_line = |size: &f64| widths(*size).iter().sum::<f64>() + size <= width;
    let size = [style.label_size, style.small_size].into_iter().find(fits_one_line);
    let (first, last) = (first.to_string(), last.to_string());
    if let Some(size) = size {
        return XLabels::Ends { first, last, size, has_two_lines: false };
    }
    let is_narrow = |size: &f64| widths(*size).iter().all(|own| *own <= width);
    let size = [style.label_size, style.small_size].into_iter().find(is_narrow);
    let size = size.unwrap_or(style.small_size);
    let two_lines = XLabels::Ends { first, last, size, has_two_lines: true };
    if two_lines.height(style) <= row_height * MAX_TWO_LINES_SHARE {
        return two_lines;
    }
    let XLabels::Ends { first, last, .. } = two_lines else { return two_lines };
    XLabels::Ends { first, last, size: style.small_size, has_two_lines: false }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_and_the_last_name_are_whole_in_two_lines() {
        let record = |name: &str| json!({"label": name, "Loyer": 812, "Vivres": 402, "Train": 388});
        let data = [record("Printemps"), record("Été"), record("Automne")];
        let kind = crate::find_kind("small-multiples").unwrap();
        let scene = crate::draw(&Chart { width: 320.0, height: 180.0, ..Chart::new(kind, &data) });
        let bottom = |name: &str| {
            let mut texts = scene.text_boxes().filter(|(text, _)| *text == name);
            texts.next().map(|(_, bounds)| bounds.y1).unwrap()
        };
        assert!(bottom("Printemps") < bottom("Automne"));
    }
}
