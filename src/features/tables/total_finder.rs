//! Totals and subtotals anywhere among the rows of a table, found by their names and sums.

use chartroom_charts::total_names;
use chartroom_platform::text;

/// Maximum number of rows with the name of a total. A table with more has other contents.
const MAX_CANDIDATES: usize = 200;
/// Maximum number of characters of the name of a total.
const MAX_NAME_CHARS: usize = 80;
/// Minimum number of parts of a total that is not called a subtotal.
const MIN_PARTS: usize = 2;
/// Maximum distance of a total to the sum of its parts as a share of it, because of rounding.
const TOLERANCE: f64 = 0.005;
/// Folded last words, or ends of words, in the names of results such as `Jahresergebnis`.
const RESULT_WORDS: [&str; 15] = [
    "ergebnis",
    "saldo",
    "summe",
    "gewinn",
    "uberschuss",
    "ebit",
    "ebitda",
    "netto",
    "net",
    "income",
    "profit",
    "result",
    "balance",
    "resultat",
    "utile",
];

/// A row with the name of a total.
struct Candidate {
    /// Number of the row, from 1, without blank rows.
    record: usize,
    is_subtotal: bool,
    /// Number in each column of numbers.
    numbers: Vec<Option<f64>>,
    /// Sums of the columns of numbers in the rows above.
    sums_above: Vec<f64>,
}

/// Finds the rows that are totals of others.
#[derive(Default)]
pub struct TotalFinder {
    candidates: Vec<Candidate>,
}

impl TotalFinder {
    /// Adds a row with the name of a total, in rising order of `record`. `numbers` has one entry for
    /// each column of numbers. `sums_above` are the sums of these columns in all rows above it,
    /// including totals.
    pub fn add_row(
        &mut self,
        record: usize,
        name: &str,
        numbers: Vec<Option<f64>>,
        sums_above: Vec<f64>,
    ) {
        let is_subtotal = is_subtotal_name(&text::fold_words(name));
        self.candidates.push(Candidate { record, is_subtotal, numbers, sums_above });
    }

    /// Returns the numbers of the rows that are totals, in rising order. `rows` is the number of all
    /// rows, and `sums` are the sums of their columns of numbers, including totals. Empty if there are
    /// more than `MAX_CANDIDATES` candidates.
    ///
    /// A row is a total if one of its numbers is the sum of all parts above it, or of those since the
    /// total before it. The first row is one if it has the sum of all parts below.
    pub fn finish(self, rows: usize, sums: &[f64]) -> Vec<usize> {
        if self.candidates.len() > MAX_CANDIDATES {
            return Vec::new();
        }
        let first = self.candidates.first().filter(|first| first.record == 1 && rows > MIN_PARTS);
        if let Some(first) = first {
            let mut excluded: Vec<f64> = numbers_or_zero(&first.numbers);
            let totals = find_totals(&self.candidates[1..], &mut excluded, 1);
            let parts: Vec<f64> = sums.iter().zip(&excluded).map(|(sum, out)| sum - out).collect();
            if is_sum(&first.numbers, &parts) {
                return [1].into_iter().chain(totals).collect();
            }
        }
        find_totals(&self.candidates, &mut vec![0.0; sums.len()], 0)
    }
}

/// Returns the numbers of a row in order, 0 for empty cells.
fn numbers_or_zero(numbers: &[Option<f64>]) -> Vec<f64> {
    numbers.iter().map(|number| number.unwrap_or_default()).collect()
}

/// Returns the numbers of the rows of `candidates` that are totals. `excluded` are the sums of the
/// totals above the candidates, which do not count as parts. `above` is the number of the last of these
/// rows, or 0. Adds the totals that are found to `excluded`.
fn find_totals(candidates: &[Candidate], excluded: &mut [f64], above: usize) -> Vec<usize> {
    let mut totals = Vec::new();
    let mut last_total = above;
    let mut at_last_total: Vec<f64> = vec![0.0; excluded.len()];
    let mut parts = 0;
    for candidate in candidates {
        let sums: Vec<f64> =
            candidate.sums_above.iter().zip(&*excluded).map(|(sum, out)| sum - out).collect();
        let block: Vec<f64> = sums.iter().zip(&at_last_total).map(|(sum, out)| sum - out).collect();
        let parts_of_block = candidate.record - last_total - 1;
        let min_parts = if candidate.is_subtotal { 1 } else { MIN_PARTS };
        let is_total = parts_of_block >= min_parts && is_sum(&candidate.numbers, &block)
            || parts + parts_of_block >= MIN_PARTS && is_sum(&candidate.numbers, &sums);
        if is_total {
            parts += parts_of_block;
            totals.push(candidate.record);
            last_total = candidate.record;
            at_last_total = sums;
            for (out, number) in excluded.iter_mut().zip(&candidate.numbers) {
                *out += number.unwrap_or_default();
            }
        }
    }
    totals
}

