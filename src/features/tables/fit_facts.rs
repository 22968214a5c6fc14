//! Parts and properties of a mapped table that the scores of chart kinds depend on.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::KindInfo;
use crate::features::portfolio::TableProperty;

use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::heading;
use super::heading_words;
use super::mapping::TableMapping;
use super::record_layout::RecordLayout;
use super::share_columns::find_share_columns;
use super::share_columns::is_sum_of_shares;

/// Maximum ratio between the largest values of two columns on one scale.
const MAX_SCALE_RATIO: f64 = 20.0;
/// Maximum number of cells of a grid for each record. Grids with fewer records look empty.
const MAX_CELLS_PER_RECORD: usize = 3;
/// Minimum sum of percentages that are the largest parts of a whole.
const MIN_SUM_OF_PERCENTAGES: f64 = 80.0;
/// Maximum sum of percentages that are parts of a whole, because of rounding.
const MAX_SUM_OF_PERCENTAGES: f64 = 101.5;

/// A mapped table, and the parts of it that scores depend on.
pub(super) struct Facts<'a> {
    pub(super) kind: &'a KindInfo,
    pub(super) mapping: &'a TableMapping<'a>,
    pub(super) profiles: &'a [ColumnProfile],
    /// Columns of numbers that the kind shows as amounts.
    pub(super) values: Vec<&'a ColumnProfile>,
    /// Column that names the records.
    pub(super) label: Option<(&'a MappedColumn<'a>, &'a ColumnProfile)>,
    /// Number of records.
    pub(super) records: usize,
    /// Number of columns that repeat.
    pub(super) series: usize,
    /// Whether each column has only the shares of another one.
    pub(super) shares: Vec<bool>,
}

impl<'a> Facts<'a> {
    /// Collects the facts about `mapping`, which maps the columns of `profiles` to the kind. Depending
    /// on its layout, rows, cells, columns or groups count as records.
    pub(super) fn new(
        profiles: &'a [ColumnProfile],
        kind: &'a KindInfo,
        mapping: &'a TableMapping<'a>,
    ) -> Self {
        let pairs = || mapping.columns.iter().zip(profiles);
        let is_value = |column: &Column| {
            column.column_type == KindColumnType::Number
                && (column.required || column.role == "value")
        };
        let values: Vec<&ColumnProfile> = pairs()
            .filter(|(mapped, _)| mapped.column().is_some_and(is_value))
            .map(|(_, profile)| profile)
            .collect();
        let is_label = |column: &Column| {
            !column.repeats
                && column.required
                && matches!(column.column_type, KindColumnType::Text | KindColumnType::Date)
        };
        let rows = profiles.first().map_or(0, |profile| profile.records);
        let repeated = pairs()
            .filter(|(mapped, _)| mapped.column().is_some_and(|column| column.repeats))
            .count();
        let (records, series) = match mapping.layout {
            RecordLayout::Rows => (rows, repeated),
            // Cells with texts are records too.
            RecordLayout::Cells { value, .. } => {
                let cells = pairs().filter(|(mapped, _)| mapped.key == value.key);
                (rows * cells.count(), 0)
            }
            RecordLayout::Headings { .. } => (repeated, rows),
            RecordLayout::ColumnSamples { values, .. } => {
                (pairs().filter(|(mapped, _)| mapped.key == values.key).count(), 0)
            }
            RecordLayout::Samples { name, .. } => {
                let names = pairs().find(|(mapped, _)| mapped.key == name.key);
                (names.map_or(rows, |(_, profile)| profile.distinct), 0)
            }
            RecordLayout::Groups { groups, .. } => {
                let names = profiles.iter().enumerate().filter(|(index, _)| *index != groups);
                let records = names.filter_map(|(_, profile)| profile.row_names).sum();
                let per_value = profiles.get(groups).and_then(|profile| profile.row_names);
                (records, per_value.unwrap_or(1) * repeated.saturating_sub(1))
            }
        };
        let label = pairs().find(|(mapped, _)| mapped.column().is_some_and(is_label));
        let shares = find_share_columns(profiles);
        Self { kind, mapping, profiles, values, label, records, series, shares }
    }

