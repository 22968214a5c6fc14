//! Tests of the decision between headings and a record.

use super::*;

/// Returns whether the first line of a text with semicolons is a record.
fn is_record_in(text: &str) -> bool {
    let rows = text.lines().map(|line| line.split(';').map(Cell::from_text).collect());
    let rows: Vec<Vec<Cell<'_>>> = rows.collect();
    is_record(&rows[0], &rows[1..])
}

#[test]
fn a_first_row_with_values_is_a_record() {
    for text in [
        "Jänner;120\nFebruar;130\nMärz;140",
        "Jan;1950\nFeb;2010\nMär;1890",
        "2020;5\n2021;6\n2022;7",
        "2020;5;7\n2021;6;8",
        "Wien;5,5\nGraz;6,1",
        "Wien;10;20;30\nGraz;15;25;35",
        "Wien;10;20;30\nGraz;12;22;31",
        "A;1;2;3\nB;4;5;6\nC;7;8;9",
        "Wien;12;19;11\nGraz;15;8;20",
        "Wien;1.5 Mio;k. A.\nGraz;2 Mio;5",
        "Wien;12 %\nGraz;15 %",
        "Wien;2019;120\nGraz;2020;130",
        "Karl;1950;2010\nOtto;1920;1999",
        "20\n22\n24\n25",
        "2019\n2020\n2021",
        "20,5\n22,3",
        "01.02.2024;12\n02.02.2024;15",
        "Bau;01.02.2024;12.03.2024\nPutz;03.03.2024;01.04.2024",
        "Anna;25:13\nBen;26:10",
        "Anna;12 h\nBen;8 h",
        "12,5 kg\n13,1 kg",
        "A;n/a\nB;3\nC;5",
        "Wien;5",
        "Wien;;5\nGraz;3;4",
        "Start;100\nJan;20\nFeb;-10\nEnde;110",
    ] {
        assert!(is_record_in(text), "{text}");
    }
}

#[test]
fn a_first_row_of_headings_is_no_record() {
    for text in [
        "Monat;Umsatz\nJan;120",
        "Land;2019;2020;2021\nA;5;6;7",
        "Wert;2019;2020;2021\nA;1998;6;7",
        "Land;2023\nA;5",
        ";2023;2024\nNord;1;2",
        ";120;130\nNord;1;2",
        "Strecke;0;1;2;3\nA;5;9;7;2",
        "Alter;18;25;40\nA;5;9;7",
        "Höhe;100;200;300\nA;5;9;7",
        "Q;1;2;3;4;5\nA;12;30;20;8;2",
        "Szenario;10 %;50 %;90 %\nA;5;9;7",
        "Region;0-14;15-64;65+\nA;5;9;7",
        "Region;0;1-4;5-9\nA;5;9;7",
        "Region;Q1;Q2\nA;5;9",
        "Region;01.01.2024;01.02.2024\nA;5;9",
        "Region;08:00;09:00\nA;5;9",
        "Region;5 min;10 min\nA;5;9",
        "Region;KW 1;KW 2\nA;5;9",
        "Jahr;Wert\n2020;5",
        "Zeitraum;2023\nQ1;5\nQ2;6",
        "Wert\n5\n6",
        "2023\n120\n130",
        "Von;Nach\nA;B",
        "Fach;1;2\nMathe;ja;nein",
        "2019;2020\n5;6",
    ] {
        assert!(!is_record_in(text), "{text}");
    }
}

#[test]
fn digits_in_a_text_above_typed_numbers_are_a_heading() {
    let typed = |text| Cell { text, kind: CellKind::Number };
    let names = |text| Cell::from_text(text);
    let below = vec![vec![names("A"), typed("5")], vec![names("B"), typed("6")]];
    assert!(!is_record(&[names("Ort"), names("120")], &below));
    assert!(!is_record(&[names("x"), names("120")], &below));
    assert!(is_record(&[names("x"), typed("120")], &below));
}
