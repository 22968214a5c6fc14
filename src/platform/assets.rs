//! The embedded files of `assets/`, and the ones among them that browsers load (`assets/web`).
//!
//! The URL of a web file contains [`version`], so that browsers can cache it permanently. Web files
//! refer to each other by relative paths below that URL.

use std::collections::HashMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::PoisonError;

use hyper::body::Bytes;
use include_dir::Dir;
use include_dir::include_dir;

use super::crypto;
use super::http::encoding::Encoding;

/// All files of `assets/` at build time.
pub static ASSETS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../assets");

/// Environment variable for development, used only in debug builds. It names a directory from which
/// each request reads its file instead of the embedded `assets/web`, so that files can be edited
/// while the server runs. The templates remain those of the build.
pub const LIVE_DIR_VARIABLE: &str = "CHARTROOM_ASSETS";

/// Returns the content of an embedded file by its path below `assets/`. None if there is no such file.
/// Never reads the disk.
pub fn embedded_file(path: &str) -> Option<&'static [u8]> {
    Some(ASSETS.get_file(path)?.contents())
}

/// A file that browsers may load.
pub struct WebFile {
    /// Media type.
    pub content_type: &'static str,
    /// Content.
    pub bytes: Bytes,
}

/// Returns a web file by its path below `assets/web`. Returns None if it does not exist or its type
/// is not one that browsers may load, such as a template.
///
/// The content of the fonts comes from the crate `notosans`. Other files are read from the live
/// directory if it is set.
pub fn web_file(path: &str) -> Option<WebFile> {
    let content_type = find_content_type(path)?;
    let bytes = match path {
        "fonts/noto-sans-regular.ttf" => Bytes::from_static(notosans::REGULAR_TTF),
        "fonts/noto-sans-bold.ttf" => Bytes::from_static(notosans::BOLD_TTF),
        _ => match find_live_dir() {
            Some(dir) => Bytes::from(read_live_file(&dir, path)?),
            None => Bytes::from_static(embedded_file(&format!("web/{path}"))?),
        },
    };
    Some(WebFile { content_type, bytes })
}

/// Returns the content of a web file compressed with `encoding`. The result is cached for the whole
/// run.
///
/// Returns None if `web_file` does, if compression does not make the file smaller, or if files are read
/// live.
pub fn compressed_web_file(path: &str, encoding: Encoding) -> Option<Bytes> {
    static CACHE: LazyLock<Mutex<HashMap<String, Option<Bytes>>>> = LazyLock::new(Mutex::default);
    if find_live_dir().is_some() {
        return None;
    }
    let key = format!("{}/{path}", encoding.name());
    let cache = || CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cached) = cache().get(&key) {
        return cached.clone();
    }
    // Only existing files are cached, so the size of the cache is bounded.
    let bytes = encoding.encode(&web_file(path)?.bytes).map(Bytes::from);
    cache().insert(key, bytes.clone());
    bytes
}

/// Returns a hash of all web files of this build as 12 hexadecimal digits, or `live` if files are
/// read live.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut all = Vec::new();
        if let Some(dir) = ASSETS.get_dir("web") {
            append_file_hashes(dir, &mut all);
        }
        all.extend(crypto::sha256(notosans::REGULAR_TTF));
        all.extend(crypto::sha256(notosans::BOLD_TTF));
        let hash = crypto::sha256(&all);
        hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    });
    if find_live_dir().is_some() { "live" } else { &VERSION }
}

/// Returns the URL path of a web file by its path below `assets/web`. Does not check that the file
/// exists.
pub fn url(path: &str) -> String {
    format!("/assets/{}/{path}", version())
}

/// Returns the URL paths of a script below `js/` and of the modules that it imports with `from
/// "./…"`, directly or indirectly. The script itself is the first one.
///
/// A page lists them in its head, so that the browser loads all modules in parallel. A missing file
/// has no imports.
pub fn module_urls(entry: &str) -> Vec<String> {
    let mut found = vec![entry.to_owned()];
    let mut next = 0;
    while let Some(name) = found.get(next) {
        let text = web_file(&format!("js/{name}")).map(|file| file.bytes).unwrap_or_default();
        for import in list_imported_names(&String::from_utf8_lossy(&text)) {
            if !found.contains(&import) {
                found.push(import);
            }
        }
        next += 1;
    }
    found.iter().map(|name| url(&format!("js/{name}"))).collect()
}

