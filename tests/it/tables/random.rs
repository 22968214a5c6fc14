//! Tests with random tables of texts as people write them: numbers, units, dates, totals and their parts.

use chartroom::features::documents::RecordLimits;
use chartroom::features::documents::TableDraft;
use chartroom::features::portfolio;
use chartroom::features::table_reader;
use chartroom::features::table_reader::ReadOptions;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::Value;

use super::LIMITS;

/// Number of random tables.
const TABLE_COUNT: usize = 300;
/// Parts of cells.
const PARTS: [&str; 60] = [
    "1",
    "12",
    "007",
    "1.234",
    "1,234",
    "95,5",
    "-",
    "−",
    "+",
    "(",
    ")",
    "[",
    "]",
    "%",
    " ",
    "\u{a0}",
    "€",
    "$",
    "EUR",
    "km",
    "m²",
    "kg",
    "°C",
    "x",
    "h",
    "days",
    "Wochen",
    "?",
    ".",
    ",",
    "/",
    ":",
    "'",
    "31",
    "12/31/23",
    "2026",
    "Q1",
    "KW",
    "Mrz",
    "marzo",
    "października",
    "Mo",
    "GMT",
    "UTC+",
    "AM",
    "Total",
    "Summe",
    "Source:",
    "n/a",
    "--",
    "India",
    "[a]",
    "é",
    "e\u{301}",
    "日",
    "١٢",
    "👩‍🌾",
    "\u{202e}",
    "1e999",
    "#",
];
/// Headings of columns.
const HEADINGS: [&str; 24] = [
    "Name",
    "Value",
    "Date",
    "Start",
    "Ende",
    "Dauer (Wochen)",
    "Duration",
    "Land",
    "Rank",
    "Einheit",
    "Source",
    "Target",
    "Open",
    "Close",
    "2023",
    "2024",
    "Total",
    "Share (%)",
    "Weight [kg]",
    "No answer",
    "Agree",
    "",
    "Code",
    "%",
];

/// Returns one of the texts.
fn choose<'a>(random: &mut TestRng, texts: &[&'a str]) -> &'a str {
    texts[random.next_u32() as usize % texts.len()]
}

/// Returns a table in CSV with up to 6 columns and 12 rows.
fn random_table(random: &mut TestRng) -> String {
    let columns = 1 + random.next_u32() % 6;
    let rows = 1 + random.next_u32() % 12;
    // Similar cells below each other make columns of numbers and dates.
    let patterns: Vec<[&str; 3]> =
        (0..columns).map(|_| [(); 3].map(|()| choose(random, &PARTS))).collect();
    let headings: Vec<&str> = (0..columns).map(|_| choose(random, &HEADINGS)).collect();
    let mut text = headings.join(";");
    for _ in 0..rows {
        let cells = patterns.iter().map(|pattern| match random.next_u32() % 8 {
            0 => [(); 3].map(|()| choose(random, &PARTS)).concat(),
            1 => String::new(),
            2 => pattern[..2].concat(),
            _ => format!("{}{}", random.next_u32() % 100, pattern.concat()),
        });
        let cells: Vec<String> = cells.collect();
        text.push_str(&format!("\n{}", cells.join(";")));
    }
    text
}

#[test]
fn random_tables_become_charts_of_every_kind() {
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let limits = RecordLimits { max_records: 1000, max_bytes: 1 << 20 };
    let (mut read, kinds) = (0, portfolio::kinds());
    for index in 0..TABLE_COUNT {
        let text = random_table(&mut random);
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let outcome = std::panic::catch_unwind(|| {
            let Ok(table) = table_reader::read(text.as_bytes(), &options, LIMITS) else {
                return false;
            };
            for kind in [None, Some(kinds[index % kinds.len()].slug.as_str())] {
                let draft = TableDraft { kind, title: "", locale: None };
                let chart = draft.map_table(&table, limits).unwrap();
                let records: Vec<Value> = serde_json::from_slice(&chart.input.data).unwrap();
                let per_row = table.headings.len();
                assert!(records.len() <= (table.report.rows * per_row).max(per_row));
            }
            true
        });
        assert!(outcome.is_ok(), "table {index}:\n{text}");
        read += usize::from(outcome.unwrap());
    }
    // A few tables have no headings.
    assert!(read > TABLE_COUNT * 3 / 4, "only {read} tables were read");
}
