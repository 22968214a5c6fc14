//! `chartroom doctor`: checks the data directory for damage, with or without a running server.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use crate::app::App;
use crate::features::documents;
use crate::features::listing;
use crate::features::portfolio;
use chartroom_platform::db::DATABASE_FILE_NAME;
use chartroom_platform::doctor;
use chartroom_platform::doctor::CheckResult;
use chartroom_platform::doctor::FeatureCheck;

/// Arguments of `chartroom doctor`.
#[derive(Args)]
pub struct DoctorArguments {
    /// Repair damage that can be repaired without data loss
    #[arg(long)]
    fix: bool,
}

/// Checks of the features, in their order.
const FEATURE_CHECKS: [FeatureCheck; 2] = [documents::HISTORY_CHECK, documents::STORAGE_CHECK];

/// Runs `chartroom doctor`. Fails with exit code 4 if a check fails and `--fix` does not repair it.
/// `--fix` also rebuilds a search index that differs from the database.
///
/// Creates the data directory if it is absent. Checks the search index only if the database exists
/// and passes its checks.
pub fn run(context: &CommandContext, arguments: &DoctorArguments) -> Result<(), Failure> {
    let config = context.load_config()?;
    config.create_data_dir()?;
    let data_dir = config.data_dir.clone();
    let mut checks = doctor::run_checks(&data_dir, arguments.fix, &FEATURE_CHECKS)?;
    // A damaged database, or one of another version, cannot be compared with the index.
    let is_sound = |check: &CheckResult| check.ok || !check.name.starts_with("database.");
    if data_dir.join(DATABASE_FILE_NAME).exists() && checks.iter().all(is_sound) {
        let app = App::open(config)?;
        if arguments.fix {
            repair_sizes(&app, &mut checks)?;
        }
        let mut check = listing::check_index(&app)?;
        if !check.ok && arguments.fix {
            listing::reindex(&app)?;
            check = listing::check_index(&app)?;
        }
        checks.push(check);
    }
    portfolio::load_fonts(&data_dir)?;
    checks.push(describe_fonts());
    let failed = checks.iter().filter(|check| !check.ok).count();
    let lines = checks.iter().map(|check| {
        let verdict = if check.ok { "ok   " } else { "WRONG" };
        format!("{verdict}  {:<24}  {}", check.name, check.detail).trim_end().to_owned()
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    context.print(&json!({ "ok": failed == 0, "checks": checks }), text)?;
    match failed {
        0 => Ok(()),
        1 => Err(Failure::Attention("one check failed".to_owned())),
        failed => Err(Failure::Attention(format!("{failed} checks failed"))),
    }
}

/// Lists the scripts that images show as boxes, with the packages that have fonts for them. Looks up
/// a character of each script in the font files. The check always passes, because most servers never
/// need these scripts.
fn describe_fonts() -> CheckResult {
    let mut scripts_by_package: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for script in portfolio::list_scripts_without_font() {
        scripts_by_package.entry(script.package).or_default().push(script.name);
    }
    let packages = scripts_by_package.iter().map(|(package, names)| {
        format!("no font for {}: install the package {package}", names.join(", "))
    });
    let detail = packages.collect::<Vec<_>>().join("; ");
    CheckResult::passed("fonts", if detail.is_empty() { "all scripts".to_owned() } else { detail })
}

/// Repairs the sizes of nodes and the totals of accounts if their check failed, and replaces the
/// result of the check.
fn repair_sizes(app: &App, checks: &mut [CheckResult]) -> Result<(), Failure> {
    let (name, check_sizes) = documents::STORAGE_CHECK;
    if let Some(check) = checks.iter_mut().find(|check| check.name == name && !check.ok) {
        app.db.write_with_reserve(documents::repair_sizes)?;
        *check = app.db.read(check_sizes)?;
    }
    Ok(())
}
