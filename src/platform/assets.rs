//! The embedded files of `assets/`, and the ones among them that browsers load (`assets/web`).
//!
//! The URL of a web file contains [`version`], so that browsers can cache it permanently. Web files
//! refer to each other by relative paths below that URL. Scripts and style sheets are joined
//! ([`web_bundles`]).

use std::collections::HashMap;
use std::path::Path;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::sync::Mutex;
use std::sync::PoisonError;

use hyper::body::Bytes;
use include_dir::Dir;
use include_dir::include_dir;

use serde_json::Map;
use serde_json::Value;

use super::crypto;
use super::http::encoding::Encoding;
use super::style_bundles;
use super::web_bundles;

/// All files of `assets/` at build time.
pub static ASSETS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../assets");

/// The scripts below `web/js`, joined by [`web_bundles::join_scripts`] at build time.
static SCRIPTS: Dir<'static> = include_dir!("$OUT_DIR/scripts");

/// Environment variable for development, used only in debug builds. It names a directory from which
/// each request reads its file instead of the embedded `assets/web`, so that files can be edited
/// while the server runs. The templates remain those of the build.
pub const LIVE_DIR_VARIABLE: &str = "CHARTROOM_ASSETS";

/// Returns the content of an embedded file by its path below `assets/`. None if there is no such file.
/// Never reads the disk.
pub fn embedded_file(path: &str) -> Option<&'static [u8]> {
    // `get_file` compares the path with those of all files before it, which takes longer than to
    // parse many of them.
    static FILES: LazyLock<HashMap<&str, &[u8]>> = LazyLock::new(|| {
        let mut files = HashMap::new();
        list_files(&ASSETS, &mut files);
        files
    });
    FILES.get(path).copied()
}

/// Adds the contents of all files of a folder and its subfolders, by path.
fn list_files(folder: &'static Dir<'static>, files: &mut HashMap<&'static str, &'static [u8]>) {
    let contents = folder.files().map(|file| (file.path().to_str(), file.contents()));
    files.extend(contents.filter_map(|(path, contents)| Some((path?, contents))));
    for subfolder in folder.dirs() {
        list_files(subfolder, files);
    }
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
/// Scripts and bundles of style sheets have no comments, and modules of a bundle forward to it.
/// `i18n/en.js` has the texts of the scripts in a language, by the keys that
/// [`language`](super::language) describes.
/// Files are read from the live directory if it is set; scripts are then served as they are.
pub fn web_file(path: &str) -> Option<WebFile> {
    let content_type = find_content_type(path)?;
    if let Some(language) = path.strip_prefix("i18n/").and_then(|name| name.strip_suffix(".js")) {
        return Some(WebFile { content_type, bytes: join_texts(language)? });
    }
    let bytes = match (find_live_dir(), path.strip_prefix("js/"), list_joined_styles(path)) {
        (_, _, Some(sheets)) => join_styles(sheets),
        (Some(dir), _, None) => Bytes::from(read_live_file(&dir, path)?),
        (None, Some(script), None) => Bytes::from_static(SCRIPTS.get_file(script)?.contents()),
        (None, None, None) => Bytes::from_static(embedded_file(&format!("web/{path}"))?),
    };
    Some(WebFile { content_type, bytes })
}

/// Returns the names of the style sheets that the bundle at `path` consists of.
fn list_joined_styles(path: &str) -> Option<&'static [&'static str]> {
    style_bundles::list_joined_styles(path.strip_prefix("css/")?)
}

/// Returns the text of several style sheets without comments.
fn join_styles(sheets: &[&str]) -> Bytes {
    let mut joined = String::new();
    for sheet in sheets {
        let text = web_file(&format!("css/{sheet}.css")).map(|file| file.bytes).unwrap_or_default();
        joined += &style_bundles::strip_style_comments(&String::from_utf8_lossy(&text));
    }
    Bytes::from(joined)
}

/// Returns a script that sets `chartroomTexts` to the texts of the scripts in a language. None if there
/// is no such language or a file is not a JSON object.
fn join_texts(language: &str) -> Option<Bytes> {
    if !language.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let folder = format!("i18n/{language}/scripts");
    let mut all = Map::new();
    for (area, content) in read_files(&folder)? {
        let texts: Map<String, Value> = serde_json::from_slice(&content).ok()?;
        all.extend(texts.into_iter().map(|(name, text)| (format!("{area}.{name}"), text)));
    }
    Some(Bytes::from(format!("globalThis.chartroomTexts={};\n", Value::Object(all))))
}

