//! Separator of the cells of a CSV text, and the lines above the headings of a table.

use std::cmp::Reverse;

use super::csv_rows::CsvRows;
use super::text_options::TextOptions;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_charts::number_text::SeparatorVotes;

/// Number of rows that decide.
pub(super) const SAMPLE_ROWS: usize = 20;
/// Maximum number of rows above the headings that have several cells.
const MAX_TITLE_ROWS: usize = 10;
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
    /// one. Of several such separators, it is the one with the fewest rows above the headings,
    /// because the heading of a decimal comma has no comma. Without any such separator, it is a
    /// comma.
    ///
    /// A separator that the text names is used in any case.
    ///
    /// A tab wins if the media type says so, or if as many rows have one. A comma loses if all commas are
    /// decimal ones or have a space after them and another separator gives as many rows.
    pub(super) fn detect(text: &str, max_columns: usize, options: TextOptions) -> Self {
        if let Some(delimiter) = options.delimiter {
            return Candidate::new(delimiter, sample_rows(text, delimiter, max_columns)).layout();
        }
        if is_decimal_list(text, options.separator.or(options.caller_separator)) {
            return Self { delimiter: b';', rows_above: 0 };
        }
        let candidates = DELIMITERS
            .map(|delimiter| Candidate::new(delimiter, sample_rows(text, delimiter, max_columns)));
        let [comma, semicolon, tab, bar] = &candidates;
        let most_rows = comma.score.0.max(semicolon.score.0).max(bar.score.0);
        let is_tab = tab.several > 0 && (options.is_tab_separated || tab.several >= most_rows);
        if is_tab {
            return tab.layout();
        }
        let is_comma_weak = semicolon.score.0.max(bar.score.0) >= comma.score.0.max(1)
            && !text.lines().take(SAMPLE_ROWS).any(has_separating_comma);
        // `max_by_key` returns the last of equal scores, but the first separator should win.
        let by_score = |candidate: &&Candidate| (candidate.score, Reverse(candidate.rows_above));
        let best = candidates
            .iter()
            .filter(|candidate| candidate.delimiter != b',' || !is_comma_weak)
            .rev()
            .max_by_key(by_score);
        best.map_or(Self { delimiter: b',', rows_above: 0 }, Candidate::layout)
    }
}

/// A separator, and how well it fits.
struct Candidate {
    delimiter: u8,
    /// See [`score`].
    score: (usize, usize),
    /// Number of sample rows with more than one cell.
    several: usize,
    rows_above: usize,
}

impl Candidate {
    fn new(delimiter: u8, rows: Vec<SampleRow>) -> Self {
        let several = rows.iter().filter(|row| row.cells > 1).count();
        Self { delimiter, score: score(&rows), several, rows_above: count_lines_above(&rows) }
    }

    fn layout(&self) -> CsvLayout {
        CsvLayout { delimiter: self.delimiter, rows_above: self.rows_above }
    }
}

/// Returns whether a line has a comma that is not a decimal one and has no space after it.
fn has_separating_comma(line: &str) -> bool {
    let is_digit = |letter: Option<char>| letter.is_some_and(|letter| letter.is_ascii_digit());
    line.match_indices(',').any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + 1..].chars().next());
        !(is_digit(before) && is_digit(after) || after == Some(' '))
    })
}

/// Returns whether a text has one column of numbers with decimal commas. The numbers may have a unit.
///
/// The first line is a heading without a comma, or a number like the others if one of them has other
/// characters than digits and a comma, or if `separator` is a comma. Otherwise the commas separate
/// columns.
fn is_decimal_list(text: &str, separator: Option<DecimalSeparator>) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let is_heading = |line: &str| {
        !line.contains([',', ';', '\t', '|', '"']) && line.contains(char::is_alphabetic)
    };
    let has_heading = lines.next_if(|line| is_heading(line)).is_some();
    let is_pair = |line: &str| line.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let mut votes = SeparatorVotes::default();
    let (mut count, mut has_other) = (0, false);
    for line in lines.take(SAMPLE_ROWS).filter(|line| !number_text::is_missing(line)) {
        votes.add(line);
        count += 1;
        has_other |= !is_pair(line);
    }
    let is_list = has_heading || has_other || separator == Some(DecimalSeparator::Comma);
    let is_comma = votes.certain_separator() == Some(DecimalSeparator::Comma);
    is_list && is_comma && votes.decide(DecimalSeparator::Comma).numbers == count
}

