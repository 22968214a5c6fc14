//! Why a command did not succeed, as a text and an exit code.

use std::process::ExitCode;

use serde_json::Value;
use serde_json::json;

use chartroom_platform::config::Problem;
use chartroom_platform::db;
use chartroom_platform::error::Error;

/// Why a command did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// Exit code 1.
    Failed(Error),
    /// Exit code 2: the arguments do not make sense together.
    Usage(String),
    /// Exit code 3: these settings are wrong.
    Configuration(Vec<Problem>),
    /// Exit code 4: the data needs a person.
    Attention(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match db::attention(&error) {
            Some(text) => Self::Attention(text.to_owned()),
            None => Self::Failed(error),
        }
    }
}

impl From<Vec<Problem>> for Failure {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Configuration(problems)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Failure {
    /// A failure of which this text says all.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Failed(Error::Invalid(text.into()))
    }

    /// One setting that is wrong or missing.
    pub fn setting(name: &str, message: &str) -> Self {
        Self::Configuration(vec![Problem { place: name.to_owned(), message: message.to_owned() }])
    }

    /// Says on the standard error what went wrong, and gives the exit code.
    pub fn report(&self, as_json: bool) -> ExitCode {
        if as_json {
            eprintln!("{}", json!({ "code": self.code(), "errors": self.lines() }));
        } else {
            for line in self.lines() {
                eprintln!("chartroom: {line}");
            }
        }
        ExitCode::from(self.exit_code())
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Failed(_) => 1,
            Self::Usage(_) => 2,
            Self::Configuration(_) => 3,
            Self::Attention(_) => 4,
        }
    }

    fn code(&self) -> Value {
        match self {
            Self::Failed(error) => error.code().into(),
            Self::Usage(_) => "usage".into(),
            Self::Configuration(_) => "configuration".into(),
            Self::Attention(_) => "attention".into(),
        }
    }

    /// What to tell the operator, to whom the cause of an internal error is shown.
    fn lines(&self) -> Vec<String> {
        match self {
            Self::Failed(error) => vec![error.full()],
            Self::Usage(text) | Self::Attention(text) => vec![text.clone()],
            Self::Configuration(problems) => problems.iter().map(ToString::to_string).collect(),
        }
    }
}
