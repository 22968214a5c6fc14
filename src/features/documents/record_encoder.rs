//! Conversion of the rows of a table to JSON objects.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;

use super::column_units;
use crate::features::portfolio::ColumnType;
use crate::features::table_reader::Cell;
use crate::features::table_reader::CellContent;
use crate::features::table_reader::CellKind;
use crate::features::table_reader::TableRow;
use crate::features::table_reader::push_cell;
use crate::features::table_reader::text_in_notation;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::MappedColumn;
use crate::features::tables::MatchReason;
use crate::features::tables::TableColumnType;
use chartroom_charts::PATH_SEPARATOR;
use chartroom_charts::date_text;
use chartroom_charts::date_text::DateOrder;
use chartroom_charts::durations::DurationUnit;
use chartroom_charts::number_text::NumberUnit;
use chartroom_platform::error::Result;

/// Role of a column with the ids of other records.
const LINK_ROLE: &str = "link";
/// Role of a column with the group of each record.
const PARENT_ROLE: &str = "parent";

/// Maximum number of digits of a number that a double stores exactly.
const MAX_EXACT_DIGITS: usize = 15;

/// Conversion of the cells of a column before they are written.
#[derive(Debug, Clone, Copy)]
enum CellConversion {
    None,
    /// Dates become texts that charts read.
    Date(DateOrder),
    /// Percentages become shares of 1.
    Percentage,
    /// Numbers become durations in this unit.
    Duration(DurationUnit),
    /// Numbers with a unit stay texts, because each record has its own unit.
    Unit,
    /// Texts stay as they are, because `2,3` in a column of links names two records.
    Text,
    /// Numbers are read in the notation of their column, as a table chart would read `12.400` without the
    /// other columns. Texts that a number cannot replace stay as they are.
    TableCell {
        has_unit: bool,
    },
}

impl CellConversion {
    /// Returns the conversion for a column of the table from its profile and the role of its column
    /// of the chart kind: units in records with their own, dates, durations, or percentages of a
    /// progress. `None` for a column without a target or without a profile.
    fn new(
        mapped: &MappedColumn<'_>,
        profile: Option<&ColumnProfile>,
        content: &CellContent,
    ) -> Self {
        let (Some((column, reason)), Some(profile)) = (mapped.target, profile) else {
            return Self::None;
        };
        let is_mixed_table = column_units::is_table_column(column) && profile.has_mixed_units;
        if is_mixed_table || tables::keeps_own_units(column, profile) {
            return Self::Unit;
        }
        if column.role == LINK_ROLE {
            return Self::Text;
        }
        if column_units::is_table_column(column) {
            return Self::TableCell { has_unit: profile.unit.is_some() };
        }
        let shows_dates = column.column_type == ColumnType::Date || column.role == "x";
        match profile.column_type {
            TableColumnType::Date(order) if shows_dates => Self::Date(order),
            TableColumnType::Number if column.role == "duration" => {
                let unit = match content {
                    CellContent::Numbers(notation) => notation.unit.and_then(DurationUnit::find),
                    _ => None,
                };
                let unit = unit.or_else(|| DurationUnit::find_in_heading(&profile.heading));
                Self::Duration(unit.unwrap_or(DurationUnit::Days))
            }
            TableColumnType::Number
                if column.role == "progress"
                    && reason != MatchReason::Key
                    && profile.range.is_some_and(|(_, high)| high > 1.0)
                    || column.role == "progress" && profile.has_percent_signs =>
            {
                Self::Percentage
            }
            _ => Self::None,
        }
    }

    /// Appends the converted cell as JSON and returns true. Returns false and appends nothing if
    /// the column has no conversion or this cell cannot be converted. Then the caller must write
    /// it.
    fn push(self, out: &mut String, cell: Cell<'_>, content: &CellContent) -> bool {
        let to_share = |number: f64| Value::from(number / 100.0);
        let converted = match (self, content) {
            (Self::None, _) => None,
            (Self::TableCell { has_unit }, CellContent::Numbers(notation))
                if !cell.kind.is_number() && is_replaceable(cell.text, has_unit) =>
            {
                let number = notation.read_as_json(cell.text);
                number.and_then(|number| serde_json::from_str(&number).ok())
            }
            (Self::TableCell { .. }, _) if cell.kind == CellKind::Number => {
                let number = cell.text.trim_start_matches('+');
                serde_json::from_str(number).ok().filter(|_| is_exact(number))
            }
            (Self::TableCell { .. }, _) => None,
            (Self::Text, _) if cell.kind.is_number() => None,
            (Self::Text, _) => Some(Value::from(cell.text)),
            (Self::Duration(unit), _) if cell.kind.is_number() => {
                cell.text.parse().ok().map(|amount| unit.to_json(amount))
            }
            (Self::Duration(unit), CellContent::Numbers(notation)) => {
                notation.read(cell.text).map(|amount| unit.to_json(amount))
            }
            (Self::Duration(_), _) => None,
            (Self::Date(order), _) => date_text::to_iso_date(cell.text, order).map(Value::from),
            (Self::Percentage, _) if cell.kind.is_number() => cell.text.parse().ok().map(to_share),
            (Self::Percentage, CellContent::Numbers(notation)) => {
                notation.read(cell.text).map(to_share)
            }
            (Self::Percentage, _) => None,
            (Self::Unit, content) => {
                let text = match content {
                    CellContent::Numbers(notation) => text_in_notation(cell, *notation),
                    _ => Cow::Borrowed(cell.text),
                };
                NumberUnit::find(&text).is_some().then(|| Value::from(text))
            }
        };
        if let Some(value) = &converted {
            out.push_str(&value.to_string());
        }
        converted.is_some()
    }
}

