//! Tests of the table reader: files of independent writers, HTML, JSON, hostile files, and uploads.
//!
//! `tables/fixtures/write_fixtures.py` and `write_fixtures.mjs` wrote the files in the same folder, and
//! `write_worksheets.py` and `write_worksheets.mjs` those in the folder `worksheets`.

mod download;
mod envelopes;
mod exports;
mod hostile;
mod hostile_worksheets;
mod messy;
mod random;
mod reports;
mod shown_dates;
mod worksheets;
pub mod zip_file;

use chartroom::features::table_reader;
use chartroom::features::table_reader::CellKind;
use chartroom::features::table_reader::Limits;
use chartroom::features::table_reader::ReadOptions;
use chartroom::features::table_reader::Table;
use chartroom_platform::error::Result;
use serde_json::Value;
use serde_json::json;

use crate::server_process::ServerProcess;

/// Limits of a server with default settings.
const LIMITS: Limits = Limits { max_rows: 100_000, max_text_bytes: 16 << 20, deadline: None };

/// Returns the content of a fixture.
fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tables/fixtures/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

/// Reads a file of unknown type.
fn read<'a>(bytes: &'a [u8], sheet: Option<&str>) -> Result<Table<'a>> {
    let content_type = Some("application/octet-stream");
    table_reader::read(
        bytes,
        &ReadOptions { content_type, sheet, ..ReadOptions::default() },
        LIMITS,
    )
}

/// Reads a text with a declared type.
fn read_text<'a>(text: &'a str, content_type: &str) -> Result<Table<'a>> {
    let options = ReadOptions { content_type: Some(content_type), ..ReadOptions::default() };
    table_reader::read(text.as_bytes(), &options, LIMITS)
}

/// Returns the message of the error.
fn error_of(result: Result<Table<'_>>) -> String {
    result.err().expect("the table must be refused").to_string()
}

/// Returns the rows as JSON, with the letter of the type before each cell that is not a text.
fn rows(table: &Table<'_>) -> Value {
    let mut all = Vec::new();
    let mut rows = table.rows().unwrap();
    while let Some(row) = rows.next_row().unwrap() {
        let cells = row.cells().map(|cell| match cell.kind {
            CellKind::Text => cell.text.to_owned(),
            CellKind::Number => format!("n {}", cell.text),
            CellKind::Percentage => format!("{} %", cell.text),
            CellKind::Currency(currency) => format!("c {}", currency.add_to(cell.text)),
            CellKind::Date => format!("d {}", cell.text),
            CellKind::Boolean => format!("b {}", cell.text),
        });
        all.push(cells.collect::<Vec<String>>());
    }
    json!(all)
}

/// Returns the report as JSON.
fn report(table: &Table<'_>) -> Value {
    serde_json::to_value(&table.report).unwrap()
}

/// The first rows of all files: region, value, date, time stamp, duration, active. `third` is the third value,
/// which not every writer writes in full.
fn common_rows(third: &str) -> Vec<Value> {
    let (stamp, length) = ("d 2024-03-31T13:05:00", "d 27:30:00");
    vec![
        json!(["Nord & Süd", "n 1284.5", "d 2024-03-31", stamp, length, "b TRUE"]),
        json!(["007", "n -12", "d 2024-02-29", stamp, length, "b FALSE"]),
        json!(["Łódź 日本", third, "d 1999-12-31", stamp, length, "b TRUE"]),
    ]
}

#[test]
fn workbooks_of_xlsxwriter_are_read() {
    for name in ["xlsxwriter.xlsx", "xlsxwriter-1904.xlsx", "xlsxwriter-constant-memory.xlsx"] {
        let bytes = fixture(name);
        let table = read(&bytes, None).unwrap();
        let headings = ["Region", "Umsatz", "Datum", "Stand", "Dauer", "Aktiv"];
        assert_eq!(table.headings, headings, "{name}");
        let mut want = common_rows("n 0.3");
        want.extend([json!(["Rich Text"]), json!(["Sum", "n 1272.8"])]);
        assert_eq!(rows(&table), json!(want), "{name}");
        let problem = json!({ "cell": "C8", "message": "contains the error #DIV/0!; left empty" });
        assert_eq!(
            report(&table),
            json!({
                "format": "xlsx", "sheet": "Zahlen 2024", "other_sheets": ["Andere"],
                "title": "Umsatz nach Region", "header_row": 4, "rows": 5, "problems": [problem], "more_problems": 0,
            }),
            "{name}"
        );
    }
}

