//! The built-in web pages: the library, one chart, the help pages and the static files.
//!
//! Routes: `/`, `/f/{owner}/{path}`, `/recent`, `/starred`, `/shared`, `/trash`, `/search`, `/new/{kind}`,
//! `/d/{owner}/{doc}`, `/help/…`, `/assets/…`. No tables. The sign-in and setup pages belong to `accounts`.

mod arrangement;
mod breadcrumbs;
pub mod chart;
pub mod http;
pub mod library;
mod library_page;
mod problems;
mod templates;
mod web_fonts;

pub use http::error_page;
pub use http::group_api_routes;
