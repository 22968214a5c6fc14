//! Conversion of long tables to records: the rows with the same name become one record.

use std::collections::HashMap;

use serde_json::Value;

use super::open_records::MappedRecords;
use super::open_records::OpenRecords;
use super::open_records::for_each_row;
use super::record_encoder::RecordEncoder;
use super::records::RecordLimits;
use super::records::Records;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType;
use crate::features::table_reader::Table;
use crate::features::table_reader::push_cell;
use crate::features::tables::ColumnProfile;
use crate::features::tables::MappedColumn;
use crate::features::tables::TableMapping;
use chartroom_charts::name_order;
use chartroom_platform::error::Result;

/// The series of a long table: one for each text and column of numbers.
struct GroupedSeries {
    /// Index of the first series of each text in `keys`.
    first_of: HashMap<String, usize>,
    /// Key and title of each series.
    keys: Vec<(String, String)>,
    /// Headings of the columns of numbers.
    headings: Vec<String>,
    /// Keys that the records have for other columns.
    used: Vec<String>,
}

impl GroupedSeries {
    /// Returns the index in `keys` of the first series of a text. If the text is new, adds a series
    /// for each column of numbers, in the order of `headings`. Their title is the text, followed by
    /// the heading if there are several columns. A key gets spaces at the end until it is unused.
    fn find_or_add(&mut self, text: &str) -> usize {
        if let Some(first) = self.first_of.get(text) {
            return *first;
        }
        let first = self.keys.len();
        for heading in &self.headings {
            let title = match self.headings.as_slice() {
                [_] => text.to_owned(),
                _ => format!("{text}, {heading}"),
            };
            let mut key = title.clone();
            while self.used.contains(&key) {
                key.push(' ');
            }
            self.used.push(key.clone());
            self.keys.push((key, title));
        }
        self.first_of.insert(text.to_owned(), first);
        first
    }
}

/// Converts a long table to wide records. Two columns name each row, and no two rows have the same
/// two names. The column with the index `groups` names the series, and the other one the records.
/// If there are several columns of numbers, each has its own series. Empty cells give no field.
/// Another column stays only if all rows of the table have the same cell in it. Series are in the order
/// of their first rows, and records in that of [`name_order::order_names`], so that a month that the first
/// series lacks does not come last.
///
/// # Errors
/// `TooLarge` if the records have too many bytes. `InvalidFields` about `data` if there are too
/// many records.
pub(super) fn convert_groups(
    table: &Table<'_>,
    profiles: &[ColumnProfile],
    mapping: &TableMapping<'_>,
    groups: usize,
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let all = 0..mapping.columns.len();
    let is_repeated =
        |index: usize| mapping.columns[index].column().is_some_and(|column| column.repeats);
    let names = all.clone().find(|index| *index != groups && profiles[*index].row_names.is_some());
    let names = names.unwrap_or(groups);
    let values: Vec<usize> =
        all.clone().filter(|index| *index != groups && is_repeated(*index)).collect();
    let mut encoder = RecordEncoder::new(&mapping.columns, &table.contents, profiles)?;
    // Columns with the same cell in each row stay in the records, apart from ids.
    let is_common = |index: usize| index == names || profiles[index].distinct <= 1;
    let skipped: Vec<usize> =
        all.clone().filter(|index| is_repeated(*index) || !is_common(*index)).collect();
    encoder.skip_columns(&skipped);
    let stored = all.filter(|index| !skipped.contains(index));
    let mut series = GroupedSeries {
        first_of: HashMap::new(),
        keys: Vec::new(),
        headings: values.iter().map(|index| mapping.columns[*index].heading.clone()).collect(),
        used: stored.map(|index| mapping.columns[index].key.clone()).collect(),
    };
    let mut index_of: HashMap<String, usize> = HashMap::new();
    let mut records = OpenRecords::new(limits);
    let mut places = Vec::new();
    for_each_row(table, &mapping.rows, |row| {
        let name = row.cell(names).text;
        let record = match index_of.get(name) {
            Some(record) => *record,
            None => {
                let record = records.add(encoder.encode_row(row).trim_end_matches('}'))?;
                index_of.insert(name.to_owned(), record);
                record
            }
        };
        let first = series.find_or_add(row.cell(groups).text);
        places.push((first, record));
        for (index, (key, _)) in values.iter().zip(&series.keys[first..]) {
            let cell = row.cell(*index);
            if !cell.text.is_empty() {
                records.extend(record, |text| {
                    text.push_str(&format!(",{}:", Value::from(key.as_str())));
                    push_cell(text, cell, Some(ColumnType::Number), &table.contents[*index]);
                })?;
            }
        }
        Ok(())
    })?;
    records.reorder(&order_names(&index_of, &places));
    Ok(MappedRecords { repeated: series.keys, records: records.finish()? })
}

