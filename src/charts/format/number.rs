//! Number formatting: digit groups, units such as "M", and the minus sign U+2212.

use crate::format::digits;
use crate::format::format_rules::FormatRules;
use crate::format::locale::{Locale, NumberScale};

/// A number format with one scale unit and one precision for a whole axis or column.
#[derive(Clone, Debug)]
pub struct NumberFormat {
    locale: Locale,
    rules: FormatRules,
    /// Number of decimals, of the mantissa if numbers are written with a power of ten.
    decimals: usize,
    /// Scale unit of all numbers.
    unit: Unit,
    /// Whether numbers are written with a power of ten.
    is_scientific: bool,
    /// Maximum number of decimals of a number that is much smaller than others of its column.
    max_decimals: usize,
    /// Minimum number of significant digits. A number with fewer gets more decimals. 0 for ticks,
    /// because the tick at zero can differ from zero by rounding.
    min_digits: i32,
    /// Whether a number below 100 gets more decimals instead of being rounded to 100.
    is_share: bool,
}

/// A power of ten that numbers are divided by, and the suffix that stands for it.
#[derive(Clone, Copy, Debug)]
struct Unit {
    divisor: f64,
    /// Text after the number, such as `k`. Empty if the divisor is 1.
    suffix: &'static str,
}

/// The unit of numbers that are written in full.
const NO_UNIT: Unit = Unit { divisor: 1.0, suffix: "" };

/// Minimum largest value of an axis with ticks in thousands, millions and so on.
const MIN_ABBREVIATED_TICK: f64 = 10_000.0;
/// Minimum largest value of labels that are written in millions and so on. Higher than for ticks,
/// so that labels stay exact.
const MIN_ABBREVIATED_LABEL: f64 = 1_000_000.0;
/// Largest value of a column, divided by its scale unit, from which on a smaller value does not add
/// a decimal to all numbers of the column.
const MIN_WHOLE: f64 = 10_000.0;
/// Numbers from this magnitude on are written as numbers and not as durations, which would be too long.
const MAX_DURATION: f64 = 1e12;
/// Minimum step for [`count_decimals`], because its tolerance hides the decimals of smaller ones.
const MIN_COUNTED_STEP: f64 = 1e-6;
/// Maximum number of decimals: three digits of the smallest value without a power of ten.
const MAX_DECIMALS: f64 = 7.0;
/// Maximum number of decimals of a number that is much smaller than others of its column, if these
/// are at least 1. Numbers that would need more have a power of ten.
const MAX_SMALL_DECIMALS: usize = 12;
/// Decimals of the mantissa of such a number.
const SMALL_MANTISSA_DECIMALS: usize = 1;

impl NumberFormat {
    /// Creates the format of axis ticks from the largest magnitude and the distance between ticks.
    ///
    /// It has as many decimals as the distance needs, but two instead of one for money. `rules.decimals` is ignored, because rounded
    /// labels would not match the positions of their ticks. If `largest` is at least 10,000 and one
    /// scale unit of the locale, such as `k`, the numbers get the unit, unless they would then need
    /// too many decimals. If `largest` is at least 1e16 or below 1e-5, they get a power of ten.
    pub fn for_axis(largest: f64, step: f64, rules: &FormatRules, locale: Locale) -> NumberFormat {
        let abbreviated = choose_unit(largest, MIN_ABBREVIATED_TICK, locale);
        // Ticks such as 10.43k and 10.44k would be longer than the plain numbers.
        let max_decimals = if abbreviated.divisor <= 1e4 { 1 } else { 2 };
        let unit = if count_decimals(step / abbreviated.divisor) > max_decimals {
            NO_UNIT
        } else {
            abbreviated
        };
        let is_scientific = needs_scientific(largest);
        let decimals = if is_scientific {
            count_mantissa_decimals(largest, step)
        } else if step < MIN_COUNTED_STEP {
            count_mantissa_decimals(1.0, step)
        } else {
            count_money_decimals(count_decimals(step / unit.divisor), false, unit, rules)
        };
        NumberFormat {
            unit,
            is_scientific,
            ..NumberFormat::with_fixed_decimals(decimals, &rules.with_step(step), locale)
        }
    }

