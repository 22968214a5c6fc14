//! Fonts that organizations upload for their themes, loaded when an image first needs them.
//!
//! Glyphs refer to their font until the process ends, so that a loaded font is never freed. The
//! total size is limited for that reason.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::HashSet;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;

use super::fonts;
use chartroom_charts::text;
use chartroom_charts::text::Font;
use chartroom_charts::text::OutlineBudget;
use chartroom_platform::crypto::Sha256Hash;

/// Maximum size of a font in bytes, as TrueType or OpenType file.
pub const MAX_THEME_FONT_BYTES: usize = 16 << 20;
/// Maximum size in bytes of all fonts that the process loads for one account, with their tables.
const MAX_ACCOUNT_BYTES: usize = 48 << 20;
/// Maximum size in bytes of all fonts that the process loads, with their tables.
const MAX_TOTAL_BYTES: usize = 160 << 20;
/// Maximum memory in bytes of the cached outlines of the fonts of one account.
const MAX_ACCOUNT_OUTLINE_BYTES: usize = 32 << 20;
/// Maximum memory in bytes of the cached outlines of all loaded fonts.
const MAX_TOTAL_OUTLINE_BYTES: usize = 128 << 20;
/// Maximum number of refused files that are remembered.
const MAX_REFUSED_FILES: usize = 10_000;
/// Signature of a WOFF2 file.
const WOFF2_SIGNATURE: &[u8] = b"wOF2";

/// The loaded fonts.
#[derive(Default)]
struct LoadedFonts {
    /// Fonts of each file, by the hash of the uploaded file. Empty for a file without usable font.
    fonts: HashMap<Sha256Hash, &'static [Font]>,
    accounts: HashMap<String, AccountFonts>,
    total_bytes: usize,
}

/// Memory of the fonts that were loaded for an account.
#[derive(Default)]
struct AccountFonts {
    /// Size in bytes of the loaded files and their tables.
    bytes: usize,
    /// Memory for outlines. None before the first font.
    outlines: Option<&'static OutlineBudget>,
    /// Hashes of the files that would take too much memory.
    refused: HashSet<Sha256Hash>,
}

static LOADED: LazyLock<Mutex<LoadedFonts>> = LazyLock::new(Mutex::default);
static ALL_OUTLINES: OutlineBudget = OutlineBudget::new(MAX_TOTAL_OUTLINE_BYTES, None);

/// Locks the loaded fonts. They are consistent after a panic, because a panic between two changes
/// only wastes memory of the budget.
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

/// Returns whether [`load_theme_font`] refused a file of an account because of its memory, and the
/// fonts of the file are not loaded. It would refuse the file again.
pub fn is_theme_font_refused(account: &str, hash: &Sha256Hash) -> bool {
    let loaded = lock_loaded();
    let is_refused = |fonts: &AccountFonts| fonts.refused.contains(hash);
    !loaded.fonts.contains_key(hash) && loaded.accounts.get(account).is_some_and(is_refused)
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
    let tables = text::read_font_properties(&font).map_or(0, |properties| properties.table_bytes);
    let bytes = font.len() + tables;
    let mut loaded = lock_loaded();
    let LoadedFonts { fonts, accounts, total_bytes } = &mut *loaded;
    if let Some(fonts) = fonts.get(&hash) {
        return Some(fonts);
    }
    let account = accounts.entry(account.to_owned()).or_default();
    if account.bytes + bytes > MAX_ACCOUNT_BYTES || *total_bytes + bytes > MAX_TOTAL_BYTES {
        if account.refused.len() < MAX_REFUSED_FILES {
            account.refused.insert(hash);
        }
        return None;
    }
    let outlines = account.outlines.get_or_insert_with(|| {
        let budget = OutlineBudget::new(MAX_ACCOUNT_OUTLINE_BYTES, Some(&ALL_OUTLINES));
        // Fonts refer to the budget, and they are never freed.
        Box::leak(Box::new(budget))
    });
    let new_fonts = fonts::fonts().load_file(font, outlines);
    account.bytes += bytes;
    *total_bytes += bytes;
    fonts.insert(hash, new_fonts);
    Some(new_fonts)
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
        let large_hash = crypto::sha256(b"large");
        assert!(!is_theme_font_refused("one", &large_hash));
        assert!(load_theme_font("one", large_hash, &large).is_none());
        assert!(find_theme_font(&large_hash).is_none());
        assert!(is_theme_font_refused("one", &large_hash));
        assert!(!is_theme_font_refused("two", &large_hash));
        assert!(load_theme_font("two", large_hash, b"x").is_some());
        assert!(!is_theme_font_refused("one", &large_hash), "another account has loaded it");
    }

    #[test]
    fn the_tables_of_a_font_count() {
        let file = notosans::ITALIC_TTF;
        load_theme_font("three", crypto::sha256(file), file).unwrap();
        let bytes = lock_loaded().accounts["three"].bytes;
        assert!(bytes > file.len() + 50_000, "{bytes} {}", file.len());
    }
}
