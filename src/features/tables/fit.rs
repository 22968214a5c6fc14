//! Scores of chart kinds for a table: how well each kind shows it.

use crate::features::portfolio;
use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;
use crate::features::portfolio::TableFit;
use crate::features::portfolio::TableProperty;

use super::column_match;
use super::column_match::LeftOverReason;
use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::column_properties;
use super::fit_facts::Facts;
use super::fit_reasons;
use super::heading;
use super::inference;
use super::mapping;
use super::mapping::TableMapping;
use super::record_layout::RecordLayout;

/// Factor of the score for each property that the kind needs and the table lacks.
const LACKING_FACTOR: f64 = 0.4;
/// Share of the distance to 1 that a preferred property closes.
const BONUS: f64 = 0.4;
/// Share of the distance to 1 that a column with a specific role closes, if its heading names it.
const SPECIFIC_BONUS: f64 = 0.2;
/// Factor of the score without a preferred property.
const NOT_PREFERRED_FACTOR: f64 = 0.9;
/// Factor of the score if the specific columns of a kind are only guessed.
const GUESSED_FACTOR: f64 = 0.4;
/// Factor of the score if only a part of the specific columns that the kind
/// requires have their names.
const PARTLY_NAMED_FACTOR: f64 = 0.5;
/// Factor of the score of a kind that shows amounts of different units on one scale.
const MIXED_UNITS_FACTOR: f64 = 0.35;
/// Factor of the score of a kind that shows texts as names of which each is that of several records.
const REPEATED_NAMES_FACTOR: f64 = 0.7;
/// Factor of the score for each column of numbers that the kind shows as names.
const NUMBERS_AS_NAMES_FACTOR: f64 = 0.7;
/// Part of the score that depends on the share of the columns that the kind shows.
const COVERAGE_WEIGHT: f64 = 0.65;
/// The same if the kind has at least two specific columns, and headings name all of them. Other
/// columns are details then.
const NAMED_COVERAGE_WEIGHT: f64 = 0.1;
/// Maximum score of a kind that lacks a required column.
const MAX_INCOMPLETE_SCORE: f64 = 0.1;
/// Maximum number of columns that a reason names.
const MAX_NAMED_COLUMNS: usize = 3;

/// Score of a chart kind for a table.
pub struct KindFit {
    pub kind: &'static KindInfo,
    /// 0 to 1, with two decimals.
    pub score: f64,
    /// Short explanation of the score.
    pub reason: String,
    pub mapping: TableMapping<'static>,
}

/// Maps a table to each chart kind, and returns all kinds with their scores, best first, also those
/// that lack a required column. Kinds with equal rounded scores keep the order of the catalogue.
pub fn rank_kinds(profiles: &[ColumnProfile]) -> Vec<KindFit> {
    let rank_kind = |kind: &'static KindInfo| {
        let mapping = mapping::map_table(profiles, kind);
        let facts = Facts::new(profiles, kind, &mapping);
        let (score, reason) = facts.score();
        KindFit { kind, score: (score * 100.0).round() / 100.0, reason, mapping }
    };
    let mut fits: Vec<KindFit> = portfolio::kinds().iter().map(rank_kind).collect();
    fits.sort_by(|one, two| two.score.total_cmp(&one.score));
    fits
}

