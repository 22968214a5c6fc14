//! The built-in web pages: one's charts as pictures, one chart, help, and the static files.
//!
//! Routes: `/`, `/d/{owner}/{doc}`, `/help/…`, `/assets/…`. No tables. Sign-in and setup pages
//! belong to `accounts`.

pub mod http;
mod views;

pub use http::api_page;
pub use http::error_page;