    /// Formats the ticks of a logarithmic axis, each with the decimals that it needs. `ticks` are
    /// in ascending order.
    ///
    /// The ticks have a common scale unit if the lowest is at least 10,000 and one unit. All get a
    /// power of ten if the highest is at least 1e16 or the lowest is below 1e-6. `rules.decimals`
    /// is ignored.
    pub fn for_log_axis(ticks: &[f64], rules: &FormatRules, locale: Locale) -> Vec<String> {
        let lowest = ticks.first().copied().unwrap_or(0.0);
        let highest = ticks.last().copied().unwrap_or(0.0);
        let is_scientific = highest >= 1e16 || lowest > 0.0 && lowest < 1e-6;
        let unit =
            if is_scientific { NO_UNIT } else { choose_unit(lowest, MIN_ABBREVIATED_TICK, locale) };
        let format = |tick: &f64| {
            let decimals = if is_scientific {
                count_mantissa_decimals(*tick, *tick)
            } else {
                count_decimals(tick / unit.divisor)
            };
            let rules = rules.with_step(*tick);
            let fixed = NumberFormat::with_fixed_decimals(decimals, &rules, locale);
            NumberFormat { unit, is_scientific, ..fixed }.text(*tick)
        };
        ticks.iter().map(format).collect()
    }

    /// Creates the format of value labels from all values.
    ///
    /// It has as many decimals as the values need within a limit that depends on the largest
    /// magnitude in its scale unit: none from 10,000, one from 1000, two from 10, three from 1, and
    /// below 1 as many as its first three significant digits need. Values that need more are rounded to
    /// none from 1000, to one from 10 and to two from 1. Money has two decimals instead of one, as in
    /// 15.20 €, and below 10,000 all cents that it needs.
    /// `rules.decimals` overrides the number of
    /// decimals. If the largest magnitude is at least a million, the numbers get a scale unit such
    /// as `M`. If the largest magnitude is at least 1e16 or below 1e-5, they get a power of ten and
    /// one decimal.
    ///
    /// Every value is written exactly or with two significant digits, or one with `rules.decimals`:
    /// if more decimals than two would be needed for that, there is no scale unit, and single small
    /// numbers have more decimals than the others, or a power of ten. No value other than zero is
    /// written as zero.
    pub fn for_values(
        values: impl Iterator<Item = f64> + Clone,
        rules: &FormatRules,
        locale: Locale,
    ) -> NumberFormat {
        let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
        let is_scientific = needs_scientific(largest);
        let mut unit = choose_unit(largest, MIN_ABBREVIATED_LABEL, locale);
        let keeps_digits = |unit: Unit, decimals: usize| {
            values.clone().all(|value| has_digits(value / unit.divisor, decimals, 2))
        };
        let mut decimals = count_column_decimals(values.clone(), largest, unit);
        if rules.decimals.is_none() && !is_scientific && !keeps_digits(unit, decimals) {
            if unit.divisor > 1.0 {
                let abbreviated =
                    (decimals..=2).find(|more_decimals| keeps_digits(unit, *more_decimals));
                if abbreviated.is_none() {
                    unit = NO_UNIT;
                }
                decimals = abbreviated
                    .unwrap_or_else(|| count_column_decimals(values.clone(), largest, unit));
            }
            // A single decimal more for all is better than numbers of different precision.
            // But 12,500,000.0 beside 0.4 feigns a precision that nobody has.
            if largest / unit.divisor < MIN_WHOLE
                && keeps_digits(unit, decimals + 1)
                && !keeps_digits(unit, decimals)
            {
                decimals += 1;
            }
        }
        let is_exact = |value: f64| count_decimals(value) <= 2;
        // Amounts of money below 10,000 keep their cents: 390.58 beside 1,432.25.
        let has_cents = largest < MIN_WHOLE
            && values.clone().any(|value| value.fract() != 0.0)
            && values.clone().all(is_exact);
        let decimals = count_money_decimals(decimals, has_cents, unit, rules);
        let decimals = if is_scientific { 1 } else { rules.decimals.unwrap_or(decimals) };
        // Among small numbers, a rounding error is smaller.
        let leading_zeros = -(largest.log10().floor().clamp(-6.0, 0.0));
        NumberFormat {
            unit,
            is_scientific,
            max_decimals: MAX_SMALL_DECIMALS + leading_zeros as usize,
            min_digits: if rules.decimals.is_some() { 1 } else { 2 },
            is_share: rules.percent || rules.suffix.contains('%'),
            ..NumberFormat::with_fixed_decimals(decimals, rules, locale)
        }
    }

