//! `chartroom backup`: one file each, made beside the running server and proven by restoring it.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::json;

use super::Failure;
use super::Shell;
use chartroom_platform::db::backup;
use chartroom_platform::db::backup::Backup;

/// What to do about backups.
#[derive(Subcommand)]
pub enum Verb {
    /// Make a backup and prove it by restoring it into a temporary directory
    Create {
        /// Where to put it [default: a file named by the time, in backups/ of the data directory]
        file: Option<PathBuf>,
    },
    /// Check that a backup can be restored
    Verify {
        /// The backup
        file: PathBuf,
    },
    /// Put a backup in the place of the database; the server must be down
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// List the backups in the data directory, oldest first
    List,
    /// Remove old backups from the data directory
    Prune {
        /// How many of the newest stay
        #[arg(long, value_name = "N", default_value_t = 7)]
        keep: usize,
    },
}

/// Runs `chartroom backup`.
pub fn run(shell: &Shell, verb: Verb) -> Result<(), Failure> {
    let dir = shell.config()?.data_dir;
    match verb {
        Verb::Create { file } => {
            let made = backup::create(&dir, file.as_deref())?;
            shell.print(&made, line(&made))
        }
        Verb::Verify { file } => {
            let manifest = backup::verify(&file)?;
            let text = format!(
                "{} is whole: of {}, schema version {}, {} rows",
                file.display(),
                manifest.created,
                manifest.schema_version,
                manifest.rows.values().sum::<i64>()
            );
            shell.print(&manifest, text)
        }
        Verb::Restore { file } => {
            let restored = backup::restore(&dir, &file)?;
            let mut text = format!("restored the backup of {}", restored.manifest.created);
            if let Some(kept) = &restored.kept {
                text.push_str(&format!("\nwhat was there before is kept in {}", kept.display()));
            }
            shell.print(&restored, text)
        }
        Verb::List => {
            let all = backup::list(&dir)?;
            shell.print(&all, all.iter().map(line).collect::<Vec<_>>().join("\n"))
        }
        Verb::Prune { keep } => {
            let removed = backup::prune(&dir, keep)?;
            let lines = removed.iter().map(|it| format!("removed {}", it.display()));
            shell.print(&json!({ "removed": removed }), lines.collect::<Vec<_>>().join("\n"))
        }
    }
}

fn line(backup: &Backup) -> String {
    format!("{}  {:>12} bytes  {}", backup.manifest.created, backup.bytes, backup.path.display())
}
