//! `chartroom backup`: creates, verifies and restores backups. Each backup is one file.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use chartroom_platform::db::backup;
use chartroom_platform::db::backup::Backup;

/// Subcommands of `chartroom backup`.
#[derive(Subcommand)]
pub enum BackupCommand {
    /// Create a backup and verify it by restoring it into a temporary directory
    Create {
        /// Backup file [default: a file named after the current time in backups/ of the data
        /// directory]
        file: Option<PathBuf>,
    },
    /// Verify that a backup can be restored
    Verify {
        /// The backup
        file: PathBuf,
    },
    /// Replace the database with a backup; the server must not be running
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// List the backups in the data directory, oldest first
    List,
    /// Delete old backups from the data directory
    Prune {
        /// Number of newest backups to keep
        #[arg(long, value_name = "N", default_value_t = 7)]
        keep: usize,
    },
}

/// Runs `chartroom backup`: creates, verifies, restores, lists or deletes backups, and prints the
/// result.
pub fn run(context: &CommandContext, command: BackupCommand) -> Result<(), Failure> {
    let dir = context.load_config()?.data_dir;
    match command {
        BackupCommand::Create { file } => {
            let created = backup::create(&dir, file.as_deref())?;
            context.print(&created, format_line(&created))
        }
        BackupCommand::Verify { file } => {
            let manifest = backup::verify(&file)?;
            let text = format!(
                "{} is valid: created {}, schema version {}, {} rows",
                file.display(),
                manifest.created,
                manifest.schema_version,
                manifest.rows.values().sum::<i64>()
            );
            context.print(&manifest, text)
        }
        BackupCommand::Restore { file } => {
            let restored = backup::restore(&dir, &file)?;
            let mut text = format!("restored the backup of {}", restored.manifest.created);
            if let Some(kept) = &restored.kept {
                text.push_str(&format!("\nthe previous database is kept in {}", kept.display()));
            }
            context.print(&restored, text)
        }
        BackupCommand::List => {
            let all = backup::list(&dir)?;
            context.print(&all, all.iter().map(format_line).collect::<Vec<_>>().join("\n"))
        }
        BackupCommand::Prune { keep } => {
            let removed = backup::prune(&dir, keep)?;
            let lines = removed.iter().map(|path| format!("removed {}", path.display()));
            context.print(&json!({ "removed": removed }), lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

/// Returns the line of a backup in the text output: creation time, size in bytes and path.
fn format_line(backup: &Backup) -> String {
    format!("{}  {:>12} bytes  {}", backup.manifest.created, backup.bytes, backup.path.display())
}
