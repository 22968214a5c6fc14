//! Machinery that knows nothing of documents or people.

pub mod assets;
pub mod config;
pub mod crypto;
pub mod db;
pub mod doctor;
pub mod error;
pub mod field;
pub mod http;
pub mod id;
pub mod log;
pub mod mail;
pub mod remote;
pub mod search;
pub mod tasks;
pub mod text;
pub mod threads;
pub mod time;
pub mod turns;
