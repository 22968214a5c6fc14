//! Tests of the decimal separator of numbers with two readings, such as `1.073`.

use super::Limits;
use super::ReadOptions;
use super::push_cell;
use super::read;
use chartroom_charts::Locale;

/// Language of the document, and that of the caller.
type Languages<'a> = (&'a str, &'a str);

const NONE: Languages<'_> = ("", "");
const GERMAN: Languages<'_> = ("de", "en");
const ENGLISH: Languages<'_> = ("en", "de");
const GERMAN_CALLER: Languages<'_> = ("", "de");
const ENGLISH_CALLER: Languages<'_> = ("", "en");

/// Returns the JSON values of the last column of a table, and the number of reported problems.
fn read_last_column(text: &str, media_type: &str, languages: Languages<'_>) -> (String, usize) {
    let parse = |tag: &str| (!tag.is_empty()).then(|| Locale::parse(tag));
    let options = ReadOptions {
        content_type: Some(media_type),
        locale: parse(languages.0),
        caller_locale: parse(languages.1),
        ..ReadOptions::default()
    };
    let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
    let table = read(text.as_bytes(), &options, limits).unwrap();
    let last = table.contents.len() - 1;
    let mut rows = table.rows().unwrap();
    let mut values = Vec::new();
    while let Some(row) = rows.next_row().unwrap() {
        let mut value = String::new();
        push_cell(&mut value, row.cell(last), None, &table.contents[last]);
        values.push(value);
    }
    (values.join(" "), table.report.problems.len())
}

/// Checks the values of a column of texts below a heading, beside a column of names.
fn check(cells: &str, languages: Languages<'_>, want: &str, problems: usize) {
    let rows = cells.split(' ').enumerate();
    let rows: String = rows.map(|(row, cell)| format!("Row {row}\t{cell}\n")).collect();
    let text = format!("Name\tAmount\n{rows}");
    let found = read_last_column(&text, "text/csv", languages);
    assert_eq!(found, (want.to_owned(), problems), "{cells} {languages:?}");
}

#[test]
fn whole_numbers_tell_thousands() {
    for languages in [NONE, GERMAN, ENGLISH, GERMAN_CALLER, ENGLISH_CALLER] {
        check("212 245 1.073 960", languages, "212 245 1073 960", 0);
        check("212 245 1,073 960", languages, "212 245 1073 960", 0);
        check("3.120 980 940", languages, "3120 980 940", 0);
        check("12.100 655", languages, "12100 655", 0);
        check("12,100 655 98", languages, "12100 655 98", 0);
        check("5 12.100 655", languages, "5 12100 655", 0);
        check("412.000 98.500 750", languages, "412000 98500 750", 0);
        check("-1.073 -212 960", languages, "-1073 -212 960", 0);
        check("1.073€ 212€ 960€", languages, "1073 212 960", 0);
        check("1.234,50 1.073", languages, "1234.50 1073", 0);
        check("1.234.567 1.073", languages, "1234567 1073", 0);
        check("12,5 1.073", languages, "12.5 1073", 0);
    }
}

#[test]
fn decimals_of_thousandths_stay() {
    for languages in [NONE, GERMAN, ENGLISH, GERMAN_CALLER, ENGLISH_CALLER] {
        check("1.073 0.984 1.101", languages, "1.073 0.984 1.101", 0);
        check("1.073 1.5 1.101", languages, "1.073 1.5 1.101", 0);
        check("1,073 0,984 1,101", languages, "1.073 0.984 1.101", 0);
        check("1.073 1500.25", languages, "1.073 1500.25", 0);
        check("1,234.50 1.073", languages, "1234.50 1.073", 0);
    }
    for languages in [NONE, ENGLISH, ENGLISH_CALLER] {
        check("12.125kg 8.250kg", languages, "12.125 8.250", 1);
        check("1.073 1.101 1.234", languages, "1.073 1.101 1.234", 1);
        check("1.073 1500 2000", languages, "1.073 1500 2000", 1);
        check("3 12.125 101", languages, "3 12.125 101", 1);
        check("412.000 98.500", languages, "412.000 98.500", 1);
        check("1,073 1,101", languages, "1073 1101", 1);
    }
}

#[test]
fn the_language_decides_numbers_with_two_readings() {
    for languages in [GERMAN, GERMAN_CALLER] {
        check("412.000 98.500", languages, "412000 98500", 1);
        check("1.073 1.101", languages, "1073 1101", 1);
        check("1,073 1,101", languages, "1.073 1.101", 1);
        check("12.125kg 8.250kg", languages, "12125 8250", 1);
    }
    let html = "<table><tr><td>Ort<td>Einwohner<tr><td>A<td>412.000<tr><td>B<td>12.100</table>";
    for (languages, want) in
        [(GERMAN, "412000 12100"), (GERMAN_CALLER, "412000 12100"), (ENGLISH, "412.000 12.100")]
    {
        assert_eq!(read_last_column(html, "text/html", languages).0, want, "{languages:?}");
    }
}

#[test]
fn dates_the_format_and_other_columns_decide_before_the_caller() {
    let read = |text: &str, languages| read_last_column(text, "text/csv", languages).0;
    let dated = "Tag\tWert\n15.09.2024\t1.073\n16.09.2024\t1.101\n";
    assert_eq!(read(dated, NONE), "1073 1101");
    assert_eq!(read(dated, ENGLISH_CALLER), "1073 1101");
    assert_eq!(read(dated, ENGLISH), "1.073 1.101");
    let american = "Day\tValue\n09/15/2024\t1.073\n09/16/2024\t1.101\n";
    assert_eq!(read(american, ENGLISH_CALLER), "1.073 1.101");
    assert_eq!(read("Ort;Wert\nA;1.073\nB;1.101\n", ENGLISH_CALLER), "1073 1101");
    assert_eq!(read("Ort\tQ\tWert\nA\t5,5\t1.073\nB\t6,5\t1.101\n", ENGLISH_CALLER), "1073 1101");
    let likely = "Ort\tQ\tWert\nA\t212\t1.073\nB\t1.250\t1.101\n";
    assert_eq!(read(likely, ENGLISH_CALLER), "1073 1101");
    let points = "Ort\tQ\tWert\nA\t5.5\t1.073\nB\t6.5\t1.101\n";
    assert_eq!(read(points, GERMAN_CALLER), "1.073 1.101");
}

#[test]
fn the_report_names_both_readings_of_an_ambiguous_number() {
    let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
    let limits = Limits { max_rows: 100, max_text_bytes: 1 << 20, deadline: None };
    let table = read(b"Ort\tWert\nA\t412.000\nB\t98.500\n", &options, limits).unwrap();
    let problem = &table.report.problems[0];
    let message = "is read as 412; it may also be 412000, and no other cell decides";
    assert_eq!((problem.cell.as_str(), problem.message.as_str()), ("B2", message));
}
