//! Conversion of a table to records, as its mapping to a chart kind says.

use serde_json::Value;

use super::grouped_records;
use super::open_records::MappedRecords;
use super::open_records::OpenRecords;
use super::open_records::for_each_row;
use super::open_records::push_record;
use super::record_encoder::RecordEncoder;
use super::records::RecordLimits;
use super::records::Records;
use super::row_totals;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use crate::features::table_reader::Table;
use crate::features::table_reader::push_cell;
use crate::features::tables::ColumnProfile;
use crate::features::tables::MappedColumn;
use crate::features::tables::RecordLayout;
use crate::features::tables::TableMapping;
use chartroom_charts::date_text;
use chartroom_charts::time_order;
use chartroom_platform::error::Result;

/// Converts the rows of a table that are records, as the layout of the mapping says. Reverses the
/// records if the mapping says so. Empty cells are omitted. A column of the table without a match
/// keeps its heading as key. If several columns have the same key, the last cell of a row that is
/// not empty counts.
///
/// `profiles` are those of the columns, or empty to keep the notation of dates.
///
/// # Errors
/// `TooLarge` if the records have too many bytes. `InvalidFields` about `data` if the cells of a
/// wide table become too many records.
pub fn convert_table(
    table: &Table<'_>,
    profiles: &[ColumnProfile],
    mapping: &TableMapping<'_>,
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let mut mapped = match mapping.layout {
        RecordLayout::Rows => convert_rows(table, profiles, mapping, limits),
        RecordLayout::Cells { name, value } => {
            convert_cells(table, profiles, mapping, (name, value), limits)
        }
        RecordLayout::Headings { name, row_names, .. } => {
            convert_headings(table, mapping, (name, row_names), limits)
        }
        RecordLayout::Samples { name, values } => {
            grouped_records::convert_samples(table, mapping, (name, values), limits)
        }
        RecordLayout::ColumnSamples { name, values } => {
            grouped_records::convert_column_samples(table, mapping, (name, values), limits)
        }
        RecordLayout::Groups { groups, .. } => {
            grouped_records::convert_groups(table, profiles, mapping, groups, limits)
        }
    }?;
    if mapping.reverses_rows {
        mapped.records = mapped.records.reversed()?;
    }
    Ok(mapped)
}

/// Converts each row to a record. If the kind marks totals and some totals have the name of one,
/// adds the key of its total flag with `true` to each total.
///
/// `repeated` lists the columns of repeated fields, such as series, ordered as by `order_by_time`.
fn convert_rows(
    table: &Table<'_>,
    profiles: &[ColumnProfile],
    mapping: &TableMapping<'_>,
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let mut encoder = RecordEncoder::new(&mapping.columns, &table.contents, profiles)?;
    let totals = row_totals::find_named_totals(table, mapping)?;
    let mut totals = totals.into_iter();
    let flag = mapping.total_flag.map_or("", |column| &column.key);
    let flag = format!(",{}:true}}", Value::from(flag));
    let mut records = Records::default();
    let mut total_text = String::new();
    for_each_row(table, &mapping.rows, |row| {
        let record = encoder.encode_row(row);
        match totals.next() {
            Some(true) => {
                total_text.clear();
                total_text.push_str(record.trim_end_matches('}'));
                total_text.push_str(&flag);
                records.push(&total_text);
            }
            _ => records.push(record),
        }
        records.check_size(limits.max_bytes)
    })?;
    let is_repeated =
        |index: &usize| mapping.columns[*index].column().is_some_and(|column| column.repeats);
    let repeated = order_by_time(mapping, (0..mapping.columns.len()).filter(is_repeated).collect());
    let repeated = repeated.into_iter().map(|index| {
        let mapped = &mapping.columns[index];
        (mapped.key.clone(), mapped.heading.clone())
    });
    Ok(MappedRecords { repeated: repeated.collect(), records })
}

/// Returns the column indices in the reverse order if all columns are mapped to fields of numbers
/// and their headings go back in time, so that charts show the time from left to right. Otherwise
/// returns them unchanged.
fn order_by_time(mapping: &TableMapping<'_>, mut columns: Vec<usize>) -> Vec<usize> {
    let mut mapped = columns.iter().map(|index| &mapping.columns[*index]);
    let has_numbers = mapped.clone().all(|mapped| {
        mapped.column().is_some_and(|column| column.column_type == ColumnType::Number)
    });
    if has_numbers && time_order::falls(mapped.by_ref().map(|mapped| &*mapped.heading)) {
        columns.reverse();
    }
    columns
}

