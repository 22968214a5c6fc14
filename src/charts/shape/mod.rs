//! Path builders that several kinds share.

pub mod curve;
