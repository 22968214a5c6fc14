//! Uploads of tables with cells that are easily read as something else: the records that they
//! become, and the cells that the response reports.

use serde_json::Value;
use serde_json::json;

use super::messy::create_document;
use super::messy::upload;
use crate::server_process::ServerProcess;

/// A table, the values of its last column, and the reported cells.
struct ReportCase {
    text: &'static str,
    values: fn() -> Value,
    cells: &'static [&'static str],
}

const CASES: &[ReportCase] = &[
    // Dashes in place of decimals are no minus.
    ReportCase {
        text: "Artikel;Preis CHF\nBrot;3.50\nWein;95.--\nUhr;1'204.--\nHut;95-\n",
        values: || json!([3.5, 95, 1204, -95]),
        cells: &[],
    },
    // One currency for each column.
    ReportCase {
        text: "Ort;Preis\nUlm;12,50 €\nAalen;8 €\nBasel;9 CHF\nGmünd;7\n",
        values: || json!([12.5, 8, null, 7]),
        cells: &["B4", "B5"],
    },
    ReportCase {
        text: "Country;Price\nGermany;€ 12,50\nPoland;45,00 zł\nHungary;3.990 Ft\n",
        values: || json!(["€ 12,50", "45,00 zł", "3.990 Ft"]),
        cells: &["B3"],
    },
    ReportCase {
        text: "Stoff;Anteil\nA;5 ‰\nB;3 %\nC;2 %\n",
        values: || json!([0.5, 3, 2]),
        cells: &["B2"],
    },
    // The first amount of an account has the currency of all.
    ReportCase { text: "Item,Cost\nA,$5\nB,7\nC,9\n", values: || json!([5, 7, 9]), cells: &[] },
    ReportCase {
        text: "Ort,Quote\nA,12%\nB,0.15\nC,9%\n",
        values: || json!([12, 0.15, 9]),
        cells: &["B3"],
    },
    // A list of decimal commas, and lines with separators at the end or in a note.
    ReportCase { text: "Wert\n1,5\n2,5\n3,75\n", values: || json!([1.5, 2.5, 3.75]), cells: &[] },
    ReportCase {
        text: "Ort;Wert\nUlm;12,5;\nAalen;7,25;;\n\nQuelle: Amt; Stand 2024; Berechnung\n",
        values: || json!([12.5, 7.25]),
        cells: &["A5"],
    },
    // Rows of units.
    ReportCase {
        text: "Land;BIP\n;Mrd. €\nIrland;505,5\nMalta;17,2\n",
        values: || json!([505.5, 17.2]),
        cells: &[],
    },
    ReportCase {
        text: "Alter;Insgesamt;Frauen\n;1 000;1 000\n15 bis 25;134;64\n25 bis 35;208;107\n",
        values: || json!([64, 107]),
        cells: &[],
    },
    // Marks of footnotes.
    ReportCase {
        text: "Land;Wert\nBayern;12,4\nHessen;11,1*\nSachsen;9,8¹)\nBerlin;10,2 (x)\n",
        values: || json!([12.4, 11.1, 9.8, 10.2]),
        cells: &["B1"],
    },
    // Columns of which most cells cannot be read.
    ReportCase {
        text: "Task;Milestone\nA;no\nB;oui\nC;yes\n",
        values: || json!(["no", "oui", "yes"]),
        cells: &["B3"],
    },
    ReportCase {
        text: "Ort,Besuche\nA,1.20E+06\nB,950000\nC,1100000\n",
        values: || json!([1200000, 950000, 1100000]),
        cells: &[],
    },
    // Numbers that are dates.
    ReportCase {
        text: "Wert;Datum\n10;45292\n12;45323\n",
        values: || json!(["2024-01-01", "2024-02-01"]),
        cells: &["B1"],
    },
    ReportCase {
        text: "visits,date\n120,20240101\n98,20240102\n",
        values: || json!(["2024-01-01", "2024-01-02"]),
        cells: &["B1"],
    },
    ReportCase {
        text: "price,time\n1,2024-01-01T00:00:00Z\n2,2024-01-01T01:00:00+01:00\n",
        values: || json!(["2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"]),
        cells: &["B3"],
    },
    // Magnitudes of other languages.
    ReportCase {
        text: "Firma;Omsætning\nA;1,2 mia. kr.\nB;850 mio. kr.\n",
        values: || json!([1200000000, 850000000]),
        cells: &[],
    },
    ReportCase {
        text: "項目\t金額\n売上\t3億円\n費用\t△456万円\n",
        values: || json!([300000000, -4560000]),
        cells: &[],
    },
    ReportCase {
        text: "Estado;Receita\nAcre;R$ 1,2 bi\nGoiás;R$ 850 mi\nPará;R$ 12 mil\n",
        values: || json!([1200000000, 850000000, 12000]),
        cells: &[],
    },
    // As many decimal points as commas.
    ReportCase {
        text: "Ort;Wert\nUlm;5,2\nAalen;3.1\nGmünd;7,5\nBasel;8.25\n",
        values: || json!(["5,2", "3.1", "7,5", "8.25"]),
        cells: &["B3"],
    },
    // Tables side by side, as rows of JSON.
    ReportCase {
        text: r#"[["Team","P",null,"Team","G"],["A",72,null,"X",77],["B",63,null,"Y",33]]"#,
        values: || json!([72, 63]),
        cells: &["D1"],
    },
];