/// Converts each cell that is mapped to `value` to a record with its heading as `name` and the
/// other cells of its row. An empty cell gives no record. The headings are ordered as by
/// `order_by_time`.
fn convert_cells(
    table: &Table<'_>,
    profiles: &[ColumnProfile],
    mapping: &TableMapping<'_>,
    (name, value): (&Column, &Column),
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let is_value =
        |mapped: &MappedColumn<'_>| mapped.column().is_some_and(|column| column.key == value.key);
    let mut encoder = RecordEncoder::new(&mapping.columns, &table.contents, profiles)?;
    let values: Vec<usize> =
        (0..mapping.columns.len()).filter(|index| is_value(&mapping.columns[*index])).collect();
    let values = order_by_time(mapping, values);
    encoder.skip_columns(&values);
    let prefixes = values.iter().map(|index| {
        let heading = Value::from(mapping.columns[*index].heading.as_str());
        format!("{}:{heading},{}:", Value::from(name.key.as_str()), Value::from(value.key.as_str()))
    });
    let prefixes: Vec<String> = prefixes.collect();
    let mut records = Records::default();
    let mut record = String::new();
    for_each_row(table, &mapping.rows, |row| {
        let shared = encoder.encode_row(row).trim_end_matches('}');
        for (index, prefix) in values.iter().zip(&prefixes) {
            if row.cell(*index).text.is_empty() {
                continue;
            }
            record.clear();
            record.push_str(shared);
            if record.len() > 1 {
                record.push(',');
            }
            record.push_str(prefix);
            let content = &table.contents[*index];
            push_cell(&mut record, row.cell(*index), Some(value.column_type), content);
            record.push('}');
            push_record(&mut records, &record, limits)?;
        }
        Ok(())
    })?;
    Ok(MappedRecords { repeated: Vec::new(), records })
}

/// Converts each column with a target to a record with its heading as `name`, and each row to a
/// series with its text in the column `row_names` as key. Empty cells are omitted.
///
/// Headings that are dates become ISO dates if `name` is a field of dates or the x axis. A series
/// with the key of `name` gets a space at its end. `repeated` has the key and title of each series.
fn convert_headings(
    table: &Table<'_>,
    mapping: &TableMapping<'_>,
    (name, row_names): (&Column, usize),
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let values: Vec<usize> = (0..mapping.columns.len())
        .filter(|index| mapping.columns[*index].target.is_some())
        .collect();
    let values = order_by_time(mapping, values);
    let headings = values.iter().map(|index| mapping.columns[*index].heading.as_str());
    let order = date_text::find_order(headings, table.date_order);
    let heading_of = |index: &usize| {
        let heading = &mapping.columns[*index].heading;
        let is_date = name.column_type == ColumnType::Date || name.role == "x";
        let iso = date_text::to_iso_date(heading, order).filter(|_| is_date);
        Value::from(iso.unwrap_or_else(|| heading.clone()))
    };
    let key = Value::from(name.key.as_str());
    let mut records = OpenRecords::new(limits);
    for index in &values {
        records.add(&format!("{{{key}:{}", heading_of(index)))?;
    }
    let mut repeated = Vec::new();
    for_each_row(table, &mapping.rows, |row| {
        let title = row.cell(row_names).text.to_owned();
        // A record has only one field with the key of the headings.
        let key = if title == name.key { format!("{title} ") } else { title.clone() };
        for (record, index) in values.iter().enumerate() {
            let cell = row.cell(*index);
            if !cell.text.is_empty() {
                records.extend(record, |text| {
                    text.push_str(&format!(",{}:", Value::from(key.as_str())));
                    push_cell(text, cell, Some(ColumnType::Number), &table.contents[*index]);
                })?;
            }
        }
        repeated.push((key, title));
        Ok(())
    })?;
    Ok(MappedRecords { repeated, records: records.finish()? })
}

#[cfg(test)]
pub(super) mod tests;