/// Returns the order of the records of a long table. `index_of` has the index of each name, and `places` the
/// group and the index of each row.
fn order_names(index_of: &HashMap<String, usize>, places: &[(usize, usize)]) -> Vec<usize> {
    let mut names = vec![""; index_of.len()];
    for (name, index) in index_of {
        names[*index] = name.as_str();
    }
    name_order::order_names(&names, places)
}

/// Converts a table with one measurement in each row. The rows with the same text in the column
/// mapped to `name` become one record with that text and a list of their numbers as `values`, in
/// the order of the rows. Empty cells are left out, and so are other columns. A cell that is not a
/// number stays a text, so that the chart counts it as a missing value. There are no records if no column is mapped to `name` or to `values`.
///
/// # Errors
/// `TooLarge` if the records have too many bytes. `InvalidFields` about `data` if there are too
/// many.
pub(super) fn convert_samples(
    table: &Table<'_>,
    mapping: &TableMapping<'_>,
    (name, values): (&Column, &Column),
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let find = |wanted: &Column| {
        let is_wanted = |mapped: &MappedColumn<'_>| {
            mapped.column().is_some_and(|column| column.key == wanted.key)
        };
        mapping.columns.iter().position(is_wanted)
    };
    let (Some(names), Some(numbers)) = (find(name), find(values)) else {
        return Ok(MappedRecords { records: Records::default(), repeated: Vec::new() });
    };
    let [name_key, values_key] = [name, values].map(|column| Value::from(column.key.as_str()));
    let mut index_of: HashMap<String, usize> = HashMap::new();
    let mut records = OpenRecords::new(limits);
    for_each_row(table, &mapping.rows, |row| {
        let text = row.cell(names).text;
        let record = match index_of.get(text) {
            Some(record) => *record,
            None => {
                let start = format!("{{{name_key}:{},{values_key}:[", Value::from(text));
                let record = records.add(&start)?;
                index_of.insert(text.to_owned(), record);
                record
            }
        };
        let mut number = String::new();
        push_cell(
            &mut number,
            row.cell(numbers),
            Some(ColumnType::Number),
            &table.contents[numbers],
        );
        if !row.cell(numbers).text.is_empty() {
            records.extend(record, |text| {
                if !text.ends_with('[') {
                    text.push(',');
                }
                text.push_str(&number);
            })?;
        }
        Ok(())
    })?;
    records.end_lists()?;
    Ok(MappedRecords { repeated: Vec::new(), records: records.finish()? })
}

/// Converts a table with a column for each sample. Each column with a target becomes a record with its
/// heading as `name` and a list of its cells as `values`. Empty cells are left out. A cell that is not a
/// number stays a text, so that the chart counts it as a missing value.
///
/// # Errors
/// `TooLarge` if the records have too many bytes. `InvalidFields` about `data` if there are too many.
pub(super) fn convert_column_samples(
    table: &Table<'_>,
    mapping: &TableMapping<'_>,
    (name, values): (&Column, &Column),
    limits: RecordLimits,
) -> Result<MappedRecords> {
    let [name_key, values_key] = [name, values].map(|column| Value::from(column.key.as_str()));
    let has_target = |index: &usize| mapping.columns[*index].target.is_some();
    let samples: Vec<usize> = (0..mapping.columns.len()).filter(has_target).collect();
    let mut records = OpenRecords::new(limits);
    for index in &samples {
        let heading = Value::from(mapping.columns[*index].heading.as_str());
        records.add(&format!("{{{name_key}:{heading},{values_key}:["))?;
    }
    for_each_row(table, &mapping.rows, |row| {
        for (record, index) in samples.iter().enumerate() {
            let cell = row.cell(*index);
            if !cell.text.is_empty() {
                let content = &table.contents[*index];
                records.extend(record, |text| {
                    if !text.ends_with('[') {
                        text.push(',');
                    }
                    push_cell(text, cell, Some(ColumnType::Number), content);
                })?;
            }
        }
        Ok(())
    })?;
    records.end_lists()?;
    Ok(MappedRecords { repeated: Vec::new(), records: records.finish()? })
}

