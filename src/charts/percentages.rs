//! Percentages of a whole that add up to 100 after rounding.

/// Returns the values as percentages of their sum, rounded to `decimals` places so that they add up
/// to 100 (largest remainder method). All are 0 if the sum is not positive or not finite. The
/// values must not be negative.
pub fn rounded_percentages(values: &[f64], decimals: u32) -> Vec<f64> {
    let unit = 10f64.powi(decimals as i32);
    let total: f64 = values.iter().sum();
    if total <= 0.0 || !total.is_finite() {
        return vec![0.0; values.len()];
    }
    let exact: Vec<f64> = values.iter().map(|value| value / total * 100.0 * unit).collect();
    let mut units: Vec<f64> = exact.iter().map(|share| share.floor()).collect();
    let missing = (100.0 * unit - units.iter().sum::<f64>()).round().max(0.0) as usize;
    let mut order: Vec<usize> = (0..values.len()).collect();
    let remainder = |index: usize| exact[index] - units[index];
    order.sort_by(|one, two| remainder(*two).total_cmp(&remainder(*one)).then(one.cmp(two)));
    for index in order.into_iter().take(missing) {
        units[index] += 1.0;
    }
    units.into_iter().map(|count| count / unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_percentages_add_up_to_100() {
        assert_eq!(rounded_percentages(&[1.0, 1.0, 1.0], 0), [34.0, 33.0, 33.0]);
        assert_eq!(rounded_percentages(&[2.0, 1.0], 1), [66.7, 33.3]);
        assert_eq!(rounded_percentages(&[0.0, 0.0], 0), [0.0, 0.0]);
    }
}
