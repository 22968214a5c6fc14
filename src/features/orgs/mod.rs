//! Organizations: who belongs to them, in which role, under which plan.
//!
//! Routes: `/orgs/{org}`, `/orgs/{org}/settings…`, `/orgs/{org}/teams`, `/orgs/{org}/team/{team}…`.
//! Tables: `org`, `member`, `team`, `team_member`. Plans and seats are set by whoever runs the server, on the command line;
//! the server sells nothing.

pub mod http;
pub mod settings;
pub mod teams;
mod actions;
mod layout;
mod rules;
mod store;

pub use actions::NewOrg;
pub use actions::add_member;
pub use actions::check_may_leave;
pub use actions::create;
pub use actions::find;
pub use actions::remove_member;
pub use actions::set_plan;
pub use actions::set_suspended;
pub use layout::Layout;
pub use rules::Plan;
pub use rules::Policy;
pub use rules::Role;
pub use rules::Seats;
pub use rules::suspended;
pub use store::Member;
pub use store::Membership;
pub use store::Org;
pub use store::all;
pub use store::default_layout;
pub use store::forbids_storage;
pub use store::members;
pub use store::memberships;
pub use store::policy;
pub use store::role;
