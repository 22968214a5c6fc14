//! The embedded files under `assets/`.

use include_dir::Dir;
use include_dir::include_dir;

/// Everything under `assets/`, as it was when the program was built.
pub static ASSETS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/assets");

/// One embedded file by its path below `assets/`.
pub fn file(path: &str) -> Option<&'static [u8]> {
    Some(ASSETS.get_file(path)?.contents())
}
