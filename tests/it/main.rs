//! One test binary: the real program over real HTTP, and the shape of its source.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod cli;
mod charts;
mod crash;
mod documents;
mod durability;
mod client;
mod http;
mod me;
mod orgs;
mod portfolio;
mod raster;
mod rows;
mod talk;
mod tidy;
mod upgrade;
mod world;
