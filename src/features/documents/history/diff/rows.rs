//! Comparison of the records of two versions: added, removed and changed records.
//!
//! Equal records at the beginning and the end are skipped. The other records are matched by a
//! column with unique values, if there is one. Otherwise they are matched by order, like lines in a
//! text diff.

use std::collections::HashMap;
use std::time::Duration;
use std::time::Instant;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;
use similar::Algorithm;
use similar::DiffOp;

use crate::features::documents::json::RawObject;
use crate::features::documents::records;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use chartroom_platform::error::Result;

/// Maximum number of changes listed in the details.
const MAX_DETAILS: usize = 1000;
/// Time limit of the comparison by order. After it, the diff is a coarser approximation.
const MAX_DIFF_TIME: Duration = Duration::from_millis(250);
/// Columns that often identify a record, for all chart kinds.
const DEFAULT_KEYS: [&str; 3] = ["id", "key", "label"];

/// Differences between the records of two versions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RowChanges {
    /// Column that matched the records by its values; null if they were matched by order.
    key: Option<String>,
    /// Number of added records.
    added: usize,
    /// Number of removed records.
    removed: usize,
    /// Number of records with changed values.
    changed: usize,
    /// Whether records that were matched by a column changed their order.
    reordered: bool,
    /// The first 1,000 changes, in the order of the new records.
    details: Vec<RowChange>,
    /// Whether `details` is incomplete.
    truncated: bool,
}

/// Type of a change to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowChangeType {
    Added,
    Removed,
    Changed,
}

/// A changed record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RowChange {
    #[serde(rename = "type")]
    kind: RowChangeType,
    /// Index in the old version, from 0; null for an added record.
    old_index: Option<usize>,
    /// Index in the new version, from 0; null for a removed record.
    new_index: Option<usize>,
    /// The added or removed record.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    record: Option<Box<RawValue>>,
    /// Changed values of a changed record.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cells: Vec<CellChange>,
}

/// A changed value of a record. An added value has no `old`, a removed value has no `new`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CellChange {
    column: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    old: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Value>")]
    new: Option<Box<RawValue>>,
}

/// Compares two lists of records, each joined by commas, and counts added, removed and changed
/// records. Matches records by a column with unique values, else by their order.
///
/// `columns` are those of the chart kind. They determine which columns can identify a record.
pub fn compare_records(old: &str, new: &str, columns: &[Column]) -> Result<RowChanges> {
    let (old, new) = match old == new {
        true => (Vec::new(), Vec::new()),
        false => (records::split_records(old), records::split_records(new)),
    };
    let shorter = old.len().min(new.len());
    let start = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let end = old.iter().rev().zip(new.iter().rev());
    let end = end.take(shorter - start).take_while(|(old, new)| old == new).count();
    let old = RecordRange::new(start, &old[start..old.len() - end]);
    let new = RecordRange::new(start, &new[start..new.len() - end]);
    let mut collector = ChangeCollector::new();
    match match_by_key(&old, &new, columns)? {
        Some((key, pairs)) => {
            let order = pairs.iter().filter_map(|pair| pair.0.zip(pair.1));
            collector.changes.reordered = !order.map(|(old, _)| old).is_sorted();
            collector.changes.key = Some(key);
            for (old_at, new_at) in pairs {
                collector.add_pair(&old, &new, old_at, new_at)?;
            }
        }
        None => match_by_order(&old, &new, &mut collector)?,
    }
    Ok(collector.changes)
}

/// Records of one version without the equal ones at the beginning and the end.
struct RecordRange<'a> {
    /// Number of equal records skipped before them.
    start: usize,
    records: &'a [&'a str],
}

impl<'a> RecordRange<'a> {
    /// Stores the records that remain after the first `start` equal ones.
    fn new(start: usize, records: &'a [&'a str]) -> Self {
        Self { start, records }
    }

    /// Parses the fields of the record at `index` of this range. Fails if it is no JSON object.
    fn parse_fields(&self, index: usize) -> Result<RawObject> {
        Ok(RawObject::parse(self.records[index])?)
    }

    /// Returns the record at `index` of this range as raw JSON.
    fn to_raw_json(&self, index: usize) -> Result<Box<RawValue>> {
        Ok(RawValue::from_string(self.records[index].to_owned())?)
    }
}

