//! Outbound HTTP with deadlines, size limits and SSRF protection, and lookups of DNS records.
//!
//! Every URL of a user or of a remote server passes the same checks: [`RemoteClient`] accepts only
//! `http` and `https` without user info, and connects only to addresses and ports that the
//! [`NetworkRules`] allow. It checks the target of each redirect again.
//!
//! Host names are resolved by our own resolver ([`DnsResolver`]), never by the C library. In a
//! statically linked program the lookup of the C library loads the system's plug-ins, which crashes
//! the process on some hosts.

mod checked_resolver;
mod client;
mod cookie_jar;
mod deadline;
mod download_owner;
mod failure;
mod message;
pub mod names;
pub mod network_scope;
mod remote_body;
mod remote_url;
pub mod resolver;
mod short_waits;
#[cfg(test)]
mod tests;
pub mod trusted_roots;

use std::time::Duration;

pub use client::ClientOptions;
pub use client::RemoteClient;
pub use deadline::Deadline;
pub use download_owner::DownloadOwner;
pub use failure::RemoteFailure;
pub use message::RemoteMethod;
pub use message::RemoteRequest;
pub use message::RemoteResponse;
pub use network_scope::NetworkRules;
pub use network_scope::NetworkScope;
pub use remote_body::RemoteBody;
pub use resolver::DnsResolver;
pub use trusted_roots::TrustedRoots;

/// Maximum size of a downloaded spreadsheet in bytes, counted after decompression.
pub const MAX_DOWNLOAD_BYTES: u64 = 25 << 20;

/// Maximum time from the arrival of a request of a user to the last response of a remote server.
pub const MAX_REMOTE_TIME: Duration = Duration::from_secs(45);
/// Maximum length of a URL of a user in bytes.
pub const MAX_URL_BYTES: usize = 4096;
