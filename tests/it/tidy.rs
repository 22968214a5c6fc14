//! The shape of the source is a test: tiers, order, owners, and where what may stand.
//!
//! Each rule is tried on a planted violation too, so that it is known to catch one.

mod licenses;
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

/// Every rule by its name.
const RULES: &[(&str, Rule)] = &[
    ("header", rules::header),
    ("length", rules::length),
    ("tiers", rules::tiers),
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

/// What a rule does not ask of a file, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("clock", "src/platform/id.rs", "a version 7 UUID begins with the time when it was made"),
    ("clock", "src/platform/tasks.rs", "a version 7 UUID begins with the time when it was made"),
];

#[test]
fn the_source_keeps_its_shape() {
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
            complaints.push(format!("{path}: the exception from {rule} is not needed any more"));
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
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

/// Every rule catches what it is for, and passes what it must.
#[test]
fn a_planted_violation_of_each_rule_is_caught() {
    let shape = Shape::new(
        "//! Order.\npub mod accounts;\npub mod orgs;\npub mod documents;\n",
        "-- == platform\ncreate table task (\n-- == accounts\ncreate table user (\n-- == documents\n\
         create table chunk (\n",
    );
    let long = "//! A file of many lines.\n".repeat(401);
    assert_eq!(rules::length(&Source::new("src/a.rs", &long), &shape).len(), 1);
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
        assert!(tried || *name == "length", "no violation of {name} is planted");
    }
}

fn shape(root: &Path) -> Shape {
    let features = fs::read_to_string(root.join("src/features/mod.rs")).unwrap();
    let schema = fs::read_to_string(root.join("schema.sql")).unwrap();
    Shape::new(&features, &schema)
}

fn rust_files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        ["src", "tests", "benches", "examples", "packaging", "fuzz"].map(|it| root.join(it)).into();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            // A crate of its own beside ours may have been built in its folder.
            if path.is_dir() && !path.ends_with("target") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(found.len() > 50, "the source was not found");
    found
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap().display().to_string()
}
