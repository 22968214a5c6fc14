//! Settings with the origin of each value, and the problems found on loading.

use std::fmt;
use std::path::PathBuf;

use super::settings::Config;
use super::settings::SETTINGS;
use super::settings::Setting;

/// The layer that set a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueOrigin {
    /// No layer set the value.
    Default,
    /// No layer set the value. It is derived from this other setting.
    DerivedFrom(&'static str),
    /// The settings file with this path.
    File(PathBuf),
    /// The environment variable with this name.
    Environment(String),
    /// The flag with this name.
    Flag(String),
}

impl fmt::Display for ValueOrigin {
    /// Writes the layer and its file, variable or flag, such as `environment CHARTROOM_LISTEN`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::DerivedFrom(name) => write!(f, "from {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// One error in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Place of the error: the file and the key, the variable, the flag, or the name of the
    /// setting.
    pub place: String,
    /// Description of the error, in lower case and without a full stop.
    pub message: String,
}

impl fmt::Display for ConfigProblem {
    /// Writes the place and the message, separated by a colon.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// The settings and the origin of each value.
#[derive(Debug)]
pub struct LoadedConfig {
    /// Values of all settings.
    pub config: Config,
    /// Origin of each value, in the order of [`SETTINGS`].
    pub origins: Vec<ValueOrigin>,
    /// Path of the settings file, if there is one.
    pub file: Option<PathBuf>,
}

impl LoadedConfig {
    /// Returns the origin of the setting `name`, or `Default` if there is no such setting.
    pub fn origin(&self, name: &str) -> &ValueOrigin {
        let index = SETTINGS.iter().position(|setting| setting.name == name);
        index.and_then(|index| self.origins.get(index)).unwrap_or(&ValueOrigin::Default)
    }

    /// Returns whether no layer set `name`, so that the program may replace its value at run time. True
    /// also for an unknown name.
    pub fn is_default_or_derived(&self, name: &str) -> bool {
        matches!(self.origin(name), ValueOrigin::Default | ValueOrigin::DerivedFrom(_))
    }

    /// Sets the origin of the setting `name`. Does nothing if there is no such setting.
    pub(super) fn set_origin(&mut self, name: &str, origin: ValueOrigin) {
        if let Some(index) = SETTINGS.iter().position(|setting| setting.name == name) {
            self.origins[index] = origin;
        }
    }

    /// Parses a value, overrides the current one and stores the origin.
    ///
    /// # Errors
    /// Returns a message with the expected format if the value is invalid. The current value then
    /// stays.
    pub(super) fn set_value(
        &mut self,
        setting: &Setting,
        text: &str,
        origin: ValueOrigin,
    ) -> Result<(), String> {
        (setting.set)(&mut self.config, text)
            .map_err(|reason| format!("{reason}; expected {}", (setting.expected_format)()))?;
        self.set_origin(setting.name, origin);
        Ok(())
    }
}
