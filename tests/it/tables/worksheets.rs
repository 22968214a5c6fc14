//! Worksheets with all their cells, of files of independent writers and of small files.
//!
//! `tables/fixtures/write_worksheets.py` and `write_worksheets.mjs` wrote the files.

use chartroom::features::table_reader;
use chartroom::features::table_reader::Limits;
use chartroom::features::table_reader::ReadOptions;
use chartroom::features::table_reader::SheetChoice;
use chartroom::features::table_reader::SheetSelection;
use chartroom::features::table_reader::Worksheet;
use chartroom_platform::error::Result;
use chartroom_platform::memory_budget::MemoryBudget;
use serde_json::Value;
use serde_json::json;

use super::LIMITS;
use super::fixture;
use super::rows;
use super::zip_file::ods;
use super::zip_file::xlsx;
use super::zip_file::xlsx_with_sheets;

/// Reads a worksheet of a file of unknown type.
pub fn read_worksheet(bytes: &[u8], choice: SheetChoice<'_>) -> Result<Worksheet> {
    let options =
        ReadOptions { content_type: Some("application/octet-stream"), ..ReadOptions::default() };
    table_reader::read_worksheet(bytes, &options, choice, Limits::WORKSHEETS)
}

/// Returns the rows of the first worksheet as JSON.
fn first_rows(bytes: &[u8]) -> Value {
    let sheet = read_worksheet(bytes, SheetChoice::First).unwrap();
    serde_json::to_value(&sheet.rows).unwrap()
}

/// Returns ids and names of the worksheets, and whether there is no choice.
fn names(bytes: &[u8]) -> Value {
    let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
    let workbook = table_reader::read_workbook(bytes, &options, Limits::WORKSHEETS).unwrap();
    json!([workbook.sheets, workbook.is_static])
}

/// Returns a date cell as JSON.
fn date(kind: &str, display: &str, iso: &str, format: &str) -> Value {
    json!({
        "type": kind, "display_value": display, "date_string": iso, "formatting_string": format,
    })
}

#[test]
fn cells_keep_their_places_and_types() {
    let bytes = fixture("worksheets/sheets-xlsxwriter.xlsx");
    let mut want = json!([
        [],
        ["", "Merged"],
        [],
        [],
        [12, "x", "TRUE", "FALSE", "", "hidden column"],
        ["", 0.236, 1284.5, -0.1],
        ["", 2, "ab", "#DIV/0!"],
        ["", " two\nlines ", 9_007_199_254_740_991_i64, 1e300],
        ["", "007"],
        ["hidden row"],
    ]);
    assert_eq!(first_rows(&bytes), want);
    // LibreOffice computes the formula of an empty cell, writes the text of a formula to xls files as 0, and
    // booleans to OpenDocument as numbers.
    for (format, booleans, text) in
        [("xls", json!(["TRUE", "FALSE"]), json!(0)), ("ods", json!([1, 0]), json!("ab"))]
    {
        want[4] = json!([12, "x", booleans[0], booleans[1], "", "hidden column"]);
        want[6] = json!(["", 2, text, "#DIV/0!", 0]);
        let bytes = fixture(&format!("worksheets/libreoffice-sheets-xlsxwriter.{format}"));
        assert_eq!(first_rows(&bytes), want, "{format}");
    }
}

#[test]
fn hidden_worksheets_and_chart_sheets_are_left_out() {
    let sheets = |all: &[[&str; 2]], is_static: bool| {
        let all: Vec<Value> =
            all.iter().map(|[id, name]| json!({ "id": id, "name": name })).collect();
        json!([all, is_static])
    };
    let bytes = fixture("worksheets/sheets-xlsxwriter.xlsx");
    assert_eq!(names(&bytes), sheets(&[["2", "Cells"], ["3", "Empty"], ["6", "Other"]], false));
    let options = ReadOptions::default();
    let all = table_reader::read_worksheets(&bytes, &options, Limits::WORKSHEETS).unwrap();
    let lengths: Vec<(&str, &str, usize)> =
        all.iter().map(|sheet| (&*sheet.sheet_id, &*sheet.name, sheet.rows.len())).collect();
    assert_eq!(lengths, [("2", "Cells", 10), ("3", "Empty", 0), ("6", "Other", 1)]);
    assert_eq!(all[0], read_worksheet(&bytes, SheetChoice::First).unwrap());
    // All worksheets are hidden. Ids stay although a worksheet was deleted.
    let bytes = fixture("worksheets/sheets-openpyxl.xlsx");
    assert_eq!(names(&bytes), sheets(&[["1", "First"], ["2", "Second"]], false));
    let bytes = fixture("worksheets/dates-sheetjs.xlsb");
    assert_eq!(names(&bytes), sheets(&[["2", "Dates"]], false));
    let bytes = fixture("worksheets/dates-xlwt.xls");
    assert_eq!(names(&bytes), sheets(&[["Dates", "Dates"]], false));
    let bytes = fixture("odfpy.ods");
    assert_eq!(names(&bytes), sheets(&[["Zahlen", "Zahlen"]], false));
    for text in ["a,b\n1,2\n", "<table><tr><td>a</table>"] {
        assert_eq!(names(text.as_bytes()), sheets(&[["0", "Sheet1"]], true));
    }
}

