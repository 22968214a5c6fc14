//! The shape of the source is a test: tiers, order, owners, and where what may stand.
//!
//! Each rule is tried on a planted violation too, so that it is known to catch one.

mod licenses;
mod rules;
mod source;

use std::fs;
use std::path::Path;
use std::path::PathBuf;

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
    let caught: &[(Rule, &str, &str)] = &[
        (rules::header, "src/a.rs", "use std::fs;\n//! Too late.\n"),
        (rules::length, "src/a.rs", &long),
        (rules::tiers, "src/charts/a.rs", "use crate::platform::time;"),
        (rules::tiers, "src/charts/a.rs", "fn f() { crate::features::orgs::g() }"),
        (rules::tiers, "src/platform/a.rs", "use crate::features::orgs;"),
        (rules::tiers, "src/platform/a.rs", "use crate::charts::Scene;"),
        (rules::tiers, "src/features/orgs/a.rs", "use crate::features::documents;"),
        (rules::tiers, "src/features/orgs/a.rs", "use super::super::documents::x;"),
        (rules::tiers, "src/features/orgs/a.rs", "use crate::routes;"),
        (rules::tiers, "src/features/orgs/a.rs", "use crate::cli::Shell;"),
        (rules::tiers, "src/routes.rs", "use crate::tasks;"),
        (rules::tiers, "src/tasks.rs", "use crate::cli;"),
        (rules::layers, "src/features/orgs/store.rs", "use super::http;"),
        (rules::layers, "src/features/orgs/rules.rs", "use crate::platform::http::Call;"),
        (rules::imports, "src/a.rs", "use crate::{platform, charts};"),
        (rules::imports, "src/a.rs", "use std::fs::*;"),
        (rules::ownership, "src/features/orgs/store.rs", "\"insert into user (id) values (1)\""),
        (rules::ownership, "src/features/orgs/store.rs", "\"update or ignore user set id = 1\""),
        (rules::ownership, "src/features/accounts/store.rs", "r#\"delete from chunk\"#"),
        (rules::ownership, "src/features/accounts/store.rs", "\"update task set a = 1\""),
        (rules::sql_place, "src/features/orgs/actions.rs", "tx.find(\"select id from user\")"),
        (rules::sql_place, "src/cli/user.rs", "\"pragma user_version\""),
        (rules::sql_replay, "src/platform/a.rs", "\"select datetime('now') from task\""),
        (rules::sql_replay, "src/platform/a.rs", "\"insert into task values (random())\""),
        (rules::asynchronous, "src/features/orgs/http.rs", "async fn get() {}"),
        (rules::asynchronous, "src/platform/http/tls.rs", "let a = b.await;"),
        (rules::unwraps, "src/a.rs", "let a = b.unwrap();\n#[cfg(test)]\nmod tests {}"),
        (rules::clock, "src/features/orgs/rules.rs", "let now = SystemTime::now();"),
        (rules::names, "src/features/orgs/utils.rs", "//! Things."),
    ];
    for (rule, path, text) in caught {
        let source = Source::new(path, text);
        assert_eq!(rule(&source, &shape).len(), 1, "not caught in {path}: {text}");
    }
    let passed: &[(Rule, &str, &str)] = &[
        (rules::header, "src/a.rs", "//! What this file is.\n"),
        (rules::length, "src/a.rs", "//! Short.\n"),
        (rules::tiers, "src/charts/a.rs", "//! See crate::features.\nuse crate::charts::Scene;"),
        (rules::tiers, "src/features/orgs/a.rs", "use crate::features::accounts;"),
        (rules::tiers, "src/features/orgs/a.rs", "use crate::features::orgs::rules;"),
        (rules::tiers, "src/features/orgs/a.rs", "use crate::charts; use crate::platform::db;"),
        (rules::tiers, "src/cli/serve.rs", "use crate::routes; use crate::tasks;"),
        (rules::layers, "src/features/orgs/http.rs", "use super::actions;"),
        (rules::imports, "src/a.rs", "mod tests { use super::*; }"),
        (rules::ownership, "src/features/accounts/store.rs", "\"update user set id = 1\""),
        (rules::ownership, "src/features/orgs/store.rs", "\"select id from user\""),
        (rules::sql_place, "src/features/orgs/store.rs", "\"select id from user\""),
        (rules::sql_place, "src/features/orgs/http.rs", "\"update your password\""),
        (rules::sql_replay, "src/platform/a.rs", "\"select :now from task\""),
        (rules::asynchronous, "src/platform/http/server.rs", "async fn serve() {}"),
        (rules::asynchronous, "src/a.rs", "// async\nlet a = \"await\";"),
        (rules::unwraps, "src/a.rs", "a.unwrap_or(1);\n#[cfg(test)]\nmod tests { b.unwrap() }"),
        (rules::clock, "src/platform/time.rs", "SystemTime::now()"),
    ];
    for (rule, path, text) in passed {
        let source = Source::new(path, text);
        assert_eq!(rule(&source, &shape), Vec::<String>::new(), "in {path}: {text}");
    }
    for (name, rule) in RULES {
        let tried = caught.iter().any(|(planted, ..)| std::ptr::fn_addr_eq(*planted, *rule));
        assert!(tried, "no violation of {name} is planted");
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
        ["src", "tests", "benches", "examples", "packaging"].map(|it| root.join(it)).into();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            if path.is_dir() {
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
