//! HTTP: what a handler gets ([`Call`]), what it gives ([`Reply`]), what a route is ([`Route`]).
//!
//! Reading order: `server` accepts and reads, `router` finds the route, `workers` run its handler,
//! `answer` completes what it gave. Only `server` is async.

mod application;
pub mod request;
pub mod conditional;
pub mod endpoint;
pub mod health;
pub mod idempotency;
pub mod limits;
pub mod openapi;
mod page;
mod outcomes;
pub mod problem;
pub mod response;
pub mod route;
pub mod server;
mod activity;
mod answer;
mod discreet;
pub mod encoding;
mod proxies;
mod router;
mod sending;
mod shared;
mod shelf;
mod sites;
pub mod streams;
mod tls;
mod workers;

pub use application::Application;
pub use conditional::IfMatch;
pub use endpoint::Input;
pub use endpoint::Json;
pub use endpoint::NoContent;
pub use endpoint::Output;
pub use endpoint::Query;
pub use idempotency::IdempotencyKey;
pub use limits::Limits;
pub use page::Page;
pub use request::Request;
pub use response::Response;
pub use route::Pool;
pub use route::Route;
pub use route::Security;
pub use streams::Streams;
