//! Cells of a table that do not fit their column, for responses and the command line.

use schemars::JsonSchema;
use serde::Serialize;

use crate::features::portfolio::ColumnType;
use crate::features::portfolio::KindInfo;
use crate::features::table_reader::Table;
use crate::features::table_reader::TableReport;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::MappedColumn;
use crate::features::tables::TableColumnType;
use crate::features::tables::TableMapping;
use chartroom_charts::number_text;
use chartroom_charts::number_text::DecimalSeparator;
use chartroom_platform::error::Result;

/// Maximum number of problems of a column of texts, as in profiles.
const MAX_TEXT_PROBLEMS: usize = 5;
/// Maximum number of characters of the text of a cell in a problem.
const MAX_QUOTED_CHARS: usize = 60;

/// A cell that does not fit the type of its column, that has two readings, or that names the same
/// record as an earlier one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ColumnProblem {
    /// Heading of the column.
    pub column: String,
    /// Number of the record, from 1.
    pub record: usize,
    /// Start of the text of the cell.
    pub text: String,
    /// The problem, such as `is not a number`.
    #[serde(serialize_with = "chartroom_platform::messages::serialize")]
    pub message: &'static str,
}

/// Lists the problems that the profiles of the columns of a table contain, column by column. A
/// profile has only the first few problems of its column.
pub fn list_problems(profiles: &[ColumnProfile]) -> Vec<ColumnProblem> {
    let problems = profiles.iter().flat_map(|profile| {
        profile.problems.iter().map(|problem| ColumnProblem {
            column: profile.heading.clone(),
            record: problem.record,
            text: problem.text.clone(),
            message: problem.message,
        })
    });
    problems.collect()
}

/// Lists the problems of the columns of a table like [`list_problems`], and then the texts in
/// columns of texts that the chart kind reads as numbers, because the mapping follows the headings:
/// only in rows that are records, up to `MAX_TEXT_PROBLEMS` of all problems of a column. Leaves out
/// names of series, problems about another unit if the chart shows each cell with its own unit, and
/// problems of columns that the chart kind reads as texts.
///
/// # Errors
/// `InvalidFields` about `body`, as for the first reading of the table.
pub fn list_mapped_problems(
    table: &Table<'_>,
    mapping: &TableMapping<'_>,
    profiles: &[ColumnProfile],
) -> Result<Vec<ColumnProblem>> {
    let mut problems = list_problems(profiles);
    problems.retain(|problem| {
        let mut columns = mapping.columns.iter().zip(profiles);
        let is_shown = |(mapped, profile): (&MappedColumn<'_>, &ColumnProfile)| {
            mapped.heading == problem.column && shows_text(mapped, profile, problem)
        };
        !columns.any(is_shown)
    });
    let columns = mapping.columns.iter().zip(profiles).enumerate();
    let mut counts: Vec<(usize, usize)> = columns
        .filter(|(index, (mapped, profile))| {
            let needs_numbers =
                mapped.column().is_some_and(|column| column.column_type == ColumnType::Number);
            let is_text = profile.column_type == TableColumnType::Text
                && !mapping.layout.has_series_names_in(*index);
            needs_numbers && is_text && !shows_units(mapped, profile)
        })
        .map(|(index, (_, profile))| (index, profile.problems.len()))
        .collect();
    let mut rows = table.rows()?;
    let mut record = 0;
    while let Some(row) = rows.next_row()? {
        if row.is_blank() {
            continue;
        }
        record += 1;
        counts.retain(|(_, count)| *count < MAX_TEXT_PROBLEMS);
        if counts.is_empty() {
            break;
        }
        for (index, count) in &mut counts {
            let text = row.cell(*index).text;
            let is_read = is_number_or_missing(text) || reads_text(&mapping.columns[*index], text);
            if mapping.rows.contains(record) && !is_read {
                *count += 1;
                problems.push(ColumnProblem {
                    column: profiles[*index].heading.clone(),
                    record,
                    text: text.chars().take(MAX_QUOTED_CHARS).collect(),
                    message: "is not a number",
                });
            }
        }
    }
    Ok(problems)
}

/// Returns the report of a table for the chart kind to which it is mapped. Leaves out the problems about
/// other units than most of a column, if the kind shows each cell with its own unit.
pub fn report_for_kind(report: TableReport, kind: Option<&KindInfo>) -> TableReport {
    match kind.is_some_and(tables::shows_own_units) {
        true => report.without_unit_problems(),
        false => report,
    }
}

