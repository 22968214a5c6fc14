//! Stars: documents that a user marks for their own list.
//!
//! Routes: `/users/{user_id}/stars…`. Table: `star`. A star gives no access. The list contains only
//! documents that the user may still read.

mod actions;
pub mod http;
mod store;

pub use actions::list_stars;
