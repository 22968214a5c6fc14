//! Path builders that several kinds share.

pub mod curve;
pub mod ring;