/// Compares values, with whole numbers equal to decimal ones.
fn are_equal(found: &Value, want: &Value) -> bool {
    match (found.as_f64(), want.as_f64()) {
        (Some(found), Some(want)) => found == want,
        _ => found == want,
    }
}

#[test]
fn doubtful_cells_are_read_or_reported() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let mut failures = Vec::new();
    for case in CASES {
        let is_json = case.text.starts_with('[');
        let media_type = if is_json { "application/json" } else { "text/csv" };
        let response = upload(&server, &endpoint, media_type, case.text.as_bytes());
        let document = server.ann().get(&endpoint).expect(200).json();
        let records = document["data"].as_array().unwrap();
        let last = |record: &Value| record.as_object().unwrap().values().next_back().cloned();
        let values: Vec<Value> = records.iter().filter_map(last).collect();
        let wanted = (case.values)();
        let wanted = wanted.as_array().unwrap();
        let problems = response["table"]["problems"].as_array().unwrap();
        let cells: Vec<&str> =
            problems.iter().map(|problem| problem["cell"].as_str().unwrap()).collect();
        let has_values = values.len() == wanted.len()
            && values.iter().zip(wanted).all(|(found, want)| are_equal(found, want));
        if !has_values || cells != case.cells {
            failures.push(format!("{}\n{values:?}\n{problems:?}", case.text));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn images_leave_amounts_in_other_currencies_out() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let records = json!([
        { "label": "Ulm", "value": "12 €" },
        { "label": "Aalen", "value": "8 €" },
        { "label": "Basel", "value": "7777 CHF" },
    ]);
    server.ann().put(&format!("{endpoint}/data"), records).expect(200);
    let svg = server.ann().get(&format!("{endpoint}.svg?text=letters")).expect(200).text();
    assert!(svg.contains("Basel") && !svg.contains("7,777"), "{svg}");
}

#[test]
fn notes_below_the_first_table_become_the_footer() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let owner = server.ann().with_header("content-type", "text/csv");
    let put = |endpoint: &str, table: &str| -> Value {
        let path = format!("{endpoint}/data");
        owner.send_bytes("PUT", &path, Some(table.as_bytes())).expect(200).json()
    };
    let save = |table: &str| -> Value {
        put(&endpoint, table);
        server.ann().get(&endpoint).expect(200).json()["style"]["footer"].clone()
    };
    let first = "City,Visitors\nUlm,12\nBonn,8\nSource: R&D <Ulm>,\n* estimated,\n";
    assert_eq!(save(first), "Source: R&amp;D &lt;Ulm&gt;<br>* estimated");
    let svg = server.ann().get(&format!("{endpoint}.svg?text=letters")).expect(200).text();
    assert!(svg.contains("Source: R&amp;D &lt;Ulm&gt;"), "{svg}");
    // Later tables do not change the footer.
    let second = "City,Visitors\nUlm,12\nBonn,9\nSource: other,\n";
    assert_eq!(save(second), "Source: R&amp;D &lt;Ulm&gt;<br>* estimated");
    // A note below the only column of numbers is no value.
    let table = "Minutes\n12\n8\n15\nSource: survey\n";
    let endpoint = create_document(&server);
    let response = put(&endpoint, table);
    assert_eq!(response["left_out_rows"][0]["text"], "Source: survey");
    // A comma without quotes splits a note into cells.
    let table = "City,Visitors\nUlm,12\nBonn,8\nSource: World Bank, 2023\n";
    let endpoint = create_document(&server);
    let response = put(&endpoint, table);
    assert_eq!(response["left_out_rows"][0]["text"], "Source: World Bank, 2023");
    let document = server.ann().get(&endpoint).expect(200).json();
    assert_eq!(document["style"]["footer"], "Source: World Bank, 2023");
    assert_eq!(document["data"].as_array().unwrap().len(), 2);
}

#[test]
fn texts_in_a_column_of_the_kind_for_numbers_are_reported() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let owner = server.ann().with_header("content-type", "text/csv");
    let table = "label,value\nA,high\nB,low\nC,3\nD,n/a\n";
    let response =
        owner.send_bytes("PUT", &format!("{endpoint}/data"), Some(table.as_bytes())).expect(200);
    let problem = |record: usize, text: &str| json!({ "column": "value", "record": record, "text": text, "message": "is not a number" });
    assert_eq!(response.json()["problems"], json!([problem(1, "high"), problem(2, "low")]));
}

#[test]
fn a_table_with_an_open_quote_or_a_single_cell_is_refused_with_the_reason() {
    let server = ServerProcess::new();
    let document = create_document(&server);
    let before = server.ann().get(&document).expect(200).json()["data"].clone();
    for (text, message) in [
        ("a,b\n1,2\n3,\"4\n5,6\n", "has a quotation mark in line 3 without a closing one"),
        ("\"a,b\n1,2\n", "has a quotation mark in line 1 without a closing one"),
        ("Hello", "has only one cell, but needs headings and a row below them"),
        ("\n\"Hello\"\n\n", "has only one cell, but needs headings and a row below them"),
    ] {
        for (method, path) in
            [("POST", "/api/v1/tables".to_owned()), ("PUT", format!("{document}/data"))]
        {
            let client = server.ann();
            let client = client.with_header("content-type", "text/csv");
            let response = client.send(method, &path, Some(text)).expect(400);
            assert!(response.text().contains(message), "{text:?}: {response}");
        }
    }
    assert_eq!(server.ann().get(&document).expect(200).json()["data"], before);
}