/// Indexes of an old and a new record that match. `None` if there is no counterpart.
type Pair = (Option<usize>, Option<usize>);

/// Matches records by the best of the [`candidate_keys`] that has a unique value in every record of
/// both ranges.
///
/// Returns the name of the column and the pairs, or `None` if there is no such column or both
/// ranges are empty.
fn match_by_key(
    old: &RecordRange<'_>,
    new: &RecordRange<'_>,
    columns: &[Column],
) -> Result<Option<(String, Vec<Pair>)>> {
    if old.records.is_empty() && new.records.is_empty() {
        return Ok(None);
    }
    for key in candidate_keys(columns) {
        let (Some(before), Some(after)) =
            (find_unique_values(old, key)?, find_unique_values(new, key)?)
        else {
            continue;
        };
        return Ok(Some((key.to_owned(), pair_records(&before, &after))));
    }
    Ok(None)
}

/// Returns the keys of the columns that may identify records, best first and each once: the text
/// and date columns of the kind that do not repeat (roles `id` and `label` first), then
/// [`DEFAULT_KEYS`].
fn candidate_keys(columns: &[Column]) -> Vec<&str> {
    let names = |column: &&Column| {
        !column.repeats && matches!(column.column_type, ColumnType::Text | ColumnType::Date)
    };
    let first = columns.iter().filter(|column| matches!(column.role.as_str(), "id" | "label"));
    let all = first.chain(columns.iter()).filter(names).map(|column| column.key.as_str());
    let mut keys: Vec<&str> = Vec::new();
    for key in all.chain(DEFAULT_KEYS) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Returns the values of a column in record order as JSON text, or `None` if a value is missing,
/// null or an empty string, or occurs twice.
fn find_unique_values(side: &RecordRange<'_>, key: &str) -> Result<Option<Vec<String>>> {
    let mut seen: HashMap<String, ()> = HashMap::with_capacity(side.records.len());
    let mut values = Vec::with_capacity(side.records.len());
    for index in 0..side.records.len() {
        let fields = side.parse_fields(index)?;
        let value = fields.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get());
        let Some(value) = value.filter(|value| *value != "null" && *value != "\"\"") else {
            return Ok(None);
        };
        if seen.insert(value.to_owned(), ()).is_some() {
            return Ok(None);
        }
        values.push(value.to_owned());
    }
    Ok(Some(values))
}

/// Pairs old and new records with equal values. The values of each side must be unique.
///
/// The pairs are in the order of the new records. A removed record comes after its old predecessor,
/// or first if it has none.
fn pair_records(before: &[String], after: &[String]) -> Vec<Pair> {
    let old_indexes: HashMap<&String, usize> =
        before.iter().enumerate().map(|(index, value)| (value, index)).collect();
    let mut is_kept = vec![false; before.len()];
    let counterparts: Vec<Option<usize>> =
        after.iter().map(|value| old_indexes.get(value).copied()).collect();
    counterparts.iter().flatten().for_each(|index| is_kept[*index] = true);
    let mut pairs = Vec::with_capacity(before.len().max(after.len()));
    let removed_from = |from: usize| (from..before.len()).take_while(|index| !is_kept[*index]);
    pairs.extend(removed_from(0).map(|index| (Some(index), None)));
    for (index, old) in counterparts.iter().enumerate() {
        pairs.push((*old, Some(index)));
        if let Some(old) = old {
            pairs.extend(removed_from(old + 1).map(|index| (Some(index), None)));
        }
    }
    pairs
}

