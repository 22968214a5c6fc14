//! The common parts of the targets for table formats: the check of a table, and the files around a worksheet.

#[allow(dead_code, reason = "each target uses one of its functions")]
pub mod files;

use chartroom::features::documents::{RecordLimits, TableDraft};
use chartroom::features::portfolio;
use chartroom::features::table_reader;
use chartroom::features::table_reader::{Limits, ReadOptions};
use serde_json::Value;

/// Limits that a small input can reach.
const LIMITS: Limits = Limits { max_rows: 1000, max_text_bytes: 1 << 20, deadline: None };
const RECORD_LIMITS: RecordLimits = RecordLimits { max_records: 1000, max_bytes: 1 << 22 };

/// Reads the bytes as a table and makes the records of a chart kind from it. Fails on a panic, on rows that
/// are wider than the headings, on a table beyond the limits and on records that are no JSON array.
pub fn check(bytes: &[u8], content_type: &str) {
    let options = ReadOptions { content_type: Some(content_type), ..ReadOptions::default() };
    let Ok(table) = table_reader::read(bytes, &options, LIMITS) else { return };
    let mut rows = table.rows().expect("the rows were read before");
    let mut count = 0;
    while let Some(row) = rows.next_row().expect("the rows were read before") {
        assert!(row.cell_count() <= table.headings.len());
        count += usize::from(!row.is_blank());
    }
    assert_eq!(count, table.report.rows);
    assert!(count <= LIMITS.max_rows);
    let kinds = portfolio::kinds();
    let checksum = bytes.iter().fold(bytes.len(), |sum, byte| sum.wrapping_add(usize::from(*byte)));
    let kind = Some(kinds[checksum % kinds.len()].slug.as_str());
    let draft = TableDraft { kind, title: "", locale: None };
    if let Ok(chart) = draft.map_table(&table, RECORD_LIMITS) {
        let records: Vec<Value> =
            serde_json::from_slice(&chart.input.data).expect("the records are JSON");
        assert!(records.len() <= RECORD_LIMITS.max_records);
    }
}
