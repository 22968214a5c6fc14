//! Avatars as SVG: an uploaded image, or the initials of a name on a background color derived from
//! the account id.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use chartroom_platform::id::AccountId;

/// Background colors on which white text has a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
const BACKGROUND_COLORS: [&str; 10] = [
    "#1b5bd0", "#17713f", "#8a4b08", "#7a3fb5", "#a3245c", "#0f6a78", "#ba2a1a", "#4a5a1f",
    "#5b4a9e", "#44546a",
];

/// Renders a square SVG of 96 pixels: the initials of `name` in white on a background color that
/// depends only on the account id. Only letters and digits of the name are included, so the name
/// cannot inject markup.
pub fn render_avatar(id: &AccountId, name: &str) -> String {
    let background = BACKGROUND_COLORS[color_index(id)];
    let initials = initials(name);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\">\
         <rect width=\"96\" height=\"96\" fill=\"{background}\"/>\
         <text x=\"48\" y=\"48\" dy=\".35em\" text-anchor=\"middle\" fill=\"#fff\" \
         font-family=\"Noto Sans,system-ui,sans-serif\" font-size=\"40\" font-weight=\"600\">\
         {initials}</text></svg>"
    )
}

/// Renders a square SVG of 96 pixels that contains a PNG file.
pub fn embed_image(png: &[u8]) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 96 96\" width=\"96\" height=\"96\">\
         <image width=\"96\" height=\"96\" href=\"data:image/png;base64,{}\"/></svg>",
        STANDARD.encode(png)
    )
}

/// Returns the index into `BACKGROUND_COLORS`, from a hash of the account id. It is constant per
/// account.
fn color_index(id: &AccountId) -> usize {
    // FNV-1a, 32 bits.
    let hash = id
        .as_str()
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // The high bits are better distributed than the low ones.
    (hash >> 16) as usize % BACKGROUND_COLORS.len()
}

/// Returns the first letter or digit of the first and of the last word in upper case. Skips all
/// other characters, and words without letters and digits. Returns `?` if no word remains.
fn initials(name: &str) -> String {
    let first_letters: Vec<char> = name
        .split_whitespace()
        .filter_map(|word| word.chars().find(|char| char.is_alphanumeric()))
        .collect();
    let letters = match first_letters.as_slice() {
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
    fn initials_are_first_letters_of_first_and_last_word() {
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
    fn avatar_contains_no_markup_from_the_name() {
        let id = AccountId::from_text("123");
        let svg = render_avatar(&id, "<script>alert(1)</script> \"&");
        assert!(svg.contains(">S</text>") && !svg.contains("script"), "{svg}");
        assert_eq!(svg, render_avatar(&id, "Sam"));
    }

    #[test]
    fn accounts_use_all_background_colors() {
        let used: std::collections::HashSet<usize> = (0..500)
            .map(|index| color_index(&AccountId::from_text(format!("{}", index * 7919))))
            .collect();
        assert_eq!(used.len(), BACKGROUND_COLORS.len());
    }
}
