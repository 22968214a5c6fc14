//! Choice of a common axis or axes of their own for the columns of a table.

use crate::features::portfolio::KindInfo;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::RecordLayout;
use crate::features::tables::TableMapping;

/// Ratio of the largest values of two columns from which on they do not share an axis.
const MAX_SCALE_RATIO: f64 = 20.0;

/// Choice between a common axis and axes of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AxisChoice {
    /// Name of the setting: `secondAxis` or `sharedAxis`.
    pub(super) setting: &'static str,
    /// Value of the setting for axes of their own.
    pub(super) own_value: bool,
    /// Whether the units or scales of the columns need axes of their own.
    pub(super) needs_own: bool,
    /// Position in the table of the last series. None without series.
    last_series: Option<usize>,
}

impl AxisChoice {
    /// Returns the choice for a mapped table. `None` if the kind has no such setting. With
    /// `secondAxis`, only the last series can have an axis of its own, and is compared with all
    /// others. With `sharedAxis`, each series is compared with the first one.
    pub(super) fn new(
        kind: &KindInfo,
        mapping: &TableMapping<'_>,
        profiles: &[ColumnProfile],
    ) -> Option<Self> {
        let has_setting = |name: &str| kind.settings_schema["properties"][name].is_object();
        // The rows of other layouts become series with values of one column. Groups of rows have a
        // series for each column, of which the last one is not the only one of its scale.
        let series = match mapping.layout {
            RecordLayout::Rows => list_repeated(mapping, profiles),
            RecordLayout::Groups { .. } if has_setting("sharedAxis") => {
                list_repeated(mapping, profiles)
            }
            _ => Vec::new(),
        };
        let repeats = |mapped: &tables::MappedColumn<'_>| {
            mapped.column().is_some_and(|column| column.repeats)
        };
        let last_series = mapping.columns.iter().rposition(repeats);
        if has_setting("secondAxis") {
            let needs_own =
                series.split_last().is_some_and(|(last, others)| needs_own_axis(last, others));
            return Some(Self { setting: "secondAxis", own_value: true, needs_own, last_series });
        }
        let needs_own = series.iter().any(|profile| needs_own_axis(profile, &series[..1]));
        has_setting("sharedAxis").then_some(Self {
            setting: "sharedAxis",
            own_value: false,
            needs_own,
            last_series,
        })
    }

    /// Returns whether the column at an index of the table gets an axis of its own. `secondAxis`
    /// separates only the last series.
    pub(super) fn separates(self, index: usize) -> bool {
        self.needs_own && (self.setting == "sharedAxis" || self.last_series == Some(index))
    }
}

/// Returns the profiles of the columns that are mapped to a repeated column of the kind, in the
/// order of the table, without a column with the names of series.
fn list_repeated<'a>(
    mapping: &TableMapping<'_>,
    profiles: &'a [ColumnProfile],
) -> Vec<&'a ColumnProfile> {
    let pairs = mapping.columns.iter().zip(profiles).enumerate();
    pairs
        .filter(|(index, (mapped, _))| {
            let names_series = mapping.layout.has_series_names_in(*index);
            mapped.column().is_some_and(|column| column.repeats) && !names_series
        })
        .map(|(_, (_, profile))| profile)
        .collect()
}

/// Returns whether a column cannot share an axis with others: its unit differs from that of one of
/// them, or its largest absolute value differs from the largest one of all others by a factor of
/// more than [`MAX_SCALE_RATIO`], in either direction. The ratio does not count for a statistic of
/// the others such as `Min`. Zeros have no scale. False without others.
fn needs_own_axis(column: &ColumnProfile, others: &[&ColumnProfile]) -> bool {
    if others.is_empty() {
        return false;
    }
    let size = |profile: &ColumnProfile| {
        profile.range.map_or(0.0, |(low, high)| low.abs().max(high.abs()))
    };
    let largest = others.iter().map(|profile| size(profile)).fold(0.0, f64::max);
    let ratio = if size(column) > 0.0 { largest / size(column) } else { 1.0 };
    if others.iter().any(|profile| !profile.may_share_unit(column)) {
        return true;
    }
    // The minimum of a quantity may be much smaller than its maximum.
    !column.is_statistic_of(others.iter().copied())
        && (ratio > MAX_SCALE_RATIO || ratio > 0.0 && ratio < 1.0 / MAX_SCALE_RATIO)
}