#[test]
fn worksheets_are_chosen_by_id_or_name_and_never_replaced() {
    let bytes = fixture("worksheets/sheets-xlsxwriter.xlsx");
    let name = |choice| read_worksheet(&bytes, choice).map(|sheet| sheet.name);
    assert_eq!(name(SheetChoice::Id("6")).unwrap(), "Other");
    assert_eq!(name(SheetChoice::Name("Other")).unwrap(), "Other");
    // Hidden, and a chart sheet.
    for (choice, field) in [
        (SheetChoice::Id("1"), "sheet_id: there is no visible worksheet with the id \"1\""),
        (SheetChoice::Id("Other"), "sheet_id: there is no visible worksheet with the id \"Other\""),
        (SheetChoice::Name("Chart"), "sheet: there is no visible worksheet \"Chart\""),
        (SheetChoice::Name("other"), "sheet: there is no visible worksheet \"other\""),
    ] {
        let error = name(choice).unwrap_err().to_string();
        assert_eq!(error, format!("{field}; there are \"Cells\", \"Empty\", \"Other\""));
    }
    let text = |choice| read_worksheet(b"a,b\n1,2\n", choice);
    for choice in [SheetChoice::Id("0"), SheetChoice::Name("Sheet1"), SheetChoice::First] {
        assert_eq!(text(choice).unwrap().rows.len(), 2);
    }
    assert_eq!(
        text(SheetChoice::Id("1")).unwrap_err().to_string(),
        "sheet_id: must be \"0\" or absent, because the file has no worksheets"
    );
}

#[test]
fn tables_for_charts_are_chosen_by_name_before_the_id() {
    let read = |bytes: &[u8], sheet_id, sheet| {
        let options = ReadOptions { sheet_id, sheet, ..ReadOptions::default() };
        table_reader::read(bytes, &options, LIMITS).map(|table| table.headings.join(","))
    };
    let bytes = fixture("xlsxwriter.xlsx");
    assert_eq!(read(&bytes, Some("3"), None).unwrap(), "a,b");
    let named = read(&bytes, None, Some("Zahlen 2024")).unwrap();
    assert_ne!(named, "a,b");
    assert_eq!(read(&bytes, Some("3"), Some("Zahlen 2024")).unwrap(), named);
    // The program that wrote the file numbers worksheets by position, so that the third may be another one.
    let error = read(&bytes, Some("3"), Some("Deleted since")).unwrap_err().to_string();
    assert!(error.starts_with("sheet: there is no visible worksheet \"Deleted since\""), "{error}");
    let error = read(&bytes, Some("1"), Some("Missing")).unwrap_err().to_string();
    assert!(error.starts_with("sheet: there is no visible worksheet \"Missing\""), "{error}");
    let csv = b"a,b\n1,2\n";
    assert_eq!(read(csv, Some("0"), Some("Sheet1")).unwrap(), "a,b");
    assert_eq!(read(csv, None, Some("Sheet1")).unwrap(), "a,b");
    assert!(read(csv, Some("1"), None).is_err());
}

#[test]
fn only_the_first_merged_cell_has_a_value() {
    let bytes = fixture("worksheets/sheets-openpyxl.xlsx");
    assert_eq!(first_rows(&bytes), json!([["kept"], [], ["", "", "end"]]));
    // The formula has no stored value.
    let second = read_worksheet(&bytes, SheetChoice::Name("Second")).unwrap();
    assert_eq!(serde_json::to_value(&second.rows).unwrap(), json!([[], ["", "next"]]));
    let last_row = |name: &str| {
        let rows = first_rows(&fixture(&format!("worksheets/{name}")));
        rows.as_array().unwrap().last().unwrap().clone()
    };
    for name in ["dates-sheetjs.xlsb", "dates-xlwt.xls", "dates-odfpy.ods"] {
        assert_eq!(last_row(name), json!(["Merged"]), "{name}");
    }
}