/// Returns the names in `import … from "./name"` and `export … from "./name"`, at most one per
/// line.
///
/// Skips lines that start with `*`, because they belong to comments.
fn list_imported_names(text: &str) -> Vec<String> {
    let imported_name = |line: &str| {
        let (_, rest) = line.split_once("from \"./")?;
        let (name, _) = rest.split_once('"')?;
        Some(name.to_owned())
    };
    text.lines()
        .filter(|line| !line.trim_start().starts_with('*'))
        .filter_map(imported_name)
        .collect()
}

/// Appends path and SHA-256 digest of each file below `dir` to `all`: first its own files sorted by
/// path, then those of its subdirectories.
fn append_file_hashes(dir: &Dir<'_>, all: &mut Vec<u8>) {
    let mut files: Vec<_> = dir.files().collect();
    files.sort_by_key(|file| file.path());
    for file in files {
        all.extend(file.path().as_os_str().as_encoded_bytes());
        all.extend(crypto::sha256(file.contents()));
    }
    let mut dirs: Vec<_> = dir.dirs().collect();
    dirs.sort_by_key(|subdir| subdir.path());
    for dir in dirs {
        append_file_hashes(dir, all);
    }
}

/// Returns the directory in the variable `LIVE_DIR_VARIABLE`, or None if it is not set. Always None in
/// release builds.
fn find_live_dir() -> Option<PathBuf> {
    if cfg!(debug_assertions) {
        std::env::var_os(LIVE_DIR_VARIABLE).map(PathBuf::from)
    } else {
        None
    }
}

/// Reads a file of the live directory. Returns None if it cannot be read or `path` leads out of
/// `dir`.
fn read_live_file(dir: &Path, path: &str) -> Option<Vec<u8>> {
    let is_safe =
        path.split('/').all(|segment| !segment.is_empty() && segment != "." && segment != "..");
    if is_safe { std::fs::read(dir.join(path)).ok() } else { None }
}

/// Returns the media type of a web file by its suffix, or None if files with this suffix are not
/// served.
fn find_content_type(path: &str) -> Option<&'static str> {
    match path.rsplit('.').next()? {
        "css" => Some("text/css; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "ttf" => Some("font/ttf"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn module_urls_contains_the_script_and_all_imports() {
        let text =
            "import { h } from \"./core.js\";\n * from \"./no.js\"\nexport { a } from \"./b.js\";";
        assert_eq!(list_imported_names(text), ["core.js", "b.js"]);
        let modules = module_urls("ui.js");
        assert_eq!(modules.first(), Some(&url("js/ui.js")));
        for name in ["api", "core", "time"] {
            assert!(modules.contains(&url(&format!("js/{name}.js"))), "{modules:?}");
        }
    }

    #[test]
    fn every_imported_module_exists() {
        for file in ASSETS.get_dir("web/js").unwrap().files() {
            let text = file.contents_utf8().unwrap();
            for name in list_imported_names(text) {
                assert!(
                    web_file(&format!("js/{name}")).is_some(),
                    "{} imports {name}",
                    file.path().display()
                );
            }
        }
    }

    #[test]
    fn compressed_files_are_cached() {
        for encoding in Encoding::ALL {
            let (one, other) = (
                compressed_web_file("css/app.css", encoding),
                compressed_web_file("css/app.css", encoding),
            );
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_eq!(one.as_ptr(), other.as_ptr(), "{}", encoding.name());
            assert!(one.len() < web_file("css/app.css").unwrap().bytes.len());
        }
    }

    #[test]
    fn templates_are_not_served() {
        assert!(web_file("shells/base.html").is_none());
        assert!(web_file("icon.svg").is_some());
    }
}