impl Facts<'_> {
    /// Returns the score, 0 to 1 and not rounded, and its explanation in English. If no column of the
    /// table fits a required column of the kind, the score is at most `MAX_INCOMPLETE_SCORE`. It is 0
    /// for a table without records. Otherwise, factors for lacking properties, guesses, losses, sizes
    /// and left over columns lower the prior of the kind, and preferred properties and named columns
    /// raise it.
    fn score(&self) -> (f64, String) {
        let required = self.kind.columns.iter().filter(|column| column.required).count();
        if let Some(column) = self.mapping.missing.first() {
            let present = required - self.mapping.missing.len();
            let score = MAX_INCOMPLETE_SCORE * present as f64 / required.max(1) as f64;
            return (score, format!("no column fits {}", column.title));
        }
        if let Some(column) = self.find_unreadable_column() {
            return (MAX_INCOMPLETE_SCORE, format!("the cells do not fit {}", column.title));
        }
        if self.records == 0 {
            return (0.0, "the table has no records".to_owned());
        }
        let fit = &self.kind.table_fit;
        let mut score = fit.prior * self.size_factor(fit);
        let needs = fit.needs.iter().copied();
        let lacking: Vec<TableProperty> = needs.filter(|property| !self.has(*property)).collect();
        score *= LACKING_FACTOR.powi(lacking.len() as i32);
        // Headings that name the fields of texts choose the layout of cells.
        let is_certain = match self.mapping.layout {
            RecordLayout::Samples { name, .. } => self.has_large_samples(name),
            RecordLayout::Cells { value, .. } => value.column_type == KindColumnType::Text,
            _ => false,
        };
        // Names of countries are certain under any heading.
        let is_guess = !fit.named.is_empty()
            && !is_certain
            && !self.has_places()
            && !fit.named.iter().any(|key| self.is_named(key));
        score *= match is_guess {
            true => GUESSED_FACTOR,
            false if self.is_partly_named() => PARTLY_NAMED_FACTOR,
            false => 1.0,
        };
        score *= self.loss_factor();
        for property in &fit.prefers {
            if self.has(*property) {
                score += if lacking.is_empty() { (1.0 - score) * BONUS } else { 0.0 };
            } else {
                score *= NOT_PREFERRED_FACTOR;
            }
        }
        let specific = self.list_specific_columns();
        score = 1.0 - (1.0 - score) * (1.0 - SPECIFIC_BONUS).powi(specific.len() as i32);
        let is_named = fit.named.len() > 1 && fit.named.iter().all(|key| self.is_named(key));
        let weight = if is_named { NAMED_COVERAGE_WEIGHT } else { COVERAGE_WEIGHT };
        score *=
            self.unit_factor() * self.label_factor() * (1.0 - weight + weight * self.coverage());
        if self.shows_amounts_with_shares() {
            let reason = "a column of numbers has only the shares of another one".to_owned();
            return (score * LACKING_FACTOR, reason);
        }
        (score.clamp(0.0, 1.0), self.explain(&lacking, is_guess, &specific))
    }

    /// Returns the factor for the numbers of records and series: 1 if both are within the ranges in
    /// which the kind shows them well, and otherwise less, the farther outside. Series do not count for
    /// a kind without a range of them.
    fn size_factor(&self, fit: &TableFit) -> f64 {
        let factor = |count: usize, (min, max): (usize, usize)| {
            if count < min {
                0.5 * (count as f64 / min as f64).max(0.2)
            } else if count > max {
                (max as f64 / count as f64).sqrt().max(0.2)
            } else {
                1.0
            }
        };
        let series = fit.series.map_or(1.0, |range| factor(self.series, range));
        factor(self.records, fit.records) * series
    }

    /// Returns the share of the columns of the table that the kind shows, 0 to 1. Columns without cells
    /// do not count. Neither do ids, columns with equal cells, shares of another column and totals,
    /// unless the kind shows them.
    fn coverage(&self) -> f64 {
        let pairs = self.mapping.columns.iter().zip(self.profiles).zip(&self.shares);
        let counts = pairs.filter(|((mapped, profile), is_share)| {
            let is_detail = heading::is_id(&profile.heading)
                || **is_share
                || profile.distinct == 1 && self.records > 1
                || matches!(
                    mapped.left_over_reason,
                    Some(LeftOverReason::Total | LeftOverReason::LargerTotal)
                );
            profile.column_type != ColumnType::Empty && (mapped.target.is_some() || !is_detail)
        });
        let (mut used, mut total) = (0, 0);
        for ((mapped, _), _) in counts {
            total += 1;
            used += usize::from(self.is_shown(mapped));
        }
        used as f64 / f64::max(f64::from(total), 1.0)
    }

    /// Returns whether the kind shows several columns of amounts, and a mapped column has only the
    /// shares of another column of the table.
    fn shows_amounts_with_shares(&self) -> bool {
        let pairs = self.mapping.columns.iter().zip(&self.shares);
        self.values.len() > 1
            && pairs.into_iter().any(|(mapped, is_share)| *is_share && mapped.target.is_some())
    }

    /// Returns whether the column `mapped` of the table has a target in the kind, or its texts name the
    /// series.
    pub(super) fn is_shown(&self, mapped: &MappedColumn<'_>) -> bool {
        let names_rows = |(index, column): (usize, &MappedColumn<'_>)| {
            std::ptr::eq(column, mapped) && self.mapping.layout.has_series_names_in(index)
        };
        mapped.target.is_some() || self.mapping.columns.iter().enumerate().any(names_rows)
    }

    /// Returns the factor for the names of the records: 0.5 if several records of a kind with one
    /// required name have the same label, `REPEATED_NAMES_FACTOR` if most do in an optional column, and
    /// `NUMBERS_AS_NAMES_FACTOR` for each column of numbers that is a required name, unless they count
    /// from 0 or 1 or name routes and the like.
    fn label_factor(&self) -> f64 {
        let is_required_name = |column: &Column| {
            column.required && !column.repeats && column.column_type != KindColumnType::Number
        };
        let names = self.kind.columns.iter().filter(|column| is_required_name(column));
        let is_unique_name = names.count() == 1 && !self.values.is_empty();
        let mut factor = 1.0;
        let is_repeated = self.label.is_some_and(|(_, profile)| profile.has_repeated);
        if is_unique_name && is_repeated && self.mapping.layout == RecordLayout::Rows {
            factor *= 0.5;
        }
        let names = self.mapping.columns.iter().zip(self.profiles).filter(|(mapped, profile)| {
            mapped.column().is_some_and(is_required_name)
                && profile.column_type == ColumnType::Number
                && !profile.is_years
                && !profile.is_numbering()
                && !profile.is_numbered_name
        });
        factor *= NUMBERS_AS_NAMES_FACTOR.powi(names.count() as i32);
        let is_optional_name = |column: &Column| !column.required && column.role == "label";
        let mut optional = self.mapping.columns.iter().zip(self.profiles);
        let repeats = optional.any(|(mapped, profile)| {
            mapped.column().is_some_and(is_optional_name)
                && profile.has_repeated
                && profile.distinct * 2 <= profile.filled()
        });
        if repeats { factor * REPEATED_NAMES_FACTOR } else { factor }
    }

    /// Returns whether the table has a column of units that the kind does not use.
    ///
    /// This is a column with a heading such as `Unit` and at least two different values. Units
    /// inside the cells of other columns, such as `5 kg`, do not count.
    fn ignores_unit_column(&self) -> bool {
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        pairs.any(|(mapped, profile)| {
            mapped.target.is_none()
                && profile.distinct > 1
                && heading::is_unit_heading(&profile.heading)
        })
    }

    /// Returns the factor for rows with different units: `MIXED_UNITS_FACTOR` if the kind does not use
    /// the column of units, or if the names or the cells have different units and the kind shows the
    /// rows on one scale. Otherwise 1.
    fn unit_factor(&self) -> f64 {
        let mixes_cells = self.values.iter().any(|value| value.has_mixed_units);
        if mixes_cells || self.mixes_units_of_rows() || self.ignores_unit_column() {
            MIXED_UNITS_FACTOR
        } else {
            1.0
        }
    }

    /// Returns whether the names of rows or series have different units in brackets, as in `Sales (T€)`
    /// and `Margin (%)`, and a column of amounts is mapped. Looks only at the examples of the columns,
    /// which are the first few names.
    fn mixes_units_of_rows(&self) -> bool {
        let is_name = |column: &Column| column.required && !column.repeats;
        let mut pairs = self.mapping.columns.iter().zip(self.profiles).enumerate();
        !self.values.is_empty()
            && pairs.any(|(index, (mapped, profile))| {
                let names_series = self.mapping.layout.has_series_names_in(index);
                (names_series || mapped.column().is_some_and(is_name))
                    && has_different_units(&profile.examples)
            })
    }

    /// Returns the first column of the kind, in the order of the table, that the kind needs and that is
    /// mapped to cells of another type, such as a date to texts. Ignores repeated columns and columns
    /// of texts. None if all cells fit.
    fn find_unreadable_column(&self) -> Option<&Column> {
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        pairs.find_map(|(mapped, profile)| {
            let column = mapped.column()?;
            let is_needed = column.required || self.kind.table_fit.named.contains(&column.key);
            let is_text = column.column_type == KindColumnType::Text;
            let is_readable = column_match::accepts(column.column_type, profile)
                || column_properties::holds_risk_steps(column, profile)
                || inference::takes_steps(column, self.kind) && profile.has_steps();
            (is_needed && !is_text && !is_readable && !column.repeats).then_some(column)
        })
    }

    /// Returns whether some but not all of the required columns in
    /// `table_fit.named` are mapped by their names.
    fn is_partly_named(&self) -> bool {
        let columns = self.kind.columns.iter().filter(|column| column.required);
        let named: Vec<bool> = columns
            .filter(|column| self.kind.table_fit.named.contains(&column.key))
            .map(|column| self.is_named(&column.key))
            .collect();
        named.contains(&true) && named.contains(&false)
    }

    /// Returns the columns of the table with a heading that names a column of the kind with a role
    /// other than the common ones, such as a start, or one in `table_fit.named`.
    fn list_specific_columns(&self) -> Vec<&MappedColumn<'_>> {
        const COMMON_ROLES: [&str; 8] =
            ["label", "value", "series", "flag", "note", "color", "column", "size"];
        let named_keys = &self.kind.table_fit.named;
        self.mapping
            .columns
            .iter()
            .filter(|mapped| {
                mapped.target.is_some_and(|(column, reason)| {
                    let is_specific = !COMMON_ROLES.contains(&column.role.as_str())
                        || named_keys.contains(&column.key);
                    reason != MatchReason::Type && is_specific
                })
            })
            .collect()
    }

    /// Returns the most important reason of the score as a text. The order is: a lacking property, a
    /// guess, too few or too many records or series, the columns `specific`, a preferred property, and
    /// the types of the columns.
    fn explain(
        &self,
        lacking: &[TableProperty],
        is_guess: bool,
        specific: &[&MappedColumn<'_>],
    ) -> String {
        let fit = &self.kind.table_fit;
        if let Some(property) = lacking.first() {
            return fit_reasons::describe_lack(*property).to_owned();
        }
        if is_guess {
            let columns = fit
                .named
                .iter()
                .filter_map(|key| self.kind.columns.iter().find(|column| column.key == *key));
            let titles: Vec<&str> = columns.map(|column| column.title.as_str()).collect();
            return format!("no heading names {}", titles.join(" or "));
        }
        let (few, many) = fit.records;
        if self.records < few {
            return format!("shows {few} records or more well, the table gives {}", self.records);
        }
        if self.records > many {
            return format!("shows up to {many} records well, the table gives {}", self.records);
        }
        if let Some((few, many)) = fit.series
            && !(few..=many).contains(&self.series)
        {
            return format!("shows {few} to {many} series well, the table gives {}", self.series);
        }
        if !specific.is_empty() {
            let names: Vec<String> = specific
                .iter()
                .take(MAX_NAMED_COLUMNS)
                .map(|mapped| format!("“{}”", mapped.heading.chars().take(40).collect::<String>()))
                .collect();
            return format!("has columns for this kind: {}", names.join(", "));
        }
        let preferred = fit.prefers.iter().find(|property| self.has(**property));
        preferred.map_or_else(
            || "the types of the columns fit".to_owned(),
            |property| fit_reasons::describe_presence(*property).to_owned(),
        )
    }
}

