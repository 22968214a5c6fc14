//! Organizations: members with roles, plans and seats, settings, teams, verified domains, themes and
//! assets.
//!
//! Routes: `/orgs/{org}`, `/orgs/{org}/settings…`, `/orgs/{org}/teams`, `/orgs/{org}/team/{team}…`,
//! `/orgs/{org}/domains…`, `/orgs/{org}/themes…`, `/orgs/{org}/assets…`, `/orgs/{org}/audit-log`.
//! Tables: `org`, `member`, `team`, `team_member`, `domain`, `theme`, `asset`.
//!
//! The operator sets plans and seats on the command line. The server has no billing.

pub mod assets;
pub mod audit_log;
pub mod domains;
pub mod http;
pub mod settings;
pub mod teams;
pub mod themes;
mod actions;
mod events;
mod layout;
mod rules;
mod store;
mod subscription;

pub use actions::NewOrg;
pub use actions::check_not_last_admin;
pub use actions::count_members;
pub use actions::create_org;
pub use actions::find_membership;
pub use actions::find_org;
pub use actions::put_member;
pub use actions::remove_member;
pub use actions::require_role;
pub use actions::require_role_even_if_suspended;
pub use actions::set_grants;
pub use actions::set_plan;
pub use actions::set_suspended;
pub use actions::update_org as change_org;
pub use layout::Layout;
pub use layout::Margin;
pub use rules::OrgPolicy;
pub use rules::Plan;
pub use rules::Role;
pub use rules::Seats;
pub use rules::suspended_error;
pub use store::Member;
pub use store::Membership;
pub use store::Org;
pub use store::find_policy;
pub use store::find_role;
pub use store::find_scim_use;
pub use store::find_settings;
pub use store::is_storage_forbidden;
pub use store::list_members;
pub use store::list_memberships;
pub use store::list_orgs;
pub use store::put_scim_use;
pub use subscription::PeriodUnit;
pub use subscription::Price;
pub use subscription::Subscription;
pub use subscription::SubscriptionDetails;
pub use subscription::SubscriptionStatus;
pub use subscription::SubscriptionTerms;
