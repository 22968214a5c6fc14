//! Passwords that a stranger tries first. A password is compared with rules instead of with a long list,
//! because all that are shorter than the minimum are refused anyway, and most longer ones of such lists
//! are a word with digits, a row of keys or a repetition.

use std::collections::BTreeSet;

/// Minimum number of different characters. With fewer, the password is a repetition.
const MIN_DIFFERENT_CHARS: usize = 5;

/// Rows of characters. A part of one, in either direction, is easy to guess.
const ROWS: [&str; 8] = [
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890123456789",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "azertyuiopqsdfghjklmwxcvbn",
    "1q2w3e4r5t6y7u8i9o0p",
    "1q2w3e4r5t6z7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
];

/// Words that people choose, in English and German, without digits and in lower case. With any digits and
/// signs around them they are easy to guess.
#[rustfmt::skip]
const WORDS: [&str; 121] = [
    "abc", "access", "admin", "administration", "administrator", "angel", "april", "asdf", "august",
    "autumn", "azerty", "baseball", "basketball", "batman", "buttercup", "changeit", "changeme",
    "charlie", "chart", "chartroom", "charts", "chelsea", "company", "computer", "daniel", "december",
    "default", "demo", "dezember", "dragon", "facebook", "februar", "february", "firma", "football",
    "freedom", "friday", "fussball", "geheim", "geheimnis", "google", "guest", "hallo", "hallowelt",
    "hello", "helloworld", "herbst", "hunter", "ichliebedich", "iloveyou", "internet", "januar",
    "january", "jennifer", "jessica", "jordan", "juli", "july", "june", "juni", "kennwort", "killer",
    "letmein", "letmeinplease", "linkedin", "liverpool", "login", "london", "maerz", "mai", "march",
    "master", "michael", "michelle", "microsoft", "monday", "monkey", "mustang", "mypassword",
    "november", "october", "oktober", "pass", "passphrase", "password", "passwords", "passwort",
    "pokemon", "princess", "qwer", "qwerty", "qwertz", "root", "sample", "samsung", "saturday",
    "schatz", "secret", "september", "server", "shadow", "soccer", "sommer", "spring", "starwars",
    "summer", "sunday", "sunshine", "superman", "superuser", "temporary", "test", "testing",
    "thepassword", "trustno", "user", "username", "welcome", "whatever", "willkommen", "winter",
];

/// Returns whether a password is one of those that a stranger tries first: a common word with digits or
/// signs around it, a row of keys, or a repetition.
pub fn is_common(password: &str) -> bool {
    let text = password.to_lowercase();
    let unit = repeated_unit(&text);
    text.chars().collect::<BTreeSet<_>>().len() < MIN_DIFFERENT_CHARS
        || is_part_of_row(&text)
        || is_part_of_row(unit)
        || is_common_word(&text)
        || is_common_word(unit)
}

/// Returns the shortest text of which `text` is a repetition, or the whole text.
fn repeated_unit(text: &str) -> &str {
    let ends = text.char_indices().skip(1).map(|(end, _)| end);
    let unit = ends
        .filter(|end| text.len().is_multiple_of(*end))
        .map(|end| &text[..end])
        .find(|unit| unit.repeat(text.len() / unit.len()) == text);
    unit.unwrap_or(text)
}

/// Returns whether a text without its last digits and signs is a part of a row, in either direction.
fn is_part_of_row(text: &str) -> bool {
    let letters = text.trim_end_matches(|char: char| !char.is_alphabetic());
    let reversed = |text: &str| text.chars().rev().collect::<String>();
    [text, letters].into_iter().any(|part| {
        let reversed = reversed(part);
        part.len() >= 4 && ROWS.iter().any(|row| row.contains(part) || row.contains(&reversed))
    })
}

/// Returns whether a text is a common word with digits and signs around it, also with digits and signs
/// instead of similar letters.
fn is_common_word(text: &str) -> bool {
    let core = text.trim_matches(|char: char| !char.is_alphabetic());
    let letters: String = core.chars().filter_map(similar_letter).collect();
    WORDS.contains(&letters.as_str())
}

/// Returns the letter that a character stands for: itself, or the letter that looks like it. None for
/// spaces and other signs.
fn similar_letter(char: char) -> Option<char> {
    match char {
        '0' => Some('o'),
        '1' | '!' => Some('i'),
        '3' => Some('e'),
        '4' | '@' => Some('a'),
        '5' | '$' => Some('s'),
        '7' => Some('t'),
        _ => char.is_alphabetic().then_some(char),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_that_strangers_try_first_are_common() {
        #[rustfmt::skip]
        let texts = [
            "password12", "Password123!", "P@ssw0rd2026", "1234567890", "0987654321", "qwertyuiop",
            "Qwertzuiop1!", "1q2w3e4r5t", "aaaaaaaaaa", "abcabcabcabc", "passwordpassword",
            "Test1234Test1234", "iloveyou!!!", "ChangeMe!!", "Willkommen2026", "Sommer2026!",
            "abcdefghij", "zyxwvutsrq", "1212121212", "letmein...123", "admin12345", "Chartroom1!",
        ];
        for text in texts {
            assert!(is_common(text), "{text}");
        }
    }

    #[test]
    fn long_phrases_and_random_texts_are_not_common() {
        for text in [
            "correct horse battery",
            "another password",
            "a wrong password",
            "geheime Notiz 7",
            "xK4#vbq9Lm",
            "Donaudampfschiff",
            "summer in the city",
            "7391846205",
            "日本語のパスワード長い",
        ] {
            assert!(!is_common(text), "{text}");
        }
    }
}