#[test]
fn dates_of_opendocument_have_the_displayed_text_and_the_format_of_the_style() {
    let day = "dddd, d. mmmm yyyy";
    let shown = |text| date("date", text, "2024-03-31", day);
    assert_eq!(
        first_rows(&fixture("worksheets/dates-odfpy.ods")),
        json!([
            [
                shown("Sonntag, 31. März 2024"),
                shown("Sunday, 31. March 2024"),
                shown("Sunday, 31. March 2024"),
                date("date", "2024-03-31", "2024-03-31", "yyyy-mm-dd"),
            ],
            [
                date("duration", "27:30 h", "27:30:00", "[h]:mm\" h\""),
                date("duration", "3:30 h", "03:30:00", "[h]:mm\" h\""),
                date("time", "01:05:00.50 PM", "13:05:00.500", "hh:mm:ss.00 AM/PM"),
                date("time", "13:05:00", "13:05:00", "hh:mm:ss"),
            ],
            [date("date", "1899-12-31", "1899-12-31", day), shown("Sunday, 31. March 2024"),],
            [date("datetime", "2024-03-31 13:05:00", "2024-03-31T13:05:00", "yyyy-mm-dd hh:mm:ss")],
            ["Merged"],
        ])
    );
}

/// Returns a workbook with a row of cells and their number formats, from the first cell on.
fn formatted(cells: &[(&str, &str)], is_1904: bool) -> Vec<u8> {
    let mut formats = (String::new(), String::new());
    let mut row = String::new();
    for (index, (code, value)) in cells.iter().enumerate() {
        let code = code.replace('"', "&quot;").replace('<', "&lt;");
        let id = 200 + index;
        formats.0 += &format!("<numFmt numFmtId=\"{id}\" formatCode=\"{code}\"/>");
        formats.1 += &format!("<xf numFmtId=\"{id}\"/>");
        row += &format!("<c s=\"{index}\"><v>{value}</v></c>");
    }
    let styles = format!("<s>{}<cellXfs>{}</cellXfs></s>", formats.0, formats.1);
    let sheet = format!("<worksheet><sheetData><row>{row}</row></sheetData></worksheet>");
    let sheets = format!(
        "<workbookPr date1904=\"{is_1904}\"/><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"r1\"/></sheets>"
    );
    xlsx_with_sheets(&sheets, &sheet, "<sst/>", &styles)
}

#[test]
fn date_strings_follow_the_value_and_the_epoch() {
    let cells = [
        ("yyyy-mm-dd", "60"),
        ("yyyy-mm-dd hh:mm:ss", "45382.9999999999"),
        ("hh:mm:ss.000", "45382.25000000579"),
        ("m/d/yyyy", "0.5"),
        ("[h]:mm", "1.1458333333333333"),
        ("m/d/yyyy", "-1"),
        ("yyyy", "2958466"),
        ("yyyy", "2958465.9999999999"),
        ("0.00", "45382"),
        ("yyyy", "1e400"),
    ];
    assert_eq!(
        first_rows(&formatted(&cells, false)),
        json!([[
            date("date", "1900-02-29", "1900-02-28", cells[0].0),
            date("date", "2024-04-01 00:00:00", "2024-04-01", cells[1].0),
            date("datetime", "06:00:00.001", "2024-03-31T06:00:00.001", cells[2].0),
            date("time", "1/0/1900", "12:00:00", cells[3].0),
            date("duration", "27:30", "27:30:00", cells[4].0),
            -1,
            2_958_466,
            2_958_466,
            45382,
            "#NUM!",
        ]])
    );
    let cells = [
        ("yyyy-mm-dd", "43920"),
        ("m/d/yyyy", "0"),
        ("hh:mm", "0.5"),
        ("[h]:mm", "2"),
        ("yyyy", "2957004"),
    ];
    assert_eq!(
        first_rows(&formatted(&cells, true)),
        json!([[
            date("date", "2024-03-31", "2024-03-31", cells[0].0),
            date("date", "1/1/1904", "1904-01-01", cells[1].0),
            date("time", "12:00", "12:00:00", cells[2].0),
            date("duration", "48:00", "48:00:00", cells[3].0),
            2_957_004,
        ]])
    );
}

