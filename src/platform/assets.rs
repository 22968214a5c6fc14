//! The embedded files under `assets/`, and those among them that browsers load.
//!
//! A browser's file has an address with [`version`] in it, so that it can be kept for ever; within
//! that address the files find each other by relative paths.

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

/// Everything under `assets/`, as it was when the program was built.
pub static ASSETS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../assets");

/// In debug builds: the variable with the directory that is read instead of `assets/web`, at each
/// request, for editing while the server runs. The templates stay those of the build.
pub const LIVE: &str = "CHARTROOM_ASSETS";

/// One embedded file by its path below `assets/`.
pub fn file(path: &str) -> Option<&'static [u8]> {
    Some(ASSETS.get_file(path)?.contents())
}

/// A file that browsers load.
pub struct WebFile {
    /// Its media type.
    pub content_type: &'static str,
    /// Its content.
    pub bytes: Bytes,
}

/// A file that browsers load, by its path below `assets/web`. Templates are not among them.
pub fn web(path: &str) -> Option<WebFile> {
    let content_type = content_type(path)?;
    let bytes = match path {
        "fonts/noto-sans-regular.ttf" => Bytes::from_static(notosans::REGULAR_TTF),
        "fonts/noto-sans-bold.ttf" => Bytes::from_static(notosans::BOLD_TTF),
        _ => match live() {
            Some(dir) => Bytes::from(read(&dir, path)?),
            None => Bytes::from_static(file(&format!("web/{path}"))?),
        },
    };
    Some(WebFile { content_type, bytes })
}

/// The bytes of an embedded file in an encoding, which are made once; nothing when that is no gain.
pub fn encoded(path: &str, encoding: Encoding) -> Option<Bytes> {
    static MADE: LazyLock<Mutex<HashMap<String, Option<Bytes>>>> = LazyLock::new(Mutex::default);
    if live().is_some() {
        return None;
    }
    let key = format!("{}/{path}", encoding.word());
    let made = || MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = made().get(&key) {
        return known.clone();
    }
    // Only files that are there get this far, so that what is kept is bounded.
    let bytes = encoding.encode(&web(path)?.bytes).map(Bytes::from);
    made().insert(key, bytes.clone());
    bytes
}

/// The word for this build's files: another one whenever any of them differs.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut all = Vec::new();
        if let Some(dir) = ASSETS.get_dir("web") {
            gather(dir, &mut all);
        }
        all.extend(crypto::sha256(notosans::REGULAR_TTF));
        all.extend(crypto::sha256(notosans::BOLD_TTF));
        let hash = crypto::sha256(&all);
        hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    });
    if live().is_some() { "live" } else { &VERSION }
}

/// The address of a file that browsers load.
pub fn url(path: &str) -> String {
    format!("/assets/{}/{path}", version())
}

/// The addresses of a script below `js/` and of all that it imports at once, itself first, for the
/// head of a page: the browser then need not read one to learn of the next.
pub fn modules(entry: &str) -> Vec<String> {
    let mut found = vec![entry.to_owned()];
    let mut next = 0;
    while let Some(name) = found.get(next) {
        let text = web(&format!("js/{name}")).map(|it| it.bytes).unwrap_or_default();
        for import in imports(&String::from_utf8_lossy(&text)) {
            if !found.contains(&import) {
                found.push(import);
            }
        }
        next += 1;
    }
    found.iter().map(|name| url(&format!("js/{name}"))).collect()
}

/// The names in `import … from "./name"` and `export … from "./name"`.
fn imports(text: &str) -> Vec<String> {
    let from = |line: &str| {
        let (_, rest) = line.split_once("from \"./")?;
        let (name, _) = rest.split_once('"')?;
        Some(name.to_owned())
    };
    text.lines().filter(|it| !it.trim_start().starts_with('*')).filter_map(from).collect()
}

/// Path and content of all files, in the order of the paths.
fn gather(dir: &Dir<'_>, all: &mut Vec<u8>) {
    let mut files: Vec<_> = dir.files().collect();
    files.sort_by_key(|it| it.path());
    for file in files {
        all.extend(file.path().as_os_str().as_encoded_bytes());
        all.extend(crypto::sha256(file.contents()));
    }
    let mut dirs: Vec<_> = dir.dirs().collect();
    dirs.sort_by_key(|it| it.path());
    for dir in dirs {
        gather(dir, all);
    }
}

fn live() -> Option<PathBuf> {
    if cfg!(debug_assertions) { std::env::var_os(LIVE).map(PathBuf::from) } else { None }
}

fn read(dir: &Path, path: &str) -> Option<Vec<u8>> {
    // Nothing above the directory.
    let plain = path.split('/').all(|it| !it.is_empty() && it != "." && it != "..");
    if plain { std::fs::read(dir.join(path)).ok() } else { None }
}

/// The types of the files that are served.
fn content_type(path: &str) -> Option<&'static str> {
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
    fn a_script_is_listed_with_all_that_it_imports() {
        let text =
            "import { h } from \"./core.js\";\n * from \"./no.js\"\nexport { a } from \"./b.js\";";
        assert_eq!(imports(text), ["core.js", "b.js"]);
        let modules = modules("ui.js");
        assert_eq!(modules.first(), Some(&url("js/ui.js")));
        for name in ["api", "core", "time"] {
            assert!(modules.contains(&url(&format!("js/{name}.js"))), "{modules:?}");
        }
    }

    #[test]
    fn every_script_that_is_imported_exists() {
        for file in ASSETS.get_dir("web/js").unwrap().files() {
            let text = file.contents_utf8().unwrap();
            for name in imports(text) {
                assert!(
                    web(&format!("js/{name}")).is_some(),
                    "{} imports {name}",
                    file.path().display()
                );
            }
        }
    }

    #[test]
    fn a_file_is_compressed_once() {
        for encoding in Encoding::ALL {
            let (one, other) = (encoded("css/app.css", encoding), encoded("css/app.css", encoding));
            let (one, other) = (one.unwrap(), other.unwrap());
            assert_eq!(one.as_ptr(), other.as_ptr(), "{}", encoding.word());
            assert!(one.len() < web("css/app.css").unwrap().bytes.len());
        }
    }

    #[test]
    fn templates_are_not_served() {
        assert!(web("shells/base.html").is_none());
        assert!(web("icon.svg").is_some());
    }
}
