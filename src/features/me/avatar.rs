//! Draws an avatar: the initials of a name on a colour that the account keeps.

use chartroom_platform::id::AccountId;

/// Grounds on which white text has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
const GROUNDS: [&str; 10] = [
    "#1b5bd0", "#17713f", "#8a4b08", "#7a3fb5", "#a3245c", "#0f6a78", "#ba2a1a", "#4a5a1f",
    "#5b4a9e", "#44546a",
];

/// A square SVG picture of 96 points. The letters are all that comes from the name.
pub fn draw(id: &AccountId, name: &str) -> String {
    let ground = GROUNDS[ground(id)];
    let initials = initials(name);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\">\
         <rect width=\"96\" height=\"96\" fill=\"{ground}\"/>\
         <text x=\"48\" y=\"48\" dy=\".35em\" text-anchor=\"middle\" fill=\"#fff\" \
         font-family=\"Noto Sans,system-ui,sans-serif\" font-size=\"40\" font-weight=\"600\">\
         {initials}</text></svg>"
    )
}

/// Which ground: the same for an account for ever, and spread evenly.
fn ground(id: &AccountId) -> usize {
    // FNV-1a, 32 bits.
    let hash = id
        .as_str()
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // The high bits are the well mixed ones.
    (hash >> 16) as usize % GROUNDS.len()
}

/// The first letters of the first and the last word, in upper case; letters and digits only, so
/// that nothing in a name can be markup.
fn initials(name: &str) -> String {
    let words: Vec<char> = name
        .split_whitespace()
        .filter_map(|it| it.chars().find(|it| it.is_alphanumeric()))
        .collect();
    let letters = match words.as_slice() {
        [] => return "?".to_owned(),
        [only] => vec![*only],
        [first, .., last] => vec![*first, *last],
    };
    letters.into_iter().flat_map(char::to_uppercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initials_are_letters_of_the_first_and_last_word() {
        let check = |name: &str, want: &str| assert_eq!(initials(name), want, "{name}");
        check("Ann", "A");
        check("ann maria smith", "AS");
        check("élise d'Arc", "ÉD");
        check("(ann) <b>", "AB");
        check("王 小明", "王小");
        check("<>&", "?");
        check("", "?");
    }

    #[test]
    fn an_avatar_has_no_markup_from_the_name() {
        let id = AccountId::from_text("123");
        let picture = draw(&id, "<script>alert(1)</script> \"&");
        assert!(picture.contains(">S</text>") && !picture.contains("script"), "{picture}");
        assert_eq!(picture, draw(&id, "Sam"));
    }

    #[test]
    fn accounts_use_all_grounds() {
        let used: std::collections::HashSet<usize> =
            (0..500).map(|it| ground(&AccountId::from_text(format!("{}", it * 7919)))).collect();
        assert_eq!(used.len(), GROUNDS.len());
    }
}
