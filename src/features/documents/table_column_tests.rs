//! Tests of whole tables: the columns of a kind that their headings find, and numbers of a table chart.

use super::table_profiles;
use super::table_records;
use super::table_tests::records;
use super::table_tests::settings;
use crate::features::documents::records::RecordLimits;
use crate::features::portfolio;
use crate::features::table_reader;
use crate::features::table_reader::Limits;
use crate::features::table_reader::ReadOptions;
use crate::features::tables;

#[test]
fn coordinates_are_found_by_headings_of_several_languages() {
    for (latitude, longitude) in [
        ("Breite", "Länge"),
        ("Breitengrad", "Längengrad"),
        ("geogr. Breite", "geogr. Länge"),
        ("Geographische Breite", "Geographische Länge"),
        ("Latitude", "Longitude"),
        ("Latitud", "Longitud"),
        ("Latitudine", "Longitudine"),
    ] {
        for height in ["Höhe in m", "Höhe (m)"] {
            let text = format!(
                "Ort\t{latitude}\t{longitude}\t{height}\nWien\t48,2\t16,37\t150\nGraz\t47,07\t15,44\t353\n"
            );
            assert_eq!(
                records("point-map", &text),
                r#"{"label":"Wien","latitude":48.2,"longitude":16.37,"value":150},{"label":"Graz","latitude":47.07,"longitude":15.44,"value":353}"#,
                "{text}"
            );
        }
    }
    // The sizes of a box.
    let box_sizes = "Kiste;Breite;Länge;Höhe\nA;48,2;16,4;10,5\nB;47,1;15,4;12,5\n";
    assert!(!records("point-map", box_sizes).contains("latitude"));
    let with_units =
        "Kiste;Breite in cm;Länge in cm;Höhe in cm\nA;48,2;16,4;10,5\nB;47,1;15,4;12\n";
    assert!(!records("point-map", with_units).contains("latitude"));
}

#[test]
fn the_band_of_a_projection_is_found_by_headings_of_several_languages() {
    for (low, high) in [
        ("von", "bis"),
        ("from", "to"),
        ("low", "high"),
        ("unten", "oben"),
        ("untere", "obere"),
        ("Unterer", "Oberer"),
        ("min", "max"),
        ("Untergrenze", "Obergrenze"),
        ("Borne inférieure", "Borne supérieure"),
        ("Límite inferior", "Límite superior"),
        ("desde", "hasta"),
        ("Minimo", "Massimo"),
    ] {
        let text = format!("Jahr;Wert;{low};{high}\n2022;12;;\n2023;14;12;16\n2024;15;11;19\n");
        let found = records("projection", &text);
        assert!(found.ends_with(r#""value":15,"low":11,"high":19}"#), "{found}");
    }
}

#[test]
fn numbers_of_a_json_table_stay_numbers_in_a_table_chart() {
    let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
    let json =
        br#"[["Name","Sales","Note"],["A",1234.5,7],["B",-99,"x"],["C","007",1234567890123456]]"#;
    let options = ReadOptions { content_type: Some("application/json"), ..ReadOptions::default() };
    let table = table_reader::read(json, &options, limits).unwrap();
    let profiles = table_profiles::profile_columns(&table).unwrap();
    let mapping = tables::map_table(&profiles, portfolio::find_kind("table").unwrap());
    let limits = RecordLimits { max_records: 100, max_bytes: 1 << 20 };
    let mapped = table_records::convert_table(&table, &profiles, &mapping, limits).unwrap();
    assert_eq!(
        mapped.records.chunks[0].body,
        r#"{"Name":"A","Sales":1234.5,"Note":7},{"Name":"B","Sales":-99,"Note":"x"},{"Name":"C","Sales":"007","Note":"1234567890123456"}"#
    );
}

#[test]
fn an_axis_named_value_keeps_its_name_beside_a_named_axis() {
    for kind in ["quadrant", "scatter"] {
        for heading in ["Value", "Wert"] {
            let text = format!("Tool,Speed,{heading}\nA,3,4\nB,5,2\nC,1,6\nD,4,4\n");
            let found = settings(kind, &text);
            assert!(found.contains(r#""xTitle":"Speed""#), "{kind}: {found}");
            assert!(found.contains(&format!(r#""yTitle":"{heading}""#)), "{kind}: {found}");
        }
        // Keys and titles of the columns of a chart say nothing about the measure.
        for headings in ["Speed,y", "x,y"] {
            let found = settings(kind, &format!("Tool,{headings}\nA,3,4\nB,5,2\nC,1,6\n"));
            assert!(!found.contains("yTitle"), "{kind}, {headings}: {found}");
        }
    }
    let vertical = settings("quadrant", "Tool,Speed,Vertical\nA,3,4\nB,5,2\nC,1,6\n");
    assert!(!vertical.contains("yTitle"), "{vertical}");
    let bars = settings("bar", "Tool,Value\nA,3\nB,5\nC,1\n");
    assert!(!bars.contains("Title"), "{bars}");
}
