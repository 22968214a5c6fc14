//! Tests of the dependencies with the rules in `deny.toml`: licenses, forbidden crates, duplicate
//! versions.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use super::source::Source;

/// Returns the parsed `deny.toml`.
fn read_deny_toml() -> toml::Table {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml")).unwrap();
    text.parse().unwrap()
}

/// Returns whether `deny.toml` allows a license.
fn is_license_allowed(license: &str) -> bool {
    static DENY_TOML: LazyLock<toml::Table> = LazyLock::new(read_deny_toml);
    DENY_TOML["licenses"]["allow"]
        .as_array()
        .unwrap()
        .iter()
        .any(|entry| entry.as_str() == Some(license))
}

/// Returns the names of the forbidden crates with their reasons.
fn forbidden_crates() -> Vec<(String, String)> {
    let rules = read_deny_toml();
    let entries = rules["bans"]["deny"].as_array().unwrap();
    let text = |entry: &toml::Value, key: &str| entry[key].as_str().unwrap().to_owned();
    let crates: Vec<_> =
        entries.iter().map(|entry| (text(entry, "crate"), text(entry, "reason"))).collect();
    assert!(crates.iter().any(|(name, _)| name == "ring"), "the list was not read");
    crates
}

/// A crate that is linked into the program.
struct LinkedCrate {
    name: String,
    version: String,
    /// SPDX expression.
    license: String,
}