/// Returns the stem of the name and the content of each file in a folder below `assets/web`, sorted by
/// name. Reads the files from the directory that replaces the embedded files during development, if it is
/// set. None if there is no such folder.
fn read_files(folder: &str) -> Option<Vec<(String, Vec<u8>)>> {
    let stem = |path: &Path| Some(path.file_stem()?.to_str()?.to_owned());
    let mut files: Vec<(String, Vec<u8>)> = match find_live_dir() {
        Some(dir) => std::fs::read_dir(dir.join(folder))
            .ok()?
            .filter_map(|entry| {
                let path = entry.ok()?.path();
                Some((stem(&path)?, std::fs::read(&path).ok()?))
            })
            .collect(),
        None => ASSETS
            .get_dir(format!("web/{folder}"))?
            .files()
            .filter_map(|file| Some((stem(file.path())?, file.contents().to_vec())))
            .collect(),
    };
    files.sort();
    Some(files)
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

/// Returns a hash of all web files of this build, and of the fonts that the pages use parts of, as 12
/// hexadecimal digits. Returns `live` if files are read live.
pub fn version() -> &'static str {
    static VERSION: LazyLock<String> = LazyLock::new(|| {
        let mut all = Vec::new();
        if let Some(dir) = ASSETS.get_dir("web") {
            append_file_hashes(dir, &mut all);
        }
        append_file_hashes(&SCRIPTS, &mut all);
        all.extend(crypto::sha256(notosans::REGULAR_TTF));
        all.extend(crypto::sha256(notosans::BOLD_TTF));
        crypto::to_hex(&crypto::sha256(&all)[..6])
    });
    if find_live_dir().is_some() { "live" } else { &VERSION }
}

/// Returns the URL path of a web file by its path below `assets/web`. Does not check that the file
/// exists.
pub fn url(path: &str) -> String {
    format!("/assets/{}/{path}", version())
}

/// Returns the URL path of the script with the texts of the scripts in a language.
pub fn texts_url(language: &str) -> String {
    url(&format!("i18n/{language}.js"))
}

/// Returns the URL path of the script that runs the module `name`, which is below `js/`: that of its
/// bundle, if it is an entry of a page.
pub fn script_url(name: &str) -> String {
    url(&format!("js/{}", script_file(name)))
}

/// Returns the file name below `js/` of the script that runs the module `name`.
fn script_file(name: &str) -> String {
    if find_live_dir().is_some() { name.to_owned() } else { web_bundles::script_file(name) }
}

/// Returns the URL paths of the scripts that run the modules `entries` of a page, and of the scripts
/// that they import with `from "./…"`, directly or indirectly, each once. The script of the first
/// entry is the first one.
///
/// A page lists them in its head, so that the browser loads all scripts in parallel. A missing file
/// has no imports.
pub fn module_urls(entries: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for script in entries.iter().map(|name| script_file(name)) {
        if !found.contains(&script) {
            found.push(script);
        }
    }
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
/// path, then those of its subdirectories, except the modules that are only served joined.
fn append_file_hashes(dir: &Dir<'_>, all: &mut Vec<u8>) {
    let mut files: Vec<_> = dir.files().collect();
    files.sort_by_key(|file| file.path());
    for file in files {
        all.extend(file.path().as_os_str().as_encoded_bytes());
        all.extend(crypto::sha256(file.contents()));
    }
    let mut dirs: Vec<_> = dir.dirs().collect();
    dirs.sort_by_key(|subdir| subdir.path());
    for dir in dirs.into_iter().filter(|dir| !dir.path().ends_with("web/js")) {
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
        let modules = module_urls(&["panel-style.js", "page-chart.js"]);
        assert_eq!(modules.first(), Some(&url("js/panel-style.js")));
        for name in ["bundle-chart", "bundle-shared", "bundle-editor", "style-preview"] {
            let same = modules.iter().filter(|module| **module == url(&format!("js/{name}.js")));
            assert_eq!(same.count(), 1, "{name} in {modules:?}");
        }
        assert!(!modules.contains(&url("js/core.js")), "{modules:?}");
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
    fn joined_scripts_import_only_existing_scripts() {
        for script in SCRIPTS.files() {
            for import in list_imported_names(script.contents_utf8().unwrap()) {
                let name = script.path().display();
                assert!(SCRIPTS.contains(&import), "{name} imports {import}");
            }
        }
    }

    #[test]
    fn dialogs_run_no_entry_of_another_page() {
        let pages: &[(&str, &[&str])] = &[
            ("dialog-new.js", &["shared", "dialogs"]),
            ("sign-in-dialog.js", &["shared"]),
            ("command-palette.js", &["shared"]),
            ("page-lost-chart.js", &["shared", "changes"]),
            ("kept-changes.js", &["shared", "changes"]),
            ("chart-actions.js", &["shared", "dialogs", "chart"]),
            ("dialog-export.js", &["shared", "chart"]),
            ("grid.js", &["shared", "dialogs", "components"]),
            ("settings-form.js", &["shared", "dialogs", "components"]),
        ];
        for (dialog, allowed) in pages {
            let scripts = module_urls(&[dialog]);
            let bundles = scripts.iter().filter_map(|url| url.split_once("/js/bundle-"));
            for (_, bundle) in bundles {
                let bundle = bundle.trim_end_matches(".js");
                assert!(allowed.contains(&bundle), "{dialog} runs {bundle}");
            }
        }
    }

    #[test]
    fn style_bundles_contain_all_their_sheets() {
        for bundle in ["base", "library", "chart", "editor"] {
            let path = format!("css/bundle-{bundle}.css");
            let joined = web_file(&path).unwrap().bytes;
            let joined = std::str::from_utf8(&joined).unwrap();
            for sheet in list_joined_styles(&path).unwrap() {
                let text = embedded_file(&format!("web/css/{sheet}.css")).unwrap();
                let text = style_bundles::strip_style_comments(std::str::from_utf8(text).unwrap());
                assert!(text.len() > 100 && joined.contains(&text), "{path} contains {sheet}");
            }
        }
        assert!(web_file("css/bundle-other.css").is_none());
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
