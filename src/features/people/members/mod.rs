//! The members of an organization.

pub mod http;
mod actions;

pub use actions::MemberFilter;
pub use actions::add_member;
pub use actions::find_person;
pub(super) use actions::join;
pub use actions::list_members;
pub use actions::list_people;
pub use actions::remove_from_all_orgs;
pub use actions::remove_member;
pub use actions::remove_members;
pub(super) use actions::use_up_invite;
pub(super) use http::MemberQuery;
pub(super) use http::PersonView;
pub(super) use http::page_of;
