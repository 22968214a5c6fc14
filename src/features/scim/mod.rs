//! Provisioning of managed accounts by an identity provider with SCIM 2.0 (RFC 7643 and RFC 7644).
//!
//! Routes: `/sso/scim/v2/orgs/{org}…`. No tables: `people` owns `managed_user`.
//!
//! A request needs the API token of an admin of the organization. Responses contain managed accounts
//! of this organization only. Errors are one line of plain text, also for paths without a route.
//! Deliberately absent: groups, sorting, bulk operations, entity tags and the choice of attributes.

mod actions;
mod client;
mod discovery;
mod errors;
mod filter;
pub mod http;
mod patch;
mod store;
mod user;

pub use client::ScimClient;
pub use errors::error_response;
