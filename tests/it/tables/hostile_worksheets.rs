//! Hostile and damaged files that are read as worksheets.

use std::time::Duration;

use chartroom::features::table_reader;
use chartroom::features::table_reader::Limits;
use chartroom::features::table_reader::ReadDeadline;
use chartroom::features::table_reader::ReadOptions;
use chartroom::features::table_reader::SheetSelection;
use chartroom::features::table_reader::Worksheet;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::memory_budget::MemoryBudget;
use chartroom_platform::remote::Deadline;

use super::fixture;
use super::hostile::HostileFile;
use super::hostile::hostile_files;
use super::hostile::sheet;
use super::zip_file::ZipFile;
use super::zip_file::ods;
use super::zip_file::xlsx;
use super::zip_file::xlsx_with_sheets;

/// Reads all worksheets of a file of unknown type.
fn read_all(bytes: &[u8], limits: Limits) -> Result<Vec<Worksheet>> {
    let options =
        ReadOptions { content_type: Some("application/octet-stream"), ..ReadOptions::default() };
    table_reader::read_worksheets(bytes, &options, limits)
}

/// Returns a workbook with a worksheet of these rows, and merged ranges.
fn workbook(rows: &str, ranges: &str, strings: &str, styles: &str) -> Vec<u8> {
    let merged = format!("</sheetData><mergeCells>{ranges}</mergeCells>");
    xlsx(&sheet(rows).replace("</sheetData>", &merged), strings, styles)
}

/// Returns a list of `count` worksheets for [`xlsx_with_sheets`].
fn sheet_list(count: usize) -> String {
    let sheet = |id| format!("<sheet name=\"{id}\" sheetId=\"{id}\" r:id=\"r1\"/>");
    format!("<sheets>{}</sheets>", (1..=count).map(sheet).collect::<String>())
}

/// Returns rows, each with a cell in the last column.
fn wide_rows(count: usize) -> String {
    (1..=count).map(|row| format!("<row><c r=\"BXX{row}\"><v>1</v></c></row>")).collect()
}

/// Returns workbooks that exceed a limit of worksheets, with a part of the message.
fn large_worksheets() -> Vec<HostileFile> {
    let simple = |rows: &str| workbook(rows, "", "<sst/>", "<s/>");
    let ranges = "<mergeCell ref=\"A1:XFD1048576\"/>".repeat(1000);
    let cell = "<table:table-cell office:value-type=\"float\" office:value=\"1\"/>";
    let cells = format!("<table:table-row>{}</table:table-row>", cell.repeat(20_000));
    vec![
        (
            "low row",
            simple("<row><c r=\"A200001\"><v>1</v></c></row>"),
            "has more than 200000 rows",
        ),
        (
            "right column",
            simple("<row><c r=\"BXY1\"><v>1</v></c></row>"),
            "has more than 2000 columns",
        ),
        ("empty cells before others", simple(&wide_rows(1001)), "has more than 2000000 cells"),
        (
            "overlapping merged cells",
            workbook(&wide_rows(200), &ranges, "<sst/>", "<s/>"),
            "too many merged cells overlap",
        ),
        (
            "many worksheets",
            xlsx_with_sheets(&sheet_list(201), &sheet(""), "<sst/>", "<s/>"),
            "has more than 200 worksheets",
        ),
        (
            "cells of several worksheets",
            xlsx_with_sheets(&sheet_list(6), &sheet(&wide_rows(200)), "<sst/>", "<s/>"),
            "has more than 2000000 cells",
        ),
        ("many cells in a row of OpenDocument", ods(&cells), "has more than 16384 columns"),
        ("many rows of text", "1\n".repeat(200_001).into_bytes(), "has more than 200000 rows"),
        ("wide text", ",1".repeat(2001).into_bytes(), "has more than 2000 columns"),
    ]
}

/// Returns workbooks with more text than allowed.
fn long_texts() -> Vec<HostileFile> {
    let text = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(32_000));
    let references = |count| "<row><c t=\"s\"><v>0</v></c></row>".repeat(count);
    let styles = format!(
        "<s><numFmt numFmtId=\"200\" formatCode=\"&quot;{}&quot;d\"/><cellXfs><xf numFmtId=\"200\"/></cellXfs></s>",
        "x".repeat(252)
    );
    let dates = "<row><c><v>1</v></c></row>".repeat(150_000);
    let want = "has more than 67108864 bytes of text in its cells";
    vec![
        ("references to one text", workbook(&references(2200), "", &text, "<s/>"), want),
        (
            "references in several worksheets",
            xlsx_with_sheets(&sheet_list(3), &sheet(&references(800)), &text, "<s/>"),
            want,
        ),
        ("dates with long texts", workbook(&dates, "", "<sst/>", &styles), want),
    ]
}

#[test]
fn hostile_worksheets_are_refused_with_a_reason() {
    for (name, bytes, want) in large_worksheets().into_iter().chain(long_texts()) {
        let error = read_all(&bytes, Limits::WORKSHEETS).expect_err(name).to_string();
        assert!(error.starts_with("body: ") && error.contains(want), "{name}: {error}");
    }
    // Files that are hostile to the reader of tables too. The limits of cells and text differ.
    for (name, bytes, _) in hostile_files() {
        let error = read_all(&bytes, Limits::WORKSHEETS).expect_err(name).to_string();
        assert!(error.starts_with("body: "), "{name}: {error}");
    }
}

