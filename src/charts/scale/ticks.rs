//! Round ticks: steps of 1, 2, 2.5 or 5 times a power of ten.

/// Ticks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticks {
    /// Distance of neighbours.
    pub step: f64,
    /// Rising.
    pub values: Vec<f64>,
}

impl Ticks {
    /// The largest magnitude among the ticks.
    pub fn largest(&self) -> f64 {
        self.values.iter().map(|it| it.abs()).fold(0.0, f64::max)
    }
}

/// Widens a range to round ticks, about `wanted` of them, and lists these.
///
/// Both ends and their distance are finite; equal ends are pulled apart.
pub fn nice(low: f64, high: f64, wanted: usize) -> ((f64, f64), Ticks) {
    let (low, high) = apart(low.min(high), low.max(high));
    let step = step(high - low, wanted.clamp(2, 12));
    let first = (low / step + 1e-9).floor();
    let last = (high / step - 1e-9).ceil();
    let count = (last - first).clamp(1.0, 24.0) as usize;
    // Whole multiples, not sums, so that no rounding error piles up.
    let values: Vec<f64> = (0..=count).map(|at| whole((first + at as f64) * step)).collect();
    ((values[0], values[count]), Ticks { step, values })
}

/// Zero without a sign.
fn whole(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

/// Two ends that differ enough for a scale.
fn apart(low: f64, high: f64) -> (f64, f64) {
    let reach = low.abs().max(high.abs());
    if high - low > reach * 1e-9 {
        return (low, high);
    }
    if reach == 0.0 {
        return (0.0, 1.0);
    }
    (low - reach * 0.1, high + reach * 0.1)
}

/// The round step that comes nearest to the wanted number of ticks.
fn step(span: f64, wanted: usize) -> f64 {
    let rough = span / wanted as f64;
    let power = 10f64.powf(rough.log10().floor());
    let share = rough / power;
    let factor = match share {
        it if it <= 1.05 => 1.0,
        it if it <= 2.05 => 2.0,
        it if it <= 2.55 => 2.5,
        it if it <= 5.1 => 5.0,
        _ => 10.0,
    };
    factor * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_round_and_few() {
        for (low, high) in
            [(0.0, 158.0), (0.0, 7.0), (-35.0, 210.0), (0.0013, 0.0042), (1e15, 3e15)]
        {
            let ((from, to), ticks) = nice(low, high, 5);
            assert!(from <= low && to >= high, "{low} {high}: {from} {to}");
            assert!((3..=8).contains(&ticks.values.len()), "{ticks:?}");
            let lead = ticks.step / 10f64.powf(ticks.step.log10().floor());
            assert!([1.0, 2.0, 2.5, 5.0, 10.0].iter().any(|it| (lead - it).abs() < 1e-6), "{lead}");
        }
    }

    #[test]
    fn equal_and_extreme_ends_still_make_an_axis() {
        for (low, high) in
            [(0.0, 0.0), (5.0, 5.0), (-1e-9, -1e-9), (-1e290, 1e290), (1e-290, 2e-290)]
        {
            let ((from, to), ticks) = nice(low, high, 5);
            assert!(from < to && from.is_finite() && to.is_finite());
            assert!(ticks.values.iter().all(|it| it.is_finite()));
        }
    }
}
