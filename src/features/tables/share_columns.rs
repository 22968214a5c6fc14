//! Columns that repeat another column as shares of its total, such as votes and their percentages.

use super::column_profile::ColumnProfile;

/// Minimum number of records. With fewer ones, two columns can agree by chance.
const MIN_RECORDS: usize = 3;
/// Maximum difference between a share and the part of the total that it stands
/// for, as a part of the total. Shares are often rounded to whole percents.
const MAX_DIFFERENCE: f64 = 0.006;
/// Minimum ratio of the largest to the smallest amount for the comparison with a larger total.
/// Amounts of similar size would agree by chance.
const MIN_SPREAD: f64 = 2.0;

/// Returns whether a sum is within 1 % of 100 or of 1, so that the values may be the rounded shares of
/// a whole.
pub(super) fn is_sum_of_shares(sum: f64) -> bool {
    (99.0..=101.0).contains(&sum) || (0.99..=1.01).contains(&sum)
}

/// Returns for each column, in order, whether its values are probably the shares of another column of
/// amounts, see `looks_like_shares_of`.
pub(super) fn find_share_columns(profiles: &[ColumnProfile]) -> Vec<bool> {
    let is_share_of_any = |share: &ColumnProfile| {
        let mut others = profiles.iter().filter(|amounts| !std::ptr::eq(*amounts, share));
        others.any(|amounts| looks_like_shares_of(share, amounts))
    };
    profiles.iter().map(is_share_of_any).collect()
}

/// Returns whether the column `share` probably contains the shares of `amounts`, either in their sum or
/// in a larger total of which the table shows only a part.
///
/// Compares only the smallest value, the largest value and the sums of both columns, not each row.
/// Returns false if one of them has no amounts, if `share` has fewer than `MIN_RECORDS` cells with a
/// value, if an amount is negative, or if no amount is above zero.
fn looks_like_shares_of(share: &ColumnProfile, amounts: &ColumnProfile) -> bool {
    let (Some(parts), Some(range)) = (share.range, amounts.range) else { return false };
    if !share.is_amount() || !amounts.is_amount() || share.filled() < MIN_RECORDS {
        return false;
    }
    if range.0 < 0.0 || range.1 <= 0.0 {
        return false;
    }
    let agrees =
        |part: f64, amount: f64| (part / share.sum - amount / amounts.sum).abs() <= MAX_DIFFERENCE;
    let is_whole = is_sum_of_shares(share.sum) && !is_sum_of_shares(amounts.sum);
    is_whole && agrees(parts.0, range.0) && agrees(parts.1, range.1)
        || looks_like_shares_of_larger_total(share, amounts)
}

/// Returns whether `share` probably contains the percentages of `amounts` in a total that is larger
/// than their sum. False for two columns of percentages, such as the answers to a question.
///
/// This is the case if `share` has percentages with a sum below 100, and smallest value, largest value
/// and sum have the same ratio to those of `amounts`. Returns false if the largest amount is less than
/// `MIN_SPREAD` times the smallest.
fn looks_like_shares_of_larger_total(share: &ColumnProfile, amounts: &ColumnProfile) -> bool {
    let (Some(parts), Some(range)) = (share.range, amounts.range) else { return false };
    let percent_per_unit = parts.1 / range.1;
    let agrees = |part: f64, amount: f64, tolerance: f64| {
        (part - amount * percent_per_unit).abs() <= MAX_DIFFERENCE * tolerance
    };
    share.is_percentage()
        && !amounts.is_percentage()
        && share.sum < 100.0
        && range.0 * MIN_SPREAD <= range.1
        && agrees(parts.0, range.0, parts.1)
        && agrees(share.sum, amounts.sum, share.sum)
}
