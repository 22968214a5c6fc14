//! Teams: groups of members of an organization, each with a folder of its own.
//!
//! Creating a team creates its folder in the root of the organization and stores the folder id in
//! `team.folder`. Access control uses this column: only the members of the team and the admins of
//! the organization have access to the folder.

pub mod http;
mod actions;
mod rules;
mod store;

pub use actions::TeamRequest;
pub use actions::create_closed_team;
pub use actions::create_team;
pub use actions::delete_team;
pub use actions::find_folder_path;
pub use actions::find_team;
pub use actions::list_members;
pub use actions::list_teams;
pub use actions::list_teams_of_user;
pub use actions::update_team;
pub use store::Team;
pub use store::TeamMember;
pub(super) use store::list_teams_of_member;
pub(super) use store::remove_from_all_teams;