#[test]
fn numbers_with_percent_formats_are_percentages() {
    let names = ["xlsxwriter.xlsx", "openpyxl.xlsx", "xlwt.xls", "odfpy.ods"];
    for name in names {
        let bytes = fixture(&format!("percentages-{name}"));
        let table = read(&bytes, None).unwrap();
        let shares = ["23.6 %", "0.05 %", "-125 %", "100 %"];
        let want = ["Nord", "Süd", "West", "Summe"].into_iter().zip(shares);
        let want: Vec<[&str; 2]> = want.map(|(region, share)| [region, share]).collect();
        assert_eq!(rows(&table), json!(want), "{name}");
    }
}

#[test]
fn numbers_with_currency_formats_keep_their_currencies() {
    for name in ["xlsxwriter.xlsx", "openpyxl.xlsx", "xlwt.xls", "odfpy.ods"] {
        let bytes = fixture(&format!("currencies-{name}"));
        let table = read(&bytes, None).unwrap();
        assert_eq!(
            rows(&table),
            json!([
                ["Nord", "c 1284.5 €", "c $12", "c 5 €"],
                ["Süd", "c -95.5 €", "c $7.25", "c 6 €"],
                ["West", "c 3 €", "c $8", "c CHF 7"],
            ]),
            "{name}"
        );
    }
}

#[test]
fn a_worksheet_is_chosen_by_name_and_never_replaced() {
    let bytes = fixture("xlsxwriter.xlsx");
    let other = read(&bytes, Some("Andere")).unwrap();
    assert_eq!(
        (other.headings.join(","), rows(&other)),
        ("a,b".to_owned(), json!([["n 1", "n 2"]]))
    );
    for name in ["Geheim", "andere", "Bild", ""] {
        assert_eq!(
            error_of(read(&bytes, Some(name))),
            format!(
                "sheet: there is no visible worksheet {name:?}; there are \"Zahlen 2024\", \"Andere\""
            )
        );
    }
    assert_eq!(
        error_of(read(b"a,b\n1,2\n", Some("x"))),
        "sheet: must be absent, because the file has no worksheets, not \"x\""
    );
}

#[test]
fn workbooks_of_openpyxl_are_read() {
    let bytes = fixture("openpyxl.xlsx");
    assert_eq!(
        error_of(read(&bytes, None)),
        "body: has no cells in worksheet \"Leer\"; choose another one with the parameter sheet: \"Daten\""
    );
    let table = read(&bytes, Some("Daten")).unwrap();
    let mut want = common_rows("n 0.3");
    want.push(json!(["", "n 5"]));
    assert_eq!(rows(&table), json!(want));
    assert_eq!(report(&table)["problems"][0]["cell"], "A5");
}

#[test]
fn workbooks_of_xlwt_are_read() {
    for name in ["xlwt.xls", "xlwt-1904.xls"] {
        let bytes = fixture(name);
        let table = read(&bytes, None).unwrap();
        let mut want = common_rows("n 0.30000000000000004");
        want.push(json!(["Fehler"]));
        assert_eq!(rows(&table), json!(want), "{name}");
        let report = report(&table);
        assert_eq!((&report["format"], &report["other_sheets"]), (&json!("xls"), &json!(["Lang"])));
        assert_eq!(report["problems"][0]["cell"], "B5");
        // Its texts fill several records.
        let long = read(&bytes, Some("Lang")).unwrap();
        let want = (1..400)
            .map(|row| {
                let text = format!("{row} {}{}", "Größe 日本 ".repeat(8), "x".repeat(row % 50));
                json!([text.trim(), format!("n {row}")])
            })
            .collect::<Vec<Value>>();
        assert_eq!(rows(&long), json!(want), "{name}");
    }
}

