//! Names of totals and subtotals in ten languages.

/// Folded names of totals.
const TOTAL_NAMES: [&str; 25] = [
    "total",
    "totals",
    "grand total",
    "sum",
    "overall",
    "gesamt",
    "insgesamt",
    "summe",
    "gesamtsumme",
    "zusammen",
    "gesamtergebnis",
    "total general",
    "totale",
    "totaux",
    "totaal",
    "suma",
    "razem",
    "lacznie",
    "summa",
    "totalt",
    "i alt",
    "sum total",
    "ensemble",
    "complessivo",
    "soma",
];
/// Folded first words of the names of subtotals.
const SUBTOTAL_WORDS: [&str; 6] =
    ["zwischensumme", "subtotal", "teilsumme", "zwischenergebnis", "subtotale", "subtotaal"];

/// Returns whether a whole folded text is the name of a total, such as `grand total`. False for longer
/// names such as `total north`.
pub fn is_total_name(folded: &str) -> bool {
    TOTAL_NAMES.contains(&folded)
}

/// Returns whether a folded word begins the name of a subtotal, such as `Zwischensumme Nord`.
pub fn is_subtotal_word(folded: &str) -> bool {
    SUBTOTAL_WORDS.contains(&folded)
}
