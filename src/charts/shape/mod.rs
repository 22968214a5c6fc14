//! Path geometry that several chart kinds share.

pub mod curve;
pub mod line;
pub mod ring;
