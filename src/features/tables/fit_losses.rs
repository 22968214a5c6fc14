//! Information that a chart kind would hide or show as something else, which lowers its score.

use crate::features::portfolio::Column;
use crate::features::portfolio::ColumnType as KindColumnType;
use crate::features::portfolio::TableProperty;

use super::column_match::MappedColumn;
use super::column_match::MatchReason;
use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::fit_facts::Facts;
use super::heading;
use super::heading_words;
use super::mapping;
use super::record_layout::RecordLayout;
use super::text_roles;

/// Factor of the score for columns that a common axis hides.
const HIDDEN_VALUES_FACTOR: f64 = 0.6;
/// Factor of the score of a kind that shows dates as names only.
const IGNORED_TIME_FACTOR: f64 = 0.75;
/// Factor of the score of a kind that shows ids or years as amounts.
const IDS_AS_AMOUNTS_FACTOR: f64 = 0.4;
/// Factor of the score of a kind that shows percentages as parts of a whole that they are not.
const OTHER_PERCENTAGES_FACTOR: f64 = 0.6;
/// Factor for a kind that compares all measures of a ranking with each other.
const LEAGUE_TABLE_FACTOR: f64 = 0.55;
/// Minimum number of measures of a ranking.
const MIN_LEAGUE_MEASURES: usize = 4;
/// Ratio between the largest values of two columns from which on a common axis
/// hides the smaller ones.
const MAX_AXIS_RATIO: f64 = 50.0;
/// Factor for a kind that shows two of several measures.
const PICKED_FACTOR: f64 = 0.4;
/// Factor for a kind that shows the places of a ranking as amounts.
const RANKS_AS_AMOUNTS_FACTOR: f64 = 0.7;
/// Minimum number of columns and of records with places.
const MIN_RANKED: usize = 3;
/// Factor for a kind that shows the times or places of records and not their names.
const HIDDEN_NAMES_FACTOR: f64 = 0.45;
/// Factor for a map of records that belong to two places each, such as exports from one country to
/// another.
const PAIRS_OF_PLACES_FACTOR: f64 = 0.4;
/// Factor for a kind that connects the ends of a range although one is a loss and the other a gain.
const OPPOSITE_ENDS_FACTOR: f64 = 0.4;
/// Factor for a kind that places points by the steps of a scale, such as 1 to 5 stars, or by a column
/// with one number only.
const NO_MEASURE_FACTOR: f64 = 0.6;
/// Maximum number of steps of a scale.
const MAX_SCALE_STEPS: usize = 12;

/// Factor for a kind that shows the columns of a matrix as series, of which each cell belongs to a row as much.
const MATRIX_AS_SERIES_FACTOR: f64 = 0.75;
/// Minimum number of headings that are times of day.
const MIN_TIMES_OF_DAY: usize = 3;
/// Factor for a map that hides the levels above its places.
const HIDDEN_LEVELS_FACTOR: f64 = 0.85;
/// Minimum number of levels of a hierarchy, such as country, region and city.
const MIN_LEVELS: usize = 3;
/// Factor for a matrix that shows one of several records for the same pair of names only.
const REPEATED_CELLS_FACTOR: f64 = 0.3;
/// Factor for a matrix with two columns, which are two measures rather than names.
const NARROW_MATRIX_FACTOR: f64 = 0.6;
/// Maximum number of columns of a narrow matrix.
const MAX_NARROW_COLUMNS: usize = 2;
/// Factor for a kind that shows the spread of amounts that people add up, such as expenses.
const SPREAD_OF_SUMS_FACTOR: f64 = 0.5;
/// Factor for a kind that adds up the amounts of people, such as salaries, as those of their superior.
const SUMMED_REPORTS_FACTOR: f64 = 0.4;