    /// Returns whether a heading of the table is the key, title or a synonym of the column `key` of the
    /// kind. False if the column is mapped by type only or not at all.
    pub(super) fn is_named(&self, key: &str) -> bool {
        self.mapping.find(key).is_some_and(|mapped| {
            mapped.target.is_some_and(|(_, reason)| reason != MatchReason::Type)
        })
    }

    /// Returns whether the mapped table has a property. Properties of names and headings depend on the
    /// columns to which the label, the totals and others are mapped. All properties of amounts depend
    /// on the columns of values, see `values_have`.
    pub(super) fn has(&self, property: TableProperty) -> bool {
        match property {
            TableProperty::NamedLabel => {
                self.label.is_some_and(|(mapped, _)| mapped.has_specific_name())
            }
            TableProperty::NamedTotal => self.is_named("isTotal"),
            TableProperty::NamedValues => {
                let is_value = |column: &&Column| {
                    column.required && column.column_type == KindColumnType::Number
                };
                self.kind.columns.iter().filter(is_value).all(|column| self.is_named(&column.key))
            }
            TableProperty::FilledGrid => self.fills_grid(),
            TableProperty::NestedNames => self.has_nested_names(),
            TableProperty::Places => self.has_places(),
            TableProperty::NoValues => {
                let mut pairs = self.mapping.columns.iter().zip(self.profiles);
                !pairs.any(|(mapped, profile)| mapped.target.is_none() && profile.is_amount())
            }
            TableProperty::Texts => !self.profiles.iter().any(ColumnProfile::is_amount),
            TableProperty::Time => match self.mapping.layout {
                RecordLayout::Headings { .. } => true,
                RecordLayout::Groups { .. } => {
                    self.label.is_some_and(|(_, profile)| profile.is_time())
                }
                _ => self.label.is_some_and(|(_, profile)| {
                    (profile.is_time() || profile.is_numbered_period()) && profile.is_ordered
                }),
            },
            TableProperty::Spans => {
                ["end", "duration"].iter().any(|key| self.mapping.find(key).is_some())
            }
            TableProperty::TwoPeriods => {
                self.values.len() == 2 && self.values_have(TableProperty::PeriodHeadings)
                    || self.is_named("before") && self.is_named("after")
            }
            property => self.values_have(property),
        }
    }

