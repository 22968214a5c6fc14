//! Reads the fuzzer's bytes as a table. Fails on a panic, and on a table beyond the limits.
//!
//! The first byte selects the declared type (CSV, HTML, JSON, unknown), and whether the others are a
//! whole file, such as an xls file, or a part of an xlsx, xlsb or ods file. CONTRIBUTING.md describes how to
//! run it.

#![no_main]

use chartroom::features::table_reader;
use chartroom::features::table_reader::Limits;
use chartroom::features::table_reader::ReadOptions;
use libfuzzer_sys::fuzz_target;

/// Limits that a small input can reach.
const LIMITS: Limits = Limits { max_rows: 1000, max_text_bytes: 1 << 20, deadline: None };

fuzz_target!(|bytes: &[u8]| {
    let Some((selector, content)) = bytes.split_first() else { return };
    let types = ["text/csv", "text/html", "application/json", "application/octet-stream"];
    let wrapped = wrap(*selector, content);
    let options = ReadOptions {
        content_type: Some(types[usize::from(*selector) % types.len()]),
        ..ReadOptions::default()
    };
    let content = wrapped.as_deref().unwrap_or(content);
    let Ok(table) = table_reader::read(content, &options, LIMITS) else { return };
    let mut rows = table.rows().expect("the rows were read before");
    let mut count = 0;
    while let Some(row) = rows.next_row().expect("the rows were read before") {
        assert!(row.cell_count() <= table.headings.len());
        count += usize::from(!row.is_blank());
    }
    assert_eq!(count, table.report.rows);
    assert!(count <= LIMITS.max_rows);
});

/// Returns a workbook or a spreadsheet with the bytes as a worksheet. None for other selectors, which use
/// the bytes as they are.
fn wrap(selector: u8, content: &[u8]) -> Option<Vec<u8>> {
    let relations = |extension: &str| {
        format!(
            "<a><Relationship Id=\"r1\" Type=\"x/worksheet\" Target=\"s.{extension}\"/>\
             <Relationship Id=\"r2\" Type=\"x/sharedStrings\" Target=\"s.{extension}\"/>\
             <Relationship Id=\"r3\" Type=\"x/styles\" Target=\"s.{extension}\"/></a>"
        )
    };
    let workbook = "<a><sheet name=\"S\" r:id=\"r1\"/></a>";
    match selector / 4 {
        // xlsx: the same bytes are worksheet, shared texts and styles.
        1 => Some(zip(&[
            ("xl/workbook.xml", workbook.as_bytes()),
            ("xl/_rels/workbook.xml.rels", relations("xml").as_bytes()),
            ("xl/s.xml", content),
        ])),
        2 => Some(zip(&[("content.xml", content)])),
        // xlsb: the same, after the record of the worksheet.
        3 => {
            let wide = |text: &str| {
                let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                [u32::try_from(units.len() / 2).unwrap_or(0).to_le_bytes().to_vec(), units].concat()
            };
            let sheet = [vec![0; 8], wide("r1"), wide("S")].concat();
            let length = u8::try_from(sheet.len()).unwrap_or(0);
            let workbook = [vec![0x9c, 0x01, length], sheet].concat();
            let root = "<a><Relationship Id=\"r\" Type=\"x/officeDocument\" Target=\"xl/workbook.bin\"/></a>";
            Some(zip(&[
                ("_rels/.rels", root.as_bytes()),
                ("xl/workbook.bin", &workbook),
                ("xl/_rels/workbook.bin.rels", relations("bin").as_bytes()),
                ("xl/s.bin", content),
            ]))
        }
        _ => None,
    }
}

/// Returns a ZIP file with stored parts and their checksums.
fn zip(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let number = |length: usize| u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes();
    for (path, content) in parts {
        let mut crc = flate2::Crc::new();
        crc.update(content);
        let path_bytes = u16::try_from(path.len()).unwrap_or(0).to_le_bytes();
        let fields = [
            &[20, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
            &crc.sum().to_le_bytes(),
            &number(content.len()),
            &number(content.len()),
            &path_bytes,
            &[0, 0],
        ]
        .concat();
        let offset = number(bytes.len());
        let local = [b"PK\x03\x04", &fields[..], path.as_bytes(), content].concat();
        bytes.extend(local);
        directory.extend(
            [b"PK\x01\x02\x14\x00", &fields[..], &[0; 10], &offset, path.as_bytes()].concat(),
        );
    }
    let count = u16::try_from(parts.len()).unwrap_or(0).to_le_bytes();
    let end = [
        b"PK\x05\x06\x00\x00\x00\x00",
        &count[..],
        &count,
        &number(directory.len()),
        &number(bytes.len()),
        &[0, 0],
    ]
    .concat();
    [bytes, directory, end].concat()
}
