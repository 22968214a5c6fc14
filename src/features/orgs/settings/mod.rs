//! Settings of an organization: layout presets and restrictions.
//!
//! Documents read the settings through [`find_policy`](super::find_policy) and
//! [`find_default_layout`](super::find_default_layout).

pub mod http;
mod actions;
mod rules;

pub use actions::change_settings;
pub use actions::stop_enforcing_sso;
pub use rules::Settings;
pub use rules::SettingsPatch;
