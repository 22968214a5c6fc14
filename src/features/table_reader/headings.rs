//! The headings of the columns of a table: one or two rows, and a different name for each column.

use std::collections::HashMap;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use super::limits::MAX_HEADING_BYTES;
use super::limits::body_error;
use super::report::TableReport;
use crate::features::tables;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Result;

/// Numbers that can be headings.
const YEARS: RangeInclusive<f64> = 1900.0..=2100.0;
/// Minimum number of columns with numbers below two rows of headings.
const MIN_NUMBER_COLUMNS: usize = 2;

/// Returns the joined headings of the first two rows, if the second one has headings or units too.
/// `rows` are the first row of headings and the two rows below. None if the second row is a record.
pub(super) fn join_second_row(rows: [&[String]; 3]) -> Option<Vec<String>> {
    let [first, second, _] = rows;
    if has_units(rows) {
        return Some(add_units(first, second));
    }
    has_second_heading_row(rows).then(|| join_rows(first, second))
}

/// Returns whether the second row has units of measure below headings, such as `°C`, `Mrd. €` or
/// `[kg]`, and the third row has a number below one of them and no text below the others. The other
/// cells of the second row are empty, or name units as such. Powers of ten such as `1 000` are
/// units too.
fn has_units([first, second, third]: [&[String]; 3]) -> bool {
    let unit_columns = || second.iter().enumerate().filter(|(_, text)| is_unit(text));
    let is_below_heading = |(index, _): (usize, &String)| {
        let cell = third.get(index).map_or("", String::as_str);
        let is_number = read_number(cell).is_some() || number_text::is_missing(cell);
        is_number && first.get(index).is_some_and(|heading| !heading.is_empty())
    };
    let is_above_number = |(index, _): (usize, &String)| {
        third.get(index).is_some_and(|cell| read_number(cell).is_some())
    };
    let is_other = |text: &String| {
        text.is_empty() || is_unit(text) || tables::is_unit_heading(strip_brackets(text))
    };
    unit_columns().any(is_above_number)
        && unit_columns().all(is_below_heading)
        && second.iter().all(is_other)
        && second.len() <= first.len()
}

/// Returns whether a text is a unit of measure or a magnitude, with or without brackets, such as
/// `kg`, `[Mrd. €]` and `1 000`.
fn is_unit(text: &str) -> bool {
    let text = strip_brackets(text);
    number_text::is_unit(text) || number_text::is_scale(text)
}

/// Removes one pair of round or square brackets around a whole text, and then whitespace around it.
fn strip_brackets(text: &str) -> &str {
    let inner = [('(', ')'), ('[', ']')].iter().find_map(|(open, close)| {
        text.strip_prefix(*open).and_then(|rest| rest.strip_suffix(*close))
    });
    inner.unwrap_or(text).trim()
}

/// Adds the units in the second row to the headings, as in `Temperature (°C)`. Columns without a
/// unit keep their heading.
fn add_units(first: &[String], second: &[String]) -> Vec<String> {
    let with_unit = |(index, heading): (usize, &String)| match second.get(index) {
        Some(unit) if is_unit(unit) => format!("{heading} ({})", strip_brackets(unit)),
        _ => heading.clone(),
    };
    first.iter().enumerate().map(with_unit).collect()
}

/// Returns whether the second row has headings too, below those of the first row,
/// some of which span several columns, such as `Sales` and `Costs` below each year.
///
/// The first row has empty cells to the right of a spanning heading, and the second row
/// has texts or years below them. The third row has at least two numbers that are not
/// years, below such texts.
fn has_second_heading_row([first, second, third]: [&[String]; 3]) -> bool {
    let spans = find_spans(first, second.len());
    let columns = || spans.iter().zip(second).enumerate();
    let is_spanned = columns().any(|(index, (heading, below))| {
        !heading.is_empty() && !below.is_empty() && first.get(index).is_none_or(String::is_empty)
    });
    let has_headings = columns().all(|(index, (heading, below))| {
        let is_covered = heading.is_empty() || first.get(index).is_some_and(|own| !own.is_empty());
        read_number(below).is_none_or(|number| YEARS.contains(&number))
            && (!below.is_empty() || is_covered)
    });
    let is_number = |(above, text): &(&String, &String)| {
        !number_text::is_missing(above)
            && read_number(text).is_some_and(|number| !YEARS.contains(&number))
    };
    let number_columns = second.iter().zip(third).filter(is_number).count();
    is_spanned && has_headings && number_columns >= MIN_NUMBER_COLUMNS
}

