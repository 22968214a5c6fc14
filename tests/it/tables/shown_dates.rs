//! Dates in worksheets compared with the texts that LibreOffice shows.
//!
//! `tables/fixtures/write_worksheets.py` wrote the workbooks and the exports.

use chartroom::features::table_reader;
use chartroom::features::table_reader::Limits;
use chartroom::features::table_reader::ReadOptions;
use chartroom::features::table_reader::SheetChoice;
use chartroom::features::table_reader::WorksheetCell;

use super::fixture;
use super::worksheets::read_worksheet;

/// Workbooks with the worksheet `Dates`. Its first column has the format codes.
const DATE_WORKBOOKS: [&str; 8] = [
    "dates-xlsxwriter.xlsx",
    "dates-xlsxwriter-1904.xlsx",
    "dates-xlwt.xls",
    "dates-xlwt-1904.xls",
    "dates-sheetjs.xlsb",
    "libreoffice-dates-xlsxwriter.xlsx",
    "libreoffice-dates-xlsxwriter.xls",
    "libreoffice-dates-xlsxwriter.ods",
];

/// Returns the text that a cell shows.
fn shown(cell: Option<&WorksheetCell>) -> String {
    match cell {
        None => String::new(),
        Some(WorksheetCell::Text(text)) => text.clone(),
        Some(WorksheetCell::Number(number)) => number.to_string(),
        Some(WorksheetCell::Date(date)) => date.display_value().into_owned(),
    }
}

/// Texts of date cells that differ from those of LibreOffice: format code, text here, and text of
/// LibreOffice.
const DEVIATIONS: &[(&str, &str, &str)] = &[
    // Excel has a day 1900-02-29, and therefore other days before it. LibreOffice does not. The day 0 is in
    // January 1900 in Excel, and 1899-12-30 in LibreOffice.
    ("yyyy-mm-dd", "1900-01-01", "1899-12-31"),
    ("yyyy-mm-dd", "1900-01-31", "1900-01-30"),
    ("yyyy-mm-dd", "1900-02-28", "1900-02-27"),
    ("yyyy-mm-dd", "1900-02-29", "1900-02-28"),
    ("built-in 14", "1/0/1900", "12/30/1899"),
    ("built-in 14", "1/1/1900", "12/31/1899"),
    ("built-in 15", "0-Jan-00", "30-Dec-99"),
    ("built-in 15", "1-Jan-00", "31-Dec-99"),
    ("built-in 16", "0-Jan", "30-Dec"),
    ("built-in 16", "1-Jan", "31-Dec"),
    ("built-in 17", "Jan-00", "Dec-99"),
    ("built-in 22", "1/0/1900 13:05", "12/30/1899 13:05"),
    ("built-in 22", "1/1/1900 3:30", "12/31/1899 3:30"),
    ("yyyy-mm-dd", "1900-01-00", "1899-12-30"),
    ("dd.mm.yyyy", "29.02.1900", "28.02.1900"),
    ("dd.mm.yyyy", "00.01.1900", "30.12.1899"),
    ("dd.mm.yyyy", "01.01.1900", "31.12.1899"),
    ("ddd, d mmm yy", "Wed, 29 Feb 00", "Wed, 28 Feb 00"),
    ("ddd, d mmm yy", "Sat, 0 Jan 00", "Sat, 30 Dec 99"),
    ("ddd, d mmm yy", "Sun, 1 Jan 00", "Sun, 31 Dec 99"),
    ("m/d/yyyy h:mm AM/PM", "2/29/1900 12:00 AM", "2/28/1900 12:00 AM"),
    ("m/d/yyyy h:mm AM/PM", "1/0/1900 6:00 AM", "12/30/1899 6:00 AM"),
    ("m/d/yyyy h:mm AM/PM", "1/1/1900 3:30 AM", "12/31/1899 3:30 AM"),
    ("m/d/yy", "2/29/1900", "2/28/1900"),
    ("m/d/yy", "1/0/1900", "12/30/1899"),
    ("m/d/yy", "1/1/1900", "12/31/1899"),
    // Month names are English whatever the code says, and LibreOffice writes the slash for the separator of
    // the language.
    ("[$-407]d. mmmm yyyy", "8. January 2024", "8. Januar 2024"),
    ("[$-407]d. mmmm yyyy", "8/ January 2024", "8. Januar 2024"),
    // LibreOffice cuts fractions of a second here, which are rounded before.
    ("hh:mm", "00:00", "23:59"),
    // LibreOffice does not know decimals of elapsed seconds.
    ("[ss].00", "05.00", "0.0000578703704"),
    // The time of the system is `h:mm:ss AM/PM` in en-US.
    ("[$-F400]h:mm:ss AM/PM", "1:05:00 PM", "01:05:00 PM"),
    // LibreOffice writes `A/P` to its files, and shows it in lower case. From its OpenDocument files it reads
    // `AM/PM` and three letters of the month, but stores the texts of before.
    ("h:mm:ss a/p", "6:00:00 A", "6:00:00 a"),
    ("h:mm:ss a/p", "6:00:00 P", "6:00:00 p"),
    ("mmmmm-yy", "M-24", "Mar-24"),
    ("mmmmm-yy", "J-24", "Jan-24"),
    ("h:mm:ss a/p", "6:00:00 a", "6:00:00 AM"),
    ("h:mm:ss a/p", "6:00:00 p", "6:00:00 PM"),
    // LibreOffice writes dates with several sections as numbers to OpenDocument.
    ("yyyy;;\\-", "45382", "2024"),
    ("[<1]hh:mm;yyyy-mm-dd", "0.25", "06:00"),
    ("[<1]hh:mm;yyyy-mm-dd", "45382", "2024-03-31"),
    // SheetJS writes values below merged cells.
    ("Merged", "", "covered"),
];

#[test]
fn dates_are_shown_as_libreoffice_shows_them() {
    let mut failures = Vec::new();
    let mut is_used = [false; DEVIATIONS.len()];
    for name in DATE_WORKBOOKS {
        let bytes = fixture(&format!("worksheets/{name}"));
        let sheet = read_worksheet(&bytes, SheetChoice::Name("Dates")).unwrap();
        let export = fixture(&format!("worksheets/{name}.csv"));
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let export =
            table_reader::read_worksheet(&export, &options, SheetChoice::First, Limits::WORKSHEETS)
                .unwrap();
        assert_eq!(sheet.rows.len(), export.rows.len(), "{name}");
        let mut dates = 0;
        for (row, exported) in sheet.rows.iter().zip(&export.rows) {
            let code = shown(row.first());
            for index in 0..row.len().max(exported.len()) {
                let (here, there) = (shown(row.get(index)), shown(exported.get(index)));
                dates += usize::from(matches!(row.get(index), Some(WorksheetCell::Date(_))));
                let deviation = (&*code, &*here, &*there);
                match DEVIATIONS.iter().position(|known| *known == deviation) {
                    _ if here == there => {}
                    Some(index) => is_used[index] = true,
                    None => failures.push(format!("{name}: {deviation:?}")),
                }
            }
        }
        assert!(dates > 30, "{name} has only {dates} dates");
    }
    let unused = DEVIATIONS.iter().zip(is_used).filter(|(_, is_used)| !is_used);
    failures.extend(unused.map(|(deviation, _)| format!("never found: {deviation:?}")));
    assert!(failures.is_empty(), "\n{}\n", failures.join("\n"));
}
