//! Chartroom: one binary that stores, draws and shares chart documents.
//!
//! Reading order, which is also the order of dependence, from the bottom up:
//! `platform` (machinery that knows nothing of the product), `charts` (from data to picture),
//! `features` (what the service does), then `routes`, `tasks` and `cli`, which join them.

pub mod app;
pub mod features;
pub mod routes;
pub mod tasks;
pub mod cli;