    /// Returns the profile of the first column of the table that is mapped to the column `key` of the
    /// kind. None if it is not mapped.
    pub(super) fn profile_of(&self, key: &str) -> Option<&'a ColumnProfile> {
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        let is_mapped =
            |mapped: &MappedColumn<'_>| mapped.column().is_some_and(|column| column.key == key);
        pairs.find(|(mapped, _)| is_mapped(mapped)).map(|(_, profile)| profile)
    }

    /// Returns whether there are at least a third as many records as pairs of names in `row` and
    /// `column`. True if one of the two is not mapped.
    fn fills_grid(&self) -> bool {
        let names = self.profile_of("row").zip(self.profile_of("column"));
        names.is_none_or(|(rows, columns)| {
            self.records * MAX_CELLS_PER_RECORD >= rows.distinct * columns.distinct
        })
    }

    /// Returns whether the column `parent` has at least two groups, with at least two labels for each
    /// on average, and no label is repeated. False if the parent or the label is not mapped.
    fn has_nested_names(&self) -> bool {
        let (Some(parent), Some((_, label))) = (self.profile_of("parent"), self.label) else {
            return false;
        };
        !label.has_repeated && parent.distinct > 1 && parent.distinct * 2 <= label.distinct
    }

    /// Returns whether most examples of the column of the table that is mapped to `region` are places
    /// that maps know. False if none is mapped.
    pub(super) fn has_places(&self) -> bool {
        self.profile_of("region").is_some_and(ColumnProfile::has_places)
    }

    /// Returns whether the columns of values have a property. Some properties need it in any column of
    /// values, such as `Descending`, and others in all, such as `Parts`. False without values, and for
    /// properties of other columns.
    fn values_have(&self, property: TableProperty) -> bool {
        let values = &self.values;
        if values.is_empty() {
            return false;
        }
        let are_in = |low_limit: f64, high_limit: f64| {
            values
                .iter()
                .all(|value| value.is_whole && low(value) >= low_limit && high(value) <= high_limit)
        };
        let has_period_headings =
            || heading_words::are_periods(values.iter().map(|value| value.heading.as_str()));
        match property {
            TableProperty::ClosingTotal => {
                values.iter().any(|value| value.ends_with_total || value.total_rows > 0)
            }
            TableProperty::Descending => {
                values.iter().any(|value| value.is_descending && value.distinct > 1)
            }
            TableProperty::DifferentScales => !self.has_one_scale(),
            TableProperty::Measurements => values.iter().any(|value| value.distinct > 5),
            TableProperty::Parts => values.iter().all(|value| low(value) >= 0.0),
            TableProperty::PeriodHeadings => {
                let is_numbered =
                    |value: &&ColumnProfile| heading_words::period_number(&value.heading).is_some();
                has_period_headings() || values.iter().all(is_numbered)
            }
            TableProperty::Ranks => are_in(1.0, self.records as f64) || has_period_headings(),
            TableProperty::RowShares => {
                let sum: f64 = values.iter().map(|value| value.sum).sum();
                is_sum_of_shares(sum / self.records as f64)
            }
            TableProperty::SameScale => self.has_one_scale(),
            TableProperty::ScaleOfFour => are_in(0.0, 4.0),
            TableProperty::Shares => values.iter().any(|value| {
                let is_most = value.has_percent_signs
                    && (MIN_SUM_OF_PERCENTAGES..=MAX_SUM_OF_PERCENTAGES).contains(&value.sum);
                low(value) >= 0.0 && (is_most || is_sum_of_shares(value.sum))
            }),
            TableProperty::Signs => {
                values.iter().any(|value| low(value) < 0.0 && high(value) > 0.0)
            }
            TableProperty::SurveyHeadings => {
                let headings: Vec<&str> =
                    values.iter().map(|value| value.heading.as_str()).collect();
                heading::are_survey_steps(&headings)
            }
            _ => false,
        }
    }

    /// Returns whether the names in the column of the kind `name` repeat at least once on average.
    pub(super) fn has_large_samples(&self, name: &Column) -> bool {
        let profile = self.profile_of(&name.key);
        profile.is_some_and(|profile| profile.distinct * 2 <= profile.records)
    }

    /// Returns whether all values can share one axis: their units agree, and the ratio of their sizes
    /// is at most `MAX_SCALE_RATIO`.
    fn has_one_scale(&self) -> bool {
        self.scale_ratio() <= MAX_SCALE_RATIO && !self.have_different_units()
    }

    /// Returns whether a column of values cannot share its unit with the first one, or with the first
    /// one that has a unit, or whether their headings name different physical quantities.
    fn have_different_units(&self) -> bool {
        let quantity = |value: &&ColumnProfile| heading_words::find_quantity(&value.heading);
        // `Temperature`, `Min` and `Max` are one quantity.
        let is_named = |value: &&&ColumnProfile| !heading_words::is_statistic(&value.heading);
        let mut quantities = self.values.iter().filter(is_named).map(quantity);
        let first_quantity = quantities.next().flatten();
        if quantities.any(|other| other != first_quantity) {
            return true;
        }
        let first = self.values.first();
        let with_unit = self.values.iter().find(|value| value.unit_text().is_some());
        let differs =
            |known: &&ColumnProfile| self.values.iter().any(|value| !value.may_share_unit(known));
        first.into_iter().chain(with_unit).any(differs)
    }

    /// Compares the largest absolute value of each column of values. Returns the ratio between the
    /// largest and the smallest of them, at least 1. Columns of zeros and statistics of the others such as
    /// `Min` do not count. 1 with fewer than two other columns, and for a layout in which each row is a series.
    pub(super) fn scale_ratio(&self) -> f64 {
        if matches!(self.mapping.layout, RecordLayout::Headings { .. }) {
            return 1.0;
        }
        let is_own = |value: &&&ColumnProfile| !value.is_statistic_of(self.values.iter().copied());
        let values = self.values.iter().filter(is_own);
        let sizes = values.map(|value| low(value).abs().max(high(value).abs()));
        let sizes: Vec<f64> = sizes.filter(|size| *size > 0.0).collect();
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        let smallest = sizes.iter().copied().fold(f64::INFINITY, f64::min);
        if sizes.len() < 2 { 1.0 } else { largest / smallest }
    }
}

