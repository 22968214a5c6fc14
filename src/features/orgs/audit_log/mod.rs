//! The audit log of an organization: who may read it, and its formats.
//!
//! The feature `audit` records and stores the events.

pub mod http;
mod actions;
mod export;
mod rules;

pub use rules::parse_time;
