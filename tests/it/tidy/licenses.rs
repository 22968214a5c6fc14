//! What the program is built from: licenses that suit it, and nothing that must not be there.

use std::process::Command;
use std::sync::LazyLock;

/// The rules, as `cargo deny` reads them.
fn rules() -> toml::Table {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml")).unwrap();
    text.parse().unwrap()
}

/// Whether the program can keep the terms of a license.
fn is_allowed(license: &str) -> bool {
    static RULES: LazyLock<toml::Table> = LazyLock::new(rules);
    RULES["licenses"]["allow"].as_array().unwrap().iter().any(|it| it.as_str() == Some(license))
}

/// What must not be built in, and why.
fn forbidden() -> Vec<(String, String)> {
    let rules = rules();
    let list = rules["bans"]["deny"].as_array().unwrap();
    let text = |it: &toml::Value, key: &str| it[key].as_str().unwrap().to_owned();
    let list: Vec<_> = list.iter().map(|it| (text(it, "crate"), text(it, "reason"))).collect();
    assert!(list.iter().any(|(name, _)| name == "ring"), "the list was not read");
    list
}

/// Name and license of everything that is linked into the program.
fn packages() -> Vec<(String, String)> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--edges", "normal", "--prefix", "none", "--format", "{p}|{l}"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let package = |line: &str| {
        let (package, license) = line.split_once('|').unwrap();
        let name = package.split(' ').next().unwrap();
        (name.to_owned(), license.trim_end_matches(" (*)").to_owned())
    };
    let packages: Vec<(String, String)> = lines.lines().map(package).collect();
    assert!(packages.len() > 100, "the dependencies were not found");
    packages
}

#[test]
fn every_dependency_has_a_license_that_suits() {
    let mut complaints = Vec::new();
    for (name, license) in packages() {
        if !suits(&license) {
            complaints.push(format!("{name}: {license:?}"));
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn nothing_forbidden_is_built_in() {
    let packages = packages();
    for (name, reason) in forbidden() {
        let found = packages.iter().any(|(package, _)| *package == name);
        assert!(!found, "{name} is built in: {reason}");
    }
}

#[test]
fn a_license_suits_when_one_of_its_choices_does() {
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

/// Whether an SPDX expression can be met: `AND` binds tighter than `OR`, brackets tighter still.
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
