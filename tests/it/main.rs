//! One test binary: tests of the program over HTTP, and tests of the structure of its source.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod accounts;
mod backup_load;
mod casting;
mod chart_page;
mod charts;
mod cli;
mod client;
mod comments;
mod crash;
mod current_user;
mod documents;
mod durability;
mod faults;
mod folders;
mod full_disk;
mod history;
mod hostile;
mod http;
mod idempotency;
mod listing;
mod matrix;
mod orgs;
mod pages;
mod portfolio;
mod raster;
mod restore;
mod server_process;
mod settings;
mod sharing;
mod storage;
mod storage_rows;
mod teams;
mod test_server;
mod tidy;
mod upgrade;
