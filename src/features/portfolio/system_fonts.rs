//! Font files of the operating system for scripts that the built-in family lacks.
//!
//! Their names and contents are read when the first text needs the script.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use chartroom_charts::text::SCRIPTS;
use chartroom_charts::text::Script;
use chartroom_charts::text::file_has_glyph;

use super::font_file::read_font;

/// Folders of fonts on Linux, BSD and macOS.
const FOLDERS: [&str; 4] =
    ["/usr/share/fonts", "/usr/local/share/fonts", "/System/Library/Fonts", "/Library/Fonts"];
/// Maximum depth of a folder below those.
const MAX_DEPTH: usize = 4;
/// Maximum number of files and folders that are looked at, so that the server starts quickly.
const MAX_ENTRIES: usize = 20_000;

/// Path of the font file of each script with one, by the name of the script.
static FILES: LazyLock<HashMap<&'static str, PathBuf>> = LazyLock::new(find_files);

/// Maximum size of a bold font in bytes. Larger ones, for Chinese, Japanese and
/// Korean, are not worth their memory beside the regular font.
const MAX_BOLD_BYTES: u64 = 4 << 20;

/// Reads the font file of the system for a script, or the file for its bold texts beside it, which
/// has `-Bold` instead of `-Regular` in its name. None if there is no such file, if it cannot be
/// read, and for bold files larger than `MAX_BOLD_BYTES`.
pub(super) fn load(script: &Script, is_bold: bool) -> Option<Vec<u8>> {
    let path = FILES.get(script.name)?;
    if !is_bold {
        return read_font(path).ok();
    }
    let name = path.file_name()?.to_str()?;
    let bold_name = name.replace("-Regular.", "-Bold.");
    let bold_path = path.with_file_name(&bold_name);
    let is_usable = bold_name != name && fs::metadata(&bold_path).ok()?.len() <= MAX_BOLD_BYTES;
    if is_usable { read_font(&bold_path).ok() } else { None }
}

/// Returns the samples of a script, as part name and character, that the regular font file of the
/// system for the script has no glyph for. Returns all of them if there is no such file. Reads the
/// file.
pub(super) fn list_missing_parts(script: &Script) -> Vec<(&'static str, char)> {
    let bytes = load(script, false).unwrap_or_default();
    let is_missing = |sample: char| !file_has_glyph(&bytes, sample);
    script.samples.iter().copied().filter(|(_, sample)| is_missing(*sample)).collect()
}

/// Returns a text that changes with the font files of the system that are in use: a line with path,
/// size in bytes and time of change for each. Leaves out files with properties that cannot be read.
/// Empty if there are none.
pub(super) fn describe_files() -> String {
    let describe = |script: &Script| {
        let path = FILES.get(script.name)?;
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(format!("{} {} {}\n", path.display(), metadata.len(), modified.as_nanos()))
    };
    SCRIPTS.iter().filter_map(describe).collect()
}

/// Searches the folders of the system and returns the path of the best font file of each script, by
/// the name of the script. A script without a file is absent. Of files with the same name, the
/// first one counts.
fn find_files() -> HashMap<&'static str, PathBuf> {
    let wanted: HashMap<&str, ()> =
        SCRIPTS.iter().flat_map(|script| script.font_files).map(|name| (*name, ())).collect();
    let mut found = HashMap::new();
    let mut remaining_entries = MAX_ENTRIES;
    for folder in FOLDERS {
        collect_files(Path::new(folder), 0, &mut remaining_entries, &mut |name, path| {
            if let Some((name, ())) = wanted.get_key_value(name) {
                found.entry(*name).or_insert(path);
            }
        });
    }
    choose_files(&found)
}

/// Returns the path of the font file of each script: the first existing one in the script's list of
/// file names. `found` has the paths of existing files by name. A script without a file is absent.
///
/// Files for several scripts, such as `DejaVuSans.ttf`, count only if they have a glyph of the
/// script, because versions and systems differ.
fn choose_files(found: &HashMap<&'static str, PathBuf>) -> HashMap<&'static str, PathBuf> {
    let mut contents: HashMap<&'static str, Vec<u8>> = HashMap::new();
    let mut best = HashMap::new();
    for script in &SCRIPTS {
        let mut has_script = |name: &'static str, path: &PathBuf| {
            let users = SCRIPTS.iter().filter(|other| other.font_files.contains(&name));
            let read = || read_font(path).unwrap_or_default();
            users.count() == 1 || {
                let bytes = contents.entry(name).or_insert_with(read);
                script.samples.iter().any(|(_, sample)| file_has_glyph(bytes, *sample))
            }
        };
        let files = script.font_files.iter().filter_map(|name| Some((*name, found.get(name)?)));
        if let Some((_, path)) = files.into_iter().find(|(name, path)| has_script(name, path)) {
            best.insert(script.name, path.clone());
        }
    }
    best
}

/// Calls `visit` with the name and path of each file below a folder, in the
/// order of their names. Folders that cannot be read count as empty.
///
/// `depth` is the number of folders above this one, and the function enters folders up
/// to `MAX_DEPTH`. It takes the files and folders that it finds from
/// `remaining_entries`, and ignores further ones.
fn collect_files(
    folder: &Path,
    depth: usize,
    remaining_entries: &mut usize,
    visit: &mut impl FnMut(&str, PathBuf),
) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    // Links to folders count as folders.
    let is_folder = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| {
            kind.is_dir()
                || kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|to| to.is_dir())
        })
    };
    let mut paths: Vec<(PathBuf, bool)> = entries
        .flatten()
        .take(*remaining_entries)
        .map(|entry| (entry.path(), is_folder(&entry)))
        .collect();
    *remaining_entries -= paths.len();
    paths.sort();
    for (path, is_folder) in paths {
        if is_folder {
            if depth < MAX_DEPTH {
                collect_files(&path, depth + 1, remaining_entries, visit);
            }
        } else if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
            visit(name, path.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use chartroom_charts::FontCollection;

    use super::*;

    #[test]
    fn a_font_file_without_the_glyphs_of_a_script_does_not_count() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("DejaVuSans.ttf");
        // A font with Latin, Greek and Cyrillic letters only.
        fs::write(&path, FontCollection::builtin().fonts()[0].bytes()).unwrap();
        assert!(choose_files(&HashMap::from([("DejaVuSans.ttf", path.clone())])).is_empty());
        let chosen = choose_files(&HashMap::from([("NotoSansThai-Regular.ttf", path.clone())]));
        assert_eq!(chosen, HashMap::from([("Thai", path)]));
    }

    #[test]
    fn files_are_collected_in_order_within_the_limits() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("b/c/d/e/f")).unwrap();
        for path in ["a.ttf", "b/b.ttf", "b/c/d/e/e.ttf", "b/c/d/e/f/f.ttf", "z.ttf"] {
            fs::write(dir.path().join(path), "font").unwrap();
        }
        let collect = |mut max_entries: usize| {
            let mut names = Vec::new();
            collect_files(dir.path(), 0, &mut max_entries, &mut |name, _| {
                names.push(name.to_owned());
            });
            names
        };
        assert_eq!(collect(100), ["a.ttf", "b.ttf", "e.ttf", "z.ttf"], "f is too deep");
        assert!(collect(4).len() <= 3);
        let mut none = 100;
        collect_files(&dir.path().join("absent"), 0, &mut none, &mut |_, _| panic!("no file"));
    }
}
