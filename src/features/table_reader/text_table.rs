//! Tables that are written with vertical bars: those of Markdown and org-mode, and the output of
//! database clients such as psql and MySQL.
//!
//! A line of hyphens below the headings tells them from CSV text with bars as separators.

use std::borrow::Cow;

use super::csv_rewrite;

/// Separator of the cells in the text that [`to_csv`] returns.
pub(super) const DELIMITER: u8 = b'|';
/// Markers of bold, italic and code text in Markdown, the longer ones first.
const MARKERS: [&str; 5] = ["**", "__", "*", "_", "`"];

/// A table with bars as CSV text.
pub(super) struct TextTable {
    /// The rows of the table with `DELIMITER` between cells. Each keeps the number of its line, and the
    /// other lines are blank. A text above the table is a line of one cell.
    pub text: String,
    /// Index of the line, from 0, in which another table starts. Its rows are left out.
    pub next_table: Option<usize>,
}

/// Converts the first table with bars in a text to CSV text. None if the text has no such table.
///
/// The headings are the line above the first line of hyphens with as many cells. Lines of hyphens are
/// no rows. Rows follow the headings up to a line without a bar. Later lines are rows too if they start
/// with a bar and have as many cells, because people separate groups of rows by blank lines.
pub(super) fn to_csv(text: &str) -> Option<TextTable> {
    let (header, count) = find_header(text)?;
    let has_edges = text.lines().nth(header)?.trim_start().starts_with('|');
    let title = find_title(text, header);
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let (mut next_table, mut is_in_table) = (None, true);
    let mut lines = text.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let below = lines.peek().and_then(|(_, line)| count_rules(line));
        let is_rule = count_rules(line).is_some();
        if index > header {
            is_in_table &= is_rule || has_bar(line);
        }
        let is_row = index >= header && !is_rule && has_bar(line);
        let is_apart = line.trim_start().starts_with('|') && count_cells(line, has_edges) == count;
        let is_header = index > header && is_row && below == Some(count_cells(line, has_edges));
        if next_table.is_none() && is_header && !is_in_table {
            next_table = Some(index);
        }
        if is_row && next_table.is_none() && (is_in_table || is_apart) {
            push_row(&mut out, line, has_edges);
        } else if title.is_some_and(|(row, _)| row == index) {
            csv_rewrite::push_cell(&mut out, title.map_or("", |(_, title)| title), DELIMITER);
        }
        out.push('\n');
    }
    Some(TextTable { text: out, next_table })
}

/// Returns the index of the line with the headings of the first table, and its number of cells.
fn find_header(text: &str) -> Option<(usize, usize)> {
    let pairs = text.lines().zip(text.lines().skip(1)).enumerate();
    pairs.filter(|(_, (line, _))| has_bar(line) && count_rules(line).is_none()).find_map(
        |(index, (line, below))| {
            let has_edges = line.trim_start().starts_with('|');
            let count = count_cells(line, has_edges);
            (count_rules(below) == Some(count)).then_some((index, count))
        },
    )
}

/// Returns the last text above the line `header` with its index, without the marks of a heading in
/// Markdown. None if that is a command, such as a query.
fn find_title(text: &str, header: usize) -> Option<(usize, &str)> {
    let above = text.lines().enumerate().take(header);
    let (index, line) =
        above.filter(|(_, line)| !line.trim().is_empty() && count_rules(line).is_none()).last()?;
    let line = line.trim().trim_start_matches('#').trim();
    let line = strip_markers(line);
    (!line.is_empty() && !line.ends_with(';')).then_some((index, line))
}

/// Returns the number of cells of a line of hyphens or equals signs with bars or plus signs between
/// them, such as `|---|:--:|`, `----+----` or `+---+---+`. None for other lines.
fn count_rules(line: &str) -> Option<usize> {
    let line = line.trim();
    let is_rule = |byte: u8| matches!(byte, b'-' | b'=' | b':' | b'+' | b'|' | b' ' | b'\t');
    let is_end = |letter: char| matches!(letter, '+' | '|');
    if !line.contains(is_end) || !line.bytes().all(is_rule) {
        return None;
    }
    let line = line.strip_prefix(is_end).unwrap_or(line);
    let line = line.strip_suffix(is_end).unwrap_or(line);
    let is_cell = |cell: &str| {
        let cell = cell.trim();
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|byte| matches!(byte, b'-' | b'='))
    };
    let mut cells = line.split(is_end);
    cells.all(is_cell).then(|| line.split(is_end).count())
}

