//! Names of the font files in the data directory.

use std::path::Path;

/// Folder in the data directory and in a backup.
pub const FOLDER: &str = "fonts";
/// Extensions of files that the server loads, in lower case.
const EXTENSIONS: [&str; 3] = ["ttf", "otf", "ttc"];

/// Returns whether the server loads a file in [`FOLDER`] with this name. The case of the extension
/// does not count.
pub fn is_font_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_known_by_their_extension() {
        for (name, expected) in [("a.ttf", true), ("b\\c.OTF", true), ("d.ttc", true)]
            .into_iter()
            .chain([("LICENSE", false), ("a.ttf.bak", false), (".ttf", false)])
        {
            assert_eq!(is_font_name(Path::new(name)), expected, "{name}");
        }
    }
}
