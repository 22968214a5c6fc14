//! One test binary: the real program over real HTTP, and the shape of its source.

mod charts;
mod raster;
