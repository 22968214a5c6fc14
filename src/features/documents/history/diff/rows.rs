//! Which records were added, removed and changed.
//!
//! What is equal at both ends is left aside. Of the rest, records are matched by a column that
//! names them, when there is one; else by their order, as editors compare lines.

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

use crate::features::documents::history::content;
use crate::features::documents::json::Object;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use chartroom_platform::error::Result;

/// Most records whose change is told.
const MOST: usize = 1000;
/// How long the order of records is compared; then what is left counts as changed.
const PATIENCE: Duration = Duration::from_millis(250);
/// Keys that name a record, whatever its kind.
const USUAL_KEYS: [&str; 3] = ["id", "key", "label"];

/// How the records differ.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RowChanges {
    /// The column by whose values records were matched; null when by their order.
    key: Option<String>,
    /// Records that were not there before.
    added: usize,
    /// Records that are not there any more.
    removed: usize,
    /// Records with other values.
    changed: usize,
    /// Whether records matched by a column are in another order.
    reordered: bool,
    /// The first 1,000, from the top down.
    details: Vec<RowChange>,
    /// Whether there are more than the details tell.
    truncated: bool,
}

/// What happened to a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowChangeType {
    Added,
    Removed,
    Changed,
}

/// One record that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RowChange {
    #[serde(rename = "type")]
    kind: RowChangeType,
    /// Where it was, from 0; null when it was not there.
    old_index: Option<usize>,
    /// Where it is, from 0; null when it is not there any more.
    new_index: Option<usize>,
    /// What was added or removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    record: Option<Box<RawValue>>,
    /// Of a changed record: the values that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    cells: Vec<CellChange>,
}

/// A value of a record that differs. What was not there has no `old`, what is not there any more no
/// `new`.
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

/// Compares two lists of records, each joined by commas.
pub fn compare(old: &str, new: &str, columns: &[Column]) -> Result<RowChanges> {
    let (old, new) = match old == new {
        true => (Vec::new(), Vec::new()),
        false => (content::split(old), content::split(new)),
    };
    let most = old.len().min(new.len());
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let end = old.iter().rev().zip(new.iter().rev());
    let end = end.take(most - start).take_while(|(one, other)| one == other).count();
    let old = Side::new(start, &old[start..old.len() - end]);
    let new = Side::new(start, &new[start..new.len() - end]);
    let mut found = Found::new();
    match by_key(&old, &new, columns)? {
        Some((key, pairs)) => {
            let order = pairs.iter().filter_map(|it| it.0.zip(it.1));
            found.changes.reordered = !order.map(|(old, _)| old).is_sorted();
            found.changes.key = Some(key);
            for (one, other) in pairs {
                found.add(&old, &new, one, other)?;
            }
        }
        None => by_order(&old, &new, &mut found)?,
    }
    Ok(found.changes)
}

/// The records of one version that are not equal at both ends.
struct Side<'a> {
    /// How many were left aside before them.
    start: usize,
    records: &'a [&'a str],
}

impl<'a> Side<'a> {
    fn new(start: usize, records: &'a [&'a str]) -> Self {
        Self { start, records }
    }

    fn fields(&self, index: usize) -> Result<Object> {
        Ok(Object::parse(self.records[index])?)
    }

    fn record(&self, index: usize) -> Result<Box<RawValue>> {
        Ok(RawValue::from_string(self.records[index].to_owned())?)
    }
}

/// An old record and a new one that belong together; none where there is no counterpart.
type Pair = (Option<usize>, Option<usize>);

/// Matches records by the first column that names each of them on both sides.
fn by_key(
    old: &Side<'_>,
    new: &Side<'_>,
    columns: &[Column],
) -> Result<Option<(String, Vec<Pair>)>> {
    if old.records.is_empty() && new.records.is_empty() {
        return Ok(None);
    }
    for key in keys(columns) {
        let (Some(before), Some(after)) = (named(old, key)?, named(new, key)?) else { continue };
        return Ok(Some((key.to_owned(), pairs(&before, &after))));
    }
    Ok(None)
}

/// The columns that may name records: the kind's ids and labels, other texts and dates of the kind,
/// and the usual ones.
fn keys(columns: &[Column]) -> Vec<&str> {
    let names =
        |it: &&Column| !it.repeats && matches!(it.column_type, ColumnType::Text | ColumnType::Date);
    let first = columns.iter().filter(|it| matches!(it.role.as_str(), "id" | "label"));
    let all = first.chain(columns.iter()).filter(names).map(|it| it.key.as_str());
    let mut keys: Vec<&str> = Vec::new();
    for key in all.chain(USUAL_KEYS) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The values of a column, in order; none when a record has none, or two have the same.
fn named(side: &Side<'_>, key: &str) -> Result<Option<Vec<String>>> {
    let mut seen: HashMap<String, ()> = HashMap::with_capacity(side.records.len());
    let mut values = Vec::with_capacity(side.records.len());
    for index in 0..side.records.len() {
        let fields = side.fields(index)?;
        let value = fields.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.get());
        let Some(value) = value.filter(|it| *it != "null" && *it != "\"\"") else {
            return Ok(None);
        };
        if seen.insert(value.to_owned(), ()).is_some() {
            return Ok(None);
        }
        values.push(value.to_owned());
    }
    Ok(Some(values))
}

