//! What the program is built from: licenses that suit it, and nothing that must not be there.

use std::process::Command;

use serde_json::Value;

/// Licenses whose terms a binary under the MIT license can keep.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "OFL-1.1",
    "OpenSSL",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// What must not be built in, and why.
const FORBIDDEN: &[(&str, &str)] = &[
    ("ring", "there is one TLS provider, aws-lc-rs"),
    ("openssl-sys", "it links a library of the system"),
    ("native-tls", "it links a library of the system"),
];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let built: Vec<Value> = metadata["resolve"]["nodes"].as_array().unwrap().clone();
    let mut packages: Vec<Value> = metadata["packages"].as_array_mut().unwrap().drain(..).collect();
    packages.retain(|package| built.iter().any(|node| node["id"] == package["id"]));
    packages
}

#[test]
fn every_dependency_has_a_license_that_suits() {
    let mut complaints = Vec::new();
    for package in packages() {
        let license = package["license"].as_str().unwrap_or_default();
        if !suits(license) {
            complaints.push(format!("{}: {license:?}", package["name"]));
        }
    }
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn nothing_forbidden_is_built_in() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let forbidden = FORBIDDEN.iter().find(|(it, _)| *it == name);
        assert!(forbidden.is_none(), "{name} is built in: {}", forbidden.unwrap().1);
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
            ALLOWED.contains(&format!("{license} WITH {exception}").as_str())
                || ALLOWED.contains(license)
        }
        [license, rest @ ..] => {
            *words = rest;
            ALLOWED.contains(license)
        }
        [] => false,
    }
}
