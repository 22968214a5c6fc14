//! Workbooks compared with the CSV files that LibreOffice exports from them.
//!
//! `exports` in the folder of the fixtures contains the CSV file of each worksheet, written by
//! `write_fixtures.py`. LibreOffice writes the text that it shows, so these files are an independent reading
//! of the workbooks.

use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::fixture;
use super::messy::create_document;
use crate::server_process::ServerProcess;

/// Workbooks, each with the worksheet that was exported. `percentages-odfpy.ods` has no styles, so LibreOffice
/// shows 23.6 % as 0.236.
const WORKBOOKS: [(&str, &str); 19] = [
    ("currencies-odfpy.ods", "Beträge"),
    ("currencies-openpyxl.xlsx", "Sheet"),
    ("currencies-xlsxwriter.xlsx", "Sheet1"),
    ("currencies-xlwt.xls", "Beträge"),
    ("libreoffice.ods", "Zahlen 2024"),
    ("libreoffice.xls", "Zahlen 2024"),
    ("libreoffice.xlsx", "Zahlen 2024"),
    ("odfpy.ods", "Zahlen"),
    ("openpyxl.xlsx", "Daten"),
    ("percentages-openpyxl.xlsx", "Sheet"),
    ("percentages-xlsxwriter.xlsx", "Sheet1"),
    ("percentages-xlwt.xls", "Anteile"),
    ("sheetjs.ods", "Zahlen"),
    ("sheetjs.xls", "Zahlen"),
    ("sheetjs.xlsb", "Zahlen"),
    ("sheetjs.xlsx", "Zahlen"),
    ("xlsxwriter-1904.xlsx", "Zahlen 2024"),
    ("xlsxwriter.xlsx", "Zahlen 2024"),
    ("xlwt.xls", "Lang"),
];

/// Julian day of 1899-12-30, from which LibreOffice counts days.
const EPOCH_JULIAN_DAY: i32 = 2_415_019;

/// Writes a record of the export as the program reads the workbook: without errors, which are problems of the
/// workbook, and with the English dates in ISO 8601.
fn normalize_exported(record: &mut Map<String, Value>) {
    record.retain(|_, value| !["#DIV/0!", "#N/A"].contains(&value.as_str().unwrap_or_default()));
    for value in record.values_mut() {
        let Some(text) = value.as_str() else { continue };
        let (date, time) = text.split_once(' ').unwrap_or((text, ""));
        let parts: Vec<&str> = date.split('/').collect();
        let date = match parts[..] {
            [month, day, year] => format!("{year}-{month}-{day}"),
            _ => date.to_owned(),
        };
        if serial_number(&date).is_some() && date.contains('-') {
            let separator = if time.is_empty() { "" } else { "T" };
            *value = json!(format!("{date}{separator}{time}"));
        }
    }
}

/// Whether LibreOffice shows the value of a workbook as the one of the export.
fn is_shown_as(value: &Value, shown: &Value) -> bool {
    match (value, shown) {
        // It shows ten significant digits.
        (Value::Number(value), Value::Number(shown)) => {
            let (value, shown) = (value.as_f64().unwrap(), shown.as_f64().unwrap());
            (value - shown).abs() <= shown.abs() * 1e-9
        }
        // It writes the booleans of an ods file as numbers, and shows those of xls files as numbers.
        (Value::Number(number), Value::String(boolean))
        | (Value::String(boolean), Value::Number(number))
            if ["TRUE", "FALSE"].contains(&boolean.as_str()) =>
        {
            number.as_f64() == Some(f64::from(boolean == "TRUE"))
        }
        // In files without styles, it shows dates as numbers.
        (Value::String(date), Value::Number(days)) => {
            serial_number(date).is_some_and(|date| (days.as_f64().unwrap() - date).abs() < 1e-5)
        }
        _ => value == shown,
    }
}

/// Returns the days since 1899-12-30 for a date, a time stamp or a duration. None for other texts.
fn serial_number(text: &str) -> Option<f64> {
    let (date, time) = match text.split_once('T') {
        Some((date, time)) => (Some(date), Some(time)),
        None if text.contains(':') => (None, Some(text)),
        None => (Some(text), None),
    };
    let days = date.map_or(Some(0), julian_day_since_epoch)?;
    let mut seconds = 0.0;
    for part in time.into_iter().flat_map(|time| time.split(':')) {
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    Some(f64::from(days) + seconds / 86_400.0)
}

/// Returns the days from 1899-12-30 to a date in ISO 8601. None for other texts.
fn julian_day_since_epoch(date: &str) -> Option<i32> {
    let parts = date.split('-').map(|part| part.parse().ok()).collect::<Option<Vec<i32>>>()?;
    let [year, month, day] = parts[..] else { return None };
    // The year begins in March, so that a leap day is its last day.
    let is_before_march = i32::from(month < 3);
    let (year, month) = (year + 4800 - is_before_march, month + 12 * is_before_march - 3);
    let days = day + (153 * month + 2) / 5 + 365 * year + year / 4 - year / 100 + year / 400;
    Some(days - 32_045 - EPOCH_JULIAN_DAY)
}

#[test]
fn workbooks_and_their_export_from_libreoffice_become_the_same_records() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let put = |query: &str, media_type: &str, bytes: &[u8]| {
        let path = format!("{endpoint}/data?mapping=none{query}");
        let owner = server.ann().with_header("content-type", media_type);
        owner.send_bytes("PUT", &path, Some(bytes)).expect(200);
        let data = server.ann().get(&endpoint).expect(200).json()["data"].clone();
        serde_json::from_value::<Vec<Map<String, Value>>>(data).unwrap()
    };
    let mut failures = Vec::new();
    for (name, sheet) in WORKBOOKS {
        let (bytes, export) = (fixture(name), fixture(&format!("exports/{name}.csv")));
        let sheet = sheet.replace(' ', "%20").replace('ä', "%C3%A4");
        let records = put(&format!("&sheet={sheet}"), "application/octet-stream", &bytes);
        let exported = put("", "text/csv", &export);
        assert_eq!(records.len(), exported.len(), "{name}");
        for (mut record, mut shown) in records.into_iter().zip(exported) {
            normalize_exported(&mut shown);
            if name == "libreoffice.xls" && shown["Region"] == "Sum" {
                // LibreOffice writes the text of a formula as the number 0 to xls files.
                assert_eq!(record.insert("Region".to_owned(), json!("Sum")), Some(json!(0)));
            }
            if name.starts_with("currencies") && record["Region"] == "West" {
                // The only amount in CHF of a column in euros is left out and reported.
                assert_eq!(record.remove("Kosten"), Some(Value::Null), "{name}");
                assert_eq!(shown.remove("Kosten"), Some(7.into()), "{name}");
            }
            let is_equal = record.keys().eq(shown.keys())
                && record.values().zip(shown.values()).all(|(a, b)| is_shown_as(a, b));
            if !is_equal {
                failures.push(format!("{name}: {record:?}\n    LibreOffice: {shown:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
