//! Joins the scripts of the pages, and rebuilds `chartroom-platform` when a file is added to an embedded
//! folder, because the compiler tracks changes of embedded files but not new ones. Paths are relative
//! to that package.

#[path = "../src/platform/web_bundles.rs"]
#[expect(dead_code, reason = "the server uses the other functions")]
mod web_bundles;

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

/// The modules that developers write.
const SCRIPT_DIR: &str = "../../assets/web/js";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=../../assets");
    println!("cargo::rerun-if-changed=../../schema.sql");
    println!("cargo::rerun-if-changed=db/upgrades");
    write_scripts(&Path::new(&env::var("OUT_DIR")?).join("scripts"))
}

/// Writes the joined scripts to a new directory.
fn write_scripts(dir: &Path) -> Result<(), Box<dyn Error>> {
    let mut sources = BTreeMap::new();
    for entry in fs::read_dir(SCRIPT_DIR)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| "a script has no UTF-8 name")?;
        sources.insert(name, fs::read_to_string(entry.path())?);
    }
    if dir.exists() {
        fs::remove_dir_all(dir)?;
    }
    fs::create_dir_all(dir)?;
    let texts = sources.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    for (name, text) in web_bundles::join_scripts(&texts) {
        fs::write(dir.join(name), text)?;
    }
    Ok(())
}
