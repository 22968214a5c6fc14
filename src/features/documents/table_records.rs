//! Conversion of tables to records.
//!
//! Columns of the table are matched to columns of the chart kind by key or title. Required columns without
//! a match are inferred from the cell types of the other columns. Numbers may have thousands separators.

use std::collections::HashMap;

use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use super::json::RawObject;
use super::records::Records;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use crate::features::table_reader::CellContent;
use crate::features::table_reader::Table;
use crate::features::table_reader::TableRow;
use crate::features::table_reader::push_cell;
use chartroom_platform::error::Result;

/// Records of a table that is mapped to a chart kind.
pub struct MappedRecords {
    pub records: Records,
    /// Key and heading of the columns that are mapped to the repeated column of the kind. They belong
    /// into the settings.
    pub repeated: Vec<(String, String)>,
}

/// Converts the rows to records for a chart kind with these columns. Empty cells are omitted. A
/// column of the table without a match keeps its heading as key. If several columns have the same
/// key, the last cell of a row that is not empty counts.
///
/// # Errors
/// `TooLarge` if the records have more than `max_bytes` bytes.
pub fn to_records(
    table: &Table<'_>,
    columns: &[Column],
    max_bytes: usize,
) -> Result<MappedRecords> {
    let mappings = map_columns(table, columns);
    let mut encoder = RecordEncoder::new(&mappings, &table.contents)?;
    let mut rows = table.rows()?;
    let mut records = Records::default();
    while let Some(row) = rows.next_row()? {
        if !row.is_blank() {
            records.push(encoder.encode_row(&row));
            records.check_size(max_bytes)?;
        }
    }
    let repeated = mappings
        .iter()
        .filter(|mapping| mapping.column.is_some_and(|column| column.repeats))
        .map(|mapping| (mapping.key.clone(), mapping.heading.clone()));
    Ok(MappedRecords { repeated: repeated.collect(), records })
}

/// Returns the mapping of each column of the table, in their order.
///
/// A column is mapped to the column of the chart kind with the same key, or the same title in
/// any case, unless that repeats. A required column without a match gets the first free column
/// with fitting cells. The repeated column gets all other free columns with fitting cells. The
/// rest has no column of the kind. A missing heading becomes the key `column` and a number.
fn map_columns<'a>(table: &Table<'_>, columns: &'a [Column]) -> Vec<ColumnMapping<'a>> {
    let contents = &table.contents;
    let mut mappings: Vec<ColumnMapping<'a>> = table
        .headings
        .iter()
        .enumerate()
        .map(|(index, heading)| ColumnMapping {
            key: if heading.is_empty() { format!("column{}", index + 1) } else { heading.clone() },
            heading: heading.clone(),
            column: None,
        })
        .collect();
    let is_named = |column: &&Column, heading: &str| {
        heading == column.key || heading.to_lowercase() == column.title.to_lowercase()
    };
    for mapping in &mut mappings {
        let found =
            columns.iter().find(|column| !column.repeats && is_named(column, &mapping.heading));
        mapping.assign(found);
    }
    for column in columns.iter().filter(|column| column.required && !column.repeats) {
        let is_mapped = mappings
            .iter()
            .any(|mapping| mapping.column.is_some_and(|mapped| mapped.key == column.key));
        let free = mappings.iter_mut().zip(contents).find(|(mapping, content)| {
            mapping.column.is_none() && content.fits_type(column.column_type)
        });
        if let (false, Some((mapping, _))) = (is_mapped, free) {
            mapping.assign(Some(column));
        }
    }
    if let Some(series) = columns.iter().find(|column| column.repeats) {
        let free = mappings.iter_mut().zip(contents);
        for (mapping, content) in free {
            if mapping.column.is_none() && content.fits_type(series.column_type) {
                // Repeated columns keep their headings as keys.
                mapping.column = Some(series);
            }
        }
    }
    mappings
}

