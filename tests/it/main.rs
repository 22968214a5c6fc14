//! One test binary: the real program over real HTTP, and the shape of its source.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod charts;
mod raster;
