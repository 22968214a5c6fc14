//! The context of a command: settings, standard streams and output format.

use std::fmt::Display;
use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::Failure;
use crate::app::App;
use chartroom_platform::config::Config;
use chartroom_platform::config::ConfigSources;
use chartroom_platform::config::LoadedConfig;
use chartroom_platform::config::layers;
use chartroom_platform::error::Result;

/// Settings sources and output format of a command.
pub struct CommandContext {
    sources: ConfigSources,
    /// Whether output is JSON.
    pub json: bool,
}

impl CommandContext {
    /// Creates the context. `flags` are settings from the command line, by name. Also reads the
    /// environment variables of the process.
    pub(super) fn new(
        file: Option<PathBuf>,
        flags: Vec<(&'static str, String)>,
        json: bool,
    ) -> Self {
        let environment = std::env::vars_os().collect();
        Self { sources: ConfigSources { file, flags, environment }, json }
    }

    /// Loads the settings with their origins.
    ///
    /// # Errors
    /// `Configuration` with all problems of the settings.
    pub fn load_settings(&self) -> std::result::Result<LoadedConfig, Failure> {
        Ok(layers::load(&self.sources)?)
    }

    /// Loads the settings.
    ///
    /// # Errors
    /// `Configuration` with all problems of the settings.
    pub fn load_config(&self) -> std::result::Result<Config, Failure> {
        Ok(self.load_settings()?.config)
    }

    /// Opens the application on the data directory, with or without a running server. Creates what
    /// is missing.
    ///
    /// # Errors
    /// `Configuration` with all problems of the settings, or the errors of [`App::open`].
    pub fn open_app(&self) -> std::result::Result<Arc<App>, Failure> {
        Ok(App::open(self.load_config()?)?)
    }

    /// Prints a result: `value` as JSON or `text`, depending on `--json`.
    ///
    /// # Errors
    /// If the output cannot be written.
    pub fn print(
        &self,
        value: &impl Serialize,
        text: impl Display,
    ) -> std::result::Result<(), Failure> {
        Ok(print(self.json, value, text)?)
    }
}

/// Prints a result: `value` as JSON if `json` is set, otherwise `text`. Adds a line end if the
/// output is not empty and has none.
///
/// # Errors
/// If the output cannot be written. A closed pipe is not an error, because the reader has finished.
pub(super) fn print(json: bool, value: &impl Serialize, text: impl Display) -> Result<()> {
    let text = if json { serde_json::to_string(value)? } else { text.to_string() };
    let mut out = std::io::stdout().lock();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Reads the standard input, which contains a password. Removes one line end at the end.
///
/// # Errors
/// If the input cannot be read or is not UTF-8.
pub(super) fn read_password_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}

/// Parses `yes` or `no`.
pub fn parse_yes_no(text: &str) -> std::result::Result<bool, String> {
    match text {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("must be yes or no".to_owned()),
    }
}
