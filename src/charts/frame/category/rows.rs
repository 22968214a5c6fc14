//! Category labels left of rows.

use std::borrow::Cow;

use super::MAX_STRAIGHT_LINES;
use crate::Scene;
use crate::format::Omission;
use crate::frame::sequence;
use crate::frame::style::{ChartStyle, MIN_TEXT_SIZE};
use crate::scale::BandScale;
use crate::scene::{Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, Text};
use crate::text;

/// Minimum height of a row with a name as a multiple of the font size. Letters of two rows do not
/// touch.
pub const MIN_ROW_EM: f64 = 1.02;
/// Difference in points between two font sizes to try. On large canvases, the smallest size is much
/// smaller than the usual one.
const SIZE_STEP: f64 = 0.5;

/// Labels left of rows, planned before the plot area has its width.
#[derive(Clone, Debug)]
pub struct RowLabels {
    /// Lines of each label; empty for omitted labels.
    lines: Vec<Vec<String>>,
    /// Full name of each label that is shortened.
    full: Vec<Option<String>>,
    /// Interval of the drawn labels: every n-th name is drawn.
    interval: usize,
    /// Index of the first drawn label.
    first: usize,
    /// Number of names that are not drawn and that readers cannot infer from the others.
    omitted: usize,
    /// Font size in points.
    size: f64,
    /// Width of the labels in points, including the gap to the plot area.
    pub width: f64,
}

impl RowLabels {
    /// Plans labels at rows that are `step` points apart, in at most `max_width` points.
    ///
    /// Uses the largest font size with which all names fit in one to three lines. If there is none,
    /// long names are shortened. If rows are lower than a line, only every n-th name is drawn.
    /// There are no labels if `max_width` is too small for whole short names or a part of long ones, or
    /// if all names are empty.
    pub fn plan(names: &[Cow<str>], step: f64, max_width: f64, style: &ChartStyle) -> RowLabels {
        let default_size =
            if step >= style.label_size * 1.15 { style.label_size } else { style.small_size };
        let text_width = max_width - style.unit * 8.0;
        let is_wider = |name: &Cow<str>| style.text_width(name, MIN_TEXT_SIZE) > text_width;
        // Names of one or two letters need less space.
        let is_narrow = text_width < MIN_TEXT_SIZE * 2.0 && names.iter().any(is_wider);
        if is_narrow || names.iter().all(|name| name.is_empty()) {
            let (lines, full) = (Vec::new(), Vec::new());
            let omitted = names.iter().filter(|name| !name.is_empty()).count();
            let (interval, first, size) = (1, 0, default_size);
            return RowLabels { lines, full, interval, first, omitted, size, width: 0.0 };
        }
        let plan = |size| RowLabels::plan_with_size(names, step, max_width, size, style);
        let default = plan(default_size);
        if !default.is_cut() {
            return default;
        }
        let step_count = ((default_size - MIN_TEXT_SIZE) / SIZE_STEP).ceil().max(0.0) as usize;
        let smaller = (1..=step_count)
            .map(|step| (default_size - step as f64 * SIZE_STEP).max(MIN_TEXT_SIZE))
            .map(plan);
        let mut best = default;
        for labels in smaller {
            if labels.count_cut() < best.count_cut() {
                best = labels;
            }
            if best.count_cut() == 0 {
                break;
            }
        }
        best
    }

    /// Plans labels with the font size `size` in points, see `RowLabels::plan`. Tries no other
    /// size, so that names may be shortened.
    fn plan_with_size(
        names: &[Cow<str>],
        step: f64,
        max_width: f64,
        size: f64,
        style: &ChartStyle,
    ) -> RowLabels {
        let fitting_lines = ((step / (size * 1.15)) as usize).min(MAX_STRAIGHT_LINES);
        let interval = match step >= size * MIN_ROW_EM {
            true => 1,
            false => (size * 1.15 / step.max(1e-6)).ceil() as usize,
        };
        let is_sequence = interval > 1 && sequence::is_sequence(names);
        let (interval, first) = match is_sequence {
            true => sequence::choose_round_labels(names, interval),
            false => (interval, 0),
        };
        let gap = style.unit * 8.0;
        let text_width = max_width - gap;
        let mut widest = 0.0f64;
        let (mut all_lines, mut full) =
            (Vec::with_capacity(names.len()), Vec::with_capacity(names.len()));
        for (index, name) in names.iter().enumerate() {
            if index < first || (index - first) % interval != 0 {
                all_lines.push(Vec::new());
                full.push(None);
                continue;
            }
            let lines =
                text::wrap(name, text_width, fitting_lines.max(1), size, style.label_face());
            for line in &lines {
                widest = widest.max(style.text_width(line, size));
            }
            let is_cut = lines.iter().any(|line| line.ends_with('…')) && !name.ends_with('…');
            full.push(if is_cut { Some(name.to_string()) } else { None });
            all_lines.push(lines);
        }
        let skipped = names.len() - names.len().div_ceil(interval);
        let omitted = if is_sequence { 0 } else { skipped };
        RowLabels { lines: all_lines, full, interval, first, omitted, size, width: widest + gap }
    }