#[test]
fn long_formats_and_dates_as_text_have_simple_formats() {
    let (long, duration) = ("y".repeat(256), format!("[h]{}", " ".repeat(253)));
    let cells = [(&*long, "45382"), (&*duration, "1.5"), (&long[..255], "45382")];
    let rows = first_rows(&formatted(&cells, false));
    assert_eq!(rows[0][0], date("date", "2024-03-31", "2024-03-31", "yyyy-mm-dd"));
    assert_eq!(rows[0][1], date("duration", "36:00:00", "36:00:00", "[h]:mm:ss"));
    assert_eq!(rows[0][2], date("date", "2024", "2024-03-31", &long[..255]));
    let sheet = "<worksheet><sheetData><row><c t=\"d\"><v>2024-03-31T00:00:00Z</v></c>\
        <c t=\"d\" s=\"1\"><v>2024-03-31T13:05:00</v></c><c t=\"d\"><v>x</v></c></row></sheetData></worksheet>";
    let styles = "<s><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"22\"/></cellXfs></s>";
    assert_eq!(
        first_rows(&xlsx(sheet, "<sst/>", styles)),
        json!([[
            date("date", "2024-03-31", "2024-03-31", "yyyy-mm-dd"),
            date("datetime", "3/31/2024 13:05", "2024-03-31T13:05:00", "m/d/yyyy h:mm"),
            "x",
        ]])
    );
}

#[test]
fn rows_of_text_files_keep_blank_lines_and_numbers_without_a_loss() {
    let read = |text: &str, content_type| {
        let options = ReadOptions { content_type: Some(content_type), ..ReadOptions::default() };
        let choice = SheetChoice::First;
        let sheet =
            table_reader::read_worksheet(text.as_bytes(), &options, choice, Limits::WORKSHEETS);
        serde_json::to_value(sheet.unwrap().rows).unwrap()
    };
    assert_eq!(
        read("\r\n\r\nid,value,\r\n\r\n007,1.50,,\r\n1e5,-3,\r\n,,\r\n", "text/csv"),
        json!([[], [], ["id", "value"], [], ["007", 1.5], ["1e5", -3]])
    );
    assert_eq!(read("a;b\n1,5;1.234\n", "text/csv"), json!([["a", "b"], [1.5, "1.234"]]));
    assert_eq!(read("a\n\n1\r\r2", "text/csv"), json!([["a"], [], [1], [], [2]]));
    assert_eq!(
        read("<table><tr><td>a<td>007<tr><td><td>5", "text/html"),
        json!([["a", "007"], ["", 5]])
    );
    assert_eq!(
        read("[[\"a\", 18446744073709551615, \"7\"], [], [null, true, 1.0]]", "application/json"),
        json!([["a", 18_446_744_073_709_551_615_u64, "7"], [], ["", "TRUE", 1]])
    );
}

#[test]
fn worksheets_reserve_memory_before_they_are_read() {
    let read = |budget: &MemoryBudget, bytes: &[u8], selection| {
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let limits = Limits::WORKSHEETS;
        let sheets =
            table_reader::read_worksheets_within_budget(budget, bytes, &options, selection, limits);
        sheets.map(|sheets| sheets.iter().map(|sheet| sheet.name.clone()).collect::<Vec<_>>())
    };
    let bytes = fixture("worksheets/sheets-xlsxwriter.xlsx");
    let budget = MemoryBudget::new(320 << 20);
    assert_eq!(read(&budget, &bytes, SheetSelection::All).unwrap(), ["Cells", "Empty", "Other"]);
    let one = SheetSelection::One(SheetChoice::Id("6"));
    assert_eq!(read(&budget, &bytes, one).unwrap(), ["Other"]);
    // A small text needs no reservation.
    let small = MemoryBudget::new(1 << 20);
    assert_eq!(read(&small, b"a,b\n1,2\n", SheetSelection::All).unwrap(), ["Sheet1"]);
    let error = read(&small, &bytes, SheetSelection::All).unwrap_err().to_string();
    assert_eq!(error, "body is too large to be read");
}

#[test]
fn covered_cells_and_repeated_rows_of_opendocument_have_their_places() {
    let cell = "<table:table-cell office:value-type=\"float\" office:value=\"1\" \
        table:number-columns-repeated=\"2\"/>";
    let bytes = ods(&format!(
        "<table:table-row table:number-rows-repeated=\"2\"/><table:table-row \
         table:number-rows-repeated=\"2\"><table:table-cell/>{cell}</table:table-row>"
    ));
    assert_eq!(first_rows(&bytes), json!([[], [], ["", 1, 1], ["", 1, 1]]));
    // The table for charts of the same file has the same rows.
    let table = super::read(&bytes, None).unwrap();
    // It has no headings, because both rows are numbers.
    assert_eq!(rows(&table), json!([["n 1", "n 1"], ["n 1", "n 1"]]));
}