/// Returns whether two of the names, such as `Sales (T€)` and `Margin (%)`, have different texts with a
/// unit in brackets at their end. Ignores names without one, the word `in` before a unit, and points
/// after abbreviations.
fn has_different_units(names: &[String]) -> bool {
    let words = |text: &str| {
        let words = text.split_whitespace().filter(|word| !word.eq_ignore_ascii_case("in"));
        words.map(|word| word.trim_end_matches('.').to_owned()).collect::<Vec<String>>()
    };
    let mut units = names.iter().filter_map(|name| heading::scale_in_brackets(name)).map(words);
    units.next().is_some_and(|first| units.any(|unit| unit != first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_in_brackets_are_compared_without_the_words_around_them() {
        let differ = |names: [&str; 2]| has_different_units(&names.map(str::to_owned));
        assert!(!differ(["Sales (in EUR)", "Costs (EUR)"]));
        assert!(!differ(["Umsatz (Mio. €)", "EBIT [in Mio €]"]));
        assert!(!differ(["Sales (T€)", "Costs"]));
        assert!(differ(["Sales (T€)", "Margin (%)"]));
        assert!(differ(["Sales (in EUR)", "Costs (in TEUR)"]));
        assert!(differ(["GDP (1000 $)", "Income ($)"]));
    }
}