/// Joins the headings of two rows, such as `2023, Sales`. A cell without a heading below keeps its
/// own. The result has as many columns as the longer row.
fn join_rows(first: &[String], second: &[String]) -> Vec<String> {
    let spans = find_spans(first, second.len()).into_iter().enumerate();
    let joined = spans.map(|(index, heading)| {
        match second.get(index).map(String::as_str).unwrap_or_default() {
            "" => first.get(index).cloned().unwrap_or_default(),
            below if heading.is_empty() => below.to_owned(),
            below => format!("{heading}, {below}"),
        }
    });
    joined.collect()
}

/// Checks the headings of the columns.
///
/// # Errors
/// `InvalidFields` about `body` if all headings are empty, or one of them is too long.
pub(super) fn check(headings: &[String]) -> Result<()> {
    if headings.iter().all(String::is_empty) {
        return Err(body_error("must have a first row with column headings"));
    }
    if headings.iter().any(|heading| heading.len() > MAX_HEADING_BYTES) {
        return Err(body_error(format!("has a heading of more than {MAX_HEADING_BYTES} bytes")));
    }
    Ok(())
}

/// Changes headings until no two columns have the same one, because headings become keys of
/// records. A further column `Sales` is called `Sales (2)`. Reports the changes. Empty headings
/// stay. The first of several columns keeps its heading.
pub(super) fn make_different(headings: &mut [String], report: &mut TableReport) {
    let mut names: HashSet<String> = headings.iter().cloned().collect();
    // Number of columns so far with each of the original headings.
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (index, heading) in headings.iter_mut().enumerate().filter(|(_, text)| !text.is_empty()) {
        let count = counts.entry(heading.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            continue;
        }
        let name = loop {
            let name = format!("{heading} ({count})");
            if names.insert(name.clone()) {
                break name;
            }
            *count += 1;
        };
        let message = format!("is also the heading of another column, and is changed to “{name}”");
        report.add_problem_in_table(report.header_row.saturating_sub(1), index, message);
        *heading = name;
    }
}

/// Returns the heading of the first row above each of at least `columns` columns: its own one,
/// or else the one to the left that spans it. Empty for columns to the left of all headings.
fn find_spans(first: &[String], columns: usize) -> Vec<&str> {
    let mut current = "";
    let mut spans = Vec::new();
    for index in 0..first.len().max(columns) {
        current =
            first.get(index).map(String::as_str).filter(|own| !own.is_empty()).unwrap_or(current);
        spans.push(current);
    }
    spans
}

