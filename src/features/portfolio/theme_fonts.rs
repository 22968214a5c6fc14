//! Fonts that organizations upload for their themes, loaded when an image first needs them.
//!
//! Glyphs refer to their font until the process ends, so that a loaded font is never freed. The
//! total size is limited for that reason.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use super::fonts;
use chartroom_charts::text;
use chartroom_charts::text::Font;
use chartroom_platform::crypto::Sha256Hash;

/// Maximum size of a font in bytes, as TrueType or OpenType file.
pub const MAX_THEME_FONT_BYTES: usize = 16 << 20;
/// Maximum size in bytes of all fonts that the process loads for one account.
const MAX_ACCOUNT_BYTES: usize = 48 << 20;
/// Maximum size in bytes of all fonts that the process loads.
const MAX_TOTAL_BYTES: usize = 160 << 20;
/// Signature of a WOFF2 file.
const WOFF2_SIGNATURE: &[u8] = b"wOF2";

/// The loaded fonts.
#[derive(Default)]
struct LoadedFonts {
    /// Fonts of each file, by the hash of the uploaded file. Empty for a file without usable font.
    fonts: HashMap<Sha256Hash, &'static [Font]>,
    /// Size in bytes of the loaded files of each account.
    account_bytes: HashMap<String, usize>,
    total_bytes: usize,
}

static LOADED: LazyLock<Mutex<LoadedFonts>> = LazyLock::new(Mutex::default);

/// Locks the loaded fonts. They are consistent after a panic, because each change is one insertion.
fn lock_loaded() -> MutexGuard<'static, LoadedFonts> {
    LOADED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the font of an uploaded file as TrueType or OpenType: WOFF2 is decoded, other files are
/// returned unchanged. None if a WOFF2 file is not valid or has more than
/// [`MAX_THEME_FONT_BYTES`] when decoded.
pub fn decode_font(file: &[u8]) -> Option<Cow<'_, [u8]>> {
    match file.starts_with(WOFF2_SIGNATURE) {
        true => text::decode_woff2(file, MAX_THEME_FONT_BYTES).map(Cow::Owned),
        false => Some(Cow::Borrowed(file)),
    }
}

/// Returns the fonts of a file that is loaded already, by the SHA-256 of the uploaded file.
pub fn find_theme_font(hash: &Sha256Hash) -> Option<&'static [Font]> {
    lock_loaded().fonts.get(hash).copied()
}

/// Loads the fonts of an uploaded file with this SHA-256, unless they are loaded already. Empty if
/// the file contains no usable font. `account` is the organization that owns the file.
///
/// Returns None if the fonts of the account or of all accounts would take too much memory. They can
/// be loaded after the next start of the server.
pub fn load_theme_font(account: &str, hash: Sha256Hash, file: &[u8]) -> Option<&'static [Font]> {
    if let Some(fonts) = find_theme_font(&hash) {
        return Some(fonts);
    }
    let font = decode_font(file).map(Cow::into_owned).unwrap_or_default();
    let mut loaded = lock_loaded();
    if let Some(fonts) = loaded.fonts.get(&hash) {
        return Some(fonts);
    }
    let bytes = font.len();
    let account_bytes = loaded.account_bytes.get(account).copied().unwrap_or(0) + bytes;
    if account_bytes > MAX_ACCOUNT_BYTES || loaded.total_bytes + bytes > MAX_TOTAL_BYTES {
        return None;
    }
    let fonts = fonts::fonts().load_file(font);
    loaded.account_bytes.insert(account.to_owned(), account_bytes);
    loaded.total_bytes += bytes;
    loaded.fonts.insert(hash, fonts);
    Some(fonts)
}

#[cfg(test)]
mod tests {
    use chartroom_platform::crypto;

    use super::*;

    #[test]
    fn a_font_is_loaded_once_and_the_memory_of_an_account_is_limited() {
        let file = notosans::BOLD_TTF;
        let hash = crypto::sha256(file);
        let first = load_theme_font("one", hash, file).unwrap();
        let again = load_theme_font("two", hash, file).unwrap();
        assert!(std::ptr::eq(first, again) && first.len() == 1);
        let broken = load_theme_font("one", crypto::sha256(b"x"), b"x").unwrap();
        assert!(broken.is_empty());
        let large = vec![0; MAX_ACCOUNT_BYTES + 1];
        assert!(load_theme_font("one", crypto::sha256(b"large"), &large).is_none());
        assert!(find_theme_font(&crypto::sha256(b"large")).is_none());
    }
}
