//! The title of a table: the first text above its headings.

use chartroom_charts::number_text;
use chartroom_charts::time_order;

/// Maximum number of characters of a title. Longer texts are notes.
const MAX_CHARS: usize = 200;
/// Beginnings of notes in lower case, in English and German. A colon or a space follows.
const NOTES: [&str; 22] = [
    "as of",
    "created",
    "datum",
    "date",
    "datenquelle",
    "downloaded",
    "erstellt",
    "export",
    "exported",
    "generated",
    "hinweis",
    "note",
    "period",
    "quelle",
    "report date",
    "source",
    "stand",
    "updated",
    "version",
    "zeitraum",
    "last updated",
    "seite",
];

/// Returns the title in a row above the headings with these trimmed cells: the only filled cell, if it
/// has letters, at most [`MAX_CHARS`] characters in one line, and is neither a comment, a date nor a note
/// such as `Source: Eurostat`.
pub(super) fn title_in_row<'a>(cells: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let mut filled = cells.into_iter().filter(|cell| !cell.is_empty());
    let text = filled.next().filter(|_| filled.next().is_none())?;
    let is_title = text.chars().count() <= MAX_CHARS
        && text.chars().filter(|letter| letter.is_alphabetic()).count() > 2
        && !text.contains(char::is_control)
        && !text.starts_with(['#', '(', '*'])
        && !number_text::is_missing(text)
        && !time_order::is_period(text)
        && !is_note(text);
    is_title.then(|| text.trim_end_matches(':').trim_end().to_owned())
}

/// Returns whether a text starts like a note about the table.
fn is_note(text: &str) -> bool {
    let lower = text.to_lowercase();
    let follows = |rest: &str| rest.starts_with([':', ' ']) || rest.is_empty();
    NOTES.iter().any(|note| lower.strip_prefix(note).is_some_and(follows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(cells: &[&str]) -> Option<String> {
        title_in_row(cells.iter().copied())
    }

    #[test]
    fn the_only_text_of_a_row_is_a_title() {
        let pupils = Some("Schülerzahlen der Schulen".to_owned());
        assert_eq!(title(&["Schülerzahlen der Schulen", "", ""]), pupils);
        assert_eq!(title(&["", "Schülerzahlen der Schulen:"]), pupils);
        assert_eq!(title(&["Table 1: Sales"]).as_deref(), Some("Table 1: Sales"));
    }

    #[test]
    fn notes_dates_and_numbers_are_no_titles() {
        for text in [
            "Quelle: Statistik Austria",
            "Stand 15.09.2025",
            "# comment",
            "2025-01-01",
            "12",
            "n/a",
        ] {
            assert_eq!(title(&[text]), None, "{text}");
        }
        assert_eq!(title(&["January 2026"]), None);
        assert_eq!(title(&["a", "b"]), None);
        assert_eq!(title(&[]), None);
        assert_eq!(title(&["x".repeat(201).as_str()]), None);
    }
}
