//! Columns of amounts that cannot share an axis with the others: another unit,
//! and the total of the others.

use chartroom_charts::total_names;
use chartroom_platform::text;

use super::column_match::LeftOverReason;
use super::column_match::MappedColumn;
use super::column_profile::ColumnProfile;
use super::heading;

/// Maximum distance of the sum of a total to the sums of its parts as a share
/// of it, because of rounding.
const TOTAL_TOLERANCE: f64 = 0.005;
/// Minimum number of columns with a common unit that outvote the first column.
const MIN_MAJORITY: usize = 3;

/// Relation of the columns that a chart shows together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Together {
    /// They share an axis.
    OneAxis,
    /// They share an axis and are added up.
    Stacked,
    /// They may have axes of their own, so that units do not matter.
    OwnAxes,
}

/// Sets `left_over_reason` of the columns of amounts that a chart of several columns should not show:
/// the total of the others, and columns with another unit. Columns with a target stay as they are.
///
/// The first column of amounts without a target decides the unit, even if it is a total, unless no
/// other column may share its unit and at least `MIN_MAJORITY` others have one in common: a number of
/// respondents or a weight may stand before them. In a stack, a total that is larger than the sum of the
/// others is left over too, because they are part of it.
pub(super) fn mark_incomparable(
    columns: &mut [MappedColumn<'_>],
    profiles: &[ColumnProfile],
    together: Together,
) {
    let is_amount = |index: &usize| {
        let mapped = &columns[*index];
        mapped.target.is_none() && profiles[*index].is_amount()
    };
    let amounts: Vec<usize> = (0..columns.len()).filter(is_amount).collect();
    let Some(usual) = find_usual_unit(&amounts, profiles) else { return };
    for index in &amounts {
        let profile = &profiles[*index];
        let parts = amounts.iter().filter(|part| *part != index).map(|part| &profiles[*part]);
        if is_total(profile, parts.clone()) {
            columns[*index].left_over_reason = Some(LeftOverReason::Total);
        } else if together == Together::Stacked && is_larger_total(profile, parts) {
            columns[*index].left_over_reason = Some(LeftOverReason::LargerTotal);
        } else if together != Together::OwnAxes && !usual.may_share_unit(profile) {
            columns[*index].left_over_reason = Some(LeftOverReason::OtherUnit);
        }
    }
}

/// Returns the column of `amounts` that decides the unit of the chart. None without columns.
fn find_usual_unit<'a>(
    amounts: &[usize],
    profiles: &'a [ColumnProfile],
) -> Option<&'a ColumnProfile> {
    let count_equal = |profile: &ColumnProfile| {
        amounts.iter().filter(|index| profile.may_share_unit(&profiles[**index])).count()
    };
    let first = amounts.first().map(|index| &profiles[*index])?;
    let mut columns = amounts.iter().map(|index| &profiles[*index]);
    let majority = columns.find(|profile| count_equal(profile) >= MIN_MAJORITY);
    Some(majority.filter(|_| count_equal(first) == 1).unwrap_or(first))
}

/// Returns whether a column has the name of a total or of a year, and its sum is that of the columns
/// `parts`, within `TOTAL_TOLERANCE`. False with fewer than two parts.
fn is_total<'a>(total: &ColumnProfile, parts: impl Iterator<Item = &'a ColumnProfile>) -> bool {
    let has_name = heading::is_year_heading(&total.heading) || has_total_name(total);
    let (count, sum) = parts.fold((0, 0.0), |(count, sum), part| (count + 1, sum + part.sum));
    has_name && count > 1 && (total.sum - sum).abs() <= total.sum.abs() * TOTAL_TOLERANCE
}

/// Returns whether a column has the name of a total, no unit that its parts lack, and a sum and a
/// largest number above those of the columns `parts`, none of which has a negative number. False with
/// fewer than two parts.
fn is_larger_total<'a>(
    total: &ColumnProfile,
    parts: impl Iterator<Item = &'a ColumnProfile>,
) -> bool {
    let parts: Vec<&ColumnProfile> = parts.collect();
    let ends = |part: &ColumnProfile| part.range.unwrap_or((0.0, 0.0));
    let largest = parts.iter().map(|part| ends(part).1).fold(0.0, f64::max);
    has_total_name(total)
        && parts.len() > 1
        && parts.iter().all(|part| ends(part).0 >= 0.0 && part.may_share_unit(total))
        && ends(total).1 >= largest
        && total.sum > parts.iter().map(|part| part.sum).sum()
}

/// Returns whether the heading, or its first word, is the name of a total.
fn has_total_name(profile: &ColumnProfile) -> bool {
    let words = text::fold_words(&profile.heading);
    total_names::is_total_name(&words.join(" "))
        || words.first().is_some_and(|word| total_names::is_total_name(word))
}

