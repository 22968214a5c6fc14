//! Tests of the conversion of tables to records.

use super::*;
use crate::features::documents::table_profiles;
use crate::features::portfolio;
use crate::features::table_reader;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadOptions;
use crate::features::tables;

const LIMITS: RecordLimits = RecordLimits { max_records: 100, max_bytes: 1 << 20 };

fn read(text: &str) -> Table<'_> {
    let limits = Limits { max_rows: 1000, max_text_bytes: 1 << 20, deadline: None };
    let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
    table_reader::read(text.as_bytes(), &options, limits).unwrap()
}

/// Converts a table of comma-separated values as the kind needs it.
pub fn convert(kind: &str, text: &str) -> MappedRecords {
    let table = read(text);
    let profiles = table_profiles::profile_columns(&table).unwrap();
    let mapping = tables::map_table(&profiles, portfolio::find_kind(kind).unwrap());
    convert_table(&table, &profiles, &mapping, LIMITS).unwrap()
}

/// Returns the records as JSON.
pub fn bodies(mapped: &MappedRecords) -> String {
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
    let empty = convert("bar", "Region,Pegel,Total\nA,5,\nB,7,\n");
    assert_eq!(bodies(&empty), r#"{"label":"A","value":5},{"label":"B","value":7}"#);
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
fn rows_of_a_long_table_become_series() {
    let text =
        "Jahr;Region;Umsatz\n2022;Nord;1,5\n2022;Süd;2\n2023;Süd;3\n2023;Nord;4\n2024;Nord;5\n";
    let want = r#"{"label":"2022","Nord":1.5,"Süd":2},{"label":"2023","Süd":3,"Nord":4},{"label":"2024","Nord":5}"#;
    for kind in ["line", "area", "stacked-column", "radar"] {
        let mapped = convert(kind, text);
        assert_eq!(bodies(&mapped).replace("criterion", "label"), want, "{kind}");
        let titles: Vec<&str> = mapped.repeated.iter().map(|(_, title)| &**title).collect();
        assert_eq!(titles, ["Nord", "Süd"], "{kind}");
    }
    let shuffled = "Anteil;Region;Land;Datum\n1;label;DE;01.02.2024\n2;Süd;DE;01.02.2024\n3;label;DE;01.03.2024\n";
    assert_eq!(
        bodies(&convert("line", shuffled)),
        r#"{"Land":"DE","label":"01.02.2024","label ":1,"Süd":2},{"Land":"DE","label":"01.03.2024","label ":3}"#
    );
    let dates = bodies(&convert("time-series", shuffled));
    assert!(dates.starts_with(r#"{"Land":"DE","date":"2024-02-01","label":1,"Süd":2}"#), "{dates}");
}

#[test]
fn a_long_table_with_two_columns_of_numbers_has_a_series_for_each() {
    let mapped = convert(
        "grouped-column",
        "Nr.,Quarter,Team,Won,Lost\n1,Q1,A,5,1\n2,Q1,B,6,2\n3,Q2,A,7,3\n4,Q2,B,8,4\n",
    );
    assert_eq!(
        bodies(&mapped),
        r#"{"label":"Q1","A, Won":5,"A, Lost":1,"B, Won":6,"B, Lost":2},{"label":"Q2","A, Won":7,"A, Lost":3,"B, Won":8,"B, Lost":4}"#
    );
}

#[test]
fn the_total_of_the_columns_of_a_long_table_becomes_no_series() {
    let mapped = convert(
        "grouped-column",
        "Quarter,Team,Won,Lost,Total\nQ1,A,5,1,6\nQ1,B,6,2,8\nQ2,A,7,3,10\nQ2,B,8,4,12\n",
    );
    let names: Vec<&str> = mapped.repeated.iter().map(|(_, name)| &**name).collect();
    assert_eq!(names, ["A, Won", "A, Lost", "B, Won", "B, Lost"]);
}

#[test]
fn totals_and_notes_below_the_records_are_left_out() {
    let text = "Region;Umsatz;Anteil\nNord;412,5;27,2 %\nSüd;388,0;25,6 %\nWest;512,9;33,9 %\nOst;201,4;13,3 %\nGesamt;1.514,8;100,0 %\nQuelle: Controlling;;\n";
    let table = read(text);
    let profiles = table_profiles::profile_columns(&table).unwrap();
    assert_eq!((profiles[0].records, profiles[1].sum.round()), (4, 1515.0));
    let map = |kind: &str| tables::map_table(&profiles, portfolio::find_kind(kind).unwrap());
    let left_out: Vec<(usize, String)> =
        map("pie").left_out.into_iter().map(|note| (note.record, note.text)).collect();
    assert_eq!(left_out, [(5, "Gesamt".to_owned()), (6, "Quelle: Controlling".to_owned())]);
    assert_eq!(convert("pie", text).records.count, 4);
    // A table shows its total.
    assert_eq!((map("table").left_out.len(), convert("table", text).records.count), (1, 5));
    // Without the sum of the others, it is a record.
    let other = "Region,Sales\nNorth,4\nSouth,5\nTotal,12\n";
    assert_eq!(convert("bar", other).records.count, 3);
}

#[test]
fn a_column_with_different_texts_names_the_records_and_a_repeated_one_groups_them() {
    let companies = "Unternehmen;Umsatz;Marge;Gruppe\nA AG;1;2;Auto\nB AG;3;4;Chemie\nC AG;5;6;Auto\nD AG;7;8;Chemie\n";
    let first = r#"{"label":"A AG","x":1,"y":2,"group":"Auto"}"#;
    assert!(bodies(&convert("scatter", companies)).starts_with(first));
    let budget = "Ressort;Titel;Mrd. €\nArbeit;Rente;121,3\nArbeit;Personal;46,9\nWehr;Personal;22,1\nWehr;Rüstung;13,6\n";
    let first = r#"{"parent":"Arbeit","label":"Rente","value":121.3},{"parent":"Arbeit","label":"Personal""#;
    for kind in ["treemap", "sunburst"] {
        let found = bodies(&convert(kind, budget));
        assert!(found.starts_with(first), "{kind}: {found}");
    }
    let named = budget.replace("Ressort;Titel", "Kategorie;Unterkategorie");
    assert!(bodies(&convert("treemap", &named)).starts_with(first));
    // Neither a few equal tasks nor comments make another column the label.
    let tasks = "Aufgabe;Start;Ende;Notiz\nTest;2024-01-01;2024-01-05;a\nBau;2024-01-02;2024-01-06;b\nTest;2024-01-03;2024-01-07;c\n";
    assert!(bodies(&convert("gantt", tasks)).starts_with(r#"{"label":"Test","start":"#));
    let comments = "Region;Umsatz;Text\nNord;1;Der Umsatz ist wegen der neuen Filiale gestiegen\nNord;2;Der Umsatz ist wegen der Baustelle stark gefallen\n";
    assert!(bodies(&convert("bar", comments)).starts_with(r#"{"label":"Nord","value":1"#));
    // A table of regions keeps its label.
    let regions = "Region,Value\nNorth,1\nNorth,2\n";
    assert!(bodies(&convert("bar", regions)).starts_with(r#"{"label":"North","value":1}"#));
}

#[test]
fn measurements_with_the_same_name_become_the_values_of_a_box() {
    let rents = "Bezirk;Miete (€/m²)\nMitte;23,59\nNord;24,43\nMitte;k. A.\nMitte;32,58\nNord;22,30\nNord;18\n";
    let want = r#"{"label":"Mitte","values":[23.59,"k. A.",32.58]},{"label":"Nord","values":[24.43,22.30,18]}"#;
    assert_eq!(bodies(&convert("box-plot", rents)), want);
    let named = rents.replace("Miete (€/m²)", "Werte");
    assert_eq!(bodies(&convert("box-plot", &named)), want);
}

#[test]
fn tables_that_are_not_long_keep_their_rows() {
    let twice = "Jahr,Region,Umsatz\n2022,Nord,1\n2022,Nord,2\n2023,Nord,3\n2023,Süd,4\n";
    assert!(
        bodies(&convert("line", twice)).ends_with(r#"{"label":"2023","Region":"Süd","Umsatz":4}"#)
    );
    let mostly =
        "Jahr,Region,Umsatz\n2022,Nord,1\n2022,Süd,2\n2023,Nord,3\n2023,Süd,4\n2023,Nord,5\n";
    let profiles = table_profiles::profile_columns(&read(mostly)).unwrap();
    let problem = &profiles[1].problems[0];
    assert_eq!((problem.record, &*problem.text), (5, "2023, Nord"));
    // Almost each date has one city only, so that most values would be missing.
    let events =
        "Date,City,Sales\n2024-01-01,A,1\n2024-01-02,B,2\n2024-01-03,C,3\n2024-01-03,A,4\n";
    assert_eq!(convert("line", events).records.count, 4);
    let count = |kind: &str, years: usize| {
        let rows = (0..years * 30).map(|at| format!("{},P{},1\n", 1990 + at / 30, at % 30));
        let mapped = convert(kind, &format!("Year,Product,Sales\n{}", rows.collect::<String>()));
        (mapped.records.count, mapped.repeated.len())
    };
    // 30 products are too many series, but not too many labels.
    assert_eq!(count("grouped-column", 2), (30, 2));
    assert_eq!(count("grouped-column", 30), (900, 1));
}

#[test]
fn several_columns_of_groups_become_a_path_from_the_outermost_to_the_innermost() {
    let cities = "City,Country,Region,Value\nBerlin,Germany,Europe,3\nOther,Germany,Europe,5\nParis,France,Europe,2\nOther,France,Europe,6\nTokyo,,Asia,4\nOsaka,Japan,Asia,1\n";
    let first = r#"{"label":"Berlin","parent":"Europe › Germany","value":3},{"label":"Other","#;
    for kind in ["treemap", "sunburst"] {
        let found = bodies(&convert(kind, cities));
        assert!(found.starts_with(first), "{kind}: {found}");
        assert!(found.contains(r#"{"label":"Tokyo","parent":"Asia","value":4}"#), "{found}");
    }
    let attributes = "Name,Kind,Status,Team,Place,Phase,Value\nA,x,y,t,p,f,1\nB,x,y,t,p,f,2\nC,z,w,u,q,g,3\nD,z,w,u,q,g,4\n";
    assert!(!bodies(&convert("treemap", attributes)).contains("parent"));
}

#[test]
fn columns_with_equal_headings_keep_their_cells() {
    let mapped = convert("bar", "label,value,label,x,x\nA,1,B,2,3\n,1,C,2,\nD,1,,,3\n");
    assert_eq!(
        bodies(&mapped),
        r#"{"label":"A","value":1,"label (2)":"B","x":2,"x (2)":3},{"value":1,"label (2)":"C","x":2},{"label":"D","value":1,"x (2)":3}"#
    );
}

#[test]
fn rows_with_the_same_name_do_not_become_series() {
    let text = "Kennzahl;2021;2022;2023\nUmsatz;1;2;3\nUmsatz;4;5;6\n";
    assert_eq!(
        bodies(&convert("line", text)),
        r#"{"label":"Umsatz","2021":1,"2022":2,"2023":3},{"label":"Umsatz","2021":4,"2022":5,"2023":6}"#
    );
    let different = convert("line", &text.replace("Umsatz;4", "Kosten;4"));
    assert!(bodies(&different).starts_with(r#"{"label":"2021","Umsatz":1,"Kosten":4}"#));
}

#[test]
fn conversion_stops_at_the_size_limit() {
    let text = format!("label,value\n{}", "A,1\n".repeat(100));
    let table = read(&text);
    let profiles = table_profiles::profile_columns(&table).unwrap();
    let mapping = tables::map_table(&profiles, portfolio::find_kind("bar").unwrap());
    let convert = |max_bytes: usize| {
        convert_table(&table, &profiles, &mapping, RecordLimits { max_bytes, ..LIMITS })
    };
    assert_eq!(convert(2399).unwrap().records.bytes, 2399);
    let error = convert(2298).err().unwrap().to_string();
    assert_eq!(error, "data would be larger than 2298 bytes");
}

#[test]
fn dates_and_percentages_become_values_that_charts_read() {
    let mapped = convert(
        "gantt",
        "Aufgabe;Beginn;Ende;Fortschritt\nA;01.03.2024;15.3.2024;45 %\nB;offen;1.4.2024;7 %\n",
    );
    assert_eq!(
        bodies(&mapped),
        r#"{"label":"A","start":"2024-03-01","end":"2024-03-15","progress":0.45},{"label":"B","start":"offen","end":"2024-04-01","progress":0.07}"#
    );
}

#[test]
fn wide_tables_become_one_record_for_each_cell_or_heading() {
    let cells = convert("heat-map", "Region,Jan,Feb,Note\nNorth,1,,x\nSouth,3,4,\n");
    assert_eq!(
        bodies(&cells),
        r#"{"row":"North","Note":"x","column":"Jan","value":1},{"row":"South","column":"Jan","value":3},{"row":"South","column":"Feb","value":4}"#
    );
    let headings = convert("time-series", "Region,Jan 24,Feb 24,Mrz 24\nN,1,2,3\ndate,4,,6\n");
    assert_eq!(
        bodies(&headings),
        r#"{"date":"2024-01","N":1,"date ":4},{"date":"2024-02","N":2},{"date":"2024-03","N":3,"date ":6}"#
    );
    let names =
        [("N", "N"), ("date ", "date")].map(|(key, name)| (key.to_owned(), name.to_owned()));
    assert_eq!(headings.repeated, names);
    let single = convert("pie", "Region,Rent,Food,Other\nNorth,1,2,3\n");
    assert!(bodies(&single).starts_with(r#"{"Region":"North","label":"Rent","value":1},"#));
}

#[test]
fn a_wide_table_has_a_limited_number_of_records() {
    let text = format!("Region,A,B\n{}", "N,1,2\n".repeat(51));
    let table = read(&text);
    let profiles = table_profiles::profile_columns(&table).unwrap();
    let mapping = tables::map_table(&profiles, portfolio::find_kind("heat-map").unwrap());
    let error = convert_table(&table, &profiles, &mapping, LIMITS).err().unwrap().to_string();
    assert!(error.starts_with("data: would have more than 100 records"), "{error}");
}

#[test]
fn headings_are_keys_without_a_kind() {
    let table = read("Label,Wert,\nA,\"1,5\",x\n");
    let mapping = TableMapping::without_kind(table.headings.iter().cloned());
    let mapped = convert_table(&table, &[], &mapping, LIMITS).unwrap();
    assert_eq!(bodies(&mapped), r#"{"Label":"A","Wert":1.5,"column3":"x"}"#);
}
