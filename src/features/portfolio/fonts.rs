//! The fonts for rendering: the built-in family, and font files in the data directory.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::OnceLock;

use chartroom_charts::FontCollection;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;

/// Folder in the data directory. Themes can name the fonts in it.
pub const FONTS_FOLDER: &str = "fonts";
/// Maximum size of a font file in bytes. Fonts for Chinese, Japanese and Korean have 5 to 20 MB.
const MAX_FONT_BYTES: u64 = 64 * 1024 * 1024;
/// Maximum number of font files. All of them stay in memory.
const MAX_FONT_FILES: usize = 100;

/// The loaded fonts and their fingerprint.
struct LoadedFonts {
    fonts: FontCollection,
    fingerprint: String,
}

static LOADED: OnceLock<LoadedFonts> = OnceLock::new();

/// Returns the fonts that were loaded at startup.
pub fn fonts() -> FontCollection {
    loaded_fonts().fonts
}

/// Returns a hash of the font files in the data directory, or an empty string if there are none.
/// Part of the cache keys of rendered images, because fonts change the result.
pub fn fonts_fingerprint() -> &'static str {
    &loaded_fonts().fingerprint
}

fn loaded_fonts() -> &'static LoadedFonts {
    LOADED.get_or_init(|| LoadedFonts {
        fonts: FontCollection::builtin(),
        fingerprint: String::new(),
    })
}

/// Loads the fonts (`.ttf`, `.otf`) in the folder `fonts` of the data directory, if it exists.
/// Skips files that cannot be used or exceed the maximum number, and returns one message for each
/// of them.
///
/// Call this once, before [`fonts()`] or [`fonts_fingerprint`]. After them, or after a call that
/// found fonts, the loaded fonts do not change any more.
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
    if files.is_empty() {
        return Ok(problems);
    }
    let hashes: Vec<u8> = files.iter().flat_map(|file| crypto::sha256(file)).collect();
    let fingerprint = crypto::sha256(&hashes).iter().map(|byte| format!("{byte:02x}")).collect();
    let (fonts, broken) = FontCollection::with_files(files);
    for index in broken {
        let path: &PathBuf = &names[index];
        problems.push(format!("{}: must be a TrueType or OpenType font", path.display()));
    }
    // Fails only on a second call, which has no effect, as documented above.
    let _ = LOADED.set(LoadedFonts { fonts, fingerprint });
    Ok(problems)
}

/// Returns the paths in a folder that end in `.ttf` or `.otf`, sorted by name so that the order is
/// the same at every start. A missing folder has none.
fn list_font_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let extension =
            path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        if ["ttf", "otf"].iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a font file if it is a regular file of at most `MAX_FONT_BYTES`. Does not check that it
/// contains a font.
///
/// # Errors
/// A message without the path.
fn read_font(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() || metadata.len() > MAX_FONT_BYTES {
        return Err(format!("must be a file of at most {} MiB", MAX_FONT_BYTES >> 20));
    }
    fs::read(path).map_err(|error| error.to_string())
}
