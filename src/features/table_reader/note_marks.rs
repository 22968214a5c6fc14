//! Marks of footnotes beside the numbers of a column, such as `*`, `¹`, `[2]`, `3)` and `(p)`.

use std::collections::HashMap;

/// Marks of footnotes that stand alone or repeated.
const NOTE_MARKS: [char; 4] = ['*', '†', '‡', '§'];
/// Digits of footnotes in superscript.
const SUPERSCRIPTS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
/// Maximum length of the number or letter of a footnote in brackets, in bytes.
const MAX_NOTE_BYTES: usize = 2;
/// Maximum number of a footnote. Larger ones are rather values, such as the percentages in `12 (35)`.
const MAX_NOTE: usize = 9;
/// Maximum number of different numbers for which marks are compared.
const MAX_COMPARED: usize = 1000;

/// Splits a text into a number and the mark of a footnote after it, such as `*`, `¹`, `[2]`, `(p)` and,
/// after a space, `1)`. None without a mark, and for the powers of ten with a superscript.
pub(super) fn split_note_mark(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let is_mark = |letter: char| NOTE_MARKS.contains(&letter) || SUPERSCRIPTS.contains(&letter);
    let in_bracket = text.strip_suffix(')').filter(|inner| inner.ends_with(SUPERSCRIPTS));
    let marked = in_bracket.unwrap_or(text);
    let rest = marked.trim_end_matches(is_mark);
    let start = if rest.len() < marked.len() { rest.len() } else { find_bracket(text)? };
    let (value, mark) = (text[..start].trim_end(), text[start..].trim());
    let is_part = |letter: char| !letter.is_alphabetic() && !"()[]".contains(letter);
    let is_number = value.ends_with(|last: char| last.is_ascii_digit() || last == '%')
        && value.chars().all(is_part);
    let is_power = value == "10" && mark.starts_with(SUPERSCRIPTS);
    (is_number && !is_power).then_some((value, mark))
}

/// Returns the position of the bracket at the end of a text with the short number or letter of a
/// footnote: `[2]`, `(p)`, or `1)` after a space. None without one.
fn find_bracket(text: &str) -> Option<usize> {
    let inner = text.strip_suffix([')', ']'])?;
    let start = match text.ends_with(']') {
        true => inner.rfind('[')?,
        false => inner.rfind(['(', ' ', '\u{a0}'])?,
    };
    let note = inner[start..].trim_start_matches(['(', '[', ' ', '\u{a0}']);
    let is_short = (1..=MAX_NOTE_BYTES).contains(&note.len());
    let is_digits = note.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = note.len() == 1 && note.bytes().all(|byte| byte.is_ascii_lowercase());
    (is_short && (is_digits || is_letter)).then_some(start)
}

/// Decision whether the marks after the numbers of a column are those of footnotes.
#[derive(Debug, Clone, Default)]
pub(super) struct NoteCheck {
    /// Number of numbers with a mark.
    pub count: usize,
    /// Number of numbers with a letter or a digit in their mark.
    named: usize,
    /// First mark with a letter or a digit of each number.
    first_marks: HashMap<String, String>,
    /// Whether a mark distinguishes equal numbers, or has another number than a footnote.
    has_other: bool,
}

impl NoteCheck {
    /// Adds a number with its mark, as [`split_note_mark`] returns them. Symbols such as `*` are always
    /// marks.
    pub fn add(&mut self, value: &str, mark: &str) {
        self.count += 1;
        if !mark.contains(char::is_alphanumeric) {
            return;
        }
        self.named += 1;
        let is_note = |number: usize| (1..=MAX_NOTE).contains(&number);
        self.has_other |= !read_number(mark).is_none_or(is_note);
        match self.first_marks.get(value) {
            Some(first) => self.has_other |= first != mark,
            None if self.first_marks.len() < MAX_COMPARED => {
                self.first_marks.insert(value.to_owned(), mark.to_owned());
            }
            None => {}
        }
    }

    /// Returns whether the marks are those of footnotes, which can be removed. `cells` is the number of
    /// cells of the column that are neither empty nor placeholders.
    ///
    /// Letters and numbers are a part of labels or values instead if they distinguish equal numbers
    /// (`1 a)`, `1 b)`), if more than half of the cells have one, or if a number is not from 1 to
    /// [`MAX_NOTE`].
    pub fn are_footnotes(&self, cells: usize) -> bool {
        !self.has_other && self.named * 2 <= cells
    }
}

/// Returns the number in a mark, which may be in superscript. None without digits.
fn read_number(mark: &str) -> Option<usize> {
    let digit = |letter: char| {
        let superscript = SUPERSCRIPTS.iter().position(|digit| *digit == letter);
        superscript.or(letter.to_digit(10).map(|digit| digit as usize))
    };
    let mut digits = mark.chars().filter_map(digit);
    let first = digits.next()?;
    Some(digits.fold(first, |number, digit| number.saturating_mul(10).saturating_add(digit)))
}
