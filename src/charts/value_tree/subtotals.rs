//! Records of a tree that hold the total of their group: without a name, with the name of the group, or
//! with a word such as `Total`.

use crate::date_text;
use crate::total_names::is_subtotal_word;
use crate::total_names::is_total_name;

/// Smallest total as a share of the sum of its parts. A smaller one is a part itself.
const MIN_SHARE: f64 = 0.999;
/// Maximum difference of a total without a word for totals from the sum of its parts, as a share of the
/// sum.
const MAX_DIFFERENCE: f64 = 0.005;

/// Name of a record that can be the total of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TotalName {
    /// A word for totals, alone or with the name of the group.
    Word,
    /// No name, or the name of the group. A part can have such a name, too, such as the city of New York.
    Implied,
}

/// Returns the kind of name if a record with this label can be the total of its group. `parent` is the
/// name or the path of the group, and not empty.
pub(super) fn classify(label: &str, parent: &str) -> Option<TotalName> {
    let words = date_text::fold_words(label);
    let group = date_text::fold_words(parent);
    let is_total = |word: &String| is_total_name(word) || is_subtotal_word(word);
    let is_name = is_total_name(&words.join(" "))
        || words.iter().any(is_total)
            && words.iter().all(|word| is_total(word) || group.contains(word));
    match is_name {
        true => Some(TotalName::Word),
        false if label.trim().is_empty() || words == group => Some(TotalName::Implied),
        false => None,
    }
}

/// A part of a group that is the total of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Subtotal {
    /// Index of the part.
    pub index: usize,
    /// Value of the part.
    pub value: f64,
    /// Whether the value exceeds the sum of the other parts by more than a rounding error.
    pub is_larger: bool,
}

/// Returns the total of the others in `parts`: with a word for totals, a candidate that is not below the
/// sum of the other parts. Other candidates must be about equal to the sum. `parts` has the value of each
/// part, and its name if it is a candidate. None without other parts, and with several candidates.
pub(super) fn find_subtotal(parts: &[(f64, Option<TotalName>)]) -> Option<Subtotal> {
    let named = |(index, part): (usize, &(f64, Option<TotalName>))| Some((index, part.0, part.1?));
    let mut candidates = parts.iter().enumerate().filter_map(named);
    let (index, value, name) = candidates.next().filter(|_| candidates.next().is_none())?;
    let others: f64 = parts.iter().map(|(value, _)| value).sum::<f64>() - value;
    let is_total = match name {
        TotalName::Word => value >= others * MIN_SHARE,
        TotalName::Implied => (value - others).abs() <= others * MAX_DIFFERENCE,
    };
    let is_larger = value > others * (1.0 + MAX_DIFFERENCE);
    (others > 0.0 && is_total).then_some(Subtotal { index, value, is_larger })
}
