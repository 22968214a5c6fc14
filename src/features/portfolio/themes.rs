//! The built-in themes, one file each under `assets/themes`.

use std::sync::OnceLock;

use serde_json::Value;

use super::fonts;
use chartroom_charts::Theme;
use chartroom_platform::assets;

/// The theme of a document that names none.
pub const DEFAULT_THEME: &str = "light";

/// One built-in theme.
pub struct BuiltinTheme {
    /// The word that documents name it by.
    pub id: String,
    /// The theme as its file has it.
    pub value: Value,
    /// Ready to draw with.
    pub theme: Theme,
}

/// A built-in theme by its word; the empty word is the default theme.
pub fn theme(id: &str) -> Option<&'static BuiltinTheme> {
    let id = if id.is_empty() { DEFAULT_THEME } else { id };
    themes().iter().find(|theme| theme.id == id)
}

fn themes() -> &'static [BuiltinTheme] {
    static THEMES: OnceLock<Vec<BuiltinTheme>> = OnceLock::new();
    THEMES.get_or_init(|| {
        let files = assets::ASSETS.get_dir("themes").into_iter().flat_map(|it| it.files());
        files
            .filter_map(|file| {
                let value: Value = serde_json::from_slice(file.contents()).ok()?;
                let id = file.path().file_stem()?.to_str()?.to_owned();
                let theme = Theme::parse_with(&value, fonts::fonts());
                Some(BuiltinTheme { id, theme, value })
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_dark_and_print_are_there_and_call_themselves_so() {
        for id in ["light", "dark", "print"] {
            assert_eq!(theme(id).unwrap().value["id"], id);
        }
        assert_eq!(theme("").unwrap().id, DEFAULT_THEME);
        assert!(theme("neon").is_none());
    }
}
