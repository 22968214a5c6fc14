//! Tests of the texts of the pages: all languages have the same texts, and the sources use exactly these.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;

/// Folder with a folder per language.
const FOLDER: &str = "assets/web/i18n";
/// Folders of the sources that use texts.
const SOURCE_FOLDERS: [&str; 4] = ["assets/web/js", "assets/web/shells", "assets/cast", "src"];
/// Endings of file names, which look like keys in the sources.
const FILE_ENDINGS: [&str; 9] = ["js", "css", "svg", "json", "html", "png", "csv", "txt", "md"];

/// The texts of a language by key, each as its forms.
type Texts = BTreeMap<String, Vec<String>>;

/// Reads the texts of a language below `folder`, and adds a problem for each invalid one.
fn read_texts(folder: &Path, language: &str, problems: &mut Vec<String>) -> Texts {
    let mut texts = Texts::new();
    for part in ["pages", "scripts"] {
        for path in list_files(&folder.join(language).join(part)) {
            let area = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let content = fs::read_to_string(&path).unwrap();
            let entries: BTreeMap<String, Value> = match serde_json::from_str(&content) {
                Ok(entries) => entries,
                Err(error) => {
                    problems.push(format!("{}: {error}", path.display()));
                    continue;
                }
            };
            for (name, entry) in entries {
                let key = format!("{area}.{name}");
                match forms(&entry) {
                    Some(forms) if !texts.contains_key(&key) => {
                        texts.insert(key, forms);
                    }
                    Some(_) => problems.push(format!("{language}: {key} exists twice")),
                    None => problems.push(format!("{language}: {key} is neither text nor forms")),
                }
            }
        }
    }
    texts
}

/// Returns the forms of an entry. None if it is neither a text nor an object with `one` and `other`.
fn forms(entry: &Value) -> Option<Vec<String>> {
    let text = |value: &Value| Some(value.as_str()?.to_owned()).filter(|text| !text.is_empty());
    match entry {
        Value::Object(all) if all.len() == 2 => {
            Some(vec![text(&all["one"])?, text(&all["other"])?])
        }
        Value::Object(_) => None,
        other => Some(vec![text(other)?]),
    }
}

/// Returns the files below a folder.
fn list_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { list_files(&path) } else { vec![path] })
        .collect()
}

/// Returns the names in braces of all forms. The form for 1 may leave out the number.
fn placeholders(forms: &[String]) -> BTreeSet<&str> {
    let names = |form| -> Vec<&str> {
        str::split(form, '{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
    };
    forms.iter().flat_map(|form| names(form.as_str())).collect()
}

/// Compares the texts of two languages.
fn compare(first: &Texts, second: &Texts, problems: &mut Vec<String>) {
    for (key, forms) in first {
        match second.get(key) {
            None => problems.push(format!("{key} exists in one language only")),
            Some(other) if other.len() != forms.len() => {
                problems.push(format!("{key} has other forms in one language"));
            }
            Some(other) if placeholders(other) != placeholders(forms) => {
                problems.push(format!("{key} has other values in one language"));
            }
            Some(_) => {}
        }
    }
    let extra = second.keys().filter(|key| !first.contains_key(*key));
    problems.extend(extra.map(|key| format!("{key} exists in one language only")));
}

/// Returns all literals in double quotes that look like the key of a text in one of `areas`.
fn list_used_keys(source: &str, areas: &BTreeSet<&str>) -> BTreeSet<String> {
    let is_name = |name: &str| {
        name.starts_with(|char: char| char.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && !FILE_ENDINGS.contains(&name)
    };
    source
        .split('"')
        .filter(|literal| {
            literal
                .split_once('.')
                .is_some_and(|(area, name)| areas.contains(area) && is_name(name))
        })
        .map(str::to_owned)
        .collect()
}

/// Reads all sources that use texts, without the unit tests of Rust.
fn read_sources(root: &Path) -> Vec<String> {
    let files = SOURCE_FOLDERS.iter().flat_map(|folder| list_files(&root.join(folder)));
    let is_source = |path: &PathBuf| {
        ["js", "html", "rs"].iter().any(|ending| path.extension().is_some_and(|own| own == *ending))
    };
    let read = |path: PathBuf| {
        let source = fs::read_to_string(path).unwrap();
        source.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
    };
    files.filter(is_source).map(read).collect()
}

/// Compares the keys in the sources with the texts.
fn compare_uses(sources: &[String], texts: &Texts, problems: &mut Vec<String>) {
    let areas = texts.keys().filter_map(|key| Some(key.split_once('.')?.0)).collect();
    let used: BTreeSet<String> =
        sources.iter().flat_map(|source| list_used_keys(source, &areas)).collect();
    let missing = used.iter().filter(|key| !texts.contains_key(*key));
    problems.extend(missing.map(|key| format!("{key} is used, but does not exist")));
    let unused = texts.keys().filter(|key| !used.contains(*key));
    problems.extend(unused.map(|key| format!("{key} is not used")));
}

#[test]
fn all_languages_have_the_texts_that_the_sources_use() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or(root.to_owned(), PathBuf::from);
    let mut problems = Vec::new();
    let english = read_texts(&root.join(FOLDER), "en", &mut problems);
    let german = read_texts(&root.join(FOLDER), "de", &mut problems);
    assert!(english.len() > 40, "there are {} texts", english.len());
    compare(&english, &german, &mut problems);
    compare_uses(&read_sources(&root), &english, &mut problems);
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn each_planted_difference_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("en/pages/a.json", r#"{"x": "X", "y": "{n}", "z": {"one": "1", "other": "{count}"}}"#);
    write("de/pages/a.json", r#"{"x": "", "y": "{m}", "z": "{count}", "v": "V"}"#);
    write("de/scripts/b.json", "{");
    let mut problems = Vec::new();
    let english = read_texts(folder.path(), "en", &mut problems);
    let german = read_texts(folder.path(), "de", &mut problems);
    compare(&english, &german, &mut problems);
    let sources = ["text(\"a.x\"); text(\"a.q\"); \"a.js\"; \"c.x\"".to_owned()];
    compare_uses(&sources, &english, &mut problems);
    for want in [
        "a.x is neither text nor forms",
        "b.json: EOF",
        "a.x exists in one",
        "a.y has other values",
        "a.z has other forms",
        "a.v exists in one",
        "a.q is used, but",
        "a.y is not used",
        "a.z is not used",
    ] {
        assert_eq!(problems.iter().filter(|text| text.contains(want)).count(), 1, "{want}");
    }
    assert_eq!(problems.len(), 9, "{problems:#?}");
}
