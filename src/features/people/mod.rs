//! The people of an organization: members, managed accounts and invites, and their seats.
//!
//! Routes: `/orgs/{org}/members…`, `/orgs/{org}/users…`, `/orgs/{org}/invites…`,
//! `/orgs/{org}/subscription`, and the page `/invite/{token}`. Tables: `managed_user`, `invite`,
//! `used_confirmation`.
//!
//! Membership itself is in [`orgs`](crate::features::orgs). This feature knows everything that a
//! membership gives, so that removing a member takes all of it away.

pub mod invites;
pub mod managed;
pub mod members;
pub mod subscription;

mod admin_write;
mod invite;
mod person;
mod seats;
mod store;
mod tasks;

pub use admin_write::write_as_admin;
pub use invite::Invite;
pub use managed::managing_org;
pub use members::add_member;
pub use members::list_members;
pub use members::remove_from_all_orgs;
pub use members::remove_member;
pub use person::Person;
pub use seats::SeatCheck;
pub use seats::UpdateInfo;
pub use seats::count_taken;
pub use tasks::PURGE_TASK;
pub use tasks::purge_expired;
