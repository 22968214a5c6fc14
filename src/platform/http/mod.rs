//! The HTTP server: routing, typed handlers, and everything around a request and its response.
//!
//! A handler is a plain function from [`Request`] to [`Response`]; a [`Route`] binds it to a method
//! and a path. Reading order: `server` accepts connections and reads requests, `router` finds the
//! route, `workers` run its handler, `finalize` completes the response. Only `server` is async.

mod activity;
mod application;
mod body_memory;
pub mod caller_key;
mod client_network;
pub mod conditional;
mod connections;
mod cors;
pub mod encoding;
pub mod endpoint;
pub mod event_hub;
mod fair_lanes;
mod fair_queue;
mod failure_limit;
mod fair_slots;
mod finalize;
pub mod growing_delay;
pub mod health;
mod host;
pub mod idempotency;
pub mod json_body;
pub mod multipart;
pub mod openapi;
mod openapi_responses;
mod outgoing_body;
mod page;
pub mod problem;
mod proxies;
pub mod rate_limits;
pub mod request;
pub mod response;
mod response_memory;
pub mod route;
mod router;
pub mod server;
mod server_state;
mod shutdown;
mod spool;
mod timing_pad;
mod tls;
mod workers;

pub use application::Application;
pub use application::Service;
pub use conditional::IfMatch;
pub use endpoint::FromRequest;
pub use endpoint::IntoResponse;
pub use endpoint::Json;
pub use endpoint::NoContent;
pub use endpoint::Query;
pub use event_hub::EventHub;
pub use idempotency::IdempotencyKey;
pub use page::Page;
pub use rate_limits::RateLimits;
pub use request::Request;
pub use response::Response;
pub use route::Pool;
pub use route::Route;
pub use route::Security;
pub use router::FALLBACK_PATH;
pub use shutdown::ShutdownSignal;
