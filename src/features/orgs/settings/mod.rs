//! Settings of an organization: layout presets and restrictions.
//!
//! Documents read the restrictions through [`find_policy`](super::find_policy), and the layout presets
//! with the other defaults of a new document.

pub mod http;
mod actions;
mod rules;

pub use actions::change_settings;
pub use actions::stop_enforcing_sso;
pub use rules::Settings;
pub use rules::SettingsPatch;