/// Returns whether a number can replace its text in a table chart without a loss: no zero before another
/// digit, as in codes, at most `MAX_EXACT_DIGITS` digits, and no sign or unit unless `has_unit` tells that
/// the column shows it.
fn is_replaceable(text: &str, has_unit: bool) -> bool {
    let mut bytes = text.trim_start_matches(['+', '-', '\u{2212}']).bytes();
    let is_code =
        bytes.next() == Some(b'0') && bytes.next().is_some_and(|byte| byte.is_ascii_digit());
    let is_bare = text
        .chars()
        .all(|letter| letter.is_ascii_digit() || "+-\u{2212}.,'’ \u{a0}\u{202f}".contains(letter));
    !is_code && is_exact(text) && (is_bare || has_unit)
}

/// Returns whether a number has at most `MAX_EXACT_DIGITS` digits.
fn is_exact(number: &str) -> bool {
    number.bytes().filter(u8::is_ascii_digit).count() <= MAX_EXACT_DIGITS
}

/// Returns the indexes of the columns that are mapped to the group of each record, from the outermost to
/// the innermost group. Empty if there are fewer than two.
fn find_levels(mappings: &[MappedColumn<'_>], profiles: &[ColumnProfile]) -> Vec<usize> {
    let is_level = |mapped: &MappedColumn<'_>| {
        mapped.column().is_some_and(|column| column.role == PARENT_ROLE)
    };
    let levels = mappings.iter().enumerate().filter(|(_, mapped)| is_level(mapped));
    let levels: Vec<usize> = levels.map(|(index, _)| index).collect();
    if levels.len() < 2 { Vec::new() } else { tables::sort_levels(levels, profiles) }
}

/// Conversion of rows to JSON objects.
pub(super) struct RecordEncoder {
    /// Encoding of each column of the table.
    columns: Vec<ColumnEncoding>,
    /// For each key, the last column of the current row with a cell that is not empty and not yet
    /// written. The indices are those of [`ColumnEncoding::key`].
    last_columns: Vec<Option<usize>>,
    /// Columns with the levels of nested groups, from the outermost to the innermost. Empty if there are
    /// fewer than two.
    levels: Vec<usize>,
    /// JSON text of the current row.
    record: String,
}

/// Encoding of the cells of one column.
struct ColumnEncoding {
    /// Index of the key among the different keys of the table.
    key: usize,
    /// Key and colon as JSON.
    prefix: String,
    column_type: Option<ColumnType>,
    content: CellContent,
    conversion: CellConversion,
    is_skipped: bool,
}

impl RecordEncoder {
    /// Creates an encoder for the columns of a table, all in the order of the table. `profiles` may
    /// be empty, so that cells keep their notation of dates, durations and percentages.
    ///
    /// # Errors
    /// `Internal` if a key cannot be written as JSON.
    pub(super) fn new(
        mappings: &[MappedColumn<'_>],
        contents: &[CellContent],
        profiles: &[ColumnProfile],
    ) -> Result<Self> {
        let mut keys: HashMap<&str, usize> = HashMap::new();
        let mut columns = Vec::with_capacity(mappings.len());
        for (index, (mapping, content)) in mappings.iter().zip(contents).enumerate() {
            let next = keys.len();
            columns.push(ColumnEncoding {
                key: *keys.entry(&mapping.key).or_insert(next),
                prefix: format!("{}:", serde_json::to_string(&mapping.key)?),
                column_type: mapping.column().map(|column| column.column_type),
                content: *content,
                conversion: CellConversion::new(mapping, profiles.get(index), content),
                is_skipped: false,
            });
        }
        let last_columns = vec![None; keys.len()];
        let levels = find_levels(mappings, profiles);
        Ok(Self { columns, last_columns, levels, record: String::new() })
    }

    /// Excludes the columns with these indices from the records of later rows.
    pub(super) fn skip_columns(&mut self, indices: &[usize]) {
        for index in indices {
            self.columns[*index].is_skipped = true;
        }
    }

    /// Returns the JSON object of a row, valid until the next call. The row has at most as many
    /// cells as there are columns. Empty cells are omitted. The order of the keys is that of their
    /// first cell. If several columns have the same key, the value is that of the last cell that is
    /// not empty. Those with the levels of nested groups become a path.
    pub(super) fn encode_row(&mut self, row: &TableRow<'_>) -> &str {
        for (index, (column, cell)) in self.columns.iter().zip(row.cells()).enumerate() {
            if !cell.text.is_empty() && !column.is_skipped {
                self.last_columns[column.key] = Some(index);
            }
        }
        self.record.clear();
        self.record.push('{');
        for (column, cell) in self.columns.iter().zip(row.cells()) {
            if cell.text.is_empty() || column.is_skipped {
                continue;
            }
            // Absent if an earlier column with the same key has written the cell already.
            let Some(last) = self.last_columns[column.key].take() else { continue };
            if self.record.len() > 1 {
                self.record.push(',');
            }
            let ColumnEncoding { prefix, column_type, content, conversion, .. } =
                &self.columns[last];
            self.record.push_str(prefix);
            if self.levels.contains(&last) {
                let cells = self.levels.iter().map(|index| row.cell(*index).text);
                let parts: Vec<&str> = cells.filter(|text| !text.is_empty()).collect();
                self.record.push_str(&Value::from(parts.join(PATH_SEPARATOR)).to_string());
            } else if !conversion.push(&mut self.record, row.cell(last), content) {
                push_cell(&mut self.record, row.cell(last), *column_type, content);
            }
        }
        self.record.push('}');
        &self.record
    }
}