    /// Creates a format that writes numbers in full with exactly `decimals` decimals, without a
    /// scale unit such as `k` or `M`.
    ///
    /// Keeps the prefix, suffix, percent sign and digit groups of `rules`. Ignores
    /// `rules.decimals`.
    pub fn with_fixed_decimals(
        decimals: usize,
        rules: &FormatRules,
        locale: Locale,
    ) -> NumberFormat {
        NumberFormat {
            locale,
            rules: rules.clone(),
            decimals,
            unit: NO_UNIT,
            is_scientific: false,
            max_decimals: MAX_SMALL_DECIMALS,
            min_digits: 0,
            is_share: false,
        }
    }

    /// Creates the format of shares, which are numbers from 0 to 100, with a number of decimals and
    /// a percent sign. A share that would otherwise be rounded to 0 or 100 has more decimals.
    /// `rules.decimals` is ignored.
    pub fn for_shares(decimals: usize, rules: &FormatRules, locale: Locale) -> NumberFormat {
        let fixed = NumberFormat::with_fixed_decimals(decimals, rules, locale);
        NumberFormat { min_digits: 1, is_share: true, ..fixed }.with_percent()
    }

    /// Returns the format with at least as many decimals as `parts`, so that readers can check a
    /// sum of such numbers. Returns it unchanged if the scale units differ, or only one of both
    /// formats writes powers of ten.
    pub(crate) fn at_least_as_exact_as(mut self, parts: &NumberFormat) -> NumberFormat {
        if self.unit.suffix == parts.unit.suffix && self.is_scientific == parts.is_scientific {
            self.decimals = self.decimals.max(parts.decimals);
        }
        self
    }

    /// Returns the format for numbers that may be parts of 100: a number below 100 that would be
    /// rounded to 100 gets more decimals. Adds no percent sign.
    pub fn with_parts(self) -> NumberFormat {
        NumberFormat { is_share: true, ..self }
    }

    /// Returns the format with a percent sign. Numbers are not multiplied by 100.
    pub fn with_percent(mut self) -> NumberFormat {
        self.rules.percent = true;
        self
    }

    /// Formats a number with the prefix, percent sign and suffix of the rules.
    ///
    /// A number that is rounded to zero has neither a minus sign nor a scale unit. Only ticks and
    /// numbers of [`NumberFormat::with_fixed_decimals`] are rounded to zero.
    pub fn text(&self, value: f64) -> String {
        let is_duration = !self.rules.percent && value.abs() < MAX_DURATION;
        if let Some(clock) = self.rules.clock.filter(|_| is_duration) {
            return self.duration_text(clock.text(value), value < 0.0);
        }
        let mut out = String::with_capacity(16);
        let scaled = value / self.unit.divisor;
        let mut digits = if self.is_scientific {
            digits::format_scientific(scaled.abs(), self.decimals)
        } else {
            digits::format_fixed(scaled.abs(), self.count_decimals_of(scaled))
        };
        let mut has_unit = !self.unit.suffix.is_empty();
        let mut is_zero = has_only_zeros(&digits);
        if is_zero && value != 0.0 && self.min_digits > 0 {
            digits = digits::format_scientific(value.abs(), SMALL_MANTISSA_DECIMALS);
            (is_zero, has_unit) = (false, false);
        }
        // Zero has neither a unit nor its decimals: 0, 2.5k, 5.0k.
        if is_zero && has_unit {
            digits.truncate(1);
        }
        if value < 0.0 && !is_zero {
            out.push_str(self.locale.sign_mark);
            out.push('\u{2212}');
        }
        out.push_str(&self.rules.prefix);
        self.push_digits(&digits, &mut out);
        if !is_zero && has_unit {
            out.push_str(self.unit.suffix);
        }
        if self.rules.percent {
            out.push_str(self.locale.percent_separator);
            out.push_str(self.locale.percent_sign);
        }
        out.push_str(&self.locale.localize_unit(&self.rules.suffix));
        out
    }

