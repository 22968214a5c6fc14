//! `chartroom migrate` and `chartroom rollback`: the database's version.

use clap::Args;
use clap::Subcommand;
use serde_json::json;

use super::Failure;
use super::Shell;
use chartroom_platform::db::upgrade;

/// What to do about the database's version.
#[derive(Subcommand)]
pub enum Verb {
    /// Say which version the database has and which steps are to be done
    Status,
    /// Bring the database to the version of this program; a snapshot is taken first
    Up {
        /// Try it and undo it
        #[arg(long)]
        dry_run: bool,
    },
}

/// `chartroom rollback` has nothing to choose.
#[derive(Args)]
pub struct Rollback {}

/// Runs `chartroom migrate`.
pub fn run(shell: &Shell, verb: &Verb) -> Result<(), Failure> {
    let config = shell.config()?;
    config.make_data_dir()?;
    match verb {
        Verb::Status => {
            let status = upgrade::status(&config.data_dir)?;
            let mut text = match status.version {
                0 => "there is no database yet".to_owned(),
                version => format!("version {version}"),
            };
            text.push_str(&format!("; this program works with version {}\n", status.current));
            for step in &status.pending {
                text.push_str(&format!("to do: {step}\n"));
            }
            for snapshot in &status.snapshots {
                text.push_str(&format!("snapshot: {}\n", snapshot.display()));
            }
            shell.print(&status, text)
        }
        Verb::Up { dry_run } => {
            let steps = upgrade::up(&config.data_dir, *dry_run)?;
            let text = match (steps.is_empty(), dry_run) {
                (true, _) => "nothing to do".to_owned(),
                (false, true) => format!("would work: {}", steps.join(", ")),
                (false, false) => format!("done: {}", steps.join(", ")),
            };
            shell.print(&json!({ "steps": steps, "dry_run": dry_run }), text)
        }
    }
}

/// Runs `chartroom rollback`.
pub fn rollback(shell: &Shell, _: &Rollback) -> Result<(), Failure> {
    let config = shell.config()?;
    config.make_data_dir()?;
    let done = upgrade::rollback(&config.data_dir)?;
    let text = format!(
        "the database has version {} again, from {}\nwhat it replaced is kept as {}\n\
         start the program of that version on it: this one would upgrade it again",
        done.to,
        done.snapshot.display(),
        done.kept.display()
    );
    shell.print(&done, text)
}
