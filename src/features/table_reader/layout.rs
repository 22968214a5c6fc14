//! Separator of the cells of a CSV text, and the lines above the headings of a table.

use super::csv_rows::CsvRows;

/// Number of rows that decide.
pub(super) const SAMPLE_ROWS: usize = 20;
/// Separators, the preferred one first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Arrangement of a CSV text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CsvLayout {
    /// Separator of the cells.
    pub delimiter: u8,
    /// Number of rows above the headings: a title, notes, comments.
    pub rows_above: usize,
}

impl CsvLayout {
    /// Detects the arrangement from the first rows.
    ///
    /// The separator is the one that gives most rows the same number of cells, if that is more than
    /// one. Rows above the headings have only a first cell, or start with `#` and have another number of
    /// cells than most rows.
    pub(super) fn detect(text: &str, max_columns: usize) -> Self {
        let samples =
            DELIMITERS.map(|delimiter| (delimiter, sample_rows(text, delimiter, max_columns)));
        // `max_by_key` returns the last of equal scores, but the first separator should win.
        let best = samples.iter().rev().max_by_key(|(_, rows)| score(rows));
        let Some((delimiter, rows)) = best else { return Self { delimiter: b',', rows_above: 0 } };
        Self { delimiter: *delimiter, rows_above: count_rows_above(rows) }
    }
}

/// Returns the number of rows above the headings. `rows` are the first rows of the table, at most
/// [`SAMPLE_ROWS`].
pub(super) fn count_rows_above(rows: &[SampleRow]) -> usize {
    let has_table = rows.iter().any(|row| row.filled > 1);
    let (_, usual_cells) = score(rows);
    let is_above = |row: &&SampleRow| {
        row.is_comment && row.cells != usual_cells || has_table && row.has_only_first()
    };
    rows.iter().take_while(is_above).count()
}

/// Properties of a row.
pub(super) struct SampleRow {
    /// Number of cells, including empty ones.
    cells: usize,
    /// Number of cells that are not empty.
    filled: usize,
    /// Whether the first cell is not empty.
    starts_filled: bool,
    is_comment: bool,
}

impl SampleRow {
    /// Measures a row with `len` cells.
    pub(super) fn new<'a>(len: usize, cell: impl Fn(usize) -> &'a str) -> Self {
        Self {
            cells: len,
            filled: (0..len).filter(|index| !cell(*index).is_empty()).count(),
            starts_filled: !cell(0).is_empty(),
            is_comment: cell(0).starts_with('#'),
        }
    }

    /// Returns whether no other cell than the first one is filled.
    fn has_only_first(&self) -> bool {
        self.filled == 0 || self.filled == 1 && self.starts_filled
    }
}

/// Reads the first rows with a separator. Stops at a row with more cells than `max_columns`.
fn sample_rows(text: &str, delimiter: u8, max_columns: usize) -> Vec<SampleRow> {
    let mut rows = CsvRows::new(text, delimiter, max_columns);
    let mut samples = Vec::new();
    while samples.len() < SAMPLE_ROWS
        && let Ok(Some(row)) = rows.next_row()
    {
        samples.push(SampleRow::new(row.len(), |index| row.cell(index)));
    }
    samples
}

/// Returns how well a separator fits: the number of rows with the most frequent number of cells, and
/// this number of cells.
fn score(rows: &[SampleRow]) -> (usize, usize) {
    let count_equal = |cells: usize| rows.iter().filter(|row| row.cells == cells).count();
    let frequencies = rows.iter().filter(|row| row.cells > 1);
    frequencies.map(|row| (count_equal(row.cells), row.cells)).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, delimiter: u8, rows_above: usize) {
        assert_eq!(CsvLayout::detect(text, 100), CsvLayout { delimiter, rows_above }, "{text}");
    }

    #[test]
    fn the_separator_gives_most_rows_the_same_number_of_cells() {
        check("a,b\n1,2\n", b',', 0);
        check("Region;Umsatz\nNord;1.284,5\nSüd;12,5\n", b';', 0);
        check("a;b\n1,5;2,5\n3,5;4,5\n", b';', 0);
        check("a\tb\n\"x,y,z\"\t1,5\n", b'\t', 0);
        check("a|b\n1|2\n", b'|', 0);
        check("label\tvalue\nA\t1,5\nB\t22,25\n", b'\t', 0);
        check("a\n1\n", b',', 0);
        check("", b',', 0);
        check("\"a,b\",\"c\n,d\"\n1,2\n", b',', 0);
    }

    #[test]
    fn titles_and_comments_are_above_the_headings() {
        check("Umsatz 2023;;\n;;\nMonat;Wert;Ziel\nJan;1;2\n", b';', 2);
        check("#,Name,Value\n1,North,5\n", b',', 0);
        check("Report of all regions\n\nMonth,Value\nJan,1\n", b',', 1);
        check("# source: x, y, z\n# 2024\na,b\n1,2\n", b',', 2);
        check(",2023,2024\nNorth,1,2\n", b',', 0);
        check("Wert\n1\n2\n", b',', 0);
    }
}