    /// Formats a duration by the clock with sign, prefix and suffix. `digits` are without a sign.
    fn duration_text(&self, digits: String, is_negative: bool) -> String {
        let mut out = String::with_capacity(16);
        if is_negative && !has_only_zeros(&digits) {
            out.push_str(self.locale.sign_mark);
            out.push('\u{2212}');
        }
        out.push_str(&self.rules.prefix);
        out.extend(digits.chars().map(|digit| self.locale.localize_digit(digit)));
        out.push_str(&self.locale.localize_unit(&self.rules.suffix));
        out
    }

    /// Formats a change like `text`, with a plus sign if it is above zero, also if it is rounded to
    /// zero.
    pub fn signed_text(&self, change: f64) -> String {
        let text = self.text(change);
        if change > 0.0 { format!("{}+{text}", self.locale.sign_mark) } else { text }
    }

    /// Returns the number of decimals for a number that is already divided by its unit: more than
    /// for others if it would have too few significant digits, or if a share below 100 would be
    /// rounded to 100.
    fn count_decimals_of(&self, scaled: f64) -> usize {
        // A part is not the whole: 99.7 beside 0.3 is not 100.
        let is_part = self.is_share && scaled.abs() > 99.0 && scaled.abs() < 100.0 - 1e-9;
        let is_below_whole = |decimals: usize| {
            scaled.abs() * 10f64.powi(decimals as i32) + 0.5 < 10f64.powi(decimals as i32 + 2)
        };
        (self.decimals..=self.max_decimals)
            .find(|decimals| {
                has_digits(scaled, *decimals, self.min_digits)
                    && (!is_part || is_below_whole(*decimals))
            })
            .unwrap_or(self.decimals)
    }

    /// Appends a number in the digits of the locale with its decimal separator, and with its group
    /// separators if the rules ask for groups. `digits` are 0 to 9 with a point as decimal
    /// separator, possibly with an exponent.
    fn push_digits(&self, digits: &str, out: &mut String) {
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        // Four digits are grouped too, because 1000 beside 12,000 looks inconsistent.
        let is_grouped = self.rules.grouped && whole.len() > 3 && !whole.contains('e');
        let has_small_groups = matches!(self.locale.number_scale, NumberScale::LakhAndCrore(_));
        for (index, digit) in whole.chars().enumerate() {
            let digits_left = whole.len() - index;
            let starts_group = if has_small_groups && digits_left > 3 {
                (digits_left - 3).is_multiple_of(2)
            } else {
                digits_left.is_multiple_of(3)
            };
            if is_grouped && index > 0 && starts_group {
                out.push(self.locale.group_separator);
            }
            out.push(self.locale.localize_digit(digit));
        }
        if !fraction.is_empty() {
            out.push(self.locale.decimal_separator);
            out.extend(fraction.chars().map(|digit| self.locale.localize_digit(digit)));
        }
    }
}

/// Returns two decimals for amounts of a currency with a hundredth part that would have one or
/// `have_cents`, unless they have a scale unit such as `k`, or `rules.decimals` has a number.
fn count_money_decimals(
    decimals: usize,
    have_cents: bool,
    unit: Unit,
    rules: &FormatRules,
) -> usize {
    let is_chosen = rules.decimals.is_some();
    let needs_two = decimals == 1 || decimals == 0 && have_cents;
    if needs_two && rules.has_cents() && unit.suffix.is_empty() && !is_chosen {
        2
    } else {
        decimals
    }
}

/// Returns the number of decimals of the mantissa at which multiples of `step` up to `largest` are
/// exact, when they are written with a power of ten. From 1 to 17.
fn count_mantissa_decimals(largest: f64, step: f64) -> usize {
    let power = |value: f64| value.abs().max(f64::MIN_POSITIVE).log10().floor();
    let mantissa = step.abs() / 10f64.powf(power(step));
    // A step such as 2.5 has one more digit than a step such as 2.
    let digits = power(largest) - power(step) + count_decimals(mantissa) as f64;
    digits.clamp(1.0, 17.0) as usize
}

