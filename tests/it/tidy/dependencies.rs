//! Rules about dependencies, read from `deny.toml`: licenses, forbidden crates, duplicate versions.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use super::source::Source;

/// Returns the rules as `cargo deny` reads them.
fn rules() -> toml::Table {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml")).unwrap();
    text.parse().unwrap()
}

/// Returns whether the program can comply with a license.
fn is_allowed(license: &str) -> bool {
    static RULES: LazyLock<toml::Table> = LazyLock::new(rules);
    RULES["licenses"]["allow"].as_array().unwrap().iter().any(|it| it.as_str() == Some(license))
}

/// Returns the forbidden crates, each with the reason.
fn forbidden() -> Vec<(String, String)> {
    let rules = rules();
    let list = rules["bans"]["deny"].as_array().unwrap();
    let text = |it: &toml::Value, key: &str| it[key].as_str().unwrap().to_owned();
    let list: Vec<_> = list.iter().map(|it| (text(it, "crate"), text(it, "reason"))).collect();
    assert!(list.iter().any(|(name, _)| name == "ring"), "the list was not read");
    list
}

/// A crate that is linked into the program.
struct Package {
    name: String,
    version: String,
    license: String,
}

/// Returns all crates that are linked into the program, and those that generate code for it.
fn packages() -> Vec<Package> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "chartroom", "--edges", "normal", "--prefix", "none"])
        .args(["--format", "{p}|{l}"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let package = |line: &str| {
        let (package, license) = line.split_once('|').unwrap();
        let mut words = package.split(' ');
        Package {
            name: words.next().unwrap().to_owned(),
            version: words.next().unwrap().trim_start_matches('v').to_owned(),
            license: license.trim_end_matches(" (*)").to_owned(),
        }
    };
    let packages: Vec<Package> = lines.lines().map(package).collect();
    assert!(packages.len() > 100, "the dependencies were not found");
    packages
}

#[test]
fn every_dependency_has_an_allowed_license() {
    let mut complaints = Vec::new();
    for Package { name, license, .. } in packages() {
        if !suits(&license) {
            complaints.push(format!("{name}: {license:?}"));
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// A package of the workspace: its manifest, and the folders with its code and with its tests.
const PACKAGES: [(&str, &[&str], &[&str]); 3] = [
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
    ("src/platform/Cargo.toml", &["src/platform"], &["src/platform"]),
];

#[test]
fn every_declared_dependency_is_used() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut complaints = Vec::new();
    for (manifest, code, tests) in PACKAGES {
        let table: toml::Table =
            std::fs::read_to_string(root.join(manifest)).unwrap().parse().unwrap();
        for (section, places) in [("dependencies", code), ("dev-dependencies", tests)] {
            let Some(declared) = table.get(section).and_then(toml::Value::as_table) else {
                continue;
            };
            let used = words_in(root, places);
            for name in declared.keys() {
                if !used.contains(&name.replace('-', "_")) {
                    complaints.push(format!("{manifest}: {name} is not used ({section})"));
                }
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

/// Returns the words of the code in files and folders of Rust source.
fn words_in(root: &Path, places: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for place in places.iter().map(|it| root.join(it)).filter(|it| it.exists()) {
        let sources = if place.is_dir() { super::files(&[place], &["rs"]) } else { vec![place] };
        for file in sources {
            let text = std::fs::read_to_string(&file).unwrap();
            found.extend(Source::new("", &text).words().map(str::to_owned));
        }
    }
    assert!(found.len() > 20, "no code was found in {places:?}");
    found
}

#[test]
fn no_forbidden_crate_is_linked() {
    let packages = packages();
    for (name, reason) in forbidden() {
        let found = packages.iter().any(|it| it.name == name);
        assert!(!found, "{name} is linked: {reason}");
    }
}

/// Every version of a crate costs build time and size. An older version that a dependency still
/// needs is listed in `deny.toml` under `skip`, with the reason.
#[test]
fn no_crate_is_linked_in_two_versions_without_a_reason() {
    let rules = rules();
    assert_eq!(rules["bans"]["multiple-versions"].as_str(), Some("deny"));
    let skipped: BTreeSet<String> = rules["bans"]["skip"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| {
            assert!(!it["reason"].as_str().unwrap().is_empty());
            it["crate"].as_str().unwrap().to_owned()
        })
        .collect();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for Package { name, version, .. } in packages() {
        versions.entry(name).or_default().insert(version);
    }
    let mut unused = skipped.clone();
    let mut complaints = Vec::new();
    for (name, versions) in versions.into_iter().filter(|(_, versions)| versions.len() > 1) {
        let kept: Vec<_> = versions
            .iter()
            .filter(|version| {
                let spec = format!("{name}@{version}");
                unused.remove(&spec);
                !skipped.contains(&spec)
            })
            .collect();
        if kept.len() > 1 {
            complaints.push(format!("{name}: {kept:?}"));
        }
    }
    complaints.extend(unused.iter().map(|it| format!("{it}: the skip is no longer needed")));
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn a_license_is_allowed_if_one_of_its_choices_is() {
    let check = |license: &str, want: bool| assert_eq!(suits(license), want, "{license}");
    check("MIT", true);
    check("MIT OR GPL-3.0", true);
    check("MIT/Apache-2.0", true);
    check("(MIT OR Apache-2.0) AND Unicode-3.0", true);
    check("(MIT OR Apache-2.0) AND GPL-2.0", false);
    check("ISC AND (Apache-2.0 OR ISC) AND OpenSSL", true);
    check("GPL-3.0-only", false);
    check("", false);
}

/// Returns whether an SPDX expression can be met: `AND` binds tighter than `OR`, brackets tighter
/// still.
fn suits(license: &str) -> bool {
    let spaced = license.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    let met = any(&mut rest);
    met && rest.is_empty()
}

fn any(words: &mut &[&str]) -> bool {
    let mut met = all(words);
    while let [first, rest @ ..] = *words
        && *first == "OR"
    {
        *words = rest;
        met |= all(words);
    }
    met
}

fn all(words: &mut &[&str]) -> bool {
    let mut met = one(words);
    while let [first, rest @ ..] = *words
        && *first == "AND"
    {
        *words = rest;
        met &= one(words);
    }
    met
}

fn one(words: &mut &[&str]) -> bool {
    match *words {
        ["(", rest @ ..] => {
            *words = rest;
            let met = any(words);
            *words = words.get(1..).unwrap_or_default();
            met
        }
        [license, "WITH", exception, rest @ ..] => {
            *words = rest;
            is_allowed(&format!("{license} WITH {exception}")) || is_allowed(license)
        }
        [license, rest @ ..] => {
            *words = rest;
            is_allowed(license)
        }
        [] => false,
    }
}
