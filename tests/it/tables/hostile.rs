//! Files that try to take much memory or time, and damaged files.

use std::fs;
use std::time::Duration;

use chartroom::features::table_reader;
use chartroom::features::table_reader::Limits;
use chartroom::features::table_reader::ReadDeadline;
use chartroom::features::table_reader::ReadOptions;
use serde_json::json;

use super::LIMITS;
use super::error_of;
use super::fixture;
use super::read;
use super::read_text;
use super::rows;
use super::zip_file::ZipFile;
use super::zip_file::ods;
use super::zip_file::xlsx;
use crate::server_process::ServerProcess;

/// A hostile file: name, bytes, and a part of the message that refuses it.
pub type HostileFile = (&'static str, Vec<u8>, &'static str);

/// Returns a worksheet with these rows as XML.
pub fn sheet(rows: &str) -> String {
    format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")
}

/// Returns all hostile files.
pub fn hostile_files() -> Vec<HostileFile> {
    [compressed_files(), large_tables(), hostile_xml()].into_iter().flatten().collect()
}

/// Returns files that become large when they are decompressed.
fn compressed_files() -> Vec<HostileFile> {
    let spaces = vec![b' '; 97 << 20];
    let path = "xl/workbook.xml";
    vec![
        (
            "zip bomb with a true size",
            ZipFile::default().add(path, &spaces).finish(),
            "would be too large without compression",
        ),
        (
            "zip bomb with a false size",
            ZipFile::default().add_with_size(path, &spaces, 1000).finish(),
            "a part is larger than declared",
        ),
    ]
}

/// Returns files with too many cells, texts or formats.
fn large_tables() -> Vec<HostileFile> {
    let corners = "<row><c r=\"A1\"><v>1</v></c><c r=\"XFD1048576\"><v>1</v></c></row>";
    let long = format!("<sst><si><t>{}</t></si></sst>", "x".repeat(32_000));
    let references = "<row><c t=\"s\"><v>0</v></c></row>".repeat(100_000);
    let texts = format!("<sst>{}</sst>", "<si/>".repeat(8 << 20));
    let formats = format!("<s><cellXfs>{}</cellXfs></s>", "<xf/>".repeat(8 << 20));
    let rows = "<row><c><v>1</v></c></row>".repeat(1_100_000);
    let repeated = "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell \
        table:number-columns-repeated=\"16384\" office:value-type=\"float\" office:value=\"1\"/>\
        </table:table-row>";
    let xlsx = |rows: &str, texts: &str, formats: &str| xlsx(&sheet(rows), texts, formats);
    vec![
        ("opposite corners", xlsx(corners, "<sst/>", "<s/>"), "has more than 1000 columns"),
        (
            "many references to one text",
            xlsx(&references, &long, "<s/>"),
            "has more than 16777216 bytes of text in its cells",
        ),
        ("many empty texts", xlsx("", &texts, "<s/>"), "has more than 3000000 texts"),
        ("many cell formats", xlsx("", "<sst/>", &formats), "has more than 65490 cell formats"),
        (
            "many rows without numbers",
            xlsx(&rows, "<sst/>", "<s/>"),
            "has a cell outside of the 1048576 rows",
        ),
        ("repeated cells and rows", ods(repeated), "has more than 3000000 cells"),
    ]
}

/// Returns workbooks with unusual XML.
fn hostile_xml() -> Vec<HostileFile> {
    let long_tag = format!("<worksheet a=\"{}\">", "<".repeat(64 << 20));
    vec![
        (
            "deep nesting",
            xlsx(&"<a>".repeat(1 << 20), "<sst/>", "<s/>"),
            "it is nested deeper than 100 levels",
        ),
        ("one long tag", xlsx(&long_tag, "<sst/>", "<s/>"), "a tag or text is too long"),
    ]
}

#[test]
fn hostile_files_are_refused_with_a_reason() {
    for (name, bytes, want) in hostile_files() {
        let error = error_of(read(&bytes, None));
        assert!(error.starts_with("body: ") && error.contains(want), "{name}: {error}");
    }
}

