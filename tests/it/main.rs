//! One test binary: the real program over real HTTP, and the shape of its source.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod chart_page;
mod casting;
mod charts;
mod cli;
mod client;
mod comments;
mod crash;
mod documents;
mod durability;
mod folders;
mod history;
mod http;
mod idempotency;
mod listing;
mod matrix;
mod me;
mod orgs;
mod pages;
mod portfolio;
mod raster;
mod rows;
mod settings;
mod sharing;
mod talk;
mod teams;
mod tidy;
mod upgrade;
mod world;