/// Returns whether at least one of the numbers is not 0 and equals the sum at the same position, within
/// `TOLERANCE` of the number.
fn is_sum(numbers: &[Option<f64>], sums: &[f64]) -> bool {
    numbers.iter().zip(sums).any(|(number, sum)| {
        number
            .is_some_and(|number| number != 0.0 && (sum - number).abs() <= number.abs() * TOLERANCE)
    })
}

/// Returns whether the folded words of a name start like that of a subtotal: with a word such as
/// `Zwischensumme`, `sub total` or `sous total`.
fn is_subtotal_name(words: &[String]) -> bool {
    match words {
        [first, second, ..] if second == "total" && ["sub", "sous"].contains(&&**first) => true,
        [first, ..] => total_names::is_subtotal_word(first),
        [] => false,
    }
}

/// Returns whether the first or last word of a text, or the whole text, names a total or subtotal, as
/// in `Zwischensumme Nord`. False for texts longer than `MAX_NAME_CHARS`. The caller must check that
/// the numbers of the row agree.
pub fn may_name_total(name: &str) -> bool {
    if name.chars().count() > MAX_NAME_CHARS {
        return false;
    }
    let words = text::fold_words(name);
    let is_name = |word: Option<&String>| word.is_some_and(|word| is_total_word(word));
    total_names::is_total_name(&words.join(" "))
        || is_subtotal_name(&words)
        || is_name(words.first())
        || is_name(words.last())
}

/// Returns whether a folded word names a total, or ends with `summe`.
fn is_total_word(word: &str) -> bool {
    total_names::is_total_name(word) || word.ends_with("summe")
}

/// Returns whether a text may name the level that the changes above it have reached, such as
/// `Jahresergebnis`. True also for names of totals. The caller must check that the number of the row
/// agrees.
pub fn may_name_result(name: &str) -> bool {
    let is_result = |word: &String| {
        let is_word = RESULT_WORDS.contains(&word.as_str());
        is_word
            || ["ergebnis", "uberschuss", "saldo", "gewinn"].iter().any(|end| word.ends_with(end))
    };
    may_name_total(name)
        || name.chars().count() <= MAX_NAME_CHARS && text::fold_words(name).iter().any(is_result)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers of the totals among rows with a name and a number.
    fn find(rows: &[(&str, f64)]) -> Vec<usize> {
        let (mut finder, mut sum) = (TotalFinder::default(), 0.0);
        for (index, (name, number)) in rows.iter().enumerate() {
            if may_name_total(name) {
                finder.add_row(index + 1, name, vec![Some(*number)], vec![sum]);
            }
            sum += number;
        }
        finder.finish(rows.len(), &[sum])
    }

    #[test]
    fn totals_are_found_in_the_first_row_and_among_the_others() {
        let first = [("Insgesamt", 257.0), ("Auto", 140.0), ("Rad", 110.0), ("Rest", 7.0)];
        assert_eq!(find(&first), [1]);
        let costs = [
            ("Personal Nord", 120.0),
            ("Personal Süd", 80.0),
            ("Zwischensumme Personal", 200.0),
            ("Miete", 45.0),
            ("Strom", 15.0),
            ("Zwischensumme Sachkosten", 60.0),
            ("Gesamtsumme", 260.0),
        ];
        assert_eq!(find(&costs), [3, 6, 7]);
        assert_eq!(find(&[("Total", 3.0), ("A", 1.0), ("B", 4.0)]), [0; 0]);
        assert_eq!(find(&[("A", 1.0), ("Total wine", 1.0), ("B", 4.0)]), [0; 0]);
    }

    #[test]
    fn names_of_totals_and_results_are_recognized() {
        for name in ["Zwischensumme Nord", "Sub-total", "Total costs", "Kosten gesamt", "SUMME"] {
            assert!(may_name_total(name), "{name}");
        }
        for name in ["Ergebnis", "Jahresüberschuss", "Net income", "Saldo 31.12."] {
            assert!(may_name_result(name) && !may_name_total(name), "{name}");
        }
        assert!(!may_name_result("Summerhill") && !may_name_total("Miete"));
    }
}
