//! Names of the rest of a whole, such as `Other` and `Sonstige`.

/// First words of such names in lower case.
const WORDS: [&str; 47] = [
    "other",
    "others",
    "miscellaneous",
    "misc",
    "remaining",
    "remainder",
    "rest",
    "sonstige",
    "sonstiges",
    "sonstiger",
    "andere",
    "anderes",
    "übrige",
    "übriges",
    "restliche",
    "autre",
    "autres",
    "divers",
    "reste",
    "otro",
    "otros",
    "otra",
    "otras",
    "resto",
    "altro",
    "altri",
    "altra",
    "altre",
    "outro",
    "outros",
    "outra",
    "outras",
    "overig",
    "overige",
    "overigen",
    "pozostałe",
    "inne",
    "övrigt",
    "övriga",
    "øvrige",
    "andet",
    "その他",
    "其他",
    "其它",
    "기타",
    "אחר",
    "أخرى",
];
/// Words before such a name.
const ARTICLES: [&str; 5] = ["all", "any", "alle", "die", "the"];
/// Maximum number of words of such a name.
const MAX_WORDS: usize = 3;

/// Returns whether a name stands for the rest of a whole, such as `Other`, `Sonstige (5)` and `All other
/// causes`. False for longer names.
pub(crate) fn is_other(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words = lower.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    let words: Vec<&str> = words.skip_while(|word| ARTICLES.contains(word)).collect();
    words.len() <= MAX_WORDS && words.first().is_some_and(|first| WORDS.contains(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_whole_is_recognized() {
        for name in ["Other", "OTHERS", "All other causes", "Sonstiges", "Sonstige (5)", "Übrige"]
        {
            assert!(is_other(name), "{name}");
        }
        for name in ["", "Otherworld", "Restaurant", "Mother", "Andere Länder mit großem Wald", "A"]
        {
            assert!(!is_other(name), "{name}");
        }
    }
}