#[test]
fn spreadsheets_of_odfpy_are_read() {
    let bytes = fixture("odfpy.ods");
    let table = read(&bytes, None).unwrap();
    let mut want = common_rows("n 0.30000000000000004");
    want.extend([json!(["two\nlines", "n 7"]), json!(["two\nlines", "n 7"])]);
    assert_eq!(rows(&table), json!(want));
    let report = report(&table);
    assert_eq!((&report["format"], &report["header_row"]), (&json!("ods"), &json!(3)));
    assert_eq!(report["sheet"], "Zahlen");
}

#[test]
fn files_of_sheetjs_are_read() {
    for (name, format) in [
        ("sheetjs.xlsx", "xlsx"),
        ("sheetjs.xlsb", "xlsb"),
        ("sheetjs.xls", "xls"),
        ("sheetjs.ods", "ods"),
    ] {
        let bytes = fixture(name);
        let table = read(&bytes, None).unwrap();
        let report = report(&table);
        assert_eq!(
            (&report["format"], &report["sheet"]),
            (&json!(format), &json!("Zahlen")),
            "{name}"
        );
        let rows = rows(&table);
        assert_eq!(rows[0][0], "Nord & Süd", "{name}");
        assert_eq!(rows[0][1], "n 1284.5", "{name}");
        assert_eq!(rows[1][0], "007", "{name}");
        assert_eq!(rows[2][0], "Łódź 日本", "{name}");
        assert_eq!(rows[2][1], "n 0.30000000000000004", "{name}");
        assert_eq!(rows[1][4], "b FALSE", "{name}");
        assert_eq!(rows[4], json!(["Formel", "n 5"]), "{name}");
        // SheetJS 0.18 writes ods without the types of dates.
        if format != "ods" {
            let others = json!(["Andere"]);
            assert_eq!(report["other_sheets"], others, "{name}");
            assert_eq!(rows[0][2], "d 2024-03-31", "{name}");
            assert_eq!(rows[0][3], "d 2024-03-31T13:05:00", "{name}");
            assert_eq!(rows[1][3], "d 27:30:00", "{name}");
            assert_eq!(rows[2][2], "d 1999-12-31", "{name}");
            assert_eq!(report["problems"][0]["cell"], "B5", "{name}");
            assert_eq!(rows[3], json!(["Fehler"]), "{name}");
        }
    }
    assert_eq!(
        error_of(read(&fixture("sheetjs-biff5.xls"), None)),
        "body: is a file of Excel 95 or older; save it as xlsx"
    );
}

#[test]
fn files_of_libreoffice_are_read() {
    for format in ["xlsx", "xls", "ods"] {
        let bytes = fixture(&format!("libreoffice.{format}"));
        let table = read(&bytes, None).unwrap();
        let report = report(&table);
        assert_eq!((&report["format"], &report["header_row"]), (&json!(format), &json!(4)));
        assert_eq!(report["other_sheets"], json!(["Andere", "Bild"]), "{format}");
        assert_eq!(report["problems"][0]["cell"], "C8", "{format}");
        let mut want = common_rows("n 0.3");
        if format == "ods" {
            // LibreOffice writes the booleans of this file as numbers.
            for (row, value) in want.iter_mut().zip(["n 1", "n 0", "n 1"]) {
                row[5] = json!(value);
            }
        }
        want.push(json!(["Rich Text"]));
        // LibreOffice writes the text of a formula as the number 0 to xls files.
        want.push(json!([if format == "xls" { "n 0" } else { "Sum" }, "n 1272.8"]));
        assert_eq!(rows(&table), json!(want), "{format}");
    }
}

