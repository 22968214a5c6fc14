//! The command line: one file a subcommand.

pub mod org;
pub mod user;