    /// Plans labels in at most `max_width` points, or in up to `extended_width` points if fewer
    /// names are cut then, or if all drawn names are cut and show more letters then.
    pub fn plan_uncut(
        names: &[Cow<str>],
        step: f64,
        (max_width, extended_width): (f64, f64),
        style: &ChartStyle,
    ) -> RowLabels {
        let narrow = RowLabels::plan(names, step, max_width, style);
        if !narrow.is_cut() {
            return narrow;
        }
        let wide = RowLabels::plan(names, step, extended_width, style);
        let drawn = wide.full.iter().skip(wide.first).step_by(wide.interval.max(1));
        let are_all_shortened = drawn.len() > 0 && drawn.clone().all(Option::is_some);
        if wide.count_cut() < narrow.count_cut() || are_all_shortened { wide } else { narrow }
    }

    /// Returns the height in points of the label with the most lines. 0 without labels.
    pub fn max_height(&self) -> f64 {
        self.lines.iter().map(Vec::len).max().unwrap_or(0) as f64 * self.size * 1.15
    }

    /// Returns whether a name is shortened or omitted, also if readers can infer it from the
    /// others.
    fn is_cut(&self) -> bool {
        self.interval > 1 || self.omitted > 0 || self.full.iter().any(Option::is_some)
    }

    /// Returns the number of names that are shortened, or omitted although readers cannot infer
    /// them.
    fn count_cut(&self) -> usize {
        self.omitted + self.full.iter().flatten().count()
    }

    /// Draws the labels left-aligned at `left`, each centered on its row of `band`. The scene
    /// counts the omitted names.
    pub fn draw(&self, scene: &mut Scene, style: &ChartStyle, left: f64, band: &BandScale) {
        self.draw_at(scene, style, left, Anchor::Start, band);
    }

    /// Draws the labels with their anchor at `x`, each centered on its row of `band`, but not below
    /// the canvas. The scene counts the omitted names.
    pub fn draw_at(
        &self,
        scene: &mut Scene,
        style: &ChartStyle,
        x: f64,
        anchor: Anchor,
        band: &BandScale,
    ) {
        scene.omit(Omission::Name, self.omitted);
        let height = self.size * 1.15;
        let drawn = self.lines.iter().enumerate().skip(self.first).step_by(self.interval.max(1));
        for (index, lines) in drawn {
            let above = (lines.len() as f64 - 1.0) * height / 2.0;
            for (line_index, line) in lines.iter().enumerate() {
                let baseline = band.center(index) - above
                    + line_index as f64 * height
                    + HALF_CAP_HEIGHT_EM * self.size;
                let max_baseline = scene.height - 4.0 - DESCENT_EM * self.size;
                let label =
                    style.label_text(x, baseline.min(max_baseline), anchor, self.size, line);
                scene.text(Text { full: self.full[index].clone(), ..label });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    #[test]
    fn low_rows_have_a_name_each_while_letters_do_not_touch() {
        let style = ChartStyle::new(&Chart::new(crate::find_kind("bar").unwrap(), &[]));
        let names = vec![Cow::Borrowed("Laim"); 11];
        let step = |step| RowLabels::plan(&names, step, 150.0, &style).count_cut();
        assert_eq!([9.3, 8.5].map(step), [0, 5]);
    }

    #[test]
    fn names_that_are_cut_at_any_width_use_all_of_it() {
        let style = ChartStyle::new(&Chart::new(crate::find_kind("bar").unwrap(), &[]));
        let plan = |name: &'static str| {
            let names = vec![Cow::Borrowed(name); 11];
            RowLabels::plan_uncut(&names, 15.0, (150.0, 220.0), &style)
        };
        assert!(plan("Laim").width < 60.0);
        let long = plan("Staatsministerium für Wohnen, Bau und Verkehr des Freistaats Bayern");
        assert!(long.is_cut() && long.width > 190.0, "{}", long.width);
    }

    #[test]
    fn names_without_space_use_the_extended_width() {
        let style = ChartStyle::new(&Chart::new(crate::find_kind("bar").unwrap(), &[]));
        let names = [Cow::Borrowed("Laim"), Cow::Borrowed("Pasing")];
        let plan = |widths| RowLabels::plan_uncut(&names, 15.0, widths, &style).count_cut();
        assert_eq!(plan((10.0, 15.0)), 2);
        assert_eq!(plan((10.0, 80.0)), 0);
    }

    #[test]
    fn names_are_only_as_small_as_their_rows_require() {
        let kind = crate::find_kind("bar").unwrap();
        let chart = Chart { width: 1280.0, height: 720.0, ..Chart::new(kind, &[]) };
        let style = ChartStyle::new(&chart);
        let names = [
            "Bundesanstalt für Immobilienaufgaben, Niederlassung Nord".into(),
            "Zweckverband Abfallwirtschaft Oberes Donautal-Bodensee".into(),
        ];
        let labels = RowLabels::plan(&names, style.label_size * 1.7, 300.0, &style);
        assert_eq!(labels.count_cut(), 0);
        assert!(labels.size > MIN_TEXT_SIZE + 1.0 && labels.size < style.label_size);
        assert!(labels.lines.iter().all(|lines| lines.len() == 2));
    }
}