#[test]
fn cells_below_merged_cells_and_comments_of_ods_are_left_out() {
    let cell = |name: &str, content: &str| {
        format!("<table:{name} office:value-type=\"string\">{content}</table:{name}>")
    };
    let bytes = zip_file::ods(&format!(
        "<table:table-row>{}{}</table:table-row><table:table-row>{}{}</table:table-row>",
        cell("table-cell", "<text:p>a</text:p>"),
        cell(
            "table-cell",
            "<office:annotation><text:p>x</text:p></office:annotation><text:p>b</text:p>"
        ),
        cell("table-cell", "<text:p>c<text:s text:c=\"2\"/><text:span>d</text:span></text:p>"),
        cell("covered-table-cell", "<text:p>hidden</text:p>"),
    ));
    let table = read(&bytes, None).unwrap();
    assert_eq!((table.headings.join(","), rows(&table)), ("a,b".to_owned(), json!([["c  d"]])));
}

#[test]
fn html_tables_are_read() {
    let clipboard = "<html><head><style>td{a:b}</style><title>x</title></head><body>\
        <!--StartFragment--><table><tr><td>x</td></tr></table>\
        <table border=1><caption>Umsatz</caption><colgroup><col></colgroup>\
        <thead><tr><th rowspan=2>Region<th colspan='2'>Wert &amp; Ziel</tr><tr><th>Ist<th>Soll</thead>\
        <tbody><tr><td>Nord&nbsp;<br>Ost<td>1.284,5<td>2\
        <tr><td rowspan=2>S&uuml;d</td><td>3</td><td>4</td></tr><tr><td>5</td>\
        <td><table><tr><td>innen</td></tr></table>6</td></tr></tbody></table>\
        <script>document.write('<table>')</script></body></html>";
    let table = read_text(clipboard, "text/html; charset=utf-8").unwrap();
    assert_eq!(table.headings, ["Region", "Wert & Ziel, Ist", "Wert & Ziel, Soll"]);
    assert_eq!(
        rows(&table),
        json!([["Nord Ost", "1.284,5", "2"], ["Süd", "3", "4"], ["", "5", "6"]])
    );
    let report = report(&table);
    assert_eq!((&report["format"], &report["header_row"]), (&json!("html"), &json!(3)));
    assert_eq!(report["encoding"], "UTF-8");
    assert_eq!(error_of(read_text("<p>1</p>", "text/html")), "body: has no table with cells");
    // Programs send HTML with the type of a workbook.
    let html = "<TABLE><TR><TD>a</TD><TD>b</TD></TR><TR><TD>1</TD><TD>2</TD></TR></TABLE>";
    let table = read_text(html, "application/vnd.ms-excel").unwrap();
    assert_eq!(rows(&table), json!([["1", "2"]]));
}

#[test]
fn eurostat_flags_are_left_out_and_reported_once_per_column() {
    let text = "geo\\TIME_PERIOD\t2022 \t2023 \t2024 \nBE\t5.2 b\t: \t3.4 p\n\
                DE\t12.1 \t11.5 e\t7 p\nFR\t: c\t9.9 be\t: z\n";
    let table = read_text(text, "text/tab-separated-values").unwrap();
    assert_eq!(
        rows(&table),
        json!([
            ["BE", "5.2", ":", "3.4 p"],
            ["DE", "12.1", "11.5", "7 p"],
            ["FR", ":", "9.9", ": z"]
        ])
    );
    assert_eq!(
        report(&table)["problems"],
        json!([
            { "cell": "B1", "message": "has flags or marks of footnotes, which are left out: b (1), c (1)" },
            { "cell": "C1", "message": "has flags or marks of footnotes, which are left out: b (1), e (2)" },
        ])
    );
    // The same letter after all numbers is a unit.
    let table = read_text("name,length\nA,5 m\nB,6 m\n", "text/csv").unwrap();
    assert_eq!(rows(&table), json!([["A", "5 m"], ["B", "6 m"]]));
    assert_eq!(report(&table)["problems"], json!([]));
}

