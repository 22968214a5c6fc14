//! The identity providers of organizations. Table: `sso`.

pub mod http;
mod actions;
mod rules;
mod sign_in_url;
mod store;

pub use actions::REJECTED_ACTION;
pub use actions::check_plan;
pub use actions::delete;
pub use actions::event_target;
pub use actions::find;
pub use actions::find_by_entity_id;
pub use actions::find_settings_by_address;
pub use actions::is_any_configured;
pub use actions::list_rejections;
pub use actions::put;
pub use actions::record_sign_in;
pub use rules::SettingsInput;
pub use store::SsoSettings;
