//! Columns of `Breite` and `Länge`, which are sizes or coordinates.

use super::heading;
use super::profile::ColumnProfile;
use super::profile::ColumnType;

/// Marks the columns `Breite` and `Länge` as coordinates, so that they are no amounts. Does nothing
/// unless the table has both, their numbers have fractions and fit, and no column has heights.
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
