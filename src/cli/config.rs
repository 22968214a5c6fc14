//! `chartroom config`: which settings are in force, and where each came from.

use clap::Subcommand;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::Failure;
use super::Shell;
use chartroom_platform::config::Loaded;
use chartroom_platform::config::SETTINGS;

/// What to do with the settings.
#[derive(Subcommand)]
pub enum Verb {
    /// Print every setting, its value and where it came from; secrets are not shown
    Show {
        /// Also say what each setting is
        #[arg(long)]
        explain: bool,
    },
    /// Check the settings and print nothing but what is wrong
    Check,
}

/// Runs `chartroom config`.
pub fn run(shell: &Shell, verb: &Verb) -> Result<(), Failure> {
    let loaded = shell.settings()?;
    match verb {
        Verb::Show { explain } => shell.print(&as_json(&loaded), as_text(&loaded, *explain)),
        Verb::Check => {
            let file = loaded.file.as_ref().map(|it| it.display().to_string());
            let text = match &file {
                Some(file) => format!("the settings are valid (file {file})"),
                None => "the settings are valid (no settings file)".to_owned(),
            };
            shell.print(&json!({ "valid": true, "file": file }), text)
        }
    }
}

fn as_json(loaded: &Loaded) -> Value {
    let rows = SETTINGS.iter().zip(&loaded.origins).map(|(setting, origin)| {
        let mut row = json!({
            "value": (setting.show)(&loaded.config),
            "origin": origin.to_string(),
            "about": setting.doc.trim(),
        });
        if setting.secret {
            row["secret"] = true.into();
        }
        (setting.name.to_owned(), row)
    });
    Value::Object(rows.collect::<Map<_, _>>())
}

/// A valid settings file, but for secrets, which are left out as comments.
fn as_text(loaded: &Loaded, explain: bool) -> String {
    let mut text = String::new();
    for (setting, origin) in SETTINGS.iter().zip(&loaded.origins) {
        if explain {
            text.push_str(&format!("\n# {}\n", setting.doc.trim()));
        }
        let comment = if setting.secret { "# " } else { "" };
        let value = toml::Value::String((setting.show)(&loaded.config));
        let line = format!("{comment}{} = {value}", setting.name);
        text.push_str(&format!("{line:<52} # {origin}\n"));
    }
    text
}
