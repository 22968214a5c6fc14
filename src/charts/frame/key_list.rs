//! A list of names with key numbers, below a plot without space for the names of its marks.

use kurbo::Rect;

use crate::Scene;
use crate::frame::style::{ChartStyle, MIN_TEXT_SIZE};
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;
use crate::text::Face;

/// Line height as a multiple of the font size.
const LINE_HEIGHT: f64 = 1.28;
/// Maximum number of columns.
const MAX_COLUMNS: usize = 6;
/// Maximum number of lines of a name.
const MAX_NAME_LINES: usize = 2;

/// Space before an amount as a multiple of the font size.
const AMOUNT_GAP_EM: f64 = 0.45;

/// The layout of a list of names. Numbers start at 1.
pub struct KeyList {
    /// Height in points.
    pub height: f64,
    /// Font size in points.
    pub size: f64,
    /// Width of the numbers with the space after them in points.
    number_width: f64,
    /// Distance between the left ends of two columns in points.
    pitch: f64,
    entries: Vec<Entry>,
}

/// A name with its position in the list.
struct Entry {
    lines: Vec<String>,
    /// Amount after the last line. May be empty.
    amount: String,
    column: usize,
    /// Distance from the top of the list in points.
    top: f64,
}

impl KeyList {
    /// Lays out a list with all names whole, in the largest text with which it is at most
    /// `max_height` points high. Returns None if there is no such list.
    pub fn plan<S: AsRef<str>>(
        names: &[S],
        width: f64,
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<KeyList> {
        KeyList::plan_with_amounts(names, &vec![""; names.len()], width, max_height, style)
    }

    /// Lays out a list as [`KeyList::plan`], with an amount after each name.
    pub fn plan_with_amounts<S: AsRef<str>>(
        names: &[S],
        amounts: &[&str],
        width: f64,
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<KeyList> {
        [style.label_size, style.small_size, MIN_TEXT_SIZE.min(style.small_size)]
            .into_iter()
            .find_map(|size| {
                // More columns make the list lower, as long as the names fit.
                let plan = |columns| plan_columns((names, amounts), columns, width, size, style);
                let lists = (1..=MAX_COLUMNS.min(names.len())).filter_map(plan);
                lists
                    .filter(|list| list.height <= max_height)
                    .min_by(|one, two| one.height.total_cmp(&two.height))
            })
    }

    /// Draws the list with its upper left corner at that of `area`.
    pub fn draw(&self, area: Rect, style: &ChartStyle, scene: &mut Scene) {
        for (index, entry) in self.entries.iter().enumerate() {
            let x = area.x0 + self.pitch * entry.column as f64 + self.number_width;
            let first = area.y0 + entry.top + ASCENT_EM * self.size;
            let number = style.locale.format_integer(index + 1);
            let number_x = x - self.size * 0.5;
            let text = style.label_text(number_x, first, Anchor::End, self.size, &number);
            let width = text::width(&number, self.size, Face::BOLD);
            scene.text(Text { face: Face::BOLD, width, color: style.value_color, ..text });
            for (line_index, line) in entry.lines.iter().enumerate() {
                let y = first + line_index as f64 * self.size * LINE_HEIGHT;
                let text = style.label_text(x, y, Anchor::Start, self.size, line);
                let end = x + text.width;
                scene.text(text);
                if line_index + 1 == entry.lines.len() && !entry.amount.is_empty() {
                    let x = end + self.size * AMOUNT_GAP_EM;
                    let text = style.label_text(x, y, Anchor::Start, self.size, &entry.amount);
                    scene.text(Text { color: style.muted_color, ..text });
                }
            }
        }
    }
}

/// Lays out a list of names and amounts with a number of columns. Returns None if a name does not fit.
fn plan_columns<S: AsRef<str>>(
    (names, amounts): (&[S], &[&str]),
    columns: usize,
    width: f64,
    size: f64,
    style: &ChartStyle,
) -> Option<KeyList> {
    let gap = size * 1.5;
    let pitch = (width + gap) / columns.max(1) as f64;
    let number_width =
        text::width(&style.locale.format_integer(names.len()), size, Face::BOLD) + size * 0.5;
    let name_width = pitch - gap - number_width;
    let wrap = |(name, amount): (&S, &&str)| {
        let amount_width = match amount.is_empty() {
            true => 0.0,
            false => style.text_width(amount, size) + size * AMOUNT_GAP_EM,
        };
        let width = name_width - amount_width;
        let face = style.label_face();
        (width > size)
            .then(|| text::wrap_whole(name.as_ref(), width, MAX_NAME_LINES, size, face))
            .flatten()
    };
    let wrapped: Vec<Vec<String>> = names.iter().zip(amounts).map(wrap).collect::<Option<_>>()?;
    let line_count = |lines: &Vec<String>| lines.len().max(1);
    let total: usize = wrapped.iter().map(line_count).sum();
    let find_rows = |rows: usize| {
        let (mut column, mut row) = (0, 0);
        let place = |lines: &Vec<String>| {
            if row > 0 && row + line_count(lines) > rows {
                (column, row) = (column + 1, 0);
            }
            let position = (column, row);
            row += line_count(lines);
            (column < columns).then_some(position)
        };
        wrapped.iter().map(place).collect::<Option<Vec<(usize, usize)>>>()
    };
    let positions = (total.div_ceil(columns.max(1))..=total).find_map(find_rows)?;
    let ends = positions.iter().zip(&wrapped).map(|((_, row), lines)| row + line_count(lines));
    let height = ends.max().unwrap_or(0) as f64 * size * LINE_HEIGHT;
    let entry = |((lines, (column, row)), amount): ((Vec<String>, (usize, usize)), &&str)| Entry {
        lines,
        amount: (*amount).to_owned(),
        column,
        top: row as f64 * size * LINE_HEIGHT,
    };
    let entries = wrapped.into_iter().zip(positions).zip(amounts).map(entry).collect();
    Some(KeyList { height, size, number_width, pitch, entries })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;
    use crate::find_kind;

    #[test]
    fn names_are_whole_and_columns_are_balanced() {
        let Some(kind) = find_kind("bar") else { panic!("no kind") };
        let style = ChartStyle::new(&Chart::new(kind, &[]));
        let names: Vec<String> =
            (0..40).map(|index| format!("Schleswig-Holstein {index}")).collect();
        let list = KeyList::plan(&names, 640.0, 150.0, &style).expect("a list");
        assert!(list.height <= 150.0 && list.entries.len() == 40);
        assert!(
            list.entries.iter().all(|entry| !entry.lines.iter().any(|line| line.ends_with('…')))
        );
        assert!(KeyList::plan(&names, 640.0, 30.0, &style).is_none());
    }
}
