//! The built-in themes, one file each under `assets/themes`.

use std::sync::OnceLock;

use serde_json::Value;

use super::fonts;
use chartroom_charts::Theme;
use chartroom_platform::assets;

/// Theme of a document that names none.
pub const DEFAULT_THEME: &str = "light";

/// A built-in theme.
pub struct BuiltinTheme {
    /// Id by which documents refer to the theme.
    pub id: String,
    /// Theme as JSON, as in the file.
    pub value: Value,
    /// Parsed theme, ready for rendering.
    pub theme: Theme,
}

/// Returns the built-in theme with this id, or None. An empty id is the default theme.
pub fn find_theme(id: &str) -> Option<&'static BuiltinTheme> {
    let id = if id.is_empty() { DEFAULT_THEME } else { id };
    builtin_themes().iter().find(|theme| theme.id == id)
}

/// Returns the built-in themes, which the first call parses. Leaves out files that are not JSON.
/// The id of a theme is the file name without extension.
fn builtin_themes() -> &'static [BuiltinTheme] {
    static THEMES: OnceLock<Vec<BuiltinTheme>> = OnceLock::new();
    THEMES.get_or_init(|| {
        let files = assets::ASSETS.get_dir("themes").into_iter().flat_map(|folder| folder.files());
        files
            .filter_map(|file| {
                let value: Value = serde_json::from_slice(file.contents()).ok()?;
                let id = file.path().file_stem()?.to_str()?.to_owned();
                let theme = Theme::parse_with_fonts(&value, fonts::fonts());
                Some(BuiltinTheme { id, theme, value })
            })
            .collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_dark_and_print_exist_with_matching_ids() {
        for id in ["light", "dark", "print"] {
            assert_eq!(find_theme(id).unwrap().value["id"], id);
        }
        assert_eq!(find_theme("").unwrap().id, DEFAULT_THEME);
        assert!(find_theme("neon").is_none());
    }
}