/// Returns the settings with the list of repeated columns replaced by `repeated`, which contains
/// keys and titles.
///
/// Returns `None` if `repeated` is empty, the settings list the same keys in the same order
/// already, or the kind has no repeated column.
pub fn update_repeated_columns(
    settings: &str,
    columns: &[Column],
    repeated: &[(String, String)],
) -> Result<Option<String>> {
    let Some(column) = columns.iter().find(|column| column.repeats) else { return Ok(None) };
    let setting = if column.role == "series" { "series" } else { "columns" };
    let mut settings = RawObject::parse(settings)?;
    let present = settings.0.iter().find(|(key, _)| key == setting).map(|member| member.1.get());
    let present: Value = serde_json::from_str(present.unwrap_or("null"))?;
    let names = present.as_array().map_or(&[][..], |list| &list[..]);
    let is_same = names.len() == repeated.len()
        && names.iter().zip(repeated).all(|(name, (key, _))| name["key"] == **key);
    if is_same || repeated.is_empty() {
        return Ok(None);
    }
    let list: Vec<Value> =
        repeated.iter().map(|(key, title)| json!({ "key": key, "title": title })).collect();
    settings.set(setting, RawValue::from_string(serde_json::to_string(&list)?)?);
    Ok(Some(settings.to_json()?))
}

/// Mapping of one column of the table.
struct ColumnMapping<'a> {
    /// Key of the values in the records.
    key: String,
    heading: String,
    /// Column of the chart kind, if there is a match.
    column: Option<&'a Column>,
}

impl<'a> ColumnMapping<'a> {
    /// Maps to a column of the chart kind and takes over its key. Does nothing if `None`.
    fn assign(&mut self, column: Option<&'a Column>) {
        if let Some(column) = column {
            self.key.clone_from(&column.key);
            self.column = Some(column);
        }
    }
}

/// Conversion of rows to JSON objects.
struct RecordEncoder {
    /// Encoding of each column of the table.
    columns: Vec<ColumnEncoding>,
    /// For each key, the last column of the current row with a cell that is not empty and not yet
    /// written. The indices are those of [`ColumnEncoding::key`].
    last_columns: Vec<Option<usize>>,
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
}

impl RecordEncoder {
    /// Creates an encoder for the columns of a table.
    ///
    /// # Errors
    /// `Internal` if a key cannot be written as JSON.
    fn new(mappings: &[ColumnMapping<'_>], contents: &[CellContent]) -> Result<Self> {
        let mut keys: HashMap<&str, usize> = HashMap::new();
        let mut columns = Vec::with_capacity(mappings.len());
        for (mapping, content) in mappings.iter().zip(contents) {
            let next = keys.len();
            columns.push(ColumnEncoding {
                key: *keys.entry(&mapping.key).or_insert(next),
                prefix: format!("{}:", serde_json::to_string(&mapping.key)?),
                column_type: mapping.column.map(|column| column.column_type),
                content: *content,
            });
        }
        Ok(Self { columns, last_columns: vec![None; keys.len()], record: String::new() })
    }

    /// Returns the JSON object of a row, which has at most as many cells as there are columns. The
    /// order of the keys is that of their first cell.
    fn encode_row(&mut self, row: &TableRow<'_>) -> &str {
        for (index, (column, cell)) in self.columns.iter().zip(row.cells()).enumerate() {
            if !cell.text.is_empty() {
                self.last_columns[column.key] = Some(index);
            }
        }
        self.record.clear();
        self.record.push('{');
        for (column, cell) in self.columns.iter().zip(row.cells()) {
            if cell.text.is_empty() {
                continue;
            }
            // Absent if an earlier column with the same key has written the cell already.
            let Some(last) = self.last_columns[column.key].take() else { continue };
            if self.record.len() > 1 {
                self.record.push(',');
            }
            let ColumnEncoding { prefix, column_type, content, .. } = &self.columns[last];
            self.record.push_str(prefix);
            push_cell(&mut self.record, row.cell(last), *column_type, content);
        }
        self.record.push('}');
        &self.record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::portfolio;
    use crate::features::table_reader;
    use crate::features::table_reader::Limits;
    use crate::features::table_reader::ReadOptions;

    fn read(text: &str) -> Table<'_> {
        let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20 };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        table_reader::read(text.as_bytes(), &options, limits).unwrap()
    }

    fn convert(kind: &str, text: &str) -> MappedRecords {
        let columns = &portfolio::find_kind(kind).unwrap().columns;
        to_records(&read(text), columns, 1 << 20).unwrap()
    }

