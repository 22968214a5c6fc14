//! The fixed sequence that the figures of the benchmarks come from.

/// The next of a fixed pseudo-random sequence, from 0 to 1 (Knuth's MMIX constants).
pub fn next(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f64 / (1u64 << 24) as f64
}
