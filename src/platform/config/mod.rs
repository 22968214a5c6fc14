//! The settings of the program.
//!
//! The list in `settings` is the single source for the settings file, the environment, the flags
//! and `config show`. Each layer overrides the previous one: default, `chartroom.toml`,
//! `CHARTROOM_…`, flag. `layers` reads the layers, `value_format` parses and formats values, and
//! `validate` checks settings against each other.

mod keywords;
pub mod layers;
mod loaded;
mod settings;
mod validate;
mod value_format;

pub use keywords::GoogleScope;
pub use keywords::LogFormat;
pub use keywords::MailTls;
pub use layers::ConfigSources;
pub use loaded::ConfigProblem;
pub use loaded::LoadedConfig;
pub use loaded::ValueOrigin;
pub use settings::Config;
pub use settings::SETTINGS;
pub use settings::Setting;
pub use value_format::Secret;