    fn bodies(mapped: &MappedRecords) -> String {
        mapped.records.chunks.iter().map(|chunk| chunk.body.as_str()).collect()
    }

    #[test]
    fn columns_are_matched_by_name_and_then_by_cell_type() {
        let named = convert("bar", "value,Label,Note\n\"1,284.50\",North,a\n-7,South,\n");
        assert_eq!(
            bodies(&named),
            r#"{"value":1284.50,"label":"North","Note":"a"},{"value":-7,"label":"South"}"#
        );
        let with_title =
            convert("bar", "Umsatz 2023;;\n\nRegion;Umsatz;\nNord;1.284,5 €;\nSüd;(12 €);\n");
        assert_eq!(
            bodies(&with_title),
            r#"{"label":"Nord","value":1284.5},{"label":"Süd","value":-12}"#
        );
        let typed = convert("bar", "\u{feff}Region;Umsatz\r\nNord;1.284,5\r\nSüd;12 %\r\n");
        assert_eq!(bodies(&typed), r#"{"label":"Nord","value":1284.5},{"label":"Süd","value":12}"#);
    }

    #[test]
    fn a_cell_without_number_does_not_make_the_column_texts() {
        let mapped = convert(
            "bar",
            "Land;Umsatz;Anteil\nBayern;2.450,00 €;23,6 %\nBerlin;95,5 €;0,9 %\nBremen;k. A.;\nHessen;#NV;1\n",
        );
        assert_eq!(
            bodies(&mapped),
            r##"{"label":"Bayern","value":2450.00,"Anteil":23.6},{"label":"Berlin","value":95.5,"Anteil":0.9},{"label":"Bremen","value":"k. A."},{"label":"Hessen","value":"#NV","Anteil":1}"##
        );
        let codes = convert("bar", "Ort,PLZ,Wert\nA,01067,5\nB,10115,6\nC,20095,7\n");
        assert!(bodies(&codes).starts_with(r#"{"label":"A","PLZ":"01067","value":5}"#));
    }

    #[test]
    fn a_comma_is_the_decimal_separator_if_only_that_makes_numbers() {
        let mapped = convert("bar", "label\tvalue\nA\t1,5\nB\t22,25\n");
        assert_eq!(bodies(&mapped), r#"{"label":"A","value":1.5},{"label":"B","value":22.25}"#);
    }

    #[test]
    fn repeated_columns_are_listed_in_the_settings() {
        let columns = &portfolio::find_kind("grouped-column").unwrap().columns;
        let mapped = convert("grouped-column", "Year,Shops,Online,Note\n2020,48.2,21.5,x\n");
        assert_eq!(bodies(&mapped), r#"{"label":"2020","Shops":48.2,"Online":21.5,"Note":"x"}"#);
        let settings = r#"{"mode":"grouped","series":[{"key":"a"}],"axis":{"max":1.50}}"#;
        let series = r#"[{"key":"Shops","title":"Shops"},{"key":"Online","title":"Online"}]"#;
        let want = format!(r#"{{"mode":"grouped","series":{series},"axis":{{"max":1.50}}}}"#);
        let written = update_repeated_columns(settings, columns, &mapped.repeated).unwrap();
        assert_eq!(written, Some(want.clone()));
        assert_eq!(update_repeated_columns(&want, columns, &mapped.repeated).unwrap(), None);
    }

    #[test]
    fn the_last_cell_with_a_key_counts() {
        let mapped = convert("bar", "label,value,LABEL,x,x\nA,1,B,2,3\n,1,C,2,\nD,1,,,3\n");
        assert_eq!(
            bodies(&mapped),
            r#"{"label":"B","value":1,"x":3},{"value":1,"label":"C","x":2},{"label":"D","value":1,"x":3}"#
        );
    }

    #[test]
    fn conversion_stops_at_the_size_limit() {
        let columns = &portfolio::find_kind("bar").unwrap().columns;
        let text = format!("label,value\n{}", "A,1\n".repeat(100));
        let table = read(&text);
        assert_eq!(to_records(&table, columns, 2399).unwrap().records.bytes, 2399);
        let error = to_records(&table, columns, 2298).err().unwrap().to_string();
        assert_eq!(error, "data would be larger than 2298 bytes");
    }
}
