//! HTTP: what a handler gets ([`Call`]), what it gives ([`Reply`]), what a route is ([`Route`]).

pub mod call;
pub mod endpoint;
pub mod reply;
pub mod route;

pub use call::Call;
pub use endpoint::Input;
pub use endpoint::Json;
pub use endpoint::NoContent;
pub use endpoint::Output;
pub use endpoint::Query;
pub use reply::Reply;
pub use route::Pool;
pub use route::Route;
pub use route::Security;
