//! Records of a tree that hold the total of their group: without a name, with the name of the group, or
//! with a word such as `Total`.

use crate::date_text;

/// Words for totals in lower case and without diacritics.
const TOTAL_WORDS: [&str; 18] = [
    "total",
    "totals",
    "subtotal",
    "sum",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "summe",
    "zwischensumme",
    "totaal",
    "totale",
    "totaux",
    "subtotale",
    "ensemble",
    "suma",
    "razem",
    "totalt",
    "summa",
];
/// Smallest total as a share of the sum of its parts. A smaller one without a name is a part itself.
const MIN_SHARE: f64 = 0.999;

/// Returns whether a record with this label can be the total of its group. `parent` is the name or the path
/// of the group, and not empty.
pub(super) fn may_be_subtotal(label: &str, parent: &str) -> bool {
    let words = date_text::fold_words(label);
    let group = date_text::fold_words(parent);
    let is_total = |word: &String| TOTAL_WORDS.contains(&word.as_str());
    let is_group_name = words == group;
    let is_total_name = words.iter().any(is_total)
        && words.iter().all(|word| is_total(word) || group.contains(word));
    label.trim().is_empty() || is_group_name || is_total_name
}

/// Returns the index in `parts` of the total of the others: a candidate that is not below the sum of the other
/// parts. `parts` has the value of each part, and whether it is a candidate. None without other parts, and
/// with several candidates.
pub(super) fn find_subtotal(parts: &[(f64, bool)]) -> Option<usize> {
    let mut candidates = (0..parts.len()).filter(|index| parts[*index].1);
    let index = candidates.next().filter(|_| candidates.next().is_none())?;
    let value = parts[index].0;
    let others: f64 = parts.iter().map(|(value, _)| value).sum::<f64>() - value;
    (others > 0.0 && value >= others * MIN_SHARE).then_some(index)
}