/// Returns the number of rows above the headings. `rows` are the first rows of the table, at most
/// [`SAMPLE_ROWS`].
///
/// Rows are above if they have only a first cell, are comments, or are pairs such as `Period:` and
/// a date. Leading rows with at most half as many filled cells as most rows are above too, if a
/// blank row follows them.
pub(super) fn count_rows_above(rows: &[SampleRow]) -> usize {
    let has_table = rows.iter().any(|row| row.filled > 1);
    let (_, usual_cells) = score(rows);
    let usual_filled = most_frequent(rows.iter().map(|row| row.filled)).1;
    let is_above = |row: &SampleRow| {
        row.is_comment && row.cells != usual_cells
            || has_table && row.has_only_first()
            || usual_filled > 2 && row.is_pair
    };
    let is_part = |row: &SampleRow| is_above(row) || row.filled * 2 <= usual_filled;
    let parts = rows.iter().take_while(|row| is_part(row)).take(MAX_TITLE_ROWS);
    let before_blank = parts.enumerate().filter(|(_, row)| row.filled == 0).last();
    let start = before_blank.map_or(0, |(blank, _)| blank + 1);
    start + rows.iter().skip(start).take_while(|row| is_above(row)).count()
}

/// Returns the number of rows above the headings in CSV text. Besides those of
/// [`count_rows_above`], leading rows with at least two cells fewer than most rows are above: as
/// headings, they would leave columns without one.
fn count_lines_above(rows: &[SampleRow]) -> usize {
    let (_, usual_cells) = score(rows);
    // Separators at the end of the rows do not need a heading.
    let filled_cells = rows.iter().map(|row| row.end).max().unwrap_or(0);
    let usual_cells = usual_cells.min(filled_cells);
    let is_short = |row: &&SampleRow| row.cells + 1 < usual_cells;
    let short = rows.iter().take_while(is_short).take(MAX_TITLE_ROWS).count();
    count_rows_above(rows).max(if short < rows.len() { short } else { 0 })
}

/// Properties of a row.
pub(super) struct SampleRow {
    /// Number of cells, including empty ones.
    cells: usize,
    /// Number of cells up to the last one that is not empty.
    end: usize,
    /// Number of cells that are not empty.
    filled: usize,
    /// Whether the first cell is not empty.
    starts_filled: bool,
    is_comment: bool,
    /// Whether only the first two cells are filled, and the first one ends with a colon.
    is_pair: bool,
}

impl SampleRow {
    /// Measures a row with `len` cells. `cell` returns the trimmed text at an
    /// index, and an empty text after the end of the row.
    pub(super) fn new<'a>(len: usize, cell: impl Fn(usize) -> &'a str) -> Self {
        let filled = (0..len).filter(|index| !cell(*index).is_empty()).count();
        Self {
            cells: len,
            end: (0..len).rev().find(|index| !cell(*index).is_empty()).map_or(0, |last| last + 1),
            filled,
            is_pair: filled == 2 && cell(0).ends_with(':') && !cell(1).is_empty(),
            starts_filled: !cell(0).is_empty(),
            is_comment: cell(0).starts_with('#'),
        }
    }

    /// Returns whether no other cell than the first one is filled. True for an empty row.
    fn has_only_first(&self) -> bool {
        self.filled == 0 || self.filled == 1 && self.starts_filled
    }
}

/// Measures the first rows of a text with a separator, at most [`SAMPLE_ROWS`]. Stops at a row with
/// more cells than `max_columns`. Blank lines are skipped.
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

/// Returns how well a separator fits: the number of rows with the most frequent
/// number of cells, and this number of cells. Rows with one cell do not count.
fn score(rows: &[SampleRow]) -> (usize, usize) {
    most_frequent(rows.iter().map(|row| row.cells).filter(|cells| *cells > 1))
}

