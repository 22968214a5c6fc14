//! The built-in web pages: one's charts as pictures, a folder, one chart, help, and the static
//! files.
//!
//! Routes: `/`, `/f/{owner}/{path}`, `/recent`, `/shared`, `/trash`, `/search`, `/d/{owner}/{doc}`,
//! `/help/…`, `/assets/…`. No tables. Sign-in and setup pages belong to `accounts`.

pub mod chart;
pub mod http;
pub mod library;
mod problems;
mod views;

pub use http::api_groups;
pub use http::error_page;
