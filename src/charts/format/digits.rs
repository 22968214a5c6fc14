//! Decimal digits of numbers, without signs, units and group separators.

/// Formats a number with a fixed number of decimals. The number must not be negative.
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
    let scaled = scaled.round() as u64;
    if decimals == 0 {
        return scaled.to_string();
    }
    format!("{}.{:0decimals$}", scaled / unit, scaled % unit)
}

/// Formats a number with a power of ten.
pub fn format_scientific(value: f64, decimals: usize) -> String {
    if value == 0.0 { "0".to_owned() } else { format!("{value:.decimals$e}") }
}
