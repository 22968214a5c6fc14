//! `chartroom cloud`: tests the settings of providers of cloud storage.

use chartroom_cloud::Provider;
use clap::Subcommand;

use super::CommandContext;
use super::Failure;
use crate::features::cloud;
use crate::features::cloud::CheckStep;
use crate::features::cloud::StepResult;

/// Subcommands of `chartroom cloud`.
#[derive(Subcommand)]
pub enum CloudCommand {
    /// Test the settings of a provider: client id, client secret, and a connection if there is one
    #[command(visible_alias = "test")]
    Check {
        /// box, dropbox, googledrive, onedrive or smartsheet
        provider: String,
    },
}

/// Runs `chartroom cloud`.
///
/// # Errors
/// If the provider does not exist or the test fails.
pub fn run(context: &CommandContext, command: &CloudCommand) -> Result<(), Failure> {
    let CloudCommand::Check { provider } = command;
    let Some(provider) = Provider::from_name(provider) else {
        let names = Provider::ALL.map(Provider::as_str).join(", ");
        return Err(Failure::message(format!("{provider}: must be one of {names}")));
    };
    let app = context.open_app()?;
    let check = cloud::check_settings(&app, provider)?;
    let line = |step: &CheckStep| {
        let result = match step.result {
            StepResult::Passed => "passed",
            StepResult::Failed => "FAILED",
            StepResult::Skipped => "skipped",
        };
        format!("{}: {result}: {}", step.step, step.detail)
    };
    let lines: Vec<String> = check.steps.iter().map(line).collect();
    let text = format!(
        "{}\nURL to register at {}: {}",
        lines.join("\n"),
        provider.title(),
        check.redirect_uri
    );
    context.print(&check, text)?;
    match check.has_passed() {
        true => Ok(()),
        false => Err(Failure::message(format!(
            "{} cannot be used with these settings",
            provider.title()
        ))),
    }
}