impl Facts<'_> {
    /// Returns the factor for information that the kind hides or shows as something else: small values
    /// beside large ones on a common axis, the order of times, the names of records, ids, years or places of
    /// a ranking as amounts, unrelated measures, matrices, levels of a hierarchy, percentages that are not
    /// the parts of a whole, and sums. 1 without a loss.
    pub(super) fn loss_factor(&self) -> f64 {
        let has_common_axis =
            mapping::combines_columns(self.kind) && !mapping::mixes_units(self.kind);
        let losses = [
            (has_common_axis && self.scale_ratio() > MAX_AXIS_RATIO, HIDDEN_VALUES_FACTOR),
            (self.ignores_time() || self.compares_without_dates(), IGNORED_TIME_FACTOR),
            (self.shows_ids_as_amounts(), IDS_AS_AMOUNTS_FACTOR),
            (has_common_axis && self.is_league_table(), LEAGUE_TABLE_FACTOR),
            (self.picks_two_of_many(), PICKED_FACTOR),
            (self.hides_names(), HIDDEN_NAMES_FACTOR),
            (self.shows_ranks_as_amounts(), RANKS_AS_AMOUNTS_FACTOR),
            (self.maps_pairs_of_places(), PAIRS_OF_PLACES_FACTOR),
            (self.connects_opposite_ends(), OPPOSITE_ENDS_FACTOR),
            (self.places_points_by_no_measure(), NO_MEASURE_FACTOR),
            (self.shows_other_percentages(), OTHER_PERCENTAGES_FACTOR),
            (self.splits_matrix(), MATRIX_AS_SERIES_FACTOR),
            (self.hides_levels(), HIDDEN_LEVELS_FACTOR),
            (self.repeats_cells(), REPEATED_CELLS_FACTOR),
            (self.is_narrow_matrix(), NARROW_MATRIX_FACTOR),
            (self.spreads_sums(), SPREAD_OF_SUMS_FACTOR),
            (self.sums_reports(), SUMMED_REPORTS_FACTOR),
        ];
        losses.iter().filter(|(is_lost, _)| *is_lost).map(|(_, factor)| factor).product()
    }

    /// Returns whether the kind needs a value that is the sum of those of the records below it, and a heading
    /// such as `Manager` tells that these are people.
    fn sums_reports(&self) -> bool {
        let needs_value = self
            .kind
            .columns
            .iter()
            .any(|column| column.required && column.column_type == KindColumnType::Number);
        let parent = self.profile_of("parent");
        needs_value && parent.is_some_and(|profile| heading_words::is_superior(&profile.heading))
    }

    /// Returns whether the records are a ranking by several measures, such as points, goals and matches:
    /// a column numbers them under a heading such as `Rank`, and the kind shows at least four columns.
    fn is_league_table(&self) -> bool {
        let is_rank = |profile: &ColumnProfile| {
            profile.is_numbering() && heading_words::is_rank(&profile.heading)
        };
        self.values.len() >= MIN_LEAGUE_MEASURES && self.profiles.iter().any(is_rank)
    }

    /// Returns whether a kind that is not for rankings shows the places of each record at several times, where
    /// the first place would be the smallest amount. Each column has the place 1, no place twice, and none
    /// beyond twice the number of records, of which a table may show only the best.
    fn shows_ranks_as_amounts(&self) -> bool {
        let properties = &self.kind.table_fit;
        let is_for_ranks = properties.needs.contains(&TableProperty::Ranks)
            || properties.prefers.contains(&TableProperty::Ranks);
        let records = self.profiles.first().map_or(0, |profile| profile.records);
        let are_places = |value: &&ColumnProfile| {
            let is_in_range = |(low, high): (f64, f64)| low == 1.0 && high <= records as f64 * 2.0;
            value.is_whole && !value.has_repeated && value.range.is_some_and(is_in_range)
        };
        !is_for_ranks
            && records >= MIN_RANKED
            && self.values.len() >= MIN_RANKED
            && self.has(TableProperty::PeriodHeadings)
            && self.values.iter().all(are_places)
    }

    /// Returns whether the kind is a map, and a place occurs in two columns of places, such as exporters and
    /// importers. Countries and their regions have different names.
    fn maps_pairs_of_places(&self) -> bool {
        let places = self.profiles.iter().filter(|profile| profile.has_places());
        let names: Vec<&String> = places.flat_map(|profile| &profile.examples).collect();
        let is_repeated = |(index, name): (usize, &&String)| names[..index].contains(name);
        self.has_places() && names.iter().enumerate().any(is_repeated)
    }

    /// Returns whether the kind compares two amounts of each record, the first of which is never positive
    /// and the second never negative, such as the effects of a low and a high price.
    fn connects_opposite_ends(&self) -> bool {
        let is_compared = |role: &str| self.kind.columns.iter().any(|column| column.role == role);
        let ranges: Vec<(f64, f64)> =
            self.values.iter().filter_map(|profile| profile.range).collect();
        is_compared("before")
            && is_compared("after")
            && matches!(ranges[..], [(low, most), (least, high)]
                if low < 0.0 && most <= 0.0 && least >= 0.0 && high > 0.0)
    }

    /// Returns whether the kind places points by two numbers, of which one is the same in all records or
    /// numbers the few records, as a scale of stars does.
    fn places_points_by_no_measure(&self) -> bool {
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        pairs.any(|(mapped, profile)| {
            let is_place =
                |column: &Column| column.required && ["x", "y"].contains(&column.role.as_str());
            let is_scale = profile.is_numbering() && profile.records <= MAX_SCALE_STEPS;
            let is_constant = profile.distinct == 1 && profile.records > 1;
            mapped.column().is_some_and(is_place) && (is_scale || is_constant)
        })
    }

    /// Returns whether the kind compares two amounts that no heading tells, and the table has others.
    fn picks_two_of_many(&self) -> bool {
        let has_role = |role: &str| self.kind.columns.iter().any(|column| column.role == role);
        let pairs = self.mapping.columns.iter().zip(self.profiles);
        let mut others =
            pairs.filter(|(mapped, profile)| mapped.target.is_none() && profile.is_amount());
        has_role("before")
            && has_role("after")
            && !self.is_named("before")
            && !self.is_named("after")
            && !self.has(TableProperty::TwoPeriods)
            && others.next().is_some()
    }

    /// Returns whether the kind shows the records by their time or as areas of a map, although a column has a
    /// name for each of them, such as persons with their salary and the date of their entry. Records in the
    /// order of time do not count, unless all amounts are signed, as in a bank statement, where each is an event
    /// of its own. A map may have that column as label.
    fn hides_names(&self) -> bool {
        let has_points = self.kind.columns.iter().any(|column| column.key == "latitude");
        let shows_areas = self.has_places() && !has_points;
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        let is_in_order = self.label.is_some_and(|(_, profile)| profile.is_in_time_order);
        let is_signed =
            |value: &&ColumnProfile| value.range.is_some_and(|(low, high)| low < 0.0 && high > 0.0);
        let is_signed = !self.values.is_empty() && self.values.iter().all(is_signed);
        (self.kind.table_fit.has_time_axis && (!is_in_order || is_signed) || shows_areas)
            && self.mapping.layout == RecordLayout::Rows
            && pairs.any(|(mapped, profile)| {
                let is_name = profile.column_type == ColumnType::Text
                    && text_roles::is_unique(profile)
                    && !heading::is_id(&profile.heading)
                    && !profile.has_places();
                let is_label = mapped.column().is_some_and(|column| column.role == "label");
                is_name && (!self.is_shown(mapped) || shows_areas && is_label)
            })
    }

    /// Returns whether the kind shows the columns of a matrix as series, although rows and columns mean the
    /// same: the names of rows are headings too, as in a matrix of distances, or the rows are days or months
    /// and the headings times of day.
    fn splits_matrix(&self) -> bool {
        let is_series =
            |column: &Column| column.repeats && column.column_type == KindColumnType::Number;
        let headings: Vec<&str> = self.values.iter().map(|value| value.heading.trim()).collect();
        let are_times = || {
            headings.len() >= MIN_TIMES_OF_DAY
                && headings.iter().all(|heading| chartroom_charts::is_time_of_day(heading))
        };
        let names = self.profiles.iter().find(|profile| !profile.is_amount());
        self.kind.columns.iter().any(is_series)
            && headings.len() > 1
            && names.is_some_and(|names| {
                let are_headings =
                    names.examples.iter().all(|name| headings.contains(&name.trim()));
                text_roles::is_unique(names) && are_headings
                    || (names.is_time() || names.has_steps()) && are_times()
            })
    }

    /// Returns whether the kind is a map of points, and the table has several levels of names, such as country,
    /// region and city: each has fewer names than the next one, and the last one a name for each record.
    fn hides_levels(&self) -> bool {
        let names = self.profiles.iter().filter(|profile| {
            profile.column_type == ColumnType::Text && !heading::is_id(&profile.heading)
        });
        let mut counts: Vec<usize> = names.map(|profile| profile.distinct).collect();
        counts.sort_unstable();
        let is_rising = counts.is_sorted_by(|fewer, more| fewer < more);
        let has_groups = matches!(counts[..], [first, .., last] if first > 1 && first * 2 <= last);
        let has_points = self.kind.columns.iter().any(|column| column.key == "latitude");
        has_points
            && counts.len() >= MIN_LEVELS
            && is_rising
            && has_groups
            && counts.last() == Some(&self.records)
    }

    /// Returns whether the kind is a matrix, and the table has more records than pairs of names, so that some
    /// have the same pair.
    fn repeats_cells(&self) -> bool {
        let distinct = |key: &str| self.profile_of(key).map(|profile| profile.distinct);
        match (distinct("row"), distinct("column"), &self.mapping.layout) {
            (Some(rows), Some(columns), RecordLayout::Rows) => self.records > rows * columns,
            (Some(_), None, RecordLayout::Cells { .. }) => {
                self.profile_of("row").is_some_and(|rows| rows.has_repeated)
            }
            _ => false,
        }
    }

    /// Returns whether the kind is a matrix of the cells of a table with two columns of numbers that are no
    /// periods, such as temperature and humidity.
    fn is_narrow_matrix(&self) -> bool {
        matches!(self.mapping.layout, RecordLayout::Cells { .. })
            && self.profile_of("row").is_some()
            && self.values.len() <= MAX_NARROW_COLUMNS
            && !self.has(TableProperty::PeriodHeadings)
    }

    /// Returns whether the kind shows the spread of amounts although their heading tells that people add
    /// them up, such as `Betrag` and `Expenses`: as samples of a group, or without the groups that the table
    /// has.
    fn spreads_sums(&self) -> bool {
        let columns = &self.mapping.columns;
        if let RecordLayout::Samples { values, .. } = self.mapping.layout {
            let mut samples = columns.iter().filter(|mapped| mapped.key == values.key);
            return samples.any(|mapped| heading_words::is_sum(&mapped.heading));
        }
        let is_hidden_group = |(mapped, profile): (&MappedColumn<'_>, &ColumnProfile)| {
            profile.column_type == ColumnType::Text
                && profile.has_repeated
                && !self.is_shown(mapped)
        };
        self.kind.table_fit.needs.contains(&TableProperty::Measurements)
            && self.values.iter().any(|value| heading_words::is_sum(&value.heading))
            && columns.iter().zip(self.profiles).any(is_hidden_group)
    }

    /// Returns whether a column of ids or years is mapped to a column of numbers of the kind. Years do
    /// not count in a column with the role `x`, and in one with the role `y` if its heading fits. Ids do not
    /// count in a column with a fitting heading.
    fn shows_ids_as_amounts(&self) -> bool {
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        pairs.any(|(mapped, profile)| {
            let is_number = |column: &&Column| column.column_type == KindColumnType::Number;
            mapped.column().filter(is_number).is_some_and(|column| {
                let is_named = mapped.target.is_some_and(|(_, reason)| reason != MatchReason::Type);
                // Time runs from left to right.
                let may_be_years = column.role == "x" || column.role == "y" && is_named;
                profile.is_years && !may_be_years || profile.is_ids && !is_named
            })
        })
    }

    /// Returns whether the kind prefers shares of a whole, and a column of values has percentages, but
    /// no column of values adds up to a whole.
    fn shows_other_percentages(&self) -> bool {
        self.kind.table_fit.prefers.contains(&TableProperty::Shares)
            && self.values.iter().any(|value| value.is_percentage())
            && !self.has(TableProperty::Shares)
    }

    /// Returns whether the kind requires only columns of numbers, so that it has no time axis, and its
    /// label is a column of dates or periods.
    fn ignores_time(&self) -> bool {
        let is_number = |column: &Column| column.column_type == KindColumnType::Number;
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        self.kind.columns.iter().all(|column| !column.required || is_number(column))
            && pairs.any(|(mapped, profile)| {
                mapped.column().is_some_and(|column| column.role == "label") && profile.is_time()
            })
    }

    /// Returns whether the kind compares two columns as two periods, which their headings do not name,
    /// and leaves out a column with more than two different dates.
    fn compares_without_dates(&self) -> bool {
        let mut pairs = self.mapping.columns.iter().zip(self.profiles);
        self.kind.table_fit.prefers.contains(&TableProperty::TwoPeriods)
            && !self.has(TableProperty::TwoPeriods)
            && pairs.any(|(mapped, profile)| {
                let is_date = matches!(profile.column_type, ColumnType::Date(_));
                mapped.target.is_none() && is_date && profile.distinct > 2
            })
    }
}
