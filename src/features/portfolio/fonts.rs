//! The fonts for rendering: the built-in family, font files in the data
//! directory, and fonts of the system for other scripts.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::font_file::read_font;
use super::system_fonts;
use chartroom_charts::FontCollection;
use chartroom_charts::text::SCRIPTS;
use chartroom_charts::text::Script;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;
use chartroom_platform::font_files;

/// Folder in the data directory. Themes can name the fonts in it.
pub const FONTS_FOLDER: &str = font_files::FOLDER;
/// Maximum number of font files. All of them stay in memory.
const MAX_FONT_FILES: usize = 100;

/// The loaded fonts and their fingerprint.
struct LoadedFonts {
    fonts: FontCollection,
    /// Contents of the files in the data directory, as hashes.
    hashes: Vec<u8>,
    fingerprint: OnceLock<String>,
}

static LOADED: OnceLock<LoadedFonts> = OnceLock::new();

/// Returns the fonts of the first call of [`load_fonts`], or the built-in
/// family if there was none before.
pub fn fonts() -> FontCollection {
    loaded_fonts().fonts
}

/// Returns a hash of the font files as hexadecimal digits, or an empty string if there
/// are none besides the built-in family. Part of the cache keys of rendered images,
/// because fonts change the result.
pub fn fonts_fingerprint() -> &'static str {
    let LoadedFonts { hashes, fingerprint, .. } = loaded_fonts();
    fingerprint.get_or_init(|| {
        let system_files = system_fonts::describe_files();
        if hashes.is_empty() && system_files.is_empty() {
            return String::new();
        }
        let all = [hashes, &crypto::sha256(system_files.as_bytes())[..]].concat();
        crypto::to_hex(&crypto::sha256(&all))
    })
}

/// Returns the loaded fonts. Without an earlier call of [`load_fonts`], the
/// built-in family stays the only one.
fn loaded_fonts() -> &'static LoadedFonts {
    LOADED.get_or_init(|| LoadedFonts {
        fonts: FontCollection::builtin(),
        hashes: Vec::new(),
        fingerprint: OnceLock::new(),
    })
}

/// Loads the fonts (`.ttf`, `.otf`, `.ttc`) in the folder `fonts` of the data
/// directory, if it exists. Texts in a script that none of them has use a font of the
/// system, see [`list_scripts_without_font`]. Skips files that cannot be used or exceed
/// the maximum number, and returns one message for each of them.
///
/// Call this once, before [`fonts()`] or [`fonts_fingerprint`]. After any of
/// these functions, the loaded fonts do not change any more.
///
/// # Errors
/// If the folder cannot be read.
pub fn load_fonts(data_dir: &Path) -> Result<Vec<String>> {
    let folder = data_dir.join(FONTS_FOLDER);
    let mut problems = Vec::new();
    let mut names = Vec::new();
    let mut files = Vec::new();
    for path in list_font_files(&folder)? {
        match read_font(&path) {
            _ if files.len() == MAX_FONT_FILES => {
                problems.push(format!(
                    "{}: ignored, because only the first {MAX_FONT_FILES} fonts are used",
                    path.display()
                ));
            }
            Ok(bytes) => {
                names.push(path);
                files.push(bytes);
            }
            Err(reason) => problems.push(format!("{}: {reason}", path.display())),
        }
    }
    let hashes: Vec<u8> = files.iter().flat_map(|file| crypto::sha256(file)).collect();
    let (fonts, broken) = FontCollection::with_files(files, system_fonts::load);
    for index in broken {
        let path: &PathBuf = &names[index];
        problems.push(format!("{}: must be a TrueType or OpenType font", path.display()));
    }
    // Fails only on a second call, which has no effect, as documented above.
    let _ = LOADED.set(LoadedFonts { fonts, hashes, fingerprint: OnceLock::new() });
    Ok(problems)
}

/// A script that images show as boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MissingScript {
    /// Name for people.
    pub name: &'static str,
    /// Package of Debian and Ubuntu with a font for it.
    pub package: &'static str,
}

/// Returns the parts of scripts with a sample character that neither a loaded font nor the font
/// file of the system for the script has. Reads the font files.
pub fn list_scripts_without_font() -> Vec<MissingScript> {
    let is_loaded = |sample: char| fonts().fonts().iter().any(|font| font.has_glyph(sample));
    let missing = |script: &'static Script| {
        let parts = system_fonts::list_missing_parts(script).into_iter();
        let parts = parts.filter(|(_, sample)| !is_loaded(*sample));
        parts.map(|(name, _)| MissingScript { name, package: script.package })
    };
    SCRIPTS.iter().flat_map(missing).collect()
}

/// Returns the paths in a folder that end in `.ttf`, `.otf` or `.ttc`, sorted by name so that the
/// order is the same at every start. A missing folder has none. The case of the extension does not
/// count.
fn list_font_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if font_files::is_font_name(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
