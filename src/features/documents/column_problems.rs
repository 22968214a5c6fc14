//! Cells of a table that do not fit their column, for responses and the command line.

use schemars::JsonSchema;
use serde::Serialize;

use crate::features::tables::ColumnProfile;

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
    pub message: &'static str,
}

/// Lists the problems of the columns of a table, at most five for each column.
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
