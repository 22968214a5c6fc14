//! `chartroom doctor`: looks for damage in the data directory, beside the running server or not.

use clap::Args;
use serde_json::json;

use super::Failure;
use super::Shell;
use crate::features::documents;
use crate::platform::doctor;
use crate::platform::doctor::Look;

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
    let checks = doctor::run(&config.data_dir, arguments.fix, &LOOKS)?;
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
