//! The fonts of the pictures: the built-in family, and the files of the operator's folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::path::PathBuf;
use std::sync::OnceLock;

use chartroom_charts::Fonts;
use chartroom_platform::crypto;
use chartroom_platform::error::Result;

/// The folder in the data directory whose fonts themes may name.
pub const FOLDER: &str = "fonts";
/// Largest file that is read: fonts of Chinese, Japanese and Korean have 5 to 20 MB.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// Most files that are read; all of them stay in memory.
const MOST_FILES: usize = 100;

/// What pictures are drawn with, and a word that changes with it.
struct Loaded {
    fonts: Fonts,
    mark: String,
}

static LOADED: OnceLock<Loaded> = OnceLock::new();

/// The fonts that were loaded when the program started.
pub fn fonts() -> Fonts {
    loaded().fonts
}

/// A word that is another one when pictures may look otherwise because of their fonts; empty
/// without a folder.
pub fn fonts_mark() -> &'static str {
    &loaded().mark
}

fn loaded() -> &'static Loaded {
    LOADED.get_or_init(|| Loaded { fonts: Fonts::builtin(), mark: String::new() })
}

/// Loads the fonts (`.ttf`, `.otf`) of the folder in this data directory, which may be absent. Done
/// once, before anything is drawn: later calls change nothing. Answers what could not be used.
///
/// # Errors
/// When the folder cannot be read.
pub fn load_fonts(data_dir: &Path) -> Result<Vec<String>> {
    let folder = data_dir.join(FOLDER);
    let mut odd = Vec::new();
    let mut names = Vec::new();
    let mut files = Vec::new();
    for path in font_files(&folder)? {
        match read(&path) {
            _ if files.len() == MOST_FILES => {
                odd.push(format!("{}: beyond the first {MOST_FILES} fonts", path.display()));
            }
            Ok(bytes) => {
                names.push(path);
                files.push(bytes);
            }
            Err(reason) => odd.push(format!("{}: {reason}", path.display())),
        }
    }
    if files.is_empty() {
        return Ok(odd);
    }
    let each: Vec<u8> = files.iter().flat_map(|it| crypto::sha256(it)).collect();
    let mark = crypto::sha256(&each).iter().map(|it| format!("{it:02x}")).collect();
    let (fonts, broken) = Fonts::with(files);
    for index in broken {
        let path: &PathBuf = &names[index];
        odd.push(format!("{}: is no TrueType or OpenType font", path.display()));
    }
    // What comes second comes too late, as said above.
    let _ = LOADED.set(Loaded { fonts, mark });
    Ok(odd)
}

/// The font files of a folder, by name, so that every start finds the same order.
fn font_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let kind = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        if ["ttf", "otf"].iter().any(|it| kind.eq_ignore_ascii_case(it)) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> std::result::Result<Vec<u8>, String> {
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > MAX_BYTES {
        return Err(format!("is no file of at most {} MiB", MAX_BYTES >> 20));
    }
    fs::read(path).map_err(|error| error.to_string())
}