/// Returns all crates that are linked into the program, and those that generate code for it.
fn linked_crates() -> Vec<LinkedCrate> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "chartroom", "--edges", "normal", "--prefix", "none"])
        .args(["--format", "{p}|{l}"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let parse_line = |line: &str| {
        let (package, license) = line.split_once('|').unwrap();
        let mut words = package.split(' ');
        LinkedCrate {
            name: words.next().unwrap().to_owned(),
            version: words.next().unwrap().trim_start_matches('v').to_owned(),
            license: license.trim_end_matches(" (*)").to_owned(),
        }
    };
    let packages: Vec<LinkedCrate> = lines.lines().map(parse_line).collect();
    assert!(packages.len() > 100, "the dependencies were not found");
    packages
}

#[test]
fn every_dependency_has_an_allowed_license() {
    let mut complaints = Vec::new();
    for LinkedCrate { name, license, .. } in linked_crates() {
        if !is_expression_satisfied(&license) {
            complaints.push(format!("{name}: {license:?}"));
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// The packages of the workspace: manifest, paths with its code, and paths with its tests.
const WORKSPACE_PACKAGES: [(&str, &[&str], &[&str]); 5] = [
    (
        "Cargo.toml",
        &[
            "src/app.rs",
            "src/cli",
            "src/features",
            "src/lib.rs",
            "src/main.rs",
            "src/routes",
            "src/routes.rs",
            "src/tasks.rs",
        ],
        &["tests", "benches", "examples"],
    ),
    ("src/charts/Cargo.toml", &["src/charts"], &["src/charts"]),
    ("src/cloud/Cargo.toml", &["src/cloud"], &["src/cloud/tests"]),
    ("tests/stand_ins/Cargo.toml", &["tests/stand_ins/src"], &["tests/stand_ins/src"]),
    ("src/platform/Cargo.toml", &["src/platform"], &["src/platform"]),
];

#[test]
fn every_declared_dependency_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut complaints = Vec::new();
    for (manifest, code, tests) in WORKSPACE_PACKAGES {
        let table: toml::Table =
            std::fs::read_to_string(root.join(manifest)).unwrap().parse().unwrap();
        for (section, paths) in [("dependencies", code), ("dev-dependencies", tests)] {
            let Some(declared) = table.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            let used = words_in(root, paths);
            for name in declared.keys() {
                if !used.contains(&name.replace('-', "_")) {
                    complaints.push(format!("{manifest}: {name} is not used ({section})"));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Returns the identifiers, keywords and numbers in Rust files and folders.
fn words_in(root: &Path, paths: &[&str]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for path in paths.iter().map(|place| root.join(place)).filter(|path| path.exists()) {
        let sources = if path.is_dir() { super::find_files(&[path], &["rs"]) } else { vec![path] };
        for file in sources {
            let text = std::fs::read_to_string(&file).unwrap();
            words.extend(Source::new("", &text).words().map(str::to_owned));
        }
    }
    assert!(words.len() > 20, "no code was found in {paths:?}");
    words
}

#[test]
fn no_forbidden_crate_is_linked() {
    let packages = linked_crates();
    for (name, reason) in forbidden_crates() {
        let is_linked = packages.iter().any(|package| package.name == name);
        assert!(!is_linked, "{name} is linked: {reason}");
    }
}

/// Every version of a crate costs build time and size. An older version that a dependency still
/// needs is listed in `deny.toml` under `skip`, with the reason.
#[test]
fn no_crate_is_linked_in_two_versions_without_a_reason() {
    let rules = read_deny_toml();
    assert_eq!(rules["bans"]["multiple-versions"].as_str(), Some("deny"));
    let skipped: BTreeSet<String> = rules["bans"]["skip"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            assert!(!entry["reason"].as_str().unwrap().is_empty());
            entry["crate"].as_str().unwrap().to_owned()
        })
        .collect();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for LinkedCrate { name, version, .. } in linked_crates() {
        versions.entry(name).or_default().insert(version);
    }
    let mut unused = skipped.clone();
    let mut complaints = Vec::new();
    for (name, versions) in versions.into_iter().filter(|(_, versions)| versions.len() > 1) {
        let unskipped: Vec<_> = versions
            .iter()
            .filter(|version| {
                let spec = format!("{name}@{version}");
                unused.remove(&spec);
                !skipped.contains(&spec)
            })
            .collect();
        if unskipped.len() > 1 {
            complaints.push(format!("{name}: {unskipped:?}"));
        }
    }
    complaints.extend(unused.iter().map(|skip| format!("{skip}: the skip is no longer needed")));
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn a_license_is_allowed_if_one_of_its_choices_is() {
    let check =
        |license: &str, want: bool| assert_eq!(is_expression_satisfied(license), want, "{license}");
    check("MIT", true);
    check("MIT OR GPL-3.0", true);
    check("MIT/Apache-2.0", true);
    check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
    check("(MIT OR Apache-2.0) AND GPL-2.0", false);
    check("ISC AND (Apache-2.0 OR ISC) AND OpenSSL", true);
    check("GPL-3.0-only", false);
    check("", false);
}

/// Returns whether allowed licenses satisfy an SPDX expression. `AND` binds tighter than `OR`.
fn is_expression_satisfied(license: &str) -> bool {
    let spaced = license.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = tokens.as_slice();
    let is_satisfied = evaluate_or(&mut rest);
    is_satisfied && rest.is_empty()
}

/// Evaluates alternatives separated by `OR` and removes their tokens.
fn evaluate_or(tokens: &mut &[&str]) -> bool {
    let mut is_satisfied = evaluate_and(tokens);
    while let [first, rest @ ..] = *tokens
        && *first == "OR"
    {
        *tokens = rest;
        is_satisfied |= evaluate_and(tokens);
    }
    is_satisfied
}

/// Evaluates terms separated by `AND` and removes their tokens.
fn evaluate_and(tokens: &mut &[&str]) -> bool {
    let mut is_satisfied = evaluate_term(tokens);
    while let [first, rest @ ..] = *tokens
        && *first == "AND"
    {
        *tokens = rest;
        is_satisfied &= evaluate_term(tokens);
    }
    is_satisfied
}

/// Evaluates a license or an expression in parentheses and removes its tokens.
fn evaluate_term(tokens: &mut &[&str]) -> bool {
    match *tokens {
        ["(", rest @ ..] => {
            *tokens = rest;
            let is_satisfied = evaluate_or(tokens);
            *tokens = tokens.get(1..).unwrap_or_default();
            is_satisfied
        }
        [license, "WITH", exception, rest @ ..] => {
            *tokens = rest;
            is_license_allowed(&format!("{license} WITH {exception}"))
                || is_license_allowed(license)
        }
        [license, rest @ ..] => {
            *tokens = rest;
            is_license_allowed(license)
        }
        [] => false,
    }
}