/// Matches records by their order, like a text diff matches lines, and collects the changes.
///
/// If records were replaced, pairs them in order. A pair is a changed record if it shares a value,
/// else a removed and an added one.
fn match_by_order(
    old: &RecordRange<'_>,
    new: &RecordRange<'_>,
    collector: &mut ChangeCollector,
) -> Result<()> {
    let deadline = Some(Instant::now() + MAX_DIFF_TIME);
    let steps =
        similar::capture_diff_slices_deadline(Algorithm::Myers, old.records, new.records, deadline);
    for step in steps {
        if matches!(step, DiffOp::Equal { .. }) {
            continue;
        }
        let (removed, added) = (step.old_range(), step.new_range());
        let paired = removed.len().min(added.len());
        for (old_at, new_at) in removed.clone().zip(added.clone()) {
            if share_a_value(&old.parse_fields(old_at)?, &new.parse_fields(new_at)?) {
                collector.add_pair(old, new, Some(old_at), Some(new_at))?;
            } else {
                collector.add_pair(old, new, Some(old_at), None)?;
                collector.add_pair(old, new, None, Some(new_at))?;
            }
        }
        for index in removed.skip(paired) {
            collector.add_pair(old, new, Some(index), None)?;
        }
        for index in added.skip(paired) {
            collector.add_pair(old, new, None, Some(index))?;
        }
    }
    Ok(())
}

/// Returns true if two records have an equal value other than null in a column. Then one is
/// reported as a change of the other.
fn share_a_value(old: &RawObject, new: &RawObject) -> bool {
    let is_shared = |(key, value): &(String, Box<RawValue>)| {
        value.get() != "null"
            && new.0.iter().any(|(name, other)| name == key && other.get() == value.get())
    };
    old.0.iter().any(is_shared)
}

/// Collects changes and counts them.
struct ChangeCollector {
    changes: RowChanges,
}

impl ChangeCollector {
    /// Starts without changes.
    fn new() -> Self {
        let changes = RowChanges {
            key: None,
            added: 0,
            removed: 0,
            changed: 0,
            reordered: false,
            details: Vec::new(),
            truncated: false,
        };
        Self { changes }
    }

    /// Adds the change of one pair of records, with indices within the ranges. A pair with only an
    /// old record is removed, with only a new one added. Adds nothing if all their values are
    /// equal. After [`MAX_DETAILS`] changes, counts the change only.
    fn add_pair(
        &mut self,
        old: &RecordRange<'_>,
        new: &RecordRange<'_>,
        old_index: Option<usize>,
        new_index: Option<usize>,
    ) -> Result<()> {
        let changes = &mut self.changes;
        let (kind, cells) = match (old_index, new_index) {
            (Some(old_at), Some(new_at)) => {
                if old.records[old_at] == new.records[new_at] {
                    return Ok(());
                }
                let cells =
                    list_changed_cells(old.parse_fields(old_at)?, new.parse_fields(new_at)?);
                if cells.is_empty() {
                    return Ok(());
                }
                changes.changed += 1;
                (RowChangeType::Changed, cells)
            }
            (Some(_), None) => {
                changes.removed += 1;
                (RowChangeType::Removed, Vec::new())
            }
            (None, _) => {
                changes.added += 1;
                (RowChangeType::Added, Vec::new())
            }
        };
        if changes.details.len() == MAX_DETAILS {
            changes.truncated = true;
            return Ok(());
        }
        let record = match (old_index, new_index) {
            (Some(old_at), None) => Some(old.to_raw_json(old_at)?),
            (None, Some(new_at)) => Some(new.to_raw_json(new_at)?),
            _ => None,
        };
        changes.details.push(RowChange {
            kind,
            old_index: old_index.map(|index| index + old.start),
            new_index: new_index.map(|index| index + new.start),
            record,
            cells,
        });
        Ok(())
    }
}

/// Returns the values in which two records differ, compared as JSON text: first those in the order
/// of the old columns, then the added ones.
fn list_changed_cells(old: RawObject, new: RawObject) -> Vec<CellChange> {
    let mut after: HashMap<String, Box<RawValue>> = HashMap::new();
    let column_order: Vec<String> = new.0.iter().map(|(key, _)| key.clone()).collect();
    after.extend(new.0);
    let mut cells = Vec::new();
    for (column, old) in old.0 {
        let new = after.remove(&column);
        if new.as_ref().is_none_or(|value| value.get() != old.get()) {
            cells.push(CellChange { column, old: Some(old), new });
        }
    }
    for column in column_order {
        if let Some(new) = after.remove(&column) {
            cells.push(CellChange { column, old: None, new: Some(new) });
        }
    }
    cells
}
