//! Tests of the source itself: order of modules, layers, table owners, wording.
//!
//! Each rule is also tested with a planted violation, so that a rule that never fails is noticed.

mod dependencies;
mod planted;
mod rules;
mod source;

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use planted::CAUGHT;
use planted::PASSED;
use rules::Rule;
use rules::Shape;
use source::Source;

/// All rules by name.
const RULES: &[(&str, Rule)] = &[
    ("header", rules::header),
    ("language", rules::language),
    ("module_order", rules::module_order),
    ("layers", rules::layers),
    ("imports", rules::imports),
    ("ownership", rules::ownership),
    ("sql_place", rules::sql_place),
    ("sql_replay", rules::sql_replay),
    ("asynchronous", rules::asynchronous),
    ("unwraps", rules::unwraps),
    ("clock", rules::clock),
    ("names", rules::names),
];

/// Accepted violations: rule, file, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("clock", "src/platform/id.rs", "a version 7 UUID begins with the time when it was made"),
    ("clock", "src/platform/tasks.rs", "a version 7 UUID begins with the time when it was made"),
];

#[test]
fn the_source_keeps_all_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shape = shape(root);
    let mut used = vec![false; EXCEPTIONS.len()];
    let mut complaints = Vec::new();
    for file in rust_files(root) {
        let path = relative(root, &file);
        let text = fs::read_to_string(&file).unwrap();
        let source = Source::new(&path, &text);
        for (name, rule) in RULES {
            for complaint in rule(&source, &shape) {
                let excepted =
                    EXCEPTIONS.iter().position(|(rule, of, _)| rule == name && *of == path);
                match excepted {
                    Some(index) => used[index] = true,
                    None => complaints.push(format!("{path}: {complaint} ({name})")),
                }
            }
        }
    }
    for ((rule, path, _), used) in EXCEPTIONS.iter().zip(used) {
        if !used {
            complaints.push(format!("{path}: the exception from {rule} is no longer needed"));
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Files that people read and that are not Rust, checked for forbidden words.
#[test]
fn documents_pages_and_scripts_have_no_forbidden_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut complaints = Vec::new();
    for file in text_files(root) {
        let path = relative(root, &file);
        for (index, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            for complaint in rules::forbidden_words(line) {
                complaints.push(format!("{path}:{}: {complaint}", index + 1));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Returns documents, pages, scripts, style sheets and mail templates. Sample data and the upgrade
/// steps, which never change, are left out.
fn text_files(root: &Path) -> Vec<PathBuf> {
    let endings = ["md", "js", "mjs", "css", "html", "txt", "py", "toml", "sql", "lua"];
    let folders = ["assets", "tests/web", "tests/schemathesis", "benches", "examples", "packaging"];
    let mut found = files(&folders.map(|it| root.join(it)), &endings);
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "schema.sql"] {
        found.push(root.join(name));
    }
    found
}

#[test]
fn the_schema_follows_the_features() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shape = shape(root);
    let schema = fs::read_to_string(root.join("schema.sql")).unwrap();
    let sections: Vec<&str> = schema.lines().filter_map(|it| it.strip_prefix("-- == ")).collect();
    let places: Vec<usize> = sections[1..]
        .iter()
        .map(|it| shape.features.iter().position(|feature| feature == it).unwrap_or(usize::MAX))
        .collect();
    assert_eq!(sections[0], "platform");
    assert!(!places.contains(&usize::MAX), "a section is no feature: {sections:?}");
    assert!(places.is_sorted(), "sections are not in the order of the features: {sections:?}");
    assert!(!shape.owners.is_empty());
    assert_eq!(rules::unrepeatable(&schema), Vec::<String>::new());
    for file in fs::read_dir(root.join("src/platform/db/upgrades")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|it| it == "sql") {
            let sql = fs::read_to_string(&path).unwrap();
            assert_eq!(rules::unrepeatable(&sql), Vec::<String>::new(), "{}", path.display());
        }
    }
}

#[test]
fn each_rule_catches_its_planted_violations() {
    let shape = Shape::new(
        "//! Order.\npub mod accounts;\npub mod orgs;\npub mod documents;\n",
        "-- == platform\ncreate table task (\n-- == accounts\ncreate table user (\n-- == documents\n\
         create table chunk (\n",
    );
    for (rule, path, text) in CAUGHT {
        let source = Source::new(path, text);
        assert_eq!(rule(&source, &shape).len(), 1, "not caught in {path}: {text}");
    }
    for (rule, path, text) in PASSED {
        let source = Source::new(path, text);
        assert_eq!(rule(&source, &shape), Vec::<String>::new(), "in {path}: {text}");
    }
    for (name, rule) in RULES {
        let tried = CAUGHT.iter().any(|(planted, ..)| std::ptr::fn_addr_eq(*planted, *rule));
        assert!(tried, "no violation of {name} is planted");
    }
}

fn shape(root: &Path) -> Shape {
    let features = fs::read_to_string(root.join("src/features/mod.rs")).unwrap();
    let schema = fs::read_to_string(root.join("schema.sql")).unwrap();
    Shape::new(&features, &schema)
}

fn rust_files(root: &Path) -> Vec<PathBuf> {
    let folders = ["src", "tests", "benches", "examples", "packaging", "fuzz"];
    files(&folders.map(|it| root.join(it)), &["rs"])
}

/// Returns the files with one of these endings below the folders, in order.
fn files(folders: &[PathBuf], endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = folders.to_vec();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            // `fuzz` is a package of its own with its own target directory.
            if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| endings.iter().any(|ending| it == *ending))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no files were found");
    found
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().display().to_string()
}
