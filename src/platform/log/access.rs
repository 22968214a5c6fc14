//! The access log: one record per finished request.

use std::net::IpAddr;
use std::time::Instant;

use hyper::Method;

use super::redact::redact_url;

/// Target of the access log, for filters such as `info,access=off`.
pub const ACCESS_TARGET: &str = "access";

/// A finished request.
pub struct AccessRecord<'a> {
    /// Method of the request.
    pub method: &'a Method,
    /// Path as the client sent it. May contain secrets.
    pub path: &'a str,
    /// Query as the client sent it. May contain secrets.
    pub query: &'a str,
    /// Status of the response.
    pub status: u16,
    /// Size of the response body in bytes. None for a stream.
    pub bytes: Option<usize>,
    /// Time at which the server had received all headers.
    pub received_at: Instant,
    /// Id of the request.
    pub request_id: &'a str,
    /// IP address of the client.
    pub peer: IpAddr,
}

/// Emits the record as a `tracing` event, without the secrets in its URL. `micros` is the duration
/// of the request in microseconds.
pub fn emit_event(record: &AccessRecord<'_>, micros: u64) {
    tracing::info!(
        target: ACCESS_TARGET,
        method = record.method.as_str(),
        path = redact_url(record.path, record.query).as_ref(),
        status = record.status,
        bytes = record.bytes,
        micros,
        request_id = record.request_id,
        peer = %record.peer,
    );
}
