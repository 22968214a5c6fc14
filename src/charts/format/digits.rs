//! Decimal digits of numbers, without signs, units and group separators.

/// Maximum number of units of the last decimal for which a rounding error of a half is corrected.
/// The correction of larger numbers could change their last digit.
const MAX_NUDGED: f64 = 1e12;

/// Formats a number with a fixed number of decimals, such as `1234.50`. Halves are rounded up. The
/// number must not be negative.
///
/// Formats the number as an integer multiple of its last decimal, because the standard library
/// formats integers ten times faster than floating-point numbers.
pub fn format_fixed(value: f64, decimals: usize) -> String {
    let Some(unit) = 10u64.checked_pow(decimals as u32) else {
        return format!("{value:.decimals$}");
    };
    let scaled = value * unit as f64;
    // Above 9e15, an f64 cannot represent every integer.
    if decimals > 9 || scaled >= 9e15 {
        return format!("{value:.decimals$}");
    }
    // A half such as that of 1.005 is rounded up, although the nearest f64 is below it.
    let nudge = if scaled < MAX_NUDGED { 1.0 + 4.0 * f64::EPSILON } else { 1.0 };
    let scaled = (scaled * nudge).round() as u64;
    if decimals == 0 {
        return scaled.to_string();
    }
    format!("{}.{:0decimals$}", scaled / unit, scaled % unit)
}

/// Formats a number as a mantissa with `decimals` decimals and a power of ten, such as `1.5e3`.
/// Zero is `0`.
pub fn format_scientific(value: f64, decimals: usize) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.decimals$e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_rounded_up_as_people_write_them() {
        let check = |value: f64, decimals: usize, want: &str| {
            assert_eq!(format_fixed(value, decimals), want, "{value}");
        };
        check(1.005, 2, "1.01");
        check(2.675, 2, "2.68");
        check(0.285, 2, "0.29");
        check(12.5, 0, "13");
        check(12.499_999, 0, "12");
        check(2_675_000.004_9, 2, "2675000.00");
        check(8_999_999_999_999_999.0, 0, "8999999999999999");
    }
}
