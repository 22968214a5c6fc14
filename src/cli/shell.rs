//! What every command has: the settings, the standard streams, and how to print.

use std::fmt::Display;
use std::io::ErrorKind;
use std::io::Read;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use serde::Serialize;

use super::Failure;
use crate::platform::App;
use crate::platform::config::Config;
use crate::platform::config::Loaded;
use crate::platform::config::Sources;
use crate::platform::config::layers;

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
    pub fn settings(&self) -> Result<Loaded, Failure> {
        Ok(layers::load(&self.sources)?)
    }

    /// The settings.
    ///
    /// # Errors
    /// `Configuration` with everything that is wrong with them.
    pub fn config(&self) -> Result<Config, Failure> {
        Ok(self.settings()?.config)
    }

    /// Opens the data directory, beside a running server or without one.
    pub fn app(&self) -> Result<Arc<App>, Failure> {
        Ok(App::open(self.config()?)?)
    }

    /// Prints a result: `value` for programs, `text` for people.
    ///
    /// # Errors
    /// When the output cannot be written. A reader that went away is none: it has what it wants.
    pub fn print(&self, value: &impl Serialize, text: impl Display) -> Result<(), Failure> {
        let text = if self.json {
            serde_json::to_string(value).map_err(|error| Failure::Failed(error.into()))?
        } else {
            text.to_string()
        };
        let mut out = std::io::stdout().lock();
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        match write!(out, "{text}{end}").and_then(|()| out.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The standard input up to its end, without the last line feed: how a password is given.
    ///
    /// # Errors
    /// When it cannot be read or is not UTF-8.
    pub fn read_input(&self) -> Result<String, Failure> {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text)?;
        Ok(text.trim_end_matches(['\r', '\n']).to_owned())
    }
}