#[cfg(test)]
mod tests {
    use crate::features::documents::table_records::tests::bodies;
    use crate::features::documents::table_records::tests::convert;

    #[test]
    fn a_month_that_the_first_series_lacks_does_not_come_last() {
        let text = "Region;Monat;Umsatz\nNord;Jan;1\nNord;Mrz;2\nSüd;Jan;3\nSüd;Feb;4\nSüd;Mrz;5\n";
        let want = r#"{"label":"Jan","Nord":1,"Süd":3},{"label":"Feb","Süd":4},{"label":"Mrz","Nord":2,"Süd":5}"#;
        for kind in ["line", "grouped-column", "stacked-column"] {
            assert_eq!(bodies(&convert(kind, text)), want, "{kind}");
        }
        let months = |text: &str| {
            let bodies = bodies(&convert("line", text));
            let months = bodies.split("\"label\":\"").skip(1);
            months.map(|month| month[..3].to_owned()).collect::<Vec<String>>().join(" ")
        };
        let last = "Region;Monat;Umsatz\nNord;Jan;1\nNord;Feb;2\nNord;Apr;2\nSüd;Jan;3\nSüd;Feb;4\nSüd;Mrz;5\n";
        assert_eq!(months(last), "Jan Feb Mrz Apr");
        let next_year =
            "Region;Monat;Umsatz\nNord;Nov;1\nNord;Dez;2\nSüd;Nov;3\nSüd;Dez;4\nSüd;Jan;5\n";
        assert_eq!(months(next_year), "Nov Dez Jan");
    }