#[test]
fn the_largest_worksheets_are_read() {
    let row = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(10));
    let bytes = workbook(&row.repeat(200_000), "", "<sst/>", "<s/>");
    let sheets = read_all(&bytes, Limits::WORKSHEETS).unwrap();
    assert_eq!((sheets[0].rows.len(), sheets[0].rows[199_999].len()), (200_000, 10));
    let sheets = read_all(&workbook(&wide_rows(1000), "", "<sst/>", "<s/>"), Limits::WORKSHEETS);
    assert_eq!(sheets.unwrap()[0].rows[999].len(), 2000);
    let sheets = xlsx_with_sheets(&sheet_list(200), &sheet(&row), "<sst/>", "<s/>");
    assert_eq!(read_all(&sheets, Limits::WORKSHEETS).unwrap().len(), 200);
    // Merged cells do not overlap.
    let ranges: String =
        (1..=1000).map(|row| format!("<mergeCell ref=\"A{row}:BXX{row}\"/>")).collect();
    let bytes = workbook(&wide_rows(1000), &ranges, "<sst/>", "<s/>");
    assert!(read_all(&bytes, Limits::WORKSHEETS).unwrap()[0].rows.is_empty());
}

#[test]
fn the_memory_of_all_worksheets_fits_into_the_budget_of_the_server() {
    let budget = MemoryBudget::new(chartroom::app::MAX_WORK_BYTES);
    let options = ReadOptions::default();
    // The largest file that is opened at all.
    let spaces = vec![b' '; 95 << 20];
    let file = ZipFile::default().add("xl/workbook.xml", &spaces).add("a", &spaces).finish();
    let read = table_reader::read_worksheets_within_budget(
        &budget,
        &file,
        &options,
        SheetSelection::All,
        Limits::WORKSHEETS,
    );
    let error = read.err().unwrap().to_string();
    assert!(error.starts_with("body: "), "{error}");
}

#[test]
fn entities_are_not_expanded() {
    let rows = "<row><c t=\"str\"><v>&b;</v></c></row>";
    let entities = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>";
    let bytes = xlsx(&format!("{entities}{}", sheet(rows)), "<sst/>", "<s/>");
    let sheets = read_all(&bytes, Limits::WORKSHEETS).unwrap();
    assert_eq!(serde_json::to_value(&sheets[0].rows).unwrap(), serde_json::json!([["&b;"]]));
}

#[test]
fn reading_worksheets_ends_at_the_deadline() {
    let deadline = Some(ReadDeadline::of_processor_time(Duration::ZERO));
    for name in ["sheetjs.xlsx", "sheetjs.xlsb", "sheetjs.xls", "worksheets/dates-odfpy.ods"] {
        let limits = Limits { deadline, ..Limits::WORKSHEETS };
        let seconds = table_reader::MAX_READ_TIME.as_secs();
        // A file with less than 1,024 cells and tags in each part may end before the clock is read.
        if let Err(error) = read_all(&fixture(name), limits) {
            let want = format!("body: takes longer than {seconds} seconds to read");
            assert_eq!(error.to_string(), want, "{name}");
        }
    }
    let rows = "<row><c><v>1</v></c></row>".repeat(2000);
    let limits = Limits { deadline, ..Limits::WORKSHEETS };
    assert!(read_all(&workbook(&rows, "", "<sst/>", "<s/>"), limits).is_err());
    assert!(read_all("1,2\n".repeat(2000).as_bytes(), limits).is_err());
}

#[test]
fn reading_a_source_ends_with_its_request() {
    let deadline = Some(ReadDeadline::of_request(Deadline::after(Duration::ZERO)));
    let limits = Limits { deadline, ..Limits::WORKSHEETS };
    let (memory, options) = (MemoryBudget::new(1 << 30), ReadOptions::default());
    let rows = "<row><c><v>1</v></c></row>".repeat(2000);
    for bytes in [workbook(&rows, "", "<sst/>", "<s/>"), b"1,2\n".repeat(2000)] {
        assert!(matches!(read_all(&bytes, limits), Err(Error::RemoteTimeout)));
        let read = table_reader::read_within_budget(&memory, &bytes, &options, limits);
        assert!(matches!(read, Err(Error::RemoteTimeout)));
        let selection = SheetSelection::All;
        let read = table_reader::read_worksheets_within_budget(
            &memory, &bytes, &options, selection, limits,
        );
        assert!(matches!(read, Err(Error::RemoteTimeout)));
    }
    // It does not wait for memory either.
    let busy = MemoryBudget::new(64 << 20);
    let _all = busy.reserve(64 << 20, Duration::ZERO);
    let bytes = b"1,2\n".repeat(2 << 20);
    let read = table_reader::read_within_budget(&busy, &bytes, &options, limits);
    assert!(matches!(read, Err(Error::RemoteTimeout)));
}

#[test]
fn damaged_files_are_refused_or_read_as_worksheets_without_a_panic() {
    let files = [
        "worksheets/sheets-xlsxwriter.xlsx",
        "worksheets/dates-sheetjs.xlsb",
        "worksheets/dates-xlwt.xls",
        "worksheets/dates-odfpy.ods",
    ];
    for name in files {
        let bytes = fixture(name);
        // The record at the end of a ZIP file has 22 bytes, and the last ones are not needed.
        for length in (4..bytes.len() - 22).step_by(bytes.len() / 60) {
            let sheets = read_all(&bytes[..length], Limits::WORKSHEETS);
            assert!(sheets.is_err() || name.ends_with(".xls"), "{name}: {length}");
        }
        for position in (0..bytes.len()).step_by(bytes.len() / 400) {
            let mut changed = bytes.clone();
            changed[position] ^= 0xff;
            // Must end, with worksheets or an error.
            let _ =
                read_all(&changed, Limits::WORKSHEETS).map(|sheets| serde_json::to_string(&sheets));
        }
    }
}