/// Parses a number with a decimal point, or else with a decimal comma. None if it is neither.
pub(super) fn read_number(text: &str) -> Option<f64> {
    let separators = [DecimalSeparator::Point, DecimalSeparator::Comma];
    separators.into_iter().find_map(|separator| number_text::read(text, separator))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::table_reader::report::TableFormat;

    fn row(text: &str) -> Vec<String> {
        text.split(';').map(str::to_owned).collect()
    }

    fn is_second_row_found(texts: [&str; 3]) -> bool {
        let [first, second, third] = texts.map(row);
        has_second_heading_row([&first, &second, &third])
    }

    #[test]
    fn headings_that_span_columns_are_joined_with_those_below() {
        let [first, second] = [";2023;;2024;", "Region;Umsatz;Kosten;Umsatz;Kosten"];
        assert!(is_second_row_found([first, second, "Nord;1;2;3;4"]));
        assert_eq!(
            join_rows(&row(first), &row(second)),
            ["Region", "2023, Umsatz", "2023, Kosten", "2024, Umsatz", "2024, Kosten"]
        );
        let [first, second] = ["Partei;Anteil;;", ";Männer;Frauen;Divers"];
        assert!(is_second_row_found([first, second, "A;12,5 %;13,5 %;k. A."]));
        assert_eq!(join_rows(&row(first), &row(second))[..2], ["Partei", "Anteil, Männer"]);
        assert!(is_second_row_found([";Sales;", "Region;2022;2023", "North;1,284;1,301"]));
    }

    #[test]
    fn units_below_headings_become_parts_of_them() {
        let join = |texts: [&str; 3]| {
            let [first, second, third] = texts.map(row);
            join_second_row([&first, &second, &third]).map(|joined| joined.join(";"))
        };
        let weather = ["Monat;Temperatur;Regen", ";°C;[mm]", "Jan;1,2;55"];
        assert_eq!(join(weather).as_deref(), Some("Monat;Temperatur (°C);Regen (mm)"));
        let sales = ["Region;Sales;Share;Note", "Unit;€;%;", "North;12;5;x"];
        assert_eq!(join(sales).as_deref(), Some("Region;Sales (€);Share (%);Note"));
        let gdp = ["Land;BIP;je Kopf;Wachstum", ";Mrd. €;€;%", "Irland;505;95.450;-5,5"];
        let want = "Land;BIP (Mrd. €);je Kopf (€);Wachstum (%)";
        assert_eq!(join(gdp).as_deref(), Some(want));
        let people = ["Alter;Insgesamt;Männer", ";1 000;1 000", "15 bis unter 25;(12);/"];
        assert_eq!(join(people).as_deref(), Some("Alter;Insgesamt (1 000);Männer (1 000)"));
        for texts in [
            ["Alter;Insgesamt;Männer", "0 bis 15;1 000;1 000", "15 bis 25;12;7"],
            ["Alter;Insgesamt;Männer", ";1 000;1 001", "15 bis 25;12;7"],
            ["Alter;Insgesamt;Männer", ";1 000;1 000", "15 bis 25;/;-"],
            ["Monat;Temperatur", "Jan;°C", "Feb;3"],
            ["Code;Size", "m;L", "s;XL"],
            ["Name;Value", ";kg", "A;heavy"],
            ["Name;Value", ";", "A;1"],
        ] {
            assert_eq!(join(texts), None, "{texts:?}");
        }
    }

    #[test]
    fn records_below_missing_headings_are_no_headings() {
        for table in [
            [";2023;;2024;", "Nord;1;2;3;4", "Süd;5;6;7;8"],
            ["Name;Umsatz;", "Nord;k. A.;Notiz", "Süd;5;"],
            ["Region;2022;2023", "Nord;hoch;gut", "Süd;5;6"],
            [";Baujahr;", "Haus;1950;1960", "Turm;1970;1980"],
            ["a;b;c", "", ""],
        ] {
            assert!(!is_second_row_found(table), "{table:?}");
        }
    }

    #[test]
    fn equal_headings_are_changed_and_reported() {
        let mut headings = row("Region;Umsatz;Umsatz;Umsatz (2);;;Umsatz");
        let mut report = TableReport::new(TableFormat::Csv);
        make_different(&mut headings, &mut report);
        assert_eq!(headings, row("Region;Umsatz;Umsatz (3);Umsatz (2);;;Umsatz (4)"));
        let problems: Vec<String> = report
            .problems
            .iter()
            .map(|problem| format!("{} {}", problem.cell, problem.message))
            .collect();
        assert_eq!(
            problems,
            [
                "C1 is also the heading of another column, and is changed to “Umsatz (3)”",
                "G1 is also the heading of another column, and is changed to “Umsatz (4)”",
            ]
        );
    }
}
