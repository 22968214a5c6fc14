//! `chartroom doctor`: looks for damage in the data directory, beside the running server or not.

use clap::Args;
use serde_json::json;

use super::Failure;
use super::Shell;
use crate::app::App;
use crate::features::documents;
use crate::features::listing;
use chartroom_platform::db::FILE;
use chartroom_platform::doctor;
use chartroom_platform::doctor::Check;
use chartroom_platform::doctor::Look;

/// How to look.
#[derive(Args)]
pub struct Arguments {
    /// Mend what can be mended without losing anything
    #[arg(long)]
    fix: bool,
}

/// The checks of the features, in their order.
const LOOKS: [Look; 1] = [documents::HISTORY_CHECK];

/// Runs `chartroom doctor`: exit code 4 when something is wrong.
pub fn run(shell: &Shell, arguments: &Arguments) -> Result<(), Failure> {
    let config = shell.config()?;
    config.make_data_dir()?;
    let mut checks = doctor::run(&config.data_dir, arguments.fix, &LOOKS)?;
    // What a database holds that is damaged, or of another version, is nothing to compare with.
    let is_sound = |it: &Check| it.ok || !it.name.starts_with("database.");
    if config.data_dir.join(FILE).exists() && checks.iter().all(is_sound) {
        let app = App::open(config)?;
        let mut check = listing::check_index(&app)?;
        if !check.ok && arguments.fix {
            listing::reindex(&app)?;
            check = listing::check_index(&app)?;
        }
        checks.push(check);
    }
    let bad = checks.iter().filter(|it| !it.ok).count();
    let lines = checks.iter().map(|check| {
        let verdict = if check.ok { "ok   " } else { "WRONG" };
        format!("{verdict}  {:<24}  {}", check.name, check.detail).trim_end().to_owned()
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    shell.print(&json!({ "ok": bad == 0, "checks": checks }), text)?;
    match bad {
        0 => Ok(()),
        1 => Err(Failure::Attention("one check failed".to_owned())),
        bad => Err(Failure::Attention(format!("{bad} checks failed"))),
    }
}
