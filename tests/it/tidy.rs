//! Tests of the source itself: order of modules, layers, circles, table owners, wording.
//!
//! Each rule is also tested with planted violations, so that a rule that never fails is detected.

mod circles;
mod dependencies;
mod planted;
mod rules;
pub mod source;

use std::fs;
use std::path::Path;
use std::path::PathBuf;

use circles::ImportGraph;
use planted::ACCEPTED;
use planted::VIOLATIONS;
use rules::RepositoryLayout;
use rules::Rule;
use source::Source;

/// All rules by name.
const RULES: &[(&str, Rule)] = &[
    ("header", rules::check_header),
    ("language", rules::check_language),
    ("module_order", rules::check_module_order),
    ("layers", rules::check_layers),
    ("imports", rules::check_imports),
    ("ownership", rules::check_table_owners),
    ("sql_place", rules::check_sql_location),
    ("sql_replay", rules::check_sql_determinism),
    ("asynchronous", rules::check_async),
    ("unwraps", rules::check_unwraps),
    ("clock", rules::check_clock),
    ("names", rules::check_file_names),
];

/// Accepted violations: rule, file, reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("clock", "src/platform/id.rs", "a version 7 UUID starts with the time of its creation"),
    ("clock", "src/platform/tasks.rs", "a version 7 UUID starts with the time of its creation"),
];

#[test]
fn source_follows_all_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let layout = repository_layout(root);
    let mut used = vec![false; EXCEPTIONS.len()];
    let mut complaints = Vec::new();
    for file in rust_files(root) {
        let path = relative_path(root, &file);
        let text = fs::read_to_string(&file).unwrap();
        let source = Source::new(&path, &text);
        for (name, rule) in RULES {
            for complaint in rule(&source, &layout) {
                let exception =
                    EXCEPTIONS.iter().position(|(rule, file, _)| rule == name && *file == path);
                match exception {
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

#[test]
fn imports_between_files_have_no_circles() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files: Vec<(String, String)> = rust_files(root)
        .iter()
        .map(|file| (relative_path(root, file), fs::read_to_string(file).unwrap()))
        .collect();
    let sources: Vec<Source<'_>> =
        files.iter().map(|(path, text)| Source::new(path, text)).collect();
    let circles = ImportGraph::new(&sources).list_circles();
    assert!(circles.is_empty(), "\n{}\n", circles.join("\n"));
}

/// Checks text files that are not Rust.
#[test]
fn texts_have_no_forbidden_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut complaints = Vec::new();
    for file in text_files(root) {
        let path = relative_path(root, &file);
        for (index, line) in fs::read_to_string(&file).unwrap().lines().enumerate() {
            for complaint in rules::find_forbidden_words(line) {
                complaints.push(format!("{path}:{}: {complaint}", index + 1));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Returns documents, pages, scripts, style sheets and mail templates. Skips sample data, and
/// upgrade steps because they never change.
fn text_files(root: &Path) -> Vec<PathBuf> {
    let extensions = ["md", "js", "mjs", "css", "html", "txt", "py", "toml", "sql", "lua"];
    let folders = ["assets", "tests/web", "tests/schemathesis", "benches", "examples", "packaging"];
    let mut files = find_files(&folders.map(|folder| root.join(folder)), &extensions);
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "schema.sql"] {
        files.push(root.join(name));
    }
    files
}

#[test]
fn schema_sections_follow_the_feature_order() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let layout = repository_layout(root);
    let schema = fs::read_to_string(root.join("schema.sql")).unwrap();
    let sections: Vec<&str> =
        schema.lines().filter_map(|line| line.strip_prefix("-- == ")).collect();
    let positions: Vec<usize> = sections[1..]
        .iter()
        .map(|section| {
            layout.features.iter().position(|feature| feature == section).unwrap_or(usize::MAX)
        })
        .collect();
    assert_eq!(sections[0], "platform");
    assert!(
        !positions.contains(&usize::MAX),
        "a section is not named after a feature: {sections:?}"
    );
    assert!(positions.is_sorted(), "sections are not in the order of the features: {sections:?}");
    assert!(!layout.owners.is_empty());
    assert_eq!(rules::find_nondeterminism(&schema), Vec::<String>::new());
    for file in fs::read_dir(root.join("src/platform/db/upgrades")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sql") {
            let sql = fs::read_to_string(&path).unwrap();
            assert_eq!(
                rules::find_nondeterminism(&sql),
                Vec::<String>::new(),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn each_rule_detects_its_planted_violations() {
    let layout = RepositoryLayout::new(
        "//! Order.\npub mod accounts;\npub mod orgs;\npub mod documents;\n",
        "-- == platform\ncreate table task (\n-- == accounts\ncreate table user (\n-- == documents\n\
         create table chunk (\n",
    );
    for (rule, path, text) in VIOLATIONS {
        let source = Source::new(path, text);
        assert_eq!(rule(&source, &layout).len(), 1, "not caught in {path}: {text}");
    }
    for (rule, path, text) in ACCEPTED {
        let source = Source::new(path, text);
        assert_eq!(rule(&source, &layout), Vec::<String>::new(), "in {path}: {text}");
    }
    for (name, rule) in RULES {
        let is_tested =
            VIOLATIONS.iter().any(|(planted_rule, ..)| std::ptr::fn_addr_eq(*planted_rule, *rule));
        assert!(is_tested, "no violation of {name} is planted");
    }
}

/// Reads the facts about the repository that the rules need.
fn repository_layout(root: &Path) -> RepositoryLayout {
    let features = fs::read_to_string(root.join("src/features/mod.rs")).unwrap();
    let schema = fs::read_to_string(root.join("schema.sql")).unwrap();
    RepositoryLayout::new(&features, &schema)
}

/// Returns the Rust files of all packages.
fn rust_files(root: &Path) -> Vec<PathBuf> {
    let folders = ["src", "tests", "benches", "examples", "packaging", "fuzz"];
    find_files(&folders.map(|folder| root.join(folder)), &["rs"])
}

/// Returns the files with one of these extensions below the folders, in order. Skips folders named
/// `target` and `node_modules`. Panics if there is no such file.
fn find_files(folders: &[PathBuf], extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = folders.to_vec();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            // `fuzz` is a separate package with its own target directory.
            if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extensions.iter().any(|wanted| extension == *wanted))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    assert!(!files.is_empty(), "no files were found");
    files
}

/// Returns a path relative to the root of the repository.
fn relative_path(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().display().to_string()
}