/// The pairs in the order of the new records, each removed one after that which it followed.
fn pairs(before: &[String], after: &[String]) -> Vec<Pair> {
    let places: HashMap<&String, usize> =
        before.iter().enumerate().map(|(index, value)| (value, index)).collect();
    let mut is_there = vec![false; before.len()];
    let counterparts: Vec<Option<usize>> = after.iter().map(|it| places.get(it).copied()).collect();
    counterparts.iter().flatten().for_each(|it| is_there[*it] = true);
    let mut pairs = Vec::with_capacity(before.len().max(after.len()));
    let gone_from = |from: usize| (from..before.len()).take_while(|it| !is_there[*it]);
    pairs.extend(gone_from(0).map(|it| (Some(it), None)));
    for (index, old) in counterparts.iter().enumerate() {
        pairs.push((*old, Some(index)));
        if let Some(old) = old {
            pairs.extend(gone_from(old + 1).map(|it| (Some(it), None)));
        }
    }
    pairs
}

/// Matches records by their order.
fn by_order(old: &Side<'_>, new: &Side<'_>, found: &mut Found) -> Result<()> {
    let deadline = Some(Instant::now() + PATIENCE);
    let steps =
        similar::capture_diff_slices_deadline(Algorithm::Myers, old.records, new.records, deadline);
    for step in steps {
        if matches!(step, DiffOp::Equal { .. }) {
            continue;
        }
        let (gone, come) = (step.old_range(), step.new_range());
        let both = gone.len().min(come.len());
        for (one, other) in gone.clone().zip(come.clone()) {
            if resemble(&old.fields(one)?, &new.fields(other)?) {
                found.add(old, new, Some(one), Some(other))?;
            } else {
                found.add(old, new, Some(one), None)?;
                found.add(old, new, None, Some(other))?;
            }
        }
        for index in gone.skip(both) {
            found.add(old, new, Some(index), None)?;
        }
        for index in come.skip(both) {
            found.add(old, new, None, Some(index))?;
        }
    }
    Ok(())
}

/// Whether two records have a value in common: then one may have become the other.
fn resemble(old: &Object, new: &Object) -> bool {
    let has = |(key, value): &(String, Box<RawValue>)| {
        value.get() != "null"
            && new.0.iter().any(|(name, other)| name == key && other.get() == value.get())
    };
    old.0.iter().any(has)
}

/// The changes found so far.
struct Found {
    changes: RowChanges,
}

impl Found {
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

    /// Notes what became of a record, if anything did.
    fn add(
        &mut self,
        old: &Side<'_>,
        new: &Side<'_>,
        one: Option<usize>,
        other: Option<usize>,
    ) -> Result<()> {
        let changes = &mut self.changes;
        let (kind, cells) = match (one, other) {
            (Some(one), Some(other)) => {
                if old.records[one] == new.records[other] {
                    return Ok(());
                }
                let cells = cells(old.fields(one)?, new.fields(other)?);
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
        if changes.details.len() == MOST {
            changes.truncated = true;
            return Ok(());
        }
        let record = match (one, other) {
            (Some(one), None) => Some(old.record(one)?),
            (None, Some(other)) => Some(new.record(other)?),
            _ => None,
        };
        changes.details.push(RowChange {
            kind,
            old_index: one.map(|it| it + old.start),
            new_index: other.map(|it| it + new.start),
            record,
            cells,
        });
        Ok(())
    }
}

/// The values in which two records differ.
fn cells(old: Object, new: Object) -> Vec<CellChange> {
    let mut after: HashMap<String, Box<RawValue>> = HashMap::new();
    let order: Vec<String> = new.0.iter().map(|(key, _)| key.clone()).collect();
    after.extend(new.0);
    let mut cells = Vec::new();
    for (column, old) in old.0 {
        let new = after.remove(&column);
        if new.as_ref().is_none_or(|it| it.get() != old.get()) {
            cells.push(CellChange { column, old: Some(old), new });
        }
    }
    for column in order {
        if let Some(new) = after.remove(&column) {
            cells.push(CellChange { column, old: None, new: Some(new) });
        }
    }
    cells
}