#[test]
fn arrays_of_arrays_are_read() {
    let text = r#" [ ["Region", "Wert", 2024], ["Nord", 1.5, true], [null, -3, "95,5"], [] ]"#;
    let table = read_text(text, "application/json").unwrap();
    assert_eq!(table.headings, ["Region", "Wert", "2024"]);
    assert_eq!(rows(&table), json!([["Nord", "n 1.5", "b TRUE"], ["", "n -3", "95,5"]]));
    for (text, want) in [
        (r#"[["a"], [{}]]"#, "invalid type: map, expected a string, a number, true, false or null"),
        (r#"[["a"], {}]"#, "invalid type: map, expected an array of cells"),
        (r#"[["a"], ["#, "EOF while parsing a list"),
        (r#"[["a"]] x"#, "trailing characters"),
        (r#"[[]]"#, "must have a first row with column headings"),
    ] {
        let error = error_of(read_text(text, "application/json"));
        assert!(error.starts_with(&format!("body: {want}")), "{text}: {error}");
    }
}

#[test]
fn an_uploaded_workbook_becomes_the_data_of_a_document() {
    let server = ServerProcess::new();
    let created = server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let endpoint = created.expect(200).json()["endpoint"].as_str().unwrap().to_owned();
    let path = endpoint.strip_prefix(&server.base_url).unwrap().to_owned();
    let send = |content_type: &str, query: &str, name: &str| {
        let owner = server.ann().with_header("content-type", content_type);
        owner.send_bytes("PUT", &format!("{path}/data{query}"), Some(&fixture(name)))
    };
    let xlsx = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    let saved = send(xlsx, "", "xlsxwriter.xlsx").expect(200).json();
    assert_eq!(saved["table"]["sheet"], "Zahlen 2024");
    assert_eq!(saved["table"]["problems"][0]["cell"], "C8");
    assert!(saved["urls"].is_object());
    let document = server.ann().get(&path).expect(200).json();
    let first = json!({
        "label": "Nord & Süd", "value": 1284.5, "Datum": "2024-03-31",
        "Stand": "2024-03-31T13:05:00", "Dauer": "27:30:00", "Aktiv": "TRUE",
    });
    assert_eq!(document["data"][0], first);
    let svg = server.ann().get(&format!("{path}.svg")).expect(200);
    assert!(svg.text().contains("Nord &amp; Süd"));
    // The content decides, whatever the client declares.
    for content_type in ["application/vnd.ms-excel", "application/octet-stream", "text/csv"] {
        assert_eq!(
            send(content_type, "", "odfpy.ods").expect(200).json()["table"]["format"],
            "ods"
        );
    }
    let absent = send(xlsx, "?sheet=Nirgends", "xlsxwriter.xlsx").expect(400).json();
    assert_eq!(absent["errors"][0]["field"], "sheet");
    let other = send(xlsx, "?sheet=Andere", "xlsxwriter.xlsx").expect(200).json();
    assert_eq!(other["table"]["rows"], 1);
    let records = server.ann().put(&format!("{path}/data"), json!([{ "label": "A", "value": 1 }]));
    assert!(records.expect(200).json().get("table").is_none());
    let image = server.ann().with_header("content-type", "image/png");
    image.send("PUT", &format!("{path}/data"), Some("x")).expect(415);
}

#[test]
fn the_currency_of_a_number_format_becomes_the_unit_of_its_column() {
    let server = ServerProcess::new();
    let set_data = |kind: &str, name: &str| {
        let created = server.ann().post("/api/v1/create-document", json!({ "widget": kind }));
        let endpoint = created.expect(200).json()["endpoint"].as_str().unwrap().to_owned();
        let path = endpoint.strip_prefix(&server.base_url).unwrap().to_owned();
        let owner = server.ann().with_header("content-type", "application/octet-stream");
        owner.send_bytes("PUT", &format!("{path}/data"), Some(&fixture(name))).expect(200);
        server.ann().get(&path).expect(200).json()
    };
    for name in ["openpyxl.xlsx", "xlwt.xls", "odfpy.ods"] {
        let document = set_data("bar", &format!("currencies-{name}"));
        assert_eq!(document["data"][0]["value"], 1284.5, "{name}");
        let rules = &document["settings"]["rulesets"]["value"];
        assert_eq!(*rules, json!({ "suffix": "\u{a0}€" }), "{name}");
        // An amount in another currency than most of its column is no number of the column.
        let costs = [&document["data"][0]["Kosten"], &document["data"][2]["Kosten"]];
        assert_eq!(costs, [&json!(5), &json!(null)], "{name}");
    }
}
