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
#[derive(Clone, Debug)]
pub struct KeyList {
    /// Height in points.
    pub height: f64,
    /// Font size in points.
    pub size: f64,
    /// Width of the numbers with the space after them in points.
    number_width: f64,
    /// Distance of the left end of each column from that of the list in points.
    column_starts: Vec<f64>,
    entries: Vec<Entry>,
}

/// A name with its position in the list.
#[derive(Clone, Debug)]
struct Entry {
    lines: Vec<String>,
    /// Amount after the last line. May be empty.
    amount: String,
    column: usize,
    /// Distance from the top of the list in points.
    top: f64,
}

impl KeyList {
    /// Lays out a list of `width` points with all names whole, in the largest text with which it is
    /// at most `max_height` points high. Of several numbers of columns, takes the lowest list.
    /// Returns None if there is no such list, and without names.
    pub fn plan<S: AsRef<str>>(
        names: &[S],
        width: f64,
        max_height: f64,
        style: &ChartStyle,
    ) -> Option<KeyList> {
        KeyList::plan_with_amounts(names, &vec![""; names.len()], width, max_height, style)
    }

    /// Lays out a list as `KeyList::plan`, with an amount after the last line of each name. An
    /// empty amount takes no space.
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
                let plan = |columns| {
                    let content = (names, amounts);
                    plan_unwrapped(content, columns, width, size, style)
                        .into_iter()
                        .chain(plan_columns(content, columns, width, size, style))
                };
                let lists = (1..=MAX_COLUMNS.min(names.len())).flat_map(plan);
                lists
                    .filter(|list| list.height <= max_height)
                    .min_by(|one, two| one.height.total_cmp(&two.height))
            })
    }

    /// Returns the height in points of the list with the numbers of [`KeyList::draw_below`] above
    /// it.
    pub fn height_with_numbers(&self, style: &ChartStyle) -> f64 {
        self.height + self.number_row_height(style)
    }

    /// Draws the numbers below the marks as far as they have space, and the list below them.
    /// `center` returns the x coordinate in points of the middle of the mark of an entry, which has
    /// the number index plus 1. A mark without a coordinate has no number, but its entry is in the
    /// list.
    pub fn draw_below(
        &self,
        center: impl Fn(usize) -> Option<f64>,
        plot: Rect,
        style: &ChartStyle,
        scene: &mut Scene,
    ) {
        let baseline = plot.y1 + style.unit * 4.0 + ASCENT_EM * self.size;
        let mut last_end = f64::NEG_INFINITY;
        for index in 0..self.entries.len() {
            let Some(x) = center(index) else { continue };
            let number = style.locale.format_integer(index + 1);
            let text = style.label_text(x, baseline, Anchor::Middle, self.size, &number);
            if text.bounds().x0 >= last_end {
                last_end = text.bounds().x1 + 1.0;
                scene.text(Text { color: style.value_color, ..text });
            }
        }
        let top = plot.y1 + self.number_row_height(style);
        self.draw(Rect { y0: top, y1: top + self.height, ..plot }, style, scene);
    }

    /// Returns the height in points of the row of numbers between the plot and the list, with its
    /// gaps.
    fn number_row_height(&self, style: &ChartStyle) -> f64 {
        self.size * 1.6 + style.unit * 4.0
    }

    /// Draws the list with its upper left corner at that of `area`. Each entry has its number in
    /// bold, its name, and its amount. The size of `area` is ignored.
    pub fn draw(&self, area: Rect, style: &ChartStyle, scene: &mut Scene) {
        for (index, entry) in self.entries.iter().enumerate() {
            let start = self.column_starts.get(entry.column).copied().unwrap_or(0.0);
            let x = area.x0 + start + self.number_width;
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

/// Lays out a list of names in one line each, in columns that are as wide as their names. Returns
/// None if the columns do not fit.
fn plan_unwrapped<S: AsRef<str>>(
    (names, amounts): (&[S], &[&str]),
    columns: usize,
    width: f64,
    size: f64,
    style: &ChartStyle,
) -> Option<KeyList> {
    let gap = size * 1.5;
    let number_width = number_width(names.len(), size, style);
    let rows = names.len().div_ceil(columns.max(1)).max(1);
    let entry_width = |(name, amount): (&S, &&str)| {
        style.text_width(name.as_ref(), size) + amount_width(amount, size, style)
    };
    let widths: Vec<f64> = names.iter().zip(amounts).map(entry_width).collect();
    let column_widths =
        widths.chunks(rows).map(|column| column.iter().copied().fold(0.0, f64::max));
    let column_widths: Vec<f64> = column_widths.map(|widest| widest + number_width).collect();
    let gap_count = column_widths.len().saturating_sub(1) as f64;
    let free = width - column_widths.iter().sum::<f64>() - gap * gap_count;
    if free < 0.0 {
        return None;
    }
    // A wide list uses its space, but its columns stay together.
    let gap = gap + (free / gap_count.max(1.0)).min(size * 1.5);
    let start = |start: &mut f64, width: &f64| {
        let column_start = *start;
        *start += width + gap;
        Some(column_start)
    };
    let column_starts = column_widths.iter().scan(0.0, start).collect();
    let entry = |(index, (name, amount)): (usize, (&S, &&str))| Entry {
        lines: vec![name.as_ref().to_owned()],
        amount: (*amount).to_owned(),
        column: index / rows,
        top: (index % rows) as f64 * size * LINE_HEIGHT,
    };
    let entries = names.iter().zip(amounts).enumerate().map(entry).collect();
    let height = rows as f64 * size * LINE_HEIGHT;
    Some(KeyList { height, size, number_width, column_starts, entries })
}

/// Returns the width in points of the last number of a list with `count` entries, with the space
/// after it.
fn number_width(count: usize, size: f64, style: &ChartStyle) -> f64 {
    text::width(&style.locale.format_integer(count), size, Face::BOLD) + size * 0.5
}

/// Returns the width in points of an amount with the space before it. 0 if it is empty.
fn amount_width(amount: &str, size: f64, style: &ChartStyle) -> f64 {
    match amount.is_empty() {
        true => 0.0,
        false => style.text_width(amount, size) + size * AMOUNT_GAP_EM,
    }
}

/// Lays out a list of names and amounts with a number of equal columns. Returns None if a name does
/// not fit.
fn plan_columns<S: AsRef<str>>(
    (names, amounts): (&[S], &[&str]),
    columns: usize,
    width: f64,
    size: f64,
    style: &ChartStyle,
) -> Option<KeyList> {
    let gap = size * 1.5;
    let pitch = (width + gap) / columns.max(1) as f64;
    let number_width = number_width(names.len(), size, style);
    let name_width = pitch - gap - number_width;
    let wrap = |(name, amount): (&S, &&str)| {
        let width = name_width - amount_width(amount, size, style);
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
    let column_starts = (0..columns).map(|column| pitch * column as f64).collect();
    Some(KeyList { height, size, number_width, column_starts, entries })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chart;
    use crate::find_kind;

    #[test]
    fn names_are_whole_or_there_is_no_list() {
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

    #[test]
    fn short_names_leave_their_space_to_long_ones() {
        let Some(kind) = find_kind("bar") else { panic!("no kind") };
        let style = ChartStyle::new(&Chart::new(kind, &[]));
        let names = ["Neuhausen-Nymphenburg am Schlosspark", "Laim", "Hadern", "Pasing"];
        let list = KeyList::plan(&names, 480.0, 60.0, &style).expect("a list");
        assert!(list.entries.iter().all(|entry| entry.lines.len() == 1), "{list:?}");
        assert!(list.column_starts.len() == 4 && list.height < style.label_size * 1.5, "{list:?}");
    }
}