/// Returns how often the most frequent number occurs, and this number, the
/// largest of several. Zeros without numbers.
fn most_frequent(numbers: impl Iterator<Item = usize> + Clone) -> (usize, usize) {
    let count_equal = |wanted: usize| numbers.clone().filter(|number| *number == wanted).count();
    numbers.clone().map(|number| (count_equal(number), number)).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, delimiter: u8, rows_above: usize) {
        let layout = CsvLayout::detect(text, 100, TextOptions::default());
        assert_eq!(layout, CsvLayout { delimiter, rows_above }, "{text}");
    }

    #[test]
    fn tabs_and_semicolons_win_over_decimal_commas() {
        check("Wien\t5,5\nGraz\t6,1\nLinz\t7,2\n", b'\t', 0);
        check("Wien\t5,5\t1,5\nGraz\t6,1\t2,5\n", b'\t', 0);
        check("Berlin, Mitte\t5,5\nWien, Josefstadt\t6,1\n", b'\t', 0);
        check("Titel\n\nWien\t5,5\nGraz\t6,1\n", b'\t', 1);
        check("Wien;5,5\nGraz;6,1\nLinz;7,2\n", b';', 0);
        check("Berlin, Mitte;5,5\nWien, Josefstadt;6,1\n", b';', 0);
        check("Smith;John,5\nMiller;Jane,6\n", b',', 0);
        check("a, b\n1, 2\n", b',', 0);
        check("1,2\n3,4\n", b',', 0);
    }

    #[test]
    fn a_declared_tab_wins_over_other_separators() {
        let text = "a,b\n1,2\n3,4\tx\n";
        let detect = |is_tab_separated| {
            let options = TextOptions { is_tab_separated, ..TextOptions::default() };
            CsvLayout::detect(text, 100, options).delimiter
        };
        assert_eq!([true, false].map(detect), [b'\t', b',']);
    }

    #[test]
    fn decimal_commas_without_a_heading_need_evidence() {
        let detect = |text: &str, separator| {
            let options = TextOptions { separator, ..TextOptions::default() };
            CsvLayout::detect(text, 100, options).delimiter
        };
        assert_eq!(detect("20,5\n22,3\n", None), b',');
        assert_eq!(detect("20,5\n22,3\n", Some(DecimalSeparator::Comma)), b';');
        let german_caller = TextOptions {
            caller_separator: Some(DecimalSeparator::Comma),
            ..TextOptions::default()
        };
        assert_eq!(CsvLayout::detect("20,5\n22,3\n", 100, german_caller).delimiter, b';');
        assert_eq!(detect("20,5 %\n22,3 %\n", None), b';');
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
        check("Ort;Wert\nUlm;12,5\nAalen;7,25;geschätzt; siehe\nBiberach;3,1\n", b';', 0);
        check("Ort;Wert\nUlm;12,5;;\nAalen;7,25;;\n", b';', 0);
        check("", b',', 0);
        check("\"a,b\",\"c\n,d\"\n1,2\n", b',', 0);
    }

    #[test]
    fn a_list_of_numbers_with_decimal_commas_is_one_column() {
        check("Wert\n1,5\n2,5\n3,75\n", b';', 0);
        check("Körpergröße\n1,72 m\n1,68 m\nn/a\n2 m\n", b';', 0);
        check("Preis\n1.234,50 €\n12,00 €\n", b';', 0);
        check("Title\nx,y\n1,2\n", b',', 1);
        check("Title\n1,234\n", b',', 1);
    }

    #[test]
    fn titles_and_comments_are_above_the_headings() {
        check("Umsatz 2023;;\n;;\nMonat;Wert;Ziel\nJan;1;2\n", b';', 2);
        check("#,Name,Value\n1,North,5\n", b',', 0);
        check("Report of all regions\n\nMonth,Value\nJan,1\n", b',', 1);
        check("# source: x, y, z\n# 2024\na,b\n1,2\n", b',', 2);
        check("Report;Office\nFrom:;1 March\n\na;b;c;d\n1;2;3;4\n5;6;7;8\n", b';', 2);
        check("Report;Office;;;\n;;;;\na;b;c;d;e\n1;2;3;4;5\n", b';', 2);
        check("From:;1 March;;\na;b;c;d\n1;2;3;4\n", b';', 1);
        check("Region;2023;;\n;Q1;Q2;Q3\nNorth;1;2;3\nSouth;4;5;6\n", b';', 0);
        check("a,b\n1,2,3\n4,5,6\n", b',', 0);
        check(",2023,2024\nNorth,1,2\n", b',', 0);
        check("Wert\n1\n2\n", b',', 0);
    }
}