#[test]
fn reading_ends_at_the_deadline() {
    let texts = format!("<sst>{}</sst>", "<si/>".repeat(2000));
    let files = [
        ("a\n1".as_bytes().to_vec(), "text/csv"),
        (b"<table><tr><td>a<tr><td>1".to_vec(), "text/html"),
        (br#"[["a"],[1]]"#.to_vec(), "application/json"),
        (fixture("sheetjs.xlsx"), "application/octet-stream"),
        (fixture("sheetjs.xlsb"), "application/octet-stream"),
        (fixture("sheetjs.xls"), "application/octet-stream"),
        (fixture("odfpy.ods"), "application/octet-stream"),
        // A part without cells.
        (xlsx(&sheet(""), &texts, "<s/>"), "application/octet-stream"),
    ];
    for (bytes, content_type) in files {
        let options = ReadOptions { content_type: Some(content_type), ..ReadOptions::default() };
        let limits =
            Limits { deadline: Some(ReadDeadline::of_processor_time(Duration::ZERO)), ..LIMITS };
        let error = error_of(table_reader::read(&bytes, &options, limits));
        let seconds = table_reader::MAX_READ_TIME.as_secs();
        assert_eq!(error, format!("body: takes longer than {seconds} seconds to read"));
    }
}

#[test]
fn declared_dimensions_have_no_effect() {
    let sheet = "<worksheet><dimension ref=\"A1:XFD1048576\"/><sheetData><row r=\"1\"><c r=\"A1\" t=\"str\">\
        <v>a</v></c></row><row r=\"2\"><c r=\"A2\"><v>1</v></c></row></sheetData></worksheet>";
    let bytes = xlsx(sheet, "<sst/>", "<s/>");
    assert_eq!(rows(&read(&bytes, None).unwrap()), json!([["n 1"]]));
    // The record of the dimensions of an xls worksheet declares four billion rows.
    let mut bytes = fixture("sheetjs.xls");
    let position = bytes.windows(4).position(|window| window == [0x00, 0x02, 0x0e, 0x00]).unwrap();
    bytes[position + 8..position + 12].fill(0xff);
    bytes[position + 14..position + 16].fill(0xff);
    assert_eq!(read(&bytes, None).unwrap().report.rows, 5);
}

#[test]
fn circular_chains_of_sectors_end() {
    let bytes = fixture("xlwt.xls");
    for sector in 0..bytes.len() / 512 - 1 {
        let mut changed = bytes.clone();
        // The header names the first sector of the allocation table.
        let table = u32::from_le_bytes(bytes[76..80].try_into().unwrap()) as usize;
        let entry = 512 * (table + 1) + 4 * (sector % 128);
        let target = u32::try_from(sector % 128).unwrap();
        changed[entry..entry + 4].copy_from_slice(&target.to_le_bytes());
        // Must end, with a table or an error.
        let _ = read(&changed, None).map(|table| table.report.rows);
    }
}

#[test]
fn damaged_files_are_refused_or_read_without_a_panic() {
    for name in ["sheetjs.xlsx", "sheetjs.xlsb", "sheetjs.xls", "odfpy.ods"] {
        let bytes = fixture(name);
        for length in (0..bytes.len()).step_by(61) {
            let error = read(&bytes[..length], None).err();
            assert!(error.is_some() || name.ends_with(".xls"), "{name} with {length} bytes");
        }
        for position in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[position] ^= 0xff;
            let _ = read(&changed, None).map(|table| table.report.rows);
        }
    }
}

#[test]
fn spans_and_unfinished_tags_of_html_are_bounded() {
    let spans = "<td colspan=1000 rowspan=65534>x".repeat(100_000);
    let error = error_of(read_text(&format!("<table><tr>{spans}"), "text/html"));
    assert_eq!(error, "body: has more than 1000 columns");
    let rows = "<tr>".repeat(2_000_000);
    let error = error_of(read_text(&format!("<table>{rows}"), "text/html"));
    assert_eq!(error, "body: has more than 1048576 rows");
    let nested = "<table><tr><td>".repeat(500_000);
    assert_eq!(error_of(read_text(&nested, "text/html")), "body: has no table with cells");
    let attributes = format!("<table><tr><td {}>a", "a ".repeat(4 << 20));
    assert_eq!(read_text(&attributes, "text/html").unwrap().headings, ["a"]);
}

/// Returns the processor time of a process. Other programs do not change it, unlike the elapsed time.
fn processor_time(process_id: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process_id}/stat")).unwrap();
    // The fields after the name in parentheses, which may contain spaces. Numbers 14 and 15 of proc(5) are in
    // hundredths of a second.
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    let ticks = fields.split(' ').skip(11).take(2).map(|field| field.parse::<u64>().unwrap());
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

#[test]
fn hostile_uploads_take_little_memory_and_time() {
    let server = ServerProcess::new();
    let created = server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let endpoint = created.expect(200).json()["endpoint"].as_str().unwrap().to_owned();
    let path = endpoint.strip_prefix(&server.base_url).unwrap().to_owned() + "/data";
    for (name, bytes, want) in hostile_files() {
        let owner = server.ann().with_header("content-type", "application/octet-stream");
        let time_before = processor_time(server.process_id());
        let response = owner.send_bytes("PUT", &path, Some(&bytes));
        let duration = processor_time(server.process_id()) - time_before;
        assert_eq!(response.status, 400, "{name}: {}", response.text());
        // Without optimization, the deadline can come first.
        let is_refused =
            [want, "takes longer than"].iter().any(|reason| response.text().contains(reason));
        assert!(is_refused, "{name}: {}", response.text());
        let status = fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        let peak_mb: u64 = line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024;
        println!("{name}: {} bytes, {duration:?}, peak {peak_mb} MB", bytes.len());
        assert!(peak_mb < 250, "{name}: {peak_mb} MB");
        // Far more than an optimized program takes.
        assert!(duration < Duration::from_secs(20), "{name}: {duration:?}");
    }
}

#[test]
fn the_last_cell_of_a_table_without_end_tag_is_checked() {
    let cell = "x".repeat(40_000);
    let html = format!("<table><tr><td>a<td>b<tr><td>1<td>2<tr><td>3<td>{cell}");
    let error = error_of(read_text(&html, "text/html"));
    assert!(error.contains("characters in cell B3"), "{error}");
}
