//! Rows at the end of a table that are no records: the total of the others, and
//! notes such as a source.

use chartroom_charts::total_names::is_total_name;
use chartroom_platform::text;

/// Number of rows at the end of a table that may be no records.
pub const MAX_TRAILING_ROWS: usize = 6;
/// Minimum number of rows above a total.
const MIN_ROWS_ABOVE_TOTAL: usize = 2;
/// Maximum distance of a total to the sum of the rows above as a share of it, because of rounding.
const TOTAL_TOLERANCE: f64 = 0.005;

/// Folded first words of notes in ten languages.
const NOTE_WORDS: [&str; 24] = [
    "source",
    "sources",
    "note",
    "notes",
    "quelle",
    "quellen",
    "anmerkung",
    "anmerkungen",
    "hinweis",
    "stand",
    "fussnote",
    "datenbasis",
    "remarque",
    "fuente",
    "nota",
    "notas",
    "fonte",
    "fonti",
    "bron",
    "zrodlo",
    "uwaga",
    "kalla",
    "kilde",
    "as of",
];

/// A row that is left out, or that needs attention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowNote {
    /// Number of the row among those that are not blank, from 1.
    pub record: usize,
    /// Start of the text that names the row.
    pub text: String,
    /// Whole text of a note, or the start of a very long one. Empty for a total.
    pub whole_note: String,
    /// Reason or problem, such as `is left out, because it is a total of the records`.
    pub message: &'static str,
    /// Whether the row is a total. Kinds that mark totals show it.
    pub is_total: bool,
}

/// A row at the end of a table.
pub struct TrailingRow {
    /// First text that is not empty.
    pub name: String,
    /// All texts that are not empty, as a sentence that was split at its commas reads.
    pub text: String,
    /// Whether the texts are in the first cells, without an empty one before the last text.
    pub is_contiguous: bool,
    /// Whether the name is in a column with numbers, such as one of ranks. Only summaries do that.
    pub is_named_in_numbers: bool,
    /// Number of cells that are not empty.
    pub filled: usize,
    /// Number in each column with numbers.
    pub numbers: Vec<Option<f64>>,
}

/// Returns the number of successive notes at the end of a table, such as a source. `rows` are its last
/// rows in order. 0 for a table with one column, unless its other cells are numbers.
///
/// A note has a text that starts like one in its only cell. The commas of a text without quotes make
/// several cells of it, such as `Source: World Bank` and `2023`: a row with a word such as `Source` and a
/// colon in its first cell is a note, too, unless all `rows` begin so.
pub fn count_notes(rows: &[TrailingRow], column_count: usize) -> usize {
    if column_count < 2 && rows.iter().all(|row| row.numbers.is_empty()) {
        return 0;
    }
    let is_alone = |row: &TrailingRow| {
        row.filled == 1 && row.numbers.iter().all(Option::is_none) && is_note_text(&row.name)
    };
    let is_split =
        |row: &TrailingRow| row.filled > 1 && row.is_contiguous && starts_with_note_word(&row.name);
    let count = rows.iter().rev().take_while(|row| is_alone(row) || is_split(row)).count();
    match count == rows.len() {
        true => rows.iter().rev().take_while(|row| is_alone(row)).count(),
        false => count,
    }
}

/// Returns whether a text starts like a note: with a mark such as `*`, or with a word such as `Source`
/// before a colon or an equals sign.
pub fn is_note_text(name: &str) -> bool {
    name.trim_start().starts_with(['*', '¹', '²']) || starts_with_note_word(name)
}

/// Returns whether a text starts with a word such as `Source` before a colon or an equals sign.
fn starts_with_note_word(name: &str) -> bool {
    let start = name.split([':', '=']).next().unwrap_or_default();
    let has_colon = start.len() < name.len();
    let folded = text::fold_words(start).join(" ");
    has_colon && NOTE_WORDS.iter().any(|word| folded == *word)
}

/// Returns whether the row is a total below `rows_above` rows, at least two. `sums` are the sums of the
/// columns with numbers, including this row.
///
/// A total has the name of a total, and the sum of the rows above in one of the columns. A total such
/// as `World total` below a part of the countries has another sum. It is one if its name is in a column
/// with numbers.
pub fn is_total(row: &TrailingRow, sums: &[f64], rows_above: usize) -> bool {
    let folded = text::fold_words(&row.name).join(" ");
    let is_sum = |(number, sum): (&Option<f64>, &f64)| {
        number.is_some_and(|number| {
            number != 0.0 && (sum - 2.0 * number).abs() <= number.abs() * TOTAL_TOLERANCE
        })
    };
    let has_name = is_total_name(&folded) || row.is_named_in_numbers && folded.ends_with(" total");
    rows_above >= MIN_ROWS_ABOVE_TOTAL
        && has_name
        && (row.is_named_in_numbers || row.numbers.iter().zip(sums).any(is_sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, filled: usize, number: Option<f64>) -> TrailingRow {
        TrailingRow {
            name: name.to_owned(),
            text: name.to_owned(),
            is_contiguous: true,
            is_named_in_numbers: false,
            filled,
            numbers: vec![number],
        }
    }

    #[test]
    fn notes_begin_with_a_typical_word() {
        let notes = |names: &[(&str, usize)]| {
            let rows: Vec<TrailingRow> =
                names.iter().map(|(name, filled)| row(name, *filled, None)).collect();
            count_notes(&rows, 3)
        };
        assert_eq!(notes(&[("West", 3), ("Quelle: Controlling", 1), ("* vorläufig", 1)]), 2);
        assert_eq!(notes(&[("West", 3), ("Source: own figures", 2), ("Hinweis: vorläufig", 1)]), 2);
        assert_eq!(notes(&[("* West", 3), ("* revised", 3)]), 0);
        assert_eq!(notes(&[("Source: search", 2), ("Source: mail", 2)]), 0, "these are records");
        let with_gap = TrailingRow { is_contiguous: false, ..row("Source: mail", 2, None) };
        assert_eq!(count_notes(&[row("West", 3, None), with_gap], 3), 0);
        assert_eq!(notes(&[("Quelle", 1)]), 0);
        assert_eq!(notes(&[("Bremen", 1)]), 0);
        let texts = TrailingRow { numbers: Vec::new(), ..row("Note: x", 1, None) };
        assert_eq!(count_notes(&[texts], 1), 0);
        assert_eq!(count_notes(&[row("Note: x", 1, None)], 1), 1);
    }

    #[test]
    fn totals_have_a_typical_name_and_the_sum_of_the_rows_above() {
        assert!(is_total(&row("Gesamt", 2, Some(1514.8)), &[3029.6], 4));
        assert!(is_total(&row("TOTAL", 2, Some(100.0)), &[200.2], 4));
        assert!(!is_total(&row("Gesamt", 2, Some(1514.8)), &[2500.0], 4));
        assert!(!is_total(&row("Summerhill", 2, Some(10.0)), &[20.0], 4));
        assert!(!is_total(&row("Total", 2, Some(10.0)), &[20.0], 1));
        let world = row("World total", 2, Some(8161.0));
        assert!(!is_total(&world, &[9000.0], 4));
        assert!(is_total(&TrailingRow { is_named_in_numbers: true, ..world }, &[9000.0], 4));
    }
}
