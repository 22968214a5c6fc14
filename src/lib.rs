//! Chartroom: one binary that stores, renders and shares chart documents.
//!
//! Reading order, which is also the order of dependencies from the bottom up: `platform`
//! (infrastructure without product knowledge), `charts` (from data to image), `features` (the
//! service), then `routes`, `tasks` and `cli`, which connect them.

pub mod app;
pub mod features;
pub mod routes;
pub mod tasks;
pub mod cli;

// The templates name these functions by `crate::`.
pub use chartroom_platform::language::fill;
pub use chartroom_platform::language::html;
pub use chartroom_platform::language::text;
