//! Columns of `Breite` and `Länge`, which are sizes or coordinates.

use super::column_profile::ColumnProfile;
use super::column_profile::ColumnType;
use super::heading;

/// Sets `is_ids` of the columns `Breite` and `Länge` if they are coordinates, so that they are no
/// amounts. Does nothing unless the table has both, no column of heights (`Höhe`, `Tiefe`), and the
/// numbers of both have fractions, no unit, and at most 90 and 180 degrees.
pub fn settle_coordinates(profiles: &mut [ColumnProfile]) {
    let find = |wanted: &str| {
        profiles.iter().position(|profile| heading::normalize(&profile.heading) == wanted)
    };
    let has_heights = ["hohe", "tiefe"].iter().any(|wanted| find(wanted).is_some());
    let (Some(latitudes), Some(longitudes)) = (find("breite"), find("lange")) else { return };
    let fits = |index: usize, limit: f64| {
        let profile = &profiles[index];
        let is_within = |(low, high): (f64, f64)| low >= -limit && high <= limit;
        profile.column_type == ColumnType::Number
            && !profile.is_whole
            && profile.unit.is_none()
            && profile.range.is_some_and(is_within)
    };
    if !has_heights && fits(latitudes, 90.0) && fits(longitudes, 180.0) {
        profiles[latitudes].is_ids = true;
        profiles[longitudes].is_ids = true;
    }
}