/// Returns whether a column of the chart kind reads a text: a word for a step of a risk, or a class of
/// values with its ends, such as `65+`.
fn reads_text(mapped: &MappedColumn<'_>, text: &str) -> bool {
    mapped.column().is_some_and(|column| {
        tables::has_risk_steps(column) && chartroom_charts::is_risk_step(text)
            || column.key == "from" && chartroom_charts::is_value_class(text)
    })
}

/// Returns whether the chart shows the text of a problem of a column, so that it is none.
fn shows_text(mapped: &MappedColumn<'_>, profile: &ColumnProfile, problem: &ColumnProblem) -> bool {
    let reads_texts = mapped.column().is_some_and(|column| column.column_type == ColumnType::Text);
    let has_units = problem.message == tables::OTHER_UNIT_MESSAGE && shows_units(mapped, profile);
    reads_texts || has_units || reads_text(mapped, &problem.text)
}

/// Returns whether the chart shows each cell of a column with its own unit.
fn shows_units(mapped: &MappedColumn<'_>, profile: &ColumnProfile) -> bool {
    mapped.column().is_some_and(|column| tables::keeps_own_units(column, profile))
}

/// Returns whether a text is a number with a decimal point or comma or without both, or is empty or
/// stands for a missing value, such as `n/a`.
fn is_number_or_missing(text: &str) -> bool {
    let separators = [DecimalSeparator::Point, DecimalSeparator::Comma];
    let is_number = || separators.iter().any(|known| number_text::read(text, *known).is_some());
    number_text::is_missing(text) || is_number()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::documents::table_profiles;
    use crate::features::portfolio;
    use crate::features::table_reader;
    use crate::features::table_reader::Limits;
    use crate::features::table_reader::ReadOptions;

    #[test]
    fn names_of_series_are_no_problems() {
        let text = "Tag,Filiale,Umsatz\n1.3.2025,A,5\n2.3.2025,A,6\n1.3.2025,B,7\n2.3.2025,B,8\n";
        let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
        let profiles = table_profiles::profile_columns(&table).unwrap();
        let kind = portfolio::find_kind("small-multiples").unwrap();
        let mapping = tables::map_table(&profiles, kind);
        assert!(mapping.layout.has_series_names_in(1));
        let problems = list_mapped_problems(&table, &mapping, &profiles).unwrap();
        assert!(problems.iter().all(|problem| problem.message != "is not a number"));
    }

    #[test]
    fn a_column_has_at_most_five_problems() {
        let text = "label,value\nA,x\nA,y\nB,x\nB,y\nC,x\nC,y\nC,y\n";
        let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
        let profiles = table_profiles::profile_columns(&table).unwrap();
        let mapping = tables::map_table(&profiles, portfolio::find_kind("bar").unwrap());
        let problems = list_mapped_problems(&table, &mapping, &profiles).unwrap();
        let messages: Vec<&str> = problems.iter().map(|problem| problem.message).collect();
        let twice = "is there twice, so that the rows do not become series";
        assert_eq!(messages, [&[twice][..], &["is not a number"; 4]].concat());
    }

    #[test]
    fn charts_with_a_unit_per_record_report_no_other_units() {
        let text = "KPI,Value\nMargin,23%\nChurn,2.1%\nGrowth,12%\nRevenue,€ 1.2M\n";
        let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
        let count = |slug: &str| {
            let report = report_for_kind(table.report.clone(), portfolio::find_kind(slug));
            report.problems.len()
        };
        assert_eq!(["bar", "scorecard", "bullet"].map(count), [1, 0, 0]);
    }

    #[test]
    fn words_for_steps_of_a_risk_are_no_problems() {
        let text = "Risiko;Eintrittswahrscheinlichkeit;Auswirkung\nBrand;gering;hoch\nStreik;35 %;mittel\nFlut;hoch;egal\n";
        let limits = Limits { max_rows: 10, max_text_bytes: 1000, deadline: None };
        let options = ReadOptions { content_type: Some("text/csv"), ..ReadOptions::default() };
        let table = table_reader::read(text.as_bytes(), &options, limits).unwrap();
        let profiles = table_profiles::profile_columns(&table).unwrap();
        let mapping = tables::map_table(&profiles, portfolio::find_kind("risk-matrix").unwrap());
        let keys: Vec<&str> = mapping.columns.iter().map(|column| column.key.as_str()).collect();
        assert_eq!(keys, ["label", "probability", "impact"]);
        let problems = list_mapped_problems(&table, &mapping, &profiles).unwrap();
        let texts: Vec<&str> = problems.iter().map(|problem| problem.text.as_str()).collect();
        assert_eq!(texts, ["egal"]);
    }
}
