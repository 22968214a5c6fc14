//! The kinds that are suggested for about a hundred tables of different fields.
//!
//! `table_suggestions.txt` has the tables. The line above each one has its name, the kinds of which one must
//! come first, and kinds that must not be among the first four with a good score, because they would show
//! something wrong or hide most of the table.

use super::table_tests::ranking;

/// Score from which on a kind looks suitable to somebody who chooses one.
const MIN_GOOD_SCORE: f64 = 0.5;

/// A table and the expected suggestions.
struct Case<'a> {
    name: &'a str,
    /// Kinds of which one must come first.
    first: Vec<&'a str>,
    /// Kinds that must not be among the first four with at least `MIN_GOOD_SCORE`.
    unsuitable: Vec<&'a str>,
    text: &'a str,
}

/// Returns the tables of the file.
fn cases() -> Vec<Case<'static>> {
    let file = include_str!("table_suggestions.txt");
    let blocks = file.strip_prefix("# ").unwrap().split("\n# ");
    let parse = |block: &'static str| {
        let (line, text) = block.split_once('\n').unwrap();
        let [name, first, unsuitable] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("the line must have three parts: {line}");
        };
        let slugs = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        Case { name, first: slugs(first), unsuitable: slugs(unsuitable), text }
    };
    blocks.map(parse).collect()
}

#[test]
fn tables_of_many_fields_get_the_kinds_that_a_person_would_choose() {
    let mut faults = Vec::new();
    let cases = cases();
    assert!(cases.len() >= 100, "the file has only {} tables", cases.len());
    for Case { name, first, unsuitable, text } in cases {
        for slug in first.iter().chain(&unsuitable) {
            assert!(crate::features::portfolio::find_kind(slug).is_some(), "{name}: {slug}");
        }
        let ranking = ranking(text);
        let best = &ranking[..4];
        let is_right = first.contains(&best[0].0.as_str())
            && !best.iter().any(|(slug, score)| {
                *score >= MIN_GOOD_SCORE && unsuitable.contains(&slug.as_str())
            });
        if !is_right {
            faults.push(format!("{name}: {best:?}, not {first:?} without {unsuitable:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
