//! Teams: some members of an organization with a folder of their own.
//!
//! A team's folder is made with it in the organization's root. Whoever asks what somebody may do
//! there finds it by `team.folder`: it is open to the team and to the organization's admins.

pub mod http;
mod actions;
mod rules;
mod store;

pub use actions::Wish;
pub use actions::create;
pub(super) use store::leave_all;