/// Returns the smallest value of a column, or 0 without values.
fn low(profile: &ColumnProfile) -> f64 {
    profile.range.map_or(0.0, |(low, _)| low)
}

/// Returns the largest value of a column, or 0 without values.
fn high(profile: &ColumnProfile) -> f64 {
    profile.range.map_or(0.0, |(_, high)| high)
}

#[cfg(test)]
mod tests {
    use chartroom_charts::number_text::DecimalSeparator;
    use chartroom_charts::number_text::NumberNotation;

    use super::*;
    use crate::features::portfolio;
    use crate::features::tables::mapping;
    use crate::features::tables::profile::CellType;
    use crate::features::tables::profile::ColumnProfiler;

    #[test]
    fn statistics_have_the_unit_of_the_quantity_beside_them() {
        let has_one_scale = |headings: [&str; 3]| {
            let notation = NumberNotation::new(DecimalSeparator::Point);
            let amounts = headings.map(|heading| {
                let mut profiler = ColumnProfiler::new(heading, CellType::Numbers(notation));
                ["9.5", "-3.1", "24.2"].iter().for_each(|cell| profiler.add_cell(cell));
                profiler.finish()
            });
            let mut stations = ColumnProfiler::new("Station", CellType::Texts);
            ["Berlin", "Hamburg", "Kiel"].iter().for_each(|cell| stations.add_cell(cell));
            let profiles: Vec<ColumnProfile> =
                std::iter::once(stations.finish()).chain(amounts).collect();
            let kind = portfolio::find_kind("grouped-column").unwrap();
            let mapping = mapping::map_table(&profiles, kind);
            Facts::new(&profiles, kind, &mapping).has(TableProperty::SameScale)
        };
        for headings in [["Temperature", "Min", "Max"], ["Min", "Mittelwert", "Höchstwert"]] {
            assert!(has_one_scale(headings), "{headings:?}");
        }
        assert!(!has_one_scale(["Temperature", "Humidity", "Max"]));
        assert!(!has_one_scale(["Temperature", "Rainfall", "Max"]));
    }

    #[test]
    fn statistics_outside_of_the_range_beside_them_have_a_scale_of_their_own() {
        let profile = |heading: &str, cells: [&str; 3]| {
            let notation = NumberNotation::new(DecimalSeparator::Point);
            let mut profiler = ColumnProfiler::new(heading, CellType::Numbers(notation));
            cells.iter().for_each(|cell| profiler.add_cell(cell));
            profiler.finish()
        };
        let revenue = profile("Revenue", ["1200000", "1100000", "10"]);
        let average = profile("Average", ["35", "32", "36"]);
        assert!(average.is_statistic_of([&revenue]));
        let revenue = profile("Revenue", ["1200000", "1100000", "1300000"]);
        assert!(!average.is_statistic_of([&revenue]) && !revenue.is_statistic_of([&average]));
        assert!(profile("Min", ["1", "2", "3"]).is_statistic_of([&revenue]));
    }

    #[test]
    fn a_table_without_values_has_no_property_of_values() {
        let profile = |heading: &str, cells: [&str; 4]| {
            let mut profiler = ColumnProfiler::new(heading, CellType::Texts);
            cells.iter().for_each(|cell| profiler.add_cell(cell));
            profiler.finish()
        };
        let profiles =
            [profile("label", ["A", "B", "A", "B"]), profile("period", ["Q1", "Q1", "Q2", "Q2"])];
        let kind = portfolio::find_kind("bump").unwrap();
        let mapping = mapping::map_table(&profiles, kind);
        assert!(mapping.missing.is_empty());
        let facts = Facts::new(&profiles, kind, &mapping);
        let properties = [
            TableProperty::Parts,
            TableProperty::PeriodHeadings,
            TableProperty::Ranks,
            TableProperty::SameScale,
            TableProperty::ScaleOfFour,
        ];
        for property in properties {
            assert!(!facts.has(property), "{property:?}");
        }
    }
}
