//! `chartroom migrate` and `chartroom rollback`: upgrade the database and undo the upgrade.

use clap::Args;
use clap::Subcommand;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use chartroom_platform::db::upgrade;

/// Subcommands of `chartroom migrate`.
#[derive(Subcommand)]
pub enum MigrateCommand {
    /// Print the version of the database and the pending steps
    Status,
    /// Upgrade the database to the version of this program, after taking a snapshot
    Up {
        /// Test the upgrade without keeping it
        #[arg(long)]
        dry_run: bool,
    },
}

/// Arguments of `chartroom rollback`. There are none.
#[derive(Args)]
pub struct RollbackArguments {}

/// Runs `chartroom migrate`: prints the version of the database and the pending steps, or creates
/// or upgrades the database (a dry run keeps no change). Creates the data directory if it is
/// absent.
pub fn run(context: &CommandContext, command: &MigrateCommand) -> Result<(), Failure> {
    let config = context.load_config()?;
    config.create_data_dir()?;
    match command {
        MigrateCommand::Status => {
            let status = upgrade::status(&config.data_dir)?;
            let mut text = match status.version {
                0 => "there is no database yet".to_owned(),
                version => format!("version {version}"),
            };
            text.push_str(&format!("; this program needs version {}\n", status.current));
            for step in &status.pending {
                text.push_str(&format!("pending: {step}\n"));
            }
            for snapshot in &status.snapshots {
                text.push_str(&format!("snapshot: {}\n", snapshot.display()));
            }
            context.print(&status, text)
        }
        MigrateCommand::Up { dry_run } => {
            let steps = upgrade::upgrade(&config.data_dir, *dry_run)?;
            let text = match (steps.is_empty(), dry_run) {
                (true, _) => "nothing to do".to_owned(),
                (false, true) => format!("would upgrade: {}", steps.join(", ")),
                (false, false) => format!("done: {}", steps.join(", ")),
            };
            context.print(&json!({ "steps": steps, "dry_run": dry_run }), text)
        }
    }
}

/// Runs `chartroom rollback`: replaces the database by the newest snapshot of an older version.
/// Creates the data directory if it is absent.
pub fn rollback(context: &CommandContext, _: &RollbackArguments) -> Result<(), Failure> {
    let config = context.load_config()?;
    config.create_data_dir()?;
    let done = upgrade::rollback(&config.data_dir)?;
    let text = format!(
        "the database has version {} again, from {}\nwhat it replaced is kept as {}\n\
         start the program of that version on it: this one would upgrade it again",
        done.to,
        done.snapshot.display(),
        done.kept.display()
    );
    context.print(&done, text)
}