    #[test]
    fn samples_are_grouped_by_the_name_that_repeats_often() {
        let text =
            "Bearbeiter;Abteilung;Dauer\nIda;A;3\nJan;B;4\nKai;A;5\nIda;B;7\nLea;A;2\nMia;B;8\n";
        let records = bodies(&convert("box-plot", text));
        assert!(records.starts_with(r#"{"label":"A","values":[3,5,2]}"#), "{records}");
    }

    #[test]
    fn a_key_of_the_rows_is_no_sample() {
        for keys in [["1001", "1004", "1009"], ["1", "2", "4"], ["8", "9", "10"]] {
            let [one, two, three] = keys;
            let text = format!("Fall;Wert\n{one};7\n{two};5\n{three};8\n");
            let records = bodies(&convert("box-plot", &text));
            assert_eq!(records, r#"{"label":"Wert","values":[7,5,8]}"#, "{keys:?}");
        }
        let sorted = bodies(&convert("box-plot", "Gruppe A;Gruppe B\n12;20\n15;18\n19;25\n"));
        assert!(sorted.starts_with(r#"{"label":"Gruppe A","values":[12,15,19]}"#), "{sorted}");
        let units = "Wert;Größe (cm);Gewicht (kg)\n7;170;65\n5;182;80\n8;160;70\n";
        let records = bodies(&convert("box-plot", units));
        assert!(!records.contains("values"), "{records}");
    }

    #[test]
    fn groups_with_one_value_or_none_are_samples() {
        let records = convert("box-plot", "Group,Score\nA,1.5\nA,2\nB,4\nC,\nD,3\n");
        let want = r#"{"label":"A","values":[1.5,2]},{"label":"B","values":[4]},{"label":"C","values":[]},{"label":"D","values":[3]}"#;
        assert_eq!(bodies(&records), want);
    }

    #[test]
    fn each_column_of_measurements_is_a_sample() {
        let text = "Nr;Klinik A;Klinik B;Klinik C;Klinik D\n1;12;5;;40\n2;14;;;k. A.\n3;18,5;;;\n";
        let want = r#"{"label":"Klinik A","values":[12,14,18.5]},{"label":"Klinik B","values":[5]},{"label":"Klinik C","values":[]},{"label":"Klinik D","values":[40,"k. A."]}"#;
        assert_eq!(bodies(&convert("box-plot", text)), want);
        let one = convert("box-plot", "Alter\n23\n45\n31\n");
        assert_eq!(bodies(&one), r#"{"label":"Alter","values":[23,45,31]}"#);
        let statistics = convert("box-plot", "Klinik;Min;Median;Max\nA;1;2;5\nB;2;3;9\n");
        assert!(bodies(&statistics).starts_with(r#"{"label":"A","min":1,"#));
        let units = convert("box-plot", "Größe (cm),Gewicht (kg)\n170,65\n182,80\n");
        assert!(!bodies(&units).contains("values"), "{}", bodies(&units));
    }

    #[test]
    fn a_radar_chart_of_two_rows_has_a_spoke_for_each_heading() {
        let text = "Name;Tempo;Ausdauer;Technik\nIda;95;70;99\nJan;90;80;92\n";
        let want = r#"{"criterion":"Tempo","Ida":95,"Jan":90},{"criterion":"Ausdauer","Ida":70,"Jan":80},{"criterion":"Technik","Ida":99,"Jan":92}"#;
        assert_eq!(bodies(&convert("radar", text)), want);
        let one = bodies(&convert("radar", "Team,Speed,Power,Skill\nReds,5,4,3\n"));
        assert!(one.ends_with(r#"{"criterion":"Skill","Reds":3}"#), "{one}");
        let criteria =
            bodies(&convert("radar", "Kriterium;Ida;Jan;Kai\nTempo;5;4;3\nTechnik;3;2;5\n"));
        assert!(criteria.starts_with(r#"{"criterion":"Tempo","Ida":5"#), "{criteria}");
        let units = "Modell;Leistung (kW);Länge (m);Preis (€)\nA;95;4;30\nB;90;3;20\n";
        assert!(!bodies(&convert("radar", units)).contains(r#""criterion":"Leistung"#));
        let three = format!("{text}Kai;80;85;70\n");
        assert!(bodies(&convert("radar", &three)).starts_with(r#"{"criterion":"Ida","Tempo":95"#));
    }

    #[test]
    fn hours_in_the_first_column_name_the_rows_of_a_matrix() {
        let text = "Stunde;Mo;Di\n8 h;12;15\n9 h;22;25\n10 h;2;5\n";
        let want =
            r#"{"row":"8 h","column":"Mo","value":12},{"row":"8 h","column":"Di","value":15}"#;
        let records = bodies(&convert("heat-map", text));
        assert!(records.starts_with(want), "{records}");
        let bare = bodies(&convert("heat-map", &text.replace(" h", "")));
        assert!(bare.starts_with(r#"{"row":"8","column":"Mo","value":12}"#), "{bare}");
        let regions = bodies(&convert("heat-map", "Nord;Süd;West\n3;5;2\n8;1;4\n"));
        assert!(!regions.contains(r#""column":"Süd""#), "{regions}");
        let steps = "Klasse;Nord;Süd\n10;5;2\n20;1;4\n30;3;3\n40;2;1\n";
        let steps = bodies(&convert("heat-map", steps));
        assert!(steps.starts_with(r#"{"row":"10","column":"Nord","value":5}"#), "{steps}");
    }

    #[test]
    fn names_that_are_all_different_are_no_groups_of_panels() {
        let text = "Station;Temperature;Min;Max\nBerlin;9,5;-3,1;24,2\nKiel;8,7;-4,4;22\n";
        let want = r#"{"label":"Berlin","Temperature":9.5,"Min":-3.1,"Max":24.2}"#;
        let records = bodies(&convert("small-multiples", text));
        assert!(records.starts_with(want), "{records}");
        let repeated = "Station;Monat;Wert\nKiel;Jan;1\nKiel;Feb;2\nBerlin;Jan;3\nBerlin;Feb;4\n";
        let records = bodies(&convert("small-multiples", repeated));
        assert!(records.starts_with(r#"{"group":"Kiel","label":"Jan","#), "{records}");
    }
}