/// Returns whether a line has a bar that separates cells.
fn has_bar(line: &str) -> bool {
    find_bar(line).is_some()
}

/// Returns the position of the first bar without a backslash before it.
fn find_bar(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    (0..bytes.len()).find(|at| bytes[*at] == b'|' && (*at == 0 || bytes[*at - 1] != b'\\'))
}

/// Returns the number of cells of a row.
fn count_cells(line: &str, has_edges: bool) -> usize {
    cells(line, has_edges).count()
}

/// Iterates over the cells of a row. With `has_edges`, the row may have bars at its start and its end.
fn cells(line: &str, has_edges: bool) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    if has_edges {
        let line = line.trim();
        let line = line.strip_prefix('|').unwrap_or(line);
        let inner = line.strip_suffix('|').filter(|inner| !inner.ends_with('\\'));
        rest = Some(inner.unwrap_or(line));
    }
    std::iter::from_fn(move || {
        let line = rest?;
        let bar = find_bar(line);
        rest = bar.map(|at| &line[at + 1..]);
        Some(&line[..bar.unwrap_or(line.len())])
    })
}

/// Appends a row as CSV.
fn push_row(out: &mut String, line: &str, has_edges: bool) {
    for (index, cell) in cells(line, has_edges).enumerate() {
        if index > 0 {
            out.push(char::from(DELIMITER));
        }
        csv_rewrite::push_cell(out, &plain_text(cell), DELIMITER);
    }
}

/// Returns the text of a cell without markers, line breaks and backslashes before bars.
fn plain_text(cell: &str) -> Cow<'_, str> {
    let cell = strip_markers(cell.trim());
    match cell.contains(['\\', '<']) {
        true => Cow::Owned(cell.replace("\\|", "|").replace("<br>", " ").replace("<br/>", " ")),
        false => Cow::Borrowed(cell),
    }
}

/// Returns a text without the markers around all of it, such as `**`.
fn strip_markers(text: &str) -> &str {
    let inner = MARKERS.iter().find_map(|marker| {
        let inner = text.strip_prefix(marker)?.strip_suffix(marker)?;
        (!inner.trim().is_empty() && !inner.contains(marker)).then_some(inner)
    });
    inner.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rows of the CSV text, with a slash in place of each line break.
    fn rows(text: &str) -> Option<String> {
        to_csv(text).map(|table| table.text.replace('\n', "/"))
    }

    #[test]
    fn tables_of_markdown_and_database_clients_become_csv() {
        for (text, want) in [
            ("| A | B |\n|---|--:|\n| x | 1 |\n", "A|B//x|1/"),
            ("A | B\n:-- | :-:\nx | 1\n | 2\n", "A|B//x|1/|2/"),
            ("| A | B |\n|:-|:-|\n| a \\| b | **2** |\n", "A|B//\"a | b\"|2/"),
            (" a | b \n---+---\n x | 1\n   | 2\n(2 rows)\n", "a|b//x|1/|2//"),
            (
                "+---+---+\n| a | b |\n+---+---+\n| x | 1 |\n+---+---+\n2 rows in set",
                "/a|b//x|1///",
            ),
            ("| A | B |\n|---+---|\n| x | 1 |\n|---+---|\n| y | 2 |", "A|B//x|1//y|2/"),
            ("# Cities\n\nText | x\n\n| A |\n|---|\n| x |\nEnd", "////A//x//"),
            ("# Cities\n\n| A | B |\n|---|---|\n| x | |\n\n| y | 2 |\n", "Cities//A|B//x|//y|2/"),
            ("select 1;\n a | b\n---+---\n x | 1\n", "/a|b//x|1/"),
        ] {
            let found = rows(text);
            let found = found.as_deref().map(|found| found.replace("\"Text | x\"", ""));
            assert_eq!(found.as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in [
            "a|b\n1|2\n",
            "a;b\n---;---\n1;2\n",
            "a,b\n-,-\n",
            "a|b|c\n---|---\n1|2|3\n",
            "| a | b |\n| 1 | 2 |\n",
            "Date|Value\n2024-01|-\n-|5\n",
            "--- | ---\na | b\n",
            "",
        ] {
            assert_eq!(rows(text), None, "{text}");
        }
    }

    #[test]
    fn another_table_below_is_reported() {
        let two = "| A | B |\n|---|---|\n| x | 1 |\n\nText\n\n| C | D |\n|---|---|\n| y | 2 |\n";
        let table = to_csv(two).unwrap();
        assert_eq!(table.next_table, Some(6));
        assert!(!table.text.contains('y'), "{}", table.text);
    }
}
