//! The platform package: HTTP server, database, search, tasks, mail and other infrastructure.
//!
//! It does not depend on the product. It knows neither documents nor accounts.

pub mod assets;
pub mod claims;
pub mod config;
pub mod crypto;
pub mod csv;
pub mod db;
pub mod doctor;
pub mod error;
pub mod fair_semaphore;
pub mod font_files;
pub mod json_field;
pub mod language;
pub mod http;
pub mod id;
pub mod log;
pub mod mail;
pub mod memory_budget;
pub mod memory_use;
pub mod messages;
pub mod periodic;
pub mod qr;
pub mod recent_uses;
pub mod remote;
pub mod search;
pub mod style_bundles;
pub mod tasks;
pub mod text;
pub mod threads;
pub mod time;
pub mod turn_queue;
pub mod web_bundles;
pub mod xml;
