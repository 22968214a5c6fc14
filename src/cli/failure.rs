//! The failure of a command, with message and exit code.

use std::process::ExitCode;

use serde_json::Value;
use serde_json::json;

use chartroom_platform::config::ConfigProblem;
use chartroom_platform::db;
use chartroom_platform::error::Error;

/// The failure of a command.
#[derive(Debug)]
pub enum Failure {
    /// Exit code 1: an error occurred.
    Failed(Error),
    /// Exit code 2: the arguments are invalid or contradictory.
    Usage(String),
    /// Exit code 3: settings are invalid or missing.
    Configuration(Vec<ConfigProblem>),
    /// Exit code 4: an operator must look at the data.
    Attention(String),
}

impl From<Error> for Failure {
    /// Converts an error about unusable data to `Attention`, every other error to `Failed`.
    fn from(error: Error) -> Self {
        match db::unusable_data_message(&error) {
            Some(text) => Self::Attention(text.to_owned()),
            None => Self::Failed(error),
        }
    }
}

impl From<Vec<ConfigProblem>> for Failure {
    /// Converts problems of the settings to `Configuration`, which has exit code 3.
    fn from(problems: Vec<ConfigProblem>) -> Self {
        Self::Configuration(problems)
    }
}

impl From<std::io::Error> for Failure {
    /// Converts an I/O error to `Failed`, which has exit code 1.
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Failure {
    /// Returns a failure with this message and exit code 1.
    pub fn message(text: impl Into<String>) -> Self {
        Self::Failed(Error::Invalid(text.into()))
    }

    /// Returns a failure for one invalid or missing setting, with exit code 3. `name` is the name
    /// of the setting.
    pub fn setting(name: &str, message: &str) -> Self {
        Self::Configuration(vec![ConfigProblem {
            place: name.to_owned(),
            message: message.to_owned(),
        }])
    }

    /// Prints the failure to the standard error, as JSON if `as_json` is set, and returns the exit
    /// code. Does not end the process.
    pub fn report(&self, as_json: bool) -> ExitCode {
        if as_json {
            eprintln!("{}", json!({ "code": self.code(), "errors": self.messages() }));
        } else {
            for line in self.messages() {
                eprintln!("chartroom: {line}");
            }
        }
        ExitCode::from(self.exit_code())
    }

    /// Returns the exit code, 1 to 4, as documented at the variants.
    fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Configuration(_) => 3,
            Self::Attention(_) => 4,
        }
    }

    /// Returns the error code in the JSON output: that of the error, or `usage`, `configuration` or
    /// `attention`.
    fn code(&self) -> Value {
        match self {
            Self::Failed(error) => error.code().into(),
            Self::Usage(_) => "usage".into(),
            Self::Configuration(_) => "configuration".into(),
            Self::Attention(_) => "attention".into(),
        }
    }

    /// Returns the messages for the operator, including the cause of internal errors.
    fn messages(&self) -> Vec<String> {
        match self {
            Self::Failed(error) => vec![error.operator_message()],
            Self::Usage(text) | Self::Attention(text) => vec![text.clone()],
            Self::Configuration(problems) => problems.iter().map(ToString::to_string).collect(),
        }
    }
}