#[cfg(test)]
mod tests {
    use chartroom_charts::number_text::DecimalSeparator;
    use chartroom_charts::number_text::NumberNotation;

    use super::*;
    use crate::features::tables::profile::CellType;
    use crate::features::tables::profile::ColumnProfiler;

    /// Returns the reasons of the columns with these headings and cells.
    fn mark(table: &[(&str, &[&str])], together: Together) -> Vec<Option<LeftOverReason>> {
        let profile = |(heading, cells): &(&str, &[&str])| {
            let unit = (*heading == "Weight").then_some("kg");
            let notation = NumberNotation { unit, ..NumberNotation::new(DecimalSeparator::Point) };
            let mut profiler = ColumnProfiler::new(heading, CellType::Numbers(notation));
            cells.iter().for_each(|cell| profiler.add_cell(cell));
            profiler.finish()
        };
        let profiles: Vec<ColumnProfile> = table.iter().map(profile).collect();
        let headings = profiles.iter().map(|profile| profile.heading.clone());
        let mut columns = crate::features::tables::column_match::unmapped(headings);
        mark_incomparable(&mut columns, &profiles, together);
        columns.iter().map(|mapped| mapped.left_over_reason).collect()
    }

    #[test]
    fn columns_with_another_unit_are_left_over() {
        let other = Some(LeftOverReason::OtherUnit);
        let sales: (&str, &[&str]) = ("Sales", &["10", "20"]);
        let margin: (&str, &[&str]) = ("Margin", &["5 %", "6 %"]);
        let quota: (&str, &[&str]) = ("Quota in %", &["5", "6"]);
        let weight: (&str, &[&str]) = ("Weight", &["1 kg", "2 kg"]);
        let price: (&str, &[&str]) = ("Price", &["1 €", "2 €"]);
        let size: (&str, &[&str]) = ("Size [cm]", &["1", "2"]);
        assert_eq!(mark(&[price, size, sales], Together::OneAxis), [None, other, None]);
        assert_eq!(mark(&[sales, margin, quota], Together::OneAxis), [None, other, other]);
        assert_eq!(mark(&[margin, quota, sales], Together::OneAxis), [None, None, other]);
        assert_eq!(mark(&[price, weight, sales], Together::OneAxis), [None, other, None]);
        assert_eq!(mark(&[sales, margin], Together::OwnAxes), [None, None]);
        let revenue: (&str, &[&str]) = ("Revenue (m€)", &["12", "13"]);
        let staff: (&str, &[&str]) = ("Employees 2025", &["212", "88"]);
        assert_eq!(mark(&[revenue, staff], Together::OneAxis), [None, other]);
        assert_eq!(mark(&[revenue, sales], Together::OneAxis), [None, None]);
        assert_eq!(mark(&[sales, staff], Together::OneAxis), [None, None]);
        let answers: (&str, &[&str]) = ("n", &["212", "88"]);
        let columns = mark(&[answers, margin, quota, margin], Together::OneAxis);
        assert_eq!(columns, [other, None, None, None]);
    }

    #[test]
    fn the_total_of_the_other_columns_is_left_over() {
        let table = |total: &'static [&'static str], heading: &'static str| {
            let (january, february): (&[&str], &[&str]) = (&["1", "2"], &["10", "20"]);
            mark(&[("Jan", january), ("Feb", february), (heading, total)], Together::OwnAxes)
        };
        assert_eq!(table(&["11", "22"], "Summe"), [None, None, Some(LeftOverReason::Total)]);
        assert_eq!(table(&["11", "22"], "Total 2025"), [None, None, Some(LeftOverReason::Total)]);
        assert_eq!(table(&["11", "22"], "Jahr"), [None, None, Some(LeftOverReason::Total)]);
        assert_eq!(table(&["12", "22"], "Summe"), [None; 3]);
        assert_eq!(table(&["11", "22"], "March"), [None; 3]);
        let (one, sum): (&[&str], &[&str]) = (&["1", "2"], &["1", "2"]);
        assert_eq!(mark(&[("Jan", one), ("Total", sum)], Together::OwnAxes), [None; 2]);
    }

    #[test]
    fn a_total_of_more_than_the_other_columns_is_left_over_in_a_stack() {
        let petrol: (&str, &[&str]) = ("Petrol", &["990", "13"]);
        let diesel: (&str, &[&str]) = ("Diesel", &["480", "32"]);
        let all: (&str, &[&str]) = ("Total registrations", &["2840", "127"]);
        let few: (&str, &[&str]) = ("Total recall", &["12", "7"]);
        let larger = Some(LeftOverReason::LargerTotal);
        assert_eq!(mark(&[petrol, diesel, all], Together::Stacked), [None, None, larger]);
        assert_eq!(mark(&[petrol, diesel, all], Together::OneAxis), [None; 3]);
        assert_eq!(mark(&[petrol, diesel, few], Together::Stacked), [None; 3]);
    }
}
