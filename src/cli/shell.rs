//! What every command has: the settings, the standard streams, and how to print.

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
use chartroom_platform::config::Loaded;
use chartroom_platform::config::Sources;
use chartroom_platform::config::layers;
use chartroom_platform::error::Result;

/// What every command has.
pub struct Shell {
    sources: Sources,
    /// Whether to print JSON.
    pub json: bool,
}

impl Shell {
    /// `flags` are settings by name.
    pub(super) fn new(
        file: Option<PathBuf>,
        flags: Vec<(&'static str, String)>,
        json: bool,
    ) -> Self {
        let environment = std::env::vars_os().collect();
        Self { sources: Sources { file, flags, environment }, json }
    }

    /// The settings with their origins.
    ///
    /// # Errors
    /// `Configuration` with everything that is wrong with them.
    pub fn settings(&self) -> std::result::Result<Loaded, Failure> {
        Ok(layers::load(&self.sources)?)
    }

    /// The settings.
    ///
    /// # Errors
    /// `Configuration` with everything that is wrong with them.
    pub fn config(&self) -> std::result::Result<Config, Failure> {
        Ok(self.settings()?.config)
    }

    /// Opens the data directory, beside a running server or without one.
    pub fn app(&self) -> std::result::Result<Arc<App>, Failure> {
        Ok(App::open(self.config()?)?)
    }

    /// Prints a result: `value` for programs, `text` for people.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn print(
        &self,
        value: &impl Serialize,
        text: impl Display,
    ) -> std::result::Result<(), Failure> {
        Ok(print(self.json, value, text)?)
    }
}

/// Prints a result: `value` for programs, `text` for people.
///
/// # Errors
/// When the output cannot be written. A reader that went away is none: it has what it wants.
pub(super) fn print(json: bool, value: &impl Serialize, text: impl Display) -> Result<()> {
    let text = if json { serde_json::to_string(value)? } else { text.to_string() };
    let mut out = std::io::stdout().lock();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{text}{end}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// The standard input up to its end, without the line feed there: how a password is given.
///
/// # Errors
/// When it cannot be read or is not UTF-8.
pub(super) fn read_input() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    Ok(text.strip_suffix('\r').unwrap_or(text).to_owned())
}
