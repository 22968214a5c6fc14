//! Names beside the ends of lines or rows: wrapped and made smaller before one is cut.

use crate::frame::style::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Text};
use crate::text;

/// Distance between two lines of a name as a multiple of the font size.
pub const LINE_HEIGHT_EM: f64 = 1.15;
/// Maximum number of lines of a name.
const MAX_LINES: usize = 3;

/// Planned names.
#[derive(Clone, Debug)]
pub struct EndNames {
    /// Font size in points.
    pub size: f64,
    /// Lines of each name.
    pub lines: Vec<Vec<String>>,
    /// Full name of each name that is shortened.
    pub full: Vec<Option<String>>,
    /// Width of the widest line in points.
    pub width: f64,
}

impl EndNames {
    /// Plans names that each have `height` points, in the first of the `widths` in points in which
    /// all of them fit.
    ///
    /// Each width is tried with all font sizes, and each size with one to three lines, as many as
    /// the height permits. If nothing fits, names are shortened in the last width.
    pub fn plan(names: &[&str], height: f64, widths: &[f64], style: &ChartStyle) -> EndNames {
        let mut sizes = vec![style.label_size, style.small_size, MIN_TEXT_SIZE];
        sizes.dedup();
        let max_lines = |size: f64| ((height / (size * LINE_HEIGHT_EM)) as usize).min(MAX_LINES);
        let forms = widths.iter().flat_map(|width| {
            sizes
                .iter()
                .flat_map(move |size| (1..=max_lines(*size)).map(move |n| (*width, *size, n)))
        });
        let mut whole = forms.map(|(width, size, lines)| wrap(names, width, lines, size, style));
        if let Some(names) = whole.find(|names| names.full.iter().all(Option::is_none)) {
            return names;
        }
        let fits = |size: &&f64| max_lines(**size) > 0;
        let size = sizes.iter().find(fits).copied().unwrap_or(MIN_TEXT_SIZE);
        let shortest = |size: f64| {
            let width = widths.last().copied().unwrap_or(0.0);
            wrap(names, width, max_lines(size).max(1), size, style)
        };
        let count_cut = |names: &EndNames| names.full.iter().flatten().count();
        let (large, small) = (shortest(size), shortest(MIN_TEXT_SIZE));
        if count_cut(&small) < count_cut(&large) { small } else { large }
    }

    /// Returns the texts of the name at `index`, one for each line. `(x, middle)` is the anchor
    /// point in points, in the middle of the height of the name. Does not draw them. Empty for an
    /// unknown index.
    pub fn texts<'a>(
        &'a self,
        index: usize,
        (x, middle): (f64, f64),
        anchor: Anchor,
        style: &'a ChartStyle,
    ) -> impl Iterator<Item = Text> + 'a {
        let lines = self.lines.get(index).map_or(&[][..], Vec::as_slice);
        let above = (lines.len() as f64 - 1.0) / 2.0;
        lines.iter().enumerate().map(move |(line, text)| {
            let offset = (line as f64 - above) * LINE_HEIGHT_EM + HALF_CAP_HEIGHT_EM;
            let full = self.full.get(index).cloned().flatten();
            Text {
                full,
                ..style.label_text(x, middle + offset * self.size, anchor, self.size, text)
            }
        })
    }
}

/// Wraps names into at most `max_lines` lines of `width` points of about equal length, and shortens
/// those that do not fit. `size` is the font size in points.
fn wrap(names: &[&str], width: f64, max_lines: usize, size: f64, style: &ChartStyle) -> EndNames {
    let wrap = |name: &&str| {
        let width = width + 0.1;
        text::wrap_balanced(name, width, max_lines, size, style.label_face())
    };
    let lines: Vec<Vec<String>> = names.iter().map(wrap).collect();
    let is_cut = |lines: &[String], name: &str| {
        lines.iter().any(|line| line.ends_with('…')) && !name.ends_with('…')
            || lines.is_empty() && !name.is_empty()
    };
    let full = lines.iter().zip(names);
    let full = full.map(|(lines, name)| is_cut(lines, name).then(|| (*name).to_owned())).collect();
    let widths = lines.iter().flatten().map(|line| style.text_width(line, size));
    let width = widths.fold(0.0, f64::max);
    EndNames { size, lines, full, width }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;

    fn plan(names: &[&str], height: f64, widths: &[f64]) -> EndNames {
        let chart = Chart::new(crate::find_kind("bump").unwrap(), &[]);
        EndNames::plan(names, height, widths, &ChartStyle::new(&chart))
    }

    #[test]
    fn names_are_wrapped_and_made_smaller_before_they_are_cut() {
        let names = ["Extension of the harbour railway", "Ferry"];
        let wide = plan(&names, 40.0, &[400.0]);
        assert_eq!((wide.size, wide.lines[0].len()), (12.0, 1));
        let narrow = plan(&names, 40.0, &[120.0]);
        assert_eq!((narrow.size, narrow.lines[0].len(), narrow.lines[1].len()), (12.0, 2, 1));
        let low = plan(&names, 22.0, &[120.0]);
        assert!(low.size < 12.0 && low.lines[0].len() == 2, "{low:?}");
        let wider = plan(&names, 12.0, &[120.0, 160.0]);
        assert!(wider.lines[0].len() == 1 && wider.full.iter().all(Option::is_none), "{wider:?}");
        let cut = plan(&names, 12.0, &[60.0]);
        assert_eq!(cut.full[0].as_deref(), Some(names[0]));
        assert_eq!(cut.full[1], None);
    }
}