/// Returns the number of decimals for values in a unit: as many as they need, if these are at most
/// one from 1000 units of `largest`, two from 10 units, or three from 1 unit. Else one from 10 units, two
/// from 1 unit, and below 1 as many as three significant digits of `largest` need. None from 10,000
/// units.
fn count_column_decimals(values: impl Iterator<Item = f64>, largest: f64, unit: Unit) -> usize {
    let (max_rounded, max_exact) = match largest / unit.divisor {
        n if n >= 10_000.0 => (0, 0),
        n if n >= 1000.0 => (0, 1),
        // 12.5 and 7.25 are what somebody wrote, but 12.5 and 7.2518 are rather computed.
        n if n >= 10.0 => (1, 2),
        n if n >= 1.0 => (2, 3),
        n if n > 0.0 => {
            let max_rounded = (2.0 - n.log10().floor()).min(MAX_DECIMALS) as usize;
            (max_rounded, max_rounded)
        }
        _ => (0, 0),
    };
    let mut needed = 0;
    for value in values {
        needed = count_decimals(value / unit.divisor).max(needed);
        // Further values cannot change the result.
        if needed > max_exact {
            return max_rounded;
        }
    }
    needed
}

/// Returns whether a text has no digit from 1 to 9, so that the number in it is zero.
fn has_only_zeros(digits: &str) -> bool {
    !digits.bytes().any(|byte| (b'1'..=b'9').contains(&byte))
}

/// Returns whether a number with so many decimals is exact, or has at least `min_digits`
/// significant digits after rounding. True for zero, and always if `min_digits` is 0.
fn has_digits(value: f64, decimals: usize, min_digits: i32) -> bool {
    let last_digits = value.abs() * 10f64.powi(decimals as i32);
    let least = if min_digits < 1 { 0.0 } else { 10f64.powi(min_digits - 1) - 0.5 };
    // The tolerance of `count_decimals` hides smaller numbers.
    let is_exact = || value.abs() >= 1e-6 && count_decimals(value) <= decimals;
    last_digits >= least || value == 0.0 || is_exact()
}

/// Returns whether numbers of a column are written with a power of ten, because the largest
/// magnitude is too large for scale units or too small for decimals. False for 0.
fn needs_scientific(largest: f64) -> bool {
    largest >= 1e16 || largest > 0.0 && largest < 1e-5
}

/// Returns how many decimals a number needs to be written exactly, up to a tolerance of a millionth
/// of the number for binary rounding. Returns 9 if it needs more.
pub fn count_decimals(value: f64) -> usize {
    let value = value.abs();
    let mut power = 1.0;
    for count in 0..9 {
        let scaled = value * power;
        // The tolerance of a millionth covers the binary rounding of decimal fractions.
        if (scaled - scaled.round()).abs() <= 1e-6 * scaled.max(1e-3) {
            return count;
        }
        power *= 10.0;
    }
    9
}

/// Returns the scale unit of the locale for numbers up to `largest`. Returns `NO_UNIT` if
/// `largest` is below `min`, is below the smallest unit or needs a power of ten. `min` must be at
/// least 10,000, which only a lakh exceeds.
fn choose_unit(largest: f64, min: f64, locale: Locale) -> Unit {
    if largest < min || needs_scientific(largest) {
        return NO_UNIT;
    }
    let (divisor, suffix) = match locale.number_scale {
        NumberScale::Thousands([thousand, million, billion, trillion]) => match largest {
            n if n >= 1e12 => (1e12, trillion),
            n if n >= 1e9 => (1e9, billion),
            n if n >= 1e6 => (1e6, million),
            _ => (1e3, thousand),
        },
        NumberScale::LakhAndCrore([_, crore]) if largest >= 1e7 => (1e7, crore),
        NumberScale::LakhAndCrore([lakh, _]) if largest >= 1e5 => (1e5, lakh),
        NumberScale::LakhAndCrore(_) => return NO_UNIT,
        NumberScale::TenThousands([ten_thousand, hundred_million, trillion]) => match largest {
            n if n >= 1e12 => (1e12, trillion),
            n if n >= 1e8 => (1e8, hundred_million),
            _ => (1e4, ten_thousand),
        },
    };
    Unit { divisor, suffix }
}

#[cfg(test)]
mod tests;
